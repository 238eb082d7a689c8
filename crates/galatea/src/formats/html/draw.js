// --- Drawing ------------------------------------------------------------------------------------------------------------------------------

const VERTEX = `#version 300 es
precision highp float;
precision highp sampler2D;
layout(location = 0) in vec3 a_place;
layout(location = 1) in vec3 a_normal;
layout(location = 2) in vec2 a_uv;
layout(location = 3) in vec2 a_uv1;
layout(location = 4) in vec4 a_color;
layout(location = 5) in vec4 a_joints;
layout(location = 6) in vec4 a_weights;
layout(location = 7) in vec4 a_joints1;
layout(location = 8) in vec4 a_weights1;
uniform mat4 u_world;
uniform mat4 u_view;
uniform bool u_skinned;
uniform sampler2D u_bones;
out vec3 v_place;
out vec3 v_normal;
out vec2 v_uv;
out vec2 v_uv1;
out vec4 v_color;
mat4 bone(float index) {
  int row = int(index + 0.5);
  return mat4(texelFetch(u_bones, ivec2(0, row), 0), texelFetch(u_bones, ivec2(1, row), 0),
    texelFetch(u_bones, ivec2(2, row), 0), texelFetch(u_bones, ivec2(3, row), 0));
}
void main() {
  mat4 world = u_world;
  if (u_skinned) {
    mat4 sum = mat4(0.0);
    float total = 0.0;
    for (int i = 0; i < 4; i++) {
      if (a_weights[i] != 0.0) sum += bone(a_joints[i]) * a_weights[i];
      if (a_weights1[i] != 0.0) sum += bone(a_joints1[i]) * a_weights1[i];
      total += a_weights[i] + a_weights1[i];
    }
    if (total > 0.0) world = sum / total;
  }
  vec4 place = world * vec4(a_place, 1.0);
  v_place = place.xyz;
  // The cofactors, so that flattened and mirrored meshes have normals, too.
  mat3 m = mat3(world);
  v_normal = mat3(cross(m[1], m[2]), cross(m[2], m[0]), cross(m[0], m[1])) * a_normal * sign(determinant(m) + 1e-30);
  v_uv = a_uv;
  v_uv1 = a_uv1;
  v_color = a_color;
  gl_Position = u_view * place;
}`;

const FRAGMENT = `#version 300 es
precision highp float;
in vec3 v_place;
in vec3 v_normal;
in vec2 v_uv;
in vec2 v_uv1;
in vec4 v_color;
uniform sampler2D u_base;
uniform sampler2D u_emissive;
uniform sampler2D u_lightmap;
uniform sampler2D u_bumps;
uniform vec4 u_factor;
uniform vec3 u_glow;
uniform vec3 u_right;
uniform vec3 u_up;
uniform vec3 u_back;
uniform mat3 u_place;
uniform mat3 u_lightmap_place;
// Which maps there are: base, emissive, lightmap, normal. Sets of coordinates: base, lightmap. Whether normals are missing, and unlit.
uniform bvec4 u_maps;
uniform ivec2 u_sets;
uniform bvec2 u_flags;
uniform float u_cutoff;
uniform int u_blend;
out vec4 o_color;
vec4 light_of(vec4 texel) { return vec4(texel.rgb * texel.rgb, texel.a); }
void main() {
  vec2 uv = (u_place * vec3(u_sets.x == 1 ? v_uv1 : v_uv, 1.0)).xy;
  vec3 px = dFdx(v_place), py = dFdy(v_place);
  vec2 du = dFdx(uv), dv = dFdy(uv);
  vec4 color = v_color * u_factor;
  if (u_maps.x) color *= light_of(texture(u_base, uv));
  if (u_cutoff >= 0.0 && color.a < u_cutoff) discard;
  vec3 seen = normalize(cross(px, py));
  vec3 normal = u_flags.x ? seen : normalize(v_normal) * (gl_FrontFacing ? 1.0 : -1.0);
  if (u_maps.w) {
    float turn = du.x * dv.y - du.y * dv.x < 0.0 ? -1.0 : 1.0;
    vec3 tangent = (px * dv.y - py * du.y) * turn;
    tangent -= normal * dot(normal, tangent);
    if (dot(tangent, tangent) > 1e-20) {
      tangent = normalize(tangent);
      vec3 down = (py * du.x - px * dv.x) * turn;
      vec3 up = cross(normal, tangent);
      up *= dot(up, down) > 0.0 ? -1.0 : 1.0;
      vec3 v = texture(u_bumps, uv).xyz * (255.0 / 127.0) - 128.0 / 127.0;
      normal = normalize(tangent * v.x + up * v.y + normal * max(v.z, 0.05));
    }
  }
  vec3 light = vec3(1.0);
  if (!u_flags.y) {
    vec3 key = u_right * -0.42 + u_up * 0.60 + u_back * 0.68;
    light = vec3(0.78 * max(dot(normal, key), 0.0) + 0.14 + 0.16 * (0.5 + 0.5 * normal.y));
  }
  vec3 glow = u_glow;
  if (u_maps.y) glow *= light_of(texture(u_emissive, uv)).rgb;
  if (u_maps.z) {
    vec2 at = (u_lightmap_place * vec3(u_sets.y == 1 ? v_uv1 : v_uv, 1.0)).xy;
    vec3 baked = min(texture(u_lightmap, at).rgb + u_glow, 1.0);
    light = baked * baked;
    glow = vec3(0.0);
  }
  vec3 shown = sqrt(max(color.rgb * light + glow, 0.0));
  float alpha = clamp(color.a, 0.0, 1.0);
  if (u_blend == 0) o_color = vec4(shown, 1.0);
  else if (u_blend == 3) o_color = vec4(shown, 1.0);
  else o_color = vec4(shown * alpha, u_blend == 2 ? 0.0 : alpha);
}`;

