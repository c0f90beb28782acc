"""The command line as a reader meets it: what it writes, says and returns, and how it stops."""

import contextlib
import os
import resource
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import psutil
import pytest
from PIL import Image
from typer.testing import CliRunner

import posviz
import posviz.pictures
from posviz.__main__ import app
from posviz.publish import batch, choose, doctor, figures, page, slides

ROOT = Path(__file__).parents[1]
STOPPED = "Stopped: the files that are there are whole; run it again for the others."
COMMAND = [sys.executable, "-m", "posviz"]


@pytest.fixture
def call(monkeypatch):
    """Call the command line in this process, where nothing is drawn and no process started."""
    jobs = {}

    def run(asked, _unit):
        jobs.update(asked)
        return {name: "disk full" for name in asked if "ScoreDecay" in name}

    def called(line):
        jobs.clear()
        result = CliRunner().invoke(app, line if isinstance(line, list) else line.split())
        result.jobs = dict(jobs)
        return result

    monkeypatch.setattr(batch, "run", run)
    return called


def posviz_(*arguments, **settings):
    """Run it in a process of its own."""
    text = {"capture_output": True, "text": True, "cwd": ROOT}
    return subprocess.run([*COMMAND, *map(str, arguments)], **text | settings)


# ---------------------------------------------------------------- help and lists


def test_help_tells_of_every_command_and_gives_examples(call):
    shown = call("--help").output.splitlines()
    for command in ("list", "export", "page", "slides", "doctor"):
        assert any(line.startswith(f"  {command} ") for line in shown), command
    for command in ("list", "export", "page", "slides"):
        printed = call(f"{command} --help").output
        assert f"\n  posviz {command} " in printed
    assert call("").output == call("--help").output


def test_examples_in_the_help_are_understood(call, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = call("export --help").output.splitlines()
    examples = [line.split()[1:] for line in lines if line.startswith("  posviz export ")]
    assert len(examples) >= 4
    for example in examples:
        assert call(example).exit_code in (0, 1), example


def test_help_loads_no_drawing_and_no_torch():
    heavy = ("torch", "matplotlib", "numpy", "traitlets", "PIL")
    program = f"import posviz.__main__, sys; print([x for x in {heavy} if x in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT)
    assert done.stdout == "[]\n"


def test_the_entry_point_is_this_programs_main():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    module, name = project["scripts"]["posviz"].split(":")
    assert callable(getattr(sys.modules[module], name))


def test_its_version_is_the_packages(call):
    result = call("--version")
    assert (result.exit_code, result.output) == (0, f"posviz {posviz.__version__}\n")


def test_list_has_every_picture_or_those_of_a_lesson(call):
    everything = call("list").output
    assert all(f"  {name}: " in everything for name in posviz.pictures.names())
    some = call("list --lesson 8").output
    assert set(some.splitlines()) < set(everything.splitlines())
    assert {line[:2] for line in some.splitlines()} == {"08"}


def test_doctor_fails_only_for_what_the_course_needs(call, monkeypatch):
    found = [doctor.Check("numpy", "2.0"), doctor.Check("ffmpeg", "none", fine=False)]
    monkeypatch.setattr(doctor, "checks", lambda: iter(found))
    result = call("doctor")
    assert result.exit_code == 0
    assert result.output.splitlines() == [str(check) for check in found]
    found.append(doctor.Check("font", "gone", fine=False, fatal=True))
    assert call("doctor").exit_code == 1


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("export", "name pictures, or choose a --lesson, or --all"),
        ("export SinusoidalTabel", "Did you mean 'SinusoidalTable'"),
        ("export --lesson 77", "lesson '77' is unknown"),
        ("export --all ThreeDoors", "--all means every picture"),
        ("export ThreeDoors --format jpg", "format 'jpg' is unknown"),
        ("export ThreeDoors --style slides", "Did you mean 'slide'"),
        ("export ThreeDoors --set dor=x", "Did you mean 'door'"),
        ("export ThreeDoors --set door", "write --set knob=value"),
        (
            "export AlibiSlopes --set head=40",
            "head = 40 is refused: it must be a whole number betw",
        ),
        ("export AlibiSlopes --animate haed", "Did you mean 'head'"),
        ("export RotaryScores --animate sentence", "cannot move in an animation"),
        (f"export AlibiSlopes --to {__file__}", "is not a folder"),
        (f"export AlibiSlopes --to {__file__}/figures", "cannot be a folder: Not a directory"),
        (f"export AlibiSlopes --to {'x' * 300}", "cannot be a folder: File name too long"),
        ("list --lesson 77", "lesson '77' is unknown"),
        ("page", "choose the lessons: --lesson 05"),
        ("page --all --lesson 05", "choose the lessons: --lesson 05"),
        ("page --lesson roep", "Did you mean '05_rope'"),
        ("slides --lesson 77", "lesson '77' is unknown"),
        ("slides --all --notebooks /nowhere", "no notebooks in /nowhere"),
        ("slides --all --to " + __file__, "is not a folder"),
    ],
)
def test_a_wrong_argument_is_one_line_and_nothing_is_done(call, line, message):
    result = call(line)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert message in result.stderr
    assert result.stderr.startswith("posviz: ")
    assert result.stderr.count("\n") == 1
    assert result.jobs == {}


