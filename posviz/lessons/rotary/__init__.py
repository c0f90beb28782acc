"""RoPE: queries and keys turn with their position."""
