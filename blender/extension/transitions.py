"""Transitions of walkmeshes: edges of the border that lead to other rooms, as an attribute of edges."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import bpy
import numpy as np
from galatea import Material, Mesh, Node, Primitive, Scene, Vertices

from .arrays import Numbers

if TYPE_CHECKING:
    from .exporter import Edit
    from .importer import Job

#: The room that an edge leads to, plus one; 0 for none.
ATTRIBUTE = "galatea_transition"


def lines_of(scene: Scene) -> list[tuple[int, Mesh, Primitive]]:
    """Returns the lines of a walkmesh's border: the room that each leads to, its mesh and its primitive."""
    out = []
    for mesh in scene.meshes:
        for part in mesh.primitives:
            room = (part.extras.get("kotor") or {}).get("transition")
            if part.topology == "lines" and isinstance(room, int):
                out.append((room, mesh, part))
    return out


def floor_of(scene: Scene) -> int | None:
    """Returns the node of the walkmesh's faces."""
    for at, node in enumerate(scene.nodes):
        mesh = scene.meshes[node.mesh] if node.mesh is not None and node.mesh < len(scene.meshes) else None
        if mesh is not None and mesh.purpose == "walk" and any(part.topology == "triangles" for part in mesh.primitives):
            return at
    return None


def _edges(mesh: bpy.types.Mesh) -> Numbers:
    ends = np.empty(len(mesh.edges) * 2, np.int32)
    mesh.edges.foreach_get("vertices", ends)
    return np.sort(ends.reshape(-1, 2), axis=1)


def paint(job: Job) -> None:
    """Writes where the edges of a walkmesh lead to."""
    lines = lines_of(job.scene)
    floor = floor_of(job.scene)
    made = job.objects.get(floor) if floor is not None else None
    if not lines or made is None or made.type != "MESH":
        return
    rooms: dict[tuple[int, int], int] = {}
    for room, _, part in lines:
        if room >= 0:
            rooms.update({(min(a, b), max(a, b)): room + 1 for a, b in part.indices.tolist()})
    values = np.array([rooms.get((a, b), 0) for a, b in _edges(made.data).tolist()], np.int32)
    made.data.attributes.new(ATTRIBUTE, "INT", "EDGE").data.foreach_set("value", values)


def set_selected(made: bpy.types.Object, room: int) -> int:
    """Lets the selected border edges of a mesh in edit mode lead to a room. Returns how many there are."""
    import bmesh

    data = bmesh.from_edit_mesh(made.data)
    layer = data.edges.layers.int.get(ATTRIBUTE) or data.edges.layers.int.new(ATTRIBUTE)
    count = 0
    for edge in data.edges:
        if edge.select and len(edge.link_faces) == 1:
            edge[layer] = room + 1
            count += 1
    bmesh.update_edit_mesh(made.data)
    return count


def update(edit: Edit) -> None:
    """Takes over transitions. Lines whose edge is no longer there are dropped."""
    scene = edit.scene
    lines = lines_of(scene)
    floor = floor_of(scene)
    made = edit.objects.get(floor) if floor is not None else None
    if floor is None or made is None or made.type != "MESH":
        return
    mesh = scene.meshes[scene.nodes[floor].mesh or 0]
    solid = next(part for part in mesh.primitives if part.topology == "triangles")
    known = {tuple(row): at for at, row in reversed(list(enumerate(solid.vertices.positions.tolist())))}
    for _, _, part in lines:
        if part.vertices is not solid.vertices:
            _move(part, solid.vertices, known)
    attribute = made.data.attributes.get(ATTRIBUTE)
    if attribute is None or attribute.domain != "EDGE":
        return
    if made.mode == "EDIT":
        made.update_from_editmode()
    values = np.empty(len(made.data.edges), np.int32)
    attribute.data.foreach_get("value", values)
    points = np.empty(len(made.data.vertices) * 3, np.float32)
    made.data.vertices.foreach_get("co", points)
    rows = points.reshape(-1, 3)
    now: dict[tuple[int, int], int] = {}
    for (a, b), value in zip(_edges(made.data).tolist(), values.tolist()):
        ends = known.get(tuple(rows[a].tolist())), known.get(tuple(rows[b].tolist()))
        if value > 0 and ends[0] is not None and ends[1] is not None:
            now[min(ends), max(ends)] = value - 1  # type: ignore[type-var]
    was = {(min(a, b), max(a, b)): room for room, _, part in lines for a, b in part.indices.tolist() if room >= 0}
    if now != was:
        edit.change("walkmesh", made.name, "transitions")
        _write(edit, floor, solid.vertices, lines, now)


def _move(part: Primitive, vertices: Vertices, known: dict[tuple[Any, ...], int]) -> None:
    """Lets lines name the vertices of a walkmesh that was made anew."""
    old = part.vertices.positions
    rows = [(known.get(tuple(old[a].tolist())), known.get(tuple(old[b].tolist()))) for a, b in part.indices.tolist()]
    kept = [pair for pair in rows if pair[0] is not None and pair[1] is not None]
    part.vertices = vertices
    part.indices = np.array(kept, np.uint32).reshape(-1, 2)
    part.extras.pop("kotor", None)


def _write(edit: Edit, floor: int, vertices: Vertices, lines: list[Any], now: dict[tuple[int, int], int]) -> None:
    """Makes the lines anew: one primitive for each room."""
    scene = edit.scene
    by_room: dict[int, list[tuple[int, int]]] = {}
    for ends, room in now.items():
        by_room.setdefault(room, []).append(ends)
    old = {room: part for room, _, part in lines}
    for room, part in old.items():
        if room < 0:
            continue
        part.indices = np.array(by_room.pop(room, []), np.uint32).reshape(-1, 2)
        part.extras = {"kotor": {"transition": room}}
        part.vertices = vertices
    for room, pairs in by_room.items():
        name = f"transition {room}"
        scene.materials.append(Material(name, base_color=(1.0, 0.8, 0.0, 1.0), unlit=True))
        part = Primitive(vertices, np.array(pairs, np.uint32), len(scene.materials) - 1, "lines", {"kotor": {"transition": room}})
        scene.meshes.append(Mesh(name, [part], "walk"))
        node = Node(name, scene.nodes[floor].parent, mesh=len(scene.meshes) - 1)
        scene.nodes.append(node)
        if node.parent is not None:
            scene.nodes[node.parent].children.append(len(scene.nodes) - 1)
