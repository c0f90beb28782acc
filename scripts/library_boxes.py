"""What released libraries do with positions: each function in a box that can be asked.

A box is a function without arguments. It imports its library and returns, by its ``kind``:

- "rotate": ``rotate(x [len, head_dim], positions)``, result as x; positions are [len], or [len, 2]
  (row, column) with ``axes=2``, or [len, 3] (time, row, column) with ``axes=3``, all below limit;
- "table": an array [rows, d_model], row r being what is added to token r;
- "bias": an array [heads, q_len, k_len] to add to the scores, for 24 queries and 24 keys.

Each box calls the released code as a user would. Where the code knows consecutive positions alone,
it is called once for each distinct position. ``libraries.py`` installs the libraries and runs all.
"""

import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

LENGTH = 131_072  # of the tables that libraries compute once: positions stay below
GRID = 64  # rows and columns of such tables in two dimensions
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


def box(library: str, name: str, *, each: Any = None, **about: Any) -> Callable:
    """Register the decorated function; with ``each``, once for each name and its arguments."""

    def register(make: Callable) -> Callable:
        for variant, arguments in (each or {"": ()}).items():
            BOXES.append(Box(library, name + variant, lambda a=arguments: make(*a), **about))
        return make

    return register


def use(name: str) -> Any:
    """Import what stands behind a dotted name."""
    return pkgutil.resolve_name(name)


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
    """Return rotate of call(x, *rows of the tables at the positions); see ``on_torch``."""

    def look_up(x: Any, p: Any) -> Any:
        at = p[0].unbind(-1) if p.dim() == 3 else (p[0],)
        return call(x, *(table[at] for table in tables))

    return on_torch(look_up, heads_at)


def on_grid(call: Callable, tables: Any, heads_at: int = 1) -> Rotate:
    """Return rotate of call(x, *rows of the tables) for tables whose rows are a grid, row by row."""
    grids = [table.unflatten(0, (-1, round(len(table) ** 0.5))) for table in tables]
    return by_lookup(call, grids, heads_at)


def one_by_one(call: Callable) -> Rotate:
    """Return rotate of call(x [rows, head_dim], position): one call for each position."""

    def rotate(x: np.ndarray, positions: np.ndarray) -> np.ndarray:
        out = np.empty(x.shape)
        for position in np.unique(positions):
            here = positions == position
            out[here] = call(x[here].astype(np.float32), int(position))
        return out

    return rotate


def torch_one_by_one(call: Callable) -> Rotate:
    """As ``one_by_one``; the x of call is a tensor [rows, heads, len, head_dim] of one token."""
    return one_by_one(lambda x, p: call(use("torch.from_numpy")(x)[:, None, None], p)[:, 0, 0])


def in_a_text(call: Callable, length: int | None = None) -> Rotate:
    """Return rotate of call(text [length, head_dim]), which counts positions from 0 by itself.

    Rows of x with one position are in different texts. Their length ends with the last position.
    """

    def rotate(x: np.ndarray, positions: np.ndarray) -> np.ndarray:
        out, left = np.empty(x.shape), np.arange(len(x))
        while len(left):
            here, first = np.unique(positions[left], return_index=True)
            text = np.zeros((length or positions.max() + 1, x.shape[-1]), np.float32)
            text[here] = x[left[first]]
            out[left[first]] = np.asarray(call(text))[here]
            left = np.delete(left, first)
        return out

    return rotate


def zeros(*shape: int) -> Any:
    """Return what a library takes only to see its shape."""
    return use("torch.zeros")(*shape)


def all_queries(bias: Any) -> np.ndarray:
    """Return a bias [..., heads, 1 or q_len, k_len] for all queries: [heads, q_len, k_len]."""
    bias = np.asarray(bias, float)
    return np.broadcast_to(bias.reshape(-1, *bias.shape[-2:]), (bias.shape[-3], TEXT, TEXT))


# transformers ------------------------------------------------------------------------------------

