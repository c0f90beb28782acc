// @ts-check
// A control's way to Python: one message is on its way at a time; the answer sends the newest value,
// and what lies between is never sent.

import { unique } from "./elements.js";
import { watchKernel } from "./host.js";

/** @import { Channel, Standing, ToControl } from "./protocol.d.ts" */
/** @typedef {Partial<Pick<ToControl, "place" | "typed" | "change">>} Wish */

const LOST_AFTER = 5000; // milliseconds without an answer: Python is busy, or the message is lost
const LATE_AFTER = 150; // milliseconds, after which the handle shows that an answer is due

/** The newest thing to say goes when what went before is answered. */
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
   * @param {Channel<Standing, ToControl>} channel
   * @param {HTMLElement} handle
   */
  constructor(channel, handle) {
    this.channel = channel;
    this.handle = handle;
    this.host = watchKernel(channel.host, () => {}, () => this.resend());
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
    this.handle.dataset.unanswered = String(this.isUnderWay() || this.#waits !== null);
  }

  /** @param {Wish} what */
  #go(what) {
    this.#sent = performance.now();
    this.#number += 1;
    if ("typed" in what) this.#typed = this.#number;
    try {
      this.channel.send({ view: this.#view, number: this.#number, change: this.#change, ...what });
    } catch {
      // The line is cut: the screen says so.
    }
    this.#waits = null;
    this.#last = what;
    clearTimeout(this.#late);
    this.#late = setTimeout(() => { this.handle.dataset.late = ""; }, LATE_AFTER);
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
      delete this.handle.dataset.late;
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

export { Line };
