// What a lesson asks of a picture, where the picture is. In a notebook a text cell right after an
// explorer may begin with a bold word (Try): that part is shown over the controls instead. The next
// part that begins so (Notice) opens when the reader has moved something.

import { make } from "./elements.js";

/** The parts of a text that begin with a bold word: a paragraph, and the lists that follow it. */
function parts(/** @type {Element} */ text) {
  const prompts = /** @type {Element[][]} */ ([]);
  let isOpen = false;
  for (const element of text.children) {
    const isFirst = element.matches("p") && element.firstChild?.nodeName === "STRONG";
    isOpen = isFirst || (isOpen && element.matches("ul, ol"));
    if (isFirst) prompts.push([]);
    if (isOpen) prompts.at(-1)?.push(element);
  }
  return text.firstElementChild === prompts[0]?.[0] ? prompts : [];
}

/** Shows an explorer's prompts; returns how to give them back to the text, or null for none. */
function showPrompts(/** @type {Element} */ root) {
  const cell = root.closest(".jp-Cell")?.nextElementSibling;
  const text = cell?.querySelector(":scope.jp-MarkdownCell .jp-RenderedMarkdown");
  const [asked, noticed = []] = text ? parts(text) : [];
  if (!asked) return null;
  const over = new AbortController(), { signal } = over;
  const copies = asked.map((element) => element.cloneNode(true));
  const aside = make("aside", { className: "posviz-try jp-RenderedHTMLCommon" }, ...copies);
  root.prepend(aside);
  const open = () => { for (const element of noticed) element.classList.remove("posviz-later"); };
  for (const element of asked) element.classList.add("posviz-elsewhere");
  for (const element of noticed) element.classList.add("posviz-later");
  const controls = root.querySelector(".posviz-controls");
  for (const event of ["input", "click"]) controls?.addEventListener(event, open, { signal });
  noticed[0]?.addEventListener("click", open, { signal });
  return () => {
    over.abort();
    open();
    for (const element of asked) element.classList.remove("posviz-elsewhere");
    aside.remove();
  };
}

/** Scrolls an explorer that the reader has just run to where all of it is seen: JupyterLab goes on to
 * the next cell, and leaves the prompt and the first controls above the edge. */
function comeIntoView(/** @type {Element} */ root) {
  const cell = root.closest(".jp-Cell");
  const isRun = [cell, cell?.nextElementSibling].some((element) => element?.matches(".jp-mod-active"));
  if (isRun) root.scrollIntoView({ block: "nearest" });
}

export { comeIntoView, showPrompts };
