"""Set the course up and start it: `python run.py lab` opens it, `python run.py test` checks it.

Both commands make `.venv` when it is missing and install into it when the files that say what is
wanted have changed. Only the standard library is used, and only syntax that every
Python can parse, so that a reader with an old one sees one clear line.
"""

import sys

OLDEST = (3, 11)
if sys.version_info < OLDEST:
    sys.exit(
        "Python %d.%d is too old: posviz needs Python %d.%d or newer. "
        "Install one and run it, for example `python%d.%d run.py lab`."
        % (sys.version_info[:2] + OLDEST + OLDEST)
    )

import errno
import hashlib
import os
import re
import shutil
import socket
import subprocess
import urllib.request
from pathlib import Path

from posviz.publish import start

ROOT = Path(__file__).resolve().parent
NOTEBOOKS = ROOT / "notebooks"
VENV = ROOT / (".venv-oldest" if "--oldest" in sys.argv else ".venv")
LOG = VENV / "install.log"
TORCH_REASON = VENV / "posviz-torch"  # which build was chosen and why, for `posviz doctor`
FREE_GIGABYTES = 3  # what a CPU-only installation and its downloads take
ONE_LESSON = "02_sinusoidal_tables"  # in JupyterLab, as a page and as slides
CPU_BUILDS = "https://download.pytorch.org/whl/cpu"  # torch for the CPU: pip's option for Linux

USAGE = """usage: python run.py lab  [options for JupyterLab, such as --port=8890 or --no-browser]
       python run.py test [--quick | --everything] [--changed] [--seed N]
                          [options for pytest, such as -x or -k rotary]
       python run.py test --oldest  [options for pytest]"""

DISK_FULL = (
    "There is no space left on the disk: free about %d GB and run this again." % FREE_GIGABYTES
)
STOPPED = "Stopped. Run the same command again to go on."
PIP_FAILURES = (  # what pip prints -> what it means
    (("Operation cancelled by user",), STOPPED),
    (("No space left on device", "not enough space on the disk"), DISK_FULL),
    (
        ("NewConnectionError", "name resolution", "ConnectTimeout", "ProxyError", "ReadTimeout"),
        "No network: pip could not reach its package index. Connect and run this again.",
    ),
    (
        ("No matching distribution found",),
        "Pip's index does not have a package that constraints.txt names (or not for this Python):"
        " the end of {} names it.",
    ),
)


class Part:
    """What is installed together, and the stamp that says so."""

    def __init__(self, name, what, sources, *wanted):
        """`sources` say what is wanted, and each of `wanted` is what one call of pip is given."""
        self.name, self.what, self.sources, self.wanted = name, what, sources, wanted

    def stamp(self):
        """Return the file that is there when the part is."""
        return VENV / ("posviz-%s" % self.name)

    def state(self):
        """Return what an up-to-date stamp says: where, with which Python, with which sources."""
        sources = b"".join((ROOT / name).read_bytes() for name in self.sources)
        return "%s\n%s\n" % (home(), hashlib.sha256(sources).hexdigest())

    def is_installed(self):
        """Return whether the part is there as its sources want it."""
        stamp = self.stamp()
        return stamp.exists() and venv_python().exists() and stamp.read_text() == self.state()


LAB = Part(
    "lab",
    "JupyterLab, PyTorch and the pictures (300 MB to fetch, 1.3 GB on disk; with CUDA several GB)",
    ("pyproject.toml", "constraints.txt"),
    ["-e", ".[torch,lab,publish]"],
)
TEST = Part(
    "test",
    "what the checks need (240 MB to fetch, 0.9 GB on disk)",
    LAB.sources + ("tests/oracles.txt",),
    ["-e", ".[mp4,test,bench]"],
    ["--no-deps", "-r", "tests/oracles.txt"],
)


def main(arguments):
    """Run one of the two commands and return its exit status."""
    command, extra = (arguments[0], arguments[1:]) if arguments else ("", [])
    if command not in ("lab", "test"):
        sys.exit(USAGE)
    if command == "lab":
        check_port(extra)
        # Kernels inherit it: glibc would keep the bitmaps that matplotlib frees, 40 MB in a lesson.
        os.environ.setdefault("MALLOC_MMAP_THRESHOLD_", str(4 * 2**20))
    set_up([LAB] if command == "lab" else [LAB, TEST])
    if command == "test":
        if "--quick" not in extra:
            install_chromium()
        if "--oldest" in extra:
            extra = [option for option in extra if option != "--oldest"]
            quick, lesson = ["--quick"] + extra, ["-k", ONE_LESSON] + extra
            return call(test_command(quick)) or call(test_command(lesson))
        return call(test_command(extra))
    os.chdir(str(ROOT))
    return start.become(start.lab_command(venv_python(), NOTEBOOKS, VENV / "workspaces", extra))


