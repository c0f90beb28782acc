"""torch's fused attention gives what the readable way does, and is taken where it can be."""

import numpy as np
import pytest
import torch
from torch._subclasses import FakeTensorMode

from posviz.attention import KeyValueCache, attend, attention
from posviz.encodings.alibi import Alibi
from posviz.encodings.doors import Encoding, NoPosition, adds_bias
from posviz.encodings.rotary import Rotary
from posviz.encodings.shaw import Shaw
from posviz.encodings.t5 import T5
from posviz.masks import causal_mask, padding_mask
from posviz.sdpa import why_not
from tests.every_encoding import ENCODINGS, FROM_INPUT, RELATIVE, at_doors, random

Q_LEN, K_LEN = 70, 75
Q_PLACES, K_PLACES = range(5, K_LEN), range(K_LEN)
CAUSAL = causal_mask(Q_PLACES, K_PLACES)
MASKS = {
    "no mask": None,
    "causal": CAUSAL,
    "padded": (CAUSAL & padding_mask([60, K_LEN], K_LEN)),
    "keys": np.arange(K_LEN) % 3 > 0,
    "queries": (np.arange(Q_LEN) > 3)[:, None],
    "pairs": random(Q_LEN, K_LEN, seed=8) > 0,
    "heads": random(1, 2, Q_LEN, K_LEN, seed=7) > 0,
    "nothing": np.zeros((Q_LEN, K_LEN), bool),
}
READABLE = ("Shaw", "ReRoPE", "CoPE")  # at the values; scores of its own; gates made of scores


def tokens(dtype, *, heads=2, kv_heads=2, q_len=Q_LEN, k_len=K_LEN, dims=4, batch=2):
    shapes = (
        (batch, heads, q_len, dims),
        (batch, kv_heads, k_len, dims),
        (batch, kv_heads, k_len, dims),
    )
    return [torch.tensor(random(*shape, seed=i)).to(dtype) for i, shape in enumerate(shapes)]


def both_ways(encoding, qkv, mask, places=(Q_PLACES, K_PLACES), **options):
    options |= {"q_positions": places[0], "k_positions": places[1]}
    options["mask"] = None if mask is None else torch.tensor(mask)
    ways = ("sdpa", "eager")
    return [attention(*qkv, encoding=encoding, implementation=way, **options) for way in ways]


@pytest.fixture
def given(monkeypatch):
    """What torch's function is given: (q, k, mask) of each call."""
    calls, function = [], torch.nn.functional.scaled_dot_product_attention

    def noted(q, k, v, attn_mask=None, **options):
        calls.append((q, k, attn_mask))
        return function(q, k, v, attn_mask=attn_mask, **options)

    monkeypatch.setattr(torch.nn.functional, "scaled_dot_product_attention", noted)
    return calls


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
@pytest.mark.parametrize("name", [name for name in RELATIVE if name not in READABLE])
def test_both_ways_agree(name, dtype, mask):
    fused, readable = both_ways(RELATIVE[name](torch.tensor), tokens(dtype), MASKS[mask])
    assert fused.dtype == readable.dtype == dtype
    bound = 64 * torch.finfo(dtype).eps if dtype is not torch.bfloat16 else 0.02
    torch.testing.assert_close(fused, readable, atol=bound, rtol=bound)
    if mask == "nothing":
        assert not fused.any()


