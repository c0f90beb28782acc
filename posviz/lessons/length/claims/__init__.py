"""Claims of lesson 12: which encodings go on past the trained length, and how one knows."""
