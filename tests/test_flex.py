"""FlexAttention, given our encodings and masks, beside ``attention``: on the CPU, in float32."""

import doctest
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import torch
from torch.nn.attention.flex_attention import create_block_mask, create_mask, flex_attention

import posviz
from posviz import flex, sdpa
from posviz.attention import attention
from posviz.encodings.alibi import Alibi
from posviz.encodings.doors import Encoding, adds_bias
from posviz.encodings.fox import Forgetting, FoX
from posviz.encodings.inkling import Mixing
from posviz.encodings.shaw import Shaw
from posviz.flex import mask_mod, score_mod
from posviz.masks import blockwise_causal_mask, causal_mask, chunked_causal_mask
from tests.every_encoding import D_MODEL, ENCODINGS, HEAD_DIM, HEADS, at_doors, random

LENGTH = 12
PLACES = torch.arange(LENGTH)


def single(array):
    """A learned array, single precision."""
    array = np.asarray(array)
    return torch.tensor(array, dtype=torch.float32 if array.dtype.kind == "f" else None)


def made(name):
    if name == "Shaw, keys":
        return Shaw(single(random(5, HEAD_DIM)))
    return at_doors(name, single, length=LENGTH)


def tokens(kv_heads=HEADS, length=LENGTH):
    q = single(random(2, HEADS, length, HEAD_DIM))
    return q, *(single(random(2, kv_heads, length, HEAD_DIM, seed=seed)) for seed in (1, 2))


def both_ways(
    encoding, q, k, v, mask=causal_mask, window=None, kernel=flex_attention, places=PLACES
):
    """What ``attention`` and what FlexAttention make of it."""
    positions = {"q_positions": places, "k_positions": places}
    ours = attention(q, k, v, encoding=encoding, mask=mask, window=window, **positions)
    q, k = encoding.at_query_and_key(q, k, places)
    may = mask_mod(mask, window=window, **positions)
    batch = q.shape[0] if places.ndim > 1 else None
    length = q.shape[2]
    blocks = create_block_mask(may, batch, None, length, length, device="cpu")
    bias = score_mod(encoding, q, k, **positions)
    options = {"scale": encoding.scale(q.shape[-1]), "enable_gqa": k.shape[1] < q.shape[1]}
    return ours, kernel(q, k, v, score_mod=bias, block_mask=blocks, **options)


FIT = {name for name in ENCODINGS if not flex.why_not(made(name))} | {"Shaw, keys"}
NAMED = {"ALiBi", "T5", "Shaw, keys", "FIRE", "Kerple, log", "Kerple, power", "FoX"}


def test_what_was_promised_fits():
    assert FIT >= NAMED
    assert not FIT & {"CoPE", "DeBERTa", "Transformer-XL", "ReRoPE", "Shaw", "learned", "PaTH"}


def in_quick(name):
    """Kin of those named (most add no bias, so there is little to get wrong) are run when slow."""
    return name if name in NAMED else pytest.param(name, marks=pytest.mark.slow("seconds"))


@pytest.mark.sampled(quick=1)
@pytest.mark.parametrize("name", map(in_quick, sorted(FIT)))
def test_it_is_what_attention_does(name):
    ours, theirs = both_ways(made(name), *tokens(), window=7)
    assert theirs.dtype == torch.float32
    torch.testing.assert_close(theirs, ours, atol=2e-6, rtol=2e-6)


@pytest.mark.slow("half a second")
@pytest.mark.parametrize("name", ["T5", "Shaw, keys", "FIRE"])
def test_heads_that_share_a_key_and_sentences_with_positions_of_their_own(name):
    places = torch.stack([PLACES + 3, PLACES.flip(0) * 2])
    ours, theirs = both_ways(made(name), *tokens(kv_heads=1), places=places)
    torch.testing.assert_close(theirs, ours, atol=2e-6, rtol=2e-6)


@pytest.mark.slow("half a second")
def test_one_query_after_many_keys():
    encoding, (q, k, v) = made("FIRE"), tokens()
    positions = {"q_positions": PLACES[-1:], "k_positions": PLACES}
    ours = attention(q[:, :, -1:], k, v, encoding=encoding, **positions)
    bias = score_mod(encoding, q[:, :, -1:], k, **positions)
    theirs = flex_attention(q[:, :, -1:], k, v, score_mod=bias, scale=encoding.scale(HEAD_DIM))
    torch.testing.assert_close(theirs, ours, atol=2e-6, rtol=2e-6)


@pytest.mark.slow("seconds")
@pytest.mark.sampled(default=1)
@pytest.mark.parametrize("name", sorted(NAMED))
def test_compiled_it_is_the_same(name):
    torch.compiler.reset()
    with torch.no_grad():
        compiled = torch.compile(flex_attention)
        ours, theirs = both_ways(made(name), *tokens(), window=7, kernel=compiled)
    torch.testing.assert_close(theirs, ours, atol=2e-6, rtol=2e-6)


