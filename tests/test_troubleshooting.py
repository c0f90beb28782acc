"""The numbers of docs/troubleshooting.md, computed anew."""

from pathlib import Path

import numpy as np
import pytest

from posviz import (
    T5,
    Alibi,
    KeyValueCache,
    Learned,
    Rotary,
    Sinusoidal,
    attend,
    dynamic_ntk,
    identify,
    longrope,
    raster,
    yarn,
)
from posviz.encodings.frequencies import rotary_angles, rotary_frequencies
from posviz.encodings.rotary import apply_rotary

PAGE = (Path(__file__).parent.parent / "docs" / "troubleshooting.md").read_text("utf-8")


def rotates(**options):
    """A program rotate(x, positions) with the 64 of 128 columns of the page."""
    rotary = Rotary(layout="half_split", **{"rotary_dim": 64, **options})
    return lambda x, positions: rotary.at_query(x[None, None], positions)[0, 0]


RIGHT = rotates()


def with_wrong_pairs(x, positions):
    order = np.r_[0:32, 64:96, 32:64, 96:128]
    out = np.empty_like(x)
    out[:, order] = RIGHT(x[:, order], positions)
    return out


def in_half_precision(x, positions):
    frequencies = rotary_frequencies(64).astype(np.float16)
    angles = np.multiply.outer(np.asarray(positions, np.float16), frequencies)
    return apply_rotary(x, angles.astype(float), layout="half_split")


def with_a_short_table(x, positions):
    return RIGHT(x, np.minimum(positions, 4095))


def with_frequencies_of_the_head(x, positions):
    angles = rotary_angles(positions, rotary_frequencies(128)[:32])
    return apply_rotary(x, angles, layout="half_split")


FAR = [  # program, what is right, what identify says, errors, whether score(p) is constant
    (with_frequencies_of_the_head, RIGHT, "The base is 100.", (0.10, 1.8, 0.10), True),
    (with_wrong_pairs, RIGHT, "in pairs (0, 64), (1, 65), …", (0.16, 0.76, 0.16), True),
    (RIGHT, rotates(base=500_000.0), "The base is 10,000.", (0.035, 0.96, 0.035), True),
    (in_half_precision, RIGHT, "The angles are rounded to float16", (0.0001, 0.004, 0.17), False),
    (with_a_short_table, RIGHT, "come out alike", (0, 0, 0.17), False),
]


@pytest.mark.parametrize(("program", "right", "said", "errors", "constant"), FAR)
def test_far_mistakes_have_the_errors_of_the_page(program, right, said, errors, constant):
    rng = np.random.default_rng(0)
    q = rng.normal(size=(4000, 128))
    k = q + rng.normal(size=q.shape)

    def score(rotate, i, j):
        return (rotate(q, np.full(len(q), i)) * rotate(k, np.full(len(q), j))).sum(-1)

    def error(i, j):
        meant = score(right, i, j)
        return np.sqrt(np.mean((score(program, i, j) - meant) ** 2)) / meant.std()

    found = [error(11, 10), error(74, 10), error(10_001, 10_000)]
    np.testing.assert_allclose(found, errors, rtol=0.06, atol=5e-5)
    same = np.allclose(score(program, 11, 10), score(program, 10_001, 10_000))
    assert same is constant
    assert said in str(identify(program, head_dim=128))
    row = " | ".join(f"{value:g}" for value in errors)
    assert f"| {row} |".replace("0.1 |", "0.10 |") in PAGE
    assert said in PAGE


CAUSAL = np.tril(np.ones((24, 24), bool))


