"""What a reader does with one explorer, in JupyterLab or on a page: press, drag, look."""

import contextlib
import functools
import re
import time

from playwright.sync_api import expect

WAIT = 30  # seconds
# Where an answer, a frame or its pixels are still to come.
DUE = "[data-unanswered=true], [data-asked], [data-painting]"

STANDS_STILL = """async (root, [due, seconds]) => {
    const frame = () => root.querySelector('canvas').dataset.frame;
    const end = performance.now() + 1000 * seconds;
    for (let last = null; last !== frame() || root.querySelector(due);) {
        if (performance.now() > end) return false;
        last = frame();
        await new Promise(later => setTimeout(later, 40));
    }
    return true;
}"""

FINGERPRINT = """async canvas => {
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-1', data));
    return Array.from(digest, byte => byte.toString(16).padStart(2, '0')).join('');
}"""


def exactly(text):
    """Return a pattern for an element that holds this text and nothing else."""
    return re.compile(rf"^\s*{re.escape(text)}\s*$")


class ExplorerOnPage:
    """One explorer on the page: its sliders, buttons, canvas and texts.

    with explorer.changes():
        explorer.press("d_model", "ArrowRight", times=3)
    """

    def __init__(self, page, root):
        self.page, self.root = page, root
        self.canvas = root.locator("canvas")
        self.canvas.scroll_into_view_if_needed()
        page.wait_for_function(
            "canvas => canvas.dataset.frame > 0", arg=self.canvas.element_handle()
        )

    def labels(self):
        """Return the labels of the sliders that are shown."""
        return self.root.locator(".posviz-slider label:visible").all_inner_texts()

    def press(self, label, key, times=1):
        """Press a key on the slider with this label: ArrowRight, Home, End …"""
        self.handle(label).focus()
        for _ in range(times):
            self.page.keyboard.press(key)

    def drag(self, label, pixels, steps=8):
        """Drag the slider with this label by so many pixels to the right."""
        slider = self.handle(label)
        slider.scroll_into_view_if_needed()
        box, (low, place, high) = slider.bounding_box(), self.range(label)
        thumb = 16  # pixels wide: its middle stays within half of that from either end
        x = box["x"] + thumb / 2 + (box["width"] - thumb) * (place - low) / (high - low)
        y = box["y"] + box["height"] / 2
        self.page.mouse.move(x, y)
        self.page.mouse.down()
        self.page.mouse.move(x + pixels, y, steps=steps)
        self.page.mouse.up()

    def handle(self, label):
        """Return the slider with this label, which is also what takes the keys."""
        return self.root.get_by_role("slider", name=label, exact=True)

    def range(self, label):
        """Return (lowest, present, highest) place of the slider with this label."""
        return tuple(self.handle(label).evaluate("({ min, value, max }) => [+min, +value, +max]"))

    def asleep(self, label):
        """Return whether this slider is greyed, since other knobs make it idle."""
        return self.handle(label).is_disabled()

    def stands_at(self, label, value):
        """Fail unless `value` comes to stand beside the slider: its answer follows the picture."""
        expect(self.handle(label)).to_have_attribute("aria-valuetext", value)

    def play(self, label):
        """Return the button that plays the knob with this label; while it plays there is none."""
        return self.root.get_by_role("button", name=f"Play {label}", exact=True)

    def pause(self, label):
        """Return the button that stops it again."""
        return self.root.get_by_role("button", name=f"Pause {label}", exact=True)

    def box(self, label):
        """Return the box with the exact value."""
        return self.root.get_by_role("textbox", name=re.compile(f"^{re.escape(label)}, from "))

    def button(self, name):
        """Return the button with this name: Reset, Export, Save."""
        return self.root.locator("button", has_text=exactly(name))

    def show_more(self, shown):
        """Open or fold the controls under More, where there are some."""
        state = f"button[aria-expanded={str(not shown).lower()}]"
        more = self.root.locator(state, has_text=exactly("More"))
        if more.count():
            more.click()

    def options(self):
        """Return what chooses among options, to be called: it may wake a slider."""
        controls = self.root.locator(".posviz-controls")
        self.show_more(True)
        clicked = controls.locator(".posviz-buttons-row label:not(.posviz-absent), [type=checkbox]")
        listed = controls.locator("select option")
        chosen = [clicked.nth(index).click for index in range(clicked.count())]
        for option in [listed.nth(index) for index in range(listed.count())]:
            text, menu = option.text_content(), option.locator("xpath=..")
            chosen.append(functools.partial(menu.select_option, label=text))
        return chosen

    def height(self):
        """Return the height of controls, caption and picture together, in CSS pixels."""
        return self.root.bounding_box()["height"]

    def scale(self):
        """Return by how much the picture is scaled."""
        return float(self.canvas.get_attribute("data-scale"))

    def frame(self):
        """Return the number of the frame that is shown."""
        return int(self.canvas.get_attribute("data-frame"))

    def shows_a_frame_after(self, frame):
        """Fail unless a frame with a higher number comes to be shown."""
        shown = self._wait_until(lambda: self.frame() > frame)
        assert shown, f"No frame came after {frame}."

    def caption(self):
        """Return the caption, which is also the picture's alternative text."""
        return self.canvas.locator("xpath=..").locator("figcaption").inner_text()

    def alert(self):
        """Return the message of the error that is shown, or an empty string."""
        alert = self.root.locator("[role=alert]:not(:empty)")
        return alert.inner_text() if alert.count() else ""

    def fingerprint(self):
        """Return the SHA-1 of the canvas's pixels, row by row as RGBA bytes."""
        return self.canvas.evaluate(FINGERPRINT)

    def changed_by(self, action):
        """Do it, and return whether the pixels have changed when every answer is there."""
        before = self.fingerprint()
        action()
        return self.settled() != before

    def becomes(self, fingerprint):
        """Return whether these pixels come to be shown."""
        return self._shows(lambda shown: shown == fingerprint)

    @contextlib.contextmanager
    def changes(self):
        """Fail unless what is done inside changes the pixels."""
        before = self.fingerprint()
        yield
        assert self._shows(lambda shown: shown != before), "The picture did not change."

    def _shows(self, wanted):
        """Wait for pixels; they are read when another frame is shown, for reading takes long."""
        looked_at = None

        def shown():
            nonlocal looked_at
            frame, last = self.frame(), looked_at
            looked_at = frame
            return frame != last and wanted(self.fingerprint())

        return self._wait_until(shown)

    def settled(self):
        """Wait until the picture stands still, and return its fingerprint."""
        self.stands_still()
        return self.fingerprint()

    def stands_still(self):
        """Wait for every answer, and until no frame comes any more."""
        assert self.root.evaluate(STANDS_STILL, [DUE, WAIT]), "The picture never stood still."

    def _wait_until(self, condition):
        end = time.monotonic() + WAIT
        while not condition():
            if time.monotonic() > end:
                return False
            self.page.wait_for_timeout(30)
        return True