def traced(*inputs, **options):
    """As far as backward goes on a CPU."""
    return torch.compile(flex_attention, backend="aot_eager")(*inputs, **options)


@pytest.mark.parametrize(
    "kernel",
    [flex_attention, pytest.param(traced, marks=pytest.mark.slow("seconds"))],
    ids=["as it is", "traced"],
)
def test_gradients_reach_a_table(kernel):
    table = single(random(8, HEADS)).requires_grad_()
    encoding = posviz.T5(table, bidirectional=False, max_distance=20)
    ours, theirs = both_ways(encoding, *tokens(), kernel=kernel)
    wanted, found = (torch.autograd.grad(y.square().sum(), table)[0] for y in (ours, theirs))
    assert wanted.abs().max() > 0.01
    torch.testing.assert_close(found, wanted, atol=1e-5, rtol=1e-5)


def test_of_a_bias_by_offset_a_row_is_held_and_no_matrix():
    kept = []

    class Watched(Alibi):
        @adds_bias(by="offset")
        def at_scores(self, scores, *others):
            kept.append(tuple(scores.shape))
            return super().at_scores(scores, *others)

    q = torch.zeros(2, 4, 100, 8)
    places = torch.arange(100)
    score_mod(Watched(), q, q[:, :, :30], q_positions=places, k_positions=places[:30])
    assert kept == [(1, 4, 1, 129)]


# ---------------------------------------------------------------- masks

SHUFFLED = torch.tensor([[3, 0, 9, 4, 5, 1], [0, 1, 2, 3, 4, 5]])
RULES = {
    "causal": (causal_mask, None),
    "window": (None, 3),
    "both": (causal_mask, 3),
    "blockwise": (partial(blockwise_causal_mask, block=2), None),
    "chunks": (partial(chunked_causal_mask, chunk=3), 2),
    "a tensor for all": (torch.ones(6, 6).tril().bool(), None),
    "a row of keys": (torch.tensor([True, False, True, True, False, True]), 3),
    "by head": (torch.rand(1, 3, 6, 6, generator=torch.manual_seed(0)) < 0.5, None),
    "by sentence": (torch.rand(2, 1, 1, 6, generator=torch.manual_seed(1)) < 0.5, None),
}


@pytest.mark.parametrize("places", [SHUFFLED[0], SHUFFLED], ids=["shared", "by sentence"])
@pytest.mark.parametrize("name", RULES)
def test_a_mask_says_the_same_one_pair_at_a_time(name, places):
    mask, window = RULES[name]
    may = mask_mod(mask, q_positions=places, k_positions=places, window=window)
    found = create_mask(may, 2, 3, 6, 6, device="cpu")
    whole = (
        mask(places, places) if callable(mask) else torch.ones(1).bool() if mask is None else mask
    )
    apart = abs(places[..., None, :, None] - places[..., None, None, :])
    expected = whole & (apart < (99 if window is None else window))
    assert torch.equal(found, expected.expand(2, 3, 6, 6))


def test_a_row_that_sees_nothing_is_zero():
    nothing = torch.ones(LENGTH, LENGTH).tril().bool()
    nothing[4] = False
    ours, theirs = both_ways(Alibi(), *tokens(), mask=nothing)
    assert not ours[:, :, 4].any()
    torch.testing.assert_close(theirs, ours, atol=2e-6, rtol=2e-6)


# ---------------------------------------------------------------- refusals

