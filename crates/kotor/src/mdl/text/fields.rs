//! The fields of the sidecar of a model, as words of 32 bits.

use galatea_wire::Text;

use crate::mdl::{
    Animation, Controller, Controllers, Event, Face, IndexLists, Mesh, Model, Name, Node, PositionCopy, Skin,
};
use crate::text::encode::{Field, Kind, Words, next, put_bytes, put_list, take_bytes, take_list};

/// Single values of a part of a node, by name.
macro_rules! scalars {
    ($name:ident, $tag:literal, $t:ty, $of:ident => $part:expr, $part_mut:expr; $($place:tt)*) => {
        pub(crate) static $name: Field<$t> = Field {
            tag: $tag,
            kind: Kind::Scalars,
            get: |$of, out| {
                if let Some(part) = $part { scalars!(@get part, out, $($place)*); }
            },
            set: |$of, words| {
                let mut words = words;
                if let Some(part) = $part_mut { scalars!(@set part, words, $($place)*); }
                words.is_empty().then_some(())
            },
        };
    };
    (@get $p:ident, $out:ident, $($field:ident),* $(,)?) => { $($p.$field.put($out);)* };
    (@set $p:ident, $words:ident, $($field:ident),* $(,)?) => { $($p.$field = Words::take(&mut $words)?;)* };
}

/// Text of fixed size in a part of a node.
macro_rules! text {
    ($name:ident, $tag:literal, $t:ty, $of:ident => $part:expr, $part_mut:expr, $field:ident) => {
        pub(crate) static $name: Field<$t> = Field {
            tag: $tag,
            kind: Kind::Whole,
            get: |$of, out| {
                if let Some(part) = $part {
                    put_bytes(part.$field.bytes(), out);
                }
            },
            set: |$of, words| {
                let mut words = words;
                if let Some(part) = $part_mut {
                    part.$field = Text::new(&take_bytes(&mut words)?)?;
                }
                Some(())
            },
        };
    };
}

/// A list in a part of a node.
macro_rules! list {
    ($name:ident, $tag:literal, $kind:ident, $t:ty, $of:ident => $list:expr, $list_mut:expr, $fits:expr) => {
        pub(crate) static $name: Field<$t> = Field {
            tag: $tag,
            kind: Kind::$kind,
            get: |$of, out| {
                if let Some(list) = $list {
                    put_list(list, out);
                }
            },
            set: |$of, words| {
                let taken = take_list(words)?;
                let fits: fn(&$t, usize) -> bool = $fits;
                if !fits($of, taken.len()) {
                    return None;
                }
                if let Some(list) = $list_mut {
                    *list = taken.into();
                }
                Some(())
            },
        };
    };
}

scalars!(FLAGS, "FLAG", Node, n => Some(n), Some(n); unknown_flags, camera);
scalars!(POSE, "POSE", Node, n => Some(n), Some(n); position, orientation);
scalars!(WHO, "WHOS", Node, n => Some(n), Some(n); name, number);

fn set_number(n: &mut Node, mut words: &[u32]) -> Option<()> {
    n.number = Words::take(&mut words)?;
    Some(())
}

/// The number of a node.
pub(crate) static NUMBER: Field<Node> =
    Field { tag: "NUMB", kind: Kind::Whole, get: |n, out| n.number.put(out), set: set_number };

/// The number of a node of a model that inherits: only the supermodel determines it.
pub(crate) static NUMBER_INHERITED: Field<Node> =
    Field { tag: "NUMB", kind: Kind::Silent, get: |n, out| n.number.put(out), set: set_number };

fn put_controllers(list: &[Controller], data: &[f32], out: &mut Vec<u32>) {
    out.push(list.len() as u32);
    for c in list {
        out.push(c.kind);
        out.push(u32::from(c.target) | u32::from(c.rows) << 16);
        out.push(u32::from(c.time_index) | u32::from(c.data_index) << 16);
        out.push(u32::from(c.columns));
    }
    put_list(data, out);
}

