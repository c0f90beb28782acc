"""The scores of one matrix, against torch's exponential of the matrix itself."""

import math

import numpy as np
import pytest
import torch

from posviz.lessons.content.one_matrix import DISTANCES, DOUBLE, TWO, OneMatrix
from posviz.pictures.live_figure import LiveFigure
from tests.lessons.by_hand import caption_of, every_setting
from tests.pictures.sample import place_of


def matrix_of(picture):
    a, turn = picture.real_part, picture.imaginary_part
    if picture.matrix == DOUBLE:
        return [[a, -2 * picture.slope], [0, a]]
    return [[a, -turn], [turn, a]]


@pytest.mark.parametrize("matrix", [TWO, DOUBLE])
def test_scores_are_those_of_the_matrix(matrix):
    q = torch.ones(2, dtype=torch.float64)
    for picture in every_setting(OneMatrix, count=8, matrix=matrix):
        arrays, m = picture.compute(), torch.tensor(matrix_of(picture), dtype=torch.float64)
        apart = torch.arange(65, dtype=torch.float64)[:, None, None]
        expected = q @ torch.linalg.matrix_exp(apart * m) @ (q / 2)
        np.testing.assert_allclose(arrays.scores, expected, rtol=1e-9, atol=1e-10)
        assert arrays.curve[::8] == pytest.approx(arrays.scores)
        values = np.linalg.eigvals(np.array(matrix_of(picture)))
        assert np.sort_complex(arrays.eigenvalues) == pytest.approx(np.sort_complex(values))


def test_limits_are_the_encodings_they_are_called():
    nope = OneMatrix(real_part=0, imaginary_part=0).compute()
    assert set(nope.scores) == {1.0}
    rope = OneMatrix(real_part=0, imaginary_part=0.5).compute()
    assert rope.scores == pytest.approx(np.cos(0.5 * DISTANCES))
    alibi = OneMatrix(real_part=0, matrix=DOUBLE, slope=0.025).compute()
    assert alibi.scores == pytest.approx(1 - 0.025 * DISTANCES)
    decay = OneMatrix(real_part=-0.05, imaginary_part=0).compute()
    assert decay.scores == pytest.approx(math.exp(-0.05) ** DISTANCES)


@pytest.mark.parametrize(
    ("setting", "told"),
    [
        ({}, "-0.02 ± 0.3i, as in xPos: a turn every 20.9 tokens, halved every 34.7 tokens; "),
        ({"real_part": 0}, "0 ± 0.3i, as in RoPE: a turn every 20.9 tokens; "),
        ({"imaginary_part": 0}, "-0.02, twice, decay alone: halved every 34.7 tokens; "),
        ({"real_part": 0, "imaginary_part": 0}, "0, twice, NoPE: nothing changes; "),
        ({"real_part": 0.02}, "0.02 ± 0.3i, which grows, as no encoding does: a turn every "),
        (
            {"real_part": 0, "matrix": DOUBLE},
            "0, twice (Jordan block), ALiBi’s bias: a line of slope -0.05; ",
        ),
        (
            {"matrix": DOUBLE},
            "-0.02, twice (Jordan block), a line that fades: a line of slope -0.05, halved ",
        ),
        ({"real_part": 0, "matrix": DOUBLE, "slope": 0}, "0, twice, NoPE: nothing changes; "),
    ],
)
def test_the_caption_names_the_encoding(setting, told):
    assert caption_of(OneMatrix(**setting)).startswith(f"Eigenvalues {told}")


def test_the_eigenvalues_can_be_dragged_and_a_double_one_stays_real():
    picture = OneMatrix()
    live = LiveFigure(picture)
    live.follow()
    for y in (0.5, -0.5):
        live.drag(*place_of(live, -0.0507, y))
        assert (picture.real_part, picture.imaginary_part) == (-0.05, 0.5)
        picture.imaginary_part = 0
    picture.matrix = DOUBLE
    live.drag(*place_of(live, 0.0003, 0.8))
    assert (picture.real_part, picture.imaginary_part) == (0, 0)
