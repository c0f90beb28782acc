// @ts-check
// A canvas that shows the newest frame of a figure, and says so when the kernel is gone. README.md
// says what goes between it and the kernel.

import { make, unique } from "./elements.js";
import { watchKernel } from "./host.js";
import { Scene } from "./stream/replay.js";
import { Room } from "./room.js";

/** @import { Bytes, Channel, ExplorerShown, Frame, Place, Pong, ToScreen } from "./protocol.d.ts" */

const PULSE_EVERY = 2000; // milliseconds
const LOOK_EVERY = 250; // milliseconds: what no event tells in every host
const SILENT = 8000; // milliseconds without an answer, after which a reader is told
const ASK_AGAIN_AFTER = 1000; // milliseconds, so that a storm of frames asks once
const READ_ALOUD_AFTER = 700; // milliseconds in which the caption stays as it is
const GONE = { // the last one that holds is told
  silent: "Python does not answer: it is busy, or it has stopped. " +
    "If it has stopped, run this cell again, or reload the page.",
  cut: "Python does not answer: the connection is cut. It is tried again every few seconds.",
  stopped: "Python does not answer: it has stopped. Run this cell again.",
};

const ENLARGE = '<svg viewBox="0 0 16 16" aria-hidden="true"><path d="M2 6V2h4v1.6H3.6V6zM10 2h4v4' +
  'h-1.6V3.6H10zM14 10v4h-4v-1.6h2.4V10zM6 14H2v-4h1.6v2.4H6z"/></svg>';

/** @param {HTMLElement} el */
function makeElements(el) {
  const figure = make("figure", { className: "posviz-screen" });
  const canvas = make("canvas", {}, { role: "img" });
  const caption = make("figcaption");
  const enlarge = make("button", { type: "button", className: "posviz-enlarge", innerHTML: ENLARGE },
    { "aria-label": "Full screen", title: "Full screen, and back" });
  const said = make("div", { className: "posviz-said" }, { "aria-live": "polite" });
  const notice = make("div", { className: "posviz-notice" }, { role: "status" });
  figure.append(canvas, caption, enlarge, said, notice);
  el.append(figure);
  return { canvas, caption, enlarge, said, notice };
}

/**
 * Whether what lies behind an element is dark. A view is asked before it is in its page.
 * @param {HTMLElement} element
 */
function isDark(element) {
  /** @type {HTMLElement | null} */
  let behind = element.isConnected ? element : document.body;
  for (; behind; behind = behind.parentElement) {
    const colour = getComputedStyle(behind).backgroundColor; // rgb(…), or rgba(…) where it is seen through
    if (colour.startsWith("rgb(")) return Math.max(...colour.slice(4).split(",").map(parseFloat)) < 128;
  }
  return false;
}

/** @param {HTMLElement} notice which is hidden while it is empty, and so asks the figure around it */
function isInView(notice) {
  const { top, bottom } = /** @type {HTMLElement} */ (notice.parentElement).getBoundingClientRect();
  return bottom > 0 && top < innerHeight;
}

/** Shows frames in their order, and calls `lost` where one is missing. */
class Painter {
  /** @type {[Frame, Bytes[]][]} */
  #waiting = [];
  #painting = false;
  #closed = false;
  #shown = 0; // the number of the frame on the canvas
  #saying = 0; // a timer

  /**
   * @param {ReturnType<typeof makeElements>} elements
   * @param {() => void} lost
   */
  constructor(elements, lost) {
    this.elements = elements;
    this.lost = lost;
    this.scene = new Scene(elements.canvas);
  }

