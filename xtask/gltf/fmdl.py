"""What a reader written from the public documentation alone sees in Fox Engine models: `fmdl.py FILE.fmdl...`.

Reads the layout as documented (header, blocks of section 0 and 1, vertex layouts, face windows) without any code of Galatea.
WORDS names a text file whose lines are hashed to spell names out. One JSON line per file; ends with 1 if a file contradicts
the documentation: an index or an offset out of range, windows that do not fit, weights that do not sum to 255, front faces
that are not clockwise, boxes that are not those of the vertices.
"""

import json
import math
import os
import struct
import sys

MASK = 0xFFFFFFFFFFFFFFFF
K0, K1, K2, K3 = 0xC3A5C85C97CB3127, 0xB492B66FBE98F273, 0x9AE16A3B2F90404F, 0xC949D7C7509E6557
MUL = 0x9DDFEA08EB382D69
SIZES = {0: 48, 1: 8, 2: 32, 3: 48, 4: 16, 5: 68, 6: 4, 7: 4, 8: 4, 9: 8, 10: 8, 11: 4, 12: 8, 13: 32, 14: 16, 16: 16, 17: 8, 18: 8}
SIZES.update({20: 128, 21: 8, 22: 8})
USAGES = {0: "position", 1: "weights", 2: "normal", 3: "colour", 7: "bones", 8: "uv0", 9: "uv1", 10: "uv2", 11: "uv3", 14: "tangent"}


def ror(value, by):
    return (value >> by | value << (64 - by)) & MASK if by else value


def mix16(u, v):
    a = (u ^ v) * MUL & MASK
    a ^= a >> 47
    b = (v ^ a) * MUL & MASK
    b ^= b >> 47
    return b * MUL & MASK


def word(s, at, size=8):
    return int.from_bytes(s[at : at + size], "little")


def city(s):
    """CityHash64 1.0.3 of at most 64 bytes, which every name is."""
    n = len(s)
    if n > 64:
        raise ValueError("a longer name")
    if n <= 16:
        if n > 8:
            a, b = word(s, 0), word(s, n - 8)
            return mix16(a, ror((b + n) & MASK, n)) ^ b
        if n >= 4:
            return mix16(n + (word(s, 0, 4) << 3), word(s, n - 4, 4))
        if n:
            y, z = s[0] + (s[n >> 1] << 8), n + (s[n - 1] << 2)
            x = (y * K2 ^ z * K3) & MASK
            return (x ^ x >> 47) * K2 & MASK
        return K2
    if n <= 32:
        a, b = word(s, 0) * K1 & MASK, word(s, 8)
        c, d = word(s, n - 8) * K2 & MASK, word(s, n - 16) * K0 & MASK
        left = ror((a - b) & MASK, 43) + ror(c, 30) + d
        return mix16(left & MASK, (a + ror((b ^ K3) & MASK, 20) - c + n) & MASK)
    z = word(s, 24)
    a = (word(s, 0) + (n + word(s, n - 16)) * K0) & MASK
    b, c = ror((a + z) & MASK, 52), ror(a, 37)
    a = (a + word(s, 8)) & MASK
    c = (c + ror(a, 7)) & MASK
    a = (a + word(s, 16)) & MASK
    vf, vs = (a + z) & MASK, (b + ror(a, 31) + c) & MASK
    a, z = (word(s, 16) + word(s, n - 32)) & MASK, word(s, n - 8)
    b, c = ror((a + z) & MASK, 52), ror(a, 37)
    a = (a + word(s, n - 24)) & MASK
    c = (c + ror(a, 7)) & MASK
    a = (a + word(s, n - 16)) & MASK
    wf, ws = (a + z) & MASK, (b + ror(a, 31) + c) & MASK
    r = ((vf + ws) * K2 + (wf + vs) * K0) & MASK
    r ^= r >> 47
    x = (r * K0 + vs) & MASK
    return (x ^ x >> 47) * K2 & MASK


