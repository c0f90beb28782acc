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

import contextlib
import errno
import hashlib
import os
import shutil
import signal
import socket
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent
NOTEBOOKS = ROOT / "notebooks"
VENV = ROOT / ".venv"
STAMP = VENV / "posviz-installed"
LOG = VENV / "install.log"
SOURCES = ("pyproject.toml", "constraints.txt", "tests/oracles.txt")
FREE_GIGABYTES = 3  # what a CPU-only installation and its downloads take

USAGE = """usage: python run.py lab  [options for JupyterLab, such as --port=8890 or --no-browser]
       python run.py test [options for pytest, such as -x or -k rotary]"""

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


def main(arguments):
    """Run one of the two commands and return its exit status."""
    command, extra = (arguments[0], arguments[1:]) if arguments else ("", [])
    if command not in ("lab", "test"):
        sys.exit(USAGE)
    if command == "lab":
        check_port(extra)
        # Kernels inherit it: glibc would keep the bitmaps that matplotlib frees, 40 MB in a lesson.
        os.environ.setdefault("MALLOC_MMAP_THRESHOLD_", str(4 * 2**20))
    set_up()
    if command == "test":
        install_chromium()
        return call(test_command(extra))
    return call(lab_command(NOTEBOOKS, VENV / "workspaces", extra))


def lab_command(folder, workspaces, extra):
    """Return the command line that opens JupyterLab on `folder`'s 00_start_here.ipynb.

    The overrides in `lab-settings` keep JupyterLab from asking about news and from looking for
    updates. The folder of workspaces is the course's own, so tabs of other projects stay away.
    """
    return (
        [
            str(venv_python()),
            "-m",
            "jupyterlab",
            "--ServerApp.root_dir=%s" % folder,
            "--ServerApp.ip=127.0.0.1",
            "--ServerApp.port_retries=0",
            "--LabApp.default_url=/lab/tree/00_start_here.ipynb",
            "--LabApp.app_settings_dir=%s" % (ROOT / "lab-settings"),
            "--LabApp.workspaces_dir=%s" % workspaces,
        ]
        + (["--allow-root"] if is_root() else [])
        + list(extra)
    )


def test_command(extra):
    """Return the command line that runs every check."""
    return [str(venv_python()), "-m", "pytest", "-n", "2", "--dist", "loadfile"] + list(extra)


# Setting up


def set_up():
    """Make `.venv` and install everything, unless the stamp says that this is done.

    The stamp is written last: without it an earlier set-up was interrupted, nobody knows where,
    so the environment is made anew. So it is when the project has moved or Python has changed.
    With other requirements pip brings it up to date.
    """
    home = "%s, Python %d.%d" % (ROOT, sys.version_info[0], sys.version_info[1])
    requirements = requirements_hash()
    found = STAMP.read_text().splitlines() if STAMP.exists() and venv_python().exists() else []
    if found == [home, requirements]:
        return
    check_disk()
    STAMP.unlink(missing_ok=True)
    if found[:1] != [home]:
        make_venv()
    install()
    STAMP.write_text("%s\n%s\n" % (home, requirements))


def requirements_hash():
    """Return a hash of the files that say what is installed."""
    return hashlib.sha256(b"".join((ROOT / name).read_bytes() for name in SOURCES)).hexdigest()


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
    say("Making .venv")
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


def install():
    """Install the package with everything the course and its tests need into `.venv`."""
    say("Installing: some minutes the first time; all that pip says is in %s" % LOG)
    LOG.unlink(missing_ok=True)
    pip_install(["-c", "constraints.txt", "-e", ".[torch,lab,publish,test,bench]"])
    pip_install(["--no-deps", "-r", "tests/oracles.txt"])


def pip_install(wanted):
    """Install what is wanted, and stop with one line when pip cannot."""
    command = [str(venv_python()), "-m", "pip", "install", "--disable-pip-version-check"]
    lines = []
    with LOG.open("a") as log, leave_ctrl_c_to_the_child():
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
            if line.startswith(("Collecting", "Installing")):
                say("  " + line.strip()[:96])
        status = pip.wait()
    if status != 0:
        sys.exit(explain("".join(lines), "Installing"))


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
    with leave_ctrl_c_to_the_child():
        return subprocess.call(command, cwd=str(ROOT))


@contextlib.contextmanager
def leave_ctrl_c_to_the_child():
    """Wait for the child, which gets Ctrl-C as well, to end in its own way.

    A handler does this, which the child does not inherit; an exception could lose the exit status.
    """
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(STOPPED)
    except OSError as problem:
        sys.exit(DISK_FULL if problem.errno == errno.ENOSPC else str(problem))
