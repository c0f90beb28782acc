"""Transformer-XL and XLNet against loops, the released trick and other libraries."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import XLNetConfig, XLNetModel
from transformers.models.parakeet.modeling_parakeet import ParakeetEncoderAttention
from transformers.models.xlnet.modeling_xlnet import XLNetRelativeAttention

from posviz.attention import KeyValueCache, attend, attention, softmax
from posviz.encodings.doors import doors
from posviz.encodings.sinusoidal import sinusoidal
from posviz.encodings.transformer_xl import TransformerXL, rel_shift, transformer_xl_scores
from posviz.attention.masks import causal_mask

SIZES = [(1, 1, 1, 1, 2), (2, 6, 3, 5, 6), (1, 12, 7, 7, 2), (3, 1, 1, 9, 4), (1, 20, 4, 11, 2)]
sizes = pytest.mark.parametrize(("batch", "heads", "q_len", "k_len", "head_dim"), SIZES)


def random(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


def tensors(*shapes):
    return [torch.tensor(random(*shape, seed=i)) for i, shape in enumerate(shapes)]


def sinusoid(offset, d_model, base=10_000):
    """The released layout: sines of all frequencies, then cosines."""
    angles = [offset / base ** (i / d_model) for i in range(0, d_model, 2)]
    return np.array([math.sin(a) for a in angles] + [math.cos(a) for a in angles])


def four_terms(q, k, w_r, u, v, apart, base=10_000):
    """Terms (a) to (d) of section 3.3, for one query and one key in one head."""
    r = sinusoid(apart, w_r.shape[0], base) @ w_r
    return float(q @ k + q @ r + u @ k + v @ r)


@given(q_len=st.integers(1, 7), memory=st.integers(0, 5))
def test_shifted_columns_are_offsets(q_len, memory):
    k_len = q_len + memory
    columns = np.arange(k_len - 1, -1, -1.0)  # the number in a column is its offset
    causal = rel_shift(np.tile(columns, (2, q_len, 1)))
    columns = np.arange(k_len, -q_len, -1.0)
    both_ways = rel_shift(np.tile(columns, (2, q_len, 1)), bidirectional=True)
    assert causal.shape == both_ways.shape == (2, q_len, k_len)
    for h, i, j in np.ndindex(2, q_len, k_len):
        apart = i - j + memory
        assert both_ways[h, i, j] == apart
        assert causal[h, i, j] == (apart if apart >= 0 else -np.inf)


@pytest.mark.parametrize(("q_len", "k_len"), [(1, 1), (1, 6), (4, 4), (5, 8)])
def test_the_causal_shift_is_the_released_trick_without_its_leftovers(q_len, k_len):
    """The trick: a column of zeros in front, read in rows of another length, first row dropped."""
    x = torch.arange(1.0, q_len * k_len + 1).reshape(q_len, k_len)
    padded = torch.cat([torch.zeros(q_len, 1), x], dim=1)
    released = padded.reshape(k_len + 1, q_len)[1:].reshape(q_len, k_len)
    seen = torch.ones(q_len, k_len).tril(k_len - q_len).bool()
    assert torch.equal(rel_shift(x)[seen], released[seen])
    assert torch.all(rel_shift(x)[~seen] == -torch.inf)


@sizes
def test_the_bidirectional_shift_is_that_of_xlnet_and_parakeet(
    batch, heads, q_len, k_len, head_dim
):
    x = tensors((batch, heads, q_len, q_len + k_len))[0]
    found = rel_shift(x, bidirectional=True)
    assert torch.equal(found, XLNetRelativeAttention.rel_shift_bnij(x, klen=k_len))
    if q_len == k_len:  # Parakeet leaves out the first column, which no entry reads
        assert torch.equal(
            found, ParakeetEncoderAttention._rel_shift(None, x[..., 1:])[..., :k_len]
        )


def xlnet(heads, head_dim):
    config = XLNetConfig(d_model=heads * head_dim, n_head=heads, n_layer=1, d_inner=4, vocab_size=3)
    module = XLNetRelativeAttention(config).double().eval()
    parameters = (module.q, module.k, module.v, module.o, module.r)
    for seed, x in enumerate((*parameters, module.r_w_bias, module.r_r_bias)):
        x.data = torch.tensor(random(*x.shape, seed=seed))
    return XLNetModel(config), module


@sizes
def test_scores_are_those_of_xlnet(batch, heads, q_len, k_len, head_dim):
    _, module = xlnet(heads, head_dim)
    q, k, r = tensors(
        (batch, heads, q_len, head_dim),
        (batch, heads, k_len, head_dim),
        (heads, q_len + k_len, head_dim),
    )
    keys, rows = k.permute(2, 0, 1, 3), r.permute(1, 0, 2)[:, None].expand(-1, batch, -1, -1)
    with torch.no_grad():
        _, theirs = module.rel_attn_core(
            q.permute(2, 0, 1, 3), keys, keys, rows, output_attentions=True
        )
        u, v = module.r_w_bias, module.r_r_bias
        ours = transformer_xl_scores(q, k, r, u, v, bidirectional=True)
    torch.testing.assert_close(softmax(ours * head_dim**-0.5), theirs.permute(2, 3, 0, 1))


@sizes
def test_the_encoding_is_xlnet_with_its_own_sinusoids(batch, heads, q_len, k_len, head_dim):
    """Its angles are in float32."""
    model, module = xlnet(heads, head_dim)
    q, k = tensors((batch, heads, q_len, head_dim), (batch, heads, k_len, head_dim))
    waves = model.relative_positional_encoding(q_len, k_len, bsz=batch).double()
    with torch.no_grad():
        _, theirs = module.rel_attn_core(
            q.permute(2, 0, 1, 3),
            k.permute(2, 0, 1, 3),
            k.permute(2, 0, 1, 3),
            torch.einsum("ibh,hnd->ibnd", waves, module.r),
            output_attentions=True,
        )
        encoding = TransformerXL(module.r.flatten(1), module.r_w_bias, module.r_r_bias)
        where = {"q_positions": range(k_len - q_len, k_len), "k_positions": range(k_len)}
        _, ours = attention(q, k, k, encoding=encoding, **where, return_weights=True)
    torch.testing.assert_close(ours, theirs.permute(2, 3, 0, 1), atol=2e-5, rtol=0)


@sizes
@pytest.mark.parametrize("convert", [np.asarray, torch.tensor])
def test_entry_by_entry_at_consecutive_positions(convert, batch, heads, q_len, k_len, head_dim):
    """The function, the encoding and a loop over the paper's terms, with memory."""
    q, k = random(batch, heads, q_len, head_dim), random(batch, heads, k_len, head_dim, seed=1)
    w_r, (u, v) = random(8, heads * head_dim, seed=2), random(2, heads, head_dim, seed=3)
    seen = np.tri(q_len, k_len, k_len - q_len, dtype=bool)
    expected = np.empty((batch, heads, q_len, k_len))
    for b, h, i, j in np.ndindex(expected.shape):
        w_h = w_r[:, h * head_dim : (h + 1) * head_dim]
        apart = i - j + k_len - q_len
        expected[b, h, i, j] = four_terms(q[b, h, i], k[b, h, j], w_h, u[h], v[h], apart)
    q, k, w_r, u, v = map(convert, (q, k, w_r, u, v))
    for bidirectional in (False, True):
        span = range(k_len, -q_len, -1) if bidirectional else range(k_len - 1, -1, -1)
        r = np.array([sinusoid(apart, 8) for apart in span]) @ np.asarray(w_r)
        r = convert(r.reshape(-1, heads, head_dim).transpose(1, 0, 2))
        found = transformer_xl_scores(q, k, r, u, v, bidirectional=bidirectional)
        reference = expected if bidirectional else np.where(seen, expected, -np.inf)
        np.testing.assert_allclose(found, reference, atol=1e-12)
    content = q @ np.swapaxes(k, -1, -2) * head_dim**-0.5
    where = (range(k_len - q_len, k_len), range(k_len))
    found = TransformerXL(w_r, u, v).at_scores(content, q, k, *where)
    np.testing.assert_allclose(found, expected * head_dim**-0.5, atol=1e-12)


