"""A file made to do harm gives one clear line, soon, and takes little memory."""

import json
import os
import shutil
import subprocess
import sys
import time
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from posviz.models.checkpoints import load_table
from tests.robustness.hostile_tables import DATA, FAMILIES

TABLE = np.frombuffer(DATA[:32], "<f4").reshape(2, 4)  # where harm is done to other bytes only
SECONDS, BYTES, CHARACTERS = 2, 2**26, 1200  # of a message: four foreign texts, and our own


def drawn(family, rng, number):
    """Cases of a family: so many of them, or all."""
    cases = list(FAMILIES[family]())
    return cases if number is None else [cases[i] for i in rng.permutation(len(cases))[:number]]


def told(name, call) -> str:
    """The one clear line, or nothing where the table comes out right after all."""
    try:
        table = call()
    except (ValueError, OSError) as error:
        line = str(error)
        assert line.isprintable(), f"{name}: {line!a}"
        assert 20 < len(line) <= CHARACTERS, f"{name}: {len(line):,} characters, {line[:300]}"
        return line
    np.testing.assert_array_equal(table, TABLE, name)
    return ""


@pytest.mark.parametrize("family", FAMILIES)
def test_a_hostile_file_gives_one_clear_line(family, rng, everything, tmp_path):
    for name, write in drawn(family, rng, None if everything else 4):
        (tmp_path / "case").mkdir()
        arguments = write(tmp_path / "case")
        start = time.process_time()
        line = told(name, lambda: load_table(*arguments))  # noqa: B023 - called at once
        assert time.process_time() - start <= SECONDS, name
        tracemalloc.start()
        assert told(name, lambda: load_table(*arguments)) == line  # noqa: B023
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak <= BYTES, f"{name}: {peak / 2**20:.0f} MiB"
        shutil.rmtree(tmp_path / "case")


LIMITED = """
import json, resource, shutil, sys
from pathlib import Path

import huggingface_hub, numpy
from huggingface_hub import errors, hf_hub_download

from posviz.models.checkpoints import load_table
from tests.robustness.hostile_tables import FAMILIES
from tests.robustness.test_hostile_tables import told

folder, chosen = Path(sys.argv[1]), json.loads(sys.argv[2])
for family, names in chosen.items():
    for name, write in FAMILIES[family]():
        if name in names:
            (folder / "case").mkdir()
            arguments = write(folder / "case")
            pages = int(open("/proc/self/statm").read().split()[0])
            limit = pages * resource.getpagesize() + 2**26
            resource.setrlimit(resource.RLIMIT_AS, (limit, -1))
            try:
                told(name, lambda: load_table(*arguments))
            finally:
                resource.setrlimit(resource.RLIMIT_AS, (-1, -1))
            shutil.rmtree(folder / "case")
            print(name)
"""


@pytest.mark.slow("a process")
def test_so_it_does_where_memory_is_limited(rng, everything, tmp_path):
    """64 MiB more than Python holds, which a library that is short of memory might end."""
    number = None if everything else 3
    chosen = {family: [name for name, _ in drawn(family, rng, number)] for family in FAMILIES}
    command = [sys.executable, "-c", LIMITED, tmp_path, json.dumps(chosen)]
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, (done.stdout[-100:], done.stderr)
    assert len(done.stdout.splitlines()) == sum(map(len, chosen.values()))
