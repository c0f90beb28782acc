// Python in a web worker: loads it, and answers a page, one message at a time.

// deno-lint-ignore no-import-prefix -- a wheel has this file, and no deno.json
import { ZSTDDecoder } from "npm:zstddec@0.3.4";
import { startPython } from "./runtime.js";
/** @import { FromWorker, Start } from "./messages.d.ts" */

const KEEP_AFTER = 5000; // milliseconds: by then a picture is drawn; it need not wait, and what it prepared is kept
const START = "import json; from posviz_tools.publish.live import session";
const CELLS = "from posviz_tools.publish.live import cells; cells.begin()"; // pictures do without
const decoder = new TextDecoder(), zstandard = new ZSTDDecoder();
/** @type {ReturnType<typeof startPython>} */ let python;

/** The network is cut: by itself, a browser throws the same error as for other causes. */
class Cut extends Error {}
const cut = () => { throw new Cut("the network is cut"); };

/** @param {FromWorker<unknown>} message @param {Transferable[]} transfer */
const tell = (message, transfer = []) => postMessage(message, { transfer });

/** Starts Python of what build.py has written; `isKept`: for the next visit, too. @param {Start} start */
async function load({ site, index, isKept }) {
  let loaded = 0;
  const count = (/** @type {number} */ bytes) => {
    loaded += bytes;
    tell({ loaded, of: index.size });
  };
  count(0); // it runs
  const at = (/** @type {string} */ name) => new URL(`assets/live/${name}`, site).href;
  // Nothing is kept where a page is not served securely, or may keep nothing.
  const cache = await globalThis.caches?.open(site).catch(() => undefined);
  const had = (/** @type {string} */ name) => cache?.match(at(name));
  const hold = (/** @type {string} */ name, /** @type {BufferSource} */ bytes, type = "") =>
    cache?.put(at(name), new Response(bytes, { headers: { "Content-Type": type } })).catch(() => {}); // no room
  /** A part of a file: each is kept by itself, so that a visit which is left early was not in vain. */
  const part = async (/** @type {string} */ name) => {
    const kept = await (await had(name))?.arrayBuffer();
    loaded += kept?.byteLength ?? 0;
    if (kept) return kept;
    const response = await fetch(at(name)).catch(cut);
    if (!response.ok) throw new Error(`${response.url} is not there`);
    const counted = response.body?.pipeThrough(new TransformStream({
      transform(chunk, controller) {
        count(chunk.length);
        controller.enqueue(chunk);
      },
    }));
    const bytes = await new Response(counted).arrayBuffer().catch(cut);
    hold(name, bytes);
    return bytes;
  };
  const unpacked = async (/** @type {string[]} */ parts) => {
    const [packed] = await Promise.all([Promise.all(parts.map(part)), zstandard.init()]);
    const joined = new Uint8Array(await new Blob(packed).arrayBuffer());
    return /** @type {Uint8Array<ArrayBuffer>} */ (zstandard.decode(joined));
  };
  const compiled = async () => {
    const kept = await had(index.module);
    if (kept) { // the service worker gives it, too: to that address a browser keeps the code it has made of it
      const given = await fetch(at(index.module)).catch(() => kept);
      return WebAssembly.compileStreaming(given.ok ? given : kept);
    }
    const bytes = await unpacked(index.python);
    const module = await WebAssembly.compile(bytes);
    setTimeout(() => hold(index.module, bytes, "application/wasm"), KEEP_AFTER);
    return module;
  };
  const [module, memory, ...archives] = await Promise.all([
    compiled(),
    had(index.memory)?.then(async (kept) => kept && new Uint32Array(await kept.arrayBuffer())),
    unpacked(index.library),
    unpacked(index.posviz),
  ]);
  const started = await startPython(module, archives, hear, memory);
  const error = started.run([memory ? "" : START, memory || isKept ? "" : CELLS, "session.forget()"].join("\n"));
  if (error) throw new Error(error);
  const keep = async () => {
    started.run(CELLS); // the next reader's own Python begins with this memory, too
    hold(index.memory, await started.keep());
  };
  if (!memory && isKept) setTimeout(keep, KEEP_AFTER);
  tell({ started: true });
  return started;
}

/** Posts what Python sends: a line of JSON, and then buffers. */
function hear(/** @type {Uint8Array<ArrayBuffer>} */ bytes) {
  const end = bytes.indexOf(10);
  /** @type {[string, unknown, number[]]} */
  const [id, message, sizes] = JSON.parse(decoder.decode(bytes.subarray(0, end)));
  let to = end + 1;
  const buffers = sizes.map((size) => {
    to += size;
    return bytes.slice(to - size, to);
  });
  tell({ id, message, buffers }, buffers.map(({ buffer }) => buffer));
}

onmessage = async ({ data }) => {
  try {
    if ("index" in data) {
      python = load(data);
      await python;
    } else {
      const { run } = await python;
      const failed = run(`${data.run}(*json.loads(${JSON.stringify(JSON.stringify(data.with))}))`);
      tell({ done: data.with[0], failed });
    }
  } catch (error) { // WebAssembly has trapped, or Python is not there
    tell({ died: error instanceof Error ? error.message : String(error), cut: error instanceof Cut });
    close();
  }
};
