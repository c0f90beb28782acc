// What the recorder wrote down, made again on a canvas. A frame is a bitmap and what is drawn over
// it; a scene keeps both, so that a message need carry only what moved.

import { makeTween } from "./tween.js";
/** @import { Bytes, Call, CellsBox, Frame, Style } from "../protocol.d.ts" */
/** @import { Drawing } from "./tween.js" */

// Path codes as in matplotlib's Path.
const MOVE = 1, LINE = 2, QUADRATIC = 3, CUBIC = 4, CLOSE = 79;

/** A path of rows (code, x, y); a curve's control points are rows of their own.
 * @param {Float32Array} rows @param {number} first @param {number} count */
function trace(rows, first, count) {
  const path = new Path2D();
  for (let i = 3 * first; i < 3 * (first + count); i += 3) {
    const x = rows[i + 1], y = rows[i + 2];
    switch (rows[i]) {
      case MOVE: path.moveTo(x, y); break;
      case LINE: path.lineTo(x, y); break;
      case QUADRATIC: path.quadraticCurveTo(x, y, rows[i + 4], rows[i + 5]); i += 3; break;
      case CUBIC:
        path.bezierCurveTo(x, y, rows[i + 4], rows[i + 5], rows[i + 7], rows[i + 8]);
        i += 6;
        break;
      case CLOSE: path.closePath();
    }
  }
  return path;
}

const PIECE = 32;

/** A long line in pieces: one stroke of 512 points takes a browser twice as long as 16 of 32. Each
 * piece has a segment of the next and blunt ends, so that every corner is joined in one of them;
 * the line's own ends are drawn again in its own style. Undefined for what must stay whole.
 * @param {Float32Array} rows @param {number} first @param {number} count @param {Style} style */
function pieces(rows, first, count, style) {
  const last = first + count - 1, opaque = style.stroke?.endsWith("ff");
  if (count < 2 * PIECE || !opaque || style.fill || style.dash) return undefined;
  for (let i = first + 1; i <= last; i += 1) if (rows[3 * i] !== LINE) return undefined;
  const blunt = Array.from(
    { length: Math.ceil((count - 1) / PIECE) },
    (_, i) => trace(rows, first + i * PIECE, Math.min(PIECE + 2, count - i * PIECE)),
  );
  const point = (/** @type {number} */ i) => [rows[3 * i + 1], rows[3 * i + 2]];
  const ends = [[first, 1], [last, -1]].map(([end, step]) => {
    const [x, y] = point(end), opposite = first + last - end;
    let next = end + step; // matplotlib repeats the last point, which gives the end no direction
    while (next !== opposite && String(point(next)) === String([x, y])) next += step;
    const [x1, y1] = point(next), path = new Path2D();
    path.moveTo(x, y);
    path.lineTo((x + x1) / 2, (y + y1) / 2);
    return path;
  });
  return { blunt, ends };
}

/** Sets a style once, returns how to paint a path in it. */
function brush(/** @type {CanvasRenderingContext2D} */ context, /** @type {Style} */ style) {
  if (style.fill) context.fillStyle = style.fill;
  if (style.stroke) {
    context.strokeStyle = style.stroke;
    context.lineWidth = style.width;
    context.lineCap = style.cap === "projecting" ? "square" : style.cap;
    context.lineJoin = style.join;
    context.miterLimit = style.width; // as matplotlib sets it in Agg
    context.setLineDash(style.dash ?? []);
    context.lineDashOffset = style.dash_offset ?? 0;
  }
  return (/** @type {Path2D} */ path) => {
    if (style.fill) context.fill(path);
    if (style.stroke) context.stroke(path);
  };
}

const copied = (/** @type {Bytes} */ bytes) =>
  bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);

/** The pixels of a heatmap: for each pixel the colour of the cell that lies there.
 * @param {CellsBox} box @param {Bytes} bytes */
function coloured({ width, height, across, colours, wide }, bytes) {
  const data = copied(bytes);
  const colour = new Uint32Array(data, 0, colours);
  const column = new Uint16Array(data, 4 * colours, width);
  const row = new Uint16Array(data, 4 * colours + 2 * width, height);
  const start = 4 * colours + 2 * (width + height);
  const cells = wide === 1 ? new Uint8Array(data, start) : new Uint16Array(data, start);
  const image = new ImageData(width, height), pixels = new Uint32Array(image.data.buffer);
  for (let y = 0, at = 0; y < height; y += 1) {
    if (y && row[y] === row[y - 1]) {
      pixels.copyWithin(at, at - width, at);
      at += width;
    } else {
      const line = row[y] * across;
      for (let x = 0; x < width; x += 1, at += 1) pixels[at] = colour[cells[line + column[x]]];
    }
  }
  const canvas = new OffscreenCanvas(width, height);
  canvas.getContext("2d")?.putImageData(image, 0, 0);
  return canvas;
}

