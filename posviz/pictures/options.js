// @ts-check
// The controls of what is no number: buttons in a row, a list, a switch, a line of text.

import { make, unique } from "./elements.js";
import { Line } from "./line.js";

/** @import { Channel, ControlShown, Standing, ToControl } from "./protocol.d.ts" */
/** @import { Wish } from "./line.js" */
/**
 * What a reader chooses with, and how it is made to show where the knob stands.
 * @typedef {{ root: HTMLElement, inputs: (HTMLInputElement | HTMLSelectElement)[] }} Chooser
 * @typedef {Chooser & { show: (standing: Standing) => void }} Made
 */

/** @type {Record<string, (shown: ControlShown, send: (wish: Wish) => void) => Made>} */
const MAKERS = { buttons: makeButtons, list: makeList, switch: makeSwitch, text: makeText };

/**
 * A group of radio buttons, which the keyboard knows by nature, that look like buttons in a row.
 * @type {(shown: ControlShown, send: (wish: Wish) => void) => Made}
 */
function makeButtons({ label, texts, absent }, send) {
  const root = make("fieldset", { className: "posviz-buttons-row" }), name = unique();
  const inputs = texts.map((text, place) => {
    const radio = make("input", { type: "radio", name });
    radio.addEventListener("change", () => send({ place }));
    const option = make("label", { title: absent[text] ?? "" });
    option.classList.toggle("posviz-absent", text in absent);
    option.append(radio, make("span", { textContent: text }));
    root.append(option);
    return radio;
  });
  root.prepend(make("legend", { textContent: label, title: label }));
  return { root, inputs, show: ({ place }) => { inputs[place].checked = true; } };
}

/**
 * A control of one input after its label.
 * @param {string} label
 * @param {HTMLInputElement | HTMLSelectElement} input
 */
function labelled(label, input) {
  const root = make("label", { className: "posviz-labelled" });
  root.append(make("span", { textContent: label, title: label }), input);
  return { root, inputs: [input] };
}

/** @type {(shown: ControlShown, send: (wish: Wish) => void) => Made} */
function makeList({ label, texts }, send) {
  const list = make("select");
  list.append(...texts.map((textContent) => make("option", { textContent })));
  list.addEventListener("change", () => send({ place: list.selectedIndex }));
  return { ...labelled(label, list), show: ({ place }) => { list.selectedIndex = place; } };
}

/** @type {(shown: ControlShown, send: (wish: Wish) => void) => Made} */
function makeSwitch({ label }, send) {
  const box = make("input", { type: "checkbox" });
  box.addEventListener("change", () => send({ place: Number(box.checked) }));
  return { ...labelled(label, box), show: ({ place }) => { box.checked = place === 1; } };
}

/** @type {(shown: ControlShown, send: (wish: Wish) => void) => Made} */
function makeText({ label }, send) {
  const line = make("input", { type: "text", autocomplete: "off" });
  line.addEventListener("input", () => send({ typed: line.value }));
  const show = (/** @type {Standing} */ { text }) => { if (line.value !== text) line.value = text; };
  return { ...labelled(label, line), show };
}

/**
 * Draws the control of a choice, a switch or a text; returns how to end it.
 * @param {ControlShown} shown
 * @param {Channel<Standing, ToControl>} channel
 * @param {HTMLElement} el
 */
function makeOptions(shown, channel, el) {
  const { root, inputs, show } = MAKERS[shown.kind](shown, (wish) => line.send(wish));
  const line = new Line(channel, root);
  const why = make("span", { className: "posviz-why" }, { role: "note" });
  const refusal = make("div", { className: "posviz-notice" }, { role: "alert" });
  el.classList.add("posviz-option");
  el.append(root, why, refusal);
  channel.listen((standing) => {
    const isNew = line.hear(standing);
    if (isNew) show(standing);
    if (standing.refused || isNew) refusal.textContent = standing.refused ?? "";
    why.textContent = standing.idle;
    for (const input of inputs) input.disabled = standing.idle !== "";
    line.flush();
  });
  line.send({ change: -1 });
  return () => line.close();
}

export { makeOptions };
