"""The rows: every encoding of the map, and what is learned in one."""

from posviz.choosing.rows import ROWS
from posviz.lessons.start.encoding_map import ENTRIES


def test_the_rows_are_those_of_the_map_and_dynamic_ntk():
    assert ROWS.keys() == ENTRIES.keys() | {"dynamic NTK"}
