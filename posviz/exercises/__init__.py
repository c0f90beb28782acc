"""Exercises whose checkers name the mistake: a folder per topic, a file per exercise."""
