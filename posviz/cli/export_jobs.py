"""`posviz export`: what its options mean, the files to write, and the jobs that write them."""

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import posviz.lessons
from posviz.cli import arguments, snippets
from posviz.cli.faults import no_room, room_faults
from posviz.pictures import animation, export
from posviz.pictures.dress import Renaming
from posviz.pictures.files import inside
from posviz.pictures.picture import Picture
from posviz.pictures.style import Appearance, appearance

PAGE = "html"
INCHES = {"in": 1, "cm": 1 / 2.54, "mm": 1 / 25.4, "pt": 1 / 72.27}
FRAMES = 5  # of a filmstrip
LONGEST = 40  # letters of a value in a file's name


class Export(NamedTuple):
    """What is exported of a picture: with which settings, in which appearance, as which files."""

    name: str
    values: dict[str, Any]
    look: Appearance
    stem: str

    @property
    def picture(self) -> Picture:
        """The picture in its settings."""
        return posviz.lessons.load(self.name)(**self.values)


# ---------------------------------------------------------------- what the options mean


def look(options: dict[str, Any]) -> Appearance:
    """The appearance of the command's options, by name; ValueError for what is unclear."""
    shared = {name: options[name] for name in ("dark", "layout", "font", "title", "legend", "cmap")}
    return appearance(
        arguments.style(options["style"]),
        **shared,
        panel=options["panel"],
        width=inches(options["width"]) if options["width"] else 0,
        colors=options["colors"].split(",") if options["colors"] else (),
        labels=[_pair("--label", text) for text in options["labels"] or ()],
    )


def inches(text: str) -> float:
    """A length as "3.03in", "77mm" or "252pt"; ValueError for another."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?) ?(in|cm|mm|pt)", text)
    if not found:
        raise ValueError(f"--width takes a length as 3.03in, 77mm, 8cm or 252pt; got {text!r}.")
    return round(float(found[1]) * INCHES[found[2]], 4)


def _pair(option, text) -> tuple[str, str]:
    """The two sides of "old=new"."""
    old, equals, new = text.partition("=")
    if not (old and equals):
        raise ValueError(f"{option} {text!r} is unclear: write {option} old=new.")
    return old, new


def check_formats(formats: list[str], look: Appearance, options: dict[str, Any]) -> None:
    """Raise ValueError for a living page in an appearance, which its readers' screens decide."""
    several = options["multiples"] or options["filmstrip"]
    if PAGE in formats and (several or look._replace(title="") != Appearance()):
        raise ValueError("--format html takes --set, --title and --as: the page decides its look.")
    if options["snippet"] and not set(formats) & set(export.FORMATS):
        raise ValueError("--snippet is for svg, pdf and png.")


def exports(values: dict[str, dict], look: Appearance, options: dict[str, Any]) -> list[Export]:
    """What is to be exported of each picture; values: its settings, by its class's name.

    Raises ValueError where a picture lacks the knob of several values, and for a name that is no
    file's or would be that of several.
    """
    given = options["alias"]
    if given and len(values) > 1:
        raise ValueError(f"--as {given} is the name of one picture; {len(values)} are chosen.")
    if given:
        inside(Path(), given, "pdf")  # raises ValueError for what is no file's name
    found = []
    for name, setting in values.items():
        several = _several(posviz.lessons.load(name), options)
        own = look._replace(multiples=several)
        found.append(Export(name, setting, own, given or stem(name, setting, own)))
    return found


def _several(picture: type[Picture], options) -> tuple:
    """The knob and the values that stand side by side."""
    multiples, film = options["multiples"], options["filmstrip"]
    if multiples and film:
        raise ValueError("choose --small-multiples or --filmstrip, not both.")
    if not (multiples or film):
        return ()
    knob, texts = _pair("--small-multiples", multiples) if multiples else (film, "")
    if knob not in picture.knobs():
        raise ValueError(picture.no_knob(knob))
    found = picture.knobs()[knob]
    if film:
        return knob, tuple(found.sample_values(FRAMES))
    return knob, tuple(found.read(text.strip()) for text in texts.split(","))


