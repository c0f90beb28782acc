// What scripts do by themselves, without a browser; test_lost_messages.py has what needs one.

import { deepEqual, equal } from "node:assert/strict";
import { Element, page } from "./fake_page.js"; // first: some look at their page as they are loaded
import { makeExport } from "../posviz/pictures/export_panel.js";
import { makeLine } from "../posviz/pictures/line.js";
import { makeOptions } from "../posviz/pictures/options.js";
import { makeSlider } from "../posviz/pictures/slider.js";
import { makeScene } from "../posviz/pictures/stream/replay.js";
import "../posviz_tools/publish/live/answers.js";
import { makeTween } from "../posviz/pictures/stream/tween.js";
import { Cells } from "../posviz_tools/publish/live/cells.js";
import { kept } from "../posviz_tools/publish/live/kept.js";
import { Python } from "../posviz_tools/publish/live/python.js";
import "../posviz_tools/publish/live/sw.js";
import "../posviz_tools/publish/theme.js";

/** A channel whose other end is the test. */
function channel() {
  const sent = [], made = { sent, host: { on() {}, off() {} }, send: (message) => sent.push(message) };
  return Object.assign(made, { listen: (hear) => Object.assign(made, { hear }) });
}

const happens = (name, told = {}) => dispatchEvent(Object.assign(new Event(name), told));
const later = () => new Promise((done) => { setTimeout(done); });

for (const [change, then] of [[0, [1, 2]], [7, [1]]]) {
  Deno.test(`a value that waits is ${change ? "dropped where the knob was changed meanwhile" : "sent"}`, () => {
    const to = channel(), line = makeLine(to, new Element());
    line.send({ place: 1 });
    line.send({ place: 2 });
    const isNews = line.hear({ view: to.sent[0].view, number: 1, change });
    line.flush();
    line.close();
    deepEqual([isNews, to.sent.map(({ place }) => place)], [change !== 0, then]);
  });
}

for (const kind of ["text", "list", "switch", "buttons"]) {
  Deno.test(`a refusal of a ${kind} is shown until another value is taken`, () => {
    const to = channel(), el = new Element(), told = { change: 0, place: 0, idle: "" };
    const end = makeOptions({ kind, label: "x", texts: ["a"], absent: {} }, to, el);
    const notice = () => el.all("posviz-notice")[0].textContent;
    to.hear({ ...told, refused: "too long" });
    equal(notice(), "too long");
    to.hear(told);
    equal(notice(), "");
    end();
  });
}

/** A slider that stands on 3: its end, its channel, its handle, its box, and Play. */
function slider() {
  const limits = { last_place: 10, range: "from -5 to 5", idle: "" }, to = channel(), el = new Element();
  const end = makeSlider({ ...limits, label: "x", width: 2, play: true }, to, el);
  const hear = (more) => to.hear({ ...limits, change: 0, place: 3, text: "3", ...more });
  hear({});
  return [end, hear, ...el.all("input"), el.all("button")[0], el.all("posviz-notice")[0]];
}

for (const why of [{ stop: true }, { idle: "only with another knob" }]) {
  Deno.test(`Play ends where Python says ${Object.keys(why)}`, () => {
    const [end, hear, , , play] = slider();
    play.onclick();
    equal(play.title, "Pause x");
    hear(why);
    equal(play.title, "Play x");
    end();
  });
}

Deno.test("a box keeps what is typed into it until that is answered or given up", () => {
  const [end, hear, handle, box, , notice] = slider();
  equal(box.inputMode, "text"); // a telephone's keys for numbers have no minus
  document.activeElement = Object.assign(box, { value: "12" });
  hear({ place: 5, text: "5" });
  deepEqual([handle.valueAsNumber, box.value], [5, "12"]);
  hear({ refused: "too large" });
  deepEqual([box.value, notice.textContent], ["12", "too large"]);
  box.onkeydown({ key: "Escape" });
  deepEqual([box.value, notice.textContent], ["5", ""]);
  end();
});

