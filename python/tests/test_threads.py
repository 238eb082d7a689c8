"""Several threads, and memory."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import galatea

from .conftest import EXAMPLES


def test_one_document_serves_several_threads() -> None:
    a, b = galatea.open(EXAMPLES / "statue_800.mdx"), galatea.open(EXAMPLES / "statue_1000.mdx")
    expected = a.diff(b)
    # The two documents in both orders at once: a lock each would end in a deadlock.
    calls: list[Callable[[], object]] = [
        lambda: a.diff(b) == expected,
        lambda: len(b.diff(a)) == len(expected),
        lambda: a.convert("glb").open().convert("mdx", onto=a).bytes == a.write(),
        lambda: a.render(32).shape == (32, 32, 4),
        lambda: a.check() == [] and a.info()["clips"] == 3,
        lambda: b.convert("mdx", onto=a).format == "mdx",
        lambda: a.convert("mdx", onto=b).format == "mdx",
    ]
    with ThreadPoolExecutor(8) as executor:
        done = [executor.submit(call) for _ in range(6) for call in calls]
        assert all(one.result(timeout=120) for one in done)


def test_other_threads_run_while_one_works() -> None:
    ground = galatea.Ground(EXAMPLES / "room.wok")
    origins = np.random.default_rng(1).uniform(0, 9, (400_000, 3)).astype(np.float32)
    started, ticks = threading.Event(), 0

    def cast() -> None:
        started.set()
        ground.rays(origins, (0, 0, -1))

    worker = threading.Thread(target=cast)
    worker.start()
    started.wait()
    while worker.is_alive():
        ticks += 1
    # With the GIL held for all of it, this thread would have counted once or twice.
    assert ticks > 100


MAKE = """
import sys, numpy as np, galatea

side = 1340
points = np.zeros((side * side, 3), np.float32)
points[:, 0], points[:, 2] = np.tile(np.arange(side), side), np.repeat(np.arange(side), side)
first = (np.arange(side - 1)[:, None] * side + np.arange(side - 1)).ravel()
corners = [first, first + side, first + 1, first + 1, first + side, first + side + 1]
triangles = np.stack(corners, axis=1).reshape(-1, 3).astype(np.uint32)
field = galatea.Scene.new("field")
field.add_node("field", mesh=field.add_mesh("field", points, triangles, normals=points, uvs=points[:, :2]))
field.save(sys.argv[1])
"""

MEASURE = """
import sys, galatea

def memory(what):
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith(what))

document = galatea.open(sys.argv[1])
with open("/proc/self/clear_refs", "w") as refs:
    refs.write("5")  # The peak is measured from here.
before = memory("VmRSS")
scene = document.scene()
arrays = [a for m in scene.meshes for a in (m.positions, m.normals, m.triangles, *m.uvs)]
total = sum(a.nbytes for a in arrays)
assert all(a.sum() >= 0 for a in arrays)
print(total, memory("VmHWM") - before)
"""


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="needs the peak of memory of Linux")
def test_arrays_cost_no_second_copy(tmp_path: Path) -> None:
    path = str(tmp_path / "field.glb")
    subprocess.run([sys.executable, "-c", MAKE, path], check=True)
    run = subprocess.run([sys.executable, "-c", MEASURE, path], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    total, more = map(int, run.stdout.split())
    print(f"a scene with arrays of {total / 1e6:.0f} MB took {more / 1e6:.0f} MB")
    assert total > 100_000_000 and more < total * 1.2