/// Returns controllers without their data, but with its length.
pub(crate) fn controller_words(node: &Node) -> Vec<u32> {
    let mut words = Vec::new();
    put_controllers(node.controllers.list(), &[], &mut words);
    words.push(node.controllers.data().len() as u32);
    words
}

/// The data of controllers, number by number.
pub(crate) static CONTROLLER_DATA: Field<Node> = Field {
    tag: "CDAT",
    kind: Kind::Scalars,
    get: |n, out| put_list(n.controllers.data(), out),
    set: |n, words| {
        *n.controllers.data_mut() = take_list::<f32>(words)?.into();
        Some(())
    },
};

fn take_controllers(mut words: &[u32]) -> Option<Controllers> {
    let count = next(&mut words)? as usize;
    let (list, data) = words.split_at_checked(count.checked_mul(4)?)?;
    let mut controllers = Controllers::default();
    for c in list.chunks_exact(4).filter_map(|c| c.first_chunk::<4>()) {
        let [kind, a, b, columns] = *c;
        controllers.list_mut().push(Controller {
            kind,
            target: a as u16,
            rows: (a >> 16) as u16,
            time_index: b as u16,
            data_index: (b >> 16) as u16,
            columns: columns as u8,
            padding: [0; 3],
        });
    }
    *controllers.data_mut() = take_list::<f32>(data)?.into();
    Some(controllers)
}

/// Controllers with their data, if the text has others or another order.
pub(crate) static CONTROLLERS: Field<Node> = Field {
    tag: "CTRL",
    kind: Kind::Whole,
    get: |n, out| put_controllers(n.controllers.list(), n.controllers.data(), out),
    set: |n, words| {
        n.controllers = take_controllers(words)?;
        Some(())
    },
};

scalars!(LIGHT, "LITE", Node, n => n.light.as_deref(), n.light.as_deref_mut();
    flare_radius, priority, ambient_only, dynamic_type, affect_dynamic, shadow, flare, fading);
list!(FLARE_SIZES, "FLSZ", Whole, Node, n => n.light.as_deref().map(|l| &l.flare_sizes),
    n.light.as_deref_mut().map(|l| &mut l.flare_sizes), |_, _| true);
list!(FLARE_POSITIONS, "FLPO", Whole, Node, n => n.light.as_deref().map(|l| &l.flare_positions),
    n.light.as_deref_mut().map(|l| &mut l.flare_positions), |_, _| true);
list!(FLARE_COLORS, "FLCO", Whole, Node, n => n.light.as_deref().map(|l| &l.flare_colors),
    n.light.as_deref_mut().map(|l| &mut l.flare_colors), |_, _| true);

/// Textures of flares.
pub(crate) static FLARE_TEXTURES: Field<Node> = Field {
    tag: "FLTX",
    kind: Kind::Whole,
    get: |n, out| {
        if let Some(light) = n.light.as_deref() {
            light.flare_textures.iter().for_each(|t| put_bytes(&t.0, out));
        }
    },
    set: |n, mut words| {
        let mut names = Vec::new();
        while !words.is_empty() {
            names.push(Name(take_bytes(&mut words)?));
        }
        n.light.as_deref_mut()?.flare_textures = names;
        Some(())
    },
};

scalars!(EMITTER, "EMIT", Node, n => n.emitter.as_deref(), n.emitter.as_deref_mut();
    dead_space, blast_radius, blast_length, branch_count, control_point_smoothing, x_grid, y_grid, spawn_type,
    two_sided, looped, render_order, frame_blending, flags);
