"""The numbers in lesson 03's pictures of tables: cosines, paths and spectra."""

import math
import re

import numpy as np
import pytest
import torch

from posviz.pictures.learned._tables import toy_snapshots
from posviz.pictures.learned.learned_table import LearnedTable
from posviz.pictures.learned.sinusoidal_beside_learned import SinusoidalBesideLearned
from posviz.publish.faults import drawn_texts
from tests.pictures.by_hand import caption_of, drawn, frequencies, product

RNG = np.random.default_rng(7)
RUN = {0: RNG.normal(size=(20, 6)), 10: RNG.normal(size=(20, 6)), 90: RNG.normal(size=(20, 6))}
LONG = RNG.normal(size=(1030, 7)).cumsum(axis=0).astype(np.float32)


def cosine(x, y):
    return product(x, y) / math.sqrt(product(x, x) * product(y, y))


def mean_cosine(rows, offset):
    pairs = range(len(rows) - offset)
    return math.fsum(cosine(rows[i], rows[i + offset]) for i in pairs) / len(pairs)


def sine_table(rows, columns, base):
    turns = [[p * speed for speed in frequencies(columns, base)] for p in range(rows)]
    return np.array([[f(a) for a in row for f in (math.sin, math.cos)] for row in turns])


# ---------------------------------------------------------------- the table in training


@pytest.mark.sampled(quick=1)
@pytest.mark.parametrize("centred", [False, True])
@pytest.mark.parametrize(("progress", "step"), [(0, 0), (5, 0), (6, 10), (55, 10), (56, 90)])
def test_the_nearest_snapshot_is_shown(progress, step, centred):
    picture = LearnedTable(RUN, progress=progress, centred=centred)
    arrays, (image, _, _, _, _, before, now, _) = drawn(picture)
    rows, first = (x - centred * x.mean(axis=0) for x in (RUN[step], RUN[0]))
    expected = [[cosine(x, y) for y in rows] for x in rows]
    np.testing.assert_allclose(image.artist.get_array(), expected, atol=1e-12)
    for line, table in ((now.line, rows), (before.line, first)):
        means = [mean_cosine(table, offset) for offset in range(11)]
        np.testing.assert_allclose(line.get_data(), (range(11), means), atol=1e-12)
    near, far, start = (f"{x:.2f}" for x in (*arrays.means[[1, 10]], arrays.before[1]))
    mean = ", the mean row subtracted," if centred else ""
    assert caption_of(picture).startswith(
        f"A table of 20 rows × 6 columns at step {step} of 90: the mean cosine of neighbours{mean} "
        f"is {near} ({start} at step 0), of rows 10 apart {far}, and "
    )


@pytest.mark.slow("half a second")
def test_the_path_lies_in_the_last_tables_plane_and_does_not_flip():
    deviations = RUN[90] - RUN[90].mean(axis=0)
    _, sizes, directions = np.linalg.svd(deviations)
    share = (sizes[:2] ** 2).sum() / (sizes**2).sum()
    for progress, step in ((0, 0), (10, 10), (100, 90)):
        picture = LearnedTable(RUN, progress=progress)
        _, (_, line, dots, *ends, _, _, _) = drawn(picture)
        path = line.line.get_xydata()
        expected = (RUN[step] - RUN[step].mean(axis=0)) @ directions[:2].T
        signs = -np.sign(deviations[0] @ directions[:2].T)
        np.testing.assert_allclose(path, expected * signs, atol=1e-10)
        np.testing.assert_array_equal(dots.artist.get_offsets(), path)
        ends = [mark.line.get_xydata()[0] for mark in ends]
        np.testing.assert_array_equal(ends, path[[0, -1]])
        limits = [*line.line.axes.get_xlim(), *line.line.axes.get_ylim()]
        assert limits == [-limits[1], limits[1]] * 2
        assert abs(path).max() < limits[1]
        assert f"the plane of the path holds {share:.0%} of the last" in caption_of(picture)


@pytest.mark.parametrize("sign", [1, -1])
def test_the_path_starts_at_the_lower_left_on_every_machine(sign):
    assert (LearnedTable({0: sign * RUN[0]}).compute().path[0] < 0).all()


