"""Learned embeddings: a table whose rows are trained."""

LESSON = "03"
