"""Panels: what Blender has no word for, in the tabs where people look for it."""

from typing import Any

import bpy

from . import operators, original, surfaces


def draw_fields(layout: Any, part: Any, skip: tuple[str, ...] = ()) -> None:
    """Draws the values of a part, section by section."""
    sections: dict[str, list[Any]] = {}
    for field in part.fields:
        sections.setdefault(field.section, []).append(field)
    for section, own in sections.items():
        if section in skip:
            continue
        header, body = layout.panel(f"galatea_{section}", default_closed=len(own) > 12)
        header.label(text=section)
        if body is None:
            continue
        column = body.column()
        for field in own:
            draw_field(column, field)


def draw_field(layout: Any, field: Any) -> None:
    """Draws a value."""
    row = layout.row()
    if field.kind in ("VECTOR", "COLOR") and (field.kind == "VECTOR" or field.size < 4):
        split = row.split(factor=0.4)
        split.alignment = "RIGHT"
        split.label(text=field.label)
        inner = split.row(align=True)
        for column in range(field.size):
            inner.prop(field, "color" if field.kind == "COLOR" else "vector", index=column, text="")
        return
    name = {"NUMBER": "number", "WHOLE": "whole", "FLAG": "flag", "TEXT": "text", "COLOR": "color", "CHOICE": "choice"}[field.kind]
    row.prop(field, name, text=field.label)


class _Panel:
    bl_space_type = "PROPERTIES"
    bl_region_type = "WINDOW"


class GALATEA_PT_model(_Panel, bpy.types.Panel):
    """The model that the active object belongs to."""

    bl_label = "Galatea Model"
    bl_context = "object"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Needs a part of a model."""
        return operators.model_of(context) is not None

    def draw(self, context: bpy.types.Context) -> None:
        """Draws the panel."""
        layout = self.layout
        layout.use_property_split = True
        root = operators.model_of(context)
        model = root.galatea_model
        layout.label(text=f"{model.title}: {model.format} {model.version}", icon="OUTLINER_OB_ARMATURE")
        layout.prop(model, "path")
        kept = original.is_kept(root)
        layout.operator(
            "galatea.keep_original",
            text="Remove the copy in this .blend" if kept else "Keep a copy in this .blend",
            icon="PACKAGE" if kept else "UGLYPACKAGE",
        )
        row = layout.row()
        row.operator("galatea.check", icon="CHECKMARK")
        row.operator("galatea.export_model", text="Export", icon="EXPORT")
        draw_fields(layout, model.part)


class GALATEA_PT_sequences(_Panel, bpy.types.Panel):
    """The sequences of a model, in the game's order."""

    bl_label = "Sequences"
    bl_context = "object"
    bl_parent_id = "GALATEA_PT_model"

    def draw(self, context: bpy.types.Context) -> None:
        """Draws the panel."""
        draw_sequences(self.layout, operators.model_of(context))


def draw_sequences(layout: Any, root: Any) -> None:
    """Draws the sequences of a model."""
    own = operators.sequences(root)
    row = layout.row()
    row.operator("galatea.play", text="At rest", icon="ARMATURE_DATA").number = -1
    row.operator("galatea.new_sequence", text="New", icon="ADD")
    row.operator("galatea.move", text="", icon="TRIA_UP").by = -1
    row.operator("galatea.move", text="", icon="TRIA_DOWN").by = 1
    column = layout.column(align=True)
    for number, action in enumerate(own):
        row = column.row(align=True)
        chosen = number == root.galatea_model.clip
        row.operator("galatea.play", text=f"{number}  {action.name}", icon="PLAY", depress=chosen).number = number
    if own and 0 <= root.galatea_model.clip < len(own):
        draw_sequence(layout, own[root.galatea_model.clip])


def draw_sequence(layout: Any, action: Any) -> None:
    """Draws what the game knows of a sequence."""
    column = layout.column()
    column.use_property_split = True
    column.prop(action, "name")
    column.prop(action.galatea, "playback")
    column.prop(action, "frame_end", text="Length (frames)")
    draw_fields(layout, action.galatea.part)


class GALATEA_PT_sequence(bpy.types.Panel):
    """The sequence that is edited."""

    bl_label = "Galatea Sequence"
    bl_space_type = "DOPESHEET_EDITOR"
    bl_region_type = "UI"
    bl_category = "Action"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Needs an action of a model."""
        action = getattr(context, "active_action", None)
        return action is not None and action.galatea.model is not None

    def draw(self, context: bpy.types.Context) -> None:
        """Draws the panel."""
        draw_sequence(self.layout, context.active_action)


def draw_node(layout: Any, props: Any) -> None:
    """Draws what the game knows of a node."""
    layout.use_property_split = True
    layout.prop(props, "visible")
    layout.prop(props, "tint")
    layout.prop(props, "billboard")
    column = layout.column(heading="Inherits")
    column.prop(props, "inherit_translation")
    column.prop(props, "inherit_rotation")
    column.prop(props, "inherit_scale")
    layout.prop(props, "attached")
    if props.attached:
        layout.prop(props, "attachment")
        layout.prop(props, "attachment_path")
    draw_fields(layout, props.part)


class GALATEA_PT_node(_Panel, bpy.types.Panel):
    """The node of an object: kind, emitter, attachment, geoset animation, collision shape."""

    bl_label = "Galatea Node"
    bl_context = "object"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Needs an object that is a node."""
        one = context.object
        return one is not None and one.galatea.model is not None and not one.galatea_model.is_model

    def draw(self, context: bpy.types.Context) -> None:
        """Draws the panel."""
        props = context.object.galatea
        if props.holder:
            bone = context.object.parent_bone or (context.object.parent.name if context.object.parent else "")
            self.layout.label(text=f"shows what is at {bone!r}; its values are in the Bone tab", icon="BONE_DATA")
            return
        draw_node(self.layout, props)


