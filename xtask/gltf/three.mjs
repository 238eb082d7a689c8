// Draws GLBs with three.js in headless Chromium and with `galatea render`, from the same place, and compares the silhouettes.
//
//   npm install --prefix /some/where three playwright-core pngjs      (and Debian's chromium)
//   THREE_HOME=/some/where node xtask/gltf/three.mjs GALATEA FOLDER COUNT [OUT]
//
// Only files whose materials all cover what they are on: what is mixed, added or cut out by a texture has no sharp one, and three.js does not turn
// billboards. One line per file: intersection over union. With OUT both images are kept there. Ends with 1 if any is 0.97 or less.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { extname, join, normalize, relative, resolve } from 'node:path';

const SIZE = 2048;
const LEAST = 0.97;
const home = resolve(process.env.THREE_HOME ?? process.cwd());
const require = createRequire(join(home, 'package.json'));
const { chromium } = require('playwright-core');
const { PNG } = require('pngjs');
const [galatea, folder, count, keep] = process.argv.slice(2);

const files = [];
const todo = [resolve(folder)];
while (todo.length > 0) {
  const here = todo.pop();
  for (const name of readdirSync(here).sort()) {
    const path = join(here, name);
    if (statSync(path).isDirectory()) todo.push(path);
    else if (/\.glb$/i.test(name)) files.push(path);
  }
}
files.sort();
const solid = (file) => {
  const bytes = readFileSync(file);
  const json = JSON.parse(bytes.subarray(20, 20 + bytes.readUInt32LE(12)).toString());
  const billboard = (json.nodes ?? []).some((node) => node.extras?.galatea?.billboard);
  const soft = ({ alphaMode, pbrMetallicRoughness }) =>
    alphaMode === 'BLEND' || (alphaMode === 'MASK' && pbrMetallicRoughness?.baseColorTexture);
  return json.meshes && !billboard && !(json.materials ?? []).some(soft);
};
// Spread over the whole folder, the same ones every time.
const candidates = files.filter(solid);
const wanted = Math.min(Number(count), candidates.length);
const chosen = Array.from({ length: wanted }, (_, i) => candidates[Math.floor(((i + 0.5) * candidates.length) / wanted)]);

const page = `<!doctype html><canvas id="c" width="${SIZE}" height="${SIZE}"></canvas>
<script type="importmap">{"imports": {"three": "/three/build/three.module.js"}}</script>
<script type="module">
import * as THREE from 'three';
import { GLTFLoader } from '/three/examples/jsm/loaders/GLTFLoader.js';
const canvas = document.getElementById('c');
const renderer = new THREE.WebGLRenderer({ canvas, alpha: true, antialias: true, preserveDrawingBuffer: true });
renderer.setClearColor(0, 0);
window.draw = async (url, view) => {
  const gltf = await new GLTFLoader().loadAsync(url);
  const scene = new THREE.Scene();
  scene.add(gltf.scene, new THREE.AmbientLight(0xffffff, 3));
  scene.updateMatrixWorld(true);
  const away = new THREE.Vector3(...view.eye).distanceTo(new THREE.Vector3(...view.target));
  const camera = new THREE.PerspectiveCamera(view.field_of_view, 1, away * 1e-3, away * 1e3);
  camera.position.set(...view.eye);
  camera.up.set(...view.up);
  camera.lookAt(...view.target);
  renderer.render(scene, camera);
  return canvas.toDataURL('image/png');
};
window.ready = true;
</script>`;

const types = { '.js': 'text/javascript', '.glb': 'model/gltf-binary' };
const server = createServer((request, response) => {
  const path = normalize(decodeURIComponent(new URL(request.url, 'http://localhost').pathname));
  const file = path.startsWith('/three/') ? join(home, 'node_modules', path)
    : path.startsWith('/glb/') ? chosen[Number(path.slice(5))] : null;
  try {
    const body = file ? readFileSync(file) : page;
    response.writeHead(200, { 'content-type': file ? types[extname(file)] ?? 'text/plain' : 'text/html' }).end(body);
  } catch {
    response.writeHead(404).end();
  }
});
await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
const scratch = mkdtempSync(join(tmpdir(), 'galatea-three-'));
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--enable-unsafe-swiftshader', '--use-gl=angle', '--use-angle=swiftshader', '--disable-quic', '--no-first-run',
    '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});
let bad = 0;
try {
  const tab = await browser.newPage();
  tab.on('pageerror', (error) => console.error(String(error)));
  await tab.goto(`http://127.0.0.1:${server.address().port}/`);
  await tab.waitForFunction('window.ready');
  for (const [i, file] of chosen.entries()) {
    const ours = join(scratch, 'ours.png');
    const line = execFileSync(galatea, ['render', file, '--background', 'transparent', '--size', String(SIZE), '--json', '--force', '-o', ours]);
    const { view } = JSON.parse(line);
    const url = await tab.evaluate(([url, view]) => window.draw(url, view), [`/glb/${i}`, view]);
    const theirs = Buffer.from(url.slice(url.indexOf(',') + 1), 'base64');
    if (keep) {
      mkdirSync(keep, { recursive: true });
      writeFileSync(join(keep, `${i}-ours.png`), readFileSync(ours));
      writeFileSync(join(keep, `${i}-three.png`), theirs);
    }
    const [a, b] = [PNG.sync.read(readFileSync(ours)).data, PNG.sync.read(theirs).data];
    let [both, any] = [0, 0];
    // Pixels on an edge count for as much as is covered.
    for (let p = 3; p < a.length; p += 4) {
      both += Math.min(a[p], b[p]) / 255;
      any += Math.max(a[p], b[p]) / 255;
    }
    const share = any === 0 ? 1 : both / any;
    bad += share <= LEAST;
    console.log(`${share.toFixed(4)} ${any.toFixed(0)} pixels ${share <= LEAST ? 'DIFFERS' : ''} ${relative(folder, file)}`);
  }
} finally {
  await browser.close();
  server.close();
  rmSync(scratch, { recursive: true, force: true });
}
console.log(`${chosen.length} files drawn by three.js, ${bad} with another silhouette (intersection over union ${LEAST} or less)`);
process.exit(bad > 0 ? 1 : 0);
