"""What every claim must do when the mathematics under it is wrong: come to another verdict."""


def assert_turned(claim, planted, monkeypatch):
    """Plant (place, attribute, error, verdict): the claim turns to that verdict, by its number."""
    place, attribute, error, turned = planted
    before = claim()
    monkeypatch.setattr(place, attribute, error)
    after = claim()
    assert after.verdict == turned != before.verdict
    assert after.number != before.number
