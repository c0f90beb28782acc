"""Pictures of runs that are written by hand: curves, needles, and who solves a task."""

import numpy as np
import pytest

from posviz.pictures.parts import EndName
from posviz_course.lab.results import committed
from posviz_course.lab.tables import ALL_ARMS, table
from posviz_course.lessons.length import needle_by_distance, solve_rates
from posviz_course.lessons.length._curves import by_position
from posviz_course.lessons.length.extrapolation_curves import ExtrapolationCurves
from posviz_course.lessons.length.needle_by_distance import NeedleByDistance
from posviz_course.lessons.length.solve_rates import SolveRates
from tests.lab.made_results import made
from tests.lessons.by_hand import caption_of, drawn

RUNS = {"ALiBi": (0.9, 0.8, 0.7, 0.6), "RoPE": (1.0, 0.3, 0.2, 0.125)}
FOUND = [
    made("recall", arm, seed, np.array(values) - 0.05 * seed)
    for arm, values in RUNS.items()
    for seed in range(3)
]
SOLVED = [
    made("recall", "RoPE", 0, (1, 0.95, 0.5, 0.2)),
    made("recall", "RoPE", 1, (0.9, 0.4, 0.95, 0.2)),
    made("recall", "RoPE", 2, (0.7, 0.99, 0.99, 0.9)),  # it did not learn inside
    made("majority", "none", 0, (1, 1, 1, 1)),
]


@pytest.fixture
def stored(monkeypatch):
    """Let pictures draw these runs as if they had come with the package."""

    def store(runs):
        for module in (needle_by_distance, solve_rates):
            monkeypatch.setattr(module, "committed", lambda: runs)

    return store


def curves(picture):
    return [np.array(part.line.get_data()) for part in drawn(picture)[1] if hasattr(part, "line")]


def test_every_run_is_a_thin_line_and_the_median_goes_through_their_middle():
    thin, thin_beside, median, beside = curves(ExtrapolationCurves(FOUND, task="recall"))
    for runs, middle, arm in ((thin, median, "ALiBi"), (thin_beside, beside, "RoPE")):
        assert middle[0].tolist() == [16, 32, 64, 128]
        assert middle[1] == pytest.approx(np.array(RUNS[arm]) - 0.05)
        for seed in range(3):
            assert runs[1][5 * seed : 5 * seed + 4] == pytest.approx(middle[1] + 0.05 * (1 - seed))
            assert np.isnan(runs[1][5 * seed + 4])


def test_the_upper_of_two_curves_has_its_name_above_its_end():
    parts = drawn(ExtrapolationCurves(FOUND, task="recall"))[1]
    names = [part.text for part in parts if isinstance(part, EndName)]
    assert [(name.get_text(), name.get_va()) for name in names] == [
        ("ALiBi", "bottom"),
        ("RoPE", "top"),
    ]
    assert [name.xy for name in names] == [(128, pytest.approx(0.55)), (128, pytest.approx(0.075))]


def test_positions_are_bins_of_which_one_begins_where_the_training_ends():
    losses = np.where(np.arange(128) < 16, 2.0, 4.0)
    picture = ExtrapolationCurves([made("bytes", "ALiBi", 0, (2, 3, 4, 4), losses)])
    found = by_position(picture._tables["bytes"])
    assert found.x[0] > 4
    assert found.runs["ALiBi"][0].tolist() == [2.0 if x < 16 else 4.0 for x in found.x]
    assert np.diff(np.log2(found.x)).max() < 0.6  # a quarter of an octave, but for whole numbers


def test_the_readers_run_is_laid_over_its_own_task():
    mine = made("recall", "RoPE", 7, (0.5, 0.4, 0.3, 0.2))
    picture = ExtrapolationCurves(FOUND, mine=mine, task="recall", beside="T5")
    assert curves(picture)[-1][1].tolist() == [0.5, 0.4, 0.3, 0.2]
    assert "from 50% to 20% for your run" in caption_of(picture)
    assert repr(picture).startswith("ExtrapolationCurves(given=..., mine=..., task='recall'")
    picture.task = "bytes"
    assert len(curves(picture)) == 4
    assert caption_of(picture) == ("Between 64 and 512 tokens ALiBi has no run; T5 has no run.")


def test_needles_stand_at_the_middle_of_their_distances(stored):
    bins = np.array([1.0, 1.0, 0.9, 0.7, 0.5, 0.3, 0.2])  # distances from 1, 2, 4, … 64
    runs = [made("recall", "ALiBi", seed, (1, 1, 1, 1), bins - 0.02 * seed) for seed in range(3)]
    stored(runs)
    thin, _, median, _ = curves(NeedleByDistance())[4:8]
    assert list(median[0]) == pytest.approx([2**k * 2**0.5 for k in range(7)])
    assert list(median[1]) == pytest.approx(list(bins - 0.02))
    assert thin.shape == (2, 3 * 8)


@pytest.mark.parametrize(
    ("share", "counts"), [(0.9, [7, 2, 3]), (0.7, [10, 2, 0]), (1.0, [4, 2, 6])]
)
def test_who_did_not_learn_inside_solves_nothing_beyond(share, counts, stored):
    stored(SOLVED)
    arrays = SolveRates(share=share, arm="RoPE").compute()
    assert [len(x) for x, _ in arrays.dots.values()] == counts  # solved, learned, missed
    assert (arrays.runs, arrays.counts[0]) == (3, {0.9: 2, 0.7: 3, 1.0: 1}[share])


def test_dots_stand_in_the_row_of_their_arm_and_the_column_of_their_task(stored):
    stored(SOLVED)
    x, y = SolveRates().compute().dots["missed"]
    assert [round(place) for place in x] == [0, 1, 2]
    assert {round(place) for place in y} == {ALL_ARMS.index("RoPE")}
    stored([SOLVED[-1]])
    x, y = SolveRates().compute().dots["solved"]
    assert [round(place - 0.01) for place in x] == [7, 8, 9]  # the third task, 3.5 columns each
    assert {round(place) for place in y} == {0}


def test_learned_breaks_at_once_and_sinusoidal_within_ten_in_every_run():
    losses = table(committed(), "bytes").by_place
    at_once = {arm: runs[:, 64] - runs[:, 63] for arm, runs in losses.items()}
    assert at_once["learned"].min() > at_once["ALiBi"].max() + 0.2
    assert at_once["sinusoidal"].min() < at_once["ALiBi"].min()
    ten = {arm: runs[:, 64:74].mean(1) - runs[:, 54:64].mean(1) for arm, runs in losses.items()}
    assert ten["sinusoidal"].min() > ten["ALiBi"].max() + 0.4


def test_what_keeps_the_loss_at_test_finds_fewer_needles_in_every_run():
    losses, found = (table(committed(), task).by_length for task in ("bytes", "recall"))
    for trained, at_test in (("RoPE", "RoPE, window at test"), ("xPos", "xPos, blocks at test")):
        assert (losses[at_test][:, -1] < losses[trained][:, -1]).all()
        assert found[at_test][:, -1].max() < found[trained][:, -1].min()


def test_needles_are_guessed_past_two_windows_and_no_sooner():
    needles = table(committed(), "recall")
    found = needles.by_place["RoPE, window"]
    assert found[:, needles.places == 32].min() > 0.8
    assert found[:, needles.places >= 64].max() < 0.2
