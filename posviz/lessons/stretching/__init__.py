"""Stretching: which pairs a longer text surprises, and what each method does about it."""
