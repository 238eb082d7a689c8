#!/usr/bin/env python3
"""Compares our decoders and encoders with Pillow, on real files. Run by hand:

    cargo build --release -p galatea-cli
    python3 xtask/texture/compare.py target/release/galatea CORPUS/textures CORPUS/sets

Pillow decodes DDS, TGA and BLP itself. The blocks of TPC, BioWare DDS and FTEX are given to it in a DDS header, JPEG
levels of a BLP as the JPEG they are (libjpeg takes the four components for inverted CMYK, so 255 - x is the value).
Needs Pillow and numpy.
"""
import io, os, struct, subprocess, sys, tempfile, zlib
import numpy as np
from PIL import Image


def rgba(image):
    return np.asarray(image.convert("RGBA")).astype(int)


def dds(fourcc, width, height, data):
    head = struct.pack("<4s7I44x2I4s5I4I4x", b"DDS ", 124, 0x81007, height, width, len(data), 0, 0, 32, 4, fourcc,
                       0, 0, 0, 0, 0, 0x1000, 0, 0, 0)
    return rgba(Image.open(io.BytesIO(head + data)))


def tpc(data):
    size, _, width, height, encoding, _ = struct.unpack("<IfHHBB", data[:14])
    if height == width * 6:
        height = width
    if size == 0:
        channels = {1: 1, 2: 3, 4: 4}[encoding]
        pixels = np.frombuffer(data, np.uint8, width * height * channels, 128).reshape(height, width, channels)
        out = np.full((height, width, 4), 255)
        out[:, :, :channels if channels > 1 else 3] = pixels
    else:
        out = dds(b"DXT1" if encoding == 2 else b"DXT5", width, height, data[128:128 + size])
    return out[::-1]


def bioware(data):
    width, height, channels, size = struct.unpack("<4I", data[:16])
    return dds(b"DXT1" if channels == 3 else b"DXT5", width, height, data[20:20 + size])[::-1]


def ftex(path, data):
    pixel_format, width, height, _, mips = struct.unpack("<4HB", data[8:17])
    faces = 6 if data[28] & 4 else 1
    stem = path[:-5]
    for mip in range(mips):
        entries = [struct.unpack("<IIIBBH", data[64 + 16 * i:80 + 16 * i]) for i in range(mips * faces)]
        offset, raw, packed, _, part, count = entries[mip]
        name = path if part == 0 else f"{stem}.{part}.ftexs"
        if not os.path.exists(name):
            continue
        body = open(name, "rb").read()
        out = b""
        for i in range(count):
            p, r, o = struct.unpack("<HHI", body[offset + 8 * i:offset + 8 * i + 8])
            start = offset + (o & 0x7FFFFFFF)
            piece = body[start:start + p]
            out += piece if p == r else zlib.decompress(piece)
        w, h = max(1, width >> mip), max(1, height >> mip)
        return dds({2: b"DXT1", 3: b"DXT3", 4: b"DXT5"}[pixel_format], w, h, out)
    return None


def blp(path, data):
    if data[:4] == b"BLP2" or struct.unpack("<I", data[4:8])[0] == 1:
        return blp_other(data)
    alpha_bits = struct.unpack("<I", data[8:12])[0]
    if data[:4] == b"BLP0":
        at, body = 28, open(path[:-4] + ".b00", "rb").read()
    else:
        offset, size = struct.unpack("<I", data[28:32])[0], struct.unpack("<I", data[92:96])[0]
        at, body = 156, data[offset:offset + size]
    length = struct.unpack("<I", data[at:at + 4])[0]
    image = Image.open(io.BytesIO(data[at + 4:at + 4 + length] + body))
    values = 255 - np.asarray(image).astype(int)
    out = values[:, :, [2, 1, 0, 3]]
    if alpha_bits == 0:
        out[:, :, 3] = 255
    return out


def blp_other(data):
    """Pillow's own BLP reader takes the palette's fourth byte for alpha and forgets to repeat the high bits of DXT
    colours, so the palette is applied here and the blocks are given to its DDS reader."""
    two = data[:4] == b"BLP2"
    width, height = struct.unpack("<2I", data[12:20])
    table, palette_at = (20, 148) if two else (28, 156)
    offset, size = struct.unpack("<I", data[table:table + 4])[0], struct.unpack("<I", data[table + 64:table + 68])[0]
    body = data[offset:offset + size]
    bits = data[9] if two else struct.unpack("<I", data[8:12])[0]
    if two and data[8] == 2:
        return dds(b"DXT5" if data[10] == 7 else b"DXT3" if bits > 1 else b"DXT1", width, height, body)
    palette = np.frombuffer(data, np.uint8, 1024, palette_at).reshape(256, 4).astype(int)
    pixels = np.frombuffer(body, np.uint8, width * height)
    out = np.full((height, width, 4), 255)
    out[:, :, :3] = palette[pixels][:, [2, 1, 0]].reshape(height, width, 3)
    if bits == 8:
        out[:, :, 3] = np.frombuffer(body, np.uint8, width * height, width * height).reshape(height, width)
    return out


