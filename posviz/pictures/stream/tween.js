// What lies between two drawings of an artist: paths of equal shape move, as does a text, colours and
// widths change, and one heatmap is faded over another.

/** @import { Bytes, Call, Style } from "../protocol.d.ts" */
/** @typedef {{ calls: Call[], rows: Float32Array, images: Bytes[], draws: (() => void)[] }} Drawing of one artist */

const MOST_ROWS = 20_000; // of the paths of an artist: more take longer than a frame
const FADED = 20_000; // pixels: what is smaller is a text, whose letters would be seen through each other

const mix = (/** @type {number} */ a, /** @type {number} */ b, /** @type {number} */ share) => a + (b - a) * share;

/** A colour as #rrggbbaa between two others. */
function between(/** @type {string} */ one, /** @type {string} */ other, /** @type {number} */ share) {
  const part = (/** @type {string} */ colour, /** @type {number} */ i) => parseInt(colour.slice(i, i + 2), 16);
  const parts = [1, 3, 5, 7].map((i) => Math.round(mix(part(one, i), part(other, i), share)));
  return `#${parts.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}

function mixedStyle(/** @type {Style} */ old, /** @type {Style} */ style, /** @type {number} */ share) {
  const mixed = { ...style };
  for (const key of /** @type {const} */ (["fill", "stroke"])) {
    const [from, to] = [old[key], style[key]];
    if (from && to && from !== to) mixed[key] = between(from, to, share);
  }
  if (old.width && style.width) mixed.width = mix(old.width, style.width, share);
  return mixed;
}

/** Whether two drawings have the same calls, with the same steps along their paths.
 * @param {Drawing} old @param {Drawing} newest */
function isAlike(old, { calls, rows }) {
  if (rows.length > 3 * MOST_ROWS || rows.length !== old.rows.length || calls.length !== old.calls.length) return false;
  for (let i = 0; i < rows.length; i += 3) if (rows[i] !== old.rows[i]) return false;
  return calls.every(([kind, , ...places], i) => {
    const [oldKind, , ...oldPlaces] = old.calls[i];
    return kind === oldKind && (kind === "cells" || String(places) === String(oldPlaces));
  });
}

function isSame(/** @type {Bytes} */ one, /** @type {Bytes} */ other) {
  const [a, b] = [one, other].map((bytes) => new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  return a.length === b.length && a.every((value, i) => value === b[i]);
}

/** How an artist is drawn at a share of the way from what it was; undefined where the two are too different.
 * @param {CanvasRenderingContext2D} context @param {Drawing} old @param {Drawing} newest
 * @param {(drawing: Drawing, call: Call) => () => void} prepare */
function makeTween(context, old, newest, prepare) {
  if (!isAlike(old, newest)) return undefined;
  const mixed = { ...newest, rows: new Float32Array(newest.rows) };
  const steps = newest.calls.map((call, i) => {
    const was = old.calls[i], draw = newest.draws[i];
    if (call[0] !== "cells" || was[0] !== "cells") {
      return (/** @type {number} */ share) => {
        const [kind, style, ...places] = call;
        prepare(mixed, /** @type {Call} */ ([kind, mixedStyle(was[1], style, share), ...places]))();
      };
    }
    const [from, to] = [was[2], call[2]], isOne = isSame(old.images[was[3]], newest.images[call[3]]);
    const isFaded = !isOne && from.width === to.width && from.height === to.height && to.width * to.height > FADED;
    return (/** @type {number} */ share) => {
      context.save();
      if (isFaded) {
        old.draws[i]();
        context.globalAlpha = share;
      } else context.translate((from.left - to.left) * (1 - share), (from.top - to.top) * (1 - share));
      draw();
      context.restore();
    };
  });
  const draw = (/** @type {number} */ share) => {
    for (let i = 0; i < mixed.rows.length; i += 3) {
      mixed.rows[i + 1] = mix(old.rows[i + 1], newest.rows[i + 1], share);
      mixed.rows[i + 2] = mix(old.rows[i + 2], newest.rows[i + 2], share);
    }
    for (const step of steps) step(share);
  };
  return { draw, mixed };
}

export { makeTween };
