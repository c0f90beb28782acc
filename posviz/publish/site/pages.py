"""The website: what is run and drawn for it, and the pages around those of the lessons."""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

import yaml
from bs4 import BeautifulSoup

import posviz
from posviz import sources
from posviz.choosing.glossary import TERMS, glossary
from posviz.course import EXAMINATION, OF_TOPIC
from posviz.lessons import names
from posviz.pictures.scripts import as_script
from posviz.publish import assets, page
from posviz.publish.clean import Site, markdown, sanitised
from posviz.publish.images import CARD, CARDS, write_thumbnail
from posviz.publish.lesson import StoredLesson
from posviz.publish.site import gallery
from posviz.publish.site.documents import claim_id, documents, term_id
from posviz.publish.slides import write_slides
from posviz.teaching import claims

HERE = Path(__file__).parent
SCRIPT = as_script(HERE / "site.js")
FRONT = as_script(HERE.parent / "live" / "live.js")
ABOUT = "An interactive course on positional encodings in Transformers: RoPE, ALiBi, YaRN and more."
DOCUMENTS = (  # of docs/
    *("install", "teach", "figures", "make-it-yours", "library", "models", "troubleshooting"),
    *("notation", "cheatsheet", "further-reading", "design", "not-doing"),
)
IMAGES = "img-src 'self' file: data:"
OPENING = ("start", "rotary")  # of these lessons the first picture lives on the front page


def whole_site(notebooks: Iterable[Path], repository: str) -> Site:
    """Where links of the course's pages may lead."""
    stems = {notebook.stem for notebook in notebooks}
    slides = {f"{stem}_slides" for stem in stems - {EXAMINATION.notebook}}
    return Site(frozenset({*page.AROUND, *DOCUMENTS, *stems, *slides}), repository)


def jobs(lessons: Iterable[StoredLesson], to: Path) -> dict[str, Callable]:
    """What takes long, by the names of the files: a lesson's page and slides, two thumbnails."""
    pages: dict[str, Callable] = {}
    for lesson in lessons:
        pages[f"{lesson.stem}.html"] = partial(page.write_page, lesson, to)
        if lesson.stem != EXAMINATION.notebook:
            pages[f"{lesson.stem}_slides.html"] = partial(write_slides, lesson, to)
    thumbnails = {
        f"{name}.png, {name}_dark.png": partial(write_thumbnail, name, to) for name in names()
    }
    return pages | thumbnails


def write_site(lessons: list[StoredLesson], to: Path) -> None:
    """Write the pages around those of the lessons that lie in `to`.

    Raises OSError that names the file which cannot be written.
    """
    site = lessons[0].site
    lessons = [lesson for lesson in lessons if (to / f"{lesson.stem}.html").exists()]
    texts = {name: _beside(f"docs/{name}.md").read_text("utf-8") for name in DOCUMENTS}
    usual = site._asdict() | {
        "policy": assets.policy([assets.THEME, SCRIPT, *assets.scripts("minisearch")], IMAGES),
        "theme": assets.THEME,
        "script": SCRIPT,
        "about": ABOUT,
        "around": page.AROUND,
    }
    for template, name, values in (*_around(lessons, texts, site), *_documents(texts, site)):
        context = usual | {"here": name, "title": page.AROUND.get(name)} | values
        html = assets.TEMPLATES.get_template(f"{template}.html.j2").render(context)
        assets.write_file(to / f"{name}.html", html.encode())
    page.write_shared(to)
    assets.write_library("minisearch", to / "assets")


Page = tuple[str, str, dict]  # its template, its name, and what it shows


def _around(lessons, texts, site) -> Iterator[Page]:
    """The pages about all lessons."""
    shown, verdicts = gallery.shown(lessons), claims.every_verdict()
    opening = {
        topic: next(filter(None, map(page.living, lesson.outputs)))
        for lesson in lessons
        for topic in OPENING
        if lesson.stem == OF_TOPIC[topic].notebook
    }
    index = {
        "title": "A course on positional encodings",
        "lessons": lessons,
        "cards": CARDS,
        "card_size": CARD,
        "opening": opening,
        "documents": {name: _heading(text) for name, text in texts.items()},
        "front": FRONT,
        "policy": assets.policy([assets.THEME, FRONT], IMAGES, *assets.LIVE_POLICY),
    }
    words = _table(glossary().table, map(term_id, TERMS), site)
    judged = _table(claims.table(verdicts), (claim_id(*row) for row in verdicts), site)
    yield "index", "index", index
    yield "pictures", "pictures", {"pictures": shown}
    yield "table", "glossary", {"table": words}
    yield "table", "claims", {"table": judged}
    yield "references", "references", {"sources": _sources(lessons)}
    yield "search", "search", {"documents": documents(lessons, texts, shown, verdicts)}
    yield "about", "about", {"citation": citation()}


def _documents(texts, site) -> Iterator[Page]:
    for name, text in texts.items():
        html = page.labelled(markdown(text.partition("\n")[2], site))
        # What scrolls is reached by a keyboard.
        html = re.sub("<(table|pre)>", r'<\1 tabindex="0">', html)
        yield "document", name, {"title": _heading(text), "text": html}


def _heading(text) -> str:
    return text.partition("\n")[0].removeprefix("# ")


def citation() -> dict:
    """What CITATION.cff says."""
    return yaml.safe_load(_beside("CITATION.cff").read_text("utf-8"))


def _beside(file: str) -> Path:
    """The path of a file that lies beside the package in a clone, and else in it."""
    package = Path(posviz.__file__).parent
    return next(filter(Path.exists, (folder / file for folder in (package.parent, package))))


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
