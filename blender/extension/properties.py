"""What Blender has no word for: properties of objects, bones, meshes, materials, actions, lights and cameras."""

import bpy
from bpy.props import (
    BoolProperty,
    CollectionProperty,
    EnumProperty,
    FloatProperty,
    FloatVectorProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)
from bpy.types import PropertyGroup

from . import vocabulary


class GalateaField(PropertyGroup):
    """A value of the format, by its path in the extras of a part."""

    path: StringProperty(options={"HIDDEN"})
    label: StringProperty(options={"HIDDEN"})
    section: StringProperty(options={"HIDDEN"})
    kind: EnumProperty(
        items=[(name, name.title(), "") for name in ("NUMBER", "WHOLE", "FLAG", "TEXT", "VECTOR", "COLOR", "CHOICE")],
        options={"HIDDEN"},
    )
    size: IntProperty(default=1, options={"HIDDEN"})
    number: FloatProperty(name="Value", precision=4)
    whole: IntProperty(name="Value")
    flag: BoolProperty(name="Value")
    text: StringProperty(name="Value", search=vocabulary.words_of_field, search_options={"SUGGESTION"})
    vector: FloatVectorProperty(name="Value", size=4, precision=4)
    color: FloatVectorProperty(name="Value", size=4, subtype="COLOR", min=0.0, soft_max=1.0, default=(1, 1, 1, 1))
    choice: EnumProperty(name="Value", items=vocabulary.choices_of_field)


class GalateaPart(PropertyGroup):
    """What a part of the model was when it was imported, and the values of the format that it has."""

    key: IntProperty(name="Number", description="Its number in the original; -1 for what is new", default=-1)
    given: StringProperty(name="Name", description="The name that it got when it was imported")
    fields: CollectionProperty(type=GalateaField)


class GalateaNode(PropertyGroup):
    """A node of a model: an object or a bone."""

    part: PointerProperty(type=GalateaPart)
    model: PointerProperty(type=bpy.types.Object, name="Model")
    holder: BoolProperty(name="Mesh of a bone", description="The object only shows the mesh, light or camera of the bone above it")
    visible: BoolProperty(name="Visible in the game", description="Whether it is visible at rest", default=True)
    tint: FloatVectorProperty(
        name="Color and opacity",
        description="Warcraft III: the static color and opacity of the geoset animation",
        size=4,
        subtype="COLOR",
        min=0.0,
        soft_max=1.0,
        default=(1, 1, 1, 1),
    )
    billboard: EnumProperty(name="Faces the camera", items=vocabulary.BILLBOARDS)
    inherit_translation: BoolProperty(name="Position", default=True)
    inherit_rotation: BoolProperty(name="Rotation", default=True)
    inherit_scale: BoolProperty(name="Scale", default=True)
    attached: BoolProperty(name="Attachment point", description="Weapons, effects or riders are attached here")
    attachment: IntProperty(name="Number", description="The number of the attachment; -1 for none", default=-1)
    attachment_path: StringProperty(name="Model", description="The model that is attached by default")


class GalateaMesh(PropertyGroup):
    """A mesh of a model."""

    part: PointerProperty(type=GalateaPart)
    model: PointerProperty(type=bpy.types.Object, name="Model")
    purpose: EnumProperty(name="Purpose", items=vocabulary.PURPOSES)
    lod: IntProperty(name="Level of detail", description="0 is the finest; -1 if the mesh is in all levels", default=-1, min=-1)


class GalateaMaterial(PropertyGroup):
    """A material of a model."""

    part: PointerProperty(type=GalateaPart)
    model: PointerProperty(type=bpy.types.Object, name="Model")
    alpha: EnumProperty(name="Blending", items=vocabulary.ALPHAS)
    cutoff: FloatProperty(name="Threshold", default=0.5, min=0.0, max=1.0)
    two_sided: BoolProperty(name="Two-sided")
    unlit: BoolProperty(name="Unshaded")
    preset: StringProperty(
        name="Preset",
        description="Fox Engine: the preset of a new material, such as tpp-static. `galatea shaders` lists them",
    )


class GalateaSlot(PropertyGroup):
    """A texture of a material."""

    slot: StringProperty(name="Slot")
    texture: StringProperty(name="Texture", description="The name that the game stores")
    uv_set: IntProperty(name="UV set", min=0, max=7)


class GalateaTrack(PropertyGroup):
    """A property of a model that clips animate and Blender has no place for."""

    prop: StringProperty()
    target: StringProperty()
    number: IntProperty()
    property: StringProperty()


class GalateaModel(PropertyGroup):
    """A model. Its object stands for its axes and units."""

    is_model: BoolProperty()
    format: StringProperty(name="Format")
    version: StringProperty(name="Version")
    title: StringProperty(name="Name")
    path: StringProperty(name="Original", description="The file that edits are laid onto", subtype="FILE_PATH")
    fps: FloatProperty(name="Frames per second", description="How many frames of an action make a second", default=30.0)
    clip: IntProperty(name="Sequence", default=0)
    part: PointerProperty(type=GalateaPart)
    tracks: CollectionProperty(type=GalateaTrack)


class GalateaAction(PropertyGroup):
    """A clip of a model."""

    part: PointerProperty(type=GalateaPart)
    model: PointerProperty(type=bpy.types.Object, name="Model")
    order: IntProperty(name="Place", description="Its place among the sequences of the model; scripts play them by number")
    playback: EnumProperty(name="Plays", items=vocabulary.PLAYBACKS)
    length: FloatProperty(name="Length", description="Seconds", min=0.0, unit="TIME_ABSOLUTE", options={"HIDDEN"})


class GalateaData(PropertyGroup):
    """A light or a camera of a model."""

    part: PointerProperty(type=GalateaPart)


CLASSES = (
    GalateaField,
    GalateaPart,
    GalateaNode,
    GalateaMesh,
    GalateaMaterial,
    GalateaSlot,
    GalateaTrack,
    GalateaModel,
    GalateaAction,
    GalateaData,
)


def register() -> None:
    """Adds the properties to Blender's types."""
    for one in CLASSES:
        bpy.utils.register_class(one)
    bpy.types.Object.galatea = PointerProperty(type=GalateaNode)
    bpy.types.Object.galatea_model = PointerProperty(type=GalateaModel)
    bpy.types.Bone.galatea = PointerProperty(type=GalateaNode)
    bpy.types.Mesh.galatea = PointerProperty(type=GalateaMesh)
    bpy.types.Material.galatea = PointerProperty(type=GalateaMaterial)
    bpy.types.Material.galatea_slots = CollectionProperty(type=GalateaSlot)
    bpy.types.Action.galatea = PointerProperty(type=GalateaAction)
    bpy.types.Light.galatea = PointerProperty(type=GalateaData)
    bpy.types.Camera.galatea = PointerProperty(type=GalateaData)


def unregister() -> None:
    """Takes the properties away. What files have stays in them."""
    types = bpy.types
    for owner in (types.Object, types.Bone, types.Mesh, types.Material, types.Action, types.Light, types.Camera):
        del owner.galatea
    del types.Object.galatea_model
    del types.Material.galatea_slots
    for one in reversed(CLASSES):
        bpy.utils.unregister_class(one)
