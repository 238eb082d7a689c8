"""The words of panels: choices, labels and sections."""

from __future__ import annotations

from typing import Any

BILLBOARDS = [
    ("NONE", "No", "It turns with what it hangs on"),
    ("FULL", "Fully", "It always faces the camera"),
    ("ABOUT_X", "About X", "It turns about its X axis"),
    ("ABOUT_Y", "About Y", "It turns about its Y axis"),
    ("ABOUT_Z", "About Z", "It turns about its Z axis"),
]
PURPOSES = [
    ("RENDER", "Drawn", "The game draws it"),
    ("WALK", "Walk surface", "People walk on it; the names of its materials are surfaces"),
    ("COLLISION", "Collision", "It is in the way, and not drawn"),
    ("AABB", "Walk surface of the model", "KotOR: the AABB mesh, a walk surface inside of the model"),
    ("HIDDEN", "Not drawn", "Shadow volumes, helpers"),
]
ALPHAS = [
    ("OPAQUE", "Opaque", "FilterMode None"),
    ("MASK", "Holes", "FilterMode Transparent: what is below the threshold is not drawn"),
    ("BLEND", "Blended", "FilterMode Blend"),
    ("ADDITIVE", "Additive", "FilterMode Additive and AddAlpha: it brightens what is behind"),
    ("MODULATE", "Modulate", "It darkens what is behind"),
    ("MODULATE2X", "Modulate 2x", "It darkens or brightens what is behind"),
]
PLAYBACKS = [
    ("LOOP", "Again and again", "It begins again at its end"),
    ("ONCE", "Once", "It stops at its end"),
    ("ALWAYS", "Always", "A global sequence: it plays beside all others"),
]
#: What a text is usually, by the last name of its path; others can be typed.
WORDS: dict[str, list[str]] = {
    "update": ["Fountain", "Single", "Explosion", "Lightning"],
    "render": [
        "Normal",
        "Linked",
        "Billboard_to_Local_Z",
        "Billboard_to_World_Z",
        "Aligned_to_World_Z",
        "Aligned_to_Particle_Dir",
        "Motion_Blur",
    ],
    "blend": ["Normal", "Punch-Through", "Lighten"],
}
#: What a number means, by its path.
NUMBERS: dict[str, dict[int, str]] = {
    "kotor/classification": {
        0: "Other",
        1: "Effect",
        2: "Tile",
        4: "Character",
        8: "Door",
        16: "Lightsaber",
        32: "Placeable",
        64: "Flyer",
    },
    "kotor/emitter/spawn_type": {0: "Normal", 1: "Trail"},
    "mdx/filter_mode": {0: "Blend", 1: "Additive", 2: "Modulate", 3: "Modulate 2x", 4: "Alpha key"},
    "mdx/head_or_tail": {0: "Head", 1: "Tail", 2: "Both"},
}
#: Numbers that are sets of flags, by their path.
BITS: dict[str, list[tuple[str, int]]] = {
    "kotor/emitter/flags": [
        ("p2p", 0x1),
        ("p2p_sel", 0x2),
        ("affectedByWind", 0x4),
        ("m_isTinted", 0x8),
        ("bounce", 0x10),
        ("random", 0x20),
        ("inherit", 0x40),
        ("inheritvel", 0x80),
        ("inherit_local", 0x100),
        ("splat", 0x200),
        ("inherit_part", 0x400),
        ("depth_texture", 0x800),
    ],
    "mdx/anim/flags": [("Drop shadow", 0x1), ("Use color", 0x2)],
    "mdx/layer_flags": [
        ("Unshaded", 0x1),
        ("Sphere environment map", 0x2),
        ("Two-sided", 0x10),
        ("Unfogged", 0x20),
        ("No depth test", 0x40),
        ("No depth set", 0x80),
        ("Unlit", 0x100),
    ],
}
#: The sections of panels, by the names that open them.
SECTIONS = {
    "emitter": "Emitter",
    "light": "Light",
    "reference": "Reference",
    "anim": "Geoset animation",
    "dangly": "Dangly",
    "dirt": "Dirt",
    "mesh": "Mesh",
    "wow": "World of Warcraft",
}
#: Values that are not in extras while they have their default, by path.
KOTOR_MESH: dict[str, Any] = {
    "kotor/mesh/render": 1,
    "kotor/mesh/shadow": 0,
    "kotor/mesh/beaming": 0,
    "kotor/mesh/background": 0,
    "kotor/mesh/rotate_texture": 0,
    "kotor/mesh/lightmapped": 0,
    "kotor/mesh/transparency_hint": 0,
    "kotor/mesh/ambient": [0.2, 0.2, 0.2],
    "kotor/mesh/animate_uv": 0,
    "kotor/mesh/uv_direction": [0.0, 0.0],
    "kotor/mesh/uv_jitter": 0.0,
    "kotor/mesh/uv_jitter_speed": 0.0,
}
#: Values of a mesh header that have no default or may differ from it.
KOTOR_MESH_SHOWN = tuple(path.rpartition("/")[2] for path in KOTOR_MESH)
KOTOR_LIGHT: dict[str, Any] = {
    "kotor/light/priority": 0,
    "kotor/light/ambient_only": 0,
    "kotor/light/dynamic_type": 0,
    "kotor/light/affect_dynamic": 0,
    "kotor/light/shadow": 0,
    "kotor/light/flare": 0,
    "kotor/light/fading": 0,
    "kotor/light/flare_radius": 0.0,
}
KOTOR_MODEL: dict[str, Any] = {
    "kotor/classification": 0,
    "kotor/subclassification": 1,
    "kotor/supermodel": "",
    "kotor/animation_scale": 1.0,
    "kotor/fog": 1,
}
KOTOR_CLIP: dict[str, Any] = {"kotor/transition": 0.0}
MDX_CLIP: dict[str, Any] = {"mdx/move_speed": 0.0, "mdx/rarity": 0.0}
MDX_MATERIAL: dict[str, Any] = {"mdx/priority_plane": 0}
_MDX_PARTICLES: dict[str, Any] = {
    "mdx/filter_mode": 0,
    "mdx/head_or_tail": 0,
    "mdx/squirt": 0,
    "mdx/variation": 0.0,
    "mdx/tail_length": 0.0,
    "mdx/time": 0.5,
    "mdx/head_life": [0, 0, 1],
    "mdx/head_decay": [0, 0, 1],
    "mdx/tail_life": [0, 0, 1],
    "mdx/tail_decay": [0, 0, 1],
    "mdx/texture_id": 0,
    "mdx/priority_plane": 0,
    "mdx/replaceable_id": 0,
}
MDX_NODES: dict[str, dict[str, Any]] = {
    "particle_emitter2": _MDX_PARTICLES,
    "light": {"mdx/attenuation_start": 0.0, "mdx/ambient_intensity": 0.0, "mdx/ambient_color": [1.0, 1.0, 1.0]},
}
#: Labels of values whose own name says little.
LABELS = {
    "rate": "Birth rate",
    "life": "Life span",
    "area": "Length and width",
    "grid": "Columns and rows",
    "x_grid": "Columns",
    "y_grid": "Rows",
    "chunk": "Thrown model",
    "path": "Model",
    "move_speed": "Move speed",
    "priority_plane": "Priority plane",
    "render": "Render",
    "background": "Background geometry",
    "animate_uv": "Animate UV",
    "uv_direction": "UV direction",
    "uv_jitter": "UV jitter",
    "uv_jitter_speed": "UV jitter speed",
    "texture_id": "Texture number",
    "squirt": "All at once",
}


