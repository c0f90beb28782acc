"""A picture is declared once: knobs, arrays, artists, caption. The rest is derived from them.

`picture.py` saves, animates and shows it.
"""

from types import SimpleNamespace
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import traitlets
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from posviz.pictures.bitmaps import drop_bitmaps
from posviz.pictures.dress import dress, fit, show_all
from posviz.pictures.knobs import Knob
from posviz.pictures.multiples import side_by_side
from posviz.pictures.style import Appearance, appearance, style_context
from posviz.pictures.styled_figure import StyledFigure
from posviz.wording import quoted, spelt_like

AT_FIRST = 4  # knobs
USUAL = Appearance()
Arrays = SimpleNamespace  # what compute returned: each array by its name

_layouts: WeakKeyDictionary = WeakKeyDictionary()  # by class; with data of a reader, by picture


class Drawing(traitlets.HasTraits):
    """A figure with knobs. A subclass declares knobs and writes the methods below.

    `draw` may read only knobs marked `redraw=True`, and sets the widest limits and labels that will
    occur: the layout is settled right after it and then stays, so that nothing jumps while a slider
    moves, and a figure looks the same whichever way the knobs came to their values.
    """

    size = (8.0, 4.5)  # inches, in a notebook
    paper_size = (3.3, 2.4)  # inches, in one column of a paper
    given_data: tuple[str, ...] = ()  # arguments with data of a reader, which the repr only names
    _knobs: dict[str, Knob]

    def __init__(self, **values: Any) -> None:
        for name in values.keys() - self.knobs().keys():
            raise TypeError(self.no_knob(name))
        super().__init__(**values)

    # -- what a subclass writes ----------------------------------------------------------------

    def compute(self) -> Arrays:
        """Return the arrays that the knobs ask for; `update` and `caption` get them.

        Mathematics only: it touches no artist. Ends in `return self.arrays(name=...)`.
        """
        raise NotImplementedError

    def draw(self, figure: Figure) -> Any:
        """Make every artist once, those that move with animated=True; return them.

        They are a list of parts (see `posviz.pictures.parts`), or whatever `update` takes.
        """
        raise NotImplementedError

    def update(self, artists: Any, arrays: Arrays) -> None:
        """Move the artists to the arrays; reads no knob. Parts move themselves.

        Data are set anew, never changed in place, and the drawing order stays.
        """
        for part in artists:
            part.move(arrays)

    def caption(self, arrays: Arrays) -> str:
        """One sentence with the numbers that matter, also the alternative text.

        It reads the arrays and no knob, so that it describes the picture that is shown.
        """
        raise NotImplementedError

    def dragged(self, x: float, y: float) -> dict:
        """Return {knob: value} for a reader who drags to x, y in the first axes.

        Places beyond a knob's ends count as the end. Axes named after a knob need no entry here.
        """
        return {}

    def arrays(self, **computed: Any) -> Arrays:
        """Return the arrays that `compute` has computed, and the knobs' values."""
        return Arrays(**self.values() | computed)

    # -- what follows from it ------------------------------------------------------------------

    @classmethod
    def knobs(cls) -> dict[str, Knob]:
        """The knobs by name, in the order of the class body (class_traits() is alphabetical)."""
        if "_knobs" not in vars(cls):  # they are asked for three times in every frame
            names = dict.fromkeys(name for base in reversed(cls.__mro__) for name in vars(base))
            traits: dict[str, Any] = cls.class_traits(knob=True)
            cls._knobs = {name: traits[name] for name in names if name in traits}
        return cls._knobs

    @classmethod
    def first_knobs(cls) -> list[str]:
        """The knobs that an explorer shows at first sight: four at most; others under "More"."""
        return [name for name, knob in cls.knobs().items() if not knob.more][:AT_FIRST]

    @classmethod
    def no_knob(cls, name: str) -> str:
        """Return the error message for an unknown knob: it lists the knobs and the nearest name."""
        known = cls.knobs()
        near = spelt_like(str(name), known)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        return f"{cls.__name__} has no knob {quoted(name)}; it has {', '.join(known)}.{hint}"

    @classmethod
    def filmed_knobs(cls) -> list[str]:
        """The knobs that a film can move, the best ones first."""
        knobs = cls.knobs()

        def rank(name):  # False comes first: what moves at once, has an order, plays, is quick
            knob, plays = knobs[name], knobs[name].play
            awaits_another = bool(knob.when) and not plays
            return awaits_another, not knob.is_ordered, not plays, knob.redraw

        return sorted((name for name in knobs if knobs[name].samples(2)), key=rank)

    @classmethod
    def title(cls) -> str:
        """The first line of the docstring, without its full stop."""
        return (cls.__doc__ or cls.__name__).strip().splitlines()[0].rstrip(".")

    def values(self) -> dict:
        """The knobs' present values by name."""
        return {name: getattr(self, name) for name in self.knobs()}

    def inches(self, look: Appearance) -> tuple[float, float]:
        """Width and height in an appearance."""
        return look.inches({"notebook": self.size, "paper": self.paper_size})

    def build(self, look: Appearance = USUAL) -> tuple[StyledFigure, Any]:
        """A new Figure in its settled layout, and its artists, not yet moved to any arrays."""
        with style_context(*look.theme):
            size = self.inches(look)
            left, low = look.rim / size[0], look.rim / size[1]
            inside = (left, low, 1 - 2 * left, 1 - 2 * low)
            layout = ConstrainedLayoutEngine(w_pad=look.pad, h_pad=look.pad, rect=inside)
            figure = StyledFigure(*look.theme, figsize=size, dpi=look.dpi, layout=layout)
            artists = self.draw(figure)
            figure.renamed = dress(figure, look)
            if look.is_narrow:
                fit(figure)
            self._lay_out(figure, look)
        drop_bitmaps(figure)
        return figure, artists

    def _lay_out(self, figure, look):
        """Place the axes; this is most of what a figure costs, so each layout is solved once."""
        kept = _layouts.setdefault(self if self.given_data else type(self), {})
        size = tuple(figure.get_size_inches())
        redraw = [getattr(self, name) for name, knob in self.knobs().items() if knob.redraw]
        key = look._replace(dark=False), size, *redraw
        if key not in kept or figure.subfigs:
            for _ in range(2):  # constrained layout settles at the second time
                figure.get_layout_engine().execute(figure)
            kept[key] = [_place(axes) for axes in figure.axes]
        figure.set_layout_engine("none")
        for axes, (bounds, anchor, box_aspect) in zip(figure.axes, kept[key], strict=True):
            axes.set(position=bounds, anchor=anchor, box_aspect=box_aspect)

    def figure(self, style: str = "notebook", dark: bool = False, **options: Any) -> StyledFigure:
        """Return the picture at its present values as a plain matplotlib Figure.

        options: the other fields of an `Appearance`. Raises what compute raises, and ValueError
        for an unknown style, and for labels that no text of the figure has.
        """
        return self.figure_in(appearance(style, dark, **options))

    def figure_in(self, look: Appearance) -> StyledFigure:
        """Return the picture at its present values as a new Figure without animated artists."""
        if look.multiples:
            return side_by_side(self, look)
        arrays, (figure, artists) = self.compute(), self.build(look)
        with style_context(*look.theme):
            self._move(artists, arrays, figure, figure.renamed)
        figure.caption = look.caption or self.caption(arrays)
        return figure

    def draw_into(self, place: Any, style: str = "notebook", **options: Any) -> None:
        """Draw the picture at its present values into a figure of yours, or a part of one.

        Draw and save that figure within `style_context`, too, or let it be a `StyledFigure`.
        """
        look = appearance(style, **options)
        with style_context(*look.theme):
            artists = self.draw(place)
            self._move(artists, self.compute(), place, dress(place, look))

    def _move(self, artists, arrays, figure, renaming):
        self.update(artists, arrays)
        renaming.in_(figure)
        renaming.check()
        show_all(figure)

    def __repr__(self):
        data = [f"{name}=..." for name in self.given_data]
        values = [f"{name}={value!r}" for name, value in self.values().items()]
        return f"{type(self).__name__}({', '.join(data + values)})"


def _place(axes):
    """Return the layout, rounded, because the solver's last bits differ from run to run."""
    bounds = np.round(axes.get_position(original=True).bounds, 12)
    return bounds, axes.get_anchor(), axes.get_box_aspect()
