"""Many jobs at once, in processes of their own: one that fails does not stop the others."""

import contextlib
import multiprocessing
import os
import signal
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed

from tqdm import tqdm

from posviz.publish.stopping import unwind_on

_THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
PATIENCE = 5  # seconds in which a stopped process removes what it has half written


def run(jobs: dict[str, Callable[[], object]], unit: str) -> dict[str, str]:
    """Do all jobs and return why some failed, by name; each is a function of a module, or partial.

    When this process is interrupted, the others are stopped before the exception is raised again.
    """
    if not jobs:
        return {}
    for name in _THREADS:  # one process a core is enough: no threads within
        os.environ.setdefault(name, "1")
    spawned = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(min(len(jobs), cores()), spawned, initializer=_listen)
    failures = {}
    try:
        with _ignoring_ctrl_c():
            names = {pool.submit(_reason, job): name for name, job in jobs.items()}
        for done in tqdm(as_completed(names), total=len(names), unit=unit, disable=None):
            failures[names[done]] = str(done.exception() or "") or done.result()
    except BaseException:
        _stop(pool)
        raise
    pool.shutdown()
    died = [done for done in names if done.exception()]
    if len(jobs) > 1:  # one process that dies ends the pool: each by itself tells which it was
        failures |= {names[done]: "" for done in died}
        for done in died:
            failures |= run({names[done]: jobs[names[done]]}, unit)
    return {name: failures[name] for name in jobs if failures[name]}


def cores() -> int:
    """The processors that this process may use."""
    allowed = getattr(os, "sched_getaffinity", None)  # not on macOS and Windows
    return len(allowed(0)) if allowed else os.cpu_count() or 1


def _reason(job) -> str:
    """Do a job: "" or why it failed, as text, because not every exception can be pickled."""
    try:
        job()
    except SystemExit:  # stopped: what was half written is gone
        os._exit(1)
    except Exception as error:
        return reason(error)
    return ""


def reason(error: Exception) -> str:
    """An error as text for readers: the system's message for files, else type and message."""
    if isinstance(error, OSError):
        said = error.strerror or str(error)
        return f"{said}: {error.filename}" if error.filename else said
    return f"{type(error).__name__}: {error}"


def _listen():
    """In each process: clean up when the first one says to stop."""
    unwind_on(signal.SIGTERM, SystemExit)
    # Such as a character that no font has: the message alone, without matplotlib's line of code.
    warnings.formatwarning = lambda message, *_, **__: f"note: {message}\n"


@contextlib.contextmanager
def _ignoring_ctrl_c() -> Iterator[None]:
    """Start processes in here that ignore Ctrl-C for as long as they run.

    Only the first process hears it, and stops the others; were one to hear it while it still loads
    its modules, it would die with a traceback.
    """
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _stop(pool):
    """Terminate every process, and wait for it."""
    pool.shutdown(wait=False, cancel_futures=True)
    for process in multiprocessing.active_children():
        process.terminate()
    for process in multiprocessing.active_children():
        process.join(PATIENCE)
        process.kill()
