"""A small Transformer over characters, and the one training loop of the course."""

from __future__ import annotations

import math
import signal
import sys
import sysconfig
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn.functional import cross_entropy, gelu
from tqdm import tqdm

from posviz.arrays import to_numpy
from posviz.attention import attend
from posviz.attention.masks import causal_mask
from posviz.encodings.checks import require_integer
from posviz.encodings.doors import Encoding, NoPosition, doors

CHARACTERS = 128  # ASCII: the code of a character is its token
HIDDEN = CHARACTERS  # the token of a hidden character, which is to be predicted
HIDDEN_SHARE = 0.3
START = 0.02  # standard deviation of the embeddings before training, as in GPT-2 and BERT


def standard_library_text(characters: int = 1_000_000) -> str:
    """Return the first ``characters`` ASCII characters of Python's own library, file after file.

    It lies on every machine that runs Python, and differs a little from version to version. Files
    come in the order of their names; tests and what pip installed are left out.
    """
    root, text = Path(sysconfig.get_path("stdlib")), ""
    left_out = {"test", "tests", "site-packages", "dist-packages"}
    for name in sorted(path.relative_to(root).as_posix() for path in root.rglob("*.py")):
        if left_out.isdisjoint(name.split("/")):
            text += (root / name).read_text(encoding="ascii", errors="ignore")
        if len(text) >= characters:
            return text[:characters]
    raise ValueError(f"characters must be at most {len(text):,}, all there are, got {characters:,}")


