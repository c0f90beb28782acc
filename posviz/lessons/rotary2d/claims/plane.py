"""Claims: what a rotation by row and column sees of the plane."""

from collections.abc import Callable

import numpy as np

from posviz.encodings.doors import NoPosition
from posviz.encodings.frequencies import rotary_angles, rotary_frequencies
from posviz.encodings.rotary import apply_rotary
from posviz.encodings.rotary2d import axial_angles, mixed_angles, mrope_angles, raster
from posviz.teaching.ledger import Verdict, claim, judge
from posviz.teaching.measures import SAME, largest

HEAD_DIM = 64
WIDTH = 14  # patches in a line, as in an image of 224 pixels cut into patches of 16
SECTIONS = (24, 20, 20)  # pairs that follow time, row and column in Qwen3-VL


def _vectors() -> np.ndarray:
    """A query and a key [2, 64]."""
    return np.random.default_rng(0).normal(size=(2, HEAD_DIM))


def _frequencies() -> np.ndarray:
    """Frequencies [2, 32] of mixed RoPE as training starts: each pair has its own direction."""
    directions = np.random.default_rng(1).uniform(0, 2 * np.pi, HEAD_DIM // 2)
    return rotary_frequencies(HEAD_DIM) * np.stack([np.cos(directions), np.sin(directions)])


def _mixed(rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    return mixed_angles(rows, columns, _frequencies())


def _axial(rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    return axial_angles(rows, columns, HEAD_DIM)


def _by_index(rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Angles by the index in the sequence: RoPE that knows of no lines."""
    patches = raster(WIDTH, WIDTH).tolist()
    indices = [patches.index([row, column]) for row, column in zip(rows, columns, strict=True)]
    return rotary_angles(indices, rotary_frequencies(HEAD_DIM))


Angles = Callable[[np.ndarray, np.ndarray], np.ndarray]
ROPE: dict[str, Angles] = {"the angles are axial": _axial, "the angles are mixed": _mixed}
INDEX: dict[str, Angles] = {"RoPE counts the patches line by line": _by_index}


def _scores(angles: np.ndarray, vectors: np.ndarray | None = None) -> np.ndarray:
    """Scores [tokens, tokens] when every token has the same query and the same key."""
    vectors = _vectors() if vectors is None else vectors
    q, k = (np.broadcast_to(x, (len(angles), HEAD_DIM)) for x in vectors)
    return NoPosition().scale(HEAD_DIM) * apply_rotary(q, angles) @ apply_rotary(k, angles).T


def _at(angles_at: Angles, *patches: tuple[int, int]) -> np.ndarray:
    """Scores between patches given as (row, column)."""
    rows, columns = np.array(patches).T
    return _scores(angles_at(rows, columns))


@claim("raster order")
def the_line_end_is_seen() -> Verdict:
    """RoPE tells the next patch of the same line from the first patch of the next line."""
    differences = {}
    for setting, angles_at in (INDEX | ROPE).items():
        scores = _at(angles_at, (0, 0), (0, 1), (0, WIDTH - 1), (1, 0))
        differences[setting] = float(abs(scores[1, 0] - scores[3, 2]))
    text = (
        "Difference between the scores of the two, in a grid 14 patches wide; told apart means "
        "above 1e-9. Line by line both are 1 token away, and the patch below is 14 tokens away."
    )
    return judge(differences, lambda difference: difference > SAME, text)


@claim("relative position", sources=("heo2024rotary",), section="2 Axial: an axis for each half")
def the_score_depends_on_the_offset_alone() -> Verdict:
    """The score of two patches depends on their offset in rows and columns alone."""
    spreads = {}
    for setting, angles_at in ROPE.items():
        scores = _at(angles_at, (2, 3), (0, 1), (13, 9), (11, 7), (7, 13), (5, 11))
        spreads[setting] = float(np.ptp(scores[[0, 2, 4], [1, 3, 5]]))
    text = "Largest minus smallest score of three pairs with offset (2, 2); alone means below 1e-9."
    return judge(spreads, lambda spread: spread < SAME, text)


@claim("relative position", section="2 Axial: an axis for each half")
def the_score_depends_on_the_distance() -> Verdict:
    """In 2-D RoPE the score depends on how far apart two patches are, in whatever direction."""
    differences = {}
    for setting, angles_at in ROPE.items():
        scores = _at(angles_at, (0, 0), (5, 0), (4, 3), (3, 4), (0, 5))
        differences[setting] = float(np.ptp(scores[1:, 0]))
    text = (
        "Largest minus smallest score at the offsets (5, 0), (4, 3), (3, 4) and (0, 5), all 5 "
        "patches away; the distance alone means below 1e-9."
    )
    return judge(differences, lambda difference: difference < SAME, text)


@claim("mixed")
def a_pair_on_both_axes_sees_the_plane() -> Verdict:
    """A pair that turns with the column and with the row encodes the offset in the plane."""
    settings = {
        "both axes have the same frequencies": np.stack([rotary_frequencies(HEAD_DIM)] * 2),
        "each axis has its own frequencies": _frequencies(),
    }
    rows, columns = np.array([5, 4, 0]), np.array([0, 1, 5])
    spreads = {
        setting: float(np.ptp(_scores(mixed_angles(rows, columns, both))[:, 0]))
        for setting, both in settings.items()
    }
    text = (
        "Largest minus smallest score at the offsets (0, 0), (−1, 1) and (−5, 5); encoded means "
        "above 1e-9. A pair with one frequency sees the sum of row and column alone."
    )
    return judge(spreads, lambda spread: spread > SAME, text)


@claim("mixed", sources=("heo2024rotary",), section="3 A step along the diagonal")
def rows_and_columns_act_together() -> Verdict:
    """2-D RoPE encodes the offset in the plane fully: what a row adds depends on the column."""
    interactions = {}
    for setting, angles_at in ROPE.items():
        scores = _at(angles_at, (0, 0), (0, 1), (1, 0), (1, 1))[:, 0]
        interactions[setting] = float(scores[3] - scores[2] - scores[1] + scores[0])
    text = (
        "Second mixed difference s(1, 1) − s(1, 0) − s(0, 1) + s(0, 0) of the score by the offset; "
        "it is 0, up to 1e-9, where the score is a part by the row plus a part by the column."
    )
    return judge(interactions, lambda interaction: abs(interaction) > SAME, text)


@claim("axial", sources=("ropevitcode",))
def the_order_of_the_axes_does_not_matter() -> Verdict:
    """Whether rows or columns take the first half of the pairs does not matter."""
    rows, columns = np.array([0, 2]), np.array([0, 5])
    settings = {"the halves of q and k change places too": HEAD_DIM // 2, "q and k stay": 0}
    differences = {}
    for setting, shift in settings.items():
        scores = [
            _scores(axial_angles(rows, columns, HEAD_DIM, first=first), vectors)[1, 0]
            for first, vectors in (("column", _vectors()), ("row", np.roll(_vectors(), shift, -1)))
        ]
        differences[setting] = float(abs(scores[1] - scores[0]))
    text = (
        "Difference between the scores with rows first and with columns first at the offset "
        "(2, 5); does not matter means below 1e-9."
    )
    return judge(differences, lambda difference: difference < SAME, text)


@claim("axial", sources=("heo2024rotary",), section="2 Axial: an axis for each half")
def an_axis_has_the_frequencies_of_the_whole_head() -> Verdict:
    """In axial RoPE the pair i of an axis turns by base^(−2i/head_dim) per patch, as in 1-D."""
    pairs = HEAD_DIM // 4
    of_columns = _axial(np.array([0]), np.array([1]))[0, :pairs]
    difference = largest(of_columns - rotary_frequencies(HEAD_DIM)[:pairs])
    text = (
        "Largest difference from these frequencies, in radians per patch; as in 1-D means below "
        "1e-9. An axis has half of the dimensions: base^(−2i/(head_dim/2))."
    )
    return judge({"head_dim = 64": difference}, lambda difference: difference < SAME, text)


SHARES = {"an axis has its pairs in one block": False, "the axes take turns": True}


@claim("M-RoPE", sources=("wang2024qwen2vl",), section="One more axis: video")
def text_gets_plain_rope() -> Verdict:
    """For text, whose tokens have one number for time, row and column, M-RoPE is plain RoPE."""
    positions, inv_freq = np.arange(1000), rotary_frequencies(2 * sum(SECTIONS))
    plain = rotary_angles(positions, inv_freq)
    differences = {
        setting: largest(
            mrope_angles(np.stack([positions] * 3), inv_freq, SECTIONS, interleaved=interleaved)
            - plain
        )
        for setting, interleaved in SHARES.items()
    }
    text = "Largest difference of an angle at 1000 positions, in radians; plain means below 1e-9."
    return judge(differences, lambda difference: difference < SAME, text)


@claim("M-RoPE", sources=("wang2024qwen2vl", "bai2025qwen3vl"))
def every_axis_has_short_and_long_waves() -> Verdict:
    """In M-RoPE time, row and column each have the whole range of wavelengths."""
    inv_freq = rotary_frequencies(2 * sum(SECTIONS))
    shares = {}
    for setting, interleaved in SHARES.items():
        # Token i stands at 1 on axis i and at 0 on the others: its angles are the frequencies.
        angles = mrope_angles(np.eye(3), inv_freq, SECTIONS, interleaved=interleaved)
        spans = [np.log(own.max() / own.min()) for own in (row[row > 0] for row in angles)]
        shares[setting] = float(min(spans) / np.log(inv_freq.max() / inv_freq.min()))
    text = (
        "Smallest share of an axis in the range from the shortest to the longest wavelength, on a "
        "logarithmic scale, sections 24, 20 and 20; the whole means at least 0.9."
    )
    return judge(shares, lambda share: share >= 0.9, text)
