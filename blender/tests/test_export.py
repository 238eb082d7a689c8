"""What was edited arrives, and nothing else changes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bmesh
import bpy
import galatea
import numpy as np
import pytest
from conftest import MODELS, ROOT
from judge import EDITS, Editor
from support import extension


@pytest.mark.parametrize("name", MODELS)
def test_an_unedited_model_is_the_original(name: str, example: Any, export: Any) -> None:
    document = galatea.open(ROOT / "examples" / name)
    files = export(example(name))
    assert files.changes == []
    assert list(files.files.values()) == list(document.files().values())


@pytest.mark.parametrize("name", MODELS)
def test_every_number_survives_blender(name: str, example: Any, export: Any) -> None:
    document = galatea.open(ROOT / "examples" / name)
    files = export(example(name), thorough=True)
    assert document.diff(files.open(), unordered=True, tolerance=1e-5) == []


@pytest.mark.parametrize("edit", EDITS)
@pytest.mark.parametrize("name", ["statue_800.mdx", "statue.mdl", "statue.fmdl", "statue_1000.mdx", "beacon.mdx"])
def test_an_edit_arrives_exactly(name: str, edit: str, example: Any, export: Any) -> None:
    document = galatea.open(ROOT / "examples" / name)
    job = example(name)
    editor = Editor(job, document)
    if not getattr(editor, edit)():
        pytest.skip("the example has nothing to edit so")
    files = export(job)
    assert files.changes
    ideal = editor.scene.convert(document.format, name=name.split(".")[0]).open()
    assert ideal.diff(files.open(), unordered=True, tolerance=1e-5) == []
    assert document.diff(files.open(), unordered=True, tolerance=1e-5)


def test_every_edit_is_tried_on_some_example(example: Any) -> None:
    for edit in EDITS:
        tried = []
        for name in ("statue_800.mdx", "statue.mdl", "statue.fmdl"):
            bpy.ops.wm.read_factory_settings(use_empty=True)
            extension()
            tried.append(getattr(Editor(example(name), galatea.open(ROOT / "examples" / name)), edit)())
        assert any(tried), edit


def test_a_file_is_replaced_by_itself(example: Any, tmp_path: Path) -> None:
    example("statue.mdl")
    path = tmp_path / "statue.mdl"
    assert bpy.ops.galatea.export_model(filepath=str(path), way="ONTO", format="kotor-mdl") == {"FINISHED"}
    for ending in ("mdl", "mdx"):
        assert (tmp_path / f"statue.{ending}").read_bytes() == (ROOT / f"examples/statue.{ending}").read_bytes()


def test_sequences_keep_the_order_that_they_were_given(example: Any, export: Any) -> None:
    job = example("statue_800.mdx")
    job.root.galatea_model.clip = 1
    bpy.context.view_layer.objects.active = job.root
    bpy.ops.galatea.move(by=-1)
    assert [clip.name for clip in export(job).open().scene().clips] == ["Walk", "Stand", "Death"]


def test_sequences_are_edited_added_and_deleted(example: Any, export: Any) -> None:
    job = example("statue_800.mdx")
    walk = job.actions[1]
    walk.name = "Walk Fast"
    walk.galatea.playback = "ONCE"
    speed = next(field for field in walk.galatea.part.fields if field.path == "mdx/move_speed")
    speed.number = 300.0
    bpy.data.actions.remove(job.actions[2])
    bpy.context.view_layer.objects.active = job.root
    bpy.ops.galatea.new_sequence(name="Attack", length=0.5)
    action = job.root.animation_data.action
    curves = extension("curves").ensure_curves(action, job.root)
    bone = next(iter(job.bones.values()))
    curve = curves.new(extension("import_clips").pose_path(bone, "translation"), index=0)
    curve.keyframe_points.add(2)
    curve.keyframe_points.foreach_set("co", [0.0, 0.0, 12.0, 4.0])
    document = export(job).open()
    clips = document.scene().clips
    assert [clip.name for clip in clips] == ["Stand", "Walk Fast", "Attack"]
    assert clips[1].playback == "once" and clips[1].extras["mdx"]["move_speed"] == 300.0
    assert abs(clips[2].length - 0.5) < 0.002 and len(clips[2].channels) >= 1
    assert not [one for one in document.check() if one.severity == "error"]


def test_values_of_the_format_arrive(example: Any, export: Any) -> None:
    job = example("beacon.mdx")
    owners = [*(made.galatea for made in job.objects.values()), *(bone.galatea for bone in job.root.data.bones)]
    field = next(f for one in owners for f in one.part.fields if f.path == "emitter/rate")
    field.number += 5.0
    mode = next(f for one in owners for f in one.part.fields if f.path == "mdx/filter_mode")
    mode.choice = "4" if mode.choice != "4" else "1"
    before, after = galatea.open(ROOT / "examples/beacon.mdx"), export(job).open()
    lines = before.diff(after)
    assert lines and all("emission_rate" in line or "filter_mode" in line or "KP2E" in line for line in lines), lines
    assert any("filter_mode" in line for line in lines)


def test_kotor_headers_arrive(example: Any, export: Any) -> None:
    job = example("statue.mdl")
    fields = {field.path: field for field in job.root.galatea_model.part.fields}
    fields["kotor/classification"].choice = "32"
    fields["kotor/supermodel"].text = "S_Female02"
    mesh = next(made for made in job.objects.values() if made.type == "MESH")
    owner = mesh.galatea if not mesh.galatea.holder else job.root.data.bones[mesh.parent_bone].galatea
    next(field for field in owner.part.fields if field.path == "kotor/mesh/transparency_hint").whole = 1
    lines = galatea.open(ROOT / "examples/statue.mdl").diff(export(job).open())
    assert any("classification" in line for line in lines) and any("supermodel" in line for line in lines)
    assert any("transparency_hint" in line for line in lines) and len(lines) == 3, lines


def test_fox_shaders_and_slots_arrive(example: Any, export: Any) -> None:
    job = example("statue.fmdl")
    material = next(iter(job.materials.values()))
    next(field for field in material.galatea.part.fields if field.label == "Shader").text = "fox_3ddf_constant"
    material.galatea_slots[0].texture = "/Assets/mod/other_bsm.tga"
    after = export(job).open()
    lines = galatea.open(ROOT / "examples/statue.fmdl").diff(after)
    assert any("fox_3ddf_constant" in line for line in lines), lines
    assert any(use.name == "/Assets/mod/other_bsm.tga" for use in after.textures()), lines


def test_surfaces_are_painted_in_edit_mode(example: Any, export: Any) -> None:
    job = example("keep/hall.wok")
    floor = next(made for made in job.objects.values() if made.type == "MESH" and len(made.data.polygons))
    bpy.context.view_layer.objects.active = floor
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_mode(type="FACE")
    data = bmesh.from_edit_mesh(floor.data)
    for face in data.faces:
        face.select_set(face.index < 3)
    bmesh.update_edit_mesh(floor.data)
    assert bpy.ops.galatea.surface(surface="Water") == {"FINISHED"}
    bpy.ops.object.mode_set(mode="OBJECT")
    after = export(job).open()
    lines = galatea.open(ROOT / "examples/keep/hall.wok").diff(after)
    # Water can be walked on as well, so that nothing else changes.
    assert lines == ["materials[0]: 4 -> 6 (3 of 72 entries differ)"]


def test_transitions_are_set_on_edges(example: Any, export: Any) -> None:
    job = example("keep/hall.wok")
    floor = next(made for made in job.objects.values() if made.type == "MESH" and len(made.data.polygons))
    rooms = floor.data.attributes["galatea_transition"].data
    for edge in rooms:
        edge.value = 6 if edge.value == 2 else edge.value
    after = export(job).open()
    lines = galatea.open(ROOT / "examples/keep/hall.wok").diff(after)
    assert len(lines) == 1 and "transition 1} -> {edge 193, transition 5} (2 of 24" in lines[0], lines


def test_a_deleted_face_leaves_the_rest(example: Any, export: Any) -> None:
    for name in ("statue_800.mdx", "statue.mdl", "statue.fmdl", "room.wok"):
        bpy.ops.wm.read_factory_settings(use_empty=True)
        extension()
        job = example(name)
        made = max((one for one in job.objects.values() if one.type == "MESH"), key=lambda one: len(one.data.polygons))
        count = len(made.data.polygons)
        data = bmesh.new()
        data.from_mesh(made.data)
        data.faces.ensure_lookup_table()
        bmesh.ops.delete(data, geom=[data.faces[count // 2]], context="FACES")
        data.to_mesh(made.data)
        data.free()
        before = galatea.open(ROOT / "examples" / name)
        after = export(job).open()
        assert after.info()["triangles"] == before.info()["triangles"] - 1, name
        assert not [one for one in after.check() if one.severity == "error"], name


def test_a_subdivided_mesh_is_exported(example: Any, export: Any) -> None:
    job = example("statue_800.mdx")
    made = max((one for one in job.objects.values() if one.type == "MESH"), key=lambda one: len(one.data.polygons))
    made.modifiers.new("Subdivision", "SUBSURF").subdivision_type = "SIMPLE"
    after = export(job).open()
    assert after.info()["triangles"] > 3 * galatea.open(ROOT / "examples/statue_800.mdx").info()["triangles"]
    assert not [one for one in after.check() if one.severity == "error"]


def test_weights_that_are_painted_arrive(example: Any, export: Any) -> None:
    job = example("statue_1000.mdx")
    made = next(one for one in job.objects.values() if one.type == "MESH" and len(one.vertex_groups) > 1)
    own = {one.group for one in made.data.vertices[0].groups}
    other = next(group for group in made.vertex_groups if group.index not in own)
    for group in own:
        made.vertex_groups[group].remove([0])
    other.add([0], 1.0, "REPLACE")
    files = export(job)
    assert any("weights of 1 vertices" in str(change) for change in files.changes), files.changes
    lines = galatea.open(ROOT / "examples/statue_1000.mdx").diff(files.open(), unordered=True, tolerance=1e-4)
    assert lines


def test_a_bone_that_is_moved_takes_its_keys_along(example: Any, export: Any) -> None:
    job = example("statue_800.mdx")
    bpy.context.view_layer.objects.active = job.root
    leaf = next(at for at in job.plan.bones if not job.scene.nodes[at].children and job.scene.nodes[at].mesh is None)
    bpy.ops.object.mode_set(mode="EDIT")
    bone = job.root.data.edit_bones[job.bones[leaf]]
    bone.head.x += 3.0
    bone.tail.x += 3.0
    bpy.ops.object.mode_set(mode="OBJECT")
    lines = galatea.open(ROOT / "examples/statue_800.mdx").diff(export(job).open(), tolerance=1e-4)
    assert lines and all("pivot" in line.lower() or "PIVT" in line for line in lines), lines


def test_the_copy_of_the_original_survives_in_the_blend(example: Any, export: Any, tmp_path: Path) -> None:
    import shutil

    shutil.copy(ROOT / "examples/statue_800.mdx", tmp_path / "gone.mdx")
    importer = extension("importer")
    importer.run(bpy.context, tmp_path / "gone.mdx")
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "model.blend"))
    (tmp_path / "gone.mdx").unlink()
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "model.blend"))
    extension()
    root = next(one for one in bpy.data.objects if one.galatea_model.is_model)
    files = extension("exporter").export(bpy.context, root)
    assert next(iter(files.files.values())) == (ROOT / "examples/statue_800.mdx").read_bytes()


def test_a_lost_original_is_told(example: Any, tmp_path: Path) -> None:
    job = example("statue_800.mdx", pack=False)
    job.root.galatea_model.path = str(tmp_path / "nowhere.mdx")
    with pytest.raises(RuntimeError, match=r"choose it in Object Properties"):
        bpy.ops.galatea.export_model(filepath=str(tmp_path / "out.mdx"), way="ONTO", format="mdx")
    assert not (tmp_path / "out.mdx").exists()


def test_a_check_selects_what_it_found(example: Any) -> None:
    job = example("statue_800.mdx")
    made = next(one for one in job.objects.values() if one.type == "MESH")
    points = np.empty(len(made.data.vertices) * 3, np.float32)
    made.data.vertices.foreach_get("co", points)
    points[0] = np.nan
    made.data.vertices.foreach_set("co", points)
    bpy.context.view_layer.objects.active = job.root
    assert bpy.ops.galatea.check() == {"FINISHED"}
    found = bpy.context.window_manager.galatea_found
    assert any(one.severity == "error" for one in found)
    assert bpy.context.view_layer.objects.active == made
