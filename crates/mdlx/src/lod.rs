//! Levels of detail, which geosets have from version 900 on.

use galatea_scene::simplify;
use galatea_wire::{Error, Result};

use crate::version::Feature;
use crate::{Geoset, Model};

impl Model {
    /// Makes levels of detail with these shares of the triangles, such as `[0.5, 0.25]`, and replaces those that were there.
    /// Each becomes a geoset of its own after the others, with the animation of the first.
    ///
    /// ```
    /// use galatea_mdlx::{Geoset, Model, Version};
    /// let mut model = Model::new(Version(1000));
    /// let vertices = (0..42).map(|i| [(i / 2) as f32, (i % 2) as f32, 0.0]).collect();
    /// let faces: Vec<u16> = (0..40).flat_map(|i| if i % 2 == 0 { [i, i + 2, i + 1] } else { [i, i + 1, i + 2] }).collect();
    /// model.geosets = vec![Geoset { vertices, faces, ..Geoset::default() }];
    /// model.generate_levels(&[0.5])?;
    /// assert_eq!(model.geosets.iter().map(|g| g.lod).collect::<Vec<_>>(), [0, 1]);
    /// assert!(model.geosets[1].faces.len() <= 60);
    /// # Ok::<(), galatea_wire::Error>(())
    /// ```
    pub fn generate_levels(&mut self, shares: &[f32]) -> Result<()> {
        if !self.version.has(Feature::LevelOfDetail) {
            let version = self.version.0;
            return Err(Error::unrepresentable(format!(
                "version {version} has no levels of detail; 900 has"
            )));
        }
        self.drop_levels();
        let first = self.geosets.len();
        let mut levels: Vec<Vec<(usize, Geoset)>> = vec![Vec::new(); shares.len()];
        for (index, geoset) in self.geosets.iter_mut().enumerate() {
            geoset.lod = 0;
            for (level, lower) in (1..).zip(geoset.levels(shares)) {
                if let Some(list) = levels.get_mut(level as usize - 1) {
                    list.push((index, Geoset { lod: level, ..lower }));
                }
            }
        }
        let mut of: Vec<usize> = Vec::new();
        for (index, geoset) in levels.into_iter().flatten() {
            of.push(index);
            self.geosets.push(geoset);
        }
        self.copy_geoset_anims(first, &of);
        Ok(())
    }

    /// Takes away the geosets of all levels of detail but the finest.
    pub fn drop_levels(&mut self) {
        let kept: Vec<bool> = self.geosets.iter().map(|g| g.lod <= 0).collect();
        if kept.iter().all(|k| *k) || !kept.contains(&true) {
            return;
        }
        let mut next = 0i32;
        let number: Vec<i32> = kept
            .iter()
            .map(|kept| {
                next += i32::from(*kept);
                if *kept { next - 1 } else { -1 }
            })
            .collect();
        let of = |id: i32| usize::try_from(id).ok().and_then(|id| number.get(id)).copied().unwrap_or(-1);
        let mut keep = kept.iter().copied();
        self.geosets.retain(|_| keep.next().unwrap_or(true));
        let there: Vec<bool> =
            self.geoset_anims.iter().map(|a| a.geoset_id < 0 || of(a.geoset_id) >= 0).collect();
        let mut anims = 0i32;
        let anim_number: Vec<i32> = there
            .iter()
            .map(|kept| {
                anims += i32::from(*kept);
                if *kept { anims - 1 } else { -1 }
            })
            .collect();
        let mut keep = there.iter().copied();
        self.geoset_anims.retain(|_| keep.next().unwrap_or(true));
        self.geoset_anims.iter_mut().for_each(|a| a.geoset_id = of(a.geoset_id));
        for bone in &mut self.bones {
            bone.geoset_id = of(bone.geoset_id);
            let anim = usize::try_from(bone.geoset_anim_id).ok().and_then(|id| anim_number.get(id));
            bone.geoset_anim_id = anim.copied().unwrap_or(-1);
        }
    }

    /// Gives new geosets the animations of those they were made of.
    fn copy_geoset_anims(&mut self, first: usize, of: &[usize]) {
        let copies: Vec<_> = (first..)
            .zip(of)
            .flat_map(|(new, was)| {
                let own = self.geoset_anims.iter().filter(move |a| usize::try_from(a.geoset_id) == Ok(*was));
                own.map(move |a| crate::GeosetAnim { geoset_id: new as i32, ..a.clone() })
            })
            .collect();
        self.geoset_anims.extend(copies);
    }
}

impl Geoset {
    /// Returns copies with fewer triangles, without the vertices that no triangle uses.
    fn levels(&self, shares: &[f32]) -> Vec<Geoset> {
        let faces: Vec<[u32; 3]> = self.faces.as_chunks::<3>().0.iter().map(|f| f.map(u32::from)).collect();
        let count = self.vertices.len();
        let faces: Vec<[u32; 3]> =
            faces.into_iter().filter(|f| f.iter().all(|v| (*v as usize) < count)).collect();
        let targets: Vec<usize> =
            shares.iter().map(|s| (faces.len() as f32 * s.clamp(0.0, 1.0)) as usize).collect();
        let lower = simplify(&self.vertices, &faces, &targets);
        lower.iter().map(|faces| self.with_faces(faces.as_flattened())).collect()
    }

    /// Returns a copy with these triangles, three vertices each, without the vertices that none of them uses.
    ///
    /// ```
    /// use galatea_mdlx::Geoset;
    /// let two = Geoset { vertices: vec![[0.0; 3]; 4], faces: vec![0, 1, 2, 1, 3, 2], ..Geoset::default() };
    /// let one = two.with_faces(&[1, 3, 2]);
    /// assert_eq!((one.vertices.len(), one.faces), (3, vec![0, 1, 2]));
    /// ```
    pub fn with_faces(&self, corners: &[u32]) -> Geoset {
        let mut number: Vec<Option<u16>> = vec![None; self.vertices.len()];
        let mut order: Vec<usize> = Vec::new();
        let mut faces = Vec::with_capacity(corners.len());
        for corner in corners {
            let Some(slot) = number.get_mut(*corner as usize) else { continue };
            let new = *slot.get_or_insert_with(|| {
                order.push(*corner as usize);
                (order.len() - 1) as u16
            });
            faces.push(new);
        }
        fn pick<T: Clone>(from: &[T], order: &[usize]) -> Vec<T> {
            order.iter().filter_map(|i| from.get(*i).cloned()).collect()
        }
        let mut out = Geoset {
            vertices: pick(&self.vertices, &order),
            normals: pick(&self.normals, &order),
            vertex_groups: pick(&self.vertex_groups, &order),
            tangents: self.tangents.as_ref().map(|t| pick(t, &order)),
            skin: self.skin.as_ref().map(|s| pick(s, &order)),
            uvs: self.uvs.iter().map(|set| pick(set, &order)).collect(),
            face_types: vec![4],
            face_counts: vec![faces.len() as u32],
            ..self.clone()
        };
        if let Some(buffer) = &mut out.buffer {
            buffer.min_vertex = 0;
            buffer.max_vertex = order.len().saturating_sub(1) as u16;
            buffer.padding = vec![0; faces.len().next_multiple_of(8) - faces.len()];
        }
        out.faces = faces;
        out
    }
}
