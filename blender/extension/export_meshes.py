"""Meshes of an edited model: what was moved, painted, added or deleted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import bpy
import numpy as np
from galatea import Mesh, Primitive, Skin, Vertices

from . import corners, export_tree, fields, import_meshes, layout
from .arrays import Floats, Numbers, close, inverse
from .corners import Corners
from .layout import Layout

if TYPE_CHECKING:
    from .exporter import Edit

#: How far a normal may be turned by the way in which Blender stores it.
TURNED = 4e-3


def update(edit: Edit) -> None:
    """Takes over all meshes."""
    scene = edit.scene
    shown = {**edit.objects, **{at: held[0] for at, held in edit.holders.items()}}
    for at, held in edit.holders.items():
        shown[at] = next((one for one in held if one.type == "MESH"), held[0])
    done: dict[str, int] = {}
    for at in range(len(scene.nodes)):
        if at in edit.gone:
            continue
        node, made = scene.nodes[at], shown.get(at)
        is_mesh = made is not None and made.type == "MESH"
        if not is_mesh:
            if node.mesh is not None and node.mesh < len(scene.meshes) and _was_shown(edit, at):
                edit.change("mesh", scene.meshes[node.mesh].name, "deleted")
                node.mesh = node.skin = None
            continue
        assert made is not None
        key = made.data.galatea.part.key if made.data.galatea.model == edit.root else -1
        if made.data.name in done:
            node.mesh = done[made.data.name]
            continue
        own = node.mesh if node.mesh is not None and key == node.mesh and at < len(edit.plan.local) else None
        if own is None:
            _new(edit, at, made)
        else:
            _Update(edit, at, own, made).run()
        if node.mesh is not None:
            done[made.data.name] = node.mesh


def _was_shown(edit: Edit, at: int) -> bool:
    """Returns whether import made an object for the mesh of a node."""
    return at < len(edit.plan.local) and at != edit.plan.axes


def _baked(edit: Edit, at: int, made: bpy.types.Object) -> Floats | None:
    """Returns the matrix that brings vertices to where they are seen, for objects that are not where their node is."""
    if at in edit.plan.stand and export_tree.is_skinned(edit, at, made):
        moved = inverse(edit.plan.stand[at]) @ export_tree.local_matrix(edit, made)
    elif made.galatea.holder:
        moved = export_tree.local_matrix(edit, made)
    else:
        return None
    near = np.abs(moved[:3, :3] - np.eye(3)).max() <= 1e-4 and np.abs(moved[:3, 3]).max() <= edit.plan.size * 2e-5
    return None if near else moved


class _Update:
    """The comparison of a mesh with what import made of it."""

    def __init__(self, edit: Edit, at: int, number: int, made: bpy.types.Object) -> None:
        self.edit, self.at, self.number, self.made = edit, at, number, made
        self.mesh = edit.scene.meshes[number]
        # Meshes may share vertices: what is compared is the original, what is written the edit.
        self.laid = layout.lay_out(edit.before.meshes[number])
        self.columns = layout.columns_of(self.mesh)
        self.what: list[str] = []

    def run(self) -> None:
        """Takes over what was edited."""
        with corners.evaluated(self.edit.context, self.made) as data:
            now = corners.read(data)
            self._slots(data)
            bake = _baked(self.edit, self.at, self.made)
            if self._is_same_shape(now) and not self._needs_split(now):
                self._columns(data, now, bake)
                self._weights(data)
            else:
                self._rebuild(data, now, bake)
        self._properties()
        if self.what:
            self.edit.change("mesh", self.mesh.name, ", ".join(dict.fromkeys(self.what)))

    def _slots(self, data: bpy.types.Mesh) -> None:
        """Finds the material of each slot."""
        self.materials: list[int | None] = []
        for slot in range(max(len(self.made.material_slots), len(self.laid.materials), 1)):
            there = slot < len(self.made.material_slots)
            material = self.made.material_slots[slot].material if there else None
            self.materials.append(None if material is None else self.edit.materials.get(material.name))
        for slot, was in enumerate(self.laid.materials):
            if self.materials[slot] != was and (was is None or was < len(self.edit.scene.materials)):
                self.mesh.primitives[slot].material = self.materials[slot]
                self.what.append("another material")

    def _is_same_shape(self, now: Corners) -> bool:
        laid = self.laid
        edges = laid.edges
        if len(edges) and len(laid.triangles):
            faces = np.sort(np.concatenate([laid.triangles[:, [0, 1]], laid.triangles[:, [1, 2]], laid.triangles[:, [2, 0]]]), axis=1)
            held = {tuple(edge) for edge in faces.tolist()}
            edges = np.array([edge for edge in edges.tolist() if tuple(edge) not in held], np.int32).reshape(-1, 2)
        loose = np.sort(now.edges, axis=1)
        loose = loose[np.lexsort((loose[:, 1], loose[:, 0]))]
        return (
            len(now.positions) == len(laid.positions)
            and np.array_equal(now.vertex, laid.triangles.ravel())
            and np.array_equal(now.slots, laid.slots)
            and np.array_equal(loose, edges)
        )

    def _set_names(self, now: Corners) -> list[str]:
        count = max((len(one.uvs) for one in self.laid.columns), default=0)
        return [import_meshes.uv_name(number) for number in range(min(count, import_meshes.MOST_UV_SETS))]

    def _needs_split(self, now: Corners) -> bool:
        """Returns whether corners of one vertex have become different, or a set of coordinates was added or removed."""
        if not len(now.slots):
            return False
        names = self._set_names(now)
        there = list(now.uvs)
        if there != names and any(self.laid.gather("uvs", 2, n) is not None for n in range(max(len(names), 1))):
            if set(names) - set(there) or set(there) - set(names):
                return True
        first = np.full(len(now.positions), -1, np.int64)
        order = np.arange(len(now.vertex))[::-1]
        first[now.vertex[order]] = order
        for number, name in enumerate(names):
            if name in now.uvs and self.laid.gather("uvs", 2, number) is not None:
                rows = now.uvs[name]
                if np.abs(rows - rows[first[now.vertex]]).max(initial=0.0) > 1e-6:
                    return True
        if len(now.normals) and self.laid.gather("normals", 3) is not None:
            apart = np.abs(now.normals - now.normals[first[now.vertex]]).max(axis=1)
            if apart.max(initial=0.0) > 0.05:
                # Blender may split normals by itself where faces have no area.
                return bool((np.abs(now.normals - self._reference())[apart > 0.05].max(axis=1) > 0.05).any())
        return False

    def _reference(self) -> Floats:
        """Returns the normals that corners had when they were imported, as Blender rounds them."""
        if not hasattr(self, "_normals"):
            again = import_meshes.build("galatea reference", self.laid)
            self._normals = import_meshes.corner_normals(again)
            bpy.data.meshes.remove(again)
        return self._normals

    def _columns(self, data: bpy.types.Mesh, now: Corners, bake: Floats | None) -> None:
        """Takes over values of vertices that are still the same ones."""
        laid, thorough = self.laid, self.edit.thorough
        positions = now.positions
        moved = (positions != laid.positions).any(axis=1) & ~np.isnan(laid.positions).any(axis=1)
        if bake is not None:
            positions = (positions @ bake[:3, :3].T + bake[:3, 3]).astype(np.float32)
            moved[:] = True
        if moved.any():
            self.what.append(f"{int(moved.sum())} vertices moved")
        if moved.any() or thorough:
            self._put("positions", positions, moved | thorough)
        for number, name in enumerate(self._set_names(now)):
            was = laid.gather("uvs", 2, number)
            if was is not None and name in now.uvs:
                rows = self._of_vertices(now, now.uvs[name], import_meshes.upward(was))
                other = (rows != import_meshes.upward(was)).any(axis=1)
                if other.any() or thorough:
                    rows = rows.copy()
                    rows[:, 1] = np.float32(1.0) - rows[:, 1]
                    self._put("uvs", rows, other, number)
                    self.what.extend(["coordinates"] * bool(other.any()))
        for number in range(max((len(one.colors) for one in laid.columns), default=0)):
            was, name = laid.gather("colors", 4, number), import_meshes.color_name(number)
            if was is not None and name in now.colors:
                rows = self._of_vertices(now, now.colors[name], was)
                other = (np.abs(rows - was) > 1e-6).any(axis=1)
                if other.any():
                    self._put("colors", rows, other, number)
                    self.what.append("colors")
        for key in import_meshes.EDITABLE:
            was = import_meshes.attribute(laid, key)
            if was is not None and key in now.attributes and now.attributes[key].shape == was.shape:
                other = (np.abs(now.attributes[key] - was) > 1e-6).any(axis=1)
                if other.any():
                    self._put(key, now.attributes[key], other)
                    self.what.append(key.lower())
        self._turn(now, bake, moved)

    def _of_vertices(self, now: Corners, rows: Floats, default: Floats) -> Floats:
        out = default.copy()
        out[now.vertex] = rows
        return out

    def _turn(self, now: Corners, bake: Floats | None, moved: Numbers) -> None:
        """Takes over normals that were edited, or that turned with the faces around a vertex."""
        was = self.laid.gather("normals", 3)
        if was is None or not len(now.normals):
            return
        apart = np.abs(now.normals - self._reference()).max(axis=1)
        touched = np.zeros(len(was), bool)
        touched[now.vertex[apart > TURNED]] = True
        if bake is not None:
            touched[:] = True
        if not touched.any():
            return
        sums = np.zeros((len(was), 3))
        np.add.at(sums, now.vertex, now.normals)
        if bake is not None:
            sums = sums @ inverse(bake[:3, :3])
        length = np.linalg.norm(sums, axis=1, keepdims=True)
        touched &= length[:, 0] > 1e-6
        self._put("normals", (sums / np.where(length > 0, length, 1.0)).astype(np.float32), touched)
        if not moved.any():
            self.what.append("normals")

    def _put(self, name: str, rows: Floats, which: Numbers, number: int = 0) -> None:
        """Writes rows into the columns of the scene."""
        laid = self.laid
        which = np.broadcast_to(which, len(rows)) if np.ndim(which) == 0 else which
        for at, one in enumerate(self.columns):
            start, end = laid.starts[at], laid.starts[at] + len(one)
            values: Any = one.attributes.get(name) if name.isupper() else getattr(one, name)
            if isinstance(values, list):
                values = values[number] if number < len(values) else None
            if values is None:
                continue
            # Copies come last: a copy that was edited decides, unless the row itself was.
            mine = np.flatnonzero(which & (laid.source >= start) & (laid.source < end))
            for picked in (mine[mine >= laid.rows], mine[mine < laid.rows]):
                values[laid.source[picked] - start] = rows[picked]

    def _weights(self, data: bpy.types.Mesh) -> None:
        node, scene = self.edit.scene.nodes[self.at], self.edit.scene
        if node.skin is None or node.skin >= len(scene.skins):
            return
        if not export_tree.is_skinned(self.edit, self.at, self.made):
            return
        skin = scene.skins[node.skin]
        vertices, joints, shares = layout.weights(self.laid)
        binding = _Binding(self.edit, self.made, skin, self.edit.plan.stand.get(self.at))
        rows, numbers, values = binding.read(data)
        order = np.lexsort((joints, vertices))
        same = np.array_equal(rows, vertices[order]) and np.array_equal(numbers, joints[order]) and close(values, shares[order], 1e-6)
        if same:
            return
        was = _by_vertex(vertices, joints, shares, len(self.laid.positions))
        now = _by_vertex(rows, numbers, values, len(self.laid.positions))
        changed = [at for at in range(self.laid.rows) if not _alike(was[at], now[at])]
        if not changed:
            return
        self.what.append(f"weights of {len(changed)} vertices")
        for at in changed:
            column, row = self.laid.place(at)
            _weigh(self.columns[column], row, now[at])

    def _properties(self) -> None:
        props = self.made.data.galatea
        if props.purpose.lower() != self.mesh.purpose:
            self.mesh.purpose = props.purpose.lower()
            self.what.append("purpose")
        lod = None if props.lod < 0 else props.lod
        if lod != self.mesh.lod:
            self.mesh.lod = lod
            self.what.append("level of detail")
        if fields.take(props.part, fields.of_mesh(self.edit.scene, self.number)):
            self.what.append("values of the format")

    def _rebuild(self, data: bpy.types.Mesh, now: Corners, bake: Floats | None) -> None:
        """Makes the mesh anew where its triangles are others; vertices that came from the original keep what Blender does not have."""
        edit, _mesh, laid = self.edit, self.mesh, self.laid
        self.what.append(f"{len(now.slots)} triangles, {len(laid.triangles)} before")
        was = laid.gather("normals", 3)
        source = np.where(now.source < laid.rows, now.source, -1)
        if was is not None and len(now.normals):
            own = source[now.vertex]
            near = (own >= 0) & (np.abs(now.normals - was[: laid.rows][np.maximum(own, 0)]).max(axis=1) < 0.02)
            now.normals[near] = was[: laid.rows][own[near]]
        homes = self._homes(now)
        columns: dict[int, tuple[Vertices, Numbers, Numbers]] = {}
        seen: dict[int, Numbers] = {}
        node = edit.scene.nodes[self.at]
        for home in sorted(set(homes.values())):
            slots = [slot for slot, place in homes.items() if place == home]
            faces = np.flatnonzero(np.isin(now.slots, slots))
            picked = (faces[:, None] * 3 + np.arange(3)).ravel()
            names = [name for name in self._set_names(now) if name in now.uvs] or list(now.uvs)
            dye = [name for name in (import_meshes.color_name(n) for n in range(8)) if name in now.colors]
            old = laid.columns[home] if home < len(laid.columns) else None
            if old is not None and not old.colors:
                dye = []
            made, where, shown = corners.assemble(now, picked, bake, names, dye)
            if old is not None:
                _inherit(made, old, source[shown] - laid.starts[home], now, shown)
            columns[home], seen[home] = (made, faces, where), shown
        if node.skin is not None and export_tree.is_skinned(edit, self.at, self.made):
            skin = edit.scene.skins[node.skin]
            binding = _Binding(edit, self.made, skin, edit.plan.stand.get(self.at))
            all_rows = _by_vertex(*binding.read(data), len(now.positions))
            for home, (made, _, _) in columns.items():
                _weigh_all(made, [all_rows[vertex] for vertex in seen[home]])
        self._primitives(now, homes, columns)

    def _homes(self, now: Corners) -> dict[int, int]:
        """Returns in which vertices the triangles of each slot belong: those that its primitive had."""
        known = {id(one): at for at, one in enumerate(self.columns)}
        parts = self.mesh.primitives
        out = {}
        for slot in np.unique(now.slots).tolist():
            out[slot] = known[id(parts[slot].vertices)] if slot < len(parts) else 0
        return out

    def _primitives(self, now: Corners, homes: dict[int, int], columns: dict[int, tuple[Vertices, Numbers, Numbers]]) -> None:
        parts = self.mesh.primitives
        by_material = {part.material: part for part in reversed(parts) if part.topology == "triangles"}
        filled: set[int] = set()
        for slot, home in homes.items():
            made, faces, where = columns[home]
            rows = where.reshape(-1, 3)[now.slots[faces] == slot].astype(np.uint32)
            material = self.materials[slot] if slot < len(self.materials) else None
            if slot < len(parts) and parts[slot].topology == "triangles":
                part = parts[slot]
            elif material in by_material and by_material[material].vertices is made:
                part = by_material[material]
                part.indices = np.concatenate([part.indices, rows])
                continue
            else:
                part = Primitive(made, rows, material)
                parts.append(part)
            part.vertices, part.indices = made, np.ascontiguousarray(rows)
            filled.add(id(part))
        for part in parts:
            if (
                part.topology == "triangles"
                and id(part) not in filled
                and not any(p is part for p in by_material.values() if id(p) in filled)
            ):
                part.indices = np.empty((0, 3), np.uint32)
                if columns:
                    part.vertices = next(iter(columns.values()))[0]
        parts[:] = [part for part in parts if part.topology != "triangles" or len(part.indices)]


def _inherit(made: Vertices, old: Vertices, rows: Numbers, now: Corners, shown: Numbers) -> None:
    """Gives vertices the columns that Blender does not have, from the vertices that they came from."""
    known = (rows >= 0) & (rows < len(old))
    safe = np.where(known, rows, 0)
    if old.normals is None:
        made.normals = None
    if old.tangents is not None and len(old) and known.all():
        made.tangents = old.tangents[safe]
    for name, values in old.attributes.items():
        if name in now.attributes and now.attributes[name].shape[1] == values.shape[1]:
            made.attributes[name] = np.ascontiguousarray(now.attributes[name][shown])
        elif len(old):
            taken = values[safe].copy()
            taken[~known] = 0.0
            made.attributes[name] = taken
    made.extras = dict(old.extras)


def _by_vertex(vertices: Numbers, joints: Numbers, shares: Floats, count: int) -> list[dict[int, float]]:
    out: list[dict[int, float]] = [{} for _ in range(count)]
    for vertex, joint, share in zip(vertices.tolist(), joints.tolist(), shares.tolist()):
        out[vertex][joint] = out[vertex].get(joint, 0.0) + share
    return out


def _alike(a: dict[int, float], b: dict[int, float]) -> bool:
    return a.keys() == b.keys() and all(abs(share - b[joint]) <= 1e-6 for joint, share in a.items())


def _normalized(shares: dict[int, float]) -> list[tuple[int, float]]:
    total = sum(shares.values())
    ranked = sorted(shares.items(), key=lambda one: (-one[1], one[0]))
    return [(joint, share / total) for joint, share in ranked] if total > 0 else []


def _weigh(column: Vertices, row: int, shares: dict[int, float]) -> None:
    """Gives one vertex other weights."""
    pairs = _normalized(shares)
    width = 0 if column.joints is None else column.joints.shape[1]
    if len(pairs) > width or column.joints is None or column.weights is None:
        wide = max(len(pairs), 4)
        joints, values = np.zeros((len(column), wide), np.uint16), np.zeros((len(column), wide), np.float32)
        if column.joints is not None and column.weights is not None:
            joints[:, :width], values[:, :width] = column.joints, column.weights
        column.joints, column.weights = joints, values
    column.joints[row], column.weights[row] = 0, 0.0
    for at, (joint, share) in enumerate(pairs):
        column.joints[row, at], column.weights[row, at] = joint, share


def _weigh_all(column: Vertices, rows: list[dict[int, float]]) -> None:
    width = max((len(row) for row in rows), default=1)
    column.joints = np.zeros((len(rows), max(width, 1)), np.uint16)
    column.weights = np.zeros((len(rows), max(width, 1)), np.float32)
    for row, shares in enumerate(rows):
        _weigh(column, row, shares)


class _Binding:
    """How an object is bound to bones: its vertex groups as joints of a skin, which gets those that it lacks."""

    def __init__(self, edit: Edit, made: bpy.types.Object, skin: Skin, stand: Floats | None) -> None:
        self.edit, self.made, self.skin = edit, made, skin
        self.stand = np.eye(4) if stand is None else stand

    def read(self, data: bpy.types.Mesh) -> tuple[Numbers, Numbers, Floats]:
        """Returns vertices, joints and weights, sorted."""
        vertices, groups, shares = corners.weights(self.made, data)
        joints = {int(node): at for at, node in reversed(list(enumerate(self.skin.joints)))}
        names = {group.index: group.name for group in self.made.vertex_groups}
        of_group: dict[int, int] = {}
        for group in np.unique(groups).tolist():
            node = self.edit.node_of_bone(names.get(group, ""))
            if node is None:
                continue
            if node not in joints:
                joints[node] = self._join(node)
            of_group[group] = joints[node]
        held = np.isin(groups, list(of_group))
        vertices, groups, shares = vertices[held], groups[held], shares[held]
        numbers = np.array([of_group[group] for group in groups.tolist()], np.int64)
        order = np.lexsort((numbers, vertices))
        return vertices[order], numbers[order], shares[order]

    def _join(self, node: int) -> int:
        skin = self.skin
        bind = inverse(self.edit.rest[node]) @ self.stand
        skin.joints = np.append(skin.joints, np.uint32(node)).astype(np.uint32)
        skin.inverse_bind = np.concatenate([skin.inverse_bind.reshape(-1, 4, 4), bind[None].astype(np.float32)])
        return len(skin.joints) - 1


def _new(edit: Edit, at: int, made: bpy.types.Object) -> None:
    """Adds a mesh that the original does not have."""
    scene, node = edit.scene, edit.scene.nodes[at]
    with corners.evaluated(edit.context, made) as data:
        now = corners.read(data)
        replaced = node.mesh is not None
        mesh, _ = fresh(edit, made, data, now, None)
        node.skin = None
        if export_tree.is_skinned(edit, at, made) and edit.bones:
            stand = export_tree.local_matrix(edit, made)
            skin = Skin(made.name)
            binding = _Binding(edit, made, skin, stand)
            rows = _by_vertex(*binding.read(data), len(now.positions))
            for part in mesh.primitives:
                picked = part.extras.pop("shown")
                _weigh_all(part.vertices, [rows[vertex] for vertex in picked])
            if len(skin.joints):
                scene.skins.append(skin)
                node.skin = len(scene.skins) - 1
        for part in mesh.primitives:
            part.extras.pop("shown", None)
    scene.meshes.append(mesh)
    node.mesh = len(scene.meshes) - 1
    edit.change("mesh", mesh.name, "replaced" if replaced else "new")


def fresh(edit: Any, made: bpy.types.Object, data: bpy.types.Mesh, now: Corners, turned: Floats | None) -> tuple[Mesh, list[Numbers]]:
    """Makes a mesh of an object, a primitive for each material. `shown` of their extras are the vertices of Blender."""
    mesh = Mesh(made.data.name, purpose=made.data.galatea.purpose.lower())
    mesh.lod = None if made.data.galatea.lod < 0 else made.data.galatea.lod
    pieces = []
    for slot in np.unique(now.slots).tolist():
        faces = np.flatnonzero(now.slots == slot)
        picked = (faces[:, None] * 3 + np.arange(3)).ravel()
        vertices, where, shown = corners.assemble(now, picked, turned)
        material = made.material_slots[slot].material if slot < len(made.material_slots) else None
        number = None if material is None else edit.materials.get(material.name)
        part = Primitive(vertices, where.reshape(-1, 3).astype(np.uint32), number)
        part.extras["shown"] = shown
        mesh.primitives.append(part)
        pieces.append(shown)
    if len(now.edges) and not len(now.slots):
        points = now.positions if turned is None else now.positions @ turned[:3, :3].T + turned[:3, 3]
        lines = Vertices(np.ascontiguousarray(points, np.float32))
        mesh.primitives.append(Primitive(lines, now.edges.astype(np.uint32), None, "lines"))
    return mesh, pieces


__all__ = ["Layout", "fresh", "update"]
