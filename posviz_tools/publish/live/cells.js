// Lets the cells of a page be written and run: Python in a worker of its own, so that a loop without an end
// stops no picture.

import { make } from "../../../posviz/pictures/elements.js";
import { libraries, run } from "../library.js";
import { kept } from "./kept.js";
import { adopt } from "./live.js";
import { bar, begin, CUT, ENDLESS, Python, STOPPED } from "./python.js";
/** @import { CellMessage, FromPython, Index } from "./messages.d.ts" */

const PATIENCE = 10; // seconds
const CHECK = /^check_\w+\(/m;
const KEPT = "kept in this browser";
const RUNS = ":scope > :is(.source, .posviz-run)"; // what a cell is written and run by
const NOT_RUN = "<p>Not run since you changed it.</p>";

let editor = /** @type {Promise<void>?} */ (null);

/** A cell that its reader may change and run. One that checks the answer above it runs after that, and shows
 * only its own output: the answer's cell says what it is at, and stops it. */
class Cell {
  #state = make("span", { className: "posviz-state", role: "status" });
  #button = make("button", { onclick: () => this.pressed() });
  #undo = make("button", { onclick: () => this.#write?.(this.stored) }, "Undo my changes");
  /** @type {string} */ #label;
  /** @type {((text: string) => void) | undefined} */ #write; // into the editor
  isRunning = false;
  /** @type {Cell} */ runner = this; // has the button that runs it

  /** @param {Element} el @param {{ id: string, source: string }} stored @param {(cell: Cell) => void} pressed
   * @param {Cell | undefined} check what checks this one's answer, if a cell does */
  constructor(el, { id, source }, check, pressed) {
    this.el = el;
    this.id = id;
    this.check = check;
    this.stored = source;
    this.source = kept.sources[id] ?? source;
    this.pressed = () => pressed(this);
    this.#label = check || CHECK.test(source) ? "Run and check" : "Run";
    this.outputs = el.querySelector(".outputs") ?? make("div", { className: "outputs" });
    this.outputs.ariaLive = "polite";
    const line = make("div", { className: "posviz-run" }, this.#button, this.#undo, this.#state);
    el.querySelector(".source")?.after(line);
    el.append(this.outputs);
    this.say("");
    if (this.isChanged) {
      el.querySelector(".code")?.setAttribute("open", "");
      el.querySelectorAll(".source pre").forEach((pre) => { pre.textContent = this.source; });
      this.note(KEPT);
    }
  }

  get isChanged() {
    return this.source !== this.stored;
  }

  /** Puts an editor in the place of the stored source. */
  async open() {
    editor ??= run("codemirror/editor.js");
    await editor;
    const place = make("div", { className: "posviz-editor" });
    const stored = /** @type {HTMLElement} */ (this.el.querySelector(".source"));
    this.#write = libraries.posvizEdit(place, {
      text: this.source,
      label: this.check ? "Your answer" : "Code",
      run: this.pressed,
      changed: (/** @type {string} */ text) => this.#changed(text),
    });
    stored.before(place);
    stored.hidden = true;
  }

  #changed(/** @type {string} */ text) {
    this.source = text;
    this.#undo.hidden = !this.isChanged;
    for (const cell of [this, this.check]) if (cell) kept.tell(cell.id, undefined);
    if (kept.write(this.id, this.isChanged ? text : undefined) && !this.isRunning) this.note(KEPT);
  }

  /** @param {string} text what it is at; nothing when it is done */
  say(text) {
    this.isRunning = text !== "";
    this.note(text);
    for (const cell of [this, this.check]) cell?.outputs.toggleAttribute("data-old", this.isRunning);
    this.#button.textContent = this.isRunning ? "Stop" : this.#label;
    this.#undo.hidden = !this.isChanged || this.isRunning;
  }

  /** @param {string} text which may stay beside the button */
  note(text) {
    this.#state.textContent = text;
  }

  show(/** @type {string} */ html, /** @type {boolean} */ failed) {
    this.outputs.innerHTML = html;
    this.outputs.toggleAttribute("data-failed", failed);
    adopt(this.outputs);
  }
}

/** All cells of this page, and the Python that runs them. */
class Cells {
  /** @type {Map<string?, Cell>} */ #cells = new Map(); // by id
  /** @type {Promise<Python<CellMessage>> | undefined} */ #python;
  /** @type {Cell[]} */ #running = []; // cells, first the one that Python is at
  #at = ""; // the id of the cell that Python is at, which the first of these may need
  #began = 0;

