// Plays effects with mdx-m3-viewer in headless Chromium: `witness.mjs JOBS.json OUT.json`, with WITNESSES naming the folder of the packages.
//
// Each job is a model with its textures as PNG, a sequence, a camera in the model's axes, and moments in steps of 1/64 s. Every moment is reached
// by playing from the start, with several seeds. Of each: how many particles live, the box around what is drawn, and the image of the effects
// alone over black. Two things of the viewer are undone: the high quality setting, which doubles fixed rates, and that an emitter of heads and tails
// emits half of each.
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const require = createRequire(join(process.env.WITNESSES, 'package.json'));
const { chromium } = require('playwright-core');
const [jobsFile, outFile] = process.argv.slice(2);
const { size, seeds, jobs } = JSON.parse(readFileSync(jobsFile));

/* Runs in the page. */
const inPage = async ({ size, seeds, job, base }) => {
  const { viewer: { ModelViewer, handlers } } = window.ModelViewer ?? window;
  const canvas = document.getElementById('c');
  if (!window.own) {
    const viewer = new ModelViewer(canvas, { alpha: false, antialias: true, preserveDrawingBuffer: true });
    viewer.on('error', (e) => console.error(String(e.error), String(e.reason ?? '')));
    viewer.addHandler(handlers.mdx, (path) => `${base}/${/teamcolor/i.test(path) ? 'team.png' : /teamglow/i.test(path) ? 'glow.png' : 'dot.png'}`);
    viewer.audioEnabled = false;
    window.own = { viewer, scene: viewer.addScene() };
  }
  const { viewer, scene } = window.own;
  scene.viewport.set([0, 0, size, size]);
  const solve = (path) => {
    if (typeof path !== 'string') return path;
    const lower = path.toLowerCase();
    if (lower.includes('teamcolor')) return `${base}/team.png`;
    if (lower.includes('teamglow')) return `${base}/glow.png`;
    const index = job.textures.findIndex((name) => name.toLowerCase() === lower);
    return `${base}/texture/${job.number}/${index}`;
  };
  const bytes = await (await fetch(`${base}/model/${job.number}`)).arrayBuffer();
  const model = await viewer.load(bytes, solve);
  await viewer.whenAllLoaded();
  const { eye, target, up, field_of_view: fov, near, far } = job.view;
  scene.camera.perspective((fov * Math.PI) / 180, 1, near, far);
  scene.camera.moveToAndFace(eye, target, up);
  for (const emitter of model.particleEmitters2) emitter.emissionRate /= 2;
  for (const emitter of model.ribbonEmitters) emitter.emissionRate /= 2;
  // Effects alone.
  model.opaqueGroups.length = 0;
  model.translucentGroups = model.translucentGroups.filter((group) => !('skinningType' in group));
  const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
  const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  const unit = (a) => { const l = Math.hypot(...a) || 1; return a.map((v) => v / l); };
  const back = unit(sub(eye, target));
  const right = unit(cross(up, back));
  const top = cross(back, right);
  const boxes = (instance) => {
    const box = [Infinity, Infinity, Infinity, -Infinity, -Infinity, -Infinity];
    const add = (p) => { for (let i = 0; i < 3; i++) { box[i] = Math.min(box[i], p[i]); box[i + 3] = Math.max(box[i + 3], p[i]); } };
    let alive = 0;
    const move = (m, [x, y, z]) => [0, 1, 2].map((i) => m[i] * x + m[4 + i] * y + m[8 + i] * z + m[12 + i]);
    for (const node of instance.sortedNodes) {
      const emitter = node.object;
      const o = emitter?.emitterObject;
      if (!o) continue;
      const objects = emitter.objects.slice(0, emitter.alive);
      if ('timeMiddle' in o) {
        alive += objects.length;
        for (const p of objects) {
          const f = (o.lifeSpan - p.health) / o.lifeSpan;
          const [a, b, c] = o.scaling;
          const s = f < o.timeMiddle ? a + (b - a) * (f / o.timeMiddle) : b + (c - b) * ((f - o.timeMiddle) / (1 - o.timeMiddle));
          let from = [...p.location];
          let to = from.map((v, i) => v - o.tailLength * p.velocity[i]);
          if (o.modelSpace) [from, to] = [move(node.worldMatrix, from), move(node.worldMatrix, to)];
          if (p.tail) {
            const side = unit(cross(sub(to, from), back)).map((v) => v * s * p.scale[0]);
            for (const at of [from, to]) for (const sign of [1, -1]) add(at.map((v, i) => v + sign * side[i]));
          } else {
            const [x, y] = o.xYQuad ? [[1, 0, 0], [0, 1, 0]] : [right, top];
                        for (const [i, j] of [[1, 1], [1, -1], [-1, 1], [-1, -1]]) add(from.map((v, k) => v + (x[k] * i + y[k] * j) * s));
          }
        }
      } else if ('heightAbove' in o) {
        alive += Math.max(0, objects.length - 1);
        if (objects.length > 1) for (const r of objects) { add([...r.vertices.slice(0, 3)]); add([...r.vertices.slice(3)]); }
      }
    }
    return { alive, box: box.every(Number.isFinite) ? box : null };
  };
  const gl = viewer.gl;
  const out = job.moments.map(() => []);
  const images = [];
  for (let seed = 1; seed <= seeds; seed++) {
    let state = seed * 7919;
    Math.random = () => {
      state = (state + 0x6d2b79f5) | 0;
      let t = Math.imul(state ^ (state >>> 15), 1 | state);
      t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
      return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
    };
    const instance = model.addInstance();
    instance.isVisible = () => true;
    instance.setScene(scene);
    instance.setSequence(job.sequence);
    for (const { object } of instance.sortedNodes) {
      if (object?.emitterObject?.head && object.emitterObject.tail) {
        object.emit = () => { object.emitObject(0); object.emitObject(1); object.currentEmission += 1; };
      }
    }
    let step = 0;
    for (const [number, moment] of job.moments.entries()) {
      for (; step < moment; step++) viewer.update(1000 / 64);
      viewer.startFrame();
      viewer.render();
      const pixels = new Uint8Array(size * size * 4);
      gl.readPixels(0, 0, size, size, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
      const sum = [0, 0, 0];
      let covered = 0;
      for (let p = 0; p < pixels.length; p += 4) {
        if (Math.max(pixels[p], pixels[p + 1], pixels[p + 2]) <= 8) continue;
        covered += 1;
        for (let c = 0; c < 3; c++) sum[c] += pixels[p + c];
      }
      out[number].push({ ...boxes(instance), covered, color: sum.map((v) => v / Math.max(covered, 1)) });
      if (seed === 1) images.push(canvas.toDataURL('image/png'));
    }
    instance.clearEmittedObjects();
    viewer.update(1000 / 64);
    instance.detach();
  }
  scene.clear();
  return { moments: out, images };
};

const page = `<!doctype html><canvas id="c" width="${size}" height="${size}"></canvas><script src="/viewer.js"></script>`;
const server = createServer((request, response) => {
  const path = decodeURIComponent(new URL(request.url, 'http://localhost').pathname);
  const [, kind, number, index] = path.split('/');
  const job = jobs[Number(number)];
  const file = kind === 'viewer.js' ? join(process.env.WITNESSES, 'node_modules/mdx-m3-viewer/dist/umd/viewer.min.js')
    : kind === 'model' ? job.model
      : kind === 'texture' ? job.images[Number(index)] ?? jobs[0].dot
        : kind === 'team.png' ? jobs[0].team : kind === 'glow.png' ? jobs[0].glow : kind === 'dot.png' ? jobs[0].dot : null;
  const type = kind === 'viewer.js' ? 'text/javascript' : 'application/octet-stream';
  response.writeHead(200, { 'content-type': file ? type : 'text/html' }).end(file ? readFileSync(file) : page);
});
await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--enable-unsafe-swiftshader', '--use-gl=angle', '--use-angle=swiftshader', '--disable-quic', '--no-first-run',
    '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});
const results = [];
try {
  const tab = await browser.newPage();
  tab.on('pageerror', (error) => console.error(String(error)));
  tab.on('console', (message) => message.type() === 'error' && console.error(message.text()));
  const base = `http://127.0.0.1:${server.address().port}`;
  await tab.goto(`${base}/`);
  for (const job of jobs) {
    try {
      const { moments, images } = await tab.evaluate(inPage, { size, seeds, job, base });
      images.forEach((url, i) => writeFileSync(`${job.keep}-${i}-theirs.png`, Buffer.from(url.slice(url.indexOf(',') + 1), 'base64')));
      results.push({ moments });
    } catch (error) {
      results.push({ error: String(error) });
    }
  }
} finally {
  await browser.close();
  server.close();
}
writeFileSync(outFile, JSON.stringify(results));
