"""Two threads at once, as JupyterLab's subshells make them: nobody draws into another's frame."""

import time
from concurrent.futures import ThreadPoolExecutor

import matplotlib
import pytest

from posviz.engine.style import style_context
from tests.engine.sample import Browser, Hand, Waves


class Slow(Waves):
    """Takes its time over a frame, and notices when another one is begun meanwhile."""

    drawing = 0

    def update(self, artists, arrays):
        Slow.drawing += 1
        time.sleep(0.05)
        assert Slow.drawing == 1, "two frames at once"
        super().update(artists, arrays)
        Slow.drawing -= 1


def together(*functions):
    """Run the functions each in a thread, the later ones a little later; raise what they raise."""
    with ThreadPoolExecutor() as pool:
        for running in [pool.submit(function) for function in functions]:
            running.result()


@pytest.mark.slow("seconds")
def test_a_reset_in_the_middle_of_a_drag_waits_for_its_frame():
    picture = Slow()
    explorer = picture.explore()
    Browser(explorer.screen).say("a", ratio=1)
    hand = Hand(explorer.controls["position"])

    def drag():
        for place in range(11, 20):
            hand.move(place)

    def reset():
        for _ in range(9):
            time.sleep(0.03)
            explorer.reset()

    together(drag, reset)
    assert explorer.error.value == ""
    assert hand.heard["place"] == picture.position
    explorer.close()


@pytest.mark.parametrize("first", ["slide", "paper"])
def test_two_threads_in_two_styles_leave_the_settings_as_they_were(first):
    before = dict(matplotlib.rcParams)

    def draw(style, wait):
        time.sleep(wait)
        with style_context(style):
            size = matplotlib.rcParams["font.size"]
            time.sleep(0.1)
            assert matplotlib.rcParams["font.size"] == size

    together(lambda: draw(first, 0), lambda: draw("notebook", 0.05))
    assert dict(matplotlib.rcParams) == before
