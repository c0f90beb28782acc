"""Set the course up and start it: `python run.py lab` opens it, `python run.py test` checks it.

Both make `.venv` and install into it what is missing or has changed. If anything stops them
half-way, run the same command again. Only the standard library is used.
"""

import sys

if sys.version_info < (3, 11):
    sys.exit(
        "Python %d.%d is too old: posviz needs Python 3.11 or newer. "
        "Install one and run it, for example `python3.11 run.py lab`." % sys.version_info[:2]
    )

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

from posviz_tools.cli import start

ROOT = Path(__file__).resolve().parent
NOTEBOOKS = ROOT / "notebooks"
VENV = ROOT / ".venv"
PYTHON = str(VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))
LOG = VENV / "install.log"
MARK = "posviz-home"  # says for which folder and Python run.py made `.venv`
CPU_BUILDS = "https://download.pytorch.org/whl/cpu"  # torch without CUDA, for Linux

USAGE = """usage: python run.py lab  [options for JupyterLab, such as --port=8890 or --no-browser]
       python run.py test [--quick | --changed | --everything] [options for pytest, such as -x]"""

# What each command needs: a line for the reader, files that say what is wanted, pip's arguments.
PARTS = {
    "lab": (
        "JupyterLab, PyTorch and the pictures (300 MB to fetch, 1.3 GB on disk; more with CUDA)",
        ("pyproject.toml", "constraints.txt"),
        [["-e", ".[torch,lab,publish]"]],
    ),
    "test": (
        "what the tests need (210 MB to fetch, 0.9 GB on disk)",
        ("pyproject.toml", "constraints.txt", "tests/oracles.txt"),
        [["-e", ".[test,bench]"], ["--no-deps", "-r", "tests/oracles.txt"]],
    ),
}

SPEEDS = {  # by the markers that each leaves out (tests/conftest.py); notebooks are `slow`
    "--quick": "not (slow or browser or release)",
    "--changed": "not (browser or release)",
    "": "not release",
    "--everything": "",
}


def main(arguments: list[str]) -> int:
    """Run one of the two commands and return its exit status."""
    command, options = (arguments[0], arguments[1:]) if arguments else ("", [])
    if command not in PARTS:
        sys.exit(USAGE)
    for part in ("lab", "test") if command == "test" else ("lab",):
        set_up(part)
    if command == "test":
        return test(options)
    # Kernels inherit it: glibc would keep the bitmaps that matplotlib frees, 40 MB in a lesson.
    os.environ.setdefault("MALLOC_MMAP_THRESHOLD_", str(4 * 2**20))
    os.chdir(ROOT)
    return start.become(start.lab_command(PYTHON, NOTEBOOKS, VENV / "lab_workspaces", options))


def test(options: list[str]) -> int:
    """Run the tests of one speed."""
    speed = next((option for option in options if option in SPEEDS), "")
    options = [option for option in options if option not in SPEEDS]
    if speed in ("", "--everything") and not find_chromium():
        install("chromium", "chromium")
    if speed != "--quick" and has_apt() and not shutil.which("bwrap"):  # else its tests say how
        install("bwrap", "bubblewrap")
    if speed == "--everything" and not shutil.which("pdflatex"):
        install("pdflatex", "texlive-latex-recommended", "texlive-pictures")
    if speed == "--changed":  # testmon does not see into kernels: of notebooks, those that differ
        differing = output_of(["git", "diff", "--name-only", "HEAD", "--", "notebooks/*.ipynb"])
        options = ["--testmon-forceselect", *options, "tests", *differing.split()]
    pytest = [PYTHON, "-m", "pytest", "-n", "3", "--dist", "loadfile", "--no-loadscope-reorder"]
    status = call([*pytest, "-m", SPEEDS[speed], *options])
    return 0 if (speed, status) == ("--changed", 5) else status  # 5: there is nothing to run


