"""Results: written, read, packed and told of when they are broken."""

import json

from posviz_course.lab import results
from posviz_course.lab.named import named
from posviz_course.lab.results import COMMITTED, DATA, committed, kept, save
from tests.lab.made_results import made


def run(task="recall", arm="RoPE", seed=0):
    changed = {"PI": (0.25, 0.125, 0.1, 0.05)} if arm == "RoPE" else None
    return made(task, arm, seed, (0.5, 0.25, 0.0625, 0.0078), [0.5, None, 0.25], changed)


def test_a_result_is_what_was_saved(tmp_path):
    path = save(run(), tmp_path)
    assert path.name == f"{run().config.key}.json"
    found = kept(tmp_path, run().config)
    assert found == run()
    assert found.config == run().config
    assert found.readings["RoPE"]["by_length"]["128"] == 0.0078
    assert json.loads(path.read_text())["readings"]["PI"]["by_place"] == [0.5, None, 0.25]


def test_a_folder_is_read_in_order(tmp_path):
    some = [run(arm="none"), run(seed=1), run("bytes"), run()]
    for result in some:
        save(result, tmp_path)
    found = results.results(tmp_path)
    named = [(r.config.task, r.config.arm, r.config.seed) for r in found]
    assert named == [
        *(("bytes", "RoPE", 0), ("recall", "RoPE", 0), ("recall", "RoPE", 1), ("recall", "none", 0))
    ]


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
