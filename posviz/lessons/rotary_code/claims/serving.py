"""Claims about RoPE in code: pairs and their layouts, precision, the cache."""

import numpy as np

from posviz.attention import KeyValueCache, attend
from posviz.attention.masks import causal_mask
from posviz.encodings.frequencies import rotary_angles, rotary_frequencies
from posviz.encodings.rotary import (
    LAYOUTS,
    Rotary,
    apply_rotary,
    change_layout,
    change_projection_layout,
    rotation_matrix,
)
from posviz.teaching.ledger import Verdict, claim, judge, shown
from posviz.teaching.measures import SAME, largest

HEAD_DIM = 64


def _vectors(*shape: int) -> np.ndarray:
    """Queries and keys [2, …, head_dim]."""
    return np.random.default_rng(0).normal(size=(2, *shape))


def _turned(x: np.ndarray, position: int, layout: str = "interleaved") -> np.ndarray:
    """One vector [head_dim], turned as RoPE turns it at a position."""
    angles = rotary_angles([position], rotary_frequencies(len(x)))
    return apply_rotary(x[None], angles, layout=layout)[0]


@claim("pairs")
def any_pairing_will_do() -> Verdict:
    """Any fixed way of pairing the dimensions keeps the score relative."""
    q, k = _vectors(64)
    layouts = {
        "q and k are interleaved": ("interleaved", "interleaved"),
        "both are half_split": ("half_split", "half_split"),
        "q is interleaved and k half_split": LAYOUTS,
    }
    changes = {}
    for setting, (of_q, of_k) in layouts.items():
        scores = [_turned(q, m, of_q) @ _turned(k, n, of_k) for m, n in ((7, 3), (107, 103))]
        changes[setting] = abs(float(scores[1] - scores[0])) / 8
    text = (
        "Change of the scaled score from the positions (7, 3) to (107, 103), head_dim = 64; "
        "relative means below 1e-9."
    )
    return judge(changes, lambda change: change < SAME, text)


@claim("pairs", sources=("su2021roformer", "llamacode"), section="2 Two layouts")
def both_layouts_give_the_same_vectors() -> Verdict:
    """RoPE gives the same vectors in the interleaved and in the half_split layout."""
    x = _vectors(64)[0]
    reordered = change_layout(x, source="interleaved", target="half_split")
    back = change_layout(
        _turned(reordered, 7, "half_split"), source="half_split", target=LAYOUTS[0]
    )
    differences = {
        "the dimensions stay where they are": _turned(x, 7, "half_split"),
        "the dimensions are reordered before and back afterwards": back,
    }
    text = "Largest difference at position 7, head_dim = 64; the same means below 1e-9."
    return judge(
        {setting: largest(y - _turned(x, 7)) for setting, y in differences.items()},
        lambda difference: difference < SAME,
        text,
    )


@claim("pairs", sources=("su2021roformer",), section="Four implementations")
def three_forms_are_one_turn() -> Verdict:
    """The block matrix, its sparse form and complex numbers turn a vector in the same way."""
    x, angles = _vectors(64)[0], rotary_angles(7, rotary_frequencies(HEAD_DIM))
    partners = np.stack([-x[1::2], x[::2]], axis=-1).ravel()
    cos, sin = (np.repeat(wave(angles), 2) for wave in (np.cos, np.sin))
    right = rotation_matrix(angles) @ x
    differences = {
        "the form is sparse": largest(x * cos + partners * sin - right),
        "pairs are complex numbers": largest(_turned(x, 7) - right),
    }
    text = (
        "Largest difference from the matrix at position 7, head_dim = 64; the same is below 1e-9."
    )
    return judge(differences, lambda difference: difference < SAME, text)


@claim("pairs", section="2 Two layouts")
def all_three_projections_change_layout() -> Verdict:
    """To change the layout of trained weights, reorder the columns of W_Q, W_K and W_V."""
    x = np.random.default_rng(0).normal(size=(1, 16, HEAD_DIM))
    w = np.random.default_rng(1).normal(size=(3, HEAD_DIM, HEAD_DIM)) / np.sqrt(HEAD_DIM)
    q, k, v = (
        change_projection_layout(part, num_heads=1, source=LAYOUTS[0], target=LAYOUTS[1])
        for part in w
    )

    def outputs(projections: tuple[np.ndarray, ...], layout: str) -> np.ndarray:
        encoding = Rotary(layout=layout)
        return attend(x, *projections, num_heads=1, encoding=encoding, positions=np.arange(16))

    before = outputs(tuple(w), LAYOUTS[0])
    two = largest(outputs((q, k, w[2]), LAYOUTS[1]) - before)
    text = (
        "Largest change of an output, 16 tokens, head_dim = 64; it should stay within 1e-9. With "
        f"W_Q and W_K alone it is {shown(two)}: values are not turned, so W_V has no layout."
    )
    three = {"all three are reordered": largest(outputs((q, k, v), LAYOUTS[1]) - before)}
    return judge(three, lambda change: change < SAME, text)


@claim("precision", sources=("gptneox1003", "transformers29285"), section="4 Precision")
def the_precision_does_not_matter() -> Verdict:
    """Scores depend on the offset alone in any precision."""
    q, k = _vectors(1, HEAD_DIM)
    changes = {}
    for dtype in (np.float64, np.float32, np.float16):
        products = []
        for shift in (0, 60_000):
            exact = rotary_angles(np.arange(64) + shift, rotary_frequencies(HEAD_DIM))
            angles = exact.astype(dtype).astype(np.float64)
            keys = apply_rotary(np.broadcast_to(k, (64, HEAD_DIM)), angles)
            products.append(apply_rotary(q, angles[:1]) @ keys.T)
        changes[f"angles are kept in {np.dtype(dtype).name}"] = largest(products[1] - products[0])
    text = (
        "Largest change of 64 products q·k when query and keys move by 60 000 positions, "
        "head_dim = 64; the offset alone means below 1e-9."
    )
    return judge(changes, lambda change: change < SAME, text)


@claim("cache", sources=("mlxvlm1983",), section="3 The cache")
def a_cache_works_as_it_is() -> Verdict:
    """RoPE works with a key/value cache, token by token, without further care."""
    x = np.random.default_rng(0).normal(size=(1, 16, HEAD_DIM))
    w = np.random.default_rng(1).normal(size=(3, HEAD_DIM, HEAD_DIM)) / np.sqrt(HEAD_DIM)
    everything = np.arange(16)
    at_once = attend(
        x,
        *w,
        num_heads=1,
        encoding=Rotary(),
        positions=everything,
        mask=causal_mask(everything, everything),
    )
    errors = {}
    settings = {"each call is told the position": 1, "each call starts at position 0": 0}
    for setting, step in settings.items():
        cache = KeyValueCache()
        outputs = [
            attend(
                x[:, i : i + 1],
                *w,
                num_heads=1,
                encoding=Rotary(),
                positions=[step * i],
                cache=cache,
            )
            for i in everything
        ]
        errors[setting] = largest(np.concatenate(outputs, axis=1) - at_once)
    text = (
        "Largest difference of an output from that of all 16 tokens at once, under a causal mask, "
        "head_dim = 64; it works where this is below 1e-9."
    )
    return judge(errors, lambda error: error < SAME, text)
