//! Mesh properties and blocks, and the vertices made of them.

use std::collections::HashMap;

use galatea_wire::{Result, escape_bytes};

use super::draft::{NodeDraft, WeightRow};
use super::parse::{Parser, small_name};
use super::saber;
use crate::mdl::{AabbNode, Dirt, Face, Mesh, Node, Vertices};
use crate::text::checksum::Sum;
use crate::text::lex::{Spot, Word};

/// Vertices that fit into a mesh.
const MOST: usize = 65_535;

/// The blocks of a mesh as they are written.
#[derive(Debug, Default)]
pub(crate) struct Rows<'a> {
    verts: Vec<[f32; 3]>,
    faces: Vec<FaceRow>,
    uvs: [Vec<[f32; 2]>; 4],
    /// Rows of texture coordinates of the faces, for the second to fourth texture.
    uv_faces: [Vec<[u32; 3]>; 3],
    colors: Vec<[f32; 3]>,
    color_faces: Vec<[u32; 3]>,
    weights: Vec<WeightRow>,
    bones: Vec<&'a [u8]>,
    bone_ids: HashMap<&'a [u8], u16>,
    constraints: Vec<f32>,
    boxes: Vec<([f32; 6], i32)>,
    /// Whether faces tell the second texture's coordinates in their own rows, MDLEdit's way.
    lightmap_columns: bool,
    spot: Spot,
}

#[derive(Debug, Clone, Copy)]
struct FaceRow {
    corners: [u32; 3],
    mask: u32,
    uvs: [u32; 3],
    material: u32,
}

impl<'a> Parser<'a> {
    pub(crate) fn mesh(
        &mut self,
        node: &mut Node,
        draft: &mut NodeDraft<'a>,
        rows: &mut Rows<'a>,
        word: Word<'a>,
        keyword: &[u8],
    ) -> Result<bool> {
        let (Some(mesh), Some(said)) = (node.mesh.as_deref_mut(), draft.mesh.as_deref_mut()) else {
            return Ok(false);
        };
        match keyword {
            b"diffuse" => mesh.diffuse = self.lex.floats()?,
            b"ambient" => mesh.ambient = self.lex.floats()?,
            b"transparencyhint" => mesh.transparency_hint = self.whole_or_one()?,
            b"animateuv" => mesh.animate_uv = self.whole_or_one()?,
            b"uvdirectionx" => mesh.uv_direction[0] = self.lex.f32()?,
            b"uvdirectiony" => mesh.uv_direction[1] = self.lex.f32()?,
            b"uvjitter" => mesh.uv_jitter = self.lex.f32()?,
            b"uvjitterspeed" => mesh.uv_jitter_speed = self.lex.f32()?,
            b"lightmapped" => mesh.lightmapped = self.switch()?,
            b"rotatetexture" => mesh.rotate_texture = self.switch()?,
            b"m_bisbackgroundgeometry" | b"backgroundgeometry" => mesh.background = self.switch()?,
            b"shadow" => mesh.shadow = self.switch()?,
            b"beaming" => mesh.beaming = self.switch()?,
            b"render" => mesh.render = self.switch()?,
            b"dirt_enabled" | b"dirt_texture" | b"dirt_worldspace" | b"hologram_donotdraw" => {
                let usual = Dirt { texture: 1, coordinate_space: 1, ..Dirt::default() };
                let dirt = mesh.dirt.get_or_insert(usual);
                self.dirt_told = true;
                match keyword {
                    b"dirt_enabled" => dirt.enabled = self.switch()?,
                    b"dirt_texture" => dirt.texture = self.lex.int(0, 65535)? as u16,
                    b"dirt_worldspace" => dirt.coordinate_space = self.lex.int(0, 65535)? as u16,
                    _ => dirt.hide_in_holograms = self.switch()?,
                }
            }
            b"tangentspace" => {
                for slot in &mut said.tangents {
                    if !self.lex.at_number() {
                        break;
                    }
                    *slot = self.lex.int(0, 255)? != 0;
                }
            }
            b"inv_count" => {
                let first = self.lex.u32()?;
                let second = if self.lex.at_number() { self.lex.u32()? } else { first };
                mesh.inverted_counters = [first].into();
                if let Some(saber) = mesh.saber.as_deref_mut() {
                    saber.inverted_counters = [first, second];
                    mesh.inverted_counters.clear();
                }
                said.counted = true;
            }
            b"bmin" => mesh.bounds[0] = self.lex.floats()?,
            b"bmax" => mesh.bounds[1] = self.lex.floats()?,
            b"radius" => mesh.radius = self.lex.f32()?,
            b"average" => {
                mesh.average = self.lex.floats()?;
                said.bounded = true;
            }
            b"area" | b"surfacearea" => mesh.area = self.lex.f32()?,
            b"bitmap" | b"bitmap2" | b"lightmap" | b"texture0" | b"texture1" => {
                let name = self.lex.word();
                match keyword {
                    b"bitmap" => mesh.texture = self.text(name),
                    b"texture0" => mesh.texture_3 = self.text(name),
                    b"texture1" => mesh.texture_4 = self.text(name),
                    _ => mesh.lightmap = self.text(name),
                }
                if keyword == b"lightmap" {
                    mesh.lightmapped = 1;
                    rows.lightmap_columns = true;
                }
            }
            b"displacement" | b"tightness" | b"period" => {
                let value = self.lex.f32()?;
                if let Some(dangly) = mesh.dangly.as_deref_mut() {
                    *(match keyword {
                        b"displacement" => &mut dangly.displacement,
                        b"tightness" => &mut dangly.tightness,
                        _ => &mut dangly.period,
                    }) = value;
                }
            }
            b"sampleperiod" => {
                let value = self.lex.f32()?;
                if let Some(anim) = mesh.anim.as_deref_mut() {
                    anim.sample_period = value;
                }
            }
            _ => return self.block(rows, word, keyword),
        }
        Ok(true)
    }

