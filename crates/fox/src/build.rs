//! Document to tables, the way the game's own compiler orders them: everything in the order of first use, nothing twice.

use std::collections::HashMap;
use std::hash::Hash;

use galatea_wire::{Error, Offset, Result};

use crate::hash::path_code64;
use crate::mesh::{Mesh, Values};
use crate::model::{Fmdl, Texture, TexturePath};
use crate::name::Name;
use crate::tables::Tables;
use crate::wire;

/// Values that get a number each when first seen.
struct Interned<K> {
    index: HashMap<K, u16>,
    what: &'static str,
}

impl<K: Hash + Eq> Interned<K> {
    fn new(what: &'static str) -> Self {
        Interned { index: HashMap::new(), what }
    }

    /// Returns the number of this value; `add` is called if it is new.
    fn get(&mut self, key: K, add: impl FnOnce()) -> Result<u16> {
        let next = self.index.len();
        match self.index.entry(key) {
            std::collections::hash_map::Entry::Occupied(e) => Ok(*e.get()),
            std::collections::hash_map::Entry::Vacant(e) => {
                let number = small(next, self.what)?;
                add();
                Ok(*e.insert(number))
            }
        }
    }
}

/// Returns a number that the format keeps in 16 bits. The highest one stands for "none" and is not given away.
fn small(n: usize, what: &'static str) -> Result<u16> {
    match u16::try_from(n) {
        Ok(n) if n < u16::MAX => Ok(n),
        _ => Err(Error::unrepresentable(format!("{n} {what} are more than an FMDL file can number"))),
    }
}

fn byte(n: usize, what: &'static str) -> Result<u8> {
    u8::try_from(n).map_err(|_| Error::unrepresentable(format!("{n} {what} are more than 255")))
}

struct Builder {
    t: Tables,
    hashes: bool,
    names: Interned<Vec<u8>>,
    hashed: Interned<u64>,
    vectors: Interned<[u32; 4]>,
    boxes: Interned<[[u32; 4]; 2]>,
    materials: Interned<(u16, u16)>,
    textures: Interned<(u16, u16)>,
    paths: Interned<u64>,
}

impl Builder {
    fn name(&mut self, name: &Name) -> Result<u16> {
        if self.hashes {
            let hash = name.code();
            return self.hashed.get(hash, || self.t.hashes.push(hash));
        }
        let text = name.to_bytes().into_owned();
        let length = u16::try_from(text.len())
            .map_err(|_| Error::unrepresentable(format!("a name of {} bytes", text.len())))?;
        let tables = &mut self.t;
        self.names.get(text.clone(), || {
            let offset = tables.strings.last().map_or(0, |s| s.offset.0 + u32::from(s.length) + 1);
            tables.strings.push(wire::StringEntry { block: 3, length, offset: Offset(offset) });
            tables.texts.push(text);
        })
    }

    fn bounds(&mut self, bounds: &wire::Bounds) -> Result<u16> {
        self.boxes.get(bounds.bits(), || self.t.boxes.push(*bounds))
    }

    fn vector(&mut self, value: [f32; 4]) -> Result<u16> {
        self.vectors.get(value.map(f32::to_bits), || self.t.vectors.push(value))
    }

    fn texture(&mut self, texture: &Texture) -> Result<u16> {
        let file = self.name(&texture.file)?;
        let path = if self.hashes {
            let code = texture.code();
            self.paths.get(code, || self.t.paths.push(code))?
        } else {
            match &texture.path {
                TexturePath::Folder(folder) => self.name(folder)?,
                TexturePath::Code(code) => self.name(&Name::Hash(*code))?,
            }
        };
        self.textures.get((file, path), || self.t.textures.push(wire::Texture { file, path }))
    }
}

impl Texture {
    /// Returns the PathCode64 of its `.ftex` file: the one it has, or that of its folder and name.
    ///
    /// ```
    /// use galatea_fox::{Texture, TexturePath, path_code64};
    /// let texture = Texture {
    ///     file: "wall.tga".into(),
    ///     path: TexturePath::Folder("/Assets/tpp/sourceimages/".into()),
    ///     ..Texture::default()
    /// };
    /// assert_eq!(texture.code(), path_code64("/Assets/tpp/sourceimages/wall.ftex"));
    /// ```
    pub fn code(&self) -> u64 {
        match &self.path {
            TexturePath::Code(code) => *code,
            TexturePath::Folder(folder) => {
                let folder = folder.to_string();
                if let Name::Hash(code) = Name::parse(&folder) {
                    return code;
                }
                let file = self.file.to_string();
                let stem = file.rsplit_once('.').map_or(file.as_str(), |(stem, _)| stem);
                path_code64(&format!("{folder}{stem}.ftex"))
            }
        }
    }
}

