"""`posviz list`: every picture with its knobs as lines of text."""

from posviz.cli import arguments


def lines(names) -> list[str]:
    """A line per picture and one per knob: lesson, name, default, what is allowed, label."""
    rows = []
    for name, found in arguments.loaded(names).items():
        lesson, filmed = arguments.lesson_of(name), found.filmed_knobs()[0]
        rows.append(f"{lesson}  {name}: {found.title()}")
        for knob_name, knob in found.knobs().items():
            label = f"  ({knob.label})" if knob.label != knob_name else ""
            moves = "  [moves in an animation]" if knob_name == filmed else ""
            default = knob.write(knob.default_value)
            rows.append(f"{lesson}  {name}  {knob_name} = {default}  {knob.rule}{label}{moves}")
    return rows
