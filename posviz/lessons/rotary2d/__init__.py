"""RoPE in two dimensions: a token stands at a row and a column."""
