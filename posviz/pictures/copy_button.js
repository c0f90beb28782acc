// @ts-check
// A button that puts a text on the clipboard, and the text beneath it, to copy by hand.

import { make } from "./elements.js";

/** @import { Widget } from "./protocol.d.ts" */

const COPIED = "Copied.";
const SELECTED = "Selected: copy it with Ctrl-C or ⌘-C.";

/** @param {Widget<{ label: string, text: string }, never, never>} widget */
function render({ model, el }) {
  const button = make("button", { type: "button", textContent: model.get("label") });
  const code = make("pre", { tabIndex: 0 }); // it may be wider than the page, and then it scrolls
  const said = make("span", {}, { role: "status" });
  el.classList.add("posviz-copy");
  el.append(button, said, code);

  const show = () => {
    code.textContent = model.get("text");
    said.textContent = "";
  };
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(model.get("text"));
      said.textContent = COPIED;
    } catch { // there is no clipboard on a page without https, or the reader forbade it
      getSelection()?.selectAllChildren(code);
      said.textContent = document.execCommand("copy") ? COPIED : SELECTED;
    }
  });
  model.on("change:text", show);
  show();
  return () => model.off("change:text", show);
}

export default { render };
