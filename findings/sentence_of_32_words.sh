#!/usr/bin/env bash
# Packages: sentence-transformers 6.2.0 and transformers 5.23.0 (torch 2.13.0). Seen on 2026-11-28.
# Guess: for a RoBERTa of one's own, max_seq_length is what the position table can hold, so longer
# texts are cut and encode() always works.
# Instead: it is taken as max_position_embeddings, but RoBERTa counts positions from padding_idx + 1 = 2,
# so the last two lengths do not exist; and what was to be cut there is not cut short enough.
# Seen, table of 34 rows: max_seq_length 34; 30 words (32 tokens) work, 31, 33 and 50 words raise an
#       "index 34 is out of bounds" error. With max_seq_length = 32 set by hand 50 words work.

set -euo pipefail
d=$(mktemp -d); trap 'rm -rf "$d"' EXIT
python3 -m venv "$d/v"
"$d/v/bin/pip" install -q --disable-pip-version-check torch==2.13.0 transformers==5.23.0 sentence-transformers==6.2.0 numpy==2.4.6
"$d/v/bin/python" - "$d/model" <<'PY'
import sys
from sentence_transformers import SentenceTransformer
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import PreTrainedTokenizerFast, RobertaConfig, RobertaModel

words = ["<s>", "<pad>", "</s>", "<unk>", *(f"w{i}" for i in range(50))]
raw = Tokenizer(models.WordLevel({word: i for i, word in enumerate(words)}, unk_token="<unk>"))
raw.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
raw.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
PreTrainedTokenizerFast(tokenizer_object=raw, pad_token="<pad>", unk_token="<unk>").save_pretrained(sys.argv[1])
RobertaModel(RobertaConfig(vocab_size=54, hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
                           intermediate_size=16, max_position_embeddings=34)).save_pretrained(sys.argv[1])

def encode(model, count):
    try:
        return model.encode(" ".join(["w1"] * count)).shape
    except (RuntimeError, IndexError) as error:
        return str(error)

model = SentenceTransformer(sys.argv[1], device="cpu")
print(model.max_seq_length, seen := {count: encode(model, count) for count in (10, 30, 31, 33, 50)})
assert model.max_seq_length == 34 and seen[10] == seen[30] == (16,)
assert all("out of" in seen[count] for count in (31, 33, 50))
model.max_seq_length = 32
assert encode(model, 50) == (16,)
PY
