"""run.py sets up once, goes on after an interruption, and says in one line what is wrong."""

import ast
import errno
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from types import SimpleNamespace

import pytest

import run
from posviz.publish import start
from tests.test_house import lowest_versions

NOTEBOOKS, SOURCE = run.NOTEBOOKS, (run.ROOT / "run.py").read_text()


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project in which making the environment and installing leave a trace and cost nothing."""
    done = []
    for name in run.TEST.sources:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(run.ROOT / name, tmp_path / name)
    monkeypatch.setattr(run, "ROOT", tmp_path)
    monkeypatch.setattr(run, "VENV", tmp_path / ".venv")

    def make_venv():
        done.append("venv")
        shutil.rmtree(run.VENV, ignore_errors=True)
        run.venv_python().parent.mkdir(parents=True)
        run.venv_python().touch()

    def install(part):
        assert list(run.VENV.glob("posviz-*")) == [], "a stamp is there before the work is done"
        done.append(part.name)

    monkeypatch.setattr(run, "make_venv", make_venv)
    monkeypatch.setattr(run, "install", install)
    return SimpleNamespace(folder=tmp_path, done=done, install=install)


LAB, BOTH = [run.LAB], [run.LAB, run.TEST]


@pytest.mark.parametrize(
    ("first", "second", "done"),
    [
        (LAB, LAB, ["venv", "lab"]),
        (LAB, BOTH, ["venv", "lab", "test"]),
        (BOTH, LAB, ["venv", "lab", "test"]),
    ],
)
def test_each_part_is_installed_once(project, first, second, done):
    for parts in (first, second, first, second):
        run.set_up(parts)
    assert project.done == done


@pytest.mark.parametrize("name", run.TEST.sources)
def test_changed_requirements_are_installed_into_the_same_environment(project, name):
    run.set_up(BOTH)
    with (project.folder / name).open("a") as file:
        file.write("# changed\n")
    project.done.clear()
    run.set_up(LAB)
    run.set_up(BOTH)
    run.set_up(BOTH)
    assert project.done == (["lab", "test"] if name in run.LAB.sources else ["test"])


@pytest.mark.parametrize("interruption", [KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("earlier", ["", "constraints.txt", "tests/oracles.txt"])
def test_an_interrupted_set_up_starts_again(project, monkeypatch, interruption, earlier):
    def interrupted(part):
        raise interruption

    if earlier:
        run.set_up(LAB)
        (project.folder / earlier).write_text("")
    monkeypatch.setattr(run, "install", interrupted)
    with pytest.raises(interruption):
        run.set_up(BOTH)
    project.done.clear()
    monkeypatch.setattr(run, "install", project.install)
    run.set_up(LAB)
    run.set_up(LAB)
    assert project.done == ["venv", "lab"]


def test_a_moved_project_and_a_vanished_python_are_set_up_anew(project, monkeypatch):
    run.set_up(BOTH)
    monkeypatch.setattr(run, "ROOT", project.folder.rename(project.folder.with_name("moved")))
    monkeypatch.setattr(run, "VENV", run.ROOT / ".venv")
    run.set_up(BOTH)
    run.venv_python().unlink()
    run.set_up(LAB)
    assert project.done == ["venv", "lab", "test"] * 2 + ["venv", "lab"]


def test_too_little_disk_space_is_said_before_anything_is_made(project, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=1e9))
    with pytest.raises(SystemExit, match=r"not enough disk space: 1\.0 GB are free"):
        run.set_up(LAB)
    assert project.done == []


@pytest.mark.parametrize(
    ("system", "pip_says", "driver", "answers", "options", "reason"),
    [
        ("linux", "", False, True, ["--extra-index-url", run.CPU_BUILDS], "no NVIDIA driver"),
        ("linux", "", False, False, [], "could not be reached"),
        ("linux", "", True, True, [], "there was an NVIDIA driver"),
        ("linux", "global.index-url='https://a.example'\n", False, True, [], "own settings"),
        ("linux", ":env:.extra-index-url='https://a.example'\n", True, True, [], "own settings"),
        ("linux", ":env:.find-links='/wheels'\n", False, True, [], "own settings"),
        ("darwin", "", False, True, [], "this system's own build"),
    ],
)
def test_the_build_of_torch(
    monkeypatch, capsys, system, pip_says, driver, answers, options, reason
):
    monkeypatch.setattr(sys, "platform", system)
    says = SimpleNamespace(stdout=f":env:.timeout='180'\n{pip_says}")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: says)
    monkeypatch.setattr(run, "has_nvidia_driver", lambda: driver)
    monkeypatch.setattr(run, "answers", lambda address: answers)
    chosen, why = run.torch_build()
    assert chosen == options
    assert reason in why
    assert capsys.readouterr().out.count("\n") == (not answers)


@pytest.mark.parametrize(("loaded", "tool"), [(True, None), (False, "/nvidia-smi"), (False, None)])
def test_a_driver_is_loaded_or_has_its_tool(monkeypatch, loaded, tool):
    monkeypatch.setattr(os.path, "exists", lambda _: loaded)
    monkeypatch.setattr(shutil, "which", lambda _: tool)
    assert run.has_nvidia_driver() == (loaded or tool is not None)


@pytest.mark.slow("seconds")
def test_an_address_answers_or_does_not(tmp_path):
    (tmp_path / "torch").touch()
    assert not run.answers("http://127.0.0.1:9/torch/")
    handler = partial(SimpleHTTPRequestHandler, directory=tmp_path)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever).start()
        address = f"http://127.0.0.1:{server.server_port}"
        assert (run.answers(f"{address}/torch"), run.answers(f"{address}/other")) == (True, False)
        server.shutdown()


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("  Downloading torch-2.13.0+cpu-cp311.whl (191.8 MB)\n", "fetching torch 191.8 MB"),
        ("  Downloading tqdm-4.70.1-py3-none-any.whl (78 kB)\n", ""),
        ("Collecting torch==2.13.0\n", ""),
        ("Installing collected packages: a, b, c\n", "unpacking 3 packages"),
    ],
)
def test_progress_names_what_is_large(line, told):
    assert run.progress(line) == told


@pytest.mark.slow("a process")
def test_an_old_python_gets_one_line():
    ast.parse(SOURCE, feature_version=(3, 4))  # what the newest parser can still vouch for
    program = "import sys; sys.version_info = (3, 10, 2, 'final', 0); exec(sys.stdin.read())"
    old = subprocess.run(
        [sys.executable, "-c", program], input=SOURCE, capture_output=True, text=True
    )
    assert old.stderr.startswith("Python 3.10 is too old: posviz needs Python 3.11 or newer.")
    assert (old.stderr.count("\n"), old.returncode) == (1, 1)


@pytest.mark.slow("a process")
def test_run_needs_the_standard_library_only():
    program = f"import sys; sys.path.insert(0, {str(run.ROOT)!r}); import run"
    subprocess.run([sys.executable, "-I", "-S", "-c", program], check=True)


@pytest.mark.slow("a process")
@pytest.mark.parametrize(
    ("settings", "line"),
    [
        ({"PIP_INDEX_URL": "http://127.0.0.1:9/", "PIP_RETRIES": "1"}, "No network"),
        ({"PIP_NO_INDEX": "1"}, "Pip's index does not have a package"),
    ],
)
def test_what_pip_says_becomes_one_line(tmp_path, settings, line):
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PIP_")}
    pip = subprocess.run(
        [sys.executable, "-m", "pip", "download", "--no-cache-dir", "a-package-nobody-has"],
        env={**clean, "PIP_CONFIG_FILE": os.devnull, **settings},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert pip.returncode != 0
    explained = run.explain(pip.stdout + pip.stderr, "Installing")
    assert explained.startswith(line)
    assert "\n" not in explained


def test_a_full_disk_and_an_unknown_failure_become_one_line():
    full = f"ERROR: Could not install: [Errno {errno.ENOSPC}] {os.strerror(errno.ENOSPC)}\n"
    assert run.explain(full, "Installing").startswith("There is no space left on the disk")
    assert run.explain("a\nsome cause\n", "Installing") == "Installing failed: some cause"
    assert run.explain("", "Making .venv") == "Making .venv failed: it said nothing"


@pytest.mark.slow("a process")
@pytest.mark.parametrize(("number", "told"), [(errno.ENOSPC, run.DISK_FULL), (errno.EIO, "odd")])
def test_only_a_full_disk_is_told_for_one(tmp_path, number, told):
    for name in ("run.py", "pyproject.toml", "constraints.txt"):
        shutil.copy(run.ROOT / name, tmp_path)
    program = f"""
