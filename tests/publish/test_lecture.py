"""Which slides a lecture takes, and what is told of it."""

import pytest

from posviz.publish import lecture
from tests.publish.test_slides import lesson, shows, text


@pytest.fixture
def made():
    """A title of 1 minute, five sections of 3 minutes, and a rule of 1, at their own pace."""
    cells = []
    for number in range(1, 6):
        shown = shows(plain="ThreeDoors(door='none')", headline="A")
        cells += [f"## {number} It", shown, text("Words.")]
    rule = text("## The rule", role="rule", headline="So.")
    optional = text("## Optional", role="optional", headline="More.")

    def with_lecture(*named):
        own = {"lecture": {"minutes": 2 + 3 * len(named), "sections": named}} if named else {}
        return lesson(*cells, rule, optional, **own)

    return with_lecture


def numbers(deck):
    return [slide.section for slide in deck]


def test_sections_come_in_the_lessons_order_between_title_and_rule(made):
    assert numbers(lecture.taken(made(), [3, 1])) == ["opening", 1, 3, "rule"]
    with pytest.raises(ValueError, match="RoPE has slides of sections 1, 2, 3, 4, 5; got 7"):
        lecture.taken(made(), [1, 7])


@pytest.mark.parametrize(
    ("named", "minutes", "wanted"),
    [
        ((), 8, [1, 2]),
        ((), 10, [1, 2]),
        ((2, 4), 8, [2, 4]),
        ((2, 4), 7, [2]),
        ((2, 4, 5), 10, [2, 4]),
        ((2, 4), 11, [1, 2, 4]),
    ],
)
def test_the_lessons_own_lecture_comes_first_then_what_fits(made, named, minutes, wanted):
    deck = lecture.taken(made(*named), time=minutes)
    assert numbers(deck) == ["opening", *wanted, "rule"]


def test_what_was_taken_and_left_out_is_told(made, monkeypatch):
    told = []
    left_out = (
        "Left out: sections 1, 3, 4, 5; with them it takes 17. "
        "The lesson's own lecture, sections 2, 4, takes 8 minutes."
    )
    lecture.taken(made(2, 4), time=6, tell=told.append)
    monkeypatch.setattr(lecture, "IDLE", 2)
    lecture.taken(made(2, 4), time=7.9, tell=told.append)
    assert numbers(lecture.taken(made(2, 4), time=17, tell=told.append))[-1] == "rule"
    assert numbers(lecture.taken(made(2, 4), time=18))[-1] == "optional"
    assert told == [
        f"05 · RoPE: 5 minutes: section 2. {left_out}",
        f"05 · RoPE: 5 minutes: section 2. {left_out} `--sections 2,4` takes 8 minutes.",
        "05 · RoPE: 17 minutes: sections 1, 2, 3, 4, 5.",
    ]
    with pytest.raises(ValueError, match="05 · RoPE takes 5 minutes at least"):
        lecture.taken(made(2, 4), time=4)