def test_snapshots_may_come_in_any_order_and_stay_as_they_were():
    shuffled = {step: RUN[step].copy() for step in (90, 0, 10)}
    picture = LearnedTable(shuffled, progress=100)
    for table in shuffled.values():
        table[:] = 1
    np.testing.assert_array_equal(
        picture.compute().cosines, LearnedTable(RUN, progress=100).compute().cosines
    )


def test_one_long_table_is_thinned_and_says_so():
    picture = LearnedTable({0: LONG}, progress=30)
    arrays, (image, *_) = drawn(picture)
    assert arrays.cosines.shape == (344, 344)
    assert len(arrays.path) == 344
    assert arrays.cosines[3, 7] == pytest.approx(cosine(*LONG[[9, 21]].astype(float)))
    assert arrays.means[515] == pytest.approx(mean_cosine(LONG.astype(float), 515))
    assert image.artist.get_extent() == [-0.5, 1031.5, 1031.5, -0.5]
    caption = caption_of(picture)
    assert "1,030 rows × 7 columns at step 0 of 0, the only snapshot:" in caption
    assert caption.endswith("; one row in 3 is drawn.")


@pytest.mark.slow("seconds")
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("table", [np.zeros((6, 4)), np.ones((6, 4))], ids=["zeros", "equal rows"])
def test_a_table_with_nothing_to_tell_apart_is_shown_without_a_warning(table):
    arrays, _ = drawn(LearnedTable({3: table}, centred=True))
    np.testing.assert_array_equal(arrays.cosines, 0)
    np.testing.assert_array_equal(arrays.path, 0)
    for compare in ("similarity", "values", "path", "spectrum"):
        arrays, _ = drawn(SinusoidalBesideLearned(table, compare=compare))
        assert np.isfinite(arrays.sides[1].panel).all()
        assert np.isfinite(arrays.sides[1].curve).all()


WRONG = [
    ([RUN[0]], TypeError, "snapshots must be a dict step -> table, got list"),
    ({}, ValueError, "snapshots must hold at least one table"),
    ({-1: RUN[0]}, TypeError, "whole steps from 0 on as keys, got -1"),
    ({True: RUN[0]}, TypeError, "got True"),
    ({"a": RUN[0]}, TypeError, "got 'a'"),
    ({5: RUN[0].tolist()}, TypeError, r"snapshots\[5\] must be a NumPy array .* got list"),
    ({5: RUN[0].astype(int)}, TypeError, r"snapshots\[5\] .* got int64"),
    ({5: RUN[0][0]}, ValueError, r"snapshots\[5\] must be \[rows, d_model\] .* \(6,\)"),
    ({5: RUN[0][:3]}, ValueError, r"at least 4 rows and 2 columns, got shape \(3, 6\)"),
    ({5: RUN[0] * np.nan}, ValueError, r"snapshots\[5\] must be finite"),
    ({0: RUN[0], 5: RUN[0][:9]}, ValueError, r"one shape, got \(9, 6\) and \(20, 6\)"),
]


@pytest.mark.parametrize(("snapshots", "error", "message"), WRONG)
def test_wrong_snapshots_are_refused_by_name(snapshots, error, message):
    with pytest.raises(error, match=message):
        LearnedTable(snapshots)


def test_a_wrong_table_or_knob_is_refused_by_name():
    with pytest.raises(ValueError, match=r"^table must be finite"):
        SinusoidalBesideLearned(RUN[0] * np.inf)
    for kind in (LearnedTable, SinusoidalBesideLearned):
        with pytest.raises(TypeError, match="has no knob 'snapshot'"):
            kind(snapshot=RUN)


def test_the_toy_is_gradient_descent_on_finding_the_rows_around():
    snapshots = toy_snapshots()
    assert sorted(snapshots) == list(range(0, 481, 20))
    table = torch.tensor(snapshots[0], requires_grad=True)
    near = torch.tensor([[0 < abs(i - j) <= 4 for j in range(48)] for i in range(48)])
    targets = near.double() / near.sum(dim=-1, keepdim=True)
    myself = torch.eye(48, dtype=torch.bool)
    for _ in range(20):
        scores = (table @ table.T).masked_fill(myself, -torch.inf)
        logs = scores.log_softmax(dim=-1).masked_fill(myself, 0)
        slope = torch.autograd.grad(-(targets * logs).sum(), table)[0]
        table = (table - 0.005 * slope).detach().requires_grad_()
    np.testing.assert_allclose(table.detach().numpy(), snapshots[20], rtol=0, atol=1e-12)


