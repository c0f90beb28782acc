"""Shortcuts planted in solved answers: in the source, an argument or the result. None is correct.

A planted answer that is right on every valid input stands in STILL_RIGHT, with the reason.
"""

import ast
import inspect
import re
import warnings
from dataclasses import replace
from importlib import import_module

import numpy as np
import pytest

from posviz_course.course import EXAMINATION, LESSONS
from posviz_tools.classroom.exercises import of_lesson, solution
from posviz_tools.cli import arguments

ANSWERS = {
    exercise.name if lesson is EXAMINATION else exercise.checker_name: (lesson, exercise)
    for lesson in (*LESSONS[1:], EXAMINATION)
    for exercise in of_lesson(arguments.notebooks()[lesson.notebook])
}

# What ast.unparse writes, and what stands there instead: one place at a time.
IN_SOURCE = [
    (r"\blen\((\w+)\)", r"\1.shape[-1]"),
    (r"\.shape\[-?1\]", ".shape[0]"),
    (r"axis=-?1\b", "axis=0"),
    (r"axis=0", "axis=-1"),
    (r"\[:, None\]", ""),
    (r"keepdims=True", "keepdims=False"),
    (r"swapaxes\(\d, \d\)", "copy()"),
    (r" \+ ", " - "),
    (r" - ", " + "),
    (r"(\w+(?:\[[^]]*\])?) - (\w+(?:\[[^]]*\])?)", r"\2 - \1"),
    (r"(\w+(?:\[[^]]*\])? - \w+(?:\[[^]]*\])?)", r"abs(\1)"),
    (r"\b(\w+)\((\w+), (\w+)\)", r"\1(\3, \2)"),
    (r"\[([^][,]*), ([^][,]*)\]", r"[\2, \1]"),
    (r" \* ", " / "),
    (r" / ", " * "),
    (r" / ", " // "),
    (r" // ", " / "),
    (r" \*\* ", " * "),
    (r" <= ", " < "),
    (r" >= ", " > "),
    (r" < ", " <= "),
    (r" > ", " >= "),
    (r" == ", " >= "),
    (r" != ", " > "),
    (r" and ", " or "),
    (r" & ", " | "),
    (r"(?<=[(\[ ])-(?=[\w(])", ""),
    (r"\.T\b|\.conj\(\)|::2", ""),
    (r"\[-1\]", "[0]"),
    (r"\[0\]", "[-1]"),
    (r"\bnp\.(sqrt|exp|log|log2|abs|floor|ceil|tril|asarray)\(", "("),
    (r"np\.(maximum|clip)\(", "(lambda given, *_: given)("),
    (r"np\.clip\(", "(lambda given, low, _: np.maximum(given, low))("),
    (r"np\.clip\(", "(lambda given, _, high: np.minimum(given, high))("),
    (r"np\.log\(", "np.log2("),
    (r"np\.(floor|ceil)\(", "np.round("),
    (r"np\.median\(", "np.mean("),
    (r"\.sin\(", ".cos("),
    (r"\.cos\(", ".sin("),
    (r"\.mean\(", ".sum("),
    (r"\.sum\(", ".mean("),
    (r"\.max\(", ".min("),
    (r"\.min\(", ".max("),
    (r"np\.(argm\w+)\(", r"(lambda given: len(given) - 1 - np.\1(given[::-1]))("),
    (r"np\.(empty|zeros)\((.*)\)", r"np.\1(\2, int)"),
    (r"(?<![\w.-])\d+", lambda found: str(int(found[0]) + 1)),
]
# Of the result, and of each argument: the kinds and the numbers of axes it is for.
CHANGES = {
    "one more": ("biuf", "0123", lambda a: a + 1),
    "doubled": ("iufc", "0123", lambda a: 2 * a),
    "sign": ("iufc", "0123", lambda a: -a),
    "integer": ("f", "0123", lambda a: np.asarray(a).astype(int)),
    "absolute": ("fc", "123", abs),
    "a power of two": ("iu", "0", lambda a: 2 ** round(np.log2(a))),
    "counted": ("iu", "1", lambda a: np.arange(len(a))),
    "from 0": ("iu", "1", lambda a: a - a[0]),
    "reversed": ("biufc", "123", lambda a: a[::-1]),
    "one late": ("biufc", "123", lambda a: np.roll(a, 1, axis=-1)),
    "one row late": ("biufc", "23", lambda a: np.roll(a, 1, axis=0)),
    "sorted": ("iuf", "123", lambda a: np.sort(a, axis=0)),
    "first for all": ("biufc", "123", lambda a: np.broadcast_to(a[:1], a.shape)),
    "first column for all": ("biufc", "23", lambda a: np.broadcast_to(a[..., :1], a.shape)),
    "last missing": ("biufc", "123", lambda a: a[:-1]),
    "last 0": ("biufc", "123", lambda a: np.concatenate([a[:-1], 0 * a[-1:]])),
    "transposed": ("biufc", "23", lambda a: a.swapaxes(-1, -2)),
    "lower half": ("biufc", "23", np.tril),
    "squeezed": ("biufc", "23", np.squeeze),
}