text!(EMITTER_UPDATE, "EUPD", Node, n => n.emitter.as_deref(), n.emitter.as_deref_mut(), update);
text!(EMITTER_RENDER, "EREN", Node, n => n.emitter.as_deref(), n.emitter.as_deref_mut(), render);
text!(EMITTER_BLEND, "EBLE", Node, n => n.emitter.as_deref(), n.emitter.as_deref_mut(), blend);
text!(EMITTER_TEXTURE, "ETEX", Node, n => n.emitter.as_deref(), n.emitter.as_deref_mut(), texture);
text!(EMITTER_CHUNK, "ECHU", Node, n => n.emitter.as_deref(), n.emitter.as_deref_mut(), chunk);
text!(EMITTER_DEPTH, "EDEP", Node, n => n.emitter.as_deref(), n.emitter.as_deref_mut(), depth_texture);
scalars!(REFERENCE, "REFE", Node, n => n.reference.as_deref(), n.reference.as_deref_mut(); reattachable);
text!(REFERENCE_MODEL, "REFM", Node, n => n.reference.as_deref(), n.reference.as_deref_mut(), model);

scalars!(MESH, "MESH", Node, n => n.mesh.as_deref(), n.mesh.as_deref_mut();
    in_mdx, diffuse, ambient, transparency_hint, texture_count, unknown_0xd4, unknown_0xe0, animate_uv, uv_direction,
    uv_jitter, uv_jitter_speed, lightmapped, rotate_texture, background, shadow, beaming, render, unknown_after_area);
scalars!(BOUNDS, "BOUN", Node, n => n.mesh.as_deref(), n.mesh.as_deref_mut(); bounds, radius, average);
scalars!(DIRT, "DIRT", Node, n => n.mesh.as_deref().and_then(|m| m.dirt.as_ref()),
    n.mesh.as_deref_mut().and_then(|m| m.dirt.as_mut()); enabled, texture, coordinate_space, hide_in_holograms);
text!(TEXTURE, "TEXA", Node, n => n.mesh.as_deref(), n.mesh.as_deref_mut(), texture);
text!(LIGHTMAP, "TEXB", Node, n => n.mesh.as_deref(), n.mesh.as_deref_mut(), lightmap);
text!(TEXTURE_3, "TEXC", Node, n => n.mesh.as_deref(), n.mesh.as_deref_mut(), texture_3);
text!(TEXTURE_4, "TEXD", Node, n => n.mesh.as_deref(), n.mesh.as_deref_mut(), texture_4);

/// Sum of the areas of the faces.
pub(crate) static AREA: Field<Node> = Field {
    tag: "AREA",
    kind: Kind::Silent,
    get: |n, out| n.mesh.as_deref().map_or(0.0, |m| m.area).put(out),
    set: |n, mut words| {
        n.mesh.as_deref_mut()?.area = Words::take(&mut words)?;
        Some(())
    },
};

fn fits_vertices(n: &Node, len: usize) -> bool {
    len == 0
        || n.mesh
            .as_deref()
            .is_some_and(|m| m.vertices.positions.is_empty() || m.vertices.positions.len() == len)
}

macro_rules! column {
    ($name:ident, $tag:literal, $kind:ident, $($column:tt)*) => {
        list!($name, $tag, $kind, Node, n => n.mesh.as_deref().map(|m| &m.vertices.$($column)*),
            n.mesh.as_deref_mut().map(|m| &mut m.vertices.$($column)*), fits_vertices);
    };
}
list!(POSITIONS, "VPOS", Whole, Node, n => n.mesh.as_deref().map(|m| &m.vertices.positions),
    n.mesh.as_deref_mut().map(|m| &mut m.vertices.positions), |_, _| true);
column!(NORMALS, "NORM", Silent, normals);
column!(COLORS, "VCOL", Whole, colors);
column!(UVS_0, "UVSA", Whole, uvs[0]);
column!(UVS_1, "UVSB", Whole, uvs[1]);
column!(UVS_2, "UVSC", Whole, uvs[2]);
column!(UVS_3, "UVSD", Whole, uvs[3]);
column!(TANGENTS_0, "TANA", Silent, tangents[0]);
column!(TANGENTS_1, "TANB", Silent, tangents[1]);
column!(TANGENTS_2, "TANC", Silent, tangents[2]);
column!(TANGENTS_3, "TAND", Silent, tangents[3]);
column!(WEIGHTS, "WGTS", Whole, weights);
column!(BONES, "BONE", Whole, bones);