def stem(name: str, values: dict[str, Any], look: Appearance) -> str:
    """A file's name without its ending: the picture, its settings, and what else is not usual."""
    kind: type[Picture] = posviz.lessons.load(name)
    knobs = kind.knobs()
    several = {look.multiples[0]: look.multiples[1]} if look.multiples else {}
    told = [f"{knob}-{knobs[knob].write(value)}" for knob, value in values.items()]
    told += [f"{knob}-{'-'.join(map(knobs[knob].write, each))}" for knob, each in several.items()]
    told += [look.style] * (look.style != "notebook") + [look.layout] + ["dark"] * look.dark
    told += [f"panel-{look.panel}"] if look.panel else []
    parts = (re.sub(r"[^\w.+-]+", "-", text).strip("-")[:LONGEST] for text in told if text)
    return "_".join([name, *parts])


# ---------------------------------------------------------------- whether there is room


def checked(found: list[Export]) -> tuple[list[Export], list[str]]:
    """Those with room for their texts, each with the labels that it has; a line for each other.

    Figures of the usual size and words have been looked at by `proof`. Raises ValueError for a
    label that no figure has.
    """
    look = found[0].look
    if len(found) > 1 and look.labels:
        found = [each._replace(look=_with_own_labels(each)) for each in found]
        used = {label for each in found for label in each.look.labels}
        if missing := set(look.labels) - used:
            raise ValueError(f"no text of these pictures has {min(missing)[0]!r}.")
    if not (look.is_narrow or look.labels or look.title):
        return found, []
    fitting, crowded = [], []
    for each in found:
        if own := _laid_out(each.picture, each.look):
            fitting.append(each._replace(look=own))
        else:
            why = no_room(each.picture, each.look) + _width_with_room(each)
            crowded.append(f"{each.name} is not written: {why}")
    return fitting, crowded


def _laid_out(picture: Picture, look: Appearance) -> Appearance | None:
    """The appearance with its several values side by side, else in two columns, else in one."""
    count = len(look.multiples[1]) if look.multiples else 1
    for columns in (0, *(few for few in (2, 1) if few < count)):
        own = look._replace(columns=columns)
        if not room_faults(picture, own):
            return own
    return None


def _width_with_room(each: Export) -> str:
    """The smallest width that does, where another was asked for; "" where none does."""
    if each.look.width:
        for inches in (half / 2 for half in range(2, 15) if half / 2 > each.look.width):
            if _laid_out(each.picture, each.look._replace(width=inches)):
                return f" This width fits: --width {inches:g}in."
    return ""


def _with_own_labels(each: Export) -> Appearance:
    """The appearance with those labels alone that the picture has."""
    renaming = Renaming(each.look.labels)
    renaming.in_(each.picture.figure(**each.look._replace(labels=())._asdict()))
    return each.look._replace(labels=tuple(x for x in each.look.labels if x[0] in renaming.found))


# ---------------------------------------------------------------- files and jobs


def plan(
    found: list[Export], filmed: dict[str, str], formats: list[str], to: Path, snippet: bool = False
) -> list[tuple[list[Path], Callable]]:
    """Jobs, each with the files that it writes; filmed: the knob of each film."""
    jobs: list[tuple[list[Path], Callable]] = []
    for each in found:
        stills = [to / f"{each.stem}.{kind}" for kind in formats if kind in export.FORMATS]
        texts = [to / f"{each.stem}.{kind}" for kind in snippets.FORMATS] if snippet else []
        if stills:
            jobs.append((stills + texts, partial(save, each, stills, texts)))
        if PAGE in formats:
            page = to / "live" / f"{each.stem}.{PAGE}"
            jobs.append(([page], partial(write_page, each, page)))
        for kind in formats:
            if kind in animation.FORMATS and (knob := filmed.get(each.name)):
                film = to / f"{each.stem}_{knob}.{kind}"
                jobs.append(([film], partial(animate, each, knob, film)))
    return jobs


def named(files: list[Path]) -> str:
    """Several endings of one name: "SinusoidalTable.svg, .png"."""
    return ", ".join([files[0].name, *(file.suffix for file in files[1:])])


def save(each: Export, paths: list[Path], texts: list[Path]) -> None:
    """Write one picture in several formats, from one figure, and what goes with it into a text."""
    export.save_all(each.picture, paths, **each.look._asdict())
    if texts:
        caption = each.picture.figure(**each.look._asdict()).caption
        snippets.write(paths, texts, caption)


def write_page(each: Export, path: Path) -> None:
    """Write one picture as a living page."""
    from posviz.publish.embedded import write_picture

    write_picture(each.picture, path, each.look.title)


def animate(each: Export, knob: str, path: Path) -> None:
    """Write one animation."""
    animation.animate(each.picture, knob, path, **each.look._asdict())
