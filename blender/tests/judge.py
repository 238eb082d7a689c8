"""Runs the installed extension over models, and judges what comes out in the words of their formats.

`judge.py FOLDER... [--limit N] [--part I/N] [--edits] [--thorough]` prints a line of JSON for each model and a summary at the end.
Each model is imported, counted, exported unedited, and edited as people edit; an ideal editor makes the same edits of the scene itself.
"""

from __future__ import annotations

import argparse
import copy
import json
import random
import sys
import time
import traceback
from collections import Counter
from pathlib import Path
from typing import Any

import bpy
import galatea
import numpy as np
from support import extension

ENDINGS = (".mdl", ".mdx", ".fmdl", ".wok", ".pwk", ".dwk")
TOLERANCE = 1e-5


def models(folders: list[Path]) -> list[Path]:
    """Returns the models of folders, shuffled the same way each time, so that a part of them is a sample."""
    files = [path for folder in folders for path in sorted(folder.rglob("*")) if path.is_file()]
    files += [folder for folder in folders if folder.is_file()]
    found = [path for path in files if path.name.lower().endswith((*ENDINGS, ".ascii"))]
    random.Random(1).shuffle(found)
    return found


def count(job: Any, document: galatea.Document) -> list[str]:
    """Compares what is in Blender with what `info` says."""
    info, scene, wrong = document.info(), document.scene(), []
    triangles = vertices = 0
    names = set()
    for made in job.objects.values():
        if made.type != "MESH" or made.data.name in names:
            continue
        names.add(made.data.name)
        triangles += len(made.data.polygons)
        rows = np.zeros(len(made.data.vertices), np.int32)
        if len(rows):
            made.data.attributes["galatea_vertex"].data.foreach_get("value", rows)
        # Copies that keep Blender from dropping triangles are not counted, and levels of detail share their vertices.
        vertices += len(np.unique(rows))
    expected = sum(len(part.triangles) for mesh in scene.meshes for part in mesh.primitives)
    if triangles != expected:
        wrong.append(f"{triangles} triangles, {expected} in the scene")
    coarse = any(mesh.lod for mesh in scene.meshes)
    # World of Warcraft has a mesh for collisions that `info` does not count.
    walk = document.format.startswith("kotor-bwm") or any(mesh.purpose == "collision" for mesh in scene.meshes)
    if not coarse and not walk and info["triangles"] != triangles:
        wrong.append(f"{triangles} triangles, info says {info['triangles']}")
    if not coarse and not walk and info["vertices"] != vertices and not sabers(scene):
        wrong.append(f"{vertices} vertices, info says {info['vertices']}")
    joints = {int(joint) for skin in scene.skins for joint in skin.joints}
    if not joints <= set(job.bones):
        wrong.append("joints that are no bones")
    if info["bones"] > len(job.bones):
        wrong.append(f"{len(job.bones)} bones, info says {info['bones']}")
    if len(job.actions) != len(scene.clips):
        wrong.append(f"{len(job.actions)} actions, {len(scene.clips)} clips")
    keys = expected_keys = 0
    for clip, action in zip(scene.clips, job.actions, strict=False):
        seen = set()
        for channel in clip.channels:
            key = (*channel.target, channel.property)
            values = np.asarray(channel.values)
            if key not in seen and len(channel.times) and values.ndim >= 2 and len(values) == len(channel.times):
                expected_keys += len(channel.times) * values.shape[-1]
            seen.add(key)
        keys += sum(len(curve.keyframe_points) for curve in extension("curves").curves_of(action))
    if keys != expected_keys:
        wrong.append(f"{keys} keys, {expected_keys} in the scene")
    return wrong


def sabers(scene: galatea.Scene) -> bool:
    """Returns whether the model has a blade: its vertices are counted otherwise."""
    return any("saber" in str(node.extras.get("kotor", {}).get("mesh", "")) for node in scene.nodes)


