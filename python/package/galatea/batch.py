"""Rows and files for data sets: plain functions that any scheduler can run.

Everything here can be pickled: ``Item`` goes to a worker, ``process`` makes a row and files of it, ``store`` puts those where their
hash says. A file that cannot be read gives a row with an error, never an exception. ``run`` does it all on one machine.

>>> from galatea import batch
>>> item = batch.read("examples/statue.mdl")
>>> row, blobs = batch.process(item, batch.Options(glb=True, thumbnail=64))
>>> row["format"], row["triangles"], row["clips"], row["error"], sorted(blobs)
('kotor-mdl', 756, ['stand', 'walk'], None, ['glb', 'png'])
>>> row, blobs = batch.process(batch.Item("broken.mdx", b"MDLX"))
>>> row["error_kind"], blobs
('mismatch', {})
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from galatea._document import open
from galatea._errors import Error
from galatea._galatea import __version__
from galatea._results import formats
from galatea._texture import encode

if TYPE_CHECKING:
    import pyarrow

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Item:
    """A file to work on, with what belongs to it."""

    #: Where it came from; it is only copied into the row.
    path: str
    data: bytes
    #: Companions by extension, such as the MDX of a KotOR model.
    companions: Mapping[str, bytes] = field(default_factory=dict)
    #: Other files of its folder by name: textures, the buffer of a glTF, the rooms of a layout.
    siblings: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The name of the file."""
        return self.path.replace("\\", "/").rpartition("/")[2]

    @property
    def sha256(self) -> str:
        """The hash of the file and of its companions."""
        hashed = hashlib.sha256(self.data)
        for extension in sorted(self.companions):
            hashed.update(b"\0" + extension.encode() + b"\0" + self.companions[extension])
        return hashed.hexdigest()


@dataclass(frozen=True, slots=True)
class Options:
    """What ``process`` makes besides a row."""

    #: A GLB of every model.
    glb: bool = False
    #: Width and height of an image of every model; 0 for none.
    thumbnail: int = 0
    #: Files above this are not read.
    max_bytes: int = 512 * 2**20

    def key(self) -> str:
        """Returns what tells results of these options, by this version, from others."""
        words = f"{__version__} glb={self.glb} thumbnail={self.thumbnail} max_bytes={self.max_bytes}"
        return hashlib.sha256(words.encode()).hexdigest()[:16]


#: The columns of a row: name, Arrow type, what it means.
COLUMNS: tuple[tuple[str, str, str], ...] = (
    ("path", "string", "where the file came from"),
    ("sha256", "string", "hash of the file and its companions"),
    ("bytes", "int64", "bytes of the file and its companions"),
    ("format", "string", "name of the format; null if it cannot be read"),
    ("version", "string", "version or variant, in the format's own words"),
    ("nodes", "int64", "nodes of the hierarchy"),
    ("meshes", "int64", "drawable or walkable meshes"),
    ("vertices", "int64", "vertices over all meshes"),
    ("triangles", "int64", "triangles over all meshes"),
    ("bones", "int64", "nodes that move vertices"),
    ("bounds_min", "list<double>", "lower corner of what is drawn at rest, Y up, metres"),
    ("bounds_max", "list<double>", "upper corner"),
    ("clips", "list<string>", "names of the clips"),
    ("clip_seconds", "list<double>", "their lengths"),
    ("textures", "list<string>", "names of the textures of materials"),
    ("findings", "map<string, int64>", "how often each rule is broken, by code"),
    ("errors", "int64", "findings that are errors"),
    ("warnings", "int64", "findings that are warnings"),
    ("glb", "string", "hash of the GLB"),
    ("glb_bytes", "int64", "its size"),
    ("thumbnail", "string", "hash of the image"),
    ("losses", "list<string>", "what the GLB could not hold"),
    ("source", "string", "where the model may be had; left empty"),
    ("author", "string", "left empty"),
    ("license", "string", "left empty"),
    ("error", "string", "why the file could not be read or converted"),
    ("error_kind", "string", "the same in one word"),
    ("error_offset", "int64", "the byte where it went wrong"),
    ("galatea", "string", "version of Galatea"),
    ("options", "string", "key of the options"),
)


def schema() -> pyarrow.Schema:
    """Returns the Arrow schema of rows. Needs pyarrow: ``pip install galatea[arrow]``."""
    import pyarrow as pa

    known = {
        "string": pa.string(),
        "int64": pa.int64(),
        "list<string>": pa.list_(pa.string()),
        "list<double>": pa.list_(pa.float64()),
        "map<string, int64>": pa.map_(pa.string(), pa.int64()),
    }
    return pa.schema([pa.field(name, known[kind], metadata={"doc": doc}) for name, kind, doc in COLUMNS])