def test_command(extra):
    """Return the command line that runs every check.

    On two cores three workers end sooner than two, for browsers and kernels let them wait.
    """
    workers = "2" if "--quick" in extra else "3"
    order = ["--dist", "loadfile", "--no-loadscope-reorder"]  # of tests/speeds.py
    return [str(venv_python()), "-m", "pytest", "-n", workers] + order + list(extra)


# Setting up


def set_up(parts):
    """Install those parts that are not there as they are wanted.

    Stamps are away while anything is installed: without one an earlier set-up was interrupted,
    nobody knows where, so the environment is made anew. So it is when the project has moved or
    Python has changed. With other requirements pip brings it up to date.
    """
    missing = [part for part in parts if not part.is_installed()]
    if not missing:
        return
    check_disk()
    if not can_be_updated():
        make_venv()
        missing = parts
    for part in (LAB, TEST):
        part.stamp().unlink(missing_ok=True)
    for part in missing:
        install(part)
    for part in parts:
        part.stamp().write_text(part.state())


def can_be_updated():
    """Return whether `.venv` was made here, with this Python, and left whole."""
    stamp = LAB.stamp()
    return venv_python().exists() and stamp.exists() and stamp.read_text().startswith(home() + "\n")


def home():
    """Return what an environment is made for."""
    return "%s, Python %d.%d" % (ROOT, sys.version_info[0], sys.version_info[1])


def check_disk():
    """Stop with one line when the disk cannot hold the environment."""
    free = shutil.disk_usage(ROOT).free / 1e9
    if free < FREE_GIGABYTES:
        sys.exit(
            "There is not enough disk space: %.1f GB are free in %s and about %d GB are needed."
            % (free, ROOT, FREE_GIGABYTES)
        )


def make_venv():
    """Make an empty `.venv`, in place of whatever is there."""
    say("Making %s" % VENV.name)
    if VENV.is_symlink():  # what it leads to is somebody else's: venv --clear would empty that
        VENV.unlink()
    python = getattr(sys, "_base_executable", sys.executable)  # also when .venv itself runs this
    made = subprocess.run(
        [python, "-m", "venv", "--clear", str(VENV)], capture_output=True, text=True
    )
    if made.returncode == 0:
        return
    output = made.stdout + made.stderr
    if "ensurepip" in output or "No module named venv" in output:
        sys.exit(
            "This Python cannot make virtual environments: on Debian and Ubuntu, run"
            " `apt install python3-venv`, then run this again."
        )
    sys.exit(explain(output, "Making .venv"))


def install(part):
    """Install a part into `.venv`."""
    say("Installing %s, this once; what pip says is in %s" % (part.what, LOG))
    LOG.unlink(missing_ok=True)
    options = ["-c", constraints()]
    if part is LAB:
        build, reason = torch_build()
        options += build
        TORCH_REASON.write_text(reason + "\n")
    for wanted in part.wanted:
        pip_install(options + wanted)


def constraints():
    """Return the file that pins versions: those last tested, or the oldest that are allowed."""
    if VENV.name == ".venv":
        return "constraints.txt"
    bounds = re.findall(r'"([\w-]+)>=([\d.]+)"', (ROOT / "pyproject.toml").read_text())
    oldest = VENV / "oldest.txt"
    oldest.write_text("".join("%s==%s\n" % bound for bound in bounds))
    return str(oldest)


def torch_build():
    """Return pip's options that choose the build of torch, and the reason for the choice.

    Only pip's usual index for Linux gives a build with CUDA where nothing can use it.
    """
    if not sys.platform.startswith("linux"):
        return [], "pip's usual index has this system's own build"
    if has_own_index():
        return [], "pip's own settings say where packages come from"
    if has_nvidia_driver():
        return [], "there was an NVIDIA driver"
    if not answers(CPU_BUILDS + "/torch/"):
        say("  The builds of PyTorch for the CPU cannot be reached: pip's usual index has to do.")
        return [], "the builds for the CPU could not be reached"
    return ["--extra-index-url", CPU_BUILDS], "there was no NVIDIA driver"


