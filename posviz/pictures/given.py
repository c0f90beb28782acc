"""What pictures share that show stored examples, or what a reader gives instead."""

from typing import Any

from posviz.pictures.knobs import choice


class stored(choice):
    """One of the stored examples; idle, for the reason `given`, where a reader gave their own."""

    def __init__(self, default: Any, *, given: str, **shared: Any) -> None:
        super().__init__(default, **shared)
        self.given = given

    def idle(self, picture: Any) -> str:
        return (self.given if picture._data else "") or super().idle(picture)
