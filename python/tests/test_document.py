"""Opening, checking, writing, converting and drawing documents."""

from __future__ import annotations

import io
import json
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import galatea

from .conftest import EXAMPLES

FILES = sorted(path for path in EXAMPLES.rglob("*.*") if path.suffix not in {".mdx", ".py", ".md", ".pyc"}) + [
    EXAMPLES / "beacon.mdx",
    EXAMPLES / "statue_800.mdx",
    EXAMPLES / "statue_1000.mdx",
]


def test_there_are_examples() -> None:
    assert len(FILES) >= 15


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_example_opens_and_is_written_back(path: Path) -> None:
    document = galatea.open(path)
    assert document.files()[path.name] == path.read_bytes()
    assert document.path == path
    assert document.name == path.name
    assert document.format in repr(document)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_info_is_that_of_the_command_line(path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "galatea", "info", "--json", str(path)], capture_output=True, check=True, text=True
    )
    expected = json.loads(run.stdout)
    del expected["path"]
    assert galatea.open(path).info() == expected


def test_a_file_opens_from_a_path_bytes_a_view_and_a_file() -> None:
    path = EXAMPLES / "room.wok"
    data = path.read_bytes()
    with path.open("rb") as file:
        opened = [
            galatea.open(str(path)),
            galatea.open(path),
            galatea.open(data),
            galatea.open(bytearray(data)),
            galatea.open(memoryview(data)),
            galatea.open(io.BytesIO(data)),
            galatea.open(file),
        ]
    assert [one.write() == data for one in opened] == [True] * 7
    assert [one.name for one in opened] == ["room.wok", "room.wok", "", "", "", "", "room.wok"]
    assert opened[2].path is None


def test_the_mdx_of_a_kotor_model_is_found_or_given() -> None:
    found = galatea.open(EXAMPLES / "statue.mdl")
    given = galatea.open(
        (EXAMPLES / "statue.mdl").read_bytes(),
        name="statue.mdl",
        companions={".mdx": (EXAMPLES / "statue.mdx").read_bytes()},
    )
    assert list(found.files()) == ["statue.mdl", "statue.mdx"]
    assert found.diff(given) == []


def test_a_path_goes_on_inside_of_an_archive(models: Path) -> None:
    import zipfile

    archive = models / "models.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as out:
        out.write(models / "statue.mdl", "units/statue.mdl")
        out.write(models / "statue.mdx", "units/statue.mdx")
    inside = galatea.open(archive / "units" / "statue.mdl")
    assert inside.diff(galatea.open(models / "statue.mdl")) == []
    with pytest.raises(galatea.Error, match="archive") as caught:
        galatea.open(archive)
    assert caught.value.kind == "not-this-format"
    with pytest.raises(OSError, match="archive"):
        inside.save(force=True)


def test_findings_tell_rule_place_and_message() -> None:
    data = bytearray((EXAMPLES / "room.wok").read_bytes())
    table = next(one for one in galatea.open(bytes(data)).inspect(most=1) if "distance" in one.name)
    data[table.offset : table.offset + 4] = np.float32(123.0).tobytes()
    broken = galatea.open(bytes(data))
    findings = broken.check()
    assert findings
    assert {finding.severity for finding in findings} <= {"info", "warning", "error"}
    first = findings[0]
    assert first.code == "KBWM0022" and first.offset == table.offset and first.path
    assert first.code in str(first) and first.rule == galatea.explain(first.code)
    assert broken.check(only=[first.code]) == [one for one in findings if one.code == first.code]
    assert first.code not in broken.counts(ignore=[first.code])
    assert broken.counts()[first.code] >= 1


def test_a_fix_gives_the_original_bytes_back(models: Path) -> None:
    original = (EXAMPLES / "room.wok").read_bytes()
    document = galatea.open(original)
    tables = {field.name: field for field in document.inspect(most=1)}
    name = next(name for name in tables if "distance" in name)
    place = tables[name].offset
    data = bytearray(original)
    data[place : place + 4] = np.float32(123.0).tobytes()
    path = models / "room.wok"
    path.write_bytes(data)
    broken = galatea.open(path)
    assert broken.check(only=["KBWM0022"])
    assert [fixed.rule.code for fixed in broken.fix(only=["KBWM0022"])] == ["KBWM0022"]
    assert broken.write() == original
    assert broken.save() == [path]
    assert path.read_bytes() == original
    assert path.with_name("room.wok.bak").read_bytes() == bytes(data)