Deno.test("a file's name follows the style until a reader has typed one", () => {
  const shown = { formats: ["png"], films: [], styles: ["slide", "paper"], movable: {}, name: "x" };
  const { panel } = makeExport(shown, channel()), [, , style] = panel.all("select");
  const [, name] = panel.all("input");
  const names = ["paper", "notebook"].map((value) => {
    Object.assign(style, { value }).oninput();
    return name.value;
  });
  name.value = "mine";
  Object.assign(style, { value: "paper" }).oninput();
  deepEqual([...names, name.value], ["x_paper", "x", "mine"]);
});

Deno.test("lines are mitred as far as they are wide, and closed without a place of their own", async () => {
  const painted = [], places = [], style = { stroke: "#000000ff", width: 3, cap: "butt", join: "miter" };
  const context = {
    setLineDash() {},
    drawImage() {},
    stroke: ({ steps }) => painted.push([context.miterLimit, steps]),
    translate: (...by) => places.push(by),
  };
  const scene = makeScene({ getContext: () => context });
  const rows = new Float32Array([[1, 0, 0], [2, 9, 0], [79, 0, 0], [1, 4, 5], [79, 4, 5]].flat());
  const calls = [["path", style, 0, 3], ["markers", style, 0, 2, 3, 2]];
  const frame = { whole: true, artists: 1, moved: [[0, 0, 0, calls]] };
  await scene.take(frame, [new Uint8Array(), new Uint8Array(rows.buffer)]);
  scene.draw();
  const line = [["M", 0, 0], ["L", 9, 0]];
  deepEqual(painted, [[3, [...line, ["Z"]]], [3, line]]);
  deepEqual(places, [[4, 5], [-4, -5]]);
});

function drawn(rows, stroke, kind = "path") {
  const calls = [[kind, { stroke, width: 2 }, 0, rows.length]];
  return { calls, rows: new Float32Array(rows.flat()), images: [], draws: [() => {}] };
}

Deno.test("half-way between two frames a line is between both, in place, width and colour", () => {
  const painted = [], prepare = ({ rows }, [, style]) => () => painted.push([[...rows], style.stroke]);
  const old = drawn([[1, 0, 0], [2, 10, 4]], "#000000ff"), next = drawn([[1, 2, 0], [2, 20, 0]], "#ff0000ff");
  const tween = makeTween({}, old, next, prepare);
  tween.draw(0.5);
  deepEqual(painted, [[[1, 1, 0, 2, 15, 2], "#800000ff"]]);
  tween.draw(1);
  deepEqual([...tween.mixed.rows], [...next.rows]);
});

Deno.test("what has another shape is not moved", () => {
  const old = drawn([[1, 0, 0], [2, 10, 4]], "#000000ff");
  const others = [drawn([[1, 0, 0]], "#000000ff"), drawn([[1, 0, 0], [1, 9, 9]], "#000000ff"),
    drawn([[1, 0, 0], [2, 10, 4]], "#000000ff", "markers"), { ...old, calls: [] }];
  for (const other of others) equal(makeTween({}, old, other, () => () => {}), undefined);
});

Deno.test("a text moves, and one heatmap is faded over another", () => {
  const told = [], image = (value, size) => new Uint8Array(size).fill(value);
  const context = { save() {}, restore() {}, translate: (...by) => told.push(by) };
  const cells = (left, width, value, name) => ({
    calls: [["cells", {}, { left, top: 0, width, height: width }, 0]],
    rows: new Float32Array(), images: [image(value, 8)], draws: [() => told.push(name, context.globalAlpha)],
  });
  makeTween(context, cells(0, 10, 1, "old"), cells(8, 10, 2, "text"), () => {}).draw(0.25);
  deepEqual(told.splice(0), [[-6, 0], "text", undefined]);
  makeTween(context, cells(0, 199, 1, "old"), cells(0, 199, 2, "map"), () => {}).draw(0.25);
  deepEqual(told, ["old", undefined, "map", 0.25]);
});

Deno.test("what another tab has written and chosen counts here", () => {
  const key = `posviz answers ${location.pathname}`;
  localStorage.setItem(key, JSON.stringify({ sources: { a: "1" } }));
  happens("storage", { key });
  deepEqual([kept.sources, kept.chosen], [{ a: "1" }, {}]);
  equal(document.documentElement.dataset.theme, "light");
  localStorage.setItem("posviz-theme", "dark");
  happens("storage");
  equal(document.documentElement.dataset.theme, "dark");
});

