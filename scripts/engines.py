"""Ask released engines what they make of one config.json, and print a JSON line for each case.

    python scripts/engines.py [part of an engine's name ...] [--write] [--cache FOLDER]
        [--python PYTHON]

--write puts what was found into posviz_course/configs/engines.toml; rows of engines that are not
run stay
as they are. PYTHON (default: this one) needs torch 2.13.0 and NumPy 2.4.6; all else is installed as
by libraries.py.

The cases are in engine_cases.toml. Of transformers and mlx-lm, frequencies are compared; of
CTranslate2, which shows none, the scores of tokens.
"""

import argparse
import contextlib
import functools
import importlib
import json
import logging
import os
import subprocess
import sys
import tempfile
import tomllib
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
from libraries import NEEDS, PINS, ROOT, _value, folders

ENGINES = ("transformers==5.23.0", "mlx-lm==0.32.2", "ctranslate2==4.8.5", "gguf==0.19.0")
NEEDS |= dict.fromkeys(("ctranslate2", "gguf"), f"{NEEDS['transformers']} transformers")
PINS += ENGINES
CASES = tomllib.loads((ROOT / "scripts" / "engine_cases.toml").read_text("utf-8"))
TABLE = ROOT / "posviz_course" / "configs" / "engines.toml"
HEAD = "# What engines make of a file. `python scripts/engines.py --write` writes this file.\n"
SECONDS = 1800  # for all cases of one engine
SIZES = {"hidden_size": 64, "intermediate_size": 64, "num_hidden_layers": 6, "vocab_size": 64}
SIZES |= {"num_attention_heads": 2, "num_key_value_heads": 2, "max_position_embeddings": 16384}
SIZES |= {"initializer_range": 0.3, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
OF_POSITION = ["rope_parameters", "rope_scaling", "rope_theta", "rope_local_base_freq"]
OF_POSITION += ["original_max_position_embeddings", "partial_rotary_factor"]
OF_POSITION += ["layer_types", "per_layer_config"]
TEXT = [[int(t) for t in np.random.default_rng(0).integers(3, 64, 96)]]
Made = dict[str, Any] | str  # numbers by names, or an error


@functools.cache
def sizes_of(model_type: str) -> dict:
    """What the class of a type has beside position, small."""
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    whole = json.loads(CONFIG_MAPPING[model_type]().to_json_string(use_diff=False))
    whole |= {name: size for name, size in SIZES.items() if name in whole}
    lists = {k: v[: SIZES["num_hidden_layers"]] for k, v in whole.items() if isinstance(v, list)}
    return {k: v for k, v in (whole | lists).items() if k not in OF_POSITION and v is not None}


@functools.cache
def all_types() -> list[str]:
    """The model types that posviz knows and of which transformers has a small one."""
    from posviz_course.configs.model_types import table

    return [name for name in table()["transformers"] if has_defaults(name)]


def has_defaults(model_type: str) -> bool:
    """Tell whether a class makes a configuration of itself."""
    try:
        return bool(sizes_of(model_type))
    except Exception:  # several kinds
        return False


def file_of(model_type: str, edit: dict) -> dict:
    """A small file of a type with an edit."""
    return sizes_of(model_type) | CASES["files"].get(model_type, {}) | edit


def transformers_makes(file: dict) -> dict:
    """By the names of buffers: frequencies and attention factors of each module that rotates."""
    import torch
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    from tests.configs.asked import class_of

    config = CONFIG_MAPPING[file["model_type"]].from_dict(dict(file))
    try:
        with torch.device("meta"):
            modules = class_of(config)._from_config(config).named_modules()
    except StopIteration:  # the class is a part of another one
        name = type(config).__module__.replace("configuration_", "modeling_")
        modules = ((n, c(config)) for n, c in vars(importlib.import_module(name)).items()
                   if n.endswith("RotaryEmbedding"))  # fmt: skip
    found = {}
    for name, module in modules:
        if any("inv_freq" in each for each, _ in module.named_buffers(recurse=False)):
            real = type(module)(getattr(module, "config", config))  # off meta
            found |= {f"{name}.{n}": b.numpy() for n, b in real.named_buffers()}
            found |= {f"{name}.{n}": v for n, v in vars(real).items() if "attention_scaling" in n}
    return found


def mlx_makes(file: dict) -> dict:
    """By the names of modules: cosines and sines by which the first token is rotated."""
    import mlx.core as mx
    from mlx_lm.utils import _get_classes

    model_class, args = _get_classes(file)
    found = {}
    for name, module in model_class(args.from_dict(file)).named_modules():
        dims = getattr(module, "dims", getattr(module, "dim", None))
        if "rope" in type(module).__name__.lower() and dims:
            found[name] = np.array(module(mx.eye(dims)[:, None], offset=1))
    return found


def scores(file: dict) -> dict:
    """What transformers makes of it, measured as CTranslate2 is: the scores of tokens."""
    import torch
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    model = random_model(CONFIG_MAPPING[file["model_type"]].from_dict(dict(file)))
    with torch.no_grad():
        return {"scores": model(torch.tensor(TEXT)).logits.numpy()}


def random_model(config: Any) -> Any:
    """A model with weights by chance, the same for each file of one size."""
    import torch
    from transformers import AutoModelForCausalLM

    torch.manual_seed(0)
    return AutoModelForCausalLM.from_config(config).eval()


class Words:
    """A tokenizer, as far as CTranslate2 asks."""

    bos_token, eos_token, unk_token = "1", "2", "0"
    get_vocab = staticmethod(lambda: {str(i): i for i in range(SIZES["vocab_size"])})


def ctranslate2_makes(file: dict) -> dict:
    """The scores of tokens, by a model that its converter has made of the folder of a file."""
    from ctranslate2 import Generator
    from ctranslate2.converters import TransformersConverter

    class Converter(TransformersConverter):
        def load_model(self, model_class: Any, path: str, config: Any, **_: Any) -> Any:
            return random_model(config)

        def load_tokenizer(self, *_: Any, **__: Any) -> Words:
            return Words()

    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "config.json").write_text(json.dumps(file), encoding="utf-8")
        Converter(folder).convert(f"{folder}/made")
        words = [[str(token) for token in text] for text in TEXT]
        return {"scores": np.array(Generator(f"{folder}/made").forward_batch(words))}


