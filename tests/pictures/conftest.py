"""Pictures of lessons, by their artists."""

from tests.layout import no_layout  # noqa: F401 - for all tests