class Editor:
    """Edits a model in Blender as people do, and the same in a scene as an ideal editor would."""

    def __init__(self, job: Any, document: galatea.Document) -> None:
        self.job, self.document = job, document
        self.scene = document.scene()
        self.done: list[str] = []

    def meshes(self) -> list[tuple[int, Any]]:
        """Returns nodes with a mesh of their own and one primitive, largest first."""
        users = Counter(node.mesh for node in self.scene.nodes if node.mesh is not None)
        shared = Counter(id(part.vertices) for mesh in self.scene.meshes for part in mesh.primitives)
        out = []
        for at, node in enumerate(self.scene.nodes):
            made = self.job.objects.get(at)
            if node.mesh is None or made is None or made.type != "MESH" or users[node.mesh] != 1:
                continue
            mesh = self.scene.meshes[node.mesh]
            alone = shared[id(mesh.primitives[0].vertices)] == 1 or self.document.format == "fmdl" if mesh.primitives else False
            if len(mesh.primitives) == 1 and alone and len(mesh.primitives[0].triangles):
                out.append((at, made))
        return sorted(out, key=lambda one: (-len(one[1].data.polygons), one[0]))

    def move_vertex(self) -> bool:
        for at, made in self.meshes()[:1]:
            row = len(made.data.vertices) // 2
            by = np.float32(max(np.ptp(self.scene.meshes[self.scene.nodes[at].mesh].positions, axis=0).max(), 0.01) * 0.05)
            before = extension("import_meshes").corner_normals(made.data)
            made.data.vertices[row].co.x += float(by)
            made.data.update()
            after = extension("import_meshes").corner_normals(made.data)
            corners = np.empty(len(made.data.loops), np.int32)
            made.data.loops.foreach_get("vertex_index", corners)
            sources = np.empty(len(made.data.vertices), np.int32)
            made.data.attributes["galatea_vertex"].data.foreach_get("value", sources)
            mesh = self.scene.meshes[self.scene.nodes[at].mesh]
            mesh.positions[sources[row] - 1] = np.float32(made.data.vertices[row].co)
            if mesh.normals is not None:
                # Normals turn with the faces around them, as Blender shows them.
                turned = np.unique(corners[np.abs(after - before).max(axis=1) > 4e-3])
                for vertex in turned.tolist():
                    total = after[corners == vertex].astype(np.float64).sum(axis=0)
                    if np.linalg.norm(total) > 1e-6:
                        mesh.normals[sources[vertex] - 1] = total / np.linalg.norm(total)
            return True
        return False

    def free(self) -> list[tuple[int, Any]]:
        """Returns nodes that no clip moves and that are objects of their own."""
        out = []
        for at, made in self.job.objects.items():
            if at in self.job.bones or made == self.job.root or at in self.job.plan.stand:
                continue
            if self.scene.nodes[at].camera is None and not any(camera.target == at for camera in self.scene.cameras):
                out.append((at, made))
        return sorted(out)

    def move_node(self) -> bool:
        for at, made in self.free():
            node = self.scene.nodes[at]
            if any(self.scene.nodes[child].skin is not None for child in node.children):
                continue  # What is skinned follows bones alone.
            made.location.x += 0.25
            group = "group" in node.extras.get("fmdl", {}) and node.translation == (0.0, 0.0, 0.0)
            # Groups of the Fox Engine have no place of their own: what is below them moves.
            for one in [self.scene.nodes[child] for child in node.children] if group else [node]:
                one.translation = (float(np.float32(one.translation[0]) + np.float32(0.25)), *one.translation[1:])
            return bool(node.children) or not group
        return False

    def rename(self) -> bool:
        for at, made in reversed(self.free()):
            # Names of meshes, transitions and levels of detail mean something to the formats.
            if self.scene.nodes[at].mesh is None and self.scene.nodes[at].attachment is None:
                made.name = "Renamed"
                self.scene.nodes[at].name = "Renamed"
                return True
        for at in reversed(self.job.plan.bones):
            node = self.scene.nodes[at]
            if node.mesh is None and not node.children and node.emitter is None and node.light is None:
                self.job.root.data.bones[self.job.bones[at]].name = "Renamed"
                node.name = "Renamed"
                return True
        return False

    def move_key(self) -> bool:
        curves = extension("curves")
        for clip, action in zip(self.scene.clips, self.job.actions, strict=True):
            for channel in clip.channels:
                kind, at = channel.target
                if kind != "node" or at not in self.job.bones or channel.property not in ("translation", "scale"):
                    continue
                if len(channel.times) < 3 or channel.interpolation != "linear" or (np.diff(channel.times) <= 0).any():
                    continue
                path = extension("import_clips").pose_path(self.job.bones[at], channel.property)
                own = sorted((one for one in curves.curves_of(action) if one.data_path == path), key=lambda one: one.array_index)
                row = len(channel.times) // 2
                by = np.array([0.25, 0.0, 0.0])
                own[0].keyframe_points[row].co.y += 0.25
                if channel.property == "translation":
                    by = self.job.plan.relative(at)[:3, :3] @ by
                channel.values[row] += by.astype(np.float32)
                return True
        return False

    def delete_mesh(self) -> bool:
        for at, made in reversed(self.meshes()[1:]):
            coarse = self.scene.meshes[self.scene.nodes[at].mesh].lod
            if at in self.job.bones or self.scene.nodes[at].children or coarse:
                continue
            bpy.data.objects.remove(made)
            export = extension("export_tree")
            edit = extension("exporter").Edit(bpy.context, self.job.root, self.document, self.scene, self.scene, self.job.plan, 30.0)
            export.remove(edit, {at})
            return True
        return False

    def add_mesh(self) -> bool:
        if not any(len(part.triangles) for mesh in self.scene.meshes for part in mesh.primitives):
            return False
        corners = np.float32([(0, 0, 0), (0.5, 0, 0), (0.5, 0.5, 0.1), (0, 0.5, 0.3)])
        data = bpy.data.meshes.new("added")
        data.from_pydata(corners.tolist(), [], [(0, 1, 2), (0, 2, 3)])
        layer = data.uv_layers.new(name="UVMap")
        for loop in data.loops:
            layer.data[loop.index].uv = corners[loop.vertex_index][:2]
        made = bpy.data.objects.new("added", data)
        self.job.collection.objects.link(made)
        made.parent = self.job.root
        owner = next((one for _, one in self.meshes() if one.material_slots and one.material_slots[0].material), None)
        material = None
        if owner is not None:
            data.materials.append(owner.material_slots[0].material)
            material = owner.material_slots[0].material.galatea.part.key
        now = extension("corners").read(data)
        vertices, where, _ = extension("corners").assemble(now, np.arange(6))
        part = galatea.Primitive(vertices, where.reshape(-1, 3).astype(np.uint32), material)
        self.scene.meshes.append(galatea.Mesh("added", [part]))
        self.scene.add_node("added", parent=self.job.plan.axes, mesh=len(self.scene.meshes) - 1)
        return True

    def swap_image(self) -> bool:
        module = extension("import_materials")
        for at, material in enumerate(self.scene.materials):
            if not material.textures or "team" in str(material.textures[0].slot):
                continue
            made = self.job.materials[at]
            used = any(part.material == at for mesh in self.scene.meshes for part in mesh.primitives)
            if not used or not any(slot.material == made for one in self.job.objects.values() for slot in one.material_slots):
                continue
            image = bpy.data.images.new("swapped", 4, 4)
            node = made.node_tree.nodes.get(f"{module.LABEL}0") or made.node_tree.nodes.new("ShaderNodeTexImage")
            node.name = f"{module.LABEL}0"
            node.image = image
            texture = material.textures[0]
            texture.name = extension("export_materials")._renamed(texture.name, image)
            texture.extras = extension("fields").without_source(texture.extras)
            return True
        return False


