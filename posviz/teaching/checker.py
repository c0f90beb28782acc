"""Compare a reader's answer with the reference, and name the mistake (`mistakes.py`)."""

import copy
import dis
import inspect
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import permutations
from typing import Any, TypeAlias

import numpy as np

from posviz.teaching import progress
from posviz.teaching.answers import JOIN, to_numbers
from posviz.teaching.feedback import (
    MOST_LINES,
    Feedback,
    first_lines,
    show_arguments,
    show_both,
    show_shapes,
    show_value,
    untrue,
)
from posviz.teaching.mistakes import LooksLike, Mistake, RightOn, both
from posviz.teaching.trace import failing_line
from posviz.wording import is_ours, shortened

Case: TypeAlias = tuple[tuple, Any]  # the arguments, and what the reader's function returned

SIZES = range(1, 9)
TRIES = 3  # that were not right; then the solution is offered
LONG = 8  # of an answer with more rows, the first wrong one is shown
RETURNED_NONE = (
    "Your function returned None. Is a return missing at its end, or a print in its place? "
    "Or did a search with == find nothing: then compare with np.isclose."
)
OVERWRITTEN = (
    "Your numbers are right, but your function changes its input {0}, and its caller may need {0} "
    "again. Write into a copy: begin with {0} = {0}.copy()."
)


