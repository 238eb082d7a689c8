//! What the painter keeps of a subject on the GPU.

use std::collections::HashMap;
use std::sync::Arc;

use galatea::preview::{SurfaceView, Texture as Image};
use galatea::scene::{Frame, MeshId, NodeId, Surface, Vertices, VerticesId};

use super::gl::{Buffer, Column, Gl, Texture};
use super::plan::vertices;
use crate::Subject;

/// A surface of frames: node, mesh and primitive, and how many of the same came before it in the frame.
type Key = (NodeId, MeshId, usize, usize);

/// The buffers and textures of a subject.
#[derive(Debug)]
pub(super) struct Resident {
    pub(super) id: u64,
    /// The paint that it was last drawn in.
    pub(super) used: u64,
    numbers: HashMap<String, u32>,
    images: Vec<Arc<Image>>,
    textures: HashMap<(u32, bool), Texture>,
    coordinates: HashMap<(VerticesId, usize), Buffer>,
    colors: HashMap<VerticesId, Buffer>,
    indices: HashMap<(MeshId, usize), (Buffer, usize)>,
    surfaces: HashMap<Key, Moving>,
    /// The frame that is on the GPU, and the keys of its surfaces.
    shown: Option<(Arc<Frame>, Vec<Key>)>,
}

/// The part of a surface that moves.
#[derive(Debug)]
struct Moving {
    buffer: Buffer,
    /// Where the uploaded vertices are: the number of the surface in the frame that is shown.
    at: Option<usize>,
    /// Colors in place of those of the vertices, and what they show.
    shown: Option<(SurfaceView, Buffer)>,
}

impl Resident {
    pub(super) fn new(subject: &Subject) -> Resident {
        let names = subject.textures.keys().cloned();
        Resident {
            id: subject.id,
            used: 0,
            numbers: names.zip(0..).collect(),
            images: subject.textures.values().cloned().collect(),
            textures: HashMap::new(),
            coordinates: HashMap::new(),
            colors: HashMap::new(),
            indices: HashMap::new(),
            surfaces: HashMap::new(),
            shown: None,
        }
    }

    /// Returns the number of a texture.
    pub(super) fn number(&self, name: &str) -> Option<u32> {
        self.numbers.get(name).copied()
    }

    /// Returns a texture, uploaded on first use: as light, or as data such as normals.
    pub(super) fn texture(&mut self, gl: Gl<'_>, number: u32, data: bool) -> Option<Texture> {
        if let Some(known) = self.textures.get(&(number, data)) {
            return Some(*known);
        }
        let image = self.images.get(number as usize)?;
        let largest = gl.largest().max(1) as usize;
        let levels = image.mip_levels(data).skip_while(|(width, height, _)| *width.max(height) > largest);
        let levels = levels.map(|(width, height, mut texels)| {
            if !data {
                texels.iter_mut().for_each(|texel| *texel = encoded(*texel));
            }
            (width, height, texels)
        });
        let texture = gl.texture(levels, !data).ok()?;
        self.textures.insert((number, data), texture);
        Some(texture)
    }

