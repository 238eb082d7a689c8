//! Transforms of texture coordinates, for formats that have none.

use std::collections::{BTreeMap, HashMap};

use galatea_wire::Loss;

use crate::{Scene, UvTransform};

impl UvTransform {
    /// Returns transformed texture coordinates.
    ///
    /// ```
    /// use galatea_scene::UvTransform;
    /// let upwards = UvTransform { offset: [0.0, 1.0], rotation: 0.0, scale: [1.0, -1.0] };
    /// assert_eq!(upwards.apply([0.25, 0.25]), [0.25, 0.75]);
    /// ```
    pub fn apply(&self, [u, v]: [f32; 2]) -> [f32; 2] {
        let ([a, b], [x, y]) = (self.scale, self.offset);
        let (sin, cos) = if self.rotation == 0.0 {
            (0.0, 1.0)
        } else {
            (libm::sinf(self.rotation), libm::cosf(self.rotation))
        };
        let (u, v) = (u * a, v * b);
        [u * cos + v * sin + x, v * cos - u * sin + y]
    }
}

impl Scene {
    /// Applies the transforms of textures to the texture coordinates. Of textures that share a set, the first decides. Returns
    /// what the others lose.
    pub fn apply_uv_transforms(&mut self) -> Vec<Loss> {
        let mut losses = Vec::new();
        // For each material, the transform of each set.
        let mut changes: Vec<BTreeMap<u32, UvTransform>> = Vec::new();
        for material in &mut self.materials {
            let mut sets: BTreeMap<u32, Option<UvTransform>> = BTreeMap::new();
            for texture in &mut material.textures {
                let now = texture.transform.take().filter(|t| *t != UvTransform::default());
                let first = sets.entry(texture.uv_set).or_insert(now);
                if *first != now {
                    let slot = texture.slot.name();
                    losses.push(Loss::new(
                        format!("material {:?}", material.name),
                        format!("how the texture for {slot} is placed"),
                    ));
                }
            }
            changes.push(sets.into_iter().filter_map(|(set, change)| Some((set, change?))).collect());
        }
        let mut done: HashMap<(u32, u32), u32> = HashMap::new();
        for mesh in &mut self.meshes {
            for primitive in &mut mesh.primitives {
                let Some(material) = primitive.material else { continue };
                let Some(sets) = changes.get(material as usize).filter(|c| !c.is_empty()) else { continue };
                let Some(vertices) = self.vertices.get(primitive.vertices as usize) else { continue };
                let old = primitive.vertices;
                if let Some(new) = done.get(&(old, material)) {
                    primitive.vertices = *new;
                    continue;
                }
                let mut vertices = vertices.clone();
                for (set, change) in sets {
                    let uvs = vertices.uvs.get_mut(*set as usize).into_iter().flatten();
                    uvs.for_each(|uv| *uv = change.apply(*uv));
                }
                primitive.vertices = self.vertices.len() as u32;
                self.vertices.push(vertices);
                done.insert((old, material), primitive.vertices);
            }
        }
        losses
    }
}
