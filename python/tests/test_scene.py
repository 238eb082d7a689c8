"""Scenes: arrays without copies, edits, new models, poses."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import galatea

from .conftest import EXAMPLES

MODELS = [EXAMPLES / name for name in ("statue.mdl", "statue_800.mdx", "statue_1000.mdx", "statue.fmdl", "beacon.mdx")]


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.name)
def test_a_scene_that_is_laid_onto_its_original_gives_the_same_bytes(path: Path) -> None:
    document = galatea.open(path)
    untouched = document.scene()
    assert list(untouched.onto(document).files().values()) == list(document.files().values())
    touched = document.scene()
    for clip in touched.clips:
        assert all(len(channel.times) for channel in clip.channels)
    touched = pickle.loads(pickle.dumps(copy.deepcopy(touched)))
    done = touched.onto(document)
    assert list(done.files().values()) == list(document.files().values())
    assert done.account is not None and done.account.unchanged


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.name)
def test_a_scene_has_what_info_counts(path: Path) -> None:
    document = galatea.open(path)
    info, scene = document.info(), document.scene()
    # Global sequences play beside all clips.
    assert sum(clip.playback != "always" for clip in scene.clips) == info["clips"]
    drawn = [scene.meshes[node.mesh] for node in scene.nodes if node.mesh is not None]
    triangles = sum(len(part.triangles) for mesh in drawn for part in mesh.primitives)
    assert triangles >= info["triangles"] > 0
    for mesh in drawn:
        for part in mesh.primitives:
            assert part.indices.max(initial=0) < len(part.vertices)


def test_arrays_are_typed_and_shaped() -> None:
    scene = galatea.open(EXAMPLES / "statue.glb").scene()
    mesh = next(mesh for mesh in scene.meshes if mesh.joints is not None)
    count = len(mesh.positions)
    assert mesh.positions.dtype == np.float32 and mesh.positions.shape == (count, 3)
    assert mesh.normals is not None and mesh.normals.shape == (count, 3)
    assert mesh.uvs[0].shape == (count, 2)
    assert mesh.triangles.dtype == np.uint32 and mesh.triangles.shape[1] == 3
    assert mesh.joints is not None and mesh.joints.dtype == np.uint16
    assert mesh.weights is not None and mesh.weights.shape == mesh.joints.shape
    assert np.allclose(mesh.weights.sum(axis=1), 1.0, atol=1e-3)
    skin = scene.skins[0]
    assert skin.inverse_bind.shape == (len(skin.joints), 4, 4)
    assert np.allclose(skin.inverse_bind[:, 3], [0, 0, 0, 1])
    channel = scene.clips[0].channels[0]
    assert channel.target[0] == "node" and len(channel.values) == len(channel.times)


def test_arrays_are_the_memory_of_the_scene() -> None:
    scene = galatea.open(EXAMPLES / "statue_800.mdx").scene()
    first = scene.meshes[0].positions
    assert scene.meshes[0].positions is first
    # The memory of the library itself: a view of an object that is no array.
    owner: Any = first
    while isinstance(owner.base, np.ndarray):
        owner = owner.base
    assert owner.base is not None and not owner.flags.owndata
    first[0] = (1.0, 2.0, 3.0)
    new = scene.convert("glb").open().scene()
    assert any((mesh.positions == (1.0, 2.0, 3.0)).all(axis=1).any() for mesh in new.meshes)


def test_an_edit_arrives_and_all_else_stays() -> None:
    document = galatea.open(EXAMPLES / "statue_800.mdx")
    scene = document.scene()
    scene.meshes[0].positions[:, 2] += 5.0
    done = scene.onto(document)
    assert done.account is not None
    assert [(change.part, change.fate) for change in done.account.changes] == [("mesh", "changed")]
    lines = document.diff(done.open())
    assert lines and all("vertices" in line or "extent" in line or "radius" in line or "geosets" in line for line in lines)
    back = done.open().scene()
    assert np.array_equal(back.meshes[0].positions, scene.meshes[0].positions)


def cube() -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    points = np.array([[x, y, z] for x in (-1, 1) for y in (0, 2) for z in (-1, 1)], np.float32)
    sides = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    triangles = [t for a, b, c, d in sides for t in ((a, b, c), (a, c, d))]
    return points, np.array(triangles, np.uint32)


def crate() -> galatea.Scene:
    """A crate that a bone lifts."""
    scene = galatea.Scene.new("crate")
    points, triangles = cube()
    normals = points - (0, 1, 0)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    wood = scene.add_material("wood", texture="wood", base_color=(0.5, 0.4, 0.3, 1.0))
    root = scene.add_node("crate")
    bone = scene.add_node("lid", parent=root, translation=(0.0, 1.0, 0.0))
    mesh = scene.add_mesh(
        "box",
        points,
        triangles,
        normals=normals,
        uvs=points[:, :2] / 2,
        joints=np.zeros((8, 1), np.uint16),
        weights=np.ones((8, 1)),
        material=wood,
    )
    skin = scene.add_skin([bone])
    scene.add_node("box", parent=root, mesh=mesh, skin=skin)
    lift = galatea.Channel(("node", bone), "translation", np.array([0, 1], np.float32), np.array([[0, 1, 0], [0, 3, 0]], np.float32))
    scene.add_clip("Stand", 1.0, [lift])
    return scene


def test_a_skin_is_bound_where_the_joints_are_at_rest() -> None:
    scene = crate()
    assert np.allclose(scene.skins[0].inverse_bind[0][:3, 3], (0, -1, 0))
    rest, lifted = scene.deform()[0].positions, scene.deform("stand", 1.0)[0].positions
    assert np.allclose(rest, cube()[0]) and np.allclose(lifted - rest, (0, 2, 0))


@pytest.mark.parametrize(
    ("to", "options"),
    [
        ("mdx", {"version": 800}),
        ("mdx", {"version": 1000}),
        ("mdl", {"version": 800}),
        ("kotor-mdl", {"model_class": "placeable"}),
        ("kotor-mdl-ascii", {}),
        ("fmdl", {"game": "tpp"}),
        ("glb", {}),
        ("gltf", {}),
        ("obj", {}),
    ],
)
def test_a_scene_from_arrays_becomes_every_format(to: str, options: dict[str, Any]) -> None:
    done = crate().convert(to, **options)
    document = done.open()
    assert document.format == to
    assert document.info()["triangles"] == 12
    assert [str(finding) for finding in document.check() if finding.severity == "error"] == []
    if to not in ("obj",):
        moved = document.scene().deform()
        size = np.ptp(np.concatenate([one.positions for one in moved]), axis=0)
        assert np.allclose(size, (2, 2, 2), atol=1e-3)
    if to not in ("obj", "fmdl"):
        assert document.info()["clips"] == 1


def test_a_scene_is_saved_by_the_name_of_its_file(tmp_path: Path) -> None:
    crate().save(tmp_path / "box.mdx", version=800)
    model = galatea.open(tmp_path / "box.mdx")
    assert (model.format, model.version, model.scene().name) == ("mdx", "800", "box")
    with pytest.raises(FileExistsError):
        crate().save(tmp_path / "box.mdx")
    crate().save(tmp_path / "chest.mdl", texture_format="tga")
    assert galatea.open(tmp_path / "chest.mdl").format == "kotor-mdl"
    assert (tmp_path / "chest.mdx").is_file()
    with pytest.raises(ValueError, match="which format"):
        crate().save(tmp_path / "box.docx")


def test_a_pose_moves_what_the_clip_moves() -> None:
    scene = galatea.open(EXAMPLES / "statue_800.mdx").scene()
    walk = scene.find_clip("WALK")
    assert walk is not None
    rest, moved = scene.pose(), scene.pose(walk, 0.2)
    assert rest.world.shape == (len(scene.nodes), 4, 4) and rest.visible.dtype == np.bool_
    assert np.allclose(rest.world[:, 3], [0, 0, 0, 1])
    assert (rest.world != moved.world).any()
    many = scene.poses("walk", [0.0, 0.2, 0.4])
    assert many.shape == (3, len(scene.nodes), 4, 4) and np.array_equal(many[1], moved.world)
    with pytest.raises(ValueError, match="Walk"):
        scene.pose("fly")


def test_parents_decide_where_nodes_hang() -> None:
    scene = galatea.Scene.new()
    a, b = scene.add_node("a"), scene.add_node("b")
    child = scene.add_node("child", parent=a)
    scene.nodes[child].parent = b
    scene.nodes[b].children = [child, child, 99]
    assert scene.pose().world.shape == (3, 4, 4)
    assert (scene.nodes[a].children, scene.nodes[b].children) == ([], [child])
    scene.nodes[child].parent = 7
    with pytest.raises(ValueError, match=r"nodes\[2\].parent"):
        scene.pose()


def test_extras_go_and_come() -> None:
    extras = {"none": None, "yes": True, "n": 2**62, "x": -0.5, "nan": float("nan"), "list": [1, [2.5, "ä"]], "d": {"k": "v"}}
    scene = crate()
    scene.nodes[0].extras = dict(extras)
    again = pickle.loads(pickle.dumps(scene)).onto(scene.convert("glb").open(), to="glb").open().scene()
    node = again.nodes[again.find("crate") or 0]
    assert {key: node.extras.get(key) for key in ("yes", "n", "x", "list", "d")} == {
        key: extras[key] for key in ("yes", "n", "x", "list", "d")
    }


def broken(change: Any) -> galatea.Scene:
    scene = crate()
    change(scene)
    return scene


def loop() -> list[Any]:
    out: list[Any] = []
    out.append(out)
    return out


@pytest.mark.parametrize(
    "change",
    [
        lambda s: setattr(s.meshes[0].vertices, "positions", np.zeros((3, 2))),
        lambda s: setattr(s.meshes[0].vertices, "positions", "points"),
        lambda s: setattr(s.meshes[0].vertices, "positions", None),
        lambda s: setattr(s.meshes[0].vertices, "positions", np.array(["a", "b"])),
        lambda s: setattr(s.meshes[0].vertices, "positions", np.zeros((8, 3), np.complex64)),
        lambda s: setattr(s.meshes[0].vertices, "normals", np.zeros((7, 3))),
        lambda s: setattr(s.meshes[0].vertices, "joints", np.full((8, 1), 70_000)),
        lambda s: setattr(s.meshes[0].vertices, "joints", np.zeros((8, 2), np.uint16)),
        lambda s: setattr(s.meshes[0].vertices, "weights", None),
        lambda s: setattr(s.meshes[0].vertices, "uvs", [np.zeros((8, 3))]),
        lambda s: setattr(s.meshes[0].vertices, "attributes", {"A": np.zeros((8, 9))}),
        lambda s: setattr(s.meshes[0].primitives[0], "indices", [[0, 1]]),
        lambda s: setattr(s.meshes[0].primitives[0], "indices", [[0, 1, -1]]),
        lambda s: setattr(s.meshes[0].primitives[0], "indices", [[0.5, 1, 2]]),
        lambda s: setattr(s.meshes[0].primitives[0], "topology", "quads"),
        lambda s: setattr(s.meshes[0].primitives[0], "material", -1),
        lambda s: setattr(s.meshes[0], "purpose", "fun"),
        lambda s: setattr(s.meshes[0], "name", 3),
        lambda s: setattr(s.skins[0], "inverse_bind", np.zeros((1, 3, 4))),
        lambda s: setattr(s.skins[0], "joints", [-1]),
        lambda s: setattr(s.nodes[0], "rotation", (0, 0, 1)),
        lambda s: setattr(s.nodes[0], "rotation", "none"),
        lambda s: setattr(s.nodes[0], "billboard", "sideways"),
        lambda s: setattr(s.nodes[0], "shape", {"blob": {}}),
        lambda s: setattr(s.nodes[0], "mesh", "box"),
        lambda s: setattr(s.nodes[0], "extras", {"self": loop()}),
        lambda s: setattr(s.nodes[0], "extras", {"n": 2**70}),
        lambda s: setattr(s.nodes[0], "extras", {"n": object()}),
        lambda s: setattr(s.nodes[0], "extras", []),
        lambda s: setattr(s.materials[0], "alpha", "half"),
        lambda s: setattr(s.materials[0], "base_color", (1, 2)),
        lambda s: setattr(s.clips[0], "playback", "backwards"),
        lambda s: setattr(s.clips[0], "length", "long"),
        lambda s: setattr(s.clips[0].channels[0], "target", ("nobody", 0)),
        lambda s: setattr(s.clips[0].channels[0], "target", ("node", -1)),
        lambda s: setattr(s.clips[0].channels[0], "interpolation", "fast"),
        lambda s: setattr(s.clips[0].channels[0], "values", np.zeros(5)),
        lambda s: s.lights.append(galatea.Light(kind="dark")),
        lambda s: s.emitters.append({"kind": "joy"}),
    ],
)
def test_what_makes_no_sense_is_an_exception(change: Any) -> None:
    with pytest.raises((ValueError, TypeError)):
        broken(change).convert("glb")


@pytest.mark.parametrize(
    "change",
    [
        lambda s: s.meshes[0].positions.fill(np.nan),
        lambda s: s.meshes[0].positions.fill(np.inf),
        lambda s: s.meshes[0].primitives[0].indices.fill(4_000_000_000),
        lambda s: s.meshes[0].primitives.clear(),
        lambda s: setattr(s.meshes[0].primitives[0], "material", 4_000_000_000),
        lambda s: setattr(s.nodes[0], "mesh", 9),
        lambda s: [s.nodes[a].__setattr__("parent", b) for a, b in ((0, 2), (2, 0))],
        lambda s: setattr(s.nodes[1], "scale", (float("nan"), 0, 1e38)),
        lambda s: s.skins[0].joints.fill(4_000_000_000),
        lambda s: s.clips[0].channels[0].times.fill(np.nan),
        lambda s: setattr(s.clips[0].channels[0], "target", ("node", 77)),
        lambda s: setattr(s, "nodes", []),
        lambda s: setattr(s, "skins", []),
    ],
)
@pytest.mark.parametrize("to", ["glb", "mdx", "kotor-mdl", "fmdl", "obj"])
def test_wild_values_give_a_file_or_an_exception(change: Any, to: str) -> None:
    scene = broken(change)
    scene.pose("stand", 0.5)
    scene.deform("stand", 0.5)
    try:
        scene.convert(to).open()
    except galatea.Error as error:
        assert str(error)
