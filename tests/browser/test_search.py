"""A table that is searched, in a real JupyterLab: words leave the rows that have them all."""

from playwright.sync_api import expect

TABLE = """
from posviz.engine.search import Searched
rows = "".join(f"<tr><td>{text}</td></tr>" for text in ("RoPE false", "RoPE true", "ALiBi false"))
Searched("three", f"<table><tbody>{rows}</tbody></table>", "three rows")
"""


def test_typed_words_leave_the_rows_that_have_them_all(lab):
    lab.write("searched", TABLE)
    lab.run_all()
    field, rows = lab.page.get_by_role("searchbox"), lab.page.locator(".three tr:visible")
    expect(rows).to_have_count(3)
    for words, left in (("rope", 2), ("false rope", 1), ("rope maybe", 0), ("", 3)):
        field.fill(words)
        expect(rows).to_have_count(left)
    field.fill("false")
    expect(lab.page.get_by_role("status").filter(has_text="2 found")).to_be_visible()
