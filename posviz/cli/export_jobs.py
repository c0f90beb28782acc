"""`posviz export`: what its options mean, the files to write, and the jobs that write them."""

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import typer

import posviz.lessons
from posviz.cli import snippets
from posviz.cli.arguments import closest
from posviz.cli.faults import no_room, with_room
from posviz.pictures import animation, export
from posviz.pictures.dress import Renaming
from posviz.pictures.picture import Picture
from posviz.pictures.style import Appearance, appearance
from posviz.wording import quoted

PAGE = "html"
FORMATS = (*export.FORMATS, *animation.FORMATS, PAGE)
INCHES = {"in": 1, "cm": 1 / 2.54, "mm": 1 / 25.4, "pt": 1 / 72.27}
FRAMES = 5  # of a filmstrip
LONGEST = 40  # letters of a value in a file's name
ALIKE = ("style", "dark", "layout", "font", "title", "legend", "cmap", "panel")  # as in Appearance


class Export(NamedTuple):
    """A picture in its settings, how it looks, its files' name, the knob that moves in a film."""

    picture: Picture
    look: Appearance
    stem: str
    film: str = ""


# ---------------------------------------------------------------- what the options mean


def formats(texts, animated=False) -> list[str]:
    """The formats in "svg,pdf"; with an animated knob there is one that moves among them."""
    words = [word.strip().lower().lstrip(".") for text in texts for word in text.split(",")]
    for word in words:
        if word not in FORMATS:
            closest("format", word, FORMATS)
    if animated and not set(words) & set(animation.FORMATS):
        words.append("gif")
    return list(dict.fromkeys(words or ["pdf"]))


def look(options: dict[str, Any]) -> Appearance:
    """The appearance of the command's options, by name; ValueError for what is unclear."""
    return appearance(
        **{name: options[name] for name in ALIKE},
        width=inches(options["width"]) if options["width"] else 0,
        colors=options["colors"].split(",") if options["colors"] else (),
        labels=[pair("--label", text) for text in options["labels"] or ()],
    )


def inches(text: str) -> float:
    """A length as "3.03in", "77mm" or "252pt"; ValueError for another."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?) ?(in|cm|mm|pt)", text)
    if not found:
        raise ValueError(f"--width takes a length as 3.03in, 77mm, 8cm or 252pt; got {text!r}.")
    return round(float(found[1]) * INCHES[found[2]], 4)


def pair(option, text, form="old=new") -> tuple[str, str]:
    """The two sides of "old=new"; ValueError for what has no two."""
    old, equals, new = text.partition("=")
    if not (old and equals):
        raise ValueError(f"{option} {quoted(text)} is unclear: write {option} {form}.")
    return old.strip(), new


def settings(kinds: list[type[Picture]], texts) -> dict[type, dict[str, Any]]:
    """The values of "knob=value" texts for each picture that has the knob.

    Raises ValueError for a knob that no picture has, TraitError for a value that is refused.
    """
    values: dict[type, dict[str, Any]] = {kind: {} for kind in kinds}
    for text in texts:
        knob, typed = pair("--set", text, "knob=value")
        for kind in _having(kinds, knob, f"--set {text}"):
            values[kind][knob] = kind.knobs()[knob].read(typed)
    return values


def films(kinds: list[type[Picture]], knob: str | None = None) -> dict[type, str]:
    """The knob that moves in each picture's film; ValueError for one that cannot move."""
    if knob is None:
        return {kind: kind.filmed_knobs()[0] for kind in kinds}
    having = _having(kinds, knob, f"--animate {knob}")
    for kind in having:
        animation.check_can_be_filmed(kind, knob)
    return dict.fromkeys(having, knob)


def _having(kinds, knob, option) -> list[type[Picture]]:
    """The pictures that have the knob; tells of those that have not."""
    having = [kind for kind in kinds if knob in kind.knobs()]
    if not having:
        known = dict.fromkeys(name for kind in kinds for name in kind.knobs())
        closest("knob", knob, known, "`posviz list` shows the knobs of each picture")
    if missing := [kind.__name__ for kind in kinds if kind not in having]:
        typer.echo(f"{option} is not for {', '.join(missing)}.", err=True)
    return having


# ---------------------------------------------------------------- what is exported


