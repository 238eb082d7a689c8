"""What PyKotor reads in the KotOR models and walkmeshes that the tests author: `cargo xtask kotor`."""

import pathlib
import sys

from pykotor.resource.formats.bwm import read_bwm
from pykotor.resource.formats.mdl import read_mdl

# Model: class, supermodel, children of the root, and what is a skin or an AABB mesh.
MODELS = {
    "m01aa_01a": ("OTHER", "NULL", ["floor", "walkmesh"], {"walkmesh": "AABB"}),
    "plc_crate": ("PLACEABLE", "NULL", ["crate", "lookathook"], {"crate": "TRIMESH", "lookathook": "DUMMY"}),
    "dor_gate": ("DOOR", "NULL", ["leaf", "trans"], {"leaf": "TRIMESH"}),
    "n_soldier": ("CHARACTER", "S_Test", ["rootdummy", "camerahook", "body"], {"body": "SKIN", "headhook": "DUMMY"}),
}
# Walkmesh: kind, faces, surfaces, edges of the border, and where people stand first.
WALKMESHES = {
    "m01aa_01a.wok": ("AreaModel", 8, {"GRASS", "STONE", "METAL", "CARPET"}, 10, (0, 0, 0)),
    "plc_crate.pwk": ("PlaceableOrDoor", 12, {"NON_WALK"}, 0, (0, 1.1, 0)),
    "dor_gate0.dwk": ("PlaceableOrDoor", 12, {"NON_WALK"}, 0, (0, -0.65, 0)),
    "dor_gate1.dwk": ("PlaceableOrDoor", 12, {"NON_WALK"}, 0, (0, -0.65, 0)),
    "dor_gate2.dwk": ("PlaceableOrDoor", 12, {"NON_WALK"}, 0, (0, -0.65, 0)),
}

wrong = []


def same(where, got, want):
    if got != want:
        wrong.append(f"{where}: {got!r}, not {want!r}")


def model(folder, name, want):
    kind, supermodel, children, kinds = want
    mdl, mdx = (folder / f"{name}.{ending}" for ending in ("mdl", "mdx"))
    read = read_mdl(mdl.read_bytes(), source_ext=mdx.read_bytes())
    same(f"{name}: name", (read.name, read.root.name), (name, name))
    same(f"{name}: root", read.root.node_type.name, "DUMMY")
    same(f"{name}: class", read.classification.name if hasattr(read.classification, "name") else CLASSES.get(read.classification), kind)
    same(f"{name}: supermodel", read.supermodel, supermodel)
    found = [child.name for child in read.root.children]
    same(f"{name}: children", [child for child in children if child in found], children)
    nodes = {node.name: node for node in read.all_nodes()}
    for node, node_kind in kinds.items():
        same(f"{name}: {node}", nodes[node].node_type.name if node in nodes else None, node_kind)
    for node in nodes.values():
        if node.mesh and any(max(face.v1, face.v2, face.v3) >= len(node.mesh.vertex_positions) for face in node.mesh.faces):
            wrong.append(f"{name}: {node.name}: a face has no vertices")
    return sum(len(node.mesh.faces) for node in nodes.values() if node.mesh)


CLASSES = {32: "OTHER", 16: "PLACEABLE", 8: "DOOR", 4: "CHARACTER"}


def walkmesh(folder, name, want):
    kind, faces, surfaces, edges, hook = want
    read = read_bwm((folder / name).read_bytes())
    same(f"{name}: kind", read.walkmesh_type.name, kind)
    same(f"{name}: faces", len(read.faces), faces)
    same(f"{name}: surfaces", {face.material.name for face in read.faces}, surfaces)
    # PyKotor derives the border itself: without it, a seam of two materials would be counted.
    same(f"{name}: border", len(read.edges()), edges)
    got = read.relative_hook1
    same(f"{name}: hook", tuple(round(v, 4) for v in (got.x, got.y, got.z)), hook)
    return len(read.faces)


folder = pathlib.Path(sys.argv[1])
faces = sum(model(folder, name, want) for name, want in MODELS.items())
faces += sum(walkmesh(folder, name, want) for name, want in WALKMESHES.items())
for line in wrong:
    print(line)
print(f"PyKotor: {len(MODELS)} models and {len(WALKMESHES)} walkmeshes, {faces} triangles, {len(wrong)} differ")
sys.exit(1 if wrong else 0)
