// @ts-check
// A slider, a box for the exact value, and Play. One message is on its way at a time; the answer
// sends the newest value, and what lies between is never sent.

import { make, unique } from "./elements.js";
import { watchKernel } from "./host.js";

/** @import { Model, SliderTraits, Standing, ToSlider, Widget } from "./protocol.d.ts" */
/** @typedef {Partial<Pick<ToSlider, "place" | "typed" | "change">>} Wish */

const LOST_AFTER = 5000; // milliseconds without an answer: the kernel is busy, or the message is lost
const LATE_AFTER = 150; // milliseconds, after which the handle shows that an answer is due
const PLAYS_FOR = 6000; // milliseconds from end to end, so that few places can be told apart
const STEP_EVERY = [50, 700]; // milliseconds, the least and the most while it plays
const LIMITS = ["change:last_place", "change:range", "change:idle"];

/** @param {string} path */
const drawn = (path) => `<svg viewBox="0 0 16 16" aria-hidden="true"><path d="${path}"/></svg>`;
const PLAY = drawn("M4 2v12l10-6z"), PAUSE = drawn("M3 2h4v12H3zM9 2h4v12H9z");
const REPEAT = drawn("M8 2V0l4 3.2L8 6.4V4a4.2 4.2 0 1 0 4.2 4.2h2A6.2 6.2 0 1 1 8 2z");

/** @param {Widget<SliderTraits, Standing, ToSlider>} widget */
function makeElements({ model, el }) {
  const label = model.get("label"), id = unique();
  const name = make("label", { textContent: label, htmlFor: id, title: label });
  const slider = make("input", { type: "range", id, min: 0, step: 1 });
  const box = make("input", { type: "text", autocomplete: "off" });
  box.style.width = `calc(${model.get("width")}ch + 16px)`;
  const play = make("button", { type: "button" });
  const again = make("button", { type: "button", innerHTML: REPEAT, title: "Play again and again" },
    { "aria-label": `Repeat ${label}`, "aria-pressed": "false" });
  const refusal = make("div", { className: "posviz-notice" }, { role: "alert" });
  const why = make("span", { className: "posviz-why" }, { role: "note" });
  el.classList.add("posviz-slider");
  el.append(name, slider, box, ...(model.get("play") ? [play, again] : []), why, refusal);
  return { slider, box, play, again, why, refusal };
}

/** The way to the kernel: the newest thing to say goes when what went before is answered. */
class Line {
  #view = unique();
  #change = 0; // as the kernel last told it
  #number = 0; // of the newest message
  #typed = 0; // the number of the newest that was typed
  #sent = 0; // when the message went that waits for an answer
  #watch = 0; // a timer
  #late = 0; // another
  /** @type {Wish | null} */
  #waits = null;
  /** @type {Wish} */
  #last = {}; // what was sent last

  /**
   * @param {Model<SliderTraits, Standing, ToSlider>} model
   * @param {HTMLElement} slider
   */
  constructor(model, slider) {
    this.model = model;
    this.slider = slider;
    this.host = watchKernel(model, () => {}, () => this.resend());
  }

  /** What a cut swallowed, or what waits since, goes now. */
  resend() {
    const what = this.#waits ?? (this.#sent ? this.#last : null);
    this.#sent = 0;
    if (what) this.send(what);
  }

  isUnderWay() {
    return this.#sent > 0 && performance.now() - this.#sent < LOST_AFTER;
  }

  /** @param {Wish} what */
  send(what) {
    this.#waits = what;
    this.flush();
  }

  flush() {
    if (this.#waits && !this.isUnderWay() && !this.host.isCut()) this.#go(this.#waits);
    // Tests wait for it: the picture is out of date while an answer is due.
    this.slider.dataset.unanswered = String(this.isUnderWay() || this.#waits !== null);
  }

  /** @param {Wish} what */
  #go(what) {
    this.#sent = performance.now();
    this.#number += 1;
    if ("typed" in what) this.#typed = this.#number;
    try {
      this.model.send({ view: this.#view, number: this.#number, change: this.#change, ...what });
    } catch {
      // The line is cut: the screen says so.
    }
    this.#waits = null;
    this.#last = what;
    clearTimeout(this.#late);
    this.#late = setTimeout(() => { this.slider.dataset.late = ""; }, LATE_AFTER);
    clearTimeout(this.#watch);
    this.#watch = setTimeout(() => this.flush(), LOST_AFTER + 1);
  }

  /**
   * Whether a message says something new: it is no answer, or the answer to the newest question.
   * @param {Standing} message
   */
  hear(message) {
    if (message.change !== this.#change) this.#waits = null; // the knob was changed meanwhile
    this.#change = message.change;
    const own = message.view === this.#view;
    if (own && message.number === this.#number) {
      this.#sent = 0;
      clearTimeout(this.#late);
      delete this.slider.dataset.late;
    }
    return !this.#waits && (!own || message.number === this.#number);
  }

  /** @param {Standing} message */
  answersTyping(message) {
    return message.view === this.#view && message.number === this.#typed;
  }

  close() {
    clearTimeout(this.#late);
    clearTimeout(this.#watch);
    this.host.end();
  }
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
    again.setAttribute("aria-pressed", String(again.getAttribute("aria-pressed") !== "true"));
  });
  pause();
  return pause;
}

/** @param {Widget<SliderTraits, Standing, ToSlider>} widget */
function render({ model, el }) {
  const elements = makeElements({ model, el }), { slider, box, refusal } = elements;
  const line = new Line(model, slider);
  const move = () => line.send({ place: slider.valueAsNumber });
  const label = model.get("label"), pause = makePlayer(elements, label, line, move);
  let text = "";

  /** Takes what other knobs leave of this one. */
  function limit() {
    const range = model.get("range"), idle = model.get("idle");
    slider.max = String(model.get("last_place"));
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
    const isNew = line.hear(message);
    if (message.refused) refuse(message.refused); // what was typed stays, to be corrected
    else if (isNew) {
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
  slider.addEventListener("input", () => { pause(); move(); });
  box.addEventListener("focus", () => {
    pause();
    box.addEventListener("click", () => box.select(), { once: true }); // what is typed takes its place
  });
  box.addEventListener("blur", () => (refusal.textContent ? giveUp() : typed()));
  box.addEventListener("keydown", ({ key }) => {
    if (key === "Enter") typed();
    if (key === "Escape") giveUp();
  });
  model.on("msg:custom", receive);
  for (const trait of LIMITS) model.on(trait, limit);
  model.on("destroy", pause);
  limit();
  line.send({ change: -1 }); // only asks where the handle stands
  return () => {
    pause();
    line.close();
    model.off("msg:custom", receive);
    for (const trait of LIMITS) model.off(trait, limit);
    model.off("destroy", pause);
  };
}

export default { render };
