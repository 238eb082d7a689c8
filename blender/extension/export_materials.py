"""Materials of an edited model, and of new ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import bpy
import galatea
import numpy as np
from galatea import Material, Texture

from . import fields
from .import_materials import INPUTS, LABEL, TEXTURE, alpha_of, slot_name

if TYPE_CHECKING:
    from .exporter import Edit

#: How much rounding may change a color.
NEAR = 1e-5


def update(edit: Edit) -> None:
    """Takes over all materials that the model uses."""
    scene = edit.scene
    count = len(scene.materials)
    claims: dict[int, bpy.types.Material] = {}
    fresh = []
    for made in used(edit):
        key = made.galatea.part.key
        if not 0 <= key < count or made.galatea.model != edit.root:
            fresh.append(made)
        elif key not in claims:
            claims[key] = made
        else:
            # Copies have the number of what they were copied from.
            first = claims[key]
            mine, other = (made, first) if made.galatea.part.given == made.name else (first, made)
            claims[key] = mine
            fresh.append(other)
    for key, made in claims.items():
        edit.materials[made.name] = key
        what = _take(edit, key, made)
        if what:
            edit.change("material", scene.materials[key].name, ", ".join(what))
    for made in fresh:
        edit.materials[made.name] = len(scene.materials)
        key = made.galatea.part.key
        template = scene.materials[key] if 0 <= key < count and made.galatea.model == edit.root else None
        scene.materials.append(new(made, edit.images, template))
        edit.change("material", made.name, "new")


def used(edit: Edit) -> list[bpy.types.Material]:
    """Returns the materials of a model's objects."""
    seen: dict[str, bpy.types.Material] = {}
    owners = list(edit.objects.values()) + [one for held in edit.holders.values() for one in held]
    for made in owners:
        for slot in made.material_slots if made.type == "MESH" else ():
            if slot.material is not None:
                seen.setdefault(slot.material.name, slot.material)
    # What no mesh shows, such as layers and ribbons, can be edited as well.
    mine = {one.galatea.part.key for one in seen.values()}
    for made in bpy.data.materials:
        if made.name not in seen and made.galatea.part.key >= 0 and made.galatea.part.key not in mine:
            if made.galatea.model == edit.root:
                seen[made.name] = made
    return list(seen.values())


def shader_of(made: bpy.types.Material) -> Any:
    """Returns the Principled shader of a material; none if it has none."""
    if made.node_tree is None:
        return None
    return next((one for one in made.node_tree.nodes if one.type == "BSDF_PRINCIPLED"), None)


def _take(edit: Edit, key: int, made: bpy.types.Material) -> list[str]:
    """Takes over what was edited in a material; returns what that is."""
    material = edit.scene.materials[key]
    what = []
    if made.name != made.galatea.part.given:
        material.name = made.name
        what.append("name")
    shader = shader_of(made)
    if shader is not None:
        inputs = shader.inputs
        color = np.array(inputs["Base Color"].default_value, np.float32)
        color[3] = inputs["Alpha"].default_value
        if _differs(color, material.base_color):
            material.base_color = tuple(float(v) for v in color)  # type: ignore[assignment]
            what.append("color")
        emissive = np.array(inputs["Emission Color"].default_value, np.float32)[:3]
        if _differs(emissive, material.emissive):
            material.emissive = tuple(float(v) for v in emissive)  # type: ignore[assignment]
            what.append("emitted light")
        for name, attribute in (("Metallic", "metallic"), ("Roughness", "roughness")):
            value = float(inputs[name].default_value)
            if _differs(np.float32([value]), (getattr(material, attribute),)):
                setattr(material, attribute, value)
                what.append(attribute)
    props = made.galatea
    alpha, cutoff = alpha_of(material)
    if props.alpha != alpha or (alpha == "MASK" and abs(props.cutoff - cutoff) > NEAR):
        material.alpha = {"mask": {"cutoff": props.cutoff}} if props.alpha == "MASK" else props.alpha.lower()
        what.append("blending")
    # Either the switch of the panel, or Blender's own.
    two_sided = props.two_sided if props.two_sided != material.two_sided else not made.use_backface_culling
    if two_sided != material.two_sided:
        material.two_sided = two_sided
        what.append("sides")
    if props.unlit != material.unlit:
        material.unlit = props.unlit
        what.append("shading")
    if _textures(edit, material, made):
        what.append("textures")
    if fields.take(props.part, fields.of_material(edit.scene, key)):
        what.append("values of the format")
    return what


def _differs(now: Any, was: Any) -> bool:
    old = np.nan_to_num(np.asarray(was, np.float32))
    return bool(np.abs(np.asarray(now, np.float32) - old).max() > NEAR * max(1.0, float(np.abs(old).max())))


def _textures(edit: Edit, material: Material, made: bpy.types.Material) -> bool:
    """Takes over textures: those whose name was changed in the panel, and those whose image was swapped."""
    changed = False
    for number, texture in enumerate(material.textures):
        slot = made.galatea_slots[number] if number < len(made.galatea_slots) else None
        if slot is not None and (slot.texture != texture.name or slot.uv_set != texture.uv_set):
            texture.name, texture.uv_set = slot.texture, slot.uv_set
            changed = True
            continue
        node = made.node_tree.nodes.get(f"{LABEL}{number}") if made.node_tree else None
        image = node.image if node is not None and node.type == "TEX_IMAGE" else None
        if image is not None and image.get(TEXTURE) != texture.name:
            texture.name = _renamed(texture.name, image)
            texture.extras = fields.without_source(texture.extras)
            changed = True
    for number in range(len(material.textures), len(made.galatea_slots)):
        slot = made.galatea_slots[number]
        if slot.texture:
            kind: Any = slot.slot if slot.slot in vars_of_slots() else {"other": slot.slot}
            material.textures.append(Texture(slot.texture, kind, slot.uv_set))
            changed = True
    # An image where the material had none.
    there = {slot_name(texture.slot) for texture in material.textures}
    for slot_word, image in images_of(made).items():
        if slot_word not in there and image.get(TEXTURE) is None:
            name = stem(image)
            material.textures.append(Texture(name, slot_word))
            changed = True
    return changed


