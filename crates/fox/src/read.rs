//! Bytes to document.

use galatea_wire::{Coverage, Error, ErrorKind, Gap, Limits, Reader, Result, Schema, Source, Wire};

use crate::layout::{Layout, Original, Places};
use crate::mesh::{Column, Mesh, Usage, Values, Vertices};
use crate::model::{
    Bone, BoneGroup, Fmdl, Group, MaterialInstance, Parameter, Run, Texture, TexturePath, UnknownBlock,
};
use crate::name::Name;
use crate::tables::Tables;
use crate::vertex_schema::{POSITION, vertex_schema};
use crate::wire::{self, Bounds, Header};

/// Returns what reading these bytes claims, and the error that stopped it, if any.
///
/// ```
/// let bytes = galatea_fox::Fmdl::new(2.04).write()?;
/// let (coverage, error) = galatea_fox::inspect(&bytes, &Default::default());
/// assert!(error.is_none() && coverage.gaps(bytes.len()).is_empty());
/// # Ok::<(), galatea_wire::Error>(())
/// ```
pub fn inspect(bytes: &[u8], limits: &Limits) -> (Coverage, Option<Error>) {
    let source = Source::new(bytes, limits);
    let error = read(&source).err();
    (source.into_coverage(), error)
}

/// Reads a document.
pub(crate) fn read(source: &Source<'_>) -> Result<Fmdl> {
    let r = source.reader();
    if !crate::detect(r.data()) {
        return Err(r.error(ErrorKind::NotThisFormat, 0, "header"));
    }
    if r.peek_at::<u32>(4).is_some_and(|v| (0x4000_0000..0x4080_0000).contains(&v.swap_bytes())) {
        return Err(r.error(ErrorKind::Unsupported("big-endian FMDL (PlayStation 3)".into()), 4, "header"));
    }
    let header: Header = r.at(0, "header")?;
    let (places, tables, unknown_blocks) = read_blocks(r, header)?;
    let mut doc = Document { r, places, tables, fillers: Vec::new(), shared: false };
    doc.texts()?;
    let mut fmdl = doc.resolve()?;
    fmdl.unknown_blocks = unknown_blocks;
    fmdl.extensions = doc.extensions()?;
    fmdl.meshes = doc.meshes()?;
    let Document { mut places, tables, mut fillers, shared, .. } = doc;
    let shared = shared || r.has_overlaps();
    for gap in r.unclaimed() {
        let zero = r.peek(gap.start, gap.len()).is_none_or(|b| b.iter().all(|b| *b == 0));
        r.spend(gap.len() as u64, gap.start, "padding")?;
        let name = if zero { "padding" } else { "kept bytes" };
        let bytes = r.bytes(gap.start, gap.len(), name)?.to_vec();
        if !zero {
            fillers.push(Gap { offset: u32::try_from(gap.start).unwrap_or(u32::MAX), bytes });
        }
    }
    places.gaps = fillers;
    let fingerprint = fmdl.fingerprint();
    fmdl.layout = Layout { original: Some(Box::new(Original { tables, places, fingerprint, shared })) };
    Ok(fmdl)
}

