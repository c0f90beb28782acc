"""The encodings of the course side by side: rows, columns that measure them, and their table."""
