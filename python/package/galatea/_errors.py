"""The exception of everything that is wrong with a file or a request."""

from __future__ import annotations


class Error(Exception):
    """Something is wrong with a file, or cannot be done with it.

    Files that cannot be read or written are ``OSError``, arguments that make no sense are ``ValueError`` or ``TypeError``.

    >>> import galatea
    >>> try:
    ...     galatea.open(b"MDLXVERS\\x04\\x00\\x00\\x00", name="broken.mdx")
    ... except galatea.Error as error:
    ...     print(error.kind, error.offset, error.path)
    ...     print(error)
    mismatch 4 chunks
    broken.mdx: 0x4 chunks: expected a VERS chunk, found none
    """

    #: What went wrong, in one word: ``not-this-format``, ``truncated``, ``mismatch``, ``unsupported``, ``cycle``, ``limit``,
    #: ``syntax``, ``unrepresentable``, ``io``, ``option``, ``lost-extras``, ``losses``, ``render`` or ``other``.
    kind: str
    #: The byte of the file where it went wrong, if that is known.
    offset: int | None
    #: Line and column of a text, both from 1.
    line: tuple[int, int] | None
    #: The path inside the document, outermost step first; empty if it is not known.
    path: str
    #: The file that was opened; empty if it has no name.
    file: str

    def __init__(
        self,
        message: str,
        kind: str = "other",
        offset: int | None = None,
        line: tuple[int, int] | None = None,
        path: str = "",
        file: str = "",
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.offset = offset
        self.line = line
        self.path = path
        self.file = file

    def __str__(self) -> str:
        message = super().__str__()
        return f"{self.file}: {message}" if self.file else message

    def __reduce__(self) -> tuple[type[Error], tuple[object, ...]]:
        message = super().__str__()
        return type(self), (message, self.kind, self.offset, self.line, self.path, self.file)
