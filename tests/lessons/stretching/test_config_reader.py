"""The reader of configurations: what it shows of each, and of texts that are none."""

import json
import math

import numpy as np
import pytest

from posviz.lessons.stretching.config_reader import PASTED, ConfigReader
from tests.configs.test_configs import llama
from tests.lessons.by_hand import caption_of, drawn


def parts_of(picture):
    """Its arrays; lines by their labels, then the words of labels, of the text and the notice."""
    arrays, (_, *lines, above, below, told, notice) = drawn(picture)
    words = [part.artist.get_text() for part in (above, below, told, notice)]
    return arrays, {part.line.get_label(): part.line for part in lines}, words


def marked(line):
    x, y = line.get_data()
    return {round(at): wave for at, wave in zip(x, y, strict=True) if not np.isnan(wave)}


def test_pairs_of_yarn_are_kept_blended_and_slowed_where_they_should_be():
    """Llama-2's 64 pairs at 4 × 4096: 21 kept, 25 blended, 18 slowed; the last exactly 4 times."""
    _, lines, _ = parts_of(ConfigReader(config=llama(factor=4.0)))
    before, kept, blended, slowed = (marked(lines[name]) for name in list(lines)[2:])
    waves = {pair: 2 * math.pi * 10_000 ** (pair / 64) for pair in range(64)}
    assert before == pytest.approx(waves)
    assert [*kept, *blended, *slowed] == list(range(64))
    assert (len(kept), len(blended), len(slowed)) == (21, 25, 18)
    assert kept == pytest.approx({pair: waves[pair] for pair in kept})
    assert slowed == pytest.approx({pair: 4 * waves[pair] for pair in slowed})
    assert all(1 < wave / waves[pair] < 4 for pair, wave in blended.items())


BAD = {
    "": "paste the text of a config.json",
    "/etc/passwd": "this text begins with '/etc/pas', a config.json begins with {",
    '{"head_dim": 64': "the text must be JSON",
    "{}": "head_dim must be given",
    '{"head_dim": 1e9, "rope_theta": 1e4}': "at most 65,536 dimensions",
    '{"head_dim": 8, "rope_scaling": {"rope_type": "no such $method$"}}': "rope_type must be one",
    '{"a":' * 20_000: "of a few levels",
}


@pytest.mark.parametrize(("pasted", "notice"), BAD.items(), ids=range(len(BAD)))
def test_what_is_no_configuration_gets_one_line_and_no_curves(pasted, notice):
    picture = ConfigReader(model=PASTED, config=pasted)
    arrays = picture.compute()
    assert notice in arrays.notice
    assert "\n" not in arrays.notice
    assert (arrays.told, [*arrays.before[0]]) == ("", [])
    assert arrays.notice in caption_of(picture)
    assert len(caption_of(picture)) < 400


def test_a_file_of_many_lines_is_read_as_it_is_pasted(tmp_path):
    """A field of one line drops line breaks, which JSON does not need."""
    config = llama(factor=4.0) | {"layer_types": ["full_attention"] * 400}
    pasted = json.dumps(config, indent=2)
    assert len(pasted) > 8000
    (tmp_path / "config.json").write_text(pasted)
    for given in (config, pasted, tmp_path / "config.json", pasted.replace("\n", " ")):
        picture = ConfigReader(config=given)
        assert picture.model == PASTED
        assert "full, 400 layers: yarn × 4" in picture.compute().told
    assert ConfigReader(config=config, model="Llama 7B").model == "Llama 7B"


@pytest.mark.slow("seconds")
def test_what_does_not_fit_is_left_out_and_that_is_seen():
    kinds = {f"kind_{i}": {"rope_type": "default", "rope_theta": 1e4 + i} for i in range(30)}
    config = {"head_dim": 8, "layer_types": [*kinds], "rope_parameters": kinds}
    arrays, _, (*_, told, _) = parts_of(ConfigReader(config=config))
    assert told.endswith("\n…")
    assert len(told.splitlines()) < len(arrays.told.splitlines())
