"""What there is: every picture and every knob on a line of its own."""

import posviz.lessons
from posviz.cli import inventory
from posviz.course import OF_TOPIC

NAMES = list(posviz.lessons.names())


def test_every_picture_and_every_knob_has_its_line():
    lines = inventory.lines(NAMES)
    for name in NAMES:
        found = posviz.lessons.load(name)
        mine = [line for line in lines if line.split()[1].rstrip(":") == name]
        assert len(mine) == 1 + len(found.knobs())
        assert mine[0].endswith(f"  {name}: {found.title()}")
        for line, (knob_name, knob) in zip(mine[1:], found.knobs().items(), strict=True):
            assert f"  {knob_name} = {knob.write(getattr(found(), knob_name))}  " in line
            assert knob.rule in line
            assert knob.label in line
        (moving,) = [line for line in mine if line.endswith("[moves in an animation]")]
        assert f"  {found.filmed_knobs()[0]} = " in moving
    assert not any("\n" in line for line in lines)


def test_a_line_in_full():
    number = OF_TOPIC["rotary"].number
    assert inventory.lines(["RotatingVectors"])[:2] == [
        f"{number}  RotatingVectors: "
        "Query and key rotate with their positions, the score with their offset",
        f"{number}  RotatingVectors  together = 0  a whole number between 0 and 30  (both moved by)"
        "  [moves in an animation]",
    ]
