"""A line that may oscillate faster than the pixels, painted as the one area that it covers.

A renderer paints such a line stroke beside stroke, and where strokes meet it adds up, in a way of
its own, what each covers. The area they cover together is the same for all of them.
"""

import numpy as np
from matplotlib.colors import to_rgba
from matplotlib.lines import Line2D
from matplotlib.path import Path
from matplotlib.transforms import IdentityTransform

FINE = 2  # columns in half of the pen's width
ROOM = 1.5  # a line that is so much longer than its area has no room for dashes


class DenseLine(Line2D):
    """A line through y at rising x, with a round pen; dense oscillations close its dashes."""

    def draw(self, renderer):
        """Fill what the pen covers; a dashed line with room for its dashes is stroked."""
        points = self.get_transform().transform(self.get_xydata())
        width = renderer.points_to_pixels(self.get_linewidth())
        if not self.get_visible() or len(points) < 2 or np.ptp(points[:, 0]) < width:
            return super().draw(renderer)
        x, low, high = stroke(points[:, 0], points[:, 1], width / 2)
        if self.is_dashed():
            length = np.hypot(*np.diff(points.T)).sum()
            if length * width < ROOM * np.trapezoid(high - low, x):
                return super().draw(renderer)
        renderer.open_group("line2d", self.get_gid())
        around = np.column_stack([np.r_[x, x[::-1]], np.r_[low, high[::-1]]])
        gc = renderer.new_gc()
        clip(gc, self)
        gc.set_linewidth(0)
        gc.set_snap(False)
        colour = to_rgba(self.get_color(), self.get_alpha())
        renderer.draw_path(gc, Path(around), IdentityTransform(), colour)
        gc.restore()
        renderer.close_group("line2d")
        self.stale = False


def clip(gc, artist):
    """Let a graphics context clip as the artist is clipped."""
    if artist.get_clip_on():
        gc.set_clip_rectangle(artist.get_clip_box())
        gc.set_clip_path(artist.get_clip_path())


def stroke(x, y, radius):
    """Where a round pen along a line reaches: x of each column, its lowest and its highest.

    The line's x rises or stays, and spans more than the pen; what the pen covers of a column has no
    gap, as the line has none.
    """
    count = int(np.ceil(FINE * np.ptp(x) / radius))
    columns, step = np.linspace(x[0], x[-1], count + 1, retstep=True)
    apart = np.minimum(step * abs(np.arange(-FINE, FINE + 1)), radius)
    pen = np.sqrt(radius**2 - apart**2)
    reached = x[0] + step * np.arange(-FINE, count + FINE + 1)
    return reached, -_highest(x, -y, columns, pen), _highest(x, y, columns, pen)


def _highest(x, y, columns, pen):
    """How high the pen reaches at each column, and at those beside the line's ends."""
    at, before = np.interp(columns, x, y), np.searchsorted(x, columns)
    between = np.maximum.reduceat(np.insert(y, before, at), before + np.arange(len(columns)))
    between[-2] = max(between[-2:])  # a point at the very end belongs to the last column
    arriving = np.interp(-columns, -x[::-1], y[::-1])  # not `at` where the line is upright there
    between = np.maximum(between[:-1], arriving[1:])
    least = np.minimum(pen[:-1], pen[1:])  # over what lies between two columns
    return np.maximum(_moved_over(at, pen), _moved_over(between, least))


def _moved_over(values, pen):
    """The highest point of the pen's edge, its middle on one value after the other."""
    padded = np.full(len(values) + 4 * FINE, -np.inf)
    padded[2 * FINE : -2 * FINE] = values
    count = len(padded) - len(pen) + 1
    return np.max([padded[i : i + count] + edge for i, edge in enumerate(pen)], axis=0)
