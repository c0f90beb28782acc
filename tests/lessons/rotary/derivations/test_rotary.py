"""Every derivation at every slip: what is right follows, slips do not, and errors are named."""

import functools

import numpy as np
import pytest
from matplotlib.font_manager import findfont, get_font

from posviz.lessons.rotary.derivations.rotary import DERIVATIONS, derive

SLIPS = [(name, slip) for name, chosen in DERIVATIONS.items() for slip in chosen.slips]


@functools.cache
def random_settings():
    rng = np.random.default_rng(5)
    return [
        {
            "q": tuple(rng.uniform(-1.5, 1.5, 2)),
            "k": tuple(rng.uniform(-1.5, 1.5, 2)),
            "m": int(rng.integers(1, 1000)),
            "n": int(rng.integers(0, 1000)),
            "inv_freq": rng.uniform(0.01, 1),
            "head_dim": 2 * int(rng.integers(2, 65)),
            "base": 10 ** rng.uniform(0.1, 6),
        }
        for _ in range(10)
    ]


@pytest.mark.parametrize("name", DERIVATIONS)
def test_every_right_line_follows_at_every_setting(name):
    for setting in random_settings():
        assert derive(name, **setting).wrong == [], setting


@pytest.mark.parametrize(("name", "slip"), SLIPS)
def test_one_line_of_every_slip_does_not_follow(name, slip):
    right = len(derive(name).steps)
    found = {tuple(derive(name, slip=slip, **setting).wrong) for setting in random_settings()}
    [[number]] = found
    assert 1 < number <= right
    assert derive(name, slip=slip).wrong == [number]
    assert f"\n{number:>2}  " in (printed := repr(derive(name, slip=slip)))
    assert printed.count("does not follow: off by ") == 1


def test_every_derivation_has_two_slips_as_the_picture_offers():
    assert {len(chosen.slips) for chosen in DERIVATIONS.values()} == {2}


def test_every_line_says_why_and_every_letter_is_in_the_font():
    glyphs = get_font(findfont("DejaVu Sans")).get_charmap()
    for name, slip in [*SLIPS, *((name, None) for name in DERIVATIONS)]:
        for step in derive(name, slip=slip).steps:
            assert step.line.why
            said = step.line.formula + step.line.why + step.value + "✗"
            assert {letter for letter in said if ord(letter) not in glyphs} <= {"\n"}
            assert not set(said) & set("$\\{}")


@pytest.mark.parametrize(
    ("arguments", "error", "match"),
    [
        ({"name": "magic"}, ValueError, "name must be .*matrices.*magic"),
        ({"slip": "cross"}, ValueError, "slip must be .*sign.*cross"),
        ({"q": (0, 0)}, ValueError, r"q must be two numbers, not both 0, got \(0, 0\)"),
        ({"head_dim": 2}, ValueError, "head_dim must be at least 4, got 2"),
        ({"base": 1.0}, ValueError, "base must be"),
    ],
)
def test_what_cannot_be_derived_is_named(arguments, error, match):
    with pytest.raises(error, match=match):
        derive(**{"name": "matrices", **arguments})


def test_what_is_printed_names_what_enters():
    heading = repr(derive("sparse", slip="minus", m=5)).splitlines()[0]
    assert heading == (
        "sparse with the slip 'minus': q = (1, 0.5), m = 5, d = head_dim = 8, base = 10,000"
    )
    assert "not the only one" in repr(derive("polar"))
