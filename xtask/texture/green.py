"""Which way green points in normal maps: `green.py GALATEA FILE...`.

The slopes of a surface have no curl, so the derivative of the slope across, taken along the rows, and that of the slope along
the rows, taken across, go together if green points up the texture and against each other if it points down. Prints their
correlation at four sizes of each texture, as `galatea convert` decodes it. Needs Pillow and numpy.
"""
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image


def correlation(image, scale):
    small = image.resize((max(4, image.width // scale), max(4, image.height // scale)), Image.BOX)
    r, g, b, a = np.moveaxis(np.asarray(small, dtype=float), 2, 0)
    red, green, blue, alpha = (band.std() for band in (r, g, b, a))
    two = blue < 3  # nothing in blue: x is in alpha, or in red if alpha is empty too
    x = (a if alpha > 1 else r) if two else r
    x, y = x / 127.5 - 1, g / 127.5 - 1
    z = np.sqrt(np.clip(1 - x * x - y * y, 0.1, 1))
    across, up = -x / z, -y / z
    one = -(across[2:, 1:-1] - across[:-2, 1:-1])
    other = up[1:-1, 2:] - up[1:-1, :-2]
    return np.corrcoef(one.ravel(), other.ravel())[0, 1]


def main():
    galatea, *files = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        for file in files:
            png = Path(folder) / "normal.png"
            subprocess.run([galatea, "convert", "--force", file, png], check=True, capture_output=True)
            with Image.open(png) as opened:
                image = opened.convert("RGBA")
            values = [correlation(image, scale) for scale in (1, 2, 4, 8)]
            mean = sum(values) / len(values)
            word = "flat" if np.isnan(mean) else "up" if mean > 0.1 else "down" if mean < -0.1 else "unclear"
            print(f"{Path(file).name}\t{word}\t" + " ".join(f"{v:+.2f}" for v in values))


main()
