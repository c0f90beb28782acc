// @ts-check
// A field above a table: of its rows those stay that have every word that is typed.

import { make } from "./elements.js";

/**
 * Puts a field into a place; `tables` says which tables it searches.
 * @param {Element} place
 * @param {() => Iterable<Element>} tables
 */
function follow(place, tables) {
  const field = make("input", { type: "search", placeholder: "Search this table" });
  field.setAttribute("aria-label", "words to search for in the table below");
  const said = make("span", {}, { role: "status" });
  field.addEventListener("input", () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    let found = 0;
    for (const table of tables()) {
      for (const row of /** @type {NodeListOf<HTMLElement>} */ (table.querySelectorAll("tbody tr"))) {
        const text = row.textContent?.toLowerCase() ?? "";
        const stays = words.every((word) => text.includes(word));
        row.style.display = stays ? "" : "none";
        found += Number(stays);
      }
    }
    said.textContent = words.length ? ` ${found} found` : "";
  });
  place.replaceChildren(field, said);
}

export default { follow };