    /// Uploads what has moved since the frame that is shown.
    pub(super) fn show(&mut self, gl: Gl<'_>, frame: &Arc<Frame>) -> Result<(), String> {
        if self.shown.as_ref().is_some_and(|(shown, _)| Arc::ptr_eq(shown, frame)) {
            return Ok(());
        }
        let before = self.shown.take().map(|(frame, _)| frame);
        let mut seen: HashMap<(NodeId, MeshId, usize), usize> = HashMap::new();
        let mut keys = Vec::with_capacity(frame.surfaces.len());
        for (number, surface) in frame.surfaces.iter().enumerate() {
            let nth = seen.entry((surface.node, surface.mesh, surface.primitive)).or_default();
            let key = (surface.node, surface.mesh, surface.primitive, *nth);
            *nth += 1;
            keys.push(key);
            let moving = match self.surfaces.entry(key) {
                std::collections::hash_map::Entry::Occupied(known) => known.into_mut(),
                std::collections::hash_map::Entry::Vacant(new) => {
                    new.insert(Moving { buffer: gl.buffer(false)?, at: None, shown: None })
                }
            };
            let old = moving.at.and_then(|at| before.as_ref()?.surfaces.get(at)).map(|s| &s.deformed);
            if old != Some(&surface.deformed) {
                let deformed = &surface.deformed;
                let (places, normals) =
                    (bytemuck::cast_slice(&deformed.positions), bytemuck::cast_slice(&deformed.normals));
                gl.upload(&mut moving.buffer, &[places, normals], true);
            }
            moving.at = Some(number);
        }
        // What is not drawn in this frame may have been drawn in an older one.
        let count = keys.len();
        for (key, moving) in &mut self.surfaces {
            if moving.at.is_none_or(|at| at >= count || keys.get(at) != Some(key)) {
                moving.at = None;
            }
        }
        self.shown = Some((Arc::clone(frame), keys));
        Ok(())
    }

    /// Sets the columns of a surface of the frame that is shown. Returns `false` if it has no vertices.
    pub(super) fn bind(
        &mut self,
        gl: Gl<'_>,
        subject: &Subject,
        number: usize,
        [base, lightmap]: [usize; 2],
        view: &SurfaceView,
    ) -> Result<bool, String> {
        let Some((frame, keys)) = &self.shown else { return Ok(false) };
        let (Some(surface), Some(key)) = (frame.surfaces.get(number), keys.get(number)) else {
            return Ok(false);
        };
        let Some(source) = vertices(&subject.scene, surface) else { return Ok(false) };
        let Some(moving) = self.surfaces.get_mut(key) else { return Ok(false) };
        let count = surface.deformed.positions.len();
        if count == 0 {
            return Ok(false);
        }
        gl.column(&moving.buffer, Column { location: 0, width: 3, stride: 12, offset: 0, instanced: false });
        if surface.deformed.normals.len() == count {
            let offset = (count * 12) as i32;
            gl.column(&moving.buffer, Column { location: 1, width: 3, stride: 12, offset, instanced: false });
        } else {
            gl.constant(1, [0.0; 4]);
        }
        let Some(primitive) = surface.primitive(&subject.scene) else { return Ok(false) };
        for (location, set) in [(2, base), (3, lightmap)] {
            let column = source.uvs.get(set).filter(|uvs| uvs.len() == count);
            let Some(uvs) = column else {
                gl.constant(location, [0.0; 4]);
                continue;
            };
            let buffer =
                held(&mut self.coordinates, (primitive.vertices, set), gl, bytemuck::cast_slice(uvs))?;
            gl.column(buffer, Column { location, width: 2, stride: 8, offset: 0, instanced: false });
        }
        let colors = Column { location: 4, width: 4, stride: 16, offset: 0, instanced: false };
        match view {
            SurfaceView::Weights(_) => {
                let buffer = moving.weights(gl, subject, surface, source, view)?;
                gl.column(buffer, colors);
            }
            SurfaceView::Shaded | SurfaceView::Masks => {
                match source.colors.first().filter(|set| set.len() == count) {
                    Some(set) => {
                        let bytes = bytemuck::cast_slice(set);
                        gl.column(held(&mut self.colors, primitive.vertices, gl, bytes)?, colors);
                    }
                    None if *view == SurfaceView::Masks => gl.constant(4, [0.3, 0.3, 0.3, 1.0]),
                    None => gl.constant(4, [1.0; 4]),
                }
            }
            // Without coordinates it is gray.
            SurfaceView::Uv if source.uvs.iter().all(Vec::is_empty) => gl.constant(4, [0.3, 0.3, 0.3, 1.0]),
            _ => gl.constant(4, [1.0; 4]),
        }
        Ok(true)
    }

