"""Attention with linear biases: a straight line at the scores, one slope for each head."""
