"""The numbers in lesson 04's pictures of offsets and of T5's buckets."""

import functools
import math
from collections import Counter

import numpy as np
import pytest
import torch
from matplotlib.path import Path
from matplotlib.textpath import TextPath
from transformers.models.t5.modeling_t5 import T5Attention

from posviz.engine.live_figure import LiveFigure
from posviz.pictures.relative.offset_matrix import OffsetMatrix
from posviz.pictures.relative.t5_buckets import T5Buckets
from tests.pictures.by_hand import caption_of, drawn, every_setting

# ---------------------------------------------------------------- offset matrix


def told_by(picture, query, key):
    """What a pair is told, as a comparison tells it."""
    apart = query - key if picture.convention == "query − key" else key - query
    return -picture.clip if apart < -picture.clip else min(apart, picture.clip)


def matrix_of(picture):
    places = range(picture.seq_len)
    return [[told_by(picture, query, key) for key in places] for query in places]


def test_each_pair_is_told_its_clipped_offset():
    for picture in every_setting(OffsetMatrix, count=24):
        arrays, expected = picture.compute(), matrix_of(picture)
        assert arrays.told.tolist() == expected
        rows = Counter(told + picture.clip for row in expected for told in row)
        assert arrays.pairs.tolist() == [rows[row] for row in range(2 * picture.clip + 1)]
        query = min(picture.query, picture.seq_len - 1)
        sign = 1 if picture.convention == "query − key" else -1
        assert arrays.apart.tolist() == [sign * (query - key) for key in range(picture.seq_len)]


def test_the_caption_counts_offsets_rows_and_pairs():
    for picture in every_setting(OffsetMatrix, count=24):
        caption, seq_len, clip = caption_of(picture), picture.seq_len, picture.clip
        query = min(picture.query, seq_len - 1)
        kept = min(clip, seq_len - 1)
        told = picture.convention.replace("−", "-").capitalize()
        assert caption.startswith(
            f"{told}, clipped to ±{clip}: {2 * seq_len - 1} different offsets of {seq_len} tokens "
            f"use {2 * kept + 1} of {2 * clip + 1} row" + "s" * (clip > 0) + "; "
        )
        at_an_end = (seq_len - clip) * (seq_len - clip + 1) // 2
        if clip == 0:
            assert f"; row 0 serves all {seq_len**2:,} pairs;" in caption
        elif clip < seq_len:
            words = f"; rows 0 and {2 * clip} serve {at_an_end:,} of {seq_len**2:,} pairs each;"
            assert words in caption
        else:
            assert f"; nothing is clipped, and rows 0 and {2 * clip} are never used;" in caption
        rows = sorted({told_by(picture, query, key) + clip for key in range(seq_len)})
        uses = f"rows {rows[0]} … {rows[-1]}" if len(rows) > 1 else f"row {rows[0]}"
        at = f"{picture.shift + query}" + " (the last)" * (picture.query >= seq_len)
        moved = f"; all moved by {picture.shift}, no offset changed" * (picture.shift > 0)
        assert caption.endswith(f"; the query at {at} uses {uses}{moved}.")


def test_first_sight():
    assert caption_of(OffsetMatrix()) == (
        "Query - key, clipped to ±3: 19 different offsets of 10 tokens use 7 of 7 rows; rows 0 and "
        "6 serve 28 of 100 pairs each; the query at 6 uses rows 0 … 6."
    )


def test_a_shift_moves_the_positions_and_nothing_else():
    (_, parts), (_, shifted) = drawn(OffsetMatrix()), drawn(OffsetMatrix(shift=500))
    assert np.array_equal(parts[0].image.get_array(), shifted[0].image.get_array())
    for (told, _, _, _, _, apart, *_), number in ((parts, "3"), (shifted, "503")):
        for axis in (told.axes.xaxis, told.axes.yaxis, apart.line.axes.xaxis):
            assert axis.get_major_formatter()(3) == number
    for outline_or_curve in (2, 6):
        lines = [each[outline_or_curve].line for each in (parts, shifted)]
        assert np.array_equal(lines[0].get_data(), lines[1].get_data())


