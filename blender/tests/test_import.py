"""Models become what Blender has words for, and panels have the rest."""

from __future__ import annotations

from typing import Any

import bpy
import galatea
import numpy as np
import pytest
from conftest import MODELS, ROOT
from judge import count
from support import extension


@pytest.mark.parametrize("name", MODELS)
def test_an_import_has_what_info_says(name: str, example: Any) -> None:
    job = example(name)
    assert count(job, galatea.open(ROOT / "examples" / name)) == []


def test_the_statue_stands_upright_and_is_two_metres_tall(example: Any) -> None:
    job = example("statue_800.mdx")
    bpy.context.view_layer.update()
    corners = [
        np.array(made.matrix_world) @ [*corner, 1] for made in job.objects.values() if made.type == "MESH" for corner in made.bound_box
    ]
    low, high = np.min(corners, axis=0), np.max(corners, axis=0)
    assert abs(low[2]) < 0.1 and 1.5 < high[2] < 3.0


def test_a_pose_in_blender_is_that_of_the_library(example: Any) -> None:
    for name, clip in (("statue_800.mdx", "Walk"), ("statue.mdl", "walk")):
        job = example(name)
        scene = galatea.open(ROOT / "examples" / name).scene()
        number = next(at for at, one in enumerate(scene.clips) if one.name == clip)
        bpy.context.view_layer.objects.active = job.root
        bpy.ops.galatea.play(number=number)
        bpy.context.scene.frame_set(4)
        bpy.context.view_layer.update()
        world = scene.pose(clip, 4 / job.fps).world
        axes = np.linalg.inv(world[job.plan.axes])
        for at, bone in job.bones.items():
            expected = axes @ world[at]
            got = np.array(job.root.pose.bones[bone].matrix)
            assert np.abs(got[:3, 3] - expected[:3, 3]).max() < job.plan.size * 2e-3, (name, bone)


def test_weights_move_the_mesh_as_in_the_game(example: Any) -> None:
    job = example("statue_800.mdx")
    scene = galatea.open(ROOT / "examples/statue_800.mdx").scene()
    bpy.context.view_layer.objects.active = job.root
    bpy.ops.galatea.play(number=1)
    bpy.context.scene.frame_set(6)
    graph = bpy.context.evaluated_depsgraph_get()
    for deformed in scene.deform("Walk", 6 / job.fps):
        made = job.objects[deformed.node].evaluated_get(graph)
        points = np.empty(len(made.data.vertices) * 3, np.float32)
        made.data.vertices.foreach_get("co", points)
        rows = np.c_[points.reshape(-1, 3), np.ones(len(points) // 3)] @ np.array(made.matrix_world).T
        expected = deformed.positions[:, [0, 2, 1]] * [1, -1, 1]
        assert np.abs(rows[: len(expected), :3] - expected).max() < 0.01


def test_textures_are_loaded_and_known_by_name(example: Any) -> None:
    job = example("statue.mdl")
    images = [one for one in bpy.data.images if one.get("galatea_texture")]
    assert [one["galatea_texture"] for one in images] == ["statue"]
    assert tuple(images[0].size) == (64, 64) and images[0].packed_file is not None
    assert any(node.type == "TEX_IMAGE" for node in job.materials[0].node_tree.nodes)


def test_what_cannot_be_read_leaves_nothing_behind(tmp_path: Any) -> None:
    broken = tmp_path / "broken.mdx"
    broken.write_bytes((ROOT / "examples/statue_800.mdx").read_bytes()[:3000])
    with pytest.raises(RuntimeError, match=r"broken\.mdx"):
        bpy.ops.galatea.import_model(filepath=str(broken))
    assert not len(bpy.data.objects) and not len(bpy.data.meshes) and not len(bpy.data.collections)


def test_a_failure_half_way_takes_everything_back(example: Any, monkeypatch: Any) -> None:
    def fail(_job: Any) -> None:
        raise ValueError("half way")

    monkeypatch.setattr(extension("import_clips"), "make", fail)
    with pytest.raises(ValueError, match="half way"):
        example("statue_800.mdx")
    for kind in ("objects", "meshes", "armatures", "materials", "images", "actions", "collections"):
        assert not len(getattr(bpy.data, kind)), kind


def test_sequences_come_in_the_order_of_the_game(example: Any) -> None:
    job = example("statue_800.mdx")
    assert [one.name for one in extension("operators").sequences(job.root)] == ["Stand", "Walk", "Death"]
    assert [one.galatea.playback for one in job.actions] == ["LOOP", "LOOP", "ONCE"]


def test_emitters_and_headers_have_fields(example: Any) -> None:
    job = example("beacon.mdx")
    fields = {f.path: f for made in job.objects.values() for f in made.galatea.part.fields}
    fields.update({f.path: f for bone in job.root.data.bones for f in bone.galatea.part.fields} if job.bones else {})
    assert fields["emitter/rate"].number > 0
    assert fields["mdx/filter_mode"].kind == "CHOICE"
    job = example("statue.mdl")
    labels = {f.path: f for f in job.root.galatea_model.part.fields}
    assert labels["kotor/classification"].kind == "CHOICE" and "kotor/supermodel" in labels
    job = example("statue.fmdl")
    paths = {f.label for made in job.materials.values() for f in made.galatea.part.fields}
    assert {"Shader", "Technique"} <= paths


def test_surfaces_have_colors_and_edges_their_rooms(example: Any) -> None:
    job = example("keep/hall.wok")
    floor = next(made for made in job.objects.values() if made.type == "MESH" and len(made.data.polygons))
    assert extension("surfaces").counts(floor) == [("Stone", 0, 72)]
    rooms = np.zeros(len(floor.data.edges), np.int32)
    floor.data.attributes["galatea_transition"].data.foreach_get("value", rooms)
    assert (rooms == 2).sum() == 2


def test_everything_is_registered() -> None:
    assert bpy.types.GALATEA_FH_models.bl_import_operator == "galatea.import_model"
    assert ".mdx" in bpy.types.GALATEA_FH_models.bl_file_extensions
    for name in ("model", "sequences", "node", "bone", "mesh", "surfaces", "material", "sidebar"):
        assert hasattr(bpy.types, f"GALATEA_PT_{name}")
