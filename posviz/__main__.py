"""`python -m posviz`: the command `posviz`, as the installation names it."""

from importlib.metadata import distribution

[command] = distribution("posviz").entry_points.select(group="console_scripts", name="posviz")
if __name__ == "__main__":
    command.load()()