/// Planes and neighbours of faces.
pub(crate) static PLANES: Field<Node> = Field {
    tag: "PLAN",
    kind: Kind::Silent,
    get: |n, out| {
        for face in n.mesh.iter().flat_map(|m| &m.faces) {
            let [a, b, c] = face.adjacent.map(u32::from);
            face.normal.put(out);
            face.distance.put(out);
            out.extend([a | b << 16, c]);
        }
    },
    set: |n, words| {
        let mesh = n.mesh.as_deref_mut()?;
        if words.len() != mesh.faces.len() * 6 {
            return None;
        }
        let rows = words.chunks_exact(6).filter_map(|r| r.first_chunk::<6>());
        for (face, [x, y, z, distance, ab, c]) in mesh.faces.iter_mut().zip(rows) {
            face.normal = [*x, *y, *z].map(f32::from_bits);
            face.distance = f32::from_bits(*distance);
            face.adjacent = [*ab as u16, (ab >> 16) as u16, *c as u16];
        }
        Some(())
    },
};

/// Corners and materials of faces.
pub(crate) static CORNERS: Field<Node> = Field {
    tag: "FACE",
    kind: Kind::Whole,
    get: |n, out| {
        for face in n.mesh.iter().flat_map(|m| &m.faces) {
            let [a, b, c] = face.vertices.map(u32::from);
            out.extend([a | b << 16, c, face.material]);
        }
    },
    set: |n, words| {
        let mesh = n.mesh.as_deref_mut()?;
        if !words.len().is_multiple_of(3) {
            return None;
        }
        mesh.faces.resize(words.len() / 3, Face::default());
        let rows = words.chunks_exact(3).filter_map(|r| r.first_chunk::<3>());
        for (face, [ab, c, material]) in mesh.faces.iter_mut().zip(rows) {
            face.vertices = [*ab as u16, (ab >> 16) as u16, *c as u16];
            face.material = *material;
        }
        Some(())
    },
};

fn put_copy(copy: &PositionCopy, out: &mut Vec<u32>) {
    match copy {
        PositionCopy::Absent => out.push(0),
        PositionCopy::Same => out.push(1),
        PositionCopy::Own(own) => {
            out.push(2);
            put_list(own, out);
        }
    }
}

fn take_copy(words: &[u32]) -> Option<PositionCopy> {
    let (kind, rest) = words.split_first()?;
    Some(match kind {
        0 => PositionCopy::Absent,
        1 => PositionCopy::Same,
        _ => PositionCopy::Own(take_list(rest)?),
    })
}

/// The copy of the positions in the MDL.
pub(crate) static MDL_POSITIONS: Field<Node> = Field {
    tag: "COPY",
    kind: Kind::Whole,
    get: |n, out| {
        if let Some(mesh) = n.mesh.as_deref() {
            put_copy(&mesh.mdl_positions, out);
        }
    },
    set: |n, words| {
        n.mesh.as_deref_mut()?.mdl_positions = take_copy(words)?;
        Some(())
    },
};

scalars!(DANGLY, "DANG", Node, n => n.mesh.as_deref().and_then(|m| m.dangly.as_deref()),
    n.mesh.as_deref_mut().and_then(|m| m.dangly.as_deref_mut()); displacement, tightness, period);
list!(CONSTRAINTS, "CONS", Whole, Node, n => n.mesh.as_deref().and_then(|m| m.dangly.as_deref()).map(|d| &d.constraints),
    n.mesh.as_deref_mut().and_then(|m| m.dangly.as_deref_mut()).map(|d| &mut d.constraints), |_, _| true);

