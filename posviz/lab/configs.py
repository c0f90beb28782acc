"""What one run of the laboratory is, and is named by: its task, arm, seed and sizes."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass

from posviz.arrays import TORCH_DEVICES
from posviz.encodings.checks import require_choice, require_even, require_integer

TASKS = ("bytes", "recall", "copy unique", "copy repeats", "parity", "majority")
# What is trained; posviz/lab/arms.py says what each is.
ARMS = (
    "none",
    "sinusoidal",
    "learned",
    "T5",
    "ALiBi",
    "RoPE",
    "xPos",
    "RoPE, window",
    "hybrid",
    "FIRE",
    "Kerple",
    "FoX",
)
REMEDIES = ("learned, randomised", "RoPE, randomised")  # trained otherwise, for one failing task
AT_TEST = {  # what is changed at test alone, by the arm that is trained
    "RoPE": ("PI", "NTK", "YaRN", "RoPE, window at test", "RoPE, log-n at test"),
    "xPos": ("xPos, blocks at test",),
}
SHORTEST = {"recall": 16}  # tokens in training: half of them for eight names
LONGEST = {"bytes": 256, "copy unique": 32}  # tokens in training: the longest test needs a text
RULES = 1  # goes up when a task or an arm changes: older results are of another laboratory


@dataclass(frozen=True)
class Config:
    """One run: a task, an arm, a seed, and how large and long it is.

    The seed draws the weights before training and the texts of each step: texts are the same for
    every arm. Units: seq_len in tokens, of the longest text in training.
    """

    task: str
    arm: str
    seed: int = 0
    steps: int = 500
    seq_len: int = 64
    batch_size: int = 16
    d_model: int = 64
    num_heads: int = 4
    num_layers: int = 2
    learning_rate: float = 2e-3
    device: str = "torch CPU"

    def __post_init__(self) -> None:
        require_choice(self.task, "task", TASKS)
        require_choice(self.arm, "arm", ARMS + REMEDIES)
        require_choice(self.device, "device", tuple(TORCH_DEVICES))
        require_integer(self.seed, "seed", low=0)
        require_integer(self.seq_len, "seq_len", low=SHORTEST.get(self.task, 8))
        require_even(self.seq_len, "seq_len")
        if self.seq_len > (most := LONGEST.get(self.task, self.seq_len)):
            raise ValueError(f"seq_len must be at most {most} for {self.task}, got {self.seq_len}")
        if self.d_model % (pairs := 2 * self.num_heads):
            raise ValueError(
                f"d_model must be divisible by 2 · num_heads = {pairs}, got {self.d_model}"
            )

    @property
    def key(self) -> str:
        """The name of its file: 16 hexadecimal digits, the same on every machine."""
        content = {**asdict(self), "rules": RULES}
        text = json.dumps(content, sort_keys=True, separators=(",", ":"), default=int)  # of NumPy
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def __str__(self) -> str:
        return f"{self.task}, {self.arm}, seed {self.seed}"
