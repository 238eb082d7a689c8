"""What all tests share: an empty Blender, and the examples."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy
import pytest

sys.path.insert(0, str(Path(__file__).parent))

from support import extension

ROOT = Path(__file__).parent.parent.parent
MODELS = (
    "beacon.mdx",
    "crate.pwk",
    "gate0.dwk",
    "keep/hall.wok",
    "room.wok",
    "statue.fmdl",
    "statue.mdl",
    "statue.mdl.ascii",
    "statue_1000.mdx",
    "statue_800.mdl",
    "statue_800.mdx",
)


@pytest.fixture(autouse=True)
def empty() -> None:
    """Each test begins with nothing in Blender."""
    extension()
    bpy.ops.wm.read_factory_settings(use_empty=True)
    extension()


@pytest.fixture
def example() -> Callable[..., Any]:
    """Imports an example, and returns the job."""

    def load(name: str, **options: Any) -> Any:
        importer = extension("importer")
        return importer.run(bpy.context, ROOT / "examples" / name, importer.Options(**options))

    return load


@pytest.fixture
def export() -> Callable[..., Any]:
    """Exports the model of a job."""

    def save(job: Any, **options: Any) -> Any:
        return extension("exporter").export(bpy.context, job.root, **options)

    return save
