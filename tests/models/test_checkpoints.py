"""Tables in files that safetensors wrote, and broken ones; the hub is never asked."""

import sys

import huggingface_hub
import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from posviz.models.checkpoints import load_table

TABLE = np.random.default_rng(0).normal(size=(7, 6))


@pytest.fixture
def checkpoint(tmp_path):
    """A file with tensors of several kinds."""
    tensors = {
        "wte.weight": torch.ones(5, 4),
        "wpe.weight": torch.tensor(TABLE, dtype=torch.float32),
        "half": torch.tensor(TABLE, dtype=torch.float16),
        "brain": torch.tensor(TABLE, dtype=torch.bfloat16),
        "double": torch.tensor(TABLE),
        "vector": torch.ones(4),
        "whole": torch.ones(2, 2, dtype=torch.int64),
    }
    save_file(tensors, tmp_path / "model.safetensors")
    return tmp_path


@pytest.mark.parametrize(
    ("tensor", "dtype"),
    [
        (None, torch.float32),
        ("half", torch.float16),
        ("brain", torch.bfloat16),
        ("double", torch.float64),
    ],
)
def test_a_tensor_comes_back_as_it_was_saved(checkpoint, tensor, dtype):
    for source in (checkpoint, str(checkpoint), checkpoint / "model.safetensors"):
        found = load_table(source, tensor)
        expected = torch.tensor(TABLE).to(dtype)
        assert found.dtype == (np.float32 if tensor == "brain" else expected.numpy().dtype)
        np.testing.assert_array_equal(found, expected.double())


def test_repository_is_asked_for_one_file(checkpoint, monkeypatch):
    asked = []

    def download(repo_id, filename):
        asked.append((repo_id, filename))
        return str(checkpoint / filename)

    monkeypatch.setattr(huggingface_hub, "hf_hub_download", download)
    np.testing.assert_array_equal(load_table("openai-community/gpt2", "double"), TABLE)
    assert asked == [("openai-community/gpt2", "model.safetensors")]


def test_file_that_is_here_is_read_without_huggingface_hub(checkpoint, monkeypatch):
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    assert load_table(checkpoint, "half").shape == (7, 6)
    for name in ("models/gpt2.safetensors", checkpoint / "other"):
        with pytest.raises(FileNotFoundError, match="source must be a file or a folder, got"):
            load_table(name)


@pytest.mark.parametrize(
    ("tensor", "message"),
    [
        ("wpe", r"tensor 'wpe' is not in .*, which holds 'wpe.weight'$"),
        ("vector", r"tensor must be a table .* got 'vector' of shape \(4,\) in F32"),
        ("whole", r"got 'whole' of shape \(2, 2\) in I64"),
    ],
)
def test_an_unfit_tensor_is_refused(checkpoint, tensor, message):
    with pytest.raises(ValueError, match=message):
        load_table(checkpoint, tensor)


def test_without_a_name_the_choice_must_be_clear(tmp_path):
    path = tmp_path / "m.safetensors"
    save_file({"x": torch.ones(2, 3)}, path)
    assert load_table(path).shape == (2, 3)
    save_file({"x": torch.ones(2, 3), "y": torch.ones(1, 1)}, path)
    with pytest.raises(ValueError, match=r"tensor must be named, for .* holds 'x', 'y'$"):
        load_table(path)
    sides = {f"{side}.embed_positions.weight": torch.ones(2, 3) for side in ("de", "en")}
    save_file({**sides, "x": torch.ones(1, 1)}, path)
    with pytest.raises(ValueError, match=r"holds 'de.embed\S+, 'en.embed\S+$"):
        load_table(path)


@pytest.mark.parametrize(
    "content", [b"", b"cbuiltins\nexit\n(S'a pickle was run'\ntR.", b"cut short"]
)
def test_a_pickle_is_not_run_and_a_broken_file_is_refused(content, checkpoint):
    path = checkpoint / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-1] if content == b"cut short" else content)
    with pytest.raises(ValueError, match=" is not a safetensors file: "):
        load_table(path, "half")