/// Reads descriptors and tables; unknown ids are kept raw.
fn read_blocks(r: Reader<'_>, header: Header) -> Result<(Places, Tables, Vec<UnknownBlock>)> {
    let far = |at: u64| usize::try_from(at).unwrap_or(usize::MAX);
    let at = far(header.descriptors);
    let descriptors: Vec<wire::TableDescriptor> =
        r.array(at, header.section_0_count as usize, "table descriptors")?;
    let at = at.saturating_add(descriptors.len() * wire::TableDescriptor::SIZE);
    let data: Vec<wire::DataDescriptor> = r.array(at, header.section_1_count as usize, "data descriptors")?;
    let places = Places { header, tables: descriptors, data, len: r.len(), gaps: Vec::new() };

    let mut tables = Tables::default();
    let mut unknown = Vec::new();
    let (first, second) = (header.section_0.0 as usize, header.section_1.0 as usize);
    let mut seen = [false; 256];
    // Where a block without known size ends: at the next block, the next section or the end of the file.
    let mut ends: Vec<usize> = places.tables.iter().map(|d| first + d.offset.0 as usize).collect();
    ends.extend(places.data.iter().map(|d| second + d.offset.0 as usize));
    ends.extend([second, r.len()]);
    ends.sort_unstable();
    for d in &places.tables {
        let at = first + d.offset.0 as usize;
        let count = usize::from(d.overflow) << 16 | usize::from(d.count);
        let fresh = seen.get_mut(usize::from(d.id)).is_some_and(|s| !std::mem::replace(s, true));
        if fresh && tables.read(d.id, r, at, count)? {
            continue;
        }
        let next = ends.partition_point(|e| *e <= at);
        let end = ends.get(next).copied().unwrap_or(at).min(r.len());
        let bytes = raw(r, at, end.saturating_sub(at))?;
        unknown.push(UnknownBlock { section: 0, id: d.id.into(), count: count as u32, bytes });
    }
    let mut seen = [false; 4];
    for d in &places.data {
        let at = second + d.offset.0 as usize;
        // Some tools write wrong lengths: what the file does not have is not read.
        let length = (d.length as usize).min(r.len().saturating_sub(at));
        let fresh = seen.get_mut(d.id as usize).is_some_and(|s| !std::mem::replace(s, true));
        match d.id {
            0 if fresh => tables.vectors = r.array(at, length / 16, "vectors")?,
            1 if fresh => tables.matrices = r.array(at, length / 64, "bone matrices")?,
            2 | 3 if fresh => {}
            _ => {
                let bytes = raw(r, at, length)?;
                unknown.push(UnknownBlock { section: 1, id: d.id, count: 0, bytes });
            }
        }
    }
    Ok((places, tables, unknown))
}

fn raw(r: Reader<'_>, at: usize, len: usize) -> Result<Vec<u8>> {
    r.spend(len as u64, at, "unknown block")?;
    Ok(r.bytes(at.min(r.len()), len, "unknown block")?.to_vec())
}

/// Returns the vertex types, by their numbers.
pub(crate) fn format_size(format: u8) -> Option<usize> {
    match format {
        1 => Some(12),
        2 | 4 | 6 => Some(8),
        7..=9 => Some(4),
        _ => None,
    }
}

/// A file whose tables are read, on its way to a document.
struct Document<'a> {
    r: Reader<'a>,
    places: Places,
    tables: Tables,
    fillers: Vec<Gap>,
    /// Whether two attributes of a vertex lie on the same bytes.
    shared: bool,
}

