//! Reads the MDX: rows of vertices into columns, and the bytes between them.

use galatea_wire::{Gap, Reader, Result, Source, Wire};

use crate::mdl::Model;
use crate::mdl::layout::{MdxLayout, Sentinel, Slot, file_position};
use crate::mdl::mesh::{Mesh, PositionCopy};
use crate::mdl::node::NodeId;

/// Reads the vertex rows of all meshes from the MDX, then compares the position copies.
pub(super) fn read_rows(
    model: &mut Model,
    meshes: &[(u32, NodeId)],
    mdl: Reader<'_>,
    source: &Source<'_>,
) -> Result<()> {
    let r = source.reader();
    let mdx_len = r.len();
    let mut layout = MdxLayout { aligned: true, ..MdxLayout::default() };
    // Where rows begin, which limits the last row of the previous mesh.
    let mut starts: Vec<u32> = Vec::with_capacity(meshes.len());
    for (tree, id) in meshes {
        let mesh = model.tree(*tree).get(*id as usize).and_then(|n| n.mesh.as_deref());
        starts.extend(mesh.filter(|m| m.in_mdx).map(|m| m.layout.rows.at));
    }
    starts.sort_unstable();
    layout.missing = !starts.is_empty() && mdx_len == 0;
    let missing = layout.missing;
    let mut next = 0;
    for (tree, id) in meshes {
        let node = model.tree_mut(*tree).get_mut(*id as usize);
        let Some(mesh) = node.and_then(|n| n.mesh.as_deref_mut()) else { continue };
        if mesh.in_mdx && !missing {
            layout.aligned &= mesh.layout.rows.at.is_multiple_of(16);
            let at = mesh.layout.rows.at as usize;
            let r = match tree.checked_sub(1) {
                Some(animation) => r.enter("animations", Some(animation as usize), at)?,
                None => r,
            };
            let r = r.enter("nodes", Some(*id as usize), at)?;
            mesh_rows(r, mesh, &starts, &mut next)?;
        }
        same_positions(mdl, mesh)?;
    }
    model.layout.mdx = layout;
    if !missing {
        model.layout.mdx.gaps = padding(source, &starts)?;
    }
    Ok(())
}

/// Reads the rows of a mesh and the row that ends them. `next` is the index of the start that probably follows.
fn mesh_rows(r: Reader<'_>, mesh: &mut Mesh, starts: &[u32], next: &mut usize) -> Result<()> {
    let skin = mesh.skin.is_some();
    let rows = &mut mesh.layout.rows;
    let (at, stride) = (rows.at as usize, rows.stride as usize);
    let count = usize::from(mesh.layout.vertex_count);
    let size = r.rows(at, count, stride, "rows", || rows.fields(skin))?;
    // Packed columns grow up to three times when decoded.
    r.spend((size.len() * if rows.packed { 2 } else { 1 }) as u64, at, "rows")?;
    rows.count = count as u32;
    rows.decode(size, skin, &mut mesh.vertices);
    let end = at + size.len();
    let start = |i: usize| starts.get(i).map_or(r.len(), |s| *s as usize);
    let likely = start(*next) < end && start(*next + 1) >= end;
    *next = if likely { *next + 1 } else { starts.partition_point(|s| (*s as usize) < end) };
    let next = start(*next);
    rows.sentinel = match next < end + stride {
        true => Sentinel::Absent,
        false => sentinel(r.rows(end, 1, stride, "last row", || rows.fields(skin))?),
    };
    Ok(())
}

fn sentinel(row: &[u8]) -> Sentinel {
    let zeros = |from: usize| row.get(from..).is_some_and(|b| b.iter().all(|b| *b == 0));
    match row.first_chunk::<12>().map(|b| <[u32; 3]>::get(b)) {
        Some([a, b, c]) if a == b && b == c && zeros(12) => Sentinel::Number(f32::from_bits(a)),
        _ => Sentinel::Raw(row.to_vec()),
    }
}

/// Claims the padding before a mesh (to a multiple of 16, not always counted from the start of the file), and keeps it
/// if it is not zero.
pub(super) fn padding(source: &Source<'_>, starts: &[u32]) -> Result<Vec<Gap>> {
    let r = source.reader();
    let mut kept = Vec::new();
    for gap in source.gaps() {
        let before_mesh = starts.binary_search(&(gap.end as u32)).is_ok() || gap.end == r.len();
        if gap.len() < 16 && before_mesh {
            let bytes = r.bytes(gap.start, gap.len(), "alignment")?;
            if bytes.iter().any(|b| *b != 0) {
                kept.push(Gap { offset: gap.start as u32, bytes: bytes.to_vec() });
            }
        }
    }
    Ok(kept)
}

/// Returns whether these are the bytes of these numbers. Comparing all of them is faster than stopping at the first
/// difference.
fn same_bits(numbers: &[f32], bytes: &[u8]) -> bool {
    let (words, rest) = bytes.as_chunks();
    let same = |(word, number): (&[u8; 4], &f32)| u32::from_le_bytes(*word) == number.to_bits();
    rest.is_empty()
        && words.len() == numbers.len()
        && words.iter().zip(numbers).fold(true, |all, both| all & same(both))
}

/// Drops positions of the MDL that equal those of the mesh; a mesh without rows takes those of the MDL.
fn same_positions(mdl: Reader<'_>, mesh: &mut Mesh) -> Result<()> {
    let bytes = |slot: &Slot| mdl.peek(file_position(slot.at), slot.count as usize * 12).unwrap_or(&[]);
    let load = |slot: &Slot| {
        let found = bytes(slot);
        mdl.spend(found.len() as u64, file_position(slot.at), "positions")?;
        Ok(found.chunks_exact(12).map(<[f32; 3]>::get).collect::<Vec<_>>())
    };
    let positions = &mut mesh.vertices.positions;
    if positions.is_empty() && mesh.mdl_positions == PositionCopy::Same {
        *positions = load(&mesh.layout.mdl_positions)?;
    }
    // On the Xbox a blade has its positions only once.
    if let Some(saber) = mesh.saber.as_deref().filter(|_| positions.is_empty() && !mesh.in_mdx) {
        mdl.spend(
            saber.positions.len() as u64 * 12,
            file_position(saber.layout.positions.at),
            "blade positions",
        )?;
        positions.clone_from(&saber.positions);
    }
    let settle = |copy: &mut PositionCopy, slot: &Slot| -> Result<()> {
        if *copy == PositionCopy::Same && !same_bits(positions.as_flattened(), bytes(slot)) {
            *copy = PositionCopy::Own(load(slot)?);
        }
        Ok(())
    };
    settle(&mut mesh.mdl_positions, &mesh.layout.mdl_positions)?;
    match mesh.dangly.as_deref_mut() {
        Some(dangly) => settle(&mut dangly.positions, &dangly.layout.positions),
        None => Ok(()),
    }
}
