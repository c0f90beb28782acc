"""Install released libraries, run their boxes (library_boxes.py), and print one JSON line each.

    python scripts/libraries.py [part of a library's name ...] [--write] [--cache FOLDER]
        [--python PYTHON]

--write puts the facts and what library_notes.toml adds into posviz_course/blackbox/libraries.toml,
and writes docs/libraries.md from that file. Rows of libraries that are not run stay as they are.

PYTHON (default: this one) needs torch 2.13.0 and NumPy 2.4.6. All else is installed by pip, without
dependencies, each in a folder of its own in the cache, unless PYTHON has that very version. A
library runs in a process of its own, which finds its folders before what PYTHON has.
"""

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

from library_boxes import BOXES, Box

ROOT = Path(__file__).parents[1]
CENSUS, PAGE = (
    ROOT / "posviz_course" / "blackbox" / "libraries.toml",
    ROOT / "docs" / "libraries.md",
)
NOTES = ROOT / "scripts" / "library_notes.toml"
HEAD = "# What released libraries do. `python scripts/libraries.py --write` writes this file.\n"
MOST_NUMBERS = 16  # in a list
SECONDS = 180  # for all boxes of one library
HUB = "huggingface-hub httpx2 httpcore2 h11 anyio truststore idna pyyaml tqdm packaging"
MODELS = f"transformers regex safetensors tokenizers {HUB}"
JAX = "jax jaxlib ml-dtypes opt-einsum scipy"
PANDAS = "pandas python-dateutil six pytz scipy"
GOOGLE = "google-cloud-storage google-cloud-core google-api-core google-auth google-crc32c protobuf"
GOOGLE += " google-resumable-media googleapis-common-protos opentelemetry-api cryptography cffi"
REQUESTS = "requests urllib3 certifi charset-normalizer idna"
NEEDS = {  # what a library imports, besides torch and NumPy and what these need
    "transformers": MODELS,
    "torchtune": "torchao datasets pyarrow multiprocess dill xxhash omegaconf sentencepiece"
    f" tiktoken antlr4-python3-runtime regex tokenizers {PANDAS} {REQUESTS} {HUB}",
    "rotary-embedding-torch": "einops",
    "x-transformers": "einops einx frozendict loguru packaging torch-einops-utils",
    "timm": f"torchvision pillow safetensors {HUB}",
    "diffusers": f"importlib-metadata zipp pillow {REQUESTS} {MODELS}",
    "litgpt": f"lightning lightning-utilities torchmetrics psutil rich pygments {MODELS}",
    "curated-transformers": f"catalogue tokenizers {HUB}",
    "ultralytics": f"opencv-python-headless pillow torchvision psutil {REQUESTS} {HUB}",
    "kornia": "kornia-rs packaging",
    "moshi": f"einops safetensors sentencepiece {HUB}",
    "local-attention": "einops hyper-connections torch-einops-utils",
    "performer-pytorch": "axial-positional-embedding einops local-attention hyper-connections"
    " packaging torch-einops-utils",
    "timesfm": f"safetensors {HUB}",
    "uni2ts": "einops jaxtyping wadler-lindig",
    "esm": "einops",
    "chronos-forecasting": f"einops {PANDAS} {MODELS}",
    "ai2-olmo-core": "bettermap cached-path dataclass-extensions boto3 botocore s3transfer"
    f" jmespath dill rich pygments python-dateutil six {GOOGLE} {REQUESTS} {HUB}",
    "llama-models": "fairscale",
    "megatron-core": "packaging",
    "eole": "pyyaml pydantic pydantic-core annotated-types typing-inspection",
    "keras-hub": "keras tokenizers sentencepiece absl-py h5py namex optree ml-dtypes rich"
    f" pygments regex {HUB}",
    "flax": f"{JAX} absl-py etils msgpack optax rich pygments treescope pyyaml",
    "equinox": f"{JAX} jaxtyping wadler-lindig",
    "penzai": f"{JAX} etils ordered-set treescope absl-py",
    "gemma": JAX,
    "mlx-lm": f"mlx sentencepiece {MODELS}",
    "onnx": "ml-dtypes protobuf",
    "onnxruntime": "onnx ml-dtypes protobuf flatbuffers",
    "openai-whisper": "numba llvmlite tiktoken regex tqdm",
    "vit-pytorch": "einops torchvision pillow",
    "pytorch-forecasting": "lightning lightning-utilities torchmetrics scikit-base scikit-learn"
    f" joblib threadpoolctl narwhals cloudpickle psutil rich pygments {PANDAS} {HUB}",
    "open_clip_torch": f"torchvision pillow ftfy wcwidth regex safetensors {HUB}",
    "espnet": "packaging",
}
PINS = """
cloudpickle==3.1.3
absl-py==2.5.1 annotated-types==0.8.0 antlr4-python3-runtime==4.13.2 anyio==4.16.0
axial-positional-embedding==0.3.12 bettermap==1.3.1 boto3==1.44.8 botocore==1.44.8
cached-path==1.8.10 catalogue==2.0.10 certifi==2026.10.19.post1 cffi==2.1.1
charset-normalizer==3.5.3 cryptography==50.0.2 dataclass-extensions==0.5.0 datasets==5.2.0
dill==0.4.1 einops==0.8.2 einx==0.4.3 etils==1.15.0 fairscale==0.4.13 flatbuffers==25.12.19
frozendict==2.5.1 ftfy==6.3.1 google-api-core==2.44.0 google-auth==2.63.0 google-cloud-core==2.8.0
google-cloud-storage==3.17.1 google-crc32c==1.9.0 google-resumable-media==2.11.0
googleapis-common-protos==1.76.0 h11==0.16.0 h5py==3.16.0 httpcore2==2.16.2 httpx2==2.16.2
huggingface-hub==2.4.0 hyper-connections==0.4.11 idna==3.20 importlib-metadata==10.2.0 jax==0.10.2
jaxlib==0.10.2 jaxtyping==0.3.11 jmespath==1.1.0 joblib==1.6.0 keras==3.15.1 kornia-rs==0.2.0
lightning==2.6.6 lightning-utilities==0.15.3 llvmlite==0.50.0 loguru==0.7.3 ml-dtypes==0.6.0
msgpack==1.2.4 multiprocess==0.70.19 namex==0.1.0 narwhals==2.29.0 numba==0.68.1 omegaconf==2.4.0
opencv-python-headless==5.0.0.93 opentelemetry-api==1.45.2 opt-einsum==3.4.0 optax==0.2.8
optree==0.20.0 ordered-set==4.1.0 packaging==26.4 pandas==3.1.1 pillow==13.0.0 protobuf==7.36.2
psutil==7.2.2 pyarrow==26.0.1 pydantic==2.14.4 pydantic-core==2.50.5 pygments==2.21.0
python-dateutil==2.9.0.post0 pytz==2026.6 pyyaml==6.0.4 regex==2026.11.19 requests==2.34.2
rich==15.0.0 s3transfer==0.19.3 safetensors==0.8.0 scikit-base==0.4.6 scikit-learn==1.9.1
scipy==1.17.1 sentencepiece==0.2.3 six==1.17.0 threadpoolctl==3.8.0 tiktoken==0.14.0
tokenizers==0.23.3 torch-einops-utils==0.2.0 torchao==0.13.0 torchmetrics==1.9.0
torchvision==0.28.0 tqdm==4.70.1 treescope==0.1.10 truststore==0.10.5 typing-inspection==0.4.5
urllib3==2.8.0 wadler-lindig==0.1.8 wcwidth==0.9.4 xxhash==4.1.0 zipp==4.1.2
""".split()  # noqa: SIM905
TOGETHER = {"mlx": ["mlx-cpu==0.32.4"]}  # one looks for the other beside it


