// An explorer: controls, buttons, and the screen. README.md lists the messages between it and Python.

import { make, makeOpener } from "./elements.js";
import { makeExport } from "./export_panel.js";
import { makeOptions } from "./options.js";
import { makeScreen } from "./screen.js";
import { makeSlider } from "./slider.js";
/** @import { Address, Bytes, Channel, ExplorerShown, Widget } from "./protocol.d.ts" */

const key = (/** @type {Address} */ { part, knob }) => `${part} ${knob}`;

/** @param {Widget<{ shown: ExplorerShown }, any, any>} widget */
function render({ model, el }) {
  const shown = model.get("shown"), listeners = new Map();
  const channel = (/** @type {Address} */ address) => /** @type {Channel<any, any>} */ ({
    host: model,
    send: (message) => {
      try {
        model.send({ ...address, ...message });
      } catch { /* the connection is cut: the missing answer shows it */ }
    },
    listen: (listener) => listeners.set(key(address), listener),
  });
  if (!el.closest(".posviz-explorer")) el.classList.add("posviz-explorer");
  // JupyterLab's shortcuts would take a dropdown's arrows, and x on a slider would cut the cell.
  el.addEventListener("focusin", ({ target }) => {
    /** @type {Element} */ (target).setAttribute("data-lm-suppress-shortcuts", "");
  });

  const controls = make("div", { className: "posviz-controls" });
  const later = make("div", { className: "posviz-later-controls", hidden: true });
  const ends = shown.controls.map((control) => {
    const box = make("div"), draw = control.kind === "slider" ? makeSlider : makeOptions;
    (control.first ? controls : later).append(box);
    return draw(control, channel({ knob: control.name }), box);
  });
  const more = later.childElementCount ? [makeOpener("More", "The other controls", later)] : [];
  const reset = make("button", {
    textContent: "Reset",
    title: "Every knob back to where it began",
    onclick: () => {
      reset.dataset.unanswered = "true"; // tests wait for the answer
      channel({ part: "reset" }).send({});
    },
  });
  channel({ part: "reset" }).listen(() => { reset.dataset.unanswered = "false"; });
  const exporting = makeExport(shown.export, channel({ part: "export" }));
  // The buttons stay where they are when More opens what lies after them.
  controls.append(make("div", { className: "posviz-buttons" }, ...more, reset, exporting.button), later);
  const error = make("div", { className: "posviz-notice", role: "alert" });
  channel({ part: "error" }).listen((message) => { error.textContent = message.error; });
  const place = make("div");
  el.append(controls, exporting.panel, make("div", { className: "posviz-error" }, error), place);

  const receive = (/** @type {Address} */ message, /** @type {Bytes[]} */ buffers = []) => {
    listeners.get(key(message))?.(message, buffers);
    if ("knob" in message) exporting.look(); // an open panel's line follows the knobs
  };
  model.on("msg:custom", receive);
  ends.push(makeScreen(shown, channel({ part: "screen" }), place));
  return () => {
    model.off("msg:custom", receive);
    for (const end of ends) end();
  };
}

export default { render };
