"""What the speaker is told: choices by their letters, and of a picture what its slide can move."""

import re

import pytest

from posviz.cli import arguments
from posviz.lessons import load
from posviz.publish import speaker
from posviz.publish.lesson import read
from posviz.teaching.prediction import predict

TRY = "**Try** *both moved by*: play it. Then *Reset*. Then *pair* 2.\n\n**Notice** that."


def test_a_prediction_is_read_as_it_was_asked():
    shown = predict(
        "Which *one*?",
        ("a < b", True, ""),
        ("no", False, "See [it](https://a.b)."),
        answer="2",
    )
    found = speaker.asked(f"<p>before</p>{shown.text}")
    assert found.question == "<p>Which <em>one</em>?</p>"
    assert [choice for choice, _ in found.choices] == ["a &lt; b", "no"]
    assert "<p>✓ Yes. </p>" in found.choices[0][1].replace("</p>\n", "</p>").replace(
        "Yes.<", "Yes. <"
    )
    assert found.answer == "<p><strong>a &lt; b.</strong> 2</p>"
    first, second = found.notes.index("A</strong>"), found.notes.index("B</strong>")
    assert first < found.notes.index("✓") < second < found.notes.index("✗")
    assert speaker.asked("<p>Which?</p>") is None


def test_what_names_a_knob_that_the_slide_does_not_move_is_for_the_notebook():
    told = speaker.followed(TRY, "RotatingVectors")
    assert "both moved by" in [
        load("RotatingVectors").knobs()[k].label for k in load("RotatingVectors").filmed_knobs()
    ]
    assert told == (
        "**Try** *both moved by*: play it. Then *Reset*.\n\n"
        "**In the notebook** Then *pair* 2.\n\n**Notice** that."
    )


@pytest.mark.parametrize("note", ["T5's buckets make it small.", "**Notice** that *pair* turns."])
def test_other_notes_and_other_pictures_stay_as_they_are(note):
    assert speaker.followed(note, "RotatingVectors") == note
    assert speaker.followed(TRY, "NoPicture") == TRY


def test_no_word_of_a_lessons_prompt_is_lost():
    found = 0
    for path in arguments.notebooks().values():
        for above, below in zip(read(path).cells, read(path).cells[1:], strict=False):
            made = re.search(r"^(\w+)\(.*\.explore\(\)", above.source, re.MULTILINE)
            if made and below.source.startswith("**Try"):
                told = speaker.followed(below.source, made[1]).replace("**In the notebook**", "")
                words = below.source.replace("**Try.**", "**Try**").split()
                assert sorted(told.replace("**Try**", "").split()) == sorted(
                    word for word in words if word != "**Try**"
                )
                found += 1
    assert found > 40