def wesys(data):
    return rgba(Image.open(io.BytesIO(zlib.decompress(data[16:]))))


def tga(data):
    # Pillow ignores the fourth byte where the descriptor says "no alpha"; the games keep it.
    if data[16] == 32 and data[17] & 15 == 0:
        data = data[:17] + bytes([data[17] | 8]) + data[18:]
    return rgba(Image.open(io.BytesIO(data)))


def independent(path):
    data = open(path, "rb").read()
    if data[:4] == b"FTEX":
        return ftex(path, data)
    if data[:3] == b"BLP":
        return blp(path, data)
    if data[3:8] == b"WESYS":
        return wesys(data)
    if data[84:88] == b"DX10" and data[128] == 72:
        # The same blocks under the number that Pillow knows.
        data = data[:128] + bytes([71]) + data[129:]
    if data[:4] == b"DDS ":
        return rgba(Image.open(io.BytesIO(data)))
    if path.lower().endswith(".tpc"):
        return tpc(data)
    if path.lower().endswith(".dds"):
        return bioware(data)
    if path.lower().endswith(".tga"):
        return tga(data)
    return rgba(Image.open(io.BytesIO(data)))


def psnr(a, b):
    error = ((a - b) ** 2).mean()
    return 99.0 if error == 0 else 10 * np.log10(255 * 255 / error)


def main():
    convert, folders = [sys.argv[1], "convert", "--force"], sys.argv[2:]
    endings = (".tpc", ".blp", ".dds", ".ftex", ".tga", ".png", ".jpg")
    files = sorted(os.path.join(d, f) for folder in folders for d, _, fs in os.walk(folder) for f in fs
                   if f.lower().endswith(endings))
    worst, counts, odd = {}, {}, []
    with tempfile.TemporaryDirectory() as temp:
        ours = os.path.join(temp, "out.png")
        for path in files:
            kind = os.path.splitext(path)[1].lower()
            done = subprocess.run([*convert, path, ours], capture_output=True, text=True)
            if done.returncode:
                print(f"not decoded: {path}: {done.stderr.strip()}")
                continue
            mine = rgba(Image.open(ours))
            try:
                other = independent(path)
            except Exception as error:
                odd.append(f"Pillow cannot: {path}: {error}")
                continue
            if other is None or other.shape != mine.shape:
                odd.append(f"sizes differ: {path}: {mine.shape} {None if other is None else other.shape}")
                continue
            difference = np.abs(mine - other)
            counts[kind] = counts.get(kind, 0) + 1
            worst[kind] = max(worst.get(kind, 0), int(difference.max()))
            if difference.max() > 0:
                odd.append(f"differs by {difference.max(axis=(0, 1))}, {np.count_nonzero(difference.max(axis=2))} "
                           f"pixels of {mine.shape[0] * mine.shape[1]}: {path}")
        for kind in sorted(counts):
            print(f"{kind}: {counts[kind]} files compared, largest difference {worst[kind]}")
        print("\n".join(odd))
        written(convert, files, temp)


def written(convert, files, temp):
    """What we write must open in Pillow and look the same."""
    seen, low = {}, {}
    for path in files:
        if "sets" not in path.split(os.sep):
            continue
        source = os.path.join(temp, "source.png")
        if subprocess.run([*convert, path, source], capture_output=True).returncode:
            continue
        want = rgba(Image.open(source))
        for ending, form in [("dds", "bc1"), ("dds", "bc3"), ("dds", "raw"), ("blp", "jpeg"), ("blp", "palette"), ("tga", "")]:
            out = os.path.join(temp, "out." + ending)
            encoding = ["--encoding", form] if form else []
            subprocess.run([*convert, source, out, *encoding], check=True, capture_output=True)
            Image.open(out).load()
            got = independent(out)
            opaque = form == "bc1"
            value = psnr(want[:, :, :3] if opaque else want, got[:, :, :3] if opaque else got)
            if opaque and (want[:, :, 3] == 0).any():
                shown = want[:, :, 3] > 0
                value = psnr(want[shown][:, :3], got[shown][:, :3]) if shown.any() else 99.0
            name = f"{ending} {form}".strip()
            seen.setdefault(name, []).append(value)
            if value < (30 if opaque else 35):
                low.setdefault(name, []).append(f"{os.path.basename(path)} {value:.1f}")
    for name, values in seen.items():
        print(f"written {name}: {len(values)} open in Pillow, PSNR least {min(values):.1f}, mean {np.mean(values):.1f}")
        for line in low.get(name, []):
            print(f"    below: {line}")


main()