def table(rows: Iterable[Row]) -> pyarrow.Table:
    """Returns rows as an Arrow table, sorted by path and hash, so that the same rows give the same table."""
    import pyarrow as pa

    ordered = sorted(rows, key=lambda row: (row["path"], row["sha256"] or ""))
    plain = [{**row, "findings": list((row["findings"] or {}).items())} for row in ordered]
    return pa.Table.from_pylist(plain, schema=schema())


def _empty(item: Item, options: Options) -> Row:
    row: Row = {name: None for name, _, _ in COLUMNS}
    row |= {"path": item.path, "galatea": __version__, "options": options.key()}
    row |= {"clips": [], "clip_seconds": [], "textures": [], "losses": [], "findings": {}}
    return row


def _failed(row: Row, error: BaseException) -> Row:
    kind = error.kind if isinstance(error, Error) else type(error).__name__
    row |= {"error": str(error), "error_kind": kind}
    row["error_offset"] = error.offset if isinstance(error, Error) else None
    return row


def process(item: Item, options: Options = Options()) -> tuple[Row, dict[str, bytes]]:
    """Returns the row of a file, and new files of it by extension: ``glb`` and ``png``, where they were asked for."""
    row = _empty(item, options)
    size = len(item.data) + sum(map(len, item.companions.values()))
    row |= {"sha256": item.sha256, "bytes": size}
    blobs: dict[str, bytes] = {}
    try:
        if size > options.max_bytes:
            raise Error(f"{size} bytes are more than the {options.max_bytes} that are read", "limit")
        _describe(row, item, options, blobs)
    except (Error, ValueError, OSError, MemoryError) as error:
        return _failed(row, error), {}
    return row, blobs


def _describe(row: Row, item: Item, options: Options, blobs: dict[str, bytes]) -> None:
    """Fills a row from a file that can be read."""
    document = open(item.data, name=item.name, companions=item.companions, siblings=item.siblings)
    info = document.info()
    columns = ("format", "version", "nodes", "meshes", "vertices", "triangles", "bones")
    row |= {name: info[name] for name in columns}
    counts = document.counts()
    severities = {finding.code: finding.severity for finding in document.check(only=list(counts))} if counts else {}
    row["findings"] = dict(sorted(counts.items()))
    for column, severity in (("errors", "error"), ("warnings", "warning")):
        row[column] = sum(count for code, count in counts.items() if severities.get(code) == severity)
    if document.format in _TEXTURES:
        if options.thumbnail:
            _add(row, blobs, "thumbnail", "png", _shrunk(document.pixels(), options.thumbnail))
        return
    scene = document.scene()
    row["clips"] = [clip.name for clip in scene.clips]
    row["clip_seconds"] = [float(clip.length) for clip in scene.clips]
    row["textures"] = sorted({texture.name for material in scene.materials for texture in material.textures})
    drawn = [one.positions for one in scene.deform() if len(one.positions)]
    points = [part[np.isfinite(part).all(axis=1)] for part in drawn]
    points = [part for part in points if len(part)]
    if points:
        row["bounds_min"] = np.min([part.min(axis=0) for part in points], axis=0).astype(float).tolist()
        row["bounds_max"] = np.max([part.max(axis=0) for part in points], axis=0).astype(float).tolist()
    if options.glb:
        done = document.convert("glb")
        _add(row, blobs, "glb", "glb", done.bytes)
        row["glb_bytes"] = len(done.bytes)
        row["losses"] = sorted({str(loss) for loss in done.losses})
    if options.thumbnail:
        image = document.render(options.thumbnail, background="transparent", textures=False)
        _add(row, blobs, "thumbnail", "png", encode(image, "png").bytes)


def _add(row: Row, blobs: dict[str, bytes], column: str, extension: str, data: bytes) -> None:
    blobs[extension] = data
    row[column] = hashlib.sha256(data).hexdigest()


