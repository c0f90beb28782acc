// What goes over the wire between kernel and browser; README.md says who sends it and when.

/** Binary data: a kernel's come as DataView, a worker's as Uint8Array. */
export type Bytes = DataView<ArrayBuffer> | Uint8Array<ArrayBuffer>;

/** What anywidget gives a widget's `render`. */
export interface Widget<Traits, Heard, Said> {
  model: Host<Heard> & {
    get<Name extends keyof Traits>(name: Name): Traits[Name];
    send(message: Said): void;
  };
  el: HTMLElement;
}

/** What carries messages, and tells of its own end. */
export interface Host<Heard = unknown> {
  widget_manager?: { kernel?: Kernel | null }; // in JupyterLab and Notebook
  on(event: string, listener: (message: Heard, buffers?: Bytes[]) => void): void;
  off(event: string, listener: (message: Heard, buffers?: Bytes[]) => void): void;
}

/** The part of JupyterLab's connection to a kernel that is used here. */
interface Kernel {
  connectionStatus: string;
  isDisposed: boolean;
  statusChanged: Signal;
  connectionStatusChanged: Signal;
  reconnect(): Promise<void>;
  posvizTried?: number; // when a page last tried to reconnect
}

type Signal = Record<"connect" | "disconnect", (listener: (_: unknown, status: string) => void) => void>;

/** What one part of an explorer says and hears: its messages, and the model that carries them. */
export interface Channel<Heard, Said> {
  host: Host;
  send(message: Said): void;
  listen(listener: (message: Heard, buffers: Bytes[]) => void): void;
}

/** What every message of an explorer names. */
export type Address = { part?: "screen" | "export" | "reset" | "error"; knob?: string };

export interface ExplorerShown {
  css: [width: number, height: number]; // pixels that the picture is drawn for
  controls: ControlShown[];
  export: ExportShown;
}

export interface ToScreen {
  view: string;
  ratio?: number; // pixels of the screen for each that the picture is drawn for
  dark?: boolean; // this view's page
  ask?: true; // for a whole frame
  drag?: Place;
  over?: Place; // where a pointer rests
  gone?: true;
}

/** Shares of the picture's width and height. */
export type Place = [across: number, down: number];

export type Pong = { pong: string; words?: string }; // the view that asked, and what lies there

export interface Frame {
  frame: number; // one more than the last frame that was sent to any view
  caption: string;
  drags: "" | "along" | "anywhere"; // where a pointer moves a knob
  whole: boolean; // needs nothing that was sent before
  artists: number; // how many are drawn over the bitmap
  moved: [artist: number, firstRow: number, firstImage: number, calls: Call[]][];
}

type Rows = [first: number, count: number]; // rows (code, x, y) of a path

export type Call =
  | [kind: "path", style: Style, ...path: Rows]
  | [kind: "markers", style: Style, ...marker: Rows, ...points: Rows]
  | [kind: "cells", style: Style, box: CellsBox, image: number];

export interface Style {
  fill?: string;
  stroke?: string;
  width: number;
  cap: CanvasLineCap | "projecting";
  join: CanvasLineJoin;
  dash?: number[];
  dash_offset?: number;
  clip?: [left: number, top: number, width: number, height: number];
  clip_path?: Rows;
}

export interface CellsBox {
  left: number; top: number; width: number; height: number;
  across: number; // cells in a row
  colours: number;
  wide: 1 | 2; // bytes of a cell
}

export interface ControlShown extends Limits {
  name: string;
  kind: "slider" | "buttons" | "list" | "switch" | "text";
  label: string;
  first: boolean; // it is there at first sight, and not under More
  texts: string[]; // of the options
  absent: Record<string, string>; // why some of them cannot be chosen
  width: number; // letters of the longest value of a film
  play: boolean;
}

/** What a reader does with a control; with neither it is only asked how things stand. */
export type Wish = { place?: number; typed?: string; change?: number };

export interface ToControl extends Wish {
  view: string;
  number: number; // of this view's messages
  change: number; // of the newest answer that this view has
}

/** Draws a control into an element; returns how to end it. */
export type MakeControl =
  (shown: ControlShown, channel: Channel<Standing, ToControl>, el: HTMLElement) => () => void;

/** Draws what a reader chooses with; `show` shows where the knob stands. */
export type MakeInput = (shown: ControlShown, send: (wish: Wish) => void) => {
  root: HTMLElement;
  inputs: (HTMLInputElement | HTMLSelectElement)[];
  show(standing: Standing): void;
};

export interface Limits {
  last_place: number; // the first is 0
  range: string; // of a number
  idle: string; // why it changes nothing now, or nothing
}

export interface Standing extends Limits {
  place: number;
  text: string;
  change: number; // how often the knob was changed from elsewhere
  view?: string; // whose message is answered, and its number
  number?: number;
  refused?: string;
  stop?: true;
}

export interface ExportShown {
  formats: string[];
  films: string[]; // formats that move
  styles: string[];
  movable: Record<string, string>; // the labels of knobs that a film can move, the most telling first
  name: string; // of the file
}

export interface ToExport {
  view: string;
  filmed: string; // the knob that moves
  name: string; format: string; style: string; dark: boolean;
  save?: true;
}

export type Exported = { view: string } & (
  | { line: string } // of Python
  | { refused: string }
  | { saved: string; file: string; link: string }
);
