// The editor of a page's cells: CodeMirror, with what a course needs of it.

// deno-lint-ignore-file no-import-prefix -- a wheel has this file, and no deno.json
import { closeBrackets, closeBracketsKeymap } from "npm:@codemirror/autocomplete@6.20.4";
import { defaultKeymap, history, historyKeymap, indentLess, indentMore } from "npm:@codemirror/commands@6.11.1";
import { python } from "npm:@codemirror/lang-python@6.2.1";
import { bracketMatching, indentUnit, syntaxHighlighting } from "npm:@codemirror/language@6.13.1";
import { EditorView, keymap, lineNumbers } from "npm:@codemirror/view@6.43.15";
import { classHighlighter } from "npm:@lezer/highlight@1.2.5";

/** An editor of a Python program; once something was typed, Tab indents, and Escape, then Tab, leaves it. Returns how to write into it.
 * @param {Element} parent
 * @param {{ text: string, label: string, run: () => void, changed: (text: string) => void }} options */
function edit(parent, { text, label, run, changed }) {
  let isTyped = false;
  const tab = {
    key: "Tab",
    run: (/** @type {EditorView} */ view) => isTyped && indentMore(view),
    shift: (/** @type {EditorView} */ view) => isTyped && indentLess(view),
  };
  const view = new EditorView({
    parent,
    doc: text,
    extensions: [
      keymap.of([
        { key: "Shift-Enter", run: () => { run(); return true; } },
        { key: "Mod-Enter", run: () => { run(); return true; } },
        tab,
        ...closeBracketsKeymap,
        ...defaultKeymap,
        ...historyKeymap,
      ]),
      history(),
      lineNumbers(),
      closeBrackets(),
      python(),
      indentUnit.of("    "),
      bracketMatching(),
      syntaxHighlighting(classHighlighter),
      EditorView.contentAttributes.of({ "aria-label": `${label}; Escape, then Tab, leaves it` }),
      EditorView.updateListener.of(({ docChanged }) => {
        if (!docChanged) return;
        isTyped = true;
        /** @type {HTMLElement} */ (parent).dataset.typed = "";
        changed(view.state.doc.toString());
      }),
    ],
  });
  return (/** @type {string} */ insert) =>
    view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert } });
}

Object.assign(globalThis, { posvizEdit: edit });
