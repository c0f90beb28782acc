"""A legend and a title name what is drawn: a name, exchanged with another, is seen."""

import numpy as np
from matplotlib import rcParams
from matplotlib.colors import to_hex

from posviz.encodings.sinusoidal import sinusoidal
from posviz.engine.style import style_context
from posviz.pictures.learned.parameter_count import MODELS, ParameterCount
from posviz.pictures.length.extrapolation_curves import ExtrapolationCurves
from posviz.pictures.length.solve_rates import SolveRates
from posviz.pictures.order.four_terms import FourTerms
from posviz.pictures.rotary.rotating_vectors import RotatingVectors
from posviz.pictures.rotary_code.layout_converter import LayoutConverter
from posviz.pictures.stretching.cache_trap import CacheTrap
from posviz.pictures.stretching.position_maps import RED, PositionMaps
from tests.pictures.by_hand import named_lines


def test_a_score_swings_where_q_moves_alone_and_stands_still_where_both_move():
    lines = named_lines(RotatingVectors())
    assert np.ptp(lines["both move"][1]) < 1e-12 < 1 < np.ptp(lines["q alone moves"][1])


def test_a_table_has_fewer_parameters_than_the_whole_model():
    lines = named_lines(ParameterCount())
    assert lines["whole model"][0].tolist() == [model.parameters for model in MODELS.values()]
    assert all(lines["for positions"][0][: len(MODELS)] < lines["whole model"][0])


def test_columns_are_named_by_their_place_in_a_pair_and_arcs_by_their_ends():
    trained = {"query_layout": "interleaved", "key_layout": "interleaved"}
    lines = named_lines(LayoutConverter(**trained, head_dim=4))
    assert lines["first of pair"][0].tolist() == [0, 2, 0, 2]
    assert lines["second of pair"][0].tolist() == [1, 3, 1, 3]
    assert (lines["turned together"].size > 0, lines["wrong partners"].size) == (True, 0)


def test_a_fresh_pass_sees_every_key_where_it_is_and_a_cache_does_not():
    lines = named_lines(CacheTrap())
    assert lines["fresh pass"][1].tolist() == list(range(1024))
    assert np.nanmax(abs(lines["with the cache"][1] - lines["fresh pass"][1])) > 100


def test_distances_never_seen_are_red_and_forgotten_ones_grey():
    [legend] = PositionMaps().figure().legends
    colours = {patch.get_label(): patch.get_facecolor() for patch in legend.get_patches()}
    with style_context():
        grey = rcParams["grid.color"]
    expected = {"never seen in training": RED, "forgotten": grey}
    assert {name: to_hex(colour) for name, colour in colours.items()} == {
        name: to_hex(colour) for name, colour in expected.items()
    }


def test_runs_are_named_by_where_they_solve_their_task():
    picture = SolveRates()
    names = {
        "solved": "solved here and at 1×",
        "learned": "solved at 1× alone",
        "missed": "not even at 1×",
    }
    lines, dots = named_lines(picture), picture.compute().dots
    for kind, name in names.items():
        np.testing.assert_array_equal(lines[name], dots[kind])


def test_the_arm_is_named_apart_from_the_one_beside_it():
    one, other = "the arm (thin: every run)", "beside it"
    lines = named_lines(ExtrapolationCurves(arm="ALiBi", beside="RoPE"))
    exchanged = named_lines(ExtrapolationCurves(arm="RoPE", beside="ALiBi"))
    assert not np.array_equal(lines[one], lines[other])
    np.testing.assert_array_equal(lines[one], exchanged[other])
    alone = named_lines(ExtrapolationCurves(arm="ALiBi", beside="nothing"))
    np.testing.assert_array_equal(alone[one], lines[one])


def test_terms_are_named_by_their_query_and_their_key():
    figure = FourTerms(seq_len=6, d_model=8, projection="identity").figure()
    content = np.random.default_rng(0).standard_normal((64, 8))[:6]
    position = sinusoidal(np.arange(6), 8)
    a, b, _, c, _ = (axes for axes in figure.axes if axes.get_label() != "<colorbar>")
    for axes, term in ((a, content @ content.T), (b, content @ position.T)):
        np.testing.assert_allclose(axes.images[0].get_array(), term / abs(term).max())
    assert [axes.get_title("left") for axes in (a, b)] == ["key: content", "key: position"]
    assert (a.get_ylabel(), c.get_ylabel()) == ("query: content", "query: position")
