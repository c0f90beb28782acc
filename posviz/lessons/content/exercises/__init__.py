"""Exercises of lesson 11: position from content, and layers without it."""
