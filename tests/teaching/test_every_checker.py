"""Every checker: one verdict on each answer, whatever the seed, and the edges of its task."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from tests.teaching.checkers import CHECKERS, SOLUTION_CODES, SOLUTIONS, by_a_reader, in_float32
from tests.teaching.written import RIGHT, WRONG

each = pytest.mark.parametrize("name", CHECKERS)
OWN, OTHERS = [()], [(seed,) for seed in range(1, 41)]
draws = pytest.mark.parametrize(
    "seeds",
    [
        pytest.param(OWN, id="everybody's inputs"),
        pytest.param(OTHERS[:1], id="others", marks=pytest.mark.slow("all mistakes")),
        pytest.param(
            OTHERS, id="forty others", marks=pytest.mark.release("all mistakes, 40 times")
        ),
    ],
)


def verdicts(check, answer, seeds):
    """What is said of an answer on the inputs that each of the seeds draws."""
    told = [replace(check, seed=seed)(answer) for seed in seeds]
    return {(feedback.status, feedback.mistake) for feedback in told}


def test_every_mistake_has_a_name_of_its_own_and_a_sentence():
    for check in CHECKERS.values():
        names = [mistake.name for mistake in check.mistakes]
        assert names
        assert len(set(names)) == len(names)
        assert all(mistake.message.endswith(".") for mistake in check.mistakes)


@each
def test_mistakes_differ_clearly_from_the_reference_and_each_other(name):
    check = CHECKERS[name]
    functions = {mistake.name: mistake.change(check.reference) for mistake in check.changes}
    functions["the reference"] = check.reference
    cases = check.cases()

    def output(function, case):
        try:
            return np.asarray(function(*case))
        except Exception:  # a mistake may stop
            return np.array([])

    with np.errstate(all="ignore"):
        outputs = {
            name: [output(function, case) for case in cases] for name, function in functions.items()
        }

    def alike(first, second):
        """Differ nowhere in shape, and nowhere by far more than the tolerance."""
        return all(
            a.shape == b.shape and np.allclose(a, b, rtol=0.05, atol=0.05, equal_nan=True)
            for a, b in zip(outputs[first], outputs[second], strict=True)
        )

    assert [pair for pair in itertools.combinations(functions, 2) if alike(*pair)] == []


@draws
@each
def test_every_listed_mistake_is_named_whatever_the_seed(name, seeds):
    check = CHECKERS[name]
    told = {
        mistake.name: verdicts(check, by_a_reader(check, mistake.change(check.reference)), seeds)
        for mistake in check.changes
    }
    assert told == {mistake.name: {("mistake", mistake.name)} for mistake in check.changes}


@draws
@pytest.mark.parametrize("name", WRONG)
def test_mistakes_written_by_hand_are_named_whatever_the_seed(name, seeds):
    for mistake, answer in WRONG[name].items():
        assert verdicts(CHECKERS[name], answer, seeds) == {("mistake", mistake)}


@each
def test_the_solution_that_is_shown_is_the_exercise_s_own(name):
    assert CHECKERS[name].solution() == SOLUTION_CODES[name]


def test_mistakes_without_a_function_have_an_answer_by_hand():
    for name, check in CHECKERS.items():
        without = {each.name for each in check.mistakes if each not in check.changes}
        assert without <= set(WRONG.get(name, {}))


@draws
@each
def test_right_answers_are_correct_whatever_the_seed(name, seeds):
    check, solution = CHECKERS[name], SOLUTIONS[name]
    answers = [by_a_reader(check, check.reference), by_a_reader(check, solution)]
    answers += RIGHT.get(name, [])
    if check.inputs and name != "check_permutation":  # its head takes float64 alone
        answers.append(in_float32(solution))
    for answer in answers:
        assert verdicts(check, answer, seeds) == {("correct", None)}


@each
def test_the_smallest_example_has_an_answer_unlike_its_input(name):
    check = CHECKERS[name]
    case = check.cases()[0]
    right = np.asarray(check.reference(*case))
    alike = [
        right.ndim and np.shape(given) == right.shape and np.allclose(given, right)
        for given in case
        if not callable(given) and not isinstance(given, (dict, str))
    ]
    assert not any(alike)


@each
def test_an_answer_not_attempted_is_told_so(name):
    assert CHECKERS[name](...).status == "not attempted"


# Where an answer may go wrong and be right everywhere else: conditions on the arguments.
EDGES = {
    "check_alibi_bias": {
        "position 0": lambda slopes, positions: 0 in positions,
        "one token": lambda slopes, positions: len(positions) == 1,
        "one head": lambda slopes, positions: len(slopes) == 1,
    },
    "check_slopes": {
        "one head": lambda heads: heads == 1,
        "a power of two": lambda heads: heads == 8,
        "an odd number": lambda heads: heads % 2 == 1 and heads > 1,
    },
    "check_head_from_curve": {
        "four tokens": lambda weights: len(weights) == 4,
        "the steepest head": lambda weights: weights[-1] > 0.39,
        "the flattest head": lambda weights: weights[-2] / weights[-1] > np.exp(-1 / 200),
    },
    "check_moved": {
        "gaps": lambda layer, positions: (np.diff(positions) > 1).any(),
        "one token": lambda layer, positions: len(positions) == 1,
        "nothing changes": lambda layer, positions: (
            layer(positions + 1) == layer(positions)
        ).all(),
    },
    "check_fox": {"one token": lambda logits: len(logits) == 1},
    "check_gates": {
        "one token": lambda text: " " not in text,
        "a full stop at the end": lambda text: text.endswith(" ."),
        "three sentences": lambda text: text[:-1].count(".") == 2,
    },
    "check_row_shares": {
        "one text": lambda lengths, rows: len(lengths) == 1,
        "longer than the table": lambda lengths, rows: lengths.max() > rows,
    },
    "check_changed_offsets": {
        "all moved by the same": lambda positions, moved: np.ptp(moved - positions) == 0,
        "two tokens": lambda positions, moved: len(positions) == 2,
    },
    "check_has_row": {
        "position 0": lambda position, rows, padding: position == 0,
        "the last position": lambda position, rows, padding: position == rows - padding - 1,
        "one too far": lambda position, rows, padding: position == rows - padding + 1,
        "below 0": lambda position, rows, padding: position == -1,
    },
    "check_report": {
        "one run": lambda inside, beyond, solved: inside.size == 1,
        "an even number of runs": lambda inside, beyond, solved: inside.shape[1] % 2 == 0,
        "just solved": lambda inside, beyond, solved: (beyond == solved).any(),
    },
    "check_attention": {"one token": lambda x, *projections: len(x) == 1},
    "check_heads": {
        "one token": lambda x, *rest: len(x) == 1,
        "one head": lambda *given: given[-1] == 1,
    },
    "check_permutation": {
        "one token": lambda head, inputs, outputs: len(inputs) == 1,
        "a token that stays": lambda head, inputs, outputs: (
            np.isclose(head(inputs), outputs).all(axis=1).any()
        ),
    },
    "check_bias_matrix": {
        "one token": lambda numbers, length: length == 1,
        "the example": lambda numbers, length: length == 2 and numbers[0] == 7,
    },
    "check_shaw_index": {
        "position 0": lambda q, k, most: 0 in q,
        "one token": lambda q, k, most: len(q) == len(k) == 1,
        "equal positions": lambda q, k, most: len(q) > 1 and bool(np.intersect1d(q, k).size),
        "a far key on both sides": lambda q, k, most: max(q) - min(k) > most < max(k) - min(q),
    },
    "check_apply_rotary": {
        "position 0": lambda x, positions, base: 0 in positions,
        "one token": lambda x, positions, base: len(x) == 1,
        "equal positions": lambda x, positions, base: len(set(positions)) < len(positions),
        "one pair": lambda x, positions, base: x.shape[1] == 2,
    },
    "check_rotary_scores": {
        "position 0": lambda x, w_q, w_k, positions, base: 0 in positions,
        "one token": lambda x, w_q, w_k, positions, base: len(x) == 1,
        "equal positions": lambda x, w_q, w_k, p, base: len(set(p)) < len(p),
    },
    "check_axial": {
        "the corner": lambda rows, columns, d, base: any((rows == 0) & (columns == 0)),
        "one patch": lambda rows, columns, d, base: len(rows) == 1,
        "one pair an axis": lambda rows, columns, d, base: d == 4,
    },
    "check_kind": {
        "one frequency": lambda f: np.allclose(f[1:, :-1], f[:-1, 1:]),
        "three patches a side": lambda f: len(f) == 3,
        "equal sums in one block": lambda f: np.isclose(np.diff(np.diff(f, axis=0)), 0).sum() == 1,
    },
    "check_weight_layout": {
        "one head": lambda w, heads: heads == 1,
        "one pair": lambda w, heads: w.shape[1] == 2 * heads,
    },
    "check_cached_scores": {"an empty cache": lambda q, k, cached, inv_freq: len(cached) == 0},
    "check_port": {
        "position 0": lambda x, positions: 0 in positions,
        "one token": lambda x, positions: len(x) == 1,
        "equal positions": lambda x, positions: len(set(positions)) < len(positions),
        "one pair": lambda x, positions: x.shape[1] == 2,
    },
    "check_sinusoidal": {
        "position 0": lambda positions, d_model, base: 0 in positions,
        "one token": lambda positions, d_model, base: len(positions) == 1,
        "equal positions": lambda p, d_model, base: len(set(p)) < len(p),
    },
    "check_new_base": {"nothing slowed": lambda head_dim, factor, base: factor == 1},
    "check_yarn_ramp": {
        "a slow end of half turns": lambda *given: given[-1] != 1,
    },
    "check_on_scores": {
        "nothing stretched": lambda factor, mscale, all_dim: factor == 1,
        "one of two given": lambda factor, mscale, all_dim: (mscale > 0) != (all_dim > 0),
        "equal ones": lambda factor, mscale, all_dim: mscale == all_dim > 0,
    },
    "check_blockwise_mask": {
        "one token": lambda length, block: length == 1,
        "whole blocks": lambda length, block: length % block == 0,
        "a block of 3 or 5": lambda length, block: block in (3, 5),
    },
    "check_xpos": {
        "position 0": lambda q, k, positions, *rest: 0 in positions,
        "one token": lambda q, *rest: len(q) == 1,
        "one pair": lambda q, *rest: q.shape[1] == 1,
    },
    "check_half_lives": {"one pair": lambda zeta, base: len(zeta) == 1},
    "check_which": {
        "the first curve": lambda curves, trained: (
            CHECKERS["check_which"].reference(curves, trained) == 0
        ),
    },
}


@pytest.mark.parametrize(
    ("name", "edge"), [(name, edge) for name, edges in EDGES.items() for edge in edges]
)
def test_an_answer_wrong_on_an_edge_alone_is_not_correct(name, edge):
    check, on_edge = replace(CHECKERS[name], mistakes=[]), EDGES[name][edge]

    def answer(*given):
        right = np.asarray(check.reference(*given))
        if not on_edge(*given):
            return right
        return ~right if right.dtype == bool else right + 0.375

    for seed in OTHERS[:5]:
        assert any(on_edge(*case) for case in replace(check, seed=seed).cases())
    feedback = check(answer)
    assert feedback.status in ("wrong", "mistake")
    assert feedback.mistake is None


def test_every_checker_of_a_function_has_its_edges_tried():
    assert set(EDGES) == {name for name, check in CHECKERS.items() if check.inputs}


@pytest.mark.parametrize("name", ["check_sinusoidal", "check_apply_rotary"])
def test_zeros_in_the_row_of_position_0_are_not_correct(name):
    check = CHECKERS[name]

    def answer(*given):
        positions = given[0] if name == "check_sinusoidal" else given[1]
        return np.where(positions[:, None] == 0, 0, check.reference(*given))

    assert verdicts(check, answer, OTHERS[:5]) == {("wrong", None)}
    assert check(answer).message.startswith("Some of your numbers are 0 and should not be")
