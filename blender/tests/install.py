"""Installs a package of the extension in Blender as people do, and enables it."""

import sys

import bpy


def main(package: str) -> int:
    """Installs the package."""
    bpy.ops.preferences.addon_enable(module="bl_pkg")
    done = bpy.ops.extensions.package_install_files(filepath=package, repo="user_default", enable_on_install=True)
    if done != {"FINISHED"}:
        print(f"not installed: {done}")
        return 1
    bpy.ops.wm.save_userpref()
    import galatea

    print(f"installed: galatea {galatea.__version__} from {galatea.__file__}")
    print(f"operators: {bpy.ops.galatea.import_model.idname_py()}, {bpy.ops.galatea.export_model.idname_py()}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
