"""Learned tables against torch and transformers."""

import numpy as np
import pytest
import torch
from transformers import GPT2Config, RobertaConfig
from transformers.models.gpt2.modeling_gpt2 import GPT2Model
from transformers.models.opt.modeling_opt import OPTLearnedPositionalEmbedding
from transformers.models.roberta.modeling_roberta import RobertaEmbeddings

from posviz import Learned, learned
from tests.every_encoding import random

TABLE = random(7, 6)


@pytest.mark.parametrize("positions", [[0], [[6, 0, 3], [1, 1, 2]], 5], ids=str)
def test_rows_are_those_of_torch(positions):
    expected = torch.nn.functional.embedding(torch.tensor(positions), torch.tensor(TABLE))
    np.testing.assert_array_equal(learned(TABLE, positions), expected)
    assert torch.equal(learned(torch.tensor(TABLE), torch.tensor(positions)), expected)


def test_gpt2_adds_the_rows_to_its_embeddings():
    torch.manual_seed(0)
    config = GPT2Config(
        vocab_size=11, n_positions=9, n_embd=12, n_layer=1, n_head=2, embd_pdrop=0.0
    )
    model, tokens, seen = GPT2Model(config).eval(), torch.tensor([[1, 2, 3, 4]]), []
    model.h[0].register_forward_pre_hook(lambda module, given: seen.append(given[0]))
    model(tokens, position_ids=torch.arange(5, 9)[None])
    found = Learned(model.wpe.weight).at_input(model.wte(tokens), torch.arange(5, 9))
    torch.testing.assert_close(found, seen[0], rtol=0, atol=0)


def test_opt_starts_at_its_third_row_and_pads_with_the_second():
    theirs, mask = OPTLearnedPositionalEmbedding(10, 6), torch.tensor([[0, 0, 1, 1, 1]])
    positions = [[-1, -1, 0, 1, 2]]
    found = Learned(theirs.weight, padding_offset=2).at_input(torch.zeros(1, 5, 6), positions)
    assert torch.equal(found, theirs(mask))


@pytest.mark.parametrize("kind", [np.array, torch.tensor])
def test_roberta_counts_from_its_padding_index_plus_one(kind):
    config = RobertaConfig(vocab_size=9, hidden_size=12, max_position_embeddings=8, pad_token_id=1)
    embeddings = RobertaEmbeddings(config)
    tokens = torch.tensor([[5, 6, 7, 1, 1], [1, 1, 5, 1, 6]])
    rows = embeddings.create_position_ids_from_input_ids(tokens, embeddings.padding_idx)
    positions = kind([[0, 1, 2, -1, -1], [-1, -1, 0, -1, 1]])
    found = learned(embeddings.position_embeddings.weight, positions, padding_offset=2)
    assert torch.equal(found, embeddings.position_embeddings(rows))
