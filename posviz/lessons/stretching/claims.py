"""Claims of lesson 10: what the methods of context extension do to frequencies and scores."""

import math

import numpy as np

from posviz.configs import read_config
from posviz.encodings.frequencies import rotary_frequencies
from posviz.encodings.position_maps import sink_positions
from posviz.encodings.stretching import dynamic_ntk, llama3, ntk, position_interpolation, yarn
from posviz.models.stretched_real import TRAINED as TRAINED_TOKENS
from posviz.models.stretched_real import stored
from posviz.teaching.claims import claim, shown
from posviz.teaching.measures import SAME, largest

HEAD_DIM, BASE, LENGTH, FACTOR = 128, 1e4, 4096, 4.0  # Llama-2, for four times its length
TRAINED = rotary_frequencies(HEAD_DIM, BASE)
NTK, YARN = ntk(HEAD_DIM, FACTOR), yarn(HEAD_DIM, FACTOR, original_max_seq_len=LENGTH)


@claim(
    "With a larger base, more pairs finish a full rotation in training.",
    cases={f"for a base of {shown(base)}": base for base in (10_000, 500_000, 10_000_000)},
    measures="pairs of 64 that finish a full rotation in 8,192 tokens",
    rule="> 50",  # as many as with 10,000
    sources=("liu2023scaling", "men2024base"),
    section="2 Which pairs are safe?",
)
def a_larger_base_finishes_more(base):
    """A larger base slows the slow pairs, so fewer of them finish."""
    return int((8192 * rotary_frequencies(128, base) >= 2 * np.pi).sum())


@claim("The factor s keeps a text that is s times as long within the angles of training.",
    cases={
        "for position interpolation": position_interpolation(HEAD_DIM, FACTOR),
        "for NTK": NTK,
        "for YaRN": YARN,
        "for Llama 3.1": llama3(HEAD_DIM, FACTOR, base=BASE, original_max_seq_len=LENGTH),
    }, measures="Llama-2's pairs with new angles in 16,384 tokens, for s = 4", rule="== 0",
    sources=("peng2023yarn",), section="4 NTK slows slow pairs most")
def slower_rotation_keeps_the_arc(method):
    """NTK slows only its last pair s times, so the other slow pairs reach new angles."""
    is_new = FACTOR * method.inv_freq > TRAINED * (1 + SAME)
    return int((is_new & (LENGTH / (2 * np.pi) * TRAINED < 1)).sum())


@claim("A model that was stretched with YaRN or NTK reads short texts as before.",
    cases={
        "with YaRN": YARN,
        "with NTK": NTK,
    }, measures="pairs of 64 whose frequency has changed while 512 tokens are read", rule="== 0",
    sources=("peng2023yarn", "qwen3docs", "vllm18728"), section="3 PI slows every pair")
def yarn_is_free(method):
    """Both are static: they do not know how long the text is, so short texts are changed, too."""
    return int((abs(method.inv_freq / TRAINED - 1) > SAME).sum())


@claim("With dynamic NTK, a cache of keys gives the same scores as a pass without a cache.",
    cases={
        "if keys are cached after their rotation": np.arange(1, 65),
        "if keys are cached before their rotation": np.full(64, 64),
    }, measures="the largest change of a score of the 64th token, for a training length of 16",
    rule="< 1e-9", sources=("transformers25104", "vllm5093", "vllm1860"))
def a_cache_changes_nothing(lengths):
    """A key that was rotated earlier keeps frequencies that the query no longer has."""
    q, k = np.random.default_rng(0).normal(size=(2, 64, 8, 2)) @ [1, 1j]
    newest = _rotated(q[63], 63, 64)
    cached, fresh = (
        np.array([_rotated(k[j], j, n) for j, n in enumerate(each)])
        for each in (lengths, [64] * 64)
    )
    return largest(((cached - fresh).conj() @ newest).real)


def _rotated(x, position, tokens):
    inv_freq = dynamic_ntk(16, 1.0, seq_len=int(tokens), original_max_seq_len=16).inv_freq
    return x * np.exp(1j * position * inv_freq)


@claim("The entry mscale of a configuration sets YaRN's temperature.",
    cases={
        "if mscale stands alone": {},
        "if mscale_all_dim is given as well": {"mscale_all_dim": 1.0},
    }, measures="the change of what scores are multiplied by, for a factor of 40", rule="> 1e-9",
    sources=("transformers523",))
def mscale_sets_the_temperature(more):
    """The code uses mscale only where mscale_all_dim is given too."""
    return abs(_on_scores(mscale=0.707, **more) - _on_scores())


def _on_scores(**entry):
    entry |= {"rope_type": "yarn", "rope_theta": BASE, "factor": 40.0}
    entry["original_max_position_embeddings"] = LENGTH
    config = {"head_dim": HEAD_DIM, "num_hidden_layers": 1, "rope_parameters": entry}
    return read_config(config | {"max_position_embeddings": 40 * LENGTH}).kinds[0].on_scores


@claim("YaRN multiplies scores by 0.1 · ln s + 1.",
    cases={f"for s = {factor}": float(factor) for factor in (4, 32, 128)},
    measures="what a score is multiplied by, divided by 0.1 · ln s + 1", rule="== 1",
    sources=("peng2023yarn", "yarncode"), section="6 Attention thins out")
def scores_grow_by_the_attention_factor(factor):
    """The query and the key each have that factor, so a score gets its square."""
    each = yarn(HEAD_DIM, factor, original_max_seq_len=LENGTH).attention_factor
    return round(each**2 / (0.1 * math.log(factor) + 1), 9)


@claim("If the loss stays low past the training length, the model always finds what is far back.",
    measures="the share of right digits of needles more than 8,192 tokens back, if SmolLM2 sees "
    "only the last 4,096 to 8,192 tokens (its loss is that of YaRN, 2.26 nats)",
    rule=">= 0.5", sources=("gelberg2025drope",), section="7 What a real model does")
def a_low_loss_finds_needles():
    """Most tokens follow from near tokens, so their mean loss does not show what is forgotten."""
    far = [needle for needle in stored()["cropped"].needles if needle.distance > TRAINED_TOKENS]
    return float(np.mean([needle.right for needle in far]))


@claim("With attention sinks and a window, a model can use a text of any length.",
    measures="keys of 4,096 that the last query sees", rule="== 4096",
    sources=("xiao2023streaming",))
def sinks_widen_the_context():
    """The loss stays low, but what has left the window is forgotten."""
    branches = sink_positions(np.array([4095]), np.arange(4096), 4, 508)
    return int(sum(branch.where.sum() for branch in branches))
