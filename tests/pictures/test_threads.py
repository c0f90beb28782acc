"""Two threads at once, as JupyterLab's subshells make them: nobody draws into another's frame."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.pictures.sample import Browser, Hand, Waves


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
    browser = Browser(picture)
    explorer = browser.explorer
    browser.say("a", ratio=1)
    hand = Hand(browser, "position")

    def drag():
        for place in range(11, 20):
            hand.move(place)

    def reset():
        for _ in range(9):
            time.sleep(0.03)
            explorer.reset()

    together(drag, reset)
    assert explorer.error == ""
    assert hand.heard["place"] == picture.position
    explorer.close()
