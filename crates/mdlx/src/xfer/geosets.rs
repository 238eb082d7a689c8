//! Geosets.

use galatea_wire::{Error, Part, ReadXfer, Result, WriteXfer, xfer};

use super::objects::len;
use crate::wire::{BufferHead, BufferIndices, BufferVertex};
use crate::{Feature, Geoset, SkinWeight, Version, VertexBuffer};

xfer! {
    impl Record for Geoset {
        fn xfer(self, x, v: Version) {
            let Geoset {
                vertices, normals, face_types, face_counts, faces, vertex_groups, group_sizes, matrices, material_id,
                selection_group, selection_flags, lod, lod_name, bounds, sequence_bounds, tangents, skin, skin_first,
                uvs, bone_indices, bone_weights, buffer: _, extra,
            } = self;
            x.sized(true, |x| {
                x.tag(*b"VRTX")?;
                x.counted("vertices", vertices)?;
                x.tag(*b"NRMS")?;
                x.counted("normals", normals)?;
                if v.is_wow() {
                    x.tag(*b"UVAS")?;
                    let sets = x.derived("count", len(uvs))?;
                    let each = vertices.len();
                    x.repeat("uvs", uvs, sets as usize, |x, set| x.array("uvs", set, each))?;
                }
                x.tag(*b"PTYP")?;
                if v.is_wow() {
                    x.counted_as("face_types", face_types, |t: u8| u32::from(t), |t| u8::try_from(*t).ok())?;
                } else {
                    x.counted("face_types", face_types)?;
                }
                x.tag(*b"PCNT")?;
                x.counted("face_counts", face_counts)?;
                x.tag(*b"PVTX")?;
                x.counted("faces", faces)?;
                x.tag(*b"GNDX")?;
                x.counted("vertex_groups", vertex_groups)?;
                x.tag(*b"MTGC")?;
                x.counted("group_sizes", group_sizes)?;
                x.tag(*b"MATS")?;
                x.counted("matrices", matrices)?;
                if v.is_wow() {
                    x.tag(*b"BIDX")?;
                    x.counted("bone_indices", bone_indices)?;
                    x.tag(*b"BWGT")?;
                    x.counted("bone_weights", bone_weights)?;
                }
                x.val("material_id", material_id)?;
                x.val("selection_group", selection_group)?;
                x.val("selection_flags", selection_flags)?;
                if v.has(Feature::LevelOfDetail) {
                    x.val("lod", lod)?;
                    x.val("lod_name", lod_name)?;
                }
                x.val("bounds", bounds)?;
                x.counted("sequence_bounds", sequence_bounds)?;
                if v.has(Feature::SkinWeights) {
                    let first = x.comes(*b"SKIN", *skin_first);
                    if first {
                        x.optional(*b"SKIN", "skin", skin, true)?;
                    }
                    x.optional(*b"TANG", "tangents", tangents, false)?;
                    if !first {
                        x.optional(*b"SKIN", "skin", skin, true)?;
                    }
                    x.note(skin_first, first && tangents.is_some());
                }
                if v.has(Feature::Warcraft) {
                    x.tag(*b"UVAS")?;
                    let sets = x.derived("count", len(uvs))?;
                    x.repeat("uvs", uvs, sets as usize, |x, set| {
                        x.tag(*b"UVBS")?;
                        x.counted("uvs", set)
                    })?;
                }
                if v.is_future() {
                    x.rest("bytes_of_a_newer_version", extra)?;
                }
                Ok(())
            })
        }
    }
}

/// Reads `GEOS` of version 1500: the heads of all geosets, then the vertices and indices of all.
pub(super) fn read_buffers(x: &mut ReadXfer<'_>, geosets: &mut Vec<Geoset>, part: &mut Part) -> Result<()> {
    x.announce(part)?;
    part.start = geosets.len();
    part.count = part.announced.unwrap_or(0) as usize;
    let mut heads: Vec<BufferHead> = Vec::new();
    x.array("heads", &mut heads, part.count)?;
    for (index, head) in heads.iter().enumerate() {
        x.spend(size_of::<VertexBuffer>() as u64)?;
        let geoset = x.scope("geosets", Some(index), |x| read_buffer(x, head))?;
        x.push(geosets, geoset)?;
    }
    Ok(())
}

