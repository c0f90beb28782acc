"""Relative positions: a score is told how far apart its query and key are."""
