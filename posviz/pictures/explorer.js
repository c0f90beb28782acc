// @ts-check
// An explorer: controls, buttons, and the screen. README.md says what goes between it and Python.

import { make } from "./elements.js";
import { makeExport } from "./export_panel.js";
import { makeOptions } from "./options.js";
import { makeScreen } from "./screen.js";
import { makeSlider } from "./slider.js";

/** @import { Bytes, Channel, FromExplorer, ToExplorer, ExplorerShown, Widget } from "./protocol.d.ts" */

/**
 * What one part of an explorer says and hears.
 * @param {Widget<{ shown: ExplorerShown }, FromExplorer, ToExplorer>["model"]} model
 * @param {Map<string, (message: any, buffers: Bytes[]) => void>} listeners
 * @param {{ part: string } | { knob: string }} address
 * @returns {Channel<any, any>}
 */
function channel(model, listeners, address) {
  return {
    host: model,
    send: (message) => model.send({ ...address, ...message }),
    listen: (listener) => listeners.set(key(address), listener),
  };
}

/** @param {{ part?: string, knob?: string }} address */
const key = ({ part, knob }) => (knob === undefined ? `part ${part}` : `knob ${knob}`);

/**
 * @param {string} textContent
 * @param {string} title
 */
const makeButton = (textContent, title) => make("button", { type: "button", textContent, title });

/** @param {Widget<{ shown: ExplorerShown }, FromExplorer, ToExplorer>} widget */
function render({ model, el }) {
  const shown = model.get("shown");
  /** @type {Map<string, (message: any, buffers: Bytes[]) => void>} */
  const listeners = new Map();
  const to = (/** @type {{ part: string } | { knob: string }} */ address) => channel(model, listeners, address);
  if (!el.closest(".posviz-explorer")) el.classList.add("posviz-explorer");

  const controls = make("div", { className: "posviz-controls" });
  const later = make("div", { className: "posviz-later-controls", hidden: true });
  const ends = shown.controls.map((control) => {
    const box = make("div");
    (control.first ? controls : later).append(box);
    const draw = control.kind === "slider" ? makeSlider : makeOptions;
    return draw(control, to({ knob: control.name }), box);
  });
  const more = makeButton("More", "The other controls");
  more.setAttribute("aria-expanded", "false");
  more.addEventListener("click", () => {
    later.hidden = !later.hidden;
    more.setAttribute("aria-expanded", String(!later.hidden));
  });
  const reset = makeButton("Reset", "Every knob back to where it began");
  reset.addEventListener("click", () => {
    reset.dataset.unanswered = "true"; // tests wait for the answer
    to({ part: "reset" }).send({});
  });
  listeners.set("part reset", () => { reset.dataset.unanswered = "false"; });
  const exporting = makeExport(shown.export, to({ part: "export" }));
  const buttons = make("div", { className: "posviz-buttons" });
  buttons.append(...(later.childElementCount ? [more] : []), reset, exporting.button);
  controls.append(later, buttons);
  const error = make("div", { className: "posviz-notice" }, { role: "alert" });
  const over = make("div", { className: "posviz-error" });
  over.append(error);
  listeners.set("part error", (message) => { error.textContent = String(message.error); });
  const place = make("div");
  el.append(controls, exporting.panel, over, place);

  /** @type {(message: FromExplorer, buffers?: Bytes[]) => void} */
  const receive = (message, buffers = []) => {
    listeners.get(key(message))?.(message, buffers);
    if ("knob" in message) exporting.look(); // an open panel's line follows the knobs
  };
  model.on("msg:custom", receive);
  ends.push(makeScreen(shown, to({ part: "screen" }), place));
  return () => {
    model.off("msg:custom", receive);
    for (const end of ends) end();
  };
}

export default { render };
