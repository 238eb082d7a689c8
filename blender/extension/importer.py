"""Imports models: runs the steps in order, tells how far they are, and takes everything back if one fails."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import bpy
import galatea
from galatea import Document, Scene, Sources

from . import fields, import_clips, import_materials, import_meshes, import_parts, import_tree, original, transitions
from .plan import Plan, plan


@dataclass
class Options:
    """What an import may be told."""

    #: Folders in which textures are looked for, besides that of the model.
    textures: list[str] = field(default_factory=list)
    #: The folder of the game, whose archives have textures and supermodels.
    game: str = ""
    #: Whether the .blend gets a copy of the original.
    pack: bool = True
    #: Whether textures are loaded.
    images: bool = True
    #: Whether the animations of supermodels are imported as well.
    inherit: bool = False
    #: Whether only the finest level of detail is shown.
    hide: bool = True


@dataclass
class Job:
    """An import under way."""

    context: bpy.types.Context
    document: Document
    scene: Scene
    plan: Plan
    options: Options
    sources: Sources
    collection: bpy.types.Collection
    #: The object that stands for the model; an armature if there are bones.
    root: bpy.types.Object
    #: The name in Blender of each bone.
    bones: dict[int, str] = field(default_factory=dict)
    #: The object of each node, unless it is a bone only.
    objects: dict[int, bpy.types.Object] = field(default_factory=dict)
    meshes: dict[int, bpy.types.Mesh] = field(default_factory=dict)
    materials: dict[int, bpy.types.Material] = field(default_factory=dict)
    actions: list[bpy.types.Action] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    @property
    def fps(self) -> float:
        """The frames of a second in this Blender scene."""
        render = self.context.scene.render
        return float(render.fps / render.fps_base)


#: What an import can make, in the order in which it can be taken back.
KINDS = ("objects", "meshes", "armatures", "lights", "cameras", "materials", "images", "actions", "collections", "texts")


def run(context: bpy.types.Context, path: str | os.PathLike[str], options: Options | None = None) -> Job:
    """Imports a file. If that fails, Blender has what it had before."""
    steps = begin(context, path, options or Options())
    while True:
        try:
            next(steps)
        except StopIteration as done:
            job: Job = done.value
            return job


def begin(context: bpy.types.Context, path: str | os.PathLike[str], options: Options) -> Iterator[tuple[float, str]]:
    """Imports a file step by step: yields how far it is, and what is next. Returns the job."""
    yield 0.0, "reading"
    folders = [folder for folder in options.textures if folder]
    sources = Sources(textures=folders, game=options.game or None)
    document = galatea.open(path, sources=sources)
    if options.inherit:
        scene = document.scene(inherit=True, sources=sources)
    else:
        scene = document.scene(sources=sources)
    before = {kind: {one.session_uid for one in getattr(bpy.data, kind)} for kind in KINDS}
    if context.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")
    try:
        return (yield from _steps(context, Path(path), document, scene, options, sources))
    except BaseException:
        _take_back(before)
        raise


def _steps(
    context: bpy.types.Context, path: Path, document: Document, scene: Scene, options: Options, sources: Sources
) -> Iterator[tuple[float, str]]:
    layout = plan(scene)
    title = scene.name or path.stem
    collection = bpy.data.collections.new(title)
    context.collection.children.link(collection)
    root = import_tree.make_root(title, layout, collection)
    job = Job(context, document, scene, layout, options, sources, collection, root)
    model = root.galatea_model
    model.is_model = True
    model.format = document.format
    model.version = document.version
    model.title = title
    model.fps = job.fps
    fields.show(model.part, fields.of_model(scene))
    original.remember(root, document, path, options.pack)
    yield 0.1, "materials"
    import_materials.make(job)
    yield 0.3, "meshes"
    import_meshes.make(job)
    yield 0.6, "bones"
    import_tree.make_bones(job)
    yield 0.65, "objects"
    import_tree.make_objects(job)
    import_meshes.bind(job)
    transitions.paint(job)
    import_parts.make(job)
    yield 0.75, "animations"
    import_clips.make(job)
    yield 0.98, "selection"
    import_tree.show(job)
    return job


def _take_back(before: dict[str, set[int]]) -> None:
    """Removes everything that was not there before."""
    for kind in KINDS:
        made = [one for one in getattr(bpy.data, kind) if one.session_uid not in before[kind]]
        if made:
            bpy.data.batch_remove(made)