EDITS = ("move_vertex", "move_node", "rename", "move_key", "delete_mesh", "add_mesh", "swap_image")


def judge(path: Path, edits: bool, thorough: bool) -> dict[str, Any] | None:
    """Judges a model; none if it is damaged or no model."""
    importer, exporter = extension("importer"), extension("exporter")
    try:
        document = galatea.open(path)
        document.scene()
    except (galatea.Error, ValueError):
        return None
    out: dict[str, Any] = {"path": str(path), "format": document.format, "bytes": path.stat().st_size}
    bpy.ops.wm.read_factory_settings(use_empty=True)
    before = time.process_time()
    job = importer.run(bpy.context, path)
    out["seconds"] = round(time.process_time() - before, 3)
    out["counts"] = count(job, document)
    files = exporter.export(bpy.context, job.root)
    out["unedited"] = [str(change) for change in files.changes] + document.diff(files.open(), unordered=True, tolerance=TOLERANCE)
    if thorough:
        files = exporter.export(bpy.context, job.root, thorough=True)
        out["thorough"] = document.diff(files.open(), unordered=True, tolerance=TOLERANCE)
    for name in EDITS if edits else ():
        bpy.ops.wm.read_factory_settings(use_empty=True)
        job = importer.run(bpy.context, path, importer.Options(images=False))
        editor = Editor(job, document)
        if not getattr(editor, name)():
            continue
        files = exporter.export(bpy.context, job.root)
        ideal = copy.deepcopy(editor.scene).convert(document.format, name=path.name.split(".")[0]).open()
        wrong = ideal.diff(files.open(), unordered=True, tolerance=TOLERANCE)
        if not files.changes:
            wrong.append("the edit was not noticed")
        elif name != "rename" and not document.diff(files.open(), unordered=True, tolerance=TOLERANCE):
            wrong.append("the edit did not arrive")
        out.setdefault("edits", {})[name] = wrong
    return out


