"""The small Transformer and its training: what it computes, learns, keeps and refuses."""

import math
import signal
from collections import Counter

import numpy as np
import pytest
import torch
from torch.nn.functional import gelu

from posviz.arrays import TORCH_DEVICES, devices
from posviz.attention import attend
from posviz.attention.masks import causal_mask
from posviz.encodings.alibi import Alibi
from posviz.encodings.doors import Encoding, NoPosition
from posviz.encodings.learned import Learned
from posviz_course.models.training import SmallTransformer, standard_library_text, train
from tests.every_encoding import D_MODEL, ENCODINGS, HEADS

TEXT = standard_library_text(20_000)
SMALL = {"d_model": D_MODEL, "num_heads": HEADS}
PRESENT = [name for name, reason in devices().items() if name in TORCH_DEVICES and not reason]

both_kinds = pytest.mark.parametrize("causal", [True, False], ids=["causal", "both sides"])
every_device = pytest.mark.parametrize("device", PRESENT)


def table(rows=8, columns=D_MODEL, seed=0):
    return 0.02 * np.random.default_rng(seed).normal(size=(rows, columns)).astype(np.float32)


def trained(rows=8, columns=D_MODEL):
    """A learned encoding whose table is trained."""
    return Learned(torch.nn.Parameter(torch.tensor(table(rows, columns))))


def short(model, text=TEXT, **changed):
    return train(model, text, **{"steps": 4, "seq_len": 8, "batch_size": 2, **changed})


def codes(text):
    return torch.tensor([list(text.encode("ascii"))])


class InterruptedAt(Encoding):
    """A trained table, and a reader who presses Stop in the k-th step."""

    def __init__(self, k):
        self.table, self.calls, self.k = torch.nn.Parameter(torch.tensor(table())), [], k

    def at_input(self, x, positions):
        self.calls.append(positions)
        if len(self.calls) == self.k:
            signal.raise_signal(signal.SIGINT)
        return x + self.table[positions]


# ---------------------------------------------------------------- the model


@both_kinds
def test_logits_are_those_of_torchs_own_transformer(causal):
    model = SmallTransformer(trained(), **SMALL, num_layers=2, causal=causal, seed=5)
    tokens = codes(TEXT[:8])
    x = model.embedding[tokens] + model.encoding.table
    mask = torch.nn.Transformer.generate_square_subsequent_mask(8) if causal else None
    for layer in model.layers:
        x = torchs(layer)(x, mask)
    expected = torch.nn.functional.layer_norm(x, (D_MODEL,)) @ model.output
    torch.testing.assert_close(model(tokens), expected, rtol=1e-4, atol=1e-5)


def torchs(layer):
    """A layer of torch with the same weights; the biases that ours has not are 0."""
    made = torch.nn.TransformerEncoderLayer(
        D_MODEL, HEADS, 4 * D_MODEL, dropout=0, activation="gelu", batch_first=True, norm_first=True
    )
    state = {name: torch.zeros_like(value) for name, value in made.state_dict().items()}
    state |= {"norm1.weight": torch.ones(D_MODEL), "norm2.weight": torch.ones(D_MODEL)}
    state["self_attn.in_proj_weight"] = torch.cat([layer.w_q.T, layer.w_k.T, layer.w_v.T])
    state["self_attn.out_proj.weight"] = layer.w_o.T
    state |= {"linear1.weight": layer.widen.T, "linear2.weight": layer.narrow.T}
    made.load_state_dict(state | {"linear1.bias": layer.bias})
    return made


def test_layers_may_differ():
    """Each as a model of that kind has it: the first as one alone, the second behind it."""
    two = {**SMALL, "num_layers": 2}
    plan = [{"window": 3}, {"encoding": Alibi(), "temperature": 2.0}]
    mixed, tokens = SmallTransformer(NoPosition(), plan=plan, **two), codes("a short text")
    x, places = mixed.embedding[tokens], torch.arange(12)
    mask = causal_mask(places, places)
    for layer, encoding, limits in (
        (mixed.layers[0], NoPosition(), {"mask": mask & (places[:, None] - places < 3)}),
        (mixed.layers[1], Alibi(), {"mask": mask, "temperature": 2.0}),
    ):
        normal = layer.attention_norm(x)
        weights = (layer.w_q, layer.w_k, layer.w_v)
        seen = attend(
            *(normal, *weights), num_heads=HEADS, encoding=encoding, positions=places, **limits
        )
        x = x + seen @ layer.w_o
        x = x + gelu(layer.network_norm(x) @ layer.widen + layer.bias) @ layer.narrow
    torch.testing.assert_close(mixed(tokens), mixed.norm(x) @ mixed.output)


@pytest.mark.parametrize("name", ["learned", "DeBERTa"])
@both_kinds
def test_every_parameter_is_trained_those_of_the_encoding_too(name, causal):
    def kind(array):
        return torch.nn.Parameter(torch.tensor(array, dtype=torch.float32))

    model = SmallTransformer(ENCODINGS[name](kind), **SMALL, causal=causal)
    before = {name: value.detach().clone() for name, value in model.named_parameters()}
    assert sum(name.startswith("encoding") for name in before) >= 1
    short(model)
    assert [n for n, value in model.named_parameters() if torch.equal(value, before[n])] == []


