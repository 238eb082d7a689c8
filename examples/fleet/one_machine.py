"""A data set on one machine: ``one_machine.py INPUTS OUT [--workers N] [--shard I/N]``.

``OUT`` gets ``rows.parquet``, and GLBs and images by their hashes. What was done before is not done again, whoever did it: a run that
was ended goes on where it was, and several machines with one shared folder may each take a shard.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import pyarrow.parquet

from galatea import batch

OPTIONS = batch.Options(glb=True, thumbnail=128)
#: How often a pool of which a worker was killed is started anew.
ATTEMPTS = 5


def rows(paths: list[str], out: str, workers: int) -> list[batch.Row]:
    """Returns a row for every path. A worker that is killed costs the files that it was working on, which are done again."""
    done: dict[str, batch.Row] = {}
    # A forked child would have the locks of threads that it does not have.
    context = multiprocessing.get_context("spawn")
    for attempt in range(ATTEMPTS):
        rest = [path for path in paths if path not in done]
        try:
            with ProcessPoolExecutor(workers, mp_context=context) as pool:
                for row in batch.run(rest, out, OPTIONS, executor=pool):
                    done[row["path"]] = row
            break
        except BrokenProcessPool:
            print(f"a worker was killed; {len(done)} of {len(paths)} files are done", file=sys.stderr)
            if attempt + 1 == ATTEMPTS:
                raise
    return list(done.values())


def main() -> None:
    """Runs it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("inputs")
    parser.add_argument("out")
    parser.add_argument("--workers", type=int, default=multiprocessing.cpu_count())
    parser.add_argument("--shard", default="0/1", help="this machine's part: I/N, from 0")
    given = parser.parse_args()
    index, count = map(int, given.shard.split("/"))
    paths = batch.shard(batch.find(given.inputs), index, count)
    start = time.perf_counter()
    made = rows(paths, given.out, given.workers)
    name = "rows.parquet" if count == 1 else f"rows-{index}-of-{count}.parquet"
    pyarrow.parquet.write_table(batch.table(made), Path(given.out, name))
    bad = sum(row["error"] is not None for row in made)
    seconds = time.perf_counter() - start
    print(f"{len(made)} files in {seconds:.1f} s, {len(made) / max(seconds, 1e-9):.0f} per second; {bad} with an error")


if __name__ == "__main__":
    main()
