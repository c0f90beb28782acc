"""Many runs on one machine or on many: what is done stays done, wherever it was stopped."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tqdm import tqdm

from posviz.lab import results
from posviz.lab.configs import Config
from posviz.lab.results import Result
from posviz.lab.train import train_one
from posviz.wording import shortened

PAUSE = 0.1  # seconds between looks at what has ended
ATTEMPTS = 3  # pools of processes that may break one after the other without a run that ends


def sweep(
    configs: Iterable[Config], folder: Path | str, executor: Any = None
) -> tuple[Result, ...]:
    """Do the runs that are not in the folder yet, and return the results of all that are there.

    They come in the order of configs. A run that fails is told, and the others go on. Interrupted,
    it keeps and returns what is done; the same call goes on from there. executor is any of
    ``concurrent.futures``, or what has a ``submit`` whose futures have ``done`` and ``result``, as
    submitit's; the folder must be the same for its workers. None: a process for each core, with one
    thread each; where one is killed, all go on from their checkpoints.

    In a script, None asks for ``if __name__ == "__main__":``, as the processes load the script.

    Raises:
        TypeError: when configs are no Configs.
    """
    configs = list(configs)
    for config in configs:
        if not isinstance(config, Config):
            raise TypeError(f"configs must be of Config, got {type(config).__name__}")
    left = [config for config in configs if results.kept(folder, config) is None]
    with tqdm(
        total=len(configs), initial=len(configs) - len(left), unit="run", file=sys.stdout
    ) as bar:
        try:
            if executor is not None:
                _gather(executor, left, folder, bar)
            elif left:
                _on_this_machine(left, folder, bar)
        except KeyboardInterrupt:
            bar.write("Interrupted: what is done is kept; call it again for the rest.")
    found = (results.kept(folder, config) for config in configs)
    return tuple(result for result in found if result is not None)


def _gather(executor: Any, configs: list[Config], folder: Path | str, bar: tqdm) -> list[Config]:
    """Submit all; return those whose pool of processes broke, and tell of others that fail."""
    waiting = {config: executor.submit(train_one, config, folder) for config in configs}
    broken = []
    try:
        while waiting:
            for config in [config for config, run in waiting.items() if run.done()]:
                try:
                    waiting.pop(config).result()
                    bar.update()
                except BrokenProcessPool:
                    broken.append(config)
                except Exception as error:
                    _tell(bar, config, f"{type(error).__name__}: {error}")
            time.sleep(PAUSE)
    finally:  # an interrupt
        for run in waiting.values():
            run.cancel()
    return broken


def _tell(bar: tqdm, config: Config, why: str) -> None:
    bar.write(f"failed: {config}: {shortened(why)}")


# ---------------------------------------------------------------- a process for each core


def _on_this_machine(left: list[Config], folder: Path | str, bar: tqdm) -> None:
    attempts = ATTEMPTS
    while left and attempts:
        before = bar.n
        with _pool(min(cores(), len(left))) as pool:
            left = _gather(pool, left, folder, bar)
        attempts = ATTEMPTS if bar.n > before else attempts - 1
    for config in left:
        _tell(bar, config, "its process ended, three times in a row")


def cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def _pool(workers: int) -> Iterator[ProcessPoolExecutor]:
    """Processes that end when this block does, or this process: whoever kills it."""
    context = multiprocessing.get_context("spawn")  # torch's threads do not survive a fork
    ours, theirs = context.Pipe(duplex=False)
    pool = ProcessPoolExecutor(workers, context, initializer=_begin, initargs=(ours,))
    try:
        yield pool
    except BaseException:
        theirs.close()  # all of them wait for that
        raise
    finally:
        pool.shutdown(cancel_futures=True)
        theirs.close()
        ours.close()


def _begin(pipe: Any) -> None:
    """In each process: leave Ctrl-C to the first, and end with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        pipe.poll(None)  # until there is something to read, which is the end alone
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
