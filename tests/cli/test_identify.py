"""The command that names what a program does with positions."""

import json

import numpy as np
import pytest
from safetensors.numpy import save_file
from typer.testing import CliRunner

import posviz_tools.__main__  # noqa: F401  (it adds the commands)
from posviz import Rotary, sinusoidal
from posviz_tools.cli.common import app

D, POSITIONS = 64, np.arange(40)
X = np.random.default_rng(0).normal(size=(40, D))


def rotated(**settings):
    return Rotary(**settings).at_query(X[None, None], POSITIONS)[0, 0]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.save("before.npy", X)
    np.save("after.npy", rotated())
    np.savez("dump.npz", before=X, after=rotated(layout="half_split"), positions=POSITIONS)
    save_file({"before": X, "after": rotated(base=5e5)}, "dump.safetensors")
    X.astype("<f4").tofile("before.f32")
    rotated(layout="half_split").astype("<f4").tofile("after.f32")
    np.save("table.npy", sinusoidal(POSITIONS, D))
    (tmp_path / "rope.py").write_text(
        "from posviz import Rotary\n\n"
        "def rotate(x, positions):\n"
        "    return Rotary(rotary_dim=16).at_query(x[None, None], positions)[0, 0]\n"
    )
    config = {"model_type": "llama", "hidden_size": D, "num_attention_heads": 1, "rope_theta": 5e5}
    (tmp_path / "config.json").write_text(
        json.dumps(config | {"num_hidden_layers": 1, "max_position_embeddings": 99})
    )
    return tmp_path


def run(*arguments):
    result = CliRunner().invoke(app, ["identify", *arguments])
    return result.exit_code, result.output


SOURCES = {
    "before.npy after.npy": "interleaved",
    "dump.npz": "half_split",
    "dump.safetensors": "500,000",
    "before.f32 after.f32 --shape 40,64": "half_split",
    "table.npy": "sinusoidal table",
    "rope.py:rotate --head-dim 32": "16 of 32 columns",
    "table.npy --as cos": "cos needs sin",
}


@pytest.mark.parametrize("sources", SOURCES)
def test_sources_are_read_by_what_they_are(folder, sources):
    status, output = run(*sources.split())
    assert SOURCES[sources] in output
    assert status == (2 if "--as" in sources else 0)


@pytest.mark.parametrize(("meant", "word", "status"), [
    ("config.json", "should be 500,000", 1), ("dump.npz", "reorder the rows", 1),
    ("before.npy,after.npy", "what was meant", 0), ("rope.py:rotate", "should rotate 16", 1),
])  # fmt: skip
def test_what_is_meant_may_be_a_file(folder, meant, word, status):
    assert run("before.npy", "after.npy", "--meant", meant)[0] == status
    assert word in run("before.npy", "after.npy", "--meant", meant)[1]


def test_facts_come_as_json(folder):
    facts = json.loads(run("dump.npz", "--json")[1])
    assert (facts["kind"], facts["layout"], facts["explained"]) == ("rotation", "half_split", True)


def test_positions_come_from_a_file(folder):
    np.save("positions.npy", POSITIONS + 7)
    assert "start at −7" in run("before.npy", "after.npy", "--positions", "positions.npy")[1]


REFUSED = {
    "nothing.npy": "No such file",
    "config.json": "is no .npy",
    "before.f32 after.f32": "needs --shape",
    "before.f32 after.f32 --shape 41,64": "does not hold (41, 64)",
    "before.f32 after.f32 --shape 40x64": "--shape takes lengths",
    "rope.py:other": "no function 'other'",
    "none.py:rotate": "is not there",
    "before.npy after.npy table.npy": "give two files",
    "table.npy --as tables": "--as takes one of",
}


@pytest.mark.parametrize("arguments", REFUSED)
def test_what_cannot_be_read_is_refused_in_a_line(folder, arguments):
    status, output = run(*arguments.split())
    assert status == 2
    assert REFUSED[arguments] in output
    assert output.count("\n") == 1
