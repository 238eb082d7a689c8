// Runs the WebAssembly module on every file of a folder: `node run.mjs GLUE MODULE FOLDER OUT FORMAT...`. For each file it
// writes OUT/NAME.results: one entry per call, each a label, a status and the bytes, with their lengths before them.

import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [glue, module, folder, out, ...formats] = process.argv.slice(2);
const { Galatea } = await import(pathToFileURL(glue).href);
const galatea = await Galatea.load(readFileSync(module));
const utf8 = new TextEncoder();

function number(n) {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(n);
  return bytes;
}

function entry(label, call) {
  let status = 0;
  let bytes;
  try {
    bytes = call();
  } catch (error) {
    // A trap is no answer.
    if (error instanceof WebAssembly.RuntimeError) throw error;
    [status, bytes] = [1, utf8.encode(error.message)];
  }
  const name = utf8.encode(label);
  return [number(name.length), name, number(status), number(bytes.length), bytes];
}

const names = readdirSync(folder, { withFileTypes: true }).filter((e) => e.isFile()).map((e) => e.name).sort();
mkdirSync(out, { recursive: true });
for (const name of names) {
  galatea.reset();
  for (const other of names) galatea.put(other, readFileSync(join(folder, other)));
  const entries = [entry("open", () => (galatea.open(name), new Uint8Array()))];
  entries.push(entry("info", () => utf8.encode(galatea.infoText())));
  entries.push(entry("check", () => utf8.encode(galatea.checkText())));
  for (const format of formats) {
    let files = [];
    entries.push(
      entry(`convert ${format}`, () => {
        const converted = galatea.convert(format);
        files = converted.files;
        const losses = converted.losses.map((loss) => `${loss}\n`).join("");
        return utf8.encode(losses);
      }),
    );
    for (const file of files) entries.push(entry(`${format}: ${file.name}`, () => file.bytes));
  }
  entries.push(entry("render", () => galatea.render(256, 256)));
  writeFileSync(join(out, `${name}.results`), Buffer.concat(entries.flat()));
}
console.log(`${names.length} files`);