def folders(library: str, cache: Path, python: str, present: set[str]) -> list[Path]:
    """Install a library and what it needs; return their folders."""
    pins = {pin.partition("==")[0]: pin for pin in [*(b.library for b in BOXES), *PINS]}
    found = []
    for name in (library.partition("==")[0], *NEEDS.get(library.partition("==")[0], "").split()):
        pin = pins[name]
        if pin in present:
            continue
        folder = cache / pin
        if not folder.exists():
            started = folder.with_name(f"{pin}.part")
            pip = [python, "-m", "pip", "install", "--quiet", "--no-deps", "--target", started]
            pip += ["--disable-pip-version-check", "--ignore-requires-python"]
            subprocess.run([*pip, pin, *TOGETHER.get(name, [])], check=True, stdout=sys.stderr)
            started.rename(folder)
        found.append(folder)
    return found


def name_it(box: Box) -> dict:
    """Ask identify what a box does; return the facts that the census keeps."""
    from posviz import identify
    from posviz_course.blackbox.libraries import facts_of

    made = box.make()
    given = {box.kind: made}
    if box.kind == "rotate":
        given |= {"head_dim": box.head_dim, "axes": box.axes}
    verdict = identify(**given)
    off = {} if verdict.difference is None else {"difference": float(f"{verdict.difference:.1e}")}
    said = {"explained": verdict.explained, "says": " ".join(verdict.sentences)}
    code = {"code": verdict.code} if verdict.code and len(verdict.code) < 300 else {}
    return facts_of(verdict) | off | said | code


def run_here(library: str) -> None:
    """Print a line for each box of a library, whose folders are on the path."""
    import torch

    for operator in ("nms", "qnms"):  # torchvision's, compiled for CUDA, cannot be loaded here
        torch.library.define(f"torchvision::{operator}", "(Tensor x) -> Tensor")
    for box in (b for b in BOXES if b.library == library):
        try:
            with contextlib.redirect_stdout(sys.stderr):  # some greet
                found = name_it(box)
        except Exception as error:
            found = {"error": f"{type(error).__name__}: {error}"[:300]}
        print(json.dumps({"library": library, "box": box.name, "kind": box.kind} | found))