def test_the_toys_diagonal_grows():
    near = [LearnedTable(progress=p).compute().means[1] for p in (0, 25, 50, 100)]
    assert abs(near[0]) < 0.1
    assert near[0] + 0.2 < near[1] < near[2] - 0.2
    assert near[3] > 0.9


# ---------------------------------------------------------------- sinusoidal beside learned


@pytest.mark.sampled(quick=2)
@pytest.mark.parametrize("base", [10, 500, 10_000, 1_000_000])
def test_the_sinusoidal_cosine_is_one_number_along_a_diagonal_and_the_learned_is_not(base):
    picture = SinusoidalBesideLearned(RUN[0], base=base)
    _, (*panels, fixed, learned, around) = drawn(picture)
    tables = sine_table(20, 6, base), RUN[0]
    for table, panel, curve in zip(tables, panels, (fixed, learned), strict=True):
        expected = [[cosine(x, y) for y in table] for x in table]
        np.testing.assert_allclose(panel.artist.get_array(), expected, atol=1e-12)
        means = [mean_cosine(table, offset) for offset in range(11)]
        np.testing.assert_allclose(curve.line.get_data(), (range(11), means), atol=1e-12)
    same = [math.fsum(math.cos(k * w) for w in frequencies(6, base)) / 3 for k in range(11)]
    np.testing.assert_allclose(fixed.line.get_ydata(), same, atol=1e-12)
    ends = [
        [end(cosine(RUN[0][i], RUN[0][i + k]) for i in range(20 - k)) for k in range(11)]
        for end in (min, max)
    ]
    np.testing.assert_allclose(around.line.get_ydata(), [*ends[0], np.nan, *ends[1]], atol=1e-12)
    spread = np.subtract(*ends[::-1])
    caption = caption_of(picture)
    assert f"{same[1]:.4f}, which varies by less than 1e-9 along any diagonal, in" in caption
    assert f"by {spread[1]:.2f} along their diagonal and by up to {max(spread):.2f} al" in caption


def test_values_are_in_units_of_their_root_mean_square_and_norms_of_their_mean():
    picture = SinusoidalBesideLearned(RUN[0], compare="values", base=300)
    _, parts = drawn(picture)
    tables = sine_table(20, 6, 300), RUN[0]
    for table, image, curve in zip(tables, parts[:2], parts[2:], strict=True):
        scale = math.sqrt(math.fsum(x * x for x in table.flat) / table.size)
        np.testing.assert_allclose(image.artist.get_array(), table / scale, atol=1e-12)
        norms = np.array([math.sqrt(product(row, row)) for row in table])
        np.testing.assert_allclose(curve.line.get_data(), (range(20), norms / norms.mean()))
    caption = caption_of(picture)
    assert "the norm of every row is 1.7321, in" in caption  # √(d_model/2)
    assert f"the norm of a row is {norms.min():.4f} to {norms.max():.4f}; col" in caption


@pytest.mark.sampled(quick=1)
@pytest.mark.parametrize("base", [10, 300, 1_000_000])
@pytest.mark.parametrize("learned", [RUN[0], LONG[:51, :4], RNG.normal(size=(40, 41))])
def test_the_path_and_the_variance_it_holds(learned, base):
    rows, columns = learned.shape
    picture = SinusoidalBesideLearned(learned, compare="path", base=base)
    _, parts = drawn(picture)
    tables = sine_table(rows, columns - columns % 2, base), learned.astype(float)
    for table, line, mark, curve in zip(tables, parts[:4:2], parts[1:4:2], parts[4:], strict=True):
        table = table - table.mean(axis=0)
        _, sizes, directions = np.linalg.svd(table)
        expected = table @ directions[:2].T / math.sqrt((sizes**2).sum() / rows)
        path = line.line.get_xydata()
        np.testing.assert_allclose(path, -expected * np.sign(expected[0]), atol=1e-9)
        np.testing.assert_array_equal(mark.line.get_xydata(), path[:1])
        held = np.cumsum(sizes**2)[:16] / (sizes**2).sum()
        np.testing.assert_allclose(curve.line.get_data(), (range(1, len(held) + 1), held))
        assert f"the plane of the path holds {held[1]:.0%} of" in caption_of(picture)


