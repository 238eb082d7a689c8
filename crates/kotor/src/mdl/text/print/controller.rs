//! Prints controllers.

use galatea_text::{Notation, decimal_places, parse_f64, push_f32, push_int, push_rounded};

use super::Printer;
use crate::mdl::text::rotation::push_orientation;
use crate::mdl::text::words::{Class, controller_word};
use crate::mdl::{Interpolation, Node, Track, unpack_quaternion};

impl Printer<'_> {
    /// Prints the pose of the node header, unless a controller has it.
    pub(super) fn pose(&mut self, node: &Node) {
        let has = |kind: u32| node.controllers.list().iter().any(|c| c.kind == kind);
        if !has(8) && node.position != [0.0; 3] {
            self.floats(2, "position", &node.position);
        }
        let [w, x, y, z] = node.orientation;
        if !has(20) && node.orientation != [1.0, 0.0, 0.0, 0.0] {
            self.line(2, "orientation ");
            push_orientation(&mut self.out, [x, y, z, w]);
            self.end();
        }
    }

    /// Prints a controller of the model: one value, or keys if there are several.
    pub(super) fn constant(&mut self, track: &Track<'_>, class: Class) {
        let word = controller_word(track.kind, class);
        let one =
            track.times.iter().map(|t| t.to_bits()).eq([0]) && track.interpolation == Interpolation::Linear;
        match word {
            Some((name, _, width, _)) if one && track.width <= *width && track.width > 0 => {
                self.line(2, name);
                self.out.push(b' ');
                self.values(track, track.values, [0.0; 3]);
                self.end();
            }
            _ => self.keys(2, track, class, [0.0; 3]),
        }
    }

    pub(super) fn keys(&mut self, indent: usize, track: &Track<'_>, class: Class, rest: [f32; 3]) {
        match controller_word(track.kind, class) {
            Some((name, ..)) => self.line(indent, name),
            None => {
                self.line(indent, "controller");
                push_int(&mut self.out, track.kind);
            }
        }
        let bezier = track.interpolation == Interpolation::Bezier;
        self.out.extend_from_slice(if bezier { b"bezierkey\n" } else { b"key\n" });
        // The position at rest as it is parsed from the text.
        let mut printed = [0.0; 3];
        for (printed, v) in printed.iter_mut().zip(rest) {
            let mut digits = Vec::new();
            push_f32(&mut digits, v, Notation::Point);
            *printed = parse_f64(&digits).unwrap_or(0.0);
        }
        let per_key = if bezier { track.width * 3 } else { track.width };
        for (i, time) in track.times.iter().enumerate() {
            self.out.resize(self.out.len() + indent + 2, b' ');
            push_f32(&mut self.out, *time, Notation::Point);
            if per_key > 0 {
                self.out.push(b' ');
            }
            let values = track.values.get(i * per_key..(i + 1) * per_key).unwrap_or(&[]);
            self.values(track, values, printed);
            self.end();
        }
        self.line(indent, "endlist");
        self.end();
    }

    /// Prints the values of a key.
    pub(super) fn values(&mut self, track: &Track<'_>, values: &[f32], rest: [f64; 3]) {
        if track.kind == 20 {
            match (track.interpolation, values) {
                (Interpolation::Packed, [word]) => {
                    return push_orientation(&mut self.out, unpack_quaternion(word.to_bits()));
                }
                (Interpolation::Linear, [x, y, z, w]) => {
                    return push_orientation(&mut self.out, [*x, *y, *z, *w]);
                }
                _ => {}
            }
        }
        for (i, v) in values.iter().enumerate() {
            if i > 0 {
                self.out.push(b' ');
            }
            let base = rest.get(i).copied().unwrap_or(0.0);
            if base == 0.0 || !v.is_finite() {
                push_f32(&mut self.out, *v, Notation::Point);
            } else {
                self.sum(base, *v);
            }
        }
    }

    /// Prints a position of an animation: the sum of the position at rest and the key.
    pub(super) fn sum(&mut self, base: f64, v: f32) {
        let total = base + f64::from(v);
        let start = self.out.len();
        let mut places = decimal_places(v).max(decimal_places(base as f32)).min(15);
        loop {
            let printed = push_rounded(&mut self.out, total, places);
            if ((printed - base) as f32).to_bits() == v.to_bits() || places >= 17 {
                return;
            }
            self.out.truncate(start);
            places += 2;
        }
    }
}

/// Returns the printed position of a node: that of the controller, or of the header if there is none.
pub(super) fn printed_position(node: &Node) -> [f32; 3] {
    let finite = |p: [f32; 3]| p.map(|c| if c.is_finite() { c } else { 0.0 });
    match node.controllers.list().iter().rposition(|c| c.kind == 8).and_then(|i| node.controllers.track(i)) {
        Some(track) => {
            let one = track.times.iter().map(|t| t.to_bits()).eq([0])
                && track.interpolation == Interpolation::Linear;
            let value = track.values.first_chunk().copied().filter(|_| one && track.width == 3);
            finite(value.unwrap_or([0.0; 3]))
        }
        None if node.controllers.list().iter().any(|c| c.kind == 8) => [0.0; 3],
        None => finite(node.position),
    }
}
