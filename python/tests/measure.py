"""Measures the package beside the library and the program: ``measure.py PROGRAM "12.3 ns per ray, ..."``.

Times are those of the processor, which others on the machine do not lengthen, except where threads are to run at once.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

import galatea

EXAMPLES = Path("examples")
RAYS = 1_000_000
FILES = 1_000
RUNS = 9


def best(work: Callable[[], object], clock: Callable[[], float], runs: int = RUNS) -> float:
    """Returns the shortest of several runs."""
    times = []
    for _ in range(runs):
        start = clock()
        work()
        times.append(clock() - start)
    return min(times)


def numbers(count: int) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    """Returns the numbers of `crates/galatea/examples/rays.rs`."""
    out = np.empty(count, np.uint32)
    state = 1
    for at in range(count):
        state = (state * 1_664_525 + 1_013_904_223) & 0xFFFFFFFF
        out[at] = state
    return (out >> 8).astype(np.float32) / np.float32(1 << 24)


def rays(library: str) -> None:
    """Compares a million rays in one call with those of the library."""
    rows = numbers(RAYS * 5).reshape(RAYS, 5)
    origins = np.ascontiguousarray(rows[:, :3] * np.float32(10.0))
    directions = np.concatenate([rows[:, 3:] - np.float32(0.5), np.full((RAYS, 1), -1, np.float32)], axis=1)
    ground = galatea.Ground(EXAMPLES / "room.wok")
    hits = int((ground.rays(origins, directions)[0] >= 0).sum())
    seconds = best(lambda: ground.rays(origins, directions), time.thread_time)
    expected = float(library.split()[0]) * 1e-9 * RAYS
    assert f" {hits} of" in library, (hits, library)
    print(f"{RAYS} rays: {seconds * 1e3:.0f} ms, the library {expected * 1e3:.0f} ms: {seconds / expected:.2f} x")


def info(program: str) -> None:
    """Compares open and info of a thousand files with the program on one thread."""
    with tempfile.TemporaryDirectory() as folder:
        sources = ["room.wok", "statue.mdl", "statue_800.mdx", "statue.fmdl", "statue_1000.mdx"]
        paths = []
        for number in range(FILES):
            name = sources[number % len(sources)]
            path = Path(folder, f"{number}_{name}")
            shutil.copy(EXAMPLES / name, path)
            if name == "statue.mdl":
                shutil.copy(EXAMPLES / "statue.mdx", path.with_suffix(".mdx"))
            paths.append(path)
        # A file of every kind is opened before: what a process does once is not measured, here and there.
        for path in paths[:5]:
            galatea.open(path).info()

        def children() -> float:
            used = resource.getrusage(resource.RUSAGE_CHILDREN)
            return used.ru_utime + used.ru_stime

        def by_program(count: int) -> Callable[[], object]:
            command = [program, "info", "-j", "1", *map(str, paths[:count])]
            return lambda: subprocess.run(command, stdout=subprocess.DEVNULL, check=True)

        here = best(lambda: [galatea.open(path).info() for path in paths], time.thread_time)
        there = best(by_program(FILES), children)
        start = best(by_program(1), children)
    print(
        f"{FILES} files: {here * 1e3:.0f} ms, the program {there * 1e3:.0f} ms, of which {start * 1e3:.1f} ms to start: "
        f"{here / there:.2f} x"
    )


def threads() -> None:
    """Compares four threads with one."""
    data = (EXAMPLES / "statue.mdl").read_bytes()
    mdx = (EXAMPLES / "statue.mdx").read_bytes()

    def work(_: int) -> int:
        return len(galatea.open(data, name="statue.mdl", companions={"mdx": mdx}).convert("fmdl").bytes)

    jobs = range(400)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(8)))
        # In turn, so that both see the same machine.
        pairs = [
            (best(lambda: [work(n) for n in jobs], time.perf_counter, 1), best(lambda: list(pool.map(work, jobs)), time.perf_counter, 1))
            for _ in range(RUNS)
        ]
    one, four = min(pair[0] for pair in pairs), min(pair[1] for pair in pairs)
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    print(f"400 conversions: one thread {one:.2f} s, four threads {four:.2f} s: {one / four:.2f} x on {os.cpu_count()} cores, load {load:.1f}")


if __name__ == "__main__":
    rays(sys.argv[2])
    info(sys.argv[1])
    threads()
