// @ts-check
// The Export panel: what to save, how it looks, its name; Save, and the same as a line of Python.

import { make, unique } from "./elements.js";

/** @import { Channel, ExportShown, Exported, ToExport } from "./protocol.d.ts" */

const COPIED = "Copied.";
const SELECTED = "Selected: copy it with Ctrl-C or ⌘-C.";

/**
 * @param {string} label
 * @param {HTMLElement} input
 */
function labelled(label, input) {
  const line = make("label");
  line.append(label, input);
  return line;
}

/** @type {(options: [value: string, text: string][]) => HTMLSelectElement} */
function makeList(options) {
  const list = make("select");
  list.append(...options.map(([value, textContent]) => make("option", { value, textContent })));
  return list;
}

/**
 * Draws the button that opens the panel, and the panel.
 * @param {ExportShown} shown
 * @param {Channel<Exported, ToExport>} channel
 */
function makeExport(shown, channel) {
  const same = (/** @type {string[]} */ names) => names.map((name) => /** @type {[string, string]} */ ([name, name]));
  const view = unique();
  const button = make("button", { type: "button", textContent: "Export", title: "Save the picture as it stands" },
    { "aria-expanded": "false" });
  const format = makeList(same([...shown.formats, ...shown.films]));
  const filmed = makeList(Object.entries(shown.movable)), style = makeList(same(shown.styles));
  const dark = make("input", { type: "checkbox" }), name = make("input", { type: "text" });
  const save = make("button", { type: "button", textContent: "Save" });
  const copy = make("button", { type: "button", textContent: "Copy the Python line" });
  const code = make("pre", { tabIndex: 0 }), said = make("span", {}, { role: "status" });
  const result = make("p", {}, { role: "status" });
  const moves = labelled("what moves", filmed);
  const panel = make("div", { className: "posviz-export", hidden: true });
  panel.append(labelled("format", format), moves, labelled("style", style), labelled("dark background", dark),
    labelled("file name", name), save, result, copy, said, code);
  filmed.value = shown.filmed;
  style.value = "slide";
  let proposed = "";
  const propose = () => { // until a reader has typed another
    const isProposed = name.value === proposed;
    proposed = style.value === "notebook" ? shown.name : `${shown.name}_${style.value}`;
    if (isProposed) name.value = proposed;
  };
  propose();

  const chosen = () => ({
    view, format: format.value, filmed: filmed.value, style: style.value, dark: dark.checked, name: name.value,
  });
  const look = () => {
    moves.hidden = !shown.films.includes(format.value);
    if (!panel.hidden) channel.send(chosen());
  };
  style.addEventListener("input", propose);
  for (const input of [format, filmed, style, dark, name]) input.addEventListener("input", look);
  button.addEventListener("click", () => {
    panel.hidden = !panel.hidden;
    button.setAttribute("aria-expanded", String(!panel.hidden));
    look();
  });
  save.addEventListener("click", () => {
    result.textContent = "Saving …";
    channel.send({ ...chosen(), save: true });
  });
  copy.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(code.textContent);
      said.textContent = COPIED;
    } catch { // there is no clipboard on a page without https, or the reader forbade it
      getSelection()?.selectAllChildren(code);
      said.textContent = document.execCommand("copy") ? COPIED : SELECTED;
    }
  });
  channel.listen((message) => {
    if (message.view !== view) return;
    if ("line" in message) {
      code.textContent = message.line;
      said.textContent = "";
    } else if ("refused" in message) result.textContent = message.refused;
    else {
      const link = document.createElement("a");
      const about = { href: message.link, download: message.file, className: "posviz-link" };
      Object.assign(link, about, { textContent: "Download a copy" });
      const isOnPage = button.closest(".posviz-live") !== null; // which has no folder of its own
      result.replaceChildren(isOnPage ? `Downloaded ${message.file}. ` : `${message.saved} `, link);
      if (isOnPage) link.click();
    }
  });
  return { button, panel, look };
}

export { makeExport };