def gguf_makes(method: str) -> dict:
    """What transformers reads of a GGUF file of Llama, whose writer is that of llama.cpp."""
    import gguf
    from transformers import AutoConfig

    with tempfile.TemporaryDirectory() as folder:
        writer = gguf.GGUFWriter(f"{folder}/model.gguf", "llama")
        writer.add_block_count(2)
        writer.add_embedding_length(64)
        writer.add_head_count(2)
        writer.add_context_length(16384)
        writer.add_rope_freq_base(500000.0)
        writer.add_rope_scaling_type(gguf.RopeScalingType(method))
        writer.add_rope_scaling_factor(4.0)
        writer.add_rope_scaling_orig_ctx_len(4096)
        writer.add_tensor("token_embd.weight", np.zeros((64, 64), np.float32))
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()
        return AutoConfig.from_pretrained(folder, gguf_file="model.gguf").rope_parameters


# ------------------------------------------------------------------------------ the cases

# What an engine makes of a file, and what transformers makes of it, in the same measure.
READERS = {
    "transformers": (transformers_makes, transformers_makes),
    "mlx-lm": (mlx_makes, transformers_makes),
    "ctranslate2": (ctranslate2_makes, scores),
}


def attempt(read: Any, file: dict) -> Made:
    """What is made of a file, or why nothing is."""
    return attempt_at(read, json.dumps(file))


@functools.cache
def attempt_at(read: Any, text: str) -> Made:
    """The same of a text, once."""
    try:
        return read(json.loads(text))
    except (Exception, SystemExit) as error:
        return f"{type(error).__name__}: {error}"[:200]


def is_same(a: Made, b: Made) -> bool:
    """Tell whether two files came out alike."""
    if isinstance(a, str) or isinstance(b, str) or a.keys() != b.keys():
        return False
    return all(
        np.shape(a[name]) == np.shape(b[name])
        and np.allclose(a[name], b[name], rtol=1e-5, atol=2e-3 if name == "scores" else 0)
        for name in a
    )


def holds(case: dict, model_type: str) -> str | None:
    """Return what an engine makes of a case, {base} or {error}; None where the case is none."""
    read, beside = READERS[case["engine"]] if "runs" not in case else (scores, scores)
    files = {n: file_of(model_type, case[n]) for n in ("file", "as_if", "unlike") if n in case}
    made = {name: attempt(read, file) for name, file in files.items()}
    other = made.get("unlike", {"": 0})
    if isinstance(other, str) or not other or is_same(made["file"], other):
        return None
    if "as_if" not in case:  # it refuses
        error = made["file"]
        return error if isinstance(error, str) and case["error"] in error else None
    if isinstance(made["file"], str) or not made["file"]:
        return None
    alike = is_same(made["file"], made["as_if"])
    if case["engine"] != "transformers":
        theirs = [attempt(beside, files[name]) for name in ("file", "as_if")]
        if any(isinstance(each, str) for each in theirs) or is_same(*theirs) == alike:
            return None
        if beside is scores:  # one measure, so the two engines are compared
            alike = alike and is_same(made["file"], theirs[1])
    if alike == case.get("both", False):
        return None
    return base_of(model_type) if "{base}" in case["says"] else ""


