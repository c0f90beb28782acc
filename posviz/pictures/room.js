// How large a picture is shown: as large as it fits on one screen together with its controls and its
// caption, which are above it or, where it loses nothing by that, beside it.

import { comeIntoView, showPrompts } from "./prompts.js";

const MIN_SCALE = 0.72; // of the size it is drawn for: letters of 15 px are 11 px high then
const MAX_SCALE = 1.5;
const SCREEN = 599; // px: a notebook's height on a screen of 1280 × 720
const AROUND = 720 - SCREEN; // px: what JupyterLab needs
const COLUMN = 420; // px: controls beside a picture, and the gap; explorer.css has both, too
const NARROW_COLUMN = 296; // on a telephone on its side
const CAPTION = 59; // px: three lines, which few captions exceed at any setting
const GAPS = 16; // px, all together
const SETTLED_AFTER = 60; // milliseconds: controls come one by one
const SEEN_AFTER = 400; // milliseconds: by then JupyterLab has gone to the next cell

/** Whether a page's own styles decide how large the picture is: not on a telephone on its side. */
const isOnPage = (/** @type {Element} */ root) => document.fullscreenElement !== root &&
  root.matches(".posviz-live") && !(root.matches(".posviz-narrow") && innerWidth > innerHeight);

/** The room for one canvas; alone or on a page, the canvas has the size that it is drawn for.
 * `changed` is called with the number of screen pixels per pixel of the drawing: when the canvas is
 * first seen, and when that number changes. Sizes are in CSS pixels.
 * @param {{ canvas: HTMLCanvasElement, caption: HTMLElement }} elements
 * @param {[number, number]} size @param {(ratio: number) => void} changed */
function makeRoom({ canvas, caption }, [width, height], changed) {
  let scale = 1, sent = 0; // the last argument of `changed`
  let density = devicePixelRatio; // at the last look
  let across = 0; // px: the explorer has, at the last look
  let tallest = 0; // px: of the captions so far, so that nothing jumps while a slider moves
  let timer = 0, hidePrompts = /** @type {(() => void)?} */ (null);

  function fitSoon() {
    clearTimeout(timer);
    timer = setTimeout(fit, SETTLED_AFTER);
  }

  function fit() {
    const root = canvas.closest(".posviz-explorer");
    const controls = /** @type {HTMLElement?} */ (root?.querySelector(".posviz-controls"));
    if (root?.clientWidth && controls) hidePrompts ??= showPrompts(root);
    if (root?.clientWidth && controls && !isOnPage(root)) {
      for (const element of [root, controls, caption]) observer.observe(element);
      if (!sent) setTimeout(() => comeIntoView(root), SEEN_AFTER);
      fitInto(root, controls);
    } else { // a page's or a slide's own styles may show it smaller or larger
      controls?.parentElement?.classList.remove("posviz-beside");
      canvas.style.width = `${width}px`;
      const seen = canvas.getBoundingClientRect();
      const least = Math.min(seen.width / width, seen.height / height);
      // Rounding to whole pixels changes the height again, which is no reason for another frame.
      if (Math.abs(least / scale - 1) > 0.01 && least > 0) scale = least;
    }
    canvas.dataset.scale = String(scale); // for tests
    density = devicePixelRatio;
    if (density * scale === sent) return;
    sent = density * scale;
    changed(sent);
  }

  function fitInto(/** @type {Element} */ root, /** @type {HTMLElement} */ controls) {
    const isFull = document.fullscreenElement === root, most = isFull ? Infinity : MAX_SCALE;
    const isNotebook = !isFull && !root.matches(".posviz-live");
    const down = isNotebook ? Math.max(SCREEN, innerHeight - AROUND) : innerHeight;
    const { paddingLeft, paddingRight } = getComputedStyle(root);
    const room = root.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
    if (room !== across) {
      tallest = 0;
      caption.style.minHeight = ""; // it would be measured with the caption
    }
    across = room;
    const column = root.matches(".posviz-narrow") ? NARROW_COLUMN : COLUMN;
    const scaleBeside = Math.min((across - column) / width, (down - GAPS) / height);
    const box = /** @type {HTMLElement} */ (controls.parentElement); // on a page, within the root
    box.classList.remove("posviz-beside");
    tallest = Math.max(tallest, caption.scrollHeight);
    const asked = root.querySelector(".posviz-try")?.clientHeight ?? 0;
    const rest = asked + controls.offsetHeight + Math.max(CAPTION, tallest) + GAPS;
    const scaleAbove = Math.min(across / width, (down - rest) / height);
    const isBeside = scaleBeside >= Math.min(isFull ? Infinity : 1, scaleAbove);
    box.classList.toggle("posviz-beside", isBeside);
    caption.style.minHeight = isBeside ? "" : `${tallest}px`;
    const wanted = Math.max(MIN_SCALE, Math.min(most, isBeside ? scaleBeside : scaleAbove));
    const shown = Math.floor(width * wanted * devicePixelRatio) / devicePixelRatio; // whole pixels are sharp
    scale = shown / width;
    canvas.style.width = `${shown}px`;
  }

  const observer = new ResizeObserver(fitSoon);
  observer.observe(canvas);
  canvas.style.width = `${width}px`;
  if (canvas.isConnected) fit();
  return {
    fitSoon,
    look: () => { if (devicePixelRatio !== density) fit(); },
    close: () => {
      hidePrompts?.();
      observer.disconnect();
      clearTimeout(timer);
    },
  };
}

export { makeRoom };
