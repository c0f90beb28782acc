"""What well-known models say of position in their configurations, as read in November 2026.

`read_config(CONFIGS["gpt-oss 120b"])` reads one. Entries that say nothing of position are left out.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["CONFIGS", "SOURCES"]


def _repeated(pattern: Sequence, count: int) -> list:
    """Return so many layers, the pattern over and over; of the last time maybe a part."""
    return [pattern[i % len(pattern)] for i in range(count)]


LOCAL, GLOBAL = "sliding_attention", "full_attention"
TRANSFORMERS = ("transformers523",)  # the defaults of its configuration classes

CONFIGS: dict[str, dict] = {
    "Llama 7B": {
        "model_type": "llama",
        "hidden_size": 4096,
        "num_attention_heads": 32,
        "num_hidden_layers": 32,
        "max_position_embeddings": 2048,
        "rope_parameters": {"rope_type": "default", "rope_theta": 10_000.0},
    },
    "GPT-NeoX 20B": {
        "model_type": "gpt_neox",
        "hidden_size": 6144,
        "num_attention_heads": 64,
        "num_hidden_layers": 44,
        "max_position_embeddings": 2048,
        "rope_parameters": {
            "rope_type": "default",
            "rope_theta": 10_000.0,
            "partial_rotary_factor": 0.25,
        },
    },
    "Gemma 2 2B": {
        "model_type": "gemma2",
        "head_dim": 256,
        "num_hidden_layers": 26,
        "max_position_embeddings": 8192,
        "layer_types": _repeated([LOCAL, GLOBAL], 26),
        "rope_parameters": {"rope_type": "default", "rope_theta": 10_000.0},
    },
    "Llama 3.1 8B": {
        "model_type": "llama",
        "hidden_size": 4096,
        "num_attention_heads": 32,
        "num_hidden_layers": 32,
        "max_position_embeddings": 131_072,
        "rope_parameters": {
            "rope_type": "llama3",
            "rope_theta": 500_000.0,
            "factor": 8.0,
            "low_freq_factor": 1.0,
            "high_freq_factor": 4.0,
            "original_max_position_embeddings": 8192,
        },
    },
    "DeepSeek-V3": {
        "model_type": "deepseek_v3",
        "qk_rope_head_dim": 64,
        "num_hidden_layers": 61,
        "max_position_embeddings": 163_840,
        "rope_parameters": {
            "rope_type": "yarn",
            "rope_theta": 10_000.0,
            "factor": 40.0,
            "beta_fast": 32.0,
            "beta_slow": 1.0,
            "mscale": 1.0,
            "mscale_all_dim": 1.0,
            "original_max_position_embeddings": 4096,
        },
    },
    "ModernBERT base": {
        "model_type": "modernbert",
        "hidden_size": 768,
        "num_attention_heads": 12,
        "num_hidden_layers": 22,
        "max_position_embeddings": 8192,
        "layer_types": _repeated([GLOBAL, LOCAL, LOCAL], 22),
        "rope_parameters": {
            GLOBAL: {"rope_type": "default", "rope_theta": 160_000.0},
            LOCAL: {"rope_type": "default", "rope_theta": 10_000.0},
        },
    },
    "Gemma 3 4B": {
        "model_type": "gemma3_text",
        "head_dim": 256,
        "num_hidden_layers": 34,
        "max_position_embeddings": 131_072,
        "layer_types": _repeated([LOCAL] * 5 + [GLOBAL], 34),
        "rope_parameters": {
            GLOBAL: {"rope_type": "linear", "rope_theta": 1_000_000.0, "factor": 8.0},
            LOCAL: {"rope_type": "default", "rope_theta": 10_000.0},
        },
    },
    "Qwen3 8B, YaRN on": {  # as its documentation says for long texts; without, no rope_type
        "model_type": "qwen3",
        "head_dim": 128,
        "num_hidden_layers": 36,
        "max_position_embeddings": 131_072,
        "rope_parameters": {
            "rope_type": "yarn",
            "rope_theta": 1_000_000.0,
            "factor": 4.0,
            "original_max_position_embeddings": 32_768,
        },
    },
    "SmolLM3 3B": {
        "model_type": "smollm3",
        "hidden_size": 2048,
        "num_attention_heads": 16,
        "num_hidden_layers": 36,
        "max_position_embeddings": 65_536,
        "no_rope_layers": _repeated([1, 1, 1, 0], 36),
        "rope_parameters": {"rope_type": "default", "rope_theta": 5_000_000.0},
    },
    "gpt-oss 120b": {
        "model_type": "gpt_oss",
        "head_dim": 64,
        "num_hidden_layers": 36,
        "max_position_embeddings": 131_072,
        "layer_types": _repeated([LOCAL, GLOBAL], 36),
        "rope_parameters": {
            "rope_type": "yarn",
            "rope_theta": 150_000.0,
            "factor": 32.0,
            "beta_fast": 32.0,
            "beta_slow": 1.0,
            "truncate": False,
            "original_max_position_embeddings": 4096,
        },
    },
    "OLMo 3 7B": {
        "model_type": "olmo3",
        "hidden_size": 4096,
        "num_attention_heads": 32,
        "num_hidden_layers": 32,
        "max_position_embeddings": 65_536,
        "layer_types": _repeated([LOCAL] * 3 + [GLOBAL], 32),
        "rope_parameters": {
            GLOBAL: {
                "rope_type": "yarn",
                "rope_theta": 500_000.0,
                "factor": 8.0,
                "beta_fast": 32,
                "beta_slow": 1,
                "original_max_position_embeddings": 8192,
            },
            LOCAL: {"rope_type": "default", "rope_theta": 500_000.0},
        },
    },
    "Ministral 3 8B": {
        "model_type": "ministral3",
        "head_dim": 128,
        "num_hidden_layers": 34,
        "max_position_embeddings": 262_144,
        "rope_parameters": {
            "rope_type": "yarn",
            "rope_theta": 1_000_000.0,
            "factor": 16.0,
            "beta_fast": 32.0,
            "beta_slow": 1.0,
            "mscale": 1.0,
            "mscale_all_dim": 1.0,
            "llama_4_scaling_beta": 0.1,
            "original_max_position_embeddings": 16_384,
        },
    },
    "Mistral Small 4": {
        "model_type": "mistral4",
        "qk_rope_head_dim": 64,
        "num_hidden_layers": 36,
        "max_position_embeddings": 1_048_576,
        "rope_parameters": {
            "rope_type": "yarn",
            "rope_theta": 10_000.0,
            "factor": 128.0,
            "beta_fast": 32.0,
            "beta_slow": 1.0,
            "mscale": 1.0,
            "mscale_all_dim": 1.0,
            "llama_4_scaling_beta": 0.1,
            "original_max_position_embeddings": 8192,
        },
    },
    "Gemma 4": {
        "model_type": "gemma4_text",
        "head_dim": 256,
        "num_hidden_layers": 30,
        "max_position_embeddings": 131_072,
        "layer_types": _repeated([LOCAL] * 5 + [GLOBAL], 30),
        "per_layer_config": {f"{layer:02d}": {"head_dim": 512} for layer in range(5, 30, 6)},
        "rope_parameters": {
            GLOBAL: {
                "rope_type": "proportional",
                "rope_theta": 1_000_000.0,
                "partial_rotary_factor": 0.25,
            },
            LOCAL: {"rope_type": "default", "rope_theta": 10_000.0},
        },
    },
}

# Where each was read, as keys of the bibliography.
SOURCES: dict[str, tuple[str, ...]] = dict.fromkeys(CONFIGS, TRANSFORMERS) | {
    "Llama 3.1 8B": ("llama3code", "grattafiori2024llama3"),
    "DeepSeek-V3": ("deepseekv3code",),
    "Gemma 3 4B": ("gemmacode", "kamath2025gemma3"),
    "Qwen3 8B, YaRN on": ("qwen3docs", "yang2025qwen3"),
    "SmolLM3 3B": ("smollm3recipe",),
    "OLMo 3 7B": ("olmo3recipe",),
}
