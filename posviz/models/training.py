"""A small Transformer over characters, its training, and what its table looked like on the way."""

from __future__ import annotations

import math
import os
import signal
import sys
import sysconfig
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn.functional import cross_entropy, gelu
from torch.optim.adam import adam
from tqdm import tqdm

from posviz.arrays import TORCH_DEVICES, to_device, to_numpy
from posviz.attention import attend
from posviz.attention.masks import causal_mask
from posviz.encodings.checks import require_integer, require_positive
from posviz.encodings.doors import Encoding, NoPosition, doors
from posviz.wording import quoted

CHARACTERS = 128  # ASCII: the code of a character is its token
HIDDEN = CHARACTERS  # the token that stands where a character has to be filled in
HIDDEN_SHARE = 0.3
IGNORED = -100  # where nothing has to be predicted
PLANNED = ("encoding", "mask", "window", "temperature")  # what a layer may have for itself
START = 0.02  # standard deviation of the embeddings before training, as in GPT-2 and BERT


def standard_library_text(characters: int = 1_000_000) -> str:
    """Return the first ``characters`` ASCII characters of Python's own library, file after file.

    It lies on every machine that runs Python, and differs a little from version to version. Files
    come in the order of their names; tests and what pip installed are left out.

    Raises:
        TypeError: when characters is not an integer.
        ValueError: for less than 1, or more than the library has.
    """
    characters = require_integer(characters, "characters")
    root, files, length = Path(sysconfig.get_path("stdlib")), [], 0
    for path in sorted(_modules_in(root), key=lambda path: path.relative_to(root).as_posix()):
        files.append(path.read_text(encoding="ascii", errors="ignore"))
        length += len(files[-1])
        if length >= characters:
            return "".join(files)[:characters]
    raise ValueError(f"characters must be at most {length:,}, all there are, got {characters:,}")


def _modules_in(root: Path) -> Iterator[Path]:
    """All of the library's files; what pip installed, thousands more, is not even listed."""
    for folder, inside, names in os.walk(root):
        inside[:] = set(inside) - {"test", "tests", "site-packages", "dist-packages"}
        yield from (Path(folder, name) for name in names if name.endswith(".py"))


class SmallTransformer(nn.Module):
    """A Transformer over ASCII characters, with any encoding.

    A causal one predicts the next character from those before it; the other kind fills in hidden
    characters from both sides. Arrays of the encoding that are torch.nn.Parameter are trained with
    the model, all others stay as they are. Without dropout, weights before training drawn from
    ``seed``, normalised before each sublayer. Where layers differ, ``plan`` has for each what of
    the arguments of ``attend`` is its own: encoding, mask, window, temperature.
    """

    def __init__(
        self,
        encoding: Encoding,
        *,
        d_model: int = 64,
        num_heads: int = 4,
        num_layers: int = 1,
        causal: bool = True,
        seed: int = 0,
        plan: Sequence[Mapping[str, Any]] | None = None,
    ) -> None:
        super().__init__()
        d_model = require_integer(d_model, "d_model")
        num_heads = require_integer(num_heads, "num_heads")
        num_layers = require_integer(num_layers, "num_layers")
        if d_model % num_heads:
            raise ValueError(f"num_heads must divide d_model = {d_model}, got {num_heads}")
        if "at_input" in (at := doors(encoding)) and len(at) > 1:
            raise ValueError(f"encoding must act at the input or after it, not both, got {at}")
        self.plan = _plan(plan, num_layers)
        random = _generator(seed)
        self.encoding, self.causal = encoding, causal
        self.encoding_parameters = _parameters(encoding)
        self.embedding = _normal((CHARACTERS + 1, d_model), START, random)
        self.layers = nn.ModuleList(
            _Layer(d_model, num_heads, random, own.pop("encoding", None)) for own in self.plan
        )
        self.norm = nn.LayerNorm(d_model)
        self.output = _normal((d_model, CHARACTERS), d_model**-0.5, random)

    def forward(self, tokens: Any, positions: Any = None) -> torch.Tensor:
        """Return the logits of the characters at each place; positions count from 0 by default.

        Shapes: tokens [batch, len], positions [len] or [batch, len], result [batch, len, 128].

        Raises:
            IndexError: for positions that a table of the encoding does not have.
        """
        tokens = torch.as_tensor(tokens, device=self.embedding.device)
        if positions is None:
            positions = torch.arange(tokens.shape[1], device=tokens.device)
        x = self.encoding.at_input(self.embedding[tokens], positions)
        mask = causal_mask(positions, positions) if self.causal else None
        inner = NoPosition() if doors(self.encoding) == ("at_input",) else self.encoding
        for layer, own in zip(self.layers, self.plan, strict=True):
            x = layer(x, inner, positions, {"mask": mask, **own})
        return self.norm(x) @ self.output


def _plan(plan: Sequence[Mapping[str, Any]] | None, num_layers: int) -> list[dict[str, Any]]:
    """Return a copy of the plan, a row for each layer: empty ones where there is none."""
    rows = [dict(own) for own in plan or [{}] * num_layers]
    if len(rows) != num_layers:
        raise ValueError(f"plan must have a row for each of {num_layers} layers, got {len(rows)}")
    for own in rows:
        if unknown := set(own) - set(PLANNED):
            raise ValueError(f"plan must name {', '.join(PLANNED)}, got {quoted(min(unknown))}")
    return rows


