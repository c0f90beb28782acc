"""An encoding does nothing, except at the doors it overrides."""

from pathlib import Path

import numpy as np
import pytest

import posviz
import posviz_course.lessons
from posviz import Encoding, NoPosition, doors
from posviz_course.lessons.start.encoding_map import ENTRIES
from tests.every_encoding import ENCODINGS, at_doors

DOORS = ("at_input", "at_query", "at_key", "at_scores", "at_values")


def test_no_encoding_changes_nothing():
    x = np.ones(3)
    encoding = NoPosition()
    for passed in (
        encoding.at_input(x, [0]),
        encoding.at_query(x, [0]),
        encoding.at_key(x, [0]),
        encoding.at_scores(x, None, None, [0], [0]),
        encoding.at_values(x, None, [0], [0]),
    ):
        assert passed is x
    assert doors(encoding) == ()
    assert encoding.scale(64) == 1 / 8


@pytest.mark.parametrize("door", DOORS)
def test_a_door_is_found_where_it_is_overridden_or_inherited(door):
    acting = type("Acting", (Encoding,), {door: lambda self, x, *others: x})
    heir = type("Heir", (acting,), {})
    assert doors(acting()) == doors(heir()) == (door,)


PUBLIC = [getattr(posviz, name) for name in set(dir(posviz)) - set(posviz_course.lessons.names())]
KINDS = {value for value in PUBLIC if isinstance(value, type) and issubclass(value, Encoding)}
KINDS -= {Encoding}


def test_every_encoding_is_tried_in_what_all_share():
    missing = KINDS - {type(make(np.asarray)) for make in ENCODINGS.values()}
    assert not missing, f"add {missing} to tests/every_encoding.py"


def test_every_encoding_is_in_the_docs():
    library = (Path(posviz.__file__).parents[1] / "docs" / "library.md").read_text("utf-8")
    missing = [kind.__name__ for kind in KINDS if f"`{kind.__name__}`" not in library]
    assert not missing, f"add {missing} to the table of encodings in docs/library.md"


ON_THE_MAP = {  # every name on the map of the course, and who stands behind it
    "none (NoPE)": ("NoPE",),
    "sinusoidal": ("sinusoidal",),
    "learned": ("learned",),
    "Shaw": ("Shaw",),
    "Transformer-XL": ("Transformer-XL",),
    "T5": ("T5",),
    "DeBERTa": ("DeBERTa", "DeBERTa, paper"),
    "RoPE": ("RoPE", "RoPE, half_split", "RoPE, partial", "p-RoPE"),
    "RoPE in 2-D": ("2-D, axial", "2-D, mixed", "M-RoPE"),
    "stretched RoPE": (
        "position interpolation",
        "NTK",
        "dynamic NTK",
        "YaRN",
        "LongRoPE",
        "Llama 3",
    ),
    "ALiBi": ("ALiBi",),
    "xPos": ("xPos",),
    "Kerple": ("Kerple, log", "Kerple, power"),
    "FIRE": ("FIRE",),
    "FoX": ("FoX",),
    "CoPE": ("CoPE",),
    "PaTH": ("PaTH",),
    "Inkling": ("Inkling",),
    "PoPE": ("PoPE",),
}
NO_LESSON = ("ReRoPE",)  # teaches it yet
DOORS_OF_THE_MAP = {
    "input": ("at_input",),
    "query and key": ("at_query", "at_key"),
    "scores": ("at_scores",),
    "values": ("at_values",),
    "mask": (),  # an argument of attention, not a door
}


def test_the_map_of_the_course_is_the_map_of_the_code():
    assert list(ON_THE_MAP) == list(ENTRIES), (
        "give ON_THE_MAP, in this file, the names of ENTRIES (encoding_map.py) in their order: "
        f"they differ by {set(ON_THE_MAP) ^ set(ENTRIES)}"
    )
    named = [name for names in ON_THE_MAP.values() for name in names]
    assert sorted([*named, *NO_LESSON]) == sorted(ENCODINGS)
    for entry, names in ON_THE_MAP.items():
        expected = tuple(name for door in ENTRIES[entry].doors for name in DOORS_OF_THE_MAP[door])
        for name in names:
            assert doors(at_doors(name, np.asarray)) == expected, name
