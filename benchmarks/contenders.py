"""The same picture as people draw it today, and as posviz does.

Each shows one slider, and returns a function that moves it to a value.

slider.py and browser.py run these in a Jupyter kernel. All lay the figure out as posviz does, so
that the picture is the same; `interact_plain` leaves matplotlib's default layout, which is faster.
"""

import ipywidgets as widgets
import matplotlib.pyplot as plt
from IPython.display import display
from pictures import PICTURES, Heatmap


def interact(name, knob="position", layout="constrained"):
    """`interact` over a function that draws with pyplot: what most notebooks do."""
    kind = PICTURES[name]

    def draw(**values):
        picture = kind(**values)
        figure = plt.figure(figsize=picture.size, layout=layout)
        artists = picture.draw(figure)
        picture.update(artists, picture.compute())
        for artist in figure.findobj(lambda artist: artist.get_animated()):
            artist.set_animated(False)
        plt.show()

    slider = _slider(kind, knob)
    widgets.interact(draw, **{knob: slider})
    return _mover(slider, "value")


def interact_plain(name, knob="position"):
    """The same in matplotlib's default layout."""
    return interact(name, knob, layout=None)


def seaborn(name, knob="position"):
    """`interact` over seaborn's heatmap, with the curve; it draws nothing else."""
    import seaborn

    def draw(**values):
        arrays = Heatmap(**values).compute()
        _, ((axes, scale), (below, empty)) = plt.subplots(
            2,
            2,
            figsize=Heatmap.size,
            layout="constrained",
            width_ratios=(40, 1),
            height_ratios=(5, 2),
        )
        empty.remove()
        seaborn.heatmap(arrays.table, cmap="RdBu_r", vmin=-1, vmax=1, ax=axes, cbar_ax=scale)
        axes.axhline(arrays.position, color="black")
        seaborn.lineplot(arrays.table[arrays.position], ax=below)
        axes.set(ylabel="position (tokens)")
        below.set(xlabel="dimension", ylabel="marked row", ylim=(-1.1, 1.1))
        plt.show()

    slider = _slider(Heatmap, knob)
    widgets.interact(draw, **{knob: slider})
    return _mover(slider, "value")


def ipympl(name, knob="position"):
    """An ipympl canvas whose artists are moved, then drawn."""
    from ipympl.backend_nbagg import Canvas, FigureManager
    from matplotlib.figure import Figure

    picture = PICTURES[name]()
    figure = Figure(figsize=picture.size, layout="constrained")
    canvas = Canvas(figure)
    FigureManager(canvas, 0)
    artists = picture.draw(figure)
    for artist in figure.findobj(lambda artist: artist.get_animated()):
        artist.set_animated(False)
    picture.update(artists, picture.compute())
    slider = _slider(type(picture), knob)

    def moved(change):
        setattr(picture, knob, change.new)
        picture.update(artists, picture.compute())
        canvas.draw()  # draw_idle would wait for the browser: the same work, later
        canvas.manager.refresh_all()

    slider.observe(moved, "value")
    display(slider, canvas)
    return _mover(slider, "value")


def posviz(name, knob="position"):
    """The explorer."""
    widget = PICTURES[name]().explore()
    display(widget)
    # Seen by one view, as in a browser; without one nothing is drawn.
    widget.explorer.receive({"part": "screen", "view": "benchmark", "ratio": 1})
    return _mover(widget.explorer.picture, knob)  # the slider follows


CONTENDERS = {
    "interact": interact,
    "interact_plain": interact_plain,
    "seaborn": seaborn,
    "ipympl": ipympl,
    "posviz": posviz,
}


def _mover(thing, name):
    return lambda value: setattr(thing, name, value)


def _slider(kind, knob):
    trait = kind.knobs()[knob]
    value = getattr(kind(), knob)
    return widgets.IntSlider(
        value, trait.low, trait.high, trait.step, description=knob, layout={"width": "560px"}
    )
