// Plays the kernel to the explorer's own screen and sliders, from frames computed beforehand.

async function unpacked(text) {
  const deflated = new Blob([Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))]);
  const stream = deflated.stream().pipeThrough(new DecompressionStream("deflate"));
  const data = await new Response(stream).arrayBuffer();
  const length = new DataView(data).getUint32(0, true);
  const film = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 4, length)));
  let end = 4 + length;
  film.blobs = film.sizes.map((size) => {
    end += size;
    return new Uint8Array(data, end - size, size);
  });
  return film;
}

// What screen.js and slider.js know of a widget. An answer comes later, as from a kernel.
function makeModel(traits, receive) {
  const listeners = new Set(), custom = (event) => event === "msg:custom";
  return {
    get: (name) => traits[name],
    on: (event, listener) => { if (custom(event)) listeners.add(listener); },
    off: (event, listener) => { if (custom(event)) listeners.delete(listener); },
    send: (message) => { queueMicrotask(() => receive(message)); },
    tell: (message, buffers = []) => { for (const listener of listeners) listener(message, buffers); },
  };
}

// Sends the frame at these places: all of it to a screen that asks, else what is not yet there.
function makeScreen(film, places, el) {
  let number = 0, sent = [];
  const { css, blobs } = film;
  const frame = () => film.frames[film.knobs.reduce((at, { texts }, knob) => at * texts.length + places[knob], 0)];
  function show(whole) {
    const [drawn, caption] = frame();
    const moved = [], images = [];
    let rows = new Uint8Array(0);
    drawn.forEach((recording, place) => {
      if (!whole && sent[place] === recording) return;
      const [calls, vertices, ownImages] = film.recordings[recording];
      moved.push([place, rows.length / 12, images.length, calls]);
      rows = joined(rows, blobs[vertices]);
      images.push(...ownImages.map((image) => blobs[image]));
    });
    sent = drawn;
    number += 1;
    const buffers = [...(whole ? [blobs[0]] : []), rows, ...images];
    model.tell({ frame: number, caption, css, whole, artists: drawn.length, moved, buffers: buffers.length }, buffers);
  }
  const model = makeModel({}, (message) => {
    if (message.ask) show(true);
    else if (!message.gone) model.tell({ pong: message.view });
  });
  screen.render({ model, el });
  return () => show(false);
}

function joined(first, second) {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

const nearest = (values, wanted) => values.reduce(
  (best, value, place) => (Math.abs(value - wanted) < Math.abs(values[best] - wanted) ? place : best), 0);

// A number: what slider.py answers, but that only a few of its values are here.
function makeSlider(knob, place, turned, say, el) {
  const { label, texts, values, range } = knob;
  const low = values[0], high = values.at(-1);
  const model = makeModel({ label, range, play: true, places: values.length - 1 }, (message) => {
    const answer = { view: message.view, number: message.number, turn: 0 };
    if ("place" in message) {
      place = message.place;
      turned(place);
      say("");
    } else if ("typed" in message) {
      const wanted = message.typed.trim() ? Number(message.typed.replace(/,(?=\d{3}(\D|$))/g, "")) : NaN;
      if (wanted >= low && wanted <= high) {
        place = nearest(values, wanted);
        turned(place);
        say(values[place] === wanted ? "" : `The nearest value on this page is ${texts[place]}; the notebook has them all.`);
      } else answer.refused = `${label} must be a number ${range}.`;
    }
    model.tell({ place, text: texts[place], ...answer });
  });
  slider.render({ model, el });
}

// A few options: a radio group, which the keyboard knows by nature.
function makeChoice({ label, texts }, place, turned, el) {
  const group = document.createElement("fieldset"), legend = document.createElement("legend");
  const name = `posviz-${Math.random().toString(36).slice(2)}`;
  legend.textContent = label;
  group.className = "posviz-choice";
  group.append(legend, ...texts.map((text, option) => {
    const line = document.createElement("label"), radio = document.createElement("input");
    Object.assign(radio, { type: "radio", name, checked: option === place });
    radio.addEventListener("change", () => turned(option));
    line.append(radio, text);
    return line;
  }));
  el.append(group);
}

// The still gives way once the first frame is there, so that nothing jumps.
function awaken(strip, film) {
  const places = [...film.start], still = strip.querySelector(".posviz-still");
  const controls = strip.querySelector(".posviz-few-controls");
  const stage = document.createElement("div"), note = document.createElement("p");
  note.className = "posviz-note";
  note.setAttribute("role", "status");
  still.before(stage);
  strip.querySelector(".posviz-fixed").before(note);
  const say = (text) => { note.textContent = text; };
  const show = makeScreen(film, places, stage);
  film.knobs.forEach((knob, index) => {
    const turned = (place) => { places[index] = place; show(); };
    const el = document.createElement("div");
    controls.append(el);
    if (knob.values) makeSlider(knob, places[index], turned, say, el);
    else makeChoice(knob, places[index], turned, el);
  });
  const canvas = stage.querySelector("canvas");
  stage.hidden = true;
  new MutationObserver((_, observer) => {
    observer.disconnect();
    stage.hidden = false;
    still.remove();
    strip.dataset.alive = "true";
  }).observe(canvas, { attributeFilter: ["data-frame"] });
}

async function begin(strip) {
  if (strip.dataset.alive) return;
  strip.dataset.alive = "soon";
  const script = strip.querySelector("script");
  try {
    awaken(strip, await unpacked(script.textContent));
    script.remove();
  } catch (error) {
    strip.dataset.alive = "false";
    strip.querySelector(".posviz-fixed").textContent = `This picture stays still: ${error.message}`;
  }
}

// Each begins a little before it is seen, and the others when there is time: the Tab key would skip
// what is not there yet.
function watch() {
  const strips = [...document.querySelectorAll(".posviz-filmstrip")];
  const observer = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) if (isIntersecting) begin(target);
  }, { rootMargin: "100%" });
  strips.forEach((strip) => observer.observe(strip));
  const idle = window.requestIdleCallback ?? setTimeout;
  const next = () => {
    const strip = strips.find(({ dataset }) => !dataset.alive);
    if (strip) begin(strip).then(() => idle(next));
  };
  window.addEventListener("load", () => idle(next));
}

if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", watch);
else watch();
