"""`python -m galatea` is the command line."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from .conftest import EXAMPLES


def run(*args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "galatea", *args], capture_output=True, text=True)


def test_exit_codes_and_streams_are_those_of_the_program() -> None:
    help = run("--help")
    assert help.returncode == 0 and "Usage: galatea" in help.stdout and help.stderr == ""
    wrong = run("frobnicate")
    assert wrong.returncode == 2 and wrong.stdout == "" and "frobnicate" in wrong.stderr
    assert run("info", "nothing.mdl").returncode == 4
    # A path alone means info, and nothing of the output is lost at the end.
    assert "kotor-bwm" in run(str(EXAMPLES / "room.wok")).stdout


def test_a_closed_pipe_is_no_failure() -> None:
    command = f"{sys.executable} -m galatea explain | head -n 1; echo ${{PIPESTATUS[0]}}"
    shell = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert shell.stdout.splitlines()[-1] == "0" and shell.stderr == ""


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_ctrl_c_ends_a_batch_with_what_is_written_complete(tmp_path: Path) -> None:
    models = tmp_path / "in"
    models.mkdir()
    data = (EXAMPLES / "statue.glb").read_bytes()
    for number in range(400):
        (models / f"statue{number}.glb").write_bytes(data)
    out = tmp_path / "out"
    command = [sys.executable, "-m", "galatea", "convert", str(models), "--to", "mdx", "-o", str(out)]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    for _ in range(600):
        if out.is_dir() and any(out.glob("*.mdx")):
            break
        time.sleep(0.05)
    child.send_signal(signal.SIGINT)
    _, told = child.communicate(timeout=60)
    assert child.returncode == 130 and "stopped" in told
    assert all(path.read_bytes()[:4] == b"MDLX" for path in out.glob("*.mdx"))
    assert 0 < len(list(out.glob("*.mdx"))) < 400


def test_the_program_leaves_the_signals_of_a_running_python_alone() -> None:
    code = (
        "import signal, galatea._galatea as native\n"
        # A shell's background jobs start with the signal ignored.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "before = signal.getsignal(signal.SIGINT)\n"
        "assert native.main(['galatea', 'info', 'examples/room.wok']) == 0\n"
        "assert signal.getsignal(signal.SIGINT) is before\n"
        "try:\n    signal.raise_signal(signal.SIGINT)\nexcept KeyboardInterrupt:\n    print('interrupted')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.endswith("interrupted\n"), done.stderr
