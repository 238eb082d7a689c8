"""File > Import, File > Export, and files that are dropped into the window."""

import bpy

from . import operators


class GALATEA_FH_models(bpy.types.FileHandler):
    """Models that are dropped into the viewport."""

    bl_idname = "GALATEA_FH_models"
    bl_label = "Game model"
    bl_import_operator = operators.GALATEA_OT_import.bl_idname
    bl_export_operator = operators.GALATEA_OT_export.bl_idname
    bl_file_extensions = operators.EXTENSIONS.replace("*", "").replace(".obj", "").rstrip(";")

    @classmethod
    def poll_drop(cls, context: bpy.types.Context) -> bool:
        """Takes what is dropped into viewports and the outliner."""
        return context.area is not None and context.area.type in ("VIEW_3D", "OUTLINER")


def _import(self: bpy.types.Menu, _context: bpy.types.Context) -> None:
    text = "Game Model (.mdl, .mdx, .fmdl, .wok, .pwk, .dwk)"
    self.layout.operator(operators.GALATEA_OT_import.bl_idname, text=text)


def _export(self: bpy.types.Menu, _context: bpy.types.Context) -> None:
    text = "Game Model (.mdl, .mdx, .fmdl, .wok, .pwk, .dwk)"
    self.layout.operator(operators.GALATEA_OT_export.bl_idname, text=text)


def register() -> None:
    """Adds the menus and the handler."""
    bpy.utils.register_class(GALATEA_FH_models)
    bpy.types.TOPBAR_MT_file_import.append(_import)
    bpy.types.TOPBAR_MT_file_export.append(_export)


def unregister() -> None:
    """Removes them."""
    bpy.types.TOPBAR_MT_file_export.remove(_export)
    bpy.types.TOPBAR_MT_file_import.remove(_import)
    bpy.utils.unregister_class(GALATEA_FH_models)
