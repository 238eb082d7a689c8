"""Galatea opens the 3D models of KotOR, Warcraft III, WoW alpha and the Fox Engine, and keeps every byte.

>>> import galatea
>>> statue = galatea.open("examples/statue_800.mdx")
>>> statue.info()["clips"], statue.check()
(3, [])
>>> scene = statue.scene()
>>> scene.meshes[0].positions.dtype, scene.meshes[0].triangles.shape[1]
(dtype('float32'), 3)

Everything releases the GIL while it works; documents and grounds may be used from several threads.
"""

from galatea._document import Document, open
from galatea._errors import Error
from galatea._galatea import __version__
from galatea._ground import Footing, Ground, GroundMaterial, Hit, Path
from galatea._options import ConvertOptions, Sources
from galatea._results import (
    Account,
    Change,
    Converted,
    Field,
    Finding,
    Fixed,
    Format,
    Loss,
    Rule,
    TextureUse,
    explain,
    formats,
    rules,
)
from galatea._scene import (
    Camera,
    Channel,
    Clip,
    Deformed,
    Event,
    Light,
    Material,
    Mesh,
    Node,
    Pose,
    Primitive,
    Scene,
    Skin,
    Texture,
    Vertices,
)
from galatea._texture import decode, encode

__all__ = [
    "Account",
    "Camera",
    "Change",
    "Channel",
    "Clip",
    "ConvertOptions",
    "Converted",
    "Deformed",
    "Document",
    "Error",
    "Event",
    "Field",
    "Finding",
    "Fixed",
    "Footing",
    "Format",
    "Ground",
    "GroundMaterial",
    "Hit",
    "Light",
    "Loss",
    "Material",
    "Mesh",
    "Node",
    "Path",
    "Pose",
    "Primitive",
    "Rule",
    "Scene",
    "Skin",
    "Sources",
    "Texture",
    "TextureUse",
    "Vertices",
    "__version__",
    "decode",
    "encode",
    "explain",
    "formats",
    "open",
    "rules",
]