def has_own_index():
    """Return whether pip was told by its user where packages come from."""
    listed = subprocess.run(
        [str(venv_python()), "-m", "pip", "config", "list"], capture_output=True, text=True
    )
    return any(name in listed.stdout for name in ("index-url", "no-index", "find-links"))


def has_nvidia_driver():
    """Return whether the driver of an NVIDIA GPU is loaded or installed."""
    return os.path.exists("/proc/driver/nvidia/version") or bool(shutil.which("nvidia-smi"))


def answers(address):
    """Return whether something is to be had at this address, soon."""
    try:
        with urllib.request.urlopen(address, timeout=10) as answer:
            return answer.status == 200
    except OSError:
        return False


def pip_install(wanted):
    """Install what is wanted, and stop with one line when pip cannot."""
    command = [str(venv_python()), "-m", "pip", "install", "--disable-pip-version-check"]
    lines = []
    with LOG.open("a") as log, start.leave_ctrl_c_to_the_child():
        pip = subprocess.Popen(
            command + wanted,
            cwd=str(ROOT),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for line in pip.stdout or ():
            lines.append(line)
            log.write(line)
            if progress(line):
                say("  " + progress(line))
        status = pip.wait()
    if status != 0:
        sys.exit(explain("".join(lines), "Installing"))


def progress(line):
    """Return what a reader is told when pip says this line: larger files, and the last step."""
    words = line.split()
    if words[:1] == ["Downloading"] and words[-1:] == ["MB)"]:
        return "fetching %s %s MB" % (words[1].partition("-")[0], words[-2].lstrip("("))
    if words[:2] == ["Installing", "collected"]:
        return "unpacking %d packages" % (len(words) - 3)
    return ""


def explain(output, task):
    """Return the one line that says why pip or venv failed at its task."""
    for signs, meaning in PIP_FAILURES:
        if any(sign in output for sign in signs):
            return meaning.format(LOG)
    last = output.strip().splitlines()[-1:] or ["it said nothing"]
    return "%s failed: %s" % (task, last[0])


def install_chromium():
    """Provide the browser that the tests drive: the one on the PATH, apt's, or Playwright's."""
    if find_chromium():
        return
    if is_root() and shutil.which("apt-get"):
        say("Installing Chromium with apt")
        commands = [["apt-get", "update"], ["apt-get", "install", "-y", "chromium"]]
    else:
        commands = [[str(venv_python()), "-m", "playwright", "install", "chromium"]]
    if any(call(command) != 0 for command in commands):
        sys.exit(
            "The browser tests need Chromium and it could not be installed: install it so that"
            " `chromium` is on the PATH, and run this again."
        )


# What is there


def find_chromium():
    """Return the path of a Chromium on the PATH, or None."""
    return shutil.which("chromium") or shutil.which("chromium-browser")


def venv_python():
    """Return the path of the Python in `.venv`."""
    return VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def is_root():
    """Return whether this process may do anything on a Unix machine."""
    return hasattr(os, "geteuid") and os.geteuid() == 0


def check_port(extra):
    """Stop with one line when the port that JupyterLab is about to use is taken."""
    port = wanted_port(extra)
    with socket.socket() as probe:
        if os.name != "nt":  # as JupyterLab does: a port whose last user just left is free
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            if error.errno not in (errno.EADDRINUSE, errno.EACCES):
                raise
            sys.exit(
                "Port %d is taken, perhaps by a JupyterLab that still runs: close that one, or"
                " choose another port with `python run.py lab --port=%d`." % (port, port + 1)
            )


def wanted_port(extra):
    """Return the port named in JupyterLab's options, or JupyterLab's own default."""
    for position, option in enumerate(extra):
        name, _, value = option.partition("=")
        if name in ("--port", "--ServerApp.port"):
            value = value or "".join(extra[position + 1 : position + 2])
            if not value.isdigit() or int(value) > 65535:
                sys.exit("--port needs a number from 0 to 65535, and got %r." % value)
            return int(value)
    return 8888


def say(text):
    """Print one line at once, also into a pipe."""
    print(text)
    sys.stdout.flush()


def call(command):
    """Run `command` in the project's folder and return its exit status."""
    with start.leave_ctrl_c_to_the_child():
        return subprocess.call(command, cwd=str(ROOT))


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(STOPPED)
    except OSError as problem:
        sys.exit(DISK_FULL if problem.errno == errno.ENOSPC else str(problem))
