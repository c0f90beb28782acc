"""What popular tables say of encodings, each cell with its number."""

from posviz_course.choosing.census import FAMILIES
from posviz_course.choosing.columns import COLUMNS
from posviz_course.choosing.rows import D_MODEL, TRAINED, Cell
from posviz_course.choosing.table import Comparison

MEASURES = {
    "learned numbers": "What is said of them, and how many there are.",
    "relative": "What is said, and the largest change of an output when the text is moved by 25 or "
    "1000.",
    "longer texts": "What is said, and loss and recall at 64 and 512 tokens, trained on 64; ✓ is "
    "right: yes for both, or no and not for both.",
    "example": "A model that is named, and whether transformers 5.23 has it so.",
}
TABLE = TRAINED * D_MODEL
CLAIMS = {  # learned numbers, as they are written and how many that is; relative; longer; examples
    "sinusoidal": ("0", 0, "no", "yes"),
    "learned": ("L·d", TABLE, "no", "no", "BERT", "GPT-2"),
    "relative (T5)": ("n²", TRAINED**2, "yes", "yes", "T5"),
    "Transformer-XL": ("L·d", TABLE, "yes", "", "XLNet"),
    "RoPE": ("0", 0, "yes", "yes", "LLaMA", "GPT-Neo", "GPT-2"),
    "ALiBi": ("0", 0, "yes", "yes", "BLOOM"),
}


def said() -> Comparison:
    """Return what is said of six encodings beside what is measured; ✗ where it is wrong."""
    return Comparison(MEASURES, {name: _cells(name, *claims) for name, claims in CLAIMS.items()})


def _cells(name, words, expected, relative, longer, *families) -> tuple[Cell, ...]:
    row = "T5" if "T5" in name else name
    measured = (COLUMNS[column](row) for column in ("parameters", "relative", "loss", "recall"))
    count, moved, loss, recall = measured
    reads_on = f"{loss.said[2:]}, {recall.said[2:]}"
    right = {family: FAMILIES[family][1] == row for family in families}
    marks = (f"{family} {'✓' if holds else '✗'}" for family, holds in right.items())
    return (
        _cell(words, count.number == expected, count.said),
        _cell(relative, moved.can == (relative == "yes"), moved.said[2:]),
        _cell(longer, (loss.can and recall.can) == (longer == "yes"), reads_on),
        Cell(sum(right.values()), ", ".join(marks), all(right.values())),
    )


def _cell(words: str, holds: bool, shown: str) -> Cell:
    said = f"“{words}” {'✓' if holds else '✗'} {shown}" if words else "not run"
    return Cell(holds, said, holds or not words)
