"""Imports every GLB and glTF below a folder into Blender and checks that the images arrive: `blender.py FOLDER [IMAGES]`.

For each material with a base colour, normal or emissive texture in the file, the material in Blender must have an image with
pixels whose colour or alpha reaches the material's output. One line per file; ends with 1 if anything is missing. With a second
folder, each model is rendered into it too (Cycles, a few samples). Needs `pip install bpy` (tried with 5.0.1, Python 3.11).
"""
import json
import math
import struct
import sys
from pathlib import Path

import bpy
from mathutils import Vector


def document(path):
    data = path.read_bytes()
    if data[:4] == b"glTF":
        length = struct.unpack_from("<I", data, 12)[0]
        data = data[20 : 20 + length]
    return json.loads(data)


def wanted(material):
    """How many textures of a material Blender has a place for."""
    places = [material.get("pbrMetallicRoughness", {}).get("baseColorTexture")]
    unlit = "KHR_materials_unlit" in material.get("extensions", {})
    places += [] if unlit else [material.get("normalTexture"), material.get("emissiveTexture")]
    return {place["index"] for place in places if place}


def reaches(node, seen=None):
    """Whether what a node gives arrives at the output of the material."""
    seen = seen or set()
    if node in seen:
        return False
    seen.add(node)
    # Blender itself has no occlusion: its importer keeps the image at a group of its own.
    if node.type == "OUTPUT_MATERIAL" or node.type == "GROUP" and "glTF" in node.node_tree.name:
        return True
    return any(reaches(link.to_node, seen) for out in node.outputs for link in out.links)


def check(path):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.import_scene.gltf(filepath=str(path))
    found = document(path)
    used = {
        primitive.get("material")
        for mesh in found.get("meshes", [])
        for primitive in mesh["primitives"]
    }
    problems, images = [], 0
    for index, material in enumerate(found.get("materials", [])):
        if index not in used or not wanted(material):
            continue
        name = material["name"]
        here = bpy.data.materials.get(name) or bpy.data.materials.get(name[:63])
        if here is None:
            problems.append(f"{name}: no such material")
            continue
        nodes = [n for n in here.node_tree.nodes if n.type == "TEX_IMAGE"]
        whole = [n for n in nodes if n.image and n.image.has_data or n.image and n.image.size[0] > 0]
        loose = [n.image.name for n in whole if not reaches(n)]
        images += len(whole)
        if len({n.image.name for n in whole}) < len({found["textures"][t]["source"] for t in wanted(material)}):
            problems.append(f"{name}: {len(whole)} images of {len(wanted(material))}")
        if loose:
            problems.append(f"{name}: not connected: {', '.join(loose)}")
    return problems, images


def render(path, target):
    corners = [o.matrix_world @ Vector(c) for o in bpy.data.objects if o.type == "MESH" for c in o.bound_box]
    if not corners:
        return
    low = Vector(map(min, zip(*corners)))
    high = Vector(map(max, zip(*corners)))
    middle, size = (low + high) / 2, max((high - low).length, 1e-3)
    scene = bpy.context.scene
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    scene.collection.objects.link(camera)
    way = Vector((0.5, -0.8, 0.35)).normalized()
    camera.location = middle + way * size * 1.3
    camera.rotation_euler = way.to_track_quat("Z", "Y").to_euler()
    camera.data.clip_end = size * 10
    camera.data.clip_start = size / 1000
    sun = bpy.data.objects.new("sun", bpy.data.lights.new("sun", "SUN"))
    sun.data.energy = 3
    sun.rotation_euler = (math.radians(50), 0, math.radians(-20))
    scene.collection.objects.link(sun)
    scene.camera = camera
    scene.world = bpy.data.worlds.new("world")
    scene.world.use_nodes = True
    scene.world.node_tree.nodes["Background"].inputs[0].default_value = (0.3, 0.32, 0.35, 1)
    scene.render.engine = "CYCLES"
    scene.cycles.samples = 8
    scene.render.resolution_x = scene.render.resolution_y = 300
    scene.render.filepath = str(target / (path.stem + ".png"))
    bpy.ops.render.render(write_still=True)


def main():
    folder = Path(sys.argv[1])
    target = Path(sys.argv[2]) if len(sys.argv) > 2 else None
    files = sorted(p for p in folder.rglob("*") if p.suffix.lower() in (".glb", ".gltf"))
    bad = 0
    for path in files:
        problems, images = check(path)
        bad += bool(problems)
        print(f"{path.relative_to(folder)}: {images} images connected" if not problems else
              f"{path.relative_to(folder)}: {'; '.join(problems)}", file=sys.stderr)
        if target:
            render(path, target)
    print(f"{len(files)} files, {bad} with problems", file=sys.stderr)
    return 1 if bad or not files else 0


sys.exit(main())
