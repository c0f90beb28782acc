// A canvas that shows the newest frame of a figure, and says so when the kernel is gone.

const SILENT = 8000; // milliseconds without an answer, after which a reader is told
const GONE = "The kernel does not answer: it is busy, or it has stopped. If it has stopped, run this cell again, or reload the page.";

const decoded = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

function makeElements(el) {
  const figure = document.createElement("figure");
  const canvas = document.createElement("canvas");
  const caption = document.createElement("figcaption");
  const notice = document.createElement("div");
  const said = document.createElement("div");
  figure.className = "posviz-screen";
  canvas.setAttribute("role", "img");
  said.setAttribute("aria-live", "polite");
  said.className = "posviz-said";
  notice.setAttribute("role", "status");
  notice.className = "posviz-notice";
  figure.append(canvas, caption, said, notice);
  el.append(figure);
  return { canvas, caption, said, notice };
}

function render({ model, el }) {
  const { canvas, caption, said, notice } = makeElements(el);
  const scene = new Scene(canvas);
  const view = crypto.randomUUID?.() ?? String(Math.random());
  let waiting = [], painting = false, closed = false, asked = 0, askedAgain = 0, shown = 0, heard = false, plain = false, saying = null;

  // Frames that wait behind a whole one are not needed any more; of the others each brings a part.
  async function paint() {
    if (painting) return;
    painting = true;
    try {
      while (waiting.length && !closed) {
        const frames = waiting.splice(0);
        const last = frames.findLastIndex(([message]) => message.whole);
        const needed = frames.slice(Math.max(last, 0));
        const first = last < 0 ? shown + 1 : needed[0][0].frame;
        if (needed.some(([message], place) => message.frame !== first + place)) return askAgain(); // one was lost
        for (const frame of needed) await scene.take(...frame);
        if (closed) return scene.close();
        scene.draw();
        notice.textContent = "";
        const [message] = needed.at(-1);
        shown = message.frame;
        canvas.style.width = `${message.css[0]}px`;
        canvas.setAttribute("aria-label", message.caption);
        canvas.dataset.frame = message.frame;
        caption.textContent = message.caption;
        clearTimeout(saying);
        saying = setTimeout(() => { said.textContent = message.caption; }, 700); // once it stands still
      }
    } finally {
      painting = false;
    }
  }

  const receive = (message, buffers) => {
    const silence = asked && performance.now() - asked;
    asked = 0;
    if (notice.textContent === GONE && !closed) notice.textContent = "";
    if (silence > SILENT) ask();
    if (message.pong) {
      // The frame that was asked for first has not come: it was lost because it is binary.
      if (message.pong === view && !heard && !plain) { plain = true; ask(); }
      return;
    }
    heard = true;
    plain = (buffers?.length ?? 0) < message.buffers; // some hosts lose what is binary
    if (plain) return ask();
    waiting.push([message, message.text?.map(decoded) ?? buffers]);
    paint().catch((error) => { notice.textContent = `This frame could not be shown: ${error.message}`; });
  };
  const send = (message) => {
    try { model.send({ view, ...message }); } catch { goodbye(); } // its line to the kernel is cut
  };
  const here = () => ({ ratio: window.devicePixelRatio, plain });
  const ask = () => send({ ask: true, ...here() });
  const askAgain = () => {
    if (performance.now() - askedAgain < 1000) return;
    askedAgain = performance.now();
    ask();
  };
  const goodbye = () => { notice.textContent = GONE; };
  // No front end tells a widget reliably that its kernel died, so it asks, and a silence is told.
  // The next question may still be heard: a line that dropped comes back, a busy kernel gets done.
  const pulse = setInterval(() => {
    const silence = asked && performance.now() - asked;
    if (silence > SILENT) goodbye();
    if ((asked && silence < SILENT) || document.visibilityState !== "visible") return;
    send(here());
    asked ||= performance.now();
  }, 2000);
  const leave = () => send({ gone: true });
  const back = () => { if (document.visibilityState === "visible") ask(); };

  // A media query answers once, when this very ratio is left.
  let sharpness;
  const watchSharpness = () => {
    sharpness = window.matchMedia(`(resolution: ${window.devicePixelRatio}dppx)`);
    sharpness.addEventListener("change", resharpen, { once: true });
  };
  const resharpen = () => { ask(); watchSharpness(); };

  // JupyterLab's shortcuts would take the arrows from a dropdown, and x on a slider would cut the cell.
  const keepKeys = ({ target }) => {
    if (canvas.closest(".posviz-explorer")?.contains(target)) target.setAttribute("data-lm-suppress-shortcuts", "");
  };

  document.addEventListener("focusin", keepKeys);
  model.on("msg:custom", receive);
  model.on("comm_live_update", goodbye);
  model.on("destroy", goodbye);
  document.addEventListener("visibilitychange", back);
  window.addEventListener("pagehide", leave); // a reloaded page cleans nothing up
  watchSharpness();
  ask();

  return () => {
    closed = true;
    scene.close();
    clearInterval(pulse);
    clearTimeout(saying);
    leave();
    model.off("msg:custom", receive);
    model.off("comm_live_update", goodbye);
    model.off("destroy", goodbye);
    document.removeEventListener("focusin", keepKeys);
    document.removeEventListener("visibilitychange", back);
    window.removeEventListener("pagehide", leave);
    sharpness.removeEventListener("change", resharpen);
  };
}

export default { render };
