"""What released libraries do with positions, each function as a box that can be asked.

A box is a function without arguments. It imports its library and returns, by its ``kind``:

- "rotate": ``rotate(x [len, head_dim], positions)``, result as x; positions are [len], or [len, 2]
  (row, column) with ``axes=2``, or [len, 3] (time, row, column) with ``axes=3``, and below limit;
- "table": an array [rows, d_model], row r being what is added to token r;
- "bias": an array [heads, q_len, k_len] to add to the scores, for 24 queries and 24 keys.

Each box calls the released code as a user would. Where the code knows consecutive positions alone,
it is called once for each distinct position. ``libraries.py`` installs the libraries and runs all.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

LENGTH = 131_072  # of the tables that libraries compute once: positions stay below
GRID = 128  # rows and columns of such tables in two dimensions
TEXT = 24  # queries and keys of a bias
ROWS, WIDTH = 64, 64  # of a sinusoidal table

Rotate = Callable[[np.ndarray, np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Box:
    """One function of one library, by its pinned name on PyPI."""

    library: str
    name: str
    make: Callable[[], Any]
    kind: str = "rotate"
    head_dim: int = 64
    axes: int = 1
    limit: int = LENGTH


BOXES: list[Box] = []


def box(library: str, name: str, **about: Any) -> Callable:
    """Register the decorated function as a box, several times if it is decorated again."""

    def register(make: Callable) -> Callable:
        BOXES.append(Box(library, name, make, **about))
        return make

    return register


def variants(library: str, options: dict[str, dict[str, Any]], **about: Any) -> Callable:
    """Register the decorated function once for each name, with these keyword arguments."""

    def register(make: Callable) -> Callable:
        for name, keywords in options.items():
            box(library, name, **about)(lambda keywords=keywords: make(**keywords))
        return make

    return register


def on_torch(call: Callable, heads_at: int = 1) -> Rotate:
    """Return rotate of call(x, positions [1, len]) in float32.

    The x of ``call`` is [1, heads, len, head_dim] with one head, or [1, len, heads, head_dim] when
    ``heads_at`` is 2.
    """

    def rotate(x: np.ndarray, positions: np.ndarray) -> np.ndarray:
        import torch

        with torch.no_grad():
            x = torch.tensor(x, dtype=torch.float32)[None].unsqueeze(heads_at)
            out = call(x, torch.tensor(positions)[None])
        return out.squeeze(heads_at)[0].float().numpy()

    return rotate


def by_lookup(call: Callable, tables: Any, heads_at: int = 1) -> Rotate:
    """Return rotate of call(x, *rows of the tables at the positions), without a batch axis."""
    return on_torch(lambda x, p: call(x, *(table[p[0]] for table in tables)), heads_at)


def one_by_one(call: Callable) -> Rotate:
    """Return rotate of call(x [rows, head_dim], position): one call for each position."""

    def rotate(x: np.ndarray, positions: np.ndarray) -> np.ndarray:
        out = np.empty(x.shape)
        for position in np.unique(positions):
            here = positions == position
            out[here] = call(x[here].astype(np.float32), int(position))
        return out

    return rotate


def in_a_text(call: Callable) -> Rotate:
    """Return rotate of call(text [len, head_dim]), which counts positions from 0 by itself.

    Rows of x with one position are in different texts.
    """

    def rotate(x: np.ndarray, positions: np.ndarray) -> np.ndarray:
        out, left = np.empty(x.shape), np.arange(len(x))
        while len(left):
            here, first = np.unique(positions[left], return_index=True)
            text = np.zeros((positions.max() + 1, x.shape[-1]), np.float32)
            text[here] = x[left[first]]
            out[left[first]] = np.asarray(call(text))[here]
            left = np.delete(left, first)
        return out

    return rotate


def all_queries(bias: Any) -> np.ndarray:
    """Return a bias [..., heads, 1 or q_len, k_len] for all queries: [heads, q_len, k_len]."""
    bias = np.asarray(bias, float)
    return np.broadcast_to(bias.reshape(-1, *bias.shape[-2:]), (bias.shape[-3], TEXT, TEXT))


def in_torch(call: Callable, *arguments: Any, **keywords: Any) -> Callable:
    """Return a function of NumPy arrays that calls a function of tensors."""
    import torch

    def run(*arrays: np.ndarray) -> np.ndarray:
        with torch.no_grad():
            out = call(*map(torch.from_numpy, arrays), *arguments, **keywords)
        return out.float().numpy()

    return run


# transformers ------------------------------------------------------------------------------------

TRANSFORMERS = "transformers==5.23.0"
LLAMA3 = {
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 8192,
}
YARN = {"factor": 4.0, "original_max_position_embeddings": 2048}


@variants(
    TRANSFORMERS,
    {
        "Llama": {"rope_theta": 500_000.0},
        "Llama, linear × 4": {"rope_type": "linear", "factor": 4.0},
        "Llama, llama3 × 8": {"rope_type": "llama3", "rope_theta": 500_000.0, **LLAMA3},
        "Llama, yarn × 4": {"rope_type": "yarn", **YARN},
        "Llama, after model.bfloat16()": {"half": True},
    },
)
def llama(half=False, rope_type="default", rope_theta=10_000.0, **rope):
    import torch
    from transformers import LlamaConfig, LlamaModel
    from transformers.models.llama.modeling_llama import apply_rotary_pos_emb

    config = LlamaConfig(
        vocab_size=2,
        hidden_size=64,
        num_attention_heads=1,
        num_hidden_layers=0,
        max_position_embeddings=8192,
        rope_parameters={"rope_type": rope_type, "rope_theta": rope_theta, **rope},
    )
    model = LlamaModel(config)
    model = model.bfloat16() if half else model

    def call(x, positions):
        x = x.to(torch.bfloat16) if half else x
        return apply_rotary_pos_emb(x, x, *model.rotary_emb(x, positions))[0]

    return on_torch(call)


@variants(
    TRANSFORMERS,
    {
        "Llama, dynamic × 2, a text of 8192": {"rope_type": "dynamic", "factor": 2.0},
        "Phi-3, longrope × 4, a text of 8192": {
            "rope_type": "longrope",
            "short_factor": [1.0] * 32,
            "long_factor": [1.0 + k / 8 for k in range(32)],
        },
    },
    limit=8192,
)
def of_a_long_text(**rope):
    import torch
    import transformers.models.llama.modeling_llama as llama
    import transformers.models.phi3.modeling_phi3 as phi3

    longrope = rope["rope_type"] == "longrope"
    config = (transformers.Phi3Config if longrope else transformers.LlamaConfig)(
        hidden_size=64,
        num_attention_heads=1,
        max_position_embeddings=8192 if longrope else 2048,
        original_max_position_embeddings=2048,
        rope_parameters={"rope_theta": 10_000.0, **rope},
    )
    module = (phi3.Phi3RotaryEmbedding if longrope else llama.LlamaRotaryEmbedding)(config)

    def call(x, positions):
        text = torch.cat([positions, torch.full((1, 1), 8191)], 1)  # the last token is always there
        cos, sin = (table[:, :-1] for table in module(x, text))
        return phi3.apply_rotary_pos_emb(x, x, cos, sin)[0]

    return on_torch(call)


@variants(
    TRANSFORMERS,
    {
        "GPT-NeoX": {"model": "gpt_neox", "config": "GPTNeoXConfig"},
        "ESM": {"model": "esm", "config": "EsmConfig"},
        "Cohere": {"model": "cohere", "config": "CohereConfig"},
        "GLM": {"model": "glm", "config": "GlmConfig", "head_dim": 64},
    },
)
def as_published(model, config, **sizes):
    """The defaults of a model's configuration, at one head of 64."""
    import importlib

    import transformers

    module = importlib.import_module(f"transformers.models.{model}.modeling_{model}")
    config = getattr(transformers, config)(hidden_size=64, num_attention_heads=1, **sizes)
    name = next(n for n in vars(module) if n.endswith("RotaryEmbedding"))
    embedding = getattr(module, name)(config)
    return on_torch(lambda x, p: module.apply_rotary_pos_emb(x, x, *embedding(x, p))[0])


