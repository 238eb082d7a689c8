"""Options that several calls take."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict

from galatea import _galatea

StrPath = str | os.PathLike[str]


class ConvertOptions(TypedDict, total=False):
    """What a conversion may be told. An option that means nothing for the new format is an error."""

    #: The name of the new model; that of the document without.
    name: str | None
    #: Version of a Warcraft III or WoW alpha model, 800 to 1500.
    version: int | None
    #: The game that a KotOR or Fox Engine model is for.
    game: Literal["k1", "k2", "gz", "tpp", "pes"] | None
    #: The machine that a KotOR model is for.
    platform: Literal["pc", "xbox"] | None
    #: How weights become the bones of a Warcraft III model of version 800.
    weights: Literal["equal", "shares"] | None
    #: Folder of new textures in the paths of a Warcraft III or Fox Engine model.
    texture_folder: str | None
    #: Preset of Fox Engine materials whose names tell none.
    preset: str | None
    #: Leave out bones of a Fox Engine model that move nothing.
    drop_unused_bones: bool
    #: The only level of detail that a glTF gets; 0 is the finest.
    lod: int | None
    #: Make a new model of a glTF that has lost its custom properties.
    as_new: bool
    #: Add particles and ribbons to a glTF as animated meshes.
    bake_effects: bool
    #: Fail if anything is lost that can be seen.
    strict: bool
    #: How a texture stores its pixels.
    encoding: Literal["raw", "grey", "bc1", "bc3", "bc5", "bc7", "jpeg", "palette"] | None
    #: FTEXS files that an FTEX is spread over.
    ftexs: int
    #: Where the images of a glTF go.
    images: Literal["embed", "beside", "none"] | None
    #: The player whose colour Warcraft III units have.
    team_color: int
    #: Class of a new KotOR model, such as ``character``.
    model_class: str | None
    #: The KotOR model whose animations a new one inherits.
    supermodel: str | None
    #: Factor for the positions of inherited animations.
    animation_scale: float | None
    #: Make the normals of a new KotOR model again, smooth up to this angle in degrees.
    smooth: float | None
    #: Surfaces of materials in a new KotOR walkmesh, such as ``{"Carpet_red": "Carpet"}``.
    surfaces: Mapping[str, str]
    #: Write the walkmesh of a new KotOR model too.
    with_walkmesh: bool
    #: Format of the textures of a new KotOR model.
    texture_format: Literal["tga", "tpc"] | None


def plain(options: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the options of a conversion as the native module takes them."""
    unknown = sorted(options.keys() - ConvertOptions.__annotations__.keys())
    if unknown:
        known = ", ".join(ConvertOptions.__annotations__)
        raise TypeError(f"there is no option {unknown[0]!r}; there are {known}")
    given = {key: value for key, value in options.items() if value is not None}
    return {"strict": False, **given}


class Sources:
    """Where textures, supermodels and names come from, besides the folder of a model and its game.

    Make one and pass it to all calls of a run: folders are listed once, and decoded textures are shared. Files that come later are
    not seen. A source cannot be pickled; each process makes its own.

    >>> import galatea
    >>> sources = galatea.Sources(textures=["examples"])
    >>> galatea.open("examples/statue.mdl", sources=sources).textures(sources=sources)[0].status
    'found'
    """

    __slots__ = ("_native",)

    def __init__(
        self,
        *,
        textures: Sequence[StrPath] = (),
        supermodels: StrPath | None = None,
        names: Sequence[StrPath] = (),
        game: StrPath | None = None,
    ) -> None:
        """Names folders of textures, a folder of supermodels, dictionaries of Fox Engine names and the folder of a game."""
        self._native = _galatea.Sources(list(textures), supermodels, list(names), game)


def native(sources: Sources | None) -> _galatea.Sources | None:
    """Returns what the native module takes."""
    return None if sources is None else sources._native
