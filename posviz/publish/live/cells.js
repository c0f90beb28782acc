// @ts-check
// Lets the cells of a page be written and run: Python in a worker of its own, so that a loop without an end
// stops no picture.

import { make } from "../../pictures/elements.js";
import { run } from "../library.js";
import { kept } from "./kept.js";
import { adopt } from "./live.js";
import { bar, begin, CUT, ENDLESS, Python, STOPPED } from "./python.js";

/** @typedef {{ id: string, source: string, runs: boolean }} Stored */

const PATIENCE = 10; // seconds
const CHECK = /^check_\w+\(/m;
const KEPT = "kept in this browser";
const NOT_RUN = "<p>Not run since you changed it.</p>";

/** @type {Promise<void> | null} */
let editor = null;

/**
 * A cell that its reader may change and run. One that checks the answer above it runs with that, and shows
 * what it says alone.
 */
class Cell {
  #state = make("span", { className: "posviz-state" }, { role: "status" });
  #label;
  #button = make("button", { type: "button" });
  #undo = make("button", { type: "button", textContent: "Undo my changes" });
  /** @type {((text: string) => void) | null} */
  #write = null;
  isRunning = false;

  /**
   * @param {HTMLElement} el
   * @param {Stored} stored
   * @param {string | undefined} check the id of the cell that checks this one's answer
   * @param {(cell: Cell) => void} pressed
   */
  constructor(el, stored, check, pressed) {
    this.el = el;
    this.id = stored.id;
    this.stored = stored.source;
    this.check = check;
    this.source = kept.sources[this.id] ?? this.stored;
    this.pressed = () => pressed(this);
    this.#label = check || CHECK.test(stored.source) ? "Run and check" : "Run";
    this.#button.addEventListener("click", this.pressed);
    this.#undo.addEventListener("click", () => this.reset());
    this.outputs = el.querySelector(".outputs") ?? make("div", { className: "outputs" });
    this.outputs.setAttribute("aria-live", "polite");
    const line = make("div", { className: "posviz-run" });
    line.append(this.#button, this.#undo, this.#state);
    el.querySelector(".source")?.after(line);
    el.append(this.outputs);
    this.say("");
    if (this.isChanged) {
      el.querySelector(".code")?.setAttribute("open", "");
      el.querySelectorAll(".source pre").forEach((pre) => { pre.textContent = this.source; });
      this.#state.textContent = KEPT;
    }
  }

  get isChanged() {
    return this.source !== this.stored;
  }

  /** Leaves of this cell what it shows: another runs it. */
  fold() {
    for (const part of this.el.querySelectorAll(":scope > :is(.source, .posviz-run)")) part.remove();
  }

  /** Puts an editor in the place of the stored source. */
  async open() {
    await (editor ??= run("codemirror/editor.js"));
    const place = make("div", { className: "posviz-editor" });
    const stored = /** @type {HTMLElement} */ (this.el.querySelector(".source"));
    this.#write = /** @type {any} */ (globalThis).posvizEdit(place, {
      text: this.source,
      label: this.check ? "Your answer" : "Code",
      run: this.pressed,
      changed: (/** @type {string} */ text) => this.#changed(text),
    });
    stored.before(place);
    stored.hidden = true;
  }

  /** @param {string} text */
  #changed(text) {
    this.source = text;
    this.#undo.hidden = !this.isChanged;
    if (kept.write(this.id, this.isChanged ? text : undefined) && !this.isRunning) this.#state.textContent = KEPT;
  }

  /** Gives the reader the stored source again. */
  reset() {
    this.#write?.(this.stored);
  }

  /** @param {string} text what it is at; nothing when it is done */
  say(text) {
    this.isRunning = text !== "";
    this.#state.textContent = text;
    this.#button.textContent = this.isRunning ? "Stop" : this.#label;
    this.#undo.hidden = !this.isChanged || this.isRunning;
  }

  /** @param {string} text which may stay beside the button */
  note(text) {
    this.#state.textContent = text;
  }

  /**
   * @param {string} html
   * @param {boolean} failed
   */
  show(html, failed) {
    this.say("");
    this.outputs.innerHTML = html;
    this.outputs.toggleAttribute("data-failed", failed);
    adopt(this.outputs);
  }
}

/** All cells of this page, and the Python that runs them. */
class Cells {
  /** @type {Map<string, Cell>} */
  #cells = new Map();
  /** @type {Promise<Python> | null} */
  #python = null;
  /** @type {Cell[]} */
  #running = []; // first the one that Python is at
  #at = ""; // the id of the cell that Python is at, which the first of these may need
  #began = 0;

