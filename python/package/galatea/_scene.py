"""Scenes: nodes, meshes, skins, materials and clips, with numbers as arrays."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from galatea import _galatea
from galatea._options import ConvertOptions, Sources, StrPath, native, plain
from galatea._results import Converted
from galatea._values import array_of, index_of, plain_part, plain_value, rows_of

if TYPE_CHECKING:
    from galatea._document import Document

Vector3 = tuple[float, float, float]
Vector4 = tuple[float, float, float, float]
Floats = NDArray[np.float32]
Indices = NDArray[np.uint32]
#: What JSON can say, by name.
Extras = dict[str, Any]


@dataclass(slots=True)
class Node:
    """A node of the tree. ``parent`` decides where it hangs; ``children`` only tells their order."""

    name: str = ""
    parent: int | None = None
    children: list[int] = field(default_factory=list)
    translation: Vector3 = (0.0, 0.0, 0.0)
    #: A quaternion: x, y, z, w.
    rotation: Vector4 = (0.0, 0.0, 0.0, 1.0)
    scale: Vector3 = (1.0, 1.0, 1.0)
    visible: bool = True
    #: Colour and opacity that its mesh is multiplied by.
    tint: Vector4 = (1.0, 1.0, 1.0, 1.0)
    #: Numbers of what hangs on the node, in the lists of the scene.
    mesh: int | None = None
    skin: int | None = None
    light: int | None = None
    camera: int | None = None
    emitter: int | None = None
    #: An attachment point: ``{"id": 3, "path": ""}``.
    attachment: dict[str, Any] | None = None
    #: A shape for hit tests, such as ``{"sphere": {"center": (0, 0, 0), "radius": 1}}``.
    shape: dict[str, Any] | None = None
    #: ``full``, ``about_x``, ``about_y`` or ``about_z``.
    billboard: str | None = None
    #: What it inherits from its parent.
    inherit: dict[str, bool] = field(
        default_factory=lambda: {"translation": True, "rotation": True, "scale": True}
    )
    #: Whether it only converts axes and units of the format.
    axes: bool = False
    extras: Extras = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class Vertices:
    """Columns of numbers, one row for each vertex. Several primitives may share them.

    The arrays are the scene's own memory: what is written to them is in the scene.
    """

    positions: Floats
    normals: Floats | None = None
    #: The bitangent is cross(normal, tangent) times the last number.
    tangents: Floats | None = None
    #: Sets of texture coordinates, V down.
    uvs: list[Floats] = field(default_factory=list)
    #: Sets of colours: red, green, blue, opacity.
    colors: list[Floats] = field(default_factory=list)
    #: Which joints of the skin move each vertex, and how much.
    joints: NDArray[np.uint16] | None = None
    weights: Floats | None = None
    #: Other numbers, by the format's name.
    attributes: dict[str, Floats] = field(default_factory=dict)
    extras: Extras = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.positions)


@dataclass(slots=True, eq=False)
class Primitive:
    """Triangles, lines or points with one material."""

    vertices: Vertices
    #: Rows of three, two or one numbers of vertices.
    indices: Indices
    material: int | None = None
    #: ``triangles``, ``lines`` or ``points``.
    topology: str = "triangles"
    extras: Extras = field(default_factory=dict)

    @property
    def triangles(self) -> Indices:
        """The triangles: rows of three numbers of vertices."""
        if self.topology != "triangles":
            return np.empty((0, 3), np.uint32)
        return self.indices


@dataclass(slots=True, eq=False)
class Mesh:
    """Primitives that belong together. A mesh with one primitive has its arrays as well."""

    name: str = ""
    primitives: list[Primitive] = field(default_factory=list)
    #: ``render``, ``walk``, ``collision``, ``aabb`` or ``hidden``.
    purpose: str = "render"
    #: Level of detail; 0, or none, is the finest.
    lod: int | None = None
    extras: Extras = field(default_factory=dict)

    def _only(self) -> Primitive:
        if len(self.primitives) != 1:
            raise ValueError(f"mesh {self.name!r} has {len(self.primitives)} primitives; use those")
        return self.primitives[0]

    @property
    def vertices(self) -> Vertices:
        """The vertices, if all primitives share them."""
        first = self.primitives[0].vertices if self.primitives else None
        if first is None or any(part.vertices is not first for part in self.primitives):
            raise ValueError(f"mesh {self.name!r} has {len(self.primitives)} primitives with other vertices; use those")
        return first

    @property
    def positions(self) -> Floats:
        """Positions, a row for each vertex."""
        return self.vertices.positions

    @property
    def normals(self) -> Floats | None:
        """Normals, a row for each vertex."""
        return self.vertices.normals

    @property
    def uvs(self) -> list[Floats]:
        """Sets of texture coordinates."""
        return self.vertices.uvs

    @property
    def joints(self) -> NDArray[np.uint16] | None:
        """Which joints of the skin move each vertex."""
        return self.vertices.joints

    @property
    def weights(self) -> Floats | None:
        """How much each of the joints moves the vertex."""
        return self.vertices.weights

    @property
    def triangles(self) -> Indices:
        """The triangles of its only primitive."""
        return self._only().triangles


@dataclass(slots=True, eq=False)
class Skin:
    """The joints that move a mesh."""

    name: str = ""
    #: Numbers of nodes.
    joints: Indices = field(default_factory=lambda: np.empty(0, np.uint32))
    #: For each joint the matrix from the space of the mesh to its own: rows and columns, for columns of coordinates.
    inverse_bind: Floats = field(default_factory=lambda: np.empty((0, 4, 4), np.float32))
    extras: Extras = field(default_factory=dict)


@dataclass(slots=True)
class Texture:
    """A texture of a material, by the name that the game stores."""

    name: str = ""
    #: ``base``, ``lightmap``, ``normal``, ``orm``, ``emissive``, ``specular``, ``environment``, ``team_color`` or ``{"other": name}``.
    slot: str | dict[str, str] = "base"
    uv_set: int = 0
    #: ``repeat``, ``mirror`` or ``clamp``, across and down.
    wrap: tuple[str, str] = ("repeat", "repeat")
    transform: dict[str, Any] | None = None
    extras: Extras = field(default_factory=dict)


@dataclass(slots=True)
class Material:
    """How a surface looks."""

    name: str = ""
    base_color: Vector4 = (1.0, 1.0, 1.0, 1.0)
    emissive: Vector3 = (0.0, 0.0, 0.0)
    metallic: float = 0.0
    roughness: float = 1.0
    textures: list[Texture] = field(default_factory=list)
    #: ``opaque``, ``blend``, ``additive``, ``modulate``, ``modulate2x`` or ``{"mask": {"cutoff": 0.5}}``.
    alpha: str | dict[str, Any] = "opaque"
    two_sided: bool = False
    unlit: bool = False
    #: Numbers of materials that are drawn over this one.
    layers: list[int] = field(default_factory=list)
    extras: Extras = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class Channel:
    """One property over time."""

    #: What moves: ``node``, ``material``, ``light``, ``camera`` or ``emitter``, and its number.
    target: tuple[str, int]
    #: ``translation``, ``rotation``, ``scale``, ``visibility``, ``color``, ``alpha`` or another one.
    property: str
    #: Seconds, ascending.
    times: Floats
    #: A row for each key; cubic ones have three rows: incoming tangent, value, outgoing tangent.
    values: Floats
    #: ``step``, ``linear`` or ``cubic``.
    interpolation: str = "linear"
    extras: Extras = field(default_factory=dict)


@dataclass(slots=True)
class Event:
    """Something that happens at a time of a clip."""

    time: float = 0.0
    name: str = ""
    node: int | None = None
    extras: Extras = field(default_factory=dict)


class Clip:
    """An animation. Its channels are read when they are first asked for."""

    __slots__ = ("name", "length", "playback", "events", "extras", "_channels", "_source")

    def __init__(
        self,
        name: str = "",
        length: float = 0.0,
        channels: Iterable[Channel] = (),
        *,
        playback: str = "loop",
        events: Iterable[Event] = (),
        extras: Extras | None = None,
    ) -> None:
        self.name = name
        #: Seconds.
        self.length = length
        #: ``loop``, ``once`` or ``always``.
        self.playback = playback
        self.events = list(events)
        self.extras: Extras = {} if extras is None else extras
        self._channels: list[Channel] = list(channels)
        self._source: tuple[_galatea.SceneParts, int] | None = None

    @property
    def channels(self) -> list[Channel]:
        """The animated properties."""
        if self._source is not None:
            parts, at = self._source
            self._channels = [Channel(**row) for row in parts.take_channels(at)]
            self._source = None
        return self._channels

    @channels.setter
    def channels(self, channels: Iterable[Channel]) -> None:
        self._channels = list(channels)
        self._source = None

    def __getstate__(self) -> dict[str, Any]:
        names = ("name", "length", "playback", "events", "extras", "channels")
        return {name: getattr(self, name) for name in names}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            setattr(self, name, value)

    def __repr__(self) -> str:
        return f"<galatea.Clip {self.name!r}, {self.length:g} s>"


@dataclass(slots=True)
class Light:
    """A light of a node."""

    name: str = ""
    #: ``point``, ``directional``, ``ambient`` or ``{"spot": {"inner": 0.2, "outer": 0.4}}``.
    kind: str | dict[str, Any] = "point"
    color: Vector3 = (1.0, 1.0, 1.0)
    intensity: float = 1.0
    range: float | None = None
    extras: Extras = field(default_factory=dict)


@dataclass(slots=True)
class Camera:
    """A camera of a node. It looks along the node's negative Z axis, or at another node."""

    name: str = ""
    #: ``{"perspective": {"yfov": 0.8, "aspect": None}}`` or ``{"orthographic": {"size": (1, 1)}}``.
    projection: dict[str, Any] = field(
        default_factory=lambda: {"perspective": {"yfov": 0.8, "aspect": None}}
    )
    near: float = 0.1
    far: float | None = None
    target: int | None = None
    extras: Extras = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class Pose:
    """A scene at a moment."""

    #: The matrix of each node in the scene: (nodes, 4, 4), for columns of coordinates.
    world: Floats
    #: Whether each node is visible.
    visible: NDArray[np.bool_]
    #: Colour and opacity of each node.
    tint: Floats


