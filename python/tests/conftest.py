"""Tests run in the root of the checkout, on the models of `examples/` alone."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

#: Programs, not tests: `cargo xtask python --bench` and `--fuzz` run them.
collect_ignore = ["measure.py", "fuzz_open.py"]

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"


@pytest.fixture(autouse=True)
def in_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    """Examples of the documentation name files of the checkout."""
    monkeypatch.chdir(ROOT)


@pytest.fixture
def models(tmp_path: Path) -> Path:
    """A folder with copies of the examples, to write into."""
    folder = tmp_path / "models"
    shutil.copytree(EXAMPLES, folder)
    return folder
