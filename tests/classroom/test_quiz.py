"""Five questions a lesson, whose answers are what the course has computed."""

import xml.etree.ElementTree as ET

import nbformat
import pytest

from posviz.classroom.quiz import OF_THE_MAP, questions
from posviz.course import LESSONS
from posviz.encodings.alibi import Alibi
from posviz.encodings.doors import doors
from posviz.encodings.rotary import Rotary
from posviz.encodings.shaw import Shaw
from posviz.encodings.sinusoidal import Sinusoidal
from posviz.teaching.claims import VERDICTS, every_claim

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
    assert plain(first.text).startswith("With the query at 7 and the key at 4")
    (right,) = [choice for choice in first.choices if choice.right]
    assert right.text == "It changes, because the offset i − j changes its sign"
    assert "the query is now rotated less than the key" in first.choices[0].told
    assert plain(first.answer).startswith(f"{right.text}. RoPE distinguishes")
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