import runpy, shutil, sys
def fails(_): raise OSError({number}, "odd")
shutil.disk_usage, sys.argv = fails, ["run.py", "lab", "--port=0"]
runpy.run_path("run.py", run_name="__main__")"""
    command = [sys.executable, "-c", program]
    path = {"PYTHONPATH": str(run.ROOT)}
    done = subprocess.run(
        command, cwd=tmp_path, env=os.environ | path, capture_output=True, text=True
    )
    assert told in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.slow("a process")
def test_all_that_pip_says_is_in_the_log_where_it_fails(tmp_path, monkeypatch):
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\necho Collecting torch; echo some cause; exit 1\n")
    python.chmod(0o755)
    monkeypatch.setattr(run, "venv_python", lambda: python)
    monkeypatch.setattr(run, "LOG", tmp_path / "install.log")
    with pytest.raises(SystemExit, match="Installing failed: some cause"):
        run.pip_install([])
    assert run.LOG.read_text() == "Collecting torch\nsome cause\n"


@pytest.mark.slow("a process")
def test_a_python_without_ensurepip_is_explained(tmp_path, monkeypatch):
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\necho 'ensurepip is not available'; exit 1\n")
    python.chmod(0o755)
    monkeypatch.setattr(sys, "_base_executable", str(python))
    monkeypatch.setattr(run, "VENV", tmp_path / ".venv")
    with pytest.raises(SystemExit, match="apt install python3-venv"):
        run.make_venv()
    python.write_text("#!/bin/sh\necho 'a strange cause'; exit 1\n")
    with pytest.raises(SystemExit, match=r"Making \.venv failed: a strange cause"):
        run.make_venv()


def test_a_link_in_place_of_the_environment_is_replaced_and_not_followed(tmp_path, monkeypatch):
    others = tmp_path / "others"
    others.mkdir()
    (others / "kept").touch()
    venv = tmp_path / ".venv"
    venv.symlink_to(others)
    monkeypatch.setattr(run, "VENV", venv)
    monkeypatch.setattr(run.subprocess, "run", lambda *_, **__: SimpleNamespace(returncode=0))
    run.make_venv()
    assert (others / "kept").exists()
    assert not venv.is_symlink()


@pytest.mark.parametrize("form", ["--port={}", "--port {}", "--ServerApp.port={}"])
def test_a_taken_port_is_said_before_anything_is_made(project, form):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(SystemExit, match=f"Port {port} is taken"):
            run.main(["lab", *form.format(port).split()])
    assert project.done == []
    run.check_port([f"--port={port}"])


@pytest.mark.parametrize("value", ["", "many", "70000", "-1"])
def test_a_port_that_is_none_is_refused(value):
    with pytest.raises(SystemExit, match="--port needs a number from 0 to 65535"):
        run.check_port([f"--port={value}"])


@pytest.mark.parametrize("arguments", [[], ["help"], ["--port=1"]])
def test_an_unknown_command_shows_how_it_is_used(arguments):
    with pytest.raises(SystemExit, match=r"usage: python run\.py lab"):
        run.main(arguments)


@pytest.mark.parametrize(("root", "tool"), [(True, "apt-get"), (False, "playwright")])
def test_chromium_is_installed_when_absent(monkeypatch, root, tool):
    called = []
    monkeypatch.setattr(run, "find_chromium", lambda: None)
    monkeypatch.setattr(run, "is_root", lambda: root)
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(run, "call", lambda command: called.append(command) or 0)
    run.install_chromium()
    assert all(tool in command for command in called)
    assert "chromium" in called[-1]
    monkeypatch.setattr(run, "call", lambda command: 1)
    with pytest.raises(SystemExit, match="need Chromium"):
        run.install_chromium()


@pytest.mark.parametrize(("options", "browser"), [([], True), (["--quick"], False), (["-x"], True)])
def test_a_quick_run_needs_no_browser(monkeypatch, options, browser):
    called = []
    monkeypatch.setattr(run, "set_up", lambda _: None)
    monkeypatch.setattr(run, "install_chromium", lambda: called.append("chromium"))
    monkeypatch.setattr(run, "call", lambda command: 0)
    run.main(["test", *options])
    assert called == ["chromium"] * browser


@pytest.mark.parametrize("name", ["chromium", "chromium-browser"])
def test_a_browser_of_either_name_is_found(monkeypatch, name):
    monkeypatch.setattr(shutil, "which", lambda asked: f"/{asked}" if asked == name else None)
    assert run.find_chromium() == f"/{name}"


def test_the_two_commands_pass_further_options_on():
    assert run.test_command(["-k", "rotary"])[-2:] == ["-k", "rotary"]
    assert start.lab_command("python", run.NOTEBOOKS, run.VENV, ["-x"])[-1] == "-x"


@pytest.mark.slow("a process")
def test_ctrl_c_belongs_to_the_program_that_runs():
    program = "import run, sys; run.say('ready'); sys.exit(run.call(['sleep', '60']))"
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=run.ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.5)  # until sleep runs
    os.killpg(process.pid, signal.SIGINT)
    assert process.communicate(timeout=20) == ("", "")
    assert process.returncode != 0


LAB_OF_ITS_OWN = """
import run, sys
from posviz.publish import start
run.set_up = run.check_port = lambda _: None
program = "import os, sys, time; print(os.getpid(), os.getcwd(), flush=True); {}"
start.lab_command = lambda *_: [sys.executable, "-c", program]
sys.exit(run.main(["lab"]))
"""


def lab(then):
    """`run.py lab` with a program in JupyterLab's place; its process, and what the program tells"""
    line = [sys.executable, "-c", LAB_OF_ITS_OWN.format(then)]
    process = subprocess.Popen(line, cwd=run.ROOT, stdout=subprocess.PIPE, text=True)
    number, folder = process.stdout.readline().split()
    assert folder == str(run.ROOT)
    return process, int(number)


