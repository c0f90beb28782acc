"""Submissions of lesson 05: right, wrong, blank, cheating, and hostile.

Each is code, and the mistakes that are named in its three exercises ("" is right). Most are a right
one with a slip in it.
"""

from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_notebook

from posviz_tools.classroom.submission import PACKAGES

ROTARY = """
def my_rotary(x, positions, base):
    d = x.shape[1]
    angles = np.outer(positions, base ** (-np.arange(0, d, 2) / d))
    out, first, second = np.empty_like(x), x[:, 0::2], x[:, 1::2]
    out[:, 0::2] = first * np.cos(angles) - second * np.sin(angles)
    out[:, 1::2] = first * np.sin(angles) + second * np.cos(angles)
    return out
"""
SCORES = """
def my_scores(x, w_q, w_k, positions, base):
    d = w_q.shape[1]
    angles = rotary_angles(positions, rotary_frequencies(d, base))
    q, k = apply_rotary(x @ w_q, angles), apply_rotary(x @ w_k, angles)
    return q @ k.T / np.sqrt(d)
"""
MATRIX = """
a = (4 - 7) * 0.5
my_matrix = [[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]]
"""
IMPORTS = """
import numpy as np

from posviz import apply_rotary, rotary_angles, rotary_frequencies
"""
WHOLE = IMPORTS + ROTARY + SCORES + MATRIX
BLANK = (
    IMPORTS
    + """
def my_rotary(x, positions, base):
    return ...  # replace this


def my_scores(x, w_q, w_k, positions, base):
    return ...  # replace this


my_matrix = ...  # replace this
"""
)

