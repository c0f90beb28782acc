"""The final examination: twelve pieces of code, each with a mistake to be found and mended.

A task is a checker of a lesson, and one of the mistakes that it knows: the one that is given.
"""

from typing import Any, NamedTuple

from posviz.course import OF_TOPIC
from posviz.encodings.checks import require_choice
from posviz.lessons.alibi import check_slopes
from posviz.lessons.content import check_fox
from posviz.lessons.learned import check_has_row
from posviz.lessons.order import check_attention
from posviz.lessons.relative import check_shaw_index
from posviz.lessons.rotary import check_rotary_scores, check_slip
from posviz.lessons.rotary2d import check_axial
from posviz.lessons.rotary_code import check_cached_scores
from posviz.lessons.sinusoidal import check_sinusoidal
from posviz.lessons.stretching import check_on_scores
from posviz.lessons.xpos import check_blockwise_mask
from posviz.teaching import progress
from posviz.teaching.checker import Checker
from posviz.teaching.feedback import Feedback


class Task(NamedTuple):
    """What checks the mended code, and the name of the mistake in what is given."""

    checker: Checker
    given: str


TASKS = {
    1: Task(check_attention, "softmax over the wrong axis"),
    2: Task(check_sinusoidal, "exponent halved"),
    3: Task(check_has_row, "padding offset forgotten"),
    4: Task(check_shaw_index, "not clipped"),
    5: Task(check_rotary_scores, "rotated before projection"),
    6: Task(check_slip, "m − n instead of n − m"),
    7: Task(check_cached_scores, "query at 0"),
    8: Task(check_axial, "frequencies over head_dim"),
    9: Task(check_slopes, "the formula for every number of heads"),
    10: Task(check_blockwise_mask, "window of two blocks"),
    11: Task(check_on_scores, "q only"),
    12: Task(check_fox, "key's own gate counted"),
}


def check_task(number: int, answer: Any) -> Feedback:
    """Return the feedback on what a reader has made of a task, and note it; 1 to 12.

    Raises:
        ValueError: for a task that there is not.
    """
    require_choice(str(number), "number", tuple(map(str, TASKS)))
    checker, given = TASKS[int(number)]
    found = checker(answer)
    title = f"Task {number}: {checker.title}"
    if found.mistake == given:
        lesson = progress.lesson_of_checker(checker)
        message = f"Not mended yet: this does what was given. It is of lesson {lesson}."
        return Feedback("not attempted", title, message)
    if found.status != "not attempted":
        progress.note("examination", OF_TOPIC["choosing"].number, title, found.status == "correct")
    return Feedback(found.status, title, found.message, found.mistake, found.evidence)
