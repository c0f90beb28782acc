"""Every picture draws and says what it did when `as_drawn.json` was written.

So that numbers, names in a legend and captions are told apart from their neighbours' once, for all
pictures; pictures with mathematics of their own have it tested beside this file.
"""

import pytest

import posviz_course.lessons
from tests.lessons import as_drawn

STORED = as_drawn.load()


def test_every_picture_is_stored():
    names = list(posviz_course.lessons.names())
    assert list(STORED) == names, "for a new picture: python -m tests.lessons.as_drawn Name"


@pytest.mark.parametrize("name", STORED)
def test_a_picture_draws_and_says_what_it_did(name):
    settings, stored = STORED[name]["settings"], STORED[name]["drawn"]
    found = as_drawn.described(name, settings)
    for setting, before, now in zip(settings, stored, found, strict=True):
        difference = "\n".join(as_drawn.difference(before, now))
        assert difference == "", f"{name} at {setting}; if wanted: python -m tests.lessons.as_drawn"


@pytest.mark.parametrize(
    ("old", "new", "is_alike"),
    [
        ("line 'q' C0 (3: 1.0000 0.25000)", "line 'q' C0 (3: 1.00001 0.25001)", True),
        ("line 'q' C0 (3: 1.0000 0.25000)", "line 'q' C0 (3: 1.001 0.25000)", False),
        ("line 'q' C0 (3: 1.0000 0.25000)", "line 'k' C0 (3: 1.0000 0.25000)", False),
        ("line 'q' C0 (3: 1.0000 0.25000)", "line 'q' C1 (3: 1.0000 0.25000)", False),
        ("of 1,024 tokens, −0.5", "of 1,024 tokens, 0.5", False),
    ],
)
def test_a_difference_is_another_word_or_more_than_a_last_digit(old, new, is_alike):
    assert (as_drawn.difference([old], [new]) == []) == is_alike
