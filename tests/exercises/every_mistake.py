"""What every exercise must do: name each mistake on its list, as a reader would write it."""

import pytest


def mistake_tests(answers):
    """Return two tests of [(check, {name of a mistake: an answer that makes it})].

    The first asks that each answer is told its name, the second that every mistake has an answer.
    """
    each = [(check, name, answer) for check, tried in answers for name, answer in tried.items()]

    @pytest.mark.parametrize(
        ("check", "name", "answer"), each, ids=[f"{check.title}: {name}" for check, name, _ in each]
    )
    def each_is_named(check, name, answer):
        feedback = check(answer)
        assert (feedback.status, feedback.mistake) == ("mistake", name), feedback

    @pytest.mark.parametrize(("check", "tried"), answers, ids=[check.title for check, _ in answers])
    def none_is_left_untried(check, tried):
        names = {mistake.name for mistake in check.listed}
        assert names == set(tried), names ^ set(tried)

    return each_is_named, none_is_left_untried
