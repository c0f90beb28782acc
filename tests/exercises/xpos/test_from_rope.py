"""The scores of xPos, and every listed mistake as a reader would write it."""

import cmath
import math

import numpy as np
import pytest
import torch

from posviz.encodings.xpos import apply_xpos, xpos_scale
from posviz.exercises.xpos.from_rope import check_xpos
from tests.exercises.every_mistake import mistake_tests


def turned(arrow, position, inv_freq):
    return arrow * cmath.exp(1j * position * inv_freq)


def forgets(zeta, position, scale_base):
    return zeta ** (position / scale_base)


def for_each(pair_score, *, hidden=lambda i, j: j > i, ahead=0.0):
    """Add up the pairs, cell by cell: pair_score(q, k, m, n, inv_freq, zeta, scale_base)."""

    def answer(q, k, positions, inv_freq, zeta, scale_base):
        def score(i, j):
            pairs = zip(q[i], k[j], inv_freq, zeta, strict=True)
            both = positions[i], positions[j]
            return sum(
                pair_score(a, b, *both, turn, decay, scale_base) for a, b, turn, decay in pairs
            )

        places = range(len(positions))
        return [[ahead if hidden(i, j) else score(i, j) for j in places] for i in places]

    return answer


def at_once(q, k, m, n, inv_freq, zeta, s):
    """From the offset alone."""
    return (turned(q * k.conjugate(), m - n, inv_freq) * forgets(zeta, m - n, s)).real


def with_scales(q_scale, k_scale, *, turn=turned):
    """The real part of the product: q_scale(ζ, position, scale_base) for q, k_scale for k."""

    def pair_score(q, k, m, n, inv_freq, zeta, s):
        q = turn(q, m, inv_freq) * q_scale(zeta, m, s)
        k = turn(k, n, inv_freq) * k_scale(zeta, n, s)
        return q.real * k.real + q.imag * k.imag

    return for_each(pair_score)


def grows(zeta, position, scale_base):
    return (1 / zeta) ** (position / scale_base)


def alone(zeta, position, scale_base):
    return 1


def by_product(zeta, position, scale_base):
    return zeta * position / scale_base


def in_the_angle(q, k, m, n, inv_freq, zeta, s):
    q, k = (
        turned(x, position * forgets(zeta, position, s), inv_freq)
        for x, position in ((q, m), (k, n))
    )
    return (q * k.conjugate()).real


def by_place(q, k, positions, *rest):
    return for_each(at_once)(q, k, range(len(positions)), *rest)


def decay_by_place(q, k, positions, inv_freq, zeta, s):
    places = np.arange(len(positions))[:, None]
    turns = np.exp(1j * np.outer(positions, inv_freq))
    q_side, k_side = q * turns * zeta ** (places / s), k * turns * zeta ** (-places / s)
    return np.tril(np.einsum("ip,jp->ij", q_side, k_side.conj()).real)


def of_the_sum(scores):
    """Scores from the complex sums over the pairs, 0 ahead."""

    def answer(q, k, positions, inv_freq, zeta, s):
        turns = np.exp(1j * np.outer(positions, inv_freq))
        scale = zeta ** (positions / s)[:, None]
        return scores((q * scale * turns) @ np.conj(k / scale * turns).T)

    return answer


def hidden_softmax(z):
    rows = np.exp(np.where(np.tri(len(z)) == 1, z.real, -np.inf))
    return rows / rows.sum(axis=1, keepdims=True)


def unconjugated(q, k, m, n, inv_freq, zeta, s):
    return (turned(q, m, inv_freq) * turned(k, n, inv_freq) * forgets(zeta, m - n, s)).real


def turned_back(q, k, m, n, inv_freq, zeta, s):
    return (turned(q, m, inv_freq) * turned(k, -n, inv_freq) * forgets(zeta, m - n, s)).real


def half_as_far(q, k, m, n, inv_freq, zeta, s):
    return at_once(q, k, m, n, inv_freq, zeta, s) / math.sqrt(2)


