//! Reads the parts of a node: lights and meshes.

use galatea_wire::{Reader, Result, Wire};

use super::aabb::aabb_tree;
use super::array;
use crate::mdl::layout::{RowLayout, Sentinel, Slot, file_position};
use crate::mdl::mesh::{Dangly, IndexLists, Mesh, PositionCopy, Saber, Skin};
use crate::mdl::node::{Light, Name, flag};
use crate::mdl::rows::{COLUMNS, short_to_slot};
use crate::mdl::wire::{
    AnimMeshHeader, DanglyHeader, Dirt, LightHeader, MeshHead, MeshTail, SaberHeader, SkinHeader,
};
use crate::mdl::{Game, Platform, PointerUse, pointers};

/// Reads a record at `end` and advances it.
fn next<T: Wire>(r: Reader<'_>, end: &mut usize, name: &'static str) -> Result<T> {
    let value = r.at(*end, name)?;
    *end += T::SIZE;
    Ok(value)
}

/// Reads a record at `end`, if there is one, and advances it.
fn next_if<T: Wire>(present: bool, r: Reader<'_>, end: &mut usize, name: &'static str) -> Result<Option<T>> {
    present.then(|| next(r, end, name)).transpose()
}

/// Reads a mesh. `end` is the end of the record of its node so far.
pub(super) fn mesh(
    r: Reader<'_>,
    end: &mut usize,
    flags: u16,
    (game, platform): (Game, Platform),
) -> Result<Box<Mesh>> {
    let pc = platform == Platform::Pc;
    let head: MeshHead = next(r, end, "mesh")?;
    let dirt: Option<Dirt> = next_if(game == Game::K2, r, end, "dirt")?;
    let tail: MeshTail = next(r, end, "mesh tail")?;
    let positions: Option<u32> = next_if(pc, r, end, "positions offset")?;
    let skin_header: Option<SkinHeader> = next_if(flags & flag::SKIN != 0, r, end, "skin")?;
    let anim: Option<AnimMeshHeader> = next_if(flags & flag::ANIM != 0, r, end, "animated mesh")?;
    let dangly_header: Option<DanglyHeader> = next_if(flags & flag::DANGLY != 0, r, end, "danglymesh")?;
    let aabb: Option<u32> = next_if(flags & flag::AABB != 0, r, end, "AABB root offset")?;
    let saber: Option<SaberHeader> = next_if(flags & flag::SABER != 0, r, end, "lightsaber")?;

    let mut mesh = mesh_fields(&head, &tail);
    mesh.dirt = dirt;
    mesh.anim = anim.map(Box::new);
    let usual = PointerUse::of_mesh(skin_header.is_some(), dangly_header.is_some());
    let usual = pointers(game, platform, usual);
    mesh.layout.pointers = (head.pointers != usual).then_some(head.pointers);
    let mut offsets = [-1; COLUMNS];
    let in_skin = skin_header.iter().flat_map(|s| [s.weights, s.bones]);
    for (slot, offset) in offsets.iter_mut().zip(head.column_offsets.into_iter().chain(in_skin)) {
        *slot = offset;
    }
    mesh.layout.rows = RowLayout {
        at: tail.mdx_offset,
        stride: head.stride,
        flags: head.columns,
        offsets,
        packed: !pc,
        known: true,
        sentinel: Sentinel::Absent,
        ..RowLayout::default()
    };
    mesh.skin = skin_header.map(|s| skin(r, &s, platform)).transpose()?.map(Box::new);
    mesh.dangly = dangly_header.map(|d| dangly(r, &d, head.vertex_count)).transpose()?.map(Box::new);
    mesh.aabb = aabb.map(|root| aabb_tree(r, root)).transpose()?.map(Box::new);
    mesh.saber = saber.map(|s| saber_blade(r, &s, head.vertex_count)).transpose()?.map(Box::new);
    mesh_lists(r, &head, positions, &mut mesh)?;
    Ok(mesh)
}

