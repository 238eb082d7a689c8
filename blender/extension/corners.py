"""Meshes of Blender read as arrays, and made into the vertices of a scene."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import bpy
import numpy as np
from galatea import Vertices

from .arrays import Floats, Numbers
from .import_meshes import EDITABLE, SOURCE, corner_normals


@dataclass
class Corners:
    """A mesh of Blender: triangles, each with three corners of their own."""

    positions: Floats
    #: The vertex of each corner; three for each triangle.
    vertex: Numbers
    #: The material slot of each triangle.
    slots: Numbers
    #: Edges without faces.
    edges: Numbers
    normals: Floats
    #: Sets of coordinates of corners, V up, by name.
    uvs: dict[str, Floats] = field(default_factory=dict)
    #: Sets of colors of corners, by name.
    colors: dict[str, Floats] = field(default_factory=dict)
    #: Values of vertices that the format knows, by its name.
    attributes: dict[str, Floats] = field(default_factory=dict)
    #: For each vertex the row of the original that it came from; -1 for none.
    source: Numbers = field(default_factory=lambda: np.empty(0, np.int64))


@contextmanager
def evaluated(context: bpy.types.Context, made: bpy.types.Object) -> Iterator[bpy.types.Mesh]:
    """Yields the mesh of an object with all modifiers but armatures applied."""
    if made.mode == "EDIT":
        made.update_from_editmode()
    armatures = [one for one in made.modifiers if one.type == "ARMATURE" and one.show_viewport]
    if not any(one.show_viewport and one.type != "ARMATURE" for one in made.modifiers):
        yield made.data
        return
    for one in armatures:
        one.show_viewport = False
    graph = context.evaluated_depsgraph_get()
    mesh = bpy.data.meshes.new_from_object(made.evaluated_get(graph), preserve_all_data_layers=True, depsgraph=graph)
    try:
        yield mesh
    finally:
        bpy.data.meshes.remove(mesh)
        for one in armatures:
            one.show_viewport = True


def read(mesh: bpy.types.Mesh) -> Corners:
    """Reads a mesh. Faces of more than three corners are cut into triangles."""
    count, loops, faces = len(mesh.vertices), len(mesh.loops), len(mesh.polygons)
    positions = np.empty(count * 3, np.float32)
    mesh.vertices.foreach_get("co", positions)
    of_loop = np.empty(loops, np.int32)
    mesh.loops.foreach_get("vertex_index", of_loop)
    materials = np.zeros(faces, np.int32)
    mesh.polygons.foreach_get("material_index", materials)
    if loops == faces * 3:
        picked = np.arange(loops)
        slots = materials
    else:
        mesh.calc_loop_triangles()
        triangles = len(mesh.loop_triangles)
        picked, owner = np.empty(triangles * 3, np.int32), np.empty(triangles, np.int32)
        mesh.loop_triangles.foreach_get("loops", picked)
        mesh.loop_triangles.foreach_get("polygon_index", owner)
        slots = materials[owner]
    normals = corner_normals(mesh)[picked] if faces else np.empty((0, 3), np.float32)
    out = Corners(positions.reshape(-1, 3), of_loop[picked], slots, _loose(mesh), normals)
    for layer in mesh.uv_layers:
        values = np.empty(loops * 2, np.float32)
        layer.uv.foreach_get("vector", values)
        out.uvs[layer.name] = values.reshape(-1, 2)[picked]
    for one in mesh.color_attributes:
        size = loops if one.domain == "CORNER" else count
        values = np.empty(size * 4, np.float32)
        one.data.foreach_get("color", values)
        rows = values.reshape(-1, 4)
        out.colors[one.name] = rows[picked] if one.domain == "CORNER" else rows[out.vertex]
    for key in EDITABLE:
        found = mesh.attributes.get(key.lower())
        if found is not None and found.domain == "POINT" and found.data_type in ("FLOAT", "FLOAT_COLOR"):
            width, name = (1, "value") if found.data_type == "FLOAT" else (4, "color")
            values = np.empty(count * width, np.float32)
            found.data.foreach_get(name, values)
            out.attributes[key] = values.reshape(-1, width)
            out.colors.pop(found.name, None)
    source = mesh.attributes.get(SOURCE)
    rows = np.zeros(count, np.int32)
    if source is not None and source.domain == "POINT" and source.data_type == "INT":
        source.data.foreach_get("value", rows)
    out.source = rows.astype(np.int64) - 1
    return out


def _loose(mesh: bpy.types.Mesh) -> Numbers:
    count = len(mesh.edges)
    ends, loose = np.empty(count * 2, np.int32), np.empty(count, bool)
    if not count:
        return ends.reshape(-1, 2)
    mesh.edges.foreach_get("vertices", ends)
    mesh.edges.foreach_get("is_loose", loose)
    return ends.reshape(-1, 2)[loose]


#: Returns joints and weights of vertices, a row for each.
Weigh = Callable[[Numbers], tuple[Numbers, Floats]]


def assemble(
    corners: Corners, picked: Numbers, turned: Floats | None = None, sets: list[str] | None = None, dye: list[str] | None = None
) -> tuple[Vertices, Numbers, Numbers]:
    """Makes vertices of some corners, one for all that are the same. Returns them, which of them each corner is, and the vertex of
    Blender that each shows. `turned` is a matrix for positions and normals."""
    names = list(corners.uvs) if sets is None else sets
    colors = list(corners.colors) if dye is None else dye
    vertex = corners.vertex[picked]
    columns = [vertex[:, None].astype(np.int64), np.round(corners.normals[picked].astype(np.float64) * 2000).astype(np.int64)]
    columns += [_bits(corners.uvs[name][picked]) for name in names]
    columns += [_bits(corners.colors[name][picked]) for name in colors]
    keys = np.concatenate(columns, axis=1)
    _, first, where = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    # In the order of the mesh, so that what was not edited stays where it was.
    order = np.lexsort((first, vertex[first]))
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    corner = picked[first[order]]
    shown = corners.vertex[corner]
    positions, normals = corners.positions[shown], corners.normals[corner]
    if turned is not None:
        positions = (positions @ turned[:3, :3].T + turned[:3, 3]).astype(np.float32)
        cofactor = np.linalg.inv(turned[:3, :3]).T if abs(np.linalg.det(turned[:3, :3])) > 1e-20 else turned[:3, :3]
        normals = normals @ cofactor.T
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    normals = (normals / np.where(length > 0, length, 1.0)).astype(np.float32)
    out = Vertices(np.ascontiguousarray(positions, np.float32), normals=np.ascontiguousarray(normals))
    for name in names:
        rows = corners.uvs[name][corner].copy()
        rows[:, 1] = np.float32(1.0) - rows[:, 1]
        out.uvs.append(rows)
    out.colors = [corners.colors[name][corner].copy() for name in colors]
    return out, place[where.ravel()], shown


def _bits(values: Floats) -> Numbers:
    """Returns numbers of which equal ones are equal numbers."""
    return np.ascontiguousarray(values + np.float32(0.0)).view(np.int32).astype(np.int64)


def weights(made: bpy.types.Object, mesh: bpy.types.Mesh) -> tuple[Numbers, Numbers, Floats]:
    """Returns which vertex is in which vertex group, with what weight; without zeros, sorted."""
    vertices: list[int] = []
    groups: list[int] = []
    shares: list[float] = []
    for vertex in mesh.vertices:
        for one in vertex.groups:
            vertices.append(vertex.index)
            groups.append(one.group)
            shares.append(one.weight)
    rows, numbers, values = np.array(vertices, np.int64), np.array(groups, np.int64), np.array(shares, np.float32)
    held = values > 0
    rows, numbers, values = rows[held], numbers[held], values[held]
    order = np.lexsort((numbers, rows))
    return rows[order], numbers[order], values[order]
