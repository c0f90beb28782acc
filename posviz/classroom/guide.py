"""The instructor's guide: one page about the whole course, and its quiz for learning platforms."""

from pathlib import Path

from posviz.classroom import quiz_files, syllabus
from posviz.classroom.lessons import plans
from posviz.classroom.quiz import questions
from posviz.classroom.quiz_files import TEMPLATES
from posviz.publish.assets import policy, write_file
from posviz.publish.clean import markdown

FILES = ("guide.html", "quiz.xml", "quiz.gift", "quiz_qti.zip")


def write_guide(notebooks: dict[str, Path], to: Path) -> list[Path]:
    """Write the page, and the quiz for Moodle, as GIFT and as QTI; return where they are.

    notebooks: every lesson's, by name. Raises RuntimeError where a lesson lacks questions, OSError
    where `to` cannot be written.
    """
    lessons = plans(notebooks)
    quiz = {plan.row: questions(plan.row, notebooks[plan.row.notebook]) for plan in lessons}
    page = TEMPLATES.get_template("guide.html.j2").render(
        lessons=lessons,
        quiz=quiz,
        weeks=syllabus.weeks(lessons),
        afternoon=syllabus.afternoon(lessons),
        profiles=syllabus.PROFILES,
        syllabus=syllabus,
        markdown=markdown,
        policy=policy([]),
    )
    quizzes = (quiz_files.moodle_xml, quiz_files.gift, quiz_files.qti)
    texts = [page.encode(), *(written(quiz) for written in quizzes)]
    return [write_file(to / name, text) for name, text in zip(FILES, texts, strict=True)]