@dataclass(slots=True, eq=False)
class Deformed:
    """A primitive in a pose."""

    node: int
    #: Its place in the mesh of the node.
    primitive: int
    positions: Floats
    normals: Floats | None


def _vertices(one: Vertices, what: str) -> dict[str, Any]:
    """Returns vertices as the native module takes them."""
    positions = array_of(one.positions, np.float32, 3, f"{what}.positions")
    count = len(positions)

    def rows(values: ArrayLike | None, columns: int | None, name: str, dtype: Any = np.float32) -> Any:
        return rows_of(values, dtype, columns, count, f"{what}.{name}")

    joints, weights = rows(one.joints, None, "joints", np.uint16), rows(one.weights, None, "weights")
    if (joints is None) != (weights is None) or (joints is not None and joints.shape != weights.shape):
        raise ValueError(f"{what}: joints and weights must have the same shape")
    attributes = []
    for name, values in one.attributes.items():
        array = rows(values, None, f"attributes[{name!r}]")
        if not 1 <= array.shape[1] <= 4:
            raise ValueError(f"{what}.attributes[{name!r}]: needs 1 to 4 columns")
        attributes.append((str(name), array))
    return {
        "positions": positions,
        "normals": rows(one.normals, 3, "normals"),
        "tangents": rows(one.tangents, 4, "tangents"),
        "uvs": [rows(values, 2, f"uvs[{at}]") for at, values in enumerate(one.uvs)],
        "colors": [rows(values, 4, f"colors[{at}]") for at, values in enumerate(one.colors)],
        "joints": joints,
        "weights": weights,
        "attributes": attributes,
        "extras": plain_value(one.extras, f"{what}.extras"),
    }


