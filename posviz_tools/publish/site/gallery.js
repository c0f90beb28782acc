// The gallery: a picture lives when a reader asks for it.

import { make } from "../../../posviz/pictures/elements.js";
import { adopt, willLive } from "../live/live.js";

for (const card of willLive ? document.querySelectorAll(".gallery > li") : []) {
  const place = /** @type {HTMLElement} */ (card.querySelector(".posviz-explorer"));
  const onclick = () => {
    button.remove();
    card.classList.add("moves");
    place.classList.add("posviz-live");
    adopt(card);
    place.tabIndex = -1;
    place.focus();
  };
  const button = make("button", { className: "move", onclick }, "Move it");
  place.after(button);
}
