"""Claims: what the methods are, and what they do to scores."""

import math

import numpy as np

from posviz.configs import read_config
from posviz.encodings.frequencies import rotary_frequencies
from posviz.encodings.position_maps import (
    mapped_offsets,
    self_extend_positions,
    sink_positions,
)
from posviz.encodings.stretching import dynamic_ntk, llama3, longrope, ntk, yarn
from posviz.teaching.ledger import Verdict, claim, judge
from posviz.teaching.measures import SAME, largest

HEAD_DIM, BASE, LENGTH, FACTOR = 128, 1e4, 4096, 4.0


def _shares(inv_freq: np.ndarray) -> np.ndarray:
    """What each pair has of its frequency."""
    return inv_freq / rotary_frequencies(HEAD_DIM, BASE)


def _fates(shares: np.ndarray) -> np.ndarray:
    """How many pairs are kept, and how many slowed by the whole factor."""
    return np.array([(shares > 1 - SAME).sum(), (shares < 1 / FACTOR + SAME).sum()])


@claim("YaRN", sources=("peng2023yarn", "yarncode"))
def the_two_ramps_agree() -> Verdict:
    """YaRN's paper and its released code slow every pair alike."""
    code, paper = (
        _shares(yarn(HEAD_DIM, FACTOR, original_max_seq_len=LENGTH, ramp=ramp).inv_freq)
        for ramp in ("code", "paper")
    )
    differences = {
        "one counts the kept and the slowed": largest(_fates(code) - _fates(paper)),
        "one looks at pair 30": float(abs(code - paper)[30]),
    }
    text = (
        "Difference of the code's ramp, linear in the index of a pair, and the paper's, linear in "
        "its turns; none means below 1e-9. Both keep 21 pairs and slow 18, d 128, L 4096, s 4; "
        "pair 30 keeps 0.7115 and 0.4361 of its frequency."
    )
    return judge(differences, lambda difference: difference < SAME, text)


@claim("YaRN", sources=("llama3code", "peng2023yarn"))
def llama3_is_yarn() -> Verdict:
    """The scaling of Llama 3.1 is YaRN."""
    theirs = llama3(HEAD_DIM, 8.0, original_max_seq_len=8192, base=5e5).inv_freq
    settings = {
        "YaRN has the paper's ramp, from 1 to 4 turns": ("paper", 4.0),
        "it has the code's, from 1 to 4 turns": ("code", 4.0),
        "it has the code's, from 1 to 32": ("code", 32.0),
    }
    differences = {}
    for setting, (ramp, fast) in settings.items():
        found = yarn(HEAD_DIM, 8.0, original_max_seq_len=8192, base=5e5, ramp=ramp, beta_fast=fast)
        differences[setting] = largest(found.inv_freq / theirs - 1)
    text = (
        "Largest difference of a frequency, as a share of it; to be YaRN means below 1e-9. And "
        "Llama 3.1 has no temperature, which YaRN has."
    )
    return judge(differences, lambda difference: difference < SAME, text)


@claim("YaRN", sources=("peng2023yarn", "qwen3docs"), section="5 What it costs")
def yarn_is_free() -> Verdict:
    """Stretched for long texts, a model reads short ones as before."""
    trained = rotary_frequencies(HEAD_DIM, BASE)
    methods = {
        "it is YaRN": yarn(HEAD_DIM, FACTOR, original_max_seq_len=LENGTH),
        "it is NTK": ntk(HEAD_DIM, FACTOR),
        "it is dynamic NTK": dynamic_ntk(HEAD_DIM, 1.0, seq_len=512, original_max_seq_len=LENGTH),
    }
    changed = {
        setting: int((abs(found.inv_freq / trained - 1) > SAME).sum())
        for setting, found in methods.items()
    }
    text = (
        "Pairs of 64 that turn otherwise than in training while 512 tokens are read; as before "
        "means 0. Only where the factor follows the text it is so. What that costs is another "
        "question: section 8 has a loss."
    )
    return judge(changed, lambda count: count == 0, text)


