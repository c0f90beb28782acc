"""What popular tables say: each cell has its number, and what is wrong is marked."""

import re

from posviz_course.choosing.said import said

WRONG = {  # by row and column, what is said there and wrong
    ("relative (T5)", "learned numbers"): "“n²” ✗ 256",
    ("Transformer-XL", "learned numbers"): "“L·d” ✗ 263 168",
    ("RoPE", "example"): "LLaMA ✓, GPT-Neo ✗, GPT-2 ✗",
}


def test_what_is_wrong_is_marked_and_nothing_else():
    made = said()
    found = {
        (row, column): cell.said
        for row, cells in made.rows.items()
        for column, cell in zip(made.measures, cells, strict=True)
        if "✗" in cell.said
    }
    longer = {row for row, column in found if column == "longer texts"}
    assert longer >= {"sinusoidal", "RoPE", "ALiBi"}
    assert {place: said for place, said in found.items() if place[1] != "longer texts"} == WRONG
    assert all(cell.can != ("✗" in cell.said) for cells in made.rows.values() for cell in cells)


def test_every_cell_but_two_has_its_sign():
    cells = [cell.said for cells in said().rows.values() for cell in cells]
    assert [cell for cell in cells if not re.search("[✓✗]", cell)] == ["", "not run"]