fn read_buffer(x: &mut ReadXfer<'_>, head: &BufferHead) -> Result<Geoset> {
    let mut geoset = Geoset {
        material_id: head.material_id,
        selection_group: head.selection_group,
        selection_flags: head.flags,
        face_types: vec![4],
        ..Geoset::default()
    };
    geoset.bounds.radius = head.radius;
    let mut vertices: Vec<BufferVertex> = Vec::new();
    x.array("vertices", &mut vertices, head.vertex_count as usize)?;
    x.spend(vertices.len() as u64 * size_of::<BufferVertex>() as u64)?;
    geoset.vertices = vertices.iter().map(|v| v.position).collect();
    geoset.normals = vertices.iter().map(|v| v.normal).collect();
    geoset.skin = Some(vertices.iter().map(|v| SkinWeight { bones: v.bones, weights: v.weights }).collect());
    geoset.uvs =
        (0..2).map(|set| vertices.iter().filter_map(|v| v.uvs.get(set).copied()).collect()).collect();
    drop(vertices);
    let mut indices = BufferIndices::default();
    x.val("indices", &mut indices)?;
    if indices.count != head.index_count as u16 {
        let want = format!("{} indices, as in the header", head.index_count);
        return Err(x.mismatch(want, indices.count.to_string()));
    }
    let count = head.index_count as usize;
    x.array("faces", &mut geoset.faces, count)?;
    geoset.face_counts = vec![head.index_count];
    let mut padding = Vec::new();
    x.array("padding", &mut padding, count.next_multiple_of(8) - count)?;
    geoset.buffer = Some(Box::new(VertexBuffer {
        center: head.center,
        index: head.index,
        tags: [head.vertex_tag, head.type_tag, head.index_tag],
        type_count: head.type_count,
        unused: head.unused,
        primitive_type: indices.primitive_type,
        unknown_0x4: indices.unknown_0x4,
        min_vertex: indices.min_vertex,
        max_vertex: indices.max_vertex,
        unused_0xe: indices.unused,
        padding,
    }));
    Ok(geoset)
}

/// Writes what [`read_buffers`] reads.
pub(super) fn write_buffers(x: &mut WriteXfer, geosets: &[Geoset], part: &mut Part) -> Result<()> {
    x.announce(part)?;
    for (index, geoset) in geosets.iter().enumerate() {
        let other =
            VertexBuffer { index: len(geosets.get(..index).unwrap_or(&[])), ..VertexBuffer::default() };
        let buffer = geoset.buffer.as_deref().unwrap_or(&other);
        let [vertex_tag, type_tag, index_tag] = buffer.tags;
        x.val(
            "heads",
            &BufferHead {
                material_id: geoset.material_id,
                center: buffer.center,
                radius: geoset.bounds.radius,
                selection_group: geoset.selection_group,
                index: buffer.index,
                flags: geoset.selection_flags,
                vertex_tag,
                vertex_count: x.count(geoset.vertices.len())?,
                type_tag,
                type_count: buffer.type_count,
                index_tag,
                index_count: x.count(geoset.faces.len())?,
                unused: buffer.unused,
            },
        )?;
    }
    for (index, geoset) in geosets.iter().enumerate() {
        write_buffer(x, geoset).map_err(|e| e.within(format!("geosets[{index}]")))?;
    }
    Ok(())
}

fn write_buffer(x: &mut WriteXfer, geoset: &Geoset) -> Result<()> {
    let other = VertexBuffer {
        min_vertex: geoset.faces.iter().copied().min().unwrap_or(0),
        max_vertex: geoset.faces.iter().copied().max().unwrap_or(0),
        ..VertexBuffer::default()
    };
    let buffer = geoset.buffer.as_deref().unwrap_or(&other);
    let count = geoset.vertices.len();
    let skin = geoset.skin.as_deref().unwrap_or(&[]);
    let uvs = |set: usize| geoset.uvs.get(set).map_or(&[][..], Vec::as_slice);
    let lists = [geoset.normals.len(), skin.len(), uvs(0).len()];
    if lists.iter().any(|n| *n != count)
        || (geoset.uvs.len() > 1 && uvs(1).len() != count)
        || geoset.uvs.len() > 2
    {
        let what = "version 1500 has a normal, weights and one or two texture coordinates for every vertex";
        return Err(Error::unrepresentable(what));
    }
    x.encode((0..count).map(|i| {
        let skin = skin.get(i).copied().unwrap_or_default();
        let uv = |set: usize| uvs(set).get(i).copied().unwrap_or_default();
        BufferVertex {
            position: geoset.vertices.get(i).copied().unwrap_or_default(),
            weights: skin.weights,
            bones: skin.bones,
            normal: geoset.normals.get(i).copied().unwrap_or_default(),
            uvs: [uv(0), uv(1)],
        }
    }));
    x.val(
        "indices",
        &BufferIndices {
            primitive_type: buffer.primitive_type,
            unknown_0x4: buffer.unknown_0x4,
            count: geoset.faces.len() as u16,
            min_vertex: buffer.min_vertex,
            max_vertex: buffer.max_vertex,
            unused: buffer.unused_0xe,
        },
    )?;
    x.array("faces", &geoset.faces, geoset.faces.len())?;
    let padding = geoset.faces.len().next_multiple_of(8) - geoset.faces.len();
    if buffer.padding.len() == padding {
        x.array("padding", &buffer.padding, padding)
    } else {
        x.array("padding", &vec![0u16; padding], padding)
    }
}
