"""Dynamic NTK with a cache, and every listed mistake as a reader would write it."""

import cmath

import numpy as np
import pytest
import torch

from posviz.encodings.stretching import dynamic_ntk
from posviz.exercises.stretching.cache import check_cached
from tests.exercises.every_mistake import mistake_tests


def alpha(n, length):
    return max(1, n / length)


def theta(i, pairs, n, length, base, alpha=alpha, power=lambda p: p / (p - 1)):
    return (base * alpha(n, length) ** power(pairs)) ** (-i / pairs)


def scored(
    *, q_n=lambda now, at: now, k_n=lambda now, at: now, q_at=-1, first=0, take=lambda z: z.real,
    speed=theta, conjugated=True, turns=1, divide=lambda pairs: 1
):  # fmt: skip
    """Score key after key and pair after pair; q_n and k_n: the tokens whose frequencies turn."""

    def answer(q, k, length, base):
        now, pairs = len(k), len(q)

        def part(at, i):
            q_speed = speed(i, pairs, q_n(now, at), length, base)
            k_speed = speed(i, pairs, k_n(now, at), length, base)
            key = k[at][i] * cmath.exp(1j * (at + first) * k_speed)
            key = key.conjugate() if conjugated else key
            return q[i] * cmath.exp(1j * (now + q_at) * q_speed) * key

        sums = [sum(part(at, i) for i in range(pairs)) for at in range(now)]
        return [take(z) / divide(pairs) for z in sums]

    return answer


def own_time(now, at):
    return at + 1


def trained(now, at):
    return 1


def twice(q, k, length, base):
    pairs = len(q)
    turned = [
        [
            k[at][i] * cmath.exp(1j * at * theta(i, pairs, at + 1, length, base))
            for i in range(pairs)
        ]
        for at in range(len(k))
    ]
    return scored()(q, turned, length, base)


def below_1(i, pairs, n, length, base):
    return theta(i, pairs, n, length, base, alpha=lambda n, length: n / length)


def without_power(i, pairs, n, length, base):
    return theta(i, pairs, n, length, base, power=lambda p: 1)


def interpolated(i, pairs, n, length, base):
    return base ** (-i / pairs) / alpha(n, length)


def before(now, at):
    return max(now - 1, 1)


MISTAKES = {
    "keys of their own time": scored(k_n=own_time),
    "turned twice": twice,
    "keys by the trained base": scored(k_n=trained),
    "query by the trained base": scored(q_n=trained),
    "not stretched": scored(q_n=trained, k_n=trained),
    "a token behind": scored(q_n=before, k_n=before),
    "stretched from the start": scored(speed=below_1),
    "position interpolation": scored(speed=interpolated),
    "exponent missing": scored(speed=without_power),
    "query one token late": scored(q_at=0),
    "keys from 1": scored(first=1),
    "key not conjugated": scored(conjugated=False),
    "imaginary part": scored(take=lambda z: z.imag),
    "not turned": lambda q, k, *_: (q * np.conj(k)).real.sum(axis=-1),
    "scaled": scored(divide=lambda pairs: (2 * pairs) ** 0.5),
}

test_each_mistake_is_named, test_no_listed_mistake_is_left_untried = mistake_tests(
    [(check_cached, MISTAKES)]
)


def frequencies(k, length, base):
    lengths = {"seq_len": len(k), "original_max_seq_len": length}
    return dynamic_ntk(2 * k.shape[1], 1.0, base=base, **lengths).inv_freq


def from_offsets(q, k, length, base):
    back = np.arange(len(k))[::-1, None]
    return (q * k.conj() * np.exp(1j * back * frequencies(k, length, base))).sum(axis=1).real


def key_after_key(q, k, length, base):
    """A cache of keys that are not turned, as a reader may keep it."""
    cache, scores = [], []
    for key in k:
        cache.append(key)
        inv_freq = frequencies(np.array(cache), length, base)
        turns = np.exp(1j * np.outer(np.arange(len(cache)), inv_freq))
        scores = ((q * turns[-1]) @ (np.array(cache) * turns).conj().T).real
    return scores


def in_complex64(q, k, length, base):
    turns = torch.polar(
        torch.ones(k.shape, dtype=torch.float32),
        torch.tensor(
            np.outer(np.arange(len(k)), frequencies(k, length, base)), dtype=torch.float32
        ),
    )
    q, k = (torch.tensor(x, dtype=torch.complex64) for x in (q, k))
    return ((k * turns).conj() @ (q * turns[-1])).real


@pytest.mark.parametrize("answer", [scored(), from_offsets, key_after_key, in_complex64])
def test_the_scores_may_be_found_in_many_ways(answer):
    assert check_cached(answer).status == "correct"


def test_two_mistakes_at_once_are_named():
    answer = scored(q_n=trained, k_n=trained, divide=lambda pairs: (2 * pairs) ** 0.5)
    assert check_cached(answer).mistake == "scaled, and not stretched"


@pytest.mark.parametrize("junk", [lambda q, k, *_: k, lambda q, k, *_: q.real, lambda *given: 7])
def test_junk_is_refused(junk):
    feedback = check_cached(junk)
    assert (feedback.status, feedback.mistake) == ("wrong", None)


def test_texts_are_shorter_than_the_training_and_longer():
    lengths = {(len(k) > length) - (len(k) < length) for _, k, length, _ in check_cached.cases()}
    assert lengths == {-1, 0, 1}
