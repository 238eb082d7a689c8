"""Values as the native module takes them: plain objects, and contiguous arrays of one type."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

#: How deep dictionaries and lists of extras may be.
_DEEPEST = 100


def plain_value(value: Any, what: str, depth: int = 0) -> Any:
    """Returns a value as the native module takes it; fails on what JSON could not say."""
    if depth > _DEEPEST:
        raise ValueError(f"{what}: is nested too deeply")
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, (int, np.integer)):
        if not -(2**63) <= value < 2**63:
            raise ValueError(f"{what}: {value} does not fit into 64 bits")
        return int(value)
    if isinstance(value, (float, np.floating)):
        return float(value)
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, Mapping):
        return {str(key): plain_value(item, what, depth + 1) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return plain_value(value.tolist(), what, depth)
    if isinstance(value, (list, tuple)):
        return [plain_value(item, what, depth + 1) for item in value]
    raise TypeError(f"{what}: {type(value).__name__} has no place in a scene")


def plain_part(part: Any, what: str) -> dict[str, Any]:
    """Returns a part made of plain values."""
    return {one.name: plain_value(getattr(part, one.name), f"{what}.{one.name}") for one in fields(part)}


def array_of(values: ArrayLike, dtype: Any, columns: int | None, what: str) -> Any:
    """Returns values as the native module takes them: contiguous, of this type, in rows of so many columns."""
    try:
        given = np.asarray(values)
        if given.size == 0 and columns is not None and given.ndim < 2:
            given = given.reshape(0, columns)
        if np.issubdtype(dtype, np.integer) and given.size:
            if not (np.issubdtype(given.dtype, np.integer) or given.dtype == np.bool_):
                raise TypeError(f"{what}: needs whole numbers, not {given.dtype}")
            low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
            if given.min() < low or given.max() > high:
                raise ValueError(f"{what}: numbers must be from {low} to {high}")
        elif given.dtype.kind not in "fiub":
            raise TypeError(f"{what}: needs numbers, not {given.dtype}")
        array = np.ascontiguousarray(given, dtype)
    except (TypeError, ValueError) as error:
        told = str(error)
        raise type(error)(told if told.startswith(what) else f"{what}: {told}") from None
    if columns is not None and (array.ndim != 2 or array.shape[1] != columns):
        raise ValueError(f"{what}: needs rows of {columns} numbers, has the shape {array.shape}")
    return array


def rows_of(values: ArrayLike | None, dtype: Any, columns: int | None, count: int, what: str) -> Any:
    """Returns a column of vertices, which has a row for each of them or is not there."""
    if values is None:
        return None
    array = array_of(values, dtype, columns, what)
    if array.ndim == 1:
        array = array.reshape(-1, 1)
    if array.ndim != 2 or len(array) != count:
        raise ValueError(f"{what}: needs {count} rows, has the shape {array.shape}")
    return array


def index_of(number: Any, what: str) -> int:
    """Returns a number of a part."""
    if not isinstance(number, (int, np.integer)) or isinstance(number, bool) or not 0 <= number < 2**32:
        raise ValueError(f"{what}: {number!r} is no number of a part")
    return int(number)
