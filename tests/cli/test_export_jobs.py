"""What the options of `export` mean, which files there will be, and what each job writes."""

import shlex

import pytest
from PIL import Image
from typer.testing import CliRunner

import posviz
import posviz_course.lessons
from posviz.pictures.export import method_call
from posviz.pictures.style import SLIDE_PARTS, appearance
from posviz_tools.__main__ import app
from posviz_tools.cli import common, export_jobs
from posviz_tools.cli.export_jobs import Export
from posviz_tools.cli.faults import fitted
from posviz_tools.cli.snippets import YEAR

SEVERAL = "--style paper --panel 1 --small-multiples query="


@pytest.fixture
def call(monkeypatch, tmp_path):
    """Call `posviz export` in an empty folder; the jobs are only kept."""
    monkeypatch.chdir(tmp_path)

    def called(line):
        jobs = {}
        monkeypatch.setattr(common, "run_jobs", lambda given, to: jobs.update(given))
        result = CliRunner().invoke(app, ["export", *shlex.split(line)])
        result.jobs = jobs
        return result

    return called


def plain(picture, **look):
    look = appearance(**look)
    return Export(picture, look, export_jobs.stem(picture, look), picture.filmed_knobs()[0])


# ---------------------------------------------------------------- what the options mean


@pytest.mark.parametrize(
    ("text", "animated", "expected"),
    [
        ("", False, ["pdf"]),
        ("svg, PNG,.gif", False, ["svg", "png", "gif"]),
        ("svg", True, ["svg", "gif"]),
    ],
)
def test_formats(text, animated, expected):
    assert export_jobs.formats(text, animated) == expected


def test_values_are_read_as_their_knobs_read_them():
    found = export_jobs.settings(posviz.RotaryScores, ["base=10,000", "sentence=a = b"])
    assert found == {"base": 10_000, "sentence": "a = b"}


@pytest.mark.parametrize("name", ["SinusoidalTable", "ShuffledSentence", "AlibiScores"])
def test_every_default_can_be_typed(name):
    kind = posviz_course.lessons.load(name)
    texts = [f"{knob}={rule.write(getattr(kind(), knob))}" for knob, rule in kind.knobs().items()]
    assert export_jobs.settings(kind, texts) == kind().values()


def test_every_option_of_looks_reaches_the_job(call):
    line = (
        "AlibiSlopes --style paper --dark --set head=3 --font STIXGeneral --colors navy,#00ff00 "
        "--cmap PuOr --width 80mm --title Biases --label head=Kopf --no-legend --panel 1 "
        "--transparent --as mine"
    )
    result = call(line)
    assert result.exit_code == 0, result.stderr
    ((name, job),) = result.jobs.items()
    assert name == "mine.pdf"
    each = job.args[0]
    assert repr(each.picture) == repr(posviz.AlibiSlopes(head=3))
    assert each.look == appearance(
        "paper",
        True,
        font="STIXGeneral",
        colors=("navy", "#00ff00"),
        cmap="PuOr",
        width=3.1496,
        title="Biases",
        labels={"head": "Kopf"},
        legend=False,
        panel=1,
        transparent=True,
    )


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("ThreeDoors --format ,png", "format '' is unknown. There are png, svg, pdf, gif, html"),
        ("ThreeDoors --format sgv", "format 'sgv' is unknown. Did you mean 'svg'"),
        ("RotatingVectors --style slides", "style = 'slides' is unknown: choose one of notebook"),
        ("AlibiSlopes --layout half", "style slide has one of full, body, half"),
        ("AlibiSlopes --font Garamondd", "font = 'Garamondd' is not installed"),
        ("SinusoidalTable --set d_modle=8", "Did you mean 'd_model'"),
        ("RotatingVectors ScoreDecay --set query=3", "ScoreDecay has no knob 'query'"),
        ("SinusoidalTable --set d_model", "'d_model' is unclear: write --set knob=value"),
        ("SinusoidalTable --set d_model=7", "d_model = 7 is refused: it must be an even whole"),
        ("SinusoidalTable --set d_model=wide", "d_model = 'wide' is refused"),
        ("ScoreDecay RotaryScores --animate offst", "Did you mean 'offset'"),
        ("RotaryScores --animate sentence", "knob = 'sentence' cannot move"),
        ("RotatingVectors --width 3", "--width takes a length as 3.03in, 77mm"),
        ("RotatingVectors --label query", "--label 'query' is unclear: write --label old=new."),
        ("RotatingVectors --label quary=x", "no text has 'quary'. The texts are "),
        ("RotatingVectors ScoreDecay --label envelope=x", "no text has 'envelope'."),
        ("RotatingVectors --panel 4", "panel = 4: it has 1 to 3."),
        ("RotatingVectors --small-multiples pear=1,2", "has no knob 'pear'; it has "),
        ("RotatingVectors --small-multiples query=3,99", "query = 99 is refused: "),
        ("RotatingVectors --format html --dark", "--format html takes --set, --title and --as"),
        ("RotatingVectors --transparent --animate query", "--transparent is for svg, pdf and png."),
        ("05 --as mine", "--as mine is the name of one picture; "),
    ],
)
def test_what_is_unclear_is_refused_with_status_2(call, line, told):
    result = call(line)
    assert (result.exit_code, result.jobs) == (2, {})
    assert told in result.stderr
    assert result.stderr.startswith("posviz: ")


