//! Controllers: the animated and constant properties of a node.

use galatea_wire::{Error, Result, Wire};
use smallvec::{Array, SmallVec};

use super::wire::Controller;

/// The controllers of a node, in order. Up to two need no allocation.
pub type ControllerList = SmallVec<[Controller; 2]>;

/// The times and values of the controllers of a node. Up to twelve need no allocation: most nodes of animations have at
/// most two keys of a position and an orientation.
pub type ControllerData = SmallVec<[f32; 12]>;

/// The controllers of a node and the data they index, both as in the file: order, duplicates, unused data and packed
/// words are kept.
///
/// ```
/// use galatea_kotor::mdl::{Controller, Controllers};
/// let mut controllers = Controllers::default();
/// controllers.list_mut().push(Controller { kind: 36, rows: 1, data_index: 1, columns: 1, ..Controller::default() });
/// controllers.data_mut().extend([0.0, 2.5]);
/// assert_eq!((controllers.list().len(), controllers.data()), (1, &[0.0, 2.5][..]));
/// ```
#[derive(Debug, Clone, Default)]
pub struct Controllers {
    list: ControllerList,
    data: ControllerData,
}

impl Controllers {
    /// Replaces the controllers and their data by those in these bytes.
    pub(crate) fn decode(&mut self, list: &[u8], data: &[u8]) {
        decode_all(list, &mut self.list);
        decode_all(data, &mut self.data);
    }

    /// Returns the controllers, in order. A kind can occur twice.
    #[inline]
    pub fn list(&self) -> &[Controller] {
        &self.list
    }

    /// Returns times and values. A packed orientation is stored as the bits of a number.
    #[inline]
    pub fn data(&self) -> &[f32] {
        &self.data
    }

    /// Returns the controllers for changes.
    pub fn list_mut(&mut self) -> &mut ControllerList {
        &mut self.list
    }

    /// Returns times and values for changes.
    pub fn data_mut(&mut self) -> &mut ControllerData {
        &mut self.data
    }
}

/// Replaces values by those in these bytes.
#[inline]
fn decode_all<A: Array<Item: Wire>>(bytes: &[u8], values: &mut SmallVec<A>) {
    values.resize(bytes.len() / A::Item::SIZE, A::Item::ZERO);
    A::Item::get_all(bytes, values);
}

/// Interpolation between keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Interpolation {
    /// Linear.
    Linear,
    /// Cubic: every key has a value, an incoming and an outgoing tangent, relative to the value.
    Bezier,
    /// Linear, between orientations that are packed into one word each.
    Packed,
}

/// One controller with its keys.
#[derive(Debug, Clone, Copy)]
pub struct Track<'a> {
    /// The property.
    pub kind: u32,
    /// Interpolation between keys.
    pub interpolation: Interpolation,
    /// Components of a value: 3 for a position, 4 for an orientation (x, y, z, w), 1 for a packed orientation.
    pub width: usize,
    /// Time of each key, in seconds.
    pub times: &'a [f32],
    /// Values, key after key: `width` numbers each, three times as many for bezier.
    pub values: &'a [f32],
}

/// The orientation controller of every node.
pub(crate) const ORIENTATION: u32 = 20;

impl Controller {
    /// Returns whether keys have tangents.
    pub fn is_bezier(&self) -> bool {
        self.columns & 0x10 != 0
    }

    /// Returns whether keys are orientations packed into one word.
    pub fn is_packed(&self) -> bool {
        self.kind == ORIENTATION && self.columns == 2
    }

    /// Returns the size of a key in the data array.
    pub fn numbers_per_key(&self) -> usize {
        let columns = usize::from(self.columns & 0x0F);
        match (self.is_packed(), self.is_bezier()) {
            (true, _) => 1,
            (_, true) => columns * 3,
            _ => columns,
        }
    }
}

impl Controllers {
    /// Returns whether there are neither controllers nor data.
    pub fn is_empty(&self) -> bool {
        self.list().is_empty() && self.data().is_empty()
    }

