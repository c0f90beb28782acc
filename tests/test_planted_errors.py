"""Errors that people make, planted on purpose: each turns some test of the mathematics red."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
E = "encodings/"

# (file under posviz, what stands there, the error, the tests that see it)
ERRORS = {
    "RoPE turns the other way": (
        E + "rotary.py",
        "factor * namespace(angles).sin(angles)",
        "-factor * namespace(angles).sin(angles)",
        E + "test_rotary.py",
    ),
    "half_split: a missing minus": (
        E + "rotary.py",
        "addcmul_(second, sin, value=-1)",
        "addcmul_(second, sin)",
        E + "test_rotary_libraries.py",
    ),
    "layouts: the wrong pairing": (
        E + "rotary.py",
        '(-1, 2) if source == "interleaved" else (2, -1)',
        '(2, -1) if source == "interleaved" else (-1, 2)',
        E + "test_rotary_layouts.py",
    ),
    "keys are not turned": (
        E + "rotary.py",
        "return self._turned(k, positions)",
        "return k",
        E + "test_rotary_libraries.py",
    ),
    "the attention factor is lost": (
        E + "rotary.py",
        "factor * namespace(angles).cos(angles), factor *",
        "namespace(angles).cos(angles),",
        E + "test_rotary.py",
    ),
    "frequencies: the exponent is doubled": (
        E + "frequencies.py",
        "base ** (-np.arange(0, rotary_dim, 2) / rotary_dim)",
        "base ** (-2 * np.arange(0, rotary_dim, 2) / rotary_dim)",
        E + "test_frequencies.py",
    ),
    "frequencies: counted from 1": (
        E + "frequencies.py",
        "np.arange(0, rotary_dim, 2) / rotary_dim",
        "np.arange(2, rotary_dim + 2, 2) / rotary_dim",
        E + "test_frequencies.py",
    ),
    "p-RoPE keeps the slow pairs": (
        E + "frequencies.py",
        "inv_freq[int(fraction * len(inv_freq)) :] = 0.0",
        "inv_freq[: int(fraction * len(inv_freq))] = 0.0",
        E + "test_frequencies.py",
    ),
    "angles in float32": (
        E + "frequencies.py",
        "return positions[..., None] * inv_freq",
        "return (positions[..., None].astype('f4') * inv_freq.astype('f4')).astype('f8')",
        E + "test_frequencies.py",
    ),
    "sinusoidal: sine and cosine swapped": (
        E + "sinusoidal.py",
        "return xp.sin(angles) + 1j * xp.cos(angles)",
        "return xp.cos(angles) + 1j * xp.sin(angles)",
        E + "test_sinusoidal.py",
    ),
    "sinusoidal: a long run counts from 0": (
        E + "sinusoidal.py",
        "positions[::block, None]",
        "positions[::block, None] - positions[0]",
        E + "test_sinusoidal.py",
    ),
    "the shift matrix turns the other way": (
        E + "sinusoidal.py",
        "rotation_matrix(-angles",
        "rotation_matrix(angles",
        E + "test_sinusoidal.py",
    ),
    "learned: a row too far": (
        E + "learned.py",
        "index = index + padding_offset",
        "index = index + padding_offset + 1",
        E + "test_learned.py",
    ),
    "learned: negative rows wrap around": (
        E + "learned.py",
        "(index < 0) | (index >= rows)",
        "index >= rows",
        E + "test_learned.py",
    ),
    "offset: key − query": (
        E + "relative.py",
        "q_positions[..., :, None] - k_positions[..., None, :]",
        "k_positions[..., None, :] - q_positions[..., :, None]",
        E + "test_relative.py",
    ),
    "Shaw: offsets not clipped above": (
        E + "shaw.py",
        "clip(-offsets, -max_distance, max_distance)",
        "clip(-offsets, -max_distance, None)",
        E + "test_shaw.py",
    ),
    "Shaw: offsets mirrored": (
        E + "shaw.py",
        "clip(-offsets, -max_distance",
        "clip(offsets, -max_distance",
        E + "test_shaw.py",
    ),
    "Shaw: the key side is not scaled": (
        E + "shaw.py",
        "table = self.scale(q.shape[-1]) * table",
        "table = 1.0 * table",
        E + "test_shaw.py",
    ),
    "rel_shift: leftovers stay": (
        E + "transformer_xl.py",
        "xp.where(ahead, -xp.inf, shifted)",
        "shifted",
        E + "test_transformer_xl.py",
    ),
    "Transformer-XL: u and v swapped": (
        E + "transformer_xl.py",
        "by_content = (q + u[:, None])",
        "by_content = (q + v[:, None])",
        E + "test_transformer_xl.py",
    ),
    "T5: a boundary one too low": (
        E + "t5.py",
        'side="right") - 1',
        'side="left") - 1',
        E + "test_t5.py",
    ),
    "T5: the directions swapped": (
        E + "t5.py",
        "xp.astype(offsets < 0, xp.int64)",
        "xp.astype(offsets > 0, xp.int64)",
        E + "test_t5.py",
    ),
    "T5: scores are scaled": (E + "t5.py", "return 1.0", "return head_dim**-0.5", E + "test_t5.py"),
    "DeBERTa: the clip of −k … k": (
        E + "deberta.py",
        "return xp.clip(offsets, -span, span - 1)",
        "return xp.clip(offsets, -span + 1, span)",
        E + "test_deberta.py",
    ),
    "DeBERTa: p2c as in the paper when asked for the code's": (
        E + "deberta.py",
        'if p2c == "paper":',
        'if p2c == "code":',
        E + "test_deberta.py",
    ),
    "DeBERTa: the scale forgets the terms": (
        E + "deberta.py",
        "(head_dim * (1 + len(self.terms))) ** -0.5",
        "head_dim**-0.5",
        E + "test_deberta.py",
    ),
    "2-D: row and column swapped": (
        E + "rotary2d.py",
        'if first == "column" else (rows, columns)',
        'if first == "row" else (rows, columns)',
        E + "test_rotary2d.py",
    ),
    "2-D: frequencies of the whole head on each axis": (
        E + "rotary2d.py",
        "rotary_frequencies(head_dim // 2, base)",
        "rotary_frequencies(head_dim, base)[: head_dim // 4]",
        E + "test_rotary2d.py",
    ),
    "M-RoPE: rows take turns with the rest": (
        E + "rotary2d.py",
        "axes[1 : 3 * row : 3] = 1",
        "axes[1::3] = 1",
        E + "test_rotary2d.py",
    ),
    "ALiBi: slopes between by interpolation": (
        E + "alibi.py",
        "2.0 ** (-8 * np.arange(1, 2 * power + 1, 2) / (2 * power))",
        "(slopes + slopes / 2) / 2",
        E + "test_alibi.py",
    ),
    "ALiBi: a reward for distance": (
        E + "alibi.py",
        "-slopes[:, None, None] * distances",
        "slopes[:, None, None] * distances",
        E + "test_alibi.py",
    ),
    "xPos: keys decay as well": (
        E + "xpos.py",
        'as_float64(k_positions, "k_positions"), -1, "k")',
        'as_float64(k_positions, "k_positions"), 1, "k")',
        E + "test_xpos.py",
    ),
    "xPos: no scale_base": (
        E + "xpos.py",
        "** (positions[..., None] / scale_base)",
        "** positions[..., None]",
        E + "test_xpos.py",
    ),
    "xPos: ζ upside down": (
        E + "xpos.py",
        "zeta = (np.arange(0, head_dim, 2) / head_dim + gamma) / (1 + gamma)",
        "zeta = (1 + gamma) / (np.arange(0, head_dim, 2) / head_dim + gamma)",
        E + "test_xpos.py",
    ),
    "interpolation: positions multiplied": (
        E + "stretching.py",
        "rotary_frequencies(rotary_dim, base) / _require_factor(factor)",
        "rotary_frequencies(rotary_dim, base) * _require_factor(factor)",
        E + "test_stretching.py",
    ),
    "NTK: d instead of d − 2": (
        E + "stretching.py",
        "/ (rotary_dim - 2)))",
        "/ rotary_dim))",
        E + "test_stretching.py",
    ),
    "dynamic NTK: shrinks below the original length": (
        E + "stretching.py",
        "/ original, 1.0) - 1",
        "/ original, 0.0) - 1",
        E + "test_stretching.py",
    ),
    "YaRN: slow and fast swapped": (
        E + "stretching.py",
        "return inv_freq * (kept + (1 - kept) / factor)",
        "return inv_freq * (1 - kept + kept / factor)",
        E + "test_stretching.py",
    ),
    "YaRN: the attention factor squared": (
        E + "stretching.py",
        "attention_factor = 0.1 * math.log(factor) + 1",
        "attention_factor = (0.1 * math.log(factor) + 1) ** 2",
        E + "test_stretching.py",
    ),
    "LongRoPE: long one token too early": (
        E + "stretching.py",
        "long if seq_len > original else short",
        "long if seq_len >= original else short",
        E + "test_stretching.py",
    ),
    "attention: no scale": (
        "attention.py",
        "wide_q * encoding.scale(q.shape[-1]) @",
        "wide_q @",
        "test_attention.py::test_query_by_query",
    ),
    "attention: the mask upside down": (
        "attention.py",
        "xp.where(_mask(mask, shape, q), scores, -xp.inf)",
        "xp.where(~_mask(mask, shape, q), scores, -xp.inf)",
        "test_attention.py::test_query_by_query",
    ),
    "attention: keys enter the cache before their door": (
        "attention.py",
        "(cache or KeyValueCache()).joined(k, v, positions)",
        "(cache or KeyValueCache()).joined(_split_heads(x @ w_k, head_dim), v, positions)",
        "test_attention_order.py::test_the_cache_holds_keys_that_have_passed_their_door",
    ),
    "blockwise mask: one block too many": (
        "masks.py",
        "k_positions // block) <= 1",
        "k_positions // block) <= 2",
        "test_masks.py",
    ),
    "causal mask: a token does not see itself": (
        "masks.py",
        "offsets(q_positions, k_positions) >= 0)",
        "offsets(q_positions, k_positions) > 0)",
        "test_masks.py",
    ),
}


@pytest.mark.parametrize("error", ERRORS)
def test_a_planted_error_turns_a_test_red(error, tmp_path):
    file, old, new, seen_by = ERRORS[error]
    left_out = shutil.ignore_patterns("__pycache__", "engine", "pictures", "browser")
    for folder in ("posviz", "tests"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=left_out)
    source = tmp_path / "posviz" / file
    text = source.read_text(encoding="utf-8")
    assert old in text, f"{file} has no {old!r}: plant the error anew"
    source.write_text(text.replace(old, new), encoding="utf-8")
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, f"tests/{seen_by}"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1, done.stdout[-3000:] + done.stderr[-1000:]
    assert "1 failed" in done.stdout, done.stdout[-3000:]
