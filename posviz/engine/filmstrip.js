// @ts-check
// Plays the kernel to the explorer's own screen and sliders, from frames computed beforehand.

import { make, unique } from "./elements.js";
import { inflated } from "./inflated.js";
import screen from "./screen.js";
import slider from "./slider.js";

/**
 * @import { Bytes, Call, Frame, Model, Pong, ScreenTraits } from "./protocol.d.ts"
 * @import { SliderTraits, Standing, ToScreen, ToSlider } from "./protocol.d.ts"
 */

/**
 * @template Traits, Heard, Said
 * @typedef {object} Played what screen.js and slider.js know of a widget, and how to tell them
 * @property {Model<Traits, Heard, Said>} model
 * @property {(message: Heard, buffers?: Bytes[]) => void} tell
 */

/**
 * @typedef {{ label: string, texts: string[] }} Choice
 * @typedef {Choice & { values: number[], range: string }} Numbers
 *
 * What a filmstrip's `data-frames` holds: the header that filmstrip.py writes, and its blobs.
 * @typedef {object} Content
 * @property {[number, number]} css
 * @property {(Choice | Numbers)[]} knobs
 * @property {number[]} start a place for each knob
 * @property {number[]} sizes of the blobs, in bytes
 * @property {[light: number[], dark: number[], caption: string][]} frames of recordings
 * @property {[calls: Call[], vertices: number, images: number[][]][]} recordings
 * @property {Uint8Array<ArrayBuffer>[]} blobs
 */

/**
 * @param {string} text
 * @returns {Promise<Content>}
 */
async function unpacked(text) {
  const data = await inflated(text);
  const length = new DataView(data).getUint32(0, true);
  const content = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 4, length)));
  let end = 4 + length;
  content.blobs = content.sizes.map((/** @type {number} */ size) => {
    end += size;
    return new Uint8Array(data, end - size, size);
  });
  return content;
}

/**
 * An answer comes later, as from a kernel.
 * @template Traits, Heard, Said
 * @param {Traits} traits
 * @param {(message: Said) => void} receive
 * @returns {Played<Traits, Heard, Said>}
 */
function makeModel(traits, receive) {
  /** @type {Set<(message: Heard, buffers?: Bytes[]) => void>} */
  const listeners = new Set();
  const custom = (/** @type {string} */ event) => event === "msg:custom";
  return {
    model: {
      get: (name) => traits[name],
      on: (event, listener) => { if (custom(event)) listeners.add(listener); },
      off: (event, listener) => { if (custom(event)) listeners.delete(listener); },
      send: (message) => { queueMicrotask(() => receive(message)); },
    },
    tell: (message, buffers = []) => {
      for (const listener of listeners) listener(message, buffers);
    },
  };
}

/**
 * Sends the frame at these places: all of it to a screen that asks, else what is not yet there.
 * @param {Content} content
 * @param {number[]} places
 * @param {HTMLElement} el
 */
function makeScreen(content, places, el) {
  let number = 0, dark = false;
  /** @type {number[]} */
  let sent = [];
  const { css, blobs, knobs } = content;
  const frame = () =>
    content.frames[knobs.reduce((at, { texts }, knob) => at * texts.length + places[knob], 0)];
  /** @param {boolean} whole */
  function show(whole) {
    const [light, dimmed, caption] = frame();
    const drawn = dark ? dimmed : light;
    /** @type {Frame["moved"]} */
    const moved = [];
    /** @type {Bytes[]} */
    const images = [];
    let rows = new Uint8Array(0);
    drawn.forEach((recording, artist) => {
      if (!whole && sent[artist] === recording) return;
      const [calls, vertices, ownImages] = content.recordings[recording];
      moved.push([artist, rows.length / 12, images.length, calls]);
      rows = joined(rows, blobs[vertices]);
      images.push(...ownImages.map((parts) => joined(...parts.map((part) => blobs[part]))));
    });
    sent = drawn;
    number += 1;
    const buffers = [...(whole ? [blobs[Number(dark)]] : []), rows, ...images];
    const [artists, count] = [drawn.length, buffers.length];
    tell({ frame: number, caption, whole, artists, moved, buffers: count }, buffers);
  }
  /** @type {Played<ScreenTraits, Frame | Pong, ToScreen>} */
  const { model, tell } = makeModel({ css }, (message) => {
    if (message.gone) return;
    const look = message.dark ?? false, whole = message.ask || look !== dark;
    dark = look;
    el.dataset.dark = String(dark);
    if (whole) show(true);
    else tell({ pong: message.view });
  });
  screen.render({ model, el });
  return () => show(false);
}

/** @param {Uint8Array[]} parts */
function joined(...parts) {
  const all = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let end = 0;
  for (const part of parts) {
    all.set(part, end);
    end += part.length;
  }
  return all;
}

/** @type {(values: number[], wanted: number) => number} */
function nearest(values, wanted) {
  const distances = values.map((value) => Math.abs(value - wanted));
  return distances.indexOf(Math.min(...distances));
}

