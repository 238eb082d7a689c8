"""Ground to walk on: what a ray hits, where one stands, the way from one point to another."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from galatea import _galatea
from galatea._document import Document, open
from galatea._options import Sources, StrPath
from galatea._values import array_of

Point = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Hit:
    """What a ray hits first."""

    face: int
    #: How far it is, in the units of the ground.
    distance: float
    point: Point
    normal: Point
    material: str


@dataclass(frozen=True, slots=True)
class Footing:
    """Where one stands."""

    face: int
    height: float
    normal: Point
    material: str


@dataclass(frozen=True, slots=True)
class GroundMaterial:
    """A material of the ground."""

    number: int
    name: str
    color: tuple[int, int, int]
    walkable: bool


@dataclass(frozen=True, slots=True, eq=False)
class Path:
    """A way over the ground, straight between its points."""

    #: A row for the start, every point where it turns, and the goal.
    points: NDArray[np.float32]
    #: The face of each point.
    on: NDArray[np.uint32]
    #: Every face that it crosses, in order.
    faces: NDArray[np.uint32]
    length: float
    #: Its cost; equal to the length if no material has one.
    cost: float
    #: Whether it is proven that there is no shorter one.
    shortest: bool


class Ground:
    """A surface to walk on, z up: a walkmesh, the rooms of a layout, or the surfaces of a model.

    Many rays or points in one call are answered without Python in between, while other threads run.

    >>> import galatea, numpy as np
    >>> room = galatea.Ground("examples/room.wok")
    >>> room.ray((3.3, 4.6, 10), (0, 0, -1)).material
    'Stone'
    >>> origins = np.array([[1, 1, 10], [99, 99, 10]], np.float32)
    >>> faces, distances = room.rays(origins, (0, 0, -1))
    >>> faces.shape, bool(faces[0] >= 0), int(faces[1]), float(distances[1])
    ((2,), True, -1, inf)
    """

    __slots__ = ("_native", "_name")

    def __init__(
        self,
        source: StrPath | bytes | Document,
        *,
        walkable: Sequence[str] = (),
        not_walkable: Sequence[str] = (),
        sources: Sources | None = None,
    ) -> None:
        """Takes the ground of a document or a file. Materials may be treated as walkable or not, by name or number."""
        document = source if isinstance(source, Document) else open(source, sources=sources)
        self._native = document._native.ground(_names(walkable), _names(not_walkable))
        self._name = document.name

    def __repr__(self) -> str:
        return f"<galatea.Ground {self._name!r}, {len(self)} faces>"

    def __len__(self) -> int:
        return len(self._native.tables()[1])

    def _normal(self, face: int) -> Point:
        x, y, z = self._native.normal(face)
        return x, y, z

    @property
    def positions(self) -> NDArray[np.float32]:
        """A copy of the positions of vertices."""
        return self._native.tables()[0]

    @property
    def faces(self) -> NDArray[np.uint32]:
        """A copy of the triangles."""
        return self._native.tables()[1]

    @property
    def face_materials(self) -> NDArray[np.uint32]:
        """The number of the material of each face."""
        return self._native.tables()[2]

    @property
    def materials(self) -> list[GroundMaterial]:
        """The materials that occur."""
        out = []
        for number, name, (red, green, blue), walkable in self._native.materials():
            out.append(GroundMaterial(number, name, (red, green, blue), walkable))
        return out

    def rays(
        self,
        origins: ArrayLike,
        directions: ArrayLike,
        lengths: ArrayLike | None = None,
        *,
        materials: Sequence[str] | None = None,
        through: Sequence[str] = (),
    ) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """Returns for each ray the face that it hits first, or -1, and its distance, or infinity.

        There is a direction, and a length if they are limited, for each origin, or one for all. Only faces of ``materials`` are hit,
        and none of ``through``.
        """
        starts = _points(origins, "origins")
        aims = _points(directions, "directions")
        reach = None if lengths is None else np.atleast_1d(array_of(lengths, np.float32, None, "lengths"))
        if reach is not None and reach.ndim != 1:
            raise ValueError(f"lengths: needs one number for each ray, has the shape {reach.shape}")
        return self._native.rays(starts, aims, reach, None if materials is None else _names(materials), _names(through))

    def ray(
        self,
        origin: ArrayLike,
        direction: ArrayLike,
        length: float | None = None,
        *,
        materials: Sequence[str] | None = None,
        through: Sequence[str] = (),
    ) -> Hit | None:
        """Returns what one ray hits first."""
        starts, aims = _points(origin, "origin"), _points(direction, "direction")
        if len(starts) != 1 or len(aims) != 1:
            raise ValueError("one ray has one origin and one direction; `rays` takes many")
        faces, distances = self.rays(starts, aims, length, materials=materials, through=through)
        face, distance = int(faces[0]), float(distances[0])
        if face < 0:
            return None
        aim = aims[0].astype(np.float64)
        x, y, z = (float(value) for value in starts[0] + aim / np.linalg.norm(aim) * distance)
        return Hit(face, distance, (x, y, z), self._normal(face), self._native.material_name(face) or "")

    def footings(
        self, points: ArrayLike, *, step: float = 0.5, drop: float = math.inf, materials: Sequence[str] | None = None
    ) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Returns for each point the face on which one stands there, or -1, and its height, or NaN.

        The ground may be ``step`` above a point and ``drop`` below it, and is of ``materials``, or walkable without.
        """
        of = None if materials is None else _names(materials)
        return self._native.locate(_points(points, "points"), step, drop, of)

    def locate(
        self, point: ArrayLike, *, step: float = 0.5, drop: float = math.inf, materials: Sequence[str] | None = None
    ) -> Footing | None:
        """Returns where one stands at a point."""
        places = _points(point, "point")
        if len(places) != 1:
            raise ValueError("`locate` takes one point; `footings` takes many")
        faces, heights = self.footings(places, step=step, drop=drop, materials=materials)
        face = int(faces[0])
        if face < 0:
            return None
        return Footing(face, float(heights[0]), self._normal(face), self._native.material_name(face) or "")

    def path(
        self,
        start: ArrayLike,
        goal: ArrayLike,
        *,
        radius: float = 0.0,
        forbid: Sequence[str] = (),
        costs: Mapping[str, float] | None = None,
        fast: bool = False,
        step: float = 0.5,
        drop: float = math.inf,
    ) -> Path | None:
        """Returns the shortest way from one point to another; ``None`` if nothing joins them.

        It keeps ``radius`` from every border, and does not enter the materials of ``forbid``. A metre on a material may cost more
        than 1; a ``fast`` search may give a way that is a little longer. Raises ``ValueError`` if there is no ground at an end.

        >>> import galatea
        >>> keep = galatea.Ground("examples/keep/keep.lyt")
        >>> way = keep.path((1, 1, 1), (15, 5, 1), radius=0.3, forbid=["Water"])
        >>> round(way.length, 2), way.shortest
        (15.04, True)
        """
        first, last = _points(start, "start"), _points(goal, "goal")
        if len(first) != 1 or len(last) != 1:
            raise ValueError("a path has one start and one goal")
        (ax, ay, az), (bx, by, bz) = first[0].tolist(), last[0].tolist()
        prices = [(str(name), float(price)) for name, price in (costs or {}).items()]
        ended, row = self._native.path(
            (ax, ay, az), (bx, by, bz), radius, _names(forbid), prices, fast, step, drop
        )
        if ended in ("no-start", "no-goal"):
            where, point = ("start", start) if ended == "no-start" else ("goal", goal)
            raise ValueError(f"there is no ground to stand on at the {where}, {point!r}")
        return None if row is None else Path(*row)


def _names(names: Sequence[str]) -> list[str]:
    """Returns the names of materials."""
    if isinstance(names, str):
        raise TypeError(f"materials are a list of names; did you mean [{names!r}]?")
    return [str(name) for name in names]


def _points(points: ArrayLike, what: str) -> NDArray[np.float32]:
    """Returns one point or many as rows."""
    array: NDArray[np.float32] = array_of(points, np.float32, None, what)
    if array.ndim == 1 and array.size == 3:
        array = array.reshape(1, 3)
    if array.ndim != 2 or array.shape[1] != 3:
        raise ValueError(f"{what}: needs rows of 3 numbers, has the shape {array.shape}")
    return array
