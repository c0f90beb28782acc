"""The extracts of trained models: where they come from, how large they are, and that RoPE fits."""

import numpy as np
import pytest

from posviz.attention import softmax
from posviz.encodings.rotary import Rotary
from posviz_course.models import real
from posviz_course.models.archive import load_archive
from scripts import make_real_data


@pytest.mark.parametrize(("path", "most"), [(real.TABLE, 300_000), (real.HEADS, 500_000)])
def test_an_extract_says_where_it_comes_from_and_is_small(path, most):
    _, card = load_archive(path)
    assert card["licence"] == "Apache-2.0"
    assert card["package"].replace(" ", "==") in make_real_data.__doc__
    assert len(card["sha256"]) == 64
    assert card["changed"]
    assert path.stat().st_size < most
    told = (real.DATA / "README.md").read_text()
    assert path.name in told
    assert card["source"].split(",")[0] in told
    assert "Version 2.0, January 2004" in (real.DATA / "LICENSE").read_text()


def test_the_trained_table_remembers_the_lengths_it_was_trained_at():
    table = real.trained_table()
    assert table.shape == (512, 384)
    norms = np.linalg.norm(table, axis=1)
    assert set(norms.argsort()[-4:]) == {0, 127, 510, 511}
    unit = table / norms[:, None]
    neighbours = (unit[:-1] * unit[1:]).sum(axis=1)
    assert set(neighbours.argsort()[:4]) == {0, 126, 127, 510}
    assert neighbours.mean() == pytest.approx(0.85, abs=0.005)
    for quarter in np.split(neighbours[:508], 4):  # no part of it was left untrained
        assert quarter.mean() > 0.84


@pytest.mark.parametrize("sentence", real.SENTENCES.values())
@pytest.mark.parametrize("name", real.TELLING)
def test_rope_gives_the_models_own_weights(name, sentence):
    head = real.heads(sentence)[name]
    assert " ".join(head.words).replace(" .", ".").replace(" ,", ",") == sentence
    positions = np.arange(len(head.words))
    encoding = Rotary(base=real.BASE, layout=real.LAYOUT)
    q = encoding.at_query(head.q[None], positions)
    k = encoding.at_key(head.k[None], positions)
    scores = np.where(np.tri(len(positions), dtype=bool), (q @ k.swapaxes(1, 2))[0] / 8, -np.inf)
    np.testing.assert_allclose(softmax(scores), head.weights, rtol=0, atol=2e-3)


@pytest.mark.parametrize("name", real.TELLING)
def test_a_telling_head_looks_there(name):
    """In all sentences together more than half of the weight; the script measures more of them."""
    weights = []
    for sentence in real.SENTENCES.values():
        head = real.heads(sentence)[name]
        keys = real.looked_at(head.words, name)
        weights += list((head.weights * keys).sum(axis=1)[keys.any(axis=1)])
    assert np.mean(weights) > 0.5


def test_a_sentence_that_is_not_stored_is_refused():
    with pytest.raises(ValueError, match=r"^sentence must be one of 'Dog bites .*, got 'My own"):
        real.heads("My own words.")
