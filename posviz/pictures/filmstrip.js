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

const MANY = 8; // options, of which a row has room for no more; picture.py has it, too

/**
 * @template Traits, Heard, Said
 * @typedef {object} Played what screen.js and slider.js know of a widget, and how to tell them
 * @property {Model<Traits, Heard, Said>} model
 * @property {(message: Heard, buffers?: Bytes[]) => void} tell
 */

/**
 * @typedef {{ label: string, texts: string[], few: boolean }} Choice
 * @typedef {Choice & { values: number[], range: string, play: boolean }} Numbers
 *
 * A place for each knob, the recordings that are drawn there, and what is said.
 * @typedef {[places: number[], light: number[], dark: number[], caption: string]} Drawn
 *
 * What is behind a filmstrip's `data-frames`: the header that filmstrip.py writes, and its blobs.
 * @typedef {object} Content
 * @property {[number, number]} css
 * @property {(Choice | Numbers)[]} knobs
 * @property {number[]} sizes of the blobs, in bytes
 * @property {number[]} backgrounds the blob of the light one and of the dark one
 * @property {Drawn[]} frames the first is where all begins
 * @property {[calls: Call[], vertices: number, images: number[][]][]} recordings
 * @property {Uint8Array<ArrayBuffer>[]} blobs
 */

/**
 * What suits the screen: a telephone has a picture as narrow as itself.
 * @param {HTMLElement} strip
 * @returns {Promise<Content>}
 */
