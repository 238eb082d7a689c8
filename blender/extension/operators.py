"""Operators: import, export, check, sequences, surfaces, transitions, the original."""

import os
from pathlib import Path
from typing import Any

import bpy
import galatea
from bpy.props import BoolProperty, CollectionProperty, EnumProperty, FloatProperty, IntProperty, StringProperty
from bpy_extras.io_utils import ExportHelper, ImportHelper

from . import check, curves, exporter, fresh, import_tree, importer, original, surfaces
from .plan import plan

EXTENSIONS = "*.mdl;*.mdx;*.fmdl;*.wok;*.pwk;*.dwk;*.ascii;*.lyt;*.git;*.utc;*.obj"
FORMATS = [
    ("kotor-mdl", "KotOR model (.mdl)", "With its .mdx"),
    ("kotor-mdl-ascii", "KotOR model as text (.mdl.ascii)", "As MDLOps and other tools write it"),
    ("kotor-bwm", "KotOR walkmesh (.wok, .pwk, .dwk)", ""),
    ("kotor-bwm-ascii", "KotOR walkmesh as text (.wok.ascii)", ""),
    ("mdx", "Warcraft III model (.mdx)", ""),
    ("mdl", "Warcraft III model as text (.mdl)", ""),
    ("fmdl", "Fox Engine model (.fmdl)", ""),
    ("glb", "glTF 2.0 (.glb)", "With everything that the format has in custom properties"),
]
ENDINGS = {
    "kotor-mdl": ".mdl",
    "kotor-mdl-ascii": ".mdl.ascii",
    "kotor-bwm": ".wok",
    "kotor-bwm-ascii": ".wok.ascii",
    "mdx": ".mdx",
    "mdl": ".mdl",
    "fmdl": ".fmdl",
    "glb": ".glb",
}
#: What goes wrong for reasons that the message tells.
TOLD = (galatea.Error, exporter.Failed, original.Missing, OSError, ValueError)


def model_of(context: bpy.types.Context) -> Any:
    """Returns the model that the active object belongs to."""
    one = context.object
    while one is not None:
        if one.galatea_model.is_model:
            return one
        if one.galatea.model is not None and one.parent is None:
            return one.galatea.model
        one = one.parent
    return None


def show_steps(context: bpy.types.Context, steps: Any) -> Any:
    """Runs something step by step, shows how far it is, and returns what it gives."""
    manager = context.window_manager
    manager.progress_begin(0, 100)
    try:
        while True:
            try:
                part, what = next(steps)
            except StopIteration as done:
                return done.value
            manager.progress_update(int(part * 100))
            if context.workspace is not None:
                context.workspace.status_text_set(f"Galatea: {what}")
    finally:
        manager.progress_end()
        if context.workspace is not None:
            context.workspace.status_text_set(None)


class GALATEA_OT_import(bpy.types.Operator, ImportHelper):
    """Import models of KotOR, Warcraft III and the Fox Engine"""

    bl_idname = "galatea.import_model"
    bl_label = "Import Game Model"
    bl_options = {"REGISTER", "UNDO"}

    filter_glob: StringProperty(default=EXTENSIONS, options={"HIDDEN"})
    files: CollectionProperty(type=bpy.types.OperatorFileListElement, options={"HIDDEN", "SKIP_SAVE"})
    directory: StringProperty(subtype="DIR_PATH", options={"HIDDEN", "SKIP_SAVE"})
    textures: StringProperty(
        name="Textures", description="A folder in which textures are looked for, besides that of the model", subtype="DIR_PATH"
    )
    game: StringProperty(name="Game", description="The folder of the game, whose archives have the textures", subtype="DIR_PATH")
    images: BoolProperty(name="Load textures", default=True)
    pack: BoolProperty(
        name="Keep a copy of the original",
        description="The .blend gets a copy of the file. Edits are laid onto it when the model is exported, so it must not get lost",
        default=True,
    )
    hide: BoolProperty(
        name="Hide what is not drawn",
        description="Walk surfaces, shadow volumes, coarser levels of detail and what the game hides at rest",
        default=True,
    )

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Asks for files, unless some were dropped."""
        if self.directory and self.files and self.files[0].name:
            return self.execute(context)
        return ImportHelper.invoke(self, context, event)

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Imports the files."""
        names = [one.name for one in self.files if one.name]
        paths = [os.path.join(self.directory, name) for name in names] if self.directory and names else [self.filepath]
        options = importer.Options(
            textures=[bpy.path.abspath(self.textures)] if self.textures else [],
            game=bpy.path.abspath(self.game) if self.game else "",
            pack=self.pack,
            images=self.images,
            hide=self.hide,
        )
        done = 0
        for path in paths:
            try:
                job = show_steps(context, importer.begin(context, path, options))
            except TOLD as error:
                self.report({"ERROR"}, f"{Path(path).name}: {error}")
                continue
            done += 1
            for warning in job.warnings:
                self.report({"WARNING"}, f"{Path(path).name}: {warning}")
        return {"FINISHED"} if done else {"CANCELLED"}


