"""Trained models: their tables and heads, small ones of one's own, and how they read long texts."""