@pytest.mark.parametrize("line", ["export --frmat svg", "exprot", "export --set"])
def test_what_typer_refuses_has_the_same_status(call, line):
    result = call(line)
    assert result.exit_code == 2
    assert "Error: " in result.stderr
    assert "Traceback" not in result.stderr


def test_without_ffmpeg_no_mp4_is_begun(call, monkeypatch, tmp_path):
    monkeypatch.setattr("posviz.engine.animation.util.find_spec", lambda _: None)
    monkeypatch.setenv("PATH", str(tmp_path))
    result = call("export ThreeDoors --format mp4")
    assert result.exit_code == 2
    assert "pip install imageio-ffmpeg" in result.stderr


# ---------------------------------------------------------------- what is asked for


def test_formats_and_animations_that_are_asked_for(call, tmp_path):
    def jobs(line):
        return list(call(f"export RotatingVectors AlibiSlopes --to {tmp_path} {line}").jobs)

    assert jobs("") == ["RotatingVectors.pdf", "AlibiSlopes.pdf"]
    assert jobs("rotatingvectors ALIBISLOPES") == jobs("")
    assert jobs("--format gif") == ["RotatingVectors_together.gif", "AlibiSlopes_head.gif"]
    assert jobs("--animate query") == ["RotatingVectors_query.gif"]
    assert jobs("--animate query --format png,mp4") == [
        "RotatingVectors.png",
        "RotatingVectors_query.mp4",
        "AlibiSlopes.png",
    ]


def test_style_colours_and_settings_reach_the_jobs(call, tmp_path):
    line = f"export AlibiSlopes --to {tmp_path} --style slide --dark --set head=3 --set seq_len=9"
    (job,) = call(line).jobs.values()
    setting = {"head": 3, "seq_len": 9}
    assert job.func is figures.save
    assert job.args == ("AlibiSlopes", setting, [tmp_path / "AlibiSlopes.pdf"], "slide", True)


def test_what_is_not_for_all_is_told_in_one_line(call, tmp_path):
    result = call(f"export ThreeDoors AlibiSlopes --set head=3 --animate door --to {tmp_path}")
    told = ["--set head=3 is not for ThreeDoors.", "--animate door is not for AlibiSlopes."]
    assert result.stderr.splitlines() == told
    assert list(result.jobs) == ["ThreeDoors_door.gif"]


def test_failures_are_told_at_the_end_and_give_status_1(call, tmp_path):
    result = call(f"export ScoreDecay AlibiSlopes --to {tmp_path}")
    assert result.exit_code == 1
    assert result.stderr == "failed: ScoreDecay.pdf: disk full\n"
    assert result.stdout == f"Files written to {tmp_path}: 1.\n"
    result = call(f"export AlibiSlopes --to {tmp_path} --format svg,pdf,png,gif")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == f"Files written to {tmp_path}: 4.\n"


@pytest.mark.parametrize(("command", "write"), [("page", "write_page"), ("slides", "write_slides")])
def test_pages_and_slides_of_the_lessons_meant(call, tmp_path, monkeypatch, command, write):
    indexed = []
    monkeypatch.setattr(page, "write_index", indexed.append)
    result = call(f"{command} --lesson 8 --lesson rope --to {tmp_path}")
    assert result.exit_code == 0
    assert list(result.jobs) == ["05_rope", "08_xpos"]
    for name, job in result.jobs.items():
        assert job.func is getattr({"page": page, "slides": slides}[command], write)
        assert job.args == (choose.notebooks()[name], tmp_path)
    assert indexed == ([tmp_path] if command == "page" else [])
    mine = tmp_path / "05_ScoreDecay.ipynb"  # which fails, as the only one
    mine.touch()
    result = call(f"{command} --all --notebooks {tmp_path} --to {tmp_path}")
    assert result.exit_code == 1
    assert result.jobs["05_ScoreDecay"].args == (mine, tmp_path)
    assert len(indexed) == (command == "page"), "an index of nothing"


