"""The surfaces of KotOR's walkmeshes: their names, their colors, and materials for them."""

from __future__ import annotations

import bpy

#: Names by number, each with a color.
SURFACES: dict[int, tuple[str, tuple[float, float, float]]] = {
    0: ("NotDefined", (0.5, 0.5, 0.5)),
    1: ("Dirt", (0.42, 0.29, 0.15)),
    2: ("Obscuring", (0.25, 0.25, 0.25)),
    3: ("Grass", (0.2, 0.55, 0.15)),
    4: ("Stone", (0.55, 0.55, 0.58)),
    5: ("Wood", (0.5, 0.33, 0.12)),
    6: ("Water", (0.2, 0.45, 0.8)),
    7: ("Nonwalk", (0.8, 0.1, 0.1)),
    8: ("Transparent", (0.75, 0.9, 0.95)),
    9: ("Carpet", (0.6, 0.15, 0.35)),
    10: ("Metal", (0.65, 0.68, 0.75)),
    11: ("Puddles", (0.35, 0.5, 0.6)),
    12: ("Swamp", (0.3, 0.35, 0.15)),
    13: ("Mud", (0.3, 0.2, 0.1)),
    14: ("Leaves", (0.55, 0.5, 0.1)),
    15: ("Lava", (1.0, 0.35, 0.0)),
    16: ("BottomlessPit", (0.02, 0.02, 0.05)),
    17: ("DeepWater", (0.05, 0.15, 0.5)),
    18: ("Door", (0.9, 0.7, 0.2)),
    19: ("Snow", (0.95, 0.95, 1.0)),
    20: ("Sand", (0.85, 0.75, 0.45)),
    21: ("BareBones", (0.85, 0.83, 0.7)),
    22: ("StoneBridge", (0.45, 0.45, 0.5)),
    30: ("Trigger", (0.9, 0.2, 0.9)),
}
BY_NAME = {name.lower(): number for number, (name, _) in SURFACES.items()}
ITEMS = [(name, name, f"Surface {number}", number) for number, (name, _) in SURFACES.items()]


def surface_of(material: bpy.types.Material | None) -> str | None:
    """Returns the surface that a material is, by its name; none if it is none."""
    if material is None:
        return None
    base = material.name.partition(".")[0].strip("_ ").lower()
    number = BY_NAME.get(base)
    return None if number is None else SURFACES[number][0]


def material(made: bpy.types.Object, surface: str) -> int:
    """Returns the material slot of a surface; makes one if the mesh has none."""
    for slot, one in enumerate(made.material_slots):
        if surface_of(one.material) == surface:
            return slot
    number = BY_NAME[surface.lower()]
    color = (*SURFACES[number][1], 1.0)
    model = made.galatea.model
    new = next((one for one in bpy.data.materials if surface_of(one) == surface and one.galatea.model == model), None)
    if new is None:
        new = bpy.data.materials.new(surface)
        new.diffuse_color = color
        if not new.node_tree:
            new.use_nodes = True
        shader = next((one for one in new.node_tree.nodes if one.type == "BSDF_PRINCIPLED"), None)
        if shader is not None:
            shader.inputs["Base Color"].default_value = color
    made.data.materials.append(new)
    return len(made.material_slots) - 1


def counts(made: bpy.types.Object) -> list[tuple[str, int, int]]:
    """Returns the surfaces of a mesh, each with its slot and how many faces it has."""
    import numpy as np

    slots = np.zeros(len(made.data.polygons), np.int32)
    made.data.polygons.foreach_get("material_index", slots)
    numbers = np.bincount(slots, minlength=len(made.material_slots)) if len(slots) else np.zeros(0, int)
    out = []
    for slot, one in enumerate(made.material_slots):
        name = surface_of(one.material)
        if name is not None:
            out.append((name, slot, int(numbers[slot]) if slot < len(numbers) else 0))
    return out
