"""Exercises of lesson 13."""
