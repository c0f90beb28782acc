"""A file made to do harm gives one clear line, soon, and takes little memory."""

import json
import time
import tracemalloc

import pytest

from posviz.models.checkpoints import load_table

SECONDS, BYTES, CHARACTERS = 2, 2**26, 1200
TABLE = {"dtype": "F32", "shape": [2, 4], "data_offsets": [0, 32]}
HUGE = {"dtype": "F32", "shape": [2**17, 2**17], "data_offsets": [0, 2**36]}
DEEP = "[" * 200_000


def packed(header, data=bytes(32), length=None) -> bytes:
    """A file of the format: the header's length, the header, the data."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return (len(text) if length is None else length).to_bytes(8, "little") + text + data


HOSTILE = {
    "cut short": packed({"table": TABLE})[:-1],
    "a header that is said to be huge": packed({"table": TABLE}, length=2**63),
    "a header that is no JSON": packed(b"{'table'"),
    "a header nested too deeply": packed(DEEP.encode()),
    "a table that is not there": packed({"table": HUGE}),
    "a shape that wraps around": packed({"table": TABLE | {"shape": [2**32, 2**32]}}),
    "data that overlap": packed({"table": TABLE, "other": TABLE}),
    "a pickle": b"\x80\x04cbuiltins\nexit\n." + bytes(100),
    "escape codes for a name": packed({"\x1b[2J\x1b[31mred": TABLE}),
}


@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE)
def test_hostile_table_gives_one_clear_line(content, tmp_path):
    path = tmp_path / "model.safetensors"
    path.write_bytes(content)
    start = time.process_time()
    tracemalloc.start()
    with pytest.raises((ValueError, OSError)) as refusal:
        load_table(path, "table")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert str(refusal.value).isprintable()
    assert 20 < len(str(refusal.value)) <= CHARACTERS
    assert time.process_time() - start <= SECONDS
    assert peak <= BYTES


@pytest.mark.parametrize("shard", ["../table.safetensors", "/etc/passwd", "", 1])
def test_index_leads_to_no_file_outside_its_folder(shard, tmp_path):
    folder = tmp_path / "model"
    folder.mkdir()
    (tmp_path / "table.safetensors").write_bytes(packed({"table": TABLE}))
    index = json.dumps({"weight_map": {"table": shard}})
    (folder / "model.safetensors.index.json").write_text(index)
    with pytest.raises((ValueError, OSError)) as refusal:
        load_table(folder, "table")
    assert str(refusal.value).isprintable()
