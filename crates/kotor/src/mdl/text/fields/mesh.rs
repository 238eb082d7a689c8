//! The fields of meshes.

use galatea_wire::Text;

use crate::mdl::text::parse::preorder;
use crate::mdl::{Face, IndexLists, Mesh, Node, PositionCopy, Skin};
use crate::text::encode::{Field, Kind, Words, next, put_bytes, put_list, take_bytes, take_list};

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
        let implied = preorder(&rows);
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

/// Adds or removes dirt: meshes of the second game have it, those of the first do not.
pub(crate) fn settle_dirt(mesh: &mut Mesh, second: bool) {
    use crate::mdl::Dirt;
    mesh.dirt =
        second.then(|| mesh.dirt.unwrap_or(Dirt { texture: 1, coordinate_space: 1, ..Dirt::default() }));
}
