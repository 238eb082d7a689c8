//! The keywords: node types, controllers, emitter flags, classifications.

use crate::mdl::{Node, NodeKind};

/// The class of nodes that have a property.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// Every node.
    Plain,
    Mesh,
    Light,
    Emitter,
}

/// Returns the class of a node. For a node with several parts, the first of these decides.
pub(crate) fn class_of(node: &Node) -> Class {
    if node.mesh.is_some() {
        Class::Mesh
    } else if node.light.is_some() {
        Class::Light
    } else if node.emitter.is_some() {
        Class::Emitter
    } else {
        Class::Plain
    }
}

/// Returns the keyword for the type of a node.
pub(crate) fn type_word(node: &Node) -> &'static str {
    match node.kind() {
        NodeKind::Dummy => "dummy",
        NodeKind::Light => "light",
        NodeKind::Emitter => "emitter",
        NodeKind::Camera => "camera",
        NodeKind::Reference => "reference",
        NodeKind::Trimesh => "trimesh",
        NodeKind::Skin => "skin",
        NodeKind::AnimMesh => "animmesh",
        NodeKind::Danglymesh => "danglymesh",
        NodeKind::Aabb => "aabb",
        NodeKind::Lightsaber => "lightsaber",
        NodeKind::Other => match (&node.mesh, class_of(node)) {
            (Some(mesh), _) if mesh.skin.is_some() => "skin",
            (Some(mesh), _) if mesh.dangly.is_some() => "danglymesh",
            (Some(mesh), _) if mesh.aabb.is_some() => "aabb",
            (Some(mesh), _) if mesh.saber.is_some() => "lightsaber",
            (_, Class::Mesh) => "trimesh",
            (_, Class::Light) => "light",
            (_, Class::Emitter) => "emitter",
            (_, Class::Plain) if node.reference.is_some() => "reference",
            _ => "dummy",
        },
    }
}

/// A controller: keyword, number, values per key and class of nodes.
pub(crate) type ControllerWord = (&'static str, u32, usize, Class);

/// Controllers by class; those of [`Class::Plain`] belong to every node.
pub(crate) static CONTROLLERS: &[ControllerWord] = &[
    ("position", 8, 3, Class::Plain),
    ("orientation", 20, 4, Class::Plain),
    ("scale", 36, 1, Class::Plain),
    ("selfillumcolor", 100, 3, Class::Mesh),
    ("alpha", 132, 1, Class::Mesh),
    ("color", 76, 3, Class::Light),
    ("radius", 88, 1, Class::Light),
    ("shadowradius", 96, 1, Class::Light),
    ("verticaldisplacement", 100, 1, Class::Light),
    ("multiplier", 140, 1, Class::Light),
    ("alphaEnd", 80, 1, Class::Emitter),
    ("alphaStart", 84, 1, Class::Emitter),
    ("birthrate", 88, 1, Class::Emitter),
    ("bounce_co", 92, 1, Class::Emitter),
    ("combinetime", 96, 1, Class::Emitter),
    ("drag", 100, 1, Class::Emitter),
    ("fps", 104, 1, Class::Emitter),
    ("frameEnd", 108, 1, Class::Emitter),
    ("frameStart", 112, 1, Class::Emitter),
    ("grav", 116, 1, Class::Emitter),
    ("lifeExp", 120, 1, Class::Emitter),
    ("mass", 124, 1, Class::Emitter),
    ("p2p_bezier2", 128, 1, Class::Emitter),
    ("p2p_bezier3", 132, 1, Class::Emitter),
    ("particleRot", 136, 1, Class::Emitter),
    ("randvel", 140, 1, Class::Emitter),
    ("sizeStart", 144, 1, Class::Emitter),
    ("sizeEnd", 148, 1, Class::Emitter),
    ("sizeStart_y", 152, 1, Class::Emitter),
    ("sizeEnd_y", 156, 1, Class::Emitter),
    ("spread", 160, 1, Class::Emitter),
    ("threshold", 164, 1, Class::Emitter),
    ("velocity", 168, 1, Class::Emitter),
    ("xsize", 172, 1, Class::Emitter),
    ("ysize", 176, 1, Class::Emitter),
    ("blurlength", 180, 1, Class::Emitter),
    ("lightningDelay", 184, 1, Class::Emitter),
    ("lightningRadius", 188, 1, Class::Emitter),
    ("lightningScale", 192, 1, Class::Emitter),
    ("lightningSubDiv", 196, 1, Class::Emitter),
    ("lightningzigzag", 200, 1, Class::Emitter),
    ("alphaMid", 216, 1, Class::Emitter),
    ("percentStart", 220, 1, Class::Emitter),
    ("percentMid", 224, 1, Class::Emitter),
    ("percentEnd", 228, 1, Class::Emitter),
    ("sizeMid", 232, 1, Class::Emitter),
    ("sizeMid_y", 236, 1, Class::Emitter),
    ("m_fRandomBirthRate", 240, 1, Class::Emitter),
    ("targetsize", 252, 1, Class::Emitter),
    ("numcontrolpts", 256, 1, Class::Emitter),
    ("controlptradius", 260, 1, Class::Emitter),
    ("controlptdelay", 264, 1, Class::Emitter),
    ("tangentspread", 268, 1, Class::Emitter),
    ("tangentlength", 272, 1, Class::Emitter),
    ("colorMid", 284, 3, Class::Emitter),
    ("colorEnd", 380, 3, Class::Emitter),
    ("colorStart", 392, 3, Class::Emitter),
    ("detonate", 502, 1, Class::Emitter),
];

/// Returns the keyword of a controller of a node of this class.
pub(crate) fn controller_word(kind: u32, class: Class) -> Option<&'static ControllerWord> {
    CONTROLLERS.iter().find(|c| c.1 == kind && (c.3 == class || c.3 == Class::Plain))
}

