"""Arms: each is what it says, differs from all others, and begins with the same weights."""

import itertools

import numpy as np
import pytest
import torch

from posviz.encodings.doors import NoPosition
from posviz.encodings.rotary import Rotary
from posviz.encodings.stretching import ntk, yarn
from posviz_course.lab.arms import AT_TEST, at_test, longest, untrained
from posviz_course.lab.configs import ARMS, REMEDIES, Config
from posviz_course.lab.tasks import training_batch
from posviz_course.lab.train import trained

THIRD_LOSS = {  # after two steps; not from elsewhere: the lesson's results hold only with these
    "none": 4.45318,
    "sinusoidal": 4.73607,
    "learned": 4.36518,
    "T5": 4.45254,
    "ALiBi": 4.41343,
    "RoPE": 4.36798,
    "xPos": 4.27985,
    "RoPE, window": 4.21655,
    "hybrid": 4.23773,
    "FIRE": 4.43621,
    "Kerple": 4.39295,
    "FoX": 4.41336,
    "learned, randomised": 4.37990,
    "RoPE, randomised": 4.32610,
}
TOKENS = torch.tensor(training_batch("recall", 0, 0, 2, 48).tokens)


def read(model, tokens=TOKENS):
    with torch.inference_mode():
        return model(tokens)


def plain(model):
    """The parameters that every arm has."""
    state = {n: x for n, x in model.named_parameters() if "encoding" not in n and n != "embedding"}
    return torch.cat([x.flatten() for x in state.values()])


def seen_from(model, place):
    """Which places the logits at one place depend on."""
    x = torch.randn(1, 48, 16, generator=torch.Generator().manual_seed(0), requires_grad=True)
    embedded, model.embedding = model.embedding, torch.nn.Parameter(x[0])
    try:
        logits = model(torch.arange(48)[None])
        [slope] = torch.autograd.grad(logits[0, place].square().sum(), model.embedding)
    finally:
        model.embedding = embedded
    return set(torch.nonzero(slope.abs().sum(dim=1)).flatten().tolist())


def test_there_is_each_arm_and_each_starts_with_the_same_weights(tiny):
    models = [untrained(tiny(arm=arm)) for arm in ARMS + REMEDIES]
    for model in models:
        assert torch.equal(plain(model), plain(models[0]))
    assert not torch.equal(plain(untrained(tiny(seed=1))), plain(models[0]))


def test_each_arm_begins_and_learns_as_in_the_committed_results():
    """What changes these numbers on purpose is another laboratory: see `configs.RULES`."""
    sizes = {"steps": 3, "batch_size": 2, "d_model": 16, "num_heads": 2, "learning_rate": 0.5}
    losses = {arm: trained(Config("recall", arm, **sizes))[1].losses[2] for arm in ARMS + REMEDIES}
    assert losses == pytest.approx(THIRD_LOSS, abs=2e-5)
    assert min(np.diff(sorted(losses.values()))) > 5e-5  # no arm is another one


def test_windows_and_the_layer_without_position(tiny):
    assert seen_from(untrained(tiny(arm="RoPE")), 40) == set(range(41))
    assert seen_from(untrained(tiny(arm="RoPE, window")), 40) == set(range(40 - 2 * 7, 41))
    hybrid = untrained(tiny(arm="hybrid"))
    assert seen_from(hybrid, 40) == set(range(41))
    first, last = hybrid.plan
    assert "encoding" not in first
    assert isinstance(hybrid.encoding, Rotary)
    assert isinstance(last["encoding"], NoPosition)


def test_learned_rows_reach_the_longest_test(tiny):
    for arm, moved in (("learned", set(range(16))), ("learned, randomised", None)):
        config = tiny(arm=arm)
        before, after = untrained(config).encoding.table, trained(config)[0].encoding.table
        assert len(after) == longest(config) == 128
        rows = set(torch.nonzero((before != after).any(dim=1)).flatten().tolist())
        assert rows == moved if moved else max(rows) > 64


# ---------------------------------------------------------------- what is changed at test


@pytest.mark.parametrize("arm", AT_TEST)
def test_nothing_changes_within_the_trained_length(arm, tiny):
    model, short = untrained(tiny(arm=arm)), TOKENS[:, :16]
    changed = at_test(tiny(arm=arm), model, 16)
    assert set(changed) == set(AT_TEST[arm])
    for name, other in changed.items():
        torch.testing.assert_close(read(other, short), read(model, short), msg=name)


def test_beyond_it_all_differ_and_the_model_is_left_as_it_was(tiny):
    model = untrained(tiny())
    before = read(model)
    changed = {name: read(other) for name, other in at_test(tiny(), model, 48).items()}
    assert torch.equal(read(model), before)
    for one, other in itertools.combinations([before, *changed.values()], 2):
        assert not torch.allclose(one, other, atol=1e-5)


def test_stretching_by_what_the_length_asks_for(tiny):
    model = untrained(tiny())
    pi, by_hand = at_test(tiny(), model, 64), untrained(tiny())
    with torch.inference_mode():
        wanted = model(TOKENS, torch.arange(48) / 4)
    torch.testing.assert_close(read(pi["PI"]), wanted)
    by_hand.encoding = Rotary(frequencies=ntk(8, 4.0))
    torch.testing.assert_close(read(pi["NTK"]), read(by_hand))


def test_log_n_is_the_logarithm_of_keys_by_that_of_the_trained_length(tiny):
    model = at_test(tiny(), untrained(tiny()), 64)["RoPE, log-n at test"]
    divided = model.plan[0]["temperature"](torch.tensor([0, 15, 16, 63, 255]))
    wanted = [1, 1, np.log(17) / np.log(16), np.log(64) / np.log(16), 2]
    assert (1 / divided).tolist() == pytest.approx(wanted)


def test_sizes_are_in_proportion_to_the_trained_length(tiny):
    assert untrained(tiny(arm="xPos", seq_len=32)).encoding.scale_base == 16
    assert untrained(tiny(arm="FIRE", seq_len=32)).encoding.threshold.item() == 8
    config = tiny(seq_len=256, d_model=64)  # in smaller ones 4 turns and 32 are the same
    changed = at_test(config, untrained(config), 1024)
    own = changed["YaRN"].encoding.frequencies.inv_freq
    wanted = yarn(32, 4.0, original_max_seq_len=256, beta_fast=4.0).inv_freq
    np.testing.assert_allclose(own, wanted)
    assert [own["window"] for own in changed["RoPE, window at test"].plan] == [256, 256]