def _shrunk(pixels: Any, size: int) -> bytes:
    """Returns an image that is no larger than this, by leaving pixels out."""
    step = max(1, -(-max(pixels.shape[:2]) // size))
    return encode(pixels[::step, ::step], "png").bytes


_TEXTURES = frozenset(one.name for one in formats() if one.texture)
_COMPANIONS = {".mdl": ("mdx",), ".ftex": tuple(f"{n}.ftexs" for n in range(1, 10)), ".tpc": ("txi",), ".tga": ("txi",)}


def read(path: str, filesystem: Any = None) -> Item:
    """Reads a file and its companions, with any ``fsspec`` filesystem or from disk."""
    data = _bytes(path, filesystem)
    stem, dot, extension = path.rpartition(".")
    companions = {}
    for other in _COMPANIONS.get(dot + extension.lower(), ()):
        for name in (f"{stem}.{other}", f"{stem}.{other.upper()}"):
            if name != path and (filesystem.exists(name) if filesystem else os.path.isfile(name)):
                companions[other] = _bytes(name, filesystem)
                break
    return Item(path, data, companions)


def _bytes(path: str, filesystem: Any) -> bytes:
    if filesystem is not None:
        return bytes(filesystem.cat_file(path))
    return Path(path).read_bytes()


def find(root: str, filesystem: Any = None) -> list[str]:
    """Returns the paths below a folder, or keys below a prefix, that have the extension of a format, sorted.

    Companions are left to the file that they belong to.
    """
    if filesystem is not None:
        paths = [str(path) for path in filesystem.find(root)]
    else:
        paths = [os.path.join(folder, name) for folder, _, names in os.walk(root) for name in names]
    known = tuple(f".{extension}" for one in formats() for extension in one.extensions)
    paths = [path for path in paths if path.lower().endswith(known) and not os.path.basename(path).startswith(".")]
    owned = {
        f"{path[: -len(extension)]}.{other}".lower()
        for path in paths
        for extension, others in _COMPANIONS.items()
        if path.lower().endswith(extension)
        for other in others
    }
    # Not every MDX is the companion of an MDL: a file that only shares its name is an input if it is a model itself.
    return sorted(path for path in paths if path.lower() not in owned or _is_model(path, filesystem))


def _is_model(path: str, filesystem: Any) -> bool:
    """Returns whether a file that could be a companion is a Warcraft III model."""
    if filesystem is not None:
        return bool(filesystem.cat_file(path, start=0, end=4) == b"MDLX")
    with Path(path).open("rb") as file:
        return file.read(4) == b"MDLX"


def shard(paths: Sequence[str], index: int, count: int) -> list[str]:
    """Returns the part of the paths that the worker ``index`` of ``count``, from 0, takes. It depends on each path alone.

    >>> from galatea import batch
    >>> paths = [f"{n}.mdl" for n in range(100)]
    >>> parts = [batch.shard(paths, at, 3) for at in range(3)]
    >>> sorted(sum(parts, [])) == sorted(paths)
    True
    """
    if not 0 <= index < count:
        raise ValueError(f"index must be from 0 to {count - 1}")
    return [path for path in paths if _hash(path) % count == index]


def _hash(path: str) -> int:
    return int.from_bytes(hashlib.sha256(path.encode(errors="surrogateescape")).digest()[:8], "big")


def store(root: str, blobs: Mapping[str, bytes], filesystem: Any = None) -> list[str]:
    """Writes new files where their hash says: ``root/ab/abcd….glb``. A file that is there is left. Returns the paths."""
    paths = []
    for extension, data in sorted(blobs.items()):
        name = hashlib.sha256(data).hexdigest()
        path = f"{root.rstrip('/')}/{name[:2]}/{name}.{extension}"
        paths.append(path)
        if filesystem is None:
            _write(Path(path), data)
        elif not filesystem.exists(path):
            filesystem.makedirs(path.rpartition("/")[0], exist_ok=True)
            # A key of an object store appears whole; other file systems get it under another name first.
            filesystem.pipe_file(path, data)
    return paths


def _write(path: Path, data: bytes) -> None:
    """Writes a file that appears whole, or not at all."""
    if path.exists():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=".galatea-")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def work(path: str, out: str, options: Options = Options()) -> Row:
    """Returns the row of a file on disk, and stores its new files below ``out``.

    The row is kept in ``out/rows`` under the hash of the file, its path and the options: asked again for the same, the function
    returns it without doing the work, whoever did it.
    """
    try:
        item = read(path)
    except OSError as error:
        return _failed(_empty(Item(path, b""), options), error)
    words = "\0".join((path, item.sha256, options.key()))
    key = hashlib.sha256(words.encode(errors="surrogateescape")).hexdigest()
    kept = Path(out, "rows", key[:2], f"{key}.json")
    try:
        row: Row = json.loads(kept.read_text(encoding="utf-8"))
        return row
    except (OSError, ValueError):
        pass
    row, blobs = process(item, options)
    store(out, blobs)
    # Last: a row that is there has its files.
    if kept.exists():
        kept.unlink()
    _write(kept, json.dumps(row).encode())
    return row


def run(
    paths: Sequence[str],
    out: str,
    options: Options = Options(),
    *,
    executor: Executor,
    function: Callable[[str, str, Options], Row] = work,
    ahead: int = 64,
) -> Iterator[Row]:
    """Yields a row for every path, as they come, from the workers of an executor. At most ``ahead`` are under way."""
    waiting: set[Future[Row]] = set()
    rest = iter(paths)
    while True:
        for path in rest:
            waiting.add(executor.submit(function, path, out, options))
            if len(waiting) >= ahead:
                break
        if not waiting:
            return
        done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
        for future in done:
            yield future.result()