impl Document<'_> {
    /// Reads the texts of a 2.03 file. One that lies outside the file is left out; a rule reports it.
    fn texts(&mut self) -> Result<()> {
        let block = self.places.data(3).unwrap_or(0);
        for entry in &self.tables.strings {
            let at = block.saturating_add(entry.offset.0 as usize);
            let len = usize::from(entry.length);
            let text = if self.r.peek(at, len).is_some() {
                self.r.spend(len as u64, at, "text")?;
                self.r.bytes(at, len, "text")?.to_vec()
            } else {
                Vec::new()
            };
            self.tables.texts.push(text);
        }
        Ok(())
    }

    /// Returns the text that PES tools append after the last string.
    fn extensions(&self) -> Result<Vec<u8>> {
        let Some(block) = self.places.data(3) else { return Ok(Vec::new()) };
        let at = block.saturating_add(self.tables.strings_end());
        let tail = self.r.data().get(at..).unwrap_or(&[]);
        if !tail.get(..EXTENSIONS.len()).is_some_and(|t| t.eq_ignore_ascii_case(EXTENSIONS)) {
            return Ok(Vec::new());
        }
        let len = tail.iter().position(|b| *b == 0).unwrap_or(tail.len());
        Ok(self.r.bytes(at, len, "extensions")?.to_vec())
    }

    /// Takes decoded things off the budget: one record may stand for many of them.
    fn spend<T>(&self, count: usize) -> Result<()> {
        self.r.spend((count * size_of::<T>()) as u64, 0, "tables")
    }

    fn name(&self, index: u16) -> Result<Name> {
        let t = &self.tables;
        let index = usize::from(index);
        if t.strings.is_empty() {
            return Ok(t.hashes.get(index).map_or(Name::EMPTY, |h| Name::Hash(*h)));
        }
        let text = t.texts.get(index).map_or(&[][..], |s| s);
        self.spend::<u8>(text.len())?;
        Ok(Name::Text(text.to_vec()))
    }

    fn bounds(&self, index: u16) -> Bounds {
        self.tables.boxes.get(usize::from(index)).copied().unwrap_or(Bounds::EMPTY)
    }

    fn vector(&self, index: u16) -> Option<[f32; 4]> {
        self.tables.vectors.get(usize::from(index)).copied()
    }

    /// Returns everything but the meshes. References that lead nowhere become empty values; rules report them.
    fn resolve(&self) -> Result<Fmdl> {
        let t = &self.tables;
        let some = |index: u16| (index != u16::MAX).then_some(index);
        let mut out = Fmdl {
            version: self.places.header.version,
            bounds: self.bounds(0),
            lods: t.lods.clone(),
            unknown_0x12: t.unknown_0x12.clone(),
            statistics: t.statistics.clone(),
            bone_matrices: t.matrices.clone(),
            ..Fmdl::default()
        };
        self.spend::<Bone>(t.bones.len())?;
        out.bones.reserve_exact(t.bones.len());
        for b in &t.bones {
            out.bones.push(Bone {
                name: self.name(b.name)?,
                parent: some(b.parent),
                flags: b.flags,
                bounds: self.bounds(b.bounds),
                local: b.local,
                world: b.world,
            });
        }
        self.spend::<Group>(t.groups.len())?;
        out.groups.reserve_exact(t.groups.len());
        for g in &t.groups {
            let pivot = some(g.pivot).and_then(|p| self.vector(p));
            out.groups.push(Group {
                name: self.name(g.name)?,
                flags: g.flags,
                parent: some(g.parent),
                pivot,
            });
        }
        self.spend::<Run>(t.runs.len())?;
        out.runs.reserve_exact(t.runs.len());
        for r in &t.runs {
            let bounds = self.bounds(r.bounds);
            let (group, first_mesh, mesh_count) = (r.group, r.first_mesh, r.mesh_count);
            out.runs.push(Run { group, first_mesh, mesh_count, bounds });
        }
        self.spend::<MaterialInstance>(t.instances.len())?;
        out.materials.reserve_exact(t.instances.len());
        for i in &t.instances {
            out.materials.push(self.material(i)?);
        }
        self.spend::<BoneGroup>(t.bone_groups.len())?;
        out.bone_groups.reserve_exact(t.bone_groups.len());
        for g in &t.bone_groups {
            let bones = g.bones.iter().take(g.count.into()).copied().collect();
            out.bone_groups.push(BoneGroup { max_weights: g.max_weights, bones });
        }
        Ok(out)
    }

    fn material(&self, instance: &wire::MaterialInstance) -> Result<MaterialInstance> {
        let t = &self.tables;
        let bindings = |first: u16, count: u8| {
            let first = usize::from(first);
            t.bindings.iter().skip(first).take(count.into())
        };
        let (shader, technique) = match t.materials.get(usize::from(instance.material)) {
            Some(m) => (self.name(m.shader)?, self.name(m.technique)?),
            None => (Name::EMPTY, Name::EMPTY),
        };
        let name = self.name(instance.name)?;
        let mut out = MaterialInstance { name, shader, technique, ..MaterialInstance::default() };
        self.spend::<Texture>(instance.texture_count.into())?;
        out.textures.reserve_exact(instance.texture_count.into());
        for b in bindings(instance.first_texture, instance.texture_count) {
            let slot = self.name(b.name)?;
            let (file, path) = match t.textures.get(usize::from(b.value)) {
                Some(t) => (self.name(t.file)?, self.path(t.path)?),
                None => (Name::EMPTY, TexturePath::default()),
            };
            out.textures.push(Texture { slot, file, path });
        }
        self.spend::<Parameter>(instance.parameter_count.into())?;
        out.parameters.reserve_exact(instance.parameter_count.into());
        for b in bindings(instance.first_parameter, instance.parameter_count) {
            let value = self.vector(b.value).unwrap_or_default();
            out.parameters.push(Parameter { name: self.name(b.name)?, value });
        }
        Ok(out)
    }

    fn path(&self, index: u16) -> Result<TexturePath> {
        Ok(if self.tables.strings.is_empty() {
            TexturePath::Code(self.tables.paths.get(usize::from(index)).copied().unwrap_or(0))
        } else {
            TexturePath::Folder(self.name(index)?)
        })
    }

    fn meshes(&mut self) -> Result<Vec<Mesh>> {
        self.spend::<Mesh>(self.tables.meshes.len())?;
        let mut out = Vec::with_capacity(self.tables.meshes.len());
        let meshes = std::mem::take(&mut self.tables.meshes);
        let result = meshes.iter().enumerate().try_for_each(|(i, mesh)| {
            out.push(self.mesh(i, mesh)?);
            Ok(())
        });
        self.tables.meshes = meshes;
        result.map(|()| out)
    }

    fn mesh(&mut self, index: usize, mesh: &wire::Mesh) -> Result<Mesh> {
        let record = self.places.table(0x3).unwrap_or(0).saturating_add(index * wire::Mesh::SIZE);
        let r = self.r.enter("mesh", Some(index), record)?;
        let windows = self.windows(mesh)?;
        let end = |w: &wire::Window| (w.first as usize).saturating_add(w.count as usize);
        let count = windows.iter().map(end).max().unwrap_or(0).max(mesh.index_count as usize);
        let block = self.places.data(2).unwrap_or(0);
        let buffer = self.tables.index_buffer().map_or(0, |b| b.offset.0 as usize);
        let at = (block.saturating_add(buffer)).saturating_add(mesh.first_index as usize * 2);
        let indices = r.array(at, count, "indices")?;
        let vertices = self.vertices(r, mesh, block)?;
        Ok(Mesh {
            flags: mesh.flags,
            material: mesh.material,
            bone_group: mesh.bone_group,
            vertices,
            indices,
            windows,
        })
    }

    fn windows(&self, mesh: &wire::Mesh) -> Result<Vec<wire::Window>> {
        let levels = self.tables.lods.first().map_or(0, |l| usize::from(l.count));
        let first = mesh.first_window as usize;
        let found = self.tables.windows.get(first..first.saturating_add(levels)).unwrap_or(&[]);
        self.spend::<wire::Window>(found.len())?;
        Ok(found.to_vec())
    }

    fn vertices(&mut self, r: Reader<'_>, mesh: &wire::Mesh, block: usize) -> Result<Vertices> {
        let count = usize::from(mesh.vertex_count);
        let mut out = Vertices { count, columns: Vec::new() };
        let Some((streams, elements)) = self.tables.layout_of(mesh) else { return Ok(out) };
        self.spend::<Column>(elements.len() + streams.len())?;
        out.columns.reserve_exact(elements.len());
        let place = |stream: &wire::Stream| {
            let buffer = self.tables.buffers.get(usize::from(stream.buffer));
            let at = block.saturating_add(buffer.map_or(0, |b| b.offset.0 as usize));
            (at.saturating_add(stream.offset.0 as usize), usize::from(stream.stride))
        };
        // Streams of one mesh share their bytes where buffer, place and stride are the same.
        let mut runs: Vec<(usize, usize, &[u8])> = Vec::with_capacity(streams.len());
        // Which bytes of its run each element takes, as (place, stride, offset, size).
        let mut taken: Vec<(usize, usize, usize, usize)> = Vec::with_capacity(elements.len());
        let mut rest = elements;
        for stream in streams {
            let (at, stride) = place(stream);
            let (own, others) = rest.split_at(usize::from(stream.element_count).min(rest.len()));
            rest = others;
            let bytes = match runs.iter().find(|(a, s, _)| (*a, *s) == (at, stride)) {
                Some((_, _, bytes)) => bytes,
                None => {
                    // A stream's elements begin where those of the streams before it end.
                    let here = streams.iter().scan(0, |first, s| {
                        let begin = *first;
                        *first += usize::from(s.element_count);
                        Some((s, begin))
                    });
                    let here = here.filter(|(s, _)| place(s) == (at, stride)).flat_map(|(s, begin)| {
                        elements.iter().skip(begin).take(s.element_count.into()).copied()
                    });
                    let (name, schema) = shape_of(here, stride);
                    let bytes = r.bytes_as(at, count * stride, name, schema)?;
                    runs.push((at, stride, bytes));
                    bytes
                }
            };
            for element in own {
                let offset = usize::from(element.offset);
                let shares = |t: &(usize, usize, usize, usize)| {
                    (t.0, t.1, t.2) == (at, stride, offset) && format_size(element.format) == Some(t.3)
                };
                let twin =
                    taken.iter().zip(elements).position(|(t, e)| shares(t) && e.format == element.format);
                let values = match twin {
                    Some(twin) => Values::Same(twin),
                    None => {
                        let size = format_size(element.format).unwrap_or(stride).min(stride);
                        r.spend((count * size) as u64, at, "vertices")?;
                        let next = elements.iter().map(|e| usize::from(e.offset)).filter(|o| *o > offset);
                        column(element.format, bytes, stride, offset, next.min().unwrap_or(stride))
                    }
                };
                let size = twin.and_then(|t| taken.get(t)).map_or(values.size(), |t| t.3);
                taken.push((at, stride, offset, size));
                out.columns.push(Column { usage: Usage::from_id(element.usage), values });
            }
        }
        let mut shared = false;
        for (at, stride, bytes) in runs {
            let apart = taken.iter().zip(&out.columns).filter(|(_, c)| !matches!(c.values, Values::Same(_)));
            let apart = apart.map(|(t, _)| t).filter(|t| (t.0, t.1) == (at, stride));
            shared |= overlap(apart.map(|t| (t.2, t.3)));
            let own = taken.iter().filter(|t| (t.0, t.1) == (at, stride)).map(|t| (t.2, t.3));
            if !covers(stride, own) {
                r.spend(bytes.len() as u64, at, "vertices")?;
                self.fillers.push(Gap { offset: at as u32, bytes: bytes.to_vec() });
            }
        }
        self.shared |= shared;
        Ok(out)
    }
}

