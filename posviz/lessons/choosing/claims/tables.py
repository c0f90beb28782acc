"""Claims: what tables say that compare encodings."""

from posviz.choosing.census import CENSUS, FAMILIES
from posviz.choosing.columns import COLUMNS
from posviz.choosing.rows import ROWS
from posviz.teaching.ledger import Verdict, claim, judge
from posviz.teaching.measures import SAME


@claim("use", sources=("transformers523",), section="4 Who uses what")
def alibi_is_widely_used() -> Verdict:
    """ALiBi is what models of today use for long texts."""
    files = {"they are transformers 5.23": CENSUS["ALiBi"].files}
    text = (
        "Model files, of 530, in which a grep finds it; in use means more than 53. They are BLOOM, "
        "Falcon and MPT; RoPE that can be stretched is in 176."
    )
    return judge(files, lambda count: count > 53, text)


@claim("use", sources=("transformers523",), section="4 Who uses what")
def gpt_models_have_rope() -> Verdict:
    """The GPT models have RoPE."""
    gpt = {name: kind for name, (_, kind) in FAMILIES.items() if name.lower().startswith("gpt")}
    has = {f"it is {name}": int(kind == "RoPE") for name, kind in gpt.items()}
    text = "1 for RoPE in transformers 5.23, 0 for a learned table. GPT-Neo is not GPT-NeoX."
    return judge(has, lambda count: count == 1, text)


@claim("cache", sources=("transformers25104",), section="2 What it does")
def any_encoding_fits_a_cache() -> Verdict:
    """Whatever the encoding, keys in a cache stay right."""
    rows = ("learned", "RoPE", "dynamic NTK", "ALiBi", "FoX", "PaTH")
    off = {f"it is {row}": round(COLUMNS["cached"](row).number, 9) for row in rows}
    text = (
        "Largest difference of an output, token by token with a cache or all at once; right means "
        "below 1e-9. Frequencies that follow the length make keys of another time."
    )
    return judge(off, lambda difference: difference < SAME, text)


@claim("kernel", sources=("dao2022flashattention",), section="1 What it is")
def any_encoding_fits_a_fast_kernel() -> Verdict:
    """FlashAttention takes any encoding."""
    by_door = {"the input": "sinusoidal", "queries and keys": "RoPE", "the scores": "T5"}
    given = {
        f"it acts at {door}": int(COLUMNS["flash"](row).number) for door, row in by_door.items()
    }
    given["it acts at the values, too"] = int(COLUMNS["flash"]("Shaw").number)
    text = (
        "What torch's function needs beside queries, keys and values: 0 nothing, 1 a bias, for "
        "which its flash kernel has no place, 2 weights that it does not return; taken means 0."
    )
    return judge(given, lambda number: number == 0, text)


@claim("kernel", sources=("dao2022flashattention",))
def before_the_scores_the_kernel_is_free() -> Verdict:
    """What acts at the input, or turns pairs of queries and keys, leaves the kernel alone."""
    doors = {row: COLUMNS["door"](row).said for row in ROWS}
    pairs = [row for row, door in doors.items() if door == "query, key" and row != "PoPE"]
    rows = [row for row, door in doors.items() if door == "input"] + pairs
    given = {f"it is {row}": int(COLUMNS["flash"](row).number) for row in rows}
    text = (
        "What torch's function needs beside queries, keys and values; alone means 0, nothing. PoPE "
        "makes a pair of each number, and queries wider than values are 1, too."
    )
    return judge(given, lambda number: number == 0, text)


@claim("distance", section="2 What it does")
def a_line_ends_unseen() -> Verdict:
    """For images read line by line, any relative encoding will do."""
    rows = ("RoPE", "ALiBi", "T5", "RoPE in 2-D")
    seen = {f"it is {row}": round(COLUMNS["2-D"](row).number, 9) for row in rows}
    text = (
        "Difference of a weight between neighbours in a line and over its end; to do means more "
        "than 1e-9."
    )
    return judge(seen, lambda difference: difference > SAME, text)


@claim("parameters")
def learned_means_many() -> Verdict:
    """An encoding that is learned costs many parameters."""
    rows = [row for row in ROWS if COLUMNS["parameters"](row).number]
    counts = {f"it is {row}": int(COLUMNS["parameters"](row).number) for row in rows}
    text = "Learned numbers beside 8 heads of 64 dimensions; many means above 100 000."
    return judge(counts, lambda count: count > 100_000, text)