def _channel(one: Channel, what: str) -> dict[str, Any]:
    """Returns a channel as the native module takes it."""
    times = array_of(one.times, np.float32, None, f"{what}.times")
    if times.ndim != 1:
        raise ValueError(f"{what}.times: needs one number for each key, has the shape {times.shape}")
    values = array_of(one.values, np.float32, None, f"{what}.values")
    keys = len(times) * (3 if one.interpolation == "cubic" else 1)
    if keys == 0 and values.size or keys and values.size % keys:
        raise ValueError(f"{what}.values: has the shape {values.shape}, which is no multiple of {len(times)} keys")
    kind, number = one.target
    return {
        "target": (str(kind), index_of(number, f"{what}.target")),
        "property": str(one.property),
        "interpolation": str(one.interpolation),
        "times": times,
        "values": values.reshape(-1),
        "extras": plain_value(one.extras, f"{what}.extras"),
    }


class Scene:
    """A model as lists of parts that name each other by their numbers.

    Right-handed, Y up, metres, seconds. A format with other axes or units has a root with ``axes`` that converts them, so that the
    arrays are what the file has. The arrays are the scene's own memory: they are not copied, and what is written to them is in the
    scene. A scene is copied by ``copy.deepcopy``, and can be pickled.

    >>> import galatea, numpy as np
    >>> scene = galatea.Scene.new("tent")
    >>> canvas = scene.add_material("canvas", base_color=(0.8, 0.7, 0.5, 1.0), two_sided=True)
    >>> points = np.array([[-1, 0, 0], [1, 0, 0], [0, 1, 0]], np.float32)
    >>> mesh = scene.add_mesh("sheet", points, [[0, 1, 2]], material=canvas)
    >>> root = scene.add_node("root")
    >>> leaf = scene.add_node("sheet", parent=root, mesh=mesh)
    >>> model = scene.convert("mdx", version=800).open()
    >>> model.info()["triangles"], [str(finding) for finding in model.check()]
    (1, ['warning MDLX0050: no sequences: none (at sequences)'])
    """

    def __init__(self, name: str = "") -> None:
        self.name = name
        self.nodes: list[Node] = []
        self.meshes: list[Mesh] = []
        self.skins: list[Skin] = []
        self.materials: list[Material] = []
        self.clips: list[Clip] = []
        self.lights: list[Light] = []
        self.cameras: list[Camera] = []
        #: Emitters of particles and ribbons, as dictionaries.
        self.emitters: list[dict[str, Any]] = []
        self.extras: Extras = {}
        # Vertices that no primitive names keep their place.
        self._vertices: list[Vertices] = []

    @classmethod
    def new(cls, name: str = "scene") -> Scene:
        """Returns an empty scene."""
        return cls(name)

    @classmethod
    def _of(cls, parts: _galatea.SceneParts) -> Scene:
        """Takes a scene out of the native module."""
        taken = parts.take()
        scene = cls(taken["name"])
        for row in taken["nodes"]:
            scene.nodes.append(Node(**row.pop("transform"), **row))
            scene.nodes[-1].children = list(scene.nodes[-1].children)
        scene._vertices = [Vertices(**row) for row in taken["vertices"]]
        for row in taken["meshes"]:
            row["primitives"] = [scene._primitive(part) for part in row["primitives"]]
            scene.meshes.append(Mesh(**row))
        scene.skins = [Skin(**row) for row in taken["skins"]]
        for row in taken["materials"]:
            row["textures"] = [Texture(**texture) for texture in row["textures"]]
            scene.materials.append(Material(**row))
        for at, row in enumerate(taken["clips"]):
            row["events"] = [Event(**event) for event in row["events"]]
            clip = Clip(**row)
            clip._source = (parts, at)
            scene.clips.append(clip)
        scene.lights = [Light(**row) for row in taken["lights"]]
        scene.cameras = [Camera(**row) for row in taken["cameras"]]
        scene.emitters = taken["emitters"]
        scene.extras = taken["extras"]
        return scene

    def _primitive(self, row: dict[str, Any]) -> Primitive:
        """Returns a primitive with its vertices; of numbers that lead nowhere it has none."""
        at = row.pop("vertices")
        known = at < len(self._vertices)
        return Primitive(self._vertices[at] if known else Vertices(np.empty((0, 3), np.float32)), **row)

    def _native(self, *, clips: Sequence[Clip] | None = None, drawn: bool = True) -> _galatea.SceneParts:
        """Returns the scene for the native module, with all clips or these, with or without what is drawn."""
        self._put_children()
        vertices = list(self._vertices) if drawn else []
        places = {id(one): at for at, one in enumerate(vertices)}
        meshes = []
        for at, mesh in enumerate(self.meshes if drawn else ()):
            rows = []
            for part_at, part in enumerate(mesh.primitives):
                what = f"meshes[{at}].primitives[{part_at}]"
                if id(part.vertices) not in places:
                    places[id(part.vertices)] = len(vertices)
                    vertices.append(part.vertices)
                width = {"triangles": 3, "lines": 2, "points": 1}.get(part.topology)
                if width is None:
                    raise ValueError(f"{what}.topology: {part.topology!r} is not triangles, lines or points")
                indices = array_of(part.indices, np.uint32, width, f"{what}.indices")
                rows.append(
                    {
                        "vertices": places[id(part.vertices)],
                        "topology": part.topology,
                        "indices": indices,
                        "material": part.material,
                        "extras": plain_value(part.extras, f"{what}.extras"),
                    }
                )
            row = {"name": mesh.name, "primitives": rows, "purpose": mesh.purpose, "lod": mesh.lod}
            meshes.append({**row, "extras": plain_value(mesh.extras, f"meshes[{at}].extras")})
        return _galatea.SceneParts.of(
            {
                "name": self.name,
                "nodes": [_node(node, f"nodes[{at}]", drawn) for at, node in enumerate(self.nodes)],
                "vertices": [_vertices(one, f"vertices[{at}]") for at, one in enumerate(vertices)],
                "meshes": meshes,
                "skins": [_skin(skin, f"skins[{at}]") for at, skin in enumerate(self.skins if drawn else ())],
                "materials": [_material(one, f"materials[{at}]") for at, one in enumerate(self.materials)],
                "clips": [
                    _clip(clip, f"clips[{at}]") for at, clip in enumerate(self.clips if clips is None else clips)
                ],
                "lights": [plain_part(one, f"lights[{at}]") for at, one in enumerate(self.lights)],
                "cameras": [plain_part(one, f"cameras[{at}]") for at, one in enumerate(self.cameras)],
                "emitters": [plain_value(one, f"emitters[{at}]") for at, one in enumerate(self.emitters)],
                "extras": plain_value(self.extras, "extras"),
            }
        )

    def _put_children(self) -> None:
        """Makes the lists of children agree with the parents."""
        count = len(self.nodes)
        for at, node in enumerate(self.nodes):
            if node.parent is not None and not (isinstance(node.parent, int) and 0 <= node.parent < count):
                raise ValueError(f"nodes[{at}].parent: there is no node {node.parent!r}")
        known = [set[int]() for _ in self.nodes]
        for at, node in enumerate(self.nodes):
            own = [child for child in node.children if 0 <= child < count and self.nodes[child].parent == at]
            own = list(dict.fromkeys(own))
            if own != node.children:
                node.children = own
            known[at].update(own)
        for at, node in enumerate(self.nodes):
            if node.parent is not None and at not in known[node.parent]:
                self.nodes[node.parent].children.append(at)

    def __repr__(self) -> str:
        counts = f"{len(self.nodes)} nodes, {len(self.meshes)} meshes, {len(self.clips)} clips"
        return f"<galatea.Scene {self.name!r}, {counts}>"

    def find(self, name: str) -> int | None:
        """Returns the number of the first node of this name."""
        return next((at for at, node in enumerate(self.nodes) if node.name == name), None)

    def find_clip(self, name: str) -> Clip | None:
        """Returns the first clip of this name, letter case ignored."""
        return next((clip for clip in self.clips if clip.name.lower() == name.lower()), None)

    def add_node(self, name: str, *, parent: int | None = None, **values: Any) -> int:
        """Adds a node, and returns its number. ``values`` are those of ``Node``."""
        self.nodes.append(Node(name, parent, **values))
        at = len(self.nodes) - 1
        if parent is not None:
            if not 0 <= parent < at:
                self.nodes.pop()
                raise ValueError(f"parent: there is no node {parent!r}")
            self.nodes[parent].children.append(at)
        return at

    def add_material(self, name: str, *, texture: str | None = None, **values: Any) -> int:
        """Adds a material, and returns its number. ``texture`` is the name of its base texture."""
        material = Material(name, **values)
        if texture is not None:
            material.textures.insert(0, Texture(texture))
        self.materials.append(material)
        return len(self.materials) - 1

    def add_mesh(
        self,
        name: str,
        positions: ArrayLike,
        triangles: ArrayLike,
        *,
        normals: ArrayLike | None = None,
        uvs: ArrayLike | None = None,
        joints: ArrayLike | None = None,
        weights: ArrayLike | None = None,
        material: int | None = None,
        purpose: str = "render",
    ) -> int:
        """Adds a mesh with one primitive, and returns its number. Contiguous arrays of the right type are not copied."""
        points = array_of(positions, np.float32, 3, "positions")
        count = len(points)
        vertices = Vertices(
            points,
            normals=rows_of(normals, np.float32, 3, count, "normals"),
            uvs=[] if uvs is None else [rows_of(uvs, np.float32, 2, count, "uvs")],
            joints=rows_of(joints, np.uint16, None, count, "joints"),
            weights=rows_of(weights, np.float32, None, count, "weights"),
        )
        indices = array_of(triangles, np.uint32, 3, "triangles")
        if len(indices) and int(indices.max()) >= count:
            raise ValueError(f"triangles: vertex {indices.max()} is named, there are {count}")
        self.meshes.append(Mesh(name, [Primitive(vertices, indices, material)], purpose))
        return len(self.meshes) - 1

    def add_skin(self, joints: Sequence[int], inverse_bind: ArrayLike | None = None, *, name: str = "") -> int:
        """Adds a skin, and returns its number. Without matrices, joints are bound where they are at rest."""
        numbers = array_of(np.asarray(joints, dtype=np.int64), np.uint32, None, "joints")
        if inverse_bind is None:
            world = self.pose().world
            inverse_bind = np.linalg.inv(world[numbers].astype(np.float64)) if len(numbers) else np.empty((0, 4, 4))
        binds = array_of(inverse_bind, np.float32, None, "inverse_bind")
        if binds.shape != (len(numbers), 4, 4):
            raise ValueError(f"inverse_bind: needs the shape {(len(numbers), 4, 4)}, has {binds.shape}")
        self.skins.append(Skin(name, numbers, binds))
        return len(self.skins) - 1

    def add_clip(self, name: str, length: float, channels: Iterable[Channel] = (), **values: Any) -> Clip:
        """Adds a clip, and returns it."""
        clip = Clip(name, length, channels, **values)
        self.clips.append(clip)
        return clip

    def _clip_of(self, clip: str | Clip | None) -> list[Clip]:
        if clip is None or isinstance(clip, Clip):
            return [] if clip is None else [clip]
        found = self.find_clip(clip)
        if found is None:
            known = ", ".join(one.name for one in self.clips) or "none"
            raise ValueError(f"there is no clip {clip!r}; the scene has {known}")
        return [found]

    def pose(self, clip: str | Clip | None = None, time: float = 0.0) -> Pose:
        """Returns where everything is at a time of a clip, or at rest.

        >>> import galatea
        >>> scene = galatea.open("examples/statue_800.mdx").scene()
        >>> scene.pose("Walk", 0.1).world.shape == (len(scene.nodes), 4, 4)
        True
        """
        clips = self._clip_of(clip)
        world, visible, tint = self._native(clips=clips, drawn=False).pose(0 if clips else None, [time])
        return Pose(world[0], visible[0], tint[0])

    def poses(self, clip: str | Clip, times: ArrayLike) -> Floats:
        """Returns the matrices of all nodes at many times: (times, nodes, 4, 4).

        >>> import galatea, numpy as np
        >>> scene = galatea.open("examples/statue_800.mdx").scene()
        >>> scene.poses("Walk", np.linspace(0, 1, 30)).shape[0]
        30
        """
        clips = self._clip_of(clip)
        moments = array_of(times, np.float32, None, "times").reshape(-1)
        return self._native(clips=clips, drawn=False).pose(0, moments.tolist())[0]

    def deform(self, clip: str | Clip | None = None, time: float = 0.0) -> list[Deformed]:
        """Returns the vertices of everything that is drawn, in the scene, at a time of a clip or at rest."""
        clips = self._clip_of(clip)
        rows = self._native(clips=clips).deform(0 if clips else None, time)
        return [Deformed(*row) for row in rows]

    def convert(
        self,
        to: str,
        *,
        texture_files: Mapping[str, bytes] | None = None,
        sources: Sources | None = None,
        **options: Unpack[ConvertOptions],
    ) -> Converted:
        """Returns the scene as a file of a format, and what that cannot hold.

        ``texture_files`` has PNG or JPEG files of textures by the names that those have in the scene. They become textures of the game,
        among the ``files`` of the result.
        """
        given = {str(name): bytes(data) for name, data in (texture_files or {}).items()}
        return Converted(self._native().convert(to, plain(options), given, None, native(sources)))

    def onto(
        self,
        original: Document,
        *,
        to: str | None = None,
        sources: Sources | None = None,
        **options: Unpack[ConvertOptions],
    ) -> Converted:
        """Returns the scene laid onto the document that it was made from, which gives everything that a scene cannot say.

        >>> import galatea
        >>> statue = galatea.open("examples/statue_800.mdx")
        >>> scene = statue.scene()
        >>> scene.onto(statue).bytes == statue.write()
        True
        >>> scene.meshes[0].positions[:] *= 1.1
        >>> edited = scene.onto(statue)
        >>> edited.account.unchanged, [change.fate for change in edited.account.changes]
        (False, ['changed'])
        """
        target = original.format if to is None else to
        return Converted(self._native().convert(target, plain(options), {}, original._native, native(sources)))

    def save(
        self,
        path: StrPath,
        *,
        to: str | None = None,
        force: bool = False,
        texture_files: Mapping[str, bytes] | None = None,
        sources: Sources | None = None,
        **options: Unpack[ConvertOptions],
    ) -> Converted:
        """Writes the scene as the format that the path or ``to`` names, with all that belongs to it. Returns what was written.

        The model is named after the file. Raises ``FileExistsError`` rather than replace a file, unless ``force`` is given.
        """
        target = _galatea.target_of(path, "glb") if to is None else to
        if options.get("name") is None:
            options["name"] = Path(os.fspath(path)).name.split(".")[0]
        done = self.convert(target, texture_files=texture_files, sources=sources, **options)
        done.save(path, force=force)
        return done


