"""Makes glTF files that are none of Galatea's, with Blender's exporter and by hand: `foreign.py FOLDER`.

Each function below is one file; its doc says what is special about it.
"""
import base64
import json
import math
import struct
import sys
from pathlib import Path

import bpy
from mathutils import Vector


def mesh_object(name, vertices, faces, smooth=True, parent=None):
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(vertices, [], faces)
    mesh.polygons.foreach_set("use_smooth", [smooth] * len(mesh.polygons))
    mesh.update()
    thing = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(thing)
    thing.parent = parent
    return thing


def grid(name, across, along, place=lambda u, v: (u, v, 0.0), uvs=True, smooth=True):
    """A sheet of quads, laid out by a function of two numbers from 0 to 1."""
    vertices = [place(x / across, y / along) for y in range(along + 1) for x in range(across + 1)]
    row = across + 1
    faces = [(y * row + x, y * row + x + 1, (y + 1) * row + x + 1, (y + 1) * row + x) for y in range(along) for x in range(across)]
    thing = mesh_object(name, vertices, faces, smooth)
    if uvs:
        layer = thing.data.uv_layers.new(name="UVMap")
        for loop in thing.data.loops:
            v, u = divmod(loop.vertex_index, row)
            layer.data[loop.index].uv = (u / across, v / along)
    return thing


def cube(name, size=1.0, parent=None):
    s = size / 2
    corners = [(x, y, z) for x in (-s, s) for y in (-s, s) for z in (-s, s)]
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return mesh_object(name, corners, faces, smooth=False, parent=parent)


def material(name, colour=(0.8, 0.8, 0.8, 1.0), texture=None):
    made = bpy.data.materials.new(name)
    made.use_nodes = True
    shader = made.node_tree.nodes["Principled BSDF"]
    shader.inputs["Base Color"].default_value = colour
    if texture:
        image = bpy.data.images.new(texture, 8, 8)
        image.pixels[:] = [(i % 7) / 7 for i in range(8 * 8 * 4)]
        image.pack()
        node = made.node_tree.nodes.new("ShaderNodeTexImage")
        node.image = image
        made.node_tree.links.new(node.outputs["Color"], shader.inputs["Base Color"])
    return made


def armature(name, bones):
    """An armature of (name, head, tail, parent)."""
    thing = bpy.data.objects.new(name, bpy.data.armatures.new(name))
    bpy.context.scene.collection.objects.link(thing)
    bpy.context.view_layer.objects.active = thing
    bpy.ops.object.mode_set(mode="EDIT")
    for bone, head, tail, parent in bones:
        made = thing.data.edit_bones.new(bone)
        made.head, made.tail = head, tail
        made.parent = thing.data.edit_bones.get(parent) if parent else None
    bpy.ops.object.mode_set(mode="OBJECT")
    return thing


def bind(thing, rig, weights):
    """Weights by a function of a vertex's place: pairs of bone and weight."""
    for vertex in thing.data.vertices:
        for bone, weight in weights(vertex.co):
            group = thing.vertex_groups.get(bone) or thing.vertex_groups.new(name=bone)
            group.add([vertex.index], weight, "REPLACE")
    thing.parent = rig
    thing.modifiers.new("Armature", "ARMATURE").object = rig


def action(thing, name, keys, path, interpolation="BEZIER", bone=None):
    """An action of (frame, value) keys, kept on a track of its own."""
    data = thing.animation_data_create()
    if data.action is None or data.action.name != name:
        data.action = bpy.data.actions.new(name)
    target = thing.pose.bones[bone] if bone else thing
    if path == "rotation_quaternion":
        target.rotation_mode = "QUATERNION"
    for frame, value in keys:
        setattr(target, path, value)
        target.keyframe_insert(path, frame=frame)
    for layer in data.action.layers:
        for strip in layer.strips:
            for bag in strip.channelbags:
                for curve in bag.fcurves:
                    for key in curve.keyframe_points:
                        key.interpolation = interpolation


