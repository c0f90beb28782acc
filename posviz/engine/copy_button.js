// A button that puts a text on the clipboard, and the text beneath it for whoever copies by hand.

function render({ model, el }) {
  const button = document.createElement("button");
  const code = document.createElement("pre");
  const said = document.createElement("span");
  button.type = "button";
  button.textContent = model.get("label");
  said.setAttribute("role", "status");
  code.tabIndex = 0; // it may be wider than the page, and then it scrolls
  el.classList.add("posviz-copy");
  el.append(button, said, code);

  const show = () => {
    code.textContent = model.get("text");
    said.textContent = "";
  };
  const select = () => getSelection().selectAllChildren(code);
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(code.textContent);
      said.textContent = "Copied.";
    } catch { // there is no clipboard on a page without https, or the reader forbade it
      select();
      said.textContent = document.execCommand("copy") ? "Copied." : "Selected: copy it with Ctrl-C or ⌘-C.";
    }
  });
  model.on("change:text", show);
  show();
  return () => model.off("change:text", show);
}

export default { render };
