// A slider, a box for the exact value, and Play.

import { make, unique } from "./elements.js";
import { makeLine } from "./line.js";
/** @import { Limits, MakeControl } from "./protocol.d.ts" */

const PLAYS_FOR = [3000, 6000]; // milliseconds from end to end, the least and the most
const PLACE = 700; // milliseconds that a place lasts where there are few
const STEP_EVERY = 50; // milliseconds: of many places some are left out
const PRESS = 400; // milliseconds

const svg = (/** @type {string} */ d) => `<svg viewBox="0 0 16 16" aria-hidden="true"><path d="${d}"/></svg>`;
const PLAY = svg("M4 2v12l10-6z"), PAUSE = svg("M3 2h4v12H3zM9 2h4v12H9z");
const REPEAT = svg("M8 2V0l4 3.2L8 6.4V4a4.2 4.2 0 1 0 4.2 4.2h2A6.2 6.2 0 1 1 8 2z");

/** Steps through the places, each when the one before has been answered; its buttons, and how to pause.
 * @param {HTMLInputElement} slider @param {string} label
 * @param {ReturnType<typeof makeLine>} line @param {() => void} move */
function makePlayer(slider, label, line, move) {
  let timer = 0, repeats = false, began = 0, from = 0;
  const show = (/** @type {string} */ innerHTML, /** @type {string} */ what) => {
    const title = `${what} ${label}`;
    Object.assign(play, { innerHTML, title, ariaLabel: title });
  };
  const pause = () => { clearInterval(timer); timer = 0; show(PLAY, "Play"); };
  const begin = (/** @type {number} */ place) => {
    [began, from] = [performance.now(), place];
    if (slider.valueAsNumber === place) return;
    slider.valueAsNumber = place;
    move();
  };
  const step = () => {
    if (line.isUnderWay()) return;
    const last = Number(slider.max), [least, most] = PLAYS_FOR;
    const place = from + Math.floor((performance.now() - began) * last / Math.min(most, Math.max(least, PLACE * last)));
    if (place > last && slider.valueAsNumber === last) return repeats ? begin(0) : pause();
    if (Math.min(place, last) === slider.valueAsNumber) return;
    slider.valueAsNumber = Math.min(place, last);
    move();
  };
  const onclick = () => {
    if (timer) return pause();
    begin(slider.value === slider.max ? 0 : slider.valueAsNumber);
    timer = setInterval(step, STEP_EVERY);
    show(PAUSE, "Pause");
  };
  const play = make("button", { onclick });
  const repeat = make("button", {
    innerHTML: REPEAT,
    title: "Play again and again",
    ariaLabel: `Repeat ${label}`,
    ariaPressed: "false",
    onclick: () => {
      repeats = !repeats;
      repeat.ariaPressed = String(repeats);
      if (repeats && !timer) play.click();
    },
  });
  pause();
  return { buttons: [play, repeat], pause };
}

/** Draws a number's control. @type {MakeControl} */
function makeSlider(shown, channel, el) {
  const { label } = shown, id = unique();
  // A telephone's keys for numbers have no minus.
  const inputMode = shown.range.startsWith("from -") ? "text" : "decimal";
  const slider = make("input", { type: "range", id, min: "0", step: "1" });
  const box = make("input", { type: "text", autocomplete: "off", inputMode });
  const refusal = make("div", { className: "posviz-notice", role: "alert" });
  const why = make("span", { className: "posviz-why", role: "note" });
  const line = makeLine(channel, slider), move = () => line.send({ place: slider.valueAsNumber });
  const { buttons, pause } = makePlayer(slider, label, line, move);
  let text = "";
  box.style.width = `calc(${shown.width}ch + 16px)`;
  el.classList.add("posviz-slider");
  el.append(make("label", { textContent: label, htmlFor: id, title: label }));
  el.append(slider, box, ...(shown.play ? buttons : []), why, refusal);

  /** Takes what other knobs leave of this one. @param {Limits} limits */
  function limit({ last_place, range, idle }) {
    slider.max = String(last_place);
    box.title = range;
    box.ariaLabel = `${label}, ${range}`;
    if (idle) pause();
    why.textContent = idle;
    slider.disabled = idle !== "";
    el.classList.toggle("posviz-idle", idle !== "");
  }
  function refuse(/** @type {string} */ message) {
    refusal.textContent = message;
    box.ariaInvalid = String(message !== "");
  }
  function show(/** @type {string} */ value) {
    if (box.value === value) return;
    box.value = value;
    if (document.activeElement === box) box.select(); // what is typed now takes its place
  }
  const typed = () => {
    if (box.value !== text) line.send({ typed: box.value });
    else refuse("");
  };
  const giveUp = () => {
    box.value = text;
    refuse("");
  };

  slider.onpointerdown = pause; // the hand takes over
  slider.oninput = () => { pause(); giveUp(); move(); };
  box.onfocus = () => {
    pause();
    refuse("");
    box.addEventListener("click", () => box.select(), { once: true }); // what is typed takes its place
  };
  box.oninput = () => refuse("");
  box.onblur = () => {
    if (!refusal.textContent) return typed();
    box.value = text;
    setTimeout(() => refuse(""), PRESS); // a button that is pressed now must not move before it is released
  };
  box.onkeydown = ({ key }) => {
    if (key === "Enter") typed();
    if (key === "Escape") giveUp();
  };
  channel.host.on("destroy", pause);
  channel.listen((message) => {
    if (message.stop) pause();
    limit(message);
    const isNew = line.hear(message);
    if (message.refused) {
      refuse(message.refused); // what was typed stays, to be corrected
      if (document.activeElement !== box) box.value = text;
    } else if (isNew) {
      slider.valueAsNumber = message.place;
      const isEdited = document.activeElement === box && box.value !== text;
      text = message.text;
      if (!isEdited || line.answersTyping(message)) {
        show(text);
        refuse("");
      }
    }
    slider.ariaValueText = text;
    line.flush();
  });
  limit(shown);
  line.send({ change: -1 }); // only asks for the handle's place
  return () => {
    pause();
    channel.host.off("destroy", pause);
    line.close();
  };
}

export { makeSlider };
