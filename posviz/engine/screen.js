// A canvas that shows the newest frame of a figure, and says so when the kernel is gone.

const transports = {
  // The whole frame is one PNG.
  png: async (context, message, [bytes]) => {
    const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const canvas = context.canvas;
    if (canvas.width !== image.width || canvas.height !== image.height) {
      canvas.width = image.width;
      canvas.height = image.height;
    }
    context.drawImage(image, 0, 0);
    image.close();
  },
};

function makeElements(el) {
  const figure = document.createElement("figure");
  const canvas = document.createElement("canvas");
  const caption = document.createElement("figcaption");
  const notice = document.createElement("div");
  figure.className = "posviz-screen";
  canvas.setAttribute("role", "img");
  caption.setAttribute("aria-live", "polite");
  notice.setAttribute("role", "status");
  notice.className = "posviz-notice";
  figure.append(canvas, caption, notice);
  el.append(figure);
  return { canvas, caption, notice };
}

function render({ model, el }) {
  const { canvas, caption, notice } = makeElements(el);
  const context = canvas.getContext("2d", { alpha: false });
  const view = crypto.randomUUID?.() ?? String(Math.random());
  let newest = null, painting = false, closed = false, asked = 0;

  async function paint() {
    if (painting) return;
    painting = true;
    try {
      while (newest && !closed) {
        const [message, buffers] = newest;
        newest = null; // whatever arrives while this one is painted replaces the ones between
        await transports[message.kind](context, message, buffers);
        canvas.style.width = `${message.css[0]}px`;
        canvas.setAttribute("aria-label", message.caption);
        canvas.dataset.frame = message.frame;
        caption.textContent = message.caption;
      }
    } finally {
      painting = false;
    }
  }

  const receive = (message, buffers) => {
    asked = 0;
    if (!closed) notice.textContent = "";
    if (message.pong) return;
    newest = [message, buffers];
    paint().catch((error) => { notice.textContent = `This frame could not be shown: ${error.message}`; });
  };
  const send = (message) => {
    try { model.send({ view, ...message }); } catch { goodbye(); } // its line to the kernel is cut
  };
  const here = () => ({ ratio: window.devicePixelRatio });
  const ask = () => send({ ask: true, ...here() });
  const goodbye = () => {
    notice.textContent = "The kernel does not answer: it is busy, or it has stopped. If it has stopped, run this cell again.";
  };
  // No front end tells a widget reliably that its kernel died, so it asks, and a silence is told.
  // The next question may still be heard: a line that dropped comes back, a busy kernel gets done.
  const pulse = setInterval(() => {
    const silence = asked && performance.now() - asked;
    if (silence > 8000) goodbye();
    if ((asked && silence < 8000) || document.visibilityState !== "visible") return;
    silence ? ask() : send(here());
    asked = performance.now();
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
    clearInterval(pulse);
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
