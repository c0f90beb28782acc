// A slider, a box for the exact value, and Play. One message is on its way at a time; the answer
// sends the newest value, and what lies between is never sent.

const LOST_AFTER = 5000; // milliseconds without an answer: the kernel is busy, or the message is lost
const PLAYS_FOR = 6000; // milliseconds from end to end, so that few places can be told apart
const STEP_EVERY = [50, 700]; // milliseconds, the least and the most while it plays

const drawn = (path) => `<svg viewBox="0 0 16 16" aria-hidden="true"><path d="${path}"/></svg>`;
const PLAY = drawn("M4 2v12l10-6z"), PAUSE = drawn("M3 2h4v12H3zM9 2h4v12H9z");
const REPEAT = drawn("M8 2V0l4 3.2L8 6.4V4a4.2 4.2 0 1 0 4.2 4.2h2A6.2 6.2 0 1 1 8 2z");

function make(tag, properties, attributes = {}) {
  const element = Object.assign(document.createElement(tag), properties);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

function makeElements(model, el) {
  const label = model.get("label"), id = `posviz-${Math.random().toString(36).slice(2)}`;
  const name = make("label", { textContent: label, htmlFor: id, title: label });
  const slider = make("input", { type: "range", id, min: 0, max: model.get("places"), step: 1 });
  const box = make("input", { type: "text", autocomplete: "off", title: model.get("range") },
    { "aria-label": `${label}, ${model.get("range")}` });
  const play = make("button", { type: "button" });
  const again = make("button", { type: "button", innerHTML: REPEAT, title: "Play again and again" },
    { "aria-label": `Repeat ${label}`, "aria-pressed": "false" });
  const refusal = make("div", { className: "posviz-notice" }, { role: "alert" });
  el.classList.add("posviz-slider");
  el.append(name, slider, box, ...(model.get("play") ? [play, again] : []), refusal);
  return { slider, box, play, again, refusal };
}

// The way to the kernel: the newest thing to say goes when what went before is answered.
function makeLine(model, view, slider) {
  const line = { turn: 0, number: 0, typed: 0, waits: null, sent: 0, watch: null };
  line.underWay = () => line.sent && performance.now() - line.sent < LOST_AFTER;
  line.flush = () => {
    if (!line.waits || line.underWay()) return tell();
    line.sent = performance.now();
    line.number += 1;
    if ("typed" in line.waits) line.typed = line.number;
    try {
      model.send({ view, number: line.number, turn: line.turn, ...line.waits });
    } catch {} // it is cut: the screen says so
    line.waits = null;
    clearTimeout(line.watch);
    line.watch = setTimeout(line.flush, LOST_AFTER + 1);
    tell();
  };
  // For whoever has to wait for the answer: the picture is out of date as long as one is due.
  const tell = () => { slider.dataset.unanswered = String(Boolean(line.underWay())); };
  line.send = (what) => { line.waits = what; line.flush(); };
  // Whether a message says something new: it is no answer, or the answer to the newest question.
  line.hear = (message) => {
    if (message.turn !== line.turn) line.waits = null; // the knob was turned meanwhile
    line.turn = message.turn;
    const own = message.view === view;
    if (own && message.number === line.number) line.sent = 0;
    return !line.waits && (!own || message.number === line.number);
  };
  return line;
}

// Steps through the places, each when the one before has been answered.
function makePlayer(elements, label, line, move) {
  const { slider, play, again } = elements;
  let timer = null;
  const show = (icon, what) => {
    play.innerHTML = icon;
    play.title = `${what} ${label}`;
    play.setAttribute("aria-label", play.title);
  };
  const pause = () => { clearInterval(timer); timer = null; show(PLAY, "Play"); };
  const step = () => {
    if (line.underWay()) return;
    const atEnd = slider.value === slider.max;
    if (atEnd && again.getAttribute("aria-pressed") !== "true") return pause();
    slider.value = atEnd ? 0 : slider.valueAsNumber + 1;
    move();
  };
  play.addEventListener("click", () => {
    if (timer) return pause();
    if (slider.value === slider.max) {
      slider.value = 0;
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

function render({ model, el }) {
  const elements = makeElements(model, el), { slider, box, refusal } = elements;
  const view = crypto.randomUUID?.() ?? String(Math.random());
  const line = makeLine(model, view, slider);
  const move = () => line.send({ place: slider.valueAsNumber });
  const pause = makePlayer(elements, model.get("label"), line, move);
  let text = "";

  function refuse(message) {
    refusal.textContent = message;
    box.setAttribute("aria-invalid", String(message !== ""));
  }
  function show(value) {
    if (box.value === value) return;
    box.value = value;
    if (document.activeElement === box) box.select(); // what is typed now takes its place
  }
  function receive(message) {
    if (message.stop) pause();
    const isNew = line.hear(message);
    if (message.refused) refuse(message.refused); // what was typed stays, to be corrected
    else if (isNew) {
      slider.value = message.place;
      const editing = document.activeElement === box && box.value !== text;
      const answersTyping = message.view === view && message.number === line.typed;
      text = message.text;
      if (!editing || answersTyping) {
        show(text);
        refuse("");
      }
    }
    slider.setAttribute("aria-valuetext", text);
    line.flush();
  }
  const typed = () => { if (box.value !== text) line.send({ typed: box.value }); else refuse(""); };
  const giveUp = () => { box.value = text; refuse(""); };

  slider.addEventListener("pointerdown", pause); // the hand takes over
  slider.addEventListener("input", () => { pause(); move(); });
  box.addEventListener("focus", pause);
  box.addEventListener("blur", () => (refusal.textContent ? giveUp() : typed()));
  box.addEventListener("keydown", ({ key }) => {
    if (key === "Enter") typed();
    if (key === "Escape") giveUp();
  });
  model.on("msg:custom", receive);
  model.on("destroy", pause);
  line.send({ turn: -1 }); // only asks where the handle stands
  return () => {
    pause();
    clearTimeout(line.watch);
    model.off("msg:custom", receive);
    model.off("destroy", pause);
  };
}

export default { render };
