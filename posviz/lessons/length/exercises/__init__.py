"""Exercises of lesson 12: reading and reporting what runs say of longer texts."""
