"""What every picture draws and says at three settings, in a few lines, and how it is stored.

Where a change is wanted, `python -m tests.lessons.as_drawn [Picture ...]` writes
`as_drawn.json` again, all of it or some pictures: look at the difference before you commit it.
"""

import itertools
import json
import re
import sys
from pathlib import Path

import numpy as np
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.ticker import FixedFormatter

import posviz_course.lessons
from posviz.pictures.style import style_context

FILE = Path(__file__).with_suffix(".json")
NUMBER = re.compile(r"(?<![\w.])[-−]?\d[\d,]*\.?\d*(?:e[-+]?\d+)?")


def new_settings(name) -> list[dict]:
    """The default, and two in which every knob but texts and the device is moved."""
    rng, settings = np.random.default_rng(list(name.encode())), [{}]
    for part in (0.3, 0.7):
        setting = {}
        for key, knob in posviz_course.lessons.load(name).knobs().items():
            if not knob.samples(1):
                continue
            if knob.options:
                setting[key] = knob.options[rng.integers(len(knob.options))]
            else:
                setting[key] = knob.values[round(part * knob.last_place)]
        settings.append(setting)
    return settings


def drawn(name, setting) -> list[str]:
    """The caption, and a line for each artist that is seen: its look, its words, its numbers."""
    picture, figure = posviz_course.lessons.load(name)(**setting), Figure()
    arrays = picture.compute()
    with style_context():
        picture.update(picture.draw(figure), arrays)
    lines = [picture.caption(arrays)]
    for number, axes in enumerate(figure.axes):
        lines += [f"{number} {line}" for line in _axes_lines(axes)]
    for legend in [*figure.legends, *(axes.get_legend() for axes in figure.axes)]:
        if legend is not None:
            pairs = zip(legend.get_texts(), legend.legend_handles, strict=True)
            lines += [f"legend {text.get_text()!r} {_look(handle)}" for text, handle in pairs]
    return lines


def described(name, settings) -> list[list[str]]:
    """What is drawn at each setting; after the first one, only what is not drawn there, too."""
    first, *others = (drawn(name, setting) for setting in settings)
    return [first, *([line for line in other if line not in first] for other in others)]


def _axes_lines(axes):
    sides = [_axis_words(axis) for axis in (axes.xaxis, axes.yaxis)]
    titles = [axes.get_title(loc) for loc in ("left", "center", "right")]
    yield f"axes {''.join(titles)!r}, {sides[0]}, {sides[1]}"
    if axes.get_label() == "<colorbar>":
        return
    for line in filter(_is_seen, axes.lines):
        label = "" if line.get_label().startswith("_") else f"{line.get_label()!r} "
        x, y = (_digest(each) for each in line.get_data())
        yield f"line {label}{_look(line)} {x} {y}"
    for image in filter(_is_seen, axes.images):
        limits = _numbers([*image.get_extent(), *image.get_clim()])
        yield f"image {image.cmap.name} {limits} {_digest(image.get_array())}"
    for patch in filter(_is_seen, axes.patches):
        outline = patch.get_patch_transform().transform_path(patch.get_path())
        yield f"patch {_look(patch)} {_digest(outline.vertices)}"
    for many in filter(_is_seen, axes.collections):
        places = [path.vertices for path in many.get_paths()]
        values = [] if many.get_array() is None else [_digest(many.get_array())]
        digests = [_digest(np.concatenate([*places, many.get_offsets()])), *values]
        yield f"collection {_look(many)} {' '.join(digests)}"
    for text in filter(_is_seen, axes.texts):
        if text.get_text():
            yield f"text {text.get_text()!r} at {_numbers(text.get_position())}"


def _axis_words(axis) -> str:
    """Its label and ends, and what its ticks say where that is not a number."""
    ticks = axis.get_major_formatter()
    named = f" {'|'.join(ticks.seq)!r}" if isinstance(ticks, FixedFormatter) else ""
    return f"{axis.get_label_text()!r} {_numbers(axis.get_view_interval())}{named}"


def _is_seen(artist):
    return artist.get_visible()


def _look(artist) -> str:
    """Colour, strokes and marks, as far as the artist has them."""
    found = []
    for trait in ("color", "facecolor", "linestyle", "marker", "hatch", "alpha"):
        value = getattr(artist, f"get_{trait}", lambda: None)()
        if trait.endswith("color") and not isinstance(value, str) and value is not None:
            value = " ".join(to_hex(each, keep_alpha=True) for each in np.atleast_2d(value)[:3])
        if value is not None:
            found.append(str(value) if isinstance(value, str | float) else "path")
    return " ".join(found)


def _numbers(values) -> str:
    return " ".join(f"{value:.5g}" for value in np.asarray(values, float))


def _digest(values) -> str:
    """How many numbers, the largest, and a mean in which each place has a weight of its own."""
    numbers = np.ma.filled(np.ma.asarray(values, dtype=float), np.nan).ravel()
    there = np.isfinite(numbers)
    known = np.where(there, numbers, 0)
    largest, weights = abs(known).max(initial=0), np.arange(1, len(numbers) + 1) * 0.618034 % 1
    mean = (weights * known).mean() / largest if largest > 1e-9 else 0.0
    gaps = "" if there.all() else f" gaps {(weights * ~there).mean():.5f}"
    return f"({len(numbers)}: {largest if largest > 1e-9 else 0:.6g} {mean:.5f}{gaps})"


def difference(stored: list[str], found: list[str]) -> list[str]:
    """What is drawn otherwise, beyond the last digits of a number."""
    pairs = itertools.zip_longest(stored, found, fillvalue="nothing")
    return [f"{old}\n  is now\n{new}" for old, new in pairs if not _is_alike(old, new)]


def _is_alike(old, new) -> bool:
    if NUMBER.sub("#", old) != NUMBER.sub("#", new):
        return False
    pairs = [
        [float(number.replace("−", "-").replace(",", "")) for number in NUMBER.findall(line)]
        for line in (old, new)
    ]
    return np.allclose(*pairs, rtol=1e-4, atol=1e-5)


def load() -> dict[str, dict]:
    """By picture its settings, and what is drawn at each."""
    return json.loads(FILE.read_text("utf-8"))


def write(names):
    """Store what these pictures draw now, at the settings that they have already."""
    known = load() if FILE.exists() else {}
    for name in names:
        settings = known[name]["settings"] if name in known else new_settings(name)
        known[name] = {"settings": settings, "drawn": described(name, settings)}
    stored = {name: known[name] for name in posviz_course.lessons.names() if name in known}
    FILE.write_text(json.dumps(stored, indent=0, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    write(sys.argv[1:] or posviz_course.lessons.names())