OWN = "posviz's own code used"
SLIPS = {  # a right one with a text replaced, and the exercise in which it is a mistake
    "exponent doubled": (0, "-np.arange(0, d, 2) / d", "-2 * np.arange(0, d, 2) / d"),
    "1/√head_dim missing": (1, " / np.sqrt(d)", ""),
    "only the queries rotated": (1, "apply_rotary(x @ w_k, angles)", "x @ w_k"),
    "i − j instead of j − i": (2, "4 - 7", "7 - 4"),
}
CHEATS = {
    "with the reference": (
        IMPORTS
        + """
from posviz_course.lessons.rotary import exercises
my_rotary = exercises.check_apply_rotary.reference
my_scores = exercises.check_rotary_scores.reference
my_matrix = exercises.check_slip.reference()
""",
        (OWN, OWN, OWN),
    ),
    "with the library's own function": (
        IMPORTS
        + """
def my_rotary(x, positions, base):
    return apply_rotary(x, rotary_angles(positions, rotary_frequencies(x.shape[1], base)))
"""
        + SCORES,
        (OWN, "", "error"),
    ),
    "with inputs that were memorised": (
        IMPORTS
        + """
known = {(2, 2): [[0.6, -0.2], [0.3, 0.9]], (3, 4): np.ones((3, 4))}
def my_rotary(x, positions, base):
    return known.get(x.shape, x)
def my_scores(x, *rest):
    return np.ones((len(x), len(x)))
""",
        ("wrong", "wrong", "error"),
    ),
    "by reading the checker's file": (
        IMPORTS
        + """
import sys
del sys.modules["posviz"], sys.meta_path[0]
sys.path.insert(0, "PACKAGE")
exec(open("PACKAGE/posviz_course/lessons/rotary/exercises.py").read())
my_rotary = check_apply_rotary.reference
""",
        ("error", "error", "error"),
    ),
}
CALLING = """
def my_scores(x, w_q, w_k, positions, base):
    q, k = my_rotary(x @ w_q, positions, base), my_rotary(x @ w_k, positions, base)
    return q @ k.T / np.sqrt(w_q.shape[1])
"""
MATRIX_CALLING = "\nmy_matrix = my_rotary(np.eye(2), np.array([-1.5, -1.5]), 100.0).T\n"
CLOCKWISE = ROTARY.replace("first * np.cos(angles) -", "first * np.cos(angles) +").replace(
    "out[:, 1::2] = first", "out[:, 1::2] = -first"
)
DOUBLED = ROTARY.replace("-np", "-2 * np")
BY_D_MODEL = CALLING.replace("w_q.shape[1]", "len(w_q)")
ABSENT = "nowhere is missing here"
UNNAMED = ("error", "wrong", "not attempted", OWN, ABSENT)  # which earn nothing
CHAINED = {  # what calls a wrong answer, or needs what is not there
    "calls": (IMPORTS + DOUBLED + CALLING + MATRIX, ("exponent doubled", "", "")),
    "calls at the top": (
        IMPORTS + CLOCKWISE + SCORES + MATRIX_CALLING,
        ("sign of the sine", "", ""),
    ),
    "calls what has a syntax error": (
        IMPORTS + "\n\n\ndef my_rotary(x:\n    return x\n\n\n" + CALLING + MATRIX,
        ("error", "", ""),
    ),
    "calls what never ends": (
        IMPORTS + ROTARY.replace("return out", "while True: pass") + CALLING + MATRIX,
        ("error", "", ""),
    ),
    "calls a wrong one with a mistake of its own": (
        IMPORTS + DOUBLED + BY_D_MODEL + MATRIX,
        ("exponent doubled", "divided by √d_model", ""),
    ),
    "calls a blank": (BLANK + CALLING + MATRIX, ("not attempted", "", "")),
    "imports what is missing": ("import nowhere\n" + WHOLE, ("", "", "")),
    "imports what is missing in its cell": (
        IMPORTS + "\n\n\nimport nowhere.linalg as sl" + ROTARY + "\n\n\n" + CALLING + MATRIX,
        ("", "", ""),
    ),
    "uses what is missing": (
        "import nowhere.linalg as sl\n" + WHOLE.replace("return out", "return sl.same(out)"),
        (ABSENT, "", ""),
    ),
    "uses a name of what is missing": (
        "from nowhere import pi\n" + WHOLE.replace("4 - 7", "pi - pi - 3"),
        ("", "", ABSENT),
    ),
    "imports what is missing in its function": (
        WHOLE.replace("    out, first", "    import nowhere.linalg\n    out, first"),
        (ABSENT, "", ""),
    ),
}
OTHERS = {
    "without the second": (IMPORTS + ROTARY + MATRIX, ("", "error", "")),
    "a second try": (
        WHOLE.replace("arange(0, d, 2) / d", "arange(d)") + "\n\n\n" + ROTARY,
        ("",) * 3,
    ),
    "warns": (
        WHOLE.replace("    out, first", "    np.ones(1) / np.zeros(1)\n    out, first"),
        ("", "", ""),
    ),
    "speaks": (
        WHOLE.replace(
            "    out, first", "    import sys\n    print(1, file=sys.stderr)\n    out, first"
        ),
        ("", "", ""),
    ),
    "in lists": (WHOLE.replace("return out", "return out.tolist()"), ("", "", "")),
    "writes into its input": (
        WHOLE.replace("np.empty_like(x)", "x"),
        ("overwritten too soon", "", ""),
    ),
    "blank": (BLANK, ("not attempted",) * 3),
    "as nbgrader leaves a blank": (
        "def my_rotary(*_):\n    raise NotImplementedError\n\n\n"
        "def my_scores(*_):\n    raise NotImplementedError\n\n\n"
        "# my_matrix = ...\nraise NotImplementedError",
        ("not attempted",) * 3,
    ),
    "empty": ("", ("error",) * 3),
    "half done": (WHOLE.replace("/ np.sqrt(d)", "/ ..."), ("", "error", "")),
    "no Python": ("def my_rotary(x:\n    return x", ("error",) * 3),
    "under other names": (WHOLE.replace("my_", "your_"), ("error",) * 3),
    "a cell fails between": (
        WHOLE.replace("\ndef my_sc", "\n1 / 0\n%ls\n!ls\ndef my_sc"),
        ("",) * 3,
    ),
}
HOSTILE = {
    "never ends at the top": ("while True:\n    try: 1 / 0\n    except: pass\n\n\n" + WHOLE, ""),
    "never ends beside an answer": (
        IMPORTS + "\n\n\nwhile True: pass" + ROTARY + "\n\n\n" + SCORES + MATRIX,
        "",
    ),
    "deletes files": (
        "import os, pathlib\nfor f in pathlib.Path('PLACE').rglob('*'):\n"
        "    try:\n        os.unlink(f)\n    except OSError:\n        pass\n" + WHOLE,
        "",
    ),
    "prints 100 MB": ("print('x' * 10**8)\n" + WHOLE, ""),
    "kills": ("import os\nos.kill(os.getppid(), 9)\n" + WHOLE, ""),
    "calls itself": (
        WHOLE.replace("    out, first", "    my_rotary(x, positions, base)\n    out, first"),
        "error",
    ),
    "exits": ("import sys\nsys.exit(3)\n\n\n" + WHOLE, ""),
    "ends its process": (WHOLE.replace("return out", "import os; os._exit(0)"), "error"),
    "answers with a gigabyte": (WHOLE.replace("return out", "return np.zeros(2**26)"), "error"),
    "speaks out of turn": (
        WHOLE.replace(
            "    out, first",
            "    import os\n    for f in range(3, 9):\n"
            "        try:\n            os.write(f, b'{}' * 999)\n        except OSError:\n"
            "            pass\n    out, first",
        ),
        "error",
    ),
}


def slipped(exercise, old, new):
    """The right submission with a slip in one of its exercises."""
    parts = [ROTARY, SCORES, MATRIX]
    assert old in parts[exercise]
    parts[exercise] = parts[exercise].replace(old, new)
    return IMPORTS + "".join(parts)


def expected(exercise, mistake):
    return tuple(mistake if number == exercise else "" for number in range(3))


MADE_UP = (
    {"right": (WHOLE, ("", "", ""))}
    | {name: (slipped(*slip), expected(slip[0], name)) for name, slip in SLIPS.items()}
    | CHEATS
    | CHAINED
    | OTHERS
    | {name: (code, (mistake, "", "")) for name, (code, mistake) in HOSTILE.items()}
)


def code_of(name, place):
    """The code of a submission, which meets files at a place."""
    package = str(Path(PACKAGES[0]).parent)
    return MADE_UP[name][0].replace("PLACE", str(place)).replace("PACKAGE", package)


def hand_in(folder, code, student):
    """Write a submission as a notebook that is called as its student."""
    cells = [new_code_cell(part) for part in code.split("\n\n\n")]
    folder.mkdir(parents=True, exist_ok=True)
    nbformat.write(new_notebook(cells=cells), folder / f"{student}.ipynb")
