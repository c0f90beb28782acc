"""What errors quote of a text that is not ours is short and can be printed."""

import time
from pathlib import Path

import numpy as np
import pytest
import traitlets
from huggingface_hub import constants

import posviz.pictures
from posviz.claims import audit
from posviz.commands.common import check_folder
from posviz.derivations.rotary import derive
from posviz.encodings.doors import doors
from posviz.engine.places import inside
from posviz.publish import arguments
from posviz.sources import url

TEXTS = {
    "6 MB": "n" * 6_000_000,
    "6 MB of quotes": "'\"" * 3_000_000,
    "6 MB of lines": "\n" * 6_000_000,
    "lone surrogates": "\ud800" * 1000,
    "escape codes": "\x1b[2J" * 1000,
    "NUL": "\0" * 1000,
}
VALUES = {
    **TEXTS,
    "bytes": b"\0" * 6_000_000,
    "5,001 digits": 10**5000,
    "a negative one": -(10**4000),
    "many texts": ["n" * 6_000_000] * 300_000,
    "many names": dict.fromkeys(map(str, range(300_000))),
}
OF_A_VALUE = {
    "a knob": lambda value: posviz.SinusoidalTable(d_model=value),
    "a knob of choices": lambda value: posviz.SinusoidalTable(layout=value),
    "d_model": lambda value: posviz.sinusoidal(range(2), value),
    "base": lambda value: posviz.rotary_frequencies(8, value),
    "layout": lambda value: posviz.sinusoidal(range(2), 8, layout=value),
    "positions": lambda value: posviz.sinusoidal([value], 8),
    "sections": lambda value: posviz.mrope_angles(np.ones((3, 2)), [1.0], value),
    "max_position": lambda value: posviz.deberta_scores(
        *[np.ones((1, 1, 2, 4))] * 2,
        *[np.ones((1, 4, 4))] * 2,
        np.eye(2, dtype=int),
        max_position=value,
    ),
    "factor": lambda value: posviz.yarn(8, value, original_max_seq_len=8),
    "encoding": lambda value: doors(value),
    "a device": lambda value: posviz.to_device([1.0], value if isinstance(value, str) else "x"),
    "a tensor": lambda value: posviz.load_table("x.safetensors", value),
    "a source": lambda value: posviz.load_table(value, filename="x.bin"),
    "a derivation": lambda value: derive("score", slip=value),
}
OF_A_TEXT = {
    "a knob's name": lambda text: posviz.SinusoidalTable(**{text: 1}),
    "a knob to film": lambda text: posviz.SinusoidalTable().animate(text, "x.gif"),
    "a picture": lambda text: posviz.pictures.load(text),
    "a name": lambda text: getattr(posviz, text),
    "a path": lambda text: posviz.SinusoidalTable().save(f"x.{text}"),
    "a home": lambda text: posviz.SinusoidalTable().save(f"~{text}/x"),
    "a home of tables": lambda text: posviz.load_table(f"~{text}/x.safetensors"),
    "a hub's file": lambda text: posviz.load_table("a/b", filename=f"{text}.safetensors"),
    "a file's name": lambda text: inside(None, text, "png"),
    "a style": lambda text: posviz.SinusoidalTable().save("x.png", style=text),
    "a lesson": audit,
    "a source of the course": url,
    "a picture of the command line": lambda text: arguments.pictures([text]),
    "notebooks of the command line": lambda text: arguments.notebooks(Path(text)),
    "a file of the command line": lambda text: arguments.picture_files([f"{text}.py"]),
    "a folder of the command line": lambda text: check_folder(Path(__file__, text)),
    "a setting of the command line": lambda text: arguments.settings(["SinusoidalTable"], [text]),
}
CALLS = [
    *((call, value) for call in OF_A_VALUE for value in VALUES),
    *((call, text) for call in OF_A_TEXT for text in TEXTS),
]
ERRORS = (TypeError, ValueError, OSError, AttributeError, KeyError, traitlets.TraitError)


@pytest.mark.sampled(default=40)
@pytest.mark.parametrize(("call", "value"), CALLS)
def test_an_error_quotes_at_most_300_characters(call, value, monkeypatch):
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    start = time.process_time()
    with pytest.raises(ERRORS) as refusal:
        (OF_A_VALUE | OF_A_TEXT)[call](VALUES[value])
    line = str(refusal.value)
    assert time.process_time() - start < 2
    assert line.isprintable(), ascii(line[:300])
    assert len(line) < 1500, line[:300]  # of it, the names of all pictures take a thousand
