"""Shaw's relative positions against loops and another library."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers.models.seamless_m4t_v2 import modeling_seamless_m4t_v2 as seamless
from transformers.models.wav2vec2_bert import modeling_wav2vec2_bert as wav2vec2_bert

from posviz.attention import KeyValueCache, attend, attention
from posviz.encodings.doors import doors
from posviz.encodings.relative import offsets
from posviz.encodings.shaw import Shaw, shaw_index, shaw_key_scores, shaw_values
from posviz.masks import causal_mask

SHAPES = [(1, 1, 1, 1, 2, 0), (2, 6, 3, 5, 6, 1), (1, 12, 7, 7, 2, 4), (3, 1, 1, 9, 4, 3)]
shapes = pytest.mark.parametrize(("batch", "heads", "q_len", "k_len", "head_dim", "k"), SHAPES)


def random(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


def tensors(*shapes):
    return [torch.tensor(random(*shape, seed=i)) for i, shape in enumerate(shapes)]


def row(i, j, k):
    """The row of w_clip(j − i, k), where w starts at −k."""
    return max(-k, min(k, j - i)) + k


def test_rows_run_from_the_farthest_behind_to_the_farthest_ahead():
    found = shaw_index(offsets([5], range(11)), 3)
    assert found.tolist() == [[0, 0, 0, 1, 2, 3, 4, 5, 6, 6, 6]]


@pytest.mark.parametrize("kind", [np.array, torch.tensor])
@given(
    q=st.lists(st.integers(-(10**6), 10**6), min_size=1, max_size=5),
    k=st.lists(st.integers(-(10**6), 10**6), min_size=1, max_size=5),
    max_distance=st.integers(0, 10**6),
)
def test_index_entry_by_entry(kind, q, k, max_distance):
    found = shaw_index(offsets(kind(q), kind(k)), max_distance)
    for i, j in np.ndindex(len(q), len(k)):
        assert found[i, j] == row(q[i], k[j], max_distance)


def test_the_reach_ahead_may_be_another():
    found = shaw_index(offsets([5], range(11)), 3, ahead=1)
    assert found.tolist() == [[0, 0, 0, 1, 2, 3, 4, 4, 4, 4, 4]]


def test_small_and_unsigned_integers_do_not_wrap_around():
    assert shaw_index(np.array([-128], np.int8), 200).tolist() == [328]
    assert shaw_index(np.array([3], np.uint8), 200).tolist() == [197]


@shapes
def test_key_scores_and_values_entry_by_entry(batch, heads, q_len, k_len, head_dim, k):
    q, weights = random(batch, heads, q_len, head_dim), random(batch, heads, q_len, k_len, seed=1)
    table = random(2 * k + 1, head_dim, seed=2)
    index = shaw_index(offsets(range(q_len), range(k_len)), k)
    scores, values = shaw_key_scores(q, table, index), shaw_values(weights, table, index)
    assert scores.shape == weights.shape
    assert values.shape == q.shape
    for b, h, i in np.ndindex(batch, heads, q_len):
        total = np.zeros(head_dim)
        for j in range(k_len):
            vector = table[row(i, j, k)]
            assert scores[b, h, i, j] == pytest.approx(float(q[b, h, i] @ vector), abs=1e-13)
            total += weights[b, h, i, j] * vector
        np.testing.assert_allclose(values[b, h, i], total, atol=1e-13)
    everything = map(torch.tensor, (q, weights, table))
    q, weights, table = everything
    np.testing.assert_allclose(shaw_key_scores(q, table, index), scores, atol=1e-13)
    np.testing.assert_allclose(shaw_values(weights, table, index), values, atol=1e-13)


@pytest.mark.parametrize(
    ("batch", "heads", "q_len", "head_dim", "k", "ahead"),
    [(1, 1, 1, 2, 1, 1), (2, 6, 9, 6, 2, 5), (1, 12, 20, 8, 64, 8), (2, 20, 5, 2, 3, 0)],
)
@pytest.mark.parametrize("theirs", ["wav2vec2_bert", "seamless_m4t_v2"])
def test_key_scores_are_those_of_transformers(theirs, batch, heads, q_len, head_dim, k, ahead):
    """Both have this key side, with a reach of its own for each direction."""
    q, table = tensors((batch, heads, q_len, head_dim), (k + 1 + ahead, head_dim))
    positions = torch.arange(1000, 1000 + q_len)
    scores = torch.zeros(batch, heads, q_len, q_len, dtype=torch.float64)
    ours = Shaw(key_table=table, ahead=None if k == ahead else ahead)
    found = ours.at_scores(scores, q, None, positions, positions)
    settings = {
        "left_max_position_embeddings": k,
        "right_max_position_embeddings": ahead,
        "distance_embedding": torch.nn.Embedding.from_pretrained(table),
    }
    if theirs == "wav2vec2_bert":
        module = SimpleNamespace(scaling=head_dim**-0.5, **settings)
        _, expected = wav2vec2_bert._apply_relative_key_position_encoding(module, q, q)
    else:
        expected = seamless_scores(ours, settings, q)
    torch.testing.assert_close(found, expected)


def seamless_scores(ours, settings, q):
    """Run the module on inputs that its projections split into these queries and zero keys."""
    heads, head_dim = q.shape[1], q.shape[3]
    config = seamless.SeamlessM4Tv2Config(
        hidden_size=heads * head_dim,
        speech_encoder_attention_heads=heads,
        left_max_position_embeddings=settings["left_max_position_embeddings"],
        right_max_position_embeddings=settings["right_max_position_embeddings"],
        position_embeddings_type="relative_key",
    )
    module = seamless.SeamlessM4Tv2ConformerSelfAttention(config).double().eval()
    module.distance_embedding = settings["distance_embedding"]
    torch.nn.init.eye_(module.linear_q.weight)
    torch.nn.init.zeros_(module.linear_k.weight)
    for layer in (module.linear_q, module.linear_k):
        torch.nn.init.zeros_(layer.bias)
    with torch.no_grad():
        _, weights = module(q.transpose(1, 2).flatten(2), output_attentions=True)
    # Weights tell scores up to a constant in each row.
    positions = torch.arange(q.shape[2])
    mine = ours.at_scores(torch.zeros_like(weights), q, None, positions, positions)
    return weights.log() + mine.logsumexp(-1, keepdim=True)


@pytest.mark.parametrize("convert", [np.asarray, torch.tensor])
def test_both_doors_against_attention_with_a_vector_for_every_pair(convert):
    """What the method saves is made here: keys and values differ for every query."""
    q, k, v = (convert(random(2, 3, 5, 4, seed=i)) for i in range(3))
    keys, values = (convert(random(5, 4, seed=i)) for i in (3, 4))
    positions = np.array([[0, 0, 1, 2, 3], [7, 8, 12, 13, 11]])
    found = attention(
        q, k, v, encoding=Shaw(keys, values), q_positions=positions, k_positions=positions
    )
    for b, h, i in np.ndindex(2, 3, 5):
        rows = [row(positions[b, i], positions[b, j], 2) for j in range(5)]
        scores = np.array([float(q[b, h, i] @ (k[b, h, j] + keys[rows[j]])) for j in range(5)]) / 2
        weights = np.exp(scores) / np.exp(scores).sum()
        expected = sum(weights[j] * np.asarray(v[b, h, j] + values[rows[j]]) for j in range(5))
        np.testing.assert_allclose(found[b, h, i], expected, atol=1e-13)


def test_a_cache_changes_nothing():
    x, w_q, w_k, w_v = tensors((2, 6, 8), (8, 12), (8, 6), (8, 6))
    encoding, positions = Shaw(*tensors((5, 3), (5, 3))), torch.arange(6)
    settings = {"num_heads": 4, "encoding": encoding}
    mask = causal_mask(positions, positions)
    whole = attend(x, w_q, w_k, w_v, positions=positions, mask=mask, **settings)
    cache = KeyValueCache()
    for at in range(6):
        token = x[:, at : at + 1]
        step = attend(token, w_q, w_k, w_v, positions=[at], cache=cache, **settings)
        torch.testing.assert_close(step[:, 0], whole[:, at])


def test_gradients_flow_to_the_tables():
    q, weights, table = (x.requires_grad_() for x in tensors((2, 2, 3, 2), (2, 2, 3, 4), (3, 2)))
    index = shaw_index(offsets([[3, 1, 2], [0, 1, 2]], range(4)), 1)
    assert torch.autograd.gradcheck(lambda q, t: shaw_key_scores(q, t, index), (q, table))
    assert torch.autograd.gradcheck(lambda w, t: shaw_values(w, t, index), (weights, table))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_every_precision_comes_back_as_it_came(dtype):
    """Rounded once, at the end: sums of halves, or sums kept in halves, would be farther off."""
    table, q = (x.to(dtype) for x in tensors((21, 16), (1, 2, 40, 16)))
    weights = torch.tensor(random(1, 2, 40, 400) ** 2 / 400).to(dtype)
    index = shaw_index(offsets(range(0, 400, 10), range(400)), 10)
    summing = 400 * torch.finfo(torch.float32).eps
    rounding = torch.finfo(dtype).eps / 2 + summing
    for function, x in ((shaw_key_scores, q), (shaw_values, weights)):
        found = function(x, table, index)
        assert found.dtype == dtype
        expected = function(x.double(), table.double(), index)
        torch.testing.assert_close(found.double(), expected, rtol=rounding, atol=summing)


def test_the_encoding_keeps_the_dtype_of_halves():
    q, v = (torch.ones(1, 2, 3, 4, dtype=torch.bfloat16) for _ in "qv")
    encoding = Shaw(*(table.to(torch.bfloat16) for table in tensors((3, 4), (3, 4))))
    found = attention(q, q, v, encoding=encoding, q_positions=range(3), k_positions=range(3))
    assert found.dtype == torch.bfloat16
    q = np.ones((1, 2, 3, 4), np.float16)
    encoding = Shaw(*(random(3, 4).astype(np.float16) for _ in "kv"))
    found = attention(q, q, q, encoding=encoding, q_positions=range(3), k_positions=range(3))
    assert found.dtype == np.float16


def test_the_encoding_acts_at_scores_and_values_and_needs_but_one_table():
    table, q = random(3, 4), random(1, 2, 3, 4)
    assert doors(Shaw(table)) == ("at_scores", "at_values")
    scores = random(1, 2, 3, 3)
    assert Shaw(value_table=table).at_scores(scores, q, q, range(3), range(3)) is scores
    assert Shaw(key_table=table).at_values(q, scores, range(3), range(3)) is q


Q, WEIGHTS, TABLE = np.ones((2, 3, 4, 6)), np.ones((2, 3, 4, 5)), np.ones((7, 6))
INDEX = np.zeros((4, 5), int)


def at_scores(q_positions, k_positions):
    return Shaw(TABLE).at_scores(WEIGHTS, Q, None, q_positions, k_positions)


def at_values(q_positions, k_positions):
    return Shaw(value_table=TABLE).at_values(Q, WEIGHTS, q_positions, k_positions)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: shaw_index([0.5], 2), TypeError, "offsets must be integers"),
        (lambda: shaw_index([0], -1), ValueError, "max_distance must be at least 0"),
        (lambda: shaw_index([0], 1.5), TypeError, "max_distance must be an integer"),
        (lambda: shaw_index([0], 10**15), ValueError, "max_distance: an array of"),
        (lambda: shaw_index([0], 2, -1), ValueError, "ahead must be at least 0"),
        (lambda: Shaw(TABLE[:6]), ValueError, r"key_table must be \[2k\+1.*got 6; or give ahead"),
        (lambda: Shaw(TABLE, ahead=7), ValueError, "must have more than ahead = 7 rows, got 7"),
        (lambda: Shaw(TABLE, ahead=0.5), TypeError, "ahead must be an integer"),
        (lambda: shaw_key_scores(Q, TABLE[:, :5], INDEX), ValueError, "q must be .* 5"),
        (lambda: shaw_key_scores(Q[0, 0], TABLE, INDEX), ValueError, "q must be"),
        (lambda: shaw_key_scores(Q, TABLE, INDEX[:3]), ValueError, "index must be .* 4, k_len"),
        (lambda: shaw_key_scores(Q, TABLE, INDEX[0]), ValueError, "index must be"),
        (lambda: shaw_key_scores(Q, TABLE, [INDEX] * 3), ValueError, r"index .* batch \(2,\)"),
        (lambda: shaw_key_scores(Q, TABLE, INDEX + 7), IndexError, "index must be in 0 … 6"),
        (lambda: shaw_key_scores(Q, TABLE, INDEX - 1), IndexError, "index must be in 0 … 6"),
        (lambda: shaw_key_scores(Q, TABLE, INDEX * 1.0), TypeError, "index must be integers"),
        (lambda: shaw_key_scores(Q, torch.ones(7, 6), INDEX), TypeError, "q, table: NumPy arrays"),
        (lambda: shaw_key_scores(Q, TABLE, torch.tensor(INDEX)), TypeError, "index must be a NumP"),
        (lambda: shaw_values(WEIGHTS, TABLE[0], INDEX), ValueError, "table must be"),
        (lambda: shaw_values(WEIGHTS[0, 0], TABLE, INDEX), ValueError, "weights must be"),
        (lambda: shaw_values(WEIGHTS, TABLE, INDEX[:, :4]), ValueError, "k_len of the weights, 5"),
        (lambda: shaw_values(WEIGHTS, TABLE, INDEX + 7), IndexError, "index must be in 0 … 6"),
        (lambda: shaw_values(WEIGHTS.astype("f"), TABLE, INDEX), TypeError, "share one dtype"),
        (lambda: Shaw(), ValueError, "got neither"),
        (lambda: Shaw(TABLE, TABLE[:2]), ValueError, "value_table must be"),
        (lambda: Shaw([[1.0]]), TypeError, "key_table: expected a NumPy"),
        (lambda: Shaw(TABLE, torch.ones(7, 6)), TypeError, "key_table, value_table: NumPy"),
        (lambda: at_scores(np.arange(4.0), range(5)), TypeError, "q_positions must be integers"),
        (lambda: at_values(range(4), np.arange(5.0)), TypeError, "k_positions must be integers"),
        (
            lambda: Shaw(value_table=TABLE).at_values(Q[..., :3], WEIGHTS, range(4), range(5)),
            ValueError,
            "value_table must be as wide as the values, 3, got 6",
        ),
        (
            lambda: Shaw(torch.ones(7, 6)).at_scores(WEIGHTS, Q, None, range(4), range(5)),
            TypeError,
            "key_table must be a NumPy array",
        ),
    ],
)
def test_bad_input_is_named(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_a_table_of_another_width_is_named_for_flex_attention_too():
    q = torch.zeros(1, 1, 3, 4)
    with pytest.raises(ValueError, match=r"^key_table must be as wide as the queries, 4, got 6"):
        Shaw(torch.zeros(5, 6)).bias_of_pair(q, q, torch.arange(3), torch.arange(3))
