"""Rows and files for data sets."""

from __future__ import annotations

import hashlib
import pickle
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from galatea import batch

from .conftest import EXAMPLES

OPTIONS = batch.Options(glb=True, thumbnail=48)


@pytest.fixture
def inputs(models: Path) -> list[str]:
    (models / "broken.mdx").write_bytes((models / "statue_800.mdx").read_bytes()[:1000])
    (models / "empty.mdl").write_bytes(b"")
    (models / "notes.txt").write_text("no model")
    return batch.find(str(models))


def test_inputs_are_found_with_their_companions(inputs: list[str], models: Path) -> None:
    names = [Path(path).relative_to(models).as_posix() for path in inputs]
    assert "statue.mdl" in names and "statue.mdx" not in names and "notes.txt" not in names
    assert {"statue_800.mdx", "statue_800.mdl", "keep/keep.lyt", "broken.mdx"} <= set(names)
    assert list(batch.read(str(models / "statue.mdl")).companions) == ["mdx"]


def test_every_file_gives_a_row_and_bad_ones_an_error(inputs: list[str]) -> None:
    rows = {Path(path).name: batch.process(batch.read(path), OPTIONS) for path in inputs}
    assert all(set(row) == {name for name, _, _ in batch.COLUMNS} for row, _ in rows.values())
    for name in ("broken.mdx", "empty.mdl"):
        row, blobs = rows[name]
        assert row["error"] and row["error_kind"] and row["format"] is None and blobs == {}
    assert rows["broken.mdx"][0]["error_offset"] is not None
    row, blobs = rows["statue.mdl"]
    assert row["error"] is None and row["findings"] == {} and row["license"] is None
    assert row["textures"] == ["statue"] and len(row["clips"]) == len(row["clip_seconds"])
    assert row["glb"] == hashlib.sha256(blobs["glb"]).hexdigest() and blobs["png"][:4] == b"\x89PNG"
    assert row["bounds_max"][1] - row["bounds_min"][1] > 0.5
    texture, image = rows["statue.tga"]
    assert texture["format"] == "tga" and list(image) == ["png"]


def test_what_is_too_large_is_an_error() -> None:
    row, _ = batch.process(batch.Item("a.mdl", b"\0" * 100), batch.Options(max_bytes=99))
    assert row["error_kind"] == "limit" and row["bytes"] == 100


def test_a_worker_can_be_sent_everything() -> None:
    item = batch.read(str(EXAMPLES / "statue.mdl"))
    assert pickle.loads(pickle.dumps((batch.process, item, OPTIONS)))[1:] == (item, OPTIONS)


def stored(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_processes_and_threads_give_the_same_and_a_second_run_does_nothing(inputs: list[str], tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    with ThreadPoolExecutor(2) as executor:
        first = list(batch.run(inputs, str(one), OPTIONS, executor=executor, ahead=3))
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as executor:
        second = list(batch.run(inputs, str(two), OPTIONS, executor=executor))
    by_path = {row["path"]: row for row in first}
    assert len(first) == len(inputs) and by_path == {row["path"]: row for row in second}
    assert stored(one) == stored(two)
    before = {path: path.stat().st_mtime_ns for path in one.rglob("*")}
    again = [batch.work(path, str(one), OPTIONS) for path in inputs]
    assert {row["path"]: row for row in again} == by_path
    assert {path: path.stat().st_mtime_ns for path in one.rglob("*")} == before


def test_a_row_is_made_anew_when_file_or_options_change(models: Path, tmp_path: Path) -> None:
    path, out = models / "room.wok", str(tmp_path / "out")
    first = batch.work(str(path), out)
    assert first["thumbnail"] is None and batch.work(str(path), out, OPTIONS)["thumbnail"]
    path.write_bytes((models / "statue_800.mdx").read_bytes())
    assert batch.work(str(path), out)["format"] == "mdx"
    # What a run that was ended left half-written is no row.
    for kept in (tmp_path / "out" / "rows").rglob("*.json"):
        kept.write_text('{"path": ')
    assert batch.work(str(path), out)["format"] == "mdx"
    assert batch.work(str(models / "gone.mdl"), out)["error_kind"] == "FileNotFoundError"


def test_shards_are_disjoint_and_stay(inputs: list[str]) -> None:
    parts = [set(batch.shard(inputs, at, 4)) for at in range(4)]
    assert set().union(*parts) == set(inputs) and sum(map(len, parts)) == len(inputs)
    assert batch.shard(inputs[3:], 1, 4) == [path for path in batch.shard(inputs, 1, 4) if path in inputs[3:]]
    with pytest.raises(ValueError):
        batch.shard(inputs, 4, 4)


def test_a_filesystem_is_read_and_written_like_a_disk(inputs: list[str], tmp_path: Path) -> None:
    fsspec = pytest.importorskip("fsspec")
    memory: Any = fsspec.filesystem("memory")
    root = str(Path(inputs[0]).parents[0])
    for path in Path(root).rglob("*"):
        if path.is_file():
            memory.pipe_file("/bucket/" + path.relative_to(root).as_posix(), path.read_bytes())
    keys = batch.find("/bucket", memory)
    assert [key.removeprefix("/bucket/") for key in keys] == [Path(path).relative_to(root).as_posix() for path in inputs]
    item = batch.read("/bucket/statue.mdl", memory)
    assert item.companions == batch.read(f"{root}/statue.mdl").companions
    _, blobs = batch.process(item, OPTIONS)
    for key in batch.store("/out", blobs, memory):
        assert hashlib.sha256(memory.cat_file(key)).hexdigest() in key


def test_rows_have_an_arrow_schema(inputs: list[str]) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    rows = [batch.process(batch.read(path), OPTIONS)[0] for path in inputs]
    table = batch.table(rows)
    assert table.schema.equals(batch.schema()) and table.num_rows == len(inputs)
    assert table.equals(batch.table(reversed(rows)))
    found = {row["path"]: dict(row["findings"]) for row in table.to_pylist()}
    assert found == {row["path"]: row["findings"] for row in rows}
    assert pyarrow.types.is_map(table.schema.field("findings").type)
