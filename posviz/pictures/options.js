// The controls of what is no number: buttons in a row, a list, a switch, a line of text.

import { make, unique } from "./elements.js";
import { makeLine } from "./line.js";
/** @import { MakeControl, MakeInput, Standing } from "./protocol.d.ts" */

/** @type {Record<string, MakeInput>} */
const MAKERS = { buttons: makeButtons, list: makeList, switch: makeSwitch, text: makeText };

/** Radio buttons, which the keyboard knows, that look like buttons in a row. @type {MakeInput} */
function makeButtons({ label, texts, absent }, send) {
  const name = unique();
  const inputs = texts.map((_, place) =>
    make("input", { type: "radio", name, onchange: () => send({ place }) }));
  const options = texts.map((text, place) => {
    const about = { title: absent[text] ?? "", className: text in absent ? "posviz-absent" : "" };
    return make("label", about, inputs[place], make("span", {}, text));
  });
  const legend = make("legend", { textContent: label, title: label });
  const root = make("fieldset", { className: "posviz-buttons-row" }, legend, ...options);
  return { root, inputs, show: ({ place }) => { inputs[place].checked = true; } };
}

/** A control of one input after its label.
 * @param {string} label @param {HTMLInputElement | HTMLSelectElement} input
 * @param {(standing: Standing) => void} show */
function labelled(label, input, show) {
  const name = make("span", { textContent: label, title: label });
  return { root: make("label", { className: "posviz-labelled" }, name, input), inputs: [input], show };
}

/** @type {MakeInput} */
function makeList({ label, texts }, send) {
  const options = texts.map((text) => make("option", {}, text));
  const list = make("select", { onchange: () => send({ place: list.selectedIndex }) }, ...options);
  return labelled(label, list, ({ place }) => { list.selectedIndex = place; });
}

/** @type {MakeInput} */
function makeSwitch({ label }, send) {
  const onchange = () => send({ place: Number(box.checked) });
  const box = make("input", { type: "checkbox", onchange });
  return labelled(label, box, ({ place }) => { box.checked = place === 1; });
}

/** @type {MakeInput} */
function makeText({ label }, send) {
  const oninput = () => send({ typed: line.value });
  const line = make("input", { type: "text", autocomplete: "off", oninput });
  return labelled(label, line, ({ text }) => { if (line.value !== text) line.value = text; });
}

/** Draws the control of a choice, a switch or a text. @type {MakeControl} */
function makeOptions(shown, channel, el) {
  const { root, inputs, show } = MAKERS[shown.kind](shown, (wish) => line.send(wish));
  const line = makeLine(channel, root);
  const why = make("span", { className: "posviz-why", role: "note" });
  const refusal = make("div", { className: "posviz-notice", role: "alert" });
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
  return line.close;
}

export { makeOptions };