def test_a_moved_figure_names_the_convention_even_where_all_are_told_zero():
    _, parts = drawn(OffsetMatrix(clip=0))
    other = OffsetMatrix(clip=0, convention="key − query")
    other.update(parts, other.compute())
    assert parts[-2].line.axes.get_ylabel() == "key − query (tokens)"


@pytest.mark.sampled(quick=2)
@pytest.mark.parametrize(
    ("query", "clip", "seq_len", "convention"),
    [
        (6, 4, 10, "query − key"),
        (31, 16, 2, "key − query"),
        (0, 0, 2, "query − key"),
        (20, 3, 32, "key − query"),
        (31, 16, 32, "query − key"),
    ],
)
def test_the_drawing_has_the_matrix_and_the_query(query, clip, seq_len, convention):
    picture = OffsetMatrix(query=query, clip=clip, seq_len=seq_len, convention=convention)
    arrays, (told, *outline, _, _, apart, clipped, _) = drawn(picture)
    expected, query = matrix_of(picture), min(query, seq_len - 1)
    matrix = told.image
    assert matrix.get_array().tolist() == expected
    assert matrix.get_extent() == [-0.5, seq_len - 0.5, seq_len - 0.5, -0.5]
    assert clipped.line.get_xydata().tolist() == [[*p] for p in enumerate(expected[query])]
    assert np.array_equal(apart.line.get_ydata(), arrays.apart)
    for part in outline:
        corners = {(-0.5, query - 0.5), (seq_len - 0.5, query + 0.5)}
        assert corners < set(map(tuple, part.line.get_xydata().tolist()))
    assert clipped.line.axes.get_ylabel() == f"{convention} (tokens)"
    assert clipped.line.axes.get_xlim() == (-0.5, seq_len - 0.5)


def test_a_clip_that_moves_fits_nothing_anew():
    """Limits and ticks cost a redraw of the whole figure."""
    picture = OffsetMatrix()
    live = LiveFigure(picture)
    live.follow()
    live.paint()
    for clip in (0, 16, 3):
        picture.clip = clip
        live.follow()
        assert not live.paint()


@pytest.mark.sampled(quick=3)
@pytest.mark.parametrize("seq_len", [2, 7, 10, 11])
@pytest.mark.parametrize("convention", ["query − key", "key − query"])
def test_each_cell_of_a_short_matrix_has_its_number(seq_len, convention):
    picture = OffsetMatrix(seq_len=seq_len, convention=convention, clip=8)
    _, (_, _, _, *inks, _, _, _) = drawn(picture)
    expected, cells = matrix_of(picture), {}
    for ink, part in zip(("black", "white"), inks, strict=True):
        path = part.artist.get_path()
        for vertex, code in zip(path.vertices, path.codes, strict=True):
            key, query = np.round(vertex).astype(int)
            if code != Path.CLOSEPOLY:  # whose vertex says nothing
                cells.setdefault((query, key, ink), []).append(vertex - (key, query))
    numbered = set(np.ndindex(seq_len, seq_len)) if seq_len < 11 else set()
    assert {(query, key) for query, key, _ in cells} == numbered
    assert len(cells) == len(numbered)
    for (query, key, ink), vertices in cells.items():
        number = expected[query][key]
        assert ink == ("white" if abs(number) >= 6 else "black")
        text = TextPath((0, 0), str(number).replace("-", "−"), size=0.055 * seq_len)
        outline = text.vertices[text.codes != Path.CLOSEPOLY]
        middle = [text.get_extents().x0 + text.get_extents().width / 2, 0.365 * 0.055 * seq_len]
        np.testing.assert_allclose(np.array(vertices) * (1, -1), outline - middle, atol=1e-9)


# ---------------------------------------------------------------- T5's buckets

CAUSAL = [*range(17), 19, 21, 24, 27, 31, 35, 40, 46, 52, 59, 67, 77, 87, 99, 113]  # audited
ONE_SIDE = [*range(9), 12, 16, 23, 32, 46, 64, 91]
BEYOND = 2000
RULES: list[dict] = [
    {},
    {"bidirectional": False, "max_distance": 1024},
    {"num_buckets": 4},
    {"num_buckets": 64, "max_distance": 8},
]


