"""Rays, footings and paths."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import galatea

from .conftest import EXAMPLES

ROOM = EXAMPLES / "room.wok"
KEEP = EXAMPLES / "keep" / "keep.lyt"


def test_the_tables_are_those_of_the_file() -> None:
    ground = galatea.Ground(ROOM)
    assert (len(ground), ground.positions.shape, ground.faces.shape) == (132, (99, 3), (132, 3))
    assert ground.face_materials.shape == (132,)
    names = {material.name: material for material in ground.materials}
    assert names["Stone"].walkable and names["Stone"].number == 4
    assert "132 faces" in repr(ground)
    assert len(galatea.Ground(galatea.open(ROOM))) == len(galatea.Ground(ROOM.read_bytes())) == 132


def test_a_ray_hits_what_the_command_line_says() -> None:
    command = ["walk", "ray", str(ROOM), "--from", "3,4,9", "--dir", "0.1,0.2,-1", "--json"]
    run = subprocess.run([sys.executable, "-m", "galatea", *command], capture_output=True, check=True, text=True)
    told = json.loads(run.stdout)["hits"][0]
    hit = galatea.Ground(ROOM).ray((3, 4, 9), (0.1, 0.2, -1))
    assert hit is not None
    assert (hit.face, hit.material) == (told["face"], told["material"])
    assert hit.distance == pytest.approx(told["distance"]) and hit.point == pytest.approx(told["point"], abs=1e-5)
    assert hit.normal == pytest.approx(told["normal"])


def test_many_rays_are_as_many_single_ones() -> None:
    ground = galatea.Ground(ROOM)
    random = np.random.default_rng(1)
    low, high = ground.positions.min(axis=0), ground.positions.max(axis=0)
    origins = random.uniform(low - 1, high + 1, (500, 3)).astype(np.float32)
    directions = random.normal(size=(500, 3)).astype(np.float32)
    faces, distances = ground.rays(origins, directions)
    assert 0 < (faces >= 0).sum() < 500
    assert np.isfinite(distances[faces >= 0]).all() and np.isinf(distances[faces < 0]).all()
    for at in range(0, 500, 7):
        hit = ground.ray(origins[at], directions[at])
        assert (-1 if hit is None else hit.face) == faces[at]
        assert (np.inf if hit is None else hit.distance) == distances[at]


def test_lengths_and_materials_limit_rays() -> None:
    ground = galatea.Ground(ROOM)
    down = ground.ray((3.3, 4.6, 10), (0, 0, -2))
    assert down is not None
    assert ground.ray((3.3, 4.6, 10), (0, 0, -2), down.distance + 0.01) == down
    assert ground.ray((3.3, 4.6, 10), (0, 0, -2), down.distance - 0.01) is None
    assert ground.ray((3.3, 4.6, 10), (0, 0, -1), through=[down.material]) is None
    assert ground.ray((3.3, 4.6, 10), (0, 0, -1), materials=[down.material]) == down
    faces, _ = ground.rays([(3.3, 4.6, 10), (3.3, 4.6, 10)], (0, 0, -1), [0.1, 99])
    assert faces.tolist() == [-1, down.face]


def test_one_stands_where_the_ground_is() -> None:
    ground = galatea.Ground(ROOM)
    footing = ground.locate((3.3, 4.6, 1))
    assert footing is not None and footing.normal == (0.0, 0.0, 1.0)
    faces, heights = ground.footings([(3.3, 4.6, 1), (500, 5, 1)])
    assert faces.tolist() == [footing.face, -1]
    assert heights[0] == np.float32(footing.height) and np.isnan(heights[1])
    assert ground.locate((3.3, 4.6, footing.height + 2), drop=1.0) is None
    closed = galatea.Ground(ROOM, not_walkable=[footing.material])
    assert closed.locate((3.3, 4.6, 1)) is None
    assert closed.locate((3.3, 4.6, 1), materials=[footing.material]) == footing


def test_a_path_is_that_of_the_command_line() -> None:
    options = ["--from", "1,1", "--to", "15,5", "--radius", "0.3", "--forbid", "Water", "--json"]
    run = subprocess.run(
        [sys.executable, "-m", "galatea", "walk", "path", str(KEEP), *options], capture_output=True, check=True, text=True
    )
    told = json.loads(run.stdout)
    way = galatea.Ground(KEEP).path((1, 1, 1), (15, 5, 1), radius=0.3, forbid=["Water"])
    assert way is not None and way.shortest
    assert way.length == pytest.approx(told["length"], abs=1e-4)
    assert way.points == pytest.approx(np.array([point["point"] for point in told["points"]]), abs=1e-4)
    assert len(way.on) == len(way.points)
    expensive = galatea.Ground(KEEP).path((1, 1, 1), (15, 5, 1), costs={"Water": 50.0})
    assert expensive is not None and expensive.cost >= expensive.length


def test_where_no_path_leads_none_is_returned() -> None:
    ground = galatea.Ground(KEEP)
    # The floor of the passage is the only way from one room to the other.
    centers = ground.positions[ground.faces].mean(axis=1)
    passage = [galatea.Ground(KEEP).ray((x, 5.0, 9.0), (0, 0, -1)) for x in (10.5, 11.0, 11.5)]
    floor = sorted({hit.material for hit in passage if hit is not None})
    names = {material.number: material.name for material in ground.materials}
    ends = [at for at, number in enumerate(ground.face_materials) if names[int(number)] not in floor]
    walkable = [at for at in ends if ground.locate(centers[at] + (0, 0, 0.1)) is not None]
    start, goal = centers[min(walkable, key=lambda at: centers[at][0])], centers[max(walkable, key=lambda at: centers[at][0])]
    assert goal[0] - start[0] > 10
    assert ground.path(start, goal) is not None
    assert ground.path(start, goal, forbid=floor) is None
    with pytest.raises(ValueError, match="at the goal"):
        ground.path((1, 1, 1), (900, 5, 1))


def test_a_model_is_ground_too() -> None:
    ground = galatea.Ground(EXAMPLES / "statue.fmdl")
    assert len(ground) > 0 and {material.name for material in ground.materials} <= {"floor", "wall", "ceiling"}
    with pytest.raises(galatea.Error) as caught:
        galatea.Ground(EXAMPLES / "statue.tga")
    assert caught.value.kind == "unsupported"


@pytest.mark.parametrize(
    "call",
    [
        lambda g: g.rays(np.zeros((5, 2)), (0, 0, 1)),
        lambda g: g.rays(np.zeros((5, 3)), np.zeros((4, 3))),
        lambda g: g.rays(np.zeros((5, 3)), (0, 0, 1), [1, 2]),
        lambda g: g.rays(np.zeros((5, 3)), (0, 0, 1), np.zeros((5, 1))),
        lambda g: g.rays("up", (0, 0, 1)),
        lambda g: g.rays([[1, 2, "x"]], (0, 0, 1)),
        lambda g: g.ray(np.zeros((2, 3)), (0, 0, 1)),
        lambda g: g.ray((0, 0, 0), (0, 0, 1), materials="Stone"),
        lambda g: g.ray((0, 0, 0), (0, 0, 1), materials=["Cheese"]),
        lambda g: g.locate((1, 2)),
        lambda g: g.locate(None),
        lambda g: g.path((1, 1, 1), (2, 2, 1), radius=-1.0),
        lambda g: g.path((1, 1, 1), (2, 2, 1), radius=float("nan")),
        lambda g: g.path((1, 1, 1), (2, 2, 1), costs={"Stone": 0.0}),
    ],
)
def test_wrong_questions_are_exceptions(call: Any) -> None:
    with pytest.raises((ValueError, TypeError)):
        call(galatea.Ground(ROOM))


def test_wild_numbers_hit_nothing() -> None:
    ground = galatea.Ground(ROOM)
    wild = np.array([np.nan, np.inf, -np.inf, 1e38, 0.0], np.float32)
    origins = np.array(np.meshgrid(wild, wild, wild)).reshape(3, -1).T
    faces, distances = ground.rays(origins, origins[::-1])
    assert faces.shape == distances.shape == (125,)
    assert ground.rays(np.empty((0, 3)), (0, 0, 1))[0].shape == (0,)
    assert (ground.footings(origins[:-1])[0] == -1).any()
