"""Every choice of a prediction could be right or wrong, by what it is computed from."""

import ast
import random

import nbformat
import pytest

import run

NOTEBOOKS = sorted(run.NOTEBOOKS.glob("*.ipynb"))
ASKED = [
    pytest.param(ast.parse(cell.source), id=f"{path.stem[:2]} {cell.id}")
    for path in NOTEBOOKS
    for cell in nbformat.read(path, as_version=4).cells
    if cell.cell_type == "code" and "predict(\n" in cell.source
]
TIMES = 4000


class Guess:
    """Values at random for whatever an expression is computed from, one for each source text."""

    def __init__(self, tree, rng):
        self.values, self.rng = {}, rng
        self.known = {
            node.targets[0].id: node.value
            for node in tree.body
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
        }
        numbers = [n.value for n in ast.walk(tree) if isinstance(n, ast.Constant)]
        self.edges = sorted({abs(n) for n in numbers if isinstance(n, int | float)} | {0, 1})

    def number(self, node):
        """Below, between and above the numbers that the cell compares with, of either sign."""
        try:
            return ast.literal_eval(node)
        except ValueError:
            place = self.rng.randrange(len(self.edges) + 1)
            ends = [0, *self.edges, 2 * self.edges[-1] + 1][place : place + 2]
            size = self.rng.choice([self.rng.uniform(*ends), self.rng.choice(self.edges)])
            value = self.rng.choice([-1, 1, 1]) * size
            return self.values.setdefault(ast.unparse(node), value)

    def holds(self, node):
        match node:
            case ast.BoolOp(op, values):
                return (all if isinstance(op, ast.And) else any)(map(self.holds, values))
            case ast.UnaryOp(ast.Not(), operand):
                return not self.holds(operand)
            case ast.Compare(left, ops, others) if not self._of_lists(node):
                values = list(map(self.number, (left, *others)))
                return all(
                    eval(f"a {SIGNS[type(op)]} b", {"a": a, "b": b})
                    for op, a, b in zip(ops, values, values[1:], strict=False)
                )
            case ast.Call(ast.Name("bool" | "any" | "all"), [argument]):
                return self.holds(getattr(argument, "elt", argument))
            case ast.Name(name) if name in self.known:
                return self.holds(self.known[name])
            case ast.Constant(bool(value)):
                return value
        return self.values.setdefault(ast.unparse(node), self.rng.random() < 0.5)

    @staticmethod
    def _of_lists(node):
        """Whether it compares other things than numbers."""
        numbers = [p for p in node.comparators if not isinstance(p, ast.List | ast.Set | ast.Tuple)]
        texts = [p for p in numbers if isinstance(getattr(p, "value", None), str)]
        return (
            texts
            or len(numbers) < len(node.comparators)
            or any(type(op) not in SIGNS for op in node.ops)
        )


SIGNS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}


def choices(tree):
    [call] = [
        n for n in ast.walk(tree) if isinstance(n, ast.Call) and ast.unparse(n.func) == "predict"
    ]
    return [choice.elts[1] for choice in call.args[1:] if isinstance(choice, ast.Tuple)]


def impossible(tree):
    """The choices that hold for no values at all, or for all of them."""
    rng = random.Random(0)
    return [ast.unparse(choice) for choice in choices(tree) if len(seen(tree, choice, rng)) < 2]


def seen(tree, choice, rng):
    """Whether a choice holds, for values at random, until it did and did not."""
    held = set()
    for _ in range(TIMES):
        held.add(Guess(tree, rng).holds(choice))
        if len(held) == 2:
            break
    return held


@pytest.mark.parametrize("tree", ASKED)
def test_every_choice_could_hold_and_could_fail(tree):
    assert impossible(tree) == []


def test_a_choice_that_nothing_could_make_right_is_noticed():
    source = (
        "can = any(x > y and y > x for x, y in heads)\npredict(0, (1, can, 2), (3, not can, 4))"
    )
    assert impossible(ast.parse(source)) == ["can", "not can"]
    assert impossible(ast.parse("predict(0, (1, 2 < share < 3, 2), (3, False, 4))")) == ["False"]