# ---------------------------------------------------------------- whether there is room


@pytest.mark.slow("seconds")
def test_a_picture_without_room_is_refused_and_told_what_fits(call):
    result = call("ForgetGates --style slide --layout half")
    assert (result.exit_code, result.jobs) == (1, {})
    told = "ForgetGates is not written: 'bias (grey: ahead)' is cut off. One panel fits: "
    assert result.stderr == f"{told}--panel 1 or 2. All of it fits: --layout body.\n"
    assert call("ForgetGates --style slide --layout half --panel 2").exit_code == 0
    both = call("ForgetGates ScoreDecay --style slide --layout half")
    assert (both.exit_code, list(both.jobs)) == (1, ["ScoreDecay_slide_half.pdf"])


@pytest.mark.release("every picture in every part of a slide")
@pytest.mark.parametrize("name", posviz_course.lessons.names())
@pytest.mark.parametrize("part", SLIDE_PARTS)
def test_a_picture_fits_a_part_of_a_slide_or_is_told_what_fits(name, part):
    look = appearance("slide", layout=part)
    own, why = fitted(posviz_course.lessons.load(name)(), look)
    assert own == look or "fits: --" in why


@pytest.mark.slow("seconds")
@pytest.mark.parametrize(("width", "columns"), [("7in", 0), ("3.5in", 2), ("2in", 1)])
def test_several_values_stand_in_as_many_columns_as_have_room(call, width, columns):
    result = call(f"RotatingVectors {SEVERAL}3,9,27 --width {width}")
    assert [job.args[0].look.columns for job in result.jobs.values()] == [columns]


@pytest.mark.slow("seconds")
def test_where_no_columns_have_room_nothing_is_written(call):
    result = call(f"RotatingVectors {SEVERAL}3,9 --width 1in")
    assert (result.exit_code, result.jobs) == (1, {})


# ---------------------------------------------------------------- files and jobs


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ("", ["RotatingVectors.pdf"]),
        (
            "rotatingvectors ALIBISLOPES --format gif",
            ["RotatingVectors_together.gif", "AlibiSlopes_head.gif"],
        ),
        ("--animate query --set query=3", ["RotatingVectors_query-3_query.gif"]),
        (
            "--format svg,gif,png --snippet",
            [
                "RotatingVectors.svg, .png, .tex, .md",
                "RotatingVectors_together.gif",
            ],
        ),
        (
            "--animate query --format png",
            ["RotatingVectors.png", "RotatingVectors_query.gif"],
        ),
        (
            "--set query=3 --style slide --layout half --panel 2",
            ["RotatingVectors_query-3_slide_half_panel-2.pdf"],
        ),
        (
            "--style paper --small-multiples query=3,9",
            ["RotatingVectors_query-3-9_paper.pdf"],
        ),
        (
            "--filmstrip query --panel 1",
            ["RotatingVectors_query-0-8-15-22-30_panel-1.pdf"],
        ),
        ("--set query=3 --as rope", ["rope.pdf"]),
    ],
)
def test_there_is_a_job_for_stills_and_one_for_each_film(call, options, names):
    """A file's name has the settings that are not usual."""
    assert list(call(f"RotatingVectors {options}").jobs) == names


