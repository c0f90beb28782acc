"""Exercises of lesson 11: position from content, and layers without it."""

import numpy as np

from posviz.encodings.fox import fox_bias
from posviz.teaching.mistakes import answer, step, wrong
from posviz_course.lesson_checker import LessonChecker

# ---------------------------------------------------------------- gates for a text

CLOSED = 0.001


def _where(is_closed):
    """A gate for each token: CLOSED where it is to forget all before it, 1 elsewhere."""
    return np.where(is_closed, CLOSED, 1.0)


def _stops(text):
    return np.array([token == "." for token in text.split()])


def gates(text):
    """Return a gate for each token: closed at the first token of each sentence but the first."""
    return _where(np.append(False, _stops(text)[:-1]))


def _later(stops):
    """Whether a full stop stands before each token, anywhere."""
    return np.append(False, np.cumsum(stops)[:-1] > 0)


def _some(text, kept):
    """Close some of the gates that are to be closed; kept: which, as a slice."""
    return _where(np.isin(np.arange(len(_stops(text))), np.flatnonzero(gates(text) < 1)[kept]))


def _a_text(rng, size):
    """Sentences of one to four words; the last one may end without a full stop."""
    words = ["rain", "the", "dog", "sleeps", "it", "then", "bites", "man"]
    sentences = [" ".join(rng.choice(words, size=rng.integers(1, 5))) for _ in range(2 + size % 3)]
    return (" . ".join(sentences) + " ." * (size % 2),)


check_gates = LessonChecker(
    "Gates for a text",
    gates,
    _a_text,
    edges=[
        ("The dog bites man . Then it sleeps",),  # of the text
        ("Rain",),  # one token
        ("It rained .",),
        ("It rained . We stayed in . We read .",),
    ],
    mistakes=[
        wrong("full stops closed", lambda text: _where(_stops(text)),
            "You closed the gate of the full stop. It forgets all before it, but later tokens "
            "still see the full stop itself. Close the gate of the token after it."),
        wrong("full stops closed as well", lambda text: _where(_stops(text) | (gates(text) < 1)),
            "You closed the gates of full stops as well, so each of them forgets its own sentence. "
            "Close only the first gate after a full stop."),
        wrong("the last words closed", lambda text: _where(np.append(_stops(text)[1:], False)),
            "You closed the gate of the last word of a sentence, which forgets that sentence. "
            "Close the gate of the token after the full stop."),
        wrong("first token closed",
            lambda text: _where(np.append(True, _stops(text)[:-1])),
            "You closed the gate of token 0, too. It has nothing to forget, and the exercise asks "
            "for 1 there."),
        wrong("the token before the first", lambda text: _where(np.roll(_stops(text), 1)),
            "You closed the gate of token 0 where the text ends with a full stop: the token before "
            "it has the number −1, and in Python that is the last one. Skip token 0."),
        wrong("capital letters",
            lambda text: _where([i > 0 and t.istitle() for i, t in enumerate(text.split())]),
            "You looked for capital letters. A sentence may begin without one: look for the full "
            "stop before the token."),
        wrong("every later token closed", lambda text: _where(_later(_stops(text))),
            "You closed the gate of every token after a full stop, so each of them sees itself "
            "alone. Close only the first one."),
        wrong("earlier sentences closed",
            lambda text: _where(np.cumsum(_stops(text)[::-1])[::-1] > _stops(text)[-1]),
            "You closed the gates of the tokens that are to be forgotten. A gate forgets what came "
            "before its token: close the gate of the first token after them."),
        wrong("after the first full stop alone", lambda text: _some(text, slice(1)),
            "You closed a gate after the first full stop alone. A text may have more sentences."),
        wrong("after the last full stop alone", lambda text: _some(text, slice(-1, None)),
            "You closed a gate after the last full stop alone. Tokens of other sentences look "
            "back, too."),
        answer("gates exchanged", lambda y: CLOSED / y,
            "You exchanged the two gates. A gate of 1 keeps all that came before its token, and "
            "0.001 forgets it."),
        answer("logarithms", np.log,
            "You took the logarithm. Return the gates themselves: the layer takes their "
            "logarithm."),
    ],
)


# ---------------------------------------------------------------- FoX


def _steps(logits):
    """Return ln of the gate of each token."""
    return np.log(1 / (1 + np.exp(-logits)))


def fox(logits, *, after=np.greater, up_to=np.less_equal, steps=_steps):
    """Return the bias [len, len] from logits [len]: sums of ln gate after the key, to the query."""
    tokens = np.arange(len(logits))
    counted = after(tokens, tokens[:, None]) & up_to(tokens, tokens[:, None, None])
    return np.tril(counted @ steps(logits))


check_fox = LessonChecker(
    "The bias of FoX",
    fox,
    lambda rng, size: (rng.normal(size=2 + size) + 1.0,),
    edges=[(np.array([0, 2, -1]),), (np.array([1.0]),)],  # whole numbers; one token
    mistakes=[
        step("key's own gate counted",
            "You summed from the key itself. A gate forgets what came before its token, so the "
            "key's own does not count: begin at j + 1. On the diagonal the sum is empty, 0.",
            after=np.greater_equal),
        step("query's own gate left out",
            "You stopped before the query. Its own gate forgets all that came before it, so it "
            "counts: the sum goes up to i, inclusive.", up_to=np.less),
        answer("sign", lambda bias: -bias,
            "Your bias is above 0, so far keys gain. ln of a gate is below 0, and so is the bias."),
        answer("the product itself", lambda bias: np.tril(np.exp(bias)),
            "That is the product of the gates, by which weights are multiplied. Asked for is "
            "what is added to scores: its logarithm."),
        step("logits summed",
            "You summed the logits. The steps are the logarithms of the gates: sum those of the "
            "first line.", steps=lambda logits: logits),
        step("gates summed",
            "You summed the gates. A product of gates is a sum of their logarithms: sum ln f.",
            steps=lambda logits: np.exp(_steps(logits))),
        answer("upper half kept", lambda bias: -bias.T,
            "You kept the future keys and set the past ones to 0. Rows are queries: np.tril keeps "
            "the keys up to the query, and np.triu does the opposite."),
        answer("rows are keys", lambda bias: bias.T,
            "Your rows are keys. Rows are queries: subtract the sums of the keys, which belong to "
            "the columns, from those of the queries, c[:, None]."),
        step("summed from the first token",
            "Your rows are constant: you summed from the first token to the query for every key, "
            "and a softmax does not see that. Subtract the sum up to the key.",
            after=lambda token, key: token >= 0 * key),
        wrong("summed up to the key",
            lambda logits: np.tril(np.tile(np.cumsum(_steps(logits)), (len(logits), 1))),
            "Your columns are constant below the diagonal: you summed up to the key. Subtract that "
            "from the sum up to the query."),
        wrong("steps not summed",
            lambda logits: np.tril(np.subtract.outer(_steps(logits), _steps(logits))),
            "You subtracted the step of the key from that of the query. Subtract their sums: "
            "np.cumsum(steps)."),
        wrong("future keys not 0", lambda logits: fox_bias(_steps(logits)),
            "For future keys your difference of sums is above 0. A mask hides these keys, so "
            "return 0 there: np.tril."),
        answer("−inf for future keys",
            lambda bias: np.where(np.tri(len(bias)), bias, -np.inf),
            "You wrote −inf for future keys. The mask does that. The bias of a future key is 0."),
    ],
)
