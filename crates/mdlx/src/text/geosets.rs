//! Geosets and other lists of numbers.

use galatea_wire::Result;

use super::block::{self, Block};
use super::field::{At, Field, How, REFORGED, WARCRAFT, WOW, always, at, changed, flag};
use super::lex::{Lexer, is, quote};
use super::objects::{extents, print_extra_bytes, take_extra};
use super::out::Out;
use super::sidecar::{Line, numbers_of};
use super::track::{Item, grow};
use crate::{Bounds, CollisionMesh, Feature, Geoset, SkinWeight, VertexBuffer};

/// Parses `n { { 1, 2, 3 }, ... }`, after its keyword.
pub(super) fn parse_rows<const N: usize>(lex: &mut Lexer<'_>, word: &str) -> Result<Vec<[f32; N]>> {
    let opened = lex.pos();
    let count = lex.count()?;
    lex.open()?;
    let mut rows: Vec<[f32; N]> = Vec::new();
    let mut room = 0usize;
    while lex.peek() == Some(b'{') {
        if rows.len() == room {
            let item = Item { size: 4 * N, least: 2 * N + 1, numbers: N };
            room = grow(lex, count, room, item, |n| rows.reserve_exact(n))?;
        }
        match lex.row() {
            Ok(row) => rows.push(row),
            Err(error) => return Err(error.within(format!("{word}[{}]", rows.len()))),
        }
    }
    if lex.close(opened, word)? { Ok(rows) } else { Err(lex.expected("`{` or `}`").within(word)) }
}

