"""An axis, written down as it draws itself, but sooner: like marks in one call, no text twice."""

import itertools
from typing import Any

import numpy as np
from matplotlib.transforms import Bbox

from posviz.pictures.stream import private


def record_axis(axis: Any, recorder: Any) -> None:
    """Draw a straight axis into the recorder, all that `Axis.draw` would."""
    if not axis.get_visible():
        return
    ticks = private.ticks_of(axis)
    for tick in ticks:
        if tick.gridline.get_visible():
            tick.gridline.draw(recorder)
    _record_marks([tick.tick1line for tick in ticks], recorder)
    _record_marks([tick.tick2line for tick in ticks], recorder)
    for tick in ticks:
        for label in (tick.label1, tick.label2):
            if label.get_visible():
                recorder.write(label)
    if axis.label.get_text():
        others = [axes for axes in private.aligned_axes(axis) if axes is not axis.axes]
        every = [private.ticks_of(getattr(axes, f"{axis.axis_name}axis")) for axes in others]
        aligned = _boxes([*ticks, *itertools.chain(*every)], recorder)
        private.place_label(axis, recorder, ticks, aligned)
        recorder.write(axis.label)
    axis.offsetText.set_text(axis.major.formatter.get_offset())
    if axis.offsetText.get_text():
        private.place_offset_text(axis, _boxes(ticks, recorder))
        recorder.write(axis.offsetText)


def _record_marks(lines, recorder):
    """Marks that look alike are drawn as those of one line."""
    alike: dict[tuple, list] = {}
    for line in lines:
        if line.get_visible():
            mark = line.get_marker(), line.get_markersize(), line.get_markeredgewidth()
            alike.setdefault((*mark, line.get_markeredgecolor(), line.get_alpha()), []).append(line)
    for first, *others in alike.values():
        own = first.get_data()
        first.set_data(*np.concatenate([own, *(line.get_data() for line in others)], axis=1))
        first.draw(recorder)
        first.set_data(*own)


def _boxes(ticks, recorder):
    """The box around the labels at either side, of those that count; a list of one or none."""
    sides = [tick.label1 for tick in ticks], [tick.label2 for tick in ticks]
    return [
        _around(recorder.box(text) for text in side if text.get_visible() and text.get_in_layout())
        for side in sides
    ]


def _around(boxes):
    corners = [*boxes]
    return [Bbox([np.min(corners, axis=0)[0], np.max(corners, axis=0)[1]])] if corners else []