def exports(names: list[str], options: dict[str, Any]) -> list[Export]:
    """What is to be exported of the pictures of these names.

    Raises ValueError for what is unclear, TraitError for a setting that is refused.
    """
    given = options["alias"]
    if given and len(names) > 1:
        raise ValueError(f"--as {given} is the name of one picture; {len(names)} are chosen.")
    kinds = [posviz.lessons.load(name) for name in names]
    values, moving = settings(kinds, options["set_"] or ()), films(kinds, options["knob"])
    found, usual = [], look(options)
    for kind in kinds:
        picture = kind(**values[kind])
        several = _several(picture, options["multiples"], options["filmstrip"])
        own = usual._replace(multiples=several)
        found.append(Export(picture, own, given or stem(picture, own), moving.get(kind, "")))
    return found


def _several(picture: Picture, multiples: str, film: str) -> tuple:
    """The knob and the values that stand side by side."""
    if multiples and film:
        raise ValueError("choose --small-multiples or --filmstrip, not both.")
    if not (multiples or film):
        return ()
    name, texts = pair("--small-multiples", multiples) if multiples else (film, "")
    knob = picture.knobs().get(name)
    if not knob:
        raise ValueError(picture.no_knob(name))
    if film:
        return name, tuple(knob.sample_values(FRAMES))
    return name, tuple(knob.read(text.strip()) for text in texts.split(","))


def stem(picture: Picture, look: Appearance) -> str:
    """A file's name without its ending: the picture, and which settings and looks are not usual."""
    knobs, values = picture.knobs(), picture.values()
    several = {name: [values[name]] for name in knobs if values[name] != knobs[name].default_value}
    several |= [look.multiples] if look.multiples else []
    words = ["-".join([name, *map(knobs[name].write, each)]) for name, each in several.items()]
    words += [look.style] * (look.style != "notebook") + [look.layout] + ["dark"] * look.dark
    words += [f"panel-{look.panel}"] * bool(look.panel)
    parts = (re.sub(r"[^\w.+-]+", "-", text).strip("-")[:LONGEST] for text in words if text)
    return "_".join([type(picture).__name__, *parts])


def with_room_for_texts(found: list[Export]) -> list[Export]:
    """Those with room for their texts, each with the labels that it has; tells of the others.

    Figures of the usual size and words have been looked at by `proof`. Raises ValueError for a
    label that no figure has.
    """
    look = found[0].look
    if len(found) > 1 and look.labels:
        found = [each._replace(look=_with_own_labels(each)) for each in found]
        if missing := set(look.labels).difference(*(each.look.labels for each in found)):
            raise ValueError(f"no text of these pictures has {min(missing)[0]!r}.")
    if not (look.is_narrow or look.labels or look.title):
        return found
    fitting = []
    for each in found:
        if own := with_room(each.picture, each.look):
            fitting.append(each._replace(look=own))
        else:
            name, why = type(each.picture).__name__, no_room(each.picture, each.look)
            typer.echo(f"{name} is not written: {why}", err=True)
    return fitting


def _with_own_labels(each: Export) -> Appearance:
    """The appearance with those labels alone that the picture has."""
    renaming = Renaming(each.look.labels)
    renaming.in_(each.picture.figure(**each.look._replace(labels=())._asdict()))
    return each.look._replace(labels=tuple(x for x in each.look.labels if x[0] in renaming.found))


# ---------------------------------------------------------------- files and jobs


def plan(
    found: list[Export], formats: list[str], to: Path, snippet: bool = False
) -> list[tuple[list[Path], Callable]]:
    """Jobs, each with the files that it writes.

    Raises ValueError for a living page in an appearance, which its readers' screens decide.
    """
    if PAGE in formats and any(each.look._replace(title="") != Appearance() for each in found):
        raise ValueError("--format html takes --set, --title and --as: the page decides its look.")
    if snippet and not set(formats) & set(export.FORMATS):
        raise ValueError("--snippet is for svg, pdf and png.")
    jobs: list[tuple[list[Path], Callable]] = []
    for each in found:
        stills = [to / f"{each.stem}.{kind}" for kind in formats if kind in export.FORMATS]
        texts = [to / f"{each.stem}.{kind}" for kind in snippets.FORMATS] if snippet else []
        if stills:
            jobs.append((stills + texts, partial(save, each, stills, texts)))
        if PAGE in formats:
            from posviz.publish.embedded import write_picture

            page = to / "live" / f"{each.stem}.{PAGE}"
            jobs.append(([page], partial(write_picture, each.picture, page, each.look.title)))
        for kind in formats:
            if kind in animation.FORMATS and each.film:
                film = to / f"{each.stem}_{each.film}.{kind}"
                move = partial(animation.animate, each.picture, each.film, film)
                jobs.append(([film], partial(move, **each.look._asdict())))
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