@pytest.mark.parametrize("convert", [np.asarray, torch.tensor])
def test_any_positions(convert):
    """Gaps, keys ahead, positions of each sentence, far out, and between tokens."""
    q, k, scores = random(2, 3, 2, 4), random(2, 3, 5, 4, seed=1), random(2, 3, 2, 5, seed=2)
    w_r, (u, v) = random(6, 12, seed=3), random(2, 3, 4, seed=4)
    q_positions = np.array([[4, 10**6], [-3, 0.5]])
    k_positions = np.array([[0, 0, 1, 10**6 - 1, 5], [9, 8, 7, 0.25, 0]])
    encoding = TransformerXL(*map(convert, (w_r, u, v)), base=100)
    x = map(convert, (scores, q, k, q_positions, k_positions))
    found = encoding.at_scores(*x)
    for b, h, i, j in np.ndindex(2, 3, 2, 5):
        w_h, q_i, k_j = w_r[:, h * 4 : h * 4 + 4], q[b, h, i], k[b, h, j]
        apart = q_positions[b, i] - k_positions[b, j]
        added = four_terms(q_i, k_j, w_h, u[h], v[h], apart, 100) - q_i @ k_j
        assert found[b, h, i, j] == pytest.approx(scores[b, h, i, j] + added / 2, abs=1e-9)


