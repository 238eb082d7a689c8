"""The same data set on Ray Data: ``on_ray.py INPUTS OUT``. Set ``RAY_ADDRESS`` for a cluster; ``INPUTS`` and ``OUT`` must be shared.

Ray only schedules. Each task calls ``galatea.batch.work`` for a few paths, which leaves a file's row and its new files in ``OUT``
before it returns; so a task that Ray starts again, because its worker was killed, does only what is missing.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import ray

from galatea import batch

OPTIONS = batch.Options(glb=True, thumbnail=128)
#: Paths of one task.
TOGETHER = 64


class Worker:
    """What a worker does with a few paths. It makes a table of the schema, so that Ray need not guess types."""

    def __init__(self, out: str) -> None:
        self.out = out

    def __call__(self, few: dict[str, Any]) -> pyarrow.Table:
        return batch.table(batch.work(str(path), self.out, OPTIONS) for path in few["path"])


def rows(paths: list[str], out: str) -> pyarrow.Table:
    """Returns the rows of all paths."""
    inputs = ray.data.from_items([{"path": path} for path in paths])
    parts = inputs.repartition(max(1, -(-len(paths) // TOGETHER))).map_batches(
        Worker(out), batch_size=TOGETHER, batch_format="numpy"
    )
    tables = [pyarrow.table(part) for part in parts.iter_batches(batch_size=None, batch_format="pyarrow")]
    return batch.table(row for table in tables for row in rows_of(table))


def rows_of(table: pyarrow.Table) -> list[batch.Row]:
    """Returns the rows of a table as they were."""
    return [{**row, "findings": dict(row["findings"])} for row in table.to_pylist()]


def main() -> None:
    """Runs it."""
    source, out = sys.argv[1], sys.argv[2]
    ray.init(address=os.environ.get("RAY_ADDRESS"), num_cpus=None if "RAY_ADDRESS" in os.environ else 2)
    start = time.perf_counter()
    table = rows(batch.find(source), out)
    pyarrow.parquet.write_table(table, Path(out, "rows.parquet"))
    seconds = time.perf_counter() - start
    print(f"{len(table)} files in {seconds:.1f} s, {len(table) / max(seconds, 1e-9):.0f} per second")


if __name__ == "__main__":
    main()
