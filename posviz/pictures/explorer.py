"""The explorer: controls and a screen, for one picture."""

import base64
import html
import traceback

import ipywidgets as widgets
import traitlets

from posviz.pictures.controls import control
from posviz.pictures.declared import Declared
from posviz.pictures.export import output_png
from posviz.pictures.export_panel import ExportPanel
from posviz.pictures.live_figure import LiveFigure
from posviz.pictures.reruns import take_over_cell
from posviz.pictures.screen import Screen
from posviz.pictures.slider import Slider
from posviz.pictures.stored import WIDGET, mark
from posviz.pictures.style import drawing
from posviz.wording import shortened


class Explorer(widgets.VBox):
    """Sliders, buttons and the living picture; shows itself in a notebook."""

    def __init__(self, picture: Declared) -> None:
        self.picture = picture
        self.start = picture.values()
        self.closed = False
        self.live = LiveFigure(picture)
        self.screen = Screen(self.live, self.refresh)
        self.error = widgets.HTML()
        self.error.add_class("posviz-error")
        made = {name: control(picture, name, self.report) for name in picture.knobs()}
        self.controls = {name: main for name, (_, main, _) in made.items()}
        self._links = [link for _, _, links in made.values() for link in links]
        self.reset_button = widgets.Button(
            description="Reset", icon="undo", tooltip="Every knob back to where it began"
        )
        self.reset_button.on_click(lambda _: self.reset())
        self.export = ExportPanel(picture)
        picture.observe(self._changed, list(made))
        first = picture.first_knobs()
        later = widgets.Box([box for name, (box, _, _) in made.items() if name not in first])
        later.add_class("posviz-later-controls")
        later.add_class("posviz-closed")
        self.more = widgets.ToggleButton(description="More", tooltip="The other controls")
        self.more.observe(lambda change: _fold(later, closed=not change["new"]), "value")
        buttons = widgets.HBox(
            [*[self.more] * bool(later.children), self.reset_button, self.export.button]
        )
        buttons.add_class("posviz-buttons")
        rows = widgets.Box([*(made[name][0] for name in first), later, buttons])
        rows.add_class("posviz-controls")
        super().__init__([rows, self.export.panel, self.error, self.screen])
        self.add_class("posviz-explorer")
        take_over_cell(self)

    def refresh(self) -> None:
        """Bring the picture up to date and show it; an error is shown and the old picture stays."""
        with drawing:
            self._follow()
            if self.live.layers is not None and self.screen.views:
                self._show()

    def _changed(self, _):
        """Show the new frame: when knobs change together, only the first notice draws one."""
        with drawing:
            if self.screen.views and self._follow():
                self._show()

    def _follow(self) -> bool:
        """Whether the artists moved; an error is shown, and they stay."""
        try:
            moved = self.live.follow()
        except Exception as error:
            self.report(error)
            return False
        self.error.value = ""
        return moved

    def _show(self):
        """Send a frame; an error in drawing it is shown, and the next frame begins anew."""
        try:
            self.screen.show()
        except Exception as error:
            self.live.release()
            self.report(error)

    def report(self, error: BaseException) -> None:
        """Show an exception under the controls, in one or two lines."""
        lines = shortened("".join(traceback.format_exception_only(error)).strip())
        if isinstance(error, traitlets.TraitError):  # a knob says by itself what is wrong
            lines = str(error)
        kept = "<br>The picture still shows the last good values." if self.live.layers else ""
        self.error.value = (
            f"<div role='alert' class='posviz-notice'>{html.escape(lines)}{kept}</div>"
        )

    def reset(self) -> None:
        """Set every knob back to its value when the explorer was made, in one frame."""
        self.error.value = ""
        with drawing:
            for slider in self.controls.values():
                if isinstance(slider, Slider):
                    slider.stop()
            self.live.begin_again()
            if self.picture.values() == self.start:
                self.refresh()
            # Locked: a slider's message in another thread would lose its notice to the one held.
            with self.picture.hold_trait_notifications():
                for name, value in self.start.items():
                    setattr(self.picture, name, value)

    def _repr_mimebundle_(self, **kwargs):
        """The widget, and a PNG with the caption for pages without a kernel."""
        data = super()._repr_mimebundle_(**kwargs)
        mark(data[WIDGET])
        # Colab reads in anywidget's own metadata what can show it.
        _, metadata = self.screen._repr_mimebundle_() or ({}, {})
        still = LiveFigure(self.picture)  # light, whatever this reader's page is
        try:
            with drawing:
                still.follow()
                still.paint()
                pixels, width = still.layers.pixels(), 100 * self.picture.size[0]
                image, about = output_png(pixels, width, still.caption)
        except Exception as error:
            self.report(error)
            return data, metadata
        finally:
            still.release()
        data["text/plain"] = f"{type(self.picture).__name__}: {still.caption}"
        data["image/png"] = base64.b64encode(image).decode()
        metadata["image/png"] = about
        return data, metadata

    def close(self) -> None:
        """Release the figure, the canvas and every widget; Widget.__del__ calls it again."""
        if self.closed:
            return
        self.closed = True
        self.picture.unobserve(self._changed, list(self.controls))
        self.export.button.value = False  # an open panel follows the picture
        for link in self._links:
            link.unlink()
        for widget in _tree(self):
            if widget is not self:
                widget.close()
        super().close()


def _fold(box, *, closed):
    (box.add_class if closed else box.remove_class)("posviz-closed")


def _tree(widget):
    """A widget, its children, their children, and the layouts and styles that go with them."""
    yield widget
    for child in getattr(widget, "children", ()):
        yield from _tree(child)
    for part in ("layout", "style"):
        if isinstance(getattr(widget, part, None), widgets.Widget):
            yield getattr(widget, part)
