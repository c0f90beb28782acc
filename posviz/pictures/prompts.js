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

const NAMED = "label, legend, button, option, .posviz-labelled > span";

/** What a word names among an explorer's controls: one of them, one of its options, or a button. */
function named(/** @type {Element} */ root, /** @type {string} */ word) {
  const all = /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll(`.posviz-controls :is(${NAMED})`));
  return [...all].find(({ textContent }) => textContent.trim() === word);
}

/** Sets or presses what a word names, or goes there. */
function follow(/** @type {HTMLElement} */ element) {
  const hidden = element.closest("[hidden]"), list = element.closest("select");
  const box = element.closest("fieldset, label")?.querySelector("input");
  if (hidden) /** @type {HTMLElement?} */ (hidden.parentElement?.querySelector("[aria-expanded=false]"))?.click();
  if (list && element instanceof HTMLOptionElement) {
    list.selectedIndex = element.index;
    list.dispatchEvent(new Event("change"));
  } else if (element.matches("legend")) box?.focus();
  else element.click();
  if (element instanceof HTMLLabelElement) element.control?.focus();
}

/** Lets each word that names a control light it, and a click follow it.
 * @param {Element} root @param {Element[]} texts @param {AbortSignal} signal */
function linkWords(root, texts, signal) {
  for (const word of texts.flatMap((text) => [...text.querySelectorAll("em, code")])) {
    const of = () => named(root, word.textContent.trim());
    if (!of()) continue;
    const light = (/** @type {boolean} */ isLit) => of()?.closest(".posviz-controls div")?.classList.toggle("posviz-lit", isLit);
    word.classList.add("posviz-word");
    word.addEventListener("pointerenter", () => light(true), { signal });
    word.addEventListener("pointerleave", () => light(false), { signal });
    word.addEventListener("click", () => {
      const element = of();
      if (element) follow(element);
    }, { signal });
  }
}

/** Shows an explorer's prompts; returns how to give them back to the text, or null for none. */
function showPrompts(/** @type {Element} */ root) {
  const cell = root.closest(".jp-Cell, [data-cell]")?.nextElementSibling;
  const over = new AbortController(), { signal } = over;
  if (cell?.matches(".prose")) { // of a page, which keeps it under the picture
    linkWords(root, [cell], signal);
    return () => over.abort();
  }
  const text = cell?.querySelector(":scope.jp-MarkdownCell .jp-RenderedMarkdown");
  const [asked, noticed = []] = text ? parts(text) : [];
  if (!asked) return null;
  const copies = asked.map((element) => /** @type {Element} */ (element.cloneNode(true)));
  const aside = make("aside", { className: "posviz-try jp-RenderedHTMLCommon" }, ...copies);
  root.prepend(aside);
  const open = () => { for (const element of noticed) element.classList.remove("posviz-later"); };
  for (const element of asked) element.classList.add("posviz-elsewhere");
  for (const element of noticed) element.classList.add("posviz-later");
  linkWords(root, [...copies, ...noticed], signal);
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
