"""Commands for lessons: as a website, as slides, executed anew, opened in JupyterLab."""

import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from posviz.cli.common import (
    Everything,
    Lessons,
    Notebooks,
    Open,
    Overwrite,
    To,
    check_folder,
    check_new,
    failed,
    refusals,
    run_jobs,
    serve,
    unwind_when_stopped,
)
from posviz.course import EXAMINATION
from posviz.wording import shortened

app = typer.Typer()


@app.command()
def site(
    lessons: Lessons = None,
    to: Annotated[Path, To] = Path("site"),
    repository: Annotated[
        str,
        typer.Option(
            help="The course's address on GitHub, for links that open it in Binder and Colab.",
            metavar="ADDRESS",
        ),
    ] = "",
    notebooks: Notebooks = None,
    show: Open = False,
    overwrite: Overwrite = False,
):
    """Write the course, or some of its lessons, as web pages with live pictures.

    Any web server can serve it. Opened from disk, its pictures stay still, so --open serves it.

    \b
    posviz site --to site/ --open
    posviz site 05 --to site/
    posviz site --repository https://github.com/you/posviz
    """
    from posviz.cli import arguments

    with refusals():
        chosen = arguments.lesson_notebooks(lessons or (), not lessons, notebooks)
        named = arguments.repository(repository) if repository else ""
        check_folder(to)
        names = [path.stem for path in chosen] if lessons else ["index"]
        check_new([to / f"{name}.html" for name in names], overwrite)
        from posviz.publish.lesson import stored_lessons
        from posviz.publish.live.build import prepare
        from posviz.publish.page import link, write_page
        from posviz.publish.site import pages

        prepare()
    stored = stored_lessons(chosen)
    if lessons:
        first = f"{chosen[0].stem}.html" if show else ""
        jobs = {f"{lesson.stem}.html": partial(write_page, lesson, to, named) for lesson in stored}
        run_jobs(jobs, to, last=link, show=first)
    around = partial(pages.write_site, stored, named)
    run_jobs(pages.jobs(stored, to, named), to, last=around, show="index.html" if show else "")


@app.command()
def slides(
    lessons: Lessons = None,
    everything: Everything = False,
    to: Annotated[Path, To] = Path("slides"),
    notebooks: Notebooks = None,
    sections: Annotated[
        str | None,
        typer.Option(
            help="Only these sections, for example 2,5,8.  [default: all]", metavar="NUMBERS"
        ),
    ] = None,
    minutes: Annotated[
        float | None,
        typer.Option(
            min=1,
            metavar="N",
            help="The lesson's own lecture, as far as it fits into this many minutes.",
        ),
    ] = None,
    title: Annotated[str, typer.Option(help="The first slide's title.  [default: own]")] = "",
    author: Annotated[str, typer.Option(help="Who lectures.")] = "",
    date: Annotated[str, typer.Option(help="When, in your own words.")] = "",
    css: Annotated[
        Path | None,
        typer.Option(
            exists=True, dir_okay=False, metavar="FILE", help="Lay your style sheet over ours."
        ),
    ] = None,
    pdf: Annotated[bool, typer.Option("--pdf", help="Print a PDF as well.")] = False,
    show: Open = False,
    overwrite: Overwrite = False,
):
    """Write lessons as slides for a browser: all of them, or for a lecture.

    \b
    posviz slides 05 --to talk/ --open
    posviz slides 05 --sections 2,5,8
    posviz slides 05 --minutes 20 --author "Your Name"
    """
    from importlib.util import find_spec

    from posviz.cli import arguments

    with refusals():
        chosen = arguments.lesson_notebooks(lessons or (), everything, notebooks)
        chosen = [path for path in chosen if path.stem != EXAMINATION.notebook]
        if not chosen:
            raise ValueError("the examination has no slides: choose a lesson.")
        if sections and minutes:
            raise ValueError("choose --sections or --minutes, not both.")
        numbers = arguments.numbers(sections) if sections else ()
        if pdf and find_spec("playwright") is None:
            raise ValueError(
                "--pdf prints with Playwright: run `pip install playwright` and `playwright "
                "install chromium`, or add ?print-pdf to the slides' address and print them."
            )
        check_folder(to)
        decks = [to / f"{path.stem}_slides.html" for path in chosen]
        own = (sections, minutes, title, author, date, css, pdf, overwrite)
        if show and not any(own) and all(deck.exists() for deck in decks):
            typer.echo(f"{shortened(decks[0])} is there already; --overwrite makes it anew.")
            unwind_when_stopped()
            return serve(to, decks[0].name)
        check_new(decks, overwrite)
        from tqdm import tqdm

        from posviz.publish.lecture import taken
        from posviz.publish.lesson import StoredLesson
        from posviz.publish.live.build import prepare
        from posviz.publish.slides import Front, write_pdf, write_slides

        prepare()
    choose = partial(taken, wanted=numbers, time=minutes or 0, tell=tqdm.write)
    jobs: dict[str, Callable] = {}
    for path in chosen:
        deck = f"{path.stem}_slides.html"
        front = Front(title, author, date, css)
        jobs[deck] = partial(write_slides, StoredLesson(path), to, choose, front)
        if pdf:
            jobs[f"{path.stem}_slides.pdf"] = partial(write_pdf, to / deck)
    run_jobs(jobs, to, show=f"{chosen[0].stem}_slides.html" if show else "")


@app.command()
def rerun(
    lessons: Lessons = None,
    everything: Everything = False,
    notebooks: Notebooks = None,
):
    """Run lessons in place, and report which outputs changed.

    \b
    posviz rerun 05
    posviz rerun --all
    """
    from posviz.cli import arguments

    with refusals():
        chosen = arguments.lesson_notebooks(lessons or (), everything, notebooks)
        if not os.access(folder := chosen[0].absolute().parent, os.W_OK):
            raise ValueError(f"you may not write into {shortened(folder)}.")
        from posviz.publish import rerun
    unwind_when_stopped()
    for path in chosen:
        try:
            lines = rerun.rerun(path)
        except (OSError, RuntimeError) as error:
            raise failed(error) from None
        size = f"{shortened(path.name)}: {path.stat().st_size / 1e6:.2f} MB"
        typer.echo("\n".join([size, *map(shortened, lines or ["no text changed"])]))


@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def start(context: typer.Context, to: Annotated[Path, To] = Path()):
    """Copy the lessons into a folder, and open them in JupyterLab.

    What is there stays. Further options are JupyterLab's.

    \b
    posviz start
    posviz start --to course --port=8890
    """
    from importlib.util import find_spec

    from platformdirs import user_cache_path

    from posviz.cli import arguments
    from posviz.cli.start import become, copy_lessons, lab_command

    with refusals():
        if find_spec("jupyterlab") is None:
            raise ValueError("JupyterLab is missing: run `pip install 'posviz[lab]'`.")
        check_folder(to)
        found = list(arguments.notebooks().values())
    new = copy_lessons(found, to.resolve())
    typer.echo(f"Lessons copied to {shortened(to.resolve())}: {new} new, {len(found) - new} kept.")
    workspaces = user_cache_path("posviz") / "workspaces"
    command = lab_command(sys.executable, to.resolve(), workspaces, context.args)
    sys.stdout.flush()  # before another program takes this one's place
    raise typer.Exit(become(command))
