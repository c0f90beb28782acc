// A film: how a picture was recorded by film.py. It lies over the stored picture, in the same box.

import { make } from "../../../posviz/pictures/elements.js";
import { makeScene } from "../../../posviz/pictures/stream/replay.js";
import { NARROW, willLive } from "../live/live.js";
/** @import { Frame } from "../../../posviz/pictures/protocol.d.ts" */

const isStill = matchMedia("(prefers-reduced-motion: reduce)");

/** Fetches a film; returns how to play it over a stored picture until that is hidden. */
async function open(/** @type {string} */ address) {
  const { body } = await fetch(address);
  const unpacked = body?.pipeThrough(new DecompressionStream("deflate"));
  const bytes = new Uint8Array(await new Response(unpacked).arrayBuffer());
  let to = bytes.indexOf(10) + 1;
  /** @type {{ way: [number, number][], frames: (Frame & { sizes: number[] })[] }} */
  const { way, frames } = JSON.parse(new TextDecoder().decode(bytes.subarray(0, to)));
  const buffers = frames.map(({ sizes }) => sizes.map((size) => bytes.subarray(to, to += size)));
  return async (/** @type {HTMLElement} */ still) => {
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
  };
}

/** Plays a film when its picture is seen, and again when a pointer comes. */
function show(/** @type {HTMLElement} */ root) {
  const still = /** @type {HTMLElement} */ (root.querySelector(".posviz-still"));
  let plays = false;
  const play = async () => {
    if (plays || isStill.matches) return;
    plays = true;
    const look = `${matchMedia(NARROW).matches ? "_narrow" : ""}${document.documentElement.dataset.theme === "dark" ? "_dark" : ""}`;
    await open(`${root.dataset.film}${look}.bin`).then((film) => film(still)).catch(() => {}); // it stands still
    plays = false;
  };
  still.onpointerenter = play;
  const observer = new IntersectionObserver(([{ isIntersecting }]) => {
    if (!isIntersecting) return;
    observer.disconnect();
    play();
  }, { threshold: 0.6 });
  observer.observe(still);
}

if (willLive) document.querySelectorAll("[data-film]").forEach((root) => show(/** @type {HTMLElement} */ (root)));
