"""The website: what is run and drawn for it, and the pages around those of the lessons."""

import re
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

import yaml
from bs4 import BeautifulSoup
from jinja2 import Environment, FileSystemLoader, StrictUndefined

import posviz
from posviz import lessons, sources
from posviz.choosing.glossary import TERMS, glossary
from posviz.course import EXAMINATION, OF_TOPIC
from posviz.pictures.scripts import as_script
from posviz.publish import live, page
from posviz.publish.assets import THEME, policy, scripts, write, write_library
from posviz.publish.cards import CARDS, SIZE
from posviz.publish.clean import cleaned, markdown
from posviz.publish.lesson import living, read
from posviz.publish.overview import cited, overview
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
OPENING = ("rotary", "start")  # of these lessons the first picture lives on the front page


def jobs(notebooks: Iterable[Path], to: Path, repository: str) -> dict[str, Callable]:
    """What takes long, by the names of the files: a lesson's page and slides, two thumbnails."""
    pages: dict[str, Callable] = {}
    for path in notebooks:
        pages[f"{path.stem}.html"] = partial(page.write_page, path, to, repository)
        if path.stem != EXAMINATION.notebook:
            pages[f"{path.stem}_slides.html"] = partial(write_slides, path, to)
    thumbnails = {
        f"{name}.png, {name}_dark.png": partial(gallery.write_thumbnail, name, to)
        for name in lessons.names()
    }
    return pages | thumbnails


def write_site(notebooks: Iterable[Path], repository: str, to: Path) -> None:
    """Write the pages around those of the lessons that lie in `to`, and link all of them.

    repository: as "owner/name" on GitHub, or nothing. Raises OSError that names the file which
    cannot be written.
    """
    notebooks = [path for path in notebooks if (to / f"{path.stem}.html").exists()]
    lessons = {path.stem: overview(path) for path in notebooks}
    shown = gallery.shown(notebooks, lessons)
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
        write(to / f"{name}.html", text.render(here=name, title=title, **values).encode())

    texts = {name: _beside(f"docs/{name}.md").read_text("utf-8") for name in DOCUMENTS}
    headings = {name: text.partition("\n")[0].removeprefix("# ") for name, text in texts.items()}
    write_one(
        *("index", "A course on positional encodings"),
        lessons=lessons.values(),
        cards=CARDS,
        card_size=SIZE,
        opening={
            topic: _opening(path) for path in notebooks for topic in OPENING if _is(path, topic)
        },
        documents=headings,
        front=FRONT,
        policy=policy([THEME, FRONT], IMAGES, *live.POLICY),
    )
    write_one("pictures", "Pictures", pictures=shown)
    words = _table(glossary().table, map(term_id, TERMS))
    write_one("glossary", "Glossary", "table", table=words)
    verdicts = claims.every_verdict()
    judged = _table(claims.table(verdicts), (claim_id(*row) for row in verdicts))
    write_one("claims", "Claims", "table", table=judged)
    write_one("references", "References", sources=_sources(notebooks))
    write_one("search", "Search", documents=documents(notebooks, lessons, shown, verdicts))
    write_one("about", "About", citation=citation())
    for name, text in texts.items():
        text = _document(text.partition("\n")[2], repository)
        write_one(name, headings[name], "document", text=text)
    page.write_assets(to)
    write_library("minisearch", to / "assets")
    linking = ("index", "glossary", "claims", *DOCUMENTS)
    page.link(to, *(f"{name}.html" for name in linking))


def _is(notebook, topic) -> bool:
    return notebook.stem == OF_TOPIC[topic].notebook


def _opening(notebook) -> str:
    """The place of a lesson's first picture."""
    shown = (
        output.data.get("text/html", "")
        for cell in living(notebook).cells
        for output in cell.get("outputs", ())
        if "data" in output
    )
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


def _sources(notebooks) -> list[tuple[str, list[str]]]:
    """Every source, by its name, and the stems of the lessons that cite it."""
    citing = {notebook.stem: cited(cleaned(read(notebook))) for notebook in notebooks}
    return [
        (entry, [stem for stem, those in citing.items() if key in those])
        for key, entry in sources.listed(sources.bibliography()).items()
    ]
