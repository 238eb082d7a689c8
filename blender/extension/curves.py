"""Curves: channels of clips as F-curves, and the ways in which versions of Blender store those."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
from galatea import Channel

from .arrays import Floats, conjugate, finite, quaternion, turn

#: Blender's numbers of the ways to interpolate.
CONSTANT, LINEAR, BEZIER = 0, 1, 2
INTERPOLATION = {"step": CONSTANT, "linear": LINEAR, "cubic": BEZIER}
#: The property of a pose bone for each property of a node.
POSE_PATHS = {"translation": "location", "rotation": "rotation_quaternion", "scale": "scale"}


@dataclass
class Curve:
    """The keys of a property: a row for each key, a column for each of Blender's F-curves."""

    frames: Floats
    values: Floats
    interpolation: int
    #: Slopes before and behind each key in values per frame, of curves with handles.
    before: Floats | None = None
    behind: Floats | None = None


def of_channel(channel: Channel, fps: float, relative: Floats | None = None) -> Curve | None:
    """Returns the keys of a channel; those of a bone relative to where it rests. None for a channel that has no keys."""
    count = len(channel.times)
    values = np.asarray(channel.values, np.float32)
    cubic = channel.interpolation == "cubic"
    if count == 0 or values.shape[0] != count or values.ndim != (3 if cubic else 2):
        return None
    parts = values.transpose(1, 0, 2) if cubic else values[None]
    if relative is not None:
        if channel.property == "translation" and parts.shape[2] == 3:
            turned = relative[:3, :3]
            parts = np.stack([(part - relative[:3, 3] * (at == (1 if cubic else 0))) @ turned for at, part in enumerate(parts)])
        elif channel.property == "rotation" and parts.shape[2] == 4:
            back = conjugate(quaternion(relative))
            parts = np.stack([turn(back, part)[:, [3, 0, 1, 2]] for part in parts])
            if not cubic:
                parts = parts * _signs(parts[0])[None, :, None]
        elif channel.property != "scale" or parts.shape[2] != 3:
            return None
    order = np.argsort(channel.times, kind="stable")
    frames = finite(np.asarray(channel.times, np.float64)[order] * fps)
    rows = finite(parts[:, order])
    if cubic:
        return Curve(frames, rows[1], BEZIER, rows[0] / fps, rows[2] / fps)
    return Curve(frames, rows[0], INTERPOLATION.get(channel.interpolation, LINEAR))


def _signs(rows: Floats) -> Floats:
    """Returns the signs by which rotations follow each other on the shorter way: Blender interpolates their numbers."""
    if len(rows) < 2:
        return np.ones(len(rows))
    steps = np.where((rows[1:] * rows[:-1]).sum(axis=1) < 0, -1.0, 1.0)
    return np.concatenate([[1.0], np.cumprod(steps)])


def write(curves: Any, path: str, curve: Curve, group: str) -> None:
    """Makes the F-curves of a property."""
    count = len(curve.frames)
    points = np.empty((count, 2), np.float32)
    points[:, 0] = curve.frames
    for column in range(curve.values.shape[1]):
        made = _new(curves, path, column, group)
        keys = made.keyframe_points
        keys.add(count)
        points[:, 1] = curve.values[:, column]
        keys.foreach_set("co", points.ravel())
        keys.foreach_set("interpolation", np.full(count, curve.interpolation, np.int32))
        if curve.before is None or curve.behind is None:
            continue
        left, right = points.copy(), points.copy()
        steps = np.diff(curve.frames) / 3.0
        # The outermost handles move nothing; they only remember their slopes.
        first, last = (steps[:1], steps[-1:]) if count > 1 else (np.ones(1), np.ones(1))
        before, behind = np.concatenate([first, steps]), np.concatenate([steps, last])
        left[:, 0] -= before
        left[:, 1] -= curve.before[:, column] * before
        right[:, 0] += behind
        right[:, 1] += curve.behind[:, column] * behind
        keys.foreach_set("handle_left", left.ravel())
        keys.foreach_set("handle_right", right.ravel())


def _new(curves: Any, path: str, index: int, group: str) -> Any:
    try:
        return curves.new(path, index=index, group_name=group)
    except TypeError:  # Before Blender 4.4.
        return curves.new(path, index=index, action_group=group)


