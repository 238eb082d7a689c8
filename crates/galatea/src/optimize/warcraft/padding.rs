//! Bytes that say nothing: behind the ends of names, empty chunks, notes of editors, face groups that are one, extents of sequences that
//! are not there.

use galatea_wire::Text;

use crate::mdlx::Model;

/// Chunks that editors leave for themselves.
const NOTES: [&[u8; 4]; 2] = [b"MDVI", b"INFO"];

fn clean_text<const N: usize>(text: &mut Text<N>) -> usize {
    if !text.has_tail() {
        return 0;
    }
    match Text::new(text.bytes()) {
        Some(clean) => {
            *text = clean;
            1
        }
        None => 0,
    }
}

/// Removes them; returns how many.
pub(super) fn clean(model: &mut Model) -> usize {
    let mut count = clean_text(&mut model.info.name) + clean_text(&mut model.info.animation_file);
    count += model.sequences.iter_mut().map(|o| clean_text(&mut o.name)).sum::<usize>();
    count += model.textures.iter_mut().map(|o| clean_text(&mut o.path)).sum::<usize>();
    count += model.materials.iter_mut().map(|o| clean_text(&mut o.shader)).sum::<usize>();
    count += model.nodes_mut().map(|(_, _, node)| clean_text(&mut node.name)).sum::<usize>();
    count += model.attachments.iter_mut().map(|o| clean_text(&mut o.path)).sum::<usize>();
    count += model.particle_emitters.iter_mut().map(|o| clean_text(&mut o.path)).sum::<usize>();
    count += model.cameras.iter_mut().map(|o| clean_text(&mut o.name)).sum::<usize>();
    let sequences = model.sequences.len();
    for geoset in &mut model.geosets {
        count += clean_text(&mut geoset.lod_name);
        if geoset.buffer.is_none() && geoset.face_types.len() > 1 {
            let listed: u64 = geoset.face_counts.iter().map(|count| u64::from(*count)).sum();
            let triangles = geoset.face_types.iter().all(|kind| *kind == 4);
            if triangles
                && geoset.face_counts.iter().all(|n| n.is_multiple_of(3))
                && listed == geoset.faces.len() as u64
            {
                count += geoset.face_types.len() - 1;
                geoset.face_types = vec![4];
                geoset.face_counts = vec![geoset.faces.len() as u32];
            }
        }
        count += geoset.sequence_bounds.len().saturating_sub(sequences);
        geoset.sequence_bounds.truncate(sequences);
    }
    let unknown = model.unknown.len();
    model.unknown.retain(|chunk| !NOTES.contains(&&chunk.tag.0));
    count += unknown - model.unknown.len();
    let chunks = model.layout.chunks.len();
    let needed = |tag: &[u8; 4]| matches!(tag, b"VERS" | b"MODL");
    model.layout.chunks.retain(|chunk| {
        if chunk.unknown {
            return !NOTES.contains(&&chunk.tag.0);
        }
        chunk.items > 0 || needed(&chunk.tag.0)
    });
    let empty = (chunks - model.layout.chunks.len()).saturating_sub(unknown - model.unknown.len());
    count + empty
}