def stash(thing):
    """Puts the active action on a track, so that the next one can be made."""
    data = thing.animation_data
    track = data.nla_tracks.new()
    track.name = data.action.name
    track.strips.new(data.action.name, int(data.action.frame_range[0]), data.action)
    data.action = None


def turn(axis, degrees):
    half = math.radians(degrees) / 2
    x, y, z = Vector(axis).normalized() * math.sin(half)
    return (math.cos(half), x, y, z)


def static():
    """One cube with a texture."""
    thing = grid("crate", 4, 4, lambda u, v: (u, v, math.sin(u * 3) * 0.2))
    thing.data.materials.append(material("wood", texture="wood_planks"))


def many_materials():
    """A ball of 12 materials, some of them with textures."""
    thing = grid("ball", 24, 12, lambda u, v: (math.cos(u * math.tau) * math.sin(v * 3.1 + 0.02), math.sin(u * math.tau) * math.sin(v * 3.1 + 0.02), math.cos(v * 3.1 + 0.02)))
    for i in range(12):
        thing.data.materials.append(material(f"stripe {i}", (i / 12, 1 - i / 12, 0.5, 1), f"stripe{i}" if i % 3 == 0 else None))
    for i, face in enumerate(thing.data.polygons):
        face.material_index = i % 12


def tube(rig, count, rings=40, around=12, radius=0.3):
    thing = grid("tube", around, rings, lambda u, v: (math.cos(u * math.tau) * radius, math.sin(u * math.tau) * radius, v * count))

    def weights(co):
        at = min(max(co.z - 0.5, 0), count - 1.001)
        low = int(at)
        part = round(at - low, 4)
        return [(f"bone{low}", 1 - part), (f"bone{low + 1}", part)] if part else [(f"bone{low}", 1.0)]

    bind(thing, rig, weights)
    return thing


def chain(count):
    return armature("rig", [(f"bone{i}", (0, 0, i), (0, 0, i + 1), f"bone{i - 1}" if i else None) for i in range(count)])


def skinned():
    """A tube on four bones, with two clips."""
    rig = chain(4)
    tube(rig, 4).data.materials.append(material("skin", texture="skin"))
    for name, way in (("wave", 1), ("nod", -1)):
        for i in range(1, 4):
            keys = [(1, turn((1, 0, 0), 0)), (12, turn((1, 0.2, 0), 35 * way)), (25, turn((0, 1, 0), -20 * way))]
            action(rig, name, keys, "rotation_quaternion", "LINEAR", f"bone{i}")
        stash(rig)


def eighty_bones():
    """One mesh that 80 bones move, and a clip."""
    rig = chain(80)
    tube(rig, 80, rings=320, around=8)
    for i in range(0, 80, 5):
        keys = [(1, turn((1, 0, 0), 0)), (20, turn((1, 0, 1), 9))]
        action(rig, "sway", keys, "rotation_quaternion", "LINEAR", f"bone{i}")


def eight_influences():
    """Vertices that eight bones move."""
    rig = armature("rig", [(f"b{i}", (i * 0.5, 0, 0), (i * 0.5, 0, 1), None) for i in range(8)])
    thing = grid("cloth", 14, 4, lambda u, v: (u * 4, v, 0.2 * v))
    bind(thing, rig, lambda co: [(f"b{i}", 1 / (0.2 + abs(co.x - i * 0.5)) ** 2) for i in range(8)])
    action(rig, "ripple", [(1, (0, 0, 0)), (10, (0, 0, 0.5)), (20, (0, 0.3, 0))], "location", "LINEAR", "b3")


def large():
    """More than 65,535 vertices in one mesh."""
    thing = grid("terrain", 299, 299, lambda u, v: (u * 30, v * 30, math.sin(u * 20) * math.cos(v * 17)))
    thing.data.materials.append(material("earth", texture="earth"))


def large_skinned():
    """More than 65,535 vertices on 40 bones."""
    rig = chain(40)
    tube(rig, 40, rings=900, around=79)


def no_normals():
    """Without normals and without texture coordinates."""
    grid("bare", 6, 6, lambda u, v: (u, v, u * v), uvs=False).data.materials.append(material("clay"))
    return {"export_normals": False, "export_texcoords": False}