@given(shift=st.integers(-(10**6), 10**6))
def test_only_offsets_count(shift):
    q, k = random(1, 2, 3, 4), random(1, 2, 5, 4, seed=1)
    encoding = TransformerXL(random(8, 8), *random(2, 2, 4))
    near = encoding.at_scores(np.zeros((1, 2, 3, 5)), q, k, np.arange(2, 5), np.arange(5))
    far = encoding.at_scores(
        np.zeros((1, 2, 3, 5)), q, k, np.arange(2, 5) + shift, np.arange(5) + shift
    )
    np.testing.assert_array_equal(far, near)


@given(seed=st.integers(0, 1000))
def test_a_term_of_the_query_alone_vanishes_and_those_of_u_and_v_do_not(seed):
    """A known slip writes U·x_i in the place of u·k_j: it is constant along a row."""
    q, k, r = (random(1, 2, 5, 4, seed=seed + i) for i in range(3))
    u, v, slip = random(3, 2, 4, seed=seed)
    nothing = np.zeros_like(u)
    plain = transformer_xl_scores(q, k, r[0], nothing, nothing)
    slipped = plain + (q * slip[:, None]).sum(-1, keepdims=True)
    np.testing.assert_allclose(softmax(slipped), softmax(plain), atol=1e-14)
    for term in ((u, nothing), (nothing, v)):
        weights = softmax(transformer_xl_scores(q, k, r[0], *term))
        assert np.abs(weights - softmax(plain)).max() > 1e-3


def test_a_cache_changes_nothing():
    x, w_q, w_k, w_v, w_r, uv = tensors((2, 6, 8), (8, 12), (8, 6), (8, 6), (8, 12), (2, 4, 3))
    settings = {"num_heads": 4, "encoding": TransformerXL(w_r, *uv)}
    positions = torch.tensor([[0, 1, 2, 3, 4, 5], [0, 0, 0, 1, 2, 3]])
    mask = causal_mask(torch.arange(6), torch.arange(6))
    whole = attend(x, w_q, w_k, w_v, positions=positions, mask=mask, **settings)
    cache = KeyValueCache()
    for at in range(6):
        place = slice(at, at + 1)
        token = {"positions": positions[:, place], "cache": cache, **settings}
        step = attend(x[:, place], w_q, w_k, w_v, **token)
        torch.testing.assert_close(step[:, 0], whole[:, at])


