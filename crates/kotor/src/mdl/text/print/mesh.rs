//! Prints meshes.

use super::{Printer, push_spaced};
use crate::mdl::mesh::SABER_FACES;
use crate::mdl::text::{saber, smooth};
use crate::mdl::{AabbTree, Mesh, Node};
use galatea_text::{Notation, push_f32, push_int};

impl Printer<'_> {
    pub(super) fn mesh(&mut self, node: &Node) {
        let Some(mesh) = node.mesh.as_deref() else { return };
        self.appearance(mesh);
        self.tangent_space(mesh);
        self.inverted_counters(mesh);
        let [min, max] = &mesh.bounds;
        self.floats(2, "bmin", min);
        self.floats(2, "bmax", max);
        self.floats(2, "radius", &[mesh.radius]);
        self.floats(2, "average", &mesh.average);
        for (keyword, texture) in [("bitmap", &mesh.texture), ("bitmap2", &mesh.lightmap)] {
            if !texture.bytes().is_empty() {
                self.text(2, keyword, texture);
            }
        }
        for (keyword, texture) in [("texture0", &mesh.texture_3), ("texture1", &mesh.texture_4)] {
            if !texture.bytes().is_empty() {
                self.text(2, keyword, texture);
            }
        }
        if mesh.saber.is_some() {
            self.saber(mesh);
        } else {
            self.geometry(mesh);
        }
        if mesh.skin.is_some() {
            self.weights(mesh);
        }
        self.motion(mesh);
        if let Some(tree) = mesh.aabb.as_deref().filter(|t| !t.nodes.is_empty()) {
            self.box_tree(tree);
        }
    }

    /// Prints colors, texture animation and switches.
    fn appearance(&mut self, mesh: &Mesh) {
        self.floats(2, "diffuse", &mesh.diffuse);
        self.floats(2, "ambient", &mesh.ambient);
        self.int(2, "transparencyhint", mesh.transparency_hint.into());
        self.int(2, "animateuv", mesh.animate_uv.into());
        let [x, y] = mesh.uv_direction;
        self.floats(2, "uvdirectionx", &[x]);
        self.floats(2, "uvdirectiony", &[y]);
        self.floats(2, "uvjitter", &[mesh.uv_jitter]);
        self.floats(2, "uvjitterspeed", &[mesh.uv_jitter_speed]);
        for (keyword, value) in [
            ("lightmapped", mesh.lightmapped),
            ("rotatetexture", mesh.rotate_texture),
            ("m_bIsBackgroundGeometry", mesh.background),
            ("shadow", mesh.shadow),
            ("beaming", mesh.beaming),
            ("render", mesh.render),
        ] {
            self.int(2, keyword, value.into());
        }
        if let Some(dirt) = &mesh.dirt {
            self.int(2, "dirt_enabled", dirt.enabled.into());
            self.int(2, "dirt_texture", dirt.texture.into());
            self.int(2, "dirt_worldspace", dirt.coordinate_space.into());
            self.int(2, "hologram_donotdraw", dirt.hide_in_holograms.into());
        }
    }

    fn inverted_counters(&mut self, mesh: &Mesh) {
        match (mesh.saber.as_deref(), &mesh.inverted_counters[..]) {
            (Some(saber), _) => {
                let [first, second] = saber.inverted_counters;
                self.line(2, "inv_count");
                push_spaced(&mut self.out, first.into());
                push_spaced(&mut self.out, second.into());
                self.end();
            }
            (None, [counter]) => self.int(2, "inv_count", (*counter).into()),
            _ => {}
        }
    }

    /// Prints how danglymeshes and animmeshes move.
    fn motion(&mut self, mesh: &Mesh) {
        if let Some(dangly) = mesh.dangly.as_deref() {
            self.floats(2, "displacement", &[dangly.displacement]);
            self.floats(2, "tightness", &[dangly.tightness]);
            self.floats(2, "period", &[dangly.period]);
            self.int(2, "constraints", dangly.constraints.len() as u64);
            dangly.constraints.iter().for_each(|c| self.row(4, &[*c]));
        }
        if let Some(anim) = mesh.anim.as_deref() {
            self.floats(2, "sampleperiod", &[anim.sample_period]);
        }
    }

    fn box_tree(&mut self, tree: &AabbTree) {
        self.line(2, "aabb");
        self.end();
        for node in &tree.nodes {
            self.line(4, "");
            for v in node.min.iter().chain(&node.max) {
                push_f32(&mut self.out, *v, Notation::Point);
                self.out.push(b' ');
            }
            self.out.pop();
            push_spaced(&mut self.out, node.face.max(-1).into());
            self.end();
        }
    }

    fn tangent_space(&mut self, mesh: &Mesh) {
        let [first, rest @ ..] = &mesh.vertices.tangents;
        self.line(2, "tangentspace");
        push_spaced(&mut self.out, i64::from(!first.is_empty()));
        if rest.iter().any(|t| !t.is_empty()) {
            rest.iter().for_each(|t| push_spaced(&mut self.out, i64::from(!t.is_empty())));
        }
        self.end();
    }

    fn block(&mut self, keyword: &str, rows: &[[f32; 3]]) {
        self.int(2, keyword, rows.len() as u64);
        rows.iter().for_each(|r| self.row(4, r));
    }

    fn uv_block(&mut self, keyword: &str, rows: &[[f32; 2]]) {
        self.int(2, keyword, rows.len() as u64);
        rows.iter().for_each(|r| self.row(4, r));
    }

    fn index_block(&mut self, keyword: &str, rows: &[[u16; 3]]) {
        self.int(2, keyword, rows.len() as u64);
        for [a, b, c] in rows {
            self.line(4, "");
            push_int(&mut self.out, u64::from(*a));
            push_spaced(&mut self.out, i64::from(*b));
            push_spaced(&mut self.out, i64::from(*c));
            self.end();
        }
    }

    fn face(&mut self, [a, b, c]: [u16; 3], mask: u32, [t, u, v]: [u16; 3], material: u32) {
        self.line(4, "");
        push_int(&mut self.out, u64::from(a));
        for n in [u32::from(b), u32::from(c), mask, t.into(), u.into(), v.into(), material] {
            self.out.push(b' ');
            push_int(&mut self.out, n);
        }
        self.end();
    }

    fn geometry(&mut self, mesh: &Mesh) {
        let vertices = &mesh.vertices;
        let count = vertices.positions.len();
        self.block("verts", &vertices.positions);
        // A corner without a vertex is printed as 0; the actual index is in the sidecar.
        let sound = |i: u16| if count == 0 || usize::from(i) < count { i } else { 0 };
        let corners: Vec<[u16; 3]> = mesh.faces.iter().map(|f| f.vertices.map(sound)).collect();
        let [uv0, others @ ..] = &vertices.uvs;
        self.int(2, "faces", mesh.faces.len() as u64);
        let masks = smooth::masks(mesh);
        for ((face, corners), mask) in mesh.faces.iter().zip(&corners).zip(masks) {
            self.face(*corners, mask, if uv0.is_empty() { [0; 3] } else { *corners }, face.material);
        }
        if !uv0.is_empty() {
            self.uv_block("tverts", uv0);
        }
        let words = [("tverts1", "texindices1"), ("tverts2", "texindices2"), ("tverts3", "texindices3")];
        for (uvs, (rows, indices)) in others.iter().zip(words) {
            if !uvs.is_empty() {
                self.uv_block(rows, uvs);
                self.index_block(indices, &corners);
            }
        }
        if !vertices.colors.is_empty() {
            self.block("colors", &vertices.colors);
            self.index_block("colorindices", &corners);
        }
    }

    fn saber(&mut self, mesh: &Mesh) {
        let Some(saber) = mesh.saber.as_deref() else { return };
        let (mut positions, mut uvs) = (saber::printed(&saber.positions), saber::printed(&saber.uvs));
        positions.resize(16, [0.0; 3]);
        uvs.resize(16, [0.0; 2]);
        self.block("verts", &positions);
        self.int(2, "faces", 12);
        for corners in SABER_FACES {
            self.face(corners, 1, corners, 0);
        }
        self.uv_block("tverts", &uvs);
    }

    /// Prints bones by name. A vertex without any is tied to `root`, which readers ignore unless a node has that name.
    fn weights(&mut self, mesh: &Mesh) {
        let Some(skin) = mesh.skin.as_deref() else { return };
        let (weights, bones) = (&mesh.vertices.weights, &mesh.vertices.bones);
        if weights.is_empty() || bones.is_empty() {
            return;
        }
        let mut nodes: Vec<Option<usize>> = Vec::new();
        for (node, slot) in skin.bone_map.iter().enumerate() {
            if *slot >= 0.0 && *slot < 4096.0 {
                let slot = *slot as usize;
                if nodes.len() <= slot {
                    nodes.resize(slot + 1, None);
                }
                if let Some(entry) = nodes.get_mut(slot) {
                    entry.get_or_insert(node);
                }
            }
        }
        self.int(2, "weights", weights.len() as u64);
        let tokens = std::mem::take(&mut self.tokens);
        let taken = |name: &[u8]| tokens.iter().any(|t| t.eq_ignore_ascii_case(name));
        let mut none = b"root".to_vec();
        while taken(&none) {
            none.insert(0, b'_');
        }
        for (weights, bones) in weights.iter().zip(bones) {
            self.line(4, "");
            let start = self.out.len();
            for (weight, bone) in weights.iter().zip(bones) {
                let node = if *bone >= 0.0 { nodes.get(*bone as usize).copied().flatten() } else { None };
                if let Some(token) = node.and_then(|n| tokens.get(n)) {
                    if self.out.len() > start {
                        self.out.push(b' ');
                    }
                    self.out.extend_from_slice(token);
                    self.float(*weight);
                }
            }
            if self.out.len() == start {
                self.out.extend_from_slice(&none);
                self.float(1.0);
            }
            self.end();
        }
        self.tokens = tokens;
    }
}