impl Tables {
    /// Returns the tables of a document.
    pub(crate) fn of(doc: &Fmdl) -> Result<Tables> {
        let mut b = Builder {
            t: Tables::default(),
            hashes: doc.has_hashes(),
            names: Interned::new("names"),
            hashed: Interned::new("names"),
            vectors: Interned::new("parameter values"),
            boxes: Interned::new("boxes"),
            materials: Interned::new("materials"),
            textures: Interned::new("textures"),
            paths: Interned::new("texture paths"),
        };
        b.name(&Name::EMPTY)?;
        b.bounds(&doc.bounds)?;
        let lods = doc.lod_count();
        let none = |index: Option<u16>| index.unwrap_or(u16::MAX);
        for run in &doc.runs {
            let bounds = b.bounds(&run.bounds)?;
            let first_window = (lods * usize::from(run.first_mesh)) as u16;
            let (group, mesh_count, first_mesh) = (run.group, run.mesh_count, run.first_mesh);
            b.t.runs.push(wire::Run {
                group,
                mesh_count,
                first_mesh,
                bounds,
                first_window,
                ..Default::default()
            });
        }
        for bone in &doc.bones {
            let record = wire::Bone {
                name: b.name(&bone.name)?,
                parent: none(bone.parent),
                bounds: b.bounds(&bone.bounds)?,
                flags: bone.flags,
                padding: 0,
                local: bone.local,
                world: bone.world,
            };
            b.t.bones.push(record);
        }
        for group in &doc.groups {
            let pivot = group.pivot.map(|p| b.vector(p)).transpose()?;
            let name = b.name(&group.name)?;
            let (flags, parent, pivot) = (group.flags, none(group.parent), none(pivot));
            b.t.groups.push(wire::Group { name, flags, parent, pivot });
        }
        for material in &doc.materials {
            b.material(material)?;
        }
        for group in &doc.bone_groups {
            let mut bones = [0; 32];
            let Some(slots) = bones.get_mut(..group.bones.len()) else {
                let n = group.bones.len();
                return Err(Error::unrepresentable(format!("{n} bones in a bone group, at most 32 fit")));
            };
            slots.copy_from_slice(&group.bones);
            let count = group.bones.len() as u16;
            b.t.bone_groups.push(wire::BoneGroup { max_weights: group.max_weights, count, bones });
        }
        let mut t = b.t;
        t.lods = doc.lods.clone();
        if let Some(first) = t.lods.first_mut().filter(|_| !doc.meshes.is_empty()) {
            first.count = small(lods, "levels of detail")?;
        }
        t.unknown_0x12 = doc.unknown_0x12.clone();
        t.statistics = doc.statistics.clone();
        t.matrices = doc.bone_matrices.clone();
        let mut buffers = Buffers::default();
        for (i, mesh) in doc.meshes.iter().enumerate() {
            buffers.mesh(&mut t, i, mesh, lods).map_err(|e| e.within(format!("meshes[{i}]")))?;
        }
        buffers.finish(&mut t)?;
        Ok(t)
    }
}

impl Builder {
    fn material(&mut self, material: &crate::MaterialInstance) -> Result<()> {
        let name = self.name(&material.name)?;
        let (shader, technique) = (self.name(&material.shader)?, self.name(&material.technique)?);
        let record = wire::Material { shader, technique };
        let index = self.materials.get((shader, technique), || self.t.materials.push(record))?;
        let first_texture = small(self.t.bindings.len(), "bindings")?;
        for texture in &material.textures {
            let value = self.texture(texture)?;
            let name = self.name(&texture.slot)?;
            self.t.bindings.push(wire::Binding { name, value });
        }
        let first_parameter = small(self.t.bindings.len(), "bindings")?;
        for parameter in &material.parameters {
            let name = self.name(&parameter.name)?;
            let value = self.vector(parameter.value)?;
            self.t.bindings.push(wire::Binding { name, value });
        }
        self.t.instances.push(wire::MaterialInstance {
            name,
            material: index,
            texture_count: byte(material.textures.len(), "textures in a material")?,
            parameter_count: byte(material.parameters.len(), "parameters in a material")?,
            first_texture,
            first_parameter,
            ..Default::default()
        });
        Ok(())
    }
}

/// Columns in the order of the game's own files.
pub(crate) fn canonical_order(mesh: &Mesh) -> Vec<usize> {
    let mut order: Vec<usize> = (0..mesh.vertices.columns.len()).collect();
    let usage = |i: usize| mesh.vertices.columns.get(i).map(|c| (c.usage.slot(), c.usage.rank()));
    order.sort_by_key(|i| usage(*i));
    order
}

/// Gives each mesh its place in the vertex and index buffers.
#[derive(Default)]
struct Buffers {
    /// Bytes so far in the buffers of positions and of all else.
    vertices: [usize; 2],
    /// Indices so far.
    indices: usize,
}

