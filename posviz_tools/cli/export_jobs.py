"""`posviz export`: what its options mean, the files to write, and the jobs that write them."""

import json
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import typer

import posviz_course.lessons
from posviz.pictures import animation, export
from posviz.pictures.knobs import Knob
from posviz.pictures.picture import Picture
from posviz.pictures.style import Appearance, appearance
from posviz.wording import quoted
from posviz_tools.cli import snippets
from posviz_tools.cli.arguments import closest, notebooks
from posviz_tools.cli.faults import fitted

FILM, PAGE = "gif", "html"
FORMATS = (*export.FORMATS, FILM, PAGE)
INCHES = {"in": 1, "cm": 1 / 2.54, "mm": 1 / 25.4, "pt": 1 / 72.27}
FRAMES = 5  # of a filmstrip
LONGEST = 40  # letters of a value in a file's name
ALIKE = (  # all as in Appearance
    *("style", "dark", "layout", "font", "title", "caption", "legend", "cmap", "panel"),
    "transparent",
)
NOT_IN_LATEX = re.compile(r"[\\%#{}~$&^]")  # in the name of a file


class Export(NamedTuple):
    """A picture in its settings, how it looks, its files' name, the knob that moves in a film."""

    picture: Picture
    look: Appearance
    stem: str
    film: str


# ---------------------------------------------------------------- what the options mean


def formats(text: str, animated: bool = False) -> list[str]:
    """The formats in "svg,pdf"; with an animated knob there is one that moves among them."""
    words = [word.strip().lower().lstrip(".") for word in text.split(",")] if text else []
    for word in words:
        if word not in FORMATS:
            closest("format", word, FORMATS)
    if animated and FILM not in words:
        words.append(FILM)
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
    match = re.fullmatch(r"(\d+(?:\.\d+)?) ?(in|cm|mm|pt)", text)
    if not match:
        raise ValueError(f"--width takes a length as 3.03in, 77mm, 8cm or 252pt; got {text!r}.")
    return round(float(match[1]) * INCHES[match[2]], 4)


def pair(option, text, form="old=new") -> tuple[str, str]:
    """The two sides of "old=new"; ValueError for what has no two."""
    old, equals, new = text.partition("=")
    if not (old and equals):
        raise ValueError(f"{option} {quoted(text)} is unclear: write {option} {form}.")
    return old.strip(), new


def settings(kind: type[Picture], texts) -> dict[str, Any]:
    """The values of "knob=value" texts; ValueError for a knob that the picture lacks."""
    pairs = [pair("--set", text, "knob=value") for text in texts]
    return {name: _knob(kind, name).read(typed) for name, typed in pairs}


def several(kind: type[Picture], multiples: str, film: str) -> tuple:
    """Return the knob and its values side by side; nothing where neither option is given."""
    if film and multiples:
        raise ValueError("choose --small-multiples or --filmstrip, not both.")
    if film:
        return film, tuple(_knob(kind, film).samples(FRAMES))
    if not multiples:
        return ()
    name, texts = pair("--small-multiples", multiples)
    return name, tuple(_knob(kind, name).read(text.strip()) for text in texts.split(","))


def _knob(kind, name) -> Knob:
    if name not in kind.knobs():
        raise ValueError(kind.no_knob(name))
    return kind.knobs()[name]


# ---------------------------------------------------------------- what is exported


def exports(names: list[str], options: dict[str, Any]) -> list[Export]:
    """What is to be exported of the pictures of these names.

    Raises ValueError for what is unclear, TraitError for a setting that is refused.
    """
    given, film = options["alias"], options["knob"]
    if given and len(names) > 1:
        raise ValueError(f"--as {given} is the name of one picture; {len(names)} are chosen.")
    figures, usual = [], look(options)
    for kind in map(posviz_course.lessons.load, names):
        if film:
            animation.check_can_be_filmed(kind, film)
        picture = kind(**settings(kind, options["set_"] or ()))
        title = headline(kind.__name__) if usual.title == "auto" else usual.title
        own = usual._replace(
            title=title, multiples=several(kind, options["multiples"], options["filmstrip"])
        )
        name = given or stem(picture, own)
        figures.append(Export(picture, own, name, film or kind.filmed_knobs()[0]))
    return figures


