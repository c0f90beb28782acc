"""How far lesson 09's pictures say that xPos reaches: its overflow, and the mask in blocks."""

import math
import re

import numpy as np
import pytest
import torch

from posviz.pictures.xpos.blockwise_mask import BlockwiseMask
from posviz.pictures.xpos.xpos_overflow import XposOverflow
from tests.pictures.by_hand import caption_of, drawn, every_setting
from tests.pictures.xpos.test_xpos_pictures import each_drawn

# ---------------------------------------------------------------- overflow

FORMATS = ("float16", "bfloat16", "float32", "float64")
AUDITED = {  # dtype, scale_base: the position of overflow
    ("float32", 1): "70.82",
    ("float16", 1): "8.85",
    ("float32", 512): "36,260.7",
    ("float16", 512): "4,532.4",
}


def ratio(gamma):
    """1/ζ of pair 0: what each scale_base tokens multiply a key by."""
    return (1 + gamma) / gamma


def reach_of(picture, dtype):
    largest = torch.finfo(getattr(torch, dtype)).max
    reach = picture.scale_base * math.log(largest) / math.log(ratio(picture.gamma))
    return 2 * reach if picture.centred else reach


@pytest.mark.parametrize(("dtype", "scale_base"), AUDITED)
def test_overflow_is_where_the_audit_found_it(dtype, scale_base):
    picture = XposOverflow(dtype=dtype, scale_base=scale_base)
    expected = f" overflows to infinity from position {AUDITED[dtype, scale_base]} on."
    assert caption_of(picture).endswith(expected)


@pytest.mark.slow("seconds")
@pytest.mark.parametrize("centred", [False, True])
def test_keys_overflow_on_either_side_of_the_mark_and_not_before(centred):
    for dtype in FORMATS:
        picture = XposOverflow(dtype=dtype, scale_base=512, centred=centred)
        [[reach, height]] = drawn(picture)[1][1].line.get_xydata()
        assert reach == pytest.approx(reach_of(picture, dtype))
        assert height == pytest.approx(math.log10(torch.finfo(getattr(torch, dtype)).max))
        kept = [reach * part / (2 if centred else 1) / 512 for part in (0.9999, 1.0001)]
        with np.errstate(over="ignore"):
            scales = np.float64(3.5) ** np.array(kept)
        keys = torch.tensor(scales).to(getattr(torch, dtype))
        assert torch.isinf(keys).tolist() == [False, True]


@pytest.mark.slow("seconds")
def test_curve_marks_and_bars_are_those_of_the_formula():
    for picture, _, parts in each_drawn(XposOverflow):
        curve, _, mark, here, *bars, crosses = (part.line for part in parts)
        along, digits = curve.get_data()
        position, base = picture.position, ratio(picture.gamma)
        each = math.log10(base) / picture.scale_base / (2 if picture.centred else 1)
        limit = math.log10(torch.finfo(getattr(torch, picture.dtype)).max)
        assert along[0] == 1
        assert along[-1] == pytest.approx(1e6)
        top = curve.axes.get_ylim()[1]
        for x, y in zip(along[::9], digits[::9], strict=True):
            assert y == pytest.approx(x * each) or (x * each > y > top)
        assert here.get_xdata() == [position] * 2
        [[x, y]] = mark.get_xydata()
        assert x == position
        assert y == pytest.approx(min(position * each, 1.1 * limit))
        full = []
        for place, (name, bar) in enumerate(zip(FORMATS, bars, strict=True)):
            share = position / reach_of(picture, name)
            assert bar.get_xydata().ravel() == pytest.approx([0, place, min(share, 1), place])
            full += [[1, place]] * (share > 1)
        assert crosses.get_xydata().tolist() == full


def test_the_caption_has_the_value_at_the_position():
    for picture in every_setting(XposOverflow, count=24):
        caption, position = caption_of(picture), picture.position
        middle = position / 2 if picture.centred else position
        digits = middle / picture.scale_base * math.log10(ratio(picture.gamma))
        [said] = re.findall(r"multiplied by (\S+); ", caption)
        if "^" in said:
            assert digits >= 299
            assert float(said[3:].replace(",", "")) == pytest.approx(digits, abs=0.51)
        else:
            assert math.log10(float(said)) == pytest.approx(digits, abs=3e-4)
        zeta = 1 / ratio(picture.gamma)
        assert caption.startswith(f"A key’s pair 0 (ζ = {zeta:.4f}) at position {position:,}")
        assert (" from the middle of its text," in caption) == picture.centred
        if picture.centred:
            assert f", {middle:,.1f} from".replace(".0 ", " ") in caption
        reach = reach_of(picture, picture.dtype)
        [found] = re.findall(r"position ([\d.,]*\d)(?: on|, off the axis)\.$", caption)
        assert float(found.replace(",", "")) == pytest.approx(reach, rel=2e-3)
        assert caption.endswith(", off the axis.") == (reach > 1e6)


