"""How a scene is laid out in Blender: which nodes are bones, where they rest, where skinned meshes stand.

Import and export make the same plan of the same scene, so that export knows what import made without asking Blender.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from galatea import Scene

from .arrays import Floats, inverse, rigid, transform

#: The properties of nodes that poses have.
POSED = ("translation", "rotation", "scale")


@dataclass
class Plan:
    """What becomes of the nodes of a scene."""

    scene: Scene
    #: The node that converts axes; the model's object stands for it.
    axes: int | None
    #: All nodes, parents first.
    order: list[int]
    local: Floats
    #: Relative to the node that converts axes, which is the space of the model's object.
    world: Floats
    #: Nodes that are bones, parents first.
    bones: list[int] = field(default_factory=list)
    #: Where each bone is in the armature: rigid, because bones have no size.
    rest: dict[int, Floats] = field(default_factory=dict)
    #: Where each skinned node's object stands in the armature.
    stand: dict[int, Floats] = field(default_factory=dict)
    #: The size of the model in its own units.
    size: float = 1.0

    def parent(self, node: int) -> int | None:
        """Returns the parent of a node; none for children of the model's object."""
        parent = self.scene.nodes[node].parent
        return None if parent == self.axes and node != self.axes else parent

    def relative(self, bone: int) -> Floats:
        """Returns where a bone rests relative to the bone above it."""
        parent = self.parent(bone)
        if parent is None or parent not in self.rest:
            return self.rest[bone]
        return inverse(self.rest[parent]) @ self.rest[bone]


def plan(scene: Scene) -> Plan:
    """Plans a scene."""
    axes, order, local, world = places_of(scene)
    out = Plan(scene, axes, order, local, world)
    places = world[:, :3, 3]
    reach = [np.abs(places[np.isfinite(places)]).max(initial=0.0)]
    for mesh in scene.meshes:
        for part in mesh.primitives:
            points = part.vertices.positions
            reach.append(float(np.abs(points[np.isfinite(points)]).max(initial=0.0)))
    out.size = max(float(max(reach)), 1e-3)
    _choose_bones(out)
    _rest_bones(out)
    return out


def places_of(scene: Scene) -> tuple[int | None, list[int], Floats, Floats]:
    """Returns the node that converts axes, all nodes with parents first, and where they are relative to their parents and to that node."""
    axes = next((at for at, node in enumerate(scene.nodes) if node.axes and node.parent is None), None)
    order = _depth_first(scene)
    count = len(scene.nodes)
    local = np.tile(np.eye(4), (count, 1, 1))
    world = local.copy()
    for at in order:
        node = scene.nodes[at]
        local[at] = transform(node.translation, node.rotation, node.scale)
        if at == axes:
            continue
        world[at] = local[at] if node.parent is None or node.parent == axes else world[node.parent] @ local[at]
    return axes, order, local, world


def _depth_first(scene: Scene) -> list[int]:
    order: list[int] = []
    seen = set()
    todo = [at for at, node in enumerate(scene.nodes) if node.parent is None][::-1]
    while todo:
        at = todo.pop()
        if at in seen:
            continue
        seen.add(at)
        order.append(at)
        todo.extend(child for child in reversed(scene.nodes[at].children) if scene.nodes[child].parent == at)
    # What no list of children names.
    for at in range(len(scene.nodes)):
        chain = []
        here: int | None = at
        while here is not None and here not in seen:
            seen.add(here)
            chain.append(here)
            here = scene.nodes[here].parent
        order.extend(reversed(chain))
    return order


def _choose_bones(plan: Plan) -> None:
    """Joints, bones of the format and nodes that clips move are bones, and so is all above them."""
    scene = plan.scene
    chosen = {int(joint) for skin in scene.skins for joint in skin.joints if int(joint) < len(scene.nodes)}
    for at, node in enumerate(scene.nodes):
        mdx, fmdl = node.extras.get("mdx"), node.extras.get("fmdl")
        if (isinstance(mdx, dict) and mdx.get("kind") == "bone") or (isinstance(fmdl, dict) and "bone" in fmdl):
            chosen.add(at)
    for clip in scene.clips:
        for channel in clip.channels:
            kind, number = channel.target
            if kind == "node" and channel.property in POSED and number < len(scene.nodes):
                chosen.add(number)
    for at in list(chosen):
        above = scene.nodes[at].parent
        while above is not None and above != plan.axes and above not in chosen:
            chosen.add(above)
            above = scene.nodes[above].parent
    plan.bones = [at for at in plan.order if at in chosen]


def _rest_bones(plan: Plan) -> None:
    """Puts bones where skins bind them, and skinned meshes where their vertices are at rest."""
    scene = plan.scene
    bound: dict[int, Floats] = {}
    for at in plan.order:
        node = scene.nodes[at]
        if node.mesh is None or node.skin is None or node.skin >= len(scene.skins):
            continue
        skin = scene.skins[node.skin]
        joints = [int(joint) for joint in skin.joints]
        if not joints or len(skin.inverse_bind) != len(joints):
            plan.stand[at] = plan.world[at]
            continue
        binds = np.asarray(skin.inverse_bind, np.float64)
        stands = np.stack([plan.world[joint] @ bind for joint, bind in zip(joints, binds)])
        near = plan.size * 1e-4
        together = np.abs(stands - stands[0]).max(axis=(1, 2)) <= near
        if together.all() and np.isfinite(stands[0]).all():
            plan.stand[at] = stands[0]
            continue
        # Bound elsewhere than at rest: the object stands where its node is if most joints agree, and the bones where they were bound.
        stand = np.median(stands, axis=0) if together.mean() > 0.5 else plan.world[at]
        plan.stand[at] = stand
        for joint, bind in zip(joints, binds):
            if np.isfinite(bind).all():
                bound.setdefault(joint, rigid(stand @ inverse(bind)))
    for at in plan.bones:
        node = scene.nodes[at]
        if at in bound and not np.abs(bound[at] - plan.world[at]).max() <= plan.size * 1e-4:
            plan.rest[at] = bound[at]
            continue
        parent = plan.parent(at)
        own = rigid(plan.local[at]) if at != plan.axes else np.eye(4)
        plan.rest[at] = plan.rest[parent] @ own if parent is not None and parent in plan.rest else own
