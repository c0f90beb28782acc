"""Claims: what layers without position, windows and temperatures do."""

import numpy as np

from posviz.attention import softmax
from posviz.attention.masks import causal_mask, chunked_causal_mask
from posviz.configs.layer_plans import layer_plan
from posviz.encodings.doors import NoPosition
from posviz.encodings.temperatures import llama4_factor, log_n_factor, ministral3_factor
from posviz.teaching.ledger import Verdict, claim, judge
from posviz.teaching.measures import SAME, largest, normal

HEADS = {"head_dim": 8, "hidden_size": 32, "num_attention_heads": 4}
COHERE = HEADS | {
    "model_type": "cohere2",
    "num_hidden_layers": 32,
    "sliding_window": 4096,
    "layer_types": (3 * ["sliding_attention"] + ["full_attention"]) * 8,
    "max_position_embeddings": 131_072,
    "rope_theta": 5e4,
}


@claim("NoPE", sources=("haviv2022transformer",), section="1 A layer without position")
def nope_has_no_position() -> Verdict:
    """Without an encoding, a layer cannot tell how many tokens stand before a query."""
    tokens = np.arange(64)
    masks = {
        "there is no mask": np.ones((64, 64), bool),
        "it is causal": causal_mask(tokens, tokens),
    }
    errors = {}
    for setting, mask in masks.items():
        of_the_first = softmax(np.where(mask, 0.0, -np.inf))[:, 0]
        errors[setting] = largest(1 / of_the_first - 1 - tokens)
    text = (
        "Error, in tokens, of a position that is read off the first token's weight, all scores "
        "being alike; not to tell means half a token. Under a causal mask the first of n keys has "
        "the weight 1/n, and a value that only it has carries that on."
    )
    return judge(errors, lambda error: error > 0.5, text)


def _near(window: int, tokens: np.ndarray) -> np.ndarray:
    """Which keys each query sees through a causal window."""
    apart = tokens[:, None] - tokens
    return (apart >= 0) & (apart < window)


def _heard(masks: list[np.ndarray], query: int) -> int:
    """From how many tokens something reaches the query through these layers."""
    reached = np.eye(len(masks[0]))[query] > 0
    for mask in reversed(masks):
        reached = mask[reached].any(axis=0)
    return int(reached.sum())


def _layers(count: int) -> str:
    return "is 1 layer" if count == 1 else f"are {count} layers"


@claim("window", sources=("yang2025rope",), section="2 Windows below, the whole text above")
def a_window_is_the_reach() -> Verdict:
    """With a window of w tokens in all layers, the output depends on the last w tokens alone."""
    near = _near(8, np.arange(64))
    heard = {f"there {_layers(layers)}": _heard(layers * [near], 63) for layers in (1, 2, 4)}
    text = (
        "Tokens from which something reaches the last query, a window of 8; alone means 8. Each "
        "layer adds w − 1: the reach is L·(w − 1) + 1."
    )
    return judge(heard, lambda count: count == 8, text)


@claim("window", sources=("transformers523",))
def a_chunk_is_a_window() -> Verdict:
    """Attention in chunks of c tokens, as in Llama 4, is a window of c tokens."""
    tokens = np.arange(64)
    chunks, near = chunked_causal_mask(tokens, tokens, 16), _near(16, tokens)
    fewer = {
        f"the query is {name} of its chunk": int(near[query].sum() - chunks[query].sum())
        for name, query in (("the last", 31), ("in the middle", 40), ("the first", 32))
    }
    text = (
        "Keys that a window shows and a chunk hides, of 16; none is the rule. The first token of a "
        "chunk sees itself alone."
    )
    return judge(fewer, lambda count: count == 0, text)


@claim("window", sources=("transformers523",))
def chunks_stay_apart() -> Verdict:
    """However many layers there are, with chunks alone no token hears of the chunk before."""
    tokens = np.arange(64)
    chunks = chunked_causal_mask(tokens, tokens, 16)
    heard = {f"there {_layers(layers)}": _heard(layers * [chunks], 47) for layers in (1, 4, 16)}
    text = (
        "Tokens from which something reaches the last of a chunk of 16; not to hear of others "
        "means at most 16. Windows overlap, and chunks do not: only the layers between that see "
        "all carry something across."
    )
    return judge(heard, lambda count: count <= 16, text)