def _parameters(encoding: Encoding | None) -> nn.ParameterDict:
    """Register the trained arrays of an encoding, so that they are saved and moved with a model."""
    named = {} if encoding is None else vars(encoding)
    return nn.ParameterDict({n: x for n, x in named.items() if isinstance(x, nn.Parameter)})


class _Layer(nn.Module):
    """Attention and a network of one hidden layer, each added to the residual stream."""

    def __init__(
        self, d_model: int, num_heads: int, random: torch.Generator, encoding: Encoding | None
    ) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.encoding, self.encoding_parameters = encoding, _parameters(encoding)
        self.w_q, self.w_k, self.w_v, self.w_o = (
            _normal((d_model, d_model), d_model**-0.5, random) for _ in range(4)
        )
        self.widen = _normal((d_model, 4 * d_model), d_model**-0.5, random)
        self.bias = nn.Parameter(torch.zeros(4 * d_model))
        self.narrow = _normal((4 * d_model, d_model), (4 * d_model) ** -0.5, random)
        self.attention_norm, self.network_norm = nn.LayerNorm(d_model), nn.LayerNorm(d_model)

    def forward(
        self, x: torch.Tensor, encoding: Encoding, positions: Any, limits: dict[str, Any]
    ) -> torch.Tensor:
        normal = self.attention_norm(x)
        seen = attend(
            normal,
            self.w_q,
            self.w_k,
            self.w_v,
            num_heads=self.num_heads,
            encoding=encoding if self.encoding is None else self.encoding,
            positions=positions,
            **limits,
        )
        x = x + seen @ self.w_o
        return x + gelu(self.network_norm(x) @ self.widen + self.bias) @ self.narrow


@dataclass
class Run:
    """What a training left: ``losses`` [steps] in nats, and ``snapshots``.

    losses[k] is the mean over the characters that were to be predicted, or filled in, after k
    steps, on text drawn for step k + 1. snapshots[k] is the table [len, d_model] of a learned
    encoding after k steps; there is none where no table is trained.
    """

    losses: np.ndarray
    snapshots: dict[int, np.ndarray]


def train(
    model: SmallTransformer,
    text: str,
    *,
    steps: int,
    seq_len: int,
    batch_size: int = 32,
    learning_rate: float = 3e-3,
    seed: int = 0,
    device: str = "torch CPU",
    snapshots: int = 25,
    watch: Callable[[dict[int, np.ndarray]], object] | None = None,
) -> Run:
    """Train ``model`` with Adam on pieces of ``text``, and return its losses and snapshots.

    Each step draws batch_size pieces of seq_len characters from anywhere in the text; which ones
    depends on seed alone. Interrupting the kernel ends it after the step that is under way, keeps
    what was learned so far, and says so. device is a name of ``posviz.arrays.devices``, and the
    model stays there. snapshots are taken before the first step, after the last, and between them
    ever more rarely, for most is learned early. Whenever one is taken, watch is called with all
    that there are.

    Raises:
        TypeError: when an argument is not of its type.
        ValueError: for a number out of range, text that is not ASCII or too short, or a device
            that is not there.
        IndexError: when seq_len asks for positions that a table of the encoding does not have.
    """
    if not isinstance(model, SmallTransformer):
        raise TypeError(f"model must be a SmallTransformer, got {quoted(model)}")
    steps, seq_len = require_integer(steps, "steps"), require_integer(seq_len, "seq_len")
    batch_size = require_integer(batch_size, "batch_size")
    rate = require_positive(learning_rate, "learning_rate")
    wanted, random = _snapshot_steps(steps, snapshots), _generator(seed)
    losses: list[float] = []
    tables: dict[int, np.ndarray] = {}
    unit = "nats per character" if model.causal else "nats per hidden character"

    def keep() -> None:
        tables.update(_table(len(losses), model))
        if watch is not None:
            watch(tables)

    with _interrupts_noted() as interrupted, one_thread():
        tokens = _tokens(text, seq_len)
        model.to(_device(device))
        optimizer = Adam(model, rate)
        with tqdm(total=steps, desc="training", file=sys.stdout, mininterval=0.5) as bar:
            keep()
            while len(losses) < steps and not interrupted.is_set():
                loss = _loss(model, _pieces(tokens, seq_len, batch_size, random), random)
                model.zero_grad()
                loss.backward()
                optimizer.step()
                losses.append(loss.item())
                bar.set_postfix_str(f"{losses[-1]:.2f} {unit}", refresh=False)
                bar.update()
                if len(losses) in wanted:
                    keep()
        if (done := len(losses)) < steps:
            keep()
            print(f"interrupted after {done} step{'s' * (done != 1)}; what was learned is kept")
    return Run(np.array(losses), tables)


