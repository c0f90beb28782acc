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

from posviz.wording import shortened
from posviz_course.lab import results
from posviz_course.lab.configs import Config
from posviz_course.lab.results import Result
from posviz_course.lab.train import train_one

PAUSE = 0.1  # seconds between looks at what has ended


def sweep(
    configs: Iterable[Config], folder: Path | str, executor: Any = None
) -> tuple[Result, ...]:
    """Do the runs that are not in the folder yet, and return the results of all that are there.

    They come in the order of configs. A run that fails is reported, and the others go on.
    Interrupted, it keeps and returns what is done; the same call goes on from there. executor is
    any of ``concurrent.futures``, Dask's or submitit's; the folder must be the same for its
    workers. None: a process for each core, which in a script asks for ``if __name__ ==
    "__main__":``.
    """
    configs = list(configs)
    left = [config for config in configs if results.kept(folder, config) is None]
    done = len(configs) - len(left)
    with tqdm(total=len(configs), initial=done, unit="run", file=sys.stdout) as bar:
        try:
            if executor is not None:
                _gather(executor, left, folder, bar)
            elif left:
                _on_this_machine(left, folder, bar)
        except KeyboardInterrupt:
            bar.write("Interrupted: what is done is kept; call it again for the rest.")
    stored = (results.kept(folder, config) for config in configs)
    return tuple(result for result in stored if result is not None)


def _gather(executor: Any, configs: list[Config], folder: Path | str, bar: tqdm) -> None:
    """Submit all runs, wait for them, and report those that fail."""
    with _signals_held() as held:
        waiting = {config: executor.submit(train_one, config, folder) for config in configs}
        while waiting and not held:
            for config in [config for config, run in waiting.items() if run.done()]:
                try:
                    waiting.pop(config).result()
                    bar.update()
                except BrokenProcessPool:  # of all that wait, too
                    bar.write("A process was killed, maybe for want of memory: call it again.")
                    return
                except Exception as error:
                    why = f"{type(error).__name__}: {error}"
                    bar.write(f"failed: {config}: {shortened(why)}")
            time.sleep(PAUSE)
        for run in waiting.values():
            run.cancel()
    for number in held:
        signal.raise_signal(number)


@contextmanager
def _signals_held() -> Iterator[list[int]]:
    """Hold Ctrl-C and SIGTERM back: an exception could come while an executor holds its lock."""
    held: list[int] = []
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, lambda number, _: held.append(number)) for number in numbers]
    try:
        yield held
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)


def _on_this_machine(left: list[Config], folder: Path | str, bar: tqdm) -> None:
    context = multiprocessing.get_context("spawn")  # torch's threads do not survive a fork
    before = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(min(cores(), len(left)), context, initializer=_end_with_parent)
    try:
        _gather(pool, left, folder, bar)
    except BaseException:  # a run may take minutes: do not wait for it
        for worker in set(multiprocessing.active_children()) - before:
            worker.kill()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


def _end_with_parent() -> None:
    """In each process: end when the process that began it does, whoever kills it."""

    def wait() -> None:
        parent = multiprocessing.parent_process()
        assert parent is not None
        parent.join()
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()
