"""What a layer costs: bytes by arithmetic, times by their order alone."""

import itertools

import pytest
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

from posviz_course.choosing import costs
from posviz_course.choosing.columns import COLUMNS
from posviz_course.choosing.rows import ROWS

N = 128  # tokens
SCORES = 8 * N * N * 4  # bytes of one number for each head and pair


def test_bytes_are_counted_while_they_are_held():
    with costs.Held() as held:
        first = torch.ones(1000)
        second = first + 1
        del first
        second.mul_(2)
        third = second.view(10, 100) * 2
    assert held.most == second.nbytes + third.nbytes == 8000


@pytest.mark.parametrize(("row", "low"), [("CoPE", 8), ("Shaw", 2)])
def test_a_bias_of_pairs_is_held_whole(row, low):
    extra = costs.memory(row, N)
    assert extra.number * costs.MIB > low * SCORES
    assert not extra.can or extra.number < 1


@pytest.mark.parametrize("row", ["RoPE", "T5"])
def test_others_hold_less_than_a_number_for_each_pair(row):
    assert costs.memory(row, N).number * costs.MIB < SCORES


@pytest.mark.slow("every encoding in torch")
def test_every_row_passes_and_none_is_what_all_are_held_against():
    for row in ROWS:
        assert costs.pass_of(row, 16)().shape == (1, 16, 512)
    assert costs.memory("none (NoPE)", N).number == 0


@pytest.mark.parametrize(
    ("seconds", "said"), [([3], "× 3.0 (3.0 to 3.0)"), ([2, 4, 3], "× 3.0 (2"), ([0.9, 2], "≈ 1")]
)
def test_the_time_has_a_spread_and_is_about_one_within_it(seconds, said, monkeypatch):
    now, own = [0.0], itertools.cycle(seconds)

    def pass_of(row, length):
        def go():
            now[0] += 1 if row == costs.NONE else next(own)

        return go

    monkeypatch.setattr(costs, "process_time", lambda: now[0])
    monkeypatch.setattr(costs, "pass_of", pass_of)
    assert costs.time("RoPE", 1).said.startswith(said)


@pytest.mark.filterwarnings("ignore:.*lash attention:UserWarning")
@pytest.mark.parametrize("row", ["RoPE", "PoPE"])
def test_what_flash_is_given_is_what_torch_takes(row):
    """Torch's own kernel takes queries and keys as wide as values, and no others."""
    encoding, x = costs.in_torch(ROWS[row](64)), torch.randn(1, 8, 64, 64)
    q, k = encoding.at_query(x, range(64)), encoding.at_key(x, range(64))
    with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
        if COLUMNS["flash"](row).can:
            scaled_dot_product_attention(q, k, x, is_causal=True)
        else:
            with pytest.raises(RuntimeError, match="No available kernel"):
                scaled_dot_product_attention(q, k, x, is_causal=True)
