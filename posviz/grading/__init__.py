"""Hand out a lesson's exercises, grade what comes back, and tell what a class got wrong."""
