"""Learned tables against torch and Hugging Face."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import GPT2Config, RobertaConfig
from transformers.models.gpt2.modeling_gpt2 import GPT2Model
from transformers.models.opt.modeling_opt import OPTLearnedPositionalEmbedding
from transformers.models.roberta.modeling_roberta import RobertaEmbeddings

from posviz.attention import attend
from posviz.encodings.doors import doors
from posviz.encodings.learned import Learned, learned, positions_from_mask

TABLE = np.random.default_rng(0).normal(size=(7, 6))


def test_the_encoding_acts_at_the_input():
    assert doors(Learned(TABLE)) == ("at_input",)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("positions", [[0], [[6, 0, 3], [1, 1, 2]], 5], ids=str)
def test_rows_are_those_of_torch(dtype, positions):
    table, positions = torch.tensor(TABLE, dtype=dtype), torch.tensor(positions)
    found = learned(table, positions)
    assert found.dtype == dtype
    assert torch.equal(found, torch.nn.functional.embedding(positions, table))
    if dtype != torch.bfloat16:
        np.testing.assert_array_equal(learned(table.numpy(), positions.tolist()), found)


@given(row=st.integers(0, 6), offset=st.integers(0, 6))
def test_a_position_is_a_row_number_without_the_padding_offset(row, offset):
    found = learned(TABLE, [row - offset], padding_offset=offset)
    assert found.tolist() == [TABLE[row].tolist()]


@given(position=st.integers(-(10**6), 10**6), offset=st.integers(0, 9), dtype=st.sampled_from("iu"))
def test_no_position_wraps_around(position, offset, dtype):
    positions = np.array([abs(position) if dtype == "u" else position], f"{dtype}8")
    if 0 <= positions[0].item() + offset < 7:
        assert learned(TABLE, positions, padding_offset=offset).shape == (1, 6)
    else:
        with pytest.raises(IndexError, match=f"of 7 rows.*, got {positions[0]}$"):
            learned(TABLE, positions, padding_offset=offset)


def test_small_unsigned_positions_are_positions_not_a_mask():
    found = learned(torch.tensor(TABLE), torch.tensor([1, 0, 1], dtype=torch.uint8))
    assert torch.equal(found, torch.tensor(TABLE[[1, 0, 1]]))
    with pytest.raises(IndexError, match="got 255"):
        learned(TABLE, np.array([255], np.uint8), padding_offset=2)


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
    positions = positions_from_mask(mask)
    found = Learned(theirs.weight, padding_offset=2).at_input(torch.zeros(1, 5, 6), positions)
    assert torch.equal(found, theirs(mask))


@pytest.mark.parametrize("kind", [np.array, torch.tensor])
def test_roberta_counts_from_its_padding_index_plus_one(kind):
    config = RobertaConfig(vocab_size=9, hidden_size=12, max_position_embeddings=8, pad_token_id=1)
    embeddings = RobertaEmbeddings(config)
    tokens = torch.tensor([[5, 6, 7, 1, 1], [1, 1, 5, 1, 6]])
    rows = embeddings.create_position_ids_from_input_ids(tokens, embeddings.padding_idx)
    table = embeddings.position_embeddings.weight
    positions = positions_from_mask(kind((tokens != 1).tolist()))
    assert positions.tolist() == [[0, 1, 2, -1, -1], [-1, -1, 0, -1, 1]]
    found = learned(table, positions, padding_offset=2)
    assert torch.equal(found, embeddings.position_embeddings(rows))


def test_gradients_reach_the_rows_that_were_read():
    table = torch.tensor(TABLE, requires_grad=True)
    assert torch.autograd.gradcheck(
        lambda rows: learned(rows, torch.tensor([[0, 3], [3, 6]])), table
    )
    learned(table, [0, 3, 3]).sum().backward()
    assert table.grad[:, 0].tolist() == [1, 0, 0, 2, 0, 0, 0]


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
def test_what_comes_out_of_the_door_is_as_what_went_in(dtype):
    x = torch.ones(2, 3, 6, dtype=dtype)
    found = Learned(TABLE).at_input(x, torch.tensor([[0, 0, 1], [4, 5, 6]]))
    assert found.dtype == dtype
    expected = 1 + TABLE[[[0, 0, 1], [4, 5, 6]]]
    np.testing.assert_allclose(found.double(), expected, atol=8 * torch.finfo(dtype).eps)


def test_attention_hears_of_the_order_through_the_table():
    x, weight = np.ones((1, 3, 6)), np.eye(6)
    doors_used = {"num_heads": 2, "encoding": Learned(TABLE), "positions": [2, 0, 1]}
    found = attend(x, weight, weight, weight, **doors_used)
    assert found.shape == (1, 3, 6)
    assert not np.allclose(found[0, 0], found[0, 1])


WHOLE = torch.tensor(TABLE)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: learned(TABLE, [7]), IndexError, r"in 0 … 6 for a table of 7 rows, got 7$"),
        (lambda: learned(TABLE, [0, -1]), IndexError, "positions must be in 0 … 6 .*, got -1$"),
        (lambda: learned(WHOLE, [5], padding_offset=2), IndexError, "in -2 … 4 .* 2, got 5$"),
        (lambda: learned(TABLE, [1.0]), TypeError, "positions must be integers, got dtype float64"),
        (lambda: learned(TABLE, [True]), TypeError, "positions must be real numbers"),
        (lambda: learned(TABLE, torch.tensor([0])), TypeError, "positions must be a NumPy array"),
        (lambda: learned(TABLE, [0], padding_offset=-1), ValueError, "padding_offset must be at"),
        (lambda: learned(TABLE, [0], padding_offset=0.5), TypeError, "padding_offset must be an"),
        (lambda: learned([[1.0]], [0]), TypeError, "expected a NumPy array or a torch"),
        (lambda: learned(TABLE[0], [0]), ValueError, r"table must be \[rows, columns\], got .*6"),
        (lambda: learned(TABLE.astype(int), [0]), TypeError, "table must be floating-point"),
        (
            lambda: learned(np.ones((1, 10**5)), np.zeros((10**4, 10**4), np.int8)),
            ValueError,
            "positions × columns: an array of",
        ),
        (lambda: Learned(TABLE[0]), ValueError, r"table must be \[rows, columns\]"),
        (lambda: Learned(TABLE, -1), ValueError, "padding_offset must be at least 0"),
        (lambda: positions_from_mask(True), ValueError, r"mask must be \[\.\.\., len\]"),
        (lambda: positions_from_mask([0, 2]), ValueError, r"mask must be .* got \[0, 2\]"),
        (lambda: positions_from_mask([0.0, 1.0]), TypeError, "mask must be integers"),
        (
            lambda: Learned(TABLE).at_input(np.ones((1, 2, 1)), [0, 1]),
            ValueError,
            "table must have the 1 columns of x, got 6",
        ),
        (
            lambda: Learned(WHOLE).at_input(np.ones((1, 1, 6)), [0]),
            TypeError,
            "table must be a NumPy array like its companion",
        ),
    ],
)
def test_bad_input_is_named(call, error, message):
    with pytest.raises(error, match=message):
        call()