# ---------------------------------------------------------------- blockwise mask


def keys_seen(query, block):
    """Keys not after the query, of its own block and the one before, told one by one."""
    return [key for key in range(query + 1) if query // block - key // block <= 1]


SETTINGS = [(13, 6, 24), (0, 6, 24), (31, 6, 24), (13, 1, 24), (5, 16, 32), (31, 7, 32), (3, 2, 4)]


@pytest.mark.sampled(quick=3)
@pytest.mark.parametrize(("query", "block", "seq_len"), SETTINGS)
def test_the_matrix_and_the_counts_are_those_of_a_loop(query, block, seq_len):
    _, parts = drawn(BlockwiseMask(query=query, block=block, seq_len=seq_len))
    kinds, (*lines, _) = parts[0].image.get_array(), parts[1:]
    borders, outline, causal, seen, most, mark = (part.line for part in lines)
    query = min(query, seq_len - 1)
    for row, key in np.ndindex(seq_len, seq_len):
        expected = 0 if key > row else 1
        if key in keys_seen(row, block):
            expected = 3 if row // block == key // block else 2
        assert kinds[row, key] == expected
    counts = [len(keys_seen(row, block)) for row in range(seq_len)]
    assert seen.get_xdata().tolist() == counts
    assert causal.get_xdata().tolist() == list(range(1, seq_len + 1))
    assert seen.get_ydata().tolist() == list(range(seq_len))
    assert mark.get_xydata().tolist() == [[counts[query], query]]
    assert most.get_xdata() == [2 * block] * 2
    saw = counts[block:]
    if len(saw) >= block:
        assert (min(saw), max(saw)) == (block + 1, 2 * block)
    corners = {(-0.5, query - 0.5), (seq_len - 0.5, query + 0.5)}
    assert corners < set(map(tuple, outline.get_xydata().tolist()))
    lines = borders.get_xydata().reshape(-1, 3, 2)
    assert np.isnan(lines[:, 2]).any(axis=1).all()
    ends = [-0.5, seq_len - 0.5]
    places = [at - 0.5 for at in range(block, seq_len, block)]
    assert lines[:, :2].tolist() == [
        *([[ends[0], at], [ends[1], at]] for at in places),
        *([[at, ends[0]], [at, ends[1]]] for at in places),
    ]


def test_the_caption_counts_keys_pairs_and_the_farthest_offset():
    for picture in every_setting(BlockwiseMask, count=40):
        length, block = picture.seq_len, picture.block
        query, caption = min(picture.query, length - 1), caption_of(picture)
        seen = [keys_seen(row, block) for row in range(length)]
        keys = f"{len(seen[query])} of {query + 1} keys, {seen[query][0]} … {query}; "
        clamped = " (the last)" if picture.query >= length else ""
        start = f"The query at {query}{clamped} sees "
        assert caption.startswith(start + (keys if query else "itself alone; "))
        kept, pairs = sum(map(len, seen)), length * (length + 1) // 2
        share = f"; {kept:,} of {pairs:,} causal pairs are kept ({kept / pairs:.0%}), "
        if length <= 2 * block:
            share = f"; two blocks hold all {length} tokens, so this is plain causal, "
        assert share in caption
        farthest = max(row - key for row, keys in enumerate(seen) for key in keys)
        assert farthest <= 2 * block - 1
        assert f" no offset is above {farthest} (2 × block - 1 is {2 * block - 1})." in caption


def test_at_one_end_two_keys_are_seen_and_at_the_other_all():
    assert BlockwiseMask(block=1).compute().seen.tolist() == [1] + [2] * 31
    assert BlockwiseMask(block=16).compute().seen.tolist() == list(range(1, 33))


@pytest.mark.slow("seconds")
@pytest.mark.parametrize(("seq_len", "lines"), [(24, 2 * 23), (25, 0), (32, 0)])
def test_more_than_24_blocks_have_no_borders(seq_len, lines):
    _, (_, borders, *_) = drawn(BlockwiseMask(block=1, seq_len=seq_len))
    assert len(borders.line.get_xydata()) == 3 * lines
