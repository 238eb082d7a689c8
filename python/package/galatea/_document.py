"""Documents: what is opened, and what can be done with it."""

from __future__ import annotations

import builtins
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, Unpack

import numpy as np
from numpy.typing import NDArray

from galatea import _galatea
from galatea._errors import Error
from galatea._options import ConvertOptions, Sources, StrPath, native, plain
from galatea._results import Converted, Field, Finding, Fixed, TextureUse, rule_of, tree

if TYPE_CHECKING:
    from galatea._scene import Scene


class Readable(Protocol):
    """A file that is open for reading in binary mode."""

    def read(self) -> bytes:
        """Returns the rest of the file."""


def open(
    source: StrPath | bytes | bytearray | memoryview | Readable,
    *,
    name: str | None = None,
    companions: Mapping[str, bytes] | None = None,
    siblings: Mapping[str, bytes] | None = None,
    game: StrPath | None = None,
    sources: Sources | None = None,
) -> Document:
    """Opens a file of any format; its content tells which.

    ``source`` is a path, the bytes of a file, or an open file. Paths go on inside of archives. Companions, such as the MDX of a KotOR
    model, are found beside a path; for bytes give them in ``companions`` by extension, and other files of the same folder, such as the
    ``.bin`` of a glTF, in ``siblings`` by name. ``game`` is the folder of the game, ``sources`` one that is used for many documents.

    >>> import galatea
    >>> galatea.open("examples/room.wok")
    <galatea.Document 'room.wok', kotor-bwm V1.0 WOK, 132 triangles>
    >>> from pathlib import Path
    >>> folder = Path("examples")
    >>> mdl, mdx = (folder / "statue.mdl").read_bytes(), (folder / "statue.mdx").read_bytes()
    >>> galatea.open(mdl, name="statue.mdl", companions={"mdx": mdx}).info()["bytes"] == len(mdl) + len(mdx)
    True
    >>> with (folder / "statue_800.mdx").open("rb") as file:
    ...     galatea.open(file).format
    'mdx'
    """
    if game is not None:
        if sources is not None:
            raise ValueError("name the game in the sources, not beside them")
        sources = Sources(game=game)
    if isinstance(source, (str, os.PathLike)):
        if companions or siblings or name is not None:
            raise ValueError("a path has its own name, companions and siblings; read the file to give others")
        try:
            return Document(_galatea.Document.open(source, native(sources)))
        except Error as error:
            error.file = os.fsdecode(os.fspath(source))
            raise
    if isinstance(source, (bytes, bytearray, memoryview)):
        data = bytes(source)
    elif hasattr(source, "read"):
        read = source.read()
        if not isinstance(read, (bytes, bytearray, memoryview)):
            raise TypeError("the file is open as text; open it in binary mode")
        data = bytes(read)
        own = getattr(source, "name", None)
        if name is None and isinstance(own, str):
            name = os.path.basename(own)
    else:
        raise TypeError(f"cannot open {type(source).__name__}; give a path, bytes, or a file that is open in binary mode")
    beside = [(extension.lstrip("."), bytes(file)) for extension, file in (companions or {}).items()]
    others = {key: bytes(file) for key, file in (siblings or {}).items()}
    try:
        return Document(_galatea.Document.read_bytes(data, name or "", beside, others, None, native(sources)))
    except Error as error:
        error.file = name or ""
        raise


def _restore(
    data: bytes,
    name: str,
    companions: list[tuple[str, bytes]],
    siblings: list[tuple[str, bytes]],
    path: str | None,
) -> Document:
    return Document(_galatea.Document.read_bytes(data, name, companions, dict(siblings), path, None))


