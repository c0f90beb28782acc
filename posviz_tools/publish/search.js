// A field above a table, which hides the rows that lack one of the typed words.

import { make } from "../../posviz/pictures/elements.js";

for (const place of document.querySelectorAll(".posviz-search")) {
  const around = place.closest(".outputs") ?? document;
  const status = make("span", { role: "status" });
  const field = make("input", {
    type: "search",
    placeholder: "Search this table",
    ariaLabel: "words to search for in the table below",
    oninput: () => {
      const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
      /** @type {NodeListOf<HTMLElement>} */
      const rows = around.querySelectorAll(".posviz-searched tbody tr");
      let count = 0;
      for (const row of rows) {
        const text = row.textContent?.toLowerCase() ?? "";
        const stays = words.every((word) => text.includes(word));
        row.style.display = stays ? "" : "none";
        count += Number(stays);
      }
      status.textContent = words.length ? ` ${count} found` : "";
    },
  });
  place.replaceChildren(field, status);
}