@pytest.mark.slow("half a minute")
@pytest.mark.parametrize("dark", [False, True])
def test_jobs_write_the_picture_in_its_setting_and_look(tmp_path, dark):
    picture = posviz.CounterToClock(position=5)
    each, formats = plain(picture, style="slide", dark=dark), ["png", "svg", "pdf", "gif"]
    for _, job in export_jobs.plan([each], formats, tmp_path / "out"):
        job()
    stem = f"CounterToClock_position-5_slide{'_dark' if dark else ''}"
    *stills, film = [f"{stem}.{kind}" for kind in ("pdf", "png", "svg")] + [f"{stem}_position.gif"]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [*stills, film]
    for name in stills:
        alone = picture.save(tmp_path / name, style="slide", dark=dark)
        assert alone.read_bytes() == (tmp_path / "out" / name).read_bytes()
    comment = Image.open(tmp_path / "out" / film).info["comment"].decode().split("\n")
    call = method_call("animate", "position", film, style="slide", dark=dark)
    assert f"{picture!r}.{call}" in comment


@pytest.mark.slow("a figure")
def test_snippets_have_the_file_the_caption_and_a_citation(tmp_path):
    each = plain(posviz.RotatingVectors(), style="paper")
    ((_, job),) = export_jobs.plan([each], ["png", "pdf"], tmp_path, snippet=True)
    job()
    tex, md = ((tmp_path / f"{each.stem}.{kind}").read_text() for kind in ("tex", "md"))
    assert r"\includegraphics[width=\linewidth]{RotatingVectors_paper.pdf}" in tex
    assert r"$i$ $-$ $j$ = 3. Figure: \cite{posviz}" in tex
    assert "% @misc{posviz," in tex
    assert f"year = {{{YEAR}}}" in tex
    assert md.startswith("![The score is 1.11 with q at 13 and k at 10")
    assert "](RotatingVectors_paper.png)\n" in md


@pytest.mark.slow("a figure")
def test_a_caption_of_ones_own_stands_in_snippet_and_file(tmp_path):
    each = plain(posviz.RotatingVectors(), caption="Alt i młody 1,1.")
    ((_, job),) = export_jobs.plan([each], ["png"], tmp_path, snippet=True)
    job()
    assert "{Alt i młody 1,1. Figure" in (tmp_path / f"{each.stem}.tex").read_text()
    assert Image.open(tmp_path / f"{each.stem}.png").text["Description"] == "Alt i młody 1,1."


def test_latex_is_not_told_to_read_what_it_cannot(tmp_path):
    each = plain(posviz.RotatingVectors())
    with pytest.raises(ValueError, match="reads no SVG: add --format pdf"):
        export_jobs.plan([each], ["svg"], tmp_path, snippet=True)
    with pytest.raises(ValueError, match="reads no % in a file"):
        export_jobs.plan([each._replace(stem="fig_1%")], ["pdf"], tmp_path, snippet=True)


def test_the_title_may_be_what_the_slides_say():
    assert export_jobs.headline("RealHead") == "A head of a real model needs its positions"
    assert export_jobs.headline("LearnedTable").startswith("Will training make")


def test_a_caption_in_latex_is_plain_for_every_engine():
    from posviz_tools.cli.snippets import in_latex

    assert in_latex("θ_0 × 5 % − Λ") == r"$\theta$\_0 $\times$ 5 \% $-$ $\Lambda$"


def test_the_name_of_a_file_has_numbers_without_commas():
    assert plain(posviz.PrecisionLab(position=2_000)).stem == "PrecisionLab_position-2000"
