"""An axis, written down as it draws itself, but sooner: like marks in one call, no text twice."""

import itertools
from typing import Any

import numpy as np
from matplotlib.cbook import _setattr_cm
from matplotlib.transforms import Bbox


def record_axis(axis: Any, recorder: Any) -> None:
    """Draw a straight axis into the recorder, all that `Axis.draw` would."""
    if not axis.get_visible():
        return
    ticks = axis._update_ticks()
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
        others = [axes for axes in aligned_axes(axis) if axes is not axis.axes]
        every = [axes._axis_map[axis.axis_name]._update_ticks() for axes in others]
        aligned = _boxes([*ticks, *itertools.chain(*every)], recorder)
        known: dict = {
            "_update_ticks": lambda: ticks,
            "_get_tick_boxes_siblings": lambda renderer: aligned,
        }
        with _setattr_cm(axis, **known):
            axis._update_label_position(recorder)
        recorder.write(axis.label)
    axis.offsetText.set_text(axis.major.formatter.get_offset())
    if axis.offsetText.get_text():
        axis._update_offset_text_position(*_boxes(ticks, recorder))
        recorder.write(axis.offsetText)


def aligned_axes(axis: Any) -> list:
    """The axes whose tick labels decide where the label stands: its own, and those aligned."""
    groups = axis.get_figure(root=False)._align_label_groups
    return groups[axis.axis_name].get_siblings(axis.axes)


def _record_marks(lines, recorder):
    """Marks that look alike are drawn as those of one line."""
    alike: dict[tuple, list] = {}
    for line in lines:
        if line.get_visible():
            look = line.get_marker(), line.get_markersize(), line.get_markeredgewidth()
            alike.setdefault((*look, line.get_markeredgecolor(), line.get_alpha()), []).append(line)
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
