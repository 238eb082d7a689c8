//! Levels of detail: windows that share triangles as the game's do, and making lower levels.

use std::collections::HashMap;

use crate::mesh::Mesh;
use crate::model::Fmdl;
use crate::wire::Window;
use galatea_scene::simplify;

impl Mesh {
    /// Sets the triangles of all levels of detail. Neighbouring levels share the triangles that both have: each window begins
    /// inside the one before and runs past its end, as in the game's files.
    ///
    /// ```
    /// let mut mesh = galatea_fox::Mesh::default();
    /// mesh.set_levels(&[vec![[0, 1, 2], [2, 1, 3]], vec![[2, 1, 3], [4, 1, 3]]]);
    /// assert_eq!(mesh.indices.len(), 9); // one triangle is shared
    /// assert_eq!(mesh.faces(1).collect::<Vec<_>>(), [[2, 1, 3], [4, 1, 3]]);
    /// ```
    pub fn set_levels(&mut self, levels: &[Vec<[u16; 3]>]) {
        // For each triangle of each level: up to which level it stays. Those that go first come first.
        let mut stays: Vec<Vec<([u16; 3], usize)>> =
            levels.iter().enumerate().map(|(k, l)| l.iter().map(|f| (*f, k)).collect()).collect();
        for k in (0..levels.len().saturating_sub(1)).rev() {
            let (head, tail) = stays.split_at_mut(k + 1);
            let (Some(here), Some(next)) = (head.last_mut(), tail.first()) else { continue };
            let mut found: HashMap<[u16; 3], Vec<usize>> = HashMap::new();
            for (face, until) in next.iter().rev() {
                found.entry(*face).or_default().push(*until);
            }
            for (face, until) in here {
                if let Some(later) = found.get_mut(face).and_then(Vec::pop) {
                    *until = later;
                }
            }
        }
        self.windows.clear();
        let mut stream: Vec<[u16; 3]> = Vec::new();
        let mut start = 0;
        for level in stays {
            let mut own: HashMap<[u16; 3], usize> = HashMap::new();
            for (face, _) in &level {
                *own.entry(*face).or_default() += 1;
            }
            // The longest end of the window before that this level has too.
            let mut shared: HashMap<[u16; 3], usize> = HashMap::new();
            let mut at = stream.len();
            while at > start
                && let Some(face) = stream.get(at - 1)
                && own.get(face) > shared.get(face).or(Some(&0))
            {
                *shared.entry(*face).or_default() += 1;
                at -= 1;
            }
            start = at;
            let mut new = level;
            new.retain(|(face, _)| match shared.get_mut(face).filter(|n| **n > 0) {
                Some(n) => {
                    *n -= 1;
                    false
                }
                None => true,
            });
            new.sort_by_key(|(_, until)| *until);
            stream.extend(new.iter().map(|(face, _)| *face));
            let (first, count) = (start as u32 * 3, (stream.len() - start) as u32 * 3);
            self.windows.push(Window { first, count });
        }
        self.indices = stream.as_flattened().to_vec();
    }

    /// Keeps only some triangles, at all levels of detail; the windows follow.
    ///
    /// ```
    /// let mut mesh = galatea_fox::Mesh::default();
    /// mesh.set_faces(&[[0, 1, 2], [2, 1, 3], [3, 1, 4]]);
    /// mesh.retain_faces(|face| !face.contains(&0));
    /// assert_eq!(mesh.faces(0).collect::<Vec<_>>(), [[2, 1, 3], [3, 1, 4]]);
    /// ```
    pub fn retain_faces(&mut self, mut keep: impl FnMut([u16; 3]) -> bool) {
        // How many triangles are kept before each place.
        let mut before = vec![0u32];
        let mut kept = Vec::new();
        for face in self.indices.as_chunks::<3>().0 {
            if keep(*face) {
                kept.extend_from_slice(face);
            }
            before.push(kept.len() as u32);
        }
        let place = |index: u32| before.get(index as usize / 3).or(before.last()).copied().unwrap_or(0);
        for window in &mut self.windows {
            let (first, end) = (place(window.first), place(window.first.saturating_add(window.count)));
            *window = Window { first, count: end - first };
        }
        self.indices = kept;
    }

    /// Takes away vertices that no triangle of any level uses. Returns how many.
    pub fn drop_unused_vertices(&mut self) -> usize {
        let mut number: Vec<Option<u16>> = vec![None; self.vertices.count];
        for index in &self.indices {
            if let Some(slot) = number.get_mut(usize::from(*index)) {
                *slot = Some(0);
            }
        }
        let mut kept = Vec::new();
        for (v, slot) in number.iter_mut().enumerate() {
            if let Some(slot) = slot {
                *slot = kept.len() as u16;
                kept.push(v);
            }
        }
        let dropped = self.vertices.count - kept.len();
        if dropped > 0 {
            self.vertices = self.vertices.pick(&kept);
            for index in &mut self.indices {
                if let Some(Some(new)) = number.get(usize::from(*index)) {
                    *index = *new;
                }
            }
        }
        dropped
    }

    /// Makes levels of detail with these shares of the triangles, such as `[0.5, 0.25, 0.1]`. All levels share the
    /// vertices; level 0 stays as it is, apart from its order.
    ///
    /// ```
    /// use galatea_fox::{Mesh, Usage, Values};
    /// let mut mesh = Mesh::default();
    /// // A strip of twenty flat quads needs no more than a few triangles.
    /// let positions = (0..42).map(|i| [(i / 2) as f32, 0.0, (i % 2) as f32]).collect();
    /// mesh.vertices.push(Usage::Position, Values::F32x3(positions));
    /// let faces: Vec<[u16; 3]> = (0..40).map(|i| if i % 2 == 0 { [i, i + 1, i + 2] } else { [i, i + 2, i + 1] }).collect();
    /// mesh.set_faces(&faces);
    /// mesh.generate_levels(&[0.5, 0.1]);
    /// assert_eq!(mesh.faces(0).len(), 40);
    /// assert!(mesh.faces(1).len() <= 20 && mesh.faces(2).len() <= 4);
    /// ```
    pub fn generate_levels(&mut self, shares: &[f32]) {
        let positions = self.vertices.positions().unwrap_or(&[]).to_vec();
        let whole: Vec<[u16; 3]> = self.faces(0).collect();
        let targets: Vec<usize> =
            shares.iter().map(|s| (whole.len() as f32 * s.clamp(0.0, 1.0)) as usize).collect();
        let faces: Vec<[u32; 3]> = whole.iter().map(|f| f.map(u32::from)).collect();
        let mut levels = vec![whole];
        for level in simplify(&positions, &faces, &targets) {
            levels.push(level.iter().map(|f| f.map(|v| v as u16)).collect());
        }
        self.set_levels(&levels);
    }
}

impl Fmdl {
    /// Makes levels of detail for every mesh; see [`Mesh::generate_levels`]. Levels that were there are replaced.
    pub fn generate_levels(&mut self, shares: &[f32]) {
        for mesh in &mut self.meshes {
            mesh.generate_levels(shares);
        }
        self.rederive();
    }

    /// Takes away all levels of detail but the first, and the triangles only they use.
    pub fn drop_levels(&mut self) {
        for mesh in &mut self.meshes {
            let faces: Vec<[u16; 3]> = mesh.faces(0).collect();
            mesh.set_faces(&faces);
        }
        if let Some(lods) = self.lods.first_mut() {
            (lods.threshold_a, lods.threshold_b, lods.ratio) = (1.0, 1.0, 1.0);
        }
        self.rederive();
    }
}
