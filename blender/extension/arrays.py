"""Arithmetic on arrays: quaternions, transforms, rigid matrices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]
Numbers = NDArray[np.integer[Any]]

#: From glTF's axes (Y up) to Blender's (Z up).
Z_UP: Floats = np.array([[1, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0], [0, 0, 0, 1]], np.float64)
#: From Blender's axes to glTF's.
Y_UP: Floats = Z_UP.T.copy()


def rotation_matrix(rotation: Sequence[float]) -> Floats:
    """Returns the matrix of a quaternion x, y, z, w; the identity for one of no length."""
    x, y, z, w = (float(v) for v in rotation)
    length = x * x + y * y + z * z + w * w
    if not 0.0 < length < np.inf:
        return np.eye(3)
    s = 2.0 / length
    return np.array(
        [
            [1 - s * (y * y + z * z), s * (x * y - z * w), s * (x * z + y * w)],
            [s * (x * y + z * w), 1 - s * (x * x + z * z), s * (y * z - x * w)],
            [s * (x * z - y * w), s * (y * z + x * w), 1 - s * (x * x + y * y)],
        ]
    )


def transform(translation: Sequence[float], rotation: Sequence[float], scale: Sequence[float]) -> Floats:
    """Returns the matrix that scales, then rotates, then translates."""
    out = np.eye(4)
    out[:3, :3] = rotation_matrix(rotation) * np.asarray(scale, np.float64)
    out[:3, 3] = translation
    return out


def quaternion(matrix: Floats) -> Floats:
    """Returns the rotation of a matrix as a quaternion x, y, z, w."""
    m = rigid(matrix)[:3, :3]
    candidates = np.array(
        [
            1 + m[0, 0] - m[1, 1] - m[2, 2],
            1 - m[0, 0] + m[1, 1] - m[2, 2],
            1 - m[0, 0] - m[1, 1] + m[2, 2],
            1 + m[0, 0] + m[1, 1] + m[2, 2],
        ]
    )
    largest = int(candidates.argmax())
    a, b, c = m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]
    d, e, f = m[0, 1] + m[1, 0], m[0, 2] + m[2, 0], m[1, 2] + m[2, 1]
    value = float(candidates[largest])
    row = ([value, d, e, a], [d, value, f, b], [e, f, value, c], [a, b, c, value])[largest]
    out = np.array(row)
    return np.asarray(out / np.linalg.norm(out))


def decompose(matrix: Floats) -> tuple[Floats, Floats, Floats]:
    """Returns translation, rotation x, y, z, w and scale of a matrix without shear."""
    linear = np.asarray(matrix[:3, :3], np.float64)
    scale = np.linalg.norm(linear, axis=0)
    if np.linalg.det(linear) < 0:
        scale = scale * np.array([-1.0, 1.0, 1.0])
    safe = np.where(np.abs(scale) > 1e-12, scale, 1.0)
    out = np.eye(4)
    out[:3, :3] = linear / safe
    return np.asarray(matrix[:3, 3], np.float64), quaternion(out), scale


def rigid(matrix: Floats) -> Floats:
    """Returns the nearest matrix that only rotates and translates."""
    out = np.eye(4)
    linear = np.asarray(matrix[:3, :3], np.float64)
    if np.isfinite(linear).all() and abs(np.linalg.det(linear)) > 1e-20:
        left, _, right = np.linalg.svd(linear)
        turned = left @ right
        if np.linalg.det(turned) < 0:
            left[:, 2] *= -1
            turned = left @ right
        out[:3, :3] = turned
    place = np.asarray(matrix[:3, 3], np.float64)
    out[:3, 3] = np.where(np.isfinite(place), place, 0.0)
    return out


def inverse(matrix: Floats) -> Floats:
    """Returns the inverse of a matrix; of one that has none, that of its rigid part."""
    try:
        return np.linalg.inv(np.asarray(matrix, np.float64))
    except np.linalg.LinAlgError:
        return np.linalg.inv(rigid(matrix))


def turn(left: Floats, rows: Floats) -> Floats:
    """Returns the product of a quaternion with each of the rows, all x, y, z, w."""
    x, y, z, w = left
    by = np.array([[w, -z, y, x], [z, w, -x, y], [-y, x, w, z], [-x, -y, -z, w]])
    return np.asarray(rows, np.float64) @ by.T


def conjugate(rotation: Floats) -> Floats:
    """Returns the inverse of a unit quaternion."""
    return np.asarray(rotation, np.float64) * np.array([-1.0, -1.0, -1.0, 1.0])


def close(a: Floats, b: Floats, tolerance: float) -> bool:
    """Returns whether two arrays of the same shape differ by no more than a tolerance; what is no number equals itself."""
    if a.shape != b.shape:
        return False
    same = np.abs(np.asarray(a, np.float64) - np.asarray(b, np.float64)) <= tolerance
    return bool((same | (a == b) | (np.isnan(a) & np.isnan(b))).all())


def finite(values: Floats) -> Floats:
    """Returns single-precision numbers; what is no number becomes 0, which is what Blender can show."""
    return np.nan_to_num(np.asarray(values, np.float32), nan=0.0, posinf=3.0e38, neginf=-3.0e38)
