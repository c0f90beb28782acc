"""Trained models that come with the package: kept whole, and as good as their cards say."""

import pytest
import torch

from posviz.lab import models
from posviz.lab.models import TASKS_TRAINED, TRAINED, card, keep_model, trained_model
from posviz.lab.tasks import held_out_batch
from posviz.lab.train import measure, tested, trained


def test_a_model_is_kept_in_half_the_bits(tiny, tmp_path, monkeypatch):
    monkeypatch.setattr(models, "DATA", tmp_path)
    model, run = trained(tiny(arm="learned"))
    result = tested(tiny(arm="learned"), model, run)
    path = keep_model(model, result)
    assert path.name == "recall_learned.safetensors"
    assert path.stat().st_size < 2.5 * sum(x.numel() for x in model.parameters())
    found, tokens = trained_model("learned", "recall"), torch.arange(16)[None]
    with torch.inference_mode():
        torch.testing.assert_close(found(tokens), model(tokens), atol=0.02, rtol=0.02)
    assert {x.dtype for x in found.parameters()} == {torch.float32}
    about = card("learned", "recall")
    assert (about["config"]["arm"], about["config"]["steps"]) == ("learned", 12)
    assert about["by_length"] == {str(n): value for n, value in result.by_length.items()}
    assert (about["loss"], about["about"]) == (result.losses[-1], result.about)


def test_what_is_not_there():
    with pytest.raises(ValueError, match=r"arm must be one of 'none', .* got 'FIRE'"):
        trained_model("FIRE")
    with pytest.raises(ValueError, match="task must be one of 'bytes', 'recall', got 'parity'"):
        card("RoPE", "parity")


@pytest.mark.slow("the text of the library")
@pytest.mark.parametrize("task", TASKS_TRAINED)
@pytest.mark.parametrize("arm", TRAINED)
def test_those_of_the_package_are_as_their_cards_say(arm, task):
    assert models._path(arm, task).stat().st_size < 1_000_000
    about, model = card(arm, task), trained_model(arm, task)
    length = about["config"]["seq_len"]
    value, _ = measure(task, model, held_out_batch(task, length, 100))
    assert value == pytest.approx(about["by_length"][str(length)], abs=0.15)
