"""What the search is given: sections, pictures, words and claims, each with its place."""

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from posviz_course.blackbox.libraries import rows
from posviz_course.choosing.glossary import TERMS
from posviz_course.claims import Claim, every_claim
from posviz_tools.publish.lesson import StoredLesson
from posviz_tools.publish.site import documents
from posviz_tools.publish.site.gallery import GalleryPicture


@pytest.fixture
def found(tmp_path):
    path = tmp_path / "05_middle.ipynb"
    text = "## 1 The *turn*\n\nPair $i$ turns by $\\theta_i$.\n\n$$\\sum_i x$$"
    cells = [new_markdown_cell("# 05 · Middle"), new_markdown_cell(text), new_code_cell("turn(q)")]
    nbformat.write(new_notebook(cells=cells), path)

    def stay():
        """Two stay."""
        return 3

    turning = Claim("All turn.", stay, "the pairs that stay", "== 0", section="1 A")
    claim = "05", turning, turning()
    lesson = StoredLesson(path)
    picture = GalleryPicture(
        "Hands", "Two hands", ["speed", "size"], lesson, "05_middle.html#x", 8, 4, ""
    )
    page = "# Signs\n\nFirst.\n\n## What `x` says\n\nSecond."
    return documents.documents([lesson], {"signs": page}, [picture], [claim])


def test_each_has_a_number_and_says_what_it_is_and_where(found):
    assert [document["id"] for document in found] == list(range(len(found)))
    kinds = [document["kind"] for document in found]
    assert kinds == [
        *2 * ["05 · Middle"],
        *2 * ["Signs"],
        "Picture, 05 · Middle",
        *len(TERMS) * ["Glossary"],
        "Claim, lesson 05",
        *len(rows()) * ["Library"],
    ]
    assert found[1]["href"] == "05_middle.html#1-The-turn"
    assert found[4]["href"] == "05_middle.html#x"


def test_pages_beside_the_lessons_are_found_by_section(found):
    names = ("title", "href", "text")
    assert [tuple(found[number][name] for name in names) for number in (2, 3)] == [
        ("Signs", "signs.html#", "First."),
        ("What x says", "signs.html#What-x-says", "Second."),
    ]


def test_formulas_are_short_and_code_is_beside_the_text(found):
    assert found[1]["title"] == "1 The turn"
    assert found[1]["text"].strip() == "Pair i turns by …."
    assert found[1]["code"] == "turn(q)"


def test_pictures_are_found_by_name_and_claims_by_numbers(found):
    assert (found[4]["text"], found[4]["title"]) == ("speed; size", "Two hands (Hands)")
    [claim] = [each for each in found if each["kind"] == "Claim, lesson 05"]
    assert claim["text"] == "False. Two stay. The pairs that stay: 3."


def test_a_symptom_is_found_by_its_row():
    where = "| Where |\n|---|\n| here |\n"
    table = "| What you see | Cause | Lesson |\n|---|---|---|\n| It *drifts* | float16 | 06 |"
    found = documents.documents([], {"ask": f"# Ask\n\n{where}\n{table}"}, [], [])
    [symptom] = [each for each in found if each["kind"] == "Symptom"]
    assert symptom["title"] == "It drifts"
    assert symptom["text"] == "float16"
    assert symptom["href"] == "ask.html#symptom-It-drifts"
    [page] = [each for each in found if each["title"] == "Ask"]
    assert page["text"].split() == ["Where", "here"], "the page does not come before its row"


def test_words_and_claims_have_anchors_of_their_own():
    claims = [documents.claim_id(*claim, None) for claim in every_claim()]
    anchors = [*map(documents.term_id, TERMS), *claims]
    assert len(set(anchors)) == len(anchors)
    assert not [anchor for anchor in anchors if set(anchor) & set(' "#&')]


def test_a_library_is_found_by_what_surprises_in_it(found):
    [yarn] = [each for each in found if each["title"] == "litgpt 0.5.13, rope cache, yarn × 4"]
    assert "upside down" in yarn["text"]
    assert "half_split" in yarn["code"]
    assert yarn["href"] == "libraries.html#function-litgpt-rope-cache-yarn-4"
