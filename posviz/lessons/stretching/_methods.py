"""The methods of context extension by the names that pictures have for them."""

from posviz.encodings import stretching
from posviz.encodings.frequencies import Frequencies, rotary_frequencies

METHODS = ("none", "PI", "NTK", "YaRN")


def stretched(method, head_dim, base, length, factor) -> Frequencies:
    """Return a method's frequencies for a text that is `factor` times the trained length.

    Each has the numbers of its released code.
    """
    if method == "none":
        return Frequencies(rotary_frequencies(head_dim, base))
    if method == "PI":
        return stretching.position_interpolation(head_dim, factor, base=base)
    if method == "NTK":
        return stretching.ntk(head_dim, factor, base=base)
    return stretching.yarn(head_dim, factor, base=base, original_max_seq_len=length)