  /** @param {Stored[]} stored */
  constructor(stored) {
    this.stored = stored;
    const observer = new IntersectionObserver((entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        observer.unobserve(target);
        this.#cells.get(/** @type {HTMLElement} */ (target).dataset.cell ?? "")?.open();
      }
    }, { rootMargin: "100%" });
    stored.forEach((each, number) => {
      const el = /** @type {HTMLElement | null} */ (document.querySelector(`[data-cell="${each.id}"]`));
      if (!el || !each.runs) return;
      const next = stored[number + 1], isStub = each.source.includes("...") && !CHECK.test(each.source);
      const check = isStub && next?.runs && CHECK.test(next.source) ? next.id : undefined;
      const cell = new Cell(el, each, check, (pressed) => this.#press(pressed));
      this.#cells.set(each.id, cell);
      const answer = this.#cells.get(stored[number - 1]?.id);
      if (answer?.check === each.id) cell.fold();
      else observer.observe(el);
      // What is stored is of what was stored.
      if (cell.isChanged || (answer?.check === each.id && answer.isChanged)) cell.show(NOT_RUN, false);
    });
  }

  /** @param {Cell} cell */
  #press(cell) {
    if (cell.isRunning) this.#python?.then((python) => python.stop());
    else this.#run(cell);
  }

  /** @param {Cell} cell */
  #run(cell) {
    this.#running.push(cell);
    cell.say("waits for Python …");
    this.#python ??= begin().then((index) => this.#start(index));
    this.#python.then((python) => this.#send(python, cell)).catch((error) =>
      this.#giveUp(error instanceof TypeError ? CUT : error.message));
  }

  /** @param {any} index */
  #start(index) {
    /** @type {Python} */
    const python = new Python(index, {
      started: () => this.#running[0]?.say("runs …"),
      told: ({ id, message }) => this.#hear(id, message),
      done: (_, failed) => this.#done(failed),
      died: (_, why, isOver) => this.#died(python, why, isOver),
    }, true);
    return python;
  }

  /**
   * @param {Python} python
   * @param {Cell} cell
   */
  #send(python, cell) {
    if (python.isReady && this.#running[0] === cell) cell.say("runs …");
    const sources = this.stored.map(({ id, source }) => [id, this.#cells.get(id)?.source ?? source]);
    this.#began = performance.now();
    python.send("cells.run", PATIENCE, cell.id, Object.fromEntries(sources));
  }

  /**
   * @param {string} id
   * @param {{ at: string } | { html: string, failed: boolean }} message
   */
  #hear(id, message) {
    if ("at" in message) this.#at = message.at;
    else this.#cells.get(id)?.show(message.html, message.failed);
  }

  /** @param {string} failed */
  #done(failed) {
    const cell = this.#running.shift();
    if (!cell) return;
    if (failed) cell.show("<p>Python could not run this cell.</p>", true);
    this.#running[0]?.say("runs …");
    const check = cell.check && this.#cells.get(cell.check);
    if (check) {
      if (cell.outputs.hasAttribute("data-failed")) check.show("", false);
      else return this.#run(check);
    }
    this.#end(cell, `ran in ${((performance.now() - this.#began) / 1000).toFixed(1)} s`);
  }

  /**
   * Says beside the button that this cell has run, and brings what it shows to the screen.
   * @param {Cell} cell
   * @param {string} text
   */
  #end(cell, text) {
    const [answer] = [...this.#cells.values()].filter(({ check }) => check === cell.id);
    (answer ?? cell).note(text);
    cell.outputs.scrollIntoView({ block: "nearest", behavior: "smooth" });
  }

  /**
   * @param {Python} python
   * @param {string} why
   * @param {boolean} isOver
   */
  #died(python, why, isOver) {
    if (isOver) return this.#giveUp(why);
    const cell = this.#running.shift(), at = this.#cells.get(this.#at);
    const first = make("code", { textContent: at?.source.trim().split("\n")[0] ?? "" }).outerHTML;
    const which = at && at !== cell && at.check !== cell?.id ? `The cell above that begins ${first}` : "This cell";
    const said = why === STOPPED
      ? `${which} was stopped.`
      : why === ENDLESS
      ? `${which} ran for ${PATIENCE} seconds, perhaps in a loop without an end, and was stopped.`
      : `${which} ended Python, as too much memory or a call without an end does.`;
    if (cell) {
      if (cell.check) this.#cells.get(cell.check)?.show("", false);
      cell.show(`<div class="posviz-stopped"><p>${said} Your code is still here.</p></div>`, true);
      this.#end(cell, "");
    }
    python.start();
    for (const waiting of this.#running) this.#send(python, waiting);
  }

  /** @param {string} why */
  #giveUp(why) {
    bar.say("");
    this.#python = null;
    const text = `This cell did not run: ${why}. Run it again.`;
    for (const cell of this.#running.splice(0)) {
      cell.show("", true);
      cell.outputs.append(make("p", { textContent: text }));
    }
  }
}

export { Cells };