@claim("temperature", sources=("peng2023yarn", "yarncode"))
def scores_grow_by_the_attention_factor() -> Verdict:
    """YaRN multiplies scores by 0.1 · ln s + 1."""
    q = k = np.ones(1)
    ratios = {}
    for factor in (4.0, 32.0, 128.0):
        a = yarn(HEAD_DIM, factor, original_max_seq_len=LENGTH).attention_factor
        ratios[f"s is {factor:g}"] = float((a * q) @ (a * k) / (0.1 * math.log(factor) + 1))
    text = (
        "What a score is multiplied by, over 0.1 · ln s + 1; 1 is the rule. That number stands on "
        "cos and sin, so the query has it and the key has it: its square arrives."
    )
    return judge(ratios, lambda ratio: abs(ratio - 1) < SAME, text)


def _weight(margin: float, keys: int) -> float:
    """Of one key whose score is so much above all others."""
    return 1 / (1 + (keys - 1) * math.exp(-margin))


@claim("temperature", sources=("peng2023yarn",))
def the_temperature_makes_up_for_the_length() -> Verdict:
    """YaRN's temperature gives the best key back the weight that a longer row takes from it."""
    a = yarn(HEAD_DIM, FACTOR, original_max_seq_len=LENGTH).attention_factor
    gains = {
        f"its score is {margin} above the others": _weight(a**2 * margin, 4 * LENGTH)
        / _weight(margin, LENGTH)
        for margin in (2, 4, 8)
    }
    text = (
        "Its weight among 16 384 keys, s 4, as a multiple of that among 4096 without it; at least "
        "1 is the rule. What the length takes is ln s, and what the temperature gives grows with "
        "the margin: (a² − 1) times it."
    )
    return judge(gains, lambda gain: gain >= 1, text)


def _read(**entry) -> dict:
    """A configuration that has YaRN."""
    both = {"rope_type": "yarn", "rope_theta": BASE, "factor": 40.0}
    return {
        "head_dim": HEAD_DIM,
        "num_hidden_layers": 1,
        "max_position_embeddings": 40 * LENGTH,
        "rope_parameters": both | {"original_max_position_embeddings": LENGTH} | entry,
    }


@claim("configuration", sources=("transformers523",), section="7 Reading a configuration")
def mscale_sets_the_temperature() -> Verdict:
    """mscale in a configuration sets YaRN's temperature."""
    plain = read_config(_read()).kinds[0].on_scores
    settings = {
        "it stands alone": {"mscale": 0.707},
        "mscale_all_dim is given, too": {"mscale": 0.707, "mscale_all_dim": 1.0},
    }
    changes = {
        setting: abs(read_config(_read(**entry)).kinds[0].on_scores - plain)
        for setting, entry in settings.items()
    }
    text = "Change of what scores are multiplied by, factor 40; to set it means above 1e-9."
    return judge(changes, lambda change: change > SAME, text)


@claim("configuration", sources=("transformers523",))
def beta_fast_0_is_0() -> Verdict:
    """A beta_fast of 0 in a configuration is read as it stands."""
    kept = {
        f"beta_fast is {beta}": read_config(_read(beta_fast=beta)).kinds[0].kept - 21
        for beta in (8, 0)
    }
    text = (
        "Pairs kept more than with 32, factor 40; as it stands means more than 0. The code asks "
        "for beta_fast or 32, and 0 is no answer to that."
    )
    return judge(kept, lambda more: more > 0, text)


