"""Layers that differ, and encodings that are made from what a layer is given."""

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import torch
from transformers import Llama4TextConfig
from transformers.masking_utils import sliding_window_causal_mask_function
from transformers.models.llama4 import modeling_llama4 as llama4

from posviz.arrays import namespace
from posviz.attention import KeyValueCache, attend, attention
from posviz.encodings.alibi import Alibi
from posviz.encodings.doors import Encoding, NoPosition
from posviz.encodings.fox import FoX
from posviz.encodings.path import PaTH
from posviz.encodings.rotary import Rotary, apply_rotary
from posviz.encodings.t5 import T5
from posviz.masks import causal_mask
from tests.every_encoding import random

D_MODEL, HEADS, HEAD_DIM = 8, 2, 4
KINDS = pytest.mark.parametrize("kind", [np.asarray, torch.tensor], ids=["NumPy", "torch"])


def summed(steps, before):
    """Running sums [batch, tokens so far, …], of which ``before`` were known."""
    xp = namespace(steps)
    if before is None:
        return xp.cumulative_sum(steps, axis=1)
    return xp.concat([before, before[:, -1:] + xp.cumulative_sum(steps, axis=1)], axis=1)


@dataclass(frozen=True, eq=False)
class TurnedBy(Encoding):
    """RoPE for the tokens of one call, by angles [batch, len, pairs]."""

    angles: Any

    def at_query(self, q, positions):
        return apply_rotary(q, self.angles[:, None])

    def at_key(self, k, positions):
        return apply_rotary(k, self.angles[:, None])


@dataclass(frozen=True, eq=False)
class SelectiveRotary(Encoding):
    """Each token says how far it turns on; the cache carries how far all have turned."""

    w: Any

    def for_input(self, x, positions, carried):
        angles = summed(x @ self.w, carried)
        return TurnedBy(angles[:, -x.shape[1] :]), angles[:, -1:]


def fox(kind):
    return FoX(kind(random(D_MODEL, HEADS, seed=8)))