def test_gradients_flow_to_what_is_learned():
    q, k, r, u, v = (
        x.requires_grad_() for x in tensors((1, 2, 2, 2), (1, 2, 3, 2), (2, 3, 2), (2, 2), (2, 2))
    )
    assert torch.autograd.gradcheck(
        lambda *x: softmax(transformer_xl_scores(*x)), (q, k, r, u, v), atol=1e-6
    )
    w_r = tensors((4, 4))[0].requires_grad_()

    def scores(q, k, w_r, u, v):
        where = (torch.tensor([[7, 9]]), torch.tensor([[1, 2, 9]]))
        return TransformerXL(w_r, u, v).at_scores(q @ k.mT, q, k, *where)

    assert torch.autograd.gradcheck(scores, (q, k, w_r, u, v))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_every_precision_comes_back_as_it_came(dtype):
    arrays = tensors((1, 2, 3, 64), (1, 2, 5, 64), (2, 8, 64), (2, 64), (2, 64))
    arrays = [x.to(dtype) for x in arrays]
    found = transformer_xl_scores(*arrays, bidirectional=True)
    assert found.dtype == dtype
    expected = transformer_xl_scores(*(x.double() for x in arrays), bidirectional=True)
    eps = torch.finfo(dtype).eps
    torch.testing.assert_close(found.double(), expected, rtol=eps, atol=1e-4)
    w_r, (q, k, _, u, v) = tensors((8, 128))[0].to(dtype), arrays
    scores = torch.zeros(1, 2, 3, 5)  # attention keeps scores of halves in float32
    found = TransformerXL(w_r, u, v).at_scores(scores, q, k, range(2, 5), range(5))
    assert found.dtype == torch.float32
    q, k, w_r, u, v = (x.double() for x in (q, k, w_r, u, v))
    expected = TransformerXL(w_r, u, v).at_scores(scores.double(), q, k, range(2, 5), range(5))
    torch.testing.assert_close(found.double(), expected, atol=1e-4, rtol=0)


def test_the_encoding_acts_at_the_scores_and_has_the_sinusoids_of_the_course():
    assert doors(TransformerXL(np.ones((4, 2)), np.ones((1, 2)), np.ones((1, 2)))) == ("at_scores",)
    np.testing.assert_allclose(sinusoidal([7.0], 6, layout="concatenated")[0], sinusoid(7, 6))


X, R, U, W_R = np.ones((2, 3, 4, 6)), np.ones((3, 4, 6)), np.ones((3, 6)), np.ones((8, 18))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: rel_shift(np.ones(3)), ValueError, "scores must be .* as many columns"),
        (lambda: rel_shift(np.ones((3, 2))), ValueError, "scores must be"),
        (lambda: rel_shift(np.ones((2, 2), int)), TypeError, "scores must be floating"),
        (lambda: transformer_xl_scores(X[0], X, R, U, U), ValueError, "q and k must be"),
        (lambda: transformer_xl_scores(X, X[:1], R, U, U), ValueError, "k must be as q"),
        (lambda: transformer_xl_scores(X, X[:, :, :3], R, U, U), ValueError, "k must be as q"),
        (
            lambda: transformer_xl_scores(X, X, R, U, U, bidirectional=True),
            ValueError,
            r"r must be \[3, 8, 6\], a row per offset, got .* r \(3, 4, 6\)",
        ),
        (lambda: transformer_xl_scores(X, X, R[:, 1:], U, U), ValueError, "r must be"),
        (lambda: transformer_xl_scores(X, X, R, U[1:], U), ValueError, "u and v must be"),
        (lambda: transformer_xl_scores(X, X, R, U, U[:, 1:]), ValueError, "u and v must be"),
        (lambda: transformer_xl_scores(X, X, R, U, torch.ones(3, 6)), TypeError, "q, k, r, u, v"),
        (lambda: TransformerXL(W_R, U, U[1:]), ValueError, "w_r must be .* u and v"),
        (lambda: TransformerXL(W_R[:, 1:], U, U), ValueError, r"got \(8, 17\)"),
        (
            lambda: TransformerXL(W_R[1:], U, U),
            ValueError,
            "the number of rows of w_r must be even",
        ),
        (lambda: TransformerXL(W_R, U, U, base=1), ValueError, "base must be above 1"),
        (lambda: TransformerXL(W_R, U, U.astype("f")), TypeError, "w_r, u, v must share one dtype"),
        (
            lambda: TransformerXL(W_R, U, U).at_scores(X, X[:, :2], X, range(4), range(6)),
            ValueError,
            r"u and v must be \[2, 6\]",
        ),
        (
            lambda: TransformerXL(*map(torch.tensor, (W_R, U, U))).at_scores(
                X, X, X, range(4), range(6)
            ),
            TypeError,
            "u must be a NumPy array",
        ),
    ],
)
def test_bad_input_is_named(call, error, message):
    with pytest.raises(error, match=message):
        call()