@pytest.mark.sampled(quick=1)
@pytest.mark.parametrize("rows", [20, 19])
def test_the_spectrum_is_a_slow_fourier_transform(rows):
    picture = SinusoidalBesideLearned(RUN[0][:rows], compare="spectrum", base=300)
    _, parts = drawn(picture)
    cycles = range(1, rows // 2 + 1)
    tables = sine_table(rows, 6, 300), RUN[0][:rows]
    for table, image, curve in zip(tables, parts[:2], parts[2:], strict=True):
        power = np.array([[slow_power(column, k) for column in table.T] for k in cycles])
        np.testing.assert_allclose(
            image.artist.get_array(),
            np.log10(np.maximum(power / power.sum(axis=0), 1e-6)),
            atol=1e-6,
        )
        shares = power.sum(axis=1) / power.sum()
        np.testing.assert_allclose(curve.line.get_data(), (cycles, shares), rtol=1e-9)
        half = next(k for k in cycles if math.fsum(shares[:k]) >= 0.5)
        assert f"lies at {half} cycle" in caption_of(picture)


def slow_power(column, cycles):
    turns = [2 * math.pi * cycles * p / len(column) for p in range(len(column))]
    parts = [product(column, [f(a) for a in turns]) for f in (math.cos, math.sin)]
    return product(parts, parts)


def test_a_long_table_with_an_odd_width_is_thinned_and_says_so():
    picture = SinusoidalBesideLearned(np.tile(LONG, 75))
    for compare, shape, said in (
        ("similarity", (344, 344), "; one row in 3 is drawn."),
        ("values", (344, 263), "; one column in 2 is drawn; one row in 3 is drawn; colours"),
        ("path", (344, 2), "; one row in 3 is drawn."),
        ("spectrum", (258, 263), "; one column in 2 is drawn; one frequency in 2 is drawn; colo"),
    ):
        picture.compare = compare
        assert picture.compute().sides[1].panel.shape == shape
        assert said in caption_of(picture)
    picture.compare = "similarity"
    fixed = picture.compute().sides[0]
    expected = math.fsum(math.cos(9 * w) for w in frequencies(524, 10_000)) / 262
    assert fixed.curve[0][3] == 9
    assert fixed.curve[1][3] == pytest.approx(expected, abs=1e-9)
    assert "in the sinusoidal one rows 3 apart have" in caption_of(picture)


def test_without_a_table_it_is_the_trained_toy():
    arrays = SinusoidalBesideLearned().compute()
    np.testing.assert_array_equal(arrays.sides[1].panel, LearnedTable().compute().cosines)
    assert "in the toy one neighbours" in caption_of(SinusoidalBesideLearned())
    assert "in the learned one neigh" in caption_of(SinusoidalBesideLearned(toy_snapshots()[480]))


def test_a_given_table_is_looked_at_once_and_no_toy_is_made(monkeypatch):
    monkeypatch.setattr(f"{SinusoidalBesideLearned.__module__}.toy_snapshots", None)
    picture = SinusoidalBesideLearned(RUN[0])
    for picture.compare in ("similarity", "values", "path", "spectrum"):
        before = picture.compute().sides[1]
        picture.base *= 2
        assert picture.compute().sides[1] is before


@pytest.mark.sampled(quick=1)
@pytest.mark.parametrize("kind", [LearnedTable, SinusoidalBesideLearned])
def test_what_is_below_0_has_a_minus_sign(kind):
    there_and_back = np.tile(RUN[0][:1], (8, 1)) * np.array([1, -1] * 4)[:, None]
    picture = kind({0: there_and_back} if kind is LearnedTable else there_and_back)
    texts = [text.get_text() for text in drawn_texts(picture.figure())]
    texts.append(picture.caption(picture.compute()))
    assert re.search("mean cosine of (neighbours is )?−1.00", texts[-1])
    assert any(text.startswith("−") for text in texts)
    assert [text for text in texts if re.search(r"-\d", text)] == []