class GALATEA_OT_export(bpy.types.Operator, ExportHelper):
    """Export a model: lay the edit onto its original, or make a new model of it"""

    bl_idname = "galatea.export_model"
    bl_label = "Export Game Model"

    filename_ext = ""
    check_extension = None
    filter_glob: StringProperty(default=EXTENSIONS, options={"HIDDEN"})
    way: EnumProperty(
        name="As",
        items=[
            ("ONTO", "Edit of the original", "What was not edited stays as it was, to the bit"),
            ("NEW", "New model", "Made of what is selected, by the rules of the authoring page"),
        ],
    )
    format: EnumProperty(name="Format", items=FORMATS, default="mdx")
    selected: BoolProperty(name="Selected objects only", default=True)
    version: IntProperty(name="Version", description="Of Warcraft III models: 800 is the classic game's", default=800, min=800, max=1500)
    game: EnumProperty(
        name="Game",
        items=[
            ("auto", "As the original", ""),
            ("k1", "KotOR", ""),
            ("k2", "KotOR 2", ""),
            ("tpp", "The Phantom Pain", ""),
            ("gz", "Ground Zeroes", ""),
            ("pes", "Pro Evolution Soccer", ""),
        ],
    )
    with_walkmesh: BoolProperty(name="With walkmesh", description="Write the WOK, PWK or DWK of a new KotOR model too")
    supermodel: StringProperty(name="Supermodel", description="The KotOR model whose animations a new one inherits")
    texture_folder: StringProperty(name="Texture folder", description="The folder of new textures in the paths of the model")

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Asks for the path; begins with what the model was."""
        root = model_of(context)
        self.way = "ONTO" if root is not None else "NEW"
        if root is not None:
            known = {name for name, _, _ in FORMATS}
            self.format = root.galatea_model.format if root.galatea_model.format in known else self.format
            stem = Path(root.galatea_model.path or root.name).name
            self.filepath = stem
        else:
            self.filepath = (context.object.name if context.object else "model") + ENDINGS[self.format]
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def check(self, _context: bpy.types.Context) -> bool:
        """Gives the file the ending of its format."""
        path = Path(self.filepath)
        if self.way == "NEW" and path.stem and path.suffix not in (ENDINGS[self.format], ".pwk", ".dwk"):
            self.filepath = str(path.with_name(path.name.split(".")[0] + ENDINGS[self.format]))
            return True
        return False

    def draw(self, _context: bpy.types.Context) -> None:
        """Draws what can be told."""
        layout = self.layout
        layout.use_property_split = True
        layout.prop(self, "way")
        layout.prop(self, "format")
        layout.prop(self, "game")
        if self.way == "NEW":
            layout.prop(self, "selected")
            if self.format in ("mdx", "mdl"):
                layout.prop(self, "version")
            if self.format.startswith("kotor-mdl"):
                layout.prop(self, "supermodel")
                layout.prop(self, "with_walkmesh")
            if self.format in ("mdx", "mdl", "fmdl"):
                layout.prop(self, "texture_folder")

    def settings(self) -> dict[str, Any]:
        """Returns the options that mean something for the format."""
        out: dict[str, Any] = {}
        games = {"k1", "k2"} if self.format.startswith("kotor-mdl") else {"tpp", "gz", "pes"} if self.format == "fmdl" else set()
        if self.game in games:
            out["game"] = self.game
        if self.way == "NEW":
            if self.format in ("mdx", "mdl"):
                out["version"] = self.version
            if self.format.startswith("kotor-mdl"):
                out["with_walkmesh"] = self.with_walkmesh
                if self.supermodel:
                    out["supermodel"] = self.supermodel
            if self.texture_folder and self.format in ("mdx", "mdl", "fmdl"):
                out["texture_folder"] = self.texture_folder
            out["name"] = Path(self.filepath).name.split(".")[0]
        return out

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Exports the model."""
        root = model_of(context)
        try:
            if self.way == "ONTO":
                if root is None:
                    raise exporter.Failed("select a part of an imported model, or export as a new model")
                files = show_steps(context, exporter.begin(context, root, to=self.format, **self.settings()))
            else:
                objects = context.selected_objects if self.selected else context.scene.objects
                files = fresh.export(context, list(objects), self.format, **self.settings())
            files.save(self.filepath)
        except TOLD as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        for loss in files.losses[:10]:
            self.report({"WARNING"}, f"lost: {loss}")
        count = len(files.changes)
        told = f"{count} changes" if count else "nothing was changed: the original"
        self.report({"INFO"}, f"{Path(self.filepath).name}: {told if self.way == 'ONTO' else 'a new model'}")
        for change in files.changes:
            print(f"Galatea: {change}")
        return {"FINISHED"}


