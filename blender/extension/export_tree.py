"""The tree of an edited model: which node is which, where nodes are, what is new and what is gone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import bpy
import numpy as np
from galatea import Node

from . import fields
from .arrays import Floats, decompose, inverse, transform
from .plan import places_of

if TYPE_CHECKING:
    from .exporter import Edit


def find(edit: Edit) -> None:
    """Finds the object or the bone of each node."""
    root, count = edit.root, len(edit.scene.nodes)
    if edit.plan.axes is not None:
        edit.objects[edit.plan.axes] = root
    claims: dict[int, list[Any]] = {}
    bones = set(edit.plan.bones)
    if root.type == "ARMATURE":
        for bone in root.data.bones:
            key = bone.galatea.part.key
            claims.setdefault(key if key in bones else -1, []).append(bone)
    for made in below(root):
        props = made.galatea
        key = props.part.key if props.model == root else -1
        if props.holder and 0 <= key < count and is_held(made, root):
            edit.holders.setdefault(key, []).append(made)
        else:
            claims.setdefault(key if 0 <= key < count and key not in bones and key != edit.plan.axes else -1, []).append(made)
    extra = claims.pop(-1, [])
    for key, owners in claims.items():
        # A copy has the number of what it was copied from; the one whose name was not changed is the original.
        owners.sort(key=lambda one: (one.galatea.part.given != one.name, one.name))
        first = owners[0]
        if isinstance(first, bpy.types.Bone):
            edit.bones[key] = first.name
        else:
            edit.objects[key] = first
        extra.extend(owners[1:])
    known = set(edit.objects) | set(edit.bones)
    edit.gone = {at for at in range(count) if at not in known and at != edit.plan.axes}
    for one in extra:
        edit.new.append((one, _add(edit, one)))


def below(root: bpy.types.Object) -> list[bpy.types.Object]:
    """Returns the objects of a model, parents first, with those whose parent was deleted."""
    out: list[bpy.types.Object] = []
    todo = sorted(root.children, key=lambda one: one.name)
    lost = [one for one in bpy.data.objects if one.parent is None and one != root and one.galatea.model == root]
    todo += sorted((one for one in lost if one.users_collection), key=lambda one: one.name)
    while todo:
        one = todo.pop(0)
        if one.galatea_model.is_model or one.type not in ("MESH", "EMPTY", "LIGHT", "CAMERA"):
            continue
        out.append(one)
        todo.extend(sorted(one.children, key=lambda child: child.name))
    return out


def is_held(made: bpy.types.Object, root: bpy.types.Object) -> bool:
    """Returns whether an object still belongs to the bone or the object that it shows the mesh of."""
    return made.parent is not None and (made.parent == root or made.parent.galatea.part.key == made.galatea.part.key)


def _add(edit: Edit, one: Any) -> int:
    """Adds a node for something new. A copy of a node takes over what the format says of it, but for its numbers."""
    scene = edit.scene
    key = one.galatea.part.key
    node = Node(one.name)
    if 0 <= key < len(edit.scene.nodes) and one.galatea.model == edit.root and key < len(edit.plan.local):
        template = scene.nodes[key]
        node.extras = fields.without_identity(template.extras)
        node.attachment, node.shape = template.attachment, template.shape
        node.billboard, node.inherit = template.billboard, dict(template.inherit)
        if template.emitter is not None and template.emitter < len(scene.emitters):
            scene.emitters.append(dict(scene.emitters[template.emitter]))
            node.emitter = len(scene.emitters) - 1
    scene.nodes.append(node)
    at = len(scene.nodes) - 1
    if isinstance(one, bpy.types.Bone):
        edit.bones[at] = one.name
    else:
        edit.objects[at] = one
    edit.change("node", one.name, "new")
    return at


def update(edit: Edit) -> None:
    """Takes over names, parents, places and properties of all nodes."""
    _rest_now(edit)
    for at, name in list(edit.bones.items()):
        bone = edit.root.data.bones[name]
        _bone(edit, at, bone)
        _properties(edit, at, bone.galatea, bone.name)
    for at, made in list(edit.objects.items()):
        if made == edit.root:
            continue
        _object(edit, at, made)
        _properties(edit, at, made.galatea, made.name)
    for at in sorted(edit.gone):
        edit.change("node", edit.scene.nodes[at].name, "deleted")
    if edit.changes:
        _push_down(edit)
        _bind_again(edit)


def _push_down(edit: Edit) -> None:
    """Moves what is below groups of the Fox Engine that were moved: groups have no place of their own, but for pivots of fragments."""
    for at in edit.plan.order:
        node = edit.scene.nodes[at]
        own = node.extras.get("fmdl")
        if not isinstance(own, dict) or "group" not in own or at in edit.gone or np.any(edit.plan.local[at] != np.eye(4)):
            continue
        moved = transform(node.translation, node.rotation, node.scale)
        if np.array_equal(moved, np.eye(4)):
            continue
        node.translation, node.rotation, node.scale = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0), (1.0, 1.0, 1.0)
        for child in node.children:
            below = edit.scene.nodes[child]
            place = moved @ transform(below.translation, below.rotation, below.scale)
            translation, rotation, scale = decompose(place)
            below.translation = tuple(float(v) for v in translation)  # type: ignore[assignment]
            below.rotation = tuple(float(v) for v in rotation)  # type: ignore[assignment]
            below.scale = tuple(float(v) for v in scale)  # type: ignore[assignment]


def _bind_again(edit: Edit) -> None:
    """Binds skins to bones that were moved: in Blender, and therefore here, the vertices stay where they are."""
    world = places_of(edit.scene)[3]
    for skin in edit.scene.skins:
        binds = skin.inverse_bind
        for at, joint in enumerate(skin.joints):
            node = int(joint)
            if node >= len(edit.plan.world) or node in edit.gone or at >= len(binds):
                continue
            was, now = edit.plan.world[node], world[node]
            if np.abs(was - now).max() > edit.plan.size * 1e-7:
                binds[at] = inverse(now) @ was @ np.asarray(binds[at], np.float64)


def _rest_now(edit: Edit) -> None:
    """Finds where bones rest now; those that were not moved are where import put them, without Blender's rounding."""
    if edit.root.type != "ARMATURE":
        return
    near = edit.plan.size * 2e-5
    for at, name in edit.bones.items():
        now = np.array(edit.root.data.bones[name].matrix_local, np.float64)
        was = edit.plan.rest.get(at)
        if was is not None:
            moved = np.abs(now[:3, 3] - was[:3, 3]).max() > near
            turned = np.abs(now[:3, :3] - was[:3, :3]).max() > 5e-4
            now = now if moved or turned else was
        edit.rest[at] = now


