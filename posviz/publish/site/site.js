// @ts-check
// What the site's pages do by themselves: tables in which words are searched, and the search.

import { make } from "../../pictures/elements.js";
import search from "../../pictures/search.js";
import { run } from "../library.js";

/** @typedef {{ kind: string, title: string, href: string, text: string, terms: string[] }} Found */

/** Letters of a word that may be others; "mask" is no "task". @param {string} word */
const fuzzy = (word) => word.length > 5 && 0.2;
/** @type {(id: number, word: string, found: Found) => number} what teaches comes before what mentions */
const boostDocument = (_, __, { kind }) => /^\d/.test(kind) ? 4 : /^(Glossary|Picture)/.test(kind) ? 2 : 1;
/** Common words that something follows, for the last one may be a beginning. */
const COMMON = /\b(an?|and|are|at|be|by|can|does|do|for|from|how|i|in|is|it|my|of|on|or|that|the|this|to|what|when|which|why|with)\s/gi;
const MOST = 40; // results that are shown
const [BEFORE, LONG] = [80, 240]; // letters of a text: before the first word found, and in all

for (const place of document.querySelectorAll(".posviz-search")) {
  search.follow(place, () => document.getElementsByClassName("posviz-searched"));
}

const field = /** @type {HTMLInputElement | null} */ (document.getElementById("words"));
const documents = document.getElementById("documents")?.textContent;
if (field && documents) {
  run("minisearch/index.js").then(() => follow(field, JSON.parse(documents)));
}

/**
 * Shows what has every word that is typed, or begins with it, or is spelt nearly so; else what has one of them.
 * @param {HTMLInputElement} field
 * @param {object[]} documents
 */
function follow(field, documents) {
  const { MiniSearch } = /** @type {any} */ (globalThis);
  const index = new MiniSearch({
    fields: ["title", "kind", "text", "code"],
    storeFields: ["kind", "title", "href", "text"],
    searchOptions: { boost: { title: 8, kind: 4, text: 2 }, boostDocument, prefix: true, fuzzy, combineWith: "AND" },
  });
  index.addAll(documents);
  const show = () => {
    const words = field.value.replace(COMMON, "");
    const all = index.search(words);
    /** @type {Found[]} */
    const found = all.length ? all : index.search(words, { combineWith: "OR" });
    const count = found.length > MOST ? `${found.length} found, the best ${MOST}:` : `${found.length} found`;
    say("said", field.value.trim() ? count : "");
    say("found", ...found.slice(0, MOST).map(entry));
  };
  field.addEventListener("input", () => {
    history.replaceState(null, "", `#${encodeURIComponent(field.value)}`);
    show();
  });
  field.value ||= decodeURIComponent(location.hash.slice(1));
  show();
}

/**
 * @param {string} id
 * @param {(string | Node)[]} parts
 */
function say(id, ...parts) {
  document.getElementById(id)?.replaceChildren(...parts);
}

/** @param {Found} found */
function entry({ kind, title, href, text, terms }) {
  const item = make("li");
  const link = make("a", {}, { href });
  link.append(...marked(title, terms));
  const said = make("p");
  said.append(...marked(around(text, terms), terms));
  item.append(link, make("span", { textContent: kind === title ? "" : kind }), said);
  return item;
}

/**
 * A part of a text, with the first word that was found.
 * @param {string} text
 * @param {string[]} terms
 */
function around(text, terms) {
  const at = text.search(any(terms));
  const start = at > BEFORE ? text.indexOf(" ", at - BEFORE) + 1 : 0;
  const end = start + LONG < text.length ? text.lastIndexOf(" ", start + LONG) : text.length;
  return (start ? "… " : "") + text.slice(start, end) + (end < text.length ? " …" : "");
}

/**
 * The parts of a text, of which words that were found are marked.
 * @param {string} text
 * @param {string[]} terms
 */
function marked(text, terms) {
  const parts = text.split(any(terms)); // every second one is a word
  return parts.map((part, i) => i % 2 ? make("mark", { textContent: part }) : part);
}

/** @param {string[]} terms */
function any(terms) {
  const escaped = terms.map((term) => term.replace(/[$^+|]/g, String.raw`\$&`)); // they have no punctuation
  escaped.sort((one, other) => other.length - one.length);
  return new RegExp(`(?<![\\p{L}\\p{N}])(${escaped.join("|")})`, "iu");
}
