"""The same picture as people draw it today, moved by one slider.

browser.py runs these in a kernel. All lay the figure out as posviz does, so that the picture is
the same.
"""

import ipywidgets as widgets
import matplotlib.pyplot as plt
from IPython.display import display
from pictures import PICTURES


def interact(name, knob="position"):
    """`interact` over a function that draws with pyplot: what most notebooks do."""
    kind = PICTURES[name]

    def draw(**values):
        picture = kind(**values)
        show_once(picture, plt.figure(figsize=picture.size, layout="constrained"))
        plt.show()

    widgets.interact(draw, **{knob: slider_of(kind, knob)})


def ipympl(name, knob="position"):
    """An ipympl canvas whose artists are moved, then drawn."""
    from ipympl.backend_nbagg import Canvas, FigureManager
    from matplotlib.figure import Figure

    picture = PICTURES[name]()
    figure = Figure(figsize=picture.size, layout="constrained")
    canvas = Canvas(figure)
    FigureManager(canvas, 0)
    artists = show_once(picture, figure)
    slider = slider_of(type(picture), knob)

    def moved(change):
        setattr(picture, knob, change.new)
        picture.update(artists, picture.compute())
        canvas.draw()  # draw_idle would wait for the browser: the same work, later
        canvas.manager.refresh_all()

    slider.observe(moved, "value")
    display(slider, canvas)


def show_once(picture, figure):
    """Draw a picture into a figure as matplotlib does, and return its artists."""
    artists = picture.draw(figure)
    picture.update(artists, picture.compute())
    for artist in figure.findobj(lambda artist: artist.get_animated()):
        artist.set_animated(False)
    return artists


def slider_of(kind, knob):
    """A stock slider with the range of a knob."""
    trait, value = kind.knobs()[knob], getattr(kind(), knob)
    look = {"description": knob, "layout": {"width": "560px"}}
    return widgets.IntSlider(value, trait.low, trait.high, trait.step, **look)
