"""Sends GLBs through Blender, many in one process: `through.py JOBS RESULTS`.

JOBS is a file with one JSON object per line: `input`, `output`, `ticks` ("documented" or "default") and, if the model is to be
edited, `ideal`, the GLB that should come out. RESULTS gets one line per file: its number, a tab, and `ok` with the edits or the
error. Needs `pip install bpy` (tried with 5.0.1, Python 3.11).
"""
import json
import sys

import bpy

from edits import Edits

# What docs/gltf.md asks for; everything else is as Blender presets it.
DOCUMENTED = {
    "export_extras": True,
    "export_cameras": True,
    "export_lights": True,
    "export_force_sampling": False,
    "export_all_influences": True,
    "export_attributes": True,
}


def through(job):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.import_scene.gltf(filepath=job["input"])
    options = DOCUMENTED if job["ticks"] == "documented" else {}
    export = lambda path: bpy.ops.export_scene.gltf(filepath=path, export_format="GLB", **options)
    if "ideal" not in job:
        export(job["output"])
        return ""
    before = job["ideal"] + ".before.glb"
    export(before)
    edits = Edits(job["input"])
    edits.in_blender()
    export(job["output"])
    edits.ideal(before, job["output"], job["ideal"])
    return " " + json.dumps(edits.done)


def main():
    out = open(sys.argv[2], "w", encoding="utf-8")
    with open(sys.argv[1], encoding="utf-8") as jobs:
        for number, line in enumerate(jobs):
            try:
                word = "ok" + through(json.loads(line))
            except Exception as error:  # Blender raises whatever its scripts raise.
                word = " ".join(str(error).split())[-200:] or type(error).__name__
            print(f"{number}\t{word}", file=out, flush=True)


main()