def base_of(model_type: str) -> str | None:
    """The base of mlx-lm where a file names none, by the second pair of each kind of layers."""
    made = attempt(mlx_makes, file_of(model_type, {}))
    if isinstance(made, str):
        return None
    bases = []
    for matrix in map(np.squeeze, made.values()):
        angles = np.sort(np.arccos(np.clip(np.diag(matrix), -1, 1)))[::-1]
        bases.append(float(f"{angles[2] ** (-len(angles) / 2):.3g}"))
    return " and ".join(f"{base:,.0f}" for base in sorted(set(bases), reverse=True))


def run_here(engine: str) -> None:
    """Print a line for each case of an engine and each answer to it, with the types."""
    name, version = engine.split("==")
    for method in ("linear", "yarn", "longrope") if name == "gguf" else ():
        print(json.dumps({"engine": name, "version": version, "types": []}
                         | {"method": method, "transformers": gguf_makes(method)}))  # fmt: skip
    for case in (each for each in CASES["case"] if each["engine"] == name):
        found: dict[str, list[str]] = {}
        types = case.get("types") or CASES["types"].get(name) or all_types()
        for model_type in (each for each in types if each not in CASES["inside"].get(name, [])):
            with contextlib.redirect_stdout(sys.stderr):
                if (answer := holds(case, model_type)) is not None:
                    found.setdefault(answer if "{" in case["says"] else "", []).append(model_type)
        for answer, types in found.items():
            row = {"engine": name, "version": version, "types": types}
            row |= filled({n: case[n] for n in ROW if n in case}, answer)
            print(json.dumps(row), flush=True)


ROW = ("when", "unless", "says", "file", "as_if")


def filled(row: dict, answer: str) -> dict:
    """A row with what was measured; in a condition, a base is a number."""
    row["says"] = row["says"].replace("{base}", answer).replace("{error}", answer)
    for path, value in row.get("unless", {}).items():
        if value == "{base}":
            first = float(answer.partition(" ")[0].replace(",", ""))
            row["unless"] = row["unless"] | {path: first}
    return row


def run_each(options: argparse.Namespace) -> list[dict]:
    """Run the engines asked for, each in a process of its own; return the rows."""
    pip = [options.python, "-m", "pip", "--disable-pip-version-check", "list", "--format=freeze"]
    present = set(subprocess.check_output(pip, text=True).split())
    options.cache.mkdir(parents=True, exist_ok=True)
    rows = []
    for engine in ENGINES:
        if options.names and not any(name in engine for name in options.names):
            continue
        path = folders(engine, options.cache, options.python, present)
        settings = {"PYTHONPATH": os.pathsep.join(map(str, [*path, ROOT])), "HF_HUB_OFFLINE": "1"}
        done = subprocess.run([options.python, "-W", "ignore", __file__, "--here", engine],
                              env=os.environ | settings, timeout=SECONDS, check=True,
                              stdout=subprocess.PIPE, text=True)  # fmt: skip
        print(done.stdout, end="", flush=True)
        rows += map(json.loads, done.stdout.splitlines())
    return rows


def write(rows: list[dict]) -> None:
    """Write the table: the rows, and those of engines that were not run."""
    old = tomllib.loads(TABLE.read_text("utf-8"))["row"] if TABLE.exists() else []
    run = {row["engine"] for row in rows}
    order = [engine.partition("==")[0] for engine in ENGINES]
    rows = [*rows, *(row for row in old if row["engine"] not in run)]
    rows.sort(key=lambda row: order.index(row["engine"]))
    tables = ("\n".join(f"{k} = {_value(v)}" for k, v in row.items()) for row in rows)
    text = HEAD + f"\ndate = {date.today()}\n\n" + "\n\n".join(f"[[row]]\n{t}" for t in tables)
    TABLE.write_text(text + "\n", encoding="utf-8", newline="\n")


def main() -> None:
    """Install and run the engines asked for."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir(), "libraries"))
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--here", help=argparse.SUPPRESS)
    options = parser.parse_args()
    logging.disable(logging.WARNING)
    if options.here:
        return run_here(options.here)
    rows = run_each(options)
    if options.write:
        write(rows)


if __name__ == "__main__":
    main()
