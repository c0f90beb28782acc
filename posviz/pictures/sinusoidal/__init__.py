"""Sinusoidal tables: a position written as a vector."""

LESSON = "02"
