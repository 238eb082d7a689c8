"""New models: a scene of what is in Blender, which the authoring rules of a format make a model of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import bpy
import numpy as np
from galatea import Channel, Clip, Event, Scene, Skin

from . import corners, curves, export_clips, export_materials, export_meshes, export_parts, fields
from .arrays import Y_UP, Floats, Numbers, decompose, inverse
from .exporter import Failed, Files


@dataclass
class _Fresh:
    """A new scene under way."""

    context: bpy.types.Context
    scene: Scene
    objects: list[bpy.types.Object]
    nodes: dict[str, int] = field(default_factory=dict)
    #: The node of each bone, by armature and name.
    bones: dict[tuple[str, str], int] = field(default_factory=dict)
    #: Where each node is in Blender's world.
    world: dict[int, Floats] = field(default_factory=dict)
    materials: dict[str, int] = field(default_factory=dict)
    images: dict[str, bytes] = field(default_factory=dict)
    shown: dict[str, tuple[bpy.types.Object, str]] = field(default_factory=dict)


#: Lights and cameras look along -Z in Blender and in scenes; the change of axes would let them look along -Y.
LOOK = np.array([[1, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1]], np.float64)


def export(context: bpy.types.Context, objects: list[bpy.types.Object], to: str, **options: Any) -> Files:
    """Makes a new model of objects, with the armatures that move them."""
    chosen = [one for one in objects if one.type in ("MESH", "EMPTY", "ARMATURE", "LIGHT", "CAMERA")]
    for one in list(chosen):
        chosen += [m.object for m in one.modifiers if m.type == "ARMATURE" and m.object and m.object not in chosen]
        above = one.parent
        while above is not None and above.type == "ARMATURE" and above not in chosen:
            chosen.append(above)
            above = above.parent
    if not any(one.type == "MESH" for one in chosen):
        raise Failed("a new model needs a mesh: select its objects")
    work = _Fresh(context, Scene.new(str(options.get("name") or chosen[0].name)), sorted(set(chosen), key=lambda one: one.name))
    _materials(work)
    _nodes(work)
    for one in work.objects:
        if one.type == "MESH":
            _mesh(work, one)
    _clips(work)
    done = work.scene.convert(to, texture_files=work.images, **options)
    return Files(done.files(), done.format, [], [str(loss) for loss in done.losses], work.shown, done)


def _materials(work: _Fresh) -> None:
    for one in work.objects:
        for slot in one.material_slots if one.type == "MESH" else ():
            made = slot.material
            if made is not None and made.name not in work.materials:
                work.materials[made.name] = len(work.scene.materials)
                work.scene.materials.append(export_materials.new(made, work.images))


def _nodes(work: _Fresh) -> None:
    """Makes nodes of objects and bones, parents first."""
    inside = set(work.objects)
    left = list(work.objects)
    while left:
        one = left.pop(0)
        if one.parent in inside and one.parent.name not in work.nodes:
            left.append(one)
            continue
        parent = work.nodes.get(one.parent.name) if one.parent in inside else None
        if one.parent_type == "BONE" and one.parent in inside:
            parent = work.bones.get((one.parent.name, one.parent_bone), parent)
        world = np.array(one.matrix_world, np.float64)
        if one.type == "MESH" and _armature(one) is not None:
            parent, world = None, np.eye(4)
        if one.type in ("LIGHT", "CAMERA"):
            # The change of axes is taken back for what looks along an axis of its own.
            world = world @ (inverse(Y_UP) @ LOOK.T @ Y_UP)
        at = _add(work, one.name, parent, world, one)
        work.nodes[one.name] = at
        work.shown[work.scene.nodes[at].name] = (one, "")
        if one.type == "LIGHT":
            work.scene.lights.append(export_parts.new_light(one.data))
            work.scene.nodes[at].light = len(work.scene.lights) - 1
        elif one.type == "CAMERA":
            work.scene.cameras.append(export_parts.new_camera(one.data))
            work.scene.nodes[at].camera = len(work.scene.cameras) - 1
        elif one.type == "ARMATURE":
            for bone in one.data.bones:
                above = work.bones[one.name, bone.parent.name] if bone.parent else at
                place = np.array(one.matrix_world, np.float64) @ np.array(bone.matrix_local, np.float64)
                number = _add(work, bone.name, above, place, bone)
                work.bones[one.name, bone.name] = number
                work.shown[bone.name] = (one, bone.name)


def _add(work: _Fresh, name: str, parent: int | None, world: Floats, source: Any) -> int:
    own = Y_UP @ world @ Y_UP.T
    above = work.world[parent] if parent is not None else np.eye(4)
    translation, rotation, scale = decompose(inverse(above) @ own)
    at = work.scene.add_node(
        name,
        parent=parent,
        translation=tuple(float(v) for v in translation),
        rotation=tuple(float(v) for v in rotation),
        scale=tuple(float(v) for v in scale),
    )
    work.world[at] = own
    work.scene.nodes[at].extras = fields.custom(source)
    props = source.galatea
    if props.part.key < 0 and props.attached:
        number = None if props.attachment < 0 else props.attachment
        work.scene.nodes[at].attachment = {"id": number, "path": props.attachment_path}
    return at


def _armature(made: bpy.types.Object) -> bpy.types.Object | None:
    return next((one.object for one in made.modifiers if one.type == "ARMATURE" and one.object is not None), None)


def _mesh(work: _Fresh, made: bpy.types.Object) -> None:
    node = work.scene.nodes[work.nodes[made.name]]
    armature = _armature(made)
    place = np.array(made.matrix_world, np.float64) if armature is not None else np.eye(4)
    with corners.evaluated(work.context, made) as data:
        now = corners.read(data)
        if not len(now.slots) and not len(now.edges):
            return
        mesh, _ = export_meshes.fresh(work, made, data, now, Y_UP @ place)
        mesh.name = made.name
        if armature is not None:
            _skin(work, made, armature, data, mesh, len(now.positions), node)
        for part in mesh.primitives:
            part.extras.pop("shown", None)
    work.scene.meshes.append(mesh)
    node.mesh = len(work.scene.meshes) - 1


def _skin(work: _Fresh, made: bpy.types.Object, armature: bpy.types.Object, data: bpy.types.Mesh, mesh: Any, count: int, node: Any) -> None:
    vertices, groups, shares = corners.weights(made, data)
    names = {group.index: group.name for group in made.vertex_groups}
    joints: dict[int, int] = {}
    numbers: list[int] = []
    nodes: list[int] = []
    for group in groups.tolist():
        bone = work.bones.get((armature.name, names.get(group, "")))
        if bone is None:
            numbers.append(-1)
            continue
        if bone not in joints:
            joints[bone] = len(nodes)
            nodes.append(bone)
        numbers.append(joints[bone])
    if not nodes:
        return
    of: Numbers = np.array(numbers, np.int64)
    held = of >= 0
    rows = export_meshes._by_vertex(vertices[held], of[held], shares[held], count)
    for part in mesh.primitives:
        export_meshes._weigh_all(part.vertices, [rows[vertex] for vertex in part.extras["shown"]])
    binds = np.stack([inverse(work.world[bone]) for bone in nodes]).astype(np.float32)
    work.scene.skins.append(Skin(made.name, np.array(nodes, np.uint32), binds))
    node.skin = len(work.scene.skins) - 1


def _clips(work: _Fresh) -> None:
    """Makes a clip of each action that moves something here."""
    fps = work.context.scene.render.fps / work.context.scene.render.fps_base
    for action in sorted(bpy.data.actions, key=lambda one: (one.galatea.order, one.name)):
        channels: dict[tuple[int, str], Channel] = {}
        for owner in work.objects:
            if owner.type == "ARMATURE":
                _posed(work, action, owner, fps, channels)
            playing = owner.animation_data.action if owner.animation_data else None
            if playing == action:
                _moved(work, action, owner, fps, channels)
        if not channels:
            continue
        _first, last = action.frame_range
        clip = Clip(action.name, float(max(last, 0.0) / fps), channels.values(), extras=fields.custom(action))
        clip.playback = "loop" if action.use_cyclic or not action.use_frame_range else action.galatea.playback.lower()
        for marker in action.pose_markers:
            clip.events.append(Event(marker.frame / fps, marker.name, work.scene.find(marker.name)))
        work.scene.clips.append(clip)


def _columns(action: bpy.types.Action, match: Any) -> dict[tuple[Any, str], list[Any]]:
    out: dict[tuple[Any, str], list[Any]] = {}
    for curve in curves.curves_of(action):
        found = match(curve.data_path)
        if found is not None:
            width = 4 if found[1] == "rotation_quaternion" else 3
            columns = out.setdefault(found, [None] * width)
            if curve.array_index < width:
                columns[curve.array_index] = curve
    return out


def _posed(work: _Fresh, action: bpy.types.Action, owner: bpy.types.Object, fps: float, channels: dict[tuple[int, str], Channel]) -> None:
    def match(path: str) -> tuple[str, str] | None:
        found = export_clips.POSE.match(path)
        return (export_clips._plain(found[1]), found[2]) if found else None

    for (name, path), columns in _columns(action, match).items():
        node = work.bones.get((owner.name, name))
        if node is None:
            continue
        bone = owner.data.bones[name]
        rest = np.array(bone.matrix_local, np.float64)
        relative = inverse(np.array(bone.parent.matrix_local, np.float64)) @ rest if bone.parent else rest
        _channel(work, node, path, columns, fps, Y_UP @ relative @ Y_UP.T, channels)


def _moved(work: _Fresh, action: bpy.types.Action, owner: bpy.types.Object, fps: float, channels: dict[tuple[int, str], Channel]) -> None:
    paths = ("location", "rotation_quaternion", "rotation_euler", "scale")
    node = work.nodes[owner.name]
    for (_, path), columns in _columns(action, lambda path: ("", path) if path in paths else None).items():
        if owner.type not in ("ARMATURE", "LIGHT", "CAMERA"):
            before = Y_UP @ np.array(owner.matrix_parent_inverse, np.float64) @ Y_UP.T
            _channel(work, node, path, columns, fps, before, channels)


def _channel(
    work: _Fresh,
    node: int,
    path: str,
    columns: list[Any],
    fps: float,
    relative: Floats,
    channels: dict[tuple[int, str], Channel],
) -> None:
    """Turns the keys of a property into Y up, and makes a channel of them."""
    if path == "rotation_euler":
        now = curves.read(columns, [0.0, 0.0, 0.0])
        now = None if now is None else _quaternions(now)
        path = "rotation_quaternion"
    else:
        now = curves.read(columns, [1.0, 0.0, 0.0, 0.0] if path == "rotation_quaternion" else [1.0 if path == "scale" else 0.0] * 3)
    if now is None:
        return
    for part in (now.values, now.before, now.behind):
        if part is None:
            continue
        if path == "rotation_quaternion":
            part[:, 1:] = part[:, 1:] @ Y_UP[:3, :3].T
        elif path == "location":
            part[:] = part @ Y_UP[:3, :3].T
        else:
            part[:] = part[:, [0, 2, 1]]
    prop = export_clips.PROPERTIES[path]
    times, values, how = curves.to_channel(now, fps, prop, relative)
    if prop == "rotation" and values.ndim == 2:
        values = (values / np.maximum(np.linalg.norm(values, axis=1, keepdims=True), 1e-9)).astype(np.float32)
    if len(times) and times[0] < 0:
        times = times - times[0]
    channels[node, prop] = Channel(("node", node), prop, times, values, how)


def _quaternions(now: curves.Curve) -> curves.Curve:
    """Returns rotations given by angles as quaternions, one for each frame."""
    from mathutils import Euler

    frames = now.frames
    if len(frames) > 1:
        between = np.arange(np.ceil(frames[0]), frames[-1], dtype=np.float32)
        frames = np.unique(np.concatenate([frames, between])).astype(np.float32)
    angles = np.stack([np.interp(frames, now.frames, now.values[:, column]) for column in range(3)], axis=1)
    rows = np.array([list(Euler(angle).to_quaternion()) for angle in angles.tolist()], np.float32)
    for at in range(1, len(rows)):
        if (rows[at] * rows[at - 1]).sum() < 0:
            rows[at] *= -1
    return curves.Curve(frames, rows, curves.LINEAR)