def selective(kind):
    return SelectiveRotary(kind(random(D_MODEL, HEAD_DIM // 2, seed=9)))


def path(kind):
    return PaTH(
        kind(random(D_MODEL, HEADS * HEAD_DIM, seed=12)), kind(random(D_MODEL, HEADS, seed=13))
    )


MADE = {"FoX": fox, "selective RoPE": selective, "PaTH": path}
PLANS = {
    "FoX, then RoPE near by": [
        lambda kind: {"encoding": fox(kind)},
        lambda kind: {"encoding": Rotary(), "window": 3, "temperature": 0.7},
    ],
    "selective RoPE near by, then NoPE": [
        lambda kind: {"encoding": selective(kind), "window": 2},
        lambda kind: {"encoding": NoPosition(), "temperature": lambda positions: 1 + positions / 9},
    ],
}


def projections(layer=0, kv_heads=1):
    columns = (D_MODEL, kv_heads * HEAD_DIM, kv_heads * HEAD_DIM)
    return [random(D_MODEL, n, seed=10 * layer + i + 1) / 2 for i, n in enumerate(columns)]


def run(plan, kind, x, edges, caches):
    """Pass all layers of a plan, tokens from edge to edge."""
    outputs = []
    for start, stop in itertools.pairwise(edges):
        places = {
            "positions": range(start, stop),
            "mask": causal_mask(range(start, stop), range(stop)),
        }
        step = kind(x[:, start:stop])
        for layer, row in enumerate(plan):
            w = map(kind, projections(layer))
            step = step + attend(
                step, *w, num_heads=HEADS, cache=caches[layer], **places, **row(kind)
            )
        outputs.append(step)
    return namespace(step).concat(outputs, axis=1)


@KINDS
@pytest.mark.parametrize("edges", [(0, 3, 7), (0, 1, 4, 7), range(8)], ids=str)
@pytest.mark.parametrize("name", [*MADE, *PLANS])
def test_with_a_cache_it_is_what_it_is_without(name, edges, kind):
    plan = PLANS.get(name) or [lambda kind: {"encoding": MADE[name](kind)}]
    x, caches = random(2, 7, D_MODEL), [KeyValueCache() for _ in plan]
    whole = run(plan, kind, x, (0, 7), [None] * len(plan))
    np.testing.assert_allclose(run(plan, kind, x, edges, caches), whole, atol=1e-13)
    assert caches[0].positions.tolist() == list(range(7))


@KINDS
def test_fox_forgets_by_the_gates_in_between(kind):
    x, w = random(1, 6, D_MODEL), projections(kv_heads=2)
    encoding, options = fox(kind), {"num_heads": HEADS, "positions": range(6)}
    _, weights = attend(
        kind(x),
        *map(kind, w),
        encoding=encoding,
        return_weights=True,
        mask=causal_mask(range(6), range(6)),
        **options,
    )
    q, k = (np.moveaxis((x @ m).reshape(6, HEADS, HEAD_DIM), 1, 0) for m in w[:2])
    gates = 1 / (1 + np.exp(-(x[0] @ np.asarray(encoding.w_f))))
    for h, i in np.ndindex(HEADS, 6):
        scores = [q[h, i] @ k[h, j] / 2 + np.log(gates[j + 1 : i + 1, h]).sum() for j in range(6)]
        powers = np.exp(scores[: i + 1])
        np.testing.assert_allclose(weights[0, h, i, : i + 1], powers / powers.sum(), atol=1e-13)


def test_tokens_that_turn_on_alike_are_rope():
    x, w = random(1, 6, D_MODEL), projections()
    x[..., -1] = 1
    steps = np.zeros((D_MODEL, 2))
    steps[-1] = [1.0, 0.01]
    options = {"num_heads": HEADS, "positions": range(6)}
    found = attend(x, *w, encoding=SelectiveRotary(steps), **options)
    np.testing.assert_allclose(found, attend(x, *w, encoding=Rotary(), **options), atol=1e-13)


@pytest.mark.slow("half a second")
@pytest.mark.parametrize("name", MADE)
def test_gradients_reach_what_makes_the_gates(name):
    x, w = torch.tensor(random(1, 4, D_MODEL)), [torch.tensor(p) for p in projections()]
    encoding = MADE[name](torch.tensor)
    learned = [array.requires_grad_() for array in vars(encoding).values() if array is not None]

    def attended(x, *learned):
        made = type(encoding)(*learned)
        return attend(x, *w, num_heads=HEADS, encoding=made, positions=range(4))

    assert torch.autograd.gradcheck(attended, (x.requires_grad_(), *learned))


def test_a_failed_step_carries_nothing_on():
    cache, x, w = KeyValueCache(), random(1, 2, D_MODEL), projections()
    options = {"num_heads": HEADS, "encoding": fox(np.asarray), "cache": cache}
    attend(x, *w, positions=[0, 1], **options)
    before = cache.carried
    with pytest.raises(ValueError, match="mask"):
        attend(x, *w, positions=[2, 3], mask=np.ones((2, 3), bool), **options)
    assert cache.carried is before


def test_what_is_made_from_the_input_has_to_be_made_first():
    q = random(1, HEADS, 3, HEAD_DIM)
    places = {"q_positions": range(3), "k_positions": range(3)}
    with pytest.raises(ValueError, match=r"made from the layer's input: give what FoX's for_input"):
        attention(q, q, q, encoding=fox(np.asarray), **places)
    made, _ = fox(np.asarray).for_input(random(1, 3, D_MODEL), range(3), None)
    assert attention(q, q, q, encoding=made, **places).shape == q.shape


# ---------------------------------------------------------------- window and temperature


@KINDS
@pytest.mark.parametrize("encoding", [Rotary(), Alibi()])
@pytest.mark.parametrize(
    "positions", [np.arange(70), np.multiply.outer([1, 2], np.arange(70))], ids=["run", "batch"]
)
def test_a_window_is_a_mask(kind, encoding, positions):
    q, k, v = (kind(random(2, 2, 70, 4, seed=seed)) for seed in range(3))
    places = {"q_positions": positions, "k_positions": positions, "encoding": encoding}
    apart = positions[..., None, :, None] - positions[..., None, None, :]
    causal = np.tri(70, dtype=bool)
    for mask in (None, kind(causal)):
        found = attention(q, k, v, mask=mask, window=5, **places)
        near = np.abs(apart) < 5 if mask is None else causal & (apart < 5)
        wanted = attention(q, k, v, mask=kind(near), **places)
        np.testing.assert_allclose(found, wanted, atol=1e-14)


def test_a_window_counts_as_in_transformers():
    theirs = sliding_window_causal_mask_function(3)
    _, weights = attention(
        *[np.zeros((1, 1, 6, 4))] * 3,
        encoding=NoPosition(),
        q_positions=range(6),
        k_positions=range(6),
        mask=causal_mask(range(6), range(6)),
        window=3,
        return_weights=True,
    )
    for i, j in np.ndindex(6, 6):
        assert bool(theirs(0, 0, torch.tensor(i), torch.tensor(j))) == (weights[0, 0, i, j] > 0)


@KINDS
@pytest.mark.parametrize("implementation", [None, "eager"])
def test_a_temperature_divides_queries_and_no_bias(kind, implementation):
    q, k, v = (random(2, 2, 5, 4, seed=seed) for seed in range(3))
    places = {"q_positions": np.add.outer([3, 5], np.arange(5)), "k_positions": range(5)}
    encoding = T5(kind(random(8, 2)), max_distance=20)
    by_place = 2.0 ** (places["q_positions"][:, None, :, None] - 5)
    for temperature, by in ((0.5, 0.5), (lambda positions: 2.0 ** (positions - 5), by_place)):
        found = attention(
            *map(kind, (q, k, v)),
            encoding=encoding,
            temperature=temperature,
            implementation=implementation,
            **places,
        )
        wanted = attention(*map(kind, (q / by, k, v)), encoding=encoding, **places)
        np.testing.assert_allclose(found, wanted, atol=1e-13)


@pytest.mark.parametrize("implementation", [None, "eager"])
def test_halves_are_divided_in_float32_and_rounded_once(implementation):
    q, k, v = (torch.tensor(random(2, 2, 5, 4, seed=seed)).bfloat16() for seed in range(3))
    places = {"q_positions": range(5), "k_positions": range(5), "encoding": NoPosition()}
    values = torch.linspace(1.001, 1.501, 5)  # none is a number in bfloat16
    options = places | {"implementation": implementation}
    found = attention(q, k, v, temperature=lambda positions: values, **options)
    wanted = attention((q.float() / values[:, None]).bfloat16(), k, v, **options)
    assert found.dtype == torch.bfloat16
    torch.testing.assert_close(found, wanted, rtol=0, atol=0)


PLAN_OF_LLAMA_4 = [
    {"encoding": Rotary(base=500_000.0)},
    {
        "encoding": NoPosition(),
        "temperature": lambda positions: 1 / (torch.log1p((positions + 1) // 4 + 0.0) * 0.1 + 1),
    },
]


@pytest.mark.parametrize("layer", [0, 1])
def test_a_plan_gives_the_layers_of_llama_4(layer):
    """RoPE, and every so often none, with queries that grow with the logarithm of the place."""
    config = Llama4TextConfig(
        hidden_size=32,
        head_dim=8,
        num_attention_heads=4,
        num_key_value_heads=2,
        num_hidden_layers=2,
        no_rope_layers=[1, 0],
        use_qk_norm=False,
        floor_scale=4,
        attn_scale=0.1,
        attn_implementation="eager",
        rope_parameters={"rope_type": "default", "rope_theta": 500_000.0},
    )
    torch.manual_seed(0)
    module, x = llama4.Llama4TextAttention(config, layer).eval(), torch.randn(2, 20, 32)
    torch.nn.init.eye_(module.o_proj.weight)
    mask = torch.ones(20, 20, dtype=torch.bool).tril()
    places = llama4.Llama4TextRotaryEmbedding(config)(x, torch.arange(20)[None])
    hidden = torch.where(mask, 0.0, -torch.inf)[None, None]
    theirs, _ = module(x, position_embeddings=places, attention_mask=hidden)
    w = (getattr(module, name).weight.T for name in ("q_proj", "k_proj", "v_proj"))
    options = {"num_heads": 4, "positions": torch.arange(20), "mask": mask}
    ours = attend(x, *w, **options, **PLAN_OF_LLAMA_4[layer])
    torch.testing.assert_close(ours, theirs, atol=1e-6, rtol=1e-5)


@KINDS
def test_a_mask_may_be_a_function_of_positions(kind):
    """So that a layer of a plan is told once, and sees what its cache holds."""
    x, w = kind(random(2, 6, D_MODEL)), list(map(kind, projections()))
    places = kind(np.add.outer([0, 3], np.arange(6)))
    options = {"num_heads": HEADS, "encoding": Alibi()}
    whole = attend(x, *w, positions=places, mask=causal_mask(places, places), **options)
    cache = KeyValueCache()
    for start, stop in ((0, 4), (4, 6)):
        here = {"positions": places[:, start:stop], "mask": causal_mask, "cache": cache}
        found = attend(x[:, start:stop], *w, **here, **options)
        np.testing.assert_allclose(found, whole[:, start:stop], atol=1e-13)


@pytest.mark.parametrize(
    ("limits", "error", "message"),
    [
        ({"mask": lambda q, k: np.ones((2, 3), bool)}, ValueError, "mask must broadcast to"),
        ({"window": 0}, ValueError, "window must be at least 1, got 0"),
        ({"window": 2.5}, TypeError, "window must be an integer, got 2.5"),
        ({"temperature": 0.0}, ValueError, "temperature must be above 0, got 0"),
        ({"temperature": "warm"}, TypeError, "temperature must be a real number, got 'warm'"),
        (
            {"temperature": lambda positions: positions[:2]},
            ValueError,
            r"temperature must give a number for each of the positions \(3,\), got shape \(2,\)",
        ),
    ],
)
def test_limits_name_what_came(limits, error, message):
    q = random(1, 1, 3, 4)
    with pytest.raises(error, match=message):
        attention(
            q, q, q, encoding=NoPosition(), q_positions=range(3), k_positions=range(3), **limits
        )
