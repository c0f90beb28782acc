"""Claims of lesson 13: what tables say that compare encodings."""

from posviz_course.choosing.census import CENSUS, FAMILIES
from posviz_course.choosing.columns import COLUMNS
from posviz_course.claims import claim


def _each(*rows):
    """Return the row of each case, by a phrase."""
    names = {"learned": "a learned table", "sinusoidal": "a sinusoidal table"}
    return {f"for {names.get(row, row)}": row for row in rows}


@claim("Keys in a cache stay right while the text grows.",
    cases=_each("learned", "RoPE", "dynamic NTK", "ALiBi", "FoX", "PaTH"),
    measures="the largest change of an output when tokens come one by one, with a cache",
    rule="< 1e-9", sources=("transformers25104",), section="2 What an encoding can do")
def any_encoding_fits_a_cache(row):
    """Where frequencies follow the length, the keys in the cache are those of a shorter text."""
    return round(COLUMNS["cached"](row).number, 9)


@claim("A relative encoding sees where a line of an image ends.",
    cases=_each("RoPE", "ALiBi", "T5", "RoPE in 2-D"),
    measures="the difference in weight between a neighbour in the line and one past its end",
    rule="> 1e-9", section="2 What an encoding can do")
def a_line_ends_unseen(row):
    """An encoding of the distance along the text does not see where a line ends."""
    return COLUMNS["2-D"](row).number


@claim(
    "An encoding that acts at the input, or rotates queries and keys, needs no kernel of its own.",
    cases=_each("sinusoidal", "learned", "RoPE", "RoPE in 2-D", "stretched RoPE", "xPos", "PoPE"),
    measures="what torch's function is asked for in addition (0: nothing)", rule="== 0",
    sources=("dao2022flashattention",), section="1 What an encoding needs from the kernel")
def before_the_scores_the_kernel_is_free(row):
    """Its work is done before the kernel is called, but PoPE's queries are wider than values."""
    return int(COLUMNS["flash"](row).number)


@claim("The GPT models have RoPE.",
    cases={f"for {name}": name for name in FAMILIES if name.lower().startswith("gpt")},
    measures="what transformers 5.23 has for it (1: RoPE, 0: a learned table)", rule="== 1",
    sources=("transformers523",), section="4 Who uses what")
def gpt_models_have_rope(name):
    """GPT-Neo is not GPT-NeoX, and has a learned table as GPT-2 has."""
    return int(FAMILIES[name][1] == "RoPE")


@claim("ALiBi is what models of today use for long texts.",
    measures="the number of model files with ALiBi, of 530 in transformers 5.23", rule="> 53",
    sources=("transformers523",), section="4 Who uses what")
def alibi_is_widely_used():
    """ALiBi is found in BLOOM, Falcon and MPT, and RoPE that can be stretched in 176 files."""
    return CENSUS["ALiBi"].files