class GalateaFound(bpy.types.PropertyGroup):
    """A finding of the last check."""

    code: StringProperty()
    severity: StringProperty()
    message: StringProperty()
    help: StringProperty()
    made: bpy.props.PointerProperty(type=bpy.types.Object)
    bone: StringProperty()


class GALATEA_OT_check(bpy.types.Operator):
    """Check the model as it would be exported, by the rules of its format, and select what the worst finding is about"""

    bl_idname = "galatea.check"
    bl_label = "Check"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Needs a part of an imported model."""
        return model_of(context) is not None

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Checks the model."""
        root = model_of(context)
        found = context.window_manager.galatea_found
        found.clear()
        try:
            _, all_found = check.run(context, root)
        except TOLD as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        for one in all_found:
            item = found.add()
            item.code, item.severity = one.finding.code, one.finding.severity
            item.message = f"{one.finding.rule.title}: {one.finding.message}"
            item.help = one.finding.rule.help
            item.made, item.bone = one.made, one.bone
        worst = next((one for one in all_found if one.made is not None), None)
        if worst is not None and worst.made is not None:
            check.select(context, worst.made, worst.bone)
        errors = sum(one.finding.severity == "error" for one in all_found)
        self.report({"INFO"}, f"{len(all_found)} findings, {errors} errors" if all_found else "nothing was found")
        return {"FINISHED"}


class GALATEA_OT_select_found(bpy.types.Operator):
    """Select what this finding is about"""

    bl_idname = "galatea.select_found"
    bl_label = "Select"

    number: IntProperty()

    @classmethod
    def description(cls, context: bpy.types.Context, properties: Any) -> str:
        """Returns the help of the rule."""
        found = context.window_manager.galatea_found
        return found[properties.number].help if properties.number < len(found) else ""

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Selects the object."""
        one = context.window_manager.galatea_found[self.number]
        if one.made is None:
            self.report({"INFO"}, "this is about the whole model")
            return {"CANCELLED"}
        check.select(context, one.made, one.bone)
        return {"FINISHED"}


def sequences(root: Any) -> list[Any]:
    """Returns the actions of a model in the order of the game."""
    return sorted((one for one in bpy.data.actions if one.galatea.model == root), key=lambda one: one.galatea.order)


def rest_pose(root: Any) -> None:
    """Puts all bones where their nodes are at rest: actions leave those alone that they do not move."""
    if root.type != "ARMATURE":
        return
    try:
        layout = plan(original.load(root).scene())
    except TOLD:
        layout = None
    for bone in root.pose.bones:
        key = bone.bone.galatea.part.key
        place: Any = ((0, 0, 0), (1, 0, 0, 0), (1, 1, 1))
        if layout is not None and key in layout.rest:
            place = tuple(part.tolist() for part in import_tree.resting(layout, key))
        bone.location, bone.rotation_quaternion, bone.scale = place


class GALATEA_OT_play(bpy.types.Operator):
    """Show this sequence: the model gets its action, and the timeline its length"""

    bl_idname = "galatea.play"
    bl_label = "Show Sequence"
    bl_options = {"REGISTER", "UNDO"}

    number: IntProperty(default=-1)

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Assigns the action."""
        root = model_of(context)
        if root is None:
            return {"CANCELLED"}
        curves.assign(root, None)
        rest_pose(root)
        own = sequences(root)
        if 0 <= self.number < len(own):
            action = own[self.number]
            curves.assign(root, action)
            root.galatea_model.clip = self.number
            context.scene.frame_start = int(action.frame_range[0])
            context.scene.frame_end = max(round(action.frame_range[1]), 1)
            context.scene.frame_set(context.scene.frame_start)
        return {"FINISHED"}


