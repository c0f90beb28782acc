"""Submissions of lesson 05: right, wrong, blank, cheating, and hostile.

Each is code, and the mistakes that are named in its three exercises ("" is right). Most are a right
one with a slip in it.
"""

import nbformat
from nbformat.v4 import new_code_cell, new_notebook

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
OTHERS = {
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
    | OTHERS
    | {name: (code, (mistake, "", "")) for name, (code, mistake) in HOSTILE.items()}
)


def hand_in(folder, code, student):
    """Write a submission as a notebook that is called as its student."""
    cells = [new_code_cell(part) for part in code.split("\n\n\n")]
    folder.mkdir(parents=True, exist_ok=True)
    nbformat.write(new_notebook(cells=cells), folder / f"{student}.ipynb")