@variants(
    TRANSFORMERS,
    {f"Gemma 4, {layer}": {"layer": layer} for layer in ("full_attention", "sliding_attention")},
    head_dim=512,
)
def gemma4(layer):
    from transformers import Gemma4TextConfig
    from transformers.models.gemma4 import modeling_gemma4

    config = Gemma4TextConfig(head_dim=512, global_head_dim=512)
    module = modeling_gemma4.Gemma4TextRotaryEmbedding(config)
    return on_torch(lambda x, p: modeling_gemma4.apply_rotary_pos_emb(x, *module(x, p, layer)))


@box(TRANSFORMERS, "GPT-J")
def gptj():
    from transformers.models.gptj.modeling_gptj import (
        apply_rotary_pos_emb,
        create_sinusoidal_positions,
    )

    tables = create_sinusoidal_positions(LENGTH, 64).chunk(2, -1)  # sines, cosines
    return by_lookup(lambda x, *rows: apply_rotary_pos_emb(x, *(r[None] for r in rows)), tables, 2)


@box(TRANSFORMERS, "RoFormer", limit=4096)
def roformer():
    from transformers.models.roformer import modeling_roformer

    module = modeling_roformer.RoFormerSinusoidalPositionalEmbedding(4096, 64)
    module.weight.data = module.create_weight()
    apply = modeling_roformer.RoFormerSelfAttention.apply_rotary_position_embeddings
    return on_torch(lambda x, p: apply(module(None, position_ids=p)[:, None], x, x)[0])


