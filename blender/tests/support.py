"""Finds the extension: as it is installed in Blender, or in this checkout."""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path
from types import ModuleType

import addon_utils
import bpy

INSTALLED = "bl_ext.user_default.galatea"


def extension(name: str = "") -> ModuleType:
    """Returns a module of the extension. `GALATEA_CHECKOUT` takes that of this checkout instead of the installed one."""
    if os.environ.get("GALATEA_CHECKOUT"):
        package = "extension"
        folder = str(Path(__file__).parent.parent)
        if folder not in sys.path:
            sys.path.insert(0, folder)
        if not hasattr(bpy.types.Object, "galatea_model"):
            importlib.import_module(package).register()
    else:
        package = INSTALLED
        if not hasattr(bpy.types.Object, "galatea_model"):
            addon_utils.enable(package, default_set=False)
    return importlib.import_module(f"{package}.{name}" if name else package)
