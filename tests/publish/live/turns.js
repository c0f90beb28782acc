// Runs turns in a page's Python, without a page, and prints what it tells; each list of turns begins anew.

import { startPython } from "../../../posviz_tools/publish/live/runtime.js";

const START = "import json; from posviz_tools.publish.live import cells, session; cells.begin()";
const read = (name) => Deno.readFileSync(`${Deno.args[0]}/${name}`);
const module = await WebAssembly.compile(read("python.wasm"));
const archives = [read("library.tar"), read("posviz.tar")], told = [];
const decoder = new TextDecoder();
const hear = (bytes) => told.push(JSON.parse(decoder.decode(bytes.subarray(0, bytes.indexOf(10)))));
let memory;
for (const turns of JSON.parse(decoder.decode(read("turns.json")))) {
  const python = await startPython(module, archives, hear, memory);
  const turn = (code) => {
    let died = "";
    try {
      died = python.run(code);
    } catch (error) { // WebAssembly has trapped
      died = error.stack;
    }
    if (died) told.push([code, { died }, []]);
  };
  if (!memory) turn(START);
  memory ??= await python.keep();
  turns.forEach(turn);
}
console.log(JSON.stringify(told));