def read(columns: list[Any | None], defaults: list[float]) -> Curve | None:
    """Returns the keys of the F-curves of a property. Where they have keys at different frames, each gets all of them."""
    there = [curve for curve in columns if curve is not None and len(curve.keyframe_points)]
    if not there:
        return None
    taken: list[tuple[Floats, Floats, Floats, Floats, Any]] = []
    for curve in there:
        count = len(curve.keyframe_points)
        points, left, right = (np.empty(count * 2, np.float32) for _ in range(3))
        kinds = np.empty(count, np.int32)
        curve.keyframe_points.foreach_get("co", points)
        curve.keyframe_points.foreach_get("handle_left", left)
        curve.keyframe_points.foreach_get("handle_right", right)
        curve.keyframe_points.foreach_get("interpolation", kinds)
        rows = points.reshape(-1, 2)
        order = np.argsort(rows[:, 0], kind="stable")
        taken.append((rows[order], left.reshape(-1, 2)[order], right.reshape(-1, 2)[order], kinds[order], curve))
    frames = taken[0][0][:, 0]
    kinds = np.concatenate([one[3] for one in taken])
    same = all(len(one[0]) == len(frames) and np.array_equal(one[0][:, 0], frames) for one in taken)
    kind = CONSTANT if (kinds == CONSTANT).all() else LINEAR if (kinds == LINEAR).all() else BEZIER
    mixed = kind == BEZIER and not (kinds == BEZIER).all()
    if not same or mixed:
        frames = np.unique(np.concatenate([one[0][:, 0] for one in taken])).astype(np.float32)
        if mixed:
            # Sampled at every frame: no single way of interpolating says the same.
            frames = np.unique(np.concatenate([frames, np.arange(np.ceil(frames[0]), frames[-1], dtype=np.float32)]))
            kind = LINEAR
    count, width = len(frames), len(columns)
    values = np.tile(np.asarray(defaults, np.float32)[:width], (count, 1))
    before, behind = np.zeros((count, width), np.float32), np.zeros((count, width), np.float32)
    by_curve = {id(one[4]): one for one in taken}
    for column, curve in enumerate(columns):
        one = by_curve.get(id(curve))
        if one is None:
            continue
        rows, left, right, _, _ = one
        if same and not mixed:
            values[:, column] = rows[:, 1]
            before[:, column] = _slopes(rows - left)
            behind[:, column] = _slopes(right - rows)
        else:
            values[:, column] = [curve.evaluate(float(frame)) for frame in frames]
            if kind == BEZIER:
                slopes = [curve.evaluate(float(f) + 0.01) - curve.evaluate(float(f) - 0.01) for f in frames]
                before[:, column] = behind[:, column] = np.asarray(slopes) / 0.02
    if kind == BEZIER:
        return Curve(frames, values, kind, before, behind)
    return Curve(frames, values, kind)


def _slopes(steps: Floats) -> Floats:
    run = steps[:, 0]
    return np.where(np.abs(run) > 1e-6, steps[:, 1] / np.where(np.abs(run) > 1e-6, run, 1.0), 0.0)


def like(a: Curve, b: Curve) -> bool:
    """Returns whether two curves are the same but for rounding."""
    if a.values.shape != b.values.shape or a.interpolation != b.interpolation:
        return False
    reach = float(np.abs(b.values).max(initial=0.0))
    near = 1e-6 + 2e-6 * reach
    if np.abs(a.frames - b.frames).max(initial=0.0) > 1e-4 or np.abs(a.values - b.values).max(initial=0.0) > near:
        return False
    if b.before is None or b.behind is None or a.before is None or a.behind is None:
        return True
    # Handles are stored as points, so that slopes over short steps lose digits.
    steps = np.diff(b.frames)
    if not len(steps) or not (steps > 0).all():
        return True
    slack = (1e-4 * (1.0 + reach) / np.minimum(steps, 1.0))[:, None] + 1e-3 * (1.0 + np.abs(b.before[1:]))
    return bool(
        (np.abs(a.before[1:] - b.before[1:]) <= slack).all()
        and (np.abs(a.behind[:-1] - b.behind[:-1]) <= slack + 1e-3 * np.abs(b.behind[:-1])).all()
    )


def to_channel(curve: Curve, fps: float, prop: str, relative: Floats | None = None) -> tuple[Floats, Floats, str]:
    """Returns times, values and interpolation of a channel for keys in Blender; those of a bone with where it rests."""
    times = np.asarray(curve.frames / fps, np.float32)
    parts = [curve.values]
    if curve.before is not None and curve.behind is not None:
        parts = [curve.before * fps, curve.values, curve.behind * fps]
    main = len(parts) // 2
    if relative is not None and prop == "translation":
        parts = [part @ relative[:3, :3].T + relative[:3, 3] * (at == main) for at, part in enumerate(parts)]
    elif relative is not None and prop == "rotation":
        own = quaternion(relative)
        parts = [turn(own, part[:, [1, 2, 3, 0]]) for part in parts]
    rows = [np.asarray(part, np.float32) for part in parts]
    values = np.stack(rows, axis=1) if len(rows) > 1 else rows[0]
    kind = {CONSTANT: "step", LINEAR: "linear", BEZIER: "cubic"}[curve.interpolation]
    return times, values, kind


def new_action(name: str, owner: bpy.types.Object) -> tuple[bpy.types.Action, Any]:
    """Makes an action for an object. Returns it with its collection of F-curves."""
    action = bpy.data.actions.new(name)
    action.use_fake_user = True
    return action, ensure_curves(action, owner)


def ensure_curves(action: bpy.types.Action, owner: bpy.types.Object) -> Any:
    """Returns the F-curves of an action that belong to objects, where new ones can be added."""
    if not hasattr(action, "slots"):  # Before Blender 4.4.
        return action.fcurves
    slot = next((one for one in action.slots if one.target_id_type == "OBJECT"), None)
    slot = slot or action.slots.new("OBJECT", owner.name)
    layer = action.layers[0] if len(action.layers) else action.layers.new("Layer")
    strip = layer.strips[0] if len(layer.strips) else layer.strips.new(type="KEYFRAME")
    return strip.channelbag(slot, ensure=True).fcurves


def curves_of(action: bpy.types.Action) -> Iterator[Any]:
    """Yields all F-curves of an action."""
    if not hasattr(action, "slots"):
        yield from action.fcurves
        return
    for layer in action.layers:
        for strip in layer.strips:
            for bag in strip.channelbags:
                yield from bag.fcurves


def assign(owner: bpy.types.Object, action: bpy.types.Action | None) -> None:
    """Makes an object play an action, or none."""
    data = owner.animation_data_create()
    data.action = action
    if action is not None and hasattr(data, "action_slot") and len(action.slots):
        data.action_slot = next((one for one in action.slots if one.target_id_type == "OBJECT"), action.slots[0])
