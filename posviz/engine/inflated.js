// @ts-check
// Reads what Python has deflated and written as base64.

/** @param {string} text */
function inflated(text) {
  const deflated = new Blob([Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))]);
  const stream = deflated.stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer();
}

export { inflated };