    /// Returns the keys of the controller at an index; `None` if it points outside the data.
    pub fn track(&self, index: usize) -> Option<Track<'_>> {
        let controller = self.list().get(index)?;
        let rows = usize::from(controller.rows);
        let per_key = controller.numbers_per_key();
        let interpolation = match (controller.is_packed(), controller.is_bezier()) {
            (true, _) => Interpolation::Packed,
            (_, true) => Interpolation::Bezier,
            _ => Interpolation::Linear,
        };
        let width = if interpolation == Interpolation::Bezier { per_key / 3 } else { per_key };
        Some(Track {
            kind: controller.kind,
            interpolation,
            width,
            times: self.data().get(usize::from(controller.time_index)..)?.get(..rows)?,
            values: self.data().get(usize::from(controller.data_index)..)?.get(..rows * per_key)?,
        })
    }

    /// Returns all controllers with their keys, except those that point outside the data.
    pub fn tracks(&self) -> impl Iterator<Item = Track<'_>> {
        (0..self.list().len()).filter_map(|i| self.track(i))
    }

    /// Returns the first controller of a kind.
    ///
    /// ```
    /// use galatea_kotor::mdl::{Controllers, Interpolation};
    /// let mut controllers = Controllers::default();
    /// controllers.push(36, 0xFFFF, Interpolation::Linear, 1, &[0.0, 1.5], &[1.0, 2.0])?;
    /// assert_eq!(controllers.get(36).unwrap().values, [1.0, 2.0]);
    /// assert!(controllers.get(8).is_none());
    /// # Ok::<(), galatea_wire::Error>(())
    /// ```
    pub fn get(&self, kind: u32) -> Option<Track<'_>> {
        let index = self.list().iter().position(|c| c.kind == kind)?;
        self.track(index)
    }

    /// Adds a controller with `width` numbers per key (1 for packed orientations), three times as many for bezier.
    /// `target` is 0xFFFF, or in animations 16 for a position and 28 for an orientation.
    pub fn push(
        &mut self,
        kind: u32,
        target: u16,
        interpolation: Interpolation,
        width: usize,
        times: &[f32],
        values: &[f32],
    ) -> Result<()> {
        let per_key = if interpolation == Interpolation::Bezier { width * 3 } else { width };
        if values.len() != times.len() * per_key || width > 15 {
            return Err(Error::unrepresentable(format!(
                "controller {kind}: {} values for {} keys of {per_key}",
                values.len(),
                times.len()
            )));
        }
        let index = |n: usize| {
            u16::try_from(n).map_err(|_| {
                Error::unrepresentable(format!(
                    "controller {kind}: a node has room for 65,535 times and values"
                ))
            })
        };
        let controller = Controller {
            kind,
            target,
            rows: index(times.len())?,
            time_index: index(self.data().len())?,
            data_index: index(self.data().len() + times.len())?,
            columns: match interpolation {
                Interpolation::Linear => width as u8,
                Interpolation::Bezier => width as u8 | 0x10,
                Interpolation::Packed => 2,
            },
            padding: [0; 3],
        };
        self.list_mut().push(controller);
        self.data_mut().extend_from_slice(times);
        self.data_mut().extend_from_slice(values);
        Ok(())
    }

    /// Removes all controllers of a kind, and the data that no other controller uses.
    pub fn remove(&mut self, kind: u32) -> Result<()> {
        self.rebuild(|controllers, index, track| {
            if track.kind == kind {
                return Ok(());
            }
            controllers.push_like(index, track)
        })
    }

    /// Rebuilds the list and the data; `each` adds the controllers one by one.
    fn rebuild(
        &mut self,
        mut each: impl FnMut(&mut Self, &Controller, Track<'_>) -> Result<()>,
    ) -> Result<()> {
        let old = std::mem::take(self);
        for (index, controller) in old.list().iter().enumerate() {
            if let Some(track) = old.track(index)
                && let Err(error) = each(self, controller, track)
            {
                *self = old;
                return Err(error);
            }
        }
        Ok(())
    }

    fn push_like(&mut self, like: &Controller, track: Track<'_>) -> Result<()> {
        self.push(track.kind, like.target, track.interpolation, track.width, track.times, track.values)?;
        if let Some(added) = self.list_mut().last_mut() {
            added.padding = like.padding;
            added.columns = like.columns;
        }
        Ok(())
    }
}

/// Returns the orientation (x, y, z, w) that a packed word stands for.
///
/// If the first three are longer than 1, they are not changed and w is 0.
///
/// ```
/// use galatea_kotor::mdl::unpack_quaternion;
/// assert_eq!(unpack_quaternion(0x7FDF_FBFF), [0.0, 0.0, 0.0, 1.0]);
/// ```
pub fn unpack_quaternion(word: u32) -> [f32; 4] {
    let x = (word & 0x7FF) as f32 / 1023.0 - 1.0;
    let y = ((word >> 11) & 0x7FF) as f32 / 1023.0 - 1.0;
    let z = (word >> 22) as f32 / 511.0 - 1.0;
    let length = x * x + y * y + z * z;
    let w = if length < 1.0 { (1.0 - length).sqrt() } else { 0.0 };
    [x, y, z, w]
}

/// Returns the packed word nearest to an orientation (x, y, z, w). An orientation with negative w is negated first,
/// because w is not stored.
///
/// ```
/// use galatea_kotor::mdl::{pack_quaternion, unpack_quaternion};
/// assert_eq!(pack_quaternion(unpack_quaternion(0x1234_5678)), 0x1234_5678);
/// ```
pub fn pack_quaternion([x, y, z, w]: [f32; 4]) -> u32 {
    let sign = if w < 0.0 { -1.0 } else { 1.0 };
    let part = |c: f32, half: f32, most: u32| (((c * sign + 1.0) * half).round() as u32).min(most);
    part(x, 1023.0, 0x7FF) | part(y, 1023.0, 0x7FF) << 11 | part(z, 511.0, 0x3FF) << 22
}

/// Returns whether the game knows this controller on this kind of node.
pub(crate) fn known_kind(node: &super::Node, kind: u32) -> bool {
    let light = matches!(kind, 76 | 88 | 96 | 100 | 140);
    let emitter = (kind.is_multiple_of(4) && (80..=200).contains(&kind))
        || matches!(
            kind,
            216 | 220
                | 224
                | 228
                | 232
                | 236
                | 240
                | 252
                | 256
                | 260
                | 264
                | 268
                | 272
                | 284
                | 380
                | 392
                | 502
        );
    let mesh = matches!(kind, 100 | 128 | 132);
    matches!(kind, 8 | 20 | 36)
        || (light && node.light.is_some())
        || (emitter && node.emitter.is_some())
        || (mesh && node.mesh.is_some())
}