def set_up(part: str) -> None:
    """Install a part into `.venv`, unless it is there as its files want it."""
    name, files, wanted = PARTS[part]
    home = f"{ROOT}, Python {sys.version_info[0]}.{sys.version_info[1]}\n"
    contents = b"".join((ROOT / file).read_bytes() for file in files)
    state = home + hashlib.sha256(contents).hexdigest()
    stamp = VENV / f"posviz-{part}"
    if read(stamp) == state and os.path.exists(PYTHON):
        return
    if not (read(VENV / MARK) == home and os.path.exists(PYTHON)):
        make_environment(home)
    print(f"Installing {name}, once. This takes some minutes; details are in {LOG}", flush=True)
    for arguments in wanted:
        pip_install([*torch_build(), "-c", "constraints.txt", *arguments])
    stamp.write_text(state)


def make_environment(home: str) -> None:
    """Make `.venv` anew, if it is this file's own; whatever else has that name stays as it is."""
    is_own = not VENV.exists() or (VENV / MARK).exists()
    if VENV.is_symlink() or not is_own:
        sys.exit(
            f"{VENV} is not of run.py's making, so it stays as it is. "
            "Rename it, and run this again: run.py makes a .venv of its own."
        )
    VENV.mkdir(exist_ok=True)
    (VENV / MARK).write_text("")  # first, so that what is left half-way is known as our own
    for path in VENV.iterdir():
        if path.name != MARK:
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
    base = getattr(sys, "_base_executable", sys.executable)  # also when .venv itself runs this
    if call([base, "-m", "venv", VENV]):
        sys.exit("Making .venv failed, see above (Debian, Ubuntu: `apt install python3-venv`).")
    (VENV / MARK).write_text(home)


def read(path: Path) -> str:
    """Return the text of a file, or nothing where there is none."""
    return path.read_text() if path.exists() else ""


def torch_build() -> list[str]:
    """Return pip's options for torch: on Linux its usual index gives gigabytes of CUDA."""
    settings = output_of([PYTHON, "-m", "pip", "config", "list"])
    own_index = any(name in settings for name in ("index-url", "no-index", "find-links"))
    has_gpu = os.path.exists("/proc/driver/nvidia/version") or shutil.which("nvidia-smi")
    wanted = sys.platform.startswith("linux") and not own_index and not has_gpu
    return ["--extra-index-url", CPU_BUILDS] if wanted else []


def pip_install(arguments: list) -> None:
    """Install with pip, name the larger downloads, and stop with pip's reason if it fails."""
    command = [PYTHON, "-m", "pip", "install", "--disable-pip-version-check", *arguments]
    lines = []
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as pip:
        for line in pip.stdout or ():
            lines.append(line.decode(errors="replace").strip())
            if lines[-1].startswith("Downloading") and lines[-1].endswith("MB)"):
                print(" ", lines[-1], flush=True)
    with LOG.open("a", encoding="utf-8") as log:
        log.write("\n".join([*lines, ""]))
    if pip.returncode:
        reason = next((line for line in reversed(lines) if "ERROR" in line), "pip gave no reason")
        sys.exit(f"Installing failed: {reason}\nDetails are in {LOG}. Then run this again.")


def install(program: str, *packages: str) -> None:
    """Install a program that the tests drive."""
    commands = [[PYTHON, "-m", "playwright", "install", program]]  # which has browsers alone
    if has_apt():
        commands = [["apt-get", "update"], ["apt-get", "install", "-y", *packages]]
    if any(call(command) for command in commands):
        sys.exit(f"{program} could not be installed: put it on the PATH and run this again.")


def has_apt() -> bool:
    """Whether this is Debian or Ubuntu, and we may install in it."""
    return shutil.which("apt-get") is not None and os.geteuid() == 0


def find_chromium() -> str | None:
    """Return the path of a Chromium on the PATH, or None."""
    return shutil.which("chromium") or shutil.which("chromium-browser")


def output_of(command: list) -> str:
    """Return what a command prints."""
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout


def call(command: list) -> int:
    """Run a command in the project's folder and return its exit status."""
    with start.leave_ctrl_c_to_the_child():
        return subprocess.call(command, cwd=ROOT)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