async function unpacked(strip) {
  const { frames, narrow } = strip.dataset;
  const telephone = narrow && matchMedia("(max-width: 560px), (max-height: 500px)").matches;
  strip.classList.toggle("posviz-narrow", Boolean(telephone));
  const data = await inflated((telephone ? narrow : frames) ?? "", strip);
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
 * Sends a frame: all of it to a screen that asks, else what is not yet there. Returns how.
 * @param {Content} content
 * @param {HTMLElement} el
 */
function makeScreen(content, el) {
  let number = 0, dark = false, frame = content.frames[0];
  /** @type {number[]} */
  let sent = [];
  const { css, blobs, backgrounds } = content;
  /** @param {boolean} whole */
  function show(whole) {
    const [, light, dimmed, caption] = frame;
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
    const buffers = [...(whole ? [blobs[backgrounds[Number(dark)]]] : []), rows, ...images];
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
  /** @param {Drawn} other */
  return (other) => { frame = other; show(false); };
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
 * The frame with a knob at a place that leaves most of the others where they are.
 * @param {Drawn[]} frames
 * @param {number[]} places
 * @param {number} knob
 * @param {number} place
 */
function nearestFrame(frames, places, knob, place) {
  /** @type {(frame: Drawn) => number} */
  const moved = ([there]) => there.filter((at, other) => other !== knob && at !== places[other]).length;
  const having = frames.filter(([there]) => there[knob] === place);
  return having.reduce((best, frame) => (moved(frame) < moved(best) ? frame : best));
}

/**
 * A control hands on the place that a reader chose, and what there is to say about it; what it returns
 * lets it stand at the place that another has brought it to.
 * @typedef {(place: number, note?: string) => void} Changed
 * @typedef {(place: number) => void} Stand
 */

/**
 * A number: what slider.py answers, but that only a few of its values are here.
 * @param {Numbers} knob
 * @param {number} place
 * @param {Changed} changed
 * @param {HTMLElement} el
 * @returns {Stand}
 */
function makeSlider({ label, texts, values, range, play }, place, changed, el) {
  const low = values[0], high = values[values.length - 1];
  const width = Math.max(...texts.map((text) => text.length));
  const traits = { label, range, width, play, idle: "", last_place: values.length - 1 };
  /** @type {Changed} */
  const move = (to, note) => {
    place = to;
    changed(place, note);
  };
  const standing = () => ({ place, text: texts[place], change: 0 });
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
    tell({ ...standing(), view, number, refused });
  });
  slider.render({ model, el });
  return (to) => {
    place = to;
    tell({ ...standing(), stop: true });
  };
}

/**
 * A few options: a radio group, which the keyboard knows by nature.
 * @param {Choice} knob
 * @param {number} place
 * @param {Changed} changed
 * @param {HTMLElement} el
 * @returns {Stand}
 */
function makeChoice({ label, texts }, place, changed, el) {
  const group = make("fieldset", { className: "posviz-choice" }), name = unique();
  const radios = texts.map((text, option) => {
    const line = make("label");
    const radio = make("input", { type: "radio", name, checked: option === place });
    radio.addEventListener("change", () => changed(option));
    line.append(radio, text);
    group.append(line);
    return radio;
  });
  group.prepend(make("legend", { textContent: label }));
  el.append(group);
  return (to) => { radios[to].checked = true; };
}

/**
 * More options than a row has room for.
 * @param {Choice} knob
 * @param {number} place
 * @param {Changed} changed
 * @param {HTMLElement} el
 * @returns {Stand}
 */
function makeList({ label, texts }, place, changed, el) {
  const line = make("label", { className: "posviz-list" }), list = make("select");
  list.append(...texts.map((textContent) => make("option", { textContent })));
  list.selectedIndex = place;
  list.addEventListener("change", () => changed(list.selectedIndex));
  line.append(make("span", { textContent: label }), list);
  el.append(line);
  return (to) => { list.selectedIndex = to; };
}

/**
 * What is always inside an element that filmstrip.py wrote.
 * @param {HTMLElement} strip
 * @param {string} selector
 */
const part = (strip, selector) => /** @type {HTMLElement} */ (strip.querySelector(selector));

/**
 * Makes the controls, each of which may bring others along: not every combination is here.
 * @param {Content} content
 * @param {(frame: Drawn) => void} show
 * @param {HTMLElement} note
 * @param {HTMLElement} el
 */
function makeControls({ knobs, frames }, show, note, el) {
  const start = frames[0][0];
  let places = start;
  /** @type {(frame: Drawn, moved?: number, said?: string) => void} */
  const move = (frame, moved, said = "") => {
    const others = knobs.map((_, knob) => knob).filter((knob) => knob !== moved);
    const brought = others.filter((knob) => moved !== undefined && frame[0][knob] !== places[knob]);
    places = frame[0];
    show(frame);
    for (const knob of others) stands[knob](places[knob]);
    note.textContent = [said, ...brought.map((knob) => {
      const { label, texts } = knobs[knob], place = places[knob];
      return `${label} ${place === start[knob] ? "goes back" : "goes"} to ${texts[place]}.`;
    })].join(" ");
  };
  const stands = knobs.map((knob, index) => {
    /** @type {Changed} */
    const changed = (place, said) => move(nearestFrame(frames, places, index, place), index, said);
    const box = make("div");
    box.classList.toggle("posviz-more", !knob.few);
    el.append(box);
    if ("values" in knob) return makeSlider(knob, start[index], changed, box);
    const makeOptions = knob.texts.length > MANY ? makeList : makeChoice;
    return makeOptions(knob, start[index], changed, box);
  });
  const reset = make("button", { type: "button", textContent: "Reset" });
  reset.classList.add("posviz-reset", "posviz-more");
  reset.addEventListener("click", () => move(frames[0]));
  el.append(reset);
}

/**
 * The still gives way once the first frame is there, so that nothing jumps. It stays in the page: what is
 * dark is not printed.
 * @param {HTMLElement} strip
 * @param {Content} content
 */
function awaken(strip, content) {
  const still = part(strip, ".posviz-still"), controls = part(strip, ".posviz-controls");
  const stage = make("div", { hidden: true });
  const note = make("p", { className: "posviz-note" }, { role: "status" });
  still.before(stage);
  part(strip, ".posviz-fixed").before(note);
  makeControls(content, makeScreen(content, stage), note, controls);
  new MutationObserver((_, observer) => {
    observer.disconnect();
    stage.hidden = false;
    still.hidden = true;
    keepRoom(strip, content.frames);
    strip.dataset.alive = "true";
  }).observe(part(stage, "canvas"), { attributeFilter: ["data-frame"] });
}

/**
 * Room for the longest caption, so that nothing jumps while a slider moves.
 * @param {HTMLElement} strip
 * @param {Drawn[]} frames
 */
function keepRoom(strip, frames) {
  const caption = part(strip, "figcaption"), said = caption.textContent;
  const captions = frames.map(([, , , text]) => text);
  caption.textContent = captions.reduce((one, other) => (other.length > one.length ? other : one));
  strip.style.setProperty("--caption", `${caption.offsetHeight}px`);
  caption.textContent = said;
}

/** @param {HTMLElement} strip */
async function begin(strip) {
  if (strip.dataset.alive) return;
  strip.dataset.alive = "soon";
  try {
    awaken(strip, await unpacked(strip));
  } catch (error) {
    strip.dataset.alive = "false";
    const reason = error instanceof Error ? error.message : error;
    const fixed = strip.querySelector(".posviz-fixed"); // which a lesson's own HTML may lack
    if (fixed) fixed.textContent = `This picture stays still: ${reason}`;
  }
  /** @type {HTMLElement | null} */
  const control = strip.querySelector("input, select, button");
  if (document.activeElement === strip) control?.focus();
  strip.removeAttribute("tabindex");
}

// Each begins a little before it is seen, or when the Tab key comes to it.
function watch() {
  const observer = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (isIntersecting) begin(/** @type {HTMLElement} */ (target));
    }
  }, { rootMargin: "100%" });
  for (const strip of strips()) {
    strip.tabIndex = 0;
    strip.addEventListener("focus", () => begin(strip));
    observer.observe(strip);
  }
}

/** @returns {NodeListOf<HTMLElement>} */
const strips = () => document.querySelectorAll(".posviz-filmstrip");

if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", watch);
else watch();

export { begin, strips };
