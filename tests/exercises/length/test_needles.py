"""Two means, and every listed mistake as a reader would write it."""

from posviz.exercises.length.needles import check_needles
from tests.exercises.every_mistake import mistake_tests


def mean(values):
    return sum(values) / len(values)


def tokens(losses, asked, which=lambda is_asked: True):
    both = zip(losses.ravel().tolist(), asked.ravel().tolist(), strict=True)
    return [loss for loss, is_asked in both if which(is_asked)]


def of_asked(losses, asked):
    return tokens(losses, asked, bool)


def text_by_text(losses, asked):
    rows = zip(losses, asked, strict=True)
    return mean([mean(of_asked(*row)) for row in rows])


MISTAKES = {
    "asked over all": lambda x, a: [mean(tokens(x, a)), sum(of_asked(x, a)) / x.size],
    "text by text": lambda x, a: [mean(tokens(x, a)), text_by_text(x, a)],
    "the others": lambda x, a: [mean(tokens(x, a)), mean(tokens(x, ~a, bool))],
    "all without the asked": lambda x, a: [mean(tokens(x, ~a, bool)), mean(of_asked(x, a))],
    "swapped": lambda x, a: [mean(of_asked(x, a)), mean(tokens(x, a))],
    "a sum": lambda x, a: [mean(tokens(x, a)), sum(of_asked(x, a))],
}
test_each_mistake_is_named, test_no_listed_mistake_is_left_untried = mistake_tests(
    [(check_needles, MISTAKES)]
)


def test_token_by_token_is_right():
    right = check_needles(lambda x, a: [mean(tokens(x, a)), mean(of_asked(x, a))])
    assert right.status == "correct"


def test_a_needle_hardly_shows_in_a_mean_over_all():
    for losses, asked in check_needles.cases():
        assert losses[asked].mean() > 2 * losses.mean()
