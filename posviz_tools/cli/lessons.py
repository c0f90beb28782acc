"""Commands for lessons: as a website, as slides, executed anew, opened in JupyterLab."""

import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from posviz.wording import shortened
from posviz_course.course import EXAMINATION
from posviz_tools.cli import arguments, common
from posviz_tools.cli.common import command, option

REPOSITORY = "The course's address on GitHub, for links that open it in Binder and Colab."
ADDRESS = "Where the site will be, for previews of its links.  [default: GitHub's pages]"
SECTIONS = "Only these sections, for example 2,5,8.  [default: all]"
MINUTES = "The lesson's own lecture, as far as it fits into this many minutes."
TITLE = "The first slide's title.  [default: own]"


@command()
def site(
    lessons: common.Lessons = None,
    to: common.To = Path("site"),
    repository: Annotated[str, option("--repository", REPOSITORY, "ADDRESS")] = "",
    address: Annotated[str, option("--address", ADDRESS, "URL")] = "",
    show: common.Open = False,
    overwrite: common.Overwrite = False,
):
    """Write the course, or some of its lessons, as web pages with live pictures.

    Any web server can serve it. Opened from disk, its pictures stay still, so --open serves it.

    \b
    posviz site --to site/ --open
    posviz site 05 --to site/
    posviz site --repository https://github.com/you/posviz
    """
    chosen = arguments.lesson_notebooks(lessons, everything=not lessons)
    named = arguments.repository(repository) if repository else ""
    if named and not address:
        address = f"https://{named.replace('/', '.github.io/')}"
    base = f"{address.rstrip('/')}/" if address else ""
    files = [f"{path.stem}.html" for path in chosen] if lessons else ["index.html"]
    copies = {to / "notebooks" / path.name: path.read_bytes() for path in chosen}
    answered = [
        copy for copy, text in copies.items() if copy.exists() and copy.read_bytes() != text
    ]
    common.check_new([*(to / file for file in files), *answered], overwrite)

    from posviz_tools.publish.lesson import stored_lessons
    from posviz_tools.publish.live.build import prepare
    from posviz_tools.publish.page import site_in, write_page
    from posviz_tools.publish.site import pages

    prepare()
    if lessons:
        stored = stored_lessons(chosen, site_in(to, chosen, named, base))
        jobs: dict[str, Callable] = {
            f"{lesson.stem}.html": partial(write_page, lesson, to) for lesson in stored
        }
    else:
        jobs = pages.jobs(stored_lessons(chosen, pages.whole_site(chosen, named, base)), to)
    common.run_jobs(jobs, to, files[0] if show else "", os.cpu_count() or 1)


@command()
def slides(
    lessons: common.Lessons = None,
    everything: common.Everything = False,
    to: common.To = Path("slides"),
    sections: Annotated[str, option("--sections", SECTIONS, "NUMBERS")] = "",
    minutes: Annotated[float | None, option("--minutes", MINUTES, "N", min=1)] = None,
    title: Annotated[str, option("--title", TITLE, "TEXT")] = "",
    author: Annotated[str, option("--author", "Who lectures.", "TEXT")] = "",
    date: Annotated[str, option("--date", "When, in your own words.", "TEXT")] = "",
    css: Annotated[Path | None, option("--css", "Lay your style sheet over ours.", "FILE")] = None,
    pdf: Annotated[bool, option("--pdf", "Print a PDF as well.")] = False,
    show: common.Open = False,
    overwrite: common.Overwrite = False,
):
    """Write lessons as slides for a browser: all of them, or for a lecture.

    \b
    posviz slides 05 --to talk/ --open
    posviz slides 05 --sections 2,5,8
    posviz slides 05 --minutes 20 --author "Your Name"
    """
    chosen = arguments.lesson_notebooks(lessons, everything)
    lectures = [path for path in chosen if path.stem != EXAMINATION.notebook]
    decks = {to / f"{path.stem}_slides.html": path for path in lectures}
    if not decks:
        raise ValueError("the examination has no slides: choose a lesson.")
    if sections and minutes:
        raise ValueError("choose --sections or --minutes, not both.")
    numbers = arguments.numbers(sections) if sections else ()
    front, first = (title, author, date, css), next(iter(decks))
    is_new = any((sections, minutes, *front, pdf, overwrite))
    if show and not is_new and all(deck.exists() for deck in decks):
        typer.echo(f"{shortened(first)} is there already; --overwrite makes it anew.")
        return common.serve(to, first.name)
    common.check_new(decks, overwrite)

    from tqdm import tqdm

    from posviz_tools.publish.lesson import StoredLesson
    from posviz_tools.publish.live.build import prepare
    from posviz_tools.publish.slides import Front, choose_slides, write_pdf, write_slides

    prepare()
    choose = partial(choose_slides, wanted=numbers, time=minutes or 0, tell=tqdm.write)
    jobs: dict[str, Callable] = {}
    for deck, path in decks.items():
        jobs[deck.name] = partial(write_slides, StoredLesson(path), to, choose, Front(*front))
        if pdf:
            jobs[f"{deck.stem}.pdf"] = partial(write_pdf, deck)
    common.run_jobs(jobs, to, first.name if show else "")


@command()
def rerun(lessons: common.Lessons = None, everything: common.Everything = False):
    """Run lessons in place, and report which outputs changed.

    \b
    posviz rerun 05
    posviz rerun --all
    """
    from posviz_tools.publish import rerun

    chosen = arguments.lesson_notebooks(lessons, everything)
    common.make_folder(chosen[0].absolute().parent)
    for path in chosen:
        try:
            lines = rerun.rerun(path)
        except RuntimeError as error:
            common.refuse(shortened(error), 1)
        told = f"{path.name}: lines of text that changed: {len(lines)}"
        typer.echo("\n".join([told, *map(shortened, lines)]))


@command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def start(context: typer.Context, to: common.To = Path()):
    """Copy the lessons into a folder, and open them in JupyterLab.

    What is there stays. Further options are JupyterLab's.

    \b
    posviz start
    posviz start --to course --port=8890
    """
    from importlib.util import find_spec

    from platformdirs import user_cache_path

    from posviz_tools.cli.start import become, copy_lessons, lab_command

    if find_spec("jupyterlab") is None:
        raise ValueError("JupyterLab is missing: run `pip install 'posviz[lab]'`.")
    notebooks, to = [*arguments.notebooks().values()], to.resolve()
    new = copy_lessons(notebooks, to)
    typer.echo(f"Lessons copied to {shortened(to)}: {new} new, {len(notebooks) - new} kept.")
    workspaces = user_cache_path("posviz") / "workspaces"
    line = lab_command(sys.executable, to, workspaces, context.args)
    sys.stdout.flush()  # before another program takes this one's place
    raise typer.Exit(become(line))
