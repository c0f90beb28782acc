"""The census of libraries: its rows, what is the same as a program, comparisons by name."""

import importlib.metadata
import json
import os
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import numpy as np
import pytest

from posviz import (
    Rotary,
    alibi_slopes,
    apply_rotary,
    identify,
    rotary_angles,
    rotary_frequencies,
    sinusoidal,
    yarn,
)
from posviz_course.blackbox import libraries as census
from posviz_course.blackbox.writing import apply_line
from posviz_tools.publish.site import libraries
from tests.blackbox.boxes import INV_FREQ, D, rope, upside_down

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "scripts" / "libraries.py"
REQUIRED = {"library", "version", "function", "kind", "explained"}
OF_KIND = {
    "rotation": {"layout", "rotary_share", "method"},
    "table": {"order", "exponent", "base", "first_position", "method"},
    "bias": {"method", "depends_on"},
}
OPTIONAL = {*census.FACTS, "dtype", "parameters", "difference", "code", "surprise"}
RUN_AGAIN = ("transformers", "rotary-embedding-torch", "x-transformers", "torchscale")
COMPARED = ("layout", "axes", "base", "method", "first_position", "explained")


def halves(x, positions, inv_freq=INV_FREQ, **more):
    return rope(x, positions, inv_freq, layout="half_split", **more)


def named_in(same):
    return {name.partition(" ")[0] for name in same}


# ---------------------------------------------------------------- the data


def test_the_page_is_what_the_data_make():
    committed = (ROOT / "docs" / "libraries.md").read_text("utf-8")
    assert committed == libraries.page(), "run `python scripts/libraries.py --write`"


def test_the_census_has_many_functions_of_many_libraries():
    assert len(census.rows()) >= 45
    assert len({row["library"] for row in census.rows()}) >= 20


def test_every_row_has_its_keys_and_short_lists():
    for row in census.rows():
        name = census.named(row)
        assert REQUIRED | OF_KIND[row["kind"]] <= row.keys() <= REQUIRED | OPTIONAL, name
        assert all(len(each) <= 16 for each in row.values() if isinstance(each, list)), name
    assert len({census.named(row) for row in census.rows()}) == len(census.rows())


def test_every_note_is_in_a_row_with_its_version():
    notes = tomllib.loads((ROOT / "scripts" / "library_notes.toml").read_text("utf-8"))["note"]
    stored = {row["surprise"]: row for row in census.rows() if "surprise" in row}
    assert {note["sentence"] for note in notes} == stored.keys()
    wrong = [
        text for text, row in stored.items() if f"{row['library']} {row['version']}" not in text
    ]
    assert wrong == []


def test_a_row_reproduced_by_posviz_is_named_again_by_its_line():
    """What is stored as code makes the facts that are stored beside it."""
    row = next(r for r in census.rows() if r["function"] == "RotaryEmbedding, yarn × 8")
    verdict = identify(lambda x, p: apply_line(row["code"], x, p), head_dim=D)
    facts = census.facts_of(verdict)
    assert {name: facts[name] for name in ("layout", "base", "method", "factor")} == {
        name: row[name] for name in ("layout", "base", "method", "factor")
    }


# ---------------------------------------------------------------- the same


def test_plain_rope_is_the_same_as_in_many_libraries():
    same = identify(halves, head_dim=D).same_as
    assert {"keras-hub", "esm", "flax", "equinox", "litgpt"} <= named_in(same)
    assert len(named_in(same)) == len(same), "one function of each library"
    assert not [name for name in same if "another" in name]


@pytest.mark.parametrize("head_dim", [D, 2 * D])
def test_yarn_upside_down_is_the_same_as_in_litgpt(head_dim):
    plain = rotary_frequencies(head_dim)
    slow = yarn(head_dim, 4.0, original_max_seq_len=4096).inv_freq
    verdict = identify(lambda x, p: halves(x, p, 1.25 * plain - slow), head_dim=head_dim)
    assert verdict.parameters["upside_down"]
    assert named_in(verdict.same_as) == {"litgpt"}
    assert not identify(upside_down, head_dim=D).same_as, "litgpt is not interleaved"


def test_another_base_is_named_beside_what_is_the_same_but_for_it():
    same = identify(lambda x, p: Rotary(base=777.0).at_query(x[None, None], p)[0, 0], head_dim=D)
    assert "torchtune" in named_in(same.same_as)
    assert all("there with another base" in name for name in same.same_as)