def main() -> int:
    """Judges all models."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--limit", type=int, default=sys.maxsize)
    parser.add_argument("--part", default="0/1")
    parser.add_argument("--edits", action="store_true")
    parser.add_argument("--thorough", action="store_true")
    options = parser.parse_args()
    part, parts = (int(word) for word in options.part.split("/"))
    total: Counter[str] = Counter()
    slow: list[dict[str, Any]] = []
    for path in models(options.folders)[part::parts]:
        if total["models"] >= options.limit:
            break
        try:
            found = judge(path, options.edits, options.thorough)
        except KeyboardInterrupt:
            print("stopped before the end")
            break
        except Exception:
            traceback.print_exc(limit=-4, file=sys.stdout)
            found = {"path": str(path), "format": "?", "bytes": 0, "failed": True}
        if found is None:
            continue
        total["models"] += 1
        if "failed" in found:
            total["failed"] += 1
            print(json.dumps({"path": found["path"], "failed": True}))
            continue
        slow.append(found)
        total["counts differ"] += bool(found["counts"])
        total["unedited differ"] += bool(found["unedited"])
        total["thorough differ"] += bool(found.get("thorough"))
        for name, wrong in found.get("edits", {}).items():
            total[f"edit {name}"] += 1
            total[f"edit {name} differ"] += bool(wrong)
        bad = {key: found[key][:4] for key in ("counts", "unedited", "thorough") if found.get(key)}
        bad.update({name: wrong[:4] for name, wrong in found.get("edits", {}).items() if wrong})
        if bad:
            print(json.dumps({"path": str(path), **bad}))
    for found in sorted(slow, key=lambda one: -one["seconds"])[:5]:
        print(f"slowest: {found['seconds']} s of CPU, {found['bytes']} bytes, {found['path']}")
    print(json.dumps(dict(sorted(total.items()))))
    if not total["models"]:
        print("no model was found")
        return 1
    return int(total["failed"] > 0)


if __name__ == "__main__":
    sys.exit(main())
