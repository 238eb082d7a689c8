"""Compares archives of KotOR with what PyKotor reads: names, order and bytes. Takes the folder that `cargo xtask pykotor` wrote."""

import json
import sys
from pathlib import Path

from pykotor.resource.formats.erf import read_erf
from pykotor.resource.formats.key import read_key
from pykotor.resource.formats.rim import read_rim


def theirs(path, kind):
    """Names with their bytes; of a KEY, which has no bytes, with the ids."""
    if kind == "key":
        entries = read_key(path).key_entries
        return [(f"{e.resref}.{e.restype.extension}".lower(), e.resource_id) for e in entries]
    archive = read_rim(path) if kind == "rim" else read_erf(path)
    return [(f"{r.resref}.{r.restype.extension}".lower(), bytes(r.data)) for r in archive]


def main():
    out = Path(sys.argv[1])
    archives = json.loads((out / "index.json").read_text())
    same, files, bad = 0, 0, 0
    for archive in archives:
        ours = []
        for entry in archive["entries"]:
            value = entry["id"] if "id" in entry else (out / entry["path"]).read_bytes()
            ours.append((entry["name"].lower(), value))
        try:
            found = theirs(archive["path"], archive["kind"])
        except Exception as error:  # Any failure of the other reader is told, and counts.
            print(f"{archive['path']}: PyKotor: {error}")
            bad += 1
            continue
        files += len(ours)
        # PyKotor knows fewer types of files, which it calls by other endings.
        stem = lambda pairs: sorted(((name.split(".")[0], value) for name, value in pairs), key=repr)
        if stem(ours) == stem(found):
            same += 1
        else:
            print(f"{archive['path']}: {len(ours)} files here, {len(found)} there, or other bytes")
            bad += 1
    print(f"{len(archives)} archives, {files} files: {same} as PyKotor reads them, {bad} not")
    sys.exit(1 if bad else 0)


main()
