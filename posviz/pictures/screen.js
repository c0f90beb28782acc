// A canvas that shows the newest frame of a figure, and a notice when the kernel is gone. README.md
// lists the messages between it and the kernel.

import { make, unique } from "./elements.js";
import { watchKernel } from "./host.js";
import { makeRoom } from "./room.js";
import { makeScene } from "./stream/replay.js";
/** @import { Bytes, Channel, ExplorerShown, Frame, Place, Pong, ToScreen } from "./protocol.d.ts" */

const PULSE_EVERY = 2000; // milliseconds
const LOOK_EVERY = 250; // milliseconds: for changes that not every host has an event for
const SILENT = 8000; // milliseconds without an answer, after which a notice is shown
const ASK_AGAIN_AFTER = 1000; // milliseconds, so that a storm of frames asks once
const REST = 100; // milliseconds without a move, after which a pointer rests
const ROW = 750; // milliseconds between frames that come in a row, as while a picture plays
const ALONE = 250; // milliseconds that the picture takes to a frame that comes alone
const READ_ALOUD_AFTER = 700; // milliseconds in which the caption stays as it is
const BUSY = "Python does not answer: it is busy, or it has stopped. " +
  "If it has stopped, run this cell again, or reload the page.";
const CUT = "Python does not answer: the connection is cut. It is tried again every few seconds.";
const STOPPED = "Python does not answer: it has stopped. Run this cell again.";
const GONE = [BUSY, CUT, STOPPED]; // the last one that holds is shown

const ENLARGE = '<svg viewBox="0 0 16 16" aria-hidden="true"><path d="M2 6V2h4v1.6H3.6V6zM10 2h4v4' +
  'h-1.6V3.6H10zM14 10v4h-4v-1.6h2.4V10zM6 14H2v-4h1.6v2.4H6z"/></svg>';

function makeElements(/** @type {HTMLElement} */ el) {
  const canvas = make("canvas", { role: "img" }), caption = make("figcaption");
  const enlarge = make("button", {
    className: "posviz-enlarge",
    innerHTML: ENLARGE,
    ariaLabel: "Full screen",
    title: "Full screen, and back",
    hidden: !document.fullscreenEnabled,
    onclick: () => {
      if (document.fullscreenElement) document.exitFullscreen();
      else canvas.closest(".posviz-explorer")?.requestFullscreen();
    },
  });
  const said = make("div", { className: "posviz-said", ariaLive: "polite" });
  const tip = make("div", { className: "posviz-tip" });
  const notice = make("div", { className: "posviz-notice", role: "status" });
  const figure = make("figure", { className: "posviz-screen" }, canvas, caption, enlarge, said, tip, notice);
  el.append(figure);
  return { figure, canvas, caption, said, tip, notice };
}

/** Whether what lies behind an element is dark. A view is asked before it is in its page. */
function isDark(/** @type {HTMLElement} */ element) {
  let behind = /** @type {HTMLElement?} */ (element.isConnected ? element : document.body);
  for (; behind; behind = behind.parentElement) {
    const colour = getComputedStyle(behind).backgroundColor; // rgb(…), or rgba(…) where it is seen through
    if (colour.startsWith("rgb(")) return Math.max(...colour.slice(4).split(",").map(parseFloat)) < 128;
  }
  return false;
}

function isInView(/** @type {Element} */ element) {
  const { top, bottom } = element.getBoundingClientRect();
  return bottom > 0 && top < innerHeight;
}

/** Shows frames in their order, and calls `lost` where one is missing.
 * @param {ReturnType<typeof makeElements>} elements @param {() => void} lost */