impl Buffers {
    fn mesh(&mut self, t: &mut Tables, index: usize, mesh: &Mesh, lods: usize) -> Result<()> {
        let too_many = |what: &str, n: usize| Err(Error::unrepresentable(format!("{n} {what} in a mesh")));
        let Ok(vertex_count) = u16::try_from(mesh.vertices.count) else {
            return too_many("vertices", mesh.vertices.count);
        };
        if mesh.vertices.columns.len() > 255 {
            return too_many("attributes", mesh.vertices.columns.len());
        }
        let (first_stream, first_element) =
            (small(t.streams.len(), "streams")?, small(t.elements.len(), "elements")?);
        let mask = self.layout(t, mesh)?;
        t.layouts.push(wire::VertexLayout {
            stream_count: (t.streams.len() - usize::from(first_stream)) as u8,
            element_count: mesh.vertices.columns.len() as u8,
            usage_mask: mask,
            first_stream,
            first_element,
        });
        let count = |n: usize| galatea_wire::Writer::count(n, "indices");
        // A mesh with fewer levels than the others keeps its last one.
        let last = mesh.windows.last().copied().unwrap_or_default();
        let windows = mesh.windows.iter().copied().chain(std::iter::repeat(last)).take(lods);
        t.meshes.push(wire::Mesh {
            flags: mesh.flags,
            material: mesh.material,
            bone_group: mesh.bone_group,
            layout: small(index, "meshes")?,
            vertex_count,
            first_index: count(self.indices)?,
            index_count: mesh.windows.first().map_or(0, |w| w.count),
            first_window: count(t.windows.len())?,
            ..Default::default()
        });
        t.windows.extend(windows);
        self.indices += mesh.indices.len();
        Ok(())
    }

    /// Adds streams and elements for one mesh; returns the usage mask.
    fn layout(&mut self, t: &mut Tables, mesh: &Mesh) -> Result<u16> {
        let vertices = &mesh.vertices;
        let order = canonical_order(mesh);
        let mut offsets = vec![0usize; vertices.columns.len()];
        let mut strides = [0usize; 2];
        for i in &order {
            let Some(column) = vertices.columns.get(*i) else { continue };
            if column.values.len().is_some_and(|len| len != vertices.count) {
                let (name, len, want) = (column.usage.name(), column.values.len(), vertices.count);
                let what = format!("{name} has {} values for {want} vertices", len.unwrap_or(0));
                return Err(Error::unrepresentable(what));
            }
            let stride = if column.usage.slot() == 0 { strides.first_mut() } else { strides.last_mut() };
            if let (Some(stride), Some(offset)) = (stride, offsets.get_mut(*i)) {
                *offset = *stride;
                *stride += column.values.size();
            }
        }
        let mut mask = 0;
        for slot in 0..4u8 {
            let mut elements = 0usize;
            for i in &order {
                let Some(column) = vertices.columns.get(*i).filter(|c| c.usage.slot() == slot) else {
                    continue;
                };
                let place = match &column.values {
                    Values::Same(of) => *of,
                    _ => *i,
                };
                let owner = vertices.columns.get(place);
                let format =
                    owner.filter(|o| (o.usage.slot() == 0) == (slot == 0)).and_then(|o| o.values.format());
                let (Some(format), Some(offset)) = (format, offsets.get(place)) else {
                    let what =
                        format!("{} shares the values of a column it cannot share", column.usage.name());
                    return Err(Error::unrepresentable(what));
                };
                let usage = column.usage.id();
                if usage <= 11 {
                    mask = mask.max(1u16 << usage);
                }
                t.elements.push(wire::Element {
                    usage,
                    format,
                    offset: small(*offset, "bytes in a vertex")?,
                });
                elements += 1;
            }
            if elements > 0 {
                let buffer = u8::from(slot > 0);
                let (offset, stride) = match slot {
                    0 => (self.vertices[0], strides[0]),
                    _ => (self.vertices[1], strides[1]),
                };
                t.streams.push(wire::Stream {
                    buffer,
                    element_count: elements as u8,
                    stride: byte(stride, "bytes in a vertex")?,
                    slot,
                    offset: galatea_wire::Writer::offset(offset)?,
                });
            }
        }
        for (at, stride) in self.vertices.iter_mut().zip(strides) {
            *at = (*at + vertices.count * stride).next_multiple_of(16);
        }
        Ok(mask)
    }

    fn finish(&self, t: &mut Tables) -> Result<()> {
        let [positions, others] = self.vertices;
        let indices = (self.indices * 2).next_multiple_of(16);
        let mut at = 0;
        for (kind, length) in [(0, positions), (0, others), (1, indices)] {
            let offset = galatea_wire::Writer::offset(at)?;
            let length32 = galatea_wire::Writer::count(length, "bytes")?;
            t.buffers.push(wire::Buffer { kind, length: length32, offset, padding: 0 });
            at += length;
        }
        Ok(())
    }
}