def relative(edit: Edit, at: int) -> Floats:
    """Returns where a bone rests now, relative to the bone above it."""
    parent = edit.root.data.bones[edit.bones[at]].parent
    above = edit.node_of_bone(parent.name) if parent is not None else None
    return edit.rest[at] if above is None else inverse(edit.rest[above]) @ edit.rest[at]


def _bone(edit: Edit, at: int, bone: bpy.types.Bone) -> None:
    parent = edit.node_of_bone(bone.parent.name) if bone.parent is not None else edit.plan.axes
    _hang(edit, at, parent)
    now = relative(edit, at)
    if at in edit.plan.rest:
        was = edit.plan.relative(at)
        if np.array_equal(now, was) or at == edit.plan.axes:
            return
        local = now @ inverse(was) @ edit.plan.local[at]
    else:
        local = now
    _place(edit, at, local)


def _hang(edit: Edit, at: int, parent: int | None) -> None:
    node = edit.scene.nodes[at]
    if node.parent == parent or at == edit.plan.axes:
        return
    fresh = node.parent is None and any(number == at for _, number in edit.new)
    if node.parent is not None and at in edit.scene.nodes[node.parent].children:
        edit.scene.nodes[node.parent].children.remove(at)
    node.parent = parent
    if parent is not None:
        edit.scene.nodes[parent].children.append(at)
    if not fresh:
        edit.change("node", node.name, "has another parent")


