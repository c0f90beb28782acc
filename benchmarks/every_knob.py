"""Milliseconds of CPU that the kernel takes when a knob moves, for every knob of every picture.

    OMP_NUM_THREADS=1 python benchmarks/every_knob.py [names of pictures]

Compute, update, paint, record and write down, as at a slider's message; a slider goes from end to
end in up to 24 moves, a choice three times through its options; the first value is not timed. CPU
time, since machines are noisy; one thread, since a second one that waits is counted, too.
"""

import itertools
import json
import statistics
import sys
import time
from typing import NamedTuple

import posviz_course.lessons
from posviz.pictures.knobs import Device
from posviz.pictures.live_figure import LiveFigure
from posviz.pictures.stream.frames import Frames

MOVES = 24
WORDS = ["", "one", "one two two one", "a dog bites a man"]


class Row(NamedTuple):
    """A knob, and its milliseconds."""

    kind: str
    name: str
    median: float
    most: float
    whole: float  # share of the frames that are whole


def measure(picture, name):
    """Move one knob of a live picture."""
    knob, live, frames = picture.knobs()[name], LiveFigure(picture), Frames()
    values = knob.samples(MOVES + 1) or WORDS
    if not knob.is_ordered:  # its first move is like any other
        values = 3 * list(values)
    times, whole = [], []
    for value in values:
        began = time.process_time()
        setattr(picture, name, value)
        if live.follow():
            live.paint()
            fields, _ = frames.next(live.layers)
            json.dumps(fields)
            times.append(1e3 * (time.process_time() - began))
            whole.append(fields["whole"])
    kind = "rebuilds" if knob.redraw else "slider" if knob.is_ordered else "choice"
    title = f"{type(picture).__name__} {name}"
    live.release()
    times, share = times[1:], statistics.mean(whole[1:])
    return Row(kind, title, statistics.median(times), max(times), share)


def main():
    """Print every knob, the slowest first, and how many are how fast."""
    names = sys.argv[1:] or posviz_course.lessons.names()
    rows = []
    for name in names:
        load = posviz_course.lessons.load(name)
        knobs = load.knobs().items()
        rows += [measure(load(), knob) for knob, about in knobs if not isinstance(about, Device)]
    print("| kind | knob | median ms | most ms | whole frames |\n|---|---|---|---|---|")
    for row in sorted(rows, key=lambda row: -row.median):
        print(f"| {row.kind} | {row.name} | {row.median:.1f} | {row.most:.1f} | {row.whole:.0%} |")
    for kind, group in itertools.groupby(sorted(rows), lambda row: row.kind):
        medians = [row.median for row in group]
        counts = [f"{sum(m <= most for m in medians)} ≤ {most} ms" for most in (5, 12, 16, 33, 60)]
        print(f"\n{len(medians)} of kind {kind}: {', '.join(counts)}; {max(medians):.0f} at most")


if __name__ == "__main__":
    main()
