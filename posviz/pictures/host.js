// What JupyterLab knows of the kernel and the way to it. Other hosts do not show it; there a
// view notices it only by the missing answers.

/** @import { Host } from "./protocol.d.ts" */

const ENDED = ["autorestarting", "restarting", "terminating", "dead"];
const AGAIN_AFTER = 3000; // milliseconds, after which JupyterLab begins again to try often

/** Calls `ended` when the kernel has, and `back` when a way that was cut is there again; returns
 * whether it is cut, how to try a way that is cut once more, and how to end this. What is sent while
 * it is cut waits until JupyterLab has waited for three seconds more: nothing should be.
 * @param {Host<any>} host @param {() => void} ended @param {() => void} back */
function watchKernel({ widget_manager: manager }, ended, back) {
  const kernel = manager?.kernel;
  const told = (/** @type {unknown} */ _, /** @type {string} */ status) => {
    if (status === "connected") back();
    if (ENDED.includes(status)) ended();
  };
  kernel?.statusChanged.connect(told);
  kernel?.connectionStatusChanged.connect(told);
  return {
    isCut: () => kernel != null && kernel.connectionStatus !== "connected",
    again: () => {
      // All views of a page share the kernel: each beginning ends an attempt under way.
      const isTried = performance.now() - (kernel?.posvizTried ?? -AGAIN_AFTER) < AGAIN_AFTER;
      if (!kernel || kernel.isDisposed || isTried) return;
      kernel.posvizTried = performance.now();
      kernel.reconnect().catch(() => {}); // the next one may succeed
    },
    end: () => {
      kernel?.statusChanged.disconnect(told);
      kernel?.connectionStatusChanged.disconnect(told);
    },
  };
}

export { watchKernel };
