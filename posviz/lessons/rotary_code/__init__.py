"""RoPE in programs: layouts, a cache, precision."""
