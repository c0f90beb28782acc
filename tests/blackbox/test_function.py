"""A function as a black box: what it does is named, and what is not known is said."""

import numpy as np
import pytest
import torch

from posviz import apply_rotary, identify, rotary_angles
from tests.blackbox.boxes import INV_FREQ, NAMED, UNKNOWN, D, rope


@pytest.mark.parametrize("name", NAMED)
def test_a_program_is_named_and_reproduced(name):
    rotate, facts = NAMED[name]
    verdict = identify(rotate, head_dim=D)
    assert verdict.explained, str(verdict)
    assert verdict.kind == "rotation"
    assert {fact: getattr(verdict, fact) for fact in facts} == pytest.approx(facts), str(verdict)
    assert ("It ends" in str(verdict)) == (name == "float16 positions")
    assert "All positions from" not in str(verdict)


@pytest.mark.parametrize("name", UNKNOWN)
def test_what_is_no_rotation_is_said_in_a_sentence(name):
    rotate, word = UNKNOWN[name]
    verdict = identify(rotate, head_dim=D)
    assert (verdict.kind, verdict.explained, verdict.code) == ("unknown", False, None)
    assert word in str(verdict)
    assert len(verdict.sentences) == 1


def test_mutants_are_told_apart_from_the_original():
    seen = {identify(rotate, head_dim=D).code for rotate, _ in NAMED.values()}
    assert len(seen) == len(NAMED) - 1  # float32 is told by its dtype alone


def test_the_line_is_what_reproduces_the_program():
    verdict = identify(NAMED["from 1"][0], head_dim=D)
    assert (
        verdict.code
        == "lambda x, positions: Rotary(layout='interleaved').at_query(x, positions + 1)"
    )


@pytest.mark.parametrize("rows", [1000, 2048])
def test_the_end_of_a_cache_is_found(rows):
    table = rotary_angles(np.arange(rows), INV_FREQ)

    def rotate(x, positions):
        return apply_rotary(x, table[positions])

    assert f"position {rows:,} raises IndexError" in str(identify(rotate, head_dim=D))


def test_positions_that_are_held_are_found():
    verdict = identify(lambda x, p: rope(x, np.minimum(p, 2999)), head_dim=D)
    assert "All positions from 2,999 on" in str(verdict)


def test_a_memory_is_found():
    longest = [0]

    def rotate(x, positions):
        longest[0] = max(longest[0], positions.max())
        return rope(x, positions, INV_FREQ / (1 if longest[0] < 3000 else 2))

    assert "memory" in str(identify(rotate, head_dim=D))


def test_frequencies_that_change_are_placed():
    def rotate(x, positions):
        return rope(x, positions, INV_FREQ / np.linspace(1, 3, 32) ** (positions.max() > 1500))

    assert "beyond 1,500" in str(identify(rotate, head_dim=D))


def as_torch(x, positions):
    angles = positions[:, None].float() * torch.tensor(INV_FREQ).float()
    pair = torch.view_as_complex(x.float().unflatten(-1, (-1, 2)).contiguous())
    return torch.view_as_real(pair * torch.polar(torch.ones_like(angles), angles)).flatten(-2)


def one_row(x):
    """Return a row [head_dim] as torch's; more than one is refused."""
    (_,) = x.shape
    return torch.as_tensor(x)


FORMS = {
    "torch": as_torch,
    "batch and heads": lambda x, p: as_torch(x[0, 0], p)[None, None],
    "query and key": lambda x, p: (as_torch(x, p), as_torch(x, p)),
    "row by row": lambda x, p: as_torch(one_row(x)[None], torch.as_tensor(p).reshape(1))[0],
    "grown by gradients": lambda x, p: as_torch(x, p).requires_grad_(),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_function_is_called_in_the_form_that_it_takes(form):
    verdict = identify(FORMS[form], head_dim=D)
    assert (verdict.layout, verdict.base, verdict.dtype) == ("interleaved", 1e4, "float32")


def test_a_function_that_fails_is_refused_in_a_sentence():
    def rotate(x):
        return x

    with pytest.raises(ValueError, match=r"must take x \[len, 64\] and positions"):
        identify(rotate)


@pytest.mark.parametrize("arguments", [{}, {"table": [[1.0]], "bias": [[1.0]]}])
def test_one_thing_is_asked_for(arguments):
    with pytest.raises(ValueError, match="identify takes one of"):
        identify(**arguments)


def test_a_partner_is_asked_for():
    with pytest.raises(ValueError, match="before needs after"):
        identify(before=np.ones((4, 4)))


def test_facts_are_json():
    import json

    facts = json.loads(identify(rope, head_dim=D).to_json())
    assert (facts["layout"], facts["explained"]) == ("interleaved", True)


def test_a_notebook_shows_the_words_and_a_picture():
    shown = identify(rope, head_dim=D)._repr_html_()
    assert "interleaved" in shown
    assert "<img alt=" in shown


def test_one_pair_shows_no_layout():
    def rotate(x, positions):
        return np.concatenate([rope(x[:, :2], positions, np.ones(1)), x[:, 2:]], axis=-1)

    assert "one pair, which all layouts share" in str(identify(rotate, head_dim=8))