class SmallTransformer(nn.Module):
    """A Transformer over ASCII characters, with any encoding.

    A causal one predicts the next character; the other kind fills in hidden characters from both
    sides. Arrays of the encoding that are torch.nn.Parameter are trained with the model. Where
    layers differ, ``plan`` has for each what of the arguments of ``attend`` is its own: encoding,
    mask, window, temperature.
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
        plan: Sequence[dict[str, Any]] | None = None,
    ) -> None:
        super().__init__()
        random = torch.Generator().manual_seed(seed)
        self.plan = list(plan or [{}] * num_layers)
        self.encoding, self.causal = encoding, causal
        self.encoding_parameters = _parameters(encoding)
        self.embedding = _normal((CHARACTERS + 1, d_model), START, random)
        self.layers = nn.ModuleList(
            _Layer(d_model, num_heads, random, own.get("encoding")) for own in self.plan
        )
        self.norm = nn.LayerNorm(d_model)
        self.output = _normal((d_model, CHARACTERS), d_model**-0.5, random)

    def forward(self, tokens: Any, positions: Any = None) -> torch.Tensor:
        """Return the logits of the characters at each place; positions count from 0 by default.

        Shapes: tokens [batch, len], positions [len] or [batch, len], result [batch, len, 128].
        """
        tokens = torch.as_tensor(tokens, device=self.embedding.device)
        if positions is None:
            positions = torch.arange(tokens.shape[1], device=tokens.device)
        x = self.encoding.at_input(self.embedding[tokens], positions)
        given = {
            "encoding": NoPosition() if doors(self.encoding) == ("at_input",) else self.encoding,
            "positions": positions,
            "mask": causal_mask(positions, positions) if self.causal else None,
        }
        for layer, own in zip(self.layers, self.plan, strict=True):
            x = layer(x, given | own)
        return self.norm(x) @ self.output


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
        self.num_heads, self.encoding_parameters = num_heads, _parameters(encoding)
        self.w_q, self.w_k, self.w_v, self.w_o = (
            _normal((d_model, d_model), d_model**-0.5, random) for _ in range(4)
        )
        self.widen = _normal((d_model, 4 * d_model), d_model**-0.5, random)
        self.bias = nn.Parameter(torch.zeros(4 * d_model))
        self.narrow = _normal((4 * d_model, d_model), (4 * d_model) ** -0.5, random)
        self.attention_norm, self.network_norm = nn.LayerNorm(d_model), nn.LayerNorm(d_model)

    def forward(self, x: torch.Tensor, given: dict[str, Any]) -> torch.Tensor:
        weights = self.w_q, self.w_k, self.w_v
        seen = attend(self.attention_norm(x), *weights, num_heads=self.num_heads, **given)
        x = x + seen @ self.w_o
        return x + gelu(self.network_norm(x) @ self.widen + self.bias) @ self.narrow


# ---------------------------------------------------------------- training


@dataclass
class Run:
    """A training: ``losses`` of each step in nats, ``snapshots``, seconds of a core.

    losses[k] is the mean after k steps. snapshots[k] is the table [len, d_model] of a learned
    encoding after k steps; there is none where no table is trained.
    """

    losses: list[float] = field(default_factory=list)
    snapshots: dict[int, np.ndarray] = field(default_factory=dict)
    seconds: float = 0.0


def fit(
    model: SmallTransformer,
    run: Run,
    steps: int,
    loss_at: Callable[[int], torch.Tensor],
    rate_at: Callable[[int], float],
    *,
    after_step: Callable[[], object] = lambda: None,
    stopped: Callable[[], bool] = lambda: False,
    title: str = "training",
    unit: str = "nats",
    bar: bool = True,
) -> None:
    """Take steps of Adam on one thread, and write the losses into ``run``.

    ``loss_at`` and ``rate_at`` return the loss and the learning rate of a step, counted from 0.
    """
    optimizer, began = Adam(model), time.process_time()
    shown = tqdm(total=steps, desc=title, file=sys.stdout, mininterval=0.5, disable=not bar)
    with one_thread(), shown:
        for step in range(steps):
            if stopped():
                break
            loss = loss_at(step)
            model.zero_grad()
            loss.backward()
            optimizer.step(rate_at(step))
            run.losses.append(loss.item())
            after_step()
            shown.set_postfix_str(f"{run.losses[-1]:.2f} {unit}", refresh=False)
            shown.update()
    run.seconds = time.process_time() - began


def train(
    model: SmallTransformer,
    text: str,
    *,
    steps: int,
    seq_len: int,
    batch_size: int = 32,
    learning_rate: float = 3e-3,
    seed: int = 0,
    snapshots: int = 25,
    watch: Callable[[dict[int, np.ndarray]], object] = lambda _: None,
) -> Run:
    """Train ``model`` on pieces of ``text``, and return its losses and snapshots.

    Each step draws batch_size pieces of seq_len characters, which depend on seed alone.
    Interrupting the kernel ends the training and keeps what was learned. snapshots are taken before
    the first step, after the last, and between them ever more rarely; watch is called with all.
    """
    if len(text) <= seq_len:
        raise ValueError(f"text must be longer than seq_len = {seq_len}, got {len(text)}")
    steps = require_integer(steps, "steps")
    random = torch.Generator().manual_seed(seed)
    number = min(snapshots, steps + 1)
    wanted = {round(steps * (k / (number - 1)) ** 2) for k in range(number)}
    run, table = Run(), getattr(model.encoding, "table", None)
    tokens = torch.tensor(list(text.encode("ascii")))

    def keep(steps: Collection[int] = wanted) -> None:
        if (done := len(run.losses)) in steps:
            if isinstance(table, nn.Parameter):
                run.snapshots[done] = to_numpy(table).copy()
            watch(run.snapshots)

    def loss_at(_: int) -> torch.Tensor:
        first = torch.randint(len(tokens) - seq_len, (batch_size, 1), generator=random)
        return _loss(model, tokens[first + torch.arange(seq_len + 1)], random)

    unit = "nats per character" if model.causal else "nats per hidden character"
    keep()
    with _interrupts_noted() as interrupted:
        how: Any = {"after_step": keep, "stopped": interrupted.is_set, "unit": unit}
        fit(model, run, steps, loss_at, lambda _: learning_rate, **how)
    if (done := len(run.losses)) < steps:
        keep([done])
        plural = "" if done == 1 else "s"
        print(f"interrupted after {done} step{plural}; what was learned is kept")
    return run


class Adam:
    """Adam as torch has it, whose class imports the compiler: 72 MiB in every kernel."""

    def __init__(self, model: nn.Module) -> None:
        self.parameters = list(model.parameters())
        self.means, self.squares = ([*map(torch.zeros_like, self.parameters)] for _ in range(2))
        self.steps = 0

    @torch.no_grad()
    def step(self, learning_rate: float) -> None:
        """Update each parameter by its gradient and the earlier ones."""
        self.steps += 1
        size, root = learning_rate / (1 - 0.9**self.steps), (1 - 0.95**self.steps) ** 0.5
        for x, mean, square in zip(self.parameters, self.means, self.squares, strict=True):
            slope = torch.zeros_like(x) if x.grad is None else x.grad
            mean.lerp_(slope, 1 - 0.9)
            square.mul_(0.95).addcmul_(slope, slope, value=1 - 0.95)
            x.addcdiv_(mean, (square.sqrt() / root).add_(1e-8), value=-size)


@contextmanager
def _interrupts_noted() -> Iterator[Event]:
    """Note an interrupt instead of raising it: an exception could come within a step."""
    interrupted = Event()
    before = signal.signal(signal.SIGINT, lambda *_: interrupted.set())
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
        shown, wanted = wanted.where(~hidden, HIDDEN), wanted.where(hidden, -100)  # not counted
    logits = model(shown)
    return cross_entropy(logits.flatten(0, 1), wanted.flatten().to(logits.device))


def _normal(shape: tuple[int, ...], deviation: float, random: torch.Generator) -> nn.Parameter:
    return nn.Parameter(deviation * torch.randn(shape, generator=random))


def loss_on_gaps(model: SmallTransformer, text: str, positions: Sequence[int]) -> float:
    """Return the mean loss in nats of hidden characters, when the tokens have these positions.

    The text is read in 1,000 pieces of 48 characters, of which the first ``len(positions)`` count.
    """
    pieces = torch.tensor(list(text[: 48 * 1000].encode())).reshape(-1, 48)
    random = torch.Generator().manual_seed(0)
    hidden = torch.rand(pieces.shape, generator=random) < HIDDEN_SHARE
    tokens, holes = pieces[:, : len(positions)], hidden[:, : len(positions)]
    with torch.no_grad():
        logits = model(tokens.where(~holes, HIDDEN), np.asarray(positions)).cpu()
    return cross_entropy(logits[holes], tokens[holes]).item()
