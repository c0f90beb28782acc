"""Maps of positions as drawn, beside loops over all pairs."""

import numpy as np
import pytest

from posviz.lessons.stretching.position_maps import PositionMaps


def looks(name, query, key, length, trained, window, group):
    """How far apart two tokens look, or None for one that is forgotten."""
    apart = query - key
    if name == "interpolated":
        return apart * min(trained / length, 1)
    if name == "ReRoPE":
        return min(apart, window)
    if name == "Leaky ReRoPE":
        return apart if apart < window else window + (apart - window) / group
    if name == "Self-Extend" and apart >= window:
        return query // group - key // group + window - window // group
    if name == "dual chunk":
        chunks = query // window - key // window
        place = [query % window, min(query % window + window, trained - 1), trained - 1]
        return place[min(chunks, 2)] - key % window
    if name == "sinks":
        if key < 4:
            return min(query, 4 + window - 1) - key
        return apart if apart < window else None
    return apart


NAMES = PositionMaps.knobs()["positions"].options
SETTINGS = [(100, 64, 32, 4), (50, 20, 7, 3), (9, 64, 5, 16), (40, 8, 7, 1), (33, 16, 1, 2)]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("length", "trained", "window", "group"), SETTINGS)
def test_each_pair_looks_as_far_apart_as_a_loop_says(name, length, trained, window, group):
    setting = {"length": length, "trained": trained, "window": window, "group": group}
    arrays = PositionMaps(positions=name, **setting).compute()
    shown, found = arrays.shares, []
    for query, key in np.ndindex(length, length):
        if key > query:
            assert np.isnan(shown[query, key])
            continue
        far = looks(name, query, key, **setting)
        found.append(far)
        if far is None:
            assert shown[query, key] < 0
        elif far >= trained:
            assert shown[query, key] > 1
        else:
            assert shown[query, key] == pytest.approx(far / trained)
    kept = [far for far in found if far is not None]
    assert np.isnan(shown[length:]).all()
    assert np.isnan(shown[:, length:]).all()
    assert arrays.largest == pytest.approx(max(kept))
    assert arrays.beyond_training == sum(far >= trained for far in kept)
    assert (arrays.pairs, arrays.forgotten) == (len(found), len(found) - len(kept))
    row = [looks(name, length - 1, length - 1 - apart, **setting) for apart in range(length)]
    np.testing.assert_allclose(arrays.row, np.array(row, float))


def test_self_extend_reads_as_far_as_its_formula_says():
    """(L − W) · G + W tokens: one more is too many."""
    window, group, trained = 32, 4, 64
    reach = (trained - window) * group + window
    for length, count in ((reach, 0), (reach + group, 1)):
        picture = PositionMaps(positions="Self-Extend", length=length, window=window, group=group)
        assert (picture.compute().beyond_training > 0) == bool(count)
