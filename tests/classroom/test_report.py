"""What a class got wrong: shares and a page."""

from datetime import date

from posviz_tools.classroom.grade import Row
from posviz_tools.classroom.report import histogram, report, shares

SENTENCE = "You divided by √d_model & not <√head_dim>."
ROWS = [
    *(Row(f"s{i}", "scores", 0, "divided by √d_model", SENTENCE) for i in range(3)),
    *(Row(f"s{i}", "scores", 10, "", "It agrees.") for i in range(3, 7)),
    Row("s7", "scores", 0, "error", "Your code stopped."),
    *(Row(f"s{i}", "matrix", 10, "", "That is it.") for i in range(8)),
]


def test_shares_are_of_the_class_and_most_come_first():
    found = shares(ROWS)
    assert [(share.mistake, share.percent) for share in found["scores"]] == [
        ("right", "50 %"),
        ("divided by √d_model", "38 %"),
        ("missing, or the code stopped", "12 %"),
    ]
    assert found["scores"][1].feedback == SENTENCE
    assert [share.percent for share in found["matrix"]] == ["100 %"]


def test_different_reasons_are_all_told_up_to_three():
    rows = [Row(f"s{i}", "scores", 0, "error", f"It stopped: {i % 5}.") for i in range(10)]
    told = shares(rows)["scores"][1].feedback
    assert told == "It stopped: 0. · It stopped: 1. · It stopped: 2."


def test_the_page_has_sums_and_mistakes(tmp_path):
    stray = Row(
        "s8", "scores", 0, "not graded: no notebook that can be read", "s8.ipynb is not a notebook."
    )
    page = report([*ROWS, stray], tmp_path, "05 · RoPE")
    text = page.read_text("utf-8")
    assert f"<h1>05 · RoPE: grades of the class</h1>\n<p>{date.today()}. 8 notebooks" in text
    assert "8 notebooks, mean 15.0 of 20 points" in text
    assert "1 of 9 was not graded: s8 (no notebook that can be read)." in text
    assert '<td>38 %</td><th scope="row">divided by √d_model</th>' in text
    assert "√d_model &amp; not &lt;√head_dim&gt;." in text
    first, last = (
        "0: divided by √d_model</td><td>10</td><td>10",
        "0: missing, or the code stopped</td>",
    )
    assert f'<tr><th scope="row">s0</th><td>{first}</td></tr>' in text
    assert f'<th scope="row">s7</th><td>{last}' in text
    assert '<tr><th scope="row">10</th><td>4</td>' in text
    assert "<img" not in text


def test_a_histogram_counts_students_from_none_to_all_points():
    assert histogram([0, 10, 5, 10], 10) == [(0, 1), (5, 1), (10, 2)]
    assert histogram([2.4], 20) == [(0, 1), (5, 0), (10, 0), (15, 0), (20, 0)]
