"""New models from an empty scene, for each game."""

from __future__ import annotations

import bpy
import galatea
import numpy as np
import pytest
from support import extension


def _material(name: str, image: bool = True) -> bpy.types.Material:
    made = bpy.data.materials.new(name)
    if not made.node_tree:
        made.use_nodes = True
    if image:
        picture = bpy.data.images.new(f"{name}_skin", 8, 8)
        picture.pixels = [0.2, 0.6, 0.3, 1.0] * 64
        node = made.node_tree.nodes.new("ShaderNodeTexImage")
        node.image = picture
        shader = next(one for one in made.node_tree.nodes if one.type == "BSDF_PRINCIPLED")
        made.node_tree.links.new(node.outputs["Color"], shader.inputs["Base Color"])
    return made


def _grid(name: str, size: int = 4) -> bpy.types.Object:
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=size, y_subdivisions=size, size=4)
    made = bpy.context.object
    made.name = name
    return made


def _figure() -> list[bpy.types.Object]:
    """Makes a post of two bones that bends."""
    bpy.ops.object.armature_add()
    rig = bpy.context.object
    rig.name = "rig"
    bpy.ops.object.mode_set(mode="EDIT")
    lower = rig.data.edit_bones[0]
    lower.name, lower.head, lower.tail = "lower", (0, 0, 0), (0, 0, 1)
    upper = rig.data.edit_bones.new("upper")
    upper.head, upper.tail, upper.parent = (0, 0, 1), (0, 0, 2), lower
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.ops.mesh.primitive_cylinder_add(vertices=8, radius=0.2, depth=2, location=(0, 0, 1))
    body = bpy.context.object
    body.name = "body"
    body.data.materials.append(_material("bark"))
    for name, above in (("lower", False), ("upper", True)):
        group = body.vertex_groups.new(name=name)
        group.add([v.index for v in body.data.vertices if (v.co.z > 0) == above], 1.0, "REPLACE")
    body.modifiers.new("Armature", "ARMATURE").object = rig
    body.parent = rig
    action = bpy.data.actions.new("Stand")
    rig.animation_data_create().action = action
    curves = extension("curves").ensure_curves(action, rig)
    extension("curves").assign(rig, action)
    for column, values in enumerate(([1.0, 0.98, 1.0], [0.0, 0.2, 0.0])):
        curve = curves.new('pose.bones["upper"].rotation_quaternion', index=column)
        curve.keyframe_points.add(3)
        curve.keyframe_points.foreach_set("co", np.ravel([[0, 15, 30], values], order="F"))
        curve.keyframe_points.foreach_set("interpolation", [1, 1, 1])
    return [rig, body]


def _errors(document: galatea.Document) -> list[str]:
    return [str(one) for one in document.check() if one.severity in ("error", "warning")]


@pytest.mark.parametrize("version", [800, 1000])
def test_a_warcraft_unit(version: int) -> None:
    objects = _figure()
    hand = bpy.data.objects.new("Overhead Ref", None)
    bpy.context.scene.collection.objects.link(hand)
    hand.parent, hand.parent_type, hand.parent_bone = objects[0], "BONE", "upper"
    files = extension("fresh").export(bpy.context, [*objects, hand], "mdx", name="post", version=version)
    document = files.open()
    assert _errors(document) == []
    scene = document.scene()
    assert [clip.name for clip in scene.clips] == ["Stand"] and abs(scene.clips[0].length - 30 / 24) < 0.01
    assert document.info()["triangles"] == 28 and any(node.attachment for node in scene.nodes)
    assert any(name.endswith((".blp", ".dds")) for name in files.files), list(files.files)
    # It stands upright, as in Blender, and bends where it did there.
    rest, bent = (np.concatenate([one.positions for one in scene.deform(*when)]) for when in ((), ("Stand", 15 / 24)))
    assert abs(np.ptp(rest, axis=0)[1] - 2.0) < 0.01 and np.abs(bent - rest).max() > 0.1


@pytest.mark.parametrize("game", ["k1", "k2"])
def test_a_kotor_placeable(game: str) -> None:
    bpy.ops.mesh.primitive_cube_add(size=1, location=(0, 0, 0.5))
    crate = bpy.context.object
    crate.name = "crate"
    crate.data.materials.append(_material("wood"))
    files = extension("fresh").export(bpy.context, [crate], "kotor-mdl", name="plc_crate", game=game)
    assert _errors(files.open()) == []
    assert files.open().info()["triangles"] == 12 and "wood_skin.tga" in files.files, list(files.files)


def test_a_kotor_character() -> None:
    files = extension("fresh").export(bpy.context, _figure(), "kotor-mdl", name="n_post")
    document = files.open()
    assert _errors(document) == []
    assert document.scene().skins and [clip.name.lower() for clip in document.scene().clips] == ["stand"]


def test_a_kotor_room_with_its_walkmesh() -> None:
    drawn, floor = _grid("floor"), _grid("walkmesh")
    drawn.data.materials.append(_material("tiles"))
    bpy.context.view_layer.objects.active = floor
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.galatea.surface(surface="Grass")
    bpy.ops.object.mode_set(mode="OBJECT")
    files = extension("fresh").export(bpy.context, [drawn, floor], "kotor-mdl", name="m01aa_01a", with_walkmesh=True)
    assert _errors(files.open()) == []
    walkmesh = galatea.open(files.files["m01aa_01a.wok"], name="m01aa_01a.wok")
    assert _errors(walkmesh) == [] and walkmesh.scene().materials[0].name == "Grass"


@pytest.mark.parametrize("game", ["tpp", "gz", "pes"])
def test_a_fox_model(game: str) -> None:
    files = extension("fresh").export(bpy.context, _figure(), "fmdl", name="post", game=game)
    document = files.open()
    assert [one for one in _errors(document) if "error" in one] == []
    assert document.info()["bones"] == 2 and document.info()["triangles"] == 28
    assert any(name.endswith(".ftex") for name in files.files)


def test_nothing_is_no_model() -> None:
    with pytest.raises(RuntimeError, match="a new model needs a mesh"):
        bpy.ops.galatea.export_model(filepath="/nowhere/x.mdx", way="NEW", format="mdx", selected=False)