/// The form of a controller in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// One value.
    Constant,
    /// Keys.
    Keys,
    /// Keys with tangents.
    Bezier,
}

/// Returns the controller of a keyword (in lower case) for a node of this class: its number, the values per key if they
/// are known, and its form.
pub(crate) fn controller_of(keyword: &[u8], class: Class) -> Option<(u32, Option<usize>, Form)> {
    let find = |name: &[u8]| {
        // `alpha` means that of meshes on any node without another meaning for it.
        let own = |c: &&ControllerWord| c.3 == class || c.3 == Class::Plain;
        let found = CONTROLLERS.iter().filter(own).find(|c| c.0.as_bytes().eq_ignore_ascii_case(name));
        let stray = || (name == b"alpha" && class == Class::Plain).then_some((132, Some(1)));
        found.map(|c| (c.1, Some(c.2))).or_else(stray).or_else(|| {
            let digits = name.strip_prefix(b"controller")?;
            let digits = digits.strip_prefix(b"_").unwrap_or(digits);
            let kind = galatea_text::parse_int(digits, 0, i64::from(u32::MAX))?;
            Some((kind as u32, None))
        })
    };
    let as_form = |name: &[u8], form: Form| find(name).map(|(kind, width)| (kind, width, form));
    as_form(keyword, Form::Constant)
        .or_else(|| as_form(keyword.strip_suffix(b"bezierkey")?, Form::Bezier))
        .or_else(|| as_form(keyword.strip_suffix(b"key")?, Form::Keys))
}

/// Emitter flags and their bits.
pub(crate) static EMITTER_FLAGS: &[(&str, u32)] = &[
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
    ("emitterflag13", 0x1000),
];

/// Classifications.
pub(crate) static CLASSIFICATIONS: &[(&str, u8)] = &[
    ("other", 0),
    ("effect", 1),
    ("tile", 2),
    ("character", 4),
    ("door", 8),
    ("lightsaber", 16),
    ("placeable", 32),
    ("flyer", 64),
];
