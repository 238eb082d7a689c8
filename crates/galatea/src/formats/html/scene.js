// --- Matrices: column by column -----------------------------------------------------------------------------------------------------------

function multiply(a, b, out = new Float32Array(16)) {
  for (let c = 0; c < 4; c++) {
    const [x, y, z, w] = [b[c * 4], b[c * 4 + 1], b[c * 4 + 2], b[c * 4 + 3]];
    for (let r = 0; r < 4; r++) out[c * 4 + r] = a[r] * x + a[4 + r] * y + a[8 + r] * z + a[12 + r] * w;
  }
  return out;
}

function compose([tx, ty, tz], [x, y, z, w], [sx, sy, sz], out) {
  out[0] = (1 - 2 * (y * y + z * z)) * sx; out[1] = 2 * (x * y + z * w) * sx; out[2] = 2 * (x * z - y * w) * sx; out[3] = 0;
  out[4] = 2 * (x * y - z * w) * sy; out[5] = (1 - 2 * (x * x + z * z)) * sy; out[6] = 2 * (y * z + x * w) * sy; out[7] = 0;
  out[8] = 2 * (x * z + y * w) * sz; out[9] = 2 * (y * z - x * w) * sz; out[10] = (1 - 2 * (x * x + y * y)) * sz; out[11] = 0;
  out[12] = tx; out[13] = ty; out[14] = tz; out[15] = 1;
  return out;
}

const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = (v) => { const l = Math.hypot(...v) || 1; return [v[0] / l, v[1] / l, v[2] / l]; };
const point = (m, [x, y, z]) => [0, 1, 2].map((r) => m[r] * x + m[4 + r] * y + m[8 + r] * z + m[12 + r]);
const IDENTITY = compose([0, 0, 0], [0, 0, 0, 1], [1, 1, 1], new Float32Array(16));

// --- The scene ----------------------------------------------------------------------------------------------------------------------------

const ours = (thing) => thing?.extras?.galatea ?? {};

// Nodes with parents before children.
function readNodes(json) {
  const nodes = (json.nodes ?? []).map((node) => ({
    name: ours(node).key ?? node.name ?? '',
    rest: { translation: node.translation ?? [0, 0, 0], rotation: node.rotation ?? [0, 0, 0, 1], scale: node.scale ?? [1, 1, 1] },
    matrix: node.matrix && new Float32Array(node.matrix),
    hidden: node.extensions?.KHR_node_visibility?.visible === false || ours(node).visible === false,
    billboard: ours(node).billboard, tint: ours(node).tint, axes: ours(node).axes, front: ours(node).front,
    mesh: node.mesh, skin: node.skin, parent: -1, local: {}, world: new Float32Array(16), visible: true, children: node.children ?? [],
  }));
  const order = [];
  const todo = (json.scenes?.[json.scene ?? 0]?.nodes ?? []).map((id) => [id, -1]);
  while (todo.length > 0) {
    const [id, parent] = todo.pop();
    if (!nodes[id] || order.includes(id)) continue;
    nodes[id].parent = parent;
    order.push(id);
    for (const child of nodes[id].children) todo.push([child, id]);
  }
  return { nodes, order };
}

// The channels of a clip by node, and its curves, which glTF has no place for.
function readClips(doc) {
  const notes = new Map((ours(doc.json.scenes?.[doc.json.scene ?? 0]).clips ?? []).map((clip) => [clip.clip, clip]));
  return (doc.json.animations ?? []).map((animation, index) => {
    let length = 0;
    const channels = animation.channels.filter((c) => c.target.node !== undefined).map((channel) => {
      const sampler = animation.samplers[channel.sampler];
      const times = numbers(doc, sampler.input);
      length = Math.max(length, times[times.length - 1] ?? 0);
      return { node: channel.target.node, path: channel.target.path, times, values: numbers(doc, sampler.output), mode: sampler.interpolation ?? 'LINEAR' };
    });
    const note = notes.get(animation.name) ?? {};
    const listed = (list) => Array.isArray(list) && list.every((v) => typeof v === 'number');
    const curves = (note.curves ?? []).filter((c) => listed(c.times) && listed(c.values) && c.times.length > 0);
    return { name: animation.name ?? `clip ${index + 1}`, channels, curves, length };
  });
}

// The value of keys at a time.
function sample({ times, values, mode }, width, time, turns) {
  const cubic = mode === 'CUBICSPLINE' || mode === 'cubic';
  const stride = cubic ? width * 3 : width;
  const key = (i) => Array.from({ length: width }, (_, k) => values[i * stride + (cubic ? width : 0) + k]);
  let last = times.length - 1;
  if (time <= times[0]) return key(0);
  if (time >= times[last]) return key(last);
  let low = 0;
  while (last - low > 1) {
    const middle = (low + last) >> 1;
    if (times[middle] <= time) low = middle; else last = middle;
  }
  const [a, b] = [key(low), key(low + 1)];
  if (mode === 'STEP' || mode === 'step') return a;
  const span = times[low + 1] - times[low];
  const t = span > 0 ? (time - times[low]) / span : 0;
  if (cubic) {
    const [t2, t3] = [t * t, t * t * t];
    const out = a.map((v, k) => (2 * t3 - 3 * t2 + 1) * v + (t3 - 2 * t2 + t) * span * values[low * stride + 2 * width + k]
      + (3 * t2 - 2 * t3) * b[k] + (t3 - t2) * span * values[(low + 1) * stride + k]);
    return turns ? unit4(out) : out;
  }
  if (turns) return slerp(a, b, t);
  return a.map((v, k) => v + (b[k] - v) * t);
}

function unit4(q) {
  const length = Math.hypot(...q) || 1;
  return q.map((v) => v / length);
}

function slerp(a, b, t) {
  let along = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
  const sign = along < 0 ? -1 : 1;
  along *= sign;
  if (along > 0.9995) return unit4(a.map((v, k) => v + (b[k] * sign - v) * t));
  const angle = Math.acos(Math.min(along, 1));
  const [p, q] = [Math.sin((1 - t) * angle) / Math.sin(angle), Math.sin(t * angle) / Math.sin(angle)];
  return a.map((v, k) => v * p + b[k] * sign * q);
}

// What the blending of a material is in the game.
function blendOf(material) {
  const note = ours(material);
  if (note.shown?.additive) return 'additive';
  if (note.shown?.alpha === undefined && ['additive', 'modulate', 'modulate2x'].includes(note.alpha)) return note.alpha;
  if (material.alphaMode === 'BLEND') return 'blend';
  return material.alphaMode === 'MASK' ? 'mask' : 'opaque';
}