@claim("window", sources=("yang2025rope",))
def reach_is_as_good_as_sight() -> Verdict:
    """What several layers with windows reach, they hear as well as one layer that sees it."""
    layers, window = 4, 64
    length = layers * (window - 1) + 1
    through = np.ones(1)
    for _ in range(layers):
        through = np.convolve(through, np.full(window, 1 / window))
    shares = {
        "the token is half as far as they reach": float(through[length // 2] * length),
        "it is nine tenths as far": float(through[9 * length // 10] * length),
        "it is the farthest": float(through[-1] * length),
    }
    text = (
        "What arrives of a token's value through 4 layers with windows of 64, as a multiple of "
        "what one layer that sees all 253 tokens gives it, all scores being alike and nothing "
        "being carried past a layer; as well means at least 1."
    )
    return judge(shares, lambda share: share >= 1, text)


@claim("window", sources=("transformers523",))
def a_quarter_of_the_cache() -> Verdict:
    """Where three of four layers have a window, the cache needs a quarter of the memory."""
    windows = [layer["window"] or np.inf for layer in layer_plan(COHERE)]
    shares = {
        f"the text has {name} tokens": float(np.mean(np.minimum(windows, length)) / length)
        for name, length in (("4096", 4096), ("32 768", 32_768), ("a million", 10**6))
    }
    text = (
        "Keys kept, as a share of those without windows, of 4096 tokens as by default in "
        "transformers' Cohere 2; a quarter means below 0.26. It is (3 · w/n + 1)/4 for texts "
        "longer than w."
    )
    return judge(shares, lambda share: share < 0.26, text)


@claim("plan", sources=("transformers523",), section="2 Windows below, the whole text above")
def a_one_is_a_layer_without() -> Verdict:
    """In a configuration's no_rope_layers, 1 marks a layer without RoPE."""
    flags = [1, 1, 1, 0] * 3
    shares = {}
    for model, name in (("llama4_text", "Llama 4"), ("smollm3", "SmolLM3")):
        config = {"model_type": model, "num_hidden_layers": 12, "no_rope_layers": flags} | HEADS
        layers = layer_plan(config | {"max_position_embeddings": 8192, "rope_theta": 5e5})
        without = [isinstance(layer["encoding"], NoPosition) for layer in layers]
        shares[f"it is {name}"] = int(np.sum(np.array(without) & (np.array(flags) == 1)))
    text = (
        "Layers without position among the nine that have a 1; all nine is the rule. In the code "
        "the entry is read as use_rope: the zeros are the layers without."
    )
    return judge(shares, lambda count: count == 9, text)


@claim("temperature", sources=("transformers523",))
def both_temperatures_are_one() -> Verdict:
    """Given the same length, Ministral 3 multiplies queries by the same numbers as Llama 4."""
    differences = {
        f"the query is at {name}": float(
            llama4_factor(position)
            - ministral3_factor(position, beta=0.1, original_max_seq_len=8192)
        )
        for name, position in (("8190", 8190), ("8191", 8191), ("131 071", 131_071))
    }
    text = (
        "Llama 4's factor less Ministral 3's, strength 0.1 and length 8192; the same means below "
        "1e-9. One counts p + 1, the other p, so they part where p + 1 is a multiple of the "
        "length. Llama 4's is 1.0693 at 8191 and 1.2833 at 131 071."
    )
    return judge(differences, lambda difference: abs(difference) < SAME, text)


def _keys(keys: int) -> str:
    return f"{keys:,} keys".replace(",", " " if keys >= 10_000 else "")


@claim("temperature", sources=("nakanishi2025scalable",), section="4 As sharp as the row is long")
def a_constant_is_as_good_as_log_n() -> Verdict:
    """In place of ln n, a constant that suits rows of 1024 keys does as well."""
    margin = 1.2
    shares = {}
    for keys in (64, 1024, 65_536):
        constant, growing = (
            1 / (1 + (keys - 1) * np.exp(-margin * float(log_n_factor(n)))) for n in (1024, keys)
        )
        shares[f"the row has {_keys(keys)}"] = constant / growing
    text = (
        "The weight of one key that scores 1.2 above all others, times ln 1024, as a multiple of "
        "that times ln n; as well means at least 0.99. With ln n its weight grows with the row."
    )
    return judge(shares, lambda share: share >= 0.99, text)


@claim("temperature", sources=("nakanishi2025scalable",))
def log_n_may_be_subtracted() -> Verdict:
    """Subtracting ln n from all scores of a row keeps attention sharp in long rows."""
    changes = {}
    for keys in (64, 4096):
        scores = normal(keys, keys)
        subtracted = softmax(scores - float(log_n_factor(keys)))
        changes[f"the row has {_keys(keys)}"] = largest(subtracted - softmax(scores))
    text = (
        "The largest change of a weight; below 1e-9 nothing is done. What all scores of a row lose "
        "alike the softmax does not see: it takes a factor."
    )
    return judge(changes, lambda change: change > SAME, text)


@claim("temperature", sources=("transformers523", "nakanishi2025scalable"))
def llama4_makes_up_for_the_length() -> Verdict:
    """Llama 4's factor keeps the weight of the best key as the text grows."""
    factor, before, after = float(llama4_factor(131_071)), 8192, 131_072
    shares = {}
    for margin in (4, 8, 16):
        short, long = (
            1 / (1 + (keys - 1) * np.exp(-margin * times))
            for keys, times in ((before, 1.0), (after, factor))
        )
        shares[f"its score is {margin} above the others"] = float(long / short)
    text = (
        "Its weight among 131 072 keys, times 1.2833, as a multiple of that among 8192; "
        "kept means at least 0.99. The length takes ln 16 = 2.77, the factor gives 0.2833 times "
        "the margin."
    )
    return judge(shares, lambda share: share >= 0.99, text)
