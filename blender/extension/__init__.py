"""Galatea for Blender: imports, edits, checks and exports models of KotOR, Warcraft III and the Fox Engine."""

from __future__ import annotations

from . import files, operators, panels, properties

PARTS = (properties, operators, panels, files)


def register() -> None:
    """Registers the extension."""
    for part in PARTS:
        part.register()


def unregister() -> None:
    """Takes the extension away."""
    for part in reversed(PARTS):
        part.unregister()
