"""The engine, with a sample picture."""

from tests.layout import no_layout  # noqa: F401 - for all tests