  /**
   * @param {Frame} frame
   * @param {Bytes[]} buffers
   */
  take(frame, buffers) {
    this.#waiting.push([frame, buffers]);
    this.elements.canvas.dataset.painting = ""; // tests wait until it is gone, and for what is asked
    this.#paint().catch((error) => {
      this.elements.notice.textContent = `This frame could not be shown: ${error.message}`;
    });
  }

  async #paint() {
    if (this.#painting) return;
    this.#painting = true;
    try {
      while (this.#waiting.length && !this.#closed) {
        const needed = this.#needed();
        if (!needed) return this.lost();
        for (const [frame, buffers] of needed) await this.scene.take(frame, buffers);
        if (this.#closed) return this.scene.close();
        this.scene.draw();
        this.#tell(needed[needed.length - 1][0]);
      }
    } finally {
      this.#painting = false;
      delete this.elements.canvas.dataset.painting;
    }
  }

  // Frames before a whole one are not needed any more; of the others each brings a part.
  #needed() {
    const frames = this.#waiting.splice(0);
    const last = frames.findLastIndex(([message]) => message.whole);
    const needed = frames.slice(Math.max(last, 0));
    const first = last < 0 ? this.#shown + 1 : needed[0][0].frame;
    return needed.some(([message], i) => message.frame !== first + i) ? null : needed;
  }

  /** @param {Frame} message */
  #tell(message) {
    const { canvas, caption, said, notice } = this.elements;
    this.#shown = message.frame;
    if (message.whole) delete canvas.dataset.asked;
    notice.textContent = "";
    canvas.setAttribute("aria-label", message.caption);
    canvas.dataset.frame = String(message.frame);
    caption.textContent = message.caption;
    clearTimeout(this.#saying);
    this.#saying = setTimeout(() => { said.textContent = message.caption; }, READ_ALOUD_AFTER);
  }

  close() {
    this.#closed = true;
    this.scene.close();
    clearTimeout(this.#saying);
  }
}

/** The way to a kernel that may be busy or gone. */
class Line {
  #view = unique();
  #asked = 0; // when the question was sent that waits for an answer
  #askedAgain = 0; // when a whole frame was last asked for because one was lost
  #heard = false; // whether any frame has come
  #dark = false; // whether the page was when the kernel was last told
  #dragged = 0; // when the place was sent that waits for an answer
  /** @type {Place | null} */
  #place = null; // the newest one since

  /**
   * @param {Channel<Frame | Pong, ToScreen>} channel
   * @param {ReturnType<typeof makeElements>} elements
   */
  constructor(channel, { canvas, notice }) {
    this.channel = channel;
    this.canvas = canvas;
    this.notice = notice;
    this.ratio = globalThis.devicePixelRatio; // pixels of the screen per pixel of the picture
    this.host = watchKernel(channel.host, () => this.goodbye("stopped"), () => this.ask());
  }

  /** @param {keyof typeof GONE} what */
  goodbye(what) {
    const texts = Object.values(GONE), text = GONE[what];
    if (texts.indexOf(text) > texts.indexOf(this.notice.textContent)) this.notice.textContent = text;
  }

