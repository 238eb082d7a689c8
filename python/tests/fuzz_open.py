"""Feeds damaged files to ``open`` and to what comes after, with atheris: ``fuzz_open.py CORPUS SEEDS [libFuzzer options]``.

A finding is anything but an exception of ``galatea``: an abort, a panic, a hang, memory out of proportion.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["galatea"]):
    import galatea

ALLOWED = (galatea.Error, ValueError, OSError)


def one(data: bytes) -> None:
    """Opens a file and does a little of everything with it."""
    try:
        document = galatea.open(data, name="fuzz.mdl")
    except galatea.Error as error:
        assert str(error) and error.kind
        return
    document.info()
    document.check()
    if document.format != "kotor-lyt": document.inspect(most=1)
    again = document.files()
    assert document.diff(galatea.open(document.write(), companions=_companions(again), name="fuzz.mdl")) == []
    for call in (document.scene, lambda: galatea.Ground(document), document.pixels, document.text, lambda: document.render(16)):
        try:
            made = call()
            if isinstance(made, galatea.Scene):
                made.pose()
                for clip in made.clips[:4]:
                    made.pose(clip, 0.1)
                made.convert("glb")
        except ALLOWED:
            pass


def _companions(files: dict[str, bytes]) -> dict[str, bytes]:
    return {name.split(".", 1)[1]: data for name, data in list(files.items())[1:]}


def main() -> None:
    """Copies the seeds into the corpus and runs."""
    corpus, seeds = Path(sys.argv[1]), Path(sys.argv[2])
    corpus.mkdir(parents=True, exist_ok=True)
    for path in seeds.rglob("*"):
        if path.is_file() and path.stat().st_size < 100_000:
            shutil.copy(path, corpus / path.name)
    atheris.Setup([sys.argv[0], str(corpus), f"-artifact_prefix={corpus}.", "-rss_limit_mb=2048", "-timeout=20", *sys.argv[3:]], one)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
