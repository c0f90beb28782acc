"""The command line as a reader meets it: what it understands, refuses, says and returns."""

import json
import os
import re
import subprocess
import sys
import webbrowser
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from http.server import ThreadingHTTPServer
from pathlib import Path
from unittest.mock import Mock
from urllib.request import urlopen

import pytest
from typer.testing import CliRunner

import posviz
import posviz_course.lessons
from posviz.files import SETTING
from posviz_course import progress
from posviz_course.configs.builtin import CONFIGS
from posviz_course.course import EXAMINATION, LESSONS, OF_TOPIC
from posviz_course.lab import named as sweeps
from posviz_tools.__main__ import app
from posviz_tools.classroom import grade, submission
from posviz_tools.cli import arguments, common, doctor, proof
from posviz_tools.cli.common import GROUPS
from posviz_tools.publish import page, rerun, slides
from posviz_tools.publish.site import pages
from tests.classroom.made_up import BLANK, hand_in

ROOT = Path(__file__).parents[2]
ROPE, XPOS = OF_TOPIC["rotary"], OF_TOPIC["xpos"]


COMMANDS = (
    *("list", "export", "site", "slides", "proof", "rerun", "config", "start", "sweep"),
    *("assign", "grade", "guide", "identify"),
)
OTHERS = ("progress", "doctor")


@pytest.fixture
def call(monkeypatch):
    """Call the command line in this process, where nothing is drawn and no process started."""
    run_jobs = common.run_jobs

    def called(line):
        jobs = {}

        def keep(asked, to, show="", at_once=1):
            run_jobs(dict.fromkeys(asked, int), to, show)
            jobs.update(asked)

        monkeypatch.setattr(common, "run_jobs", keep)
        result = CliRunner().invoke(app, line if isinstance(line, list) else line.split())
        result.jobs = jobs
        return result

    return called


def test_help_tells_of_every_command_and_gives_examples(call):
    shown = call("--help").output.splitlines()
    for command in COMMANDS:
        assert any(line.startswith(f"  {command} ") for line in shown), command
    for command in COMMANDS:
        printed = call(f"{command} -h").output
        assert f"\n  posviz {command} " in printed
        assert not re.search(r"<\w", printed), "a type of Python's"
    assert {name for names in GROUPS.values() for name in names} == {*COMMANDS, *OTHERS}
    assert call("").output == call("--help").output


@pytest.mark.slow("a process")
def test_help_loads_no_drawing_and_no_torch():
    heavy = ("torch", "matplotlib", "numpy", "traitlets", "PIL")
    program = f"import posviz_tools.__main__, sys; print([x for x in {heavy} if x in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT)
    assert done.stdout == "[]\n"


def test_its_version_is_the_packages(call):
    result = call("--version")
    assert (result.exit_code, result.output) == (0, f"posviz {posviz.__version__}\n")


def test_list_has_a_line_for_each_lesson_or_the_controls_of_what_is_named(call):
    everything = call("list").output.splitlines()
    assert [line[:2] for line in everything] == [lesson.number for lesson in LESSONS]
    assert all(name in "\n".join(everything) for name in posviz_course.lessons.names())
    for asked in (str(int(XPOS.number)), "xpos"):
        assert {line[:2] for line in call(f"list {asked}").output.splitlines()} == {XPOS.number}
    assert call("list RotatingVectors").output.splitlines()[:2] == [
        f"{ROPE.number}  RotatingVectors: "
        "If query and key rotate together, their score stays the same",
        f"{ROPE.number}  RotatingVectors  together = 6  a whole number between 0 and 30  "
        "(both moved by)  [moves in an animation]",
    ]


@pytest.mark.slow("all pictures are loaded")
def test_list_has_a_line_for_every_knob_of_every_picture(call):
    lines = call(["list", *(lesson.number for lesson in LESSONS)]).output.splitlines()
    for name in posviz_course.lessons.names():
        found = posviz_course.lessons.load(name)
        mine = [line for line in lines if line.split()[1].rstrip(":") == name]
        assert len(mine) == 1 + len(found.knobs())
        assert all(
            f"  {knob} = " in line for knob, line in zip(found.knobs(), mine[1:], strict=True)
        )
        (moving,) = [line for line in mine if line.endswith("[moves in an animation]")]
        assert f"  {found.filmed_knobs()[0]} = " in moving


