//! Parses the lines between `node` and `endnode`.

use galatea_wire::{Result, Text, escape_bytes};

use super::Parser;
use super::rows::Rows;
use crate::mdl::text::Dialect;
use crate::mdl::text::draft::{MeshDraft, NodeDraft};
use crate::mdl::text::rotation::from_axis_angle;
use crate::mdl::text::words::{Class, EMITTER_FLAGS, Form, class_of, controller_of};
use crate::mdl::{
    AabbTree, AnimMeshHeader, Dangly, Emitter, Interpolation, Light, Mesh, Name, Node, Saber, Skin,
};
use crate::text::lex::Word;
use crate::text::token::Keyword;

/// Adds the parts of a node of this type. Returns `false` for an unknown type.
fn parts(node: &mut Node, kind: &[u8], blade: bool) -> bool {
    let mesh = || Mesh { mdl_positions: crate::mdl::PositionCopy::Same, ..Mesh::default() };
    let boxed = |mesh: Mesh| Some(Box::new(mesh));
    match kind {
        b"dummy" => {}
        b"light" => node.light = Some(Box::default()),
        b"emitter" => node.emitter = Some(Box::default()),
        b"reference" => node.reference = Some(Box::default()),
        b"camera" => node.camera = true,
        b"trimesh" if !blade => node.mesh = boxed(mesh()),
        b"skin" => node.mesh = boxed(Mesh { skin: Some(Box::<Skin>::default()), ..mesh() }),
        b"animmesh" => node.mesh = boxed(Mesh { anim: Some(Box::<AnimMeshHeader>::default()), ..mesh() }),
        b"danglymesh" | b"dangly" => {
            node.mesh = boxed(Mesh { dangly: Some(Box::<Dangly>::default()), ..mesh() })
        }
        b"aabb" => node.mesh = boxed(Mesh { aabb: Some(Box::<AabbTree>::default()), ..mesh() }),
        b"trimesh" | b"lightsaber" | b"saber" => {
            node.mesh = boxed(Mesh { saber: Some(Box::<Saber>::default()), in_mdx: false, ..mesh() });
        }
        _ => return false,
    }
    true
}

