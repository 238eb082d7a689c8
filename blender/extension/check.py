"""Checks what would be exported by the rules of its format, and finds the object that each finding is about."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import bpy
from galatea import Finding

from . import exporter
from .exporter import Files

QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
NUMBERED = re.compile(r"(geosets|meshes)\[(\d+)\]")
#: What nodes of numbered parts are called.
CALLED = {"geosets": "geoset {}", "meshes": "mesh_{}"}


@dataclass
class Found:
    """A finding, and what in Blender it is about."""

    finding: Finding
    made: bpy.types.Object | None
    bone: str


def run(context: bpy.types.Context, root: bpy.types.Object, **options: Any) -> tuple[Files, list[Found]]:
    """Checks a model as it would be exported. The worst findings come first."""
    files = exporter.export(context, root, **options)
    rank = {"error": 0, "warning": 1, "info": 2}
    found = [Found(finding, *locate(finding.path, files)) for finding in files.open().check()]
    found.sort(key=lambda one: rank.get(one.finding.severity, 3))
    return files, found


def locate(path: str, files: Files) -> tuple[bpy.types.Object | None, str]:
    """Returns the object that a path in a document leads to, and the bone if it is one."""
    names = [re.sub(r"\\(.)", r"\1", name) for name in QUOTED.findall(path)]
    for kind, number in NUMBERED.findall(path):
        names.append(CALLED[kind].format(number))
    for name in names:
        if name in files.objects:
            return files.objects[name]
    lower = {name.lower(): one for name, one in files.objects.items()}
    return next((lower[name.lower()] for name in names if name.lower() in lower), (None, ""))


def select(context: bpy.types.Context, made: bpy.types.Object, bone: str) -> None:
    """Selects an object, or a bone, and makes it active."""
    if context.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")
    for one in list(context.selected_objects):
        one.select_set(False)
    made.hide_set(False)
    made.select_set(True)
    context.view_layer.objects.active = made
    if bone and made.type == "ARMATURE" and bone in made.data.bones:
        made.data.bones.active = made.data.bones[bone]
