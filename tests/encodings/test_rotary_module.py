"""The module that lesson 06 offers to be pasted, as it stands there, against other libraries."""

from pathlib import Path

import nbformat
import pytest
import torch
from transformers.models.gptj import modeling_gptj as gptj
from transformers.models.llama import modeling_llama as llama

from posviz_course.course import OF_TOPIC

FOLDER = Path(__file__).parent.parent.parent / "notebooks"
CELLS = ("lesson06-module-waves", "lesson06-module-turn", "lesson06-module-class")
every_start = pytest.mark.parametrize("start", [3, 131_072])


@pytest.fixture(scope="module")
def pasted():
    """What the cells define, run by themselves as in a file of their own."""
    path = FOLDER / f"{OF_TOPIC['rotary_code'].notebook}.ipynb"
    sources = {cell.id: cell.source for cell in nbformat.read(path, as_version=4).cells}
    names: dict = {}
    exec("\n".join(sources[cell] for cell in CELLS), names)
    return names


def queries_and_keys(dtype=torch.float64):
    """A head_dim of 64 in float64; 12 query heads share 4 key heads."""
    generator = torch.Generator().manual_seed(0)
    return [torch.randn(2, n, 7, 64, generator=generator, dtype=dtype) for n in (12, 4)]


def waves(start):
    rates = 10_000.0 ** (-torch.arange(0, 64, 2, dtype=torch.float64) / 64)
    angles = torch.arange(start, start + 7)[:, None] * rates
    return angles.cos()[None], angles.sin()[None]


@every_start
def test_half_split_is_what_llama_does(pasted, start):
    q, k = queries_and_keys()
    theirs = llama.apply_rotary_pos_emb(q, k, *(torch.cat([w, w], -1) for w in waves(start)))
    ours = pasted["RotaryEmbedding"](64, "half_split")(q, k, start)
    torch.testing.assert_close(ours, theirs, atol=1e-9, rtol=0)


@every_start
def test_interleaved_is_what_gptj_does(pasted, start):
    q, k = queries_and_keys()
    cos, sin = waves(start)
    theirs = tuple(  # of [batch, len, heads, head_dim]
        gptj.apply_rotary_pos_emb(x.transpose(1, 2), sin, cos).transpose(1, 2) for x in (q, k)
    )
    ours = pasted["RotaryEmbedding"](64, "interleaved")(q, k, start)
    torch.testing.assert_close(ours, theirs, atol=1e-9, rtol=0)


@pytest.mark.parametrize("layout", ["interleaved", "half_split"])
def test_bfloat16_rounds_what_it_turns_and_not_its_angles(pasted, layout):
    short = [x.bfloat16() for x in queries_and_keys()]
    rope = pasted["RotaryEmbedding"](64, layout)
    wanted = tuple(x.bfloat16() for x in rope(*(x.double() for x in short), 131_072))
    torch.testing.assert_close(rope(*short, 131_072), wanted, atol=0, rtol=2**-7)


def test_neither_layout_nor_start_has_a_default(pasted):
    rope = pasted["RotaryEmbedding"]
    with pytest.raises(TypeError, match="layout"):
        rope(64)
    with pytest.raises(TypeError, match="start"):
        rope(64, "half_split")(*queries_and_keys())
