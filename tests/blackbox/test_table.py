"""Tables, cosines and sines, frequencies."""

import numpy as np
import pytest

from posviz import identify, llama3, rotary_angles, rotary_frequencies, sinusoidal, yarn

L, D = 120, 64


def waves(inv_freq, first=np.sin, second=np.cos):
    angles = rotary_angles(np.arange(L), inv_freq)
    return np.stack([first(angles), second(angles)], axis=-1).reshape(len(angles), -1)


def each_column(exponents):
    angles = rotary_angles(np.arange(L), 1e4**-exponents)
    return np.where(np.arange(D) % 2, np.cos(angles), np.sin(angles))


def padded():
    table = sinusoidal(np.arange(L), D, layout="concatenated", frequencies="tensor2tensor")
    table[1] = 0
    return table


def grid():
    line = sinusoidal(np.arange(12), D // 2, layout="concatenated")
    return np.concatenate([np.tile(line, (12, 1)), np.repeat(line, 12, axis=0)], axis=-1)


COLUMNS = np.arange(D)
TABLES = {
    "from 2": (sinusoidal(np.arange(L) + 2, D), {"first_position": 2, "order": "interleaved"}),
    "cosine first": (waves(rotary_frequencies(D), np.cos, np.sin), {"exponent": "2k/d"}),
    "doubled": (waves(rotary_frequencies(D) ** 2), {"exponent": "4k/d", "base": 1e4}),
    "scaled": (sinusoidal(np.arange(L), D) / 8, {"base": 1e4}),
    "backwards": (sinusoidal(L - np.arange(L), D), {"direction": -1, "first_position": L}),
    "padded": (padded(), {"order": "concatenated", "exponent": "k/(d/2-1)"}),
    "a column alone": (each_column(2 * COLUMNS / D), {"exponent": "2c/d of column c"}),
    "one wave more": (np.pad(sinusoidal(np.arange(L), D), ((0, 0), (0, 1))), {"base": 1e4}),
    "a grid": (grid(), {"base": 1e4, "order": "concatenated"}),
    "float16": (sinusoidal(np.arange(L), D).astype(np.float16), {"base": 1e4, "dtype": "float16"}),
}  # fmt: skip


@pytest.mark.parametrize("name", TABLES)
def test_a_table_is_named_and_reproduced(name):
    table, facts = TABLES[name]
    verdict = identify(table=table)
    assert (verdict.kind, verdict.explained) == ("table", True), str(verdict)
    assert {fact: getattr(verdict, fact) for fact in facts} == facts, str(verdict)


def test_a_learned_table_is_said_to_be_learned():
    steps = np.random.default_rng(0).normal(size=(L, D)).cumsum(axis=0)
    verdict = identify(table=steps)
    assert (verdict.kind, verdict.method, verdict.explained) == ("table", "learned", False)


@pytest.mark.parametrize("table", [
    np.random.default_rng(0).normal(size=(L, D)), np.ones((L, D)), np.full((L, D), np.nan),
    np.ones((1, D)),
])  # fmt: skip
def test_numbers_that_are_no_table_are_not_guessed_at(table):
    verdict = identify(table=table)
    assert (verdict.kind, verdict.explained, len(verdict.sentences)) == ("unknown", False, 1)


@pytest.mark.parametrize(("twice", "layout"), [
    (lambda x: np.tile(x, 2), "half_split"), (lambda x: np.repeat(x, 2, -1), "interleaved"),
    (lambda x: x, None),
])  # fmt: skip
def test_cosines_and_sines_tell_the_frequencies(twice, layout):
    made = yarn(D, 4.0, original_max_seq_len=4096)
    angles = twice(rotary_angles(np.arange(500), made.inv_freq))
    cos, sin = made.attention_factor * np.cos(angles), made.attention_factor * np.sin(angles)
    verdict = identify(cos=cos.astype(np.float32), sin=sin.astype(np.float32))
    assert verdict.explained, str(verdict)
    assert (verdict.layout, verdict.method, verdict.factor) == (layout, "yarn", 4)
    assert verdict.attention_factor == pytest.approx(made.attention_factor, abs=1e-6)


def test_frequencies_alone_are_named():
    verdict = identify(inv_freq=np.float32(llama3(D, 8.0, original_max_seq_len=8192).inv_freq))
    assert (verdict.method, verdict.base, verdict.factor, verdict.rotary_dim) == (
        "llama3",
        5e5,
        8,
        D,
    )


@pytest.mark.parametrize("inv_freq", [1 / rotary_frequencies(D), [np.nan], []])
def test_what_is_no_frequency_is_said(inv_freq):
    assert identify(inv_freq=inv_freq).kind == "unknown"


@pytest.mark.parametrize(("frequency", "factor"), [(1.0, 1), (0.25, 4)])
def test_one_frequency_shows_no_base(frequency, factor):
    verdict = identify(inv_freq=[frequency])
    assert (verdict.explained, verdict.base, verdict.factor) == (True, None, factor)
    assert "One pair shows no base." in verdict.sentences
