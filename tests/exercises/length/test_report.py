"""An honest report, and every listed mistake as a reader would write it."""

import statistics

import pytest

from posviz.exercises.length.report import check_report
from tests.exercises.every_mistake import mistake_tests


def report(
    by=statistics.median,
    middle=statistics.median,
    share=lambda runs, solved: sum(x >= solved for x in runs) / len(runs),
    choose=lambda inside, beyond: inside,
    keep=lambda inside, beyond, solved: True,
    tell=lambda inside, beyond: beyond,
):
    def answer(inside, beyond, solved):
        rates = [by(list(row)) for row in choose(inside, beyond)]
        best = rates.index(max(rates))
        pairs = zip(inside[best], beyond[best], strict=True)
        runs = [float(tell(a, b)) for a, b in pairs if keep(a, b, solved)]
        return [middle(runs), min(runs), max(runs), share(runs, solved)]

    return answer


def all_rates(inside, beyond, solved):
    runs = [x for row in beyond.tolist() for x in row]
    share = sum(x >= solved for x in runs) / len(runs)
    return [statistics.median(runs), min(runs), max(runs), share]


MISTAKES = {
    "chosen by outside results": report(choose=lambda inside, beyond: beyond),
    "chosen by the best run": report(by=max),
    "the best of seeds": report(middle=max),
    "mean": report(middle=statistics.mean),
    "failed runs left out": report(keep=lambda inside, beyond, solved: beyond >= solved),
    "those that did not learn left out": report(keep=lambda inside, *_: inside > 0.5),
    "a count": report(share=lambda runs, solved: sum(x >= solved for x in runs)),
    "above, not at least": report(
        share=lambda runs, solved: sum(x > solved for x in runs) / len(runs)
    ),
    "the runs inside": report(tell=lambda inside, beyond: inside),
    "all rates together": all_rates,
}
test_each_mistake_is_named, test_no_listed_mistake_is_left_untried = mistake_tests(
    [(check_report, MISTAKES)]
)


def test_pure_python_is_right():
    assert check_report(report()).status == "correct"


@pytest.mark.parametrize("junk", [lambda inside, beyond, solved: beyond.mean(axis=0), all])
def test_junk_is_refused(junk):
    assert check_report(junk).status in ("wrong", "error")