def _node(node: Node, what: str, drawn: bool) -> dict[str, Any]:
    row = plain_part(node, what)
    names = ("translation", "rotation", "scale")
    row["transform"] = {name: row.pop(name) for name in names}
    for name in names:
        size = 4 if name == "rotation" else 3
        values = row["transform"][name]
        if not isinstance(values, list) or len(values) != size or not all(isinstance(v, (int, float)) for v in values):
            raise ValueError(f"{what}.{name}: needs {size} numbers, has {values!r}")
    if not drawn:
        row["mesh"] = row["skin"] = None
    return row


def _material(material: Material, what: str) -> dict[str, Any]:
    row = {
        one.name: plain_value(getattr(material, one.name), f"{what}.{one.name}")
        for one in fields(material)
        if one.name != "textures"
    }
    row["textures"] = [plain_part(texture, f"{what}.textures[{at}]") for at, texture in enumerate(material.textures)]
    return row


def _skin(skin: Skin, what: str) -> dict[str, Any]:
    joints = array_of(skin.joints, np.uint32, None, f"{what}.joints").reshape(-1)
    binds = array_of(skin.inverse_bind, np.float32, None, f"{what}.inverse_bind")
    if binds.size and (binds.ndim != 3 or binds.shape[1:] != (4, 4)):
        raise ValueError(f"{what}.inverse_bind: needs matrices of 4 rows and columns, has the shape {binds.shape}")
    binds = np.ascontiguousarray(binds.reshape(-1, 4, 4).transpose(0, 2, 1))
    return {"name": skin.name, "joints": joints, "inverse_bind": binds, "extras": plain_value(skin.extras, f"{what}.extras")}


def _clip(clip: Clip, what: str) -> dict[str, Any]:
    channels = () if clip._source is not None else clip._channels
    return {
        "name": clip.name,
        "length": clip.length,
        "playback": clip.playback,
        "events": [plain_part(event, f"{what}.events[{at}]") for at, event in enumerate(clip.events)],
        "extras": plain_value(clip.extras, f"{what}.extras"),
        "channels": [_channel(channel, f"{what}.channels[{at}]") for at, channel in enumerate(channels)],
        "source": clip._source,
    }