/// What the text that PES tools append begins with.
pub(crate) const EXTENSIONS: &[u8] = b"X-FMDL-Extensions:";

/// Returns name and shape, for the inspector, of the vertices that these elements make up. Of elements that share a place the first
/// one counts.
fn shape_of(elements: impl Iterator<Item = wire::Element>, stride: usize) -> (&'static str, &'static Schema) {
    let mut apart: Vec<wire::Element> = Vec::with_capacity(12);
    let mut end = 0;
    for element in elements.filter(|e| format_size(e.format).is_some()) {
        if usize::from(element.offset) >= end {
            end = usize::from(element.offset) + format_size(element.format).unwrap_or(0);
            apart.push(element);
        }
    }
    match apart.as_slice() {
        [wire::Element { usage: 0, format: 1, offset: 0 }] if stride == 12 => ("positions", POSITION),
        _ => ("vertices", vertex_schema(apart.into_iter(), stride).unwrap_or(u8::SCHEMA)),
    }
}

/// Returns `true` if these (offset, size) pairs leave no byte of a stride free.
fn covers(stride: usize, elements: impl Iterator<Item = (usize, usize)> + Clone) -> bool {
    // As a rule they follow each other, with some that share the place of an earlier one.
    let mut end = 0;
    for (offset, size) in elements.clone() {
        if offset == end {
            end += size;
        }
    }
    if end >= stride {
        return true;
    }
    let mut used = [false; 256];
    for (offset, size) in elements {
        for byte in used.iter_mut().skip(offset).take(size) {
            *byte = true;
        }
    }
    used.iter().take(stride).all(|b| *b)
}

