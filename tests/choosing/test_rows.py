"""The rows: every encoding of the map, and what is learned in one."""

import numpy as np

from posviz.choosing.rows import ROWS, parameters_of
from posviz.encodings.learned import Learned
from posviz.encodings.rotary import Rotary
from posviz.encodings.rotary2d import AxialRotary, MixedRotary, raster
from posviz.encodings.shaw import Shaw
from posviz.pictures.start.encoding_map import ENTRIES


def test_the_rows_are_those_of_the_map_and_dynamic_ntk():
    assert ROWS.keys() == ENTRIES.keys() | {"dynamic NTK"}


def test_parameters_are_the_floats_in_arrays():
    table = np.zeros((5, 4))
    assert parameters_of(Learned(table, padding_offset=2)) == 20
    assert parameters_of(Shaw(table, table)) == 40
    assert parameters_of(Shaw(value_table=table)) == 20
    assert parameters_of(Rotary(rotary_dim=32)) == 0
    assert parameters_of(AxialRotary(raster(4, 3))) == 0
    assert parameters_of(MixedRotary(raster(4, 3), np.zeros((2, 8)))) == 16
