// A slider, a box for the exact value, and Play. One message is on its way at a time; the answer
// sends the newest value, and what lies between is never sent.

const LOST_AFTER = 5000; // milliseconds without an answer: the kernel is busy, or the message is lost
const STEP_EVERY = 50; // milliseconds, while it plays

function make(tag, properties, attributes = {}) {
  const element = Object.assign(document.createElement(tag), properties);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

function makeElements(model, el) {
  const label = model.get("label"), id = `posviz-${Math.random().toString(36).slice(2)}`;
  const name = make("label", { textContent: label, htmlFor: id, title: label });
  const slider = make("input", { type: "range", id, min: 0, max: model.get("places"), step: 1 });
  const box = make("input", { type: "text", inputMode: "decimal", autocomplete: "off", title: model.get("range") },
    { "aria-label": `${label}, ${model.get("range")}` });
  const play = make("button", { type: "button", textContent: "▶" }, { "aria-label": `Play ${label}`, title: `Play ${label}` });
  const again = make("button", { type: "button", textContent: "↻" },
    { "aria-label": `Repeat ${label}`, "aria-pressed": "false", title: "Play again and again" });
  el.classList.add("posviz-slider");
  el.append(name, slider, box, ...(model.get("play") ? [play, again] : []));
  return { slider, box, play, again };
}

function render({ model, el }) {
  const { slider, box, play, again } = makeElements(model, el);
  const label = model.get("label"), view = crypto.randomUUID?.() ?? String(Math.random());
  let text = "", turn = 0, number = 0, waits = null, flying = 0, watch = null, timer = null;

  const underWay = () => flying && performance.now() - flying < LOST_AFTER;
  function flush() {
    if (!waits || underWay()) return;
    flying = performance.now();
    number += 1;
    try {
      model.send({ view, number, turn, ...waits });
    } catch {} // its line to the kernel is cut: the screen says so
    waits = null;
    clearTimeout(watch);
    watch = setTimeout(flush, LOST_AFTER + 1);
  }
  const send = (what) => { waits = what; flush(); };
  const move = () => send({ place: slider.valueAsNumber });

  function receive(message) {
    if (message.turn !== turn) waits = null; // the knob was turned meanwhile
    turn = message.turn;
    if (message.stop) pause();
    if (message.view === view && message.number === number) flying = 0;
    if (!waits) {
      slider.value = message.place;
      const editing = document.activeElement === box && box.value !== text && message.view !== view;
      text = message.text;
      if (!editing) box.value = text;
    }
    slider.setAttribute("aria-valuetext", message.text);
    flush();
  }

  function pause() {
    clearInterval(timer);
    timer = null;
    play.textContent = "▶";
    play.setAttribute("aria-label", `Play ${label}`);
    play.title = `Play ${label}`;
  }
  function step() {
    if (underWay()) return;
    const atEnd = slider.value === slider.max;
    if (atEnd && again.getAttribute("aria-pressed") !== "true") return pause();
    slider.value = atEnd ? 0 : slider.valueAsNumber + 1;
    move();
  }
  function toggle() {
    if (timer) return pause();
    if (slider.value === slider.max) slider.value = 0;
    timer = setInterval(step, STEP_EVERY);
    play.textContent = "❚❚";
    play.setAttribute("aria-label", `Pause ${label}`);
    play.title = `Pause ${label}`;
  }

  slider.addEventListener("input", move);
  const typed = () => { if (box.value !== text) send({ typed: box.value }); };
  box.addEventListener("blur", typed);
  box.addEventListener("keydown", ({ key }) => {
    if (key === "Enter") typed();
    if (key === "Escape") box.value = text;
  });
  play.addEventListener("click", toggle);
  again.addEventListener("click", () => again.setAttribute("aria-pressed", String(again.getAttribute("aria-pressed") !== "true")));
  model.on("msg:custom", receive);
  model.on("destroy", pause);
  send({ turn: -1 }); // only asks where the handle stands
  return () => {
    pause();
    clearTimeout(watch);
    model.off("msg:custom", receive);
    model.off("destroy", pause);
  };
}

export default { render };
