"""The command line's commands, by what they are about."""
