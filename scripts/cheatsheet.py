"""Write docs/cheatsheet.md: the map of lesson 00, the classes, and what cheatsheet.csv adds.

python scripts/cheatsheet.py
"""

import csv
import inspect
from pathlib import Path

import posviz
from posviz_course.course import OF_TOPIC
from posviz_course.lessons.start.encoding_map import ENTRIES

PAGE = Path(__file__).parents[1] / "docs" / "cheatsheet.md"
PLACES = "mask", "input", "query and key", "scores"
ENCODING = "Encoding", "Formula", "In posviz", "Learned", "`config.json`", "Pitfall"
METHOD = "Method", "Frequencies", "In posviz", "`rope_type`", "Keys", "Pitfall"
HEAD = """# Cheat sheet

Every encoding of `posviz`, by the place where it acts. In a formula *i* is the position of the
query, *j* the position of the key, *d* is `head_dim`, and *k* is the number of a pair
([notation](notation.md)). The keys of a `config.json` are those of
[transformers 5.23](https://github.com/huggingface/transformers/tree/v5.23.0 "transformers523"). A
dash means that there is no such key. For a PDF, print this page of the site in landscape: four
pages. It is written by `python scripts/cheatsheet.py`.
"""
STRETCH = """
## RoPE for longer texts

Each function returns frequencies, which `Rotary(frequencies=…)` takes. Here *s* is the factor, the
new length divided by the trained length, and *θₖ* is base^(−2k/d). The keys are entries of
`rope_parameters`, which older files call `rope_scaling`.

"""


def page() -> str:
    """Return the whole page."""
    with PAGE.parents[1].joinpath("scripts", "cheatsheet.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    encodings = [row for row in rows if row["name"] in ENTRIES or row["place"] in PLACES]
    parts = [HEAD]
    for place in PLACES:
        here = filter(None, (_encoding(row, place) for row in encodings))
        title = f"At the {place}" if place != "mask" else "Only the mask"
        parts += [f"\n## {title}\n\n", _table(ENCODING, here)]
    methods = [_method(row) for row in rows if row not in encodings]
    return "".join([*parts, STRETCH, _table(METHOD, methods)])


def _encoding(row, place):
    """The cells of an encoding, if it acts at this place first."""
    doors, topic, formula, learned = (row["place"],), row["topic"], row["formula"], row["learned"]
    if entry := ENTRIES.get(row["name"]):
        doors, topic, learned = entry.doors, entry.topic, entry.learns
        formula = "<br>".join(entry.formula)
    if doors[0] != place:
        return None
    lesson = OF_TOPIC[topic]
    more = f" (also at the {doors[1]})" if len(doors) > 1 else ""
    name = f"**{row['name']}**{more}, [{lesson.number}](../notebooks/{lesson.notebook}.ipynb)"
    return name, formula, _objects(row), learned, _keys(row["keys"]), row["pitfall"]


def _method(row):
    keys = _keys(row["place"]), _keys(row["keys"])
    return f"**{row['name']}**", row["formula"], _objects(row), *keys, row["pitfall"]


def _objects(row) -> str:
    """How its classes or functions are called, with the values that they take by default."""
    return "<br>".join(f"`{name}({_parameters(name)})`" for name in row["objects"].split())


def _parameters(name) -> str:
    found = inspect.signature(getattr(posviz, name)).parameters.values()
    named = (str(each.replace(annotation=each.empty)) for each in found)
    return ", ".join(named).replace("<factory>", "Rotary()")


def _keys(names: str) -> str:
    return ", ".join(f"`{name}`" for name in names.split()) or "—"


def _table(heads, rows) -> str:
    return "".join(f"| {' | '.join(row)} |\n" for row in [heads, ["---"] * len(heads), *rows])


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8", newline="\n")