REFUSED = {
    "CoPE": "CoPE",
    "DeBERTa": "has no bias_of_pair: what it adds",
    "Transformer-XL": "has no bias_of_pair",
    "ReRoPE": "does more than add a bias|has no bias_of_pair",
    "Shaw": "Shaw.at_values acts on the weights",
    "sinusoidal": "acts only at the input: add it there",
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_is_refused_with_the_reason(name):
    q, _, _ = tokens()
    with pytest.raises(ValueError, match=f"cannot be a score_mod: .*({REFUSED[name]})"):
        score_mod(made(name), q, q, q_positions=PLACES, k_positions=PLACES)


def test_what_is_made_from_the_input_has_to_be_made_first():
    q, _, _ = tokens()
    with pytest.raises(ValueError, match="made from the layer's input: give what its for_input"):
        score_mod(FoX(single(random(D_MODEL, HEADS))), q, q, q_positions=PLACES, k_positions=PLACES)


Q = torch.zeros(1, 2, 3, 4)


@pytest.mark.parametrize(
    ("encoding", "message"),
    [
        (Forgetting(torch.zeros(1, 2, 5)), r"log_gates must be \[1, 2, 3\]"),
        (Forgetting(torch.zeros(2, 2, 3)), r"log_gates must be \[1, 2, 3\]"),
        (Mixing(torch.zeros(1, 4, 3, 3), torch.zeros(3, 5)), r"states must be \[1, 2, 3, d_rel\]"),
        (Mixing(torch.zeros(1, 2, 2, 3), torch.zeros(3, 5)), r"states must be \[1, 2, 3, d_rel\]"),
        (posviz.FIRE(*(torch.zeros(n) for n in (3, 3, (3, 4), 4))), "the 2 heads of q, got 4"),
    ],
)
def test_shapes_are_refused_as_at_the_scores(encoding, message):
    places = torch.arange(3)
    for call in (
        lambda: score_mod(encoding, Q, Q, q_positions=places, k_positions=places),
        lambda: encoding.at_scores(Q @ Q.mT, Q, Q, places, places),
    ):
        with pytest.raises(ValueError, match=message):
            call()


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: score_mod(Alibi(), Q.numpy(), Q, q_positions=[0], k_positions=[0]),
            TypeError,
            "q must be a torch tensor",
        ),
        (
            lambda: score_mod(Alibi(), Q, Q, q_positions=[0, 1, 2.5], k_positions=range(3)),
            TypeError,
            "q_positions must be integers",
        ),
        (
            lambda: score_mod(Alibi(), Q, Q, q_positions=range(3), k_positions=range(4)),
            ValueError,
            r"k_positions must be \[3\]",
        ),
        (lambda: score_mod("ALiBi", Q, Q, q_positions=[], k_positions=[]), TypeError, "Encoding"),
        (lambda: mask_mod(), ValueError, "mask or window must be given, got neither"),
        (lambda: mask_mod(causal_mask), TypeError, "q_positions must be a tensor .*got None"),
        (lambda: mask_mod(window=3, q_positions=[0]), TypeError, "q_positions must be a tensor"),
        (lambda: mask_mod(torch.ones(3, 3)), TypeError, "mask must be boolean"),
        (lambda: mask_mod("causal"), TypeError, "mask must be a function of positions or a tensor"),
        (
            lambda: mask_mod(window=0, q_positions=PLACES, k_positions=PLACES),
            ValueError,
            "window must be at least 1, got 0",
        ),
    ],
)
def test_bad_input_is_named(call, error, message):
    with pytest.raises(error, match=message):
        call()


# ---------------------------------------------------------------- what is told


@pytest.mark.slow("seconds")
def test_the_examples_of_the_docstrings_do_what_they_show():
    assert doctest.testmod(flex).failed == 0
    assert doctest.testmod(flex).attempted > 10


FAMILIES = {  # a line of the README's table, and who stands behind it
    "`NoPosition`": ("NoPE",),
    "`Rotary` and its kin, `XPos`": (
        *("RoPE", "RoPE, half_split", "RoPE, partial", "p-RoPE", "xPos"),
        *("position interpolation", "NTK", "dynamic NTK", "YaRN", "LongRoPE", "Llama 3"),
        *("2-D, axial", "2-D, mixed", "M-RoPE"),
    ),
    "`PoPE`": ("PoPE",),
    "`Sinusoidal`, `Learned`": ("sinusoidal", "learned"),
    "`Alibi`, `T5`, `KerpleLog`, `KerplePower`": ("ALiBi", "T5", "Kerple, log", "Kerple, power"),
    "`FIRE`": ("FIRE",),
    "`Shaw` for keys alone": ("Shaw, keys",),
    "`Shaw`": ("Shaw",),
    "`TransformerXL`, `DeBERTa`": ("Transformer-XL", "DeBERTa", "DeBERTa, paper"),
    "`MappedRotary`": ("ReRoPE",),
    "`CoPE`": ("CoPE",),
    "`FoX`": ("FoX",),
    "`PaTH`": ("PaTH",),
    "`Inkling`": ("Inkling",),
}
YES = {True: "yes", False: "no"}


@pytest.mark.parametrize("line", FAMILIES)
def test_the_readme_says_what_goes_where(line):
    """A cache and torch.compile are tested for each by what all encodings share."""
    answers = set()
    for name in FAMILIES[line]:
        encoding, q = made(name), tokens()[0]
        at_input = name in ("sinusoidal", "learned")
        sums = at_input or not sdpa.why_not(q, q, encoding, False)
        fits = at_input or not flex.why_not(encoding)
        answers.add(f"| yes | {YES[sums]} | {YES[fits]} | yes |")
    [answer] = answers
    readme = (Path(posviz.__file__).parents[1] / "README.md").read_text("utf-8")
    assert f"| {line} {answer}\n" in readme


def test_every_encoding_is_in_that_table():
    told = {name for names in FAMILIES.values() for name in names}
    assert told == {*ENCODINGS, "Shaw, keys"}


def test_an_encoding_of_ones_own_by_offset_needs_nothing_more():
    class Nearest(Encoding):
        @adds_bias(by="offset")
        def at_scores(self, scores, q, k, q_positions, k_positions):
            return scores + 1.0 * (q_positions[:, None] - k_positions == 1)

    ours, theirs = both_ways(Nearest(), *tokens())
    torch.testing.assert_close(theirs, ours, atol=2e-6, rtol=2e-6)
