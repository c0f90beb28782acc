"""The small models in NumPy: what torch computes, and what was stored of each."""

import numpy as np
import pytest
import torch
from torch.nn.functional import cross_entropy

from posviz.arrays import to_numpy
from posviz.attention import attend
from posviz.encodings.alibi import Alibi
from posviz.encodings.doors import NoPosition
from posviz.encodings.learned import Learned
from posviz.encodings.rotary import Rotary
from posviz_course.models import small, training
from posviz_course.models.archive import load_archive
from posviz_course.models.small import ENCODINGS, SmallModel, small_model
from posviz_course.models.training import SmallTransformer, standard_library_text

UNTRAINED = {
    "none": NoPosition,
    "learned": lambda: Learned(torch.nn.Parameter(torch.randn(12, 16))),
    "ALiBi": Alibi,
    "RoPE": Rotary,
}
TEXT = "f(x) = xs[0]"


@pytest.mark.parametrize("arm", ENCODINGS)
def test_weights_are_those_of_torch(arm, monkeypatch):
    seen = []

    def attend_and_note(*arrays, **more):
        output, weights = attend(*arrays, **more, return_weights=True)
        seen.append(to_numpy(weights[0]))
        return output

    monkeypatch.setattr(training, "attend", attend_and_note)
    torch.manual_seed(0)
    model = SmallTransformer(UNTRAINED[arm](), d_model=16, num_heads=2, num_layers=3).double()
    arrays = {name: to_numpy(x) for name, x in model.state_dict().items()}
    ours = SmallModel("mine", arrays, ENCODINGS[arm](arrays), num_heads=2)
    ids = ours.ids(TEXT)
    model(torch.tensor([ids]))
    np.testing.assert_allclose(ours.weights(ids), np.stack(seen), atol=1e-9)


@pytest.mark.slow("half a second")
@pytest.mark.parametrize("arm", ENCODINGS)
def test_a_stored_model_is_small_and_has_its_card_and_has_learned(arm):
    name = f"bytes_{arm.lower()}.npz"
    assert (small.FOLDER / name).stat().st_size < 1_000_000
    assert f"`{name}`" in (small.FOLDER.parent / "README.md").read_text("utf-8")
    arrays, card = load_archive(small.FOLDER / name)
    config = card["config"]
    assert (config["task"], config["arm"]) == ("bytes", arm)
    assert {"steps", "seed", "seq_len", "num_heads"} <= config.keys()
    sizes = {each: config[each] for each in ("d_model", "num_heads", "num_layers")}
    state = {key: torch.nn.Parameter(torch.tensor(x).float()) for key, x in arrays.items()}
    model = SmallTransformer(ENCODINGS[arm](state), **sizes)
    model.load_state_dict(state)
    text, losses = standard_library_text(1_000_000), []
    for at in np.linspace(0, 999_000, 40, dtype=int):
        ids = torch.tensor(small_model(arm).ids(text[at : at + config["seq_len"]]))
        losses.append(cross_entropy(model(ids[None, :-1])[0], ids[1:]).item())
    assert np.mean(losses) == pytest.approx(card["loss"], abs=0.2)  # a guess: ln 128 = 4.85 nats


def test_a_table_ends_and_others_do_not():
    assert small_model("learned").longest == 64
    assert small_model("RoPE").longest is None
    with pytest.raises(IndexError, match="positions must be in 0 … 63"):
        small_model("learned").weights([1] * 65)
    assert small_model("RoPE").weights([1] * 65).shape == (2, 4, 65, 65)
