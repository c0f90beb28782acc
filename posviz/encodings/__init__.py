"""Positional encodings: arrays in, arrays out, one file per family."""
