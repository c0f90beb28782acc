"""What popular tables say of encodings, each cell with its number."""

from posviz.choosing.census import FAMILIES
from posviz.choosing.columns import COLUMNS
from posviz.choosing.rows import D_MODEL, TRAINED, Cell
from posviz.choosing.table import Comparison

TOLD = {
    "learned numbers": "What is said of them, and how many there are.",
    "relative": "What is said, and the largest change of an output when the text is moved by 1000.",
    "longer texts": "What is said, and loss and recall at 64 and 512 tokens, trained on 64; ✓ is "
    "right: yes for both, or no and not for both.",
    "example": "A model that is named, and whether transformers 5.23 has it so.",
}


def said() -> Comparison:
    """Return what is said of six encodings beside what is measured; ✗ where it is wrong."""
    table = TRAINED * D_MODEL
    return Comparison(
        TOLD,
        {
            "sinusoidal": (
                _numbers("0", "sinusoidal", 0),
                _relative("no", "sinusoidal"),
                _longer("yes", "sinusoidal"),
                _nothing(),
            ),
            "learned": (
                _numbers("L·d", "learned", table),
                _relative("no", "learned"),
                _longer("no", "learned"),
                _examples("learned", "BERT", "GPT-2"),
            ),
            "relative (T5)": (
                _numbers("n²", "T5", TRAINED**2),
                _relative("yes", "T5"),
                _longer("yes", "T5"),
                _examples("T5", "T5"),
            ),
            "Transformer-XL": (
                _numbers("L·d", "Transformer-XL", table),
                _relative("yes", "Transformer-XL"),
                _nothing("not run"),
                _examples("Transformer-XL", "XLNet"),
            ),
            "RoPE": (
                _numbers("0", "RoPE", 0),
                _relative("yes", "RoPE"),
                _longer("yes", "RoPE"),
                _examples("RoPE", "LLaMA", "GPT-Neo", "GPT-2"),
            ),
            "ALiBi": (
                _numbers("0", "ALiBi", 0),
                _relative("yes", "ALiBi"),
                _longer("yes", "ALiBi"),
                _examples("ALiBi", "BLOOM"),
            ),
        },
    )


def _cell(words: str, holds: bool, number: float, shown: str) -> Cell:
    return Cell(number, f"“{words}” {'✓' if holds else '✗'} {shown}", holds)


def _numbers(words: str, row: str, expected: int) -> Cell:
    found = COLUMNS["parameters"](row)
    return _cell(words, found.number == expected, found.number, found.said)


def _relative(words: str, row: str) -> Cell:
    found = COLUMNS["relative"](row)
    return _cell(words, found.can == (words == "yes"), found.number, found.said[2:])


def _longer(words: str, row: str) -> Cell:
    loss, recall = COLUMNS["loss"](row), COLUMNS["recall"](row)
    reads_on = loss.can and recall.can
    both = f"{loss.said[2:]}, {recall.said[2:]}"
    return _cell(words, reads_on == (words == "yes"), loss.number, both)


def _examples(row: str, *families: str) -> Cell:
    wrong = [name for name in families if FAMILIES[name][1] != row]
    marked = [f"{name} {'✗' if name in wrong else '✓'}" for name in families]
    return Cell(len(wrong), ", ".join(marked), not wrong)


def _nothing(said: str = "") -> Cell:
    return Cell(0, said)