def test_an_index_that_cannot_be_written_is_told_and_the_pages_count(call, tmp_path):
    (tmp_path / "index.html").mkdir()
    result = call(f"page --lesson 05 --to {tmp_path}")
    assert result.exit_code == 1
    reason = f"cannot write: Is a directory: {tmp_path / 'index.html'}"
    assert result.stderr == f"failed: index: {reason}\n"
    assert result.stdout == f"Lessons written to {tmp_path}: 1.\n"


# ---------------------------------------------------------------- processes and files


def test_figures_and_an_animation_and_then_only_what_is_missing(tmp_path):
    line = ["export", "AlibiSlopes", "--to", tmp_path / "a b", "--set", "head=3"]
    done = posviz_(*line, "--format", "png,gif")
    assert (done.returncode, done.stderr) == (0, "")
    names = ["AlibiSlopes.png", "AlibiSlopes_head.gif"]
    assert sorted(path.name for path in (tmp_path / "a b").iterdir()) == names
    assert "head=3" in Image.open(tmp_path / "a b" / names[0]).text["Comment"]
    (tmp_path / "a b" / names[0]).write_bytes(b"mine")
    done = posviz_(*line, "--format", "png,svg")
    kept = "Existing files kept, whatever they show: 1; --overwrite writes them anew.\n"
    assert done.stderr == kept
    assert (tmp_path / "a b" / names[0]).read_bytes() == b"mine"
    assert (tmp_path / "a b" / "AlibiSlopes.svg").exists()


def test_two_runs_give_the_same_bytes(tmp_path):
    runs = []
    for seed in "12":
        environment = os.environ | {"PYTHONHASHSEED": seed, "SOURCE_DATE_EPOCH": f"170000000{seed}"}
        line = ["export", "--lesson", "02", "--to", tmp_path / seed, "--format", "svg,pdf,png,gif"]
        assert posviz_(*line, env=environment).returncode == 0
        runs.append({path.name: path.read_bytes() for path in sorted((tmp_path / seed).iterdir())})
    assert len(runs[0]) == 4 * 7
    assert runs[0] == runs[1]


def small_files_only():
    """No file may become larger than 20 kB, as on a disk that is full."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))


def test_a_full_disk_is_told_and_leaves_nothing_half_written(tmp_path):
    kept = tmp_path / "AlibiSlopes.png"
    kept.write_bytes(b"old")
    formats = "png,gif,mp4"
    line = ["export", "AlibiSlopes", "--to", tmp_path, "--format", formats, "--overwrite"]
    done = posviz_(*line, preexec_fn=small_files_only)
    assert done.returncode == 1
    reasons = done.stderr.splitlines()
    assert len(reasons) == 3
    assert all(reason.startswith("failed: AlibiSlopes") for reason in reasons)
    assert done.stderr.count("File too large") >= 2
    assert list(tmp_path.iterdir()) == [kept]
    assert kept.read_bytes() == b"old"


def test_a_folder_that_cannot_be_made_is_told_for_each_picture():
    done = posviz_("export", "AlibiSlopes", "ThreeDoors", "--to", "/proc/figures")
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        f"failed: {name}.pdf: cannot write: No such file or directory: /proc/figures/{name}.pdf"
        for name in ("ThreeDoors", "AlibiSlopes")
    ]
    assert done.stdout == "Files written to /proc/figures: 0.\n"


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("whole_group", [False, True])
def test_stopping_leaves_whole_files_only(tmp_path, number, status, whole_group):
    line = [*COMMAND, "export", "--all", "--to", str(tmp_path), "--format", "png,mp4"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen(line, cwd=ROOT, start_new_session=True, **pipes)
    while process.poll() is None and len(list(tmp_path.glob("*.png"))) < 2:
        time.sleep(0.05)
    (os.killpg if whole_group else os.kill)(process.pid, number)
    _, told = process.communicate()
    assert process.returncode == status, told
    assert "Traceback" not in told
    assert told.splitlines() == [STOPPED]
    assert ends(process.pid), "processes are left"
    for path in tmp_path.iterdir():
        assert not path.name.startswith("."), path
        if path.suffix == ".png":
            Image.open(path).load()


def test_only_the_first_process_hears_ctrl_c_even_while_the_others_load(tmp_path):
    line = [*COMMAND, "export", "--lesson", "02", "--to", str(tmp_path), "--format", "svg"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen(line, cwd=ROOT, start_new_session=True, **pipes)
    while process.poll() is None:
        with contextlib.suppress(psutil.NoSuchProcess):  # it ended just now
            for child in psutil.Process(process.pid).children():
                if "spawn_main" in " ".join(child.cmdline()):
                    child.send_signal(signal.SIGINT)
        time.sleep(0.02)
    assert process.communicate() == (f"Files written to {tmp_path}: 7.\n", "")


def ends(group) -> bool:
    """Whether all processes of a group end by themselves; multiprocessing's own does so last."""
    for _ in range(200):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False
