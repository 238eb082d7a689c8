"""Lights and cameras."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import bpy
from galatea import Camera, Light

from . import fields

if TYPE_CHECKING:
    from .importer import Job

#: Watts of a light whose intensity is 1 in the game.
WATTS = 100.0


def make(job: Job) -> None:
    """Gives nodes their lights and cameras."""
    scene = job.scene
    for at, made in list(job.objects.items()):
        node = scene.nodes[at]
        if node.light is not None and node.light < len(scene.lights):
            _replace(job, at, made, _light(job, node.light))
        elif node.camera is not None and node.camera < len(scene.cameras):
            _replace(job, at, made, _camera(job, node.camera))
    for at, made in job.objects.items():
        camera = scene.nodes[at].camera
        target = scene.cameras[camera].target if camera is not None and camera < len(scene.cameras) else None
        if made.type == "CAMERA" and target in job.objects:
            aim = made.constraints.new("TRACK_TO")
            aim.target = job.objects[target]
            aim.track_axis, aim.up_axis = "TRACK_NEGATIVE_Z", "UP_Y"


def _replace(job: Job, at: int, made: bpy.types.Object, data: bpy.types.ID) -> None:
    """Turns the empty of a node into the object of a light or a camera; a mesh gets it as a child."""
    if made.type != "EMPTY":
        child = bpy.data.objects.new(made.name, data)
        job.collection.objects.link(child)
        child.parent = made
        child.galatea.holder = True
        child.galatea.part.key = at
        child.galatea.part.given = child.name
        child.galatea.model = job.root
        return
    new = bpy.data.objects.new(made.name, data)
    name = made.name
    job.collection.objects.link(new)
    new.rotation_mode = "QUATERNION"
    new.parent, new.parent_type = made.parent, made.parent_type
    if made.parent_type == "BONE":
        new.parent_bone = made.parent_bone
    new.matrix_parent_inverse = made.matrix_parent_inverse
    new.location, new.rotation_quaternion, new.scale = made.location, made.rotation_quaternion, made.scale
    new.galatea.holder = made.galatea.holder
    for child in made.children:
        child.parent = new
    bpy.data.objects.remove(made)
    new.name = name
    job.objects[at] = new
    if new.galatea.holder:
        new.galatea.part.key = at
        new.galatea.part.given = new.name
        new.galatea.model = job.root
    else:
        from .import_tree import mark

        mark(job, at, new.galatea, new.name)


def light_values(light: Light) -> tuple[str, list[float], float, float]:
    """Returns what a light looks like in Blender: type, color, watts, range."""
    kind = light.kind if isinstance(light.kind, str) else next(iter(light.kind))
    kinds = {"point": "POINT", "directional": "SUN", "ambient": "POINT", "spot": "SPOT"}
    color = [min(max(float(v), 0.0), 1e4) if math.isfinite(v) else 0.0 for v in light.color]
    strength = float(light.intensity) if math.isfinite(light.intensity) else 0.0
    watts = strength if kind == "directional" else strength * WATTS
    reach = light.range if light.range is not None and math.isfinite(light.range) else 0.0
    return kinds.get(kind, "POINT"), color, watts, max(float(reach), 0.0)


def _light(job: Job, at: int) -> bpy.types.Light:
    light = job.scene.lights[at]
    kind, color, watts, reach = light_values(light)
    made = bpy.data.lights.new(light.name or "light", kind)
    made.color = color
    made.energy = watts
    if reach > 0 and hasattr(made, "use_custom_distance"):
        made.use_custom_distance = True
        made.cutoff_distance = reach
    if isinstance(light.kind, dict) and kind == "SPOT":
        spot = light.kind["spot"]
        made.spot_size = min(2.0 * float(spot.get("outer", 0.4)), math.pi)
    made.galatea.part.key = at
    made.galatea.part.given = made.name
    fields.show(made.galatea.part, fields.of_light(job.scene, at))
    return made


def camera_angle(camera: Camera) -> float | None:
    """Returns the vertical angle of a camera with perspective."""
    view = camera.projection.get("perspective")
    if not isinstance(view, dict):
        return None
    return min(max(float(view.get("yfov") or 0.8), 0.01), 3.1)


def _camera(job: Job, at: int) -> bpy.types.Camera:
    camera = job.scene.cameras[at]
    made = bpy.data.cameras.new(camera.name or "camera")
    made.sensor_fit = "VERTICAL"
    angle = camera_angle(camera)
    if angle is None:
        made.type = "ORTHO"
        size = camera.projection.get("orthographic", {}).get("size", (1, 1))
        made.ortho_scale = max(float(size[1]), 1e-3)
    else:
        made.angle_y = angle
    made.clip_start = min(max(float(camera.near), 1e-6), 1e6)
    if camera.far is not None:
        made.clip_end = min(max(float(camera.far), made.clip_start * 2), 1e9)
    made.galatea.part.key = at
    made.galatea.part.given = made.name
    return made
