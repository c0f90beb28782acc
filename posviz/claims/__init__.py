"""Common claims about positional encodings, each with the number that decides it."""

from posviz.claims.ledger import audit

__all__ = ["audit"]
