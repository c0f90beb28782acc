"""Derivations line by line, each line beside its value."""