def uvs_and_colours():
    """Three sets of texture coordinates, and vertex colours."""
    thing = grid("painted", 5, 5)
    for n in range(2):
        layer = thing.data.uv_layers.new(name=f"extra{n}")
        for loop in thing.data.loops:
            layer.data[loop.index].uv = (loop.vertex_index % 6 / 5, n)
    colours = thing.data.color_attributes.new("paint", "FLOAT_COLOR", "POINT")
    for i, colour in enumerate(colours.data):
        colour.color = (i / 36, 1 - i / 36, 0.5, 1)
    thing.data.materials.append(material("paint", texture="paint"))
    return {"export_vertex_color": "ACTIVE", "export_active_vertex_color_when_no_material": True}


def mirrored():
    """Parts that are mirrored, one below the other, and one that turns in a clip."""
    left = grid("left", 3, 3, lambda u, v: (u + 1, v, u * v))
    right = grid("right", 3, 3, lambda u, v: (u + 1, v, u * v))
    right.scale = (-1, 1, 1)
    hand = cube("hand", 0.4, parent=right)
    hand.location = (2.5, 0.5, 0)
    hand.scale = (1, 1, -1)
    action(hand, "turn", [(1, turn((0, 0, 1), 0)), (20, turn((0, 0, 1), 80))], "rotation_quaternion", "LINEAR")
    left.data.materials.append(material("glove"))


def nested_scales():
    """Nodes within nodes, each with a rotation and a scale that is not the same along each axis."""
    above = None
    for i in range(4):
        thing = cube(f"step{i}", 1.0, parent=above)
        thing.location = (1.2, 0.3 * i, 0.5)
        thing.rotation_euler = (0.3 * i, 0.5, 0.2 - 0.4 * i)
        thing.scale = (1.0 + 0.2 * i, 0.8, 0.6 + 0.3 * i)
        above = thing


def morphs():
    """Shapes to morph into, moved by a clip."""
    thing = grid("face", 4, 4)
    thing.shape_key_add(name="Basis")
    smile = thing.shape_key_add(name="smile")
    for point in smile.data:
        point.co.z += point.co.x
    keys = thing.data.shape_keys
    for frame, value in ((1, 0.0), (10, 1.0)):
        smile.value = value
        smile.keyframe_insert("value", frame=frame)
    keys.animation_data.action.name = "smiling"


def instances():
    """One mesh at several nodes."""
    first = cube("post")
    first.data.materials.append(material("iron"))
    for i in range(1, 6):
        other = bpy.data.objects.new(f"post.{i}", first.data)
        bpy.context.scene.collection.objects.link(other)
        other.location = (i * 2, math.sin(i), 0)
        other.rotation_euler = (0, 0, i)
        other.scale = (1, 1, 1 + i / 3)


def machine():
    """Nodes that move in several ways and clips: steps, lines and curves; places, rotations and scales."""
    base = cube("base", 2)
    arm = cube("arm", 1, parent=base)
    arm.location = (0, 0, 1.5)
    claw = cube("claw", 0.5, parent=arm)
    claw.location = (0.8, 0, 0.5)
    action(arm, "lift", [(1, turn((0, 1, 0), 0)), (15, turn((0, 1, 0), 60)), (30, turn((0, 0, 1), 45))], "rotation_quaternion", "BEZIER")
    stash(arm)
    action(claw, "lift", [(1, (0.8, 0, 0.5)), (30, (1.4, 0.2, 0.5))], "location", "LINEAR")
    stash(claw)
    action(claw, "grab", [(1, (1, 1, 1)), (10, (1.5, 1.5, 1.5)), (20, (1, 1, 1))], "scale", "BEZIER")
    stash(claw)
    action(base, "drive", [(1, (0, 0, 0)), (5, (1, 0, 0)), (10, (1, 2, 0))], "location", "CONSTANT")
    stash(base)


