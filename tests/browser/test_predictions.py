"""A prediction in JupyterLab: closed, answered by one click, noted, and closed again tomorrow."""

import json

from playwright.sync_api import expect

from tests.browser.predictions import answer_all

ASK = """
from posviz import predict
predict("One or two?", ("one", 2 == 1, "That is less."), ("two", 2 == 2, ""), answer="It is 2.")
"""


def test_one_click_answers_and_is_noted(lab):
    lab.kernel = None  # a new one, which knows the lesson by the name of its notebook
    lab.write("01_asked", ASK)
    lab.run_all()
    assert lab.page.locator(".posviz-prediction").count() == 1
    lab.page.get_by_text("one", exact=True).press("Enter")
    expect(lab.page.locator(".posviz-answer")).to_contain_text("two. It is 2.")
    lab.ask("")  # the kernel has then heard of it
    [file] = lab.server.folder.parent.rglob("progress.json")
    [cell] = json.loads((lab.server.folder / "01_asked.ipynb").read_text())["cells"]
    assert json.loads(file.read_text())["01"]["predictions"] == {cell["id"]: False}


def test_after_a_click_keys_are_the_notebooks_again(lab):
    """Shift+Enter runs the cell, which closes the prediction."""
    lab.write("03_asked", ASK)
    lab.run_all()
    lab.page.get_by_text("one", exact=True).click()
    answer = lab.page.locator(".posviz-answer[open]")
    expect(answer).to_have_count(1)
    lab.page.keyboard.press("Shift+Enter")
    expect(answer).to_have_count(0)


def test_a_saved_prediction_is_closed_and_answers_without_a_kernel(lab):
    lab.write("02_asked", ASK)
    lab.run_all()
    assert answer_all(lab.page) == 1
    lab.save()
    lab.shut_down_kernels()
    lab.open("02_asked")
    asked = lab.page.locator(".posviz-prediction")
    expect(asked).to_have_count(1)
    expect(asked.locator("details[open]")).to_have_count(0)
    asked.get_by_text("one", exact=True).click()
    expect(asked).to_contain_text("✗ No. That is less.")
    asked.get_by_text("The answer").click()
    expect(asked).to_contain_text("two. It is 2.")