/// Returns a mesh with the fields of its header.
fn mesh_fields(head: &MeshHead, tail: &MeshTail) -> Box<Mesh> {
    let mut mesh: Box<Mesh> = Box::default();
    mesh.bounds = [head.bounds_min, head.bounds_max];
    mesh.radius = head.radius;
    mesh.average = head.average;
    mesh.area = tail.area;
    mesh.diffuse = head.diffuse;
    mesh.ambient = head.ambient;
    mesh.transparency_hint = head.transparency_hint;
    mesh.texture = head.texture;
    mesh.lightmap = head.lightmap;
    mesh.texture_3 = head.texture_3;
    mesh.texture_4 = head.texture_4;
    mesh.texture_count = head.texture_count;
    mesh.unknown_0xd4 = head.unknown_0xd4;
    mesh.unknown_0xe0 = head.unknown_0xe0;
    mesh.animate_uv = head.animate_uv;
    mesh.uv_direction = head.uv_direction;
    mesh.uv_jitter = head.uv_jitter;
    mesh.uv_jitter_speed = head.uv_jitter_speed;
    mesh.lightmapped = head.lightmapped;
    mesh.rotate_texture = head.rotate_texture;
    mesh.background = head.background;
    mesh.shadow = head.shadow;
    mesh.beaming = head.beaming;
    mesh.render = head.render;
    mesh.unknown_after_area = tail.unknown_0x06;
    mesh.layout.vertex_count = head.vertex_count;
    mesh.layout.padding = tail.padding;
    mesh.in_mdx = head.stride != 0 && head.vertex_count != 0;
    mesh
}

/// Reads the lists that every mesh has, in the order of the game's compiler.
fn mesh_lists(r: Reader<'_>, head: &MeshHead, positions: Option<u32>, mesh: &mut Mesh) -> Result<()> {
    mesh.faces = array(r, &head.faces, "faces")?;
    let mut counts: Vec<u32> = array(r, &head.index_counts, "index counts")?;
    // Offset 0 means no positions. The Xbox has none at all.
    let there = positions.filter(|offset| *offset != 0 && *offset != u32::MAX);
    let count = if there.is_some() { usize::from(head.vertex_count) } else { 0 };
    mesh.mdl_positions = if count == 0 { PositionCopy::Absent } else { PositionCopy::Same };
    if let Some(offset) = there {
        r.raw::<[f32; 3]>(file_position(offset), count, "positions")?;
    }
    let mut offsets: Vec<u32> = array(r, &head.index_offsets, "index offsets")?;
    mesh.inverted_counters = array(r, &head.inverted_counters, "inverted counters")?;
    let layout = &mut mesh.layout;
    layout.faces = Slot::of(&head.faces);
    layout.index_counts = Slot::of(&head.index_counts);
    layout.mdl_positions = positions.map(|offset| Slot::plain(offset, count)).unwrap_or_default();
    layout.index_offsets = Slot::of(&head.index_offsets);
    layout.inverted_counters = Slot::of(&head.inverted_counters);
    let both = counts.len().min(offsets.len());
    layout.more_counts = counts.split_off(both);
    layout.more_offsets = offsets.split_off(both);
    layout.index_lists = offsets;
    let faces = &mesh.faces;
    if let ([count], [offset]) = (&counts[..], &layout.index_lists[..])
        && *count as usize == faces.len() * 3
        && let at = file_position(*offset)
        && let Some(bytes) = r.peek(at, faces.len() * 6)
        && bytes.chunks_exact(6).map(<[u16; 3]>::get).eq(faces.iter().map(|face| face.vertices))
    {
        r.raw::<u16>(at, faces.len() * 3, "indices")?;
        mesh.indices = IndexLists::Faces;
    } else {
        let mut own = Vec::new();
        for (count, offset) in counts.iter().zip(&layout.index_lists) {
            own.push(r.array(file_position(*offset), *count as usize, "indices")?);
        }
        mesh.indices = IndexLists::Own(own);
    }
    Ok(())
}