@box(TRANSFORMERS, "Qwen2-VL", axes=3)
def qwen2_vl():
    from transformers import Qwen2VLTextConfig
    from transformers.models.qwen2_vl import modeling_qwen2_vl

    rope = {"rope_type": "default", "rope_theta": 1e6, "mrope_section": [8, 12, 12]}
    config = Qwen2VLTextConfig(hidden_size=64, num_attention_heads=1, rope_parameters=rope)
    module = modeling_qwen2_vl.Qwen2VLRotaryEmbedding(config)
    apply = modeling_qwen2_vl.apply_rotary_pos_emb
    return on_torch(lambda x, p: apply(x, x, *module(x, p.permute(2, 0, 1)))[0])


@variants(
    TRANSFORMERS,
    {f"{model}, ALiBi, {h} heads": {"model": model, "h": h}
     for model in ("bloom", "falcon", "mpt") for h in (8, 12)},
    kind="bias",
)
def transformers_alibi(model, h):
    import importlib

    import torch

    module = importlib.import_module(f"transformers.models.{model}.modeling_{model}")
    if model == "mpt":
        return all_queries(module.build_mpt_alibi_tensor(h, TEXT))
    return all_queries(module.build_alibi_tensor(torch.ones(1, TEXT), h, torch.float32))


@variants(TRANSFORMERS, {"T5, encoder": {}, "T5, decoder": {"is_decoder": True}}, kind="bias")
def t5(**config):
    import torch
    from transformers import T5Config
    from transformers.models.t5.modeling_t5 import T5Attention

    torch.manual_seed(0)
    attention = T5Attention(T5Config(**config), has_relative_attention_bias=True)
    return attention.compute_bias(TEXT, TEXT)[0].detach().numpy()


@variants(
    TRANSFORMERS,
    {
        "Marian": {"model": "marian", "name": "Marian"},
        "M2M100": {"model": "m2m_100", "name": "M2M100"},
        "MusicGen": {"model": "musicgen", "name": "Musicgen"},
        "Pegasus-X": {"model": "pegasus_x", "name": "PegasusX"},
    },
    kind="table",
)
def transformers_sinusoids(model, name):
    import importlib

    import torch

    module = importlib.import_module(f"transformers.models.{model}.modeling_{model}")
    make = getattr(module, f"{name}SinusoidalPositionalEmbedding")
    if model == "pegasus_x":
        return make(WIDTH)(torch.zeros(1, ROWS, WIDTH))[0].numpy()
    if model == "m2m_100":
        return make(ROWS, WIDTH, padding_idx=1)(torch.full((1, ROWS), 2))[0].numpy()
    table = make(ROWS, WIDTH)
    if model == "marian":
        table.weight.data = table.create_weight()
        return table((1, ROWS)).numpy()
    return table(torch.zeros(1, 1, ROWS)).numpy()


@box(TRANSFORMERS, "Whisper", kind="table")
def transformers_whisper():
    from transformers.models.whisper.modeling_whisper import sinusoids

    return sinusoids(ROWS, WIDTH).numpy()


@box(TRANSFORMERS, "XLNet, from the last key to the first", kind="table")
def xlnet():
    from transformers import XLNetConfig, XLNetModel

    model = XLNetModel(XLNetConfig(vocab_size=2, d_model=WIDTH, n_head=1, n_layer=1, d_inner=1))
    return model.relative_positional_encoding(ROWS // 2, ROWS // 2, bsz=1)[:, 0].numpy()
