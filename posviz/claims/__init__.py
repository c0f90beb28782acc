"""Common claims about positional encodings, and the numbers that decide: a folder per topic."""

from posviz.claims.ledger import audit

__all__ = ["audit"]