def lamps():
    """Lights, cameras and empties."""
    cube("room", 4)
    for kind, at in (("POINT", (0, 0, 1)), ("SUN", (3, 0, 3)), ("SPOT", (0, 2, 2))):
        light = bpy.data.objects.new(kind.lower(), bpy.data.lights.new(kind.lower(), kind))
        light.location = at
        bpy.context.scene.collection.objects.link(light)
    camera = bpy.data.objects.new("eye", bpy.data.cameras.new("eye"))
    bpy.context.scene.collection.objects.link(camera)
    bpy.context.scene.collection.objects.link(bpy.data.objects.new("hook", None))
    return {"export_lights": True, "export_cameras": True}


def names():
    """Names that are long, strange, or the same but for their end or case."""
    long = "a_very_long_name_of_a_part_that_goes_on_and_on_beyond_all_that_any_game_has_ever_had_room_for_"
    above = None
    for name in (long + "1", long + "2", "../../x", "C:\\x", "con", "Ünïcode 名前", "Box", "box", "two\nlines"):
        thing = cube(name, 1, parent=above)
        thing.location = (1.5, 0, 0)
        thing.data.materials.append(material(name, texture=name + ".png"))
        action(thing, "clip of " + name, [(1, (1.5, 0, 0)), (5, (1.5, 1, 0))], "location", "LINEAR")
        stash(thing)
        above = thing


def scaled_rig():
    """A rig of a hundredth of its size, as FBX files arrive, that hangs on a turned node."""
    rig = chain(3)
    tube(rig, 3)
    rig.scale = (0.01, 0.01, 0.01)
    rig.rotation_euler = (1.2, 0.1, 0.4)
    rig.location = (1, 2, 3)
    action(rig, "bend", [(1, turn((1, 0, 0), 0)), (20, turn((1, 0, 0), 50))], "rotation_quaternion", "LINEAR", "bone1")


MADE = [static, many_materials, skinned, eighty_bones, eight_influences, large, large_skinned, no_normals, uvs_and_colours,
        mirrored, nested_scales, morphs, instances, machine, lamps, names, scaled_rig]


class Buffer:
    """A glTF made by hand."""

    def __init__(self):
        self.bytes, self.views, self.accessors = bytearray(), [], []

    def view(self, data, stride=None):
        while len(self.bytes) % 4:
            self.bytes.append(0)
        view = {"buffer": 0, "byteOffset": len(self.bytes), "byteLength": len(data)}
        if stride:
            view["byteStride"] = stride
        self.bytes += data
        self.views.append(view)
        return len(self.views) - 1

    def accessor(self, **fields):
        self.accessors.append(fields)
        return len(self.accessors) - 1

    def vectors(self, rows):
        data = b"".join(struct.pack("<3f", *row) for row in rows)
        low, high = [min(c) for c in zip(*rows)], [max(c) for c in zip(*rows)]
        return self.accessor(bufferView=self.view(data), componentType=5126, count=len(rows), type="VEC3", min=low, max=high)

    def document(self, meshes, nodes, **more):
        uri = "data:application/octet-stream;base64," + base64.b64encode(bytes(self.bytes)).decode()
        return {"asset": {"version": "2.0", "generator": "by hand"}, "scene": 0, "scenes": [{"nodes": list(range(len(nodes)))}],
                "nodes": nodes, "meshes": meshes, "accessors": self.accessors, "bufferViews": self.views,
                "buffers": [{"byteLength": len(self.bytes), "uri": uri}], **more}


def strips():
    """Strips, fans and triangles without indices; bytes as indices; a matrix instead of rotation and scale."""
    b = Buffer()
    wave = b.vectors([(x / 4, y, math.sin(x)) for x in range(12) for y in (0.0, 1.0)])
    disc = b.vectors([(0.0, 0.0, 0.0)] + [(math.cos(a / 8 * math.tau), math.sin(a / 8 * math.tau), 0.0) for a in range(9)])
    loose = b.vectors([(0.0, 0.0, 2.0), (1.0, 0.0, 2.0), (0.0, 1.0, 2.0), (1.0, 0.0, 3.0), (1.0, 1.0, 3.0), (0.0, 1.0, 3.0)])
    order = b.accessor(bufferView=b.view(bytes(range(24))), componentType=5121, count=24, type="SCALAR")
    meshes = [{"primitives": [{"attributes": {"POSITION": wave}, "indices": order, "mode": 5}, {"attributes": {"POSITION": disc}, "mode": 6},
                              {"attributes": {"POSITION": loose}}]}]
    matrix = [0, 2, 0, 0, -2, 0, 0, 0, 0, 0, 2, 0, 1, 2, 3, 1]
    return b.document(meshes, [{"mesh": 0, "matrix": matrix}])


