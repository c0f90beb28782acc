"""Many runs: one that fails, is stopped or is killed loses nothing of the others."""

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import pytest

from posviz_course.lab import sweep as module
from posviz_course.lab.sweep import sweep


class AtOnce:
    """An executor that runs what it is given when it is given it, and notes it."""

    def __init__(self, spoil=lambda config: None):
        self.given, self.spoil = [], spoil

    def submit(self, run, config, folder):
        self.given.append(config)
        future = Future()
        try:
            self.spoil(config)
            future.set_result(run(config, folder))
        except Exception as error:
            future.set_exception(error)
        return future


@pytest.fixture
def runs(tiny):
    return [tiny(seed=seed, steps=2) for seed in (2, 0, 1)]


def test_results_come_in_order_and_none_is_computed_twice(runs, tmp_path, capsys):
    first, again = AtOnce(), AtOnce()
    assert [result.config for result in sweep(runs[:2], tmp_path, first)] == runs[:2]
    assert [result.config for result in sweep(runs, tmp_path, again)] == runs
    assert (first.given, again.given) == (runs[:2], runs[2:])
    assert "3/3" in capsys.readouterr().out


def test_a_run_that_fails_is_told_and_the_rest_goes_on(runs, tmp_path, capsys):
    def spoil(config):
        if config.seed == 0:
            raise MemoryError("no room")

    found = sweep(runs, tmp_path, AtOnce(spoil))
    assert [result.config.seed for result in found] == [2, 1]
    assert "failed: recall, RoPE, seed 0: MemoryError: no room" in capsys.readouterr().out


def test_killed_process_is_reported_once(runs, tmp_path, capsys):
    def spoil(config):
        if config.seed in (0, 1):
            raise BrokenProcessPool

    assert [result.config.seed for result in sweep(runs, tmp_path, AtOnce(spoil))] == [2]
    assert capsys.readouterr().out.count("A process was killed") == 1


def test_interrupted_it_keeps_what_is_done_and_asks_for_no_more(
    runs, tmp_path, monkeypatch, capsys
):
    waiting = []

    class Waiting(AtOnce):
        def submit(self, run, config, folder):
            if len(self.given) == 1:
                waiting.append(Future())
                return waiting[-1]
            return super().submit(run, config, folder)

    monkeypatch.setattr(module.time, "sleep", lambda _: signal.raise_signal(signal.SIGINT))
    assert [result.config for result in sweep(runs, tmp_path, Waiting())] == runs[:1]
    assert all(future.cancelled() for future in waiting)
    assert "Interrupted: what is done is kept" in capsys.readouterr().out


# ---------------------------------------------------------------- processes


@pytest.mark.slow("processes")
@pytest.mark.parametrize(
    "how",
    [
        signal.SIGKILL,
        pytest.param(signal.SIGINT, marks=pytest.mark.release("another sweep")),
        pytest.param(signal.SIGTERM, marks=pytest.mark.release("another sweep")),
    ],
)
def test_no_worker_outlives_the_sweep(how, tmp_path):
    command = f"taskset -c 0 {sys.executable} -m posviz sweep lesson --to {tmp_path}".split()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        workers = _eventually(lambda: _workers_of(process.pid))
        process.send_signal(how)
        said = process.communicate(timeout=120)[1].decode()
    assert _eventually(lambda: not [pid for pid in workers if Path(f"/proc/{pid}").exists()])
    assert process.returncode == {signal.SIGKILL: -9, signal.SIGINT: 130, signal.SIGTERM: 143}[how]
    assert how == signal.SIGKILL or "Stopped: the files that are there are whole" in said


def _workers_of(pid):
    """Its children that have a thread beside the first: those that work."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [child for child in children if len(os.listdir(f"/proc/{child}/task")) > 1]


def _eventually(ask, seconds=60):
    end = time.monotonic() + seconds
    while not (answer := ask()) and time.monotonic() < end:
        time.sleep(0.1)
    return answer


# ---------------------------------------------------------------- recipes of docs/sweeps.md


@pytest.mark.release("a cluster of processes")
def test_sweep_runs_on_dask(runs, tmp_path):
    from distributed import Client, LocalCluster

    local = {"n_workers": 1, "threads_per_worker": 1, "processes": True}
    with LocalCluster(**local, dashboard_address=None) as cluster, Client(cluster) as client:
        found = sweep(runs, tmp_path, client.get_executor())
    assert [result.config for result in found] == runs


@pytest.mark.release("jobs in processes")
def test_sweep_runs_on_submitit(runs, tmp_path):
    from submitit import AutoExecutor

    executor = AutoExecutor(folder=tmp_path / "logs", cluster="local")
    executor.update_parameters(timeout_min=5)
    found = sweep(runs[:2], tmp_path / "runs", executor)
    assert [result.config for result in found] == runs[:2]
