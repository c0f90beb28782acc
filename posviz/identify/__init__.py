"""Name what a program does with positions, from its outputs."""
from posviz.identify.function import identify_function

def identify(rotate=None, meant=None, *, head_dim=64, axes=None):
    return identify_function(rotate, head_dim, axes)
