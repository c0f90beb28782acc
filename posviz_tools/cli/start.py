"""JupyterLab on the lessons: `run.py lab` in a clone, `posviz start` where pip installed them.

Only the standard library is used, for `run.py` imports this file.
"""

import contextlib
import os
import shutil
import signal
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

FIRST = "00_start_here.ipynb"
SETTINGS = Path(__file__).parent / "lab_settings"


def lab_command(python: Path | str, folder: Path, workspaces: Path, extra: Iterable) -> list[str]:
    """Return the command line that opens JupyterLab on `folder`'s first lesson.

    The settings keep JupyterLab from asking about news, from looking for updates, and from a busy
    icon, which the browser would fetch for every message of a slider. The folder of workspaces is
    the course's own, so tabs of other projects stay away.
    """
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    return [
        str(python),
        "-m",
        "jupyterlab",
        f"--ServerApp.root_dir={folder}",
        "--ServerApp.ip=127.0.0.1",
        "--ServerApp.port_retries=0",
        f"--LabApp.default_url=/lab/tree/{FIRST}",
        f"--LabApp.app_settings_dir={SETTINGS}",
        f"--LabApp.workspaces_dir={workspaces}",
        *(["--allow-root"] if root else []),
        *extra,
    ]


def copy_lessons(notebooks: Iterable[Path], folder: Path) -> int:
    """Copy the lessons and their licence into a folder, made if need be; return how many are new.

    What is there stays, for it may hold a reader's answers. Raises OSError as the disk does.
    """
    folder.mkdir(parents=True, exist_ok=True)
    files = list(notebooks)
    new = [path for path in files if not (folder / path.name).exists()]
    for path in [*new, files[0].with_name("LICENSE")]:
        if not (folder / path.name).exists():
            shutil.copyfile(path, folder / path.name)
    return len(new)


def become(command: list[str]) -> int:
    """Run a command in place of this process, so that ending one ends both.

    Windows cannot: there it is a child, and its exit status is returned.
    """
    if os.name == "nt":
        with leave_ctrl_c_to_the_child():
            return subprocess.call(command)
    os.execv(command[0], command)


@contextlib.contextmanager
def leave_ctrl_c_to_the_child() -> Iterator[None]:
    """Wait for the child, which gets Ctrl-C as well, to end in its own way.

    A handler does this, which the child does not inherit; an exception could lose the exit status.
    """
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
