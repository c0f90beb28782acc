"""Errors in what instructors are told, and in the quiz for their platforms."""

QUICK = {
    "minutes: the appendix counts as the lesson": (
        "posviz/teaching/minutes.py",
        "part = appendix if APPENDIX.match(cell.source) else part",
        "part = lesson",
        "tests/teaching/test_minutes.py::test_minutes_above_the_hour_are_not_rounded_away",
    ),
    "quiz: the first choice of a claim is right": (
        "posviz/teaching/quiz.py",
        'Choice(text, kind == right, "")',
        'Choice(text, kind == "true", "")',
        "tests/teaching/test_quiz.py::test_claims_are_judged_as_the_ledger_judges_them",
    ),
    "quiz: GIFT's own signs stand as they are": (
        "posviz/teaching/quiz_files.py",
        'return _ACTS.sub(r"\\\\\\1", " ".join(html.split()))',
        'return " ".join(html.split())',
        "tests/teaching/test_quiz_files.py::test_a_reader_of_gift_finds_every_question",
    ),
    "quiz: choices of QTI are lettered from the second": (
        "posviz/teaching/templates/item.xml.j2",
        '<simpleChoice identifier="{{ letters[loop.index0] }}">',
        '<simpleChoice identifier="{{ letters[loop.index] }}">',
        "tests/teaching/test_quiz_files.py::"
        "test_a_converter_finds_in_each_item_what_is_asked_and_what_is_right",
    ),
    "syllabus: an afternoon counts lectures alone": (
        "posviz/teaching/syllabus.py",
        "sum(plan.minutes.lecture + plan.minutes.lab for plan in plans)",
        "sum(plan.minutes.lecture for plan in plans)",
        "tests/teaching/test_syllabus.py::test_an_afternoon_is_full_and_ends_in_time",
    ),
}
DEFAULT: dict[str, tuple[str, str, str, str]] = {}