def test_doctor_fails_only_for_what_the_course_needs(call, monkeypatch):
    found = [("ok", "numpy", "2.0"), ("missing", "torch", "none")]
    monkeypatch.setattr(doctor, "checks", lambda: iter(found))
    result = call("doctor")
    assert result.exit_code == 0
    assert [tuple(line.split()) for line in result.output.splitlines()] == found
    found.append(("FAILS", "font", "gone"))
    assert call("doctor").exit_code == 1


def test_sweep_names_its_runs_tells_what_is_done_and_does_its_part(call, monkeypatch, tmp_path):
    named = sweeps.named("small")
    lines = call("sweep small --list").output.splitlines()
    assert lines == [f"{config.key}  {config}" for config in named]
    assert call("sweep small --list --part 2/4").output.splitlines() == lines[1:2]
    told = call(f"sweep small --status --to {tmp_path}").output
    assert told == "recall: 0 of 4, 0 s of one core\n"
    asked = []
    monkeypatch.setattr(
        "posviz_course.lab.sweep.sweep", lambda *given: asked.append(given) or given[0][:1]
    )
    done = call(f"sweep small --part 1/2 --to {tmp_path}")
    assert asked == [((named[0], named[2]), tmp_path)]
    assert (done.exit_code, done.output) == (1, f"Runs in {tmp_path}: 1 of 2.\n")
    assert call(f"sweep small --part 1/4 --to {tmp_path}").exit_code == 0
    monkeypatch.setattr("posviz.arrays._why_not", lambda name: f"there is no {name}")
    refused = call(f"sweep large --device CUDA --to {tmp_path}")
    assert (refused.exit_code, len(asked)) == (2, 2)
    assert "device CUDA cannot be used: there is no CUDA" in " ".join(refused.output.split())


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (f"export AlibiSlopes --to {__file__}", "cannot be a folder: File exists"),
        (f"export AlibiSlopes --to {__file__}/figures", "cannot be a folder: Not a directory"),
        ("list 77", "picture or lesson '77' is unknown"),
        ("sweep tiny", "name must be one of 'lesson', 'small', 'large', got 'tiny'"),
        ("sweep --part 3", "part must be k/n with k from 1 to n, such as 3/10, got '3'"),
        ("slides examination", "the examination has no slides"),
        ("site --repository github.com/you/posviz", "takes one as https://github.com/you/posviz"),
        ("assign 05 --for oter --to lab", "Did you mean 'otter'"),
        ("assign 00 --to lab", "00_start_here.ipynb has no exercises"),
        ("assign 00 --solved --to lab", "00_start_here.ipynb has no exercises"),
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


@pytest.mark.parametrize("line", ["export --frmat svg", "exprot"])
def test_what_typer_refuses_has_the_same_status(call, line):
    result = call(line)
    assert result.exit_code == 2
    assert "Error: " in result.stderr
    assert "Traceback" not in result.stderr


def test_who_types_lab_is_told_of_start(call):
    result = call("lab --port=1")
    assert result.output == "posviz: there is no command 'lab'. Did you mean `posviz start`?\n"


@pytest.mark.parametrize(
    ("module", "told"),
    [
        ("playwright.sync_api", "playwright && playwright install chromium"),
        ("torch", "'posviz[torch]'"),
        ("nbformat", "'posviz[publish]'"),
        ("scipy", "scipy"),
    ],
)
def test_a_package_that_is_missing_is_a_line_with_what_to_run(call, module, told, monkeypatch):
    missing = Mock(side_effect=ModuleNotFoundError(name=module))
    monkeypatch.setattr(progress, "report", missing)
    result = call("progress")
    package = module.partition(".")[0]
    assert result.output == f"posviz: {package} is missing: run `pip install {told}`.\n"
    assert result.exit_code == 2


def test_pages_ask_at_once_for_all_that_they_need(call, monkeypatch):
    missing = Mock(side_effect=ModuleNotFoundError(name="jinja2"))
    monkeypatch.setattr(arguments, "pictures", missing)
    assert "run `pip install 'posviz[publish,live]'`" in call("export 05").output