class Adam:
    """Adam, by torch's function: its class imports the compiler, 72 MiB in every kernel.

    ``means``, ``squares`` and ``steps`` are its memory of each of ``parameters``.
    """

    def __init__(self, model: nn.Module, learning_rate: float) -> None:
        self.parameters: list[torch.Tensor] = list(model.parameters())
        self.learning_rate = learning_rate
        self.means, self.squares = ([*map(torch.zeros_like, self.parameters)] for _ in range(2))
        self.steps = [torch.zeros(()) for _ in self.parameters]

    @torch.no_grad()
    def step(self) -> None:
        """Move each parameter by what its gradient, and those before it, ask for."""
        adam(
            self.parameters,
            [torch.zeros_like(p) if p.grad is None else p.grad for p in self.parameters],
            self.means,
            self.squares,
            [],
            self.steps,
            amsgrad=False,
            beta1=0.9,
            beta2=0.95,
            lr=self.learning_rate,
            weight_decay=0.0,
            eps=1e-8,
            maximize=False,
        )


@contextmanager
def _interrupts_noted() -> Iterator[threading.Event]:
    """Yield what is set when the kernel is interrupted; the second time raises, as ever.

    An exception could come anywhere: in the middle of a step, or before the first. Only the main
    thread, which runs the cells, is ever interrupted.
    """
    interrupted = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield interrupted
        return

    def note(*_: object) -> None:
        interrupted.set()
        signal.signal(signal.SIGINT, before)

    before = signal.signal(signal.SIGINT, note)
    try:
        yield interrupted
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def one_thread() -> Iterator[None]:
    """Compute on one thread of the CPU: matrices this small are slower on several."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _loss(model: SmallTransformer, pieces: torch.Tensor, random: torch.Generator) -> torch.Tensor:
    """Return the mean loss over the characters that are to be predicted."""
    if model.causal:
        shown, wanted = pieces[:, :-1], pieces[:, 1:]
    else:
        wanted = pieces[:, :-1]
        rank = torch.rand(wanted.shape, generator=random).argsort(dim=1).argsort(dim=1)
        hidden = rank < math.ceil(HIDDEN_SHARE * wanted.shape[1])
        shown, wanted = wanted.where(~hidden, HIDDEN), wanted.where(hidden, IGNORED)
    logits = model(shown)
    wanted = wanted.to(logits.device)
    return cross_entropy(logits.flatten(0, 1), wanted.flatten(), ignore_index=IGNORED)


def _pieces(
    tokens: torch.Tensor, seq_len: int, batch_size: int, random: torch.Generator
) -> torch.Tensor:
    """[batch_size, seq_len + 1], each from a random place"""
    first = torch.randint(len(tokens) - seq_len, (batch_size, 1), generator=random)
    return tokens[first + torch.arange(seq_len + 1)]


def _tokens(text: str, seq_len: int) -> torch.Tensor:
    if not isinstance(text, str):
        raise TypeError(f"text must be a string, got {type(text).__name__}")
    if not text.isascii():
        wrong = next(character for character in text if not character.isascii())
        raise ValueError(f"text must be ASCII, got {wrong!r} at {text.index(wrong):,}")
    if len(text) <= seq_len:
        raise ValueError(f"text must be longer than seq_len = {seq_len}, got {len(text)}")
    return torch.tensor(list(text.encode("ascii")))


def _snapshot_steps(steps: int, snapshots: int) -> set[int]:
    """Return at most that many steps from 0 to the last, spaced ever wider."""
    number = min(require_integer(snapshots, "snapshots", low=2), steps + 1)
    return {round(steps * (k / (number - 1)) ** 2) for k in range(number)}


def _table(step: int, model: SmallTransformer) -> dict[int, np.ndarray]:
    """Return {step: a copy of the table that is trained}, {} where there is none."""
    table = getattr(model.encoding, "table", None)
    return {step: to_numpy(table).copy()} if isinstance(table, nn.Parameter) else {}


def _device(name: str) -> torch.device:
    if name not in TORCH_DEVICES:
        raise ValueError(f"device must be one of {', '.join(TORCH_DEVICES)}, got {quoted(name)}")
    return to_device(torch.zeros(1), name).device


def _normal(shape: tuple[int, ...], deviation: float, random: torch.Generator) -> nn.Parameter:
    return nn.Parameter(deviation * torch.randn(shape, generator=random))


def _generator(seed: int) -> torch.Generator:
    """A separate source of random numbers: torch's own is not touched."""
    return torch.Generator().manual_seed(require_integer(seed, "seed", low=0))


def loss_on_gaps(
    model: SmallTransformer, text: str, positions, texts: int = 1000, longest: int = 48
):
    """Return the mean loss in nats of hidden characters, when the tokens have these positions."""
    pieces = torch.tensor(list(text[: 48 * 1000].encode())).reshape(-1, 48)
    random = torch.Generator().manual_seed(0)
    hidden = torch.rand(pieces.shape, generator=random) < HIDDEN_SHARE
    part, holes = pieces[:, : len(positions)], hidden[:, : len(positions)]
    with torch.no_grad():
        logits = model(part.where(~holes, HIDDEN), np.asarray(positions)).cpu()
    return cross_entropy(logits[holes], part[holes]).item()
