"""Context extension: the pairs that reach new angles in a longer text, and methods to slow them."""

from posviz_course.lessons import when_needed

__getattr__ = when_needed(__name__, exercises="check_new_base check_on_scores check_yarn_ramp")
