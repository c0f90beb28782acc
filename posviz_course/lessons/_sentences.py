"""Sentences that readers type, as tokens: words, and each mark by itself."""

import re
from math import ceil

from matplotlib import rcParams

ENDS = frozenset(".!?…。！？")  # of sentences
_TOKEN = re.compile(r"\w+(?:['’-]\w+)*|[^\w\s]")
LETTERS = 7  # of a label at most


def tokens_of(sentence):
    """Words and marks, in their order; an empty sentence is one token, ∅."""
    return _TOKEN.findall(sentence) or ["∅"]


def words_of(sentence, most=None):
    """The first words of a sentence, at most so many; an empty sentence is one token, ∅."""
    return sentence.split()[:most] or ["∅"]


def is_word(token):
    """Whether a token is a word, and no mark."""
    return token[0].isalnum() or token[0] == "_"


def short(token):
    """A token as a label has it."""
    return token if len(token) <= LETTERS else token[: LETTERS - 1] + "…"


def label_tokens(axis, tokens, inches, **props):
    """Write tokens at an axis of so many inches, as many as there is room for."""
    room = 72 * inches / (1.3 * rcParams["font.size"])
    labelled = range(0, len(tokens), ceil(len(tokens) / room))
    names = [short(tokens[i]) for i in labelled]
    axis.set_ticks(labelled, labels=names, parse_math=False, **props)


def write_along(axis, words, room):
    """Label an axis with all words: upright where they need more than `room` letters."""
    shown = [short(word) for word in words]
    upright = axis.axis_name == "x" and len("  ".join(shown)) > room
    axis.set_ticks(range(len(words)), labels=shown, parse_math=False, rotation=90 * upright)
