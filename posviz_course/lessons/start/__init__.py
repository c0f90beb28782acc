"""Start here: the doors through which position enters, and the map of the course."""
