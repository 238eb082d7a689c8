// Runs Khronos' glTF validator over a folder: one line per file with errors, then counts by code.
//
//   npm install --prefix /some/where gltf-validator
//   GLTF_VALIDATOR=/some/where node xtask/gltf/validate.mjs FOLDER
//
// Ends with 1 if a file has errors, 2 if there is no file.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve, sep } from 'node:path';

const home = resolve(process.env.GLTF_VALIDATOR ?? process.cwd(), 'package.json');
const validator = createRequire(home)('gltf-validator');
const folder = resolve(process.argv[2] ?? '.');

const files = [];
const todo = [folder];
while (todo.length > 0) {
  const here = todo.pop();
  for (const name of readdirSync(here).sort()) {
    const path = join(here, name);
    if (statSync(path).isDirectory()) todo.push(path);
    else if (/\.(glb|gltf)$/i.test(name)) files.push(path);
  }
}
files.sort();
if (files.length === 0) {
  console.error(`no glTF below ${folder}`);
  process.exit(2);
}

const severities = ['error', 'warning', 'information', 'hint'];
const codes = new Map();
let bad = 0;
for (const path of files) {
  const beside = (uri) => {
    const target = resolve(dirname(path), decodeURIComponent(uri));
    if (!target.startsWith(dirname(path) + sep)) return Promise.reject(new Error('outside the folder'));
    return Promise.resolve(new Uint8Array(readFileSync(target)));
  };
  const options = { uri: relative(folder, path), maxIssues: 0, externalResourceFunction: beside };
  let report;
  try {
    report = await validator.validateBytes(new Uint8Array(readFileSync(path)), options);
  } catch (error) {
    bad += 1;
    console.log(`${relative(folder, path)}: ${error}`);
    continue;
  }
  for (const { code, severity } of report.issues.messages) {
    const entry = codes.get(code) ?? { severity, count: 0, files: new Set() };
    entry.count += 1;
    entry.files.add(path);
    codes.set(code, entry);
  }
  if (report.issues.numErrors > 0) {
    bad += 1;
    const first = report.issues.messages.find((m) => m.severity === 0);
    const more = report.issues.numErrors > 1 ? ` (and ${report.issues.numErrors - 1} more)` : '';
    console.log(`${relative(folder, path)}: ${first.code} at ${first.pointer}: ${first.message}${more}`);
  }
}
for (const [code, { severity, count, files: where }] of [...codes].sort()) {
  console.log(`${severities[severity]} ${code}: ${count} in ${where.size} files`);
}
console.log(`${files.length} files, ${bad} with errors`);
process.exit(bad > 0 ? 1 : 0);
