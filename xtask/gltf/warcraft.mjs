// What other people's readers see in Warcraft III models: `warcraft.mjs FILE.mdx...`, with WITNESSES naming the folder of the packages.
//
// Reads each file with war3-model and with mdx-m3-viewer, requires that both see the same things, and runs mdx-m3-viewer's sanity test.
// One JSON line per file; ends with 1 if a reader fails, they disagree, or the sanity test finds an error. mdx-m3-viewer does not know
// versions after 1000, so those are read with war3-model alone. A portrait needs neither Stand nor Death.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const require = createRequire(join(process.env.WITNESSES, "package.json"));
const { parseMDX } = require("war3-model");
const { default: Model } = require("mdx-m3-viewer/dist/cjs/parsers/mdlx/model.js");
const { default: sanityTest } = require("mdx-m3-viewer/dist/cjs/utils/mdlx/sanitytest/sanitytest.js");

function war3(bytes) {
  const model = parseMDX(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
  return {
    sequences: model.Sequences.map((s) => [s.Name, s.NonLooping ? 1 : 0, s.MoveSpeed, s.Rarity]),
    attachments: model.Attachments.map((a) => a.Name),
    events: model.EventObjects.map((e) => [e.Name, e.EventTrack.length]),
    shapes: model.CollisionShapes.map((s) => s.Shape),
    cameras: model.Cameras.map((c) => c.Name),
    bones: model.Bones.length,
    geosets: model.Geosets.map((g) => g.Vertices.length / 3),
    textures: model.Textures.map((t) => [t.Image, t.ReplaceableId]),
    layers: model.Materials.map((m) => m.Layers.map((l) => l.FilterMode)),
  };
}

function viewer(bytes) {
  const model = new Model();
  model.load(new Uint8Array(bytes));
  const seen = {
    sequences: model.sequences.map((s) => [s.name, s.nonLooping, s.moveSpeed, s.rarity]),
    attachments: model.attachments.map((a) => a.name),
    events: model.eventObjects.map((e) => [e.name, e.tracks.length]),
    shapes: model.collisionShapes.map((s) => s.type),
    cameras: model.cameras.map((c) => c.name),
    bones: model.bones.length,
    geosets: model.geosets.map((g) => g.vertices.length / 3),
    textures: model.textures.map((t) => [t.path, t.replaceableId]),
    layers: model.materials.map((m) => m.layers.map((l) => l.filterMode)),
  };
  const found = [];
  const walk = (node, path) => {
    if (node.type === "error" || node.type === "severe") found.push(`${node.type}: ${path}: ${node.message}`);
    for (const child of node.nodes ?? []) walk(child, node.name ? `${path} ${node.name}`.trim() : path);
  };
  for (const node of sanityTest(model).nodes) walk(node, "");
  return { seen, found };
}

const NOT_IN_PORTRAITS = /Missing "(Stand|Death)" sequence/;

let bad = 0;
for (const path of process.argv.slice(2)) {
  const bytes = readFileSync(path);
  const one = war3(bytes);
  // `MDLX`, `VERS` and the size of that chunk come first.
  const newer = bytes.readUInt32LE(12) > 1000;
  const { seen, found: all } = newer ? { seen: one, found: [] } : viewer(bytes);
  const found = path.includes("_portrait") ? all.filter((line) => !NOT_IN_PORTRAITS.test(line)) : all;
  const differ = Object.keys(seen).filter((key) => JSON.stringify(one[key]) !== JSON.stringify(seen[key]));
  bad += differ.length + found.length > 0;
  console.log(JSON.stringify({ path, ...seen, differ: Object.fromEntries(differ.map((k) => [k, one[k]])), found }));
}
process.exit(bad || process.argv.length < 3 ? 1 : 0);
