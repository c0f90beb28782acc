"""The numbers in lesson 04's pictures of Transformer-XL: its four terms, and its shift."""

import itertools
import math

import numpy as np
import pytest
import torch
from transformers.models.xlnet.modeling_xlnet import XLNetRelativeAttention

from posviz.encodings.transformer_xl import rel_shift
from posviz.pictures.relative.four_relative_terms import FourRelativeTerms
from posviz.pictures.relative.rel_shift import RelShift
from tests.pictures.by_hand import caption_of, drawn, every_setting, product, softmax

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


def largest_change(weights, others):
    return max(abs(np.subtract(weights[i], others[i])).max() for i in range(16))


@pytest.mark.parametrize("setting", [*every_setting(FourRelativeTerms, 12)], ids=repr)
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
    check_four_terms_caption(caption_of(setting), on, off, true, others)


def check_four_terms_caption(caption, on, off, true, others):
    last = abs(np.subtract(others[15], true[15])).max()
    change = f"by up to {last:.2f}, of any query by up to {largest_change(others, true):.2f};"
    if off:
        start = f"Off: {', '.join(off)}; weights of the last query change {change}"
    else:
        start = "All four on; without (d) v·r weights of the last query would change " + change
    assert caption.startswith(start)
    bound = "changes the weights by less than 1e-14." if on[4] else "is off."
    assert caption == f"{start} query alone {bound}"


def test_each_term_has_its_look():
    _, _, by_key, by_offset, by_query = FourRelativeTerms().compute().terms
    for i in range(16):
        assert np.ptp(by_key[i:, i]) == 0
        assert np.ptp(np.diagonal(by_offset, -i)) < 1e-12
        assert np.ptp(by_query[i, : i + 1]) == 0


def test_the_query_alone_vanishes_in_the_softmax_and_no_other_term_does():
    for seed, name in itertools.product(range(10), TERMS):
        arrays = FourRelativeTerms(seed=seed, **{name: False}).compute()
        if name == "query_alone":
            assert arrays.query_change == 0
            both = FourRelativeTerms(seed=seed).compute()
            assert both.query_change < 1e-14
            assert np.abs(both.terms[4][:, 0]).max() > 0.5
        else:
            assert arrays.change > 0.05


def test_without_the_offset_alone_the_curve_is_seen_to_move():
    for setting in ({}, {"offset_alone": False}):
        arrays, (*_, words) = drawn(FourRelativeTerms(**setting))
        assert np.abs(np.subtract(*arrays.rows)).max() > 0.25
        assert words.artist.get_text() == "■ without (d)"


@pytest.mark.parametrize("seed", [3, 71])
def test_the_axis_of_weights_holds_them_and_is_half_of_it_where_that_suffices(seed):
    arrays, (*_, curve, _) = drawn(FourRelativeTerms(seed=seed))
    bottom, top = curve.line.axes.get_ylim()
    assert bottom < np.min(arrays.rows) <= np.max(arrays.rows) < top
    assert (top < 0.6) == (np.max(arrays.rows) < 0.5) == (seed == 71)


def test_a_switched_off_term_is_pale_and_crossed():
    arrays, (*terms, four, fewer, words) = drawn(FourRelativeTerms(key_alone=False))
    *terms, _ = terms  # the limits
    for i, term in enumerate(terms):
        assert term.image.get_alpha() == (0.25 if i == 2 else 1)
        assert len(term.cross.get_xdata()) == (5 if i == 2 else 0)
        assert np.array_equal(term.image.get_array(), arrays.terms[i])
    rows = [curve.line.get_ydata().tolist() for curve in (four, fewer)]
    assert rows == [row.tolist() for row in arrays.rows]
    assert words.artist.get_text() == "■ without (c)"


# ---------------------------------------------------------------- rel_shift

