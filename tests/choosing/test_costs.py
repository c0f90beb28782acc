"""What a layer costs: bytes by arithmetic, times by their order alone."""

import pytest
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

from posviz.choosing import costs
from posviz.choosing.columns import COLUMNS
from posviz.choosing.rows import ROWS

N = 128  # tokens
SCORES = 8 * N * N * 4  # bytes of one number for each head and pair


def test_bytes_are_counted_while_they_are_held():
    with costs.Held() as held:
        first = torch.ones(1000)
        second = first + 1
        del first
        second.mul_(2)
        third = second.view(10, 100) * 2
    assert held.most == 8000
    assert held.now == 8000
    del second, third
    assert held.now == 0


@pytest.mark.parametrize(("row", "low"), [("FoX", 1), ("Shaw", 2)])
def test_a_bias_of_pairs_is_held_whole(row, low):
    extra = costs.memory(row, N)
    assert extra.number * costs.MIB > low * SCORES
    assert not extra.can or extra.number < 1


@pytest.mark.parametrize("row", ["RoPE", "ALiBi"])
def test_others_hold_less_than_a_number_for_each_pair(row):
    assert costs.memory(row, N).number * costs.MIB < SCORES


@pytest.mark.slow("every encoding in torch")
def test_every_row_passes_and_none_is_what_all_are_held_against():
    for row in ROWS:
        assert costs.pass_of(row, 16)().shape == (1, 16, 512)
    assert costs.memory("none (NoPE)", N).number == 0


def test_the_time_is_that_of_the_fastest_pass(monkeypatch):
    ticks = iter([0, 9, 20, 23, 30, 34, 40, 44, 50, 57])  # 9 s, 3 s, 4 s, …
    monkeypatch.setattr(costs, "process_time", lambda: next(ticks) / 100)
    monkeypatch.setattr(costs, "pass_of", lambda row, length: lambda: None)
    assert costs._fastest.__wrapped__("RoPE", 1) == pytest.approx(0.03)


@pytest.mark.filterwarnings("ignore:.*lash attention:UserWarning")
@pytest.mark.parametrize("row", ["RoPE", "PoPE"])
def test_what_flash_is_given_is_what_torch_takes(row):
    """Torch's own kernel takes queries and keys as wide as values, and no others."""
    go = costs.pass_of(row, 64)
    with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
        if COLUMNS["flash"](row).can:
            go()
        else:
            with pytest.raises(RuntimeError, match="No available kernel"):
                go()
