"""A Hugging Face model from a folder on disk: what its heads do with a text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from posviz.wording import quoted


def load_model(path: str | Path) -> LoadedModel:
    """Load a causal model from a folder, by transformers, to look into its heads.

    Its weights come from safetensors files alone, in float32: never from a pickle, which could run
    code, nor from the network; code that lies in the folder is not run.
    ``HeadBrowser(load_model("~/models/SmolLM2-135M"))`` looks into it.
    """
    folder = Path(path).expanduser()
    if not any(folder.glob("model*.safetensors")) or not (folder / "config.json").is_file():
        raise FileNotFoundError(
            "path must be a folder with config.json and model*.safetensors, got "
            f"{quoted(str(path))}"
        )
    from transformers import AutoModel, AutoTokenizer

    local: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
    model, info = AutoModel.from_pretrained(
        folder,
        **local,
        use_safetensors=True,
        dtype="float32",
        attn_implementation="eager",  # the plain steps, which keep the weights
        output_loading_info=True,
    )
    tokenizer = AutoTokenizer.from_pretrained(folder, **local)
    if missing := sorted(info["missing_keys"]):
        raise ValueError(f"{folder} lacks {quoted(missing[0])}, among {len(missing)}")
    return LoadedModel(folder.name, model.eval(), tokenizer)


class LoadedModel:
    """A causal model of transformers, in float32, with its tokenizer."""

    def __init__(self, name: str, model: Any, tokenizer: Any) -> None:
        self.name, self.model, self.tokenizer = name, model, tokenizer
        if model.config.is_encoder_decoder:
            raise ValueError(f"{name} must be one stack of layers, and is an encoder and a decoder")
        self.longest = getattr(model.config, "max_position_embeddings", None)
        if self.weights([0, 1])[:, :, 0, 1].any():
            raise ValueError(f"{name} must be causal, and its first token looks at the second")

    def ids(self, text: str) -> list[int]:
        """Return the tokens of a text."""
        return self.tokenizer(text)["input_ids"]

    def words(self, ids: Sequence[int]) -> list[str]:
        """Return each token as a reader may see it."""
        return [self.tokenizer.decode([i]).strip() or "␣" for i in ids]

    def weights(self, ids: Sequence[int]) -> np.ndarray:
        """Return the attention weights of all heads, [layers, heads, len, len]."""
        import torch

        with torch.inference_mode():
            seen = self.model(torch.tensor([ids]), output_attentions=True, use_cache=False)
        return np.stack([x[0].numpy() for x in seen.attentions])