function program(gl) {
  const id = gl.createProgram();
  for (const [kind, text] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    gl.attachShader(id, shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS) && !gl.isContextLost()) throw new Error(gl.getShaderInfoLog(shader));
  }
  gl.linkProgram(id);
  if (!gl.getProgramParameter(id, gl.LINK_STATUS) && !gl.isContextLost()) throw new Error(gl.getProgramInfoLog(id));
  const at = {};
  const count = gl.getProgramParameter(id, gl.ACTIVE_UNIFORMS);
  for (let i = 0; i < count; i++) {
    const { name } = gl.getActiveUniform(id, i);
    at[name] = gl.getUniformLocation(id, name);
  }
  return { id, at };
}

// Images decode in the background; until then materials have none.
function readTextures(gl, { json, bin }, changed) {
  const wraps = { 33071: gl.CLAMP_TO_EDGE, 33648: gl.MIRRORED_REPEAT, 10497: gl.REPEAT };
  return (json.textures ?? []).map((texture) => {
    const image = json.images?.[texture.source];
    const out = { id: null, ready: false };
    if (image?.bufferView === undefined) return out;
    const view = json.bufferViews[image.bufferView];
    const bytes = bin.subarray(view.byteOffset ?? 0, (view.byteOffset ?? 0) + view.byteLength);
    const sampler = json.samplers?.[texture.sampler] ?? {};
    const options = { premultiplyAlpha: 'none', colorSpaceConversion: 'none' };
    out.done = createImageBitmap(new Blob([bytes], { type: image.mimeType }), options).then((bitmap) => {
      out.id = gl.createTexture();
      gl.bindTexture(gl.TEXTURE_2D, out.id);
      gl.pixelStorei(gl.UNPACK_PREMULTIPLY_ALPHA_WEBGL, false);
      gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, gl.RGBA, gl.UNSIGNED_BYTE, bitmap);
      gl.generateMipmap(gl.TEXTURE_2D);
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR_MIPMAP_LINEAR);
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, wraps[sampler.wrapS] ?? gl.REPEAT);
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, wraps[sampler.wrapT] ?? gl.REPEAT);
      out.ready = true;
      changed();
    }).catch(() => {});
    return out;
  });
}

