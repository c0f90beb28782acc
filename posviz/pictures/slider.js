// @ts-check
// A slider, a box for the exact value, and Play.

import { make, unique } from "./elements.js";
import { Line } from "./line.js";

/** @import { Channel, ControlShown, Standing, ToControl } from "./protocol.d.ts" */

const PLAYS_FOR = 6000; // milliseconds from end to end, so that few places can be told apart
const PRESS = 400; // milliseconds
const STEP_EVERY = [50, 700]; // milliseconds, the least and the most while it plays

/** @param {string} path */
const drawn = (path) => `<svg viewBox="0 0 16 16" aria-hidden="true"><path d="${path}"/></svg>`;
const PLAY = drawn("M4 2v12l10-6z"), PAUSE = drawn("M3 2h4v12H3zM9 2h4v12H9z");
const REPEAT = drawn("M8 2V0l4 3.2L8 6.4V4a4.2 4.2 0 1 0 4.2 4.2h2A6.2 6.2 0 1 1 8 2z");

/**
 * @param {ControlShown} shown
 * @param {HTMLElement} el
 */
function makeElements({ label, width, range, play: plays }, el) {
  const id = unique();
  const name = make("label", { textContent: label, htmlFor: id, title: label });
  const slider = make("input", { type: "range", id, min: 0, step: 1 });
  // A telephone's keys for numbers have no minus.
  const inputMode = range.startsWith("from -") ? "text" : "decimal";
  const box = make("input", { type: "text", autocomplete: "off", inputMode });
  box.style.width = `calc(${width}ch + 16px)`;
  const play = make("button", { type: "button" });
  const again = make("button", { type: "button", innerHTML: REPEAT, title: "Play again and again" },
    { "aria-label": `Repeat ${label}`, "aria-pressed": "false" });
  const refusal = make("div", { className: "posviz-notice" }, { role: "alert" });
  const why = make("span", { className: "posviz-why" }, { role: "note" });
  el.classList.add("posviz-slider");
  el.append(name, slider, box, ...(plays ? [play, again] : []), why, refusal);
  return { slider, box, play, again, why, refusal };
}

/**
 * Steps through the places, each when the one before has been answered; returns how to pause.
 * @param {ReturnType<typeof makeElements>} elements
 * @param {string} label
 * @param {Line} line
 * @param {() => void} move
 */
function makePlayer(elements, label, line, move) {
  const { slider, play, again } = elements;
  let timer = 0;
  /** @type {(icon: string, what: string) => void} */
  const show = (icon, what) => {
    play.innerHTML = icon;
    play.title = `${what} ${label}`;
    play.setAttribute("aria-label", play.title);
  };
  const pause = () => { clearInterval(timer); timer = 0; show(PLAY, "Play"); };
  const step = () => {
    if (line.isUnderWay()) return;
    const atEnd = slider.value === slider.max;
    if (atEnd && again.getAttribute("aria-pressed") !== "true") return pause();
    slider.valueAsNumber = atEnd ? 0 : slider.valueAsNumber + 1;
    move();
  };
  play.addEventListener("click", () => {
    if (timer) return pause();
    if (slider.value === slider.max) {
      slider.valueAsNumber = 0;
      move();
    }
    const [least, most] = STEP_EVERY;
    timer = setInterval(step, Math.min(most, Math.max(least, PLAYS_FOR / Number(slider.max))));
    show(PAUSE, "Pause");
  });
  again.addEventListener("click", () => {
    const isOn = again.getAttribute("aria-pressed") !== "true";
    again.setAttribute("aria-pressed", String(isOn));
    if (isOn && !timer) play.click();
  });
  pause();
  return pause;
}

/**
 * Draws a number's control; returns how to end it.
 * @param {ControlShown} shown
 * @param {Channel<Standing, ToControl>} channel
 * @param {HTMLElement} el
 */
function makeSlider(shown, channel, el) {
  const elements = makeElements(shown, el), { slider, box, refusal } = elements;
  const line = new Line(channel, slider), { label } = shown;
  const move = () => line.send({ place: slider.valueAsNumber });
  const pause = makePlayer(elements, label, line, move);
  let text = "";

  /**
   * Takes what other knobs leave of this one.
   * @param {Pick<Standing, "last_place" | "range" | "idle">} standing
   */
  function limit({ last_place, range, idle }) {
    slider.max = String(last_place);
    box.title = range;
    box.setAttribute("aria-label", `${label}, ${range}`);
    if (idle) pause();
    elements.why.textContent = idle;
    slider.disabled = idle !== "";
    el.classList.toggle("posviz-idle", idle !== "");
  }

  /** @param {string} message */
  function refuse(message) {
    refusal.textContent = message;
    box.setAttribute("aria-invalid", String(message !== ""));
  }
  /** @param {string} value */
  function show(value) {
    if (box.value === value) return;
    box.value = value;
    if (document.activeElement === box) box.select(); // what is typed now takes its place
  }
  /** @param {Standing} message */
  function receive(message) {
    if (message.stop) pause();
    limit(message);
    const isNew = line.hear(message);
    if (message.refused) {
      refuse(message.refused); // what was typed stays, to be corrected
      if (document.activeElement !== box) box.value = text;
    } else if (isNew) {
      slider.valueAsNumber = message.place;
      const editing = document.activeElement === box && box.value !== text;
      text = message.text;
      if (!editing || line.answersTyping(message)) {
        show(text);
        refuse("");
      }
    }
    slider.setAttribute("aria-valuetext", text);
    line.flush();
  }
  const typed = () => {
    if (box.value !== text) line.send({ typed: box.value });
    else refuse("");
  };
  const giveUp = () => { box.value = text; refuse(""); };

  slider.addEventListener("pointerdown", pause); // the hand takes over
  slider.addEventListener("input", () => { pause(); giveUp(); move(); });
  box.addEventListener("focus", () => {
    pause();
    refuse("");
    box.addEventListener("click", () => box.select(), { once: true }); // what is typed takes its place
  });
  box.addEventListener("input", () => refuse(""));
  box.addEventListener("blur", () => {
    if (!refusal.textContent) return typed();
    box.value = text;
    setTimeout(() => refuse(""), PRESS); // a button that is pressed now must not move before it is released
  });
  box.addEventListener("keydown", ({ key }) => {
    if (key === "Enter") typed();
    if (key === "Escape") giveUp();
  });
  limit(shown);
  channel.host.on("destroy", pause);
  channel.listen(receive);
  line.send({ change: -1 }); // only asks where the handle stands
  return () => {
    pause();
    channel.host.off("destroy", pause);
    line.close();
  };
}

export { makeSlider };
