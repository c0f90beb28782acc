"""Tables in files against the safetensors library; the hub is never really asked."""

import inspect
import json
import subprocess
import sys

import httpx
import huggingface_hub
import numpy as np
import pytest
import torch
from huggingface_hub import errors
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
        "broken": torch.tensor([[1.0, torch.nan]]),
    }
    save_file(tensors, tmp_path / "model.safetensors")
    return tmp_path


@pytest.mark.parametrize(
    ("tensor", "dtype"),
    [
        (None, torch.float32),
        ("wpe.weight", torch.float32),
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
        assert torch.equal(torch.tensor(found).to(dtype), expected)
        np.testing.assert_array_equal(found, expected.double())


@pytest.fixture
def shards(tmp_path):
    """A checkpoint in two files; the index names one of them by a path that leads away."""
    names = {"a.weight": "model-1.safetensors", "b.weight": "../elsewhere/model-2.safetensors"}
    save_file({"a.weight": torch.zeros(2, 4)}, tmp_path / "model-1.safetensors")
    save_file({"b.weight": torch.ones(3, 4)}, tmp_path / "model-2.safetensors")
    index = tmp_path / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": names}))
    return tmp_path


def test_shards_are_found_through_their_index_and_beside_it(shards):
    assert load_table(shards, "a.weight").tolist() == [[0] * 4] * 2
    assert load_table(shards, "b.weight").tolist() == [[1] * 4] * 3
    with pytest.raises(
        ValueError, match=r"'b.weigh' is not in .*index.json, which holds 'b.weight'"
    ):
        load_table(shards, "b.weigh")
    for name in ("", "elsewhere/..", "C:"):
        index = {"weight_map": {"a.weight": name}}
        (shards / "model.safetensors.index.json").write_text(json.dumps(index))
        with pytest.raises(ValueError, match=f"must name the file of 'a.weight', got '{name}'"):
            load_table(shards, "a.weight")
    (shards / "model.safetensors.index.json").write_text('{"weights": {}}')
    with pytest.raises(ValueError, match="is not an index of shards: its weight_map is None"):
        load_table(shards, "a.weight")


class Hub:
    """What stands in for the download: the files of a folder, and a list of what was asked."""

    def __init__(self, folder):
        self.folder, self.asked = folder, []

    def __call__(self, *args, **options):
        inspect.signature(REAL_DOWNLOAD).bind(*args, **options)
        self.asked.append((options["repo_id"], options["filename"]))
        if not (self.folder / options["filename"]).exists():
            raise errors.EntryNotFoundError("404")
        return str(self.folder / options["filename"])


REAL_DOWNLOAD = huggingface_hub.hf_hub_download


def test_a_repository_is_asked_for_one_file(checkpoint, monkeypatch):
    hub = Hub(checkpoint)
    monkeypatch.setattr(huggingface_hub, "hf_hub_download", hub)
    np.testing.assert_array_equal(load_table("openai-community/gpt2", "double"), TABLE)
    assert hub.asked == [("openai-community/gpt2", "model.safetensors")]
    with pytest.raises(FileNotFoundError, match=r"b.safetensors of the hub repository 'gpt2': 404"):
        load_table("gpt2", filename="b.safetensors")


def test_what_the_hub_refuses_is_told_in_its_words(monkeypatch):
    def refuse(**options):
        request = httpx.Request("GET", "https://hub")
        raise errors.GatedRepoError("out of order", response=httpx.Response(404, request=request))

    monkeypatch.setattr(huggingface_hub, "hf_hub_download", refuse)
    with pytest.raises(OSError, match=r"^model.safetensors of .* 'a/b': .*out of order.*; check"):
        load_table("a/b")


@pytest.mark.slow("a process")
def test_offline_the_error_says_what_to_do(tmp_path):
    program = "from posviz.models.checkpoints import load_table; load_table('gpt2')"
    offline = {"HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path), "PATH": ""}
    done = subprocess.run(
        [sys.executable, "-c", program], env=offline, capture_output=True, text=True
    )
    assert "'gpt2': the hub cannot be reached and the cache has no copy" in done.stderr
    assert done.stderr.endswith("or give the path of a file you have\n")


def test_a_file_that_is_here_is_read_without_huggingface_hub(checkpoint, monkeypatch):
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    assert load_table(checkpoint, "half").shape == (7, 6)


@pytest.mark.parametrize(
    ("tensor", "message"),
    [
        ("wpe", r"tensor 'wpe' is not in .*, which holds 'wpe.weight'$"),
        ("vector", r"tensor must be a table .* got 'vector' of shape \(4,\) in F32"),
        ("whole", r"got 'whole' of shape \(2, 2\) in I64"),
        ("broken", "'broken' of .* holds NaN or infinity"),
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


TRAP = b"cbuiltins\nexit\n(S'a pickle was run'\ntR."  # a pickle that ends the process


@pytest.mark.parametrize("content", [TRAP, b"", bytes(8), b"\x0a" + bytes(7) + b"{" * 10])
def test_no_other_kind_of_file_is_opened(tmp_path, content):
    for name in ("pytorch_model.bin", "model.safetensors"):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(ValueError, match="is not a safetensors file, and no other kind is"):
            load_table(tmp_path / name)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: load_table(5), TypeError, "source must be a path or the id of a repository"),
        (lambda: load_table("gpt2", filename="x.bin"), ValueError, "filename must end in .safet"),
        (lambda: load_table("a/b/c"), OSError, "repository 'a/b/c': Repo id must be in the form"),
        (lambda: load_table("/"), FileNotFoundError, "the folder / holds no model.safetensors"),
    ],
)
def test_bad_input_is_named(call, error, message):
    with pytest.raises(error, match=message):
        call()
