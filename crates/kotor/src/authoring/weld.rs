//! Welding: vertices at one position become one. Exporters split them at every seam of materials and texture
//! coordinates, which would be walls in a walkmesh.

use foldhash::HashMap;

/// The greatest distance of vertices that are one, in metres.
pub(super) const NEAR: f32 = 1e-4;

type Cell = [i64; 3];

/// Welds points that are added one after the other.
pub(super) struct Weld {
    /// The greatest distance of points that are one.
    near: f64,
    pub(super) points: Vec<[f32; 3]>,
    cells: HashMap<Cell, Vec<u32>>,
    /// Points that were added, by their bits: most are added several times.
    known: HashMap<[u32; 3], u32>,
}

impl Weld {
    pub(super) fn new(near: f32) -> Weld {
        Weld {
            near: f64::from(near),
            points: Vec::new(),
            cells: HashMap::default(),
            known: HashMap::default(),
        }
    }

    /// Returns the number of a point, which is that of an earlier one if one is near.
    pub(super) fn add(&mut self, point: [f32; 3]) -> u32 {
        let bits = point.map(f32::to_bits);
        if let Some(known) = self.known.get(&bits) {
            return *known;
        }
        let id = self.place(point);
        self.known.insert(bits, id);
        id
    }

    fn place(&mut self, point: [f32; 3]) -> u32 {
        let cell = point.map(|v| (f64::from(v) / self.near).floor() as i64);
        if let Some(known) = self.near(cell, point) {
            return known;
        }
        let id = self.points.len() as u32;
        self.points.push(point);
        self.cells.entry(cell).or_default().push(id);
        id
    }

    fn near(&self, [x, y, z]: Cell, point: [f32; 3]) -> Option<u32> {
        let distance = |id: &u32| {
            let other = self.points.get(*id as usize)?;
            let squares = other.iter().zip(point).map(|(a, b)| (f64::from(*a) - f64::from(b)).powi(2));
            Some(squares.sum::<f64>())
        };
        let steps = || -1i64..=1;
        let around = steps().flat_map(|i| steps().flat_map(move |j| steps().map(move |k| [i, j, k])));
        let cells = around.filter_map(|[i, j, k]| {
            self.cells.get(&[x.saturating_add(i), y.saturating_add(j), z.saturating_add(k)])
        });
        let most = self.near.powi(2);
        let all = cells.flatten().filter_map(|id| Some((distance(id)?, *id))).filter(|(d, _)| *d <= most);
        all.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, id)| id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_at_one_place_are_one() {
        let mut weld = Weld::new(NEAR);
        let added = [
            [1.0, 2.0, 3.0],
            [1.0, 2.0, 3.00005],
            [1.0, 2.0, 3.001],
            [0.99999, 2.0, 3.0],
            [-1e-5, 0.0, 0.0],
            [1e-5, -0.0, 0.0],
        ];
        assert_eq!(added.map(|p| weld.add(p)), [0, 0, 1, 0, 2, 2]);
        assert_eq!(weld.points[0], added[0]);
    }
}