def test_nothing_is_replaced_unasked(models: Path) -> None:
    document = galatea.open(models / "statue.mdl")
    out = models / "copy.mdl"
    assert sorted(document.save(out)) == [out, models / "copy.mdx"]
    assert (models / "copy.mdx").read_bytes() == (EXAMPLES / "statue.mdx").read_bytes()
    with pytest.raises(FileExistsError) as caught:
        galatea.open(models / "beacon.mdx").save(out)
    assert caught.value.filename == str(out)
    document.save(out, force=True)
    with pytest.raises(ValueError, match="name one"):
        galatea.open(out.read_bytes(), companions={"mdx": b""}).save()


def test_inspect_accounts_for_offsets() -> None:
    data = (EXAMPLES / "room.wok").read_bytes()
    header = galatea.open(data).inspect()[0]
    count = next(field for field in header.children if field.name == "face_count")
    assert int.from_bytes(data[count.offset : count.offset + count.size], "little") == 132
    assert count.value.startswith("132")
    assert galatea.open(EXAMPLES / "keep" / "keep.lyt").inspect() == []
    mdx = galatea.open(EXAMPLES / "statue.mdl").inspect(companion="mdx")
    assert mdx and all(field.offset < (EXAMPLES / "statue.mdx").stat().st_size for field in mdx)
    with pytest.raises(ValueError, match="companion"):
        galatea.open(data).inspect(companion="mdx")


def test_diff_names_what_differs() -> None:
    old = galatea.open(EXAMPLES / "statue_800.mdx")
    new = galatea.open(EXAMPLES / "statue_1000.mdx")
    assert any(line.startswith("version: 800") for line in old.diff(new))
    assert old.diff(old) == [] and old.diff(galatea.open(EXAMPLES / "statue_800.mdl")) == []
    assert len(old.diff(new, limit=1)) <= 2
    with pytest.raises(ValueError, match="convert"):
        old.diff(galatea.open(EXAMPLES / "room.wok"))


@pytest.mark.parametrize("to", [one.name for one in galatea.formats() if one.writable and not one.texture])
def test_a_statue_becomes_every_model(to: str) -> None:
    source = EXAMPLES / ("room.wok" if to.startswith("kotor-bwm") else "statue.glb")
    done = galatea.open(source).convert(to)
    assert done.format == to
    if to == "html":
        # A page is only written. It holds the model as a GLB.
        assert done.bytes.lower().startswith(b"<!doctype html>")
        return
    assert done.open().info()["triangles"] > 0 or to == "obj"


def test_options_of_a_conversion_arrive() -> None:
    statue = galatea.open(EXAMPLES / "statue.mdl")
    assert statue.convert("kotor-mdl", game="k2").open().version != statue.version
    with pytest.raises(galatea.Error) as caught:
        statue.convert("glb", version=800)
    assert caught.value.kind == "option"
    with pytest.raises(ValueError, match="k1, k2"):
        statue.convert("kotor-mdl", game="k3")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="no option 'colour'"):
        statue.convert("glb", colour=3)  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        statue.convert("mdx", version="new")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="can be"):
        statue.convert("docx")
    named = galatea.open(EXAMPLES / "statue.glb").convert("kotor-mdl", name="hero", model_class="character")
    assert "hero.mdl" in named.files()


def test_strict_refuses_visible_losses() -> None:
    beacon = galatea.open(EXAMPLES / "beacon.mdx")
    lost = [loss for loss in beacon.convert("fmdl").losses if loss.visible]
    assert lost
    with pytest.raises(galatea.Error) as caught:
        beacon.convert("fmdl", strict=True)
    assert caught.value.kind == "losses"


def test_converted_files_are_saved_as_a_group(tmp_path: Path) -> None:
    done = galatea.open(EXAMPLES / "statue.glb").convert("kotor-mdl")
    paths = done.save(tmp_path / "statue.mdl")
    assert {path.name: path.read_bytes() for path in paths} == done.files()
    with pytest.raises(FileExistsError):
        done.save(tmp_path / "statue.mdl")
    done.save(tmp_path / "statue.mdl", force=True)


def test_text_is_that_of_the_format() -> None:
    assert "newmodel statue" in galatea.open(EXAMPLES / "statue.mdl").text()
    assert galatea.open(EXAMPLES / "room.wok").text().encode() == (EXAMPLES / "room.wok.ascii").read_bytes()
    with pytest.raises(galatea.Error) as caught:
        galatea.open(EXAMPLES / "statue.fmdl").text()
    assert caught.value.kind == "unsupported"


