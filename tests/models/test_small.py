"""The small models in NumPy: what torch computes, and what was stored of each."""

import numpy as np
import pytest
import torch

from posviz.arrays import to_numpy
from posviz.encodings.alibi import Alibi
from posviz.encodings.doors import NoPosition
from posviz.encodings.learned import Learned
from posviz.encodings.rotary import Rotary
from posviz.models import small
from posviz.models.small import ENCODINGS, SmallModel, small_model
from posviz.models.training import SmallTransformer, standard_library_text

UNTRAINED = {
    "none": NoPosition,
    "learned": lambda: Learned(torch.nn.Parameter(torch.randn(12, 16))),
    "ALiBi": Alibi,
    "RoPE": Rotary,
}
TEXT = "f(x) = xs[0]"


@pytest.mark.parametrize("arm", ENCODINGS)
def test_logits_are_those_of_torch(arm):
    torch.manual_seed(0)
    model = SmallTransformer(UNTRAINED[arm](), d_model=16, num_heads=2, num_layers=2).double()
    arrays = {name: to_numpy(x) for name, x in model.state_dict().items()}
    ours = SmallModel(arrays, ENCODINGS[arm](arrays), num_heads=2)
    ids = ours.ids(TEXT)
    expected = to_numpy(model(torch.tensor([ids])))[0]
    np.testing.assert_allclose(ours.logits(ids), expected, atol=1e-9)


@pytest.mark.slow("half a second")
@pytest.mark.parametrize("arm", ENCODINGS)
def test_a_stored_model_is_small_and_has_its_card_and_has_learned(arm):
    name = f"bytes_{arm.lower()}.npz"
    assert (small.FOLDER / name).stat().st_size < 1_000_000
    assert f"`{name}`" in (small.FOLDER.parent / "README.md").read_text("utf-8")
    card, config = small.card(arm), small.card(arm)["config"]
    assert (config["task"], config["arm"]) == ("bytes", arm)
    assert {"steps", "seed", "seq_len", "num_heads"} <= config.keys()
    model, text, losses = small_model(arm), standard_library_text(1_000_000), []
    for at in np.linspace(0, 999_000, 40, dtype=int):
        *ids, _ = wanted = model.ids(text[at : at + config["seq_len"]])
        logits = model.logits(ids)
        logits -= logits.max(axis=-1, keepdims=True)
        said = np.log(np.exp(logits).sum(axis=-1)) - logits[np.arange(len(ids)), wanted[1:]]
        losses.append(said.mean())
    assert np.mean(losses) == pytest.approx(card["loss"], abs=0.2)  # a guess: ln 128 = 4.85 nats


def test_a_table_ends_and_others_do_not():
    assert small_model("learned").longest == 64
    assert small_model("RoPE").longest is None
    with pytest.raises(IndexError, match="positions must be in 0 … 63"):
        small_model("learned").read([1] * 65)
    assert small_model("RoPE").read([1] * 65).weights.shape == (2, 4, 65, 65)