def code(text):
    """StrCode64."""
    s = text.encode()
    seed = ((s[0] << 16) + len(s)) if s else 0
    return mix16((city(s + b"\0") - K2) & MASK, seed) & 0xFFFFFFFFFFFF


class Fmdl:
    def __init__(self, data, words):
        self.bad = []
        magic, self.version, start = struct.unpack_from("<4sfQ", data)
        self.require(magic == b"FMDL", "no FMDL")
        count0, count1, at0, _, at1, length1 = struct.unpack_from("<6I", data, 0x20)
        self.data, self.blocks, self.raw = data, {}, {}
        for i in range(count0):
            block, over, count, at = struct.unpack_from("<BBHI", data, start + 8 * i)
            self.blocks[block] = (at0 + at, over * 65536 + count)
        for i in range(count1):
            block, at, length = struct.unpack_from("<III", data, start + 8 * count0 + 12 * i)
            self.raw[block] = (at1 + at, length)
            self.require(at + length <= length1 and at1 + length1 <= len(data), f"block {block} outside the file")
        self.words = words
        self.names = self.read_names()
        self.boxes = self.records(13, "<8f")
        self.meshes = [self.mesh(i, m) for i, m in enumerate(self.records(3, "<IHHHHIIII"))]

    def require(self, holds, what):
        if not holds:
            self.bad.append(what)
        return holds

    def records(self, block, form):
        at, count = self.blocks.get(block, (0, 0))
        return [struct.unpack_from(form, self.data, at + i * SIZES[block]) for i in range(count)]

    def read_names(self):
        if self.version < 2.035:
            start = self.raw[3][0]
            texts = [self.data[start + at : start + at + size] for _, size, at in self.records(12, "<HHI")]
            return [t.decode("utf-8", "replace") for t in texts]
        return [self.words.get(h, f"0x{h:012x}") for (h,) in self.records(22, "<Q")]

    def name(self, index):
        return self.names[index] if self.require(index < len(self.names), f"name {index}") else "?"

    def materials(self):
        slots, textures = self.records(7, "<HH"), self.records(6, "<HH")
        kinds, out = self.records(8, "<HH"), []
        at, size = self.raw.get(0, (0, 0))
        vectors = [struct.unpack_from("<4f", self.data, at + 16 * i) for i in range(size // 16)]
        paths = [h for (h,) in self.records(21, "<Q")]
        for name, _, kind, texture_count, parameter_count, first, parameter in self.records(4, "<HHHBBHH"):
            shader, technique = kinds[kind]
            found = {}
            for slot, texture in slots[first : first + texture_count]:
                file, folder = textures[texture]
                place = self.name(folder) if self.version < 2.035 else f"0x{paths[folder]:016x}"
                found[self.name(slot)] = [place, self.name(file)]
            values = {self.name(s): vectors[v] for s, v in slots[parameter : parameter + parameter_count]}
            told = {"name": self.name(name), "shader": self.name(shader), "technique": self.name(technique)}
            out.append({**told, "textures": found, "parameters": values})
        return out

    def mesh(self, index, record):
        flags, material, group, layout, vertices, _, first, count, window = record
        streams, elements, _, stream, element = struct.unpack_from("<BBHHH", self.data, self.blocks[9][0] + 8 * layout)
        buffers = self.records(14, "<IIII")
        start = self.raw[2][0]
        columns, at = {}, element
        for buffer, number, stride, _, offset in self.records(10, "<BBBBI")[stream : stream + streams]:
            base = start + buffers[buffer][2] + offset
            for usage, kind, inside in self.records(11, "<BBH")[at : at + number]:
                columns[usage] = (kind, [base + inside + stride * v for v in range(vertices)])
            at += number
        self.require(at - element == elements, f"mesh {index}: elements")
        form = {1: "<3f", 2: "<2f", 4: "<4H", 6: "<4e", 7: "<2e", 8: "<4B", 9: "<4B"}
        values = {u: [struct.unpack_from(form[k], self.data, p) for p in places] for u, (k, places) in columns.items()}
        levels = self.records(16, "<Hxxfff")[0][0]
        indices = start + buffers[2][2] + 2 * first
        faces = []
        for begin, size in self.records(17, "<II")[window : window + levels]:
            flat = struct.unpack_from(f"<{size}H", self.data, indices + 2 * begin)
            self.require(size % 3 == 0 and all(i < vertices for i in flat), f"mesh {index}: window {begin} {size}")
            faces.append([flat[i : i + 3] for i in range(0, size, 3)])
        self.require(len(faces) == levels and len(faces[0]) * 3 == count, f"mesh {index}: level 0")
        self.require(window == index * levels, f"mesh {index}: first window")
        if 1 in values:
            bones = struct.unpack_from("<HH32H", self.data, self.blocks[5][0] + 68 * group)
            self.require(bones[1] <= 32, f"mesh {index}: {bones[1]} bones")
            named = max((b for w, i in zip(values[1], values[7]) for w, b in zip(w, i) if w), default=0)
            self.require(named < bones[1], f"mesh {index}: bone {named} of {bones[1]}")
            self.require(all(sum(w) == 255 for w in values[1]), f"mesh {index}: weights")
        facing = [self.faces_along(values, face) for face in faces[0]]
        against = sum(f < 0 for f in facing) / max(1, sum(f != 0 for f in facing))
        self.require(flags & 0x20 or against > 0.9, f"mesh {index}: {against:.2f} of the faces are clockwise")
        told = {"vertices": vertices, "levels": [len(f) for f in faces], "columns": [USAGES.get(u, u) for u in values]}
        return {**told, "material": material, "flags": f"{flags & 255:02x}/{flags >> 8 & 255:02x}", "points": values[0]}

    @staticmethod
    def faces_along(values, face):
        p, q, r = (values[0][i] for i in face)
        u, v = [b - a for a, b in zip(p, q)], [b - a for a, b in zip(p, r)]
        cross = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
        return sum(c * sum(values[2][i][k] for i in face) for k, c in enumerate(cross))

    def groups(self):
        out = [{"name": self.name(n), "hidden": f & 1, "parent": p, "meshes": []} for n, f, p, _ in self.records(1, "<HHhh")]
        for _, group, count, first, box, _, window in self.records(2, "<IHHHHIH"):
            out[group]["meshes"] += list(range(first, first + count))
            points = [p for m in self.meshes[first : first + count] for p in m["points"]]
            high, low = [max(c) for c in zip(*points)], [min(c) for c in zip(*points)]
            stored = self.boxes[box]
            near = all(math.isclose(a, b, abs_tol=1e-5) for a, b in zip((*high, *low), (*stored[:3], *stored[4:7])))
            self.require(near, f"box {box}: {stored} rather than {high} {low}")
        covered = sorted(m for g in out for m in g["meshes"])
        self.require(covered == list(range(len(self.meshes))), "each mesh is in one group")
        return out

    def bones(self):
        out = [(self.name(n), p) for n, p, _, _ in self.records(0, "<HhHH")]
        self.require(all(p < i for i, (_, p) in enumerate(out)), "parents come first")
        return [n for n, _ in out]

    def told(self):
        out = {"version": round(self.version, 2), "bones": self.bones(), "groups": self.groups(), "materials": self.materials()}
        out["meshes"] = [{k: v for k, v in m.items() if k != "points"} for m in self.meshes]
        return {**out, "bad": self.bad}


def main():
    words = {}
    if "WORDS" in os.environ:
        with open(os.environ["WORDS"], encoding="utf-8") as lines:
            words = {code(line.strip()): line.strip() for line in lines}
    failed = len(sys.argv) < 2
    for path in sys.argv[1:]:
        with open(path, "rb") as file:
            told = Fmdl(file.read(), words).told()
        failed |= bool(told["bad"])
        print(json.dumps({"path": path, **told}))
    sys.exit(failed)


if __name__ == "__main__":
    main()
