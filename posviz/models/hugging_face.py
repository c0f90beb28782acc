"""A Hugging Face model from a folder on disk: what its heads do with a text."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from inspect import signature
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from posviz.arrays import to_numpy
from posviz.encodings.frequencies import Frequencies
from posviz.encodings.rotary import LAYOUTS, Rotary
from posviz.models.checkpoints import USUAL_NAMES
from posviz.models.reading import Reading
from posviz.wording import quoted, shortened

MISSING = 'transformers is not installed: run `pip install -e ".[models]"`'
NOTED = TURN, ATTEND = "apply_rotary_pos_emb", "eager_attention_forward"
_watching = threading.Lock()  # functions of transformers are exchanged while a model reads


def load_model(path: str | Path) -> LoadedModel:
    """Load a model with rotary, learned or ALiBi attention from a folder, by transformers.

    Its weights come from safetensors files alone, in float32: never from a pickle, which could run
    code, nor from the network; code that lies in the folder is not run. Without a tokenizer its
    tokens are bytes. ``HeadBrowser(load_model("~/models/SmolLM2-135M"))`` looks into it.

    Raises:
        TypeError: when path is neither text nor a path.
        OSError: when there is no such folder, or none with `config.json` and `model*.safetensors`.
        ValueError: when a file is broken, weights are missing, transformers does
            not know the model, or position enters it in another way.
        ModuleNotFoundError: when transformers is not installed.
    """
    if not isinstance(path, str | Path):
        raise TypeError(f"path must be text or a path, got {quoted(path)}")
    folder = Path(os.path.expanduser(path))
    files = sorted(folder.glob("model*.safetensors"))
    if not files or not (folder / "config.json").is_file():
        raise FileNotFoundError(
            "path must be a folder with config.json and model*.safetensors, got "
            f"{quoted(str(path))}"
        )
    if find_spec("transformers") is None:
        raise ModuleNotFoundError(MISSING)
    from safetensors import SafetensorError
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
    except (OSError, ValueError, KeyError, RuntimeError, SafetensorError) as error:
        raise ValueError(
            f"transformers cannot load {shortened(folder)}: {shortened(error)}"
        ) from None
    if missing := sorted(info["missing_keys"]):
        raise ValueError(f"{shortened(folder)} lacks {quoted(missing[0])}, among {len(missing)}")
    return LoadedModel(folder.name, model.eval(), tokenizer)


class LoadedModel:
    """A causal model of transformers, in float32; without a tokenizer its tokens are bytes.

    rotary: by layer how it turns queries and keys, None where it does not; position: "rotary",
    "learned" or "ALiBi".

    Raises:
        ValueError: when position enters the model in another way, or it is not causal.
    """

    def __init__(self, name: str, model: Any, tokenizer: Any = None) -> None:
        self.name, self.model, self.tokenizer = name, model, tokenizer
        config = model.config
        if config.is_encoder_decoder:
            raise ValueError(f"{name} must be one stack of layers, and is an encoder and a decoder")
        self.longest = getattr(config, "max_position_embeddings", None)
        weights, layers = self._run([0, 1])
        if weights[:, :, 0, 1].any():
            raise ValueError(f"{name} must be causal, and its first token looks at the second")
        none = (None,) * len(weights)
        self.rotary = tuple(layer.rotary() for layer in layers) or none
        self.position = self._position()

    def _position(self) -> str:
        config = self.model.config
        has_alibi = getattr(getattr(config, "attn_config", config), "alibi", False)
        if has_alibi or config.model_type == "bloom":
            return "ALiBi"
        if any(self.rotary) or getattr(config, "rotary_dim", None):
            return "rotary"
        if any(name.endswith(USUAL_NAMES) for name, _ in self.model.named_parameters()):
            return "learned"
        raise ValueError(
            f"position must enter {self.name} by rotary, learned or ALiBi attention, and the code "
            f"of {shortened(config.model_type)} shows none of these"
        )

    def ids(self, text: str) -> list[int]:
        """Return the tokens of a text; its bytes where there is no tokenizer.

        Raises:
            ValueError: when there is none, and the model knows fewer tokens than there are bytes.
        """
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

    def read(self, ids: Sequence[int]) -> Reading:
        """Return what every head does with these tokens.

        q and k are None where transformers' code does not hand them from one function to another:
        of Bloom, MPT, Falcon with ALiBi, and GPT-J.

        Raises:
            ValueError: when there is no token, one that the model does not know, or more than it
                can read.
        """
        weights, layers = self._run(ids)
        if not layers:
            return Reading(weights, None, None)
        q, k = np.stack([layer.q for layer in layers]), np.stack([layer.k for layer in layers])
        return Reading(weights, q, k.repeat(q.shape[1] // k.shape[1], axis=1))

    def _run(self, ids: Sequence[int]) -> tuple[np.ndarray, list[_Layer]]:
        import torch

        config = self.model.config
        if not ids or min(ids) < 0 or max(ids) >= config.vocab_size:
            raise ValueError(f"ids must be tokens 0 … {config.vocab_size - 1}, got {quoted(ids)}")
        try:
            with torch.inference_mode(), _watched(self.model) as layers:
                seen = self.model(torch.tensor([ids]), output_attentions=True, use_cache=False)
        except IndexError:
            raise ValueError(
                f"ids must be fewer: {self.name} has no position {len(ids) - 1}"
            ) from None
        return np.stack([to_numpy(x[0]) for x in seen.attentions]), layers


class _Turning(NamedTuple):
    """What turned of a layer's queries, and by which waves.

    Shapes: before and after [heads, len, …]; cos and sin [len, rotary_dim].
    """

    before: np.ndarray
    after: np.ndarray
    cos: np.ndarray
    sin: np.ndarray


class _Layer(NamedTuple):
    """Queries and keys of a layer before they turn: q [heads, len, head_dim], k with its heads."""

    q: np.ndarray
    k: np.ndarray
    turning: _Turning | None

    def rotary(self) -> Rotary | None:
        """Return how two tokens turned: pairs are tried until they give what the layer did.

        Raises:
            ValueError: when none do.
        """
        if self.turning is None:
            return None
        before, after, cos, sin = self.turning
        halves, pairs = slice(0, cos.shape[-1] // 2), slice(0, None, 2)
        for columns in (halves, pairs):  # the waves are written down twice, in either order
            x, y = cos[1, columns].astype(float), sin[1, columns].astype(float)
            frequencies = Frequencies(np.arctan2(y, x), float(np.hypot(x, y).mean()))
            for layout in LAYOUTS:
                found = Rotary(layout=layout, frequencies=frequencies)
                turned = found.at_query(before, np.arange(2))
                if np.allclose(turned, after, rtol=1e-4, atol=1e-5):
                    return found
        raise ValueError("a layer must turn pairs (2i, 2i+1) or (i, i + half), and turns others")


@contextmanager
def _watched(model: Any) -> Iterator[list[_Layer]]:
    """Yield a list to which each layer adds its queries and keys while the model reads.

    In transformers the file of a model has one function that turns both, and one that attends: each
    does what it did, and what passes through it is noted.
    """
    code: dict[str, Any] = vars(sys.modules[type(model).__module__])
    originals = {name: code[name] for name in NOTED if name in code}
    if TURN in originals and [*signature(code[TURN]).parameters][:4] != ["q", "k", "cos", "sin"]:
        del originals[TURN]  # as in GPT-J's file, which turns each by itself
    layers: list[_Layer] = []
    turned: list[_Layer] = []

    def turn(q: Any, k: Any, cos: Any, sin: Any, *rest: Any, **more: Any) -> Any:
        result = originals[TURN](q, k, cos, sin, *rest, **more)
        own = [to_numpy(x[0]).copy() for x in (q, k)]
        waves = [to_numpy(x).reshape(-1, x.shape[-1]) for x in (cos, sin)]
        layer = _Layer(own[0], own[1], _Turning(own[0], to_numpy(result[0][0]), *waves))
        (turned if ATTEND in originals else layers).append(layer)
        return result

    def attend(module: Any, q: Any, k: Any, *rest: Any, **more: Any) -> Any:
        layer = _Layer(to_numpy(q[0]).copy(), to_numpy(k[0]).copy(), None)
        if turned:  # it may be that only the first columns did
            before = turned.pop()
            layer.q[..., : before.q.shape[-1]] = before.q
            layer.k[..., : before.k.shape[-1]] = before.k
            layer = layer._replace(turning=before.turning)
        layers.append(layer)
        return originals[ATTEND](module, q, k, *rest, **more)

    noting = {TURN: turn, ATTEND: attend}
    with _watching:
        code.update({name: noting[name] for name in originals})
        try:
            yield layers
        finally:
            code.update(originals)