@pytest.mark.parametrize("mask", ["no mask", "causal", "padded", "nothing"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("name", FROM_INPUT)
def test_both_ways_agree_on_what_is_made_from_the_input(name, dtype, mask):
    encoding = at_doors(name, lambda array: torch.tensor(array).to(dtype), length=K_LEN)
    square = (K_PLACES, K_PLACES)
    mask = MASKS[mask] if mask != "causal" else causal_mask(*square)
    if mask is not None and mask.shape[-2] == Q_LEN:
        mask = np.concatenate([mask, mask[..., -5:, :]], axis=-2)
    fused, readable = both_ways(encoding, tokens(dtype, q_len=K_LEN), mask, square)
    bound = 0.02 if dtype is torch.bfloat16 else 1e-5
    torch.testing.assert_close(fused, readable, atol=bound, rtol=bound)


@pytest.mark.parametrize("name", ["NoPE", "ALiBi", "T5", "Transformer-XL", "DeBERTa"])
def test_torch_is_left_the_work_unless_weights_are_asked_for(name, given):
    encoding, qkv = RELATIVE[name](torch.tensor), tokens(torch.float32)
    places = {"q_positions": Q_PLACES, "k_positions": K_PLACES}
    output = attention(*qkv, encoding=encoding, **places)
    assert len(given) == 1
    same, _ = attention(*qkv, encoding=encoding, return_weights=True, **places)
    attention(*qkv, encoding=encoding, implementation="eager", **places)
    assert len(given) == 1
    torch.testing.assert_close(output, same, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("mask", ["no mask", "causal", "padded"])
def test_a_bias_by_position_is_made_once_for_all_sentences(mask, given):
    """FIRE's, which looks at where the query stands, and at no token."""
    fused, readable = both_ways(ENCODINGS["FIRE"](torch.tensor), tokens(torch.float64), MASKS[mask])
    torch.testing.assert_close(fused, readable, atol=1e-12, rtol=1e-12)
    if mask != "padded":
        [(_, _, bias)] = given
        assert bias.shape[0] == 1


@pytest.mark.parametrize("mask", ["no mask", "causal"])
@pytest.mark.parametrize("name", ["ALiBi", "T5"])
def test_of_a_bias_by_offset_no_matrix_is_made(name, mask, given):
    both_ways(RELATIVE[name](torch.tensor), tokens(torch.bfloat16), MASKS[mask])
    [(_, _, bias)] = given
    assert bias.shape == (1, 2, Q_LEN, K_LEN)
    assert bias.untyped_storage().nbytes() == 2 * (Q_LEN + K_LEN - 1) * 4  # in float32


def test_heads_that_share_a_key_are_not_given_copies_of_it(given):
    q, k, v = tokens(torch.float32, heads=8, q_len=1)
    qkv = (q, k, v[..., :3])  # values may be narrower
    for encoding, heads in ((NoPosition(), 8), (Alibi(), 8), (NoPosition(), 1)):
        mask = random(2, heads, 1, K_LEN) > 0
        found, readable = both_ways(encoding, qkv, mask, places=([K_LEN], K_PLACES))
        torch.testing.assert_close(found, readable, atol=1e-6, rtol=1e-6)
        q, k, bias = given.pop()
        assert k is qkv[1]
        assert q.shape == (2, 2, 4, 4)
        assert bias.shape == ((2, 2, 4, K_LEN) if heads > 1 else (2, 1, 1, K_LEN))


class Twice(Encoding):
    """Adds what was there already, from the queries and keys that its door is given."""

    @adds_bias(by="token")
    def at_scores(self, scores, q, k, q_positions, k_positions):
        return scores + q @ k.mT / 2


def test_a_door_sees_the_key_head_of_each_query_head():
    q, k, v = qkv = tokens(torch.float64, heads=4)
    fused, readable = both_ways(Twice(), qkv, None)
    twice, _ = both_ways(NoPosition(), (2 * q, k, v), None)
    torch.testing.assert_close(fused, twice)
    torch.testing.assert_close(readable, twice)


class Wide(Encoding):
    """A bias in float64, whatever the scores are in."""

    @adds_bias(by="offset")
    def at_scores(self, scores, q, k, q_positions, k_positions):
        apart = torch.as_tensor(q_positions)[:, None] - torch.as_tensor(k_positions)
        return scores + (apart == 1).double()


@pytest.mark.parametrize("q_len", [3, Q_LEN])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_a_bias_may_be_of_another_dtype(dtype, q_len):
    places = (range(q_len), K_PLACES)
    found, readable = both_ways(Wide(), tokens(dtype, q_len=q_len), None, places)
    assert found.dtype == dtype
    torch.testing.assert_close(found, readable, atol=0.02, rtol=0.02)


@pytest.mark.parametrize("places", ["later", "gaps", "batch", "floats"])
@pytest.mark.parametrize("heads", [2, 6])
def test_positions_need_not_be_consecutive_or_from_0(places, heads):
    if places == "later":
        q, k = np.arange(Q_LEN) + 9, np.arange(K_LEN) + 4
    elif places == "gaps":
        q, k = np.arange(Q_LEN) ** 2, np.arange(K_LEN) * 3
    elif places == "batch":
        q, k = np.arange(Q_LEN) + np.array([[5], [9]]), np.arange(K_LEN)
    else:
        q, k = np.arange(Q_LEN) + 0.5, np.arange(K_LEN)
    qkv = tokens(torch.float64, heads=heads)
    found, readable = both_ways(Alibi(), qkv, None, places=(q, k))
    torch.testing.assert_close(found, readable)


@pytest.mark.parametrize("mask", MASKS)
def test_gradients_agree_and_reach_a_trained_table(mask):
    gradients = []
    for way in ("sdpa", "eager"):
        table = torch.tensor(random(8, 2), requires_grad=True)
        qkv = [x.requires_grad_() for x in tokens(torch.float64)]
        chosen = None if MASKS[mask] is None else torch.tensor(MASKS[mask])
        output = attention(
            *qkv,
            encoding=T5(table),
            q_positions=Q_PLACES,
            k_positions=K_PLACES,
            mask=chosen,
            implementation=way,
        )
        (output * torch.linspace(-1, 1, Q_LEN)[:, None]).sum().backward()
        gradients.append([output, *(x.grad for x in (table, *qkv))])
    torch.testing.assert_close(*gradients)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_autocast_narrows_the_products_and_not_the_bias(dtype, given):
    qkv = tokens(torch.float32)
    with torch.autocast("cpu", dtype):
        found, readable = both_ways(Alibi(), qkv, MASKS["causal"])
        far, _ = both_ways(Alibi(), qkv, None, (range(1000, 1000 + Q_LEN), K_PLACES))
    [(q, _, bias), (far_q, k, far_bias)] = given  # the far one needs more digits than halves have
    assert (q.dtype, bias.dtype, found.dtype) == (dtype, torch.float32, readable.dtype)
    torch.testing.assert_close(found, readable, atol=0.03, rtol=0.03)
    v = qkv[2].to(dtype)
    theirs = torch.nn.functional.scaled_dot_product_attention(far_q, k, v, far_bias)
    torch.testing.assert_close(far, theirs.flip(-2), atol=0, rtol=0)  # queries are upside down


def test_autocast_leaves_float64_alone():
    qkv = tokens(torch.float64)
    with torch.autocast("cpu", torch.bfloat16):
        ways = both_ways(Alibi(), qkv, MASKS["causal"])
    torch.testing.assert_close(ways, both_ways(Alibi(), qkv, MASKS["causal"]), atol=0, rtol=0)


def test_halves_are_weighted_in_float32_the_readable_way():
    """The rounded inputs are weighted exactly, and rounded once."""
    q, k, v = tokens(torch.bfloat16, k_len=2000, q_len=1, dims=16)
    options = {"encoding": NoPosition(), "q_positions": [0], "k_positions": range(2000)}
    found = attention(q, k, v, implementation="eager", **options)
    exact = attention(q.double(), k.double(), v.double(), **options)
    error = (found.double() - exact).abs() / exact.abs()
    assert error.max() < 1.01 * torch.finfo(torch.bfloat16).eps / 2


class AtValues(Encoding):
    def at_values(self, output, weights, q_positions, k_positions):
        return output


class Capped(Alibi):
    """Overrides what was marked: its scores are no longer a sum."""

    def at_scores(self, scores, q, k, q_positions, k_positions):
        return super().at_scores(scores, q, k, q_positions, k_positions).tanh()


@pytest.mark.parametrize(
    ("encoding", "options", "message"),
    [
        (NoPosition(), {"return_weights": True}, "return_weights asks for the weights"),
        (AtValues(), {}, "AtValues.at_values acts on the weights"),
        (Shaw(torch.ones(3, 4).double()), {}, "Shaw.at_values acts on the weights"),
        (Capped(), {}, "Capped.at_scores may do more than add a bias: mark one .* @adds_bias"),
        (NoPosition(), {"implementation": "flash"}, "must be one of 'eager', 'sdpa', got 'flash'"),
    ],
)
def test_it_says_why_torch_cannot_stand_in(encoding, options, message, given):
    qkv = tokens(torch.float64)
    places = {"q_positions": Q_PLACES, "k_positions": K_PLACES}
    with pytest.raises(ValueError, match=f"^implementation .*{message}"):
        attention(*qkv, encoding=encoding, **{"implementation": "sdpa", **places, **options})
    assert not given
    if "implementation" not in options:
        left_alone = attention(*qkv, encoding=encoding, **options, **places)
        assert not given
        readable = attention(*qkv, encoding=encoding, implementation="eager", **options, **places)
        torch.testing.assert_close(left_alone, readable, rtol=0, atol=0)


def test_numpy_is_always_readable():
    q = random(1, 2, 3, 4)
    places = {"q_positions": range(3), "k_positions": range(3)}
    with pytest.raises(ValueError, match="implementation cannot be 'sdpa': arrays are NumPy's"):
        attention(q, q, q, encoding=NoPosition(), implementation="sdpa", **places)


@pytest.mark.parametrize(
    ("dtype", "encoding", "autocast", "adds"),
    [
        (torch.bfloat16, Alibi(), False, False),
        (torch.bfloat16, NoPosition(), False, True),
        (torch.float32, Alibi(), False, True),
        (torch.float32, Alibi(), True, False),
    ],
)
def test_a_gpu_adds_no_wider_bias_to_halves(dtype, encoding, autocast, adds, monkeypatch):
    """An H100 gives NaN for them; autocast makes halves of queries within torch's function."""
    monkeypatch.setattr(torch, "is_autocast_enabled", lambda _: autocast)
    with FakeTensorMode():
        q = torch.ones(1, 2, 3, 4, dtype=dtype, device="cuda")
    reason = "on cuda it cannot add a bias in float32 to halves, and one in halves is rounded"
    assert why_not(q, q, encoding, False) == ("" if adds else reason)


def test_where_nothing_is_attended_it_is_not_asked(given):
    q, k = torch.ones(1, 1, 3, 2), torch.ones(1, 1, 0, 2)
    places = {"encoding": NoPosition(), "q_positions": range(3), "k_positions": []}
    assert not attention(q, k, k, **places).any()
    assert not given


def test_a_mark_is_one_of_three():
    with pytest.raises(
        ValueError, match="by must be one of 'offset', 'position', 'token', got 'head'"
    ):
        adds_bias(by="head")


def test_attend_goes_the_same_ways(given):
    x, w = torch.tensor(random(1, 6, 8)), torch.tensor(random(8, 8))
    options = {"num_heads": 2, "encoding": Rotary(), "positions": range(6)}
    fused = attend(x, w, w, w, implementation="sdpa", cache=KeyValueCache(), **options)
    assert len(given) == 1
    readable, _ = attend(x, w, w, w, implementation="eager", return_weights=True, **options)
    assert len(given) == 1
    torch.testing.assert_close(fused, readable)


def test_second_derivatives_take_the_readable_way():
    q = torch.tensor(random(1, 1, 3, 2), requires_grad=True)
    places = {"q_positions": range(3), "k_positions": range(3)}

    def run(q):
        return attention(q, q, q, encoding=Alibi(), implementation="eager", **places)

    assert torch.autograd.gradgradcheck(run, (q,))


def test_what_is_the_same_for_query_and_key_is_made_once(monkeypatch):
    encoding, q = Rotary(), torch.tensor(random(1, 2, 3, 4))
    positions, calls = torch.arange(3), []
    monkeypatch.setattr(
        Rotary, "_waves", lambda *given, of=Rotary._waves: calls.append(1) or of(*given)
    )
    alike = attention(q, q, q, encoding=encoding, q_positions=positions, k_positions=positions)
    assert len(calls) == 1
    twice = attention(q, q, q, encoding=encoding, q_positions=positions, k_positions=range(3))
    assert len(calls) == 3
    torch.testing.assert_close(alike, twice)
