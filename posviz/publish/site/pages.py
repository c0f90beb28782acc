"""The website: what is run and drawn for it, and the pages around those of the lessons."""

import re
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

import yaml
from bs4 import BeautifulSoup
from jinja2 import Environment, FileSystemLoader, StrictUndefined

import posviz
from posviz import sources
from posviz.choosing.glossary import TERMS, glossary
from posviz.course import EXAMINATION, OF_TOPIC
from posviz.lessons import names
from posviz.pictures.scripts import as_script
from posviz.publish import page
from posviz.publish.assets import LIVE_POLICY, THEME, policy, scripts, write_file, write_library
from posviz.publish.cards import CARDS, SIZE
from posviz.publish.clean import markdown
from posviz.publish.lesson import StoredLesson
from posviz.publish.site import gallery
from posviz.publish.site.documents import claim_id, documents, term_id
from posviz.publish.slides import write_slides
from posviz.teaching import claims

HERE = Path(__file__).parent
SCRIPT = as_script(HERE / "site.js")
ABOUT = "An interactive course on positional encodings in Transformers: RoPE, ALiBi, YaRN and more."
DOCUMENTS = (  # of docs/
    *("install", "teach", "figures", "make-it-yours", "library", "models", "troubleshooting"),
    *("notation", "cheatsheet", "further-reading", "design", "not-doing"),
)
_TO_PAGE = re.compile(r'href="(?:\.\./)?(?:notebooks/)?([\w-]+)\.(?:md|ipynb)"')
_TO_CODE = re.compile(r'href="\.\./([^"]+)"')  # that no page shows
IMAGES = "img-src 'self' file: data:"
FRONT = as_script(HERE.parent / "live" / "live.js")
OPENING = ("start", "rotary")  # of these lessons the first picture lives on the front page


def jobs(lessons: Iterable[StoredLesson], to: Path, repository: str) -> dict[str, Callable]:
    """What takes long, by the names of the files: a lesson's page and slides, two thumbnails."""
    pages: dict[str, Callable] = {}
    for lesson in lessons:
        pages[f"{lesson.stem}.html"] = partial(page.write_page, lesson, to, repository)
        if lesson.stem != EXAMINATION.notebook:
            pages[f"{lesson.stem}_slides.html"] = partial(write_slides, lesson, to)
    thumbnails = {
        f"{name}.png, {name}_dark.png": partial(gallery.write_thumbnail, name, to)
        for name in names()
    }
    return pages | thumbnails


def write_site(lessons: Iterable[StoredLesson], repository: str, to: Path) -> None:
    """Write the pages around those of the lessons that lie in `to`, and link all of them.

    repository: as "owner/name" on GitHub, or nothing. Raises OSError that names the file which
    cannot be written.
    """
    lessons = [lesson for lesson in lessons if (to / f"{lesson.stem}.html").exists()]
    shown = gallery.shown(lessons)
    jinja = Environment(
        loader=FileSystemLoader(HERE), autoescape=True, trim_blocks=True, undefined=StrictUndefined
    )
    jinja.globals |= {
        "policy": policy([THEME, SCRIPT, *scripts("minisearch")], IMAGES),
        "theme": THEME,
        "script": SCRIPT,
        "about": ABOUT,
        "repository": repository,
    }

    def write_one(name, title, template="", **values):
        text = jinja.get_template(f"{template or name}.html.j2")
        write_file(to / f"{name}.html", text.render(here=name, title=title, **values).encode())

    texts = {name: _beside(f"docs/{name}.md").read_text("utf-8") for name in DOCUMENTS}
    headings = {name: text.partition("\n")[0].removeprefix("# ") for name, text in texts.items()}
    write_one(
        *("index", "A course on positional encodings"),
        lessons=lessons,
        cards=CARDS,
        card_size=SIZE,
        opening={
            topic: _opening(lesson)
            for lesson in lessons
            for topic in OPENING
            if lesson.stem == OF_TOPIC[topic].notebook
        },
        documents=headings,
        front=FRONT,
        policy=policy([THEME, FRONT], IMAGES, *LIVE_POLICY),
    )
    write_one("pictures", "Pictures", pictures=shown)
    words = _table(glossary().table, map(term_id, TERMS))
    write_one("glossary", "Glossary", "table", table=words)
    verdicts = claims.every_verdict()
    judged = _table(claims.table(verdicts), (claim_id(*row) for row in verdicts))
    write_one("claims", "Claims", "table", table=judged)
    write_one("references", "References", sources=_sources(lessons))
    write_one("search", "Search", documents=documents(lessons, texts, shown, verdicts))
    write_one("about", "About", citation=citation())
    for name, text in texts.items():
        text = _document(text.partition("\n")[2], repository)
        write_one(name, headings[name], "document", text=text)
    page.write_assets(to)
    write_library("minisearch", to / "assets")
    linking = ("index", "glossary", "claims", *DOCUMENTS)
    page.link(to, *(f"{name}.html" for name in linking))


def _opening(lesson) -> str:
    """The place of a lesson's first picture."""
    outputs = (output for cell in lesson.code for output in cell.outputs)
    shown = (output.get("data", {}).get("text/html", "") for output in outputs)
    return page.adapted(next(html for html in shown if "posviz-live" in html))


def citation() -> dict:
    """What CITATION.cff says."""
    return yaml.safe_load(_beside("CITATION.cff").read_text("utf-8"))


def _beside(file: str) -> Path:
    """The path of a file that lies beside the package in a clone, and else in it."""
    package = Path(posviz.__file__).parent
    return next(filter(Path.exists, (folder / file for folder in (package.parent, package))))


def _document(text: str, repository: str) -> str:
    """Markdown as HTML: links lead to pages or to GitHub; a keyboard reaches what scrolls."""
    html = page.adapted(_TO_PAGE.sub(r'href="\1.html"', markdown(text)))
    to_code = rf'href="https://github.com/{repository}/blob/HEAD/\1"' if repository else ""
    return re.sub("<(table|pre)>", r'<\1 tabindex="0">', _TO_CODE.sub(to_code, html))


def _table(table: str, anchors: Iterable[str]) -> str:
    """A table whose rows have anchors, and whose links lead to pages."""
    soup = BeautifulSoup(page.adapted(table), "html.parser")
    for row, anchor in zip(soup.select("tbody tr"), anchors, strict=True):
        row["id"] = anchor
    return soup.decode()


def _sources(lessons) -> list[tuple[str, list[str]]]:
    """Every source, by its name, and the stems of the lessons that cite it."""
    return [
        (entry, [lesson.stem for lesson in lessons if key in lesson.cited])
        for key, entry in sources.listed(sources.bibliography()).items()
    ]