def packed():
    """Interleaved and sparse positions, normalised texture coordinates and colours, bytes as joints, quantised weights."""
    b = Buffer()
    rows = [(x * 1.0, y * 1.0, 0.0) for y in range(4) for x in range(4)]
    data = b"".join(struct.pack("<3f2H4B4B4B", *row, int(row[0] / 3 * 65535), int(row[1] / 3 * 65535), 255, int(row[0] * 80), 0, 255,
                                0, 1, 0, 0, 255 - int(row[1] * 85), int(row[1] * 85), 0, 0) for row in rows)
    view = b.view(data, 28)
    at = lambda offset, kind, component, normalized=False: b.accessor(
        bufferView=view, byteOffset=offset, componentType=component, count=16, type=kind, **({"normalized": True} if normalized else {}))
    moved = b.view(struct.pack("<H", 15))
    to = b.view(struct.pack("<3f", 3.0, 3.0, 2.0))
    positions = b.accessor(bufferView=view, byteOffset=0, componentType=5126, count=16, type="VEC3", min=[0, 0, 0], max=[3, 3, 2],
                           sparse={"count": 1, "indices": {"bufferView": moved, "componentType": 5123}, "values": {"bufferView": to}})
    quads = [(y * 4 + x) for y in range(3) for x in range(3)]
    order = struct.pack(f"<{len(quads) * 6}I", *[i for q in quads for i in (q, q + 1, q + 5, q, q + 5, q + 4)])
    indices = b.accessor(bufferView=b.view(order), componentType=5125, count=len(quads) * 6, type="SCALAR")
    attributes = {"POSITION": positions, "TEXCOORD_0": at(12, "VEC2", 5123, True), "COLOR_0": at(16, "VEC4", 5121, True),
                  "JOINTS_0": at(20, "VEC4", 5121), "WEIGHTS_0": at(24, "VEC4", 5121, True)}
    times = b.accessor(bufferView=b.view(struct.pack("<3f", 0, 0.5, 1)), componentType=5126, count=3, type="SCALAR", min=[0], max=[1])
    turns = [0, 0, 0, 1, 0, 0, math.sin(0.4), math.cos(0.4), 0, math.sin(0.3), 0, math.cos(0.3)]
    values = b.accessor(bufferView=b.view(struct.pack("<12f", *turns)), componentType=5126, count=3, type="VEC4")
    nodes = [{"mesh": 0, "skin": 0, "name": "sheet"}, {"name": "low"}, {"name": "high"}]
    return b.document([{"primitives": [{"attributes": attributes, "indices": indices}]}], nodes,
                      skins=[{"joints": [1, 2]}],
                      animations=[{"name": "fold", "samplers": [{"input": times, "output": values}],
                                   "channels": [{"sampler": 0, "target": {"node": 2, "path": "rotation"}}]}])


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for make in MADE:
        bpy.ops.wm.read_factory_settings(use_empty=True)
        options = make() or {}
        options = {"export_animation_mode": "NLA_TRACKS" if any(o.animation_data and o.animation_data.nla_tracks for o in bpy.data.objects) else "ACTIONS",
                   "export_all_influences": True, "export_influence_nb": 8, **options}
        bpy.ops.export_scene.gltf(filepath=str(folder / f"{make.__name__}.glb"), export_format="GLB", **options)
    for make in (strips, packed):
        (folder / f"{make.__name__}.gltf").write_text(json.dumps(make()))
    return 0


sys.exit(main())
