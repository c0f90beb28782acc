"""Forty submissions of lesson 05: right in five styles, wrong, blank, cheating, and hostile.

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

STYLES = {
    "with the functions of posviz that are lent": WHOLE,
    "number by number": IMPORTS
    + """
import math
def my_rotary(x, positions, base):
    rows = [list(row) for row in x]
    for row, p in zip(rows, positions):
        for i in range(0, len(row), 2):
            a, u, v = p / base ** (i / len(row)), row[i], row[i + 1]
            row[i] = u * math.cos(a) - v * math.sin(a)
            row[i + 1] = u * math.sin(a) + v * math.cos(a)
    return rows
def my_scores(x, w_q, w_k, positions, base):
    q, k = my_rotary(x @ w_q, positions, base), my_rotary(x @ w_k, positions, base)
    return [[sum(u * v for u, v in zip(a, b)) / math.sqrt(len(a)) for b in k] for a in q]
"""
    + MATRIX,
    "as complex numbers": IMPORTS
    + """
def my_rotary(x, positions, base):
    z = x[:, ::2] + 1j * x[:, 1::2]
    z = z * np.exp(1j * np.outer(positions, base ** (-np.arange(z.shape[1]) / z.shape[1])))
    return np.stack([z.real, z.imag], axis=-1).reshape(x.shape)
def my_scores(x, w_q, w_k, positions, base):
    turned = [my_rotary(x @ w, positions, base) for w in (w_q, w_k)]
    return np.einsum("id,jd->ij", *turned) / w_q.shape[1] ** 0.5
my_matrix = np.array([[0.0707, 0.9975], [-0.9975, 0.0707]])
""",
    "by block matrices, in float32": IMPORTS
    + """
def my_rotary(x, positions, base):
    out, d = [], x.shape[1]
    for row, p in zip(x.astype("float32"), positions):
        R = np.zeros((d, d), "float32")
        for i in range(0, d, 2):
            c, s = np.cos(p * base ** (-i / d)), np.sin(p * base ** (-i / d))
            R[i : i + 2, i : i + 2] = [[c, -s], [s, c]]
        out.append(R @ row)
    return np.array(out)
"""
    + SCORES
    + MATRIX,
    "in torch": IMPORTS
    + """
import torch
def my_rotary(x, positions, base):
    d, x = x.shape[1], torch.tensor(x)
    a = torch.outer(torch.tensor(positions).double(), base ** (-torch.arange(0, d, 2) / d).double())
    u, v = x[:, ::2], x[:, 1::2]
    return torch.stack([u * a.cos() - v * a.sin(), u * a.sin() + v * a.cos()], -1).flatten(1)
def my_scores(x, w_q, w_k, positions, base):
    q, k = (my_rotary(x @ w, positions, base) for w in (w_q, w_k))
    return q @ k.T / w_q.shape[1] ** 0.5
"""
    + MATRIX,
}
SLIPS = {  # a right one with a text replaced, and the exercise in which it is a mistake
    "exponent doubled": (0, "-np.arange(0, d, 2) / d", "-2 * np.arange(0, d, 2) / d"),
    "exponent halved": (0, "-np.arange(0, d, 2) / d", "-np.arange(d // 2) / d"),
    "not divided by head_dim": (0, "np.arange(0, d, 2) / d", "np.arange(0, d, 2)"),
    "sign of the sine": (0, "np.outer(positions", "np.outer(-positions"),
    "positions ignored": (0, "np.outer(positions", "np.outer(np.arange(len(x))"),
    "positions from 1": (0, "np.outer(positions", "np.outer(positions + 1"),
    "base ignored": (0, "base ** (", "10_000 ** ("),
    "minus of the sine missing": (0, "np.cos(angles) - ", "np.cos(angles) + "),
    "angles taken for degrees": (0, "np.outer(positions", "np.outer(np.radians(positions)"),
    "half of each pair turned": (0, "first * np.sin(angles) + second * np.cos(angles)", "second"),
    "1/√head_dim missing": (1, " / np.sqrt(d)", ""),
    "divided by head_dim": (1, "np.sqrt(d)", "d"),
    "divided by √d_model": (1, "np.sqrt(d)", "np.sqrt(x.shape[1])"),
    "only the queries turned": (1, "apply_rotary(x @ w_k, angles)", "x @ w_k"),
    "transposed": (1, "q @ k.T", "k @ q.T"),
    "m − n instead of n − m": (2, "4 - 7", "7 - 4"),
    "inv_freq forgotten": (2, " * 0.5", ""),
}
CHEATS = {
    "with the reference": (
        IMPORTS
        + """
from posviz.exercises.rotary import rotation, scores
my_rotary, my_scores = rotation.check_apply_rotary.reference, scores.check_rotary_scores.reference
my_matrix = rotation.check_slip.reference()
""",
        ("wrong", "wrong", "error"),
    ),
    "with the library's own function": (
        IMPORTS
        + """
def my_rotary(x, positions, base):
    return apply_rotary(x, rotary_angles(positions, rotary_frequencies(x.shape[1], base)))
"""
        + SCORES,
        ("error", "", "error"),
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
exec(open("PACKAGE/posviz/exercises/rotary/rotation.py").read())
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
    "loops": (WHOLE.replace("    out, first", "    while True: pass\n    out, first"), "error"),
    "eats memory": (
        WHOLE.replace("    out, first", "    hoard = np.ones(2**31)\n    out, first"),
        "error",
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
    {name: (code, ("", "", "")) for name, code in STYLES.items()}
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