/// Returns `true` if two of these (offset, size) pairs have a byte in common.
fn overlap(elements: impl Iterator<Item = (usize, usize)> + Clone) -> bool {
    // As a rule they follow each other.
    let mut end = 0;
    let mut following = elements.clone();
    let sorted = following.all(|(offset, size)| {
        let behind = offset >= end;
        end = offset + size;
        behind
    });
    if sorted {
        return false;
    }
    let mut used = [false; 256];
    for (offset, size) in elements {
        for byte in used.iter_mut().skip(offset).take(size) {
            if std::mem::replace(byte, true) {
                return true;
            }
        }
    }
    false
}

/// Takes one attribute out of interleaved vertices.
///
/// What has no known type, or sticks out of its vertex, is kept raw up to `next`, where the next attribute begins.
fn column(format: u8, bytes: &[u8], stride: usize, offset: usize, next: usize) -> Values {
    /// Loads values of a fixed size at a fixed distance, which the optimiser turns into plain moves.
    fn take<T: Copy + Default, const N: usize>(
        bytes: &[u8],
        stride: usize,
        offset: usize,
        get: impl Fn(&[u8; N]) -> T,
    ) -> Vec<T> {
        let mut out = vec![T::default(); bytes.len() / stride.max(1)];
        for (value, vertex) in out.iter_mut().zip(bytes.chunks_exact(stride.max(1))) {
            if let Some(bytes) = vertex.get(offset..).and_then(|v| v.first_chunk()) {
                *value = get(bytes);
            }
        }
        out
    }
    let f32 = |b: &[u8; 4]| f32::from_le_bytes(*b);
    let floats3 = |b: &[u8; 12]| match b.as_chunks::<4>().0 {
        [x, y, z] => [f32(x), f32(y), f32(z)],
        _ => [0.0; 3],
    };
    let floats2 = |b: &[u8; 8]| match b.as_chunks::<4>().0 {
        [x, y] => [f32(x), f32(y)],
        _ => [0.0; 2],
    };
    let words4 = |b: &[u8; 8]| {
        let all = u64::from_le_bytes(*b);
        [all as u16, (all >> 16) as u16, (all >> 32) as u16, (all >> 48) as u16]
    };
    let words2 = |b: &[u8; 4]| {
        let all = u32::from_le_bytes(*b);
        [all as u16, (all >> 16) as u16]
    };
    let fits = format_size(format).is_some_and(|size| offset + size <= stride);
    match format {
        1 if fits => Values::F32x3(take(bytes, stride, offset, floats3)),
        2 if fits => Values::F32x2(take(bytes, stride, offset, floats2)),
        4 if fits => Values::U16x4(take(bytes, stride, offset, words4)),
        6 if fits => Values::F16x4(take(bytes, stride, offset, words4)),
        7 if fits => Values::F16x2(take(bytes, stride, offset, words2)),
        8 if fits => Values::Unorm8x4(take(bytes, stride, offset, |b: &[u8; 4]| *b)),
        9 if fits => Values::U8x4(take(bytes, stride, offset, |b: &[u8; 4]| *b)),
        _ => {
            let end = next.min(stride);
            let vertices = bytes.chunks_exact(stride.max(1)).filter_map(|v| v.get(offset..end));
            let bytes: Vec<u8> = vertices.flatten().copied().collect();
            Values::Raw { format, width: end.saturating_sub(offset), bytes }
        }
    }
}
