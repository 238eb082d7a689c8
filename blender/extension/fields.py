"""Values of the formats that Blender has no word for, from the extras of scenes to panels and back.

Every value that people edit becomes a field with a label, in a section of a panel. What a compiler derives, and numbers that only say
which part something is, are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
from galatea import Clip, Scene

from . import vocabulary

FORMATS = ("kotor", "mdx", "fmdl")
#: Names of values that are derived, or that say which part it is.
HIDDEN = frozenset(
    "aabb adjacent animation area area_for around at attachment average bind bind_poses bone bone_group bone_groups bone_indices "
    "bone_weights bones bounds bounds_for by camera camera_target child_models code collision_mesh columns content_size count "
    "derived_parent end extent extensions faces field_of_view flipped formats front geometry geoset global group group_sizes head id "
    "in_group in_mdx index indices indices_at indices_to inserted instance inverted_counters keys kind layer layers_of loose "
    "material matrices material_id mdl_positions measure mesh name nameless names no_layer node_count nodes normals number order "
    "own_tracks own_tracks_notes parent padding pivot pivots platform position radius rest rows saber sequence sequence_bounds "
    "sequences shape skin slot smooth start statistics sum surface surfaces tangents texture_anim texture_count times tracks "
    "tracks_notes usages uv_tracks version weights windows world local targets edges transition_of mesh_of file unknown_blocks "
    "relative_use absolute_use planes aabb_root perimeters adjacency derived runs run_bounds".split()
)


@dataclass
class Value:
    """A value in the extras of a part."""

    owner: Any
    keys: tuple[Any, ...]
    path: str
    section: str
    value: Any
    label: str = ""
    bit: int = 0

    def get(self) -> Any:
        """Returns the value as it is now."""
        here = self.owner
        for key in self.keys:
            if isinstance(here, dict):
                here = here.get(key)
            elif isinstance(here, list) and isinstance(key, int) and key < len(here):
                here = here[key]
            else:
                return self.value
            if here is None:
                return self.value
        return bool(int(here) & self.bit) if self.bit else here

    def set(self, value: Any) -> None:
        """Changes the value."""
        here = self.owner
        for key in self.keys[:-1]:
            if isinstance(here, dict):
                here = here.setdefault(key, {})
            else:
                here = here[key]
        last = self.keys[-1]
        if self.bit:
            now = int(here.get(last, 0)) if isinstance(here, dict) else int(here[last])
            value = now | self.bit if value else now & ~self.bit
        here[last] = value


def _walk(owner: Any, here: Any, keys: tuple[Any, ...], section: str) -> Iterator[Value]:
    path = "/".join(str(key) for key in keys)
    if isinstance(here, dict):
        for key, inner in here.items():
            if key in HIDDEN or str(key).startswith(("unknown", "raw_", "uvs_")):
                continue
            below = vocabulary.SECTIONS.get(key, section)
            if isinstance(inner, dict) and isinstance(below, str):
                yield from _walk(owner, inner, (*keys, key), below)
            else:
                yield from _walk(owner, inner, (*keys, key), section)
        return
    if isinstance(here, list) and here and all(isinstance(one, dict) for one in here):
        for number, inner in enumerate(here):
            yield from _item(owner, inner, (*keys, number), section)
        return
    if _kind(here) is None:
        return
    bits = vocabulary.BITS.get("/".join(str(key) for key in keys if not isinstance(key, int)))
    if bits is not None and isinstance(here, int):
        for label, bit in bits:
            yield Value(owner, keys, f"{path}#{bit}", section, bool(here & bit), label, bit)
        return
    yield Value(owner, keys, path, section, here)


def _item(owner: Any, item: dict[str, Any], keys: tuple[Any, ...], section: str) -> Iterator[Value]:
    """Yields the values of an item of a list: a controller, a parameter of a shader, a layer."""
    path = "/".join(str(key) for key in keys)
    if keys[-2] == "controllers":
        values = item.get("values")
        known = vocabulary.CONTROLLERS.get(item.get("kind", -1))
        if isinstance(values, (list, tuple)) and len(values) <= 4 and known is not None and section == "Emitter":
            yield Value(owner, (*keys, "values"), f"{path}/values", section, list(values), known[0])
        return
    if keys[-2] == "parameters":
        if "name" in item and isinstance(item.get("value"), (list, tuple)) and len(item["value"]) <= 4:
            yield Value(owner, (*keys, "value"), f"{path}/value", "Shader parameters", list(item["value"]), str(item["name"]))
        return
    if keys[-2] in ("layers", "lods"):
        word = {"layers": "Layer", "lods": "Level"}[keys[-2]]
        yield from _walk(owner, item, keys, f"{word} {keys[-1] + 1}")


def _kind(value: Any) -> str | None:
    if isinstance(value, bool):
        return "FLAG"
    if isinstance(value, int):
        return "WHOLE" if -(2**31) <= value < 2**31 else None
    if isinstance(value, float):
        return "NUMBER"
    if isinstance(value, str):
        return "TEXT" if len(value) < 200 else None
    if isinstance(value, (list, tuple)) and 1 <= len(value) <= 4 and all(isinstance(v, (int, float)) for v in value):
        return "VECTOR"
    return None


def _extras(extras: dict[str, Any], section: str, defaults: dict[str, Any]) -> Iterator[Value]:
    """Yields the values of extras, and those that have their default and are therefore not there."""
    seen = set()
    for name in FORMATS:
        if isinstance(extras.get(name), dict):
            for value in _walk(extras, extras[name], (name,), section):
                seen.add(value.path.partition("#")[0])
                yield value
    for path, default in defaults.items():
        keys = tuple(path.split("/"))
        if path in seen or _is_there(extras, keys):
            continue
        bits = vocabulary.BITS.get(path)
        where = next((vocabulary.SECTIONS[key] for key in reversed(keys[1:-1]) if key in vocabulary.SECTIONS), section)
        if bits is not None:
            for label, bit in bits:
                yield Value(extras, keys, f"{path}#{bit}", where, bool(default & bit), label, bit)
        else:
            yield Value(extras, keys, path, where, default)


def _is_there(extras: Any, keys: tuple[str, ...]) -> bool:
    """Returns whether extras have a value, though it may be one that no panel can show."""
    for key in keys:
        if not isinstance(extras, dict) or key not in extras:
            return False
        extras = extras[key]
    return True


def of_node(scene: Scene, at: int) -> list[Value]:
    """Returns the values of a node."""
    node = scene.nodes[at]
    defaults: dict[str, Any] = {}
    kotor, mdx = node.extras.get("kotor"), node.extras.get("mdx")
    section = "Node"
    if isinstance(kotor, dict):
        if "mesh" in kotor:
            defaults.update(vocabulary.KOTOR_MESH)
        if "light" in kotor or node.light is not None:
            defaults.update(vocabulary.KOTOR_LIGHT)
        section = "Emitter" if "emitter" in kotor else section
    if isinstance(mdx, dict):
        defaults.update(vocabulary.MDX_NODES.get(mdx.get("kind", ""), {}))
        section = "Emitter" if node.emitter is not None else section
    out = list(_mesh(node.extras, kotor["mesh"])) if isinstance(kotor, dict) and "mesh" in kotor else []
    known = {value.path for value in out}
    out += [value for value in _extras(node.extras, section, defaults) if value.path not in known]
    if node.emitter is not None and node.emitter < len(scene.emitters) and not isinstance(kotor, dict):
        emitter = scene.emitters[node.emitter]
        for key in ("rate", "life", "speed", "spread", "gravity", "area", "sizes", "grid", "path"):
            value = emitter.get(key)
            if _kind(value) is not None and value != []:
                out.append(Value(emitter, (key,), f"emitter/{key}", "Emitter", value))
        for number, color in enumerate(emitter.get("colors") or []):
            label = f"color {number + 1}"
            out.append(Value(emitter, ("colors", number), f"emitter/colors/{number}", "Emitter", color, label))
    if node.shape is not None:
        for key, values in node.shape.items():
            for word, value in values.items() if isinstance(values, dict) else ():
                if _kind(value) is not None:
                    out.append(Value(node.shape, (key, word), f"shape/{key}/{word}", "Collision shape", value))
    return out


def _mesh(extras: dict[str, Any], mesh: dict[str, Any]) -> Iterator[Value]:
    """Yields the values of a KotOR mesh header, which are hidden elsewhere because they have the name of parts."""
    for key in vocabulary.KOTOR_MESH_SHOWN:
        if key in mesh and _kind(mesh[key]) is not None:
            yield Value(extras, ("kotor", "mesh", key), f"kotor/mesh/{key}", "Mesh", mesh[key])
    for key in ("dangly", "dirt"):
        for word, value in (mesh.get(key) or {}).items():
            if _kind(value) is not None:
                yield Value(extras, ("kotor", "mesh", key, word), f"kotor/mesh/{key}/{word}", key.title(), value)


def of_mesh(scene: Scene, at: int) -> list[Value]:
    """Returns the values of a mesh."""
    return list(_extras(scene.meshes[at].extras, "Mesh", {}))


def of_material(scene: Scene, at: int) -> list[Value]:
    """Returns the values of a material."""
    material = scene.materials[at]
    defaults: dict[str, Any] = {}
    if isinstance(material.extras.get("mdx"), dict):
        # Without flags of their own, layers have those that the material says.
        flags = int(material.unlit) | (0x10 if material.two_sided else 0)
        defaults = {**vocabulary.MDX_MATERIAL, "mdx/layer_flags": flags}
    return list(_extras(material.extras, "Material", defaults))


def of_clip(scene: Scene, at: int) -> list[Value]:
    """Returns the values of a clip."""
    extras = scene.clips[at].extras
    defaults: dict[str, Any] = {}
    if isinstance(extras.get("mdx"), dict) and "global" not in extras["mdx"]:
        defaults = vocabulary.MDX_CLIP
    elif isinstance(extras.get("kotor"), dict):
        defaults = vocabulary.KOTOR_CLIP
    return list(_extras(extras, "Sequence", defaults))


def of_light(scene: Scene, at: int) -> list[Value]:
    """Returns the values of a light; those of its node are shown there."""
    return list(_extras(scene.lights[at].extras, "Light", {}))


def of_model(scene: Scene) -> list[Value]:
    """Returns the values of the whole model."""
    defaults = vocabulary.KOTOR_MODEL if "supermodel" in str(scene.extras) or "classification" in str(scene.extras) else {}
    kotor = scene.extras.get("kotor")
    if isinstance(kotor, dict) and "node_count" in kotor:
        defaults = vocabulary.KOTOR_MODEL
    return list(_extras(scene.extras, "Model", defaults))


def show(part: Any, values: list[Value]) -> None:
    """Makes the fields of a part."""
    seen = set()
    for value in values:
        if value.path in seen:
            continue
        seen.add(value.path)
        field = part.fields.add()
        field.path = value.path
        last = value.keys[-1] if value.keys else ""
        field.label = value.label or vocabulary.label(str(last))
        field.section = value.section
        put(field, value.value)


def put(field: Any, value: Any) -> None:
    """Gives a field a value."""
    kind = _kind(value)
    last = field.path.rpartition("/")[2].partition("#")[0]
    if kind == "WHOLE" and value in vocabulary.numbers_of(field.path):
        field.kind = "CHOICE"
        field.whole = value
        field.choice = str(value)
    elif kind == "WHOLE":
        field.kind, field.whole = kind, value
    elif kind == "FLAG":
        field.kind, field.flag = kind, value
    elif kind == "NUMBER":
        field.kind, field.number = kind, value
    elif kind == "TEXT":
        field.kind, field.text = kind, value
    elif kind == "VECTOR":
        rows = [float(v) for v in value]
        field.size = len(rows)
        color = ("color" in last.lower() or "color" in field.label.lower() or last in ("ambient", "diffuse")) and len(rows) >= 3
        if color and min(rows) >= 0:
            field.kind = "COLOR"
            field.color = rows + [1.0] * (4 - len(rows))
        else:
            field.kind = "VECTOR"
            field.vector = rows + [0.0] * (4 - len(rows))


def value_of(field: Any, was: Any) -> Any:
    """Returns the value of a field in the type that it had; `was` itself if it is the same but for Blender's precision."""
    kind = field.kind
    if kind == "FLAG":
        return bool(field.flag)
    if kind == "CHOICE":
        return int(field.choice) if field.choice else int(field.whole)
    if kind == "WHOLE":
        return int(field.whole)
    if kind == "TEXT":
        return str(field.text)
    if kind == "NUMBER":
        same = np.float32(was) == np.float32(field.number) or (was != was)
        return was if same else float(field.number)
    rows = list(field.color if kind == "COLOR" else field.vector)[: field.size]
    old = list(was)
    if len(old) == len(rows) and all(np.float32(a) == np.float32(b) or a != a for a, b in zip(old, rows)):
        return was
    if all(isinstance(v, int) for v in old):
        return [round(v) for v in rows]
    return [float(v) for v in rows]


