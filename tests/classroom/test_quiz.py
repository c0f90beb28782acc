"""Five questions a lesson, whose answers are what the course has computed.

Other people's readers find in each file what the quiz asks, whatever signs it has.
"""

import html
import io
import re
import xml.etree.ElementTree as ET
import zipfile

import nbformat
import pytest
import qti_convert
from moodle_xml_parser.parser import parse_bytes

from posviz.encodings.alibi import Alibi
from posviz.encodings.doors import doors
from posviz.encodings.rotary import Rotary
from posviz.encodings.shaw import Shaw
from posviz.encodings.sinusoidal import Sinusoidal
from posviz_course.claims import VERDICTS, every_claim
from posviz_course.course import LESSONS
from posviz_tools.classroom import quiz as module
from posviz_tools.classroom.quiz import OF_THE_MAP, Question, QuizChoice, questions

ASKED = "Is that true?"


def plain(html):
    return " ".join("".join(ET.fromstring(f"<p>{html}</p>").itertext()).split())


def test_every_lesson_has_five_with_a_name_each(quiz):
    assert {len(five) for five in quiz.values()} == {5}
    assert all(sum(c.right for c in each.choices) == 1 for five in quiz.values() for each in five)
    assert [question.name for question in quiz[LESSONS[5]]] == [f"05.{i}" for i in range(1, 6)]
    assert len({question.text for five in quiz.values() for question in five}) == 70


def test_a_question_can_be_read_anywhere(quiz):
    """As XML, without marks of Markdown, pictures, or words that lead into the notebook."""
    for question in [question for five in quiz.values() for question in five]:
        said = [part for choice in question.choices for part in (choice.text, choice.told)]
        for text in (question.text, question.answer, *said):
            assert not set("$`") & set(plain(text)), question.name
            assert "**" not in text
            assert "<img" not in text
        words = plain(question.text).lower().split()
        assert not {"below", "section", "picture"} & set(words), question.name
        assert 2 <= len(question.choices) <= 5


def test_predictions_are_those_that_the_lessons_ask(quiz):
    first, second = quiz[LESSONS[5]][:2]
    assert plain(first.text).startswith("Compute a score in your head")
    (right,) = [choice for choice in first.choices if choice.right]
    assert right.text == "It is 1, because both vectors point down after their rotations."
    assert "the query is rotated by 90° more" in first.choices[1].told
    assert plain(first.answer).startswith(f"{right.text} The score is 1 wherever")
    assert plain(second.text).startswith("Now the text is dog bites man")


def test_claims_are_judged_as_the_ledger_judges_them(quiz):
    claims = {(number, claim.statement): claim for number, claim in every_claim()}
    places = set()
    for row, five in list(quiz.items())[1:]:
        asked = [question for question in five if plain(question.text).startswith(ASKED)]
        assert asked
        for question in asked:
            found = claims[row.number, plain(question.text).removeprefix(ASKED)]()
            (right,) = [choice.text for choice in question.choices if choice.right]
            assert right == VERDICTS[found.word]
            assert " ".join(found.said.split()) == plain(question.answer)
            places.add(right)
    assert len(places) == 3


def test_the_map_asks_for_the_doors_at_which_encodings_act(quiz):
    acts = [Sinusoidal(), Rotary(), Alibi(), Shaw.__new__(Shaw)]
    named = ("at_input", "at_query", "at_key", "at_scores", "at_values")
    words = dict(zip(named, ("input", "query", "key", "scores", "values"), strict=True))
    for question, name, encoding in zip(quiz[LESSONS[0]], OF_THE_MAP, acts, strict=False):
        (right,) = [choice.text for choice in question.choices if choice.right]
        said = {word for word in words.values() if word in right}
        assert said == {words[door] for door in doors(encoding)}, name


def test_what_is_no_question_is_refused(tmp_path):
    path = tmp_path / "05_rope.ipynb"
    cell = nbformat.v4.new_code_cell("1 + 1", metadata={"tags": ["quiz"]})
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), path)
    with pytest.raises(RuntimeError, match=r"05_rope\.ipynb: '1 \+ 1' is no prediction"):
        questions(LESSONS[5], path)


