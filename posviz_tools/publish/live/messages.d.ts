// What goes between a page and the Python in its workers; python.js and worker.js speak it.

import type { Address, Bytes, ExplorerShown } from "../../../posviz/pictures/protocol.d.ts";

/** What build.py writes into assets/live: names of files, and how many bytes a page loads. */
export type Index =
  Record<"python" | "library" | "posviz", string[]> & Record<"worker" | "module" | "memory", string> & { size: number };

export type Start = { site: string; index: Index; isKept: boolean };
export type Progress = { loaded: number; of: number }; // bytes
export type End = { died: string; cut?: boolean };
export type FromPython<Message> = { id: string; message: Message; buffers: Bytes[] };
export type FromWorker<Message> =
  | { started: true } // a page's policy lets Firefox hand it no compiled module
  | { done: string; failed: string } // a traceback, or empty
  | Progress | End | FromPython<Message>;

export type Values = Record<string, unknown>; // of knobs
export type PictureMessage = { shown: ExplorerShown } | { values: Values } | (Address & { error?: string });
export type CellMessage = { at: string } | Result;

/** What a cell shows, and whether it stopped. */
export type Result = { html: string; failed: boolean };

/** A message to Python that is not answered; after `patience` looks it is given up. */
export type Pending = { id: string; patience: number; looks: number };

export interface Listener<Message> {
  started(): void;
  told(told: FromPython<Message>): void;
  done(sent: Pending, failed: string): void;
  died(sent: Pending | undefined, why: string, isOver: boolean): void;
}