@pytest.fixture(scope="module")
def attends():
    """attend on 24 tokens of width 64 in 4 heads; `tokens` chooses some of them."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(1, 24, 64))
    weights = [rng.normal(size=(64, 64)) / 8 for _ in range(3)]

    def run(encoding, positions, tokens=slice(None), **options):
        return attend(
            x[:, tokens], *weights, num_heads=4, encoding=encoding, positions=positions, **options
        )[0]

    return run


def test_the_attention_factor_is_hidden_at_position_0(attends):
    stretched = yarn(16, 4.0, original_max_seq_len=16)
    factors = [stretched, stretched._replace(attention_factor=1.0)]
    with_it, without = [
        attends(Rotary(frequencies=each), np.arange(24), mask=CAUSAL) for each in factors
    ]
    differences = abs(with_it - without).max(-1)
    assert differences[0] < 1e-15
    assert f"position 1 differed by {differences[1]:.2f}" in PAGE


def test_the_norms_show_the_attention_factor():
    before = np.random.default_rng(0).normal(size=(1, 1, 200, 64))

    def ratios(**options):
        after = Rotary(frequencies=yarn(64, 4.0, original_max_seq_len=4096, **options)).at_query(
            before, np.arange(200)
        )
        return np.linalg.norm(after, axis=-1) / np.linalg.norm(before, axis=-1)

    factor = ratios()[0, 0, 0]
    np.testing.assert_allclose(ratios(), factor)
    np.testing.assert_allclose(ratios(attention_factor=1.0), 1)
    for number in (factor, factor**2):
        assert f"{number:.4f}" in PAGE


def with_longrope(seq_len):
    lists = {"short_factors": np.ones(8), "long_factors": np.linspace(1, 8, 8)}
    frequencies = longrope(16, **lists, seq_len=seq_len, original_max_seq_len=16, max_seq_len=64)
    return Rotary(frequencies=frequencies)


def with_dynamic_ntk(seq_len):
    return Rotary(frequencies=dynamic_ntk(16, 4.0, seq_len=seq_len, original_max_seq_len=16))


@pytest.mark.parametrize(
    ("rotary", "named"), [(with_longrope, "LongRoPE, the list"), (with_dynamic_ntk, "Dynamic NTK")]
)
def test_a_cache_is_wrong_once_frequencies_change(attends, rotary, named):
    def last(length, chosen):
        cache = KeyValueCache()
        for token in range(length):
            row = attends(chosen(token), np.array([token]), [token], cache=cache)
        anew = attends(
            rotary(length),
            np.arange(length),
            slice(length),
            mask=CAUSAL[:length, :length],
        )
        return abs(row[0] - anew[-1]).max()

    differences = [last(n, lambda token: rotary(token + 1)) for n in (16, 17, 24)]
    (line,) = [line for line in PAGE.splitlines() if line.startswith(f"| {named}")]
    assert differences[0] < 2e-15
    assert line.endswith(" | {:.2g} | {:.2g} |".format(*differences[1:]))
    assert max(last(n, lambda token, n=n: rotary(n)) for n in (16, 17, 24)) < 3e-15


DOCUMENTS = np.repeat([0, 1, 2], 8)
RESTARTED = np.tile(np.arange(8), 3)
DOCUMENT_MASK = CAUSAL & (DOCUMENTS[:, None] == DOCUMENTS)


def restart_changes(attends, encoding, mask):
    """The largest difference of an output when positions restart in each document."""
    continued = attends(encoding, np.arange(24), mask=mask)
    return abs(continued - attends(encoding, RESTARTED, mask=mask)).max()


@pytest.mark.parametrize(
    "encoding", [Rotary(), Alibi(), T5(np.sin(np.arange(128.0)).reshape(32, 4))]
)
def test_packed_documents_need_no_restart_at_the_scores(attends, encoding):
    assert restart_changes(attends, encoding, DOCUMENT_MASK) < 1e-15


def test_packed_documents_need_a_restart_at_the_input(attends):
    table = np.random.default_rng(1).normal(size=(64, 64))
    for encoding, name in [(Sinusoidal(), "Sinusoids"), (Learned(table), "A learned table")]:
        difference = restart_changes(attends, encoding, DOCUMENT_MASK)
        assert f"| {name} at the input | {difference:.1f} | yes |" in PAGE


def test_without_a_document_mask_a_restart_changes_rope(attends):
    difference = restart_changes(attends, Rotary(), CAUSAL)
    assert f"document mask the difference was {difference:.1f}." in PAGE


def test_a_slot_is_no_position_once_keys_are_evicted(attends):
    kept = np.r_[0:4, 16:23]
    full = KeyValueCache()
    attends(Rotary(), np.arange(23), slice(23), cache=full)
    mask = np.eye(24, dtype=bool)
    mask[-1, kept] = True
    meant = attends(Rotary(), np.arange(24), mask=mask)[-1]

    def difference(position):
        cache = KeyValueCache(full.keys[:, :, kept], full.values[:, :, kept], kept)
        found = attends(Rotary(), np.array([position]), [23], cache=cache)
        return abs(found[0] - meant).max()

    assert difference(23) < 1e-15
    assert f"slot, 11, the output differed by {difference(11):.2f}." in PAGE


def test_rotation_before_the_transpose_takes_heads_for_positions():
    rows = np.random.default_rng(0).normal(size=(1, 200, 8, 64))
    rotated = Rotary(layout="half_split").at_query(rows, np.arange(8))
    np.testing.assert_array_equal(rotated[0, :, 0], rows[0, :, 0])
    said = "200 heads of 8 tokens"
    assert said in str(identify(before=rows[0], after=rotated[0]))
    assert said in PAGE


@pytest.mark.slow("it imports transformers")
def test_blocks_of_patches_have_the_order_of_transformers():
    import torch
    from transformers import vision_utils

    order = raster(4, 4).reshape(2, 2, 2, 2, 2).swapaxes(1, 2).reshape(-1, 2)
    theirs = vision_utils.get_vision_position_ids(torch.tensor([[1, 4, 4]]), 2)
    np.testing.assert_array_equal(order, theirs)
    assert (order != raster(4, 4)).any(1).sum() == 8


@pytest.mark.slow("it imports transformers")
def test_a_table_of_t5_is_shared_by_layers_but_not_of_umt5():
    import torch
    from transformers import T5Config, T5EncoderModel, UMT5Config, UMT5EncoderModel

    def tables(kind, config):
        with torch.device("meta"):
            model = kind(config(num_layers=4))
        return [name for name in model.state_dict() if "relative_attention_bias" in name]

    (shared,) = tables(T5EncoderModel, T5Config)
    assert "block.0." in shared
    assert len(tables(UMT5EncoderModel, UMT5Config)) == 4
