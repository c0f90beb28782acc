// What every script makes of HTML.

/** An element with these properties and children.
 * @template {keyof HTMLElementTagNameMap} Tag @param {Tag} tag @param {(string | Node)[]} children
 * @param {Partial<HTMLElementTagNameMap[Tag]>} properties @returns {HTMLElementTagNameMap[Tag]} */
function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

/** A button that opens and folds `folded`, which begins hidden, and then calls `changed`.
 * @param {string} textContent @param {string} title @param {HTMLElement} folded */
function makeOpener(textContent, title, folded, changed = () => {}) {
  const onclick = () => {
    folded.hidden = !folded.hidden;
    button.ariaExpanded = String(!folded.hidden);
    changed();
  };
  const button = make("button", { textContent, title, ariaExpanded: "false", onclick });
  return button;
}

/** A name that nothing else in the page, and no other view of a widget, has. */
const unique = () => `posviz-${Math.random().toString(36).slice(2)}`;

export { make, makeOpener, unique };
