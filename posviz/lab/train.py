"""One run: train a small model on short texts, test it on long ones, and keep both."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import sys
import time
import warnings
from dataclasses import dataclass, field
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch.nn.functional import cross_entropy
from tqdm import tqdm

from posviz.arrays import TORCH_DEVICES, devices
from posviz.encodings.randomised import randomised_positions
from posviz.lab import arms, results
from posviz.lab.configs import REMEDIES, Config
from posviz.lab.results import Reading, Result
from posviz.lab.tasks import IGNORED, TASKS, Batch, held_out_batch, training_batch
from posviz.models.training import Adam, SmallTransformer, one_thread
from posviz.wording import quoted, shortened

WARM_UP, FALL = 50, 0.2  # steps in which the learning rate rises; share in which it falls to 0
TEST_TOKENS = 2**15  # that are read at each length
AT_ONCE = 2**13  # of these
CHECKPOINT_SECONDS = 5.0
AVERAGED = 50  # steps whose losses are one number of a Result


def train_one(config: Config, folder: Path | str | None = None, *, bar: bool = False) -> Result:
    """Train and test one model, on one thread, and return what was measured.

    The same configuration gives the same bits on the same machine. In a folder the result is one
    file, named by ``config.key``: where a whole one is, it is returned and nothing is run. Until
    then a checkpoint lies there; a run that was killed goes on from it, to the same bits. Torch's
    threads and random numbers are left as they were. With ``bar``, progress is shown.

    Raises:
        TypeError: when config is not a Config.
        ValueError: for a device that is not there.
    """
    if not isinstance(config, Config):
        raise TypeError(f"config must be a Config, got {quoted(config)}")
    if folder is not None and (done := results.kept(folder, config)) is not None:
        return done
    result = tested(config, *trained(config, folder, bar=bar))
    if folder is not None:
        results.save(result, folder)
        _checkpoint(folder, config).unlink(missing_ok=True)
    return result


# ---------------------------------------------------------------- training


@dataclass
class Run:
    """A training under way: the loss of each step so far, and the seconds of a core they took."""

    losses: list[float] = field(default_factory=list)
    seconds: float = 0.0


def trained(
    config: Config, folder: Path | str | None = None, *, bar: bool = False
) -> tuple[SmallTransformer, Run]:
    """Return the trained model of a configuration, and its losses; see ``train_one``."""
    if reason := devices()[config.device]:
        raise ValueError(f"device {config.device} cannot be used: {reason}")
    model = arms.untrained(config).to(TORCH_DEVICES[config.device])
    optimizer, run = Adam(model, config.learning_rate), Run()
    if folder is not None:
        _resume(_checkpoint(folder, config), model, optimizer, run)
    begun, noted = time.process_time() - run.seconds, time.monotonic()
    first = len(run.losses)
    shown = tqdm(
        total=config.steps, initial=first, desc=str(config), file=sys.stdout, disable=not bar
    )
    with one_thread(), shown:
        for step in range(first, config.steps):
            run.losses.append(_step(config, model, optimizer, step))
            shown.update()
            if folder is not None and time.monotonic() - noted > CHECKPOINT_SECONDS:
                run.seconds = time.process_time() - begun
                _keep(_checkpoint(folder, config), model, optimizer, run)
                noted = time.monotonic()
    run.seconds = time.process_time() - begun
    return model, run


def _step(config: Config, model: SmallTransformer, optimizer: Adam, step: int) -> float:
    batch = training_batch(config.task, config.seed, step, config.batch_size, config.seq_len)
    positions = None
    if config.arm in REMEDIES:
        rng = np.random.default_rng((config.seed, step, 1))
        places = randomised_positions(batch.tokens.shape[1], arms.longest(config), rng=rng)
        positions = torch.tensor(places, device=model.embedding.device)
    loss = _losses(model(batch.tokens, positions), batch).mean()
    model.zero_grad()
    loss.backward()
    rise, fall = (step + 1) / WARM_UP, (1 - step / config.steps) / FALL
    optimizer.learning_rate = config.learning_rate * min(1.0, rise, fall)
    optimizer.step()
    arms.keep_allowed(model)
    return loss.item()


def _losses(logits: torch.Tensor, batch: Batch) -> torch.Tensor:
    """Return the loss of each answer that is asked for, one after the other."""
    targets = torch.tensor(batch.targets, device=logits.device)
    asked = targets != IGNORED
    return cross_entropy(logits[asked], targets[asked], reduction="none")


def fingerprint(model: SmallTransformer) -> str:
    """Return the SHA-256 of all weights, hexadecimal: two models are alike to the last bit."""
    digest = hashlib.sha256()
    for _, tensor in sorted(model.state_dict().items()):
        digest.update(tensor.cpu().contiguous().numpy().tobytes())
    return digest.hexdigest()


# ---------------------------------------------------------------- checkpoints


def _checkpoint(folder: Path | str, config: Config) -> Path:
    return results.path_of(folder, config).with_suffix(".checkpoint")


def _tensors(model: SmallTransformer, optimizer: Adam) -> dict[str, torch.Tensor]:
    """Return all that a step changes, by name: the tensors themselves."""
    memory = {"means": optimizer.means, "squares": optimizer.squares, "steps": optimizer.steps}
    named = {f"{name}.{k}": x for name, many in memory.items() for k, x in enumerate(many)}
    return named | dict(model.named_parameters())


def _keep(path: Path, model: SmallTransformer, optimizer: Adam, run: Run) -> None:
    """Write model, optimizer and losses into one file; it is renamed when it is whole."""
    tensors = {name: x.detach() for name, x in _tensors(model, optimizer).items()}
    metadata = {"losses": json.dumps(run.losses), "seconds": json.dumps(run.seconds)}
    results.write(path, save(tensors, metadata))


def _resume(path: Path, model: SmallTransformer, optimizer: Adam, run: Run) -> None:
    """Go on from a checkpoint, where there is one; from the start where it is broken."""
    try:
        with safe_open(path, framework="pt") as file:
            found = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            losses, seconds = (json.loads(file.metadata()[n]) for n in ("losses", "seconds"))
    except FileNotFoundError:
        return
    except (SafetensorError, KeyError, TypeError, ValueError) as error:
        warnings.warn(f"{shortened(path)} is broken, so its run begins anew: {error}", stacklevel=2)
        return
    with torch.no_grad():
        for name, x in _tensors(model, optimizer).items():
            x.copy_(found[name])  # in place: as it is aligned decides the last bits
    run.losses, run.seconds = losses, seconds


# ---------------------------------------------------------------- the test


def tested(config: Config, model: SmallTransformer, run: Run) -> Result:
    """Return the result of a trained model: what it reads at all lengths of its task."""
    begun = time.process_time()
    with one_thread():
        readings = _readings(config, model)
    seconds = run.seconds + time.process_time() - begun
    losses = [np.mean(run.losses[at : at + AVERAGED]) for at in range(0, config.steps, AVERAGED)]
    weights, about = fingerprint(model), _about()
    return Result(config, np.array(losses), readings, seconds, weights, about)


def _readings(config: Config, model: SmallTransformer) -> dict[str, Reading]:
    """Test the model, as it is and as it may be changed, at all lengths of its task."""
    by_length: dict[str, dict[int, float]] = {}
    by_place: dict[str, np.ndarray] = {}
    for length in TASKS[config.task].lengths(config.seq_len):
        batch = held_out_batch(config.task, length, max(TEST_TOKENS // length, 1))
        for name, read in {config.arm: model, **arms.at_test(config, model, length)}.items():
            value, by_place[name] = measure(config.task, read, batch)
            by_length.setdefault(name, {})[length] = value
    return {name: Reading(by_length[name], by_place[name]) for name in by_length}


def measure(task: str, model: SmallTransformer, batch: Batch) -> tuple[float, np.ndarray]:
    """Return what a model makes of texts: one number, and one for each place.

    Shapes: [bins], as ``Task.places`` begins them; see ``Reading``.
    """
    length = batch.tokens.shape[1]
    values = []
    with torch.inference_mode():
        for part in _parts(batch):
            logits = model(part.tokens)
            if TASKS[task].measure == "loss":
                values.append(_losses(logits, part).cpu().numpy())
            else:
                asked = part.targets != IGNORED
                said = logits.argmax(dim=-1).cpu().numpy()
                values.append((said == part.targets)[asked])
    value = np.concatenate(values).astype(np.float64)
    place = batch.places[batch.targets != IGNORED]
    bins = len(TASKS[task].places(length))
    counted = np.bincount(place, minlength=bins)
    sums = np.bincount(place, weights=value, minlength=bins)
    by_place = np.divide(sums, counted, out=np.full(bins, np.nan), where=counted > 0)
    late = place >= length // 2 if TASKS[task].measure == "loss" else slice(None)
    return float(value[late].mean()), by_place


def _parts(batch: Batch) -> list[Batch]:
    texts = max(AT_ONCE // batch.tokens.shape[1], 1)
    starts = range(0, len(batch.tokens), texts)
    return [Batch(*(x[at : at + texts] for x in batch)) for at in starts]


def _about() -> dict[str, Any]:
    """When a run ended, and with what it ran."""
    return {
        "date": date.today().isoformat(),
        "machine": f"{platform.system()} {platform.machine()}",
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        **{name: version(name) for name in ("torch", "numpy", "posviz")},
    }