class GALATEA_OT_move(bpy.types.Operator):
    """Move the sequence up or down: scripts play sequences by their number"""

    bl_idname = "galatea.move"
    bl_label = "Move Sequence"
    bl_options = {"REGISTER", "UNDO"}

    by: IntProperty(default=1)

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Swaps two sequences."""
        root = model_of(context)
        own = sequences(root) if root is not None else []
        at = root.galatea_model.clip if own else 0
        to = at + self.by
        if not (0 <= at < len(own) and 0 <= to < len(own)):
            return {"CANCELLED"}
        own[at], own[to] = own[to], own[at]
        for order, action in enumerate(own):
            action.galatea.order = order
        root.galatea_model.clip = to
        return {"FINISHED"}


class GALATEA_OT_new_sequence(bpy.types.Operator):
    """Add a sequence: an action that is exported with the model"""

    bl_idname = "galatea.new_sequence"
    bl_label = "New Sequence"
    bl_options = {"REGISTER", "UNDO"}

    name: StringProperty(name="Name", default="Stand")
    length: FloatProperty(name="Length", description="Seconds", default=1.0, min=0.01)

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:
        """Asks for the name."""
        return context.window_manager.invoke_props_dialog(self)

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Adds the action."""
        root = model_of(context)
        if root is None:
            return {"CANCELLED"}
        action, _ = curves.new_action(self.name, root)
        action.galatea.model = root
        action.galatea.order = len(sequences(root)) - 1
        action.use_frame_range = True
        action.frame_start, action.frame_end = 0.0, self.length * root.galatea_model.fps
        curves.assign(root, action)
        root.galatea_model.clip = len(sequences(root)) - 1
        return {"FINISHED"}


class GALATEA_OT_surface(bpy.types.Operator):
    """Make the selected faces this surface"""

    bl_idname = "galatea.surface"
    bl_label = "Paint Surface"
    bl_options = {"REGISTER", "UNDO"}

    surface: EnumProperty(name="Surface", items=surfaces.ITEMS)

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Needs a mesh in edit mode."""
        return context.mode == "EDIT_MESH"

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Assigns the material of the surface."""
        made = context.object
        made.active_material_index = surfaces.material(made, self.surface)
        bpy.ops.object.material_slot_assign()
        return {"FINISHED"}


class GALATEA_OT_transition(bpy.types.Operator):
    """Let the selected border edges lead to another room, by its number in the layout. -1 leads nowhere"""

    bl_idname = "galatea.transition"
    bl_label = "Set Transition"
    bl_options = {"REGISTER", "UNDO"}

    room: IntProperty(name="Room", default=0, min=-1)

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Needs a walkmesh in edit mode."""
        return context.mode == "EDIT_MESH"

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:
        """Asks for the room."""
        return context.window_manager.invoke_props_dialog(self)

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Writes the room to the edges."""
        from . import transitions

        count = transitions.set_selected(context.object, self.room)
        if not count:
            self.report({"WARNING"}, "select edges of the border: those with one face")
            return {"CANCELLED"}
        self.report({"INFO"}, f"{count} edges lead to room {self.room}" if self.room >= 0 else f"{count} edges lead nowhere")
        return {"FINISHED"}


class GALATEA_OT_keep(bpy.types.Operator):
    """Keep a copy of the original in the .blend, or remove it"""

    bl_idname = "galatea.keep_original"
    bl_label = "Keep Original"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Stores or removes the copy."""
        root = model_of(context)
        if root is None:
            return {"CANCELLED"}
        if original.is_kept(root):
            if not os.path.exists(bpy.path.abspath(root.galatea_model.path)):
                self.report({"ERROR"}, f"{root.galatea_model.path!r} is not there: the copy is all there is of the original")
                return {"CANCELLED"}
            original.forget(root)
            return {"FINISHED"}
        try:
            original.keep(root, original.load(root))
        except TOLD as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return {"FINISHED"}


CLASSES = (
    GalateaFound,
    GALATEA_OT_import,
    GALATEA_OT_export,
    GALATEA_OT_check,
    GALATEA_OT_select_found,
    GALATEA_OT_play,
    GALATEA_OT_move,
    GALATEA_OT_new_sequence,
    GALATEA_OT_surface,
    GALATEA_OT_transition,
    GALATEA_OT_keep,
)


def register() -> None:
    """Registers the operators."""
    for one in CLASSES:
        bpy.utils.register_class(one)
    bpy.types.WindowManager.galatea_found = CollectionProperty(type=GalateaFound)


def unregister() -> None:
    """Takes the operators away."""
    del bpy.types.WindowManager.galatea_found
    for one in reversed(CLASSES):
        bpy.utils.unregister_class(one)