  /** @param {Omit<ToScreen, "view">} message */
  #send(message) {
    if (this.host.isCut()) return;
    try {
      this.channel.send({ view: this.#view, ...message });
    } catch {
      this.goodbye("silent"); // the line to the kernel is cut
    }
  }

  #page() {
    this.#dark = isDark(this.notice);
    return { ratio: this.ratio, dark: this.#dark };
  }

  ask() {
    this.canvas.dataset.asked = "";
    this.#send({ ask: true, ...this.#page() });
  }

  askAgain() {
    if (performance.now() - this.#askedAgain < ASK_AGAIN_AFTER) return;
    this.#askedAgain = performance.now();
    this.ask();
  }

  look() {
    if (document.visibilityState !== "visible") return;
    if (this.host.isCut()) {
      this.goodbye("cut");
      this.host.again();
    }
    // What is out of sight tells with its next pulse: what a reader looks at comes first.
    if (isInView(this.notice) && isDark(this.notice) !== this.#dark) this.ask();
  }

  /**
   * One place is on its way at a time; of those that come meanwhile only the newest is kept.
   * @param {Place} place
   */
  drag(place) {
    this.#place = place;
    if (this.#dragged && performance.now() - this.#dragged < SILENT) return;
    this.#place = null;
    this.#dragged = performance.now();
    this.#send({ drag: place, ...this.#page() });
  }

  leave() {
    this.#send({ gone: true });
  }

  #silence() {
    return this.#asked && performance.now() - this.#asked;
  }

  // Not every front end tells that a kernel died, so a view asks, and a silence is told.
  // The next question may still be heard: a line that dropped comes back, a busy kernel gets done.
  pulse() {
    const silence = this.#silence();
    if (silence > SILENT) this.goodbye("silent");
    if ((this.#asked && silence < SILENT) || document.visibilityState !== "visible") return;
    this.#send(this.#page());
    this.#asked ||= performance.now();
  }

  /**
   * Whether a message is a frame.
   * @param {Frame | Pong} message
   * @returns {message is Frame}
   */
  hear(message) {
    const silence = this.#silence();
    this.#asked = 0;
    if (Object.values(GONE).includes(this.notice.textContent)) this.notice.textContent = "";
    if (silence > SILENT) this.ask();
    if ("pong" in message) {
      if (message.pong === this.#view) this.#dragged = 0;
      if (!this.#dragged && this.#place) this.drag(this.#place);
      // The frame that was asked for first was lost.
      if (message.pong === this.#view && !this.#heard) this.ask();
      return false;
    }
    this.#heard = true;
    return true;
  }
}

/**
 * Calls `resharpen` whenever the page has another density of pixels; returns how to end that.
 * @param {() => void} resharpen
 */
function watchSharpness(resharpen) {
  /** @type {MediaQueryList} */
  let query;
  const changed = () => { resharpen(); watch(); };
  const watch = () => { // a media query answers once, when this very ratio is left
    query = matchMedia(`(resolution: ${globalThis.devicePixelRatio}dppx)`);
    query.addEventListener("change", changed, { once: true });
  };
  watch();
  return () => query.removeEventListener("change", changed);
}

/**
 * Calls `drag` with the place of a pointer that is pressed on the picture, and wherever it moves.
 * @param {HTMLCanvasElement} canvas
 * @param {(place: Place) => void} drag
 * @param {AbortSignal} signal
 */
function watchDrags(canvas, drag, signal) {
  const share = (/** @type {number} */ at, /** @type {number} */ of) => Math.min(Math.max(at / of, 0), 1);
  /** @param {PointerEvent} event */
  const moved = ({ buttons, clientX, clientY }) => {
    if (!(buttons & 1)) return;
    const { left, top, width, height } = canvas.getBoundingClientRect();
    drag([share(clientX - left, width), share(clientY - top, height)]);
  };
  canvas.style.cursor = "crosshair";
  canvas.style.touchAction = "pinch-zoom"; // a finger drags, too, and does not scroll the page
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    moved(event);
  }, { signal });
  canvas.addEventListener("pointermove", moved, { signal });
}

/**
 * Draws the canvas, its caption and its notices; returns how to end it.
 * @param {Pick<ExplorerShown, "css" | "drags">} shown
 * @param {Channel<Frame | Pong, ToScreen>} channel
 * @param {HTMLElement} el
 */
function makeScreen({ css, drags }, channel, el) {
  const elements = makeElements(el), { canvas } = elements, { host } = channel;
  const line = new Line(channel, elements);
  const painter = new Painter(elements, () => line.askAgain());
  const room = new Room(elements, css, (ratio) => {
    line.ratio = ratio;
    line.ask();
  });

  channel.listen((message, buffers) => {
    if (line.hear(message)) painter.take(message, buffers);
  });
  // JupyterLab's shortcuts would take a dropdown's arrows, and x on a slider would cut the cell.
  /** @param {FocusEvent} event */
  const keepKeys = ({ target }) => {
    if (!(target instanceof Element)) return;
    if (!canvas.closest(".posviz-explorer")?.contains(target)) return;
    target.setAttribute("data-lm-suppress-shortcuts", "");
  };
  const stopped = () => line.goodbye("stopped");
  const back = () => { if (document.visibilityState === "visible") line.ask(); };

  const over = new AbortController(), { signal } = over;
  document.addEventListener("focusin", keepKeys, { signal });
  document.addEventListener("visibilitychange", back, { signal });
  // A reloaded page cleans nothing up.
  globalThis.addEventListener("pagehide", () => line.leave(), { signal });
  host.on("comm_live_update", stopped);
  host.on("destroy", stopped);
  globalThis.addEventListener("resize", () => room.fitSoon(), { signal });
  document.addEventListener("fullscreenchange", () => room.fitSoon(), { signal }); // a window may be as large already
  elements.enlarge.hidden = !document.fullscreenEnabled;
  elements.enlarge.addEventListener("click", () => {
    if (document.fullscreenElement) document.exitFullscreen();
    else canvas.closest(".posviz-explorer")?.requestFullscreen();
  });
  if (drags) watchDrags(canvas, (place) => line.drag(place), signal);
  const endSharpness = watchSharpness(() => room.fit());
  const pulse = setInterval(() => line.pulse(), PULSE_EVERY);
  const look = setInterval(() => line.look(), LOOK_EVERY);

  return () => {
    over.abort();
    endSharpness();
    clearInterval(pulse);
    clearInterval(look);
    room.close();
    host.off("comm_live_update", stopped);
    host.off("destroy", stopped);
    line.host.end();
    painter.close();
    line.leave();
  };
}

export { makeScreen };
