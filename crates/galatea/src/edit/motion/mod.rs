//! Another place, direction or side: `--move`, `--rotate` and `--mirror`, with all that depends on it.

#[cfg(feature = "fox")]
mod fox;
#[cfg(feature = "kotor")]
mod kotor;
#[cfg(feature = "kotor")]
mod walkmesh;
#[cfg(feature = "mdlx")]
mod warcraft;

use super::documents::not_for;
use super::{EditOptions, Refusal};
use crate::Document;

/// An axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Axis {
    /// The first.
    X,
    /// The second.
    Y,
    /// The third.
    Z,
}

impl Axis {
    /// All axes with their names.
    pub const ALL: [(Axis, &'static str); 3] = [(Axis::X, "x"), (Axis::Y, "y"), (Axis::Z, "z")];

    /// Returns the name.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(axis, _)| *axis == self).map_or("", |(_, name)| name)
    }
}

/// What keeps all lengths: a rotation or a reflection, then an offset.
#[derive(Debug, Clone, Copy)]
pub(super) struct Motion {
    /// Rows.
    turn: [[f32; 3]; 3],
    offset: [f32; 3],
}

impl Motion {
    pub(super) fn by(offset: [f32; 3]) -> Motion {
        Motion { turn: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], offset }
    }

    pub(super) fn about(axis: Axis, degrees: f32) -> Motion {
        // Quarters of a turn are exact.
        let (sine, cosine) = match degrees.rem_euclid(360.0) {
            0.0 => (0.0, 1.0),
            90.0 => (1.0, 0.0),
            180.0 => (0.0, -1.0),
            270.0 => (-1.0, 0.0),
            other => f64::from(other).to_radians().sin_cos(),
        };
        let (s, c) = (sine as f32, cosine as f32);
        let turn = match axis {
            Axis::X => [[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]],
            Axis::Y => [[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]],
            Axis::Z => [[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]],
        };
        Motion { turn, offset: [0.0; 3] }
    }

    pub(super) fn across(axis: Axis) -> Motion {
        let mut motion = Motion::by([0.0; 3]);
        let [[x, ..], [_, y, _], [.., z]] = &mut motion.turn;
        match axis {
            Axis::X => *x = -1.0,
            Axis::Y => *y = -1.0,
            Axis::Z => *z = -1.0,
        }
        motion
    }

    fn is_move(&self) -> bool {
        self.turn == Motion::by([0.0; 3]).turn
    }

    fn is_mirror(&self) -> bool {
        self.side() < 0.0
    }

