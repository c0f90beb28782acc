"""Every source that is named has a key of the bibliography, and a link that leads to it."""

import html
import inspect
import re
from functools import cache
from pathlib import Path

import nbformat
import pybtex.database
import pytest
from bs4 import BeautifulSoup
from nbconvert.filters import markdown2html

from posviz_course import sources
from posviz_course.claims import every_claim
from posviz_course.configs.builtin import SOURCES
from posviz_course.lessons.start.encoding_map import ENTRIES

ROOT = Path(__file__).parent.parent
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
PAGES = [*NOTEBOOKS, ROOT / "README.md", ROOT / "docs" / "install.md", ROOT / "docs" / "library.md"]
CENSUS = [ROOT / "docs" / "census.md", ROOT / "docs" / "long-texts.md"]  # names are often models
# A name with a year of our time, an issue or an arXiv number; what the course itself is on GitHub.
NAMED = re.compile(
    r"\b[Ee]t al\b|\b[A-Z][\w-]+,? \(?20[12]\d\b|\b(?:issue|pull request)s? #?\d+|\b\d{4}\.\d{5}\b"
)
OWN = re.compile(r"https://(pytorch\.org/get-started)/")

every_page = pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)


@cache
def shown(path):
    """Return the Markdown of a notebook, or of a file, as HTML."""
    if path.suffix == ".md":
        return markdown2html(path.read_text("utf-8"))
    cells = nbformat.read(path, as_version=4).cells
    return "\n".join(markdown2html(cell.source) for cell in cells if cell.cell_type == "markdown")


def links(path):
    """Return (key, address) of every link to another host."""
    found = BeautifulSoup(shown(path), "html.parser").select("a[href*='://']")
    return [(a.get("title"), a["href"]) for a in found if not OWN.match(a["href"])]


def named_without_link(page):
    """Return the names of sources that stand outside of links and code."""
    text = BeautifulSoup(page, "html.parser")
    for tag in text(["a", "pre", "code"]):
        tag.replace_with("…")
    return NAMED.findall(" ".join(text.get_text().split()))


def wrong(key, address):
    """Return what is wrong with a link; a link may lead to a file below its source."""
    if key not in sources.bibliography():
        return f"no key {key!r} in sources.bib, {address}"
    source = sources.url(key)
    return "" if address == source or address.startswith(f"{source}/") else f"{key} is {source}"


def claims():
    return [claim for _, claim in every_claim()]


@every_page
def test_who_is_named_is_linked(path):
    assert named_without_link(shown(path)) == []


@every_page
def test_every_link_leads_to_its_source(path):
    assert [fault for link in links(path) if (fault := wrong(*link))] == []


def test_every_source_is_cited():
    cited = {key for path in [*PAGES, *CENSUS] for key, _ in links(path)}
    cited |= {key for claim in claims() for key in claim.sources}
    cited |= {entry.source for entry in ENTRIES.values()}
    cited |= {key for keys in SOURCES.values() for key in keys}
    assert cited == sources.bibliography().keys()


def test_claims_that_speak_of_a_source_have_its_key():
    spoken = re.compile(r"\bet al\.|\bpaper\b|\breleased code\b")
    without = [claim for claim in claims() if not claim.sources]
    assert [c.statement for c in without if spoken.search(inspect.getsource(c.function))] == []


@pytest.mark.parametrize(
    ("markdown", "found"),
    [
        ("As Su et al. (2021) say.", ["et al"]),
        ("(Press, Smith and Lewis 2022)", ["Lewis 2022"]),
        ("In **Whisper** (2022), its issue 7 and arXiv 2104.09864", 3),
        ('[Su et al. 2021](https://a.b "k"), 2048 tokens, the Transformer of 2017, `Su 2021`', []),
    ],
)
def test_names_are_found(markdown, found):
    names = named_without_link(markdown2html(markdown))
    assert (len(names) if isinstance(found, int) else names) == found


def test_a_wrong_link_is_found():
    tree = sources.url("transformers523")
    assert wrong("su2021roformer", "https://arxiv.org/abs/2104.09864") == ""
    assert wrong("transformers523", f"{tree}/src/transformers/generation/utils.py") == ""
    assert "is https://arxiv.org" in wrong("su2021roformer", "https://arxiv.org/abs/2104.098640")
    assert "no key None" in wrong(None, tree)
    assert "no key 'su2021'" in wrong("su2021", tree)


def test_the_bibliography_is_what_pybtex_reads():
    entries = pybtex.database.parse_file(ROOT / "posviz_course" / "sources.bib").entries
    assert sources.bibliography().keys() == entries.keys()
    for key, fields in sources.bibliography().items():
        plain = {name: text.replace(r"\_", "_") for name, text in entries[key].fields.items()}
        plain["title"] = plain["title"].strip("{}")
        assert {name: text for name, text in fields.items() if name != "author"} == plain


@pytest.mark.parametrize("key", sources.bibliography())
def test_an_entry_has_a_name_and_one_lasting_address(key):
    fields = sources.bibliography()[key]
    assert ("url" in fields) != ("eprint" in fields)
    lasting = r"\d{4}\.\d{5}|https://github\.com/\S+/(blob/[0-9a-f]{40}/|tree/v|issues/|pull/)\S+"
    assert re.fullmatch(lasting, fields.get("url") or fields["eprint"])
    assert re.fullmatch(r"[^{}\\]+", sources.name(key))
    address = html.escape(sources.url(key))
    listed = sources.listed(sources.bibliography())
    assert [other for other, entry in listed.items() if address in entry] == [key]


def test_names_are_those_of_a_text():
    known = {key: sources.name(key) for key in ("su2021roformer", "mlx3071", "tensor2tensor")}
    assert known == {
        "su2021roformer": "Su et al., 2021",
        "mlx3071": "mlx, pull request 3071",
        "tensor2tensor": "tensor2tensor",
    }
    shown = '<a href="https://arxiv.org/abs/2104.09864" title="su2021roformer">Su et al., 2021</a>'
    assert sources.link("su2021roformer") == shown


def test_sources_are_listed_once_and_by_name():
    listed = sources.listed(["vaswani2017attention", "mlx3071", "vaswani2017attention"])
    assert list(listed) == ["mlx3071", "vaswani2017attention"]
    assert listed["vaswani2017attention"] == (
        "Ashish Vaswani, Noam Shazeer, Niki Parmar, and others.\nAttention Is All You Need.\n"
        '2017.\n<a href="https://arxiv.org/abs/1706.03762">arXiv:1706.03762</a>.'
    )
    assert [
        entry for entry in sources.listed(sources.bibliography()).values() if "?." in entry
    ] == []


def test_an_unknown_key_is_named():
    for function in (sources.url, sources.name, sources.link, lambda key: sources.listed([key])):
        with pytest.raises(ValueError, match=r"one of those in sources\.bib, got 'su2021'"):
            function("su2021")
