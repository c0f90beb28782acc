"""What claims about longer texts come to, by the file of the runs, and errors that turn them."""

from posviz.claims.choosing import longer as claims
from tests.choosing.test_length import by_hand
from tests.claims.planted import claim_tests


def lost(arm):
    """In nats, and as a share of answers."""
    nats = by_hand(arm, "bytes", 512) - by_hand(arm, "bytes", 64)
    share = by_hand(arm, "recall", 64) - by_hand(arm, "recall", 512)
    return [f"{each:.4g}" if each else "< 1e-14" for each in (nats, share)]


def nothing(arm, task, tokens):
    return 1.0


def all_of_it(arm, task, tokens):
    return tokens * (1.0 if task == "bytes" else -1.0)


test_comes_to, test_turns = claim_tests(
    claims,
    {
        "rope_reads_on": ("false", lost("RoPE")),
        "sinusoids_read_on": ("false", lost("sinusoidal")),
        "alibi_reads_on": ("true only if its loss is asked for", lost("ALiBi")),
        "stretched_rope_reads_on": ("true only if recall is", lost("YaRN")),
    },
    {
        "rope_reads_on": (claims, "median", nothing, "true"),
        "sinusoids_read_on": (claims, "median", nothing, "true"),
        "alibi_reads_on": (claims, "median", all_of_it, "false"),
        "stretched_rope_reads_on": (claims, "median", all_of_it, "false"),
    },
)