    /// 1 for rotations, -1 for reflections.
    fn side(&self) -> f32 {
        let [[a, b, c], [d, e, f], [g, h, i]] = self.turn;
        if a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g) < 0.0 { -1.0 } else { 1.0 }
    }

    /// Returns `true` if axes become axes.
    fn is_straight(&self) -> bool {
        self.turn.iter().flatten().all(|value| matches!(value.abs(), 0.0 | 1.0))
    }

    fn vector(&self, [x, y, z]: [f32; 3]) -> [f32; 3] {
        if self.is_move() {
            return [x, y, z];
        }
        // An axis that becomes an axis keeps its bits.
        self.turn.map(|[a, b, c]| {
            [(a, x), (b, y), (c, z)]
                .into_iter()
                .filter(|(factor, _)| *factor != 0.0)
                .map(|(f, v)| f * v)
                .sum()
        })
    }

    fn point(&self, point: [f32; 3]) -> [f32; 3] {
        let [x, y, z] = self.vector(point);
        let [a, b, c] = self.offset;
        [x + a, y + b, z + c]
    }

    /// Returns what a scale along the axes becomes.
    fn scale(&self, [x, y, z]: [f32; 3]) -> [f32; 3] {
        self.turn.map(|[a, b, c]| a * a * x + b * b * y + c * c * z)
    }

    /// Returns what the rotation x, y, z, w becomes if everything else moves as well.
    fn rotation(&self, [x, y, z, w]: [f32; 4]) -> [f32; 4] {
        let [a, b, c] = self.vector([x, y, z]).map(|value| value * self.side());
        [a, b, c, w]
    }

    /// Returns the rotation itself: x, y, z, w.
    fn quaternion(&self) -> [f32; 4] {
        let [x, y, z] = self.turn;
        let column = |i: usize| [x, y, z].map(|row| row.get(i).copied().unwrap_or(0.0));
        let [a, b, c] = [column(0), column(1), column(2)].map(glam::Vec3::from);
        let turn = glam::Quat::from_mat3(&glam::Mat3::from_cols(a, b, c)).normalize();
        // Of two that are the same rotation the one whose way back is its own: signs of rotations come back, too.
        (if turn.w < 0.0 { -turn } else { turn }).to_array()
    }

    /// Changes the corners of a box, unless it is around nothing.
    fn aabb(&self, min: &mut [f32; 3], max: &mut [f32; 3]) {
        /// Numbers from here on mark boxes around nothing.
        const NOWHERE: f32 = 1e9;
        let nothing = min.iter().zip(max.iter()).any(|(min, max)| min > max || min.abs() > NOWHERE);
        if nothing || (*min, *max) == ([0.0; 3], [0.0; 3]) {
            return;
        }
        let ([a, b, c], [d, e, f]) = (*min, *max);
        (*min, *max) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
        for i in 0..8 {
            let corner = [
                if i & 1 == 0 { a } else { d },
                if i & 2 == 0 { b } else { e },
                if i & 4 == 0 { c } else { f },
            ];
            for ((min, max), value) in min.iter_mut().zip(max.iter_mut()).zip(self.point(corner)) {
                *min = min.min(value);
                *max = max.max(value);
            }
        }
    }

    fn length(&self) -> f32 {
        self.offset.iter().map(|value| value * value).sum::<f32>().sqrt()
    }
}

/// Returns the product of two rotations x, y, z, w.
fn product(a: [f32; 4], b: [f32; 4]) -> [f32; 4] {
    let ([ax, ay, az, aw], [bx, by, bz, bw]) = (a, b);
    [
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    ]
}

/// Moves a whole document; returns how many parts have a place.
pub(super) fn apply(
    document: &mut dyn Document,
    motion: &Motion,
    options: &EditOptions<'_>,
) -> Result<usize, Refusal> {
    if motion.is_move() && motion.offset == [0.0; 3] {
        return Ok(0);
    }
    let any = document.as_any_mut();
    let lossy = options.lossy;
    #[cfg(feature = "mdlx")]
    if let Some(model) = any.downcast_mut::<crate::mdlx::Model>() {
        refuse(warcraft::losses(model, motion), lossy)?;
        warcraft::apply(model, motion);
        return Ok(1);
    }
    #[cfg(feature = "kotor")]
    if let Some(model) = any.downcast_mut::<crate::kotor::mdl::Model>() {
        refuse(kotor::losses(model, motion), lossy)?;
        kotor::apply(model, motion);
        return Ok(1);
    }
    #[cfg(feature = "kotor")]
    if let Some(walkmesh) = any.downcast_mut::<crate::kotor::bwm::Walkmesh>() {
        walkmesh::apply(walkmesh, motion);
        return Ok(1);
    }
    #[cfg(feature = "fox")]
    if let Some(model) = any.downcast_mut::<crate::fox::Fmdl>() {
        refuse(fox::losses(model, motion), lossy)?;
        fox::apply(model, motion);
        return Ok(1);
    }
    let _ = (any, lossy, refuse);
    Err(not_for(document, "models and walkmeshes of games are moved: mdl, mdx, fmdl, wok, pwk and dwk"))
}

fn refuse(losses: Vec<String>, lossy: bool) -> Result<(), Refusal> {
    if losses.is_empty() || lossy { Ok(()) } else { Err(Refusal::Loses { what: losses }) }
}
