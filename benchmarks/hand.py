"""A hand that moves one control of a page: a slider by its keys and by its handle, or options."""

from tests.browser.explorer import exactly

EVENTS = 180  # at one in each animation frame, three seconds


def hand(page, label):
    """Return the hand for the control with this label, whichever kind it is of."""
    page.locator("label", has_text=exactly(label)).first.wait_for()
    slider = find_slider(page, label)
    return SliderHand(slider) if slider.count() else OptionsHand(find_options(page, label))


def find_slider(page, label):
    """Return what of a slider takes the keys: a slider of posviz, or a stock one."""
    named = page.locator("label", has_text=exactly(label))
    stock = page.locator(".widget-slider", has=named).locator("[role=slider]")
    return page.get_by_role("slider", name=label, exact=True).or_(stock)


def find_options(page, label):
    """Return what holds the options: a dropdown or a row of buttons."""
    named = page.locator("label", has_text=exactly(label))
    return page.locator(".widget-dropdown, .widget-toggle-buttons", has=named)


class SliderHand:
    """Presses arrow keys, and drags to and fro."""

    drives = "slider"

    def __init__(self, handle):
        self.handle, self.key = handle, "ArrowRight"

    def step(self):
        """Press an arrow key; at either end of the slider, turn round."""
        now, least, most = self.handle.evaluate("handle => bench.standing(handle)")
        if now in (least, most):
            self.key = "ArrowRight" if now == least else "ArrowLeft"
        self.handle.press(self.key)

    def drag(self):
        """Drag the handle, and leave it where the last event brought it."""
        self.handle.scroll_into_view_if_needed()
        self.handle.evaluate("(handle, events) => bench.drag(handle, events)", EVENTS)

    def clear_figure(self):
        """Bring the handle back to where it stood before."""
        self.handle.evaluate("() => bench.letGo()")


class OptionsHand:
    """Chooses one option after the other; its drag does so in each animation frame."""

    drives = "options"

    def __init__(self, control):
        self.control = control

    def step(self):
        """Choose the next option."""
        self.drag(events=1)

    def drag(self, events=EVENTS):
        """Choose so many options, one in each animation frame."""
        self.control.evaluate("(control, events) => bench.choose(control, events)", events)

    def clear_figure(self):
        """Nothing was held."""
