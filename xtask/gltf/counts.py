"""Imports GLBs into Blender and compares what arrives with `galatea info`: `counts.py FOLDER GALATEA COUNT [EXPORT]`.

For each of COUNT files, chosen by chance but the same every time: vertices and triangles per mesh (Blender keeps no triangle
twice), vertex groups per skinned mesh, actions and where their movements end. With a fourth argument, exports each file again into that folder. One line per file that
disagrees; ends with 1 if one does.
"""
import collections
import json
import random
import struct
import subprocess
import sys
from pathlib import Path

import bpy


def told(galatea, path):
    """What galatea says of a file."""
    out = subprocess.run([galatea, "info", "--json", "--parts", str(path)], capture_output=True, text=True, check=True)
    return json.loads(out.stdout)["parts"]


def counts(rows):
    """How often each row occurs: names may repeat, so they do not count."""
    return collections.Counter(rows)


def spare(path):
    """Joints that move no vertex and are there for Blender's sake."""
    data = path.read_bytes()
    found = json.loads(data[20 : 20 + struct.unpack_from("<I", data, 12)[0]])
    names = set()
    for skin in found.get("skins", []):
        count = skin.get("extras", {}).get("galatea", {}).get("spare", 0)
        names.update(found["nodes"][joint]["name"] for joint in skin["joints"][len(skin["joints"]) - count :])
    return names


def compare(path, parts):
    problems = []
    spares = spare(path)
    fps = bpy.context.scene.render.fps
    objects = [o for o in bpy.data.objects if o.type == "MESH" and o.data.polygons]
    have = counts((len(o.data.vertices), len(o.data.polygons)) for o in objects)
    want = counts((m["used"], m["distinct"]) for m in parts["meshes"] if m["distinct"])
    if have != want:
        problems.append(f"meshes (vertices, triangles): only in Blender {dict(have - want)}, only told {dict(want - have)}")
    have = counts(len([g for g in o.vertex_groups if g.name not in spares]) for o in objects if any(m.type == "ARMATURE" for m in o.modifiers))
    want = counts(m["joints"] for m in parts["meshes"] if m["joints"] and m["distinct"])
    if have != want:
        problems.append(f"joints: only in Blender {dict(have - want)}, only told {dict(want - have)}")
    if len(bpy.data.actions) != len(parts["clips"]):
        problems.append(f"{len(bpy.data.actions)} actions, {len(parts['clips'])} clips")
    ends = sorted(action.frame_range[1] / fps for action in bpy.data.actions)
    keys = sorted(clip["last_move"] for clip in parts["clips"])
    far = max((abs(a - b) for a, b in zip(ends, keys)), default=0)
    if far > 1e-3 * max(1, keys[-1] if keys else 1):
        problems.append(f"ends of actions differ by {far:.4f} s")
    return problems


def main():
    folder, galatea, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    export = Path(sys.argv[4]) if len(sys.argv) > 4 else None
    files = sorted(p for p in folder.rglob("*") if p.suffix.lower() in (".glb", ".gltf"))
    random.Random(1).shuffle(files)
    bad = 0
    files = files[:count]
    for path in files:
        bpy.ops.wm.read_factory_settings(use_empty=True)
        bpy.ops.import_scene.gltf(filepath=str(path), disable_bone_shape=True)
        problems = compare(path, told(galatea, path))
        bad += bool(problems)
        for problem in problems:
            print(f"{path.relative_to(folder)}: {problem}", file=sys.stderr)
        if export:
            target = export / path.relative_to(folder)
            target.parent.mkdir(parents=True, exist_ok=True)
            bpy.ops.export_scene.gltf(
                filepath=str(target), export_format="GLB", export_extras=True, export_cameras=True, export_lights=True, export_animation_mode="ACTIONS",
                export_influence_nb=64, export_all_influences=True, export_optimize_animation_size=False,
                export_force_sampling=False, export_tangents=True, export_attributes=True, use_visible=False,
            )
    print(f"{len(files)} files imported, {bad} disagree", file=sys.stderr)
    return 1 if bad or not files else 0


sys.exit(main())
