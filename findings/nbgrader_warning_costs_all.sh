#!/usr/bin/env bash
# Package: nbgrader 0.9.6, generate_assignment and autograde. Seen on 2026-11-29, Python 3.11.
# Guess: a test cell that raises nothing earns its points; a warning that it prints costs none.
# Instead: whatever a test cell writes to stderr, a DeprecationWarning of a library for one, makes the
# points 0, although no test failed. What it prints to stdout costs nothing.
# Seen, points of 2 for three right answers: quiet 2, prints 2, warns 0.
set -euo pipefail
d=$(mktemp -d); trap 'rm -rf "$d"' EXIT
python3 -m venv "$d/v"
"$d/v/bin/pip" install -q --disable-pip-version-check nbgrader==0.9.6 ipykernel==6.31.0 notebook==7.6.0
cd "$d"; export PATH="$d/v/bin:$PATH" JUPYTER_CONFIG_DIR="$d/config" JUPYTER_DATA_DIR="$d/data"
python - <<'PY'
import nbformat, pathlib
from nbformat.v4 import new_code_cell, new_notebook

def mark(name, **more):
    usual = dict(grade=False, solution=False, locked=False, task=False, schema_version=3)
    return {"nbgrader": usual | dict(grade_id=name) | more}

def write(path, answer):
    cells = [new_code_cell(answer, metadata=mark("answer", solution=True)),
             new_code_cell("assert double(2) == 4", metadata=mark("test", grade=True, locked=True, points=2))]
    spec = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    path = pathlib.Path(path); path.parent.mkdir(parents=True)
    nbformat.write(new_notebook(cells=cells, metadata=spec), path)

body = "def double(x):\n    {}\n    return 2 * x"
write("source/one/sheet.ipynb", "### BEGIN SOLUTION\n" + body.format("pass") + "\n### END SOLUTION")
for name, line in dict(quiet="pass", prints="print('here')", warns="import warnings; warnings.warn('soon gone')").items():
    write(f"submitted/{name}/one/sheet.ipynb", body.format(line))
PY
nbgrader generate_assignment one --create >log 2>&1 || { cat log; exit 1; }
nbgrader autograde one --create >>log 2>&1 || { cat log; exit 1; }
nbgrader export >>log 2>&1
python - <<'PY'
import csv
points = {row["student_id"]: float(row["score"]) for row in csv.DictReader(open("grades.csv"))}
print(points)
assert points == {"quiet": 2, "prints": 2, "warns": 0}
PY
