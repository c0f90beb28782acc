// What a reader has fetched once is there without a network: what is named by its hash, at once, and
// all else where the network does not answer.

/** @typedef {{ request: Request } & Record<"respondWith" | "waitUntil", (_: any) => void>} FetchEvent */
const worker = /** @type {any} */ (globalThis); // deno's types of a page's scripts know no service worker
const { scope } = worker.registration;
const LIVE = new URL("assets/live/", scope).href;
const NAMED_BY_HASH = /-[0-9a-f]{16}(-\d+)?\.\w+$/;

worker.addEventListener("install", () => worker.skipWaiting());
worker.addEventListener("activate", (/** @type {any} */ event) => event.waitUntil(worker.clients.claim()));
worker.addEventListener("fetch", (/** @type {FetchEvent} */ event) => {
  const { method, url } = event.request;
  if (method === "GET" && url.startsWith(scope)) event.respondWith(answer(event));
});

async function answer(/** @type {FetchEvent} */ event) {
  const { request } = event, { url } = request, cache = await caches.open(scope);
  const kept = await cache.match(request);
  if (kept && url.startsWith(LIVE) && NAMED_BY_HASH.test(url)) return kept;
  try {
    const response = await fetch(request);
    if (response.status === 200 && !url.endsWith(".bin")) { // which worker.js keeps
      event.waitUntil(cache.put(request, response.clone()));
      if (url === `${LIVE}index.json`) event.waitUntil(forget(cache, response.clone()));
    }
    return response;
  } catch (error) {
    if (kept) return kept;
    throw error;
  }
}

/** Deletes the files of Python that the newest index does not name. */
async function forget(/** @type {Cache} */ cache, /** @type {Response} */ response) {
  const named = Object.values(await response.json()).flat();
  for (const request of await cache.keys()) {
    const { url } = request, name = url.slice(LIVE.length);
    if (url.startsWith(LIVE) && NAMED_BY_HASH.test(url) && !named.includes(name)) await cache.delete(request);
  }
}
