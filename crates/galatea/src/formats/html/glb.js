// Plays the GLB of this page: skins, clips, textures, blending, and what glTF itself cannot say from the extras that Galatea writes.
'use strict';

// --- The document -----------------------------------------------------------------------------------------------------------------------

function bytesOf(base64) {
  const text = atob(base64);
  const out = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) out[i] = text.charCodeAt(i);
  return out;
}

// The JSON and the binary chunk of a GLB.
function parseGlb(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint32(0, true) !== 0x46546c67) throw new Error('the model in this page is damaged');
  let json = null;
  let bin = new Uint8Array(0);
  for (let at = 12; at + 8 <= bytes.length;) {
    const length = view.getUint32(at, true);
    const kind = view.getUint32(at + 4, true);
    const chunk = bytes.subarray(at + 8, at + 8 + length);
    if (kind === 0x4e4f534a) json = JSON.parse(new TextDecoder().decode(chunk));
    else if (kind === 0x004e4942) bin = chunk;
    at += 8 + length;
  }
  return { json, bin };
}

const WIDTHS = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT2: 4, MAT3: 9, MAT4: 16 };
const READERS = {
  5120: [1, (v, at) => v.getInt8(at), 127], 5121: [1, (v, at) => v.getUint8(at), 255],
  5122: [2, (v, at) => v.getInt16(at, true), 32767], 5123: [2, (v, at) => v.getUint16(at, true), 65535],
  5125: [4, (v, at) => v.getUint32(at, true), 4294967295], 5126: [4, (v, at) => v.getFloat32(at, true), 1],
};

// The numbers of an accessor, one after the other.
function numbers({ json, bin }, index, whole = false) {
  const accessor = json.accessors[index];
  const width = WIDTHS[accessor.type];
  const out = whole ? new Uint32Array(accessor.count * width) : new Float32Array(accessor.count * width);
  const fill = (viewIndex, offset, type, count, put) => {
    const view = json.bufferViews[viewIndex];
    const [size, read, most] = READERS[type];
    const stride = view.byteStride ?? size * width;
    const data = new DataView(bin.buffer, bin.byteOffset + (view.byteOffset ?? 0) + offset);
    const scale = accessor.normalized ? 1 / most : 1;
    for (let i = 0; i < count; i++) for (let k = 0; k < width; k++) put(i, k, read(data, i * stride + k * size) * scale);
  };
  if (accessor.bufferView !== undefined) {
    fill(accessor.bufferView, accessor.byteOffset ?? 0, accessor.componentType, accessor.count, (i, k, v) => { out[i * width + k] = v; });
  }
  if (accessor.sparse) {
    const { count, indices, values } = accessor.sparse;
    const view = json.bufferViews[indices.bufferView];
    const [size, read] = READERS[indices.componentType];
    const data = new DataView(bin.buffer, bin.byteOffset + (view.byteOffset ?? 0) + (indices.byteOffset ?? 0));
    const rows = Array.from({ length: count }, (_, i) => read(data, i * size));
    fill(values.bufferView, values.byteOffset ?? 0, accessor.componentType, count, (i, k, v) => { out[rows[i] * width + k] = v; });
  }
  return out;
}
