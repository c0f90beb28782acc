"""A Hugging Face model from a folder on disk: what its heads do with a text."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from inspect import signature
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from posviz.arrays import to_numpy
from posviz.encodings.frequencies import Frequencies
from posviz.encodings.rotary import LAYOUTS, Rotary
from posviz.models.reading import HeadTrace
from posviz.wording import quoted, shortened

TRACED = ROTATE, ATTEND = "apply_rotary_pos_emb", "eager_attention_forward"


def load_model(path: str | Path) -> LoadedModel:
    """Load a causal model from a folder, by transformers, to look into its heads.

    Its weights come from safetensors files alone, in float32: never from a pickle, which could run
    code, nor from the network; code that lies in the folder is not run.
    ``HeadBrowser(load_model("~/models/SmolLM2-135M"))`` looks into it.

    Raises:
        FileNotFoundError: when there is no folder with `config.json` and `model*.safetensors`.
        ValueError: when transformers cannot load it, weights are missing, or it is not causal.
    """
    folder = Path(path).expanduser()
    if not any(folder.glob("model*.safetensors")) or not (folder / "config.json").is_file():
        raise FileNotFoundError(
            "path must be a folder with config.json and model*.safetensors, got "
            f"{quoted(str(path))}"
        )
    from transformers import AutoModel, AutoTokenizer

    local: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
    try:
        model, info = AutoModel.from_pretrained(
            folder,
            **local,
            use_safetensors=True,
            dtype="float32",
            attn_implementation="eager",  # the plain steps, which keep the weights
            output_loading_info=True,
        )
        has_tokenizer = any(folder.glob("tokenizer*"))
        tokenizer = AutoTokenizer.from_pretrained(folder, **local) if has_tokenizer else None
    except Exception as error:  # each model's own code reads its files
        raise ValueError(f"transformers cannot load {folder}: {shortened(error)}") from error
    if missing := sorted(info["missing_keys"]):
        raise ValueError(f"{folder} lacks {quoted(missing[0])}, among {len(missing)}")
    return LoadedModel(folder.name, model.eval(), tokenizer)


class LoadedModel:
    """A causal model of transformers, in float32; without a tokenizer its tokens are bytes.

    rotary: by layer how it rotates queries and keys, None where it does not.
    """

    def __init__(self, name: str, model: Any, tokenizer: Any = None) -> None:
        self.name, self.model, self.tokenizer = name, model, tokenizer
        if model.config.is_encoder_decoder:
            raise ValueError(f"{name} must be one stack of layers, and is an encoder and a decoder")
        self.longest = getattr(model.config, "max_position_embeddings", None)
        weights, layers = self._run([0, 1])
        if weights[:, :, 0, 1].any():
            raise ValueError(f"{name} must be causal, and its first token looks at the second")
        self.rotary = tuple(layer.rotary() for layer in layers) or (None,) * len(weights)

    def ids(self, text: str) -> list[int]:
        """Return the tokens of a text; its bytes where there is no tokenizer."""
        if self.tokenizer is not None:
            return self.tokenizer(text)["input_ids"]
        if (known := self.model.config.vocab_size) < 256:
            raise ValueError(f"{self.name} has no tokenizer, and its {known} tokens are no bytes")
        return list(text.encode(errors="replace"))

    def words(self, ids: Sequence[int]) -> list[str]:
        """Return each token as a reader may see it."""
        if self.tokenizer is None:
            return [ascii(chr(i)).strip("'") if i != 32 else "␣" for i in ids]
        return [self.tokenizer.decode([i]).strip() or "␣" for i in ids]

    def read(self, ids: Sequence[int]) -> HeadTrace:
        """Return what every head does with these tokens.

        q and k are None where transformers' code does not hand them from one function to another:
        of Bloom, MPT, Falcon with ALiBi, and GPT-J.
        """
        weights, layers = self._run(ids)
        if not layers:
            return HeadTrace(weights, None, None)
        q, k = (np.stack(each) for each in list(zip(*layers, strict=True))[:2])
        return HeadTrace(weights, q, k.repeat(q.shape[1] // k.shape[1], axis=1))

    def _run(self, ids: Sequence[int]) -> tuple[np.ndarray, list[_TracedLayer]]:
        import torch

        with torch.inference_mode(), _traced(self.model) as layers:
            seen = self.model(torch.tensor([ids]), output_attentions=True, use_cache=False)
        return np.stack([to_numpy(x[0]) for x in seen.attentions]), layers


class _TracedLayer(NamedTuple):
    """Queries and keys of a layer before rotation: q [heads, len, head_dim], k with its heads.

    rotation: queries before and after it [heads, len, …], cosines and sines [len, rotary_dim].
    """

    q: np.ndarray
    k: np.ndarray
    rotation: tuple[np.ndarray, ...] = ()

    def rotary(self) -> Rotary | None:
        """Return how two tokens rotate: pairs are tried until they give what the layer did."""
        if not self.rotation:
            return None
        before, after, cos, sin = self.rotation
        halves, pairs = slice(0, cos.shape[-1] // 2), slice(0, None, 2)
        for columns in (halves, pairs):  # the waves are written down twice, in either order
            x, y = cos[1, columns].astype(float), sin[1, columns].astype(float)
            frequencies = Frequencies(np.arctan2(y, x), float(np.hypot(x, y).mean()))
            for layout in LAYOUTS:
                found = Rotary(layout=layout, frequencies=frequencies)
                rotated = found.at_query(before, np.arange(2))
                if np.allclose(rotated, after, rtol=1e-4, atol=1e-5):
                    return found
        raise ValueError("a layer must rotate pairs (2i, 2i+1) or (i, i + half), not others")


@contextmanager
def _traced(model: Any) -> Iterator[list[_TracedLayer]]:
    """Yield a list to which each layer adds its queries and keys while the model reads.

    In transformers the file of a model has one function that rotates both, and one that attends:
    each does what it did, and what passes through it is noted.
    """
    code: dict[str, Any] = vars(sys.modules[type(model).__module__])
    originals = {name: code[name] for name in TRACED if name in code}
    arguments = [*signature(code[ROTATE]).parameters][:4] if ROTATE in code else []
    if arguments != ["q", "k", "cos", "sin"]:
        originals.pop(ROTATE, None)  # as in GPT-J's file, which rotates each by itself
    layers: list[_TracedLayer] = []
    rotated: list[_TracedLayer] = []

    def rotate(q: Any, k: Any, cos: Any, sin: Any, *rest: Any, **more: Any) -> Any:
        result = originals[ROTATE](q, k, cos, sin, *rest, **more)
        own_q, own_k = (to_numpy(x[0]).copy() for x in (q, k))
        waves = [to_numpy(x).reshape(-1, x.shape[-1]) for x in (cos, sin)]
        layer = _TracedLayer(own_q, own_k, (own_q, to_numpy(result[0][0]), *waves))
        (rotated if ATTEND in originals else layers).append(layer)
        return result

    def attend(module: Any, q: Any, k: Any, *rest: Any, **more: Any) -> Any:
        layer = _TracedLayer(to_numpy(q[0]).copy(), to_numpy(k[0]).copy())
        if rotated:  # it may be that only the first columns did
            before = rotated.pop()
            layer.q[..., : before.q.shape[-1]] = before.q
            layer.k[..., : before.k.shape[-1]] = before.k
            layer = layer._replace(rotation=before.rotation)
        layers.append(layer)
        return originals[ATTEND](module, q, k, *rest, **more)

    tracing = {ROTATE: rotate, ATTEND: attend}
    code.update({name: tracing[name] for name in originals})
    try:
        yield layers
    finally:
        code.update(originals)
