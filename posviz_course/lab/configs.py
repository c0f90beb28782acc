"""What one run of the laboratory is, and is named by: its task, arm, seed and sizes."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass

from posviz.arrays import TORCH_DEVICES
from posviz.encodings.checks import require_choice, require_integer

TASKS = ("bytes", "recall", "copy unique", "copy repeats", "parity", "majority")
# What is trained; posviz_course/lab/arms.py says what each is.
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
RULES = 1  # goes up when a task or an arm changes: older results are of another laboratory


@dataclass(frozen=True)
class Config:
    """One run: a task, an arm, a seed, and how large and long it is.

    The seed draws the weights before training and the texts of each step: texts are the same for
    every arm. Units: seq_len in tokens, of the longest text in training. It is even, and at most
    256 for bytes and 32 for copy unique, whose longest tests need a text.
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

    @property
    def key(self) -> str:
        """The name of its file: 16 hexadecimal digits, the same on every machine."""
        content = {**asdict(self), "rules": RULES}
        text = json.dumps(content, sort_keys=True, separators=(",", ":"), default=int)  # of NumPy
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def __str__(self) -> str:
        return f"{self.task}, {self.arm}, seed {self.seed}"
