"""Every encoding of posviz, with parameters drawn at random, is named and reproduced."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posviz import (
    AxialRotary,
    Frequencies,
    MixedRotary,
    MRotary,
    Rotary,
    XPos,
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

LAYOUTS = st.sampled_from(["interleaved", "half_split"])
BASES = st.one_of(
    st.sampled_from([1e4, 5e5, 1e6, 150_000.0]), st.integers(1_000, 2_000_000).map(float)
)
DIMS = st.sampled_from([16, 32, 64, 96, 128])
LENGTHS = st.sampled_from([2048, 4096, 8192, 32768])
FACTORS = st.one_of(st.sampled_from([2.0, 4.0, 8.0, 32.0]), st.floats(1.5, 40).map(lambda f: round(f, 3)))


def as_function(encoding):
    return lambda x, positions: encoding.at_query(x[None, None], positions)[0, 0]


@st.composite
def stretched(draw):
    """A method, and the frequencies that it makes."""
    dim, base, factor = draw(DIMS), draw(BASES), draw(FACTORS)
    original = draw(LENGTHS)
    method = draw(st.sampled_from(["plain", "linear", "ntk", "yarn", "llama3", "longrope", "proportional"]))
    if method == "plain":
        return method, dim, base, 1.0, Frequencies(rotary_frequencies(dim, base))
    if method == "linear":
        return method, dim, base, factor, position_interpolation(dim, factor, base=base)
    if method == "ntk":
        base = draw(st.sampled_from([1e4, 5e5]))
        return method, dim, base, factor, ntk(dim, factor, base=base)
    if method == "yarn":
        made = yarn(dim, factor, original_max_seq_len=original, base=base, ramp=draw(st.sampled_from(["code", "paper"])))
        return method, dim, base, factor, made
    if method == "llama3":
        return method, dim, base, factor, llama3(dim, factor, original_max_seq_len=original, base=base)
    if method == "proportional":
        pairs = draw(st.integers(2, dim // 2 - 1))
        made = proportional_frequencies(dim, 2 * pairs / dim, base)
        return method, dim, base, 1.0, Frequencies(made)
    factors = np.sort(np.random.default_rng(draw(st.integers(0, 99))).uniform(1, 9, dim // 2).round(2))
    made = longrope(dim, short_factors=factors, long_factors=factors, seq_len=9, original_max_seq_len=4096, max_seq_len=16384)
    return method, dim, 1e4, None, made


@settings(max_examples=300)
@given(stretched(), LAYOUTS, st.sampled_from([1, -1]), st.sampled_from([0, 1, 2, 17]))
def test_a_stretched_rotation_is_named_and_reproduced(made, layout, direction, start):
    method, dim, base, factor, frequencies = made
    encoding = Rotary(frequencies=frequencies, layout=layout)
    verdict = identify(
        lambda x, p: as_function(encoding)(x, direction * (p + start)), head_dim=dim
    )
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
    from posviz.blackbox.lines import compute

    r = verdict.picture
    inv_freq = r.rule.frequencies().inv_freq
    return np.append(inv_freq, np.zeros(dim // 2 - len(inv_freq)))


if __name__ == "__main__":
    pytest.main([__file__])
