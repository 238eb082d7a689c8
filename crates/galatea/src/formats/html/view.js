class Camera {
  constructor() {
    Object.assign(this, { yaw: 35, pitch: 20, distance: 4, target: [0, 0, 0], field: 30 });
  }

  axes(front) {
    const yaw = (this.yaw * Math.PI) / 180 + Math.atan2(front[0], front[2]);
    const pitch = (this.pitch * Math.PI) / 180;
    const [sy, cy, sp, cp] = [Math.sin(yaw), Math.cos(yaw), Math.sin(pitch), Math.cos(pitch)];
    return [[cy, 0, -sy], [-sy * sp, cp, -cy * sp], [sy * cp, sp, cy * cp]];
  }

  tangents(aspect) {
    const tan = Math.tan((this.field * Math.PI) / 360);
    return aspect >= 1 ? [tan * aspect, tan] : [tan, tan / aspect];
  }

  frame({ min, max }, front, aspect) {
    const [right, up, back] = this.axes(front);
    const half = max.map((v, k) => (v - min[k]) / 2);
    const [tx, ty] = this.tangents(aspect);
    let distance = 0;
    for (let corner = 0; corner < 8; corner++) {
      const at = half.map((v, k) => (corner >> k & 1 ? v : -v));
      distance = Math.max(distance, Math.abs(dot(at, right)) / tx + dot(at, back), Math.abs(dot(at, up)) / ty + dot(at, back));
    }
    this.target = max.map((v, k) => (v + min[k]) / 2);
    this.distance = distance > 0 ? distance * 1.06 : 1;
  }

  // World to clip, without a far plane.
  matrix([right, up, back], aspect) {
    const [tx, ty] = this.tangents(aspect);
    const near = this.distance * 1e-2;
    const row = (axis, by, w) => [axis[0] / by, axis[1] / by, axis[2] / by, w - dot(axis, this.target) / by];
    const [x, y] = [row(right, tx, 0), row(up, ty, 0)];
    const w = row(back, -1, this.distance);
    const z = [w[0], w[1], w[2], w[3] - 2 * near];
    return Float32Array.from([0, 1, 2, 3].flatMap((c) => [x[c], y[c], z[c], w[c]]));
  }
}

class Viewer {
  constructor(canvas, model) {
    this.gl = canvas.getContext('webgl2', { alpha: false, antialias: true });
    if (!this.gl) throw new Error('this browser has no WebGL 2, which the model needs to be shown');
    this.canvas = canvas;
    this.camera = new Camera();
    const doc = parseGlb(model);
    this.program = program(this.gl);
    this.model = new Model(this.gl, doc, () => { this.dirty = true; });
    this.clip = null;
    this.time = 0;
    this.dirty = true;
    const units = { u_base: 0, u_emissive: 1, u_lightmap: 2, u_bumps: 3, u_bones: 4 };
    this.gl.useProgram(this.program.id);
    for (const [name, unit] of Object.entries(units)) this.gl.uniform1i(this.program.at[name], unit);
    this.nothing = this.gl.createTexture();
    this.gl.bindTexture(this.gl.TEXTURE_2D, this.nothing);
    this.gl.texImage2D(this.gl.TEXTURE_2D, 0, this.gl.RGBA, 1, 1, 0, this.gl.RGBA, this.gl.UNSIGNED_BYTE, new Uint8Array(4).fill(255));
  }

  get aspect() { return this.canvas.width / Math.max(this.canvas.height, 1); }

  showAll() {
    // A clip may hide what is shown at rest; what is seen in its middle counts.
    this.model.pose(this.clip, this.clip ? this.clip.length / 2 : 0, this.camera.axes(this.model.front));
    this.camera.frame(this.model.bounds(), this.model.front, this.aspect);
    this.dirty = true;
  }