def _place(edit: Edit, at: int, local: Floats) -> None:
    """Moves a node. Of what did not move, the original's numbers stay."""
    node = edit.scene.nodes[at]
    translation, rotation, scale = decompose(local)
    moved = []
    if np.abs(translation - node.translation).max() > edit.plan.size * 1e-6:
        node.translation = tuple(float(v) for v in np.float32(translation))  # type: ignore[assignment]
        moved.append("moved")
    own = np.asarray(node.rotation) / (np.linalg.norm(node.rotation) or 1.0)
    if min(np.abs(rotation - own).max(), np.abs(rotation + own).max()) > 1e-5:
        node.rotation = tuple(float(v) for v in np.float32(rotation))  # type: ignore[assignment]
        moved.append("turned")
    if np.abs(scale - node.scale).max() > 1e-5 * max(1.0, float(np.abs(scale).max())):
        node.scale = tuple(float(v) for v in np.float32(scale))  # type: ignore[assignment]
        moved.append("scaled")
    if moved and not any(number == at for _, number in edit.new):
        edit.change("node", node.name, ", ".join(moved))


def owner(edit: Edit, made: bpy.types.Object) -> int | None:
    """Returns the node that an object hangs on."""
    parent = made.parent
    if parent is None or parent == edit.root:
        if made.parent_type == "BONE" and parent is not None:
            return edit.node_of_bone(made.parent_bone)
        return edit.plan.axes
    if parent.galatea.holder:
        return parent.galatea.part.key
    return next((at for at, one in edit.objects.items() if one == parent), edit.plan.axes)


def local_matrix(edit: Edit, made: bpy.types.Object) -> Floats:
    """Returns where an object is relative to the node that it hangs on."""
    own = np.array(made.matrix_parent_inverse, np.float64) @ np.array(made.matrix_basis, np.float64)
    if made.parent is None:
        if made.galatea.model == edit.root:
            return np.array(made.matrix_basis, np.float64)
        return inverse(np.array(edit.root.matrix_world, np.float64)) @ np.array(made.matrix_world, np.float64)
    if made.parent_type == "BONE" and made.parent == edit.root:
        lift = np.eye(4)
        lift[1, 3] = edit.root.data.bones[made.parent_bone].length
        return lift @ own
    return own


def is_skinned(edit: Edit, at: int, made: bpy.types.Object) -> bool:
    """Returns whether an object is moved by the armature, which then decides where it is."""
    return made.type == "MESH" and any(one.type == "ARMATURE" and one.object == edit.root for one in made.modifiers)


def _object(edit: Edit, at: int, made: bpy.types.Object) -> None:
    node = edit.scene.nodes[at]
    if at in edit.plan.stand and is_skinned(edit, at, made):
        return
    new = at >= len(edit.plan.local)
    if new and is_skinned(edit, at, made):
        _hang(edit, at, edit.plan.axes)
        return
    parent = owner(edit, made)
    # The parent was deleted: what hung on it hangs on what is left above.
    if made.parent is None and not new:
        parent = node.parent
        while parent is not None and parent in edit.gone:
            parent = edit.scene.nodes[parent].parent
    _hang(edit, at, parent)
    if not new and made.rotation_mode == "QUATERNION" and _is_where_it_was(edit, at, made):
        return
    _place(edit, at, local_matrix(edit, made))


def _is_where_it_was(edit: Edit, at: int, made: bpy.types.Object) -> bool:
    """Returns whether an object has the very numbers that import gave it."""
    node = edit.scene.nodes[at]
    x, y, z, w = np.float32(node.rotation)
    if not (
        np.array_equal(np.float32(made.location), np.float32(node.translation), equal_nan=True)
        and np.array_equal(np.float32(made.rotation_quaternion), np.float32([w, x, y, z]), equal_nan=True)
        and np.array_equal(np.float32(made.scale), np.float32(node.scale), equal_nan=True)
    ):
        return False
    back = np.array(made.matrix_parent_inverse, np.float64)
    expected = np.eye(4)
    if made.parent_type == "BONE" and made.parent == edit.root:
        expected[1, 3] = -edit.root.data.bones[made.parent_bone].length
    return bool(np.abs(back - expected).max() <= edit.plan.size * 1e-6)


