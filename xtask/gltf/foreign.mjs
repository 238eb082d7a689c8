// Makes glTF files with three.js' exporter: `foreign.mjs FOLDER`, with three installed below the folder in THREE.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const home = join(process.env.THREE, 'node_modules/three');
const load = (path) => import(pathToFileURL(join(home, path)));
const THREE = await load('build/three.module.js');

// The exporter reads its own bytes with what only browsers have.
globalThis.FileReader = class {
  async readAsArrayBuffer(blob) {
    this.result = await blob.arrayBuffer();
    this.onloadend?.();
  }
};
const { GLTFExporter } = await load('examples/jsm/exporters/GLTFExporter.js');

const material = (name, colour) => new THREE.MeshStandardMaterial({ name, color: colour });

// A knot, a box with six materials, and a shape without indices.
function three_static() {
  const scene = new THREE.Scene();
  const knot = new THREE.Mesh(new THREE.TorusKnotGeometry(1, 0.3, 64, 12), material('gold', 0xffcc33));
  knot.name = 'knot';
  scene.add(knot);
  const sides = [0, 1, 2, 3, 4, 5].map((i) => material(`side ${i}`, i * 0x202020));
  const box = new THREE.Mesh(new THREE.BoxGeometry(1, 2, 3), sides);
  box.name = 'box';
  box.position.set(3, 0, 0);
  box.rotation.set(0.2, 0.4, 0.6);
  scene.add(box);
  const loose = new THREE.Mesh(new THREE.OctahedronGeometry(1, 2), material('glass', 0x88aaff));
  loose.name = 'loose';
  loose.scale.set(1, -2, 1);
  box.add(loose);
  return { scene };
}

// A worm of 40 bones with two clips, lines and curves.
function three_skinned() {
  const scene = new THREE.Scene();
  const count = 40;
  const geometry = new THREE.CylinderGeometry(0.3, 0.3, count, 10, 160);
  geometry.translate(0, count / 2, 0);
  const at = geometry.attributes.position;
  const joints = [], weights = [];
  for (let i = 0; i < at.count; i++) {
    const low = Math.min(Math.floor(at.getY(i)), count - 2), part = Math.min(at.getY(i) - low, 1);
    joints.push(low, low + 1, 0, 0);
    weights.push(1 - part, part, 0, 0);
  }
  geometry.setAttribute('skinIndex', new THREE.Uint16BufferAttribute(joints, 4));
  geometry.setAttribute('skinWeight', new THREE.Float32BufferAttribute(weights, 4));
  const bones = [];
  for (let i = 0; i < count; i++) {
    const bone = new THREE.Bone();
    bone.name = `joint${i}`;
    bone.position.y = i ? 1 : 0;
    bones[i - 1]?.add(bone);
    bones.push(bone);
  }
  const worm = new THREE.SkinnedMesh(geometry, material('skin', 0xcc8866));
  worm.name = 'worm';
  worm.add(bones[0]);
  worm.bind(new THREE.Skeleton(bones));
  scene.add(worm);
  const turn = (x, z) => new THREE.Quaternion().setFromEuler(new THREE.Euler(x, 0, z)).toArray();
  const tracks = [3, 10, 25].map((i) =>
    new THREE.QuaternionKeyframeTrack(`joint${i}.quaternion`, [0, 0.7, 1.5], [...turn(0, 0), ...turn(0.5, 0.1), ...turn(0, -0.3)]));
  const crawl = new THREE.AnimationClip('crawl', -1, tracks);
  const hop = new THREE.VectorKeyframeTrack('joint0.position', [0, 0.5, 1], [0, 0, 0, 0, 2, 1, 0, 0, 0], THREE.InterpolateSmooth);
  const blink = new THREE.VectorKeyframeTrack('joint5.scale', [0, 0.25, 0.5], [1, 1, 1, 2, 2, 2, 1, 1, 1], THREE.InterpolateDiscrete);
  return { scene, animations: [crawl, new THREE.AnimationClip('hop', -1, [hop, blink])] };
}

const folder = process.argv[2];
mkdirSync(folder, { recursive: true });
for (const make of [three_static, three_skinned]) {
  const { scene, animations = [] } = make();
  const bytes = await new GLTFExporter().parseAsync(scene, { binary: true, animations });
  writeFileSync(join(folder, `${make.name}.glb`), Buffer.from(bytes));
}