HARD = Question(
    "05.1",
    "<p>Is {x} ~ 1 # of 2 = 3: C:\\data, 5 &lt; 6 &amp; “7”?</p>\n\n<p>And <code>a\\b</code>?</p>",
    (
        QuizChoice("50 % = half", False, "<p>✗ No. #1: ~ is not =.</p>"),
        QuizChoice("<em>x</em> &lt; 1", True, ""),
        QuizChoice("::1::", False, "<p>No</p>"),
    ),
    "<p>It is <strong>x</strong> = 1.</p>\n<ul>\n<li>one</li>\n</ul>",
)


@pytest.fixture(scope="module")
def every(quiz):
    """The quiz, and in lesson 05 what is hard to write."""
    return quiz | {LESSONS[5]: [HARD]}


def asked(every):
    return [question for questions in every.values() for question in questions]


def test_a_reader_of_moodles_xml_finds_every_question(every):
    found = parse_bytes(module.files(every)["quiz.xml"])["multichoice"]
    for each, question in zip(found, asked(every), strict=True):
        assert each.name == question.name
        assert each.text_pre_parse == html.unescape(question.text)
        assert each.general_feedback == html.unescape(question.answer)
        assert each.single
        for option, choice in zip(each.options, question.choices, strict=True):
            assert option.answer == html.unescape(choice.text)
            assert option.feedback == html.unescape(choice.told)
            assert option.score_fraction == 100 * choice.right


def test_moodles_xml_says_where_questions_stand_and_that_they_are_html(every):
    root = ET.fromstring(module.files(every)["quiz.xml"])
    categories = root.findall("question[@type='category']/category/text")
    assert categories[0].text == "$course$/top/posviz/00 Start here"
    assert len(categories) == len(LESSONS)
    texts = root.findall("question[@type='multichoice']/questiontext")
    assert {text.get("format") for text in texts} == {"html"}


@pytest.fixture(scope="module")
def package(every):
    """The files of the package, and the same as a converter writes them in QTI 3."""
    data = module.files(every)["quiz_qti.zip"]
    with zipfile.ZipFile(io.BytesIO(data)) as files:
        return {name: files.read(name) for name in files.namelist()}


def test_a_converter_finds_in_each_item_what_is_asked_and_what_is_right(package, every):
    for question in asked(every):
        item = ET.fromstring(qti_convert.upgrade_item(package[f"{question.name}.xml"].decode()))
        texts = [" ".join("".join(c.itertext()).split()) for c in each(item, "simple-choice")]
        assert texts == [plain(choice.text) for choice in question.choices]
        (right,) = [value.text for value in each(item, "correct-response")[0]]
        identifiers = [choice.get("identifier") for choice in each(item, "simple-choice")]
        assert question.choices[identifiers.index(right)].right
        body = "".join(each(item, "item-body")[0].itertext())
        assert plain(question.text).split()[0] in body
        told = {
            each.get("identifier"): "".join(each.itertext())
            for each in each(item, "modal-feedback")
        }
        for identifier, choice in zip(identifiers, question.choices, strict=True):
            assert " ".join(told[identifier].split()).startswith(plain(choice.told))


def each(root, name):
    return [found for found in root.iter() if re.sub(r"\{.*\}", "", found.tag) == f"qti-{name}"]


def test_the_manifest_has_every_file_and_what_it_needs(package, every):
    name = "{http://www.imsglobal.org/xsd/imscp_v1p1}"
    root = ET.fromstring(package.pop("imsmanifest.xml"))
    resources = {found.get("identifier"): found for found in root.iter(f"{name}resource")}
    files = [found.get("href") for found in root.iter(f"{name}file")]
    assert sorted(files) == sorted(package)
    for found in root.iter(f"{name}dependency"):
        assert found.get("identifierref") in resources
    for row, five in every.items():
        test = ET.fromstring(package[f"{row.notebook}.xml"])
        named = [found.get("href") for found in test.iter() if found.tag.endswith("ItemRef")]
        assert named == [f"{question.name}.xml" for question in five]
        for question, found in zip(five, named, strict=True):
            assert ET.fromstring(package[found]).get("identifier") == f"question-{question.name}"


def test_two_runs_write_the_same(every):
    assert module.files(every)["quiz_qti.zip"] == module.files(every)["quiz_qti.zip"]