  draw() {
    const { gl, model, camera, canvas } = this;
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    const [width, height] = [canvas.clientWidth, canvas.clientHeight].map((v) => Math.max(1, Math.round(v * ratio)));
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    const axes = camera.axes(model.front);
    model.pose(this.clip, this.time, axes);
    const color = getComputedStyle(document.body).backgroundColor.match(/[\d.]+/g).map(Number);
    gl.viewport(0, 0, width, height);
    gl.clearColor(color[0] / 255, color[1] / 255, color[2] / 255, 1);
    gl.depthMask(true);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LEQUAL);
    gl.useProgram(this.program.id);
    const { at } = this.program;
    gl.uniformMatrix4fv(at.u_view, false, camera.matrix(axes, this.aspect));
    ['u_right', 'u_up', 'u_back'].forEach((name, k) => gl.uniform3fv(at[name], axes[k]));
    const all = model.drawn().map((item) => {
      const factor = item.material.state.factor.map((v, k) => v * item.node.mixed[k]);
      const faint = factor[3] < 0.999 && item.material.blend === 'opaque';
      const blend = faint ? 'blend' : item.material.blend;
      const center = point(item.node.world, [0, 0, 0]);
      return { ...item, factor, blend, away: -dot(center, axes[2]) };
    }).filter((item) => item.factor[3] > 0.004 || item.blend === 'opaque');
    const late = (item) => !['opaque', 'mask'].includes(item.blend);
    all.filter((item) => !late(item)).forEach((item) => this.one(item));
    all.filter(late).sort((a, b) => b.away - a.away).forEach((item) => this.one(item));
  }

  one({ node, primitive, material, factor, blend }) {
    const { gl, model } = this;
    const { at } = this.program;
    const skin = node.skin === undefined || !primitive.joints ? null : model.skins[node.skin];
    if (skin) model.bones(skin);
    gl.uniform1i(at.u_skinned, skin ? 1 : 0);
    gl.uniformMatrix4fv(at.u_world, false, node.world);
    gl.uniform4fv(at.u_factor, factor);
    gl.uniform3fv(at.u_glow, material.state.glow);
    gl.uniformMatrix3fv(at.u_place, false, placement(material.info, material.state.moved));
    gl.uniformMatrix3fv(at.u_lightmap_place, false, placement(material.lightmapInfo, null));
    const maps = [material.base, material.emissive, material.lightmap, material.bumps];
    maps.forEach((map, unit) => {
      gl.activeTexture(gl.TEXTURE0 + unit);
      gl.bindTexture(gl.TEXTURE_2D, map?.ready ? map.id : this.nothing);
    });
    gl.uniform4iv(at.u_maps, maps.map((map) => (map?.ready ? 1 : 0)));
    gl.uniform2iv(at.u_sets, material.sets);
    gl.uniform2iv(at.u_flags, [primitive.flat ? 1 : 0, material.unlit ? 1 : 0]);
    gl.uniform1f(at.u_cutoff, material.cutoff);
    const kinds = { opaque: 0, mask: 0, blend: 1, additive: 2, modulate: 3, modulate2x: 3 };
    gl.uniform1i(at.u_blend, kinds[blend]);
    gl.depthMask(kinds[blend] === 0);
    if (kinds[blend] === 0) {
      gl.disable(gl.BLEND);
    } else {
      gl.enable(gl.BLEND);
      const factors = { blend: [gl.ONE, gl.ONE_MINUS_SRC_ALPHA], additive: [gl.ONE, gl.ONE], modulate: [gl.DST_COLOR, gl.ZERO], modulate2x: [gl.DST_COLOR, gl.SRC_COLOR] };
      gl.blendFunc(...factors[blend]);
    }
    if (material.twoSided) gl.disable(gl.CULL_FACE); else gl.enable(gl.CULL_FACE);
    const w = node.world;
    const turned = w[0] * (w[5] * w[10] - w[6] * w[9]) - w[4] * (w[1] * w[10] - w[2] * w[9]) + w[8] * (w[1] * w[6] - w[2] * w[5]) < 0;
    gl.frontFace(turned && !skin ? gl.CW : gl.CCW);
    gl.bindVertexArray(primitive.array);
    gl.vertexAttrib4f(4, 1, 1, 1, 1);
    if (primitive.indices) gl.drawElements(primitive.mode, primitive.count, gl.UNSIGNED_INT, 0);
    else gl.drawArrays(primitive.mode, 0, primitive.count);
  }
}