function makePainter({ canvas, caption, said, notice }, lost) {
  const scene = makeScene(canvas, rest);
  let waiting = /** @type {[Frame, Bytes[]][]} */ ([]), isPainting = false, isClosed = false;
  let shown = 0; // the number of the frame on the canvas
  let saying = 0; // a timer
  let came = 0; // when the last frame did

  // Tests wait until nothing is painted any more, and for what is asked.
  function rest() {
    if (!isPainting && !scene.isMoving()) delete canvas.dataset.painting;
  }

  /** How long the picture takes to the next frame: until one more is to come, where they come in a row. */
  function motion() {
    const since = performance.now() - came;
    came = performance.now();
    if (document.hidden || matchMedia("(prefers-reduced-motion: reduce)").matches) return 0;
    return since < ROW ? since : ALONE;
  }

  // Frames before a whole one are not needed any more; of the others each brings a part.
  function needed() {
    const last = waiting.findLastIndex(([frame]) => frame.whole);
    const frames = waiting.slice(Math.max(last, 0));
    const first = last < 0 ? shown + 1 : frames[0][0].frame;
    waiting = [];
    return frames.every(([{ frame }], i) => frame === first + i) ? frames : null;
  }

  /** @param {Frame} frame that is on the canvas now */
  function tell(frame) {
    shown = frame.frame;
    if (frame.whole) delete canvas.dataset.asked;
    notice.textContent = "";
    canvas.ariaLabel = frame.caption;
    canvas.dataset.frame = String(shown);
    if (frame.drags) canvas.dataset.drags = frame.drags;
    caption.textContent = frame.caption;
    clearTimeout(saying);
    saying = setTimeout(() => { said.textContent = frame.caption; }, READ_ALOUD_AFTER);
  }

  async function paint() {
    if (isPainting) return;
    isPainting = true;
    try {
      while (waiting.length && !isClosed) {
        const frames = needed();
        if (!frames) return lost();
        const lasts = motion();
        for (const [frame, buffers] of frames) await scene.take(frame, buffers, lasts);
        if (isClosed) return scene.close();
        scene.draw();
        tell(frames[frames.length - 1][0]);
      }
    } catch (error) {
      notice.textContent = `This frame could not be shown: ${error}`;
    } finally {
      isPainting = false;
      rest();
    }
  }

  return {
    take: (/** @type {Frame} */ frame, /** @type {Bytes[]} */ buffers) => {
      waiting.push([frame, buffers]);
      canvas.dataset.painting = "";
      paint();
    },
    close: () => {
      isClosed = true;
      scene.close();
      clearTimeout(saying);
    },
  };
}

/** The way to a kernel that may be busy or gone.
 * @param {Channel<Frame | Pong, ToScreen>} channel @param {ReturnType<typeof makeElements>} elements */
function makeWay(channel, { figure, canvas, tip, notice }) {
  const view = unique();
  let ratio = devicePixelRatio; // pixels of the screen per pixel of the picture
  let asked = 0; // when the question was sent that waits for an answer
  let askedAgain = 0; // when a whole frame was last asked for because one was lost
  let isHeard = false; // whether any frame has come
  let dark = false; // whether the page was, by the last message to the kernel
  let pointed = 0; // when the place was sent that waits for an answer
  let place = /** @type {{ drag: Place } | { over: Place } | null} */ (null); // the newest since
  const host = watchKernel(channel.host, () => goodbye(STOPPED), () => ask());

  function goodbye(/** @type {string} */ why) {
    if (GONE.indexOf(why) > GONE.indexOf(notice.textContent)) notice.textContent = why;
  }

  function send(/** @type {Omit<ToScreen, "view">} */ message) {
    if (!host.isCut()) channel.send({ view, ...message });
  }

  function page() {
    dark = isDark(figure);
    return { ratio, dark };
  }

  function ask(newest = ratio) {
    ratio = newest;
    canvas.dataset.asked = "";
    send({ ask: true, ...page() });
  }

  const silence = () => asked && performance.now() - asked;

  // One place is on its way at a time; of those that come meanwhile only the newest is kept.
  function point(/** @type {{ drag: Place } | { over: Place }} */ newest) {
    place = newest;
    if (pointed && performance.now() - pointed < SILENT) return;
    pointed = performance.now();
    send({ ...place, ...page() });
    place = null;
  }

  return {
    goodbye,
    ask,
    point,
    askAgain: () => {
      if (performance.now() - askedAgain < ASK_AGAIN_AFTER) return;
      askedAgain = performance.now();
      ask();
    },
    look: () => {
      if (document.visibilityState !== "visible") return;
      if (host.isCut()) {
        goodbye(CUT);
        host.again();
      }
      // A picture out of sight waits for its next pulse, so that visible ones come first.
      if (isInView(figure) && isDark(figure) !== dark) ask();
    },
    // Not every front end reports a dead kernel, so a view asks, and a silence is shown.
    // It goes on asking: a connection may come back, and a busy kernel may finish.
    pulse: () => {
      if (silence() > SILENT) goodbye(BUSY);
      if ((asked && silence() < SILENT) || document.visibilityState !== "visible") return;
      send(page());
      asked ||= performance.now();
    },
    /** Whether a message is a frame. @type {(message: Frame | Pong) => message is Frame} */
    hear: (message) => {
      const wasSilent = silence() > SILENT, isOwn = "pong" in message && message.pong === view;
      asked = 0;
      if (GONE.includes(notice.textContent)) notice.textContent = "";
      if (wasSilent) ask();
      if (!("pong" in message)) {
        isHeard = true;
        return true;
      }
      if (isOwn) {
        pointed = 0;
        tip.textContent = message.words ?? "";
      }
      if (!pointed && place) point(place);
      if (isOwn && !isHeard) ask(); // the frame that was asked for first was lost
      return false;
    },
    leave: () => send({ gone: true }),
    end: host.end,
  };
}