DIFFERENT = {
    "first position": lambda x, p: halves(x, p + 1),
    "direction": lambda x, p: halves(x, -p),
    "norm": lambda x, p: halves(x, p, attention_factor=1.5),
    "exponent": lambda x, p: halves(x, p, 1e4 ** (-np.arange(D // 2) / (D // 2 - 1))),
}


@pytest.mark.parametrize("name", DIFFERENT)
def test_what_no_library_does_is_the_same_as_none(name):
    assert identify(DIFFERENT[name], head_dim=D).same_as == ()


def test_axes_are_the_same_only_in_their_order():
    angles = np.concatenate([INV_FREQ[::2], INV_FREQ[::2]])

    def rotate(x, p, first=0):
        each = np.where(np.arange(32) < 16, p[:, [first]], p[:, [1 - first]])
        return apply_rotary(x, each * angles, layout="interleaved")

    row_first = identify(rotate, head_dim=D, axes=2)
    column_first = identify(lambda x, p: rotate(x, p, 1), head_dim=D, axes=2)
    assert row_first.axes == "row × 16, column × 16; each axis has frequencies of its own"
    assert named_in(row_first.same_as) == {"timm"}
    assert named_in(column_first.same_as) == {"ultralytics"}


def test_tables_and_biases_are_the_same_by_order_scale_and_slopes():
    table = sinusoidal(np.arange(50), 32)
    assert "espnet" in named_in(identify(table=table).same_as)
    scaled = named_in(identify(table=0.1767767 * table).same_as)
    assert scaled == {"curated-transformers", "uni2ts"}
    shifted = sinusoidal(np.arange(50) + 1, 32, layout="concatenated", frequencies="tensor2tensor")
    assert named_in(identify(table=shifted).same_as) == {"funasr"}
    offsets = np.arange(24)[:, None] - np.arange(24)
    for heads in (8, 12, 16):
        slopes = alibi_slopes(heads)[:, None, None]
        found = identify(bias=-slopes * np.abs(offsets)).same_as
        assert named_in(found) == {"x-transformers", "eole", "mlx"}


# ---------------------------------------------------------------- by name


def test_a_program_is_compared_with_a_function_by_its_words():
    verdict = identify(halves, "litgpt yarn", head_dim=D)
    assert "Compared with litgpt 0.5.13, rope cache, yarn × 4." in verdict.sentences
    assert [text for text in verdict.differences if "no scaling, but should have YaRN's" in text]
    right = identify(halves, "keras-hub RotaryEmbedding", head_dim=D)
    assert right.differences == ()


def test_the_shortest_name_with_all_words_is_meant():
    for words, function in (
        ("transformers llama", "Llama"),
        ("transformers Llama, yarn", "Llama, yarn × 4"),
        ("litgpt", "rope cache"),
        ("mlx", "fast.rope"),
        ("esm", "RotaryEmbedding"),
    ):
        sentence = identify(halves, words, head_dim=D).sentences[-2:]
        assert f", {function}." in " ".join(sentence), words


@pytest.mark.parametrize("head_dim", [D, 128])
def test_the_base_and_the_size_of_a_run_are_no_difference(head_dim):
    frequencies = 777.0 ** (-np.arange(head_dim // 2) / (head_dim // 2))
    verdict = identify(
        lambda x, p: rope(x, p, frequencies), "transformers Llama", head_dim=head_dim
    )
    assert "run with base 500,000" in " ".join(verdict.sentences)
    [layout] = verdict.differences
    assert "Its layout is interleaved, but half_split is meant" in layout


def test_a_bias_is_compared_with_the_same_number_of_heads():
    bias = -alibi_slopes(12)[:, None, None] * np.abs(np.arange(24)[:, None] - np.arange(24))
    verdict = identify(bias=bias, meant="eole alibi")
    assert "12 heads" in " ".join(verdict.sentences)
    assert verdict.differences == ()


# ---------------------------------------------------------------- cost


def test_reading_the_census_is_quick():
    census._file.cache_clear()
    started = time.process_time()
    census.rows()
    assert time.process_time() - started < 0.15


def test_a_second_call_takes_a_third_of_a_second():
    inv_freq = rotary_frequencies(128)

    def rotate(x, positions):
        return apply_rotary(x, rotary_angles(positions, inv_freq), layout="half_split")

    identify(rotate, head_dim=128)
    started = time.process_time()
    identify(rotate, head_dim=128)
    assert time.process_time() - started < 0.3


# ---------------------------------------------------------------- run again


@pytest.mark.release("runs the boxes of the libraries that are installed")
def test_installed_libraries_do_what_the_census_says():
    present = []
    for library in RUN_AGAIN:
        stored = [row for row in census.rows() if row["library"] == library]
        version = stored[0]["version"]
        if importlib.metadata.version(library) == version:
            present.append(library)
            command = [sys.executable, "-W", "ignore", SCRIPT, "--here", f"{library}=={version}"]
            own = os.environ | {"PYTHONPATH": str(ROOT)}
            printed = subprocess.check_output(command, env=own, text=True)
            found = {line["box"]: line for line in map(json.loads, printed.splitlines())}
            for row in stored:
                line = found[row["function"]]
                now = {name: line.get(name) for name in COMPARED}
                assert all(census._equal(now[name], row.get(name)) for name in COMPARED), (
                    census.named(row),
                    now,
                )
    assert present, "install the versions of the census"