@claim("dynamic", sources=("transformers25104",), section="6 The cache trap")
def a_cache_changes_nothing() -> Verdict:
    """With dynamic NTK a cache of keys gives the scores of a pass without one."""
    length, tokens, pairs = 16, 64, 8
    q, k = np.random.default_rng(0).normal(size=(2, tokens, pairs, 2)) @ [1, 1j]

    def inv_freq(at: int) -> np.ndarray:
        return dynamic_ntk(2 * pairs, 1.0, seq_len=at, original_max_seq_len=length).inv_freq

    def scores(of_keys: list[int]) -> np.ndarray:
        """Of the newest query; keys are turned by the frequencies of a text so long."""
        each = [k[n] * np.exp(1j * n * inv_freq(at)) for n, at in enumerate(of_keys)]
        newest = q[-1] * np.exp(1j * (tokens - 1) * inv_freq(tokens))
        return (np.conj(each) * newest).sum(axis=-1).real

    fresh = scores([tokens] * tokens)
    changes = {
        "keys are cached turned": largest(scores(list(range(1, tokens + 1))) - fresh),
        "they are turned when they are read": largest(scores([tokens] * tokens) - fresh),
    }
    text = (
        "Largest change of a score of the 64th token, trained length 16; none means below 1e-9. A "
        "key that was turned earlier has frequencies that the query no longer has."
    )
    return judge(changes, lambda change: change < SAME, text)


@claim("dynamic", sources=("vllm1860",))
def dynamic_ntk_grows_smoothly() -> Verdict:
    """Dynamic NTK follows the length of the text without a jump."""
    lengths = np.arange(2049, 16_384)
    rules = {
        "α is n/L": np.maximum(lengths / 2048, 1),
        "α is that of Qwen-1": 2.0 ** np.ceil(np.log2(lengths / 2048) + 1) - 1,
    }
    jumps = {setting: largest(np.diff(alpha)) for setting, alpha in rules.items()}
    text = (
        "Largest step of α from one length to the next, up to 16 384 tokens, L 2048; no jump means "
        "below 0.01. Qwen-1 has 2^⌈log₂(n/L) + 1⌉ − 1, a step function, so a cache is right within "
        "a step."
    )
    return judge(jumps, lambda jump: jump < 0.01, text)


@claim("temperature", sources=("ding2024longrope", "transformers523"))
def all_have_one_temperature() -> Verdict:
    """LongRoPE sharpens scores as YaRN does."""
    ones = np.ones(48)
    differences = {}
    for name, stretch in (("4", 4), ("32, as in Phi-3", 32)):
        of_longrope = longrope(
            96,
            short_factors=ones,
            long_factors=ones,
            seq_len=LENGTH,
            original_max_seq_len=LENGTH,
            max_seq_len=stretch * LENGTH,
        ).attention_factor
        of_yarn = yarn(96, float(stretch), original_max_seq_len=LENGTH).attention_factor
        differences[f"s is {name}"] = of_yarn - of_longrope
    text = (
        "YaRN's attention factor less LongRoPE's, L 4096; as YaRN means below 1e-9. LongRoPE has "
        "√(1 + ln s/ln L) in transformers: 1.1902 for Phi-3 with 128k."
    )
    return judge(differences, lambda difference: abs(difference) < SAME, text)


@claim("maps", sources=("jin2024selfextend",))
def eight_in_a_group_are_eight_times_the_length() -> Verdict:
    """With groups of eight, Self-Extend reads eight times the training length."""
    reach = {}
    for window, training in ((8, 64), (16, 64), (32, 64)):
        tokens = np.arange(8 * training + 1)
        newest = tokens[-1:]
        apart = mapped_offsets(self_extend_positions(newest, tokens, window, 8))[0, ::-1]
        reach[f"the window is 1/{training // window} of it"] = float(
            (apart < training).sum() / training
        )
    text = (
        "Tokens, in training lengths, that a query may look back before a distance is new; eight "
        "times is 8. It is about (L − W) · 8 + W for a window W."
    )
    return judge(reach, lambda times: times >= 8, text)


@claim("maps", sources=("xiao2023streaming",))
def sinks_widen_the_context() -> Verdict:
    """Keeping the first tokens and a window lets a model use a text of any length."""
    tokens = np.arange(4096)
    branches = sink_positions(tokens[-1:], tokens, 4, 508)
    seen = {"4096 tokens are read, 512 kept": int(sum(branch.where.sum() for branch in branches))}
    text = (
        "Keys that the last query sees; to use the text means all 4096. Loss stays low and "
        "distances stay known, but what has left the window is forgotten."
    )
    return judge(seen, lambda count: count == 4096, text)
