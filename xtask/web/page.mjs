// Tests the page of the workshop in headless Chromium: models are dropped on it with what belongs to them, shown, played and converted.
//
//   WEB_HOME=FOLDER_OF_PLAYWRIGHT node xtask/web/page.mjs PAGE SHOTS MODEL...
//
// With a model comes what may belong to it from its folder: the MDX of a KotOR model, and textures.
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { basename, dirname, extname, join, normalize, resolve } from 'node:path';

const require = createRequire(join(resolve(process.env.WEB_HOME ?? '.'), 'package.json'));
const { chromium } = require('playwright-core');
const [page, shots, ...models] = process.argv.slice(2).map((path) => resolve(path));
mkdirSync(shots, { recursive: true });
// Milliseconds from the drop to the first image, at most.
const FIRST = 3000;
// Pixels of the viewport that a model covers, and that move while it plays, at least.
const COVERED = 2000;
const MOVED = 40;

const types = { '.html': 'text/html', '.js': 'text/javascript', '.wasm': 'application/wasm' };
const server = createServer((request, response) => {
  const path = normalize(decodeURIComponent(new URL(request.url, 'http://localhost').pathname));
  try {
    const body = readFileSync(join(page, path === '/' ? 'index.html' : path));
    response.writeHead(200, { 'content-type': types[extname(path)] ?? 'text/html' }).end(body);
  } catch {
    response.writeHead(404).end();
  }
});
await new Promise((listening) => server.listen(0, '127.0.0.1', listening));

const beside = (path, test) => readdirSync(dirname(path)).filter(test).map((name) => join(dirname(path), name));
// What a file is: the files that belong to it, the format it is converted to, and how that begins.
const describe = (path) => {
  const name = basename(path);
  const stem = name.slice(0, -extname(name).length).toLowerCase();
  const start = readFileSync(path).subarray(0, 4);
  const other = (test) => (candidate) => candidate !== name && test(candidate.toLowerCase());
  const glb = { to: 'glb', starts: 'glTF' };
  if (start.equals(Buffer.from('MDLX'))) return { with: beside(path, other((n) => n.endsWith('.blp'))), ...glb };
  if (/\.mdl$/i.test(name) && start.readUInt32LE() === 0)
    return { with: beside(path, other((n) => n === `${stem}.mdx` || /\.(tga|tpc)$/.test(n))), to: 'kotor-mdl-ascii', starts: '#' };
  if (/\.(wok|pwk|dwk)$/i.test(name)) return { with: [], to: 'kotor-bwm-ascii', starts: 'node' };
  return { with: [], ...glb };
};

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--enable-unsafe-swiftshader', '--use-gl=angle', '--use-angle=swiftshader', '--disable-background-networking', '--disable-sync'],
});
let bad = 0;
try {
  const tab = await browser.newPage({ viewport: { width: 1280, height: 800 }, acceptDownloads: true });
  const problems = [];
  tab.on('pageerror', (error) => problems.push(String(error)));
  tab.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  const origin = `http://127.0.0.1:${server.address().port}`;
  tab.on('request', (request) => request.url().startsWith(origin) || /^(blob|data):/.test(request.url()) || problems.push(`asks for ${request.url()}`));
  const state = () => tab.evaluate(() => JSON.parse(window.galatea?.state() || '{}'));
  // Takes a picture; returns how many pixels around the middle are unlike the corner of the viewport, and unlike the first picture of the model.
  const look = async (name, again = false) => {
    const png = await tab.screenshot({ path: join(shots, `${name}.png`) });
    return tab.evaluate(async ([text, again]) => {
      const image = new Image();
      image.src = `data:image/png;base64,${text}`;
      await image.decode();
      const canvas = new OffscreenCanvas(320, 280);
      const pen = canvas.getContext('2d');
      pen.drawImage(image, -430, -120);
      const now = pen.getImageData(0, 0, 320, 280).data;
      const before = (again && window.picture) || now;
      window.picture = before;
      let [covered, moved] = [0, 0];
      for (let i = 0; i < now.length; i += 4) {
        const unlike = (other, at) => Math.max(...[0, 1, 2].map((c) => Math.abs(now[i + c] - other[at + c]))) > 16;
        covered += unlike(now, 0);
        moved += unlike(before, i);
      }
      return { covered, moved };
    }, [png.toString('base64'), again]);
  };
  const started = Date.now();
  await tab.goto(origin);
  await tab.waitForSelector('html[data-ready]', { state: 'attached', timeout: 60000 });
  console.log(`ready in ${Date.now() - started} ms`);
  await tab.screenshot({ path: join(shots, 'start.png') });
  for (const path of models) {
    problems.length = 0;
    const name = basename(path);
    const how = describe(path);
    const list = [path, ...how.with].map((file) => [basename(file), readFileSync(file).toString('base64')]);
    // Measured on the page: from the drop until what shows the model was drawn.
    const took = await tab.evaluate(async ([list, name]) => {
      const transfer = new DataTransfer();
      for (const [name, text] of list) transfer.items.add(new File([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))], name));
      const dropped = performance.now();
      document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }));
      const frame = () => new Promise((next) => requestAnimationFrame(next));
      while (performance.now() - dropped < 20000) {
        await frame();
        const state = JSON.parse(window.galatea.state() || '{}');
        if (state.file !== name || !(state.triangles > 0 || state.error)) continue;
        await frame();
        await frame();
        return performance.now() - dropped;
      }
      return Infinity;
    }, [list, name]);
    if (took > FIRST) problems.push(`it was not shown within ${FIRST} ms`);
    const shown = await state();
    if (shown.error) problems.push(shown.error);
    if (!shown.painter) problems.push('it is not drawn with WebGL');
    const first = await look(name);
    if (first.covered < COVERED) problems.push(`only ${first.covered} pixels are covered`);
    let played = '';
    if (typeof shown.clip === 'number') {
      // More than one: a clip may be where it was, because it begins again meanwhile.
      let moved = 0;
      for (let again = 0; again < 8 && moved < MOVED; again++) {
        await tab.waitForTimeout(310);
        moved = Math.max(moved, (await look(`${name}-later`, true)).moved);
      }
      const later = await state();
      played = `, plays clip ${shown.clip}: ${moved} pixels moved`;
      if (later.time === shown.time || moved < MOVED) problems.push('it does not play');
    }
    const download = tab.waitForEvent('download', { timeout: 15000 });
    download.catch(() => {});
    await tab.evaluate((to) => window.galatea.convert(to), how.to);
    let converted = '';
    try {
      const bytes = readFileSync(await (await download).path());
      if (!bytes.subarray(0, how.starts.length).equals(Buffer.from(how.starts))) problems.push(`what is downloaded is no ${how.to}`);
      converted = `, as ${how.to} ${bytes.length} bytes`;
    } catch (error) {
      problems.push(`no download of ${how.to}: ${error.message}`);
    }
    bad += problems.length > 0;
    console.log(`${problems.length > 0 ? 'BAD ' : 'good'} ${name}: ${shown.format}, ${shown.triangles} triangles, ${shown.textures} textures, drawn after ${Math.round(took)} ms, ${first.covered} pixels${played}${converted} ${problems.join('; ')}`);
  }
} finally {
  await browser.close();
  server.close();
}
process.exit(bad > 0 ? 1 : 0);