TRANSFORMERS, MODELS = "transformers==5.23.0", "transformers.models"
LLAMA3 = {"factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0}
LLAMA3 |= {"original_max_position_embeddings": 8192}
YARN = {"factor": 4.0, "original_max_position_embeddings": 2048}
ALL_LENGTHS = {
    "": ("default", 5e5, {}),
    ", linear × 4": ("linear", 1e4, {"factor": 4.0}),
    ", llama3 × 8": ("llama3", 5e5, LLAMA3),
    ", yarn × 4": ("yarn", 1e4, YARN),
    ", after model.bfloat16()": ("default", 1e4, {}, "bfloat16"),
}


@box(TRANSFORMERS, "Llama", each=ALL_LENGTHS)
def llama(rope_type, theta, rope, dtype="float32"):
    rope = {"rope_type": rope_type, "rope_theta": theta, **rope}
    sizes = {"hidden_size": 64, "num_attention_heads": 1, "num_hidden_layers": 0, "vocab_size": 9}
    model = use("transformers.LlamaModel")(use("transformers.LlamaConfig")(
        **sizes, max_position_embeddings=16_384, rope_parameters=rope
    ))  # fmt: skip
    if dtype == "bfloat16":
        model = model.bfloat16()
    apply = use(f"{MODELS}.llama.modeling_llama.apply_rotary_pos_emb")
    cast = use(f"torch.{dtype}")
    return on_torch(lambda x, p: apply(x.to(cast), x, *model.rotary_emb(x.to(cast), p))[0])


LONG = [1.0 + k / 8 for k in range(32)]
AT_8192 = {
    "Llama, dynamic × 2": ("llama", "Llama", 2048, {"rope_type": "dynamic", "factor": 2.0}),
    "Phi-3, longrope × 4": ("phi3", "Phi3", 8192, {
        "rope_type": "longrope", "short_factor": [1.0] * 32, "long_factor": LONG,
    }),
}  # fmt: skip


@box(TRANSFORMERS, "a text of 8192: ", each=AT_8192, limit=8192)
def of_a_long_text(model, name, max_length, rope):
    sizes = {"hidden_size": 64, "num_attention_heads": 1, "max_position_embeddings": max_length}
    rope = {"rope_theta": 10_000.0, "original_max_position_embeddings": 2048, **rope}
    config = use(f"transformers.{name}Config")(**sizes, rope_parameters=rope)
    config.original_max_position_embeddings = 2048
    published = f"{MODELS}.{model}.modeling_{model}"
    module = use(f"{published}.{name}RotaryEmbedding")(config)

    def call(x, positions):
        last = use("torch.full")((1, 1), 8191)
        tables = module(x, use("torch.cat")([positions, last], 1))
        return use(f"{published}.apply_rotary_pos_emb")(x, x, *(t[:, :-1] for t in tables))[0]

    return on_torch(call)


PUBLISHED = {
    "GPT-NeoX": ("gpt_neox", "GPTNeoX"),
    "ESM": ("esm", "Esm"),
    "Cohere": ("cohere", "Cohere"),
    "GLM": ("glm", "Glm"),
}


@box(TRANSFORMERS, "", each=PUBLISHED)
def as_published(model, name):
    """The defaults of a model's configuration, at one head of 64."""
    config = use(f"transformers.{name}Config")(hidden_size=64, num_attention_heads=1, head_dim=64)
    module = use(f"{MODELS}.{model}.modeling_{model}.{name}RotaryEmbedding")(config)
    apply = use(f"{MODELS}.{model}.modeling_{model}.apply_rotary_pos_emb")
    return on_torch(lambda x, p: apply(x, x, *module(x, p))[0])


LAYERS = {layer: (layer,) for layer in ("full_attention", "sliding_attention")}


@box(TRANSFORMERS, "Gemma 4, ", each=LAYERS, head_dim=512)
def gemma4(layer):
    gemma = f"{MODELS}.gemma4.modeling_gemma4"
    config = use("transformers.Gemma4TextConfig")(head_dim=512, global_head_dim=512)
    module = use(f"{gemma}.Gemma4TextRotaryEmbedding")(config)
    apply = use(f"{gemma}.apply_rotary_pos_emb")
    return on_torch(lambda x, p: apply(x, *module(x, p, layer)))


@box(TRANSFORMERS, "GPT-J")
def gptj():
    tables = use(f"{MODELS}.gptj.modeling_gptj.create_sinusoidal_positions")(LENGTH, 64)
    apply = use(f"{MODELS}.gptj.modeling_gptj.apply_rotary_pos_emb")
    return by_lookup(lambda x, row: apply(x, *row[None].chunk(2, -1)), [tables], 2)


@box(TRANSFORMERS, "RoFormer", limit=4096)
def roformer():
    published = f"{MODELS}.roformer.modeling_roformer.RoFormer"
    module = use(f"{published}SinusoidalPositionalEmbedding")(4096, 64)
    module.weight.data = module.create_weight()
    apply = use(f"{published}SelfAttention").apply_rotary_position_embeddings
    return on_torch(lambda x, p: apply(module(None, position_ids=p)[:, None], x, x)[0])


@box(TRANSFORMERS, "Qwen2-VL", axes=3)
def qwen2_vl():
    rope = {"rope_type": "default", "rope_theta": 1e6, "mrope_section": [8, 12, 12]}
    sizes = {"hidden_size": 64, "num_attention_heads": 1, "rope_parameters": rope}
    config = use("transformers.Qwen2VLTextConfig")(**sizes)
    module = use(f"{MODELS}.qwen2_vl.modeling_qwen2_vl.Qwen2VLRotaryEmbedding")(config)
    apply = use(f"{MODELS}.qwen2_vl.modeling_qwen2_vl.apply_rotary_pos_emb")
    return on_torch(lambda x, p: apply(x, x, *module(x, p.permute(2, 0, 1)))[0])


@box(TRANSFORMERS, "Llama, weights of a GGUF file")
def gguf():
    """Rows of a projection are reordered as the file is read: seen in the order of the file."""
    read = use("transformers.modeling_gguf_pytorch_utils.LlamaTensorProcessor")()
    order = read._reverse_permute_weights(np.arange(64), 1)
    rotate = llama("default", 10_000.0, {})
    return lambda x, p: rotate(x[:, order], p)[:, np.argsort(order)]


ALIBI = {f"{m}, {h} heads": (m, h) for m in ("bloom", "falcon", "mpt") for h in (8, 12)}


@box(TRANSFORMERS, "ALiBi of ", each=ALIBI, kind="bias")
def transformers_alibi(model, h):
    if model == "mpt":
        return all_queries(use(f"{MODELS}.mpt.modeling_mpt.build_mpt_alibi_tensor")(h, TEXT))
    build = use(f"{MODELS}.{model}.modeling_{model}.build_alibi_tensor")
    return all_queries(build(use("torch.ones")(1, TEXT), h, use("torch.float32")))


@box(TRANSFORMERS, "T5, ", each={"encoder": (False,), "decoder": (True,)}, kind="bias")
def t5(is_decoder):
    config = use("transformers.T5Config")(is_decoder=is_decoder)
    attention = use(f"{MODELS}.t5.modeling_t5.T5Attention")
    return attention(config, has_relative_attention_bias=True, layer_idx=0).compute_bias(TEXT, TEXT)[0]


@box(TRANSFORMERS, "Marian", kind="table")
def marian():
    table = use(f"{MODELS}.marian.modeling_marian.MarianSinusoidalPositionalEmbedding")(ROWS, WIDTH)
    table.weight.data = table.create_weight()
    return table((1, ROWS))


for model, name, arguments, call in (
    ("m2m_100", "M2M100", (ROWS, WIDTH, 1), lambda t: t(zeros(1, ROWS).long() + 2)[0]),
    ("musicgen", "Musicgen", (ROWS, WIDTH), lambda t: t(zeros(1, 1, ROWS))),
    ("pegasus_x", "PegasusX", (WIDTH,), lambda t: t(zeros(1, ROWS, WIDTH))[0]),
):
    cls = f"{MODELS}.{model}.modeling_{model}.{name}SinusoidalPositionalEmbedding"
    box(TRANSFORMERS, name, each={"": (cls, arguments, call)}, kind="table")(
        lambda cls, arguments, call: call(use(cls)(*arguments))
    )
box(TRANSFORMERS, "Whisper", kind="table")(
    lambda: use(f"{MODELS}.whisper.modeling_whisper.sinusoids")(ROWS, WIDTH)
)


@box(TRANSFORMERS, "XLNet, from the last key to the first", kind="table")
def xlnet():
    sizes = {"vocab_size": 9, "d_model": WIDTH, "n_head": 1, "n_layer": 1, "d_inner": 1}
    model = use("transformers.XLNetModel")(use("transformers.XLNetConfig")(**sizes))
    return model.relative_positional_encoding(ROWS // 2, ROWS // 2, bsz=1)[:, 0]


# other libraries on PyTorch: rotate --------------------------------------------------------------

TORCHTUNE = {
    "RoPE": ("modules.RotaryPositionalEmbeddings",),
    "Llama3ScaledRoPE": ("models.llama3_1.Llama3ScaledRoPE",),
    "Phi3": ("models.phi3.Phi3RotaryPositionalEmbeddings",),
}


@box("torchtune==0.6.1", "", each=TORCHTUNE)
def torchtune(name):
    module = use(f"torchtune.{name}")(64, LENGTH)
    return on_torch(lambda x, p: module(x, input_pos=p), 2)


@box("torchtune==0.6.1", "VisionRotaryPositionalEmbeddings", axes=2, limit=GRID)
def torchtune_vision():
    module = use("torchtune.modules.VisionRotaryPositionalEmbeddings")(1, GRID, 1, 32)

    def call(text):  # one tile, and its class token at the end
        return module(use("torch.tensor")(text)[None, :, None])[0, :, 0].numpy()

    rotate = in_a_text(call, GRID**2 + 1)
    return lambda x, p: rotate(x, p @ [GRID, 1])


@box("rotary-embedding-torch==0.9.1", "", each={"lang": ("lang",), "pixel": ("pixel",)})
def rotary_embedding_torch(freqs_for):
    module = use("rotary_embedding_torch.RotaryEmbedding")(32, freqs_for=freqs_for)
    apply = use("rotary_embedding_torch.apply_rotary_emb")
    return on_torch(lambda x, p: apply(module(p[0].float()), x))


@box("rotary-embedding-torch==0.9.1", "xPos, queries of a text of 1024", limit=1024)
def rotary_embedding_torch_xpos():
    module = use("rotary_embedding_torch.RotaryEmbedding")(64, use_xpos=True)

    def call(text):
        text = use("torch.tensor")(text)[None, None]
        return module.rotate_queries_and_keys(text, text)[0][0, 0].detach().numpy()

    return in_a_text(call, 1024)


@box("x-transformers==2.31.10", "RotaryEmbedding, 32 of 64")
def x_transformers():
    module = use("x_transformers.x_transformers.RotaryEmbedding")(32)
    apply = use("x_transformers.x_transformers.apply_rotary_pos_emb")
    return on_torch(lambda x, p: apply(x, *module(p)))


@box("torchscale==0.3.0", "XPOS, queries")
def torchscale():
    module = use("torchscale.component.xpos_relative_position.XPOS")(64)
    return torch_one_by_one(lambda x, p: module(x[:, 0], offset=p)[:, None])


TIMM = {
    "RotaryEmbeddingCat": ({"in_pixels": False}, False),
    "RotaryEmbeddingCat, in pixels": ({}, False),
    "RotaryEmbeddingDinoV3": ({}, True),
    "RotaryEmbeddingMRope": ({}, True),
}


@box("timm==1.0.31", "", each={n: (n.split(",")[0], *a) for n, a in TIMM.items()}, axes=2, limit=16)
def timm(name, options, half):
    table = use(f"timm.layers.pos_embed_sincos.{name}")(64, **options).get_embed([16, 16])
    apply = use("timm.layers.apply_rot_embed_cat")
    return on_grid(lambda x, row: apply(x, row, half=half), [table])


@box("diffusers==0.42.1", "FluxPosEmbed", axes=3, head_dim=128)
def flux():
    module = use("diffusers.models.transformers.transformer_flux.FluxPosEmbed")(1e4, [16, 56, 56])
    apply = use("diffusers.models.embeddings.apply_rotary_emb")
    return on_torch(lambda x, p: apply(x, module(p[0]), sequence_dim=1), 2)


LITGPT = {
    "rope cache": (None,),
    "rope cache, llama3 × 8": ({**LLAMA3, "original_max_seq_len": 8192},),
    "rope cache, yarn × 4": (
        {"factor": 4.0, "beta_fast": 32, "beta_slow": 1, "original_max_seq_len": 2048},
    ),
}


@box("litgpt==0.5.13", "", each=LITGPT)
def litgpt(scaling):
    tables = use("litgpt.model.build_rope_cache")(LENGTH, 64, extra_config=scaling)
    apply = use("litgpt.model.apply_rope")
    return by_lookup(lambda x, *rows: apply(x, *(row[None] for row in rows)), tables)


@box("curated-transformers==2.0.1", "RotaryEmbeddings")
def curated():
    module = use("curated_transformers.layers.embeddings.RotaryEmbeddings")(64)
    return on_torch(lambda x, p: module(x, positions=p))


@box("fair-esm==2.0.0", "RotaryEmbedding")
def fair_esm():
    module = use("esm.rotary_embedding.RotaryEmbedding")(64)
    tensor = use("torch.tensor")
    return in_a_text(lambda text: module(tensor(text)[None], tensor(text)[None])[0][0])


@box("ultralytics==8.4.190", "SAM 2 axial RoPE", axes=2, limit=GRID)
def ultralytics():
    table = use("ultralytics.models.sam.modules.utils.compute_axial_cis")(64, GRID, GRID)
    apply = use("ultralytics.models.sam.modules.utils.apply_rotary_enc")
    return on_grid(lambda x, row: apply(x, x, row)[0], [table])


@box("kornia==0.9.0", "MoonViT", axes=2, limit=GRID)
def kornia():
    module = use("kornia.models.kimi_vl.moonvit.MoonViTRotaryEmbedding")(64)
    apply = use("kornia.models.kimi_vl.moonvit.apply_rotary_pos_emb")
    return on_grid(apply, module(GRID, GRID, use("torch.device")("cpu")))


@box("moshi==0.2.13", "apply_rope")
def moshi():
    apply = use("moshi.modules.rope.apply_rope")
    return torch_one_by_one(lambda x, p: apply(x, x, zeros(len(x)) + p)[0])


@box("local-attention==1.11.2", "SinusoidalEmbeddings")
def local_attention():
    module = use("local_attention.rotary.SinusoidalEmbeddings")(64)
    apply = use("local_attention.rotary.apply_rotary_pos_emb")

    def call(x, position):  # the last token of a text
        text = zeros(1, 1, position + 1, 64)
        return apply(x, text, *module(text))[0]

    return torch_one_by_one(call)


@box("performer-pytorch==1.1.4", "FixedPositionalEmbedding")
def performer():
    table = use("performer_pytorch.performer_pytorch.FixedPositionalEmbedding")(64, LENGTH).emb
    apply = use("performer_pytorch.performer_pytorch.apply_rotary_pos_emb")
    return by_lookup(lambda x, row: apply(x, x, row[None])[0], [table])


FMS = {
    "RotaryEmbedding": ({},),
    "RotaryEmbedding, llama3 × 8": ({"rope_type": "llama3", **LLAMA3},),
    "RotaryEmbedding, yarn × 4": (
        {"rope_type": "yarn", "scaling_factor": 4.0, "ntk_beta": 32.0, "ntk_alpha": 1.0},
    ),
}


@box("ibm-fms==1.13.1", "", each=FMS)
def fms(scaling):
    module = use("fms.modules.positions.RotaryEmbedding")(64, max_seq_len=2048, scaling=scaling)
    module.compute_freqs_cis(use("torch.device")("cpu"), LENGTH)  # the first length stays
    return torch_one_by_one(lambda x, p: module.adjusted_qk(x, x, zeros(len(x), 1).long() + p)[0])


@box("ibm-fms==1.13.1", "PixtralRotaryEmbedding", axes=2, limit=GRID)
def fms_pixtral():
    module = use("fms.modules.positions.PixtralRotaryEmbedding")(64, 1e4, GRID, 1)
    return on_torch(lambda x, p: module.adjusted_qk(x, x, p)[0], 2)


@box("timesfm==3.0.2", "RotaryPositionalEmbedding")
def timesfm():
    return on_torch(use("timesfm.torch.transformer.RotaryPositionalEmbedding")(64), 2)


@box("uni2ts==2.0.0", "RotaryProjection")
def uni2ts():
    module = use("uni2ts.module.position.RotaryProjection")(proj_width=64, num_heads=1, num_groups=1)
    return on_torch(module)


@box("mistral-inference==1.6.0", "precompute_freqs_cis")
def mistral():
    table = use("mistral_inference.rope.precompute_freqs_cis")(64, LENGTH, 1e6)
    apply = use("mistral_inference.rope.apply_rotary_emb")
    return by_lookup(lambda x, row: apply(x[0], x[0], row)[0][None], [table], 2)


@box("mistral-inference==1.6.0", "precompute_freqs_cis_2d", axes=2, limit=GRID)
def mistral_2d():
    table = use("mistral_inference.rope.precompute_freqs_cis_2d")(64, GRID, GRID, 1e4)
    apply = use("mistral_inference.rope.apply_rotary_emb")
    return by_lookup(lambda x, row: apply(x[0], x[0], row)[0][None], [table], 2)


@box("esm==3.2.1.post1", "RotaryEmbedding")
def esm():
    module = use("esm.layers.rotary.RotaryEmbedding")(64)

    def call(text):
        text = use("torch.tensor")(text)[None, :, None]
        return module(text, text)[0][0, :, 0]

    return in_a_text(call)


@box("chronos-forecasting==2.3.2", "Chronos2RotaryEmbedding")
def chronos():
    rotary = use("chronos.chronos2.layers.Chronos2RotaryEmbedding")
    module = rotary(use("chronos.chronos2.config.Chronos2CoreConfig")())
    return on_torch(lambda x, p: rotary.apply_rotary_pos_emb(x, x, *module(x, p))[0])


OLMO = {
    "RotaryEmbedding": ("RotaryEmbedding", None),
    "ComplexRotaryEmbedding": ("ComplexRotaryEmbedding", None),
    "RotaryEmbedding, yarn × 8": ("RotaryEmbedding", "YaRNRoPEScalingConfig"),
}


@box("ai2-olmo-core==3.0.0", "", each=OLMO)
def olmo(name, scaling):
    scaling = scaling and use(f"olmo_core.nn.rope.{scaling}")()
    module = use(f"olmo_core.nn.rope.{name}")(head_size=64, scaling=scaling)
    return torch_one_by_one(lambda x, p: module(x, x, start_pos=p)[0])


@box("llama-models==0.3.0", "Llama 3.1")
def llama_models():
    table = use("llama_models.llama3.model.precompute_freqs_cis")(64, LENGTH, 5e5, True)
    apply = use("llama_models.llama3.model.apply_rotary_emb")
    return by_lookup(lambda x, row: apply(x, x, row)[0], [table], 2)


@box("megatron-core==0.16.1", "", each={"half": (False,), "interleaved": (True,)})
def megatron(interleaved):
    embeddings = "megatron.core.models.common.embeddings"
    with use("unittest.mock.patch")("torch.cuda.current_device", lambda: "cpu"):
        make = use(f"{embeddings}.rotary_pos_embedding.RotaryEmbedding")
        group = use("unittest.mock.Mock")(size=lambda: 1)
        table = make(64, 1.0, rotary_interleaved=interleaved, cp_group=group)(LENGTH)
    config = use("megatron.core.transformer.TransformerConfig")(
        num_layers=1, hidden_size=64, num_attention_heads=1, rotary_interleaved=interleaved
    )
    apply = use(f"{embeddings}.rope_utils.apply_rotary_pos_emb")
    return by_lookup(lambda x, row: apply(x.mT.mT, row, config, cp_group=group), [table[:, 0]], 2)


@box("eole==0.6.4", "RotaryPosition", each={", interleaved": (True,), ", halves": (False,)})
def eole(interleave):
    config = use("eole.config.models.RotaryPositionConfig")(rotary_interleave=interleave)
    sizes = use("types.SimpleNamespace")(dim_per_head=64, rope_config=config)
    table = use("eole.modules.rope.RotaryPosition")(sizes, ctx_len=LENGTH).cos_sin
    apply = use("eole.modules.rope.apply_rotary_emb")
    return by_lookup(lambda x, row: apply(x, x, row, interleave)[0], [table], 2)


# other libraries: rotate -------------------------------------------------------------------------

KERAS = {
    "RotaryEmbedding": ({},),
    "RotaryEmbedding, linear × 4": ({"scaling_factor": 4.0},),
    "RotaryEmbedding, dynamic × 4": ({"rope_type": "dynamic", "scaling_factor": 4.0},),
    "RotaryEmbedding, yarn × 4": ({"rope_type": "yarn", "scaling_factor": 4.0},),
}


@box("keras-hub==0.32.0", "", each=KERAS)
def keras_hub(options):
    layer = use("keras_hub.layers.RotaryEmbedding")(**options)
    return on_torch(lambda x, p: layer(x, positions=p), 2)


@box("flax==0.12.12", "nnx.RoPE")
def flax():
    return use("flax.nnx.RoPE")()


@box("equinox==0.13.8", "RotaryPositionalEmbedding")
def equinox():
    return in_a_text(use("equinox.nn.RotaryPositionalEmbedding")(64))


@box("penzai==0.2.5", "ApplyRoPE")
def penzai():
    pz = use("penzai.pz")
    layer, wrap = pz.nn.ApplyRoPE("dim", 1e4, "at"), pz.nx.wrap
    return lambda x, p: layer(wrap(x).tag("len", "dim"), at=wrap(p).tag("len")).unwrap("len", "dim")


@box("gemma==3.3.0", "apply_rope", each={"": (1.0,), ", rope_proportion 0.25": (0.25,)})
def gemma(proportion):
    """The file is imported alone, as its package imports TensorFlow."""
    spec = use("importlib.util.find_spec")("gemma")
    path = f"{spec.submodule_search_locations[0]}/gm/math/_positional_embeddings.py"
    apply = use("runpy.run_path")(path)["apply_rope"]
    return lambda x, p: apply(
        x[None, :, None], p[None], base_frequency=10_000, rope_proportion=proportion
    )[0, :, 0]


def on_mlx(call):
    return one_by_one(lambda x, p: np.array(call(use("mlx.core.array")(x[:, None, None]), p))[:, 0, 0])


@box("mlx==0.32.4", "fast.rope", each={", traditional": (True,), "": (False,)})
def mlx(traditional):
    options = {"traditional": traditional, "base": 10_000.0, "scale": 1.0}
    return on_mlx(lambda x, p: use("mlx.core.fast.rope")(x, 64, offset=p, **options))


MLX_LM = {
    "llama3 × 8": ({"rope_type": "llama3", **LLAMA3},),
    "yarn × 4": ({"rope_type": "yarn", **YARN},),
    "dynamic × 4, each token the last": ({"rope_type": "dynamic", "factor": 4.0},),
    "longrope × 4": (
        {"rope_type": "longrope", "short_factor": [1.0] * 32, "long_factor": LONG, **YARN},
    ),
}


@box("mlx-lm==0.32.2", "initialize_rope, ", each=MLX_LM)
def mlx_lm(scaling):
    make = use("mlx_lm.models.rope_utils.initialize_rope")
    return on_mlx(make(64, 10_000.0, False, scaling, 8192))


def onnx_model(domain, interleaved, inputs):
    helper, types = use("onnx.helper"), use("onnx.TensorProto")
    values = [
        helper.make_tensor_value_info(n, types.INT64 if n == "p" else types.FLOAT, None)
        for n in (*inputs, "y")
    ]
    node = helper.make_node("RotaryEmbedding", inputs, "y", domain=domain, interleaved=interleaved)
    graph = helper.make_graph([node], "rope", values[:-1], values[-1:])
    domains = [helper.make_opsetid(*d) for d in (("", 23), ("com.microsoft", 1))]
    return helper.make_model(graph, opset_imports=domains, ir_version=11)


def with_tables(run):
    """The operator takes tables of cosines and sines: the usual ones, base 10 000."""
    angles = np.outer(np.arange(LENGTH), 10_000.0 ** (-np.arange(32) / 32))
    tables = {"c": np.cos(angles).astype(np.float32), "s": np.sin(angles).astype(np.float32)}
    return lambda x, p: run(
        None, {"x": x[None, None].astype(np.float32), "p": p[None].astype(np.int64), **tables}
    )[0][0, 0]


ONNX = {"halves": (0,), "interleaved": (1,)}


@box("onnx==1.23.2", "RotaryEmbedding of opset 23, ", each=ONNX)
def onnx_reference(interleaved):
    evaluator = use("onnx.reference.ReferenceEvaluator")
    return with_tables(evaluator(onnx_model("", interleaved, "xcsp")).run)


@box("onnxruntime==1.32.0", "", each={
    f"RotaryEmbedding of {where}, {name}": (*a, domain, inputs)
    for where, domain, inputs in (("opset 23", "", "xcsp"), ("com.microsoft", "com.microsoft", "xpcs"))
    for name, a in ONNX.items()
})  # fmt: skip
def onnxruntime(interleaved, domain, inputs):
    model = onnx_model(domain, interleaved, inputs).SerializeToString()
    return with_tables(use("onnxruntime.InferenceSession")(model).run)


# tables and biases -------------------------------------------------------------------------------

for library, name, make in (
    ("x-transformers==2.31.10", "ScaledSinusoidalEmbedding",
     lambda: use("x_transformers.x_transformers.ScaledSinusoidalEmbedding")(64)(zeros(1, 64))),
    ("openai-whisper==20250625", "sinusoids", lambda: use("whisper.model.sinusoids")(64, 64)),
    ("fair-esm==2.0.0", "SinusoidalPositionalEmbedding",
     lambda: use("esm.modules.SinusoidalPositionalEmbedding")(64, 1)(zeros(1, 64).long())[0]),
    ("diffusers==0.42.1", "get_1d_sincos_pos_embed_from_grid", lambda: use(
        "diffusers.models.embeddings.get_1d_sincos_pos_embed_from_grid")(64, use("torch.arange")(64))),
    ("diffusers==0.42.1", "get_timestep_embedding", lambda: use(
        "diffusers.models.embeddings.get_timestep_embedding")(use("torch.arange")(64), 64)),
    ("diffusers==0.42.1", "get_2d_sincos_pos_embed, 8 × 8",
     lambda: use("diffusers.models.embeddings.get_2d_sincos_pos_embed")(64, 8)),
    ("timm==1.0.31", "build_sincos2d_pos_embed, 8 × 8",
     lambda: use("timm.layers.build_sincos2d_pos_embed")([8, 8])),
    ("vit-pytorch==1.26.14", "posemb_sincos_1d",
     lambda: use("vit_pytorch.simple_vit_1d.posemb_sincos_1d")(zeros(1, 64, 64))),
    ("vit-pytorch==1.26.14", "posemb_sincos_2d, 8 × 8",
     lambda: use("vit_pytorch.simple_vit.posemb_sincos_2d")(8, 8, 64)),
    ("positional-encodings==6.0.3", "PositionalEncoding1D",
     lambda: use("positional_encodings.torch_encodings.PositionalEncoding1D")(64)(zeros(1, 64, 64))[0]),
    ("monai==1.6.1", "build_sincos_position_embedding, 8 × 8", lambda: use(
        "monai.networks.blocks.pos_embed_utils.build_sincos_position_embedding")([8, 8], 64, 2)[0]),
    ("pytorch-forecasting==1.8.0", "PositionalEncoder", lambda: use(
        "pytorch_forecasting.models.temporal_fusion_transformer.sub_modules.PositionalEncoder")(
        64, 64)(zeros(64, 1, 64))[:, 0]),
    ("pytorch-forecasting==1.8.0", "PositionalEmbedding", lambda: use(
        "pytorch_forecasting.layers.PositionalEmbedding")(64)(zeros(1, 64, 64))[0]),
    ("open_clip_torch==3.3.0", "get_2d_sincos_pos_embed, 8 × 8",
     lambda: use("open_clip.pos_embed.get_2d_sincos_pos_embed")(64, 8)),
    ("ultralytics==8.4.190", "AIFI, 8 × 8", lambda: use("ultralytics.nn.modules.transformer.AIFI")
     .build_2d_sincos_position_embedding(8, 8, 64, like=zeros(1))[0]),
    ("kornia==0.9.0", "PositionEncodingSine of LoFTR, 8 × 8", lambda: use(
        "kornia.feature.loftr.utils.position_encoding.PositionEncodingSine")(64).pe[0, :, :8, :8]
        .flatten(1).T),
    ("curated-transformers==2.0.1", "SinusoidalPositionalEmbedding", lambda: use(
        "curated_transformers.layers.embeddings.SinusoidalPositionalEmbedding")(
        width=64, max_len=64)(zeros(1, 64))),
    ("espnet==202511", "PositionalEncoding",
     lambda: use("espnet.nets.pytorch_backend.transformer.embedding.PositionalEncoding")(64, 0.0)(
         zeros(1, 64, 64))[0]),
    ("funasr==1.4.16", "SinusoidalPositionEncoder",
     lambda: use("funasr.models.transformer.embedding.SinusoidalPositionEncoder")()(
         zeros(1, 64, 64))[0]),
    ("uni2ts==2.0.0", "SinusoidalPositionEncoding",
     lambda: use("uni2ts.module.position.SinusoidalPositionEncoding")(width=64, max_len=64).pe),
    ("eole==0.6.4", "PositionalEncoding, concatenated",
     lambda: use("eole.modules.embeddings.PositionalEncoding")(64, "SinusoidalConcat").pe[:64, 0]),
    ("keras-hub==0.32.0", "SinePositionEncoding",
     lambda: use("keras_hub.layers.SinePositionEncoding")()(zeros(1, 64, 64))[0]),
    ("mlx==0.32.4", "SinusoidalPositionalEncoding",
     lambda: use("mlx.nn.SinusoidalPositionalEncoding")(64)(use("mlx.core.arange")(64))),
):  # fmt: skip
    box(library, name, kind="table")(make)

for heads in (8, 12):
    for library, make in (
        ("x-transformers==2.31.10",
         lambda h: use("x_transformers.x_transformers.AlibiPositionalBias")(h)(TEXT, TEXT)),
        ("keras-hub==0.32.0", lambda h: use("keras_hub.layers.AlibiBias")()(zeros(1, h, TEXT, TEXT))),
        ("eole==0.6.4", lambda h: use("eole.modules.alibi_position_bias.AlibiPositionalBias")(h)(
            zeros(1, h, TEXT, TEXT))),
        ("mlx==0.32.4", lambda h: use("mlx.nn.ALiBi").create_alibi_matrix(TEXT, TEXT, h)),
    ):  # fmt: skip
        box(library, f"ALiBi, {heads} heads", each={"": (make, heads)}, kind="bias")(
            lambda make, heads: all_queries(make(heads))
        )
box("torchtune==0.6.1", "T5EncoderRelativePositionBias", kind="bias")(
    lambda: use("torchtune.models.t5._encoder.T5EncoderRelativePositionBias")(32, 128, 8, TEXT)()[0]
)
box("x-transformers==2.31.10", "RelativePositionBias", kind="bias")(
    lambda: use("x_transformers.x_transformers.RelativePositionBias")(8.0)(TEXT, TEXT)
)
