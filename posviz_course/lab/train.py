"""One run: train a small model on short texts, test it on long ones, and keep both."""

from __future__ import annotations

import hashlib
import os
import platform
import time
from collections.abc import Iterable
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn.functional import cross_entropy

from posviz.arrays import to_device
from posviz.encodings.randomised import randomised_positions
from posviz_course.lab import arms, results
from posviz_course.lab.configs import REMEDIES, Config
from posviz_course.lab.results import Result
from posviz_course.lab.tasks import IGNORED, TASKS, Batch, held_out_batch, training_batch
from posviz_course.models.training import Run, SmallTransformer, fit, one_thread

WARM_UP, FALL = 50, 0.2  # steps in which the learning rate rises; share in which it falls to 0
TEST_TOKENS = 2**15  # that are read at each length
AT_ONCE = 2**13  # of these
AVERAGED = 50  # steps whose losses are one number of a Result
DIGITS = 4  # of the numbers of a Result


def train_one(config: Config, folder: Path | str) -> Result:
    """Return the result of a run from its file in a folder, which is made if it is not there.

    The same configuration gives the same bits on the same machine.
    """
    if (done := results.kept(folder, config)) is not None:
        return done
    result = tested(config, *trained(config))
    results.save(result, folder)
    return result


def trained(config: Config, *, bar: bool = False) -> tuple[SmallTransformer, Run]:
    """Train the model of a configuration, and return it with its losses.

    Torch's threads and random numbers are left as they were. With ``bar``, progress is shown.
    """
    device = to_device(torch.zeros(1), config.device).device
    model, run = arms.untrained(config).to(device), Run()

    def loss_at(step: int) -> torch.Tensor:
        batch = training_batch(config.task, config.seed, step, config.batch_size, config.seq_len)
        asked = _asked(model(batch.tokens, _positions(config, step)), batch)
        return cross_entropy(*asked, reduction="none").mean()

    def rate_at(step: int) -> float:
        rise, fall = (step + 1) / WARM_UP, (1 - step / config.steps) / FALL
        return config.learning_rate * min(1.0, rise, fall)

    fit(
        *(model, run, config.steps, loss_at, rate_at),
        after_step=lambda: arms.keep_allowed(model),
        title=str(config),
        bar=bar,
    )
    return model, run


def _positions(config: Config, step: int) -> np.ndarray | None:
    """Return the positions of a step where they are randomised, None where they count from 0."""
    if config.arm not in REMEDIES:
        return None
    rng = np.random.default_rng((config.seed, step, 1))
    return randomised_positions(config.seq_len, arms.longest(config), rng=rng)


def _asked(logits: torch.Tensor, batch: Batch) -> tuple[torch.Tensor, torch.Tensor]:
    """Return logits and target of each answer that is asked for, one after the other."""
    targets = torch.tensor(batch.targets, device=logits.device)
    asked = targets != IGNORED
    return logits[asked], targets[asked]


def fingerprint(model: SmallTransformer) -> str:
    """Return the SHA-256 of all weights, hexadecimal: two models are alike to the last bit."""
    digest = hashlib.sha256()
    for _, tensor in sorted(model.state_dict().items()):
        digest.update(tensor.cpu().contiguous().numpy().tobytes())
    return digest.hexdigest()


# ---------------------------------------------------------------- the test


def tested(config: Config, model: SmallTransformer, run: Run) -> Result:
    """Return the result of a trained model: what it reads at all lengths of its task."""
    begun = time.process_time()
    with one_thread():
        readings = _readings(config, model)
    seconds = round(run.seconds + time.process_time() - begun, DIGITS)
    means = [np.mean(run.losses[at : at + AVERAGED]) for at in range(0, config.steps, AVERAGED)]
    return Result(config, _rounded(means), readings, seconds, fingerprint(model), _about())


def _readings(config: Config, model: SmallTransformer) -> dict[str, dict[str, Any]]:
    """Test the model, as it is and as it may be changed, at all lengths of its task."""
    readings: dict[str, dict[str, Any]] = {}
    for length in TASKS[config.task].lengths(config.seq_len):
        batch = held_out_batch(config.task, length, max(TEST_TOKENS // length, 1))
        for name, read in {config.arm: model, **arms.at_test(config, model, length)}.items():
            value, by_place = measure(config.task, read, batch)
            scores = readings.setdefault(name, {"by_length": {}})
            scores["by_length"][str(length)] = round(value, DIGITS)
            scores["by_place"] = _rounded(by_place)
    return readings


def _rounded(values: Iterable[Any]) -> list[Any]:
    """Return numbers as JSON has them: None for NaN."""
    return [None if np.isnan(value) else round(float(value), DIGITS) for value in values]


def measure(task: str, model: SmallTransformer, batch: Batch) -> tuple[float, np.ndarray]:
    """Return what a model makes of texts: one number, and one for each place.

    Shapes: [bins], as ``Task.places`` begins them; NaN where nothing is asked for.
    """
    texts, length = batch.tokens.shape
    is_loss, step, values = TASKS[task].measure == "loss", max(AT_ONCE // length, 1), []
    for at in range(0, texts, step):
        piece = Batch(*(x[at : at + step] for x in batch))
        with torch.inference_mode():
            logits, targets = _asked(model(piece.tokens), piece)
        right = logits.argmax(dim=-1) == targets
        said = cross_entropy(logits, targets, reduction="none") if is_loss else right
        values.append(said.cpu().numpy())
    value = np.concatenate(values).astype(np.float64)
    place = batch.places[batch.targets != IGNORED]
    bins = len(TASKS[task].places(length))
    counted = np.bincount(place, minlength=bins)
    sums = np.bincount(place, weights=value, minlength=bins)
    by_place = np.divide(sums, counted, out=np.full(bins, np.nan), where=counted > 0)
    late = place >= length // 2 if is_loss else slice(None)
    return float(value[late].mean()), by_place


def _about() -> dict[str, Any]:
    """When a run ended, and with what it ran."""
    return {
        "date": date.today().isoformat(),
        "machine": f"{platform.system()} {platform.machine()}",
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        **{name: version(name) for name in ("torch", "numpy", "posviz")},
    }
