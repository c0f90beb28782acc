// The Export panel: what to save, how it looks, its name; Save, and the same as a line of Python.

import { make, makeOpener, unique } from "./elements.js";
/** @import { Channel, ExportShown, Exported, ToExport } from "./protocol.d.ts" */

const makeList = (/** @type {string[]} */ values, texts = values) =>
  make("select", {}, ...values.map((value, i) => make("option", { value }, texts[i])));

/** Draws the button that opens the panel, and the panel. */
function makeExport(/** @type {ExportShown} */ shown, /** @type {Channel<Exported, ToExport>} */ channel) {
  const view = unique();
  const format = makeList([...shown.formats, ...shown.films]), style = makeList(shown.styles);
  const filmed = makeList(Object.keys(shown.movable), Object.values(shown.movable));
  const dark = make("input", { type: "checkbox" }), name = make("input", { type: "text" });
  const code = make("pre", { tabIndex: 0 }), said = make("span", { role: "status" });
  const result = make("p", { role: "status" }), moves = make("label", {}, "what moves", filmed);
  style.value = "slide";

  let proposed = "";
  const propose = () => { // until a reader has typed another
    const isProposed = name.value === proposed;
    proposed = style.value === "notebook" ? shown.name : `${shown.name}_${style.value}`;
    if (isProposed) name.value = proposed;
  };
  const chosen = () => ({
    view, format: format.value, filmed: filmed.value, style: style.value, dark: dark.checked, name: name.value,
  });
  const look = () => {
    moves.hidden = !shown.films.includes(format.value);
    if (!panel.hidden) channel.send(chosen());
  };
  const save = () => {
    result.textContent = "Saving …";
    channel.send({ ...chosen(), save: true });
  };
  const copy = () => { // navigator.clipboard would need https
    getSelection()?.selectAllChildren(code);
    const isCopied = document.execCommand("copy");
    said.textContent = isCopied ? "Copied." : "Selected: copy it with Ctrl-C or ⌘-C.";
  };
  const panel = make("div", { className: "posviz-export", hidden: true },
    make("label", {}, "format", format), moves, make("label", {}, "style", style),
    make("label", {}, "dark background", dark), make("label", {}, "file name", name),
    make("button", { onclick: save }, "Save"), result,
    make("button", { onclick: copy }, "Copy the Python line"), said, code);
  const button = makeOpener("Export", "Save the picture as it stands", panel, look);
  panel.onkeydown = ({ key }) => {
    if (key !== "Escape") return;
    button.click();
    button.focus();
  };
  style.oninput = propose;
  panel.oninput = look; // after it
  propose();

  channel.listen((message) => {
    if (message.view !== view) return;
    if ("line" in message) {
      code.textContent = message.line;
      said.textContent = "";
    } else if ("refused" in message) result.textContent = message.refused;
    else {
      const { file: download, link: href } = message, className = "posviz-link";
      const link = make("a", { href, download, className }, "Download a copy");
      const isOnPage = button.closest(".posviz-live") !== null; // which has no folder of its own
      result.replaceChildren(isOnPage ? `Downloaded ${download}. ` : `${message.saved} `, link);
      if (isOnPage) link.click();
    }
  });
  return { button, panel, look };
}

export { makeExport };
