"""The numbers in lesson 03's pictures of tables: cosines, paths and spectra."""

import math
import re

import numpy as np
import pytest
import torch

from posviz.cli.faults import drawn_texts
from posviz.lessons.learned._tables import toy_snapshots
from posviz.lessons.learned.learned_table import LearnedTable
from posviz.lessons.learned.sinusoidal_beside_learned import SinusoidalBesideLearned
from tests.lessons.by_hand import caption_of, drawn, frequencies, product

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


@pytest.mark.parametrize("centred", [False, True])
@pytest.mark.parametrize(("progress", "step"), [(5, 0), (6, 10), (56, 90)])
def test_the_nearest_snapshot_is_shown(progress, step, centred):
    picture = LearnedTable(RUN, progress=progress, centred=centred)
    _, (image, _, _, _, _, before, now, _) = drawn(picture)
    rows, first = (x - centred * x.mean(axis=0) for x in (RUN[step], RUN[0]))
    expected = [[cosine(x, y) for y in rows] for x in rows]
    np.testing.assert_allclose(image.artist.get_array(), expected, atol=1e-12)
    for line, table in ((now.line, rows), (before.line, first)):
        means = [mean_cosine(table, offset) for offset in range(11)]
        np.testing.assert_allclose(line.get_data(), (range(11), means), atol=1e-12)


@pytest.mark.slow("half a second")
def test_the_path_lies_in_the_last_tables_plane_and_does_not_flip():
    deviations = RUN[90] - RUN[90].mean(axis=0)
    _, _, directions = np.linalg.svd(deviations)
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


def test_one_long_table_is_thinned_and_says_so():
    picture = LearnedTable({0: LONG}, progress=30)
    arrays, (image, *_) = drawn(picture)
    assert arrays.cosines.shape == (344, 344)
    assert len(arrays.path) == 344
    assert arrays.cosines[3, 7] == pytest.approx(cosine(*LONG[[9, 21]].astype(float)))
    assert arrays.means[515] == pytest.approx(mean_cosine(LONG.astype(float), 515))
    assert image.artist.get_extent() == [-0.5, 1031.5, 1031.5, -0.5]
    assert caption_of(picture).endswith("; one row in 3 is drawn.")


@pytest.mark.filterwarnings("error")
def test_a_table_of_zeros_is_shown_without_a_warning():
    arrays, _ = drawn(LearnedTable({3: np.zeros((6, 4))}, centred=True))
    np.testing.assert_array_equal(arrays.cosines, 0)
    np.testing.assert_array_equal(arrays.path, 0)
    for compare in ("similarity", "values", "path", "spectrum"):
        picture = SinusoidalBesideLearned(np.zeros((6, 4)), compare=compare)
        assert np.isfinite(picture.compute().sides[1].panel).all()


WRONG = [
    ([RUN[0]], TypeError, "snapshots must be a dict step -> table, got list"),
    ({}, ValueError, "snapshots must hold at least one table"),
    ({"a": RUN[0]}, TypeError, "got 'a'"),
    ({5: RUN[0].tolist()}, TypeError, r"snapshots\[5\] must be a NumPy array .* got list"),
    ({5: RUN[0][:3]}, ValueError, r"at least 4 rows and 2 columns, got shape \(3, 6\)"),
    ({5: RUN[0] * np.nan}, ValueError, r"snapshots\[5\] must be finite"),
    ({0: RUN[0], 5: RUN[0][:9]}, ValueError, r"one shape, got \(9, 6\) and \(20, 6\)"),
]


@pytest.mark.parametrize(("snapshots", "error", "message"), WRONG)
def test_wrong_snapshots_are_refused_by_name(snapshots, error, message):
    with pytest.raises(error, match=message):
        LearnedTable(snapshots)


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


# ---------------------------------------------------------------- sinusoidal beside learned


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


def slow_power(column, cycles):
    turns = [2 * math.pi * cycles * p / len(column) for p in range(len(column))]
    parts = [product(column, [f(a) for a in turns]) for f in (math.cos, math.sin)]
    return product(parts, parts)


def test_without_a_table_it_is_the_trained_toy():
    arrays = SinusoidalBesideLearned().compute()
    np.testing.assert_array_equal(arrays.sides[1].panel, LearnedTable().compute().cosines)
    assert "in the toy one neighbours" in caption_of(SinusoidalBesideLearned())
    assert "in the learned one neigh" in caption_of(SinusoidalBesideLearned(toy_snapshots()[480]))


@pytest.mark.parametrize("kind", [LearnedTable, SinusoidalBesideLearned])
def test_what_is_below_0_has_a_minus_sign(kind):
    there_and_back = np.tile(RUN[0][:1], (8, 1)) * np.array([1, -1] * 4)[:, None]
    picture = kind({0: there_and_back} if kind is LearnedTable else there_and_back)
    texts = [text.get_text() for text in drawn_texts(picture.figure())]
    texts.append(picture.caption(picture.compute()))
    assert re.search("mean cosine of (neighbours is )?−1.00", texts[-1])
    assert any(text.startswith("−") for text in texts)
    assert [text for text in texts if re.search(r"-\d", text)] == []
