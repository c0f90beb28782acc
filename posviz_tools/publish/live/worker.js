// Python in a web worker: loads it, and answers a page, a message a turn.

import { startPython } from "./runtime.js";
/** @import { FromWorker, Start } from "./messages.d.ts" */

const KEEP_AFTER = 5000; // milliseconds: by then a picture is drawn, and what that has prepared is kept, too
const START = "import json; from posviz_tools.publish.live import cells, session; cells.begin()";
const decoder = new TextDecoder();
/** @type {ReturnType<typeof startPython>} */ let python;

/** The network is cut: what a browser throws then is not told from its other errors. */
class Cut extends Error {}
const cut = () => { throw new Cut("the network is cut"); };

/** @param {FromWorker<unknown>} message @param {Transferable[]} transfer */
const tell = (message, transfer = []) => postMessage(message, { transfer });

/** What the parts of a file hold together, unpacked.
 * @param {string[]} parts @param {string} type @param {(bytes: number) => void} count */
async function fetched(parts, type, count) {
  const responses = await Promise.all(parts.map((part) => fetch(part).catch(cut)));
  for (const { ok, url } of responses) if (!ok) throw new Error(`${url} is not there`);
  const { readable, writable } = new TransformStream({
    transform(chunk, controller) {
      count(chunk.length);
      controller.enqueue(chunk);
    },
  });
  const join = async () => {
    for (const { body } of responses) await body?.pipeTo(writable, { preventClose: true, preventAbort: true });
    await writable.close();
  };
  join().catch(() => writable.abort(new Cut())); // unless it has failed already
  const unpacked = readable.pipeThrough(new DecompressionStream("gzip"));
  return new Response(unpacked, { headers: { "Content-Type": type } });
}

/** Starts Python of what build.py has written; `isKept`: for the next visit, too. @param {Start} start */
async function load({ site, index, isKept }) {
  const at = (/** @type {string} */ name) => new URL(`assets/live/${name}`, site).href;
  // Nothing is kept where a page is not served securely, or may keep nothing.
  const cache = await globalThis.caches?.open(site).catch(() => undefined);
  const saved = cache?.match(at(index.memory)).then((response) => response?.arrayBuffer());
  let loaded = 0;
  const count = (/** @type {number} */ bytes) => {
    loaded += bytes;
    tell({ loaded, of: index.size });
  };
  const archive = async (/** @type {string[]} */ parts) =>
    new Uint8Array(await (await fetched(parts.map(at), "application/x-tar", count)).arrayBuffer());
  const [module, memory, ...archives] = await Promise.all([
    WebAssembly.compileStreaming(fetched(index.python.map(at), "application/wasm", count)),
    saved,
    archive(index.library),
    archive(index.posviz),
  ]);
  const started = await startPython(module, archives, hear, memory);
  const error = started.run(`${memory ? "" : START}\nsession.forget()`);
  if (error) throw new Error(error);
  const keep = () => cache?.put(at(index.memory), new Response(started.memory())).catch(() => {}); // no room
  if (!memory && isKept) setTimeout(keep, KEEP_AFTER);
  tell({ started: true });
  return started;
}

/** Tells what Python says: a line of JSON, and then buffers. */
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