def vars_of_slots() -> set[str]:
    """Returns the names of slots that every format has."""
    return {"base", "lightmap", "normal", "orm", "emissive", "specular", "environment", "team_color"}


def _renamed(was: str, image: bpy.types.Image) -> str:
    """Returns the name of a swapped image in the form of the name before: its folder and its ending."""
    own = image.get(TEXTURE)
    if own is not None:
        return str(own)
    cut = max(was.rfind("/"), was.rfind("\\")) + 1
    ending = was[was.rfind(".") :] if "." in was[cut:] else ""
    return was[:cut] + stem(image) + ending


def stem(image: bpy.types.Image) -> str:
    """Returns the name of an image without folder and ending."""
    name = (image.name or image.filepath).replace("\\", "/").rsplit("/", 1)[-1]
    base, dot, ending = name.rpartition(".")
    return base if dot and (len(ending) <= 4) else name


def images_of(made: bpy.types.Material) -> dict[str, bpy.types.Image]:
    """Returns the images that go into the shader, by slot."""
    shader = shader_of(made)
    out: dict[str, bpy.types.Image] = {}
    if shader is None:
        return out
    for slot, name in {**INPUTS, "roughness": "Roughness", "metallic": "Metallic"}.items():
        node = _behind(shader.inputs[name])
        if node is not None and node.image is not None:
            out[slot] = node.image
    # Roughness and metal of one image are what glTF calls ORM.
    if "roughness" in out or "metallic" in out:
        out["orm"] = out.get("roughness") or out["metallic"]
        out.pop("roughness", None)
        out.pop("metallic", None)
    return out


def _behind(socket: Any, depth: int = 0) -> Any:
    """Returns the image node that a socket is fed by, through normal maps and mixers."""
    for link in socket.links if depth < 8 else ():
        node = link.from_node
        if node.type == "TEX_IMAGE":
            return node
        for inner in node.inputs:
            found = _behind(inner, depth + 1)
            if found is not None:
                return found
    return None


def new(made: bpy.types.Material, images: dict[str, bytes], template: Material | None = None) -> Material:
    """Makes a material of one of Blender's. A copy of an imported one begins with what the format says of that."""
    out = Material(made.name)
    if template is not None:
        out.extras = fields.without_identity(template.extras)
        out.textures = [Texture(t.name, t.slot, t.uv_set, t.wrap, t.transform, dict(t.extras)) for t in template.textures]
        out.layers = list(template.layers)
    shader = shader_of(made)
    if shader is not None:
        inputs = shader.inputs
        color = list(inputs["Base Color"].default_value)
        color[3] = inputs["Alpha"].default_value
        if inputs["Base Color"].is_linked:
            color[:3] = [1.0, 1.0, 1.0]
        out.base_color = tuple(color)  # type: ignore[assignment]
        strength = float(inputs["Emission Strength"].default_value)
        if strength > 0:
            out.emissive = tuple(min(float(v) * strength, 1.0) for v in inputs["Emission Color"].default_value[:3])  # type: ignore[assignment]
        out.metallic = float(inputs["Metallic"].default_value)
        out.roughness = float(inputs["Roughness"].default_value)
    props = made.galatea
    out.alpha = {"mask": {"cutoff": props.cutoff}} if props.alpha == "MASK" else props.alpha.lower()
    if props.alpha == "OPAQUE" and getattr(made, "surface_render_method", "DITHERED") == "BLENDED":
        out.alpha = "blend"
    out.two_sided = props.two_sided or not made.use_backface_culling if template is not None else not made.use_backface_culling
    out.unlit = props.unlit
    if template is None:
        out.extras = fields.custom(made)
        if props.preset:
            out.extras["preset"] = props.preset
        for slot, image in images_of(made).items():
            name = str(image.get(TEXTURE) or stem(image))
            out.textures.append(Texture(name, slot))
            if name not in images:
                data = png(image)
                if data is not None:
                    images[name] = data
        for one in made.galatea_slots:
            if one.texture and not any(slot_name(t.slot) == one.slot for t in out.textures):
                kind: Any = one.slot if one.slot in vars_of_slots() else {"other": one.slot}
                out.textures.append(Texture(one.texture, kind, one.uv_set))
    return out


def png(image: bpy.types.Image) -> bytes | None:
    """Returns an image as a PNG or JPEG; none if it has no pixels."""
    packed = image.packed_file
    if packed is not None and not image.is_dirty and packed.data[:4] in (b"\x89PNG", b"\xff\xd8\xff\xe0", b"\xff\xd8\xff\xe1"):
        return bytes(packed.data)
    width, height = image.size
    if not width or not height:
        return None
    values = np.empty(width * height * 4, np.float32)
    image.pixels.foreach_get(values)
    rows = np.clip(values.reshape(height, width, 4)[::-1] * 255.0 + 0.5, 0, 255).astype(np.uint8)
    return galatea.encode(np.ascontiguousarray(rows), "png").bytes