MISTAKES = {
    "same sign on q and k": with_scales(forgets, forgets),
    "q and k divided": with_scales(grows, grows),
    "ζ inverted": with_scales(grows, forgets),
    "scale_base missing": with_scales(
        lambda zeta, m, s: zeta ** int(m), lambda zeta, n, s: zeta ** -int(n)
    ),
    "multiplied by scale_base": with_scales(
        lambda zeta, m, s: zeta ** int(m * s), lambda zeta, n, s: zeta ** -int(n * s)
    ),
    "// instead of /": with_scales(
        lambda zeta, m, s: zeta ** int(m // s), lambda zeta, n, s: zeta ** -int(n // s)
    ),
    "// with a minus on the key": with_scales(
        lambda zeta, m, s: zeta ** float(m // s), lambda zeta, n, s: zeta ** float(-n // s)
    ),
    "power before division": with_scales(
        lambda zeta, m, s: zeta**m / s, lambda zeta, n, s: zeta ** (-n * 1.0) / s
    ),
    "only q scaled": with_scales(forgets, alone),
    "only k scaled": with_scales(alone, grows),
    "RoPE": with_scales(alone, alone),
    "not turned": with_scales(forgets, grows, turn=lambda arrow, position, inv_freq: arrow),
    "key not conjugated": for_each(unconjugated),
    "key turned back, not conjugated": for_each(turned_back),
    "decay in the angle": for_each(in_the_angle),
    "one decay for all pairs": with_scales(
        lambda zeta, m, s: math.exp(-m / s), lambda zeta, n, s: math.exp(n / s)
    ),
    "first ζ for all pairs": lambda q, k, positions, inv_freq, zeta, s: for_each(at_once)(
        q, k, positions, inv_freq, [zeta[0]] * len(zeta), s
    ),
    "512 for scale_base": with_scales(
        lambda zeta, m, s: zeta ** (m / 512), lambda zeta, n, s: zeta ** (-n / 512)
    ),
    "product instead of power": with_scales(by_product, lambda *given: 1 / by_product(*given)),
    "products instead of powers": with_scales(by_product, lambda *given: -by_product(*given)),
    "products instead of powers, undivided": with_scales(
        lambda zeta, m, s: zeta * m, lambda zeta, n, s: zeta * -n
    ),
    "positions ignored": by_place,
    "positions ignored in the decay": decay_by_place,
    "imaginary part": of_the_sum(lambda z: np.tril(z.imag)),
    "absolute value": of_the_sum(lambda z: np.tril(np.abs(z))),
    "rows are keys": of_the_sum(lambda z: np.tril(z.T.real)),
    "keys ahead scored": for_each(at_once, hidden=lambda i, j: False),
    "keys behind hidden": for_each(at_once, hidden=lambda i, j: j < i),
    "−∞ ahead": for_each(at_once, ahead=-math.inf),
    "a large negative number ahead": for_each(at_once, ahead=-1e9),
    "scaled": lambda q, *rest: np.array(for_each(at_once)(q, *rest)) / math.sqrt(2 * len(q[0])),
    "weights returned": of_the_sum(hidden_softmax),
}

test_each_mistake_is_named, test_no_listed_mistake_is_left_untried = mistake_tests(
    [(check_xpos, MISTAKES)]
)


def three_lines(q, k, positions, inv_freq, zeta, scale_base):
    turn = np.exp(1j * positions[:, None] * inv_freq)
    scale = zeta ** (positions[:, None] / scale_base)
    return np.tril(((q * turn * scale) @ (k * turn / scale).conj().T).real)


def reciprocal(q, k, positions, inv_freq, zeta, scale_base):
    """The form with ζ above 1, and the signs of the exponents exchanged."""
    above = 1 / zeta
    turn = np.exp(1j * positions[:, None] * inv_freq)
    scale = above ** (positions[:, None] / scale_base)
    return np.tril(((q * turn / scale) @ (k * turn * scale).conj().T).real)


def query_conjugated(q, k, positions, inv_freq, zeta, scale_base):
    turn = np.exp(1j * np.outer(positions, inv_freq))
    scale = zeta ** (positions[:, None] / scale_base)
    return np.tril(((q * turn * scale).conj() @ (k * turn / scale).T).real)


def in_torch(q, k, positions, inv_freq, zeta, scale_base):
    q, k, positions, inv_freq, zeta = map(torch.tensor, (q, k, positions, inv_freq, zeta))
    steps = positions[:, None] * (1j * inv_freq + zeta.log() / scale_base)
    back = positions[:, None] * (1j * inv_freq - zeta.log() / scale_base)
    return ((q * steps.exp()) @ (k * back.exp()).mH).real.tril()


def pairs_side_by_side(x):
    return np.stack([x.real, x.imag], axis=-1).reshape(len(x), -1)


def by_posviz(q, k, positions, inv_freq, zeta, scale_base):
    """apply_xpos, at the base and γ of the inputs."""
    q, k = apply_xpos(
        *map(pairs_side_by_side, (q, k)), positions, positions, base=50.0, scale_base=scale_base
    )
    return np.tril(q @ k.T)


@pytest.mark.parametrize(
    "answer",
    [
        for_each(at_once),
        with_scales(forgets, grows),
        three_lines,
        reciprocal,
        query_conjugated,
        in_torch,
        by_posviz,
    ],
)
def test_the_scores_may_be_written_in_many_ways(answer):
    assert check_xpos(answer).status == "correct"


def by_default(q, k, positions, inv_freq, zeta, scale_base):
    """xpos_scale with the defaults of the lesson."""
    turn = np.exp(1j * np.outer(positions, inv_freq))
    scale = xpos_scale(positions, 2 * len(zeta))
    return np.tril(((q * turn * scale) @ (k * turn / scale).conj().T).real)


def test_the_default_of_xpos_scale_is_told_to_be_512():
    assert check_xpos(by_default).mistake == "512 for scale_base"


def test_a_scale_base_that_cancels_is_told_to_be_missing():
    cancels = with_scales(
        lambda zeta, m, s: zeta ** int(m) / s, lambda zeta, n, s: 1 / (zeta ** int(n) / s)
    )
    feedback = check_xpos(cancels)
    assert feedback.mistake == "scale_base missing"
    assert "it cancels" in feedback.message


def test_a_complex_score_is_told_to_be_made_real():
    feedback = check_xpos(of_the_sum(np.tril))
    assert (feedback.status, feedback.mistake) == ("wrong", None)
    assert "z.real" in feedback.message


def test_what_is_wrong_in_no_known_way_is_told_with_its_input():
    feedback = check_xpos(for_each(half_as_far))
    assert (feedback.status, feedback.mistake) == ("wrong", None)
    assert "scale_base = " in feedback.evidence
    assert check_xpos(lambda *given: ...).status == "not attempted"


def test_positions_rise_with_gaps_and_pairs_forget_at_different_paces():
    cases = check_xpos.cases()
    steps = [np.diff(positions) for _, _, positions, *_ in cases]
    assert all(np.min(step) >= 1 for step in steps)
    assert any(np.max(step) > 1 for step in steps)
    assert all(zeta.min() > 0 and zeta.max() < 1 for *_, zeta, _ in cases)
    assert any(len(set(zeta)) > 1 for *_, zeta, _ in cases)
