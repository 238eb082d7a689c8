"""The file that a model was imported from: its path, and a copy of it in the .blend."""

from __future__ import annotations

import base64
import json
import zlib
from pathlib import Path

import bpy
import galatea
from galatea import Document

#: Where the copy is among the custom properties of the model's object.
PROPERTY = "galatea_original"


class Missing(Exception):
    """The original of a model is nowhere."""


def remember(root: bpy.types.Object, document: Document, path: Path, pack: bool) -> None:
    """Notes where a model came from, and keeps a copy of it if that is wished."""
    root.galatea_model.path = str(path.absolute() if path.parent.exists() else path)
    if pack:
        keep(root, document)


def keep(root: bpy.types.Object, document: Document) -> None:
    """Stores a copy of the original in the .blend."""
    files = {name: base64.b64encode(zlib.compress(data, 1)).decode() for name, data in document.files().items()}
    root[PROPERTY] = json.dumps({"name": next(iter(files)), "files": files})
    root.id_properties_ui(PROPERTY).update(description="The original of the model, which edits are laid onto")


def forget(root: bpy.types.Object) -> None:
    """Removes the copy from the .blend."""
    if PROPERTY in root:
        del root[PROPERTY]


def is_kept(root: bpy.types.Object) -> bool:
    """Returns whether the .blend has a copy."""
    return PROPERTY in root


def load(root: bpy.types.Object) -> Document:
    """Opens the original: the copy in the .blend, or else the file."""
    if PROPERTY in root:
        stored = json.loads(root[PROPERTY])
        files = {name: zlib.decompress(base64.b64decode(data)) for name, data in stored["files"].items()}
        name = stored["name"]
        stem = name.rpartition(".")[0]
        companions = {
            other[len(stem) + 1 :]: data for other, data in files.items() if other != name and stem and other.startswith(stem + ".")
        }
        siblings = {other: data for other, data in files.items() if other != name}
        return galatea.open(files[name], name=name, companions=companions, siblings=siblings)
    path = root.galatea_model.path
    if not path:
        raise Missing(f"{root.name!r} has no original; export it as a new model")
    try:
        return galatea.open(bpy.path.abspath(path))
    except OSError as error:
        raise Missing(
            f"the original {path!r} cannot be read ({error}); choose it in Object Properties > Galatea Model, or export as a new model"
        ) from error