  /** @param {{ id: string, source: string, runs: boolean }[]} stored */
  constructor(stored) {
    this.stored = stored;
    const observer = new IntersectionObserver((entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        observer.unobserve(target);
        this.#cells.get(target.getAttribute("data-cell"))?.open();
      }
    }, { rootMargin: "100%" });
    for (const [number, code] of [...stored.entries()].reverse()) { // a check before its answer
      const { id, source } = code, el = document.querySelector(`[data-cell="${id}"]`);
      if (!el || !code.runs) continue;
      const isStub = source.includes("...") && !CHECK.test(source), next = stored[number + 1];
      const check = isStub && next && CHECK.test(next.source) ? this.#cells.get(next.id) : undefined;
      const cell = new Cell(el, code, check, (pressed) => this.#press(pressed));
      this.#cells.set(id, cell);
      observer.observe(el);
      if (check) {
        check.runner = cell;
        observer.unobserve(check.el);
        for (const control of check.el.querySelectorAll(RUNS)) control.remove();
      }
      const result = kept.results[id];
      if (result) cell.show(result.html, result.failed);
      else if (cell.isChanged) (check ?? cell).show(NOT_RUN, false); // what is stored is of the stored code
    }
  }

  #press(/** @type {Cell} */ cell) {
    if (cell.isRunning && this.#running[0].runner === cell) this.#python?.then((python) => python.stop());
    else if (cell.isRunning) {
      this.#running = this.#running.filter(({ runner }) => runner !== cell);
      cell.say("");
    } else {
      cell.say("waits for Python …");
      if (this.#running.push(cell) === 1) this.#next();
    }
  }

  /** Lets Python run the first of the cells that wait. */
  #next() {
    const [cell] = this.#running;
    if (!cell) return;
    this.#python ??= begin().then((index) => this.#start(index));
    this.#python.then((python) => this.#send(python, cell)).catch((error) =>
      this.#giveUp(error instanceof TypeError ? CUT : error.message));
  }

  #start(/** @type {Index} */ index) {
    const python = new Python(index, {
      started: () => this.#running[0]?.runner.say("runs …"),
      told: (/** @type {FromPython<CellMessage>} */ { id, message }) => {
        if ("at" in message) this.#at = message.at;
        else {
          this.#cells.get(id)?.show(message.html, message.failed);
          kept.tell(id, message);
        }
      },
      done: (_, failed) => this.#done(failed),
      died: (_, why, isOver) => isOver ? this.#giveUp(why) : this.#died(python, why),
    }, true);
    return python;
  }

  #send(/** @type {Python<CellMessage>} */ python, /** @type {Cell} */ cell) {
    if (python.isReady) cell.runner.say("runs …");
    const sources = this.stored.map(({ id, source }) => [id, this.#cells.get(id)?.source ?? source]);
    if (cell === cell.runner) this.#began = performance.now();
    python.send("cells.run", PATIENCE, cell.id, Object.fromEntries(sources));
  }

  #done(/** @type {string} */ failed) {
    const [cell] = this.#running;
    if (failed) cell.show("<p>Python could not run this cell.</p>", true);
    if (cell.check && !cell.outputs.hasAttribute("data-failed")) {
      this.#running[0] = cell.check;
      this.#next();
    } else this.#end(`ran in ${((performance.now() - this.#began) / 1000).toFixed(1)} s`);
  }

  /** Says beside the button that the first cell has run, brings what it shows to the screen, and goes on. */
  #end(/** @type {string} */ text) {
    const cell = /** @type {Cell} */ (this.#running.shift());
    if (cell.outputs.hasAttribute("data-failed")) cell.check?.show("", false);
    cell.runner.say("");
    cell.runner.note(text);
    cell.outputs.scrollIntoView({ block: "nearest", behavior: "smooth" });
    this.#next();
  }

  #died(/** @type {Python<CellMessage>} */ python, /** @type {string} */ why) {
    const [cell] = this.#running, at = this.#cells.get(this.#at);
    const first = make("code", {}, at?.source.trim().split("\n")[0] ?? "").outerHTML;
    const which = at && cell && at.runner !== cell.runner ? `The cell above that begins ${first}` : "This cell";
    const end = /** @type {Record<string, string>} */ ({
      [STOPPED]: "was stopped",
      [ENDLESS]: `ran for ${PATIENCE} seconds, perhaps in a loop without an end, and was stopped`,
    })[why] ?? "ended Python, as too much memory or a call without an end does";
    python.start();
    if (!cell) return;
    cell.show(`<div class="posviz-stopped"><p>${which} ${end}. Your code is still here.</p></div>`, true);
    this.#end("");
  }

  #giveUp(/** @type {string} */ why) {
    bar.say("");
    this.#python = undefined;
    for (const cell of this.#running.splice(0)) {
      cell.show(make("p", {}, `This cell did not run: ${why}. Run it again.`).outerHTML, true);
      cell.runner.say("");
    }
  }
}

export { Cells };