    fn block(&mut self, rows: &mut Rows<'a>, word: Word<'a>, keyword: &[u8]) -> Result<bool> {
        rows.spot = word.spot;
        match keyword {
            b"verts" => rows.verts = self.verts()?,
            b"faces" => self.faces(rows)?,
            b"tverts" => rows.uvs[0] = self.uv_rows()?,
            b"tverts1" => rows.uvs[1] = self.uv_rows()?,
            b"lightmaptverts" => {
                rows.uvs[1] = self.uv_rows()?;
                rows.lightmap_columns = true;
            }
            b"tverts2" => rows.uvs[2] = self.uv_rows()?,
            b"tverts3" => rows.uvs[3] = self.uv_rows()?,
            b"texindices1" => rows.uv_faces[0] = self.index_rows()?,
            b"texindices2" => rows.uv_faces[1] = self.index_rows()?,
            b"texindices3" => rows.uv_faces[2] = self.index_rows()?,
            b"colors" => rows.colors = self.numbers(|p| p.lex.floats())?,
            b"colorindices" => rows.color_faces = self.index_rows()?,
            b"constraints" => rows.constraints = self.numbers(|p| p.lex.f32())?,
            b"weights" => self.weights(rows)?,
            b"aabb" => self.boxes(rows)?,
            // Blocks of other tools whose values are derived here.
            b"bones"
            | b"saber_verts"
            | b"saber_norms"
            | b"faceextra"
            | b"normalindices"
            | b"normals"
            | b"tangentbasis"
            | b"compactbonemapraw"
            | b"boneconstantindices"
            | b"saberdata"
            | b"controllerraw"
            | b"controllerdataraw" => {
                self.numbers(|_| Ok(()))?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn verts(&mut self) -> Result<Vec<[f32; 3]>> {
        self.numbers(|p| {
            // PyKotor counts its rows in front, and may put the normal and texture coordinates behind.
            if p.dialect == super::Dialect::PyKotor && p.lex.words_left() > 3 {
                p.lex.word();
            }
            p.lex.floats()
        })
    }

    fn uv_rows(&mut self) -> Result<Vec<[f32; 2]>> {
        self.numbers(|p| {
            if p.dialect == super::Dialect::PyKotor && p.lex.words_left() > 2 {
                p.lex.word();
            }
            p.lex.floats()
        })
    }

    fn index_rows(&mut self) -> Result<Vec<[u32; 3]>> {
        self.numbers(|p| {
            let mut row = [0; 3];
            for slot in &mut row {
                *slot = p.lex.int(0, i64::from(u32::MAX))? as u32;
            }
            Ok(row)
        })
    }

    fn faces(&mut self, rows: &mut Rows<'a>) -> Result<()> {
        let second = rows.lightmap_columns;
        let mut lightmap = Vec::new();
        rows.faces = self.numbers(|p| {
            let mut face = FaceRow { corners: [0; 3], mask: 1, uvs: [0; 3], material: 0 };
            for slot in &mut face.corners {
                *slot = p.lex.int(0, i64::from(u32::MAX))? as u32;
            }
            let Some(_) = p.lex.peek() else { return Ok(face) };
            face.mask = p.lex.u32()?;
            let mut rest = [0u32; 7];
            let mut count = 0;
            for slot in &mut rest {
                if p.lex.peek().is_none() {
                    break;
                }
                *slot = p.lex.u32()?;
                count += 1;
            }
            let [t0, t1, t2, a, b, c, d] = rest;
            face.uvs = [t0, t1, t2];
            match count {
                // Only a material.
                1 => (face.uvs, face.material) = ([0; 3], t0),
                7 if second => {
                    face.material = a;
                    lightmap.push([b, c, d]);
                }
                7 => {
                    face.material = d;
                    lightmap.push([a, b, c]);
                }
                _ => face.material = a,
            }
            Ok(face)
        })?;
        if lightmap.len() == rows.faces.len() && !lightmap.is_empty() {
            rows.uv_faces[0] = lightmap;
        }
        Ok(())
    }

    fn weights(&mut self, rows: &mut Rows<'a>) -> Result<()> {
        let count = if self.lex.at_number() { Some(self.lex.int(0, i64::from(u32::MAX))?) } else { None };
        while count.is_none_or(|c| (rows.weights.len() as i64) < c) && self.lex.next_line() {
            if self.lex.peek().is_some_and(|w| w.is(b"endlist") || w.is(b"endnode")) {
                self.lex.hold();
                break;
            }
            self.spend(32)?;
            let mut row = WeightRow::default();
            while let Some(bone) = self.lex.word() {
                let weight = self.lex.f32()?;
                let Some((slot, to)) = row
                    .bones
                    .get_mut(usize::from(row.count))
                    .zip(row.weights.get_mut(usize::from(row.count)))
                else {
                    return Err(bone.spot.syntax("a vertex has room for four bones"));
                };
                let next = rows.bones.len() as u16;
                *slot = *rows.bone_ids.entry(bone.text).or_insert(next);
                if *slot == next {
                    if rows.bones.len() >= MOST {
                        return Err(bone.spot.syntax("more than 65,535 bones"));
                    }
                    rows.bones.push(bone.text);
                }
                *to = weight;
                row.count += 1;
            }
            rows.weights.push(row);
        }
        Ok(())
    }

    /// The tree of boxes: its first row may follow the keyword, a count may stand there instead.
    fn boxes(&mut self, rows: &mut Rows<'a>) -> Result<()> {
        let row = |p: &mut Self| -> Result<([f32; 6], i32)> {
            let corners = p.lex.floats()?;
            Ok((corners, p.lex.int(-1, i64::from(i32::MAX))? as i32))
        };
        let first = if self.lex.words_left() >= 7 { Some(row(self)?) } else { None };
        let rest = self.numbers(row)?;
        rows.boxes = first.into_iter().chain(rest).collect();
        Ok(())
    }

    /// Makes a mesh of its blocks.
    pub(crate) fn build_mesh(
        &mut self,
        node: &mut Node,
        draft: &mut NodeDraft<'a>,
        rows: Rows<'a>,
    ) -> Result<()> {
        let (Some(mesh), Some(said)) = (node.mesh.as_deref_mut(), draft.mesh.as_deref_mut()) else {
            return Ok(());
        };
        let spot = if rows.spot == Spot::default() { draft.spot } else { rows.spot };
        rows.check(spot)?;
        said.masks = rows.faces.iter().map(|f| f.mask).collect();
        let shape = Sum::new()
            .floats(rows.verts.iter().map(|v| &v[..]))
            .words(rows.faces.iter().flat_map(|f| f.corners.into_iter().chain([f.mask])));
        said.shape = shape.0;
        said.mapping = rows.mapping(shape).0;
        said.binding = rows.binding().0;
        said.boxes = rows
            .boxes
            .iter()
            .fold(shape, |sum, (corners, face)| sum.floats([&corners[..]]).words([*face as u32]))
            .0;
        said.bones = rows.bones.clone();
        if let Some(aabb) = mesh.aabb.as_deref_mut() {
            aabb.nodes = preorder(&rows.boxes);
        }
        if mesh.saber.is_some() {
            let faces: Vec<Face> = rows.faces.iter().map(FaceRow::face).collect();
            let [uvs, ..] = &rows.uvs;
            if saber::build(mesh, &rows.verts, uvs, faces) {
                return Ok(());
            }
            self.note(spot, || {
                "a blade needs 16 or 176 vertices and texture coordinates: taken for a trimesh".into()
            });
            mesh.saber = None;
            mesh.in_mdx = true;
        }
        rows.vertices(mesh, said, spot)
    }

    /// Finds the bones that skins name; `root` stands for none unless there is such a node.
    pub(crate) fn resolve_bones(&mut self) -> Result<()> {
        let mut unknown = Vec::new();
        for draft in &mut self.draft.nodes {
            let Some(mesh) = draft.mesh.as_deref_mut() else { continue };
            let found = mesh.bones.iter().map(|b| self.by_name.get(&small_name(b)).copied());
            mesh.bone_nodes = found.collect();
            for (bone, node) in mesh.bones.iter().zip(&mesh.bone_nodes) {
                if node.is_none() && !bone.eq_ignore_ascii_case(b"root") {
                    unknown.push((draft.spot, *bone));
                }
            }
        }
        // Every skin has a slot and a bind for every node.
        let skins =
            self.draft.model.nodes.iter().filter(|n| n.mesh.as_deref().is_some_and(|m| m.skin.is_some()));
        let (skins, nodes) = (skins.count(), self.draft.nodes.len());
        self.spend(skins.saturating_mul(nodes).saturating_mul(36))?;
        for (spot, bone) in unknown {
            self.note(spot, || format!("the model has no node `{}` to be a bone", escape_bytes(bone)));
        }
        Ok(())
    }
}

impl FaceRow {
    fn face(&self) -> Face {
        let short = |i: u32| i.min(0xFFFF) as u16;
        Face {
            material: self.material,
            adjacent: [0xFFFF; 3],
            vertices: self.corners.map(short),
            ..Face::default()
        }
    }
}

impl Rows<'_> {
    /// Every row that a face names is there.
    fn check(&self, spot: Spot) -> Result<()> {
        if self.verts.len() > MOST {
            return Err(spot
                .syntax(format!("{} vertices are more than the 65,535 a mesh can have", self.verts.len())));
        }
        if self.faces.len() > MOST {
            return Err(
                spot.syntax(format!("{} faces are more than the 65,535 a mesh can have", self.faces.len()))
            );
        }
        let within = |what: &str, list: &mut dyn Iterator<Item = &[u32; 3]>, count: usize| {
            if count == 0 {
                return Ok(());
            }
            for (i, face) in list.enumerate() {
                if let Some(bad) = face.iter().find(|r| **r as usize >= count) {
                    return Err(spot.syntax(format!("face {i} names {what} {bad} of {count}")));
                }
            }
            Ok(())
        };
        let [uv0, uv1, uv2, uv3] = &self.uvs;
        let [f1, f2, f3] = &self.uv_faces;
        within("vertex", &mut self.faces.iter().map(|f| &f.corners), self.verts.len())?;
        within("texture coordinates", &mut self.faces.iter().map(|f| &f.uvs), uv0.len())?;
        for (faces, uvs) in [(f1, uv1), (f2, uv2), (f3, uv3)] {
            within("texture coordinates", &mut faces.iter(), uvs.len())?;
        }
        within("color", &mut self.color_faces.iter(), self.colors.len())
    }

    fn mapping(&self, shape: Sum) -> Sum {
        let uvs = self
            .uvs
            .iter()
            .fold(shape, |sum, uvs| sum.words([uvs.len() as u32]).floats(uvs.iter().map(|v| &v[..])));
        let faces = uvs.words(self.faces.iter().flat_map(|f| f.uvs));
        self.uv_faces
            .iter()
            .fold(faces, |sum, rows| sum.words([rows.len() as u32]).words(rows.iter().flatten().copied()))
    }

    fn binding(&self) -> Sum {
        let names = self.bones.iter().fold(Sum::new(), |sum, bone| sum.bytes(bone));
        self.weights.iter().fold(names, |sum, row| {
            let used = usize::from(row.count);
            sum.words([u32::from(row.count)])
                .words(row.bones.iter().take(used).map(|b| u32::from(*b)))
                .words(row.weights.iter().take(used).map(|w| w.to_bits()))
        })
    }

    /// The rows of corner `corner` of face `face` in every block.
    fn corner(&self, face: usize, corner: usize) -> [u32; 6] {
        let row = self.faces.get(face);
        let at = |list: &[u32; 3]| list.get(corner).copied().unwrap_or(0);
        let first = row.map_or(0, |f| at(&f.uvs));
        let mut key = [row.map_or(0, |f| at(&f.corners)), 0, 0, 0, 0, 0];
        let [_, uv0, uv1, uv2, uv3, color] = &mut key;
        let others = [uv1, uv2, uv3].into_iter().zip(self.uvs.iter().skip(1)).zip(&self.uv_faces);
        for ((slot, uvs), faces) in others {
            if !uvs.is_empty() {
                // Without rows of its own a texture uses those of the first.
                *slot = faces.get(face).map_or(first, at);
            }
        }
        if self.uvs.first().is_some_and(|u| !u.is_empty()) {
            *uv0 = first;
        }
        if !self.colors.is_empty() {
            *color = self.color_faces.get(face).map_or(0, at);
        }
        key
    }

    /// Whether the rows of all blocks belong together, so that every row is a vertex.
    fn rows_are_vertices(&self) -> bool {
        let count = self.verts.len();
        let fits = |len: usize| len == 0 || len == count;
        let [used0, used1, used2, used3] =
            [0, 1, 2, 3].map(|i| self.uvs.get(i).is_some_and(|u| !u.is_empty()));
        self.uvs.iter().all(|u| fits(u.len()))
            && fits(self.colors.len())
            && (0..self.faces.len()).all(|face| {
                (0..3).all(|corner| {
                    let [v, t0, t1, t2, t3, c] = self.corner(face, corner);
                    (!used0 || t0 == v)
                        && (!used1 || t1 == v)
                        && (!used2 || t2 == v)
                        && (!used3 || t3 == v)
                        && (self.colors.is_empty() || c == v)
                })
            })
    }

    /// Makes vertices of the rows: one for every combination of rows that faces of a common smoothing group use.
    fn vertices(mut self, mesh: &mut Mesh, said: &mut super::draft::MeshDraft<'_>, spot: Spot) -> Result<()> {
        mesh.faces = self.faces.iter().map(FaceRow::face).collect();
        // Rows of each vertex; with `plain`, vertices beyond the rows only.
        let mut sources: Vec<[u32; 6]> = Vec::new();
        let plain = self.rows_are_vertices();
        let rows = if plain { self.verts.len() } else { 0 };
        let mut owners: Vec<Option<u32>> = vec![None; rows];
        let mut made: HashMap<[u32; 6], Vec<(u32, u32)>> = HashMap::new();
        for face in 0..self.faces.len() {
            let mask = self.faces.get(face).map_or(0, |f| f.mask);
            for corner in 0..3 {
                let key = self.corner(face, corner);
                let [row, ..] = key;
                let mut vertex = None;
                if let Some(owner) = owners.get_mut(row as usize) {
                    match owner {
                        None => {
                            *owner = Some(mask);
                            vertex = Some(row);
                        }
                        Some(owner) if *owner & mask != 0 => vertex = Some(row),
                        Some(_) => {}
                    }
                }
                if vertex.is_none() && !self.verts.is_empty() {
                    let known = made.get(&key).and_then(|list| list.iter().find(|(_, m)| m & mask != 0));
                    vertex = Some(match known {
                        Some((id, _)) => *id,
                        None => {
                            let id = (rows + sources.len()) as u32;
                            sources.push(key);
                            if mask != 0 {
                                made.entry(key).or_default().push((id, mask));
                            }
                            id
                        }
                    });
                }
                if let Some(vertex) = vertex
                    && let Some(slot) = mesh.faces.get_mut(face).and_then(|f| f.vertices.get_mut(corner))
                {
                    let Some(short) = u16::try_from(vertex).ok().filter(|v| usize::from(*v) < MOST) else {
                        return Err(spot.syntax("the vertices of this mesh, split for its textures and smoothing groups, are more than 65,535"));
                    };
                    *slot = short;
                }
            }
        }
        fn gather<T: Copy + Default>(
            block: &mut Vec<T>,
            plain: bool,
            sources: &[[u32; 6]],
            row: impl Fn(&[u32; 6]) -> u32,
        ) -> Vec<T> {
            if block.is_empty() {
                return Vec::new();
            }
            let split = sources.iter().map(|s| block.get(row(s) as usize).copied().unwrap_or_default());
            if plain {
                let more: Vec<T> = split.collect();
                block.extend(more);
                return std::mem::take(block);
            }
            split.collect()
        }
        let [uv0, uv1, uv2, uv3] = &mut self.uvs;
        mesh.vertices = Vertices {
            positions: gather(&mut self.verts, plain, &sources, |s| s[0]),
            uvs: [
                gather(uv0, plain, &sources, |s| s[1]),
                gather(uv1, plain, &sources, |s| s[2]),
                gather(uv2, plain, &sources, |s| s[3]),
                gather(uv3, plain, &sources, |s| s[4]),
            ],
            colors: gather(&mut self.colors, plain, &sources, |s| s[5]),
            ..Vertices::default()
        };
        let count = mesh.vertices.positions.len();
        if mesh.skin.is_some() {
            self.weights.resize(rows.max(self.weights.len()), WeightRow::default());
            said.weights = gather(&mut self.weights, plain, &sources, |s| s[0]);
            said.weights.resize(count, WeightRow::default());
        }
        if let Some(dangly) = mesh.dangly.as_deref_mut() {
            self.constraints.resize(rows.max(self.constraints.len()), 0.0);
            dangly.constraints = gather(&mut self.constraints, plain, &sources, |s| s[0]);
        }
        mesh.texture_count = mesh.vertices.uvs.iter().filter(|u| !u.is_empty()).count() as u16;
        Ok(())
    }
}

/// A tree of boxes from its rows in preorder: a box without a face has two children, as long as there are rows.
pub(crate) fn preorder(rows: &[([f32; 6], i32)]) -> Vec<AabbNode> {
    let mut nodes: Vec<AabbNode> = Vec::with_capacity(rows.len());
    // Boxes whose second child is still to come.
    let mut open: Vec<usize> = Vec::new();
    for (id, (corners, face)) in rows.iter().enumerate() {
        let [a, b, c, d, e, f] = *corners;
        if let Some(before) = id.checked_sub(1).and_then(|i| nodes.get_mut(i)) {
            if before.face < 0 {
                before.left = Some(id as u32);
            } else if let Some(parent) = open.pop().and_then(|i| nodes.get_mut(i)) {
                parent.right = Some(id as u32);
            }
        }
        if *face < 0 {
            open.push(id);
        }
        nodes.push(AabbNode {
            min: [a, b, c],
            max: [d, e, f],
            left: None,
            right: None,
            face: *face,
            plane: 0,
        });
    }
    nodes
}
