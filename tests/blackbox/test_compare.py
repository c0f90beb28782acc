"""What differs from what was meant, and the change that mends it, as it was tried."""

import json

import numpy as np
import pytest

from posviz import (
    Alibi,
    Rotary,
    apply_rotary,
    axial_angles,
    identify,
    offsets,
    rotary_angles,
    sinusoidal,
    yarn,
)
from tests.blackbox.boxes import SHUFFLED, D, in_dtype, mixed_up, rope, upside_down


def halves(x, positions, **more):
    return rope(x, positions, layout="half_split", **more)


SLOW = Rotary(frequencies=yarn(D, 4.0, original_max_seq_len=4096, attention_factor=1.0))


WRONG = {  # the program, what was meant, words of the sentences, what mends it
    "layout": (rope, halves, ["new[2i + 1] = old[i + 32]", "(0, 32)"], "reordered columns"),
    "start": (lambda x, p: rope(x, p + 1), rope, ["should start at 0"], "positions minus 1"),
    "direction": (lambda x, p: rope(x, -p), rope, ["sign of the sines"], "the other direction"),
    "step": (lambda x, p: rope(x, p / 8), rope, ["have no scaling"], "positions times 8"),
    "gain": (lambda x, p: rope(x, p, attention_factor=2.0), rope, ["Cosines"], "times 0.5"),
    "two at once": (
        lambda x, p: rope(x, -(p + 1)), halves,
        ["layout is interleaved", "wrong way", "start at 1"],
        "and the other direction and positions plus 1",
    ),
    "upside down": (upside_down, SLOW, ["Pairs 0 to", "too slowly", "too fast"], None),
    "ends of the ramp": (
        Rotary(frequencies=yarn(D, 4.0, original_max_seq_len=2048)), SLOW, ["too slowly"], None,
    ),
    "positions rounded": (in_dtype("bfloat16", "positions"), rope, ["positions are rounded"], None),
    "base": (rope, Rotary(base=5e5), ["should be 500,000"], None),
    "method": (rope, SLOW, ["no scaling, but should have YaRN's", "yarn(64"], None),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_each_difference_is_a_sentence_and_the_change_is_tried(name):
    rotate, meant, words, mend = WRONG[name]
    if isinstance(rotate, Rotary):
        rotate = lambda x, p, e=rotate: e.at_query(x[None, None], p)[0, 0]  # noqa: E731
    verdict = identify(rotate, meant, head_dim=D)
    text = "\n".join(verdict.differences)
    assert all(word in text for word in words), text
    assert (mend is None) == (verdict.mended_by is None), text
    assert mend is None or mend in verdict.mended_by


def test_what_is_right_differs_in_nothing():
    verdict = identify(rope, Rotary(), head_dim=D)
    assert verdict.differences == ()
    assert "It does what was meant." in str(verdict)


def test_a_dump_is_compared_with_another():
    x = np.random.default_rng(0).normal(size=(40, D))
    meant = {"before": x, "after": halves(x, np.arange(40))}
    verdict = identify(before=x, after=rope(x, np.arange(40) + 1), meant=meant)
    assert len(verdict.differences) == 2
    assert "reordered columns of queries and keys and positions minus 1" in verdict.mended_by


CONFIG = {
    "model_type": "llama", "hidden_size": 4 * D, "num_attention_heads": 4, "num_hidden_layers": 2,
    "max_position_embeddings": 8192, "rope_theta": 500_000.0,
}  # fmt: skip


@pytest.mark.parametrize("form", [lambda c, _: c, lambda c, _: json.dumps(c), lambda c, path: path])
def test_a_configuration_settles_the_frequencies(form, tmp_path):
    path = tmp_path / "config.json"
    path.write_text(json.dumps(CONFIG))
    verdict = identify(lambda x, p: rope(x, p + 1), form(CONFIG, path), head_dim=D)
    assert verdict.differences == (
        "The base is 10,000, but should be 500,000.",
        "Positions start at 1, but should start at 0. Scores stay as they are if queries and keys "
        "are shifted alike.",
    )
    assert "does not say the layout: here it is interleaved" in str(verdict)


def test_a_program_does_what_its_configuration_says():
    assert identify(halves, CONFIG | {"rope_theta": 1e4}, head_dim=D).differences == ()


def test_a_program_that_is_not_known_is_not_compared():
    (said,) = identify(lambda x, p: np.exp(x), rope, head_dim=D).differences
    assert said == "What it does is not known, so no difference can be named."


def test_tables_are_compared_by_their_facts():
    table = sinusoidal(np.arange(50) + 1, D, layout="concatenated")
    verdict = identify(table=table, meant={"table": sinusoidal(np.arange(50), D)})
    assert [s.split()[0] for s in verdict.differences] == ["Positions", "Sines"]


def test_an_unknown_name_is_refused_with_the_nearest():
    with pytest.raises(ValueError, match="no row of the census"):
        identify(rope, "nothing of that name", head_dim=D)


def test_the_angles_of_a_meant_program_may_be_its_own():
    verdict = identify(rope, lambda x, p: rope(x, rotary_angles(p, [1.0])[:, 0]), head_dim=D)
    assert verdict.differences == ()


def swapped(x, positions):
    """Pairs go in interleaved and come out in halves."""
    return rope(x, positions).reshape(len(x), -1, 2).swapaxes(1, 2).reshape(x.shape)


def in_some_order(x, positions):
    return rope(x[:, SHUFFLED], positions)[:, np.argsort(SHUFFLED)]


ODD = {
    "interleaved to half_split, meant halves": (swapped, halves, "in the order of what is meant"),
    "interleaved to half_split, meant pairs": (swapped, rope, "from which they came"),
    "other": (in_some_order, halves, "in the order of what is meant"),
    "meant other": (halves, in_some_order, "in the order of what is meant"),
    "mixed": (mixed_up, halves, "the cosines and the sines all in the order of half_split"),
}


@pytest.mark.parametrize("name", ODD)
def test_columns_in_no_usual_order_get_advice_that_can_be_followed(name):
    rotate, meant, words = ODD[name]
    text = "\n".join(identify(rotate, meant, head_dim=D).differences)
    assert words in text, text
    assert "new[" not in text


LIMITED = {
    "held": lambda x, p: rope(x, np.minimum(p, 2047)),
    "wrapped": lambda x, p: rope(x, p % 2048),
    "ending": lambda x, p: rope(x, np.arange(512)[p]),
    "not rotated any more": lambda x, p: np.where(p[:, None] < 1000, rope(x, p), x),
    "slower in long calls": lambda x, p: rope(x, p * min(1, 128 / len(x))),
}


@pytest.mark.parametrize("name", LIMITED)
def test_a_limit_is_a_difference(name):
    assert identify(LIMITED[name], rope, head_dim=D).differences != ()


def test_programs_with_two_axes_are_compared():
    def axial(x, p, first="row"):
        return apply_rotary(x, axial_angles(p[:, 0], p[:, 1], D, first=first))

    right = {"rotate": axial, "axes": 2, "head_dim": D}
    assert identify(axial, right, head_dim=D, axes=2).differences == ()
    other = identify(lambda x, p: axial(x, p, "column"), axial, head_dim=D, axes=2)
    assert other.differences != ()


def test_a_bias_is_compared_with_an_encoding():
    bias = Alibi().bias(offsets(range(24), range(24)), 12)
    assert identify(bias=bias, meant=Alibi()).differences == ()
    assert identify(bias=2 * bias, meant=Alibi()).differences != ()


def test_pairs_that_all_are_too_slow_are_so_by_one_factor():
    verdict = identify(lambda x, p: rope(x, p / 4), meant=rope, head_dim=D)
    assert "- Pairs 0 to 31 rotate 4 times too slowly." in str(verdict).splitlines()
