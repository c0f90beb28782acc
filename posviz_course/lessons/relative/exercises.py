"""Exercises: the bias matrix of a head, and the rows of Shaw's table."""

import numpy as np

from posviz.teaching.mistakes import answer, argument, step, wrong
from posviz_course.lesson_checker import LessonChecker

# ------------------------------------------------------------------------------ the bias matrix


def bias_matrix(numbers, length, *, place=lambda apart, length: apart + length - 1):
    """Numbers [2 · length − 1] of the offsets −(length − 1) … length − 1 -> [length, length]."""
    i, j = np.indices((length, length))
    return np.asarray(numbers)[place(i - j, length)]


def bias_inputs(rng, size):
    """A bias for each offset [2·len − 1], and len, in tokens."""
    return rng.normal(size=2 * size + 1).round(2), size + 1


check_bias_matrix = LessonChecker(
    "The bias matrix",
    bias_matrix,
    bias_inputs,
    edges=[
        (np.array([7.0, 0, 3]), 2),  # the example of the text
        (np.array([2.0]), 1),  # one token
    ],
    mistakes=[
        step("sign of the offset",
            "Your matrix is the mirror image, because you took key − query. The offset is query "
            "− key, i − j: rows are queries.",
            place=lambda apart, length: length - 1 - apart),
        step("offset 0 first",
            "You took numbers[i − j], but offset 0 is not the first number, and NumPy counts "
            "places below 0 from the end. Offset 0 is at place length − 1: add that.",
            place=lambda apart, length: apart),
        step("offset 0 first, and its sign",
            "You took numbers[j − i], which are two mistakes. The offset is query − key, i − j, "
            "and offset 0 is at place length − 1, not at the first one: add that.",
            place=lambda apart, length: -apart),
        step("one place too far",
            "You are one place too far, as if offset 0 were at place length. It is at place "
            "length − 1, because the first place is 0.",
            place=lambda apart, length: (apart + length) % (2 * length - 1)),
        step("one place past the end",
            "You took numbers[i − j + length], one place too far: the largest offset has no number "
            "there. Offset 0 is at place length − 1, because the first place is 0.",
            place=lambda apart, length: apart + length),
        step("distances",
            "You took the distance |i − j|, so keys before and after the query get the same "
            "number. Keep the sign of i − j.",
            place=lambda apart, length: abs(apart) + length - 1),
        step("distances, not shifted",
            "You took numbers[|i − j|], so keys before and after the query get the same number, "
            "and offset 0 gets the first one. Keep the sign of i − j, and add length − 1.",
            place=lambda apart, length: abs(apart)),
        answer("rows not reversed", lambda y: y[:, ::-1],
            "Your row i is numbers[i : i + length], but the other way round is right: a later key "
            "has a smaller offset. Reverse each row."),
        answer("whole numbers", lambda y: y.astype(int),
            "Your matrix holds whole numbers, so the decimals are lost. Do not fill an array of "
            "integers, such as offsets(…) or np.zeros with dtype=int."),
        answer("softmax taken",
            lambda y: np.exp(y) / np.exp(y).sum(axis=-1, keepdims=True),
            "You took the softmax, too. Here return the numbers that are added to the scores, "
            "before any softmax."),
    ],
)

# ----------------------------------------------------------------------- the rows of Shaw's table


def shaw_rows(q_positions, k_positions, max_distance, *, ends=lambda most: (-most, most)):
    """Rows [q_len, k_len] of a table of 2 · max_distance + 1 vectors."""
    return np.clip(k_positions - q_positions[:, None], *ends(max_distance)) + max_distance


def shaw_inputs(rng, size):
    """Positions of queries [q_len] and keys [k_len], and the clip, in tokens."""
    positions = rng.permutation(6 * size)
    return positions[:size], positions[size - 1 : 2 * size], (size + 2) // 2


check_shaw_index = LessonChecker(
    "The rows of Shaw's table",
    shaw_rows,
    shaw_inputs,
    edges=[
        (np.array([0, 3]), np.array([0, 2, 3, 9]), 2),  # the first position, and equal ones
        (np.array([5]), np.array([5]), 1),  # one token
    ],
    mistakes=[
        argument("sign of the offset",
            "You counted query − key, as this course does. Shaw counts key − query: a key far "
            "behind its query has row 0, and one far ahead the last row.",
            q_positions=lambda q_positions: -q_positions,
            k_positions=lambda k_positions: -k_positions),
        step("not clipped",
            "You did not clip, so far keys have rows that the table does not have. Bring key − "
            "query to −max_distance … max_distance first, then add max_distance.",
            ends=lambda most: (-np.inf, np.inf)),
        answer("clipped, not shifted", lambda rows, max_distance: rows - max_distance,
            "Some of your rows are negative, and NumPy would take them from the end. Add "
            "max_distance after you have clipped: the query itself then has row max_distance."),
        answer("one row too high", lambda rows: rows + 1,
            "All your rows are one too high. The first row is 0, so add max_distance and no more: "
            "the query itself has row max_distance."),
        wrong("clipped to the rows, not shifted",
            lambda q_positions, k_positions, max_distance: np.clip(
                k_positions - q_positions[:, None], 0, 2 * max_distance
            ),
            "You clipped to the rows 0 … 2·max_distance, but did not add max_distance before. So "
            "all keys behind have the query's own row, and it is row 0, not row max_distance."),
        step("clipped to one row too many",
            "You clipped to 2·max_distance + 1, which is the number of rows. The first row is 0, "
            "so the last one is 2·max_distance.", ends=lambda most: (-most, most + 1)),
        step("shifted before clipped",
            "You added max_distance before you clipped to −max_distance … max_distance. After "
            "the shift the rows are 0 … 2·max_distance: clip first, or clip to these.",
            ends=lambda most: (-2 * most, 0)),
        step("shifted, then clipped to max_distance",
            "You clipped the shifted rows to 0 … max_distance, so all keys ahead have the query's "
            "own row, the middle one. After the shift the rows go up to 2·max_distance.",
            ends=lambda most: (-most, 0)),
        step("clipped to max_distance − 1",
            "You clipped to max_distance − 1 ahead, as DeBERTa does, whose table has "
            "2·max_distance rows. Shaw's has one more: −max_distance … max_distance, with both "
            "ends.", ends=lambda most: (-most, most - 1)),
        answer("distances", lambda rows, max_distance: abs(rows - max_distance),
            "You took the distance, without its sign, so a key behind and a key ahead share a "
            "row. Keep the sign of key − query, and add max_distance to make rows of it."),
        answer("distances, shifted",
            lambda rows, max_distance: abs(rows - max_distance) + max_distance,
            "You took the distance, without its sign, so the lower half of the table is never "
            "read. Keep the sign of key − query: keys behind have rows below max_distance."),
        argument("positions ignored",
            "You counted the places 0, 1, 2, … of queries and keys: use the positions that are "
            "given, whatever they are.",
            q_positions=lambda q_positions: np.arange(len(q_positions)),
            k_positions=lambda k_positions: np.arange(len(k_positions))),
    ],
)
