"""Every exercise solved as a reader would: a file per topic, answers by their names there."""
