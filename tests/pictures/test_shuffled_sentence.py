"""The sentence is shown as it was typed."""

from posviz import ShuffledSentence
from posviz.publish.faults import drawn_texts


def test_words_between_dollars_are_words():
    figure = ShuffledSentence(sentence="from $5 to $x_$ y").figure()
    words = {text.get_text() for text in drawn_texts(figure)}
    assert {"$5", "$x_$"} <= words