impl<'a> Parser<'a> {
    /// Parses the lines of a node.
    pub(super) fn body(
        &mut self,
        node: &mut Node,
        draft: &mut NodeDraft<'a>,
        kind: Word<'a>,
        blade: bool,
    ) -> Result<()> {
        let animated = self.in_animation();
        // Nodes of animations are written as dummies; the model has their type.
        let class = if animated {
            draft.moves.and_then(|id| self.draft.model.node(id)).map_or(Class::Plain, class_of)
        } else {
            if !parts(node, Keyword::of(kind.text).bytes(), blade) {
                let what = || format!("`{}` is not a type of node; read as a dummy", escape_bytes(kind.text));
                self.note(kind.spot, what);
            }
            class_of(node)
        };
        if node.mesh.is_some() {
            self.spend(size_of::<Mesh>() + size_of::<MeshDraft<'_>>())?;
            draft.mesh = Some(Box::default());
        }
        if node.emitter.is_some() {
            self.spend(size_of::<Emitter>())?;
        }
        let mut rows = Rows::default();
        loop {
            if !self.lex.next_line() {
                return Err(self.lex.spot().syntax("the text ends inside a node"));
            }
            let Some(word) = self.lex.word() else { continue };
            let lower = Keyword::of(word.text);
            let keyword = lower.bytes();
            match keyword {
                b"endnode" | b"}" => break,
                b"{" => continue,
                b"node" | b"endmodelgeom" | b"newanim" | b"doneanim" | b"donemodel" => {
                    let what = format!("`{}` inside a node: is `endnode` missing?", escape_bytes(word.text));
                    return Err(word.spot.syntax(what));
                }
                b"parent" => {
                    let name = self.lex.need("a name")?;
                    draft.parent = (!name.is(b"null")).then_some((name.text, name.spot));
                }
                _ => {
                    let known = self.controller(node, draft, keyword, class)?
                        || match class {
                            Class::Plain => self.reference(node, keyword)?,
                            Class::Light => self.light(node, keyword)?,
                            Class::Emitter => self.emitter(node, keyword)?,
                            Class::Mesh if node.mesh.is_none() => false,
                            Class::Mesh => self.mesh(node, draft, &mut rows, word, keyword)?,
                        }
                        || self.nothing(keyword)?;
                    if !known && !galatea_text::looks_numeric(word.text) {
                        self.note(word.spot, || format!("unknown keyword `{}`", escape_bytes(word.text)));
                    }
                }
            }
        }
        self.build_mesh(node, draft, rows)?;
        let position = draft.position.map(|c| c as f32);
        if !animated && !node.controllers.is_empty() {
            if let Some(track) = node.controllers.get(8)
                && let Some(at) = track.values.first_chunk()
            {
                node.position = if track.times.len() == 1 { *at } else { position };
            }
            if let Some(track) = node.controllers.get(20)
                && let Some([x, y, z, w]) = track.values.first_chunk()
            {
                node.orientation = [*w, *x, *y, *z];
            }
        }
        Ok(())
    }

    /// Skips lines without a counterpart in the file. Returns whether the keyword is one of them.
    fn nothing(&mut self, keyword: &[u8]) -> Result<bool> {
        match keyword {
            b"wirecolor" | b"specular" | b"shininess" | b"center" | b"inheritcolor" | b"tilefade"
            | b"endlist" | b"lensflares" | b"update_sel" | b"render_sel" | b"blend_sel" | b"p2p_type"
            | b"iconsize" | b"emitter_unknown_1" | b"emitter_unknown_2" | b"isdynamic" | b"negativelight"
            | b"layoutposition" | b"bmin" | b"bmax" | b"average" | b"radius" => Ok(true),
            b"roomlinks" | b"extra_data" | b"colors" | b"colorindices" => {
                self.skip_rows();
                Ok(true)
            }
            b"multimaterial" => {
                let count = self.lex.int(0, i64::from(u32::MAX))?;
                for _ in 0..count {
                    if !self.lex.next_line() || self.lex.peek().is_some_and(|w| w.is(b"endnode")) {
                        self.lex.hold();
                        break;
                    }
                }
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// Skips rows that begin with a number.
    fn skip_rows(&mut self) {
        while self.lex.next_line() {
            if !self.lex.at_number() {
                self.lex.hold();
                break;
            }
        }
    }

    /// Parses a controller: one value on the line, or keys in the lines below. Returns whether the keyword is one.
    fn controller(
        &mut self,
        node: &mut Node,
        draft: &mut NodeDraft<'a>,
        keyword: &[u8],
        class: Class,
    ) -> Result<bool> {
        let Some((kind, width, form)) = controller_of(keyword, class) else { return Ok(false) };
        let animated = self.in_animation();
        let spot = self.lex.spot();
        // In the text, positions of animations are relative to the parent; in the file, to the position at rest.
        let rest = match draft.moves {
            Some(id) if kind == 8 => self.draft.nodes.get(id as usize).map_or([0.0; 3], |d| d.position),
            _ => [0.0; 3],
        };
        let raw = self.dialect == Dialect::PyKotor;
        let rest = if raw { [0.0; 3] } else { rest };
        let (mut times, mut values) = (Vec::new(), Vec::new());
        let mut columns = 0;
        if form == Form::Constant {
            columns = self.lex.words_left().min(width.unwrap_or(15));
            times.push(0.0);
            self.key(kind, columns, [0.0; 3], raw, &mut values)?;
            if kind == 8 && columns == 3 && !animated {
                self.lex.hold();
                self.lex.next_line();
                self.lex.word();
                for slot in &mut draft.position {
                    *slot = self.lex.f64()?;
                }
            }
        } else {
            let per_value = if form == Form::Bezier { 3 } else { 1 };
            while self.lex.next_line() {
                if !self.lex.at_number() {
                    self.lex.hold();
                    break;
                }
                if times.is_empty() {
                    let found = self.lex.words_left() - 1;
                    columns = found.min(width.map_or(15 * per_value, |w| w * per_value));
                    if !columns.is_multiple_of(per_value) {
                        return Err(self.lex.spot().syntax("tangents need three numbers for every value"));
                    }
                }
                self.spend((1 + columns) * 4)?;
                times.push(self.lex.f32()?);
                self.key(kind, columns, rest, raw, &mut values)?;
            }
        }
        let width = if form == Form::Bezier { columns / 3 } else { columns };
        let mut interpolation =
            if form == Form::Bezier { Interpolation::Bezier } else { Interpolation::Linear };
        let target = match kind {
            8 if animated => 16,
            20 if animated => 28,
            _ => 0xFFFF,
        };
        let mut width = width;
        if animated && self.draft.compress && kind == 20 && width == 4 && form == Form::Keys {
            values = values
                .chunks_exact(4)
                .filter_map(|q| q.first_chunk())
                .map(|q| f32::from_bits(crate::mdl::pack_quaternion(*q)))
                .collect();
            (interpolation, width) = (Interpolation::Packed, 1);
        }
        let pushed = node.controllers.push(kind, target, interpolation, width, &times, &values);
        pushed.map_err(|e| spot.syntax(e.to_string()))?;
        Ok(true)
    }

    /// Parses the values of a key.
    fn key(
        &mut self,
        kind: u32,
        columns: usize,
        rest: [f64; 3],
        raw: bool,
        values: &mut Vec<f32>,
    ) -> Result<()> {
        if kind == 20 && columns == 4 && !raw {
            let mut axis_angle = [0.0; 4];
            for slot in &mut axis_angle {
                *slot = self.lex.f64()?;
            }
            values.extend(from_axis_angle(axis_angle));
            return Ok(());
        }
        for i in 0..columns {
            let base = rest.get(i).copied().unwrap_or(0.0);
            values.push(if base == 0.0 { self.lex.f32()? } else { (self.lex.f64()? - base) as f32 });
        }
        Ok(())
    }

    fn reference(&mut self, node: &mut Node, keyword: &[u8]) -> Result<bool> {
        let Some(reference) = node.reference.as_deref_mut() else { return Ok(false) };
        match keyword {
            b"refmodel" | b"model" => {
                let word = self.lex.word();
                reference.model = self.text(word);
            }
            b"reattachable" => {
                reference.reattachable = if self.lex.at_number() { self.lex.u32()? } else { 1 }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn light(&mut self, node: &mut Node, keyword: &[u8]) -> Result<bool> {
        let Some(light) = node.light.as_deref_mut() else { return Ok(false) };
        match keyword {
            b"flareradius" => light.flare_radius = self.lex.f32()?,
            b"lightpriority" | b"priority" => light.priority = self.lex.u32()?,
            b"ambientonly" => light.ambient_only = self.lex.u32()?,
            b"ndynamictype" => light.dynamic_type = self.lex.u32()?,
            b"affectdynamic" => light.affect_dynamic = self.lex.u32()?,
            b"shadow" => light.shadow = self.lex.u32()?,
            b"flare" => light.flare = self.lex.u32()?,
            b"fadinglight" => light.fading = self.lex.u32()?,
            b"flaresizes" => light.flare_sizes = self.numbers(|p| p.lex.f32())?,
            b"flarepositions" => light.flare_positions = self.numbers(|p| p.lex.f32())?,
            b"flarecolorshifts" => light.flare_colors = self.numbers(|p| p.lex.floats())?,
            b"texturenames" => self.texture_names(light)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Parses names, one per line: as many as declared, otherwise up to the next keyword.
    fn texture_names(&mut self, light: &mut Light) -> Result<()> {
        let count = if self.lex.at_number() { Some(self.lex.int(0, i64::from(u32::MAX))?) } else { None };
        while self.lex.next_line() {
            let Some(word) = self.lex.word() else { continue };
            let lower = Keyword::of(word.text);
            let declared = count.is_some_and(|c| (light.flare_textures.len() as i64) < c);
            let keyword = matches!(
                lower.bytes(),
                b"endnode"
                    | b"endlist"
                    | b"flaresizes"
                    | b"flarepositions"
                    | b"flarecolorshifts"
                    | b"flareradius"
            );
            if keyword || (!declared && (count.is_some() || self.lex.word().is_some())) {
                self.lex.hold();
                break;
            }
            self.spend(size_of::<Name>() + word.text.len())?;
            light.flare_textures.push(Name(word.text.to_vec()));
        }
        Ok(())
    }

    /// Parses rows that begin with a number.
    pub(super) fn numbers<T>(&mut self, mut each: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let mut out = Vec::new();
        while self.lex.next_line() {
            if !self.lex.at_number() {
                self.lex.hold();
                break;
            }
            self.spend(size_of::<T>())?;
            out.push(each(self)?);
        }
        Ok(out)
    }

    fn emitter(&mut self, node: &mut Node, keyword: &[u8]) -> Result<bool> {
        let Some(emitter) = node.emitter.as_deref_mut() else { return Ok(false) };
        if let Some((_, bit)) = EMITTER_FLAGS.iter().find(|f| f.0.as_bytes().eq_ignore_ascii_case(keyword)) {
            let on = !self.lex.at_number() || self.lex.int(0, i64::from(u32::MAX))? != 0;
            emitter.flags = if on { emitter.flags | bit } else { emitter.flags & !bit };
            return Ok(true);
        }
        match keyword {
            b"deadspace" => emitter.dead_space = self.lex.f32()?,
            b"blastradius" => emitter.blast_radius = self.lex.f32()?,
            b"blastlength" => emitter.blast_length = self.lex.f32()?,
            b"numbranches" => emitter.branch_count = self.lex.u32()?,
            b"controlptsmoothing" => emitter.control_point_smoothing = self.lex.f32()?,
            b"xgrid" => emitter.x_grid = self.lex.u32()?,
            b"ygrid" => emitter.y_grid = self.lex.u32()?,
            b"spawntype" => {
                emitter.spawn_type = match self.lex.peek() {
                    Some(word) if word.is(b"normal") => 0,
                    Some(word) if word.is(b"trail") => 1,
                    _ => self.lex.u32()?,
                };
            }
            b"twosidedtex" | b"twosidedtext" => emitter.two_sided = self.lex.u32()?,
            b"loop" => emitter.looped = self.lex.u32()?,
            b"renderorder" => emitter.render_order = self.lex.int(0, 65535)? as u16,
            b"m_bframeblending" => emitter.frame_blending = self.lex.int(0, 255)? as u8,
            b"emitterflagsraw" => emitter.flags = self.lex.u32()?,
            b"emitterpadding1" => {}
            _ => {
                let word = self.lex.peek();
                match keyword {
                    b"update" => emitter.update = self.text(word),
                    b"render" => emitter.render = self.text(word),
                    b"blend" => emitter.blend = self.text(word),
                    b"texture" => emitter.texture = self.text(word),
                    b"m_sdepthtexturename" => emitter.depth_texture = self.text(word),
                    b"chunkname" => {
                        // MDLEdit writes `NULL` for none.
                        let chunk: Text<16> = self.text(word);
                        emitter.chunk = if chunk.bytes() == b"NULL" { Text::default() } else { chunk };
                    }
                    _ => return Ok(false),
                }
            }
        }
        Ok(true)
    }

    /// Parses a value that is 1 if omitted.
    pub(super) fn switch(&mut self) -> Result<u8> {
        if self.lex.peek().is_none() { Ok(1) } else { self.lex.int(0, 255).map(|v| v as u8) }
    }

    pub(super) fn whole_or_one(&mut self) -> Result<u32> {
        if self.lex.peek().is_none() { Ok(1) } else { self.lex.u32() }
    }
}