/// The copy of the positions of a danglymesh.
pub(crate) static DANGLY_POSITIONS: Field<Node> = Field {
    tag: "DCPY",
    kind: Kind::Whole,
    get: |n, out| {
        if let Some(dangly) = n.mesh.as_deref().and_then(|m| m.dangly.as_deref()) {
            put_copy(&dangly.positions, out);
        }
    },
    set: |n, words| {
        n.mesh.as_deref_mut()?.dangly.as_deref_mut()?.positions = take_copy(words)?;
        Some(())
    },
};

/// Index lists that are not those of the faces.
pub(crate) static INDICES: Field<Node> = Field {
    tag: "INDX",
    kind: Kind::Whole,
    get: |n, out| {
        if let Some(IndexLists::Own(lists)) = n.mesh.as_deref().map(|m| &m.indices) {
            out.push(lists.len() as u32);
            for list in lists {
                out.push(list.len() as u32);
                put_list(list, out);
            }
        }
    },
    set: |n, mut words| {
        let mesh = n.mesh.as_deref_mut()?;
        if words.is_empty() {
            mesh.indices = IndexLists::Faces;
            return Some(());
        }
        let count = next(&mut words)?;
        let mut lists = Vec::new();
        for _ in 0..count {
            let len = next(&mut words)? as usize;
            let (list, rest) = words.split_at_checked(len)?;
            lists.push(list.iter().map(|w| *w as u16).collect());
            words = rest;
        }
        mesh.indices = IndexLists::Own(lists);
        Some(())
    },
};

list!(COUNTERS, "INVC", Whole, Node, n => n.mesh.as_deref().map(|m| &m.inverted_counters),
    n.mesh.as_deref_mut().map(|m| &mut m.inverted_counters), |_, _| true);

fn skin(n: &Node) -> Option<&Skin> {
    n.mesh.as_deref()?.skin.as_deref()
}

fn skin_mut(n: &mut Node) -> Option<&mut Skin> {
    n.mesh.as_deref_mut()?.skin.as_deref_mut()
}

list!(BONE_MAP, "BMAP", Whole, Node, n => skin(n).map(|s| &s.bone_map), skin_mut(n).map(|s| &mut s.bone_map), |_, _| true);

/// Inverse binds.
pub(crate) static BINDS: Field<Node> = Field {
    tag: "BIND",
    kind: Kind::Silent,
    get: |n, out| {
        if let Some(skin) = skin(n) {
            out.push(skin.rotations.len() as u32);
            put_list(&skin.rotations, out);
            put_list(&skin.translations, out);
        }
    },
    set: |n, mut words| {
        let count = next(&mut words)? as usize;
        let (rotations, translations) = words.split_at_checked(count.checked_mul(4)?)?;
        let skin = skin_mut(n)?;
        (skin.rotations, skin.translations) = (take_list(rotations)?, take_list(translations)?);
        Some(())
    },
};

/// Nodes of the bone slots that are in use.
pub(crate) static BONE_NODES: Field<Node> = Field {
    tag: "BNOD",
    kind: Kind::Scalars,
    get: |n, out| {
        if let Some(skin) = skin(n) {
            let used = skin.slots().min(16);
            skin.bone_nodes.iter().take(used).for_each(|b| b.put(out));
        }
    },
    set: |n, mut words| {
        let skin = skin_mut(n)?;
        for slot in skin.bone_nodes.iter_mut().take(words.len()) {
            *slot = Words::take(&mut words)?;
        }
        words.is_empty().then_some(())
    },
};