def _properties(edit: Edit, at: int, props: Any, name: str) -> None:
    """Takes over the name and what Blender has no word for."""
    node = edit.scene.nodes[at]
    new = at >= len(edit.plan.local)
    if new:
        node.name = name
    elif props.part.given != name:
        edit.change("node", node.name, f"renamed to {name!r}")
        node.name = name
    if new and props.part.key < 0:
        return
    what = []
    if node.visible != props.visible:
        node.visible = props.visible
        what.append("visibility")
    tint = np.float32(props.tint)
    if not np.array_equal(tint, np.float32(node.tint), equal_nan=True):
        node.tint = tuple(float(v) for v in tint)  # type: ignore[assignment]
        what.append("color and opacity")
    billboard = None if props.billboard == "NONE" else props.billboard.lower()
    if node.billboard != billboard:
        node.billboard = billboard
        what.append("billboard")
    inherit = {
        "translation": props.inherit_translation,
        "rotation": props.inherit_rotation,
        "scale": props.inherit_scale,
    }
    if node.inherit != inherit:
        node.inherit = inherit
        what.append("what it inherits")
    if props.attached:
        number = (node.attachment or {}).get("id")
        now = {"id": number if number is None and props.attachment < 0 else props.attachment, "path": props.attachment_path}
        if node.attachment is None or {"id": None, "path": "", **node.attachment} != now:
            node.attachment = now
            what.append("attachment")
    elif node.attachment is not None:
        node.attachment = None
        what.append("attachment")
    if fields.take(props.part, fields.of_node(edit.scene, at)):
        what.append("values of the format")
    if what and not new:
        edit.change("node", node.name, ", ".join(what))


def finish(edit: Edit) -> None:
    """Removes what is gone."""
    if edit.gone:
        remove(edit, edit.gone)


def remove(edit: Edit, gone: Iterable[int]) -> None:
    """Removes nodes, and numbers the others anew."""
    scene = edit.scene
    dead = set(gone)
    for at in range(len(scene.nodes)):
        node = scene.nodes[at]
        if at in dead:
            continue
        above = node.parent
        while above is not None and above in dead:
            above = scene.nodes[above].parent
        if above != node.parent:
            node.parent = above
            if above is not None and at not in scene.nodes[above].children:
                scene.nodes[above].children.append(at)
    numbers: dict[int, int] = {}
    for at in range(len(scene.nodes)):
        if at not in dead:
            numbers[at] = len(numbers)
    for skin in scene.skins:
        stand_in = next((int(j) for j in skin.joints if int(j) in numbers), next(iter(numbers), 0))
        joints = [numbers.get(int(joint), numbers.get(stand_in, 0)) for joint in skin.joints]
        skin.joints = np.array(joints, np.uint32)
    for camera in scene.cameras:
        camera.target = numbers.get(camera.target) if camera.target is not None else None
    for clip in scene.clips:
        channels = clip.channels
        kept = [one for one in channels if one.target[0] != "node" or one.target[1] in numbers]
        for channel in kept:
            if channel.target[0] == "node":
                channel.target = ("node", numbers[channel.target[1]])
        clip.channels = kept
        clip.events = [one for one in clip.events if one.node is None or one.node in numbers]
        for event in clip.events:
            event.node = numbers[event.node] if event.node is not None else None
    kept_nodes = [node for at, node in enumerate(scene.nodes) if at not in dead]
    for node in kept_nodes:
        node.parent = numbers[node.parent] if node.parent is not None else None
        node.children = [numbers[child] for child in node.children if child in numbers]
    scene.nodes[:] = kept_nodes
    edit.objects = {numbers[at]: made for at, made in edit.objects.items() if at in numbers}
    edit.bones = {numbers[at]: name for at, name in edit.bones.items() if at in numbers}
    _sweep(edit)


def _sweep(edit: Edit) -> None:
    """Removes meshes, emitters, lights and cameras that no node has any more."""
    scene = edit.scene
    for attribute, parts in (
        ("mesh", scene.meshes),
        ("emitter", scene.emitters),
        ("light", scene.lights),
        ("camera", scene.cameras),
    ):
        used = {getattr(node, attribute) for node in scene.nodes}
        numbers: dict[int, int] = {}
        for at in range(len(parts)):
            if at in used:
                numbers[at] = len(numbers)
        if len(numbers) == len(parts):
            continue
        parts[:] = [part for at, part in enumerate(parts) if at in numbers]  # type: ignore[index]
        for node in scene.nodes:
            value = getattr(node, attribute)
            if value is not None:
                setattr(node, attribute, numbers[value])
        for clip in scene.clips:
            kept = [one for one in clip.channels if one.target[0] != attribute or one.target[1] in numbers]
            for channel in kept:
                if channel.target[0] == attribute:
                    channel.target = (attribute, numbers[channel.target[1]])
            clip.channels = kept
