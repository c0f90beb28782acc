"""Learned embeddings: a table whose rows are trained."""
