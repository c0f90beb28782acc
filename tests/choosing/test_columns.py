"""The columns: against what is known otherwise, and encodings that are broken on purpose."""

from dataclasses import dataclass

import numpy as np
import pytest

from posviz.encodings.alibi import Alibi
from posviz.encodings.doors import Encoding
from posviz.encodings.rotary import Rotary
from posviz.encodings.sinusoidal import Sinusoidal
from posviz_course.choosing import columns
from posviz_course.choosing.columns import COLUMNS
from posviz_course.choosing.rows import ROWS
from posviz_course.lessons.start.encoding_map import ENTRIES

ABSOLUTE = {"sinusoidal", "learned"}
FROM_TOKENS = {"FoX", "CoPE", "PaTH"}
UNREAD = {"none (NoPE)", *FROM_TOKENS}
CAN = {  # by column, the rows that can do it
    "cached": ROWS.keys() - {"dynamic NTK"},
    # FIRE counts from where a text begins, and a patch leaves its line.
    "relative": ROWS.keys() - ABSOLUTE - {"FIRE", "RoPE in 2-D"},
    "between": FROM_TOKENS,
    "stretched": ROWS.keys() - {"Shaw", "T5", "DeBERTa", "Inkling", "learned"},
    "2-D": ABSOLUTE | {"RoPE in 2-D"},
    "both ways": ROWS.keys()
    - {"none (NoPE)", "ALiBi", "Kerple", "FIRE"}  # the same ahead as behind
    - {"xPos", "FoX", "CoPE"},  # made for what lies behind
}


@pytest.mark.parametrize("column", CAN)
def test_who_can_is_who_should(column):
    assert {row for row in ROWS if COLUMNS[column](row).can} == set(CAN[column])


def test_rows_are_those_of_the_map_and_dynamic_ntk():
    assert ROWS.keys() == ENTRIES.keys() | {"dynamic NTK"}


def test_numbers_say_the_same_as_signs():
    for column in ("cached", "relative"):
        for row in ROWS:
            found = COLUMNS[column](row)
            assert found.can == (found.number < 1e-9), (column, row)
            assert found.said.startswith("✓ < 1e-9" if found.can else "✗ "), (column, row)


def test_tables_cannot_be_stretched_and_order_alone_changes_nothing():
    refused = {row for row in ROWS if np.isnan(COLUMNS["stretched"](row).number)}
    assert refused == ROWS.keys() - CAN["stretched"]
    assert {row for row in ROWS if COLUMNS["stretched"](row).number == 0} == UNREAD


def test_parameters_by_arithmetic():
    counted = {
        "learned": 1024 * 512,
        "Shaw": 2 * 33 * 64,
        "Transformer-XL": 512 * 512 + 2 * 8 * 64,
        "T5": 32 * 8,
        "DeBERTa": 2 * 8 * 512 * 64,
        "Kerple": 2 * 8,
        "FIRE": 2 * 32 + 32 * 8 + 8,
        "FoX": 512 * 8 + 8,
        "CoPE": 64 * 64,
        "PaTH": 512 * 512 + 512 * 8 + 8,
        "Inkling": 512 * 8 * 8 + 8 * 512,
        "PoPE": 8 * 64,
    }
    assert {row: COLUMNS["parameters"](row).number for row in ROWS} == {
        row: counted.get(row, 0) for row in ROWS
    }


@dataclass(frozen=True)
class QueryAlone(Rotary):
    """RoPE that forgets the keys."""

    def at_key(self, k, positions):
        return k


class AtTheEnd(Encoding):
    """A bias that counts from the last token seen: a cache makes it another one."""

    def at_scores(self, scores, q, k, q_positions, k_positions):
        return scores + 0.1 * k_positions * (k_positions == k_positions.max())


@pytest.mark.parametrize(
    ("column", "encoding", "can"),
    [
        ("relative", Rotary(), True),
        ("relative", QueryAlone(), False),
        ("cached", Alibi(), True),
        ("cached", AtTheEnd(), False),
        ("flash", AtTheEnd(), False),
        ("both_ways", Alibi(), False),
        ("both_ways", Rotary(), True),
        ("plane", Rotary(), False),
        ("plane", Sinusoidal(), True),
    ],
)
def test_a_broken_encoding_is_found(monkeypatch, column, encoding, can):
    monkeypatch.setitem(ROWS, column, lambda length: encoding)
    columns.made.cache_clear()
    assert getattr(columns, column)(column).can == can
