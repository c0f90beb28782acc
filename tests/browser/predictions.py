"""Predictions wherever they are shown: closed at first, and each choice answers."""

from playwright.sync_api import expect


def answer_all(page):
    """Choose every choice of every prediction on the page; return how many predictions.

    By mouse in the first: a browser looks for seconds whether all others can be clicked.
    """
    asked = page.locator(".posviz-prediction").all()
    for prediction in asked:
        expect(prediction.locator("details[open]")).to_have_count(0)
        choices = prediction.locator(".posviz-guess").all()
        for choice in choices:
            summary = choice.locator("summary")
            summary.click() if prediction is asked[0] else summary.dispatch_event("click")
            expect(prediction.locator(".posviz-answer > p").first).to_be_visible()
        said = [text for choice in choices for text in choice.locator("p").all_inner_texts()[:1]]
        is_vote = "posviz-vote" in prediction.get_attribute("class")
        assert is_vote or sorted(text[0] for text in said) == sorted("✓" + "✗" * (len(choices) - 1))
    return len(asked)
