"""The command `posviz`: pages, slides and the website, handing out and grading, diagnosis."""