/** @param {string} typed with commas between thousands, perhaps */
const read = (typed) => typed.trim() ? Number(typed.replace(/,(?=\d{3}(\D|$))/g, "")) : NaN;

/**
 * A number: what slider.py answers, but that only a few of its values are here.
 * @param {Numbers} knob
 * @param {number} place
 * @param {(place: number) => void} changed
 * @param {(text: string) => void} say
 * @param {HTMLElement} el
 */
function makeSlider({ label, texts, values, range }, place, changed, say, el) {
  const low = values[0], high = values[values.length - 1];
  const width = Math.max(...texts.map((text) => text.length));
  const traits = { label, range, width, play: true, idle: "", last_place: values.length - 1 };
  /** @type {(to: number, note?: string) => void} */
  const move = (to, note = "") => {
    place = to;
    changed(place);
    say(note);
  };
  /** @type {Played<SliderTraits, Standing, ToSlider>} */
  const { model, tell } = makeModel(traits, (message) => {
    let refused;
    if (message.place !== undefined) move(message.place);
    else if (message.typed !== undefined) {
      const wanted = read(message.typed), to = nearest(values, wanted);
      const note = `The nearest value on this page is ${texts[to]}; the notebook has them all.`;
      if (wanted >= low && wanted <= high) move(to, values[to] === wanted ? "" : note);
      else refused = `${label} must be a number ${range}.`;
    }
    const { view, number } = message;
    tell({ place, text: texts[place], view, number, change: 0, refused });
  });
  slider.render({ model, el });
}

/**
 * A few options: a radio group, which the keyboard knows by nature.
 * @param {Choice} knob
 * @param {number} place
 * @param {(place: number) => void} changed
 * @param {HTMLElement} el
 */
function makeChoice({ label, texts }, place, changed, el) {
  const group = make("fieldset", { className: "posviz-choice" }), name = unique();
  group.append(make("legend", { textContent: label }), ...texts.map((text, option) => {
    const line = make("label");
    const radio = make("input", { type: "radio", name, checked: option === place });
    radio.addEventListener("change", () => changed(option));
    line.append(radio, text);
    return line;
  }));
  el.append(group);
}

/**
 * What is always inside an element that filmstrip.py wrote.
 * @param {HTMLElement} strip
 * @param {string} selector
 */
const part = (strip, selector) => /** @type {HTMLElement} */ (strip.querySelector(selector));

/**
 * The still gives way once the first frame is there, so that nothing jumps. It stays in the page: what is
 * dark is not printed.
 * @param {HTMLElement} strip
 * @param {Content} content
 */
function awaken(strip, content) {
  const places = [...content.start], still = part(strip, ".posviz-still");
  const stage = make("div", { hidden: true });
  const note = make("p", { className: "posviz-note" }, { role: "status" });
  still.before(stage);
  part(strip, ".posviz-fixed").before(note);
  const show = makeScreen(content, places, stage);
  content.knobs.forEach((knob, index) => {
    /** @param {number} place */
    const changed = (place) => { places[index] = place; show(); };
    /** @param {string} text */
    const say = (text) => { note.textContent = text; };
    const el = make("div");
    part(strip, ".posviz-controls").append(el);
    if ("values" in knob) makeSlider(knob, places[index], changed, say, el);
    else makeChoice(knob, places[index], changed, el);
  });
  new MutationObserver((_, observer) => {
    observer.disconnect();
    stage.hidden = false;
    still.hidden = true;
    strip.dataset.alive = "true";
  }).observe(part(stage, "canvas"), { attributeFilter: ["data-frame"] });
}

/** @param {HTMLElement} strip */
async function begin(strip) {
  if (strip.dataset.alive) return;
  strip.dataset.alive = "soon";
  try {
    awaken(strip, await unpacked(strip.dataset.frames ?? ""));
    delete strip.dataset.frames;
  } catch (error) {
    strip.dataset.alive = "false";
    const reason = error instanceof Error ? error.message : error;
    const fixed = strip.querySelector(".posviz-fixed"); // which a lesson's own HTML may lack
    if (fixed) fixed.textContent = `This picture stays still: ${reason}`;
  }
}

// Each begins a little before it is seen, and the others when there is time: the Tab key would skip
// what is not there yet.
function watch() {
  /** @type {NodeListOf<HTMLElement>} */
  const found = document.querySelectorAll(".posviz-filmstrip"), strips = [...found];
  const observer = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (isIntersecting) begin(/** @type {HTMLElement} */ (target));
    }
  }, { rootMargin: "100%" });
  strips.forEach((strip) => observer.observe(strip));
  const idle = globalThis.requestIdleCallback ?? setTimeout;
  const next = () => {
    const strip = strips.find(({ dataset }) => !dataset.alive);
    if (strip) begin(strip).then(() => idle(next));
  };
  globalThis.addEventListener("load", () => idle(next));
}

if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", watch);
else watch();
