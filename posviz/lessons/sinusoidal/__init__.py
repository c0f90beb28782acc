"""Sinusoidal tables: a position written as a vector."""
