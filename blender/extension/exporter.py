"""Exports models: lays what was edited in Blender onto the original, and leaves the rest as it was, to the bit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import bpy
from galatea import Document, Scene
from galatea import _galatea as native

from . import export_clips, export_materials, export_meshes, export_parts, export_tree, fields, original, transitions
from .plan import Plan, plan


class Failed(Exception):
    """An export that cannot be done, with what to do."""


@dataclass
class Change:
    """What an edit changed in a part of the original."""

    part: str
    name: str
    what: str

    def __str__(self) -> str:
        """Returns it in words."""
        return f"{self.part} {self.name!r}: {self.what}"


@dataclass
class Files:
    """What an export gives: the files by name, the model first, and what became of it."""

    files: dict[str, bytes]
    format: str
    changes: list[Change]
    losses: list[str] = field(default_factory=list)
    #: The object of Blender for each node of the new scene, by name, and the name of the bone if it is one.
    objects: dict[str, tuple[bpy.types.Object, str]] = field(default_factory=dict)
    #: What writes them to disk, all of them or none.
    source: Any = None

    def save(self, path: str) -> list[str]:
        """Writes the files. The model gets this path, and replaces what is there."""
        return [str(one) for one in self.source.save(path, force=True)]

    def open(self) -> Document:
        """Opens the model."""
        import galatea

        name, data = next(iter(self.files.items()))
        stem = name.rpartition(".")[0]
        companions = {other[len(stem) + 1 :]: more for other, more in self.files.items() if other != name and other.startswith(stem + ".")}
        siblings = {other: more for other, more in self.files.items() if other != name}
        return galatea.open(data, name=name, companions=companions, siblings=siblings)


@dataclass
class Edit:
    """An export under way: the scene of the original, and what of it is shown by what in Blender."""

    context: bpy.types.Context
    root: bpy.types.Object
    document: Document
    #: The scene of the original, and the same one with the edit.
    before: Scene
    scene: Scene
    plan: Plan
    fps: float
    changes: list[Change] = field(default_factory=list)
    #: The object that stands for each node of the scene, unless it is a bone.
    objects: dict[int, bpy.types.Object] = field(default_factory=dict)
    #: The name of the bone of each node that is one.
    bones: dict[int, str] = field(default_factory=dict)
    #: Objects that show the mesh, light or camera of a bone.
    holders: dict[int, list[bpy.types.Object]] = field(default_factory=dict)
    #: Nodes of the original that are nowhere any more.
    gone: set[int] = field(default_factory=set)
    #: Objects and bones that the original does not have, each with its new node.
    new: list[tuple[Any, int]] = field(default_factory=list)
    #: Where each bone rests now, in the armature.
    rest: dict[int, Any] = field(default_factory=dict)
    #: The material of the scene for each of Blender's.
    materials: dict[str, int] = field(default_factory=dict)
    images: dict[str, bytes] = field(default_factory=dict)
    #: Takes everything from Blender, whether it looks edited or not: for tests.
    thorough: bool = False
    _nodes_by_bone: dict[str, int] | None = None

    def change(self, part: str, name: str, what: str) -> None:
        """Notes a change."""
        self.changes.append(Change(part, name, what))

    def node_of_bone(self, name: str) -> int | None:
        """Returns the node of a bone, by the name that it has or had when it was imported."""
        if self._nodes_by_bone is None:
            known: dict[str, int] = {}
            for at, own in self.bones.items():
                known.setdefault(self.root.data.bones[own].galatea.part.given, at)
            known.update({own: at for at, own in self.bones.items()})
            self._nodes_by_bone = known
        return self._nodes_by_bone.get(name)


def export(context: bpy.types.Context, root: bpy.types.Object, *, to: str | None = None, thorough: bool = False, **options: Any) -> Files:
    """Exports a model that was imported."""
    steps = begin(context, root, to=to, thorough=thorough, **options)
    while True:
        try:
            next(steps)
        except StopIteration as done:
            files: Files = done.value
            return files


def begin(
    context: bpy.types.Context, root: bpy.types.Object, *, to: str | None = None, thorough: bool = False, **options: Any
) -> Iterator[tuple[float, str]]:
    """Exports a model step by step: yields how far it is, and what is next. Returns the files."""
    yield 0.0, "the original"
    try:
        document = original.load(root)
    except original.Missing as error:
        raise Failed(str(error)) from error
    scene = document.scene()
    before = document.scene()
    edit = Edit(context, root, document, before, scene, plan(before), root.galatea_model.fps, thorough=thorough)
    if context.mode == "EDIT_ARMATURE":
        root.update_from_editmode()
    yield 0.1, "nodes"
    export_tree.find(edit)
    export_materials.update(edit)
    export_tree.update(edit)
    yield 0.2, "meshes"
    export_meshes.update(edit)
    transitions.update(edit)
    export_parts.update(edit)
    yield 0.6, "animations"
    export_clips.update(edit)
    if fields.take(root.galatea_model.part, fields.of_model(scene)):
        edit.change("model", root.name, "values of the format")
    export_tree.finish(edit)
    yield 0.8, "writing"
    return _write(edit, to, options)


def _write(edit: Edit, to: str | None, options: dict[str, Any]) -> Files:
    document = edit.document
    target = to or document.format
    objects = {edit.scene.nodes[at].name: (made, "") for at, made in edit.objects.items() if at < len(edit.scene.nodes)}
    objects.update({edit.scene.nodes[at].name: (edit.root, name) for at, name in edit.bones.items()})
    objects.update({edit.scene.nodes[at].name: (held[0], "") for at, held in edit.holders.items() if at in edit.bones})
    if not edit.changes and not edit.thorough and target == document.format and not options:
        return Files(document.files(), target, [], [], objects, document)
    name = options.pop("name", None) or document.name.rpartition(".")[0] or edit.scene.name
    done = edit.scene.convert(target, texture_files=edit.images, name=name, **options)
    return Files(done.files(), done.format, edit.changes, [str(loss) for loss in done.losses], objects, done)


def formats() -> list[tuple[str, str, tuple[str, ...]]]:
    """Returns the models that can be written: name, title, extensions."""
    return [(name, title, tuple(ends)) for name, title, ends, writable, texture in native.formats() if writable and not texture]
