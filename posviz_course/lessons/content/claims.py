"""Claims of lesson 11: what layers without position, windows and gates do."""

import numpy as np

from posviz.attention import softmax
from posviz.attention.masks import causal_mask
from posviz.encodings.alibi import alibi_bias
from posviz.encodings.doors import NoPosition
from posviz.encodings.fox import fox_bias
from posviz.teaching.measures import largest
from posviz_course.claims import claim
from posviz_course.configs.layer_plans import layer_plan

TOKENS = np.arange(64)
OFFSETS = TOKENS[:, None] - TOKENS
CAUSAL = causal_mask(TOKENS, TOKENS)
CONFIG = {
    "head_dim": 8,
    "hidden_size": 32,
    "num_attention_heads": 4,
    "max_position_embeddings": 131_072,
    "rope_theta": 5e4,
}


@claim("A NoPE layer with a causal mask cannot know how many tokens come before a query.",
    measures="the error, in tokens, of a position that is read off the weight of the first token",
    rule="> 0.5", sources=("haviv2022transformer",), section="1 Nobody says it")
def nope_has_no_position():
    """If all scores are equal, the first of n keys has the weight 1/n, which gives n away."""
    weights = softmax(np.where(CAUSAL, 0.0, -np.inf))
    return largest(1 / weights[:, 0] - 1 - TOKENS)


@claim("With a window of w tokens in several layers, the output depends on the last w tokens only.",
    cases={"for two layers": 2, "for four layers": 4},
    measures="the number of tokens that reach the last query through windows of 8 tokens",
    rule="== 8", sources=("yang2025rope",), section="2 The layers below say it")
def a_window_is_the_reach(layers):
    """Each layer adds w − 1 tokens, so that L layers reach L·(w − 1) + 1 tokens."""
    window = (CAUSAL & (OFFSETS < 8)).astype(int)
    return int(np.count_nonzero(np.linalg.matrix_power(window, layers)[-1]))


@claim("In a configuration's no_rope_layers, a 1 marks a layer without RoPE.",
    cases={"in Llama 4": "llama4_text", "in SmolLM3": "smollm3"},
    measures="the number of layers without RoPE, among the nine that have a 1", rule="== 9",
    sources=("transformers523",), section="2 The layers below say it")
def a_one_is_a_layer_without(model):
    """In the code the list is read as use_rope, so that the zeros are the layers without RoPE."""
    flags = [1, 1, 1, 0] * 3
    more = {"model_type": model, "num_hidden_layers": 12, "no_rope_layers": flags}
    layers = zip(flags, layer_plan(CONFIG | more), strict=True)
    return sum(flag == 1 and isinstance(layer["encoding"], NoPosition) for flag, layer in layers)


@claim("FoX is ALiBi.",
    cases={"if all gates are equal": 1 / 4, "if one gate is nearly closed": 4.0},
    measures="the largest difference between the bias of FoX and that of ALiBi, over 32 tokens",
    rule="< 1e-9", sources=("lin2025forgetting",), section="3 The text says it")
def fox_is_alibi(lost):
    """ALiBi subtracts the same for each token, but a gate depends on the content of its token."""
    bias = fox_bias(np.where(TOKENS[:32] == 16, -lost, -1 / 4))
    line = alibi_bias(np.array([1 / 4]), OFFSETS[:32, :32])[0]
    return largest(np.tril(bias - line))


@claim("ALiBi's bias is qᵀ Aᵈ k, with a matrix A to the power of the distance, as RoPE's score is.",
    cases={"for the slope 1/2": 1 / 2, "for the slope 1/256": 1 / 256},
    measures="the largest difference between qᵀ Aᵈ k and ALiBi's bias, over 32 tokens",
    rule="< 1e-9", sources=("zhang2025grape",), section="4 One matrix says it all")
def alibi_is_a_matrix(slope):
    """For each token RoPE's matrix rotates once, and ALiBi's matrix (1 0; −m 1) shears once."""
    powers = [np.linalg.matrix_power([[1.0, 0.0], [-slope, 1.0]], d) for d in TOKENS[:32]]
    scores = [0, 1] @ np.array(powers) @ [1, 0]
    return largest(scores - alibi_bias(np.array([slope]), TOKENS[None, :32])[0, 0])