@functools.cache
def buckets_of(num_buckets, max_distance, bidirectional):
    """The bucket of each offset −2000 … 2000: ⌊logarithms⌋ without rounding, in whole numbers."""
    count = num_buckets // 2 if bidirectional else num_buckets
    single = count // 2
    wide, limit = count - single, max(max_distance, single + 1)
    forward, step = [], 0
    for distance in range(BEYOND + 1):
        # (distance / single)^wide ≥ (limit / single)^(step + 1)
        while step < wide - 1 and (
            distance**wide * single ** (step + 1) >= limit ** (step + 1) * single**wide
        ):
            step += 1
        forward.append(distance if distance < single else single + step)
    back = [count + bucket for bucket in forward] if bidirectional else [0] * (BEYOND + 1)
    return dict(zip(range(-BEYOND, BEYOND + 1), back[:0:-1] + forward, strict=True))


def rule_of(picture):
    return buckets_of(picture.num_buckets, picture.max_distance, picture.bidirectional)


def test_runs_are_those_of_whole_numbers():
    for picture in every_setting(T5Buckets, count=24):
        runs, expected = picture.compute().runs, rule_of(picture)
        found = {at: bucket for first, last, bucket in runs for at in range(first, last + 1)}
        assert found == expected
        assert len({*runs[:, 2].tolist()}) == len(runs)


def test_the_default_is_the_audited_rule_and_that_of_transformers():
    for bidirectional, starts in ((True, ONE_SIDE), (False, CAUSAL)):
        runs = T5Buckets(bidirectional=bidirectional).compute().runs
        before = [max(first, 0) for first, last, _ in runs.tolist() if last >= 0]
        assert before == starts
        after = [-last for _, last, _ in runs.tolist()[::-1] if last < 0]
        assert after == (starts[1:] if bidirectional else [])
        key_minus_query = -torch.arange(-BEYOND, BEYOND + 1)
        theirs = T5Attention._relative_position_bucket(key_minus_query, bidirectional)
        ours = buckets_of(32, 128, bidirectional)
        assert theirs.tolist() == list(ours.values())


def test_the_caption_tells_the_bucket_and_its_company():
    pictures = [T5Buckets(offset=offset) for offset in (-91, -90, -1, 0, 1, 8, 90, 91)]
    for picture in [*every_setting(T5Buckets, count=40), *pictures]:
        caption, buckets, offset = caption_of(picture), rule_of(picture), picture.offset
        outside = " (the map has no such pair)" * (abs(offset) >= picture.seq_len)
        company = [other for other in buckets if buckets[other] == buckets[offset]]  # ascending
        first, last = company[0], company[-1]
        words = f"with offsets {first} to {last}"
        if first == last:
            words = "alone"
        elif last == BEYOND:
            words = f"with all from {first} on"
        elif first == -BEYOND:
            words = f"with all up to {last}"
        tokens = f"{abs(offset)} token" + "s" * (abs(offset) != 1)
        meant = "the query itself"
        if offset:
            side = "after" if offset < 0 else "before"
            meant = f"a key {tokens} {side} its query (T5 counts {-offset})"
        start = f"Offset {offset}, {meant}{outside}, is in bucket {buckets[offset]}, {words}; "
        assert caption.startswith(start)


def test_the_caption_counts_buckets_and_tells_where_all_share_one():
    edges = [T5Buckets(offset=offset) for offset in (-200, -91, -90, 90, 91)]
    crowded = T5Buckets(num_buckets=60, max_distance=16)
    for picture in [*every_setting(T5Buckets), crowded, *edges]:
        caption, buckets, count = caption_of(picture), rule_of(picture), picture.num_buckets
        unused = set(range(count)) - set(buckets.values())
        grey = " (all but those in grey)" if unused else ""
        if len(unused) == 1:
            grey = f" (all but {count // 2}, in grey)"
        assert f"; {count - len(unused)} of {count} buckets are used{grey}" in caption
        far = min(offset for offset in buckets if offset > 0 and buckets[offset] == buckets[BEYOND])
        exact = count // 4 if picture.bidirectional else count // 2
        limit = f", before max_distance {picture.max_distance}," * (far < picture.max_distance)
        if picture.max_distance <= exact:
            limit = f" (max_distance is held at {exact + 1}, above the {exact} exact ones)"
        ends = f"{buckets[BEYOND]} or {buckets[-BEYOND]}."
        if not picture.bidirectional:
            ends = f"{count - 1}, and all keys after the query bucket 0."
        told = abs(picture.offset) >= far or "held" in limit
        ends = f"; from distance {far} on{limit} all share bucket {ends}"
        assert (caption.endswith(ends), "from distance" in caption) == (told, told)


