// @ts-check
// Lets the cells of a page be written and run: Python in a worker of its own, so that a loop without an end
// stops no picture.

import { make } from "../../pictures/elements.js";
import { run } from "../library.js";
import { kept } from "./kept.js";
import { adopt } from "./live.js";
import { bar, begin, CUT, Python } from "./python.js";

/** @typedef {{ id: string, source: string, runs: boolean }} Stored */

const PATIENCE = 10; // seconds
const ENDLESS = "it did not answer"; // as python.js has it
const CHECK = /^check_\w+\(/m;

/**
 * A cell that its reader may change and run. One that checks the answer above it runs with that, and shows
 * what it says alone.
 */
class Cell {
  #status = make("span", { className: "posviz-state" }, { role: "status" });
  #button;
  /** @type {((text: string) => void) | null} */
  #write = null;

  /**
   * @param {HTMLElement} el
   * @param {Stored} stored
   * @param {string | undefined} check the id of the cell that checks this one's answer
   * @param {(cell: Cell) => void} asked
   */
  constructor(el, stored, check, asked) {
    this.el = el;
    this.id = stored.id;
    this.stored = stored.source;
    this.check = check;
    const isChecked = check || CHECK.test(stored.source);
    this.source = kept.sources[this.id] ?? this.stored;
    this.outputs = el.querySelector(".outputs") ?? make("div", { className: "outputs" });
    this.run = () => asked(this);
    this.#button = make("button", { type: "button", textContent: isChecked ? "Run and check" : "Run" });
    this.#button.addEventListener("click", this.run);
    this.outputs.setAttribute("aria-live", "polite");
    const line = make("div", { className: "posviz-run" });
    line.append(this.#button, this.#status);
    el.querySelector(".source")?.after(line);
    line.after(this.outputs);
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
      run: this.run,
      changed: (/** @type {string} */ text) => this.#changed(text),
    });
    stored.before(place);
    stored.hidden = true;
  }

  /** @param {string} text */
  #changed(text) {
    this.source = text;
    kept.write(this.id, text === this.stored ? undefined : text);
  }

  /** Gives the reader the stored source again. */
  reset() {
    this.source = this.stored;
    this.#write?.(this.stored);
  }

  /** @param {string} text */
  say(text) {
    this.#status.textContent = text;
    this.#button.disabled = text !== "";
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

/** @type {Promise<void> | null} */
let editor = null;

/** All cells of this page, and the Python that runs them. */
class Cells {
  /** @type {Map<string, Cell>} */
  #cells = new Map();
  /** @type {Promise<Python> | null} */
  #python = null;
  /** @type {Cell[]} */
  #running = []; // first the one that Python is at

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
      const cell = new Cell(el, each, check, (cell) => this.#run(cell));
      this.#cells.set(each.id, cell);
      if (this.#cells.get(stored[number - 1]?.id)?.check === each.id) cell.fold();
      else observer.observe(el);
    });
  }

  /** Gives the reader every cell as it was stored. */
  reset() {
    for (const cell of this.#cells.values()) cell.reset();
  }

  /** @param {Cell} cell */
  #run(cell) {
    if (this.#running.includes(cell)) return;
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
      told: ({ id, message }) => this.#cells.get(id)?.show(message.html, message.failed),
      done: ({ id }, failed) => this.#done(python, id, failed),
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
    python.send("cells.run", PATIENCE, cell.id, Object.fromEntries(sources));
  }

  /**
   * @param {Python} python
   * @param {string} id
   * @param {string} failed
   */
  #done(python, id, failed) {
    const cell = this.#running.shift();
    if (failed) cell?.show("<p>Python could not run this cell.</p>", true);
    this.#running[0]?.say("runs …");
    const check = cell?.check && this.#cells.get(cell.check);
    if (!check) return;
    if (cell.outputs.hasAttribute("data-failed")) check.show("", false);
    else this.#run(check);
  }

  /**
   * @param {Python} python
   * @param {string} why
   * @param {boolean} isOver
   */
  #died(python, why, isOver) {
    if (isOver) return this.#giveUp(why);
    const cell = this.#running.shift();
    const said = why === ENDLESS
      ? `This cell ran for ${PATIENCE} seconds, perhaps in a loop without an end, and was stopped.`
      : "This cell ended Python, as too much memory or a call without an end does.";
    cell?.show(`<div class="posviz-stopped"><p>${said} Python starts again; your code is still here.</p></div>`, true);
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