@dataclass
class Checker:
    """Check answers against a reference, on its edges and on random inputs that grow.

    title: what the exercise asks for, as a noun phrase.
    reference: the right function, called with the arguments that `inputs` makes.
    inputs: (rng, size) -> tuple of arguments, for size 1, 2, …; None if the answer is a value.
    edges: arguments that are tried first, whatever the seed: position 0, equal ones, one token.
    tolerance: absolute and relative; wide enough for an answer computed in float32.
    given: the wrong function that a reader is to fix, if there is one; it is no attempt.
    seed: numbers that draw other inputs than everybody sees.
    """

    title: str
    reference: Callable[..., Any]
    inputs: Callable[[np.random.Generator, int], tuple] | None = None
    edges: Sequence[tuple] = ()
    tolerance: float = 1e-5
    mistakes: Sequence[Mistake | RightOn | LooksLike] = ()
    given: Callable[..., Any] | None = None
    seed: tuple[int, ...] = ()
    tries: int = field(default=0, init=False, compare=False)  # of this kernel, that were not right

    @property
    def lesson(self) -> str:
        """The number of the lesson it belongs to; "" for one of the reader's own."""
        return ""

    @property
    def unfixed(self) -> str:
        """The message for an answer that is still the given code."""
        return "Not fixed yet: this does what was given."

    @property
    def changes(self) -> list[Mistake]:
        """The mistakes that change the reference."""
        return [mistake for mistake in self.mistakes if isinstance(mistake, Mistake)]

    def cases(self) -> list[tuple]:
        """Return the edges, then random inputs, smallest first; every call makes them afresh."""
        if self.inputs is None:
            return [()]
        return [*copy.deepcopy(self.edges), *self._grow(self.inputs)]

    def _grow(self, inputs: Callable[[np.random.Generator, int], tuple]) -> Iterator[tuple]:
        return (inputs(np.random.default_rng((size, *self.seed)), size) for size in SIZES)

    def __call__(
        self, answer: Any, *, strict: bool = False, solution: bool | None = None
    ) -> Feedback:
        """Return the feedback on an answer: a function, or a value where a value is asked for.

        solution: True shows the solution, False never does, None offers it after three tries.
        Where `strict` and the answer is not right, AssertionError has the message, for graders.
        """
        feedback = self._feedback_on(answer)
        if feedback.status not in ("correct", "not attempted"):
            self.tries += 1
        if strict and not feedback:
            raise AssertionError(feedback.message)
        offered = solution is None and not feedback and self.tries >= TRIES
        if solution or offered:
            return replace(feedback, solution=self.solution(), opened=bool(solution))
        return feedback

    def solution(self) -> str:
        """Return code that is right here; "" where none is known."""
        return ""

    def _feedback_on(self, answer: Any) -> Feedback:
        if answer is ... or (self.inputs is None and answer is None):
            return self._feedback("not attempted", "Not attempted yet.")
        if self.inputs is not None and not callable(answer):
            message = "This exercise asks for a function. Pass its name, without calling it."
            return self._feedback("wrong", message)
        if callable(answer) and is_ours(answer):
            return self._feedback("wrong", "That is posviz's own function; write yours.")
        feedback = self._judged(answer)
        if feedback.status != "not attempted":
            self._note(feedback)
        return feedback

    def _note(self, feedback: Feedback) -> None:
        progress.note("exercises", self.lesson, self.title, bool(feedback))

    def _judged(self, answer: Any) -> Feedback:
        """Run the answer once on each case, and judge what came."""
        cases = self.cases()
        given = copy.deepcopy(cases)  # an answer may write into its inputs
        tried = [(case, self._run(answer, case, x)) for case, x in zip(cases, given, strict=True)]
        stops = [outcome for _, outcome in tried if isinstance(outcome, Feedback)]
        ran = [(case, output) for case, output in tried if not isinstance(output, Feedback)]
        feedback = stops[0] if stops else self._compared(ran)
        if feedback and (name := self._overwritten(cases, given)):
            return self._feedback("mistake", OVERWRITTEN.format(name), "input changed")
        if feedback.status in ("correct", "not attempted"):
            return feedback
        if not stops and self.given and self._is_like(self.given, ran):
            return self._feedback("not attempted", self.unfixed)
        # The reader never sees what is tried now, so must not see a warning about it either.
        with warnings.catch_warnings(action="ignore"):
            known = next(self._explanations(answer, ran, feedback), None)
            if known is None and feedback.status == "error":
                known = next((m for m in self.changes if self._stops(m, tried)), None)
        if known is None:
            return feedback
        return self._feedback("mistake", known.message, known.name, feedback.evidence)

    def _explanations(self, answer: Any, ran: list[Case], feedback: Feedback) -> Iterator[Any]:
        """Yield the mistakes that explain why an answer fails, the likeliest first."""
        failing = [case for case in ran if not self._agrees(*case)]
        whole = len(ran) == len(self.cases())
        if failing and (whole or feedback.status == "error"):
            yield from (mistake for mistake in self.changes if self._shows(mistake, ran))
        if whole and self._has_numbers(*failing[0]):
            looks = (mistake for mistake in self.mistakes if isinstance(mistake, LooksLike))
            yield from (mistake for mistake in looks if mistake.shown_by(failing[0][1]))
        for mistake in self.mistakes:
            if isinstance(mistake, RightOn) and self._is_right(answer, self._grow(mistake.inputs)):
                yield mistake
        # A constant says too little to tell two mistakes from a guess.
        if whole and len(np.unique(np.hstack([output.ravel() for _, output in ran]))) > 1:
            pairs = permutations(self.changes, 2)
            two = (both(outer, inner) for outer, inner in pairs if not outer.alone)
            yield from (mistake for mistake in two if self._shows(mistake, ran))

    def _is_right(self, answer: Any, cases: Iterable[tuple]) -> bool:
        return all(self._agrees(case, self._run(answer, case)) for case in cases)

    def _agrees(self, case: tuple, outcome: np.ndarray | Feedback) -> bool:
        return not isinstance(outcome, Feedback) and self.same(outcome, self._expected(case))

    def same(self, first: np.ndarray, second: np.ndarray) -> bool:
        """Tell whether two answers to one input agree: same shape, values within the tolerance."""
        return first.shape == second.shape and bool(self._close(first, second).all())

    def _has_numbers(self, case: tuple, output: np.ndarray) -> bool:
        return output.shape == self._expected(case).shape and bool(np.isfinite(output).all())

    def _close(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        # A mistake may divide by 0 on an edge, and so does the answer that makes it.
        return np.isclose(first, second, self.tolerance, self.tolerance, equal_nan=True)

    def _overwritten(self, cases: list[tuple], given: list[tuple]) -> str:
        """Return the name of an argument that is not what it was; "" where all are."""
        names = inspect.signature(self.reference).parameters
        for before, after in zip(cases, given, strict=True):
            for name, old, new in zip(names, before, after, strict=False):
                if isinstance(old, np.ndarray) and not np.array_equal(old, new):
                    return name
        return ""

    def _run(self, answer: Any, case: tuple, given: tuple | None = None) -> np.ndarray | Feedback:
        """Return the output for the case, or a copy of it, as an array; or say why none is."""
        given = copy.deepcopy(case) if given is None else given
        try:
            value = answer(*given) if callable(answer) else answer
        except NotImplementedError:
            return self._feedback("not attempted", "Not attempted yet.")
        except Exception as error:  # any error of the reader's code becomes feedback
            return self._raised(answer, case, error)
        if value is ... or (value is None and _is_stub(answer)):
            return self._feedback("not attempted", "Not attempted yet.")
        output: np.ndarray | str = RETURNED_NONE  # a text says what is wrong with it
        if value is not None:
            output = self._several(answer, value, case) or to_numbers(value, self._expected(case))
        if isinstance(output, str):
            return self._feedback("wrong", output, evidence=self._arguments(case))
        return output

    def _several(self, answer: Any, value: Any, case: tuple) -> str:
        """Return the message for a tuple of arrays; "" for anything else, or parts to be joined."""
        if not (isinstance(value, tuple) and value and all(getattr(v, "ndim", 0) for v in value)):
            return ""
        if (len(value), *value[0].shape) == self._expected(case).shape:
            return ""
        message = f"Your function returned a tuple of {len(value)} arrays; one is asked for."
        for number in range(len(value)):
            # One part of what is to be joined may be right by chance, on the smallest input.
            if self._is_right(_part(answer, number), self.cases()):
                return f"{message} Number {number + 1} is the right one: return it alone."
        return f"{message} {JOIN}"

    def _raised(self, answer: Any, case: tuple, error: Exception) -> Feedback:
        line, empty = failing_line(answer, error)
        if empty:
            message = (
                f"Not finished yet: `...` is still to be replaced in {', '.join(empty)}{line}."
            )
            return self._feedback("not attempted", message)
        message = f"Your code stopped{line}: {_named(error)}"
        if type(error) is NameError:
            message += f". Is {error.name} spelt right, and has the cell run that defines it?"
        if isinstance(error, ModuleNotFoundError):
            message += f". {error.name} is not installed here: write your answer with NumPy."
        message = getattr(error, "sentence", "") or message  # of another process
        return self._feedback("error", message, evidence=show_shapes(self.reference, case))

    def _compared(self, ran: list[Case]) -> Feedback:
        failing = next((case for case in ran if not self._agrees(*case)), None)
        if failing is None:
            agrees = f"It agrees with the reference on {len(ran)} inputs, and changes none of them."
            return self._feedback("correct", agrees if self.inputs else "That is it.")
        case, mine = failing
        right = self._expected(case)
        message, evidence = self._difference(mine, right), self._evidence(case, mine, right)
        return self._feedback("wrong", message, evidence=evidence)

    def _shows(self, mistake: Mistake, ran: Iterable[Case]) -> bool:
        """Tell whether a mistake makes all these outputs: a single one may agree by chance."""
        try:
            return self._is_like(mistake.change(self.reference), ran)
        except Exception:  # two mistakes may not go together
            return False

    def _stops(self, mistake: Mistake, tried: Iterable[tuple[tuple, Any]]) -> bool:
        """Tell whether a mistake raises the answer's errors on its inputs, and agrees elsewhere."""
        function = mistake.change(self.reference)
        for case, outcome in tried:
            try:
                alike = self._is_like(function, [(case, outcome)])
            except Exception as error:
                alike = isinstance(outcome, Feedback) and outcome.message.endswith(_named(error))
            if not alike:
                return False
        return True

    def _is_like(self, function: Callable[..., Any], ran: Iterable[Case]) -> bool:
        return all(self.same(output, np.asarray(function(*case))) for case, output in ran)

    def _evidence(self, case: tuple, mine: np.ndarray, right: np.ndarray) -> str:
        if self.inputs is None:  # the expected value would give the answer away
            return show_value("your answer", mine)
        place = ""
        if mine.ndim > 1 and mine.shape == right.shape and mine[..., 0].size > LONG:
            row = tuple(np.argwhere(~self._close(mine, right))[0][:-1].tolist())
            mine, right, place = mine[row], right[row], str(list(row))
        mine_is, right_is = f"your answer{place}", f"expected{place}   "  # equally long: rows align
        answers = "\n".join(show_both((mine_is, right_is), mine, right))
        left = MOST_LINES - len(answers.splitlines())
        return f"{first_lines(self._arguments(case), max(left, 2))}\n{answers}"

    def _difference(self, mine: np.ndarray, right: np.ndarray) -> str:
        if right.dtype == bool and not right.ndim and self.inputs:
            return untrue(mine, bool(right))
        if self.same(mine.T, right):
            if mine.shape == right.shape:
                return "Your answer is the transpose: its rows should be its columns."
            return f"Your answer is the transpose: shape {mine.shape}, not {right.shape}."
        if mine.shape != right.shape:
            return f"Your answer has {_shape(mine)}; expected {_shape(right)}."
        if not np.isfinite(mine).all():
            return "Your answer holds nan or inf: look for 0/0, inf - inf or an overflow."
        if self.inputs is None:
            return "That is not it; look once more."
        if unfilled := self._unfilled(mine, right):
            return unfilled
        distance = np.abs(1.0 * mine - right)  # NumPy subtracts no booleans
        place = tuple(int(i) for i in np.unravel_index(distance.argmax(), distance.shape))
        where = f", at index {list(place)}" if place else ""
        return f"The largest difference is {distance.max():.4g}{where}."

    def _unfilled(self, mine: np.ndarray, right: np.ndarray) -> str:
        """Return the message for an answer that is right where it is not 0; "" for any other."""
        close = self._close(mine, right)
        if mine.dtype == bool or mine[~close].any() or not right[close].any():
            return ""
        place = np.argwhere(~close)[0].tolist()
        return (
            f"Some of your numbers are 0 and should not be, the first at index {place}; all others "
            "are right here. Are those places never filled, or set to 0 later?"
        )

    def _expected(self, case: tuple) -> np.ndarray:
        return np.asarray(self.reference(*case))

    def _arguments(self, case: tuple) -> str:
        return show_arguments(self.reference, case)

    def _feedback(
        self, status: str, message: str, mistake: str | None = None, evidence: str = ""
    ) -> Feedback:
        return Feedback(status, self.title, message, mistake, first_lines(evidence, MOST_LINES))


def _named(error: Exception) -> str:
    return f"{type(error).__name__}: {shortened(error)}"


def _part(answer: Any, number: int) -> Any:
    """Return the answer that has only one of the arrays in the tuple of this one."""
    return (lambda *case: answer(*case)[number]) if callable(answer) else answer[number]


def _shape(array: np.ndarray) -> str:
    return f"shape {array.shape}" if array.ndim else "no axes (a single number)"


def _is_stub(function: Any) -> bool:
    """Tell whether the function's body is only `...`, `pass` or a docstring."""
    allowed = {"RESUME", "NOP", "LOAD_CONST", "RETURN_VALUE", "RETURN_CONST"}
    code = getattr(function, "__code__", None)
    return code is not None and {step.opname for step in dis.get_instructions(code)} <= allowed