def stem(picture: Picture, look: Appearance) -> str:
    """Return a file's name without its ending: the picture, and all that is not a default."""
    knobs, values = picture.knobs(), picture.values()
    unusual = {name: [values[name]] for name in knobs if values[name] != knobs[name].default_value}
    unusual |= [look.multiples] if look.multiples else []
    words = ["-".join([name, *map(knobs[name].write, items)]) for name, items in unusual.items()]
    words += ["" if look.style == "notebook" else look.style, look.layout]
    words += ["dark" if look.dark else "", f"panel-{look.panel}" if look.panel else ""]
    plain = (re.sub(r"(?<=\d),(?=\d)", "", text) for text in words if text)
    parts = (re.sub(r"[^\w.+-]+", "-", text).strip("-")[:LONGEST] for text in plain)
    return "_".join([type(picture).__name__, *parts])


def with_room_for_texts(figures: list[Export]) -> list[Export]:
    """Return those with room for their texts, and name the others.

    Figures of the usual size and words have been looked at by `proof`. Raises ValueError for a
    label that a figure lacks.
    """
    fitting = []
    for figure in figures:
        is_usual = not (figure.look.is_narrow or figure.look.labels or figure.look.title)
        own, why = (figure.look, "") if is_usual else fitted(figure.picture, figure.look)
        if own:
            fitting.append(figure._replace(look=own))
        else:
            typer.echo(f"{type(figure.picture).__name__} is not written: {why}", err=True)
    return fitting


def headline(name: str) -> str:
    """What the slides of the lessons say over the picture of this name, else its own title."""
    for notebook in notebooks().values():
        for cell in json.loads(notebook.read_text("utf-8"))["cells"]:
            slide = cell["metadata"].get("posviz", {})
            shown = slide.get("picture") or "".join(cell["source"])
            if "headline" in slide and re.search(rf"\b{name}\(", shown):
                return slide["headline"]
    return posviz_course.lessons.load(name).title()


# ---------------------------------------------------------------- files and jobs


def plan(
    figures: list[Export], formats: list[str], to: Path, snippet: bool = False
) -> list[tuple[list[Path], Callable]]:
    """Jobs, each with the files that it writes.

    Raises ValueError for a living page in an appearance, which its readers' screens decide.
    """
    if PAGE in formats and any(f.look._replace(title="") != Appearance() for f in figures):
        raise ValueError("--format html takes --set, --title and --as: the page decides its look.")
    if FILM in formats and any(figure.look.transparent for figure in figures):
        raise ValueError("--transparent is for svg, pdf and png.")
    if snippet and not set(formats) & set(export.FORMATS):
        raise ValueError("--snippet is for svg, pdf and png.")
    if snippet and not {"pdf", "png"} & set(formats):
        raise ValueError("--snippet writes LaTeX, which reads no SVG: add --format pdf.")
    if snippet and (found := NOT_IN_LATEX.search("".join(figure.stem for figure in figures))):
        raise ValueError(f"--snippet writes LaTeX, which reads no {found[0]} in a file's name.")
    jobs: list[tuple[list[Path], Callable]] = []
    for figure in figures:
        stills = [to / f"{figure.stem}.{kind}" for kind in formats if kind in export.FORMATS]
        texts = [to / f"{figure.stem}.{kind}" for kind in snippets.FORMATS] if snippet else []
        if stills:
            jobs.append((stills + texts, partial(save, figure, stills, texts)))
        if PAGE in formats:
            from posviz_tools.publish.embedded import write_picture

            page = to / "live" / f"{figure.stem}.{PAGE}"
            jobs.append(([page], partial(write_picture, figure.picture, page, figure.look.title)))
        if FILM in formats:
            film = to / f"{figure.stem}_{figure.film}.{FILM}"
            move = partial(figure.picture.animate, figure.film, film, **figure.look._asdict())
            jobs.append(([film], move))
    return jobs


def named(files: list[Path]) -> str:
    """Several endings of one name: "SinusoidalTable.svg, .png"."""
    return ", ".join([files[0].name, *(file.suffix for file in files[1:])])


def save(figure: Export, paths: list[Path], texts: list[Path]) -> None:
    """Write one picture in several formats, from one figure, and what goes with it into a text."""
    export.save_all(figure.picture, paths, **figure.look._asdict())
    if texts:
        caption = figure.picture.figure_in(figure.look).caption
        snippets.write(paths, texts, caption, is_ours=not figure.look.caption)
