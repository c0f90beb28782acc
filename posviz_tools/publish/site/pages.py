"""The website: what is run and drawn for it, and the pages around those of the lessons."""

import re
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

from bs4 import BeautifulSoup

from posviz.pictures.scripts import as_script
from posviz_course import claims, sources
from posviz_course.blackbox import libraries as census
from posviz_course.choosing.glossary import TERMS, glossary
from posviz_course.course import EXAMINATION, OF_TOPIC
from posviz_course.lessons import load
from posviz_tools.publish import assets, page
from posviz_tools.publish.clean import Site, markdown, sanitised
from posviz_tools.publish.film import ENDINGS, FOLDER, FilmScript, write_film
from posviz_tools.publish.images import CARD, CARDS, write_narrow
from posviz_tools.publish.lesson import StoredLesson
from posviz_tools.publish.site import gallery, libraries
from posviz_tools.publish.site.documents import claim_id, documents, term_id, with_anchors
from posviz_tools.publish.slides import write_slides

HERE = Path(__file__).parent
SCRIPT = as_script(HERE / "site.js")
FRONT, GALLERY = as_script(HERE / "front.js"), as_script(HERE / "gallery.js")
ABOUT = "An interactive course on positional encodings in Transformers: RoPE, ALiBi, YaRN and more."
DOCUMENTS = (  # of docs/
    *("install", "teach", "figures", "make-it-yours", "library", "models", "troubleshooting"),
    *("notation", "cheatsheet", "further-reading", "design", "not-doing"),
)
LIBRARIES = (
    "What functions of released libraries do with positions, named by identify from their outputs "
    "alone. A version is what was run, and a base or a factor is a setting of that run: other "
    "versions may differ."
)
OPENING = ("order", "rotary")  # of these lessons the first picture lives on the front page
FILMED = "WordOrders"  # the first of them, which moves before Python is there
FILM = FilmScript(  # less than five seconds: what moves longer needs a way to stop it
    knob="step",
    values=(1, 0.75, 0.5, 0.25, 0, 0, 0.25, 0.5, 0.75, 1),
    milliseconds=(500, 300, 300, 300, 300, 700, 450, 450, 450, 450),
)


def whole_site(notebooks: Iterable[Path], repository: str, address: str = "") -> Site:
    """Where links of the course's pages may lead."""
    stems = {notebook.stem for notebook in notebooks}
    slides = {f"{stem}_slides" for stem in stems - {EXAMINATION.notebook}}
    return Site(frozenset({*page.AROUND, *DOCUMENTS, *stems, *slides}), repository, address)


def jobs(lessons: list[StoredLesson], to: Path) -> dict[str, Callable]:
    """What writes the site, by the names of the files; the pages around all others come last."""
    writers: dict[str, Callable] = {}
    for lesson in lessons:
        pictures = gallery.pictures_of(lesson)
        pages = {lesson.stem, f"{lesson.stem}_slides"} & lesson.site.pages
        files = [f"{name}.html" for name in sorted(pages)]
        files += [f"{name}{ending}.png" for name in pictures for ending in ("", "_dark")]
        writers[", ".join(files)] = partial(_write_lesson, lesson, pictures, to)
    films = (f"{FILMED}{ending}.bin" for ending in ENDINGS)
    writers[", ".join(films)] = partial(_write_film, to)
    return writers | {"index.html": partial(write_site, lessons, to)}


def _write_lesson(lesson, pictures, to) -> None:
    """Write a lesson's page, its slides, and its pictures in small, of which the page has many."""
    page.write_page(lesson, to)
    if f"{lesson.stem}_slides" in lesson.site.pages:
        write_slides(lesson, to)
    for name in pictures:
        write_narrow(load(name)(), to)


def _write_film(to) -> None:
    write_film(load(FILMED)(), FILM, to)


def write_site(lessons: list[StoredLesson], to: Path) -> None:
    """Write the pages around those of the lessons."""
    site = lessons[0].site
    texts = {name: page.beside(f"docs/{name}.md").read_text("utf-8") for name in DOCUMENTS}
    shown, verdicts = gallery.shown(lessons), claims.every_verdict()
    usual = site._asdict() | {
        "policy": assets.policy([assets.THEME, SCRIPT, *assets.scripts("minisearch")], page.IMAGES),
        "theme": assets.THEME,
        "script": SCRIPT,
        "about": ABOUT,
        "around": page.AROUND,
        "citation": page.citation(),
    }

    def write(name: str, template: str = "", **values: Any) -> None:
        context = usual | {"here": name, "title": page.AROUND.get(name), "lead": ""} | values
        html = assets.TEMPLATES.get_template(f"{template or name}.html.j2").render(context)
        assets.write_file(to / f"{name}.html", html.encode())

    headings = {name: _heading(text) for name, text in texts.items()}
    write("index", documents=headings, **_index(lessons, to))
    alive = assets.policy([assets.THEME, GALLERY], page.IMAGES, *assets.LIVE_POLICY)
    write("pictures", pictures=shown, gallery=GALLERY, policy=alive)
    write("glossary", "table", table=_table(glossary().table, map(term_id, TERMS), site))
    anchors = (claim_id(*row) for row in verdicts)
    write("claims", "table", table=_table(claims.table(verdicts), anchors, site))
    table = _table(libraries.table(), map(libraries.row_id, census.rows()), site)
    write("libraries", "table", title="What libraries do", table=table, lead=LIBRARIES)
    write("references", sources=_sources(lessons))
    write("search", documents=documents(lessons, texts, shown, verdicts))
    write("about")
    for name, text in texts.items():
        html = with_anchors(page.labelled(markdown(text.partition("\n")[2], site)))
        # What scrolls is reached by a keyboard.
        html = re.sub("<(table|pre)>", r'<\1 tabindex="0">', html)
        write(name, "document", title=headings[name], text=html)
    page.write_shared(to)
    assets.write_library("minisearch", to / "assets")


def _index(lessons, to) -> dict:
    """What the front page shows of the lessons."""
    opening = {
        topic: next(filter(None, (page.living(output, to) for output in lesson.outputs)))
        for lesson in lessons
        for topic in OPENING
        if lesson.stem == OF_TOPIC[topic].notebook
    }
    return {
        "title": "A course on positional encodings",
        "lessons": lessons,
        "cards": CARDS,
        "card_size": CARD,
        "opening": opening,
        "front": FRONT,
        "film": f"{FOLDER}/{FILMED}",
        "policy": assets.policy([assets.THEME, FRONT], page.IMAGES, *assets.LIVE_POLICY),
    }


def _heading(text) -> str:
    return text.partition("\n")[0].removeprefix("# ")


def _table(table: str, anchors: Iterable[str], site) -> str:
    """A table whose rows have anchors, and whose links lead to pages."""
    soup = BeautifulSoup(page.labelled(sanitised(table, site)), "html.parser")
    for row, anchor in zip(soup.select("tbody tr"), anchors, strict=True):
        row["id"] = anchor
    return soup.decode()


def _sources(lessons) -> list[tuple[str, list[str]]]:
    """Every source, by its name, and the stems of the lessons that cite it."""
    return [
        (entry, [lesson.stem for lesson in lessons if key in lesson.cited])
        for key, entry in sources.listed(sources.bibliography()).items()
    ]