// The placement of a texture as a matrix.
function placement(info, moved) {
  const { offset = [0, 0], rotation = 0, scale = [1, 1] } = info?.extensions?.KHR_texture_transform ?? {};
  const [s, c] = [Math.sin(rotation), Math.cos(rotation)];
  const own = [c * scale[0], -s * scale[0], 0, s * scale[1], c * scale[1], 0, offset[0], offset[1], 1];
  if (!moved) return own;
  // What moves it in the game comes first.
  return [0, 1, 2].flatMap((col) => [0, 1, 2].map((row) => own[row] * moved[col * 3] + own[3 + row] * moved[col * 3 + 1] + own[6 + row] * moved[col * 3 + 2]));
}

function readMaterials(json, textures) {
  const plain = { pbrMetallicRoughness: {} };
  return [...(json.materials ?? []), plain].map((material) => {
    const pbr = material.pbrMetallicRoughness ?? {};
    const base = pbr.baseColorTexture;
    const lightmap = material.extensions?.MOZ_lightmap;
    const map = (info) => (info === undefined ? null : textures[info.index] ?? null);
    const set = (info) => info?.extensions?.KHR_texture_transform?.texCoord ?? info?.texCoord ?? 0;
    return {
      name: ours(material).key ?? material.name ?? '', factor: pbr.baseColorFactor ?? [1, 1, 1, 1],
      glow: material.emissiveFactor ?? [0, 0, 0], unlit: material.extensions?.KHR_materials_unlit !== undefined,
      base: map(base), emissive: map(material.emissiveTexture), lightmap: map(lightmap), bumps: map(material.normalTexture),
      sets: [set(base), set(lightmap)], info: base, lightmapInfo: lightmap,
      blend: blendOf(material), cutoff: material.alphaMode === 'MASK' ? material.alphaCutoff ?? 0.5 : -1,
      twoSided: material.doubleSided === true, never: ours(material).hidden !== undefined || ours(material).none === true,
      state: null,
    };
  });
}

const COLUMNS = [['POSITION', 3], ['NORMAL', 3], ['TEXCOORD_0', 2], ['TEXCOORD_1', 2], ['COLOR_0', 4], ['JOINTS_0', 4], ['WEIGHTS_0', 4], ['JOINTS_1', 4], ['WEIGHTS_1', 4]];

function readMeshes(gl, doc) {
  const buffers = new Map();
  const column = (index, width) => {
    const known = buffers.get(`${index} ${width}`);
    if (known) return known;
    let data = numbers(doc, index);
    const has = WIDTHS[doc.json.accessors[index].type];
    if (has === 3 && width === 4) data = Float32Array.from({ length: (data.length / 3) * 4 }, (_, i) => (i % 4 === 3 ? 1 : data[(i >> 2) * 3 + (i % 4)]));
    const id = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, id);
    gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
    buffers.set(`${index} ${width}`, { id, data });
    return buffers.get(`${index} ${width}`);
  };
  return (doc.json.meshes ?? []).map((mesh) => mesh.primitives.map((primitive) => {
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    let places = null;
    COLUMNS.forEach(([name, width], location) => {
      const index = primitive.attributes[name];
      if (index === undefined) return;
      const { id, data } = column(index, width);
      if (location === 0) places = data;
      gl.bindBuffer(gl.ARRAY_BUFFER, id);
      gl.enableVertexAttribArray(location);
      gl.vertexAttribPointer(location, width, gl.FLOAT, false, 0, 0);
    });
    let indices = null;
    if (primitive.indices !== undefined) {
      indices = numbers(doc, primitive.indices, true);
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
      gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, indices, gl.STATIC_DRAW);
    }
    gl.bindVertexArray(null);
    const joints = primitive.attributes.JOINTS_0 !== undefined;
    const raw = joints && [numbers(doc, primitive.attributes.JOINTS_0), numbers(doc, primitive.attributes.WEIGHTS_0)];
    return { array, places, indices, count: indices ? indices.length : (places?.length ?? 0) / 3, mode: primitive.mode ?? 4,
      material: primitive.material ?? -1, flat: primitive.attributes.NORMAL === undefined, joints: raw };
  }));
}
