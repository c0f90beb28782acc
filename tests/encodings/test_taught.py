"""What is taught is what ships: a lesson's function gives what posviz's function gives."""

import ast
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import nbformat
import numpy as np
import pytest

import posviz
from posviz import apply_rotary, causal_mask, rotary_frequencies, softmax
from posviz.attention import attention
from posviz_course.course import OF_TOPIC

FAR = (0, 1, 7, 131_072)  # tokens
NINE = {"q_positions": range(9), "k_positions": range(9)}
same = partial(np.testing.assert_allclose, rtol=0, atol=1e-9)


def load(topic, *ids):
    """Return what cells of a lesson define, without running calls that print, ask or check."""
    name = OF_TOPIC[topic].notebook if topic in OF_TOPIC else topic
    path = Path(__file__).parents[2] / f"notebooks/{name}.ipynb"
    sources = {cell.id: cell.source for cell in nbformat.read(path, as_version=4).cells}
    lines = [line for cell in ids for line in ast.parse(sources[cell]).body]
    names: dict = {}
    exec("\n".join(ast.unparse(x) for x in lines if not isinstance(x, ast.Expr)), names)
    return SimpleNamespace(**names)


def rotate(x, position, base=10_000.0, layout="interleaved"):
    angles = posviz.rotary_angles([position], rotary_frequencies(len(x), base))
    return apply_rotary(x[None], angles, layout=layout)[0]


def test_the_head_of_lesson_01_gives_what_attend_gives(rng):
    lesson = load("order", *(f"lesson01-{cell}" for cell in ("01", "05", "07", "09", "13")))
    x, projections = rng.normal(size=(6, 4)), (lesson.w_q, lesson.w_k, lesson.w_v)
    how = {"num_heads": 1, "encoding": posviz.NoPosition(), "positions": range(6)}
    same(lesson.head(x), posviz.attend(x[None], *projections, **how)[0])
    same(lesson.weights, softmax(lesson.q @ lesson.k.T / np.sqrt(2)))


@pytest.mark.parametrize("position", FAR)
def test_rotations_of_lessons_05_to_07_are_apply_rotary(rng, position):
    lesson = load("rotary", "imports", "lesson05-added", "both-score")
    q, k = apply_rotary(np.array([lesson.q, lesson.k]), [[position / 2], [3 / 2]])  # θ = 1/2
    same(lesson.R(position) @ lesson.q, q)
    same(lesson.score(position, 3), q @ k)
    x = rng.normal(size=8)
    lesson = load("rotary_code", "lesson06-neighbours", "lesson06-halves")
    same(lesson.by_complex(x, position), rotate(x, position, 100_000))
    same(lesson.rotate_half(x, position), rotate(x, position, 100_000, "half_split"))
    lesson = load("rotary2d", "imports", "axial-hand")
    same(lesson.angles, posviz.axial_angles(lesson.row, lesson.column, 8, base=10))


def test_biases_of_lesson_08_and_the_examination_are_alibi(rng):
    lesson = load("alibi", "imports", "symmetric-head")
    x = rng.normal(size=(3, 1, 8, 9, 4))  # the first of 8 heads has the slope 1/2
    alibi = attention(*x, encoding=posviz.Alibi(), mask=causal_mask, **NINE)
    same(lesson.head_output(*x[:, 0, 0], causal_mask(range(9), range(9))), alibi[0, 0])
    released = load("examination", "imports", "task-9").released
    same(np.r_[*map(released, range(1, 20))], np.r_[*map(posviz.alibi_slopes, range(1, 20))])
