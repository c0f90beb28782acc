"""A repaired evaluation, and every listed mistake as a reader would write it."""

from posviz.exercises.length.evaluation import check_evaluation
from tests.exercises.every_mistake import mistake_tests


def pairs_by_number(texts_a, texts_b):
    places = {text: at for at, text in enumerate(texts_b.tolist())}
    return [(at, places[text]) for at, text in enumerate(texts_a.tolist()) if text in places]


def line_by_line(texts_a, texts_b):
    return [(at, at) for at in range(min(len(texts_a), len(texts_b)))]


def difference(positions=lambda trained, rows, end: range(trained, rows), pair=pairs_by_number):
    """The mean of b − a over pairs of texts and some positions."""

    def answer(losses_a, texts_a, losses_b, texts_b, trained, rows):
        found = [
            losses_b[b][p] - losses_a[a][p]
            for a, b in pair(texts_a, texts_b)
            for p in positions(trained, rows, losses_a.shape[1])
        ]
        return sum(found) / len(found)

    return answer


def of_all_texts(losses_a, texts_a, losses_b, texts_b, trained, rows):
    return losses_b[:, trained:rows].mean() - losses_a[:, trained:rows].mean()


MISTAKES = {
    "all positions averaged": difference(lambda trained, rows, end: range(rows)),
    "untrained learned rows": difference(lambda trained, rows, end: range(trained, end)),
    "only the tail": difference(lambda trained, rows, end: [rows - 1]),
    "only the tail, untrained": difference(lambda trained, rows, end: [end - 1]),
    "other texts": of_all_texts,
    "other data order": difference(pair=line_by_line),
    "a − b": lambda *given: -difference()(*given),
    "inside": difference(lambda trained, rows, end: range(trained)),
}
test_each_mistake_is_named, test_no_listed_mistake_is_left_untried = mistake_tests(
    [(check_evaluation, MISTAKES)]
)


def test_a_loop_over_pairs_is_right():
    assert check_evaluation(difference()).status == "correct"
