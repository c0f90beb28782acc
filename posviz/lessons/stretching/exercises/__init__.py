"""Exercises of lesson 10: stretching a trained RoPE to longer texts."""
