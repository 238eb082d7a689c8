class Model {
  constructor(gl, doc, changed) {
    Object.assign(this, readNodes(doc.json), { gl, json: doc.json, clips: readClips(doc) });
    this.textures = readTextures(gl, doc, changed);
    this.materials = readMaterials(doc.json, this.textures);
    this.meshes = readMeshes(gl, doc);
    this.skins = (doc.json.skins ?? []).map((skin) => {
      const binds = skin.inverseBindMatrices === undefined ? null : numbers(doc, skin.inverseBindMatrices);
      return { joints: skin.joints, binds, data: new Float32Array(skin.joints.length * 16), texture: gl.createTexture() };
    });
    const axes = this.nodes.find((node) => node.axes);
    this.upright = uprightOf(axes);
    this.front = frontOf(axes);
  }

  // Sets all nodes to a time of a clip, and billboards to a camera with these axes.
  pose(clip, time, camera) {
    for (const node of this.nodes) {
      Object.assign(node.local, node.rest);
      node.shown = !node.hidden;
      node.mixed = node.tint ?? [1, 1, 1, 1];
    }
    for (const material of this.materials) material.state = { factor: [...material.factor], glow: material.glow, moved: null };
    if (clip) {
      for (const channel of clip.channels) {
        const node = this.nodes[channel.node];
        if (node.local[channel.path]) node.local[channel.path] = sample(channel, channel.path === 'rotation' ? 4 : 3, time, channel.path === 'rotation');
      }
      for (const curve of clip.curves) this.curve(curve, time);
    }
    for (const id of this.order) {
      const node = this.nodes[id];
      const parent = this.nodes[node.parent];
      const local = node.matrix ?? compose(node.local.translation, node.local.rotation, node.local.scale, new Float32Array(16));
      multiply(parent ? parent.world : IDENTITY, local, node.world);
      node.visible = node.shown && (parent ? parent.visible : true);
      if (node.billboard) this.face(node, camera);
    }
  }

  // Applies what glTF has no channel for.
  curve({ kind, target, property, interpolation, times, values }, time) {
    const width = values.length / times.length / (interpolation === 'cubic' ? 3 : 1);
    const value = sample({ times, values, mode: interpolation }, width, time, false);
    if (kind === 'node') {
      for (const node of this.nodes.filter((n) => n.name === target)) {
        if (property === 'visibility') node.shown = value[0] > 0;
        if (property === 'alpha') node.mixed = [...node.mixed.slice(0, 3), value[0]];
        if (property === 'color') node.mixed = [...value.slice(0, 3), node.mixed[3]];
      }
    } else if (kind === 'material') {
      for (const { state } of this.materials.filter((m) => m.name === target)) {
        if (property === 'alpha') state.factor[3] = value[0];
        if (property === 'color') state.factor.splice(0, 3, ...value);
        if (property === 'emissive') state.glow = value;
        if (property === 'uv_offset') state.moved = [1, 0, 0, 0, 1, 0, value[0], value[1], 1];
      }
    }
  }

  // Turns a node to the camera: its front towards the viewer, its up up in the image.
  face(node, [right, up, back]) {
    const w = node.world;
    const sizes = [0, 4, 8].map((c) => Math.hypot(w[c], w[c + 1], w[c + 2]));
    this.upright.forEach((axis, c) => {
      for (let r = 0; r < 3; r++) w[c * 4 + r] = (axis[0] * right[r] + axis[1] * up[r] + axis[2] * back[r]) * sizes[c];
    });
  }

  // The matrices of the bones of a skin, as a texture.
  bones(skin) {
    const { gl } = this;
    skin.joints.forEach((joint, i) => {
      const bind = skin.binds ? skin.binds.subarray(i * 16, i * 16 + 16) : IDENTITY;
      multiply(this.nodes[joint].world, bind, skin.data.subarray(i * 16, i * 16 + 16));
    });
    gl.activeTexture(gl.TEXTURE4);
    gl.bindTexture(gl.TEXTURE_2D, skin.texture);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA32F, 4, skin.joints.length, 0, gl.RGBA, gl.FLOAT, skin.data);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
  }

  // Everything that is seen, with its place for sorting.
  drawn() {
    const out = [];
    for (const id of this.order) {
      const node = this.nodes[id];
      if (node.mesh === undefined || !node.visible) continue;
      for (const primitive of this.meshes[node.mesh]) {
        const material = this.materials[primitive.material] ?? this.materials[this.materials.length - 1];
        if (!material.never && primitive.count > 0 && primitive.places) out.push({ node, primitive, material });
      }
    }
    return out;
  }

  // The box around what a viewer looks for: a backdrop that would make the rest a speck does not count.
  bounds() {
    const boxes = this.drawn().map(({ node, primitive }) => this.box(node, primitive)).filter(Boolean);
    const size = ({ min, max }) => Math.hypot(...max.map((v, k) => v - min[k]));
    boxes.sort((a, b) => size(a) - size(b));
    const all = boxes.reduce((sum, { count }) => sum + count, 0);
    let kept = null;
    let weight = 0;
    for (const box of boxes) {
      if (kept && size(box) > size(kept) * 6 && weight * 2 > all) continue;
      kept = kept ? { min: kept.min.map((v, k) => Math.min(v, box.min[k])), max: kept.max.map((v, k) => Math.max(v, box.max[k])) } : box;
      weight += box.count;
    }
    return kept ?? { min: [-1, -1, -1], max: [1, 1, 1] };
  }

  // The box around a primitive as it is posed.
  box(node, primitive) {
    let [min, max] = [[Infinity, Infinity, Infinity], [-Infinity, -Infinity, -Infinity]];
    const skin = node.skin === undefined || !primitive.joints ? null : this.skins[node.skin];
    if (skin) this.bones(skin);
    const count = primitive.places.length / 3;
    const step = Math.max(1, Math.floor(count / 4000));
    for (let i = 0; i < count; i += step) {
      let matrix = node.world;
      if (skin) {
        const [joints, weights] = primitive.joints;
        let best = 0;
        for (let k = 1; k < 4; k++) if (weights[i * 4 + k] > weights[i * 4 + best]) best = k;
        matrix = skin.data.subarray(joints[i * 4 + best] * 16, joints[i * 4 + best] * 16 + 16);
      }
      const at = point(matrix, primitive.places.subarray(i * 3, i * 3 + 3));
      if (!at.every(Number.isFinite)) continue;
      min = min.map((v, k) => Math.min(v, at[k]));
      max = max.map((v, k) => Math.max(v, at[k]));
    }
    return min[0] <= max[0] ? { min, max, count: primitive.count / 3 } : null;
  }
}

const turnBy = ([x, y, z, w], v) => {
  const t = cross([x, y, z], v).map((c) => 2 * c);
  const u = cross([x, y, z], t);
  return v.map((c, k) => c + w * t[k] + u[k]);
};

// The direction that the model faces, in the scene.
function frontOf(axes) {
  return axes?.front ? unit(turnBy(axes.rest.rotation, axes.front)) : [0, 0, 1];
}

// For each axis of the model, where it points in the image when the model faces the viewer upright: right, up, towards the viewer.
function uprightOf(axes) {
  const back = ([x, y, z, w]) => [-x, -y, -z, w];
  if (!axes) return [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
  const up = turnBy(back(axes.rest.rotation), [0, 1, 0]);
  const front = axes.front ?? turnBy(back(axes.rest.rotation), [0, 0, 1]);
  const right = cross(up, front);
  return [0, 1, 2].map((k) => [right[k], up[k], front[k]]);
}
