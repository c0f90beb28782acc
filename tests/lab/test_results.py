"""Results: written, read, packed and told of when they are broken."""

import gzip
import json

import numpy as np
import pytest

from posviz.lab import results
from posviz.lab.configs import Config
from posviz.lab.named import named
from posviz.lab.results import COMMITTED, DATA, Reading, Result, by_arm, committed, load, pack, save
from posviz.lab.tasks import TASKS


def made(task="recall", arm="RoPE", seed=0):
    config = Config(task, arm, seed, seq_len=16)
    lengths = TASKS[task].lengths(16)
    reading = Reading({n: 1 / n for n in lengths}, np.array([0.5, np.nan, 0.25]))
    others = {"PI": Reading({n: 2 / n for n in lengths}, reading.by_place)} if arm == "RoPE" else {}
    about = {"date": "2026-11-25", "cores": 2}
    return Result(config, np.array([2.0, 1.0]), {arm: reading, **others}, 3.25, "ab" * 32, about)


def test_a_result_is_what_was_saved(tmp_path):
    path = save(made(), tmp_path)
    assert path.name == f"{made().config.key}.json"
    found = load(path)
    assert found.to_dict() == made().to_dict()
    assert found.config == made().config
    assert (found.inside, found.by_length[128]) == (0.0625, 0.0078)
    assert found.by_place.tolist() == pytest.approx([0.5, np.nan, 0.25], nan_ok=True)
    assert json.loads(path.read_text())["readings"]["PI"]["by_place"] == [0.5, None, 0.25]


@pytest.mark.parametrize(
    "spoil",
    [
        lambda text: text[:-10],
        lambda text: "[]",
        lambda text: text.replace('"seed": 0', '"seed": 1'),
    ],
)
def test_a_broken_file_is_told_and_left_out(spoil, tmp_path):
    path = save(made(), tmp_path)
    save(made(seed=1), tmp_path)
    path.write_text(spoil(path.read_text()))
    with pytest.warns(UserWarning, match=f"{path.name} is no whole result: "):
        found = results.results(tmp_path)
    assert [result.config.seed for result in found] == [1]


def test_nothing_half_written_has_the_name_of_a_result(tmp_path, monkeypatch):
    def full(path, content):
        raise OSError("disk full")

    monkeypatch.setattr(results.Path, "write_bytes", full)
    with pytest.raises(OSError, match="disk full"):
        save(made(), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_read_in_order_and_packed_to_the_same_bytes(tmp_path):
    some = [made(arm="none"), made(seed=1), made("bytes"), made()]
    for result in some:
        save(result, tmp_path)
    found = results.results(tmp_path)
    named = [(r.config.task, r.config.arm, r.config.seed) for r in found]
    assert named == [
        *(("bytes", "RoPE", 0), ("recall", "RoPE", 0), ("recall", "RoPE", 1), ("recall", "none", 0))
    ]
    pack(found, tmp_path / "one.gz")
    pack(some, tmp_path / "two.gz")
    assert (tmp_path / "one.gz").read_bytes() == (tmp_path / "two.gz").read_bytes()
    packed = json.loads(gzip.decompress((tmp_path / "one.gz").read_bytes()))
    assert packed == [result.to_dict() for result in found]


def test_what_is_changed_only_at_test_is_an_arm(tmp_path):
    arms = by_arm([made(), made(seed=1), made(arm="none"), made("bytes")], "recall")
    assert {arm: list(seeds) for arm, seeds in arms.items()} == {
        "RoPE": [0, 1],
        "PI": [0, 1],
        "none": [0],
    }
    assert arms["PI"][1].by_length[16] == 0.125


# ---------------------------------------------------------------- what comes with the package


def test_what_comes_with_the_package_is_of_this_laboratory():
    configs = [result.config for result in committed()]
    assert len(set(configs)) == len(configs)
    assert set(configs) <= set(named("lesson"))
    first = [config for config in named("lesson") if config.seed < 3]
    assert {c for c in first if c.task in ("bytes", "recall")} <= set(configs)


def test_it_is_small_and_says_where_it_is_from():
    readme = (DATA / "README.md").read_text()
    assert COMMITTED.name in readme
    assert COMMITTED.stat().st_size < 1_000_000
    assert {path.name for path in DATA.iterdir()} == {COMMITTED.name, "README.md"}
    for result in committed():
        assert set(result.about) == {
            *("date", "machine", "cores", "python", "torch", "numpy", "posviz")
        }
