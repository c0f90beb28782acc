"""The laboratory: train short, test long, with every run kept."""
