// A film: how film.py recorded a picture. It lies over the stored one, in the same box, until that is hidden.

import { make } from "../../../posviz/pictures/elements.js";
import { makeScene } from "../../../posviz/pictures/stream/replay.js";
import { NARROW, willLive } from "../live/live.js";
/** @import { Frame } from "../../../posviz/pictures/protocol.d.ts" */

/** Fetches a film and plays it once. @param {string} address @param {HTMLElement} still */
async function play(address, still) {
  const { body } = await fetch(address);
  const unpacked = body?.pipeThrough(new DecompressionStream("deflate"));
  const bytes = new Uint8Array(await new Response(unpacked).arrayBuffer());
  let to = bytes.indexOf(10) + 1;
  /** @type {{ way: [number, number][], frames: (Frame & { sizes: number[] })[] }} */
  const { way, frames } = JSON.parse(new TextDecoder().decode(bytes.subarray(0, to)));
  const buffers = frames.map(({ sizes }) => sizes.map((size) => bytes.subarray(to, to += size)));
  const canvas = make("canvas", { className: "film" }), scene = makeScene(canvas);
  await scene.take(frames[0], buffers[0]);
  still.querySelector("picture")?.append(canvas);
  for (const [number, lasts] of way) {
    if (still.hidden) break;
    await scene.take(frames[number], buffers[number], lasts);
    scene.draw();
    await new Promise((resolve) => setTimeout(resolve, lasts));
  }
  canvas.remove();
  scene.close();
}

for (const root of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-film]"))) {
  const still = /** @type {HTMLElement} */ (root.querySelector(".posviz-still"));
  let plays = !willLive;
  const show = async () => {
    if (plays || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    plays = true;
    const dark = document.documentElement.dataset.theme === "dark" ? "_dark" : "";
    const look = `${matchMedia(NARROW).matches ? "_narrow" : ""}${dark}`;
    await play(`${root.dataset.film}${look}.bin`, still).catch(() => {}); // then it stands still
    plays = false;
  };
  still.onpointerenter = show; // once more
  const observer = new IntersectionObserver(([{ isIntersecting }]) => {
    if (!isIntersecting) return;
    observer.disconnect();
    show();
  }, { threshold: 0.6 });
  observer.observe(still);
}