class Document:
    """A model, walkmesh or texture in its own format. ``galatea.open`` makes one.

    Documents may be used from several threads. They are pickled by their bytes, so that they can be sent to other processes.
    """

    __slots__ = ("_native",)

    def __init__(self, native: _galatea.Document) -> None:
        self._native = native

    def __repr__(self) -> str:
        info = self.info()
        name = f" {self.name!r}," if self.name else ""
        count = f", {info['triangles']} triangles" if info["triangles"] else ""
        return f"<galatea.Document{name} {self.format} {info['version']}{count}>"

    def __reduce__(self) -> tuple[Any, ...]:
        path = self.path
        data, companions, siblings = self._native.files()
        return _restore, (data, self.name, companions, siblings, None if path is None else str(path))

    @property
    def format(self) -> str:
        """The name of the format, such as ``kotor-mdl``."""
        return self._native.format

    @property
    def version(self) -> str:
        """The version or variant, in the format's own words."""
        version: str = self._native.info()["version"]
        return version

    @property
    def name(self) -> str:
        """The name of the file; empty if it has none."""
        return self._native.name

    @property
    def path(self) -> Path | None:
        """The path of the file, if it was opened by one."""
        return self._native.path

    def info(self) -> dict[str, Any]:
        """Returns the figures of ``galatea info --json``.

        >>> import galatea
        >>> info = galatea.open("examples/statue_800.mdx").info()
        >>> info["format"], info["version"], info["clips"]
        ('mdx', '800', 3)
        """
        return self._native.info()

    def check(self, *, only: Sequence[str] = (), ignore: Sequence[str] = ()) -> list[Finding]:
        """Returns what breaks the rules of the format: all of them, or those with these codes.

        Of each rule the first 100 findings are returned; ``counts`` has the number of all.

        >>> import galatea
        >>> galatea.open("examples/room.wok").check()
        []
        """
        found, _ = self._native.check(list(only), list(ignore))
        return [Finding(rule_of(code), message, path, offset) for code, message, path, offset in found]

    def counts(self, *, only: Sequence[str] = (), ignore: Sequence[str] = ()) -> dict[str, int]:
        """Returns how often each rule is broken, by code."""
        return dict(self._native.check(list(only), list(ignore))[1])

    def fix(self, *, only: Sequence[str] = (), ignore: Sequence[str] = ()) -> list[Fixed]:
        """Fixes what the rules find where the rest of the file determines the right value. ``save`` writes the result."""
        return [Fixed(rule_of(code), message) for code, message in self._native.fix(list(only), list(ignore))]

    def inspect(self, *, most: int = 3, companion: str | None = None) -> list[Field]:
        """Returns the tree of fields with their offsets; of each table the first ``most`` items are opened.

        ``companion`` names a file that belongs to the document by its extension.

        >>> import galatea
        >>> header = galatea.open("examples/room.wok").inspect()[0]
        >>> header.name, [field.name for field in header.children][:2]
        ('header', ['magic', 'kind'])
        """
        return tree(self._native.inspect(most, companion))

    def diff(
        self, other: Document, *, tolerance: float = 0.0, unordered: bool = False, limit: int = 200
    ) -> list[str]:
        """Returns what differs from another document of the same format, a line each.

        >>> import galatea
        >>> old = galatea.open("examples/statue_800.mdx")
        >>> new = old.convert("mdx", version=1000).open()
        >>> old.diff(new)[0]
        'version: 800 -> 1000'
        """
        lines = self._native.diff(other._native, tolerance, unordered, limit)
        if lines is None:
            raise ValueError(f"{self.format} and {other.format} cannot be compared; convert one of them")
        return lines

    def write(self) -> bytes:
        """Returns the bytes of the file: those that were read, if nothing was changed. ``files`` has its companions as well.

        >>> import galatea
        >>> from pathlib import Path
        >>> galatea.open("examples/statue.fmdl").write() == Path("examples/statue.fmdl").read_bytes()
        True
        """
        return self._native.files()[0]

    def files(self) -> dict[str, bytes]:
        """Returns all files of the document by name, the file itself first.

        >>> import galatea
        >>> room = galatea.open("examples/room.wok")
        >>> {name: len(data) for name, data in room.files().items()}
        {'room.wok': 19192}
        """
        data, companions, siblings = self._native.files()
        name = self.name or f"model.{self.format}"
        stem = name.rpartition(".")[0] or name
        files = {name: data}
        files.update((f"{stem}.{extension}", file) for extension, file in companions)
        files.update(siblings)
        return files

    def save(self, path: StrPath | None = None, *, force: bool = False) -> list[Path]:
        """Writes the document and its companions: all of them appear, or nothing. Returns the paths.

        Without a path, the file that it was read from is replaced, and kept as ``FILE.bak``. Raises ``FileExistsError`` rather than
        replace another file, unless ``force`` is given.
        """
        if path is None:
            if self.path is None:
                raise ValueError("the document came from no file; name one")
            return self._native.save(self.path, True)
        return self._native.save(path, force)

    def convert(
        self,
        to: str,
        *,
        onto: Document | None = None,
        sources: Sources | None = None,
        **options: Unpack[ConvertOptions],
    ) -> Converted:
        """Returns the document in another format, and what that cannot hold. ``ConvertOptions`` has the options.

        With ``onto``, an edited document is laid onto its original, from which everything comes that the edit could not carry.

        >>> import galatea
        >>> statue = galatea.open("examples/statue_800.mdx")
        >>> statue.convert("mdx", version=1000).open().version
        '1000'
        >>> edited = statue.convert("glb").open()
        >>> edited.convert("mdx", onto=statue).bytes == statue.write()
        True
        """
        target = None if onto is None else onto._native
        return Converted(self._native.convert(to, plain(options), target, native(sources)))

    def to_glb(self, *, sources: Sources | None = None, **options: Unpack[ConvertOptions]) -> bytes:
        """Returns the document as a GLB, with the textures that are found."""
        return self.convert("glb", sources=sources, **options).bytes

    def text(self) -> str:
        """Returns the text form of the document.

        >>> import galatea
        >>> galatea.open("examples/statue_800.mdx").text().splitlines()[1].strip()
        'FormatVersion 800,'
        """
        return self._native.text()

    def textures(self, *, sources: Sources | None = None) -> list[TextureUse]:
        """Returns the textures that the model asks for, and what becomes of each name."""
        return [
            TextureUse(name, purpose, status, path, tuple(others), error)
            for name, purpose, status, path, others, error in self._native.textures(native(sources))
        ]

    def pixels(self, *, mip: int = 0, face: int = 0, layer: int = 0) -> NDArray[np.uint8]:
        """Returns the image of a texture: rows, columns, and red, green, blue and alpha.

        >>> import galatea
        >>> galatea.open("examples/statue.blp").pixels().shape
        (64, 64, 4)
        """
        return self._native.pixels(mip, face, layer)

    def render(
        self,
        size: int | tuple[int, int] = 512,
        clip: str | None = None,
        time: float | None = None,
        *,
        yaw: float = 35.0,
        pitch: float = 20.0,
        background: str | tuple[int, int, int] | tuple[int, int, int, int] = "#2e3238",
        camera: str | None = None,
        ground: bool = False,
        show: Sequence[str] = (),
        textures: bool = True,
        team_color: int = 0,
        sources: Sources | None = None,
    ) -> NDArray[np.uint8]:
        """Returns an image of the model: rows, columns, and red, green, blue and alpha.

        ``size`` is one number or width and height. Without a time, a clip is shown at its middle, or where its effects are fullest.
        ``background`` is a colour, ``"transparent"`` or ``"checker"``; ``show`` takes the words of ``galatea render --show``.

        >>> import galatea
        >>> galatea.open("examples/statue.mdl").render((80, 120), "walk", 0.1).shape
        (120, 80, 4)
        """
        width, height = (size, size) if isinstance(size, int) else size
        color, checker = _background(background)
        view = {
            "width": width,
            "height": height,
            "clip": clip,
            "time": time,
            "yaw": yaw,
            "pitch": pitch,
            "background": color,
            "checker": checker,
            "ground": ground,
            "camera": camera,
            "show": list(show),
            "textures": textures,
            "team_color": team_color,
        }
        return self._native.render(view, native(sources))

    def scene(self, *, inherit: bool = False, sources: Sources | None = None) -> Scene:
        """Returns the model as a scene: nodes, meshes with arrays, skins, materials, clips.

        With ``inherit``, a KotOR model has the clips of its supermodels too.

        >>> import galatea
        >>> scene = galatea.open("examples/statue_800.mdx").scene()
        >>> [clip.name for clip in scene.clips]
        ['Stand', 'Walk', 'Death']
        """
        from galatea._scene import Scene

        return Scene._of(self._native.scene(inherit, native(sources)))


def _background(value: str | tuple[int, ...]) -> tuple[tuple[int, ...], bool]:
    """Returns the colour of a background, and whether it has squares."""
    if isinstance(value, str):
        if value == "transparent":
            return (0, 0, 0, 0), False
        if value == "checker":
            return (148, 148, 148, 255), True
        digits = value.removeprefix("#")
        try:
            if len(digits) != 6:
                raise ValueError
            return (*builtins.bytes.fromhex(digits), 255), False
        except ValueError:
            what = f"background: {value!r} is not a colour; expected one such as '#2e3238', 'transparent' or 'checker'"
            raise ValueError(what) from None
    color = tuple(value)
    if len(color) not in (3, 4) or not all(isinstance(part, int) and 0 <= part <= 255 for part in color):
        raise ValueError(f"background: {value!r} is not a colour; expected 3 or 4 numbers from 0 to 255")
    return (*color, 255)[:4], False
