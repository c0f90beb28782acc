// @ts-check
// Reads what Python has deflated, written as base64, and put into a style sheet as the property
// --packed: of all files there, a page opened from a disk may read no others.

import { make } from "./elements.js";

/**
 * What a style sheet holds for an element.
 * @param {string} href
 * @param {Element} element
 */
async function inflated(href, element) {
  const link = make("link", { rel: "stylesheet", href });
  await new Promise((resolve, reject) => {
    link.addEventListener("load", resolve);
    link.addEventListener("error", () => reject(new Error(`${href} is not there`)));
    document.head.append(link);
  });
  const quoted = getComputedStyle(element).getPropertyValue("--packed").trim();
  link.remove();
  const letters = atob(quoted.slice(1, -1));
  const deflated = new Blob([Uint8Array.from(letters, (letter) => letter.charCodeAt(0))]);
  const stream = deflated.stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer();
}

export { inflated };
