"""Other people's readers find in each file what the quiz asks, whatever signs it has."""

import html
import io
import re
import xml.etree.ElementTree as ET
import zipfile

import pytest
import qti_convert
from moodle_xml_parser.parser import parse_bytes
from pygiftparser import parser

from posviz.classroom import quiz_files
from posviz.classroom.quiz import Choice, Question
from posviz.course import LESSONS

HARD = Question(
    "05.1",
    "<p>Is {x} ~ 1 # of 2 = 3: C:\\data, 5 &lt; 6 &amp; “7”?</p>\n\n<p>And <code>a\\b</code>?</p>",
    (
        Choice("50 % = half", False, "<p>✗ No. #1: ~ is not =.</p>"),
        Choice("<em>x</em> &lt; 1", True, ""),
        Choice("::1::", False, "<p>No</p>"),
    ),
    "<p>It is <strong>x</strong> = 1.</p>\n<ul>\n<li>one</li>\n</ul>",
)


@pytest.fixture(scope="module")
def every(quiz):
    """The quiz, and in lesson 05 what is hard to write."""
    return quiz | {LESSONS[5]: [HARD]}


def asked(every):
    return [question for questions in every.values() for question in questions]


def plain(html):
    return " ".join("".join(ET.fromstring(f"<p>{html}</p>").itertext()).split())


def unescaped(text):
    """As Moodle reads it; this reader leaves most texts as they are written."""
    return re.sub(r"\\([\\~=#{}:])", r"\1", text)


def test_a_reader_of_gift_finds_every_question(every, tmp_path):
    file = tmp_path / "quiz.gift"
    file.write_bytes(quiz_files.gift(every))
    with file.open(encoding="utf-8") as text:
        found = parser.parseFile(text)
    assert [each.title for each in found] == [question.name for question in asked(every)]
    for each, question in zip(found, asked(every), strict=True):
        assert each.valid
        assert plain(unescaped(each.text)) == plain(question.text)
        assert plain(unescaped(each.generalFeedback)) == plain(question.answer)
        for answer, choice in zip(each.answers.answers, question.choices, strict=True):
            assert unescaped(answer.answer) == choice.text
            assert unescaped(answer.feedback or "") == choice.told
            assert (answer.fraction == 100) == choice.right


def test_a_reader_of_moodles_xml_finds_every_question(every):
    found = parse_bytes(quiz_files.moodle_xml(every))["multichoice"]
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
    root = ET.fromstring(quiz_files.moodle_xml(every))
    categories = root.findall("question[@type='category']/category/text")
    assert categories[0].text == "$course$/top/posviz/00 Start here"
    assert len(categories) == len(LESSONS)
    texts = root.findall("question[@type='multichoice']/questiontext")
    assert {text.get("format") for text in texts} == {"html"}


@pytest.fixture(scope="module")
def package(every):
    """The files of the package, and the same as a converter writes them in QTI 3."""
    data = quiz_files.qti(every)
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
    for row, questions in every.items():
        test = ET.fromstring(package[f"{row.notebook}.xml"])
        named = [found.get("href") for found in test.iter() if found.tag.endswith("ItemRef")]
        assert named == [f"{question.name}.xml" for question in questions]
        for question, found in zip(questions, named, strict=True):
            assert ET.fromstring(package[found]).get("identifier") == f"question-{question.name}"


def test_two_runs_write_the_same(every):
    assert quiz_files.qti(every) == quiz_files.qti(every)