def test_an_image_is_that_of_the_command_line(tmp_path: Path) -> None:
    out = tmp_path / "walk.png"
    run = [sys.executable, "-m", "galatea", "render", str(EXAMPLES / "statue.mdl")]
    run += ["--clip", "walk", "--time", "0.1", "--size", "96x128", "-o", str(out)]
    subprocess.run(run, check=True, capture_output=True)
    image = galatea.open(EXAMPLES / "statue.mdl").render((96, 128), "walk", 0.1)
    assert image.shape == (128, 96, 4) and image.dtype == np.uint8
    assert (image == galatea.decode(out)).all()


def test_what_an_image_shows_can_be_chosen() -> None:
    statue = galatea.open(EXAMPLES / "statue.mdl")
    clear = statue.render(64, background="transparent")
    assert clear[0, 0, 3] == 0 and clear[..., 3].max() == 255
    assert tuple(statue.render(64, background=(1, 2, 3))[0, 0]) == (1, 2, 3, 255)
    assert (statue.render(64, show=["skeleton"]) != statue.render(64)).any()
    assert (statue.render(64, textures=False) != statue.render(64)).any()
    for wrong in ({"show": ["bones"]}, {"background": "red"}, {"background": (1, 2)}):
        with pytest.raises(ValueError):
            statue.render(64, **wrong)
    for size in (0, 100_000):
        with pytest.raises(galatea.Error) as caught:
            statue.render(size)
        assert caught.value.kind == "render"
    with pytest.raises(galatea.Error, match="no clip"):
        statue.render(64, "fly")
    with pytest.raises(galatea.Error, match="no camera"):
        statue.render(64, camera="nowhere")


def test_textures_are_found_or_missing(models: Path) -> None:
    found = galatea.open(models / "statue.mdl").textures()
    assert [(one.status, one.path) for one in found] == [("found", models / "statue.tga")]
    (models / "statue.tga").unlink()
    (models / "statue.blp").unlink()
    statue = galatea.open(models / "statue.mdl")
    assert [one.status for one in statue.textures()] == ["missing"]
    elsewhere = galatea.Sources(textures=[EXAMPLES])
    assert [one.status for one in statue.textures(sources=elsewhere)] == ["found"]
    with pytest.raises(galatea.Error):
        galatea.open(EXAMPLES / "room.wok").textures()
    with pytest.raises(FileNotFoundError):
        galatea.Sources(textures=[models / "nowhere"])
    with pytest.raises(ValueError, match="no game"):
        galatea.Sources(game=models)


def test_documents_are_pickled_by_their_bytes() -> None:
    for path in FILES:
        document = galatea.open(path)
        again = pickle.loads(pickle.dumps(document))
        assert again.files() == document.files()
        assert again.path == path
    kept = pickle.loads(pickle.dumps(galatea.open((EXAMPLES / "room.wok").read_bytes(), name="a.wok")))
    assert kept.name == "a.wok" and kept.path is None


def test_exceptions_say_where_and_are_pickled(tmp_path: Path) -> None:
    data = (EXAMPLES / "statue_800.mdx").read_bytes()[:3000]
    with pytest.raises(galatea.Error) as caught:
        galatea.open(data, name="cut.mdx")
    error = caught.value
    assert error.offset is not None and 0 < error.offset <= 3000
    assert str(error).startswith("cut.mdx: 0x")
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.kind, again.offset, again.path) == (str(error), error.kind, error.offset, error.path)
    text = (EXAMPLES / "statue_800.mdl").read_bytes().replace(b"BlendTime 150", b"BlendTime soon", 1)
    with pytest.raises(galatea.Error) as caught:
        galatea.open(text)
    assert caught.value.line is not None and caught.value.line[0] > 1
    with pytest.raises(FileNotFoundError) as missing:
        galatea.open(tmp_path / "nothing.mdl")
    assert missing.value.filename == str(tmp_path / "nothing.mdl")
    with pytest.raises(IsADirectoryError):
        galatea.open(tmp_path)


def test_rules_and_formats_are_listed() -> None:
    rules = galatea.rules()
    assert len(rules) > 300 and len({rule.code for rule in rules}) == len(rules)
    assert galatea.explain("kbwm0009").severity == "error"
    with pytest.raises(ValueError):
        galatea.explain("KBWM9999")
    assert {one.name for one in galatea.formats()} >= {"mdx", "fmdl", "glb", "tpc"}