def take(part: Any, values: list[Value]) -> bool:
    """Takes the fields of a part over; returns whether one was edited."""
    by_path: dict[str, Value] = {}
    for value in values:
        by_path.setdefault(value.path, value)
    changed = False
    for field in part.fields:
        value = by_path.get(field.path)
        if value is None:
            continue
        was = value.get()
        now = value_of(field, was)
        if (list(now) if isinstance(now, (list, tuple)) else now) != (list(was) if isinstance(was, (list, tuple)) else was):
            value.set(now)
            changed = True
    return changed


#: What says which part of the original something is: a copy has none of it.
IDENTITY = {
    "kotor": ("id", "name", "number"),
    "mdx": (
        "id",
        "index",
        "pivot",
        "bind",
        "parent",
        "derived_parent",
        "geoset",
        "geoset_id",
        "geoset_anim_id",
        "material",
        "layer",
    ),
    "fmdl": ("bone", "mesh", "in_group", "group", "instance", "windows", "count"),
}


def without_identity(extras: dict[str, Any]) -> dict[str, Any]:
    """Returns the extras of a copy: without what says which part of the original it is."""
    import copy

    out = copy.deepcopy(extras)
    for name, keys in IDENTITY.items():
        own = out.get(name)
        if isinstance(own, dict):
            for key in keys:
                own.pop(key, None)
            mesh = own.get("mesh")
            if isinstance(mesh, dict):
                for key in ("faces", "aabb", "skin", "saber", "indices", "geometry", "measure", "inverted_counters"):
                    mesh.pop(key, None)
    return out


def without_source(extras: dict[str, Any]) -> dict[str, Any]:
    """Returns the extras of a texture whose image was swapped: without the path of the one before."""
    import copy

    out = copy.deepcopy(extras)
    own = out.get("fmdl")
    if isinstance(own, dict):
        for key in ("file", "code", "path"):
            own.pop(key, None)
    return out


def custom(one: bpy.types.ID) -> dict[str, Any]:
    """Returns the custom properties of something new: authoring rules read them."""
    out: dict[str, Any] = {}
    for key in one.keys():
        if key.startswith(("galatea", "cycles", "_")):
            continue
        value = one[key]
        if hasattr(value, "to_list"):
            value = value.to_list()
        elif hasattr(value, "to_dict"):
            value = value.to_dict()
        if isinstance(value, (bool, int, float, str, list, dict)):
            out[key] = value
    return out


def reorder(clips: list[Clip]) -> None:
    """Notes the order of sequences for the writers that would otherwise keep the original's."""
    for place, clip in enumerate(clips):
        own = clip.extras.setdefault("mdx", {})
        if isinstance(own, dict):
            own["order"] = place
