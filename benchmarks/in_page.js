// What the page itself does: see its own pixels change and move a control 60 times a second. From
// outside, one call would wait for another.

const bench = { events: [], changes: [], chosen: 0 };

// Every picture is watched in the same way, by its pixels and not by a frame's number: that is
// what a reader sees, and a frame that is never painted does not count. All of the picture is read,
// for nobody knows where it moves; it takes about 1 ms of a frame's 16.7. Of the pixels every
// seventh is added up. They lie on slanted lines, so that whatever moves crosses some of them.
bench.watch = (selector) => {
  const scratch = document.createElement("canvas");
  const context = scratch.getContext("2d", { willReadFrequently: true, alpha: false });
  let last = null;
  const mine = {}; // one that has not noticed its end must not go on beside it
  bench.watching = mine;
  const look = () => {
    if (bench.watching !== mine) return;
    const sum = sumOfPixels(document.querySelector(selector), context);
    if (sum !== null && last !== null && sum !== last) bench.changes.push(performance.now());
    last = sum ?? last;
    requestAnimationFrame(look);
  };
  look();
};

const sumOfPixels = (shown, context) => {
  if (!shown || shown.complete === false) return null; // an image between two others
  const width = shown.naturalWidth ?? shown.width;
  const height = shown.naturalHeight ?? shown.height;
  if (!width || !height) return null;
  const scratch = context.canvas;
  if (scratch.width !== width || scratch.height !== height)
    [scratch.width, scratch.height] = [width, height];
  context.drawImage(shown, 0, 0);
  const words = new Uint32Array(context.getImageData(0, 0, width, height).data.buffer);
  let sum = 0;
  for (let i = 0; i < words.length; i += 7) sum = (Math.imul(sum, 31) + words[i]) | 0;
  return sum;
};

// An event in each animation frame, which is how a browser hands on what a mouse does.
bench.repeat = (events, act) =>
  new Promise((resolve) => {
    let event = 0;
    const next = () => {
      if (event === events) return resolve();
      bench.events.push(performance.now());
      event += 1;
      act(event);
      requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
  });

// Where a slider stands: [now, least, most].
bench.standing = (handle) =>
  handle.type === "range"
    ? [handle.value, handle.min, handle.max].map(Number)
    : ["now", "min", "max"].map((end) => Number(handle.getAttribute(`aria-value${end}`)));

// From where the handle stands, to and fro between the ends of its range; each event moves it by a
// step or more. The browser moves its own kind of slider for a true mouse alone, so for that one the
// page does what the browser would do: it sets the value, and tells.
bench.drag = (handle, events) => {
  const [now, least, most] = bench.standing(handle);
  const native = handle.type === "range";
  const { left, width } = (native ? handle : handle.closest(".noUi-base")).getBoundingClientRect();
  const stride = Math.max(3, Math.ceil(width / (most - least))); // in pixels
  const start = left + (width * (now - least)) / (most - least);
  const below = Math.floor((start - left) / stride);
  const all = below + Math.floor((left + width - start) / stride);
  const place = (event) => start + stride * (all - Math.abs(all - ((event + below) % (2 * all))) - below);
  const mouse = (type, clientX) => {
    const { top, height } = handle.getBoundingClientRect();
    const at = { clientX, clientY: top + height / 2, buttons: 1, bubbles: true };
    handle.querySelector(".noUi-touch-area").dispatchEvent(new MouseEvent(type, at));
  };
  const move = (x) => {
    if (!native) return mouse("mousemove", x);
    handle.value = least + ((x - left) / width) * (most - least); // the browser rounds it to a step
    handle.dispatchEvent(new Event("input", { bubbles: true }));
  };
  bench.letGo = () => { move(start); if (!native) mouse("mouseup", start); };
  if (!native) mouse("mousedown", start);
  return bench.repeat(events, (event) => move(place(event)));
};

// Where there is no slider: the options of a dropdown or of a row of buttons, in turn.
bench.choose = (control, events) => {
  const buttons = control.querySelectorAll("button");
  const select = control.querySelector("select");
  return bench.repeat(events, () => {
    bench.chosen = (bench.chosen + 1) % (select ? select.options : buttons).length;
    if (!select) return buttons[bench.chosen].click();
    select.selectedIndex = bench.chosen;
    select.dispatchEvent(new Event("change", { bubbles: true }));
  });
};

// The kernel runs its messages in order: what it is asked for comes after what it had to do before.
bench.ask = async (expression) => {
  const { kernel } = window.jupyterapp.shell.currentWidget.sessionContext.session;
  const request = { code: "", silent: true, user_expressions: { answer: expression } };
  const reply = await kernel.requestExecute(request).done;
  return JSON.parse(reply.content.user_expressions.answer.data["text/plain"]);
};

// Until nothing has happened here for so many milliseconds, and the kernel has nothing left to do.
// The kernel is asked last: a question would be in the way of what is measured.
bench.settled = async (quiet) => {
  const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
  const began = performance.now();
  for (;;) {
    const last = Math.max(began, bench.events.at(-1) ?? 0, bench.changes.at(-1) ?? 0);
    const left = last + quiet - performance.now();
    if (left > 0) {
      await pause(left);
      continue;
    }
    await bench.ask("0");
    await pause(100); // what the kernel sent before its answer is shown by now
    if (last >= (bench.changes.at(-1) ?? 0)) return;
  }
};

document.addEventListener("keydown", (event) => bench.events.push(event.timeStamp), true);
window.bench = bench;