SIZES = [
    {"q_len": q_len, "memory": memory, "bidirectional": bidirectional}
    for q_len, memory, bidirectional in itertools.product(range(3, 7), range(4), (False, True))
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


@pytest.mark.parametrize("size", SIZES, ids=repr)
def test_reading_anew_leaves_the_tape_as_it_is(size):
    steps = [RelShift(step=step, **size).compute() for step in range(5)]
    q_len, columns = size["q_len"], columns_of(size)
    width = columns + (not size["bidirectional"])
    shapes = [(q_len, columns), (q_len, width), (width, q_len), (width, q_len), (q_len, width - 1)]
    assert [step.matrix.shape for step in steps] == shapes
    assert steps[0].tape.tolist() == list(range(q_len * columns))
    assert [cell for cell in steps[1].tape if cell >= 0] == steps[0].tape.tolist()
    for step in steps[1:]:
        assert step.tape.tolist() == steps[1].tape.tolist()
    for number, step in enumerate(steps):
        cut = q_len if number == 4 else 0
        assert step.tape[cut:].tolist() == step.matrix.ravel().tolist()
        assert step.tape_gone.tolist() == [True] * cut + step.gone.ravel().tolist()
        assert (
            step.starts.tolist()
            == [*range(cut, q_len * width + 1, step.matrix.shape[1])][: step.matrix.shape[0] + 1]
        )
    assert steps[3].gone.sum() == steps[3].gone[0].sum() == q_len
    assert not any(steps[step].gone.any() for step in (0, 1, 2))
    if not size["bidirectional"]:
        assert (steps[1].matrix[:, 0] == -1).all()


@pytest.mark.sampled(quick=1)
@pytest.mark.parametrize("step", range(5))
@pytest.mark.parametrize("size", [SIZES[4], SIZES[5], SIZES[-1]], ids=repr)
def test_every_cell_bears_its_query_and_its_offset(size, step):
    arrays, artists = drawn(RelShift(step=step, **size))
    columns, written = columns_of(size), {}
    lettered = columns < 10
    kinds = {"query": dict(enumerate(artists.queries)), "offset": artists.offsets}
    for kind, words in (kinds | {"bare": artists.bare}).items():
        for number, word in words.items():
            for x, y in zip(*word.line.get_data(), strict=True):
                assert abs(x - round(x)) < 0.4
                written.setdefault((y, round(x)), {})[kind] = number
    zeros = set(zip(*artists.zero.line.get_data()[::-1], strict=True))
    crossed = set(zip(*artists.crosses.get_data()[::-1], strict=True))
    colours, most = artists.cells.get_array(), 2 * 120
    for place, cell in np.ndenumerate(arrays.matrix):
        assert (place in zeros) == (cell < 0)
        assert (place in crossed) == arrays.gone[place]
        query, column = divmod(int(cell), columns)
        offset = offset_of(size, column)
        here = {"query": query, "offset": offset} if lettered else {"bare": offset}
        assert written.pop(place, {}) == ({} if cell < 0 else here)
        own = 119 * column / (columns - 1) + 120 * arrays.gone[place]
        assert abs(colours[place] - (most if cell < 0 else own)) <= 0.5
    assert not written
    assert artists.cells.get_extent() == [-0.5, len(colours.T) - 0.5, len(colours) - 0.5, -0.5]
    keys = [len(word.line.get_xdata()) for word in artists.keys]
    k_len = size["q_len"] + size["memory"]
    assert keys == [int(step == 4)] * k_len + [0] * (9 - k_len)
    assert artists.pointer.get_ydata() == [step]
    rows, width = arrays.matrix.shape
    assert artists.steps[step].get_text().endswith(f"[{rows - (step == 3)}, {width}]")


def test_the_shift_says_what_it_does():
    kept = "kept from the segment before (memory"
    start = "from 5 (behind) to 0, where attention needs one for each of 6 keys, the first 2"
    assert f"{start} {kept}: keys without a query)." in said(step=0)
    assert f"needs one for each of 4 keys, none of them {kept})." in said(step=0, memory=0)
    assert f"of 5 keys, the first {kept}: keys without a query)." in said(step=0, memory=1)
    assert "from 6 (behind) to -3 (ahead)" in said(step=0, bidirectional=True)
    assert "makes each row one longer, 7 cells" in said(step=1)
    padding = "never occurs, so rows have one column more than there are offsets."
    told = said(step=1, bidirectional=True)
    assert told == f"Step 1 (offsets in the cells), offset 6 {padding}"
    assert said(step=1, bidirectional=True, q_len=3) == f"Step 1, offset 5 {padding}"
    assert "the same 28 cells in the same order, read as 7 rows of 4." in said(step=2)
    assert "the first 4 cells are cut, a zero and 3 of the scores of query 0" in said(step=3)
    assert "row i has moved left by 3 - i, so that each diagonal has one offset" in said(step=4)
    assert said(step=4).endswith("and the 6 cells of keys ahead are masked.")
    wide = said(step=4, bidirectional=True)
    assert wide.endswith("and the 12 cells behind the last key are cut.")


def said(**knobs):
    return caption_of(RelShift(**{"q_len": 4, "memory": 2} | knobs))
