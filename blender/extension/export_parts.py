"""Lights, cameras and emitters of an edited model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import bpy
import numpy as np
from galatea import Camera, Light

from . import export_tree, fields
from .import_parts import WATTS, camera_angle, light_values

if TYPE_CHECKING:
    from .exporter import Edit


def update(edit: Edit) -> None:
    """Takes over all lights and cameras."""
    scene = edit.scene
    for at in range(len(scene.nodes)):
        if at in edit.gone:
            continue
        node = scene.nodes[at]
        owners = [edit.objects[at]] if at in edit.objects else []
        owners += edit.holders.get(at, [])
        light = next((one for one in owners if one.type == "LIGHT"), None)
        camera = next((one for one in owners if one.type == "CAMERA"), None)
        if light is not None:
            _light(edit, at, light)
        elif node.light is not None and at < len(edit.plan.local):
            edit.change("light", node.name, "deleted")
            node.light = None
        if camera is not None:
            _camera(edit, at, camera)
        elif node.camera is not None and at < len(edit.plan.local):
            edit.change("camera", node.name, "deleted")
            node.camera = None
        if node.emitter is not None and at in edit.bones and not owners and at < len(edit.plan.local):
            edit.change("emitter", node.name, "deleted")
            node.emitter = None


def _light(edit: Edit, at: int, made: bpy.types.Object) -> None:
    scene, node, data = edit.scene, edit.scene.nodes[at], made.data
    if node.light is None or node.light >= len(scene.lights) or data.galatea.part.key != node.light:
        scene.lights.append(new_light(data))
        node.light = len(scene.lights) - 1
        edit.change("light", made.name, "new")
        _face(edit, at, made)
        return
    light = scene.lights[node.light]
    kind, color, watts, reach = light_values(light)
    what = []
    if data.type != kind:
        light.kind = new_light(data).kind
        what.append("type")
    if np.abs(np.float32(data.color) - np.float32(color)).max() > 1e-5:
        light.color = tuple(float(v) for v in data.color)  # type: ignore[assignment]
        what.append("color")
    if abs(data.energy - np.float32(watts)) > 1e-5 * max(abs(watts), 1.0):
        light.intensity = float(data.energy) / (1.0 if data.type == "SUN" else WATTS)
        what.append("intensity")
    if getattr(data, "use_custom_distance", False) and abs(data.cutoff_distance - np.float32(reach)) > 1e-5 * max(reach, 1.0):
        light.range = float(data.cutoff_distance)
        what.append("range")
    if fields.take(data.galatea.part, fields.of_light(scene, node.light)):
        what.append("values of the format")
    if what:
        edit.change("light", light.name, ", ".join(what))


def _face(edit: Edit, at: int, made: bpy.types.Object) -> None:
    """Lets a new light or camera look along the same axis: it is the same one in Blender and in the scene."""
    export_tree._place(edit, at, export_tree.local_matrix(edit, made))


def new_light(data: Any) -> Light:
    """Makes a light of one of Blender's."""
    out = Light(data.name)
    out.color = tuple(float(v) for v in data.color)  # type: ignore[assignment]
    out.intensity = float(data.energy) / (1.0 if data.type == "SUN" else WATTS)
    if data.type == "SUN":
        out.kind = "directional"
    elif data.type == "SPOT":
        outer = float(data.spot_size) / 2.0
        out.kind = {"spot": {"inner": outer * (1.0 - float(data.spot_blend)), "outer": outer}}
    if data.type != "SUN" and getattr(data, "use_custom_distance", False):
        out.range = float(data.cutoff_distance)
    return out


def new_camera(data: Any) -> Camera:
    """Makes a camera of one of Blender's."""
    out = Camera(data.name, near=float(data.clip_start), far=float(data.clip_end))
    if data.type == "ORTHO":
        out.projection = {"orthographic": {"size": (float(data.ortho_scale), float(data.ortho_scale))}}
    else:
        out.projection = {"perspective": {"yfov": float(data.angle_y), "aspect": None}}
    return out


def _camera(edit: Edit, at: int, made: bpy.types.Object) -> None:
    scene, node, data = edit.scene, edit.scene.nodes[at], made.data
    if node.camera is None or node.camera >= len(scene.cameras) or data.galatea.part.key != node.camera:
        scene.cameras.append(new_camera(data))
        node.camera = len(scene.cameras) - 1
        edit.change("camera", made.name, "new")
        return
    camera = scene.cameras[node.camera]
    what = []
    angle = camera_angle(camera)
    if angle is not None and data.type == "PERSP" and abs(data.angle_y - angle) > 1e-4:
        view = dict(camera.projection["perspective"])
        view["yfov"] = float(data.angle_y)
        camera.projection = {"perspective": view}
        what.append("field of view")
    near = min(max(float(camera.near), 1e-6), 1e6)
    if abs(data.clip_start - near) > 1e-4 * near:
        camera.near = float(data.clip_start)
        what.append("near plane")
    if camera.far is not None:
        far = min(max(float(camera.far), near * 2), 1e9)
        if abs(data.clip_end - far) > 1e-4 * far:
            camera.far = float(data.clip_end)
            what.append("far plane")
    if what:
        edit.change("camera", camera.name, ", ".join(what))
