"""Exercises whose checkers name the mistake: one file per lesson."""
