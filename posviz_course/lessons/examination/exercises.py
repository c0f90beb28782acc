"""The examination: twelve pieces of code, each with a mistake to be found and fixed.

A task is a checker of a lesson, and one of the mistakes that it knows: the one that is given.
"""

from dataclasses import dataclass, fields

from posviz.teaching import progress
from posviz.teaching.checker import Checker
from posviz.teaching.feedback import Feedback
from posviz_course.course import OF_TOPIC
from posviz_course.lessons.alibi import check_slopes
from posviz_course.lessons.content import check_fox
from posviz_course.lessons.learned import check_has_row
from posviz_course.lessons.order import check_attention
from posviz_course.lessons.relative import check_shaw_index
from posviz_course.lessons.rotary import check_rotary_scores, check_slip
from posviz_course.lessons.rotary2d import check_axial
from posviz_course.lessons.rotary_code import check_cached_scores
from posviz_course.lessons.sinusoidal import check_sinusoidal
from posviz_course.lessons.stretching import check_on_scores
from posviz_course.lessons.xpos import check_blockwise_mask


@dataclass
class ExaminationTask(Checker):
    """A checker of a lesson, and the wrong function that its reader is given.

    It stands in no lesson, so it offers no solution.

    lesson: the number of the lesson whose checker this is.
    """

    lesson: str = ""

    @property
    def unfixed(self) -> str:
        return f"{super().unfixed} It is of lesson {self.lesson}."

    def _note(self, feedback: Feedback) -> None:
        lesson = OF_TOPIC["choosing"].number
        progress.note("examination", lesson, self.title, bool(feedback))


def _task(number: int, checker: Checker, mistake: str) -> ExaminationTask:
    same = {each.name: getattr(checker, each.name) for each in fields(Checker) if each.init}
    same["title"] = f"Task {number}: {checker.title}"
    same["given"] = next(m.change(checker.reference) for m in checker.changes if m.name == mistake)
    assert checker.lesson
    return ExaminationTask(**same, lesson=checker.lesson)


check_1 = _task(1, check_attention, "softmax over the wrong axis")
check_2 = _task(2, check_sinusoidal, "exponent halved")
check_3 = _task(3, check_has_row, "padding offset forgotten")
check_4 = _task(4, check_shaw_index, "not clipped")
check_5 = _task(5, check_rotary_scores, "rotated before projection")
check_6 = _task(6, check_slip, "i − j instead of j − i")
check_7 = _task(7, check_cached_scores, "query at 0")
check_8 = _task(8, check_axial, "frequencies over head_dim")
check_9 = _task(9, check_slopes, "the formula for every number of heads")
check_10 = _task(10, check_blockwise_mask, "window of two blocks")
check_11 = _task(11, check_on_scores, "q only")
check_12 = _task(12, check_fox, "key's own gate counted")