def test_a_configuration_is_told_and_its_status_says_whether_it_is_misread(call, tmp_path):
    path, entry = tmp_path / "config.json", {"rope_type": "default", "rope_theta": 1e4}
    path.write_text(json.dumps({"model_type": "llama", "rope_parameters": entry}))
    plain = call(f"config {path}")
    assert (plain.exit_code, "All layers rotate" in plain.output) == (0, True)
    assert json.loads(call(f"config {path} --json").output)["kinds"][0]["base"] == 1e4
    path.write_text(json.dumps({"head_dim": 64}))
    warned = call(f"config {path}")
    assert (warned.exit_code, "! " in warned.output) == (1, True)
    (empty := tmp_path / "empty").mkdir()
    for broken in (path, tmp_path / "none.json", empty):
        path.write_text("{")
        refused = call(f"config {broken}")
        assert (refused.exit_code, refused.output.count("\n")) == (2, 1)
        assert str(broken.name) in refused.output


def test_built_in_configurations_are_listed_and_told(call, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    listed = call("config")
    assert (listed.exit_code, listed.output.splitlines()) == (0, [*CONFIGS])
    told = call(["config", "gpt-oss 120b"])
    assert (told.exit_code, "yarn × 32" in told.output) == (0, True)
    for near, name in {"gemma4": "Gemma 4", "Gemma 3": "Gemma 3 4B"}.items():
        assert f"Did you mean '{name}'?" in call(["config", near]).output
    (tmp_path / "Gemma 4").write_text('{"head_dim": 6, "rope_theta": 7}')  # a file comes first
    assert "Assumed" in call(["config", "Gemma 4"]).output


def test_the_folder_may_begin_with_a_tilde_or_be_a_setting(call, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv(SETTING, "~/mine")
    for option, folder in {"--to=~/talk": "talk", "": "mine", "--to figures/05": "mine/05"}.items():
        (job,) = call(f"export AlibiSlopes {option}").jobs.values()
        assert job.args[1] == [tmp_path / folder / "AlibiSlopes.pdf"]


def test_a_command_tells_how_many_files_it_has_written(call, tmp_path):
    result = call(f"export AlibiSlopes --to {tmp_path} --format svg,pdf,png,gif")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == f"Files written to {tmp_path}: 4.\n"


@pytest.mark.slow("a process")
@pytest.mark.parametrize(
    ("line", "file"),
    [
        ("export AlibiSlopes --format svg,png", "AlibiSlopes.svg"),
        ("site", "index.html"),
        ("site 05", "05_rope.html"),
        ("site 05", "notebooks/05_rope.ipynb"),  # a reader's, with answers
        ("slides 05", "05_rope_slides.html"),
    ],
)
def test_files_that_are_there_are_refused_or_replaced(call, tmp_path, line, file):
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).touch()
    refused = call(f"{line} --to {tmp_path}")
    assert (refused.exit_code, refused.jobs) == (2, {})
    assert f"{file} is there already: give --overwrite." in refused.stderr
    assert call(f"{line} --to {tmp_path} --overwrite").jobs


@pytest.mark.slow("deno, the first time")
@pytest.mark.parametrize(("command", "write"), [("site", "write_page"), ("slides", "write_slides")])
def test_pages_and_slides_of_the_lessons_meant(call, tmp_path, command, write):
    result = call(f"{command} {XPOS.number} rope --to {tmp_path}")
    assert result.exit_code == 0
    stems = [Path(name).stem.removesuffix("_slides") for name in result.jobs]
    assert stems == sorted([ROPE.notebook, XPOS.notebook])
    for stem, job in zip(stems, result.jobs.values(), strict=True):
        assert job.func is getattr({"site": page, "slides": slides}[command], write)
        assert (job.args[0].path, job.args[1]) == (arguments.notebooks()[stem], tmp_path)


def test_open_serves_the_folder_and_opens_the_first_file(tmp_path, monkeypatch):
    """The browser here is a thread that fetches what it is given; one answer is enough."""
    (tmp_path / "index.html").write_text("The course")
    pool, fetched = ThreadPoolExecutor(), []
    fetch = lambda address: fetched.append(pool.submit(lambda: urlopen(address).read()))  # noqa: E731
    monkeypatch.setattr(webbrowser, "open", fetch)
    monkeypatch.setattr(ThreadingHTTPServer, "serve_forever", ThreadingHTTPServer.handle_request)
    common.serve(tmp_path, "index.html")
    assert fetched[0].result(timeout=10) == b"The course"


@pytest.mark.slow("fetches scripts on a new machine")
def test_slides_for_a_lecture(call, tmp_path):
    def chosen(options):
        result = call(f"slides rope --to {tmp_path} {options}")
        assert result.exit_code == 0, result.stderr
        job = result.jobs[f"{ROPE.notebook}_slides.html"]
        return job.args[2].keywords["wanted"], job.args[2].keywords["time"], job.args[3]

    assert chosen("") == ((), 0, slides.Front())
    assert chosen("--sections 2,5,8")[:2] == ([2, 5, 8], 0)
    assert chosen("--minutes 20 --author Noether")[1:] == (20, slides.Front(author="Noether"))
    printed = call(f"slides rope --to {tmp_path} --pdf").jobs[f"{ROPE.notebook}_slides.pdf"]
    assert (printed.func, printed.args[0].name) == (slides.write_pdf, "05_rope_slides.html")
    decks = call(f"slides --all --to {tmp_path}").jobs
    assert list(decks) == [f"{lesson.notebook}_slides.html" for lesson in LESSONS]
    for options, told in (
        ("--sections 2,x", "--sections takes numbers with commas, as 2,5,8; got '2,x'."),
        ("--sections 2 --minutes 20", "choose --sections or --minutes, not both."),
    ):
        result = call(f"slides rope --to {tmp_path} {options}")
        assert (result.exit_code, result.stderr.find(told)) == (2, len("posviz: "))


def test_open_alone_serves_slides_that_are_there(call, tmp_path, monkeypatch):
    shown = []
    monkeypatch.setattr(common, "serve", lambda *given: shown.append(given))
    (tmp_path / f"{ROPE.notebook}_slides.html").touch()
    assert call(f"slides rope --to {tmp_path} --open").exit_code == 0
    assert call(f"slides rope --to {tmp_path} --open --minutes 20").exit_code == 2
    assert shown == [(tmp_path, f"{ROPE.notebook}_slides.html")]


@pytest.mark.slow("fetches scripts on a new machine")
def test_a_site_is_all_lessons_and_pictures_and_what_is_around_them(call, tmp_path):
    result = call(f"site --to {tmp_path} --repository https://github.com/you/posviz")
    lessons = arguments.notebooks()
    *jobs, (films, _), (_, around) = result.jobs.items()
    drawn = []
    for (files, job), (name, notebook) in zip(jobs, lessons.items(), strict=True):
        lesson, pictures, to = job.args
        drawn += pictures
        assert (lesson.path, to) == (notebook, tmp_path)
        assert lesson.site.repository == "you/posviz"
        assert lesson.site.address == "https://you.github.io/posviz/"
        assert {name, "index"} <= lesson.site.pages
        assert (f"{name}_slides.html" in files) == (name != EXAMINATION.notebook)
        assert {f"{name}_dark.png" for name in pictures} <= {*files.split(", ")}
    assert sorted(drawn) == sorted(posviz_course.lessons.names())
    assert "WordOrders.bin" in films
    assert (around.func, around.args[1]) == (pages.write_site, tmp_path)
    assert [lesson.path for lesson in around.args[0]] == list(lessons.values())


@pytest.mark.slow("processes")
def test_jobs_run_in_processes_and_the_last_one_after_them(tmp_path):
    here = [tmp_path / name for name in "abc"]
    jobs = {file.name: partial(_note_process, file, tmp_path) for file in here}
    common.run_jobs(jobs, tmp_path, at_once=2)
    processes, before = zip(*(file.read_text().split() for file in here), strict=True)
    assert processes[2] == str(os.getpid()) != processes[0]
    assert before[2] == "2"
    with pytest.raises(ZeroDivisionError):
        common.run_jobs({"a": partial(divmod, 1, 0), "b": pytest.fail}, tmp_path, at_once=2)


def _note_process(file, folder):
    file.write_text(f"{os.getpid()} {len([*folder.iterdir()])}")


def test_a_proof_tells_faults_and_has_status_1(call, tmp_path, monkeypatch):
    written = {
        "ThreeDoors": (["notebook: 'x' is cut off"], 1),
        "AlibiSlopes": (["slide: no room"], 0),
    }
    monkeypatch.setattr(
        proof, "write", lambda kind, to: (to / "sheet.html", *written[kind.__name__])
    )
    result = call(f"proof ThreeDoors AlibiSlopes --to {tmp_path}")
    assert (result.exit_code, result.stderr) == (1, "")
    first, second = (f"{tmp_path}/sheet.html: faults: {count}" for count in (1, 0))
    assert result.stdout.splitlines() == [
        "notebook: 'x' is cut off",
        first,
        "slide: no room",
        second,
    ]


def test_a_folder_that_cannot_be_written_to_is_told_in_a_line(call, tmp_path, monkeypatch):
    def refused(*_):
        raise PermissionError(13, "cannot write: Permission denied", str(tmp_path / "x.png"))

    for module, name, command in (
        (proof, "write", "proof ThreeDoors"),
        (rerun, "rerun", "rerun 0"),
    ):
        monkeypatch.setattr(module, name, refused)
        result = call(command)
        assert (result.exit_code, result.stderr.count("\n")) == (1, 1)
        assert "cannot write: Permission denied" in result.stderr


def test_a_folder_that_is_read_only_is_told_before_the_work(call, tmp_path, monkeypatch):
    monkeypatch.setattr("os.access", lambda place, how: how != os.W_OK)
    result = call(f"export ThreeDoors --to {tmp_path}")
    assert (result.exit_code, result.jobs) == (2, {})
    assert f"you may not write into {tmp_path}." in result.stderr


def test_an_assignment_that_is_there_is_kept_and_seeds_differ(call, tmp_path):
    line = f"assign 05 --for nbgrader --to {tmp_path}"
    file = tmp_path / "source" / "lesson05" / f"{ROPE.notebook}.ipynb"
    assert call(line).stdout == f"Exercises written to {file}.\n"
    first = file.read_text("utf-8")
    again = call(line)
    assert again.exit_code == 2
    assert "is there already" in again.stderr
    assert file.read_text("utf-8") == first
    file.unlink()
    call(line)
    assert file.read_text("utf-8") != first


@pytest.mark.slow("processes")
def test_grades_are_told_with_their_lesson_and_seed(call, tmp_path, monkeypatch):
    monkeypatch.setattr(submission, "jail", lambda: ())
    hand_in(tmp_path, BLANK, "ann")
    said = call(f"grade {tmp_path} --seed 7")
    files = [tmp_path / name for name in grade.FILES]
    written = ", ".join(map(str, files))
    told = f"Grades of 05 · RoPE written to {written}.\n1 notebook, mean 0.0 of 30 points.\n"
    told += "To repeat this grading exactly: --seed 7\n"
    assert said.stdout == told
    assert said.stderr.startswith("bubblewrap (bwrap) is not here")
    assert files[0].read_text().splitlines()[1] == "ann,0,0,0,0"
    again, other = call(f"grade {tmp_path}"), call(f"grade {tmp_path} 08 --overwrite")
    assert (again.exit_code, "is there already" in again.stderr) == (2, True)
    assert (other.exit_code, f"`posviz grade {tmp_path} 05`?" in other.stderr) == (2, True)
    assert call(f"grade {tmp_path} 5 --overwrite --seed 7").stdout == told


def test_a_lesson_that_fails_ends_a_rerun(call, monkeypatch):
    def run(path):
        if path.stem == "05_rope":
            raise RuntimeError("05_rope.ipynb, cell 3, line 2: NameError: x")
        return ["table:", "- 1", "+ 2"]

    monkeypatch.setattr(rerun, "rerun", run)
    result = call("rerun 4 5 6")
    assert (result.exit_code, result.stderr.count("\n")) == (1, 1)
    assert result.stderr.startswith("posviz: 05_rope.ipynb, cell 3, line 2: NameError")
    name, *lines = result.stdout.splitlines()
    assert name.startswith("04_relative_positions.ipynb: ")
    assert lines == ["table:", "- 1", "+ 2"]
