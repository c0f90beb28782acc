#!/usr/bin/env bash
# Package: @jax-js/jax 0.1.25 (npm; Node 20, its "wasm" and "cpu" devices). Seen on 2026-11-28.
# Guess: as in JAX, whose names it bears: numpy.take gives the last row for -1, NaN past the end.
# Instead: three answers, by device and by where the table comes from. Stored table: "wasm" fills the
# row with the table's very first number, for -1 and past the end alike; "cpu" raises for both. A
# table still to be computed from arange has no end on either: row 7 of 4, and row -1, are worked out.
# Seen, rows 1 2 3, …, 10 11 12 at -1, 4, 7: wasm 1 1 1 each; cpu "bufidx out of bounds";
#       the same numbers as arange: -2 -1 0, 13 14 15, 22 23 24 on both devices.

set -euo pipefail
d=$(mktemp -d); trap 'rm -rf "$d"' EXIT
cd "$d"
npm install --silent --no-audit --no-fund --ignore-scripts @jax-js/jax@0.1.25
cat > look.mjs <<'JS'
import assert from "node:assert";
import { defaultDevice, init, numpy as np } from "@jax-js/jax";

const stored = () => np.array([[1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12]]);
const computed = () => np.arange(1, 13).reshape([4, 3]).astype(np.float32);

async function row(table, i) {
  try {
    return (await np.take(table(), np.array([i], { dtype: np.int32 }), 0).js())[0].join(" ");
  } catch (error) {
    return String(error.message).split(":")[0];
  }
}

for (const device of ["wasm", "cpu"]) {
  await init(device);
  defaultDevice(device);
  const seen = [];
  for (const table of [stored, computed]) for (const i of [3, -1, 4, 7]) seen.push(await row(table, i));
  console.log(device, seen);
  const outside = device === "wasm" ? "1 1 1" : "bufidx out of bounds";
  assert.deepEqual(seen, ["10 11 12", outside, outside, outside, "10 11 12", "-2 -1 0", "13 14 15", "22 23 24"]);
}
JS
node look.mjs
