"""Every exercise solved as a reader would: a file per topic, an answer by its name in the lesson."""