/// Planes of boxes, and their children if the order of rows does not determine them.
pub(crate) static BOXES: Field<Node> = Field {
    tag: "AABB",
    kind: Kind::Silent,
    get: |n, out| {
        let Some(tree) = n.mesh.as_deref().and_then(|m| m.aabb.as_deref()) else { return };
        let rows: Vec<_> = tree.nodes.iter().map(|b| ([0.0; 6], b.face)).collect();
        let implied = super::parse::preorder(&rows);
        let regular = implied.iter().zip(&tree.nodes).all(|(a, b)| (a.left, a.right) == (b.left, b.right));
        out.push(u32::from(!regular));
        for node in &tree.nodes {
            out.push(node.plane);
            if !regular {
                out.extend([node.left, node.right].map(|c| c.map_or(0, |c| c + 1)));
            }
        }
    },
    set: |n, words| {
        let tree = n.mesh.as_deref_mut()?.aabb.as_deref_mut()?;
        let (irregular, rest) = words.split_first()?;
        let width = if *irregular == 0 { 1 } else { 3 };
        let count = tree.nodes.len() as u32;
        if rest.len() != tree.nodes.len() * width {
            return None;
        }
        // Children must come after their parents, which rules out cycles.
        let sound = |i: usize, c: u32| c == 0 || (c > i as u32 + 1 && c <= count);
        let rows = || rest.chunks_exact(width).enumerate();
        if width == 3 && !rows().all(|(i, row)| row.iter().skip(1).all(|c| sound(i, *c))) {
            return None;
        }
        for (node, (_, row)) in tree.nodes.iter_mut().zip(rows()) {
            match row {
                [plane] => node.plane = *plane,
                [plane, left, right] => {
                    node.plane = *plane;
                    (node.left, node.right) = (left.checked_sub(1), right.checked_sub(1));
                }
                _ => {}
            }
        }
        Some(())
    },
};

/// Corners and faces of boxes.
pub(crate) static BOX_CORNERS: Field<Node> = Field {
    tag: "BOXC",
    kind: Kind::Whole,
    get: |n, out| {
        for node in n.mesh.as_deref().and_then(|m| m.aabb.as_deref()).iter().flat_map(|t| &t.nodes) {
            node.min.put(out);
            node.max.put(out);
            node.face.put(out);
        }
    },
    set: |n, mut words| {
        let tree = n.mesh.as_deref_mut()?.aabb.as_deref_mut()?;
        if words.len() != tree.nodes.len() * 7 {
            return None;
        }
        for node in &mut tree.nodes {
            (node.min, node.max) = (Words::take(&mut words)?, Words::take(&mut words)?);
            node.face = Words::take(&mut words)?;
        }
        Some(())
    },
};

/// The arrays of a lightsaber blade.
pub(crate) static SABER: Field<Node> = Field {
    tag: "SABR",
    kind: Kind::Silent,
    get: |n, out| {
        if let Some(saber) = n.mesh.as_deref().and_then(|m| m.saber.as_deref()) {
            out.push(saber.positions.len() as u32);
            out.push(saber.uvs.len() as u32);
            put_list(&saber.positions, out);
            put_list(&saber.uvs, out);
            put_list(&saber.normals, out);
        }
    },
    set: |n, mut words| {
        let saber = n.mesh.as_deref_mut()?.saber.as_deref_mut()?;
        let (positions, uvs) = (next(&mut words)? as usize, next(&mut words)? as usize);
        let (first, rest) = words.split_at_checked(positions.checked_mul(3)?)?;
        let (second, third) = rest.split_at_checked(uvs.checked_mul(2)?)?;
        (saber.positions, saber.uvs, saber.normals) =
            (take_list(first)?, take_list(second)?, take_list(third)?);
        Some(())
    },
};
scalars!(SABER_COUNTERS, "SINV", Node, n => n.mesh.as_deref().and_then(|m| m.saber.as_deref()),
    n.mesh.as_deref_mut().and_then(|m| m.saber.as_deref_mut()); inverted_counters);

/// The header of an animated mesh.
pub(crate) static ANIM_MESH: Field<Node> = Field {
    tag: "ANIM",
    kind: Kind::Scalars,
    get: |n, out| {
        if let Some(anim) = n.mesh.as_deref().and_then(|m| m.anim.as_deref()) {
            anim.sample_period.put(out);
            for def in &anim.arrays {
                out.extend([def.offset.0, def.count, def.capacity]);
            }
            anim.unknown_0x28.put(out);
        }
    },
    set: |n, mut words| {
        let Some(anim) = n.mesh.as_deref_mut().and_then(|m| m.anim.as_deref_mut()) else { return Some(()) };
        anim.sample_period = Words::take(&mut words)?;
        for def in &mut anim.arrays {
            def.offset.0 = next(&mut words)?;
            def.count = next(&mut words)?;
            def.capacity = next(&mut words)?;
        }
        anim.unknown_0x28 = Words::take(&mut words)?;
        Some(())
    },
};

