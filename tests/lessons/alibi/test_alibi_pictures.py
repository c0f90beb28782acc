"""The numbers in lesson 08's pictures of what ALiBi adds: how far each head looks."""

import math

import pytest

from posviz.encodings.alibi import alibi_slopes
from posviz.lessons.alibi.weight_by_distance import WeightByDistance


def weights_of(slope, count):
    """What the softmax makes of equal scores and a long row, one token at a time."""
    powers = [math.exp(-slope * distance) for distance in range(count)]
    total = math.fsum(powers)
    return [power / total for power in powers]


def crossing(values, threshold):
    """The distance at which a row falls under a threshold, between tokens in its logarithm."""
    after = next(i for i, value in enumerate(values) if value < threshold)
    if after == 0:
        return 0
    high, low = (math.log(values[i]) for i in (after - 1, after))
    return after - 1 + (high - math.log(threshold)) / (high - low)


def test_the_audited_windows_of_eight_heads():
    factor, weight = WeightByDistance().compute().windows
    assert (factor[0], factor[-1]) == pytest.approx((13.8, 1768.4), abs=0.05)
    assert (weight[0], weight[-1]) == pytest.approx((11.95, 348.3), abs=0.05)


@pytest.mark.parametrize("num_heads", [1, 12])
@pytest.mark.parametrize("one_in", [10, 1000])
def test_windows_end_where_rows_of_weights_do(num_heads, one_in):
    windows = WeightByDistance(num_heads=num_heads, one_in=one_in).compute().windows
    for head, slope in enumerate(alibi_slopes(num_heads)):
        weights = weights_of(slope, 10_000)
        factors = [weight / weights[0] for weight in weights]
        expected = [crossing(row, 1 / one_in) for row in (factors, weights)]
        assert windows[:, head] == pytest.approx(expected, rel=1e-9)
