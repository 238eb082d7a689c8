"""Materials: a Principled shader with the images that are found, and what the format says besides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import bpy
import galatea

from . import fields

if TYPE_CHECKING:
    from galatea import Material

    from .importer import Job

#: The custom property of an image that has the name by which the game knows the texture.
TEXTURE = "galatea_texture"
#: The label that the node of a texture begins with; the number of the texture follows.
LABEL = "galatea "
#: The inputs of the shader that slots go into.
INPUTS = {"base": "Base Color", "emissive": "Emission Color", "normal": "Normal"}


def make(job: Job) -> None:
    """Makes all materials of a model."""
    images = _Images(job)
    for at, material in enumerate(job.scene.materials):
        made = bpy.data.materials.new(material.name or "material")
        job.materials[at] = made
        props = made.galatea
        props.part.key = at
        props.part.given = made.name
        props.model = job.root
        props.alpha, props.cutoff = alpha_of(material)
        props.two_sided = material.two_sided
        props.unlit = material.unlit
        for texture in material.textures:
            slot = made.galatea_slots.add()
            slot.slot = slot_name(texture.slot)
            slot.texture = texture.name
            slot.uv_set = texture.uv_set
        fields.show(props.part, fields.of_material(job.scene, at))
        build(made, material, images)


def slot_name(slot: str | dict[str, str]) -> str:
    """Returns the name of a slot."""
    return slot if isinstance(slot, str) else next(iter(slot.values()), "")


def alpha_of(material: Material) -> tuple[str, float]:
    """Returns how a material is blended, and the threshold of its holes."""
    if isinstance(material.alpha, dict):
        return "MASK", float(material.alpha.get("mask", {}).get("cutoff", 0.5))
    return material.alpha.upper(), 0.5


def build(made: bpy.types.Material, material: Material, images: _Images) -> None:
    """Makes the nodes of a material."""
    made.use_backface_culling = not material.two_sided
    made.diffuse_color = [min(max(v, 0.0), 1.0) for v in material.base_color]
    if not made.node_tree:
        made.use_nodes = True
    nodes, links = made.node_tree.nodes, made.node_tree.links
    shader = next((one for one in nodes if one.type == "BSDF_PRINCIPLED"), None) or nodes.new("ShaderNodeBsdfPrincipled")
    inputs = shader.inputs
    inputs["Base Color"].default_value = material.base_color
    inputs["Alpha"].default_value = material.base_color[3]
    inputs["Metallic"].default_value = material.metallic
    inputs["Roughness"].default_value = material.roughness
    inputs["Emission Color"].default_value = (*material.emissive, 1.0)
    inputs["Emission Strength"].default_value = 1.0 if any(material.emissive) else 0.0
    drawn = _mode(material)
    if drawn != "opaque" and hasattr(made, "surface_render_method"):
        made.surface_render_method = "DITHERED" if drawn == "mask" else "BLENDED"
    for number, texture in enumerate(material.textures):
        image = images.get(texture.name)
        if image is None:
            continue
        node = nodes.new("ShaderNodeTexImage")
        node.image = image
        node.label = f"{LABEL}{number}"
        node.name = node.label
        node.location = (-500, 300 - 280 * number)
        wrap = {"repeat": "REPEAT", "mirror": "MIRROR", "clamp": "EXTEND"}
        node.extension = wrap.get(texture.wrap[0], "REPEAT")
        if texture.uv_set:
            coordinates = nodes.new("ShaderNodeUVMap")
            coordinates.uv_map = f"UVMap {texture.uv_set + 1}"
            coordinates.location = (-760, 300 - 280 * number)
            links.new(coordinates.outputs["UV"], node.inputs["Vector"])
        slot = slot_name(texture.slot)
        if slot == "normal":
            image.colorspace_settings.name = "Non-Color"
            bump = nodes.new("ShaderNodeNormalMap")
            bump.location = (-220, 300 - 280 * number)
            links.new(node.outputs["Color"], bump.inputs["Color"])
            links.new(bump.outputs["Normal"], inputs["Normal"])
        elif slot in INPUTS and not inputs[INPUTS[slot]].is_linked:
            links.new(node.outputs["Color"], inputs[INPUTS[slot]])
            if slot == "base" and drawn != "opaque":
                _alpha(nodes, links, node, inputs["Alpha"], material, drawn)
            if slot == "emissive":
                inputs["Emission Strength"].default_value = 1.0


def _mode(material: Material) -> str:
    return "mask" if isinstance(material.alpha, dict) else material.alpha


def _alpha(nodes: Any, links: Any, image: Any, into: Any, material: Material, drawn: str) -> None:
    """Lets the alpha of an image make holes."""
    if drawn != "mask":
        links.new(image.outputs["Alpha"], into)
        return
    above = nodes.new("ShaderNodeMath")
    above.operation = "GREATER_THAN"
    above.location = (-220, 0)
    above.inputs[1].default_value = alpha_of(material)[1]
    links.new(image.outputs["Alpha"], above.inputs[0])
    links.new(above.outputs["Value"], into)


class _Images:
    """The images of a model, each loaded once."""

    def __init__(self, job: Job) -> None:
        self.known: dict[str, bpy.types.Image | None] = {}
        self.found: dict[str, Any] = {}
        self.job = job
        if not job.options.images or not any(material.textures for material in job.scene.materials):
            return
        try:
            uses = job.document.textures(sources=job.sources)
        except galatea.Error as error:
            job.warnings.append(f"textures: {error}")
            return
        for use in uses:
            if use.status in ("found", "not loaded", "ambiguous") and use.path is not None:
                self.found.setdefault(use.name.lower(), use.path)
        missing = sorted({use.name for use in uses if use.status == "missing"})
        if missing:
            job.warnings.append(f"{len(missing)} textures were not found: {', '.join(missing[:5])}")

    def get(self, name: str) -> bpy.types.Image | None:
        """Returns the image of a texture, if it is found."""
        key = name.lower()
        if key not in self.known:
            self.known[key] = self._load(name, self.found.get(key))
        return self.known[key]

    def _load(self, name: str, path: Any) -> bpy.types.Image | None:
        if path is None:
            return None
        try:
            texture = galatea.open(path, sources=self.job.sources)
            pixels = texture.pixels()
            packed = galatea.encode(pixels, "png").bytes
        except (galatea.Error, OSError, ValueError) as error:
            self.job.warnings.append(f"{name}: {error}")
            return None
        short = name.replace("\\", "/").rsplit("/", 1)[-1]
        image = bpy.data.images.new(short, pixels.shape[1], pixels.shape[0], alpha=True)
        image.pack(data=packed, data_len=len(packed))
        image.source = "FILE"
        image[TEXTURE] = name
        return image
