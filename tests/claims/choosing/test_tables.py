"""What the claims about comparison tables come to, and errors that turn them."""

from posviz.choosing.census import CENSUS, Count
from posviz.choosing.rows import Cell
from posviz.claims.choosing import tables as claims
from tests.claims.planted import claim_tests


def column(**numbers):
    """A column in place of another, by rows whose names begin so; 0 for the others."""

    def found(row):
        return Cell(numbers.get(row.split()[0].replace("-", "_"), 0), "query, key")

    return found


def columns(name, **numbers):
    return claims.COLUMNS | {name: column(**numbers)}


LEARNED = ["524288", "4224", "263168", "256", "524288", "16", "328", "4104", "4096", "266248"]
test_comes_to, test_turns = claim_tests(
    claims,
    {
        "alibi_is_widely_used": ("false", ["3"]),
        "gpt_models_have_rope": (
            "true only if it is GPT-J or it is GPT-NeoX or it is gpt-oss",
            ["0", "0", "0", "1", "1", "1"],
        ),
        "any_encoding_fits_a_cache": (
            "true only if it is learned or it is RoPE or it is ALiBi or it is FoX or it is PaTH",
            ["< 1e-14", "< 1e-14", "0.1106", "< 1e-14", "< 1e-14", "< 1e-14"],
        ),
        "any_encoding_fits_a_fast_kernel": (
            "true only if it acts at the input or it acts at queries and keys",
            ["0", "0", "1", "2"],
        ),
        "before_the_scores_the_kernel_is_free": ("true", 7 * ["0"]),
        "a_line_ends_unseen": ("true only if it is RoPE in 2-D", [*3 * ["< 1e-14"], "0.2748"]),
        "learned_means_many": (
            "true only if it is learned or it is Transformer-XL or it is DeBERTa or it is PaTH",
            [f"{int(n):,}".replace(",", "\N{NO-BREAK SPACE}") for n in (*LEARNED, 36_864, 512)],
        ),
    },
    {
        "alibi_is_widely_used": (
            claims,
            "CENSUS",
            CENSUS | {"ALiBi": Count(54, "")},
            "true",
        ),
        "gpt_models_have_rope": (claims, "FAMILIES", {"GPT-2": ("", "learned")}, "false"),
        "any_encoding_fits_a_cache": (claims, "COLUMNS", columns("cached"), "true"),
        "any_encoding_fits_a_fast_kernel": (claims, "COLUMNS", columns("flash"), "true"),
        "before_the_scores_the_kernel_is_free": (
            claims,
            "COLUMNS",
            columns("flash", RoPE=1),
            "true only if",
        ),
        "a_line_ends_unseen": (claims, "COLUMNS", columns("2-D"), "false"),
        "learned_means_many": (claims, "COLUMNS", columns("parameters", T5=3), "false"),
    },
)