fn skin(r: Reader<'_>, header: &SkinHeader, platform: Platform) -> Result<Skin> {
    let at = file_position(header.bone_map.0);
    let count = header.bone_map_count as usize;
    let bone_map = match platform {
        Platform::Pc => r.array(at, count, "bone map")?,
        Platform::Xbox => r.array::<u16>(at, count, "bone map")?.into_iter().map(short_to_slot).collect(),
    };
    let mut skin = Skin {
        bone_map,
        rotations: array(r, &header.rotations, "bone rotations")?,
        translations: array(r, &header.translations, "bone translations")?,
        bone_nodes: header.bone_nodes,
        ..Skin::default()
    };
    skin.layout.unknown_0x00 = header.unknown_0x00;
    skin.layout.bone_map = Slot::plain(header.bone_map.0, count);
    skin.layout.rotations = Slot::of(&header.rotations);
    skin.layout.translations = Slot::of(&header.translations);
    skin.layout.scratch_slot = Slot::of(&header.scratch);
    skin.layout.scratch = array(r, &header.scratch, "bone scratch")?;
    skin.layout.padding = header.padding;
    Ok(skin)
}

fn dangly(r: Reader<'_>, header: &DanglyHeader, vertices: u16) -> Result<Dangly> {
    let offset = header.vertices.0;
    let count = if offset == 0 || offset == u32::MAX { 0 } else { usize::from(vertices) };
    let mut dangly = Dangly {
        constraints: array(r, &header.constraints, "constraints")?,
        displacement: header.displacement,
        tightness: header.tightness,
        period: header.period,
        positions: if count == 0 { PositionCopy::Absent } else { PositionCopy::Same },
        ..Dangly::default()
    };
    if count > 0 {
        r.raw::<[f32; 3]>(file_position(offset), count, "dangly positions")?;
    }
    dangly.layout.constraints = Slot::of(&header.constraints);
    dangly.layout.positions = Slot::plain(offset, count);
    Ok(dangly)
}

/// Reads a light.
pub(super) fn light(r: Reader<'_>, at: usize) -> Result<Light> {
    let header: LightHeader = r.at(at, "light")?;
    let offsets: Vec<u32> = array(r, &header.flare_textures, "flare texture offsets")?;
    let mut light = Light {
        flare_radius: header.flare_radius,
        flare_sizes: array(r, &header.flare_sizes, "flare sizes")?,
        flare_positions: array(r, &header.flare_positions, "flare positions")?,
        flare_colors: array(r, &header.flare_colors, "flare colors")?,
        priority: header.priority,
        ambient_only: header.ambient_only,
        dynamic_type: header.dynamic_type,
        affect_dynamic: header.affect_dynamic,
        shadow: header.shadow,
        flare: header.flare,
        fading: header.fading,
        ..Light::default()
    };
    for offset in &offsets {
        let name = r.cstr(file_position(*offset), "flare texture")?;
        r.spend(name.len() as u64 + 32, file_position(*offset), "flare texture")?;
        light.flare_textures.push(Name(name.to_vec()));
    }
    light.layout.runtime_array = header.runtime_array;
    light.layout.sizes = Slot::of(&header.flare_sizes);
    light.layout.positions = Slot::of(&header.flare_positions);
    light.layout.colors = Slot::of(&header.flare_colors);
    light.layout.texture_offsets = Slot::of(&header.flare_textures);
    light.layout.textures = offsets;
    Ok(light)
}

fn saber_blade(r: Reader<'_>, header: &SaberHeader, vertices: u16) -> Result<Saber> {
    let count = usize::from(vertices);
    let mut saber = Saber { inverted_counters: header.inverted_counters, ..Saber::default() };
    saber.positions = r.array(file_position(header.vertices.0), count, "blade positions")?;
    saber.normals = r.array(file_position(header.normals.0), count, "blade normals")?;
    saber.uvs = r.array(file_position(header.uvs.0), count, "blade texture coordinates")?;
    saber.layout.positions = Slot::plain(header.vertices.0, count);
    saber.layout.uvs = Slot::plain(header.uvs.0, count);
    saber.layout.normals = Slot::plain(header.normals.0, count);
    Ok(saber)
}
