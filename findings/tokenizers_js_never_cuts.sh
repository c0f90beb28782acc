#!/usr/bin/env bash
# Packages: tokenizers 0.23.3 (Python) and @huggingface/tokenizers 0.2.0 (npm, Node 20). Seen on 2026-11-28.
# Guess: one tokenizer.json, one result: it says "cut to 5 tokens, from the left" and "pad to 8, on the
# left", so both give ids that fit the model's position table.
# Instead: the JavaScript one reads neither section, without a word: a text of 6 words keeps all its
# 8 tokens (3 more than there are positions), and a short one is not padded.
# Seen, 6 words: Python 0 0 0 2 7 8 9 3 (three of padding, the last three words), JavaScript 2 4 5 6 7 8 9 3;
#       1 word: Python 0 0 0 0 0 2 4 3, JavaScript 2 4 3.

set -euo pipefail
d=$(mktemp -d); trap 'rm -rf "$d"' EXIT
python3 -m venv "$d/v"
"$d/v/bin/pip" install -q --disable-pip-version-check tokenizers==0.23.3
cd "$d"
npm install --silent --no-audit --no-fund --ignore-scripts @huggingface/tokenizers@0.2.0
"$d/v/bin/python" - <<'PY' > python.txt
from tokenizers import Tokenizer, models, pre_tokenizers, processors
words = ["<pad>", "<unk>", "<s>", "</s>", *(f"w{i}" for i in range(10))]
made = Tokenizer(models.WordLevel({word: i for i, word in enumerate(words)}, unk_token="<unk>"))
made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
made.post_processor = processors.RobertaProcessing(("</s>", 3), ("<s>", 2))
made.enable_truncation(max_length=5, direction="left")
made.enable_padding(direction="left", length=8, pad_id=0, pad_token="<pad>")
made.save("tokenizer.json")
read = Tokenizer.from_file("tokenizer.json")
for text in ("w0 w1 w2 w3 w4 w5", "w0"):
    print(*read.encode(text).ids)
PY
cat > look.mjs <<'JS'
import { readFileSync } from "node:fs";
import { Tokenizer } from "@huggingface/tokenizers";
const read = new Tokenizer(JSON.parse(readFileSync("tokenizer.json", "utf8")), {});
for (const text of ["w0 w1 w2 w3 w4 w5", "w0"]) console.log(...read.encode(text).ids);
JS
node look.mjs > node.txt
head python.txt node.txt
printf '0 0 0 2 7 8 9 3\n0 0 0 0 0 2 4 3\n' | cmp - python.txt && printf '2 4 5 6 7 8 9 3\n2 4 3\n' | cmp - node.txt