/** Tells where a pointer is dragged to in a picture that can be dragged in, and where one rests.
 * @param {ReturnType<typeof makeElements>} elements @param {ReturnType<typeof makeWay>["point"]} point */
function watchPointer({ canvas, tip }, point) {
  let resting = 0; // a timer
  const share = (/** @type {number} */ at, /** @type {number} */ of) => Math.min(Math.max(at / of, 0), 1);
  const leave = () => {
    clearTimeout(resting);
    tip.textContent = "";
  };
  canvas.onpointermove = ({ buttons, clientX, clientY, offsetX, offsetY }) => {
    const { left, top, width, height } = canvas.getBoundingClientRect();
    const place = /** @type {Place} */ ([share(clientX - left, width), share(clientY - top, height)]);
    leave();
    if ((buttons & 1) && "drags" in canvas.dataset) {
      canvas.dataset.dragged = "";
      return point({ drag: place });
    }
    tip.style.translate = `${canvas.offsetLeft + offsetX}px ${canvas.offsetTop + offsetY}px`;
    resting = setTimeout(() => point({ over: place }), REST);
  };
  canvas.onpointerdown = (event) => {
    canvas.setPointerCapture(event.pointerId);
    canvas.onpointermove?.(event);
  };
  canvas.onpointerleave = leave;
  return leave;
}

/** Draws the canvas, its caption and its notices; returns how to end it.
 * @param {Pick<ExplorerShown, "css">} shown
 * @param {Channel<Frame | Pong, ToScreen>} channel @param {HTMLElement} el */
function makeScreen({ css }, channel, el) {
  const elements = makeElements(el), { host } = channel, way = makeWay(channel, elements);
  const painter = makePainter(elements, way.askAgain), room = makeRoom(elements, css, way.ask);
  channel.listen((message, buffers) => {
    if (way.hear(message)) painter.take(message, buffers);
  });
  const letGo = watchPointer(elements, way.point);

  const over = new AbortController(), { signal } = over;
  const back = () => { if (document.visibilityState === "visible") way.ask(); };
  document.addEventListener("visibilitychange", back, { signal });
  addEventListener("pagehide", way.leave, { signal }); // a reloaded page cleans nothing up
  addEventListener("resize", room.fitSoon, { signal });
  document.addEventListener("fullscreenchange", room.fitSoon, { signal }); // a window may be as large already
  const stopped = () => way.goodbye(STOPPED);
  host.on("comm_live_update", stopped);
  host.on("destroy", stopped);
  const pulse = setInterval(way.pulse, PULSE_EVERY);
  const watch = setInterval(() => { way.look(); room.look(); }, LOOK_EVERY);

  return () => {
    over.abort();
    letGo();
    clearInterval(pulse);
    clearInterval(watch);
    host.off("comm_live_update", stopped);
    host.off("destroy", stopped);
    room.close();
    way.end();
    painter.close();
    way.leave();
  };
}

export { makeScreen };