def run_each(options: argparse.Namespace) -> Iterator[dict]:
    """Run the libraries asked for; yield what each box found, or why not."""
    pip = [options.python, "-m", "pip", "--disable-pip-version-check", "list", "--format=freeze"]
    present = set(subprocess.check_output(pip, text=True).split())
    options.cache.mkdir(parents=True, exist_ok=True)
    for library in dict.fromkeys(box.library for box in BOXES):
        if options.names and not any(name in library for name in options.names):
            continue
        try:
            path = folders(library, options.cache, options.python, present)
            settings = {"KERAS_BACKEND": "torch", "JAX_PLATFORMS": "cpu", "NO_TORCH_COMPILE": "1"}
            settings |= {"PYTHONPATH": os.pathsep.join(map(str, [*path, ROOT]))}
            settings |= {"HF_HUB_OFFLINE": "1"}
            done = subprocess.run([options.python, "-W", "ignore", __file__, "--here", library],
                                  env=os.environ | settings, timeout=SECONDS, check=True,
                                  stdout=subprocess.PIPE, text=True)  # fmt: skip
            yield from map(json.loads, done.stdout.splitlines())
        except (subprocess.SubprocessError, OSError) as error:
            yield {"library": library, "error": str(error)[:300]}


# ---------------------------------------------------------------- the data


def merged(found: list[dict]) -> list[dict]:
    """Return all rows of the census, in the order of the boxes: what was found, and what was."""
    old = tomllib.loads(CENSUS.read_text("utf-8")).get("function", [])
    by_box = {(f"{row['library']}=={row['version']}", row["function"]): row for row in old}
    for line in found:
        for key in [key for key in by_box if "box" in line and key[0] == line["library"]]:
            del by_box[key]
    for line in found:
        if "error" in line:
            print(f"Left out: {line['library']} {line.get('box', '')}: {line['error']}")
        else:
            by_box[line["library"], line["box"]] = row_of(line)
    rows = [by_box[key] for box in BOXES if (key := (box.library, box.name)) in by_box]
    return with_notes(rows)


def row_of(line: dict) -> dict:
    """Return a row of the census from what was found."""
    library, version = line["library"].split("==")
    facts = {k: v for k, v in line.items() if k not in ("library", "box", "says")}
    last = {name: facts.pop(name) for name in ("explained", "difference", "code") if name in facts}
    return {"library": library, "version": version, "function": line["box"]} | facts | last


def with_notes(rows: list[dict]) -> list[dict]:
    """Return the rows, each with its note: that of its function, or of all its variants."""
    notes = tomllib.loads(NOTES.read_text("utf-8"))["note"]
    sentences = {(note["library"], note["function"]): note["sentence"] for note in notes}
    used = set()
    for row in rows:
        row.pop("surprise", None)
        parts = row["function"].split(", ")
        for end in range(len(parts), 0, -1):
            key = row["library"], ", ".join(parts[:end])
            if key in sentences:
                row["surprise"] = sentences[key]
                used.add(key)
                break
    for key in sentences.keys() - used:
        print(f"This note has no row: {', '.join(key)}")
    return rows


def as_toml(rows: list[dict], day: str) -> str:
    """Return the census as TOML."""
    tables = ("\n".join(f"{k} = {_value(v)}" for k, v in row.items()) for row in rows)
    return HEAD + f"\ndate = {day}\n\n" + "\n\n".join(f"[[function]]\n{t}" for t in tables) + "\n"


def _value(value: Any) -> str:
    if isinstance(value, dict):
        inside = ", ".join(f"{json.dumps(k)} = {_value(v)}" for k, v in value.items())
        return f"{{ {inside} }}"
    if isinstance(value, list):
        if len(value) > MOST_NUMBERS and not isinstance(value[0], str):
            raise ValueError(f"A row has a list of {len(value)}: at most {MOST_NUMBERS} are kept.")
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, float):
        return repr(float(f"{value:.6g}") + 0.0)  # no minus zero
    return json.dumps(value, ensure_ascii=False)  # a text, a whole number, true or false


def write(found: list[dict]) -> None:
    """Write the census and its page."""
    CENSUS.write_text(as_toml(merged(found), f"{date.today()}"), encoding="utf-8", newline="\n")
    sys.path.insert(0, str(ROOT))
    from posviz_tools.publish.site.libraries import page

    PAGE.write_text(page(), encoding="utf-8", newline="\n")


def main() -> None:
    """Install and run the libraries asked for."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir(), "libraries"))
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--here", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.here:
        return run_here(options.here)
    found = []
    for line in run_each(options):
        print(json.dumps(line), flush=True)
        found.append(line)
    if options.write:
        write(found)


if __name__ == "__main__":
    main()
