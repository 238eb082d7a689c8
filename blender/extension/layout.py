"""Meshes as arrays in the form that Blender takes."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from galatea import Mesh, Scene, Vertices

from .arrays import Floats, Numbers, finite


@dataclass
class Layout:
    """A mesh of a scene as Blender holds it."""

    #: The vertices of the scene, each once, and where their rows begin.
    columns: list[Vertices]
    starts: list[int]
    #: For each vertex of Blender the row that it shows. Copies come after all rows.
    source: Numbers
    positions: Floats
    triangles: Numbers
    #: For each triangle the number of its primitive, which is that of its material slot.
    slots: Numbers
    edges: Numbers
    #: The material of each slot.
    materials: list[int | None] = field(default_factory=list)

    @property
    def rows(self) -> int:
        """The number of vertices in the scene."""
        return sum(len(one) for one in self.columns)

    def gather(self, name: str, width: int, number: int = 0) -> Floats | None:
        """Returns a column for all vertices of Blender; 0 where some vertices lack it, none if all do."""
        found = []
        for one in self.columns:
            values = getattr(one, name)
            if isinstance(values, list):
                values = values[number] if number < len(values) else None
            found.append(values)
        if all(values is None for values in found):
            return None
        parts = [np.zeros((len(one), width), np.float32) if v is None else v for one, v in zip(self.columns, found)]
        return np.concatenate(parts)[self.source]

    def place(self, row: int) -> tuple[int, int]:
        """Returns in which columns a row of the scene is, and where."""
        at = int(np.searchsorted(self.starts, row, side="right")) - 1
        return at, row - self.starts[at]


def lay_out(mesh: Mesh) -> Layout:
    """Lays a mesh out. Triangles that Blender would drop, because another one has the same vertices or they have one twice, get copies
    of their vertices."""
    columns: list[Vertices] = []
    starts: list[int] = []
    known: dict[int, int] = {}
    total = 0
    for part in mesh.primitives:
        if id(part.vertices) not in known:
            known[id(part.vertices)] = len(columns)
            columns.append(part.vertices)
            starts.append(total)
            total += len(part.vertices)
    triangles, slots, edges = [], [], []
    for slot, part in enumerate(mesh.primitives):
        rows = np.asarray(part.indices, np.int64)
        rows = rows[(rows < len(part.vertices)).all(axis=1)] + starts[known[id(part.vertices)]]
        if part.topology == "triangles":
            triangles.append(rows)
            slots.append(np.full(len(rows), slot, np.int32))
        elif part.topology == "lines":
            edges.append(rows)
    faces = np.concatenate(triangles) if triangles else np.empty((0, 3), np.int64)
    numbers = np.concatenate(slots) if slots else np.empty(0, np.int32)
    source = np.arange(total, dtype=np.int64)
    again = _repeated(faces, total)
    if again.any():
        copied = faces[again].ravel()
        faces[again] = (total + np.arange(len(copied))).reshape(-1, 3)
        source = np.concatenate([source, copied])
    positions = np.concatenate([one.positions for one in columns]) if columns else np.empty((0, 3), np.float32)
    return Layout(
        columns,
        starts,
        source,
        finite(positions)[source],
        faces.astype(np.int32),
        numbers,
        _unique_edges(edges),
        [part.material for part in mesh.primitives],
    )


def columns_of(mesh: Mesh) -> list[Vertices]:
    """Returns the vertices of a mesh, each once, in the order of a layout."""
    return list({id(part.vertices): part.vertices for part in mesh.primitives}.values())


def _repeated(faces: Numbers, count: int) -> Numbers:
    """Returns which triangles have a vertex twice, or those of an earlier triangle."""
    if not len(faces):
        return np.zeros(0, bool)
    ordered = np.sort(faces, axis=1)
    keys = (ordered[:, 0] * (count + 1) + ordered[:, 1]) * (count + 1) + ordered[:, 2]
    if count > 2_000_000:  # The product would not fit.
        _, first = np.unique(ordered, axis=0, return_index=True)
    else:
        _, first = np.unique(keys, return_index=True)
    out = np.ones(len(faces), bool)
    out[first] = False
    out |= (ordered[:, 0] == ordered[:, 1]) | (ordered[:, 1] == ordered[:, 2])
    return out


def _unique_edges(edges: list[Numbers]) -> Numbers:
    if not edges:
        return np.empty((0, 2), np.int32)
    rows = np.sort(np.concatenate(edges), axis=1)
    rows = rows[rows[:, 0] != rows[:, 1]]
    return np.unique(rows, axis=0).astype(np.int32)


def weights(layout: Layout) -> tuple[Numbers, Numbers, Floats]:
    """Returns which vertex of Blender has which joint of the skin, with what weight: sorted, each pair once, without zeros."""
    vertices, joints, shares = [], [], []
    for one, start in zip(layout.columns, layout.starts):
        if one.joints is None or one.weights is None:
            continue
        width = one.joints.shape[1]
        vertices.append(start + np.repeat(np.arange(len(one)), width))
        joints.append(one.joints.ravel().astype(np.int64))
        shares.append(one.weights.ravel().astype(np.float64))
    if not vertices:
        return np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.float32)
    rows, joint, share = np.concatenate(vertices), np.concatenate(joints), np.nan_to_num(np.concatenate(shares))
    # Copies move as their originals do.
    if len(layout.source) > layout.rows:
        copies = np.arange(layout.rows, len(layout.source))
        order = np.argsort(rows, kind="stable")
        first = np.searchsorted(rows[order], layout.source[copies])
        last = np.searchsorted(rows[order], layout.source[copies], side="right")
        picked = [order[a:b] for a, b in zip(first, last)]
        more = np.concatenate(picked) if picked else np.empty(0, np.int64)
        of = np.repeat(copies, last - first)
        rows, joint, share = np.r_[rows, of], np.r_[joint, joint[more]], np.r_[share, share[more]]
    base = int(joint.max(initial=0)) + 1
    keys, where = np.unique(rows * base + joint, return_inverse=True)
    total = np.clip(np.bincount(where, weights=share, minlength=len(keys)), 0.0, 1.0).astype(np.float32)
    held = total > 0.0
    return keys[held] // base, keys[held] % base, total[held]


def users(scene: Scene) -> dict[int, list[int]]:
    """Returns for each mesh the nodes that show it."""
    out: dict[int, list[int]] = {}
    for at, node in enumerate(scene.nodes):
        if node.mesh is not None and node.mesh < len(scene.meshes):
            out.setdefault(node.mesh, []).append(at)
    return out
