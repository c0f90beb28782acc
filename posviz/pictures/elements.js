// @ts-check
// What every script makes of HTML.

/**
 * An element with these properties and attributes.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Partial<Record<keyof HTMLElementTagNameMap[Tag], string | number | boolean>>} properties
 * @param {Record<string, string>} attributes
 */
function make(tag, properties = {}, attributes = {}) {
  const element = document.createElement(tag);
  Object.assign(element, properties);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

/** A name that nothing else in the page, and no other view of a widget, has. */
const unique = () => `posviz-${crypto.randomUUID?.() ?? Math.random().toString(36).slice(2)}`;

export { make, unique };
