"""What calls return: findings, losses, fields, textures, converted files."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from galatea import _galatea

if TYPE_CHECKING:
    from galatea._document import Document

_Bytes = bytes


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of ``check``. ``galatea.explain`` finds it by its code."""

    code: str
    severity: str
    title: str
    help: str
    fixable: bool

    def __str__(self) -> str:
        return f"{self.code} ({self.severity}): {self.title}"


@dataclass(frozen=True, slots=True)
class Finding:
    """One place where a rule does not hold."""

    rule: Rule
    message: str
    #: The path inside the document; empty if it is not known.
    path: str
    #: The byte of the file, if that is known.
    offset: int | None

    @property
    def code(self) -> str:
        """The code of the rule."""
        return self.rule.code

    @property
    def severity(self) -> str:
        """``info``, ``warning`` or ``error``."""
        return self.rule.severity

    def __str__(self) -> str:
        place = ", ".join(part for part in (f"0x{self.offset:X}" if self.offset is not None else "", self.path) if part)
        at = f" (at {place})" if place else ""
        return f"{self.severity} {self.code}: {self.rule.title}: {self.message}{at}"


@dataclass(frozen=True, slots=True)
class Fixed:
    """A rule that ``fix`` fixed, and what it did."""

    rule: Rule
    message: str

    def __str__(self) -> str:
        return f"fixed {self.rule.code}: {self.message}"


@dataclass(frozen=True, slots=True)
class Loss:
    """Something that a conversion could not keep."""

    #: What it belongs to; empty for the whole document.
    path: str
    what: str
    why: str
    #: Whether it may be seen in the game or in an image.
    visible: bool

    def __str__(self) -> str:
        text = f"{self.path}: {self.what}" if self.path else self.what
        return f"{text} ({self.why})" if self.why else text


@dataclass(frozen=True, slots=True)
class Change:
    """What became of a part of an original onto which an edit was laid."""

    #: ``node``, ``mesh``, ``material``, ``clip``, ``light`` or ``camera``.
    part: str
    name: str
    #: ``kept``, ``changed``, ``new`` or ``gone``.
    fate: str
    what: str


@dataclass(frozen=True, slots=True)
class Account:
    """What became of the parts of an original. Its text has one line for each kind of part."""

    text: str
    unchanged: bool
    changes: tuple[Change, ...]

    def __str__(self) -> str:
        return self.text


@dataclass(slots=True)
class Field:
    """A field of a file, or a group of them."""

    name: str
    type: str
    value: str
    offset: int
    size: int
    children: list[Field] = field(default_factory=list, repr=False)

    def walk(self) -> Iterator[Field]:
        """Yields this field and all below it."""
        todo = [self]
        while todo:
            one = todo.pop()
            yield one
            todo.extend(reversed(one.children))


@dataclass(frozen=True, slots=True)
class TextureUse:
    """A texture that a model asks for."""

    #: The name in the model's own form.
    name: str
    #: What it is for.
    purpose: str
    #: ``found``, ``missing``, ``ambiguous``, ``unreadable``, ``unsafe``, ``built in``, or ``not loaded`` for a file that is there
    #: but that the game does not look for.
    status: str
    path: Path | None
    #: Other files of the same name.
    others: tuple[Path, ...]
    #: Why the file cannot be shown.
    error: str | None


class Converted:
    """A new file, what belongs to it, and what it could not keep.

    >>> import galatea
    >>> glb = galatea.open("examples/statue_800.mdx").convert("glb")
    >>> glb.bytes[:4], glb.format, [str(loss) for loss in glb.losses]
    (b'glTF', 'glb', [])
    >>> sorted(galatea.open("examples/statue.glb").convert("kotor-mdl").files())
    ['statue.mdl', 'statue.mdx', 'statue.tga']
    """

    __slots__ = ("_native",)

    def __init__(self, native: _galatea.Converted) -> None:
        self._native = native

    @property
    def format(self) -> str:
        """The name of its format."""
        return self._native.format

    @property
    def bytes(self) -> _Bytes:
        """The file itself. ``files`` has those that belong to it as well."""
        return self._native.bytes

    @property
    def losses(self) -> list[Loss]:
        """What the new form has no place for."""
        return [Loss(*row) for row in self._native.losses]

    @property
    def account(self) -> Account | None:
        """What became of the parts of the original, if the edit was laid onto one."""
        row = self._native.account
        return None if row is None else Account(row[0], row[1], tuple(Change(*change) for change in row[2]))

    def files(self) -> dict[str, _Bytes]:
        """Returns all files by name: the file itself first."""
        stem = self._native.name
        files = {f"{stem}.{self._native.extension}": self._native.bytes}
        files.update((f"{stem}.{extension}", data) for extension, data in self._native.companions)
        files.update(self._native.siblings)
        return files

    def save(self, path: str | os.PathLike[str], *, force: bool = False) -> list[Path]:
        """Writes the file and all that belongs to it: all of it appears, or nothing. Returns the paths.

        Raises ``FileExistsError`` rather than replace a file, unless ``force`` is given.
        """
        return self._native.save(path, force)

    def open(self) -> Document:
        """Opens the new file."""
        from galatea._document import Document

        native = self._native
        name = f"{native.name}.{native.extension}"
        return Document(_galatea.Document.read_bytes(native.bytes, name, native.companions, dict(native.siblings)))

    def __repr__(self) -> str:
        losses = len(self._native.losses)
        return f"<galatea.Converted {self.format}, {len(self.bytes)} bytes, {losses} losses>"


_RULES: dict[str, Rule] = {}


def rule_of(code: str) -> Rule:
    """Returns the rule of a code that the native module gave."""
    if not _RULES:
        _RULES.update((row[0], Rule(*row)) for row in _galatea.rules(None))
    return _RULES[code]


def explain(code: str) -> Rule:
    """Returns the rule of a code.

    >>> import galatea
    >>> print(galatea.explain("KBWM0009"))
    KBWM0009 (error): a face is not its neighbour's neighbour
    """
    rows = _galatea.rules(code)
    if not rows:
        raise ValueError(f"no rule is called {code!r}")
    return Rule(*rows[0])


def rules() -> list[Rule]:
    """Returns all rules of all formats."""
    return [Rule(*row) for row in _galatea.rules(None)]


@dataclass(frozen=True, slots=True)
class Format:
    """A format that Galatea reads."""

    name: str
    title: str
    extensions: tuple[str, ...]
    #: Whether ``convert`` can write it.
    writable: bool
    #: Whether it is a texture rather than a model.
    texture: bool


def formats() -> list[Format]:
    """Returns all formats.

    >>> import galatea
    >>> [format.name for format in galatea.formats()][:4]
    ['kotor-bwm', 'kotor-bwm-ascii', 'kotor-mdl', 'kotor-lyt']
    """
    return [Format(name, title, tuple(ends), write, texture) for name, title, ends, write, texture in _galatea.formats()]


def tree(rows: Sequence[tuple[int, int, int, str, str, str]]) -> list[Field]:
    """Returns fields that come in order with their depths as a tree."""
    roots: list[Field] = []
    above: list[list[Field]] = [roots]
    for depth, offset, size, name, kind, value in rows:
        one = Field(name, kind, value, offset, size)
        del above[min(depth, len(above) - 1) + 1 :]
        above[-1].append(one)
        above.append(one.children)
    return roots
