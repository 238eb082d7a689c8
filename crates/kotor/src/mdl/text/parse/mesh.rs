//! Mesh properties and blocks.

use galatea_wire::{Result, StableHash, escape_bytes};

use super::rows::{FaceRow, MAX_VERTICES, Rows, preorder};
use super::{Parser, lower_case};
use crate::mdl::text::draft::{MeshDraft, NodeDraft, WeightRow};
use crate::mdl::text::{Dialect, saber};
use crate::mdl::{Dirt, Face, Mesh, Node};
use crate::text::lex::{Spot, Word};

impl<'a> Parser<'a> {
    /// Parses a line of a mesh. Returns whether its keyword is known.
    pub(super) fn mesh(
        &mut self,
        node: &mut Node,
        draft: &mut NodeDraft<'a>,
        rows: &mut Rows<'a>,
        word: Word<'a>,
        keyword: &[u8],
    ) -> Result<bool> {
        let (Some(mesh), Some(draft)) = (node.mesh.as_deref_mut(), draft.mesh.as_deref_mut()) else {
            return Ok(false);
        };
        Ok(self.appearance(mesh, keyword)?
            || self.texture(mesh, rows, keyword)?
            || self.dirt(mesh, keyword)?
            || self.computed(mesh, draft, keyword)?
            || self.motion(mesh, keyword)?
            || self.block(rows, word, keyword)?)
    }