/** Makes a call ready once; returns how to draw it.
 * @param {CanvasRenderingContext2D} context @param {Float32Array} rows
 * @param {Bytes[]} images @param {Call} call */
function ready(context, rows, images, call) {
  if (call[0] === "cells") {
    const [, , box, image] = call, canvas = coloured(box, images[image]);
    return () => context.drawImage(canvas, box.left, box.top);
  }
  const [, style, first, count] = call;
  if (call[0] === "markers") {
    const [, , , , firstPoint, countPoints] = call, marker = trace(rows, first, count);
    return () => {
      const paint = brush(context, style);
      for (let i = 3 * firstPoint; i < 3 * (firstPoint + countPoints); i += 3) {
        if (rows[i] === CLOSE) continue;
        context.translate(rows[i + 1], rows[i + 2]);
        paint(marker);
        context.translate(-rows[i + 1], -rows[i + 2]);
      }
    };
  }
  const parts = pieces(rows, first, count, style);
  if (parts) {
    return () => {
      parts.blunt.forEach(brush(context, { ...style, cap: "butt" }));
      parts.ends.forEach(brush(context, style));
    };
  }
  const path = trace(rows, first, count);
  return () => brush(context, style)(path);
}

/** Draws within a style's clip, a box of whole pixels, a path or both.
 * @param {CanvasRenderingContext2D} context @param {Float32Array} rows
 * @param {Style} style @param {() => void} draw */
function clipped(context, rows, style, draw) {
  if (!style.clip && !style.clip_path) return draw;
  const box = new Path2D(), path = style.clip_path && trace(rows, ...style.clip_path);
  if (style.clip) box.rect(...style.clip);
  return () => {
    context.save();
    if (style.clip) context.clip(box);
    if (path) context.clip(path);
    draw();
    context.restore();
  };
}

/** What a canvas shows: the bitmap at rest, and the artists in front, ready to be drawn.
 * @param {HTMLCanvasElement} canvas @param {() => void} [rests] called when nothing moves any more */
function makeScene(canvas, rests = () => {}) {
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d", { alpha: false }));
  let bitmap = /** @type {ImageBitmap?} */ (null), next = 0; // of the browser's frames
  let artists = /** @type {Drawing[]} */ ([]);
  const tweens = /** @type {Map<number, ReturnType<typeof makeTween> & { began: number, lasts: number }>} */ (new Map());

  function close() {
    cancel();
    bitmap?.close();
    bitmap = null;
    artists = [];
  }

  function cancel() {
    if (next) cancelAnimationFrame(next);
    next = 0;
    tweens.clear();
  }

  const prepare = (/** @type {Drawing} */ { rows, images }, /** @type {Call} */ call) =>
    clipped(context, rows, call[1], ready(context, rows, images, call));

  /** Takes in what a message brings, which is reached after `lasts` milliseconds; nothing is seen until it is drawn. */
  async function take(/** @type {Frame} */ message, /** @type {Bytes[]} */ buffers, lasts = 0) {
    if (message.whole) {
      const [png, ...others] = buffers;
      const newest = await createImageBitmap(new Blob([png], { type: "image/png" }));
      close();
      bitmap = newest;
      artists = new Array(message.artists).fill({ calls: [], rows: new Float32Array(), images: [], draws: [] });
      buffers = others;
    }
    const [bytes, ...images] = buffers, rows = new Float32Array(copied(bytes));
    message.moved.forEach(([artist, firstRow, firstImage, calls], i) => {
      const end = message.moved[i + 1]?.[1] ?? rows.length / 3;
      const own = { calls, rows: rows.subarray(3 * firstRow, 3 * end), images: images.slice(firstImage) };
      const newest = /** @type {Drawing} */ ({ ...own, draws: [] });
      newest.draws = calls.map((call) => prepare(newest, call));
      const old = tweens.get(artist)?.mixed ?? artists[artist];
      const tween = lasts && !message.whole ? makeTween(context, old, newest, prepare) : undefined;
      if (tween) tweens.set(artist, { ...tween, began: performance.now(), lasts });
      else tweens.delete(artist);
      artists[artist] = newest;
    });
  }

  function draw() {
    if (!bitmap) return;
    const { width, height } = bitmap, now = performance.now();
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    context.drawImage(bitmap, 0, 0);
    artists.forEach(({ draws }, artist) => {
      const tween = tweens.get(artist), share = tween ? (now - tween.began) / tween.lasts : 1;
      if (tween && share < 1) return tween.draw(share);
      tweens.delete(artist);
      for (const call of draws) call();
    });
    if (tweens.size) next ||= requestAnimationFrame(() => { next = 0; draw(); });
    else rests();
  }

  return { take, draw, close, isMoving: () => tweens.size > 0 };
}

export { makeScene };
