"""What released libraries do with positions: each function in a box that can be asked.

A box is a function without arguments. It imports its library and returns, by its ``kind``:

- "rotate": ``rotate(x [len, head_dim], positions)``, result as x; positions are [len], or [len, 2]
  (row, column) with ``axes=2``, or [len, 3] (time, row, column) with ``axes=3``, all below limit;
- "table": an array [rows, d_model], row r being what is added to token r;
- "bias": an array [heads, q_len, k_len] to add to the scores, for 24 queries and 24 keys.

Each box calls the released code as a user would. Where the code knows consecutive positions alone,
it is called once for each distinct position. ``libraries.py`` installs the libraries and runs all.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pkgutil import resolve_name as use
from typing import Any

import numpy as np

LENGTH = 131_072  # of the tables that libraries compute once: positions stay below
GRID = 64  # rows and columns of such tables in two dimensions
TEXT = 24  # queries and keys of a bias

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


def box(library: str, name: str, each: dict | None = None, **about: Any) -> Callable:
    """Register the decorated function; with ``each``, once for each name and its arguments."""

    def register(make: Callable) -> Callable:
        for variant, arguments in (each or {"": ()}).items():
            BOXES.append(Box(library, name + variant, lambda a=arguments: make(*a), **about))
        return make

    return register


def on_torch(call: Callable, heads_at: int = 1) -> Rotate:
    """Return rotate of call(x, positions [1, len]) in float32.

    The x of ``call`` is [1, heads, len, head_dim] with one head, or [1, len, heads, head_dim] when
    ``heads_at`` is 2.
    """

    def rotate(x: np.ndarray, positions: np.ndarray) -> np.ndarray:
        with use("torch.no_grad")():
            x = use("torch.tensor")(x, dtype=use("torch.float32"))[None].unsqueeze(heads_at)
            out = call(x, use("torch.tensor")(positions)[None])
        return out.squeeze(heads_at)[0].float().numpy()

    return rotate


def by_lookup(call: Callable, tables: Any, heads_at: int = 1) -> Rotate:
    """Return rotate of call(x, *rows of the tables at the positions); see ``on_torch``."""

    def look_up(x: Any, p: Any) -> Any:
        at = p[0].unbind(-1) if p.dim() == 3 else (p[0],)
        return call(x, *(table[at] for table in tables))

    return on_torch(look_up, heads_at)


def on_grid(call: Callable, tables: Any) -> Rotate:
    """As ``by_lookup``, for tables whose rows are those of a square grid, one after the other."""
    return by_lookup(call, [table.unflatten(0, (-1, int(len(table) ** 0.5))) for table in tables])


def one_by_one(call: Callable) -> Rotate:
    """Return rotate of call(x [rows, 1, 1, head_dim], position): one call for each position."""

    def rotate(x: np.ndarray, positions: np.ndarray) -> np.ndarray:
        out = np.empty(x.shape)
        for position in np.unique(positions):
            here = positions == position
            rows = x[here].astype(np.float32)[:, None, None]
            out[here] = np.asarray(call(rows, int(position)))[:, 0, 0]
        return out

    return rotate


def torch_one_by_one(call: Callable) -> Rotate:
    """As ``one_by_one``, for a call that takes and returns tensors."""
    return one_by_one(lambda x, p: call(use("torch.tensor")(x), p))


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
LLAMA3 = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0}
LLAMA3 |= {"original_max_position_embeddings": 8192}
YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 2048}
LONG = {"rope_type": "longrope", "short_factor": [1.0] * 32, "factor": 4.0}
LONG |= {"long_factor": [1 + k / 8 for k in range(32)], "original_max_position_embeddings": 2048}


def model_rope(model: str, name: str, **sizes: Any) -> tuple[Any, Callable]:
    """The rotary module of a configuration at one head of 64, and the function that rotates."""
    sizes = {"hidden_size": 64, "num_attention_heads": 1, "head_dim": 64} | sizes
    module = f"{MODELS}.{model}.modeling_{model}"
    config = use(f"transformers.{name}Config")(**sizes)
    return use(f"{module}.{name}RotaryEmbedding")(config), use(f"{module}.apply_rotary_pos_emb")


@box(TRANSFORMERS, "Llama", {
    "": ({"rope_type": "default"}, 5e5),
    ", linear × 4": ({"rope_type": "linear", "factor": 4.0}, 1e4),
    ", llama3 × 8": (LLAMA3, 5e5),
    ", yarn × 4": (YARN, 1e4),
})  # fmt: skip
def llama(rope, theta):
    rope = {"rope_theta": theta} | rope
    module, apply = model_rope("llama", "Llama", rope_parameters=rope, max_position_embeddings=9216)
    return on_torch(lambda x, p: apply(x, x, *module(x, p))[0])


@box(TRANSFORMERS, "Llama, after model.bfloat16()")
def bfloat16():
    sizes = {"vocab_size": 9, "num_attention_heads": 1, "num_hidden_layers": 0}
    config = use("transformers.LlamaConfig")(hidden_size=64, **sizes)
    model, half = use("transformers.LlamaModel")(config).bfloat16(), use("torch.bfloat16")
    apply = use(f"{MODELS}.llama.modeling_llama.apply_rotary_pos_emb")
    return on_torch(lambda x, p: apply(x.to(half), x, *model.rotary_emb(x.to(half), p))[0])


@box(TRANSFORMERS, "a text of 8192: ", {
    "Llama, dynamic × 2": ("llama", "Llama", 2048, {"rope_type": "dynamic", "factor": 2.0}),
    "Phi-3, longrope × 4": ("phi3", "Phi3", 8192, LONG),
}, limit=8192)  # fmt: skip
def of_a_long_text(model, name, length, rope):
    rope = {"rope_theta": 1e4} | rope
    module, apply = model_rope(model, name, rope_parameters=rope, max_position_embeddings=length)

    def call(x, positions):
        text = use("torch.cat")([positions, zeros(1, 1).long() + 8191], 1)  # with its last token
        return apply(x, x, *(table[:, :-1] for table in module(x, text)))[0]

    return on_torch(call)


@box(TRANSFORMERS, "", {n: (n.lower().replace("-", "_"), n.replace("-", "")) for n in (
    "GPT-NeoX", "Esm", "Cohere", "Glm")})  # fmt: skip
def as_published(model, name):
    module, apply = model_rope(model, name)
    return on_torch(lambda x, p: apply(x, x, *module(x, p))[0])


@box(TRANSFORMERS, "Gemma 4, ", {n: (n,) for n in ("full_attention", "sliding_attention")},
     head_dim=512)  # fmt: skip
def gemma4(layer):
    gemma, config = f"{MODELS}.gemma4.modeling_gemma4", use("transformers.Gemma4TextConfig")
    module = use(f"{gemma}.Gemma4TextRotaryEmbedding")(config(head_dim=512, global_head_dim=512))
    apply = use(f"{gemma}.apply_rotary_pos_emb")
    return on_torch(lambda x, p: apply(x, *module(x, p, layer)))


@box(TRANSFORMERS, "GPT-J")
def gptj():
    table = use(f"{MODELS}.gptj.modeling_gptj.create_sinusoidal_positions")(LENGTH, 64)
    apply = use(f"{MODELS}.gptj.modeling_gptj.apply_rotary_pos_emb")
    return by_lookup(lambda x, row: apply(x, *row[None].chunk(2, -1)), [table], 2)


@box(TRANSFORMERS, "RoFormer", limit=4096)
def roformer():
    roformer = f"{MODELS}.roformer.modeling_roformer.RoFormer"
    table = use(f"{roformer}SinusoidalPositionalEmbedding")(4096, 64).create_weight()
    apply = use(f"{roformer}SelfAttention").apply_rotary_position_embeddings
    return by_lookup(lambda x, row: apply(row[None, None], x, x)[0], [table])


@box(TRANSFORMERS, "Qwen2-VL", axes=3)
def qwen2_vl():
    rope = {"rope_type": "default", "rope_theta": 1e6, "mrope_section": [8, 12, 12]}
    config = use("transformers.Qwen2VLTextConfig")(
        hidden_size=64, num_attention_heads=1, rope_parameters=rope
    )
    module = use(f"{MODELS}.qwen2_vl.modeling_qwen2_vl.Qwen2VLRotaryEmbedding")(config)
    apply = use(f"{MODELS}.qwen2_vl.modeling_qwen2_vl.apply_rotary_pos_emb")
    return on_torch(lambda x, p: apply(x, x, *module(x, p.permute(2, 0, 1)))[0])


@box(TRANSFORMERS, "Llama, in the order of a GGUF file")
def gguf():
    read = use("transformers.modeling_gguf_pytorch_utils.LlamaTensorProcessor")()
    order = read._reverse_permute_weights(np.arange(64), 1)  # of a head's rows, as they are read
    rotate = llama({"rope_type": "default"}, 1e4)
    return lambda x, p: rotate(x[:, order], p)[:, np.argsort(order)]


@box(TRANSFORMERS, "ALiBi of ", {f"{m}, {heads} heads": (m, heads) for m in (
    "bloom", "falcon", "mpt") for heads in (8, 12)}, kind="bias")  # fmt: skip
def transformers_alibi(model, heads):
    if model == "mpt":
        return all_queries(use(f"{MODELS}.mpt.modeling_mpt.build_mpt_alibi_tensor")(heads, TEXT))
    build = use(f"{MODELS}.{model}.modeling_{model}.build_alibi_tensor")
    return all_queries(build(zeros(1, TEXT) + 1, heads, use("torch.float32")))


@box(TRANSFORMERS, "T5, ", {"encoder": (False,), "decoder": (True,)}, kind="bias")
def t5(is_decoder):
    config, attention = use("transformers.T5Config"), use(f"{MODELS}.t5.modeling_t5.T5Attention")
    module = attention(config(is_decoder=is_decoder), has_relative_attention_bias=True, layer_idx=0)
    return module.compute_bias(TEXT, TEXT)[0]


@box(TRANSFORMERS, "", {
    "Marian": ("marian", "Marian", (64, 64), lambda m: m.create_weight()),
    "M2M100": ("m2m_100", "M2M100", (64, 64, 1), lambda m: m(zeros(1, 64).long() + 2)[0]),
    "MusicGen": ("musicgen", "Musicgen", (64, 64), lambda m: m(zeros(1, 1, 64))),
    "Pegasus-X": ("pegasus_x", "PegasusX", (64,), lambda m: m(zeros(1, 64, 64))[0]),
}, kind="table")  # fmt: skip
def sinusoids(model, name, sizes, call):
    name = f"{MODELS}.{model}.modeling_{model}.{name}SinusoidalPositionalEmbedding"
    return call(use(name)(*sizes))


@box(TRANSFORMERS, "XLNet, from the last key to the first", kind="table")
def xlnet():
    sizes = {"vocab_size": 9, "d_model": 64, "n_head": 1, "n_layer": 1, "d_inner": 1}
    model = use("transformers.XLNetModel")(use("transformers.XLNetConfig")(**sizes))
    return model.relative_positional_encoding(32, 32, bsz=1)[:, 0]


# other libraries: rotate -------------------------------------------------------------------------


@box("torchtune==0.6.1", "", {name.rpartition(".")[2]: (name,) for name in (
    "modules.RotaryPositionalEmbeddings", "models.llama3_1.Llama3ScaledRoPE",
    "models.phi3.Phi3RotaryPositionalEmbeddings")})  # fmt: skip
def torchtune(name):
    module = use(f"torchtune.{name}")(64, LENGTH)
    return on_torch(lambda x, p: module(x, input_pos=p), 2)


@box("torchtune==0.6.1", "VisionRotaryPositionalEmbeddings", axes=2, limit=GRID)
def torchtune_vision():  # one tile, and its class token at the end
    module = use("torchtune.modules.VisionRotaryPositionalEmbeddings")(1, GRID, 1, 32)
    tile = lambda text: module(use("torch.tensor")(text)[None, :, None])[0, :, 0]  # noqa: E731
    rotate = in_a_text(tile, GRID**2 + 1)
    return lambda x, p: rotate(x, p @ [GRID, 1])


@box("rotary-embedding-torch==0.9.1", "32 of 64, ", {"lang": ("lang",), "pixel": ("pixel",)})
def rotary_embedding_torch(freqs_for):
    module = use("rotary_embedding_torch.RotaryEmbedding")(32, freqs_for=freqs_for)
    apply = use("rotary_embedding_torch.apply_rotary_emb")
    return on_torch(lambda x, p: apply(module(p[0].float()), x))


@box("rotary-embedding-torch==0.9.1", "xPos, queries of a text of 1024", limit=1024)
def rotary_embedding_torch_xpos():
    module = use("rotary_embedding_torch.RotaryEmbedding")(64, use_xpos=True)
    rotate, text = module.rotate_queries_and_keys, use("torch.tensor")
    return in_a_text(lambda x: rotate(text(x)[None], text(x)[None])[0][0].detach(), 1024)


@box("x-transformers==2.31.10", "RotaryEmbedding, 32 of 64")
def x_transformers():
    module = use("x_transformers.x_transformers.RotaryEmbedding")(32)
    apply = use("x_transformers.x_transformers.apply_rotary_pos_emb")
    return on_torch(lambda x, p: apply(x, *module(p)))


@box("torchscale==0.3.0", "XPOS, queries")
def torchscale():
    module = use("torchscale.component.xpos_relative_position.XPOS")(64)
    return torch_one_by_one(lambda x, p: module(x[:, 0], offset=p)[:, None])


@box("timm==1.0.31", "RotaryEmbedding", {
    "Cat": ("Cat", {"in_pixels": False}, False), "Cat, in pixels": ("Cat", {}, False),
    "DinoV3": ("DinoV3", {}, True), "MRope": ("MRope", {}, True),
}, axes=2, limit=16)  # fmt: skip
def timm(name, options, half):
    module = use(f"timm.layers.pos_embed_sincos.RotaryEmbedding{name}")(64, **options)
    apply = use("timm.layers.apply_rot_embed_cat")
    return on_grid(lambda x, row: apply(x, row, half=half), [module.get_embed([16, 16])])


@box("diffusers==0.42.1", "FluxPosEmbed", axes=3, head_dim=128)
def flux():
    module = use("diffusers.models.transformers.transformer_flux.FluxPosEmbed")(1e4, [16, 56, 56])
    apply = use("diffusers.models.embeddings.apply_rotary_emb")
    return on_torch(lambda x, p: apply(x, module(p[0]), sequence_dim=1), 2)


@box("litgpt==0.5.13", "rope cache", {
    "": (None,), ", llama3 × 8": ({**LLAMA3, "original_max_seq_len": 8192},),
    ", yarn × 4": ({**YARN, "original_max_seq_len": 2048, "beta_fast": 32, "beta_slow": 1},),
})  # fmt: skip
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
    module, text = use("esm.rotary_embedding.RotaryEmbedding")(64), use("torch.tensor")
    return in_a_text(lambda x: module(text(x)[None], text(x)[None])[0][0])


@box("esm==3.2.1.post1", "RotaryEmbedding")
def esm():
    module, text = use("esm.layers.rotary.RotaryEmbedding")(64), use("torch.tensor")
    return in_a_text(lambda x: module(text(x)[None, :, None], text(x)[None, :, None])[0][0, :, 0])


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
def local_attention():  # the query is the last token of a text
    module = use("local_attention.rotary.SinusoidalEmbeddings")(64)
    apply = use("local_attention.rotary.apply_rotary_pos_emb")
    text = lambda p: zeros(1, 1, p + 1, 64)  # noqa: E731
    return torch_one_by_one(lambda x, p: apply(x, text(p), *module(text(p)))[0])


@box("performer-pytorch==1.1.4", "FixedPositionalEmbedding")
def performer():
    table = use("performer_pytorch.performer_pytorch.FixedPositionalEmbedding")(64, LENGTH).emb
    apply = use("performer_pytorch.performer_pytorch.apply_rotary_pos_emb")
    return by_lookup(lambda x, row: apply(x, x, row[None])[0], [table])


@box("ibm-fms==1.13.1", "RotaryEmbedding", {
    "": ({},), ", llama3 × 8": (LLAMA3,),
    ", yarn × 4": ({**YARN, "scaling_factor": 4.0, "ntk_beta": 32.0, "ntk_alpha": 1.0},),
})  # fmt: skip
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
    projection = use("uni2ts.module.position.RotaryProjection")
    return on_torch(projection(proj_width=64, num_heads=1, num_groups=1))


@box("mistral-inference==1.6.0", "precompute_freqs_cis", {"": ("", LENGTH)})
@box("mistral-inference==1.6.0", "precompute_freqs_cis", {"_2d": ("_2d", GRID, GRID)},
     axes=2, limit=GRID)  # fmt: skip
def mistral(which, *sizes):
    table = use(f"mistral_inference.rope.precompute_freqs_cis{which}")(64, *sizes, theta=1e4)
    apply = use("mistral_inference.rope.apply_rotary_emb")
    return by_lookup(lambda x, row: apply(x[0], x[0], row)[0][None], [table], 2)


@box("chronos-forecasting==2.3.2", "Chronos2RotaryEmbedding")
def chronos():
    rotary = use("chronos.chronos2.layers.Chronos2RotaryEmbedding")
    module = rotary(use("chronos.chronos2.config.Chronos2CoreConfig")())
    return on_torch(lambda x, p: rotary.apply_rotary_pos_emb(x, x, *module(x, p))[0])


@box("ai2-olmo-core==3.0.0", "", {
    "RotaryEmbedding": ("RotaryEmbedding",), "ComplexRotaryEmbedding": ("ComplexRotaryEmbedding",),
    "RotaryEmbedding, yarn × 8": ("RotaryEmbedding", "YaRNRoPEScalingConfig"),
})  # fmt: skip
def olmo(name, scaling=None):
    scaling = scaling and use(f"olmo_core.nn.rope.{scaling}")()
    module = use(f"olmo_core.nn.rope.{name}")(head_size=64, scaling=scaling)
    return torch_one_by_one(lambda x, p: module(x, x, start_pos=p)[0])


@box("llama-models==0.3.0", "Llama 3.1")
def llama_models():
    table = use("llama_models.llama3.model.precompute_freqs_cis")(64, LENGTH, 5e5, True)
    apply = use("llama_models.llama3.model.apply_rotary_emb")
    return by_lookup(lambda x, row: apply(x, x, row)[0], [table], 2)


HALVES = {"halves": (0,), "interleaved": (1,)}


@box("megatron-core==0.16.1", "RotaryEmbedding, ", HALVES)
def megatron(interleaved):
    options, embeddings = {"rotary_interleaved": bool(interleaved)}, "megatron.core.models.common"
    group = use("unittest.mock.Mock")(size=lambda: 1)
    with use("unittest.mock.patch")("torch.cuda.current_device", lambda: "cpu"):
        make = use(f"{embeddings}.embeddings.rotary_pos_embedding.RotaryEmbedding")
        table = make(64, 1.0, cp_group=group, **options)(LENGTH)[:, 0]
    sizes = {"num_layers": 1, "hidden_size": 64, "num_attention_heads": 1}
    config = use("megatron.core.transformer.TransformerConfig")(**sizes, **options)
    apply = use(f"{embeddings}.embeddings.rope_utils.apply_rotary_pos_emb")
    return by_lookup(lambda x, row: apply(x, row, config, cp_group=group), [table], 2)


@box("eole==0.6.4", "RotaryPosition, ", HALVES)
def eole(interleave):
    config = use("eole.config.models.RotaryPositionConfig")(rotary_interleave=bool(interleave))
    sizes = use("types.SimpleNamespace")(dim_per_head=64, rope_config=config)
    table = use("eole.modules.rope.RotaryPosition")(sizes, ctx_len=LENGTH).cos_sin
    apply = use("eole.modules.rope.apply_rotary_emb")
    return by_lookup(lambda x, row: apply(x, x, row, interleave)[0], [table], 2)


@box("keras-hub==0.32.0", "RotaryEmbedding", {
    "": ("linear", 1.0), ", linear × 4": ("linear", 4.0), ", dynamic × 4": ("dynamic", 4.0),
    ", yarn × 4": ("yarn", 4.0),
})  # fmt: skip
def keras_hub(rope_type, factor):
    layer = use("keras_hub.layers.RotaryEmbedding")(rope_type=rope_type, scaling_factor=factor)
    return on_torch(lambda x, p: layer(x, positions=p), 2)


@box("penzai==0.2.5", "ApplyRoPE")
def penzai():
    layer, wrap = use("penzai.pz.nn.ApplyRoPE")("d", 1e4, "at"), use("penzai.pz.nx.wrap")
    return lambda x, p: layer(wrap(x).tag("len", "d"), at=wrap(p).tag("len")).unwrap("len", "d")


@box("gemma==3.3.0", "apply_rope", {"": (1.0,), ", rope_proportion 0.25": (0.25,)})
def gemma(part):  # one file, as its package imports TensorFlow
    folder = use("importlib.util.find_spec")("gemma").submodule_search_locations[0]
    apply = use("runpy.run_path")(f"{folder}/gm/math/_positional_embeddings.py")["apply_rope"]
    options = {"base_frequency": 10_000, "rope_proportion": part}
    return lambda x, p: apply(x[None, :, None], p[None], **options)[0, :, 0]


box("flax==0.12.12", "nnx.RoPE")(lambda: use("flax.nnx.RoPE")())
box("equinox==0.13.8", "RotaryPositionalEmbedding")(
    lambda: in_a_text(use("equinox.nn.RotaryPositionalEmbedding")(64))
)


@box("mlx==0.32.4", "fast.rope", {", traditional": (True,), "": (False,)})
def mlx(traditional):
    options = {"traditional": traditional, "base": 10_000.0, "scale": 1.0}
    rope, array = use("mlx.core.fast.rope"), use("mlx.core.array")
    return one_by_one(lambda x, p: rope(array(x), 64, offset=p, **options))


@box("mlx-lm==0.32.2", "initialize_rope, ", {
    "llama3 × 8": (LLAMA3,), "yarn × 4": (YARN,), "longrope × 4": (LONG,),
    "dynamic × 4, each token the last": ({"rope_type": "dynamic", "factor": 4.0},),
})  # fmt: skip
def mlx_lm(scaling):
    make, array = use("mlx_lm.models.rope_utils.initialize_rope"), use("mlx.core.array")
    rope = make(64, 10_000.0, False, scaling, 8192)
    return one_by_one(lambda x, p: rope(array(x), offset=p))


REFERENCE, RUNTIME = "onnx.reference.ReferenceEvaluator", "onnxruntime.InferenceSession"


@box("onnx==1.23.2", "opset 23, ", {n: (*a, REFERENCE) for n, a in HALVES.items()})
@box("onnxruntime==1.32.0", "opset 23, ", {n: (*a, RUNTIME) for n, a in HALVES.items()})
@box("onnxruntime==1.32.0", "com.microsoft, ", {
    n: (*a, RUNTIME, "com.microsoft", "xpcs") for n, a in HALVES.items()
})  # fmt: skip
def onnx(interleaved, run, domain="", inputs="xcsp"):
    """The operator takes tables of cosines and sines: the usual ones, base 10 000."""
    helper = use("onnx.helper")
    node = helper.make_node("RotaryEmbedding", inputs, "y", domain=domain, interleaved=interleaved)
    values = [helper.make_tensor_value_info(n, 7 if n == "p" else 1, None) for n in inputs + "y"]
    graph = helper.make_graph([node], "rope", values[:-1], values[-1:])
    opsets = [helper.make_opsetid("", 23), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=11).SerializeToString()
    angles = np.outer(np.arange(LENGTH), 10_000.0 ** (-np.arange(32) / 32))
    tables = {"c": np.cos(angles).astype("float32"), "s": np.sin(angles).astype("float32")}
    run = use(run)(model).run
    x4 = lambda x: x[None, None].astype("float32")  # noqa: E731
    return lambda x, p: run(None, {"x": x4(x), "p": p[None], **tables})[0][0, 0]


# tables and biases -------------------------------------------------------------------------------


def of_zeros(module: Any) -> Any:
    """Return what a module gives for 64 tokens of width 64, or adds to them."""
    return module(zeros(1, 64, 64))[0]


DIFFUSERS = "diffusers.models.embeddings"
FORECASTING = "pytorch_forecasting.models.temporal_fusion_transformer.sub_modules"
for library, function, call in (
    (TRANSFORMERS, f"{MODELS}.whisper.modeling_whisper.sinusoids", lambda f: f(64, 64)),
    ("openai-whisper==20250625", "whisper.model.sinusoids", lambda f: f(64, 64)),
    ("x-transformers==2.31.10", "x_transformers.x_transformers.ScaledSinusoidalEmbedding",
     lambda f: f(64)(zeros(1, 64))),
    ("fair-esm==2.0.0", "esm.modules.SinusoidalPositionalEmbedding",
     lambda f: f(64, 1)(zeros(1, 64))[0]),
    ("diffusers==0.42.1", f"{DIFFUSERS}.get_1d_sincos_pos_embed_from_grid",
     lambda f: f(64, zeros(64) + use("torch.arange")(64))),
    ("diffusers==0.42.1", f"{DIFFUSERS}.get_timestep_embedding",
     lambda f: f(use("torch.arange")(64), 64)),
    ("diffusers==0.42.1", f"{DIFFUSERS}.get_2d_sincos_pos_embed", lambda f: f(64, 8)),
    ("timm==1.0.31", "timm.layers.build_sincos2d_pos_embed", lambda f: f([8, 8])),
    ("vit-pytorch==1.26.14", "vit_pytorch.simple_vit_1d.posemb_sincos_1d",
     lambda f: f(zeros(1, 64, 64))),
    ("vit-pytorch==1.26.14", "vit_pytorch.simple_vit.posemb_sincos_2d", lambda f: f(8, 8, 64)),
    ("positional-encodings==6.0.3", "positional_encodings.torch_encodings.PositionalEncoding1D",
     lambda f: of_zeros(f(64))),
    ("monai==1.6.1", "monai.networks.blocks.pos_embed_utils.build_sincos_position_embedding",
     lambda f: f([8, 8], 64, 2)[0]),
    ("pytorch-forecasting==1.8.0", "pytorch_forecasting.layers.PositionalEmbedding",
     lambda f: of_zeros(f(64))),
    ("pytorch-forecasting==1.8.0", f"{FORECASTING}.PositionalEncoder",
     lambda f: f(64, 64)(zeros(64, 1, 64))[:, 0]),
    ("open_clip_torch==3.3.0", "open_clip.pos_embed.get_2d_sincos_pos_embed", lambda f: f(64, 8)),
    ("ultralytics==8.4.190", "ultralytics.nn.modules.transformer.AIFI",
     lambda f: f.build_2d_sincos_position_embedding(8, 8, 64, like=zeros(1))[0]),
    ("kornia==0.9.0", "kornia.feature.loftr.utils.position_encoding.PositionEncodingSine",
     lambda f: f(64).pe[0, :, :8, :8].flatten(1).T),
    ("kornia==0.9.0", "kornia.models.rt_detr.architecture.hybrid_encoder.AIFI",
     lambda f: f.build_2d_sincos_pos_emb(8, 8, 64)[:, 0]),
    ("curated-transformers==2.0.1",
     "curated_transformers.layers.embeddings.SinusoidalPositionalEmbedding",
     lambda f: f(width=64, max_len=64)(zeros(1, 64))),
    ("espnet==202511", "espnet.nets.pytorch_backend.transformer.embedding.PositionalEncoding",
     lambda f: of_zeros(f(64, 0.0))),
    ("funasr==1.4.16", "funasr.models.transformer.embedding.SinusoidalPositionEncoder",
     lambda f: of_zeros(f())),
    ("uni2ts==2.0.0", "uni2ts.module.position.SinusoidalPositionEncoding",
     lambda f: f(width=64, max_len=64).pe),
    ("eole==0.6.4", "eole.modules.embeddings.PositionalEncoding",
     lambda f: f(64, "SinusoidalConcat").pe[:64, 0]),
    ("keras-hub==0.32.0", "keras_hub.layers.SinePositionEncoding", lambda f: of_zeros(f())),
    ("mlx==0.32.4", "mlx.nn.SinusoidalPositionalEncoding",
     lambda f: f(64)(use("mlx.core.arange")(64))),
):  # fmt: skip
    box(library, function.rpartition(".")[2], {"": (function, call)}, kind="table")(
        lambda function, call: call(use(function))
    )
for library, function, call in (
    ("x-transformers==2.31.10", "x_transformers.x_transformers.AlibiPositionalBias",
     lambda f, heads: f(heads)(TEXT, TEXT)),
    ("keras-hub==0.32.0", "keras_hub.layers.AlibiBias",
     lambda f, heads: f()(zeros(1, heads, TEXT, TEXT))),
    ("eole==0.6.4", "eole.modules.alibi_position_bias.AlibiPositionalBias",
     lambda f, heads: f(heads)(zeros(1, heads, TEXT, TEXT))),
    ("mlx==0.32.4", "mlx.nn.ALiBi", lambda f, heads: f.create_alibi_matrix(TEXT, TEXT, heads)),
):  # fmt: skip
    each = {f", {heads} heads": (function, call, heads) for heads in (8, 12)}
    box(library, function.rpartition(".")[2], each, kind="bias")(
        lambda function, call, heads: all_queries(call(use(function), heads))
    )
box("torchtune==0.6.1", "T5EncoderRelativePositionBias", kind="bias")(
    lambda: use("torchtune.models.t5._encoder.T5EncoderRelativePositionBias")(32, 128, 8, TEXT)()[0]
)
box("x-transformers==2.31.10", "RelativePositionBias", kind="bias")(
    lambda: use("x_transformers.x_transformers.RelativePositionBias")(8.0)(TEXT, TEXT)
)