def label(name: str) -> str:
    """Returns the label of a value."""
    return LABELS.get(name, name.replace("_", " ").capitalize())


def numbers_of(path: str) -> dict[int, str]:
    """Returns what a number means."""
    return NUMBERS.get(path, {})


#: Controllers of KotOR's emitters: name and columns by number.
CONTROLLERS: dict[int, tuple[str, int]] = {
    80: ("alphaEnd", 1), 84: ("alphaStart", 1), 88: ("birthrate", 1), 92: ("bounce_co", 1), 96: ("combinetime", 1),
    100: ("drag", 1), 104: ("fps", 1), 108: ("frameEnd", 1), 112: ("frameStart", 1), 116: ("grav", 1),
    120: ("lifeExp", 1), 124: ("mass", 1), 128: ("p2p_bezier2", 1), 132: ("p2p_bezier3", 1), 136: ("particleRot", 1),
    140: ("randvel", 1), 144: ("sizeStart", 1), 148: ("sizeEnd", 1), 152: ("sizeStart_y", 1), 156: ("sizeEnd_y", 1),
    160: ("spread", 1), 164: ("threshold", 1), 168: ("velocity", 1), 172: ("xsize", 1), 176: ("ysize", 1),
    180: ("blurlength", 1), 184: ("lightningDelay", 1), 188: ("lightningRadius", 1), 192: ("lightningScale", 1),
    196: ("lightningSubDiv", 1), 200: ("lightningzigzag", 1), 216: ("alphaMid", 1), 220: ("percentStart", 1),
    224: ("percentMid", 1), 228: ("percentEnd", 1), 232: ("sizeMid", 1), 236: ("sizeMid_y", 1),
    240: ("m_fRandomBirthRate", 1), 252: ("targetsize", 1), 256: ("numcontrolpts", 1), 260: ("controlptradius", 1),
    264: ("controlptdelay", 1), 268: ("tangentspread", 1), 272: ("tangentlength", 1), 284: ("colorMid", 3),
    380: ("colorEnd", 3), 392: ("colorStart", 3), 502: ("detonate", 1),
}  # fmt: skip


def choices_of_field(field: Any, _context: Any) -> list[tuple[str, str, str, int]]:
    """Returns what a number may be."""
    return _CHOICES.get(field.path, _NONE)


def words_of_field(field: Any, _context: Any, typed: str) -> list[str]:
    """Returns what a text usually is."""
    known = WORDS.get(field.path.rpartition("/")[2], [])
    return [word for word in known if typed.lower() in word.lower()]


_NONE = [("0", "0", "", 0)]
#: Blender does not keep what callbacks return.
_CHOICES = {path: [(str(number), name, "", number) for number, name in known.items()] for path, known in NUMBERS.items()}
