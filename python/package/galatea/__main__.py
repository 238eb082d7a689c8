"""The command line: ``python -m galatea``."""

from __future__ import annotations

import signal
import sys

from galatea import _galatea


def main() -> int:
    """Runs the program with the arguments of this process, and returns its exit code."""
    sys.stdout.flush()
    sys.stderr.flush()
    # Python would only take note of Ctrl-C and go on. The program ends a batch behind the files that it is working on.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _galatea.main(["galatea", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
