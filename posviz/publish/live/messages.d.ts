// What goes between a page and the Python in its workers; python.js and worker.js speak it.

import type { Address, Bytes, ExplorerShown } from "../../pictures/protocol.d.ts";

/** What build.py writes into assets/live: names of files, and how many bytes a page loads. */
export type Index =
  Record<"python" | "library" | "posviz", string[]> & { worker: string; memory: string; size: number };

export type Start = { site: string; index: Index; module?: WebAssembly.Module; isKept: boolean };
export type Loaded = { loaded: number; of: number }; // bytes
export type Died = { died: string; cut?: boolean };
export type Told<Message> = { id: string; message: Message; buffers: Bytes[] };
export type FromWorker<Message> =
  | { started: true; module: WebAssembly.Module }
  | { done: string; failed: string } // a traceback, or empty
  | Loaded | Died | Told<Message>;

export type Values = Record<string, unknown>; // of knobs
export type OfPicture = { shown: ExplorerShown } | { values: Values } | (Address & { error?: string });
export type OfCell = { at: string } | { html: string; failed: boolean };

/** A message to Python that is not answered; after `patience` looks it is given up. */
export type Sent = { id: string; patience: number; looks: number };

export interface Listener<Message> {
  started(): void;
  told(told: Told<Message>): void;
  done(sent: Sent, failed: string): void;
  died(sent: Sent | undefined, why: string, isOver: boolean): void;
}
