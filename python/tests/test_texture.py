"""Textures from arrays, and arrays from textures."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import galatea

from .conftest import EXAMPLES


def image() -> np.ndarray[Any, np.dtype[np.uint8]]:
    rows, columns = np.mgrid[0:32, 0:64]
    return np.stack([rows * 8, columns * 4, rows + columns, 255 - rows], axis=2).astype(np.uint8)


@pytest.mark.parametrize(
    ("to", "encoding"), [("png", None), ("tga", None), ("tpc", "raw"), ("dds", "raw"), ("ftex", "raw")]
)
def test_pixels_come_back_from_formats_without_loss(to: str, encoding: Any) -> None:
    texture = galatea.encode(image(), to, encoding=encoding, name="test").open()
    assert texture.format == to
    assert (texture.pixels() == image()).all()


@pytest.mark.parametrize(("to", "encoding"), [("tpc", "bc3"), ("dds", "bc7"), ("ftex", "bc3"), ("blp", "jpeg")])
def test_compressed_pixels_are_near(to: str, encoding: Any) -> None:
    back = galatea.encode(image(), to, encoding=encoding).open().pixels()
    assert np.abs(back.astype(int) - image()).mean() < 6


def test_images_may_have_other_types_and_channels() -> None:
    grey = image()[..., 0]
    assert (galatea.encode(grey, "png").open().pixels()[..., :3] == grey[..., None]).all()
    assert (galatea.encode(image()[..., :3], "png").open().pixels()[..., 3] == 255).all()
    assert (galatea.encode(image() / 255.0, "png").open().pixels() == image()).all()
    assert (galatea.encode(image()[::-1, ::-1], "png").open().pixels() == image()[::-1, ::-1]).all()


def test_levels_are_halved() -> None:
    texture = galatea.encode(image(), "dds", encoding="raw").open()
    assert texture.pixels(mip=1).shape == (16, 32, 4)
    with pytest.raises(ValueError, match="mips"):
        texture.pixels(mip=40)
    with pytest.raises(ValueError, match="faces"):
        texture.pixels(face=1)


def test_what_is_no_image_is_an_exception() -> None:
    for wrong in (np.zeros((4, 4, 2)), np.zeros(4), np.zeros((0, 4, 4)), np.full((2, 2, 3), np.nan), np.full((2, 2, 3), 300)):
        with pytest.raises(ValueError):
            galatea.encode(wrong, "png")
    for kind in ("text", np.zeros((2, 2, 3), complex)):
        with pytest.raises((TypeError, ValueError)):
            galatea.encode(kind, "png")
    with pytest.raises(galatea.Error):
        galatea.encode(image(), "mdx")
    with pytest.raises(galatea.Error) as caught:
        galatea.encode(image(), "png", encoding="bc1")
    assert caught.value.kind == "option"
    with pytest.raises(galatea.Error):
        galatea.open(EXAMPLES / "room.wok").pixels()