def test_the_audited_numbers_stand_in_the_captions():
    told = (
        "Offset 20, a key 20 tokens before its query (T5 counts -20), is in bucket 10, with "
        "offsets 16 to 22; 31 of 32 buckets are used (all but 16, in grey)"
    )
    assert caption_of(T5Buckets()) == f"{told}."
    last = "; from distance 91 on, before max_distance 128, all share bucket 15 or 31."
    assert caption_of(T5Buckets(offset=91)).endswith(last)
    causal = "; 32 of 32 buckets are used; from distance 113 on, before max_distance 128,"
    assert causal in caption_of(T5Buckets(offset=113, bidirectional=False))


@pytest.mark.slow("seconds")
def test_every_pair_has_the_colour_of_its_bucket():
    for rule in RULES:
        picture = T5Buckets(**rule, seq_len=24)
        arrays, (table, pairs, *_) = drawn(picture)
        buckets, colours = rule_of(picture), table.artist.get_array().ravel()
        used = sorted(set(buckets.values()))
        assert len(colours) == picture.num_buckets
        assert len({colours[bucket] for bucket in used}) == len(used)
        for bucket, colour in enumerate(colours):
            number = bucket / (picture.num_buckets - 1)
            assert colour == (pytest.approx(number) if bucket in used else -2)
        shown = pairs.image.get_array()
        for query, key in np.ndindex(24, 24):
            assert shown[query, key] == colours[buckets[query - key]]
        assert pairs.image.get_extent() == [-0.5, 23.5, 23.5, -0.5]
        assert np.array_equal(shown, arrays.pairs)


@pytest.mark.slow("seconds")
def test_the_offset_is_marked_on_the_curve_and_its_bucket_on_the_map():
    limits = [{-128, 128}, {1024}, {-128, 128}, {-17, 17}]
    for rule, offset, ends in zip(RULES, (20, 0, -200, -7), limits, strict=True):
        picture = T5Buckets(**rule, offset=offset, seq_len=48)
        arrays, (_, _, *lines, _, _) = drawn(picture)
        *limits_drawn, read_off, runs, here, mark, white, orange = (part.line for part in lines)
        buckets = rule_of(picture)
        x, y = read_off.get_data()
        assert list(x[:2]) == [offset] * 2
        assert list(y[1:]) == [buckets[offset]] * 2
        assert [*mark.get_xdata(), *mark.get_ydata()] == [offset, buckets[offset]]
        assert {line.get_xdata()[0] for line in limits_drawn} == ends
        bars = runs.get_xydata().reshape(-1, 3, 2)
        assert np.isnan(bars[:, 2, 0]).all()
        for (left, low), (right, high) in bars[:, :2]:
            assert low == high
            assert {buckets[math.ceil(left)], buckets[math.floor(right)]} == {low}
        assert np.diff(bars[:, :2, 0].ravel())[1::2].tolist() == [0] * (len(bars) - 1)
        (left, bucket), (right, _) = here.get_xydata()[:2]
        assert bucket == buckets[offset]
        assert [left + 0.5, right - 0.5] == arrays.here[:2].tolist()
        same = [other for other in buckets if buckets[other] == bucket]
        edges = [edge for edge in (min(same) - 0.5, max(same) + 0.5) if abs(edge) < 48]
        for line in (white, orange):
            strokes = line.get_xydata().reshape(-1, 3, 2)
            assert np.isnan(strokes[:, 2]).all()
            for ((key, query), (last_key, last_query), _), edge in zip(strokes, edges, strict=True):
                assert query - key == last_query - last_key == edge
                assert min(key, query) == -0.5
                assert max(last_key, last_query) == 47.5
