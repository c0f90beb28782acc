"""Who uses what: patterns, and in how many of transformers' model files each is found."""

from typing import NamedTuple

from posviz_course.choosing.rows import HYBRID, TWO_BASES

RELEASE, READ, FILES = "5.23", "2026-11-25", 530  # transformers; the day; its modeling files


class Count(NamedTuple):
    """A pattern, the number of files in which it was found, and folders of some of these."""

    files: int
    pattern: str
    examples: str = ""


# By the names of the rows; an encoding that has none there is looked for by its own name.
CENSUS = {
    "RoPE": Count(208, r"apply_rotary", "llama, qwen3, gpt_neox, gptj, esm"),
    "stretched RoPE": Count(176, r"ROPE_INIT_FUNCTIONS", "llama, qwen3, gemma3, cohere2, glm4"),
    "learned": Count(
        126, r"(pos\w*emb\w*|embed_pos\w*|wpe) = nn\.Embedding", "bert, gpt2, clip, gpt_neo, detr"
    ),
    "RoPE in 2-D": Count(
        31,
        r"apply_rotary\w*_vision|mrope_section|apply_multimodal_rotary",
        "qwen2_vl, qwen3_vl, glm4v, mlcd, hunyuan_vl",
    ),
    TWO_BASES: Count(
        22, r"rope_parameters\[layer_type\]", "gemma3, modernbert, olmo3, deepseek_v4, t5gemma2"
    ),
    "sinusoidal": Count(
        22, r"class \w*Sinusoidal", "marian, m2m_100, roformer, speech_to_text, musicgen"
    ),
    HYBRID: Count(
        17,
        r"\A(?s:(?=.*apply_rotary).*(NoPE|no_rope_layers|layer_rope_theta|if self\.sliding_window"
        r" is not None( or self\.force_rope)?:\s+(cos, sin|query_states, key_states = apply)))",
        "llama4, smollm3, cohere2, exaone4, olmo_hybrid",
    ),
    "T5": Count(
        9, r"relative_attention_bias = nn\.Embedding", "t5, mt5, umt5, mpnet, switch_transformers"
    ),
    "Transformer-XL": Count(
        5, r"_rel_shift|def rel_shift|relative_shift_gather", "xlnet, funnel, gemma4, parakeet"
    ),
    "ALiBi": Count(3, r"build_alibi|alibi =", "bloom, falcon, mpt"),
    "DeBERTa": Count(3, r"c2p_att", "deberta, deberta_v2, sew_d"),
    "Shaw": Count(2, r"distance_embedding = nn", "wav2vec2_bert, seamless_m4t_v2"),
    "Inkling": Count(2, r"rel_logits_proj", "inkling, inkling2"),
    "xPos": Count(0, r"XPos|xpos_|use_xpos"),
    "Kerple": Count(0, r"[Kk]erple"),
    "FIRE": Count(0, r"\bFIRE\b"),
    "FoX": Count(0, r"\bFoX\b|ForgettingAttention"),
    "CoPE": Count(0, r"\bCoPE\b"),
    "PaTH": Count(0, r"\bPaTH\b"),
    "PoPE": Count(0, r"\bPoPE\b"),
}

# Of families that are named as examples: their folder, and what it holds by these patterns.
FAMILIES = {
    "BERT": ("bert", "learned"),
    "GPT-1": ("openai", "learned"),
    "GPT-2": ("gpt2", "learned"),
    "GPT-Neo": ("gpt_neo", "learned"),
    "GPT-J": ("gptj", "RoPE"),
    "GPT-NeoX": ("gpt_neox", "RoPE"),
    "gpt-oss": ("gpt_oss", "RoPE"),
    "LLaMA": ("llama", "RoPE"),
    "T5": ("t5", "T5"),
    "XLNet": ("xlnet", "Transformer-XL"),
    "BLOOM": ("bloom", "ALiBi"),
}
