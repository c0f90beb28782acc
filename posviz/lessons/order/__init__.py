"""Why order matters: attention, shuffled sentences, masks and the four terms of a score."""