def fits(value, kinds, axes):
    """Whether a change of these kinds and numbers of axes is for a value."""
    return np.asarray(value).dtype.kind in kinds and str(np.ndim(value)) in axes


def in_source(code):
    """Yield the changed line, and all the code with it."""
    for pattern, put in IN_SOURCE:
        for found in re.finditer(pattern, code):
            new = put(found) if callable(put) else found.expand(put)
            changed = code[: found.start()] + new + code[found.end() :]
            yield changed.splitlines()[changed.count("\n", 0, found.start())].strip(), changed


def without_docstrings(source):
    """Return the code of a cell as ast.unparse writes it."""
    tree = ast.parse(source)
    for each in ast.walk(tree):
        if isinstance(each, ast.FunctionDef) and ast.get_docstring(each):
            del each.body[0]
    return ast.unparse(tree)


def planted(name):
    """Yield each wrong answer to an exercise, after what is planted in it; the right one first."""
    lesson, exercise = ANSWERS[name]
    lent = vars(import_module(f"posviz_course.lessons.{lesson.topic}.solutions"))

    def defined(code):
        names = lent | {"__name__": "reader"}
        exec(code, names)
        return names[exercise.name]

    code = without_docstrings(solution(lesson, exercise))
    right, case = defined(code), exercise.checker.cases()[0]
    yield "", right
    for line, changed in in_source(code):
        try:
            yield line, defined(changed)
        except Exception:  # a value that cannot be computed
            continue
    if not callable(right):
        return
    result = np.asarray(right(*case))
    for change, (*kinds, changed) in CHANGES.items():
        if fits(result, *kinds):
            yield f"result {change}", lambda *given, c=changed: c(np.asarray(right(*given)))
    for i, parameter in enumerate(inspect.signature(right).parameters):
        yield f"{parameter} returned", lambda *given, i=i: given[i]
        if isinstance(case[i], int | float):
            example = case[i]
            yield (
                f"{parameter} as in the example",
                lambda *given, i=i, e=example: right(*given[:i], e, *given[i + 1 :]),
            )
        for change, (*kinds, changed) in CHANGES.items():
            if not callable(case[i]) and fits(case[i], *kinds):
                yield (
                    f"{parameter} {change}",
                    lambda *given, i=i, c=changed: right(*given[:i], c(given[i]), *given[i + 1 :]),
                )
        if isinstance(case[i], np.ndarray):

            def overwriting(*given, i=i):
                output = np.array(right(*given))
                given[i][...] = 1
                return output

            yield f"{parameter} overwritten", overwriting


