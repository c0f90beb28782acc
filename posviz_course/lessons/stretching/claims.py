"""Claims of lesson 10: what the methods of context extension do to frequencies and scores."""

import math

import numpy as np

from posviz.encodings.frequencies import rotary_frequencies
from posviz.encodings.stretching import llama3, ntk, position_interpolation, yarn
from posviz.teaching.measures import SAME
from posviz_course.claims import claim, shown
from posviz_course.models.stretched_real import TRAINED as TRAINED_TOKENS
from posviz_course.models.stretched_real import stored

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


@claim("YaRN multiplies scores by 0.1 · ln s + 1.",
    cases={f"for s = {factor}": float(factor) for factor in (4, 32, 128)},
    measures="what a score is multiplied by, divided by 0.1 · ln s + 1", rule="== 1",
    sources=("peng2023yarn", "yarncode"), section="6 Attention thins out")
def scores_grow_by_the_attention_factor(factor):
    """The query and the key each have that factor, so a score gets its square."""
    once = yarn(HEAD_DIM, factor, original_max_seq_len=LENGTH).attention_factor
    return round(once**2 / (0.1 * math.log(factor) + 1), 9)


@claim("If the loss stays low past the training length, the model always finds what is far back.",
    measures="the share of right digits of needles more than 8,192 tokens back, if SmolLM2 sees "
    "only the last 4,096 to 8,192 tokens (its loss is that of YaRN, 2.26 nats)",
    rule=">= 0.5", sources=("gelberg2025drope",), section="7 What a real model does")
def a_low_loss_finds_needles():
    """Most tokens follow from near tokens, so their mean loss does not show what is forgotten."""
    far = [needle for needle in stored()["cropped"].needles if needle.distance > TRAINED_TOKENS]
    return float(np.mean([needle.right for needle in far]))
