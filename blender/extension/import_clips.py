"""Clips: an action for each, with everything that it moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy
import numpy as np

from . import curves, fields
from .arrays import finite

if TYPE_CHECKING:
    from galatea import Channel, Clip

    from .importer import Job


def make(job: Job) -> None:
    """Makes all actions of a model."""
    tracks = _Tracks(job)
    for order, clip in enumerate(job.scene.clips):
        job.actions.append(_action(job, tracks, clip, order))
    tracks.make()
    if job.actions:
        job.root.galatea_model.clip = 0
        ends = [action.frame_end for action in job.actions]
        scene = job.context.scene
        scene.frame_start = 0
        scene.frame_end = max(round(max(ends[:1])), 1)


def _action(job: Job, tracks: _Tracks, clip: Clip, order: int) -> bpy.types.Action:
    action, made = curves.new_action(clip.name or "clip", job.root)
    props = action.galatea
    props.part.key = order
    props.part.given = action.name
    props.model = job.root
    props.order = order
    props.playback = clip.playback.upper()
    props.length = clip.length
    fields.show(props.part, fields.of_clip(job.scene, order))
    action.use_frame_range = True
    action.frame_start = 0.0
    action.frame_end = clip.length * job.fps
    action.use_cyclic = clip.playback != "once"
    written: set[tuple[str, int]] = set()
    for channel in clip.channels:
        kind, number = channel.target
        if kind == "node" and number in job.bones and channel.property in curves.POSE_PATHS:
            path = pose_path(job.bones[number], channel.property)
            curve = curves.of_channel(channel, job.fps, job.plan.relative(number))
            group = job.bones[number]
        else:
            path = tracks.path(channel)
            curve = curves.of_channel(channel, job.fps)
            group = "Model"
        if curve is not None and (path, 0) not in written:
            written.add((path, 0))
            curves.write(made, path, curve, group)
    for event in clip.events:
        marker = action.pose_markers.new(event.name or "event")
        marker.frame = round(event.time * job.fps)
    return action


def pose_path(bone: str, prop: str) -> str:
    """Returns the path of the F-curves of a property of a bone."""
    return f'pose.bones["{bpy.utils.escape_identifier(bone)}"].{curves.POSE_PATHS[prop]}'


def track_path(prop: str) -> str:
    """Returns the path of the F-curves of a custom property of the model."""
    return f'["{bpy.utils.escape_identifier(prop)}"]'


class _Tracks:
    """Properties that clips animate and that are no poses: custom properties of the model's object."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.props: dict[tuple[str, int, str], str] = {}
        self.values: dict[str, list[float]] = {}

    def path(self, channel: Channel) -> str:
        """Returns the path of the F-curves of a channel."""
        kind, number = channel.target
        key = (kind, number, channel.property)
        if key not in self.props:
            prop = self._name(kind, number, channel.property)
            self.props[key] = prop
            track = self.job.root.galatea_model.tracks.add()
            track.prop, track.target, track.number, track.property = prop, kind, number, channel.property
        prop = self.props[key]
        values = np.asarray(channel.values, np.float32)
        if prop not in self.values and values.ndim >= 2 and len(values):
            first = values[0, 1] if values.ndim == 3 else values[0]
            self.values[prop] = finite(first).tolist()
        return track_path(prop)

    def _name(self, kind: str, number: int, prop: str) -> str:
        """Returns a name that says what moves, in the 63 bytes that Blender has for it."""
        scene = self.job.scene
        lists = {"node": scene.nodes, "material": scene.materials, "light": scene.lights, "camera": scene.cameras}
        parts = lists.get(kind, [])
        if kind == "emitter":
            owner = next((node.name for node in scene.nodes if node.emitter == number), str(number))
        else:
            owner = parts[number].name if number < len(parts) else str(number)
        taken = set(self.props.values())
        for count in range(1, len(taken) + 2):
            ending = f": {prop}" + (f" {count}" if count > 1 else "")
            room = 60 - len(ending.encode())
            name = owner.encode()[: max(room, 0)].decode(errors="ignore") + ending
            name = name.encode()[:60].decode(errors="ignore")
            if name not in taken:
                return name
        return f"track {len(taken)}"

    def make(self) -> None:
        """Makes the custom properties."""
        for prop, values in self.values.items():
            self.job.root[prop] = values[0] if len(values) == 1 else values
