"""From slider to pixels in a real JupyterLab: latency, frames a second, and how far behind.

    python benchmarks/browser.py                          all, which takes about half an hour
    python benchmarks/browser.py heatmap FourTerms   these alone
    python benchmarks/browser.py SinusoidalTable.d_model  by this knob

Each contender shows its picture in a notebook of its own. A key press is timed until the pixels on
the page differ, and the kernel times what it does with that press (in_kernel.py). Then the slider
is dragged to and fro for three seconds, with an event in each of the browser's animation frames,
while every frame looks whether the pixels differ from the last ones (in_page.js). Three
repetitions, the contenders of a picture in turn; the tables hold the medians.
"""

import datetime
import os
import statistics
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from pictures import PICTURES
from stage import ONE_THREAD, Row, Stage

from posviz_course.lessons import load, names
from tests.browser.server import chromium, jupyterlab

REPETITIONS = 3
CONTENDERS = {
    "interact": "from contenders import interact\ninteract('{0}')",
    "ipympl": "from contenders import ipympl\nipympl('{0}')",
    "posviz": "from pictures import PICTURES\nPICTURES['{0}']().explore()",
}
COLUMNS = "slider to pixels ms | frames/s | events/s | behind at end ms | kernel ms |"


def medians(repetitions):
    """The median of each column over the repetitions."""
    return [statistics.median(column) for column in zip(*repetitions, strict=True)]


def cells(row):
    """The cells that both tables share."""
    return (
        f"{row.pixels:.1f} | {row.frames:.1f} | {row.events:.0f} | {row.behind:.0f} "
        f"| {row.kernel:.2f} |"
    )


def measured(stages):
    """{name: Row of medians}; the stages take turns, so that a busy machine slows all alike."""
    rows = {name: [] for name in stages}
    for _ in range(REPETITIONS):
        for name, stage in stages.items():
            rows[name].append(stage.measure())
    for stage in stages.values():
        stage.close()
    return {name: Row(*medians(repetitions)) for name, repetitions in rows.items()}


def print_contenders(browser, server, chosen):
    """The benchmark's own pictures, each by all contenders."""
    print(f"| picture | contender | {COLUMNS} sooner than interact |\n|{'---|' * 8}")
    for picture in chosen:
        stages = {
            contender: Stage(
                browser, server, f"{contender}_{picture}", show.format(picture), "position"
            )
            for contender, show in CONTENDERS.items()
        }
        rows = measured(stages)
        for contender, row in rows.items():
            sooner = f"{rows['interact'].pixels / row.pixels:.1f} times"
            print(
                f"| {PICTURES[picture].title()} | {contender} | {cells(row)} {sooner} |", flush=True
            )


def print_course(browser, server, chosen):
    """The pictures of the course, by posviz."""
    print(f"\n| picture of the course | moved by | {COLUMNS}\n|{'---|' * 7}")
    for name in chosen:
        picture, _, knob = name.partition(".")
        kind = load(picture)
        label = kind.knobs()[knob or kind.filmed_knobs()[0]].label
        show = f"import posviz\nposviz.{picture}().explore()"
        stage = Stage(browser, server, name, show, label)
        row = measured({name: stage})[name]
        print(f"| {picture} | {label} ({stage.hand.drives}) | {cells(row)}", flush=True)


def main():
    """Print the tables."""
    every = [*PICTURES, *names()]
    asked = sys.argv[1:] or every
    if not {name.partition(".")[0] for name in asked} <= set(every):
        sys.exit(f"usage: browser.py [{' | '.join(every)}] …")
    os.environ.update(ONE_THREAD)  # JupyterLab and its kernels inherit it
    date, cores = datetime.date.today(), os.cpu_count()
    print(f"{date}, {cores} cores, numeric libraries on one thread\n", flush=True)
    with tempfile.TemporaryDirectory() as home, chromium() as browser:
        folder = Path(home) / "notebooks"
        folder.mkdir()
        with jupyterlab(folder, Path(home)) as server:
            if drawn := [name for name in PICTURES if name in asked]:
                print_contenders(browser, server, drawn)
            if taught := [name for name in asked if name not in PICTURES]:
                print_course(browser, server, taught)


if __name__ == "__main__":
    main()
