"""Meshes: vertices, triangles, coordinates, normals, colors and weights, as arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy
import numpy as np

from . import fields, layout
from .arrays import Floats, finite
from .layout import Layout

if TYPE_CHECKING:
    from .importer import Job

#: The attribute that says which row of the original a vertex came from, plus one; 0 for new ones.
SOURCE = "galatea_vertex"
#: Columns of the format that people edit, which become attributes.
EDITABLE = ("CONSTRAINT", "MASK")
#: Coordinates that Blender has room for.
MOST_UV_SETS = 8


def make(job: Job) -> None:
    """Makes all meshes of a model."""
    for at, mesh in enumerate(job.scene.meshes):
        laid = layout.lay_out(mesh)
        made = build(mesh.name or "mesh", laid)
        for number in laid.materials:
            made.materials.append(job.materials.get(number) if number is not None else None)
        job.meshes[at] = made
        props = made.galatea
        props.part.key = at
        props.part.given = made.name
        props.model = job.root
        props.purpose = mesh.purpose.upper()
        props.lod = -1 if mesh.lod is None else mesh.lod
        fields.show(props.part, fields.of_mesh(job.scene, at))


def build(name: str, laid: Layout) -> bpy.types.Mesh:
    """Makes a mesh of Blender."""
    made = bpy.data.meshes.new(name)
    count, faces = len(laid.positions), len(laid.triangles)
    if not count:
        return made
    made.vertices.add(count)
    made.vertices.foreach_set("co", laid.positions.ravel())
    if len(laid.edges):
        made.edges.add(len(laid.edges))
        made.edges.foreach_set("vertices", laid.edges.ravel())
    if faces:
        made.loops.add(faces * 3)
        made.loops.foreach_set("vertex_index", laid.triangles.ravel())
        made.polygons.add(faces)
        made.polygons.foreach_set("loop_start", np.arange(0, faces * 3, 3, dtype=np.int32))
        if laid.slots.any():
            made.polygons.foreach_set("material_index", laid.slots)
    made.update(calc_edges=True)
    source = made.attributes.new(SOURCE, "INT", "POINT")
    source.data.foreach_set("value", laid.source.astype(np.int32) + 1)
    if faces:
        _coordinates(made, laid)
    for number in range(max((len(one.colors) for one in laid.columns), default=0)):
        colors = laid.gather("colors", 4, number)
        if colors is not None:
            made_colors = made.color_attributes.new(color_name(number), "FLOAT_COLOR", "POINT")
            made_colors.data.foreach_set("color", finite(colors).ravel())
    for key in EDITABLE:
        values = attribute(laid, key)
        if values is not None:
            _attribute(made, key, values)
    normals = laid.gather("normals", 3)
    if faces and normals is not None:
        set_normals(made, normals)
    return made


def _coordinates(made: bpy.types.Mesh, laid: Layout) -> None:
    corners = laid.triangles.ravel()
    for number in range(min(max((len(one.uvs) for one in laid.columns), default=0), MOST_UV_SETS)):
        uvs = laid.gather("uvs", 2, number)
        if uvs is None:
            continue
        layer = made.uv_layers.new(name=uv_name(number), do_init=False)
        layer.uv.foreach_set("vector", upward(uvs)[corners].ravel())


def upward(uvs: Floats) -> Floats:
    """Returns coordinates with V up, as Blender has them."""
    out = finite(uvs).copy()
    out[:, 1] = np.float32(1.0) - out[:, 1]
    return out


def uv_name(number: int) -> str:
    """Returns the name of a set of coordinates."""
    return "UVMap" if number == 0 else f"UVMap {number + 1}"


def color_name(number: int) -> str:
    """Returns the name of a set of colors."""
    return "Color" if number == 0 else f"Color {number + 1}"


def attribute(laid: Layout, key: str) -> Floats | None:
    """Returns a column of the format for all vertices; none if there is none."""
    found = [one.attributes.get(key) for one in laid.columns]
    width = next((values.shape[1] for values in found if values is not None), 0)
    if width not in (1, 4):
        return None
    parts = [np.zeros((len(one), width), np.float32) if v is None else v for one, v in zip(laid.columns, found)]
    if any(part.shape[1] != width for part in parts):
        return None
    return finite(np.concatenate(parts)[laid.source])


def _attribute(made: bpy.types.Mesh, key: str, values: Floats) -> None:
    if values.shape[1] == 1:
        made.attributes.new(key.lower(), "FLOAT", "POINT").data.foreach_set("value", values.ravel())
    else:
        made.color_attributes.new(key.lower(), "FLOAT_COLOR", "POINT").data.foreach_set("color", values.ravel())


def set_normals(made: bpy.types.Mesh, normals: Floats) -> None:
    """Gives vertices normals of their own."""
    rows = finite(normals).astype(np.float64)
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    # A normal of no length means the one that the faces give.
    rows = np.where(length > 1e-8, rows / np.where(length > 1e-8, length, 1.0), 0.0)
    made.normals_split_custom_set_from_vertices(rows.tolist())


def corner_normals(made: bpy.types.Mesh) -> Floats:
    """Returns the normal of each corner as it is drawn."""
    out = np.empty(len(made.loops) * 3, np.float32)
    made.corner_normals.foreach_get("vector", out)
    return out.reshape(-1, 3)


def bind(job: Job) -> None:
    """Gives skinned meshes their weights, and the armature that moves them."""
    done = set()
    for at in job.plan.order:
        node = job.scene.nodes[at]
        made = job.objects.get(at)
        if node.mesh is None or node.skin is None or made is None or made.type != "MESH" or not job.bones:
            continue
        if node.skin >= len(job.scene.skins) or node.mesh >= len(job.scene.meshes):
            continue
        modifier = made.modifiers.new("Armature", "ARMATURE")
        modifier.object = job.root
        if node.mesh not in done:
            done.add(node.mesh)
            _weigh(job, made, node.mesh, node.skin)


def _weigh(job: Job, made: bpy.types.Object, mesh: int, skin: int) -> None:
    joints = job.scene.skins[skin].joints
    vertices, numbers, shares = layout.weights(layout.lay_out(job.scene.meshes[mesh]))
    order = np.lexsort((shares, numbers))
    vertices, numbers, shares = vertices[order], numbers[order], shares[order]
    changes = np.flatnonzero(np.diff(numbers) | (np.diff(shares) != 0)) + 1
    groups: dict[int, bpy.types.VertexGroup] = {}
    for first, last in zip(np.r_[0, changes], np.r_[changes, len(vertices)]):
        if first == last:
            continue
        joint = int(numbers[first])
        if joint >= len(joints) or int(joints[joint]) not in job.bones:
            continue
        name = job.bones[int(joints[joint])]
        if joint not in groups:
            groups[joint] = made.vertex_groups.get(name) or made.vertex_groups.new(name=name)
        groups[joint].add(vertices[first:last].tolist(), float(shares[first]), "REPLACE")
