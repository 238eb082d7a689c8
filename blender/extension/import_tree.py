"""The tree of a model: its object, bones, and objects for all other nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import bpy
import numpy as np
from mathutils import Matrix, Vector

from . import fields
from .arrays import Z_UP, Floats, conjugate, quaternion, turn
from .plan import Plan

if TYPE_CHECKING:
    from galatea import Node

    from .importer import Job


def make_root(title: str, plan: Plan, collection: bpy.types.Collection) -> bpy.types.Object:
    """Makes the object that stands for a model."""
    data = bpy.data.armatures.new(title) if plan.bones else None
    root = bpy.data.objects.new(title, data)
    collection.objects.link(root)
    place = Z_UP if plan.axes is None else Z_UP @ plan.local[plan.axes]
    root.rotation_mode = "QUATERNION"
    root.matrix_world = Matrix(place.tolist())
    if data is None:
        root.empty_display_type = "ARROWS"
        root.empty_display_size = max(plan.size * 0.05, 0.01)
    else:
        data.display_type = "STICK"
        root.show_in_front = True
    if plan.axes is not None:
        root.galatea.part.key = plan.axes
    root.galatea.part.given = root.name
    root.galatea.model = root
    return root


def make_bones(job: Job) -> None:
    """Makes the bones, each where its node rests."""
    plan, root = job.plan, job.root
    if not plan.bones:
        return
    layer = job.context.view_layer
    for one in list(job.context.selected_objects):
        one.select_set(False)
    layer.objects.active = root
    root.select_set(True)
    lengths = _lengths(plan)
    bpy.ops.object.mode_set(mode="EDIT")
    made: dict[int, Any] = {}
    try:
        for at in plan.bones:
            bone = root.data.edit_bones.new(job.scene.nodes[at].name or "bone")
            bone.head = (0.0, 0.0, 0.0)
            bone.tail = (0.0, lengths[at], 0.0)
            bone.matrix = Matrix(plan.rest[at].tolist())
            parent = plan.parent(at)
            if parent in made:
                bone.parent = made[parent]
            made[at] = bone
        job.bones = {at: bone.name for at, bone in made.items()}
    finally:
        bpy.ops.object.mode_set(mode="OBJECT")
    bones = root.data.bones
    pose = root.pose.bones
    for at, name in job.bones.items():
        node, bone = job.scene.nodes[at], bones[name]
        bone.inherit_scale = "FULL" if node.inherit["scale"] else "NONE"
        bone.use_inherit_rotation = node.inherit["rotation"]
        mark(job, at, bone.galatea, name)
        location, rotation, scale = resting(plan, at)
        pose[name].rotation_mode = "QUATERNION"
        if np.abs(location).max() > plan.size * 1e-6:
            pose[name].location = location.tolist()
        if np.abs(rotation[1:]).max() > 1e-6:
            pose[name].rotation_quaternion = rotation.tolist()
        if np.abs(scale - 1.0).max() > 1e-6:
            pose[name].scale = scale.tolist()


def resting(plan: Plan, at: int) -> tuple[Floats, Floats, Floats]:
    """Returns location, rotation w, x, y, z and scale of the pose bone of a node at rest."""
    node = plan.scene.nodes[at]
    relative = plan.relative(at)
    location = (np.asarray(node.translation) - relative[:3, 3]) @ relative[:3, :3]
    if at == plan.axes:
        return np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0]), np.ones(3)
    length = float(np.linalg.norm(node.rotation))
    own = np.asarray(node.rotation) / length if np.isfinite(length) and length > 0 else np.array([0.0, 0.0, 0.0, 1.0])
    rotation = turn(conjugate(quaternion(relative)), own[None])[0]
    if rotation[3] < 0:
        rotation = -rotation
    return location, rotation[[3, 0, 1, 2]], np.asarray(node.scale, np.float64)


def _lengths(plan: Plan) -> dict[int, float]:
    """Returns how long each bone is drawn: about as far as its nearest child."""
    least, most = plan.size * 0.01, plan.size * 0.15
    nearest: dict[int, float] = {}
    for at in plan.bones:
        parent = plan.parent(at)
        if parent in plan.rest:
            far = float(np.linalg.norm(plan.rest[at][:3, 3] - plan.rest[parent][:3, 3]))
            if far > least:
                nearest[parent] = min(far, nearest.get(parent, np.inf))
    return {at: float(np.clip(nearest.get(at, least * 3), least, most)) for at in plan.bones}


def mark(job: Job, at: int, props: Any, name: str) -> None:
    """Notes which node of the original an object or a bone is, and what Blender has no word for."""
    node = job.scene.nodes[at]
    props.part.key = at
    props.part.given = name
    props.model = job.root
    props.visible = node.visible
    props.tint = node.tint
    props.billboard = (node.billboard or "none").upper()
    props.inherit_translation = node.inherit["translation"]
    props.inherit_rotation = node.inherit["rotation"]
    props.inherit_scale = node.inherit["scale"]
    if node.attachment is not None:
        number = node.attachment.get("id")
        props.attached = True
        props.attachment = -1 if number is None else number
        props.attachment_path = node.attachment.get("path", "")
    fields.show(props.part, fields.of_node(job.scene, at))


def make_objects(job: Job) -> None:
    """Makes an object for each node that is no bone, and for what bones show."""
    plan, scene = job.plan, job.scene
    for at in plan.order:
        node = scene.nodes[at]
        if at in job.bones:
            if node.mesh is not None or node.light is not None or node.camera is not None or node.emitter is not None:
                holder = _make(job, at, node)
                holder.galatea.holder = True
                holder.galatea.part.key = at
                holder.galatea.part.given = holder.name
                holder.galatea.model = job.root
                if not _stands(job, at, holder):
                    _hang(job, holder, job.bones[at])
            continue
        if at == plan.axes:
            job.objects[at] = job.root
            continue
        made = _make(job, at, node)
        mark(job, at, made.galatea, made.name)
        if _stands(job, at, made):
            continue
        parent = plan.parent(at)
        if parent in job.bones:
            _hang(job, made, job.bones[parent])
        else:
            made.parent = job.root if parent is None else job.objects[parent]
        made.location = node.translation
        x, y, z, w = node.rotation
        made.rotation_quaternion = (w, x, y, z)
        made.scale = node.scale


def _make(job: Job, at: int, node: Node) -> bpy.types.Object:
    made = bpy.data.objects.new(node.name or "node", job.meshes.get(node.mesh) if node.mesh is not None else None)
    made.rotation_mode = "QUATERNION"
    job.collection.objects.link(made)
    job.objects[at] = made
    if made.type == "EMPTY":
        small = max(job.plan.size * 0.02, 0.005)
        made.empty_display_size = small
        made.empty_display_type = "PLAIN_AXES"
        if node.emitter is not None:
            made.empty_display_type = "CONE"
        elif node.attachment is not None:
            made.empty_display_type = "ARROWS"
        elif node.shape is not None:
            _shape(made, node.shape)
    return made


def _shape(made: bpy.types.Object, shape: dict[str, Any]) -> None:
    if "sphere" in shape:
        made.empty_display_type = "SPHERE"
        made.empty_display_size = max(float(shape["sphere"]["radius"]), 1e-3)
    elif "box" in shape:
        made.empty_display_type = "CUBE"
        corners = np.array([shape["box"]["min"], shape["box"]["max"]])
        made.empty_display_size = max(float(np.abs(corners[1] - corners[0]).max()) / 2, 1e-3)


def _stands(job: Job, at: int, made: bpy.types.Object) -> bool:
    """Puts a skinned mesh below the armature, which moves it."""
    node = job.scene.nodes[at]
    if node.mesh is None or node.skin is None or at not in job.plan.stand or not job.bones:
        return False
    made.parent = job.root
    made.matrix_local = Matrix(job.plan.stand[at].tolist())
    return True


def _hang(job: Job, made: bpy.types.Object, bone: str) -> None:
    """Makes an object a child of a bone, at the head of that."""
    made.parent = job.root
    made.parent_type = "BONE"
    made.parent_bone = bone
    made.matrix_parent_inverse = Matrix.Translation(Vector((0.0, -job.root.data.bones[bone].length, 0.0)))


def show(job: Job) -> None:
    """Hides what the game does not draw at rest, and selects the model."""
    for one in job.context.selected_objects:
        one.select_set(False)
    job.context.view_layer.objects.active = job.root
    job.root.select_set(True)
    if not job.options.hide:
        return
    scene = job.scene
    drawn = [mesh.purpose == "render" and not mesh.lod for mesh in scene.meshes]
    if not any(drawn):
        return
    for at, made in job.objects.items():
        node = scene.nodes[at]
        if node.mesh is not None and node.mesh < len(drawn) and (not drawn[node.mesh] or not _visible(job, at)):
            made.hide_set(True)
            made.hide_render = True


def _visible(job: Job, at: int) -> bool:
    here: int | None = at
    while here is not None:
        if not job.scene.nodes[here].visible:
            return False
        here = job.scene.nodes[here].parent
    return True
