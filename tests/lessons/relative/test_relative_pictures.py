"""The matrix of offsets in lesson 04, pair by pair."""

from collections import Counter

from posviz.lessons.relative.offset_matrix import OffsetMatrix
from posviz.pictures.live_figure import LiveFigure
from tests.lessons.by_hand import every_setting


def test_each_pair_has_its_clipped_offset():
    for picture in every_setting(OffsetMatrix):
        arrays, clip, sign = picture.compute(), picture.clip, 1
        if picture.convention == "key − query":
            sign = -1
        places = range(picture.seq_len)
        expected = [[max(-clip, min(sign * (i - j), clip)) for j in places] for i in places]
        assert arrays.told.tolist() == expected
        rows = Counter(offset + clip for row in expected for offset in row)
        assert arrays.pairs.tolist() == [rows[row] for row in range(2 * clip + 1)]
        query = min(picture.query, picture.seq_len - 1)
        assert arrays.apart.tolist() == [sign * (query - key) for key in places]


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