@pytest.mark.parametrize("name", ENCODINGS)
@every_device
def test_every_encoding_can_be_trained_with_and_stays_on_the_device(name, device):
    model = SmallTransformer(ENCODINGS[name](np.asarray), **SMALL).to(TORCH_DEVICES[device])
    run = short(model, "abcd" * 9)
    assert run.losses[-1] < run.losses[0]
    assert run.snapshots == {}
    assert model(codes("position")).device.type == TORCH_DEVICES[device]


# ---------------------------------------------------------------- what is learned


@pytest.fixture(scope="module")
def filling_in():
    """A run of the model that fills in, long enough for its table to show where rows stand."""
    model = SmallTransformer(trained(24, 16), d_model=16, causal=False)
    return short(model, steps=160, seq_len=24, batch_size=32, learning_rate=0.01)


@pytest.mark.slow("seconds")
def test_the_loss_falls_below_that_of_counting_characters(filling_in):
    shares = np.array(list(Counter(TEXT).values())) / len(TEXT)
    counting = -(shares * np.log(shares)).sum()
    predicting = SmallTransformer(trained(8, 16), d_model=16, causal=True)
    for run in (short(predicting, steps=80, batch_size=32, learning_rate=0.02), filling_in):
        assert run.losses[0] > counting + 0.5
        assert np.mean(run.losses[-30:]) < counting - 0.1


@both_kinds
def test_what_is_to_be_predicted_is_not_shown(causal):
    drawn = np.random.default_rng(0).choice(list("abcd"), size=20_000)
    model = SmallTransformer(trained(), **SMALL, causal=causal)
    run = short(model, "".join(drawn), steps=60, batch_size=16, learning_rate=0.02)
    assert np.mean(run.losses[-20:]) == pytest.approx(math.log(4), abs=0.1)


# ---------------------------------------------------------------- what is kept


def test_snapshots_are_taken_first_and_last_and_ever_more_rarely():
    model = SmallTransformer(trained(), **SMALL)
    run = short(model, steps=16, snapshots=5)
    assert list(run.snapshots) == [0, 1, 4, 9, 16]
    assert {kept.shape for kept in run.snapshots.values()} == {(8, D_MODEL)}
    np.testing.assert_array_equal(run.snapshots[0], table())
    np.testing.assert_array_equal(run.snapshots[16], model.encoding.table.detach())
    assert len({kept.tobytes() for kept in run.snapshots.values()}) == 5
    assert len(run.losses) == 16


@every_device
def test_the_same_seed_gives_the_same_run_and_another_seed_another(device):
    def run(seed=0, model_seed=0):
        model = SmallTransformer(trained(), **SMALL, causal=False, seed=model_seed)
        return short(model.to(TORCH_DEVICES[device]), seed=seed)

    first, second = run(), run()
    np.testing.assert_array_equal(first.losses, second.losses)
    np.testing.assert_array_equal(first.snapshots[4], second.snapshots[4])
    assert first.losses[0] != run(seed=1).losses[0]
    assert first.losses[0] != run(model_seed=1).losses[0]


@pytest.mark.parametrize("step", [1, 3])
def test_interrupted_training_keeps_what_was_learned(step, capsys):
    model = SmallTransformer(InterruptedAt(step), **SMALL)
    run = short(model)
    assert len(run.losses) == step
    said = capsys.readouterr().out.splitlines()[-1]
    assert said.startswith(f"interrupted after {step} step")
    np.testing.assert_array_equal(run.snapshots[step], model.encoding.table.detach())


def test_who_watches_gets_all_snapshots_so_far():
    seen = []
    model = SmallTransformer(trained(), **SMALL)
    short(model, steps=16, snapshots=5, watch=lambda tables: seen.append([*tables]))
    assert seen == [[0], [0, 1], [0, 1, 4], [0, 1, 4, 9], [0, 1, 4, 9, 16]]


def test_state_of_torch_and_numpy_is_left_alone():
    threads = torch.get_num_threads()
    torch.set_num_threads(threads + 1)
    state, numpys = torch.get_rng_state(), np.random.get_state()[1].copy()  # noqa: NPY002
    short(SmallTransformer(InterruptedAt(2), **SMALL, causal=False))
    assert torch.equal(torch.get_rng_state(), state)
    assert np.array_equal(np.random.get_state()[1], numpys)  # noqa: NPY002
    assert torch.get_num_threads() == threads + 1
    torch.set_num_threads(threads)


@pytest.mark.parametrize(("causal", "each"), [(True, "character"), (False, "hidden character")])
def test_progress_is_one_line_of_text(causal, each, capsys):
    run = short(SmallTransformer(NoPosition(), **SMALL, causal=causal))
    out, err = capsys.readouterr()
    last = out.rstrip("\n").split("\r")[-1]
    assert (out.count("\n"), err) == (1, "")
    assert last.startswith("training: 100%")
    assert last.endswith(f", {run.losses[-1]:.2f} nats per {each}]")


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"text": "naïve " * 9}, "'ascii' codec can't encode character"),
        ({"text": "too long", "seq_len": 8}, "text must be longer than seq_len = 8"),
        ({"steps": 0}, "steps must be at least 1, got 0"),
    ],
)
def test_training_that_cannot_be_is_refused(changed, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        short(SmallTransformer(NoPosition(), **SMALL), **changed)