/// Parses `{ 1, 2, 3 }` and appends the numbers to a list.
fn parse_ints<T>(
    lex: &mut Lexer<'_>,
    word: &str,
    announced: Option<usize>,
    list: &mut Vec<T>,
    parse: impl Fn(&mut Lexer<'_>) -> Result<T>,
) -> Result<usize> {
    let opened = lex.pos();
    lex.open()?;
    let start = list.len();
    while lex.is_number() {
        if list.len() == list.capacity() {
            let room = list.len();
            let announced = announced.filter(|_| room == 0);
            let item = Item { size: size_of::<T>(), least: 2, numbers: 1 };
            grow(lex, announced, room, item, |n| list.reserve_exact(n))?;
        }
        list.push(parse(lex)?);
    }
    if lex.close(opened, word)? {
        Ok(list.len() - start)
    } else {
        Err(lex.expected("a whole number or `}`").within(word))
    }
}

/// Keywords for the types of face groups, by number.
const FACE_TYPES: [&str; 10] = [
    "Points",
    "Lines",
    "LineLoop",
    "LineStrip",
    "Triangles",
    "TriangleStrip",
    "TriangleFan",
    "Quads",
    "QuadStrip",
    "Polygons",
];
const TRIANGLES: u32 = 4;

/// Returns the face groups that the plain text shows, with type and number of indices: a single group of triangles unless all
/// types have a keyword and the groups cover all indices.
fn shown_faces(types: &[u32], counts: &[u32], indices: usize) -> Vec<(u32, usize)> {
    let total: u64 = counts.iter().map(|c| u64::from(*c)).sum();
    let whole = total == indices as u64 && types.len() == counts.len();
    let mixed =
        types.iter().any(|t| *t != TRIANGLES) && types.iter().all(|t| (*t as usize) < FACE_TYPES.len());
    match (whole, mixed) {
        (true, true) => types.iter().zip(counts).map(|(t, c)| (*t, *c as usize)).collect(),
        (true, false) if types.is_empty() => Vec::new(),
        _ => vec![(TRIANGLES, indices)],
    }
}

/// Returns the matrix groups that the plain text shows: those that the matrices suffice for, and the remaining matrices.
fn shown_groups(sizes: &[u32], matrices: usize) -> Vec<u32> {
    let mut left = matrices;
    let mut out: Vec<u32> = Vec::with_capacity(sizes.len());
    for size in sizes {
        let fits = (*size as usize).min(left);
        left -= fits;
        out.push(fits as u32);
    }
    if left > 0 {
        out.push(left as u32);
    }
    out
}

impl Block for Geoset {
    const WORD: &'static str = "Geoset";
    const FIELDS: &'static [Field<Self>] = &{
        let [min, max, radius] = extents!(bounds);
        [
            min,
            max,
            radius,
            always("MaterialID", How::Uint(at!(material_id))),
            always("SelectionGroup", How::Uint(at!(selection_group))),
            changed(
                "",
                How::Flags(
                    at!(selection_flags),
                    &[flag("Unselectable", 4, WARCRAFT), flag("NotSelectable", 1, WOW)],
                ),
            ),
            always("LevelOfDetail", How::Int(at!(lod))).versions(REFORGED),
            changed("Name", How::Text(at!(lod_name.0))).versions(REFORGED),
        ]
    };
    const MORE_FIRST: bool = true;

    fn parse_more(&mut self, lex: &mut Lexer<'_>, word: &[u8], _: bool, _: &mut u32) -> Result<bool> {
        if is(word, "Vertices") {
            self.vertices = parse_rows(lex, "Vertices")?;
        } else if is(word, "Normals") {
            self.normals = parse_rows(lex, "Normals")?;
        } else if is(word, "TVertices") {
            lex.spend(size_of::<Vec<[f32; 2]>>() * 3)?;
            self.uvs.push(parse_rows(lex, "TVertices")?);
        } else if is(word, "Tangents") {
            self.tangents = Some(parse_rows(lex, "Tangents")?);
            self.skin_first = self.skin.is_some();
        } else if is(word, "SkinWeights") {
            self.skin = Some(parse_skin(lex)?);
            self.skin_first = false;
        } else if is(word, "VertexGroup") {
            let count = lex.count()?;
            self.vertex_groups.clear();
            parse_ints(lex, "VertexGroup", count, &mut self.vertex_groups, |lex| lex.small(255))?;
        } else if is(word, "Faces") {
            self.parse_faces(lex)?;
        } else if is(word, "Groups") {
            self.parse_groups(lex)?;
        } else if is(word, "Anim") {
            lex.spend_block::<Bounds>()?;
            self.sequence_bounds.push(block::parse(lex, Vec::new())?);
        } else if is(word, "BoneIndices") {
            self.bone_indices = parse_quads(lex, "BoneIndices")?;
        } else if is(word, "BoneWeights") {
            self.bone_weights = parse_quads(lex, "BoneWeights")?;
        } else if is(word, VertexBuffer::WORD) {
            self.buffer = Some(Box::new(block::parse(lex, Vec::new())?));
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    fn print_more(&self, out: &mut Out) -> Result<()> {
        out.rows("Vertices", &self.vertices);
        out.rows("Normals", &self.normals);
        for set in &self.uvs {
            out.rows("TVertices", set);
        }
        let skinned = self.print_skin(out);
        if !self.vertex_groups.is_empty() || !skinned {
            out.block("VertexGroup", |out| {
                for group in &self.vertex_groups {
                    out.start();
                    out.int(i64::from(*group));
                    out.raw(b",\n");
                }
            });
        }
        self.print_faces(out);
        self.print_groups(out, skinned);
        if out.version.is_wow() && !out.version.has(Feature::VertexBuffers) {
            print_quads(out, "BoneIndices", &self.bone_indices);
            print_quads(out, "BoneWeights", &self.bone_weights);
        }
        if let Some(buffer) = self.buffer.as_deref().filter(|_| out.version.has(Feature::VertexBuffers)) {
            block::print(out, buffer)?;
        }
        for bounds in &self.sequence_bounds {
            block::print(out, bounds)?;
        }
        print_extra_bytes(out, &self.extra);
        Ok(())
    }

    fn take_line(&mut self, lex: &mut Lexer<'_>, line: Line<'_>, _: u32) -> Result<bool> {
        match line.key() {
            // `faces indices types ...`: stored groups apply if they would be printed as the text shows them.
            b"faces" => {
                let numbers = line.numbers(lex)?;
                let [indices, types, rest @ ..] = numbers.as_slice() else { return Ok(false) };
                let Some((types, counts)) = rest.split_at_checked(*types as usize) else { return Ok(false) };
                let same = *indices as usize == self.faces.len();
                if same && shown_faces(types, counts, self.faces.len()) == self.shown() {
                    self.face_types = types.to_vec();
                    self.face_counts = counts.to_vec();
                }
            }
            b"group_sizes" => {
                let numbers = line.numbers(lex)?;
                let Some((matrices, sizes)) = numbers.split_first() else { return Ok(false) };
                let same = *matrices as usize == self.matrices.len();
                if same && shown_groups(sizes, self.matrices.len()) == self.group_sizes {
                    self.group_sizes = sizes.to_vec();
                }
            }
            _ => return take_extra(lex, line, &mut self.extra),
        }
        Ok(true)
    }

    fn finish(&mut self, lex: &mut Lexer<'_>, opened: usize, _: u32) -> Result<()> {
        if lex.version.is_wow() && self.uvs.iter().any(|set| set.len() != self.vertices.len()) {
            let what = format!("version {} has as many TVertices as Vertices", lex.version);
            return Err(lex.fail(opened, what));
        }
        Ok(())
    }
}

impl Geoset {
    /// Returns the face groups that the plain text shows.
    fn shown(&self) -> Vec<(u32, usize)> {
        shown_faces(&self.face_types, &self.face_counts, self.faces.len())
    }

    fn parse_faces(&mut self, lex: &mut Lexer<'_>) -> Result<()> {
        let opened = lex.pos();
        let groups = lex.count()?;
        let indices = lex.count()?;
        lex.open()?;
        (self.face_types, self.face_counts, self.faces) = Default::default();
        while !lex.close(opened, "Faces")? {
            lex.skip();
            let at = lex.pos();
            let word = lex.word()?;
            let Some(kind) = FACE_TYPES.iter().position(|w| is(word, w)) else {
                return Err(lex
                    .fail(at, format!("expected Triangles, found {}", quote(word)))
                    .within("Faces"));
            };
            let opened = lex.pos();
            lex.open()?;
            while !lex.close(opened, "Triangles")? {
                if lex.peek() != Some(b'{') {
                    return Err(lex.expected("`{` or `}`").within("Faces"));
                }
                lex.spend(3 * 2 * size_of::<u32>())?;
                let count = parse_ints(lex, "Faces", indices, &mut self.faces, |lex| lex.small(65_535))?;
                self.face_types.push(kind as u32);
                self.face_counts.push(count as u32);
            }
        }
        // If the number of lists differs from the announced one, the lists are only formatting.
        if groups != Some(self.face_counts.len())
            && self.face_types.iter().all(|t| *t == TRIANGLES)
            && !self.face_types.is_empty()
        {
            self.face_types = vec![TRIANGLES];
            self.face_counts = vec![self.faces.len() as u32];
        }
        Ok(())
    }

    fn print_faces(&self, out: &mut Out) {
        let shown = self.shown();
        let same = shown.iter().map(|(t, c)| (*t, *c as u64)).eq(self
            .face_types
            .iter()
            .zip(&self.face_counts)
            .map(|(t, c)| (*t, u64::from(*c))))
            && self.face_types.len() == self.face_counts.len();
        if !same {
            let mut numbers = vec![self.faces.len() as u32, self.face_types.len() as u32];
            numbers.extend_from_slice(&self.face_types);
            numbers.extend_from_slice(&self.face_counts);
            out.sidecar(format!("faces{}", numbers_of(&numbers)));
        }
        out.block(&format!("Faces {} {}", shown.len(), self.faces.len()), |out| {
            let mut rest = self.faces.as_slice();
            if shown.is_empty() {
                out.block("Triangles", |_| {});
            }
            for (kind, count) in &shown {
                let (group, after) = rest.split_at_checked(*count).unwrap_or((rest, &[]));
                rest = after;
                out.block(FACE_TYPES.get(*kind as usize).copied().unwrap_or("Triangles"), |out| {
                    out.start();
                    out.ints(group.iter().map(|i| i64::from(*i)));
                    out.raw(b",\n");
                });
            }
        });
    }

    fn parse_groups(&mut self, lex: &mut Lexer<'_>) -> Result<()> {
        let opened = lex.pos();
        lex.count()?;
        let matrices = lex.count()?;
        lex.open()?;
        (self.group_sizes, self.matrices) = Default::default();
        while !lex.close(opened, "Groups")? {
            if !lex.maybe_word().is_some_and(|word| is(word, "Matrices")) {
                return Err(lex.expected("`Matrices`").within("Groups"));
            }
            lex.spend(3 * size_of::<u32>())?;
            let size = parse_ints(lex, "Matrices", matrices, &mut self.matrices, |lex| lex.bits32())?;
            self.group_sizes.push(size as u32);
        }
        Ok(())
    }

    fn print_groups(&self, out: &mut Out, skinned: bool) {
        let shown = shown_groups(&self.group_sizes, self.matrices.len());
        if shown != self.group_sizes {
            out.sidecar(format!("group_sizes {}{}", self.matrices.len(), numbers_of(&self.group_sizes)));
        }
        if shown.is_empty() && skinned {
            return;
        }
        out.block(&format!("Groups {} {}", shown.len(), self.matrices.len()), |out| {
            let mut rest = self.matrices.as_slice();
            for size in &shown {
                let (group, after) = rest.split_at_checked(*size as usize).unwrap_or((rest, &[]));
                rest = after;
                out.line("Matrices", |out| out.ints(group.iter().map(|m| i64::from(*m))));
            }
        });
    }

    /// Prints tangents and skin weights in file order. Returns `true` if there are weights.
    fn print_skin(&self, out: &mut Out) -> bool {
        if !out.version.has(Feature::SkinWeights) && !out.version.has(Feature::VertexBuffers) {
            return false;
        }
        let tangents = |out: &mut Out| {
            if let Some(tangents) = self.tangents.as_deref().filter(|_| out.version.has(Feature::SkinWeights))
            {
                out.rows("Tangents", tangents);
            }
        };
        if !self.skin_first {
            tangents(out);
        }
        if let Some(skin) = &self.skin {
            out.block(&format!("SkinWeights {}", skin.len()), |out| {
                for SkinWeight { bones, weights } in skin {
                    out.start();
                    for (index, byte) in bones.iter().chain(weights).enumerate() {
                        out.raw(if index > 0 { b", " } else { b"" });
                        out.int(i64::from(*byte));
                    }
                    out.raw(b",\n");
                }
            });
        }
        if self.skin_first {
            tangents(out);
        }
        self.skin.is_some()
    }
}

/// Parses eight numbers per vertex, with or without braces.
fn parse_skin(lex: &mut Lexer<'_>) -> Result<Vec<SkinWeight>> {
    let opened = lex.pos();
    let count = lex.count()?;
    lex.open()?;
    let mut skin: Vec<SkinWeight> = Vec::new();
    let mut room = 0usize;
    while !lex.close(opened, "SkinWeights")? {
        if skin.len() == room {
            let item = Item { size: 8, least: 16, numbers: 8 };
            room = grow(lex, count, room, item, |n| skin.reserve_exact(n))?;
        }
        let braced = lex.eat(b'{');
        let mut weight = SkinWeight::default();
        for byte in weight.bones.iter_mut().chain(&mut weight.weights) {
            *byte = lex.small(255).map_err(|e| e.within(format!("SkinWeights[{}]", skin.len())))?;
        }
        if braced {
            lex.end()?;
        }
        skin.push(weight);
    }
    Ok(skin)
}

/// Parses rows of four bytes.
fn parse_quads(lex: &mut Lexer<'_>, word: &str) -> Result<Vec<u32>> {
    let opened = lex.pos();
    let count = lex.count()?;
    lex.open()?;
    let mut quads: Vec<u32> = Vec::new();
    let mut room = 0usize;
    while !lex.close(opened, word)? {
        if quads.len() == room {
            let item = Item { size: 4, least: 9, numbers: 4 };
            room = grow(lex, count, room, item, |n| quads.reserve_exact(n))?;
        }
        lex.open()?;
        let mut bytes = [0u8; 4];
        for byte in &mut bytes {
            *byte = lex.small(255)?;
        }
        lex.end()?;
        quads.push(u32::from_le_bytes(bytes));
    }
    Ok(quads)
}

fn print_quads(out: &mut Out, word: &str, quads: &[u32]) {
    out.block(&format!("{word} {}", quads.len()), |out| {
        for quad in quads {
            out.start();
            out.ints(quad.to_le_bytes().map(i64::from));
            out.raw(b",\n");
        }
    });
}

impl Block for VertexBuffer {
    const WORD: &'static str = "VertexBuffer";
    const FIELDS: &'static [Field<Self>] = &[
        always("Center", How::Floats(at!(center))),
        always("Index", How::Uint(at!(index))),
        changed(
            "Tags",
            How::Bytes(At { get: |t| t.tags.as_flattened(), set: |t| t.tags.as_flattened_mut() }),
        ),
        changed("TypeCount", How::Uint(at!(type_count))),
        changed("PrimitiveType", How::Uint(at!(primitive_type))),
        changed("Unknown0x4", How::Uint(at!(unknown_0x4))),
    ];

    fn parse_more(&mut self, lex: &mut Lexer<'_>, word: &[u8], _: bool, _: &mut u32) -> Result<bool> {
        if is(word, "Range") {
            lex.open()?;
            self.min_vertex = lex.small(65_535)?;
            self.max_vertex = lex.small(65_535)?;
            lex.end()?;
        } else if is(word, "Unused") {
            lex.open()?;
            let low = u64::from(lex.bits32()?);
            self.unused = u64::from(lex.bits32()?) << 32 | low;
            self.unused_0xe = lex.small(65_535)?;
            lex.end()?;
        } else if is(word, "Padding") {
            self.padding.clear();
            parse_ints(lex, "Padding", None, &mut self.padding, |lex| lex.small(65_535))?;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    fn print_more(&self, out: &mut Out) -> Result<()> {
        out.line("Range", |out| out.ints([self.min_vertex, self.max_vertex].map(i64::from)));
        if self.unused != 0 || self.unused_0xe != 0 {
            let words = [self.unused as u32, (self.unused >> 32) as u32, u32::from(self.unused_0xe)];
            out.line("Unused", |out| out.ints(words.map(i64::from)));
        }
        if !self.padding.is_empty() {
            out.line("Padding", |out| out.ints(self.padding.iter().map(|p| i64::from(*p))));
        }
        Ok(())
    }
}

impl Block for CollisionMesh {
    const WORD: &'static str = "CollisionMesh";
    const FIELDS: &'static [Field<Self>] = &[];

    fn parse_more(&mut self, lex: &mut Lexer<'_>, word: &[u8], _: bool, _: &mut u32) -> Result<bool> {
        if is(word, "Vertices") {
            self.vertices = parse_rows(lex, "Vertices")?;
        } else if is(word, "Normals") {
            self.normals = parse_rows(lex, "Normals")?;
        } else if is(word, "Triangles") {
            let count = lex.count()?;
            self.triangles.clear();
            parse_ints(lex, "Triangles", count, &mut self.triangles, |lex| lex.small(65_535))?;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    fn print_more(&self, out: &mut Out) -> Result<()> {
        out.rows("Vertices", &self.vertices);
        out.start();
        out.raw(format!("Triangles {} ", self.triangles.len()).as_bytes());
        out.ints(self.triangles.iter().map(|t| i64::from(*t)));
        out.raw(b",\n");
        out.rows("Normals", &self.normals);
        Ok(())
    }
}
