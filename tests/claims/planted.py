"""What every claim must do: come to its verdict, and to another one where an error is planted."""

import pytest

from posviz.claims.ledger import Claim


def claim_tests(module, found, planted):
    """Return two tests of each claim of a module, by {name of the claim: what it should come to}.

    The first takes (verdict, its numbers), the second (place, attribute, error, verdict): with the
    error in its place the claim turns to that verdict, by its number.
    """
    claims = {name: value for name, value in vars(module).items() if isinstance(value, Claim)}

    @pytest.mark.parametrize("name", claims | found)
    def comes_to(name):
        verdict = claims[name]()
        numbers = [part.partition(" if ")[0] for part in verdict.numbers.split("; ")]
        came = f"{verdict.verdict} {verdict.condition}".strip(), numbers
        assert came == found[name], (came, found[name])

    @pytest.mark.parametrize("name", claims | planted)
    def turns(name, monkeypatch):
        place, attribute, error, turned = planted[name]
        before = claims[name]()
        monkeypatch.setattr(place, attribute, error)
        after = claims[name]()
        assert after.verdict == turned != before.verdict, (before, after)
        assert after.numbers != before.numbers, (before, after)

    return comes_to, turns