@pytest.mark.slow("a process")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_jupyterlab_ends_with_the_process_that_began_it(number):
    process, its = lab("time.sleep(20)")
    process.send_signal(number)
    status, latest = process.wait(20), time.monotonic() + 2
    while (there := Path(f"/proc/{its}").exists()) and time.monotonic() < latest:
        time.sleep(0.02)
    assert (status, there) == (-number, False)


@pytest.mark.slow("a process")
def test_the_exit_status_of_jupyterlab_is_that_of_run():
    process, _ = lab("sys.exit(7)")
    assert process.wait(20) == 7


def test_the_oldest_versions_are_those_that_pyproject_allows(project, monkeypatch):
    assert run.constraints() == "constraints.txt"
    monkeypatch.setattr(run, "VENV", project.folder / ".venv-oldest")
    run.VENV.mkdir()
    pinned = dict(line.split("==") for line in Path(run.constraints()).read_text().split())
    assert pinned.items() >= lowest_versions().items()


def test_the_oldest_versions_pass_the_quick_tests_and_one_lesson(project, monkeypatch):
    called = []
    monkeypatch.setattr(run, "install_chromium", lambda: None)
    monkeypatch.setattr(run, "call", lambda command: called.append(command) or 0)
    assert run.main(["test", "--oldest", "-x"]) == 0
    quick, lesson = [command[command.index("--no-loadscope-reorder") + 1 :] for command in called]
    assert (quick, lesson) == (["--quick", "-x"], ["-k", run.ONE_LESSON, "-x"])
    assert (NOTEBOOKS / f"{run.ONE_LESSON}.ipynb").exists()


@pytest.mark.slow("a process")
def test_the_oldest_versions_have_an_environment_of_their_own():
    program = "import run; print(run.VENV.name)"
    for option, name in (("--oldest", ".venv-oldest"), ("--quick", ".venv")):
        line = [sys.executable, "-c", program, "test", option]
        done = subprocess.run(line, cwd=run.ROOT, capture_output=True, text=True)
        assert done.stdout == f"{name}\n"
