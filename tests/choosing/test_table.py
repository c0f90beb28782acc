"""The table: as text and as HTML the same cells, and nothing loaded that is not asked for."""

import re
import subprocess
import sys

import pytest

from posviz_course.choosing import costs, table
from posviz_course.choosing.columns import COLUMNS
from posviz_course.choosing.rows import ROWS


def test_text_and_html_have_the_same_cells():
    made = table.comparison("door", "parameters")
    text, shown = repr(made), made._repr_html_()
    for row in ROWS:
        door, parameters = COLUMNS["door"](row).said, COLUMNS["parameters"](row).said
        assert re.search(rf"^{re.escape(row)} +{door} +{parameters}$", text, flags=re.MULTILINE)
        cells = re.findall(r"<t[dh][^>]*>([^<]*)<", shown.split(f">{row}<")[1])[:2]
        assert cells == [door, parameters]
    assert "door: Where it acts." in text
    assert "Where it acts." in shown


def test_what_hangs_on_the_machine_shows_progress(monkeypatch, capsys):
    monkeypatch.setattr(costs, "_ratios", lambda row, length: [1.5 if row == "RoPE" else 2.5] * 3)
    said = repr(table.comparison("time"))
    assert re.search(r"^RoPE +× 1\.5 \(1\.5 to 1\.5\)$", said, flags=re.MULTILINE)
    assert f"{len(ROWS)}/{len(ROWS)}" in capsys.readouterr().out
    table.comparison("door")
    assert capsys.readouterr().out == ""


@pytest.mark.slow("a process")
def test_the_other_columns_load_no_torch():
    program = "from posviz_course.choosing.table import comparison; comparison('door', 'flash')"
    program += "; import sys; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "False\n", done.stderr
