"""Every encoding of posviz, with parameters drawn at random, is named and reproduced."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posviz import (
    Frequencies,
    Rotary,
    XPos,
    alibi_bias,
    alibi_slopes,
    apply_rotary,
    axial_angles,
    dynamic_ntk,
    identify,
    kerple_log_bias,
    kerple_power_bias,
    llama3,
    longrope,
    mixed_angles,
    mrope_angles,
    ntk,
    offsets,
    position_interpolation,
    proportional_frequencies,
    rotary_frequencies,
    sinusoidal,
    t5_bias,
    t5_bucket,
    yarn,
)
from posviz_course.blackbox.rule import digits

LAYOUTS = st.sampled_from(["interleaved", "half_split"])
BASES = st.one_of(
    st.sampled_from([1e4, 5e5, 1e6, 150_000.0]), st.integers(1_000, 2_000_000).map(float)
)
DIMS = st.sampled_from([16, 32, 64, 96, 128])
LENGTHS = st.sampled_from([2048, 4096, 8192, 32768])
FACTORS = st.one_of(
    st.sampled_from([2.0, 4.0, 8.0, 32.0]), st.floats(1.5, 40).map(lambda f: round(f, 3))
)


def as_function(encoding):
    return lambda x, positions: encoding.at_query(x[None, None], positions)[0, 0]


@st.composite
def stretched(draw):
    """A method, and the frequencies that it makes."""
    dim, base, factor = draw(DIMS), draw(BASES), draw(FACTORS)
    original = draw(LENGTHS)
    method = draw(
        st.sampled_from(["plain", "linear", "ntk", "yarn", "llama3", "longrope", "proportional"])
    )
    if method == "plain":
        return method, dim, base, 1.0, Frequencies(rotary_frequencies(dim, base))
    if method == "linear":
        return method, dim, base, factor, position_interpolation(dim, factor, base=base)
    if method == "ntk":
        base = draw(st.sampled_from([1e4, 5e5]))
        return method, dim, base, factor, ntk(dim, factor, base=base)
    if method == "yarn":
        made = yarn(
            dim,
            factor,
            original_max_seq_len=original,
            base=base,
            ramp=draw(st.sampled_from(["code", "paper"])),
        )
        return method, dim, base, factor, made
    if method == "llama3":
        return (
            method,
            dim,
            base,
            factor,
            llama3(dim, factor, original_max_seq_len=original, base=base),
        )
    if method == "proportional":
        pairs = draw(st.integers(2, dim // 2 - 1))
        made = proportional_frequencies(dim, 2 * pairs / dim, base)
        return method, dim, base, 1.0, Frequencies(made)
    factors = np.sort(
        np.random.default_rng(draw(st.integers(0, 99))).uniform(1, 9, dim // 2).round(2)
    )
    made = longrope(
        dim,
        short_factors=factors,
        long_factors=factors,
        seq_len=9,
        original_max_seq_len=4096,
        max_seq_len=16384,
    )
    return method, dim, 1e4, None, made


@settings(max_examples=300)
@given(stretched(), LAYOUTS, st.sampled_from([1, -1]), st.sampled_from([0, 1, 2, 17]))
def test_a_stretched_rotation_is_named_and_reproduced(made, layout, direction, start):
    method, dim, base, factor, frequencies = made
    encoding = Rotary(frequencies=frequencies, layout=layout)
    verdict = identify(lambda x, p: as_function(encoding)(x, direction * (p + start)), head_dim=dim)
    assert verdict.explained, str(verdict)
    assert (verdict.layout, verdict.direction, verdict.first_position) == (layout, direction, start)
    np.testing.assert_allclose(verdict.attention_factor, frequencies.attention_factor, rtol=1e-4)
    ours = np.abs(frequencies.inv_freq - plain_or_slower(verdict, dim)).max()
    assert ours < 1e-6, str(verdict)
    changed = not np.allclose(frequencies.inv_freq, rotary_frequencies(dim, base), rtol=1e-6)
    if method != "plain" and changed:
        assert verdict.method == method, str(verdict)
        if factor:
            np.testing.assert_allclose(verdict.factor, factor, rtol=1e-3)


def plain_or_slower(verdict, dim):
    """The frequencies of the rule that was found, with 0 for the pairs that it leaves at rest."""
    inv_freq = verdict.picture.rule.frequencies().inv_freq
    return np.append(inv_freq, np.zeros(dim // 2 - len(inv_freq)))


@settings(max_examples=50)
@given(DIMS, BASES, st.integers(5, 200), st.integers(64, 2048), LAYOUTS, st.booleans())
def test_xpos_is_named_at_queries_and_keys(dim, base, gamma, scale_base, layout, is_key):
    xpos = XPos(base, gamma / 100, float(scale_base), layout)
    door = xpos.at_key if is_key else xpos.at_query
    verdict = identify(lambda x, p: door(x[None, None], p)[0, 0], head_dim=dim)
    assert verdict.explained, str(verdict)
    assert (verdict.layout, verdict.base) == (layout, base)
    found = verdict.parameters
    assert found["sign"] == (-1 if is_key else 1)
    np.testing.assert_allclose(
        [found["gamma"], found["scale_base"]], [gamma / 100, scale_base], rtol=1e-3
    )


@settings(max_examples=50)
@given(
    st.sampled_from([16, 32, 64]),
    BASES,
    LAYOUTS,
    st.sampled_from(["axial", "mixed", "mrope"]),
    st.data(),
)
def test_positions_with_columns_are_reproduced(dim, base, layout, kind, data):
    if kind == "axial":
        first = data.draw(st.sampled_from(["row", "column"]))
        angles, axes = lambda p: axial_angles(p[:, 0], p[:, 1], dim, base=base, first=first), 2
    elif kind == "mixed":
        speeds = np.random.default_rng(data.draw(st.integers(0, 99))).uniform(-1, 1, (2, dim // 2))
        angles, axes = lambda p: mixed_angles(p[:, 0], p[:, 1], speeds), 2
    else:
        third = dim // 8
        sections = (dim // 2 - 2 * third, third, third)
        inv_freq, axes = rotary_frequencies(dim, base), 3
        interleaved = data.draw(st.booleans())
        angles = lambda p: mrope_angles(p.T, inv_freq, sections, interleaved=interleaved)  # noqa: E731
    verdict = identify(
        lambda x, p: apply_rotary(x, angles(p), layout=layout), head_dim=dim, axes=axes
    )
    assert verdict.explained, str(verdict)
    assert verdict.layout == layout
    if kind != "mixed":
        assert verdict.base == base
        assert f"{kind}_angles" in verdict.code


@settings(max_examples=60)
@given(
    st.sampled_from([8, 32, 64, 128]), BASES, st.sampled_from(["interleaved", "concatenated"]),
    st.sampled_from(["paper", "tensor2tensor"]), st.integers(0, 3), st.integers(20, 300),
    st.sampled_from([np.float64, np.float32]),
)  # fmt: skip
def test_a_sinusoidal_table_is_named_and_reproduced(width, base, layout, kind, start, rows, dtype):
    table = sinusoidal(np.arange(rows) + start, width, base=base, layout=layout, frequencies=kind)
    verdict = identify(table=table.astype(dtype))
    assert verdict.explained, str(verdict)
    assert (verdict.kind, verdict.order, verdict.first_position) == ("table", layout, start)
    if width > 8:
        wanted = {"paper": "2k/d", "tensor2tensor": "k/(d/2-1)"}[kind]
        if digits(base) < 5:  # else 10 000^(31/32), say, is as likely
            assert (verdict.exponent, verdict.base) == (wanted, base)


@settings(max_examples=40)
@given(
    st.sampled_from(["alibi", "log", "power", "t5"]),
    st.integers(1, 16),
    st.booleans(),
    st.integers(0, 99),
)
def test_a_bias_is_named_and_reproduced(kind, heads, causal, seed):
    rng = np.random.default_rng(seed)
    apart = offsets(range(70), range(70))
    r1, r2 = rng.uniform(0.1, 2, size=(2, heads)).round(4)
    bias = {
        "alibi": lambda: alibi_bias(alibi_slopes(heads), apart),
        "log": lambda: kerple_log_bias(r1, r2, apart),
        "power": lambda: kerple_power_bias(r1, r2, apart),
        "t5": lambda: t5_bias(
            rng.normal(size=(32, heads)), t5_bucket(apart, bidirectional=not causal)
        ),
    }[kind]()
    verdict = identify(bias=np.where(apart < 0, -np.inf, bias) if causal else bias)
    assert verdict.explained, str(verdict)
    assert verdict.kind == "bias"
    if kind == "alibi":
        np.testing.assert_allclose(verdict.slopes, alibi_slopes(heads))
    if kind in ("log", "power"):
        assert verdict.method == f"kerple_{kind}"
        np.testing.assert_allclose(verdict.parameters["r2"], r2, rtol=1e-3)


@pytest.mark.parametrize("longest", [512, 2048])
def test_dynamic_ntk_is_found_by_longer_calls(longest):
    def rotate(x, positions):
        more = {"seq_len": int(positions.max()) + 1, "original_max_seq_len": longest}
        return as_function(Rotary(frequencies=dynamic_ntk(32, 3.0, **more)))(x, positions)

    verdict = identify(rotate, head_dim=32)
    assert verdict.explained, str(verdict)
    assert (verdict.method, verdict.factor) == ("ntk", 3.0)
    assert verdict.parameters["original_max_seq_len"] == longest


def test_longrope_with_two_lists_is_found_by_longer_calls():
    short, long = np.linspace(1, 2, 16).round(2), np.linspace(1, 40, 16).round(2)
    more = {"original_max_seq_len": 4096, "max_seq_len": 131_072}

    def rotate(x, positions):
        made = longrope(
            32, short_factors=short, long_factors=long, seq_len=int(positions.max()) + 1, **more
        )
        return as_function(Rotary(frequencies=made))(x, positions)

    verdict = identify(rotate, head_dim=32)
    assert verdict.explained, str(verdict)
    assert verdict.method == "longrope"
    assert verdict.parameters["original_max_seq_len"] == 4096
