"""The numbers in lesson 04's pictures of Transformer-XL: its four terms, and its shift."""

import itertools
import math

import numpy as np
import pytest
import torch
from transformers.models.xlnet.modeling_xlnet import XLNetRelativeAttention

from posviz.encodings.transformer_xl import rel_shift
from posviz.lessons.relative.four_relative_terms import FourRelativeTerms
from posviz.lessons.relative.rel_shift import RelShift
from tests.lessons.by_hand import every_setting, product, softmax

# ---------------------------------------------------------------- four terms

TERMS = ("content_content", "content_offset", "key_alone", "offset_alone", "query_alone")
NAMES = ("(a) q·k", "(b) q·r", "(c) u·k", "(d) v·r")


def waves(offset):
    """The sinusoid of an offset, sines first."""
    angles = [offset * 10_000 ** (-i / 32) for i in range(32)]
    return [math.sin(angle) for angle in angles] + [math.cos(angle) for angle in angles]


def terms_of(seed, offset_scale):
    """The five terms of each query and each key not ahead of it, {(query, key): numbers}."""
    random = np.random.default_rng(seed)
    x = random.standard_normal((16, 64))
    w_q, w_k, w_r = random.standard_normal((3, 64, 32)) / 8
    u, v = random.standard_normal((2, 32))
    q, k, terms = x @ w_q, x @ w_k, {}
    r = [math.sqrt(2) * offset_scale * (np.array(waves(offset)) @ w_r) for offset in range(16)]
    for i, j in itertools.product(range(16), repeat=2):
        if j <= i:
            pairs = ((q[i], k[j]), (q[i], r[i - j]), (u, k[j]), (v, r[i - j]), (u, q[i]))
            terms[i, j] = [product(*pair) / math.sqrt(32) for pair in pairs]
    return terms


def weights_of(terms, on):
    """The weights of each query, {query: weights}."""
    rows = range(16)
    return {
        i: softmax([math.fsum(np.multiply(on, terms[i, j])) for j in range(i + 1)]) for i in rows
    }


@pytest.mark.parametrize("setting", [*every_setting(FourRelativeTerms, 2)], ids=repr)
def test_four_terms_are_those_of_a_loop(setting):
    arrays, terms = setting.compute(), terms_of(setting.seed, setting.offset_scale)
    on = [getattr(setting, name) for name in TERMS]
    true = weights_of(terms, [1, 1, 1, 1, 0])
    for i, j in itertools.product(range(16), repeat=2):
        if j > i:
            assert max(term[i, j] for term in arrays.terms) < -2
            continue
        found = [term[i, j] for term in arrays.terms]
        np.testing.assert_allclose(found, np.clip(terms[i, j], -2, 2), atol=1e-10)
    off = [name for name, is_on in zip(NAMES, on, strict=False) if not is_on]
    others = weights_of(terms, [*on[:4], 0] if off else [1, 1, 1, 0, 0])
    np.testing.assert_allclose(arrays.rows, [true[15], others[15]], atol=1e-12)


def test_the_query_alone_vanishes_in_the_softmax_and_no_other_term_does():
    for seed, name in itertools.product(range(3), TERMS):
        arrays = FourRelativeTerms(seed=seed, **{name: False}).compute()
        if name == "query_alone":
            assert arrays.query_change == 0
            both = FourRelativeTerms(seed=seed).compute()
            assert both.query_change < 1e-14
            assert np.abs(both.terms[4][:, 0]).max() > 0.5
        else:
            assert arrays.change > 0.05


# ---------------------------------------------------------------- rel_shift

SIZES = [
    {"q_len": q_len, "memory": memory, "bidirectional": bidirectional}
    for q_len, memory, bidirectional in itertools.product((3, 5), (0, 2), (False, True))
]


def columns_of(size):
    k_len = size["q_len"] + size["memory"]
    return k_len + size["q_len"] * size["bidirectional"]


def offset_of(size, column):
    if size["bidirectional"]:
        return size["q_len"] + size["memory"] - column
    return size["q_len"] + size["memory"] - 1 - column


@pytest.mark.parametrize("size", SIZES, ids=repr)
def test_the_shift_ends_where_the_function_ends(size):
    arrays, columns = RelShift(step=4, **size).compute(), columns_of(size)
    cells = np.arange(float(size["q_len"] * columns)).reshape(-1, columns)
    shifted = rel_shift(cells, bidirectional=size["bidirectional"])
    k_len = shifted.shape[1]
    kept = np.where(arrays.gone, -np.inf, arrays.matrix)
    assert np.array_equal(kept[:, :k_len], shifted)
    assert arrays.gone[:, k_len:].all()
    for i, j in itertools.product(range(size["q_len"]), range(k_len)):
        offset = i + size["memory"] - j
        assert arrays.gone[i, j] == (offset < 0 and not size["bidirectional"])
        if not arrays.gone[i, j]:
            query, column = divmod(int(arrays.matrix[i, j]), columns)
            assert (query, offset_of(size, column)) == (i, offset)


@pytest.mark.parametrize("size", SIZES[1::2], ids=repr)
def test_bidirectional_is_the_shift_of_xlnet(size):
    arrays, k_len = RelShift(step=4, **size).compute(), size["q_len"] + size["memory"]
    cells = torch.arange(size["q_len"] * columns_of(size)).reshape(1, 1, size["q_len"], -1)
    expected = XLNetRelativeAttention.rel_shift_bnij(cells, klen=k_len)[0, 0]
    assert arrays.matrix[:, :k_len].tolist() == expected.tolist()
