// A control's way to Python: one message is on its way at a time; the answer sends the newest value,
// and what lies between is never sent.

import { unique } from "./elements.js";
import { watchKernel } from "./host.js";
/** @import { Channel, Standing, ToControl, Wish } from "./protocol.d.ts" */

const LOST_AFTER = 5000; // milliseconds without an answer: Python is busy, or the message is lost
const LATE_AFTER = 150; // milliseconds, after which the handle shows that an answer is due

/** Sends only the newest message, as soon as the one before is answered. */
function makeLine(/** @type {Channel<Standing, ToControl>} */ channel, /** @type {HTMLElement} */ handle) {
  const view = unique();
  let change = 0; // of the kernel's last message
  let number = 0, typed = 0; // of the newest message, and of the newest that was typed
  let sent = 0; // when the message went that waits for an answer
  let waits = /** @type {Wish?} */ (null); // what goes next
  let last = /** @type {Wish} */ ({}); // what went last
  let late = 0, lost = 0; // timers
  const host = watchKernel(channel.host, () => {}, () => { // what a cut swallowed, or what waits since
    const what = waits ?? (sent ? last : null);
    sent = 0;
    if (what) send(what);
  });
  const isUnderWay = () => sent > 0 && performance.now() - sent < LOST_AFTER;

  function send(/** @type {Wish} */ what) {
    waits = what;
    flush();
  }

  function flush() {
    if (waits && !isUnderWay() && !host.isCut()) go(waits);
    // Tests wait for it: the picture is out of date while an answer is due.
    handle.dataset.unanswered = String(isUnderWay() || waits !== null);
  }

  function go(/** @type {Wish} */ what) {
    [last, waits] = [what, null];
    sent = performance.now();
    number += 1;
    if ("typed" in last) typed = number;
    channel.send({ view, number, change, ...last });
    clearTimeout(late);
    late = setTimeout(() => { handle.dataset.late = ""; }, LATE_AFTER);
    clearTimeout(lost);
    lost = setTimeout(flush, LOST_AFTER + 1);
  }

  /** Whether a message has something new: it is no answer, or the answer to the newest question. */
  function hear(/** @type {Standing} */ message) {
    if (message.change !== change) waits = null; // the knob was changed meanwhile
    change = message.change;
    const isOwn = message.view === view, isAnswer = isOwn && message.number === number;
    if (isAnswer) {
      sent = 0;
      clearTimeout(late);
      delete handle.dataset.late;
    }
    return !waits && (!isOwn || isAnswer);
  }

  const answersTyping = (/** @type {Standing} */ message) =>
    message.view === view && message.number === typed;

  function close() {
    clearTimeout(late);
    clearTimeout(lost);
    host.end();
  }

  return { isUnderWay, send, flush, hear, answersTyping, close };
}

export { makeLine };
