"""A reader presses ■ at any moment of a training: one line, and everything is kept."""

import re
import time

import pytest
from jupyter_client.manager import start_new_kernel

from tests.pictures.sample import ROOT

READY = """
import torch
from posviz import Learned
from posviz_course.models.training import SmallTransformer, standard_library_text, train
text = standard_library_text(1_000_000)
"""
TRAIN = """
model = SmallTransformer(Learned(torch.nn.Parameter(torch.zeros(48, 32))), d_model=32)
def tell(*_):
    print("begun")  # within the training
    handle.remove()
handle = model.register_forward_pre_hook(tell)
run = train(model, text, steps=400, seq_len=48)
print(len(run.losses), max(run.snapshots))
"""


@pytest.mark.slow("a kernel")
def test_training_interrupted_at_any_moment_keeps_what_was_learned():
    manager, client = start_new_kernel(cwd=str(ROOT))

    def run(code, press_after=None):
        printed = []

        def keep(message):
            if message["msg_type"] in ("stream", "error"):
                printed.append(message["content"].get("text", str(message["content"])))
                if "begun" in printed[-1] and press_after is not None:
                    time.sleep(press_after)
                    manager.interrupt_kernel()

        client.execute_interactive(code, output_hook=keep, timeout=60)
        return "".join(printed)

    try:
        assert run(READY) == ""
        for seconds in (0, 0.05, 0.3):
            told = run(TRAIN, press_after=seconds)
            assert "Traceback" not in told
            assert "KeyboardInterrupt" not in told
            done = r"interrupted after (\d+) steps?; what was learned is kept\n\1 \1\n"
            assert re.search(done + "$", told)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