Deno.test("answers are deleted when their reader is sure, and not before", () => {
  kept.write("a", "1");
  const [, again] = page.link.following;
  again.onclick();
  deepEqual([kept.sources, page.reloads], [{ a: "1" }, 0]);
  page.isSure = true;
  again.onclick();
  deepEqual([kept.sources, page.reloads], [{}, 1]);
});

for (const [isReaders, starts] of [[false, 5], [true, 9]]) {
  Deno.test(`Python that ${isReaders ? "a reader stops" : "dies"} is started ${starts} times`, () => {
    const before = page.workers.length, died = (_, __, isOver) => isOver || python.start();
    const python = new Python({}, { started() {}, died }, isReaders);
    for (let time = 0; time < 9; time += 1) {
      const told = [{ started: true }, { died: "so" }];
      for (const data of time < 8 ? told : []) page.workers.at(-1).onmessage?.({ data });
    }
    equal(page.workers.length - before, starts);
    page.workers.at(-1).onerror(); // ends its clock
  });
}

Deno.test("a picture that had no network is tried again when there is one", async () => {
  let asked = 0;
  globalThis.fetch = () => Promise.reject(new TypeError(`no network, ${asked += 1}`));
  page.see([{ isIntersecting: true, target: page.picture }]);
  await later();
  equal(asked, 1);
  happens("online");
  await later();
  equal(asked, 2);
});

Deno.test("a new index deletes the files that it does not name, and no others", async () => {
  const live = `${location.origin}/assets/live/`, names = ["a-0123456789abcdef.zip", "a-fedcba9876543210.zip"];
  const cached = [...names.map((name) => live + name), `${live}plain.css`, `${location.origin}/05.html`];
  const left = new Set(cached), waits = [];
  page.cache = { match() {}, put() {}, keys: () => cached.map((url) => ({ url })) };
  page.cache.delete = ({ url }) => left.delete(url);
  globalThis.fetch = () => Promise.resolve(new Response(JSON.stringify({ files: [names[0]] })));
  const answered = new Promise((respondWith) => {
    const request = { method: "GET", url: `${live}index.json` };
    happens("fetch", { request, respondWith, waitUntil: (each) => waits.push(each) });
  });
  await answered;
  await Promise.all(waits);
  deepEqual([...left], cached.filter((url) => !url.endsWith(names[1])));
});

Deno.test("a cell says what its check is at, stops it, and lets others wait", async () => {
  const sources = { stub: "def f():\n    ...", check: "check_f(f)", other: "1" };
  const stored = Object.entries(sources).map(([id, source]) => ({ id, source, runs: true }));
  for (const id in sources) page.found[`[data-cell="${id}"]`] = [new Element()];
  globalThis.fetch = () => Promise.resolve(new Response("{}"));
  new Cells(stored);
  const [stub, , other] = Object.values(page.found).slice(-3).map(([el]) => {
    const [[run, , state]] = el.inside.following.map(({ children }) => children);
    return { press: () => run.onclick(), says: () => [run.textContent, state.textContent] };
  });
  stub.press();
  await later();
  const worker = page.workers.at(-1), hear = (data) => worker.onmessage({ data });
  const asked = () => worker.posted.slice(1).map((message) => message.with[0]);
  deepEqual([stub.says(), asked()], [["Stop", "waits for Python …"], ["stub"]]);
  hear({ started: true });
  other.press();
  hear({ id: "stub", message: { html: "", failed: false } });
  hear({ done: "stub", failed: "" });
  await later();
  deepEqual([stub.says(), other.says()], [["Stop", "runs …"], ["Stop", "waits for Python …"]]);
  other.press();
  deepEqual([other.says(), asked()], [["Run", ""], ["stub", "check"]]);
  stub.press();
  await later();
  deepEqual(stub.says(), ["Run and check", ""]);
  equal(page.found['[data-cell="check"]'][0].inside.innerHTML.includes("This cell was stopped"), true);
  page.workers.at(-1).onerror(); // ends its clock
});
