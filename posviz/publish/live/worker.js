// @ts-check
// Python in a web worker: loads it, and answers a page, a message a turn.

import { startPython } from "./runtime.js";

/**
 * What build.py has written.
 * @typedef {{ python: string[], library: string[], posviz: string[], size: number, memory: string }} Index
 * @typedef {{ site: string, index: Index, module?: WebAssembly.Module, isKept: boolean }} Start
 * @typedef {{ run: string, with: [id: string, ...unknown[]] }} Turn
 */

const KEEP_AFTER = 5000; // milliseconds: by then a picture is drawn, and what that has prepared is kept, too
const START = "import json; from posviz.publish.live import cells, session; cells.begin()";
const decoder = new TextDecoder();
/** @type {Promise<Awaited<ReturnType<typeof startPython>>>} */
let python;

/** The network is cut: what a browser throws then is not told from its other errors. */
class Cut extends Error {}
const cut = () => { throw new Cut("the network is cut"); };

/** @type {(message: unknown, buffers?: ArrayBuffer[]) => void} */
const tell = (message, buffers = []) => postMessage(message, { transfer: buffers });

/**
 * What the parts of a file hold together, unpacked.
 * @param {string[]} parts
 * @param {string} type
 * @param {(bytes: number) => void} count
 */
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

/**
 * What is kept for the next visit; nothing where a page is not served securely, or may keep nothing.
 * @param {string} site
 */
async function opened(site) {
  try {
    return await caches.open(site);
  } catch {
    return undefined;
  }
}

/** @param {Start} start */
async function load({ site, index, module: compiled, isKept }) {
  const at = (/** @type {string} */ name) => new URL(`assets/live/${name}`, site).href;
  const cache = await opened(site);
  const saved = cache?.match(at(index.memory)).then((response) => response?.arrayBuffer());
  let loaded = 0;
  const count = (/** @type {number} */ bytes) => {
    loaded += bytes;
    tell({ loaded, of: index.size });
  };
  const archive = async (/** @type {string[]} */ parts) =>
    new Uint8Array(await (await fetched(parts.map(at), "application/x-tar", count)).arrayBuffer());
  const [module, memory, ...archives] = await Promise.all([
    compiled ?? WebAssembly.compileStreaming(fetched(index.python.map(at), "application/wasm", count)),
    saved,
    archive(index.library),
    archive(index.posviz),
  ]);
  const started = await startPython(module, archives, hear, memory);
  const error = started.run(memory ? "session.forget()" : START);
  if (error) throw new Error(error);
  const keep = () => cache?.put(at(index.memory), new Response(started.memory())).catch(() => {}); // no room
  if (!memory && isKept) setTimeout(keep, KEEP_AFTER);
  tell({ started: true, module });
  return started;
}

/**
 * A line of JSON, and then buffers.
 * @param {Uint8Array} bytes
 */
function hear(bytes) {
  const end = bytes.indexOf(10);
  const [id, message, sizes] = JSON.parse(decoder.decode(bytes.subarray(0, end)));
  let from = end + 1;
  const buffers = sizes.map((/** @type {number} */ size) => bytes.slice(from, from += size));
  tell({ id, message, buffers }, buffers.map((/** @type {Uint8Array} */ buffer) => buffer.buffer));
}

/** @param {MessageEvent<Start | Turn>} event */
onmessage = async ({ data }) => {
  try {
    if ("index" in data) await (python = load(data));
    else {
      const { run } = await python;
      const failed = run(`${data.run}(*json.loads(${JSON.stringify(JSON.stringify(data.with))}))`);
      tell({ done: data.with[0], failed });
    }
  } catch (error) { // WebAssembly has trapped, or Python is not there
    tell({ died: error instanceof Error ? error.message : String(error), cut: error instanceof Cut });
    close();
  }
};