    /// Binds the indices of a surface of the frame that is shown. Returns how many there are.
    pub(super) fn bind_indices(
        &mut self,
        gl: Gl<'_>,
        subject: &Subject,
        surface: &Surface,
    ) -> Result<usize, String> {
        let Some(primitive) = surface.primitive(&subject.scene) else { return Ok(0) };
        let key = (surface.mesh, surface.primitive);
        if let Some((buffer, count)) = self.indices.get(&key) {
            gl.bind(buffer);
            return Ok(*count);
        }
        let indices: Vec<u32> = primitive.triangles(surface.deformed.positions.len()).flatten().collect();
        let mut buffer = gl.buffer(true)?;
        gl.upload(&mut buffer, &[bytemuck::cast_slice(&indices)], false);
        self.indices.insert(key, (buffer, indices.len()));
        Ok(indices.len())
    }

    pub(super) fn delete(self, gl: Gl<'_>) {
        for texture in self.textures.into_values() {
            gl.delete_texture(texture);
        }
        let indices = self.indices.into_values().map(|(buffer, _)| buffer);
        for buffer in self.coordinates.into_values().chain(self.colors.into_values()).chain(indices) {
            gl.delete_buffer(buffer);
        }
        for moving in self.surfaces.into_values() {
            gl.delete_buffer(moving.buffer);
            if let Some((_, buffer)) = moving.shown {
                gl.delete_buffer(buffer);
            }
        }
    }
}

impl Moving {
    /// Returns the colors of a view of the surface, uploaded when it changes.
    fn weights(
        &mut self,
        gl: Gl<'_>,
        subject: &Subject,
        surface: &Surface,
        vertices: &Vertices,
        view: &SurfaceView,
    ) -> Result<&Buffer, String> {
        let mut buffer = match self.shown.take() {
            Some((shown, buffer)) if shown == *view => return Ok(&self.shown.insert((shown, buffer)).1),
            Some((_, buffer)) => buffer,
            None => gl.buffer(false)?,
        };
        let colors = view.colors(&subject.scene, surface, vertices).unwrap_or_default();
        gl.upload(&mut buffer, &[bytemuck::cast_slice(&colors)], false);
        Ok(&self.shown.insert((view.clone(), buffer)).1)
    }
}

/// Returns a buffer, uploaded on first use.
fn held<'b, K: Eq + std::hash::Hash + Copy>(
    buffers: &'b mut HashMap<K, Buffer>,
    key: K,
    gl: Gl<'_>,
    bytes: &[u8],
) -> Result<&'b Buffer, String> {
    match buffers.entry(key) {
        std::collections::hash_map::Entry::Occupied(known) => Ok(known.into_mut()),
        std::collections::hash_map::Entry::Vacant(new) => {
            let mut buffer = gl.buffer(false)?;
            gl.upload(&mut buffer, &[bytes], false);
            Ok(new.insert(buffer))
        }
    }
}

/// Returns a texel such that OpenGL decodes its sRGB to the light that `preview` gives the texel: the square of its display value.
fn encoded([r, g, b, a]: [u8; 4]) -> [u8; 4] {
    let value = |v: u8| ENCODED.get(usize::from(v)).copied().unwrap_or(v);
    [value(r), value(g), value(b), a]
}

static ENCODED: std::sync::LazyLock<[u8; 256]> = std::sync::LazyLock::new(|| {
    std::array::from_fn(|value| {
        let light = (value as f64 / 255.0).powi(2);
        let srgb = if light <= 0.003_130_8 { 12.92 * light } else { 1.055 * light.powf(1.0 / 2.4) - 0.055 };
        (srgb * 255.0).round() as u8
    })
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decoded_texels_have_the_light_of_the_other_painter() {
        for value in 0..=255u8 {
            let [srgb, ..] = encoded([value, 0, 0, 255]);
            let s = f64::from(srgb) / 255.0;
            let light = if s <= 0.04045 { s / 12.92 } else { ((s + 0.055) / 1.055).powf(2.4) };
            let shown = light.sqrt() * 255.0;
            let most = if value < 12 { 3.5 } else { 1.5 };
            assert!((shown - f64::from(value)).abs() <= most, "{value} is shown as {shown}");
        }
    }
}