# Why what is planted leaves an answer right on every valid input, in which exercises, and what.
STILL_RIGHT = [
    ("of means and sums the same is the least", "check_permutation", r"distances.*mean"),
    (
        "a softmax sees no number more in a row",
        "check_heads check_attention",
        r".*np\.exp\(scores [+-] scores\.m..\(axis=-?1",
    ),
    ("the axes are swapped all the same", "check_heads", r".*swapaxes\((1, 0|2, 1)\)"),
    (
        "a mean sees no order",
        "check_row_shares check_report",
        r"lengths (one late|reversed|sorted)|(inside|beyond) one late",
    ),
    ("it is as far back", "check_changed_offsets", r"def my_changed\(moved, positions\)"),
    (
        "offsets stay",
        "check_changed_offsets check_alibi_bias check_xpos check_rotary_scores scores",
        r"(positions|moved) (one more|from 0)",
    ),
    ("positions rise", "check_alibi_bias check_xpos check_moved", "positions sorted"),
    ("positions rise", "check_alibi_bias check_xpos check_fox bias", "result lower half"),
    ("it is causal", "check_blockwise_mask mask", "result lower half"),
    ("offsets of equal positions", "check_alibi_bias", "distances = .*offsets"),
    ("an array is given", "check_bias_matrix", r".*\(numbers\)"),
    ("two signs cancel", "check_rotary_scores scores", "x sign"),
    ("q and k are reordered alike", "scores", r"return np\.stack\(\[z\.imag"),
    ("cos(−x) = cos x", "check_slip", r".*np\.cos\(1\.5\)"),
    (
        "head_dim is even, or 4 divides it",
        "check_axial axial table check_yarn_ramp",
        r"half = head_dim / 2|inv_freq.*head_dim (// 2|/ 4)|pair = .* / 2|head_dim one more|"
        r"ramp = .*head_dim / 2|low, high = head_dim // 2",
    ),
    (
        "it is the only axis",
        "bias table check_sinusoidal check_changed_offsets",
        r".*\.shape\[-1\]",
    ),
    (
        "an encoding stays what it is",
        "check_kind",
        r"if .*\[1:, 1:\]|f (one more|doubled|sign|last missing|transposed)",
    ),
    (
        "the slope stays, and weights rise",
        "check_head_from_curve",
        r"weights (?!.*(revers|first|more))",
    ),
    (
        "it is never below 0, or hidden there",
        "check_has_row check_slopes check_blockwise_mask check_new_base check_yarn_ramp "
        "check_gates has_row slopes",
        r".*\babs\(",
    ),
    ("the rest is cut off", "check_slopes", r"more = .*\(1, "),
    ("ζ rises from pair to pair", "check_xpos", "zeta sorted"),
    (
        "no end of the ramp moves by a pair",
        "check_yarn_ramp",
        r"(base|length) one more|base integer",
    ),
    ("no text begins with a full stop", "check_gates", r"starts = \[i > 1"),
    ("no two are equal", "check_which check_report", r".*given\[::-1\]"),
    ("the least stays", "check_which check_report", "(curves|inside) (one more|doubled)"),
    ("a/n < m where ⌊a/n⌋ < m", "mask", r".*i / block - j // block"),
    (
        "nothing is below 0",
        "check_row_shares check_alibi_bias check_head_from_curve check_slopes check_half_lives "
        "check_yarn_ramp check_gates check_report check_axial check_xpos check_cached_scores axial "
        "slopes cached_scores",
        r"(result|slopes|weights|zeta|inv_freq|inside|beyond) absolute",
    ),
    (
        "no axis has length 1, or it comes back",
        "check_heads check_attention check_rotary_scores check_weight_layout check_kind "
        "check_which head scores",
        r"(result|x|w|w_[qkv]|f|curves) squeezed",
    ),
]


def correct(name):
    """Return what is planted in the answers that are called correct; of the right one nothing."""
    check = replace(ANSWERS[name][1].checker, mistakes=[], given=None)
    with warnings.catch_warnings(action="ignore"):
        return [plant for plant, answer in planted(name) if check._judged(answer)]


@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer_with_a_shortcut_is_not_correct(name):
    solved, *passing = correct(name)
    rows = [plants for _, names, plants in STILL_RIGHT if name in names.split()]
    assert solved == ""
    assert [plant for plant in passing if not re.match("|".join(rows) or "$", plant)] == []
    assert [row for row in rows if not any(re.match(row, plant) for plant in passing)] == []
