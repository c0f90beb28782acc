// @ts-check
// How large a picture is shown: as large as it fits on one screen together with its controls and its
// caption, which stand above it or, where it loses nothing by that, beside it.

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

/**
 * Whether a page's own styles decide how large the picture is: not on a telephone on its side.
 * @param {HTMLElement} root
 */
const isOnPage = (root) => root.matches(".posviz-live") && document.fullscreenElement !== root &&
  !(root.matches(".posviz-narrow") && innerWidth > innerHeight);

/** The room for one canvas; where it stands alone or on a page, it has the size it is drawn for. */
class Room {
  #scale = 1;
  #told = 0; // the ratio that `changed` was told
  #width = 0; // the explorer's, at the last look
  #tallest = 0; // px: of the captions so far, so that nothing jumps while a slider moves
  #timer = 0;
  /** @type {(() => void) | null} */
  #hidePrompts = null;

  /**
   * @param {{ canvas: HTMLCanvasElement, caption: HTMLElement }} elements
   * @param {[width: number, height: number]} size it is drawn for, in CSS pixels
   * @param {(ratio: number) => void} changed is told how many pixels of the screen make one that
   *   it is drawn for: when it is first seen, and when they are others
   */
  constructor({ canvas, caption }, size, changed) {
    this.canvas = canvas;
    this.caption = caption;
    this.size = size;
    this.changed = changed;
    this.observer = new ResizeObserver(() => this.fitSoon());
    this.observer.observe(canvas);
    canvas.style.width = `${size[0]}px`;
    if (canvas.isConnected) this.fit();
  }

  fitSoon() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.fit(), SETTLED_AFTER);
  }

  fit() {
    const root = /** @type {HTMLElement?} */ (this.canvas.closest(".posviz-explorer"));
    const controls = /** @type {HTMLElement?} */ (root?.querySelector(".posviz-controls"));
    if (root?.clientWidth && controls && !isOnPage(root)) {
      for (const part of [root, controls, this.caption]) this.observer.observe(part);
      if (!this.#told) setTimeout(() => comeIntoView(root), SEEN_AFTER);
      this.#hidePrompts ??= showPrompts(root);
      this.#fitInto(root, controls);
    } else { // a page's or a slide's own styles may show it smaller or larger
      controls?.parentElement?.classList.remove("posviz-beside");
      this.canvas.style.width = `${this.size[0]}px`;
      const { width, height } = this.canvas.getBoundingClientRect();
      const scale = Math.min(width / this.size[0], height / this.size[1]);
      // Rounding to whole pixels changes the height again, which is no reason for another frame.
      if (Math.abs(scale / this.#scale - 1) > 0.01 && scale > 0) this.#scale = scale;
    }
    this.canvas.dataset.scale = String(this.#scale); // for tests
    const ratio = globalThis.devicePixelRatio * this.#scale;
    if (ratio !== this.#told) this.changed(this.#told = ratio);
  }

  /**
   * @param {HTMLElement} root
   * @param {HTMLElement} controls
   */
  #fitInto(root, controls) {
    const full = document.fullscreenElement === root, [width, height] = this.size;
    const box = /** @type {HTMLElement} */ (controls.parentElement); // on a page, within the root
    const style = getComputedStyle(root);
    const across = root.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    const isNotebook = !full && !root.matches(".posviz-live");
    const down = isNotebook ? Math.max(SCREEN, globalThis.innerHeight - AROUND) : globalThis.innerHeight;
    if (across !== this.#width) {
      this.#tallest = 0;
      this.caption.style.minHeight = ""; // it would be measured with the caption
    }
    this.#width = across;
    const column = root.matches(".posviz-narrow") ? NARROW_COLUMN : COLUMN;
    const scaleBeside = Math.min((across - column) / width, (down - GAPS) / height);
    box.classList.remove("posviz-beside");
    this.#tallest = Math.max(this.#tallest, this.caption.scrollHeight);
    const asked = root.querySelector(".posviz-try")?.clientHeight ?? 0;
    const caption = Math.max(CAPTION, this.#tallest);
    const rest = asked + controls.offsetHeight + caption + GAPS;
    const scaleAbove = Math.min(across / width, (down - rest) / height);
    const beside = scaleBeside >= Math.min(full ? Infinity : 1, scaleAbove);
    box.classList.toggle("posviz-beside", beside);
    this.caption.style.minHeight = beside ? "" : `${this.#tallest}px`;
    const most = full ? Infinity : MAX_SCALE;
    const scale = Math.max(MIN_SCALE, Math.min(most, beside ? scaleBeside : scaleAbove));
    const density = globalThis.devicePixelRatio;
    const shown = Math.floor(width * scale * density) / density; // whole pixels are sharp
    this.#scale = shown / width;
    this.canvas.style.width = `${shown}px`;
  }

  close() {
    this.#hidePrompts?.();
    this.observer.disconnect();
    clearTimeout(this.#timer);
  }
}

export { Room };
