"""Runs the data set on one machine and on Ray, and compares: ``compare.py FOLDER WORK [FILES]``.

The files of the folder are repeated until there are 5,000. A worker is killed on each way; a second run must do no work.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

import on_ray
import one_machine
import pyarrow
import ray
from questions import answers

from galatea import batch


class Marked(on_ray.Worker):
    """A worker that tells its process, for one to be killed."""

    def __call__(self, few: dict[str, Any]) -> pyarrow.Table:
        Path(self.out, "workers").mkdir(parents=True, exist_ok=True)
        Path(self.out, "workers", str(os.getpid())).touch()
        return super().__call__(few)


def kill_one(out: str, killed: list[int]) -> None:
    """Kills the first worker that tells its process, in the middle of its work."""
    for _ in range(600):
        known = sorted(Path(out, "workers").glob("*")) if Path(out, "workers").is_dir() else []
        if known:
            time.sleep(1.0)
            os.kill(int(known[0].name), signal.SIGKILL)
            killed.append(int(known[0].name))
            return
        time.sleep(0.1)


def repeated(folder: str, into: Path, count: int) -> list[str]:
    """Returns so many paths: the files of a folder, each with its companions, again and again under other names."""
    paths = batch.find(folder)
    out: list[str] = []
    for number in range(count):
        path = paths[number % len(paths)]
        place = into / f"{number // len(paths)}" / os.path.relpath(path, folder)
        place.parent.mkdir(parents=True, exist_ok=True)
        stem = path.rpartition(".")[0]
        for other in (path, *(f"{stem}.{e}" for e in batch.read(path).companions)):
            target = place.parent / os.path.basename(other)
            if not target.exists():
                shutil.copy(other, target)
        out.append(str(place))
    return out


def stored(folder: str) -> dict[str, bytes]:
    """Returns the new files by name."""
    return {path.name: path.read_bytes() for path in Path(folder).rglob("*") if path.suffix in (".glb", ".png")}


def timed(what: str, count: int, work: Any) -> Any:
    """Runs something and says how long it took."""
    start = time.perf_counter()
    made = work()
    seconds = time.perf_counter() - start
    print(f"{what}: {seconds:.1f} s, {count / seconds:.0f} files per second", flush=True)
    return made


def main() -> None:
    """Compares."""
    folder, work = sys.argv[1], Path(sys.argv[2]).resolve()
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 5000
    shutil.rmtree(work, ignore_errors=True)
    paths = repeated(folder, work / "in", count)
    single, fleet = str(work / "single"), str(work / "fleet")
    one = timed("one machine, two processes", count, lambda: batch.table(one_machine.rows(paths, single, 2)))
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, runtime_env={"env_vars": {"PYTHONPATH": os.pathsep.join(sys.path)}})
    killed: list[int] = []
    killer = threading.Thread(target=kill_one, args=(fleet, killed))
    killer.start()
    on_ray.Worker = Marked  # type: ignore[misc]
    two = timed("Ray, two workers, one of them killed", count, lambda: on_ray.rows(paths, fleet))
    killer.join()
    assert killed, "no worker was killed"
    print(f"killed worker {killed[0]}")
    assert len(one) == len(two) == count
    assert one.equals(two), "the rows differ"
    files = stored(single)
    assert files == stored(fleet), "the files differ"
    print(f"{len(one)} equal rows, {len(files)} equal files, {one.column('error').null_count} rows without an error")
    before = {path: path.stat().st_mtime_ns for path in Path(fleet).rglob("*.*")}
    again = timed("Ray, again", count, lambda: on_ray.rows(paths, fleet))
    assert again.equals(one) and before == {path: path.stat().st_mtime_ns for path in Path(fleet).rglob("*.*")}
    print("the second run wrote nothing")
    for out, table in ((single, one), (fleet, two)):
        pyarrow.parquet.write_table(table, Path(out, "rows.parquet"))
    told = answers(str(Path(single, "rows.parquet")))
    assert told == answers(str(Path(fleet, "rows.parquet")))
    assert all(told.values()), told
    for question, rows in told.items():
        print(question)
        for row in rows[:3]:
            print("  " + "  ".join(str(value) for value in row))


if __name__ == "__main__":
    import pyarrow.parquet

    main()
