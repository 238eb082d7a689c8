"""Textures from arrays, and arrays from textures."""

from __future__ import annotations

from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from galatea import _galatea
from galatea._document import Readable, open
from galatea._options import ConvertOptions, StrPath, plain
from galatea._results import Converted


def decode(source: StrPath | bytes | Readable) -> NDArray[np.uint8]:
    """Returns the largest image of a texture of any format: rows, columns, and red, green, blue and alpha.

    >>> import galatea
    >>> galatea.decode("examples/statue.tga").dtype
    dtype('uint8')
    """
    return open(source).pixels()


def encode(pixels: ArrayLike, to: str, **options: Unpack[ConvertOptions]) -> Converted:
    """Returns an image as a texture of a format: ``png``, ``tga``, ``tpc``, ``blp``, ``dds`` or ``ftex``.

    ``pixels`` has rows, columns and 1 (grey), 3 or 4 channels. Whole numbers go from 0 to 255, others from 0 to 1. The options
    ``name``, ``encoding`` and ``ftexs`` are those of ``convert``; names of the Fox Engine tell what a texture is for.

    >>> import galatea, numpy as np
    >>> red = np.zeros((16, 16, 4), np.uint8)
    >>> red[..., [0, 3]] = 255
    >>> texture = galatea.encode(red, "tpc", name="red", encoding="raw")
    >>> bool((texture.open().pixels() == red).all())
    True
    """
    image = np.asarray(pixels)
    if image.ndim == 2:
        image = image[..., np.newaxis]
    if image.ndim != 3 or image.shape[2] not in (1, 3, 4) or 0 in image.shape:
        raise ValueError(f"pixels: needs rows, columns and 1, 3 or 4 channels, has the shape {image.shape}")
    if image.dtype.kind == "f":
        if not np.isfinite(image).all():
            raise ValueError("pixels: are not all finite")
        image = np.rint(np.clip(image, 0.0, 1.0) * 255.0)
    elif image.dtype.kind not in "iu":
        raise TypeError(f"pixels: needs numbers, not {image.dtype}")
    elif image.dtype != np.uint8 and (image.min() < 0 or image.max() > 255):
        raise ValueError("pixels: whole numbers must be from 0 to 255")
    if image.shape[2] == 1:
        image = np.repeat(image, 3, axis=2)
    if image.shape[2] == 3:
        opaque = np.full((*image.shape[:2], 1), 255, image.dtype)
        image = np.concatenate([image, opaque], axis=2)
    data: NDArray[np.uint8] = np.ascontiguousarray(image, np.uint8)
    return Converted(_galatea.encode(data, to, plain(options)))
