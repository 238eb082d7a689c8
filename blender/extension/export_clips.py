"""Clips of an edited model: keys that were moved, actions that were added, renamed, reordered or deleted."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import bpy
import numpy as np
from galatea import Channel, Clip, Event

from . import curves, export_tree, fields
from .arrays import Floats

if TYPE_CHECKING:
    from .exporter import Edit

#: The paths of F-curves of bones.
POSE = re.compile(r'^pose\.bones\["((?:[^"\\]|\\.)*)"\]\.(location|rotation_quaternion|rotation_euler|scale)$')
#: The paths of F-curves of custom properties.
CUSTOM = re.compile(r'^\["((?:[^"\\]|\\.)*)"\]$')
PROPERTIES = {path: prop for prop, path in curves.POSE_PATHS.items()}
#: The place of an action among others that an action without a model has.
LAST = 1 << 30


def update(edit: Edit) -> None:
    """Takes over all clips."""
    scene = edit.scene
    was = list(scene.clips)
    claims: dict[int, bpy.types.Action] = {}
    extra: list[bpy.types.Action] = []
    for action in sorted(actions_of(edit.root), key=lambda one: (one.galatea.order, one.name)):
        key = action.galatea.part.key
        if not 0 <= key < len(was) or action.galatea.model != edit.root:
            extra.append(action)
        elif key not in claims or action.galatea.part.given == action.name:
            if key in claims:
                extra.append(claims[key])
            claims[key] = action
        else:
            extra.append(action)
    out: list[tuple[int, Clip]] = []
    for key, action in claims.items():
        _Update(edit, was[key], key, action).run()
        out.append((action.galatea.order, was[key]))
    for key, clip in enumerate(was):
        if key not in claims:
            edit.change("clip", clip.name, "deleted")
    for action in extra:
        clip = _Update(edit, Clip(action.name), -1, action).new()
        out.append((action.galatea.order if action.galatea.model == edit.root else LAST, clip))
        edit.change("clip", action.name, "new")
    out.sort(key=lambda one: one[0])
    now = [clip for _, clip in out]
    kept = [clip for clip in was if any(clip is one for one in now)]
    if [clip for clip in now if any(clip is one for one in was)] != kept:
        edit.change("clip", edit.root.name, "the order of sequences")
        fields.reorder(now)
    scene.clips[:] = now


def actions_of(root: bpy.types.Object) -> list[bpy.types.Action]:
    """Returns the actions of a model: those that were imported with it or made for it, and the one it plays."""
    playing = root.animation_data.action if root.animation_data else None
    strips = [strip.action for track in (root.animation_data.nla_tracks if root.animation_data else ()) for strip in track.strips]
    return [
        one for one in bpy.data.actions if one.galatea.model == root or (one.galatea.model is None and (one == playing or one in strips))
    ]


class _Update:
    """The comparison of an action with what import made of its clip."""

    def __init__(self, edit: Edit, clip: Clip, key: int, action: bpy.types.Action) -> None:
        self.edit, self.clip, self.key, self.action = edit, clip, key, action
        self.fps = edit.fps
        self.tracks = {track.prop: track for track in edit.root.galatea_model.tracks}
        self.what: list[str] = []

    def run(self) -> None:
        """Takes over what was edited."""
        clip, action = self.clip, self.action
        props = action.galatea
        if action.name != props.part.given:
            self.what.append(f"renamed to {action.name!r}")
            clip.name = action.name
        if props.playback.lower() != clip.playback:
            clip.playback = props.playback.lower()
            self.what.append("how it plays")
        end = float(action.frame_end) if action.use_frame_range else _last_key(action)
        if action.use_frame_range and abs(end - np.float32(clip.length * self.fps)) > 1e-3:
            clip.length = float(np.float32(end / self.fps))
            self.what.append("length")
        self._channels()
        self._events()
        if fields.take(props.part, fields.of_clip(self.edit.scene, self.key)):
            self.what.append("values of the format")
        if self.what:
            self.edit.change("clip", clip.name, ", ".join(dict.fromkeys(self.what)))

    def new(self) -> Clip:
        """Returns the clip of an action that the original does not have."""
        action, clip = self.action, self.clip
        _first, last = action.frame_range
        end = action.frame_end if action.use_frame_range else last
        clip.length = float(max(end, 0.0) / self.fps)
        playback = action.galatea.playback.lower()
        clip.playback = playback if action.galatea.model == self.edit.root else "loop" if action.use_cyclic else "once"
        clip.extras = fields.custom(action)
        self._channels()
        self._events()
        return clip

    def _current(self) -> dict[tuple[Any, ...], list[Any]]:
        """Returns the F-curves of each property: a node and its property, or a custom property of the model."""
        out: dict[tuple[Any, ...], list[Any]] = {}
        for curve in curves.curves_of(self.action):
            pose, custom = POSE.match(curve.data_path), CUSTOM.match(curve.data_path)
            if pose:
                node = self.edit.node_of_bone(_plain(pose[1]))
                if node is None or pose[2] == "rotation_euler":
                    continue
                key: tuple[Any, ...] = ("node", node, PROPERTIES[pose[2]])
                width = 4 if pose[2] == "rotation_quaternion" else 3
            elif custom and _plain(custom[1]) in self.tracks:
                track = self.tracks[_plain(custom[1])]
                key = (track.target, track.number, track.property)
                value = self.edit.root.get(track.prop)
                width = len(value) if hasattr(value, "__len__") else 1
            else:
                continue
            columns = out.setdefault(key, [None] * width)
            if curve.array_index < width:
                columns[curve.array_index] = curve
        return out

    def _channels(self) -> None:
        edit, clip = self.edit, self.clip
        current = self._current()
        kept, seen = [], set()
        for channel in clip.channels:
            kind, number = channel.target
            key = (kind, number, channel.property)
            if key in seen:
                kept.append(channel)
                continue
            seen.add(key)
            bone = kind == "node" and number in edit.bones and channel.property in curves.POSE_PATHS
            was = edit.plan.relative(number) if bone and number in edit.plan.rest else None
            expected = curves.of_channel(channel, self.fps, was)
            if expected is None:
                kept.append(channel)
                continue
            if kind == "node" and number in edit.gone:
                continue
            columns = current.pop(key, None)
            now = curves.read(columns, _defaults(channel.property, expected)) if columns else None
            if now is None:
                self.what.append("curves deleted")
                continue
            kept.append(channel)
            relative = export_tree.relative(edit, number) if bone else None
            moved = bone and was is not None and relative is not None and not np.array_equal(was, relative)
            if curves.like(now, expected) and not moved and not edit.thorough:
                continue
            self._replace(channel, now, expected, relative, bool(moved))
        for (kind, number, prop), columns in current.items():
            now = curves.read(columns, [1.0, 0.0, 0.0, 0.0] if prop == "rotation" else [1.0 if prop == "scale" else 0.0] * 4)
            if now is None:
                continue
            relative = export_tree.relative(edit, number) if kind == "node" and number in edit.bones else None
            times, values, how = curves.to_channel(now, self.fps, prop, relative)
            kept.append(Channel((kind, number), prop, times, values, how))
            self.what.append("new curves")
        clip.channels = kept

    def _replace(self, channel: Channel, now: curves.Curve, expected: curves.Curve, relative: Floats | None, moved: bool) -> None:
        """Takes over keys. Those that were not edited keep the numbers that they had."""
        times, values, how = curves.to_channel(now, self.fps, channel.property, relative)
        order = np.argsort(channel.times, kind="stable")
        same_keys = len(times) == len(channel.times) and values.shape == np.asarray(channel.values).shape
        if same_keys and how == channel.interpolation and now.values.shape == expected.values.shape:
            near = 1e-6 + 2e-6 * float(np.abs(expected.values).max(initial=0.0))
            frames = np.abs(now.frames - expected.frames) <= 1e-4
            rows = (np.abs(now.values - expected.values) <= near).all(axis=1)
            if not moved and not self.edit.thorough:
                old = np.asarray(channel.values)[order]
                edited = ~rows
                if now.before is not None and expected.before is not None:
                    # Tangents that were not shaped stay, too.
                    slopes = np.abs(now.before - expected.before).max(axis=1) > 1e-3 * (1 + np.abs(expected.before).max(axis=1))
                    edited |= slopes
                values = np.where(edited.reshape((-1,) + (1,) * (values.ndim - 1)), values, old)
                times = np.where(frames, np.asarray(channel.times)[order], times)
            elif self.edit.thorough:
                times = np.where(frames, np.asarray(channel.times)[order], times)
        if channel.property == "rotation" and values.ndim == 2 and same_keys:
            # A rotation and its negative are the same: the sign of the original stays.
            signs = np.where((values * np.asarray(channel.values)[order].reshape(values.shape)).sum(axis=1) < 0, -1.0, 1.0)
            values = (values * signs[:, None]).astype(np.float32)
        channel.times = np.ascontiguousarray(times, np.float32)
        channel.values = np.ascontiguousarray(values, np.float32)
        channel.interpolation = how
        if not self.edit.thorough or not curves.like(now, expected):
            self.what.append("keys")

    def _events(self) -> None:
        clip = self.clip
        expected = sorted((round(event.time * self.fps), event.name or "event") for event in clip.events)
        markers = sorted((marker.frame, marker.name) for marker in self.action.pose_markers)
        if markers == expected:
            return
        left = list(clip.events)
        out = []
        for frame, name in markers:
            alike = [e for e in left if (e.name or "event") == name]
            same = next((e for e in alike if round(e.time * self.fps) == frame), None) or (alike[0] if alike else None)
            if same is not None:
                left.remove(same)
                if round(same.time * self.fps) != frame:
                    same.time = frame / self.fps
                out.append(same)
            else:
                out.append(Event(frame / self.fps, name, self.edit.scene.find(name)))
        clip.events = sorted(out, key=lambda one: one.time)
        self.what.append("events")


def _plain(text: str) -> str:
    """Returns a name from a path of F-curves."""
    return re.sub(r"\\(.)", r"\1", text)


def _defaults(prop: str, expected: curves.Curve) -> list[float]:
    width = expected.values.shape[1]
    if prop == "rotation":
        return [1.0, 0.0, 0.0, 0.0]
    return [1.0 if prop == "scale" else 0.0] * width


def _last_key(action: bpy.types.Action) -> float:
    return float(action.frame_range[1])
