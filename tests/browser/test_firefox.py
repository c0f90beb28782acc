"""A page's cells in Firefox; conftest.py leaves this file out where Firefox is not installed."""

import json

import pytest

from tests.browser.firefox import firefox
from tests.browser.server import served

LESSON = "00_start_here"
ENDS = {  # of cells: how each is ended, and what it shows then
    "while 1: pass": "was stopped",
    "while 2: pass": "ran for 10 seconds",
    "import os; os.abort()": "ended Python",
}
CELLS = "[...document.querySelectorAll('[data-cell]:has(.posviz-run)')]"
IDS = f"return {CELLS}.map((cell) => cell.dataset.cell)"
KEEP = "localStorage.setItem(`posviz answers ${location.pathname}`, arguments[0])"
PRESS = f"{CELLS}[arguments[0]].querySelector('.posviz-run button').click()"
STATE = f"return {CELLS}[arguments[0]].querySelector('.posviz-state').textContent === 'runs …'"
SHOWS = f"return {CELLS}[arguments[0]].querySelector('.outputs').textContent.includes(arguments[1])"
IS_QUIET = "return document.querySelector('.posviz-loading').hidden"


@pytest.fixture(scope="module")
def tab(page_of, tmp_path_factory):
    """A lesson's page whose first cells a reader has written."""
    file = page_of(LESSON)
    with firefox(tmp_path_factory.mktemp("profile")) as tab, served(file.parent) as address:
        tab.open(f"{address}/{file.name}")
        sources = dict(zip(tab.evaluate(IDS), ["1 + 41", *ENDS], strict=False))
        tab.evaluate(KEEP, json.dumps({"sources": sources}))
        tab.ask("WebDriver:Refresh")
        yield tab


@pytest.mark.parametrize(
    "number", [1, *(pytest.param(n, marks=pytest.mark.release("ten seconds")) for n in (2, 3))]
)
def test_after_a_cell_that_was_ended_another_one_runs(tab, number):
    tab.evaluate(PRESS, number)
    tab.wait(STATE, number)
    if number == 1:
        tab.evaluate(PRESS, number)
    tab.wait(SHOWS, number, list(ENDS.values())[number - 1])
    tab.evaluate(PRESS, 0)
    tab.wait(SHOWS, 0, "42")
    tab.wait(IS_QUIET)
