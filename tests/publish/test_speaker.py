"""What the speaker is told of a prediction: its choices by their letters."""

from posviz.publish import speaker
from posviz.teaching.prediction import predict


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