    /// Parses colors, texture animation and switches.
    fn appearance(&mut self, mesh: &mut Mesh, keyword: &[u8]) -> Result<bool> {
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
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn texture(&mut self, mesh: &mut Mesh, rows: &mut Rows<'a>, keyword: &[u8]) -> Result<bool> {
        if !matches!(keyword, b"bitmap" | b"bitmap2" | b"lightmap" | b"texture0" | b"texture1") {
            return Ok(false);
        }
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
        Ok(true)
    }

    /// Parses the properties that only meshes of the second game have.
    fn dirt(&mut self, mesh: &mut Mesh, keyword: &[u8]) -> Result<bool> {
        if !matches!(keyword, b"dirt_enabled" | b"dirt_texture" | b"dirt_worldspace" | b"hologram_donotdraw")
        {
            return Ok(false);
        }
        let dirt = mesh.dirt.get_or_insert(Dirt::USUAL);
        self.has_dirt = true;
        match keyword {
            b"dirt_enabled" => dirt.enabled = self.switch()?,
            b"dirt_texture" => dirt.texture = self.lex.int(0, 65535)? as u16,
            b"dirt_worldspace" => dirt.coordinate_space = self.lex.int(0, 65535)? as u16,
            _ => dirt.hide_in_holograms = self.switch()?,
        }
        Ok(true)
    }

    /// Parses what a compiler computes: extents, inverted counters, and which textures have tangents.
    fn computed(&mut self, mesh: &mut Mesh, draft: &mut MeshDraft<'a>, keyword: &[u8]) -> Result<bool> {
        match keyword {
            b"tangentspace" => {
                for slot in &mut draft.tangents {
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
                draft.counted = true;
            }
            b"bmin" => mesh.bounds[0] = self.lex.floats()?,
            b"bmax" => mesh.bounds[1] = self.lex.floats()?,
            b"radius" => mesh.radius = self.lex.f32()?,
            b"average" => {
                mesh.average = self.lex.floats()?;
                draft.bounded = true;
            }
            b"area" | b"surfacearea" => mesh.area = self.lex.f32()?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Parses how danglymeshes and animmeshes move.
    fn motion(&mut self, mesh: &mut Mesh, keyword: &[u8]) -> Result<bool> {
        if !matches!(keyword, b"displacement" | b"tightness" | b"period" | b"sampleperiod") {
            return Ok(false);
        }
        let value = self.lex.f32()?;
        match (keyword, mesh.dangly.as_deref_mut(), mesh.anim.as_deref_mut()) {
            (b"displacement", Some(dangly), _) => dangly.displacement = value,
            (b"tightness", Some(dangly), _) => dangly.tightness = value,
            (b"period", Some(dangly), _) => dangly.period = value,
            (b"sampleperiod", _, Some(anim)) => anim.sample_period = value,
            _ => {}
        }
        Ok(true)
    }

    /// Parses a block: a keyword and the rows below it.
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
            // Blocks of other tools. Their values are derived.
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
            // PyKotor puts the row number first, and may append the normal and texture coordinates.
            if p.dialect == Dialect::PyKotor && p.lex.words_left() > 3 {
                p.lex.word();
            }
            p.lex.floats()
        })
    }

    fn uv_rows(&mut self) -> Result<Vec<[f32; 2]>> {
        self.numbers(|p| {
            if p.dialect == Dialect::PyKotor && p.lex.words_left() > 2 {
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
                // A material only.
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
                    return Err(bone.spot.syntax("more than four bones for a vertex"));
                };
                let next = rows.bones.len() as u16;
                *slot = *rows.bone_ids.entry(bone.text).or_insert(next);
                if *slot == next {
                    if rows.bones.len() >= MAX_VERTICES {
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

    /// Parses the box tree. Its first row, or a count, may follow the keyword.
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

    /// Builds the mesh from its blocks.
    pub(super) fn build_mesh(
        &mut self,
        node: &mut Node,
        draft: &mut NodeDraft<'a>,
        rows: Rows<'a>,
    ) -> Result<()> {
        let spot = if rows.spot == Spot::default() { draft.spot } else { rows.spot };
        let (Some(mesh), Some(draft)) = (node.mesh.as_deref_mut(), draft.mesh.as_deref_mut()) else {
            return Ok(());
        };
        rows.check(spot)?;
        draft.masks = rows.faces.iter().map(|f| f.mask).collect();
        let shape = StableHash::new()
            .floats(rows.verts.iter().map(|v| &v[..]))
            .words(rows.faces.iter().flat_map(|f| f.corners.into_iter().chain([f.mask])));
        draft.shape = shape.finish();
        draft.mapping = rows.mapping(shape).finish();
        draft.binding = rows.binding().finish();
        draft.boxes = rows
            .boxes
            .iter()
            .fold(shape, |sum, (corners, face)| sum.floats([&corners[..]]).words([*face as u32]))
            .finish();
        draft.bones = rows.bones.clone();
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
                "a blade needs 16 or 176 vertices and texture coordinates; read as a trimesh".into()
            });
            mesh.saber = None;
            mesh.in_mdx = true;
        }
        rows.vertices(mesh, draft, spot)
    }

    /// Resolves the bone names of skins. `root` means no bone unless a node has that name. Fails if a vertex follows a bone
    /// that no node is named after.
    pub(super) fn resolve_bones(&mut self) -> Result<()> {
        let mut unknown = Vec::new();
        for draft in &mut self.draft.nodes {
            let Some(mesh) = draft.mesh.as_deref_mut() else { continue };
            let found = mesh.bones.iter().map(|b| self.by_name.get(&lower_case(b)).copied());
            mesh.bone_nodes = found.collect();
            for (bone, node) in mesh.bones.iter().zip(&mesh.bone_nodes) {
                if node.is_none() && !means_no_bone(bone) {
                    unknown.push((draft.spot, *bone));
                }
            }
            let missing = |bone: u16| {
                let name = mesh.bones.get(usize::from(bone)).copied()?;
                let node = mesh.bone_nodes.get(usize::from(bone)).copied().flatten();
                (node.is_none() && !means_no_bone(name)).then_some(name)
            };
            for (vertex, row) in mesh.weights.iter().enumerate() {
                let used = row.bones.iter().zip(&row.weights).take(usize::from(row.count));
                if let Some(bone) = used.filter(|(_, w)| **w > 0.0).find_map(|(b, _)| missing(*b)) {
                    let what = format!(
                        "vertex {vertex} follows `{}`, and no node has this name",
                        escape_bytes(bone)
                    );
                    return Err(draft.spot.syntax(what));
                }
            }
        }
        // Every skin has a bone map entry and a bind pose for every node.
        let skins =
            self.draft.model.nodes.iter().filter(|n| n.mesh.as_deref().is_some_and(|m| m.skin.is_some()));
        let (skins, nodes) = (skins.count(), self.draft.nodes.len());
        self.spend(skins.saturating_mul(nodes).saturating_mul(36))?;
        for (spot, bone) in unknown {
            self.note(spot, || format!("no node `{}` for this bone", escape_bytes(bone)));
        }
        Ok(())
    }
}

/// Returns `true` for the name that ties a vertex to no bone: `root`, after as many `_` as tell it from nodes named so.
fn means_no_bone(name: &[u8]) -> bool {
    let underscores = name.iter().take_while(|c| **c == b'_').count();
    name.get(underscores..).is_some_and(|rest| rest.eq_ignore_ascii_case(b"root"))
}
