// What the site's pages do by themselves: tables in which words are searched, and the search.

import { make } from "../../../posviz/pictures/elements.js";
import "../search.js";
import { libraries, run } from "../library.js";

const [FEW, MOST] = [3, 40]; // results with all words: others follow; results that are shown
const [BEFORE, LONG] = [80, 240]; // letters of a text: before the first word found, and in all
/** Common words that something follows, for the last one may be a beginning. */
const COMMON = /\b(after|an?|and|are|at|be|by|can|does|do|for|from|how|i|in|is|it|my|of|on|or|that|the|this|to|what|when|which|why|with)\s/gi;

/** Parts of a text that are a term as a whole, too: rotate_half, np.outer. */
const WHOLE = [/[\p{L}\p{N}]+(?:_[\p{L}\p{N}]+)+/gu, /[\p{L}\p{N}_]+(?:\.[\p{L}\p{N}_]+)+/gu];

const OPTIONS = {
  boost: { title: 8, kind: 4, text: 2 },
  // What teaches comes before what mentions.
  /** @type {(_: string, __: string, fields: { kind: string }) => number} */
  boostDocument: (_, __, { kind }) => /^\d/.test(kind) ? 4 : /^(Glossary|Picture|Symptom)/.test(kind) ? 2 : 1,
  prefix: true,
  fuzzy: (/** @type {string} */ word) => word.length > 5 && 0.2, // "mask" is no "task"
  combineWith: "AND",
};

const field = /** @type {HTMLInputElement | null} */ (document.getElementById("words"));
if (field) run("minisearch/index.js").then(() => follow(field));

/** Shows what has every word that is typed, or begins with it, or is spelt nearly so; if that is little, what has one of them, too. */
function follow(/** @type {HTMLInputElement} */ field) {
  const { MiniSearch } = libraries, parts = MiniSearch.getDefault("tokenize");
  const tokenize = (/** @type {string} */ text) => {
    const plain = text.replace(/(?<=\d)[,\u202f](?=\d{3})/g, ""); // 4,096
    return [...parts(plain), ...WHOLE.flatMap((whole) => plain.match(whole) ?? [])];
  };
  const index = new MiniSearch({
    tokenize,
    fields: ["title", "kind", "text", "code"],
    storeFields: ["kind", "title", "href", "text"],
    searchOptions: OPTIONS,
  });
  index.addAll(JSON.parse(document.getElementById("documents")?.textContent ?? "[]"));
  const show = () => {
    const words = field.value.replace(COMMON, ""), all = index.search(words);
    const some = all.length < FEW ? index.search(words, { combineWith: "OR" }) : [];
    const results = [...new Map([...all, ...some].map((result) => [result.id, result])).values()];
    /** @type {(string | Node)[]} */ const said = [`${results.length} found${results.length > MOST ? `, the best ${MOST}:` : ""}`];
    if (!results.length) said.push(". Try fewer words, or a word of the ", make("a", { href: "glossary.html" }, "glossary"), ".");
    document.getElementById("said")?.replaceChildren(...field.value.trim() ? said : []);
    document.getElementById("found")?.replaceChildren(...results.slice(0, MOST).map(entry));
  };
  field.addEventListener("input", () => {
    history.replaceState(null, "", `#${encodeURIComponent(field.value)}`);
    show();
  });
  field.value ||= decodeURIComponent(location.hash.slice(1));
  show();
}

/** @param {Record<"kind" | "title" | "href" | "text", string> & { terms: string[] }} result */
function entry({ kind, title, href, text, terms }) {
  const words = any(terms), named = make("span", {}, kind === title ? "" : kind);
  const link = make("a", { href }, ...marked(title, words));
  return make("li", {}, link, named, make("p", {}, ...marked(around(text, words), words)));
}

/** A part of a text, with the first word that was found. */
function around(/** @type {string} */ text, /** @type {RegExp} */ words) {
  const at = text.search(words);
  const start = at > BEFORE ? text.indexOf(" ", at - BEFORE) + 1 : 0;
  const end = start + LONG < text.length ? text.lastIndexOf(" ", start + LONG) : text.length;
  return (start ? "… " : "") + text.slice(start, end) + (end < text.length ? " …" : "");
}

/** The parts of a text, of which words that were found are marked: every second one is a word. */
const marked = (/** @type {string} */ text, /** @type {RegExp} */ words) =>
  text.split(words).map((part, i) => i % 2 ? make("mark", {}, part) : part);

function any(/** @type {string[]} */ terms) {
  const escaped = terms.map((term) => term.replace(/[$^+|.]/g, String.raw`\$&`)); // they have no other punctuation
  escaped.sort((one, other) => other.length - one.length);
  return new RegExp(`(?<![\\p{L}\\p{N}])(${escaped.join("|")})`, "iu");
}