scalars!(MODEL, "MODL", Model, m => Some(m), Some(m);
    classification, subclassification, unknown_0x52, fog, child_models, bounds, radius, animation_scale);
text!(MODEL_NAME, "MNAM", Model, m => Some(m), Some(m), name);
text!(SUPERMODEL, "SUPR", Model, m => Some(m), Some(m), supermodel);

/// The node where inherited animations begin.
pub(crate) static HEAD: Field<Model> = Field {
    tag: "HEAD",
    kind: Kind::Scalars,
    get: |m, out| out.push(m.head.map_or(0, |h| h + 1)),
    set: |m, mut words| {
        let head = next(&mut words)?;
        if head as usize > m.nodes.len() {
            return None;
        }
        m.head = head.checked_sub(1);
        Some(())
    },
};

/// The node count of the header beyond the nodes of the model.
pub(crate) static BEYOND: Field<Model> = Field {
    tag: "BEYO",
    kind: Kind::Whole,
    get: |m, out| out.push(m.node_count.wrapping_sub(m.nodes.len() as u32)),
    set: |m, mut words| {
        m.node_count = next(&mut words)?.wrapping_add(m.nodes.len() as u32);
        Some(())
    },
};

/// All names, and which one each node has.
pub(crate) static NAMES: Field<Model> = Field {
    tag: "NAMS",
    kind: Kind::Whole,
    get: |m, out| {
        out.push(m.names.len() as u32);
        m.names.iter().for_each(|n| put_bytes(&n.0, out));
        m.nodes.iter().for_each(|n| n.name.put(out));
    },
    set: |m, mut words| {
        let count = next(&mut words)?;
        let mut names = Vec::new();
        for _ in 0..count {
            names.push(Name(take_bytes(&mut words)?));
        }
        if words.len() != m.nodes.len() {
            return None;
        }
        m.names = names;
        for (node, name) in m.nodes.iter_mut().zip(words) {
            node.name = *name as u16;
        }
        Some(())
    },
};

/// The name of one node.
pub(crate) static NAME: Field<Name> = Field {
    tag: "NAME",
    kind: Kind::Whole,
    get: |n, out| put_bytes(&n.0, out),
    set: |n, mut words| {
        n.0 = take_bytes(&mut words)?;
        Some(())
    },
};

scalars!(ANIMATION, "ANIH", Animation, a => Some(a), Some(a); length, transition, node_count);
text!(ANIMATION_NAME, "ANAM", Animation, a => Some(a), Some(a), name);
text!(ANIMATION_ROOT, "AROO", Animation, a => Some(a), Some(a), root);

/// Events.
pub(crate) static EVENTS: Field<Animation> = Field {
    tag: "EVNT",
    kind: Kind::Whole,
    get: |a, out| {
        for event in &a.events {
            event.time.put(out);
            put_bytes(event.name.bytes(), out);
        }
    },
    set: |a, mut words| {
        let mut events = Vec::new();
        while !words.is_empty() {
            let time = Words::take(&mut words)?;
            events.push(Event { time, name: Text::new(&take_bytes(&mut words)?)? });
        }
        a.events = events;
        Some(())
    },
};

/// Adds or removes dirt: meshes of the second game have it, those of the first do not.
pub(crate) fn settle_dirt(mesh: &mut Mesh, second: bool) {
    use crate::mdl::Dirt;
    mesh.dirt =
        second.then(|| mesh.dirt.unwrap_or(Dirt { texture: 1, coordinate_space: 1, ..Dirt::default() }));
}