class GALATEA_PT_bone(_Panel, bpy.types.Panel):
    """The node of a bone."""

    bl_label = "Galatea Node"
    bl_context = "bone"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Needs a bone of a model."""
        return context.bone is not None and context.bone.galatea.model is not None

    def draw(self, context: bpy.types.Context) -> None:
        """Draws the panel."""
        draw_node(self.layout, context.bone.galatea)


class GALATEA_PT_mesh(_Panel, bpy.types.Panel):
    """The mesh: purpose, level of detail."""

    bl_label = "Galatea Mesh"
    bl_context = "data"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Needs a mesh."""
        return context.mesh is not None

    def draw(self, context: bpy.types.Context) -> None:
        """Draws the panel."""
        layout = self.layout
        layout.use_property_split = True
        props = context.mesh.galatea
        layout.prop(props, "purpose")
        layout.prop(props, "lod")
        draw_fields(layout, props.part)


class GALATEA_PT_surfaces(_Panel, bpy.types.Panel):
    """Walk surfaces: painted in edit mode, a color for each."""

    bl_label = "Walk Surfaces"
    bl_context = "data"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Needs a mesh that people walk on."""
        one = context.object
        if one is None or one.type != "MESH":
            return False
        return one.data.galatea.purpose in ("WALK", "AABB") or any(surfaces.surface_of(slot.material) for slot in one.material_slots)

    def draw(self, context: bpy.types.Context) -> None:
        """Draws the panel."""
        layout = self.layout
        one = context.object
        if context.mode != "EDIT_MESH":
            for name, slot, count in surfaces.counts(one):
                row = layout.row()
                row.prop(one.material_slots[slot].material, "diffuse_color", text="")
                row.label(text=f"{name}: {count} faces")
            layout.label(text="Select faces in edit mode to paint them", icon="INFO")
            return
        grid = layout.grid_flow(columns=3, align=True)
        for name, _, _, _ in surfaces.ITEMS:
            grid.operator("galatea.surface", text=name).surface = name
        layout.operator("galatea.transition", icon="EDGESEL")


class GALATEA_PT_material(_Panel, bpy.types.Panel):
    """The material: blending, textures by slot, shader, parameters, layers."""

    bl_label = "Galatea Material"
    bl_context = "material"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Needs a material."""
        return context.material is not None

    def draw(self, context: bpy.types.Context) -> None:
        """Draws the panel."""
        layout = self.layout
        layout.use_property_split = True
        made = context.material
        props = made.galatea
        layout.prop(props, "alpha")
        if props.alpha == "MASK":
            layout.prop(props, "cutoff")
        layout.prop(props, "two_sided")
        layout.prop(props, "unlit")
        if props.part.key < 0:
            layout.prop(props, "preset")
        for slot in made.galatea_slots:
            row = layout.row()
            row.prop(slot, "texture", text=slot.slot)
            row.prop(slot, "uv_set", text="")
        draw_fields(layout, props.part)


class GALATEA_PT_data(_Panel, bpy.types.Panel):
    """The light or camera."""

    bl_label = "Galatea"
    bl_context = "data"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Needs a light of a model."""
        return context.light is not None and len(context.light.galatea.part.fields) > 0

    def draw(self, context: bpy.types.Context) -> None:
        """Draws the panel."""
        draw_fields(self.layout, context.light.galatea.part)


class GALATEA_PT_sidebar(bpy.types.Panel):
    """The model in the sidebar of the viewport: sequences, check, export."""

    bl_label = "Model"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Galatea"

    def draw(self, context: bpy.types.Context) -> None:
        """Draws the panel."""
        layout = self.layout
        layout.operator("galatea.import_model", icon="IMPORT")
        root = operators.model_of(context)
        layout.operator("galatea.export_model", icon="EXPORT")
        if root is None:
            return
        layout.operator("galatea.check", icon="CHECKMARK")
        found = context.window_manager.galatea_found
        icons = {"error": "ERROR", "warning": "QUESTION", "info": "INFO"}
        for number, one in enumerate(found):
            row = layout.row()
            row.operator(
                "galatea.select_found", text=f"{one.code}  {one.message}", icon=icons.get(one.severity, "INFO"), emboss=False
            ).number = number
        draw_sequences(layout, root)


CLASSES = (
    GALATEA_PT_model,
    GALATEA_PT_sequences,
    GALATEA_PT_sequence,
    GALATEA_PT_node,
    GALATEA_PT_bone,
    GALATEA_PT_mesh,
    GALATEA_PT_surfaces,
    GALATEA_PT_material,
    GALATEA_PT_data,
    GALATEA_PT_sidebar,
)


def register() -> None:
    """Registers the panels."""
    for one in CLASSES:
        bpy.utils.register_class(one)


def unregister() -> None:
    """Takes the panels away."""
    for one in reversed(CLASSES):
        bpy.utils.unregister_class(one)
