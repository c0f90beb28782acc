"""A program that is killed: its workers end, and the next run removes what was unfinished."""

import contextlib
import ctypes
import os
import shutil
import signal
import sys
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

try:
    import fcntl
except ImportError:  # Windows: nothing is cleared
    fcntl = None  # type: ignore[assignment]

START = ".posviz-"
UNFINISHED = START + 32 * "[0-9a-f]"
DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of Linux


@contextlib.contextmanager
def unfinished(folder: Path) -> Iterator[Path]:
    """A new hidden path in a folder; in the end, what is there is removed.

    What killed programs left in the folder is removed before, unless another is at work there.
    """
    path = folder / f"{START}{uuid.uuid4().hex}"
    with contextlib.ExitStack() as work:
        work.callback(_remove, path)
        with contextlib.suppress(OSError):  # a folder that cannot be read, or that knows no locks
            if fcntl:
                work.callback(os.close, handle := os.open(folder, os.O_RDONLY))
                _clear(folder, handle)
        yield path


def _clear(folder, handle):
    """Remove what was unfinished if nobody is at work in the folder, and then be at work there.

    The lock belongs to the folder: a file's own could be taken between its making and its locking.
    """
    with contextlib.suppress(BlockingIOError):
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        for left in folder.glob(UNFINISHED):
            _remove(left)
    fcntl.flock(handle, fcntl.LOCK_SH)


def _remove(path):
    with contextlib.suppress(OSError):
        shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink()


@contextlib.contextmanager
def temporary_folder() -> Iterator[Path]:
    """A folder that is removed in the end; where that is not to be, by the next run."""
    with unfinished(Path(tempfile.gettempdir())) as folder:
        folder.mkdir(0o700)
        yield folder


def ending_with_us() -> dict[str, Any]:
    """Arguments for `subprocess.Popen` with which Linux kills the process when ours is killed."""
    if sys.platform != "linux":
        return {}
    us, prctl = os.getpid(), ctypes.CDLL(None).prctl

    def end_with_us():
        prctl(DEATH_SIGNAL, signal.SIGKILL)
        if os.getppid() != us:  # killed before this was asked for
            os._exit(1)

    return {"preexec_fn": end_with_us}
