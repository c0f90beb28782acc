"""A path that begins with `~`, as the system reads it, and names that no system may be asked."""

import os
from pathlib import Path

import pytest

from posviz.home import LONGEST, at_home

HOMES = ("~", "~/a", "~/a~b", "~root/a", "~nobody-is-called-so/a", "~x.png", "a/~", "", "~\\a")


@pytest.mark.parametrize("path", HOMES)
def test_it_is_what_the_system_makes_of_it(path):
    assert at_home(path) == os.path.expanduser(path)
    assert at_home(Path(path)) == os.path.expanduser(Path(path))


@pytest.mark.parametrize("name", ["a" * LONGEST, "a" * 6_000_000, "\0", "\ud800", "\x1b[2J"])
@pytest.mark.parametrize("rest", ["", "/a", "\\a"])
def test_no_system_is_asked_for_a_name_that_nobody_can_have(name, rest, monkeypatch):
    monkeypatch.setattr(os.path, "expanduser", lambda _: "asked")
    assert at_home(f"~{name}{rest}") == f"~{name}{rest}"
    assert at_home(f"~{'a' * (LONGEST - 1)}{rest}") == "asked"
