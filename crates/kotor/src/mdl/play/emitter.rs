//! The settings of an emitter at a time, and the materials of its particles.

use galatea_scene::{AlphaMode, Material, Slot, Texture, Wrap, latin};

use crate::mdl::{Animation, Controllers, Emitter, Model, Node};

/// Bits of [`Emitter::flags`].
pub(super) mod flags {
    /// Particles fly to a target.
    pub(crate) const P2P: u32 = 0x1;
    /// They fly along a curve.
    pub(crate) const P2P_SELECT: u32 = 0x2;
    /// They bounce off the ground.
    pub(crate) const BOUNCE: u32 = 0x10;
    /// Each begins with a random frame.
    pub(crate) const RANDOM: u32 = 0x20;
    /// They move with the emitter.
    pub(crate) const INHERIT: u32 = 0x40;
    /// They are emitted with the velocity of the emitter added.
    pub(crate) const INHERIT_VELOCITY: u32 = 0x80;
    /// They keep their place in the world in render modes that usually move with the emitter.
    pub(crate) const INHERIT_LOCAL: u32 = 0x100;
}

/// How an emitter creates particles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Update {
    Fountain,
    Single,
    Explosion,
    Lightning,
}

/// How particles face.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Render {
    Normal,
    Linked,
    BillboardToLocalZ,
    BillboardToWorldZ,
    AlignedToWorldZ,
    AlignedToParticleDir,
    MotionBlur,
}

/// The settings of an emitter at a time.
#[derive(Debug, Clone)]
pub(super) struct Settings {
    pub(super) update: Update,
    pub(super) render: Render,
    pub(super) flags: u32,
    pub(super) looped: bool,
    pub(super) rate: f32,
    pub(super) random_rate: f32,
    /// Seconds a particle lives; negative for ever.
    pub(super) life: f32,
    pub(super) speed: f32,
    pub(super) random_speed: f32,
    pub(super) spread: f32,
    /// Sides of the emitting rectangle in metres.
    pub(super) area: [f32; 2],
    pub(super) rotation: f32,
    pub(super) blur: f32,
    pub(super) bounce: f32,
    pub(super) fps: f32,
    pub(super) frames: [f32; 2],
    pub(super) grid: [u32; 2],
    pub(super) percents: [f32; 3],
    pub(super) sizes: [f32; 3],
    pub(super) heights: [f32; 3],
    pub(super) alphas: [f32; 3],
    pub(super) colors: [[f32; 3]; 3],
    /// Delay, radius, width and joints of lightning.
    pub(super) lightning: [f32; 4],
    /// How particles fly to a target; `None` unless they do.
    pub(super) course: Option<Course>,
    /// Particles are emitted per metre that the emitter moves, not per second.
    pub(super) trail: bool,
}

/// How particles fly from an emitter to its target.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Course {
    /// Pulled towards the target with an acceleration and slowed by drag, until they are as close as the last value.
    Pull { strength: f32, drag: f32, close: f32 },
    /// Along a cubic curve, whose handles have these lengths along the emitter's z axis, in this many seconds.
    Curve { handles: [f32; 2], seconds: f32 },
}

/// Reads controllers: the keys of an animation, else the constants of the node.
struct Values<'a> {
    own: &'a Controllers,
    moved: Option<&'a Controllers>,
    time: f32,
}

impl Values<'_> {
    fn find(&self, kind: u32) -> Option<[f32; 4]> {
        let moved = self.moved.and_then(|c| c.get(kind)).and_then(|track| track.sample(self.time));
        moved.or_else(|| self.own.get(kind)?.sample(0.0))
    }

    fn one(&self, kind: u32) -> f32 {
        self.find(kind).map_or(0.0, |[v, ..]| v)
    }

    fn three(&self, kinds: [u32; 3]) -> [f32; 3] {
        let [start, mid, end] = kinds.map(|kind| self.find(kind).map(|[v, ..]| v));
        let (start, end) = (start.unwrap_or(0.0), end.or(start).unwrap_or(0.0));
        [start, mid.unwrap_or((start + end) / 2.0), end]
    }

    fn color(&self, kind: u32) -> Option<[f32; 3]> {
        self.find(kind).map(|[r, g, b, _]| [r, g, b])
    }
}

impl Settings {
    /// Returns the settings of an emitter node. Nodes of animations have no parts, so the node of the model tells what their
    /// controllers mean.
    pub(super) fn at(model: &Model, node: &Node, animation: Option<&Animation>, time: f32) -> Settings {
        let same = |n: &&Node| n.number == node.number && model.name_of(n) == model.name_of(node);
        let moved = animation.and_then(|a| a.nodes.iter().find(same)).map(|n| &n.controllers);
        let length = animation.map_or(0.0, |a| a.length);
        let time = if length > 0.0 { time % length } else { time };
        let values = Values { own: &node.controllers, moved, time };
        let usual = Emitter::default();
        let emitter = node.emitter.as_deref().unwrap_or(&usual);
        let start = values.color(392).unwrap_or([1.0; 3]);
        let end = values.color(380).unwrap_or(start);
        let mut middle = start;
        middle.iter_mut().zip(end).for_each(|(m, e)| *m = (*m + e) / 2.0);
        let course = if emitter.flags & flags::P2P == 0 {
            None
        } else if emitter.flags & flags::P2P_SELECT == 0 {
            let [strength, drag, close] = [116, 100, 164].map(|kind| values.one(kind));
            Some(Course::Pull { strength, drag, close })
        } else {
            let [first, second, seconds] = [128, 132, 96].map(|kind| values.one(kind));
            Some(Course::Curve {
                handles: [first, second],
                seconds: if seconds > 0.0 { seconds } else { 1.0 },
            })
        };
        let percents = [220, 224, 228].map(|kind| values.find(kind).map(|[v, ..]| v));
        Settings {
            update: update(emitter),
            render: render(emitter),
            flags: emitter.flags,
            looped: emitter.looped != 0,
            rate: values.one(88),
            random_rate: values.one(240),
            life: values.one(120),
            speed: values.one(168),
            random_speed: values.one(140),
            spread: values.one(160),
            area: [values.one(172) / 100.0, values.one(176) / 100.0],
            rotation: values.one(136),
            blur: values.one(180),
            bounce: values.one(92),
            fps: values.one(104),
            frames: [values.one(112), values.one(108)],
            grid: [emitter.x_grid.max(1), emitter.y_grid.max(1)],
            percents: if percents == [None; 3] {
                [0.0, 0.5, 1.0]
            } else {
                percents.map(|p| p.unwrap_or(0.0))
            },
            sizes: values.three([144, 232, 148]),
            heights: values.three([152, 236, 156]),
            alphas: values.three([84, 216, 80]),
            colors: [start, values.color(284).unwrap_or(middle), end],
            lightning: [184, 188, 192, 196].map(|kind| values.one(kind)),
            course,
            trail: emitter.spawn_type == 1,
        }
    }

    /// Returns the seconds after which the clock of a particle starts again that never dies.
    fn period(&self) -> f32 {
        let [from, to] = self.frames;
        if self.fps > 0.0 { ((to - from).max(0.0) + 1.0) / self.fps } else { 0.0 }
    }

    /// Returns the part of its life that a particle has lived.
    pub(super) fn fraction(&self, age: f32) -> f32 {
        if self.life >= 0.0 {
            return if self.life > 0.0 { (age / self.life).clamp(0.0, 1.0) } else { 0.0 };
        }
        let period = self.period();
        if period > 0.0 { age % period / period } else { 0.0 }
    }

    /// Returns the weights of start, middle and end for a part of a particle's life: start until the first percentage, middle at
    /// the second, end from the third on.
    pub(super) fn ramp(&self, f: f32) -> [f32; 3] {
        let [start, middle, end] = self.percents;
        let between = |a: f32, b: f32| if b > a { ((f - a) / (b - a)).clamp(0.0, 1.0) } else { 1.0 };
        if f < middle {
            let s = if f <= start { 0.0 } else { between(start, middle) };
            [1.0 - s, s, 0.0]
        } else {
            let s = between(middle, end);
            [0.0, 1.0 - s, s]
        }
    }

    /// Returns the frame of the texture that a particle shows. `random` is its own number from 0 to 1.
    pub(super) fn frame(&self, age: f32, random: f32) -> u32 {
        let [from, to] = self.frames.map(|f| if f.is_finite() { f.clamp(0.0, 65_535.0) } else { 0.0 });
        let count = (to - from).abs().floor() + 1.0;
        let first = from.min(to);
        let shift = if self.flags & flags::RANDOM != 0 { (random * count).floor() } else { 0.0 };
        let step = if self.fps > 0.0 { (age * self.fps).floor() } else { 0.0 };
        let frame = (first + (step + shift) % count) as u32;
        let [columns, rows] = self.grid;
        frame.min(columns.saturating_mul(rows).saturating_sub(1))
    }

    /// Returns the corners of a frame in the texture, row after row from the top: left, top, right, bottom.
    pub(super) fn cell(&self, frame: u32) -> [f32; 4] {
        let [columns, rows] = self.grid;
        let (column, row) = ((frame % columns) as f32, (frame / columns) as f32);
        let (width, height) = (1.0 / columns as f32, 1.0 / rows as f32);
        [column * width, row * height, (column + 1.0) * width, (row + 1.0) * height]
    }
}

fn is(text: &[u8], word: &str) -> bool {
    let plain = |bytes: &[u8]| -> Vec<u8> {
        bytes.iter().filter(|b| b.is_ascii_alphanumeric()).map(u8::to_ascii_lowercase).collect()
    };
    plain(text) == plain(word.as_bytes())
}

fn update(emitter: &Emitter) -> Update {
    let words =
        [("single", Update::Single), ("explosion", Update::Explosion), ("lightning", Update::Lightning)];
    let found = words.into_iter().find(|(word, _)| is(emitter.update.bytes(), word));
    found.map_or(Update::Fountain, |(_, update)| update)
}

fn render(emitter: &Emitter) -> Render {
    let words = [
        ("linked", Render::Linked),
        ("billboard_to_local_z", Render::BillboardToLocalZ),
        ("billboard_to_world_z", Render::BillboardToWorldZ),
        ("aligned_to_world_z", Render::AlignedToWorldZ),
        ("aligned_to_particle_dir", Render::AlignedToParticleDir),
        ("motion_blur", Render::MotionBlur),
    ];
    let found = words.into_iter().find(|(word, _)| is(emitter.render.bytes(), word));
    found.map_or(Render::Normal, |(_, render)| render)
}

/// Returns the material of an emitter's particles.
pub(super) fn material(name: &str, emitter: &Emitter) -> Material {
    let blend = emitter.blend.bytes();
    Material {
        alpha: if is(blend, "lighten") {
            AlphaMode::Additive
        } else if is(blend, "punchthrough") {
            AlphaMode::Mask { cutoff: 0.5 }
        } else {
            AlphaMode::Blend
        },
        ..sprite_material(name, &latin(emitter.texture.bytes()))
    }
}

/// Returns the material of a lens flare.
pub(super) fn flare_material(texture: &str) -> Material {
    Material { alpha: AlphaMode::Additive, ..sprite_material(texture, texture) }
}

fn sprite_material(name: &str, texture: &str) -> Material {
    let named = !texture.is_empty() && !texture.eq_ignore_ascii_case("null");
    let texture =
        Texture { slot: Slot::Base, name: texture.to_owned(), wrap: [Wrap::Clamp; 2], ..Texture::default() };
    Material {
        name: name.to_owned(),
        two_sided: true,
        unlit: true,
        textures: if named { vec![texture] } else { Vec::new() },
        ..Material::default()
    }
}

/// Returns `true` if an animation has the event `detonate` between two times.
pub(super) fn detonates(animation: &Animation, from: f32, to: f32) -> bool {
    let length = animation.length;
    let turn = |t: f32| if length > 0.0 { t.max(0.0) % length } else { t };
    let (from, to) = (if from <= 0.0 { -1.0 } else { turn(from) }, turn(to));
    let named = animation.events.iter().filter(|e| is(e.name.bytes(), "detonate"));
    let passed = |t: f32| if from <= to { from < t && t <= to } else { t > from || t <= to };
    named.map(|e| e.time).any(passed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> Settings {
        Settings::at(&Model::new("x"), &Node::default(), None, 0.0)
    }

    #[test]
    fn ramps_have_their_middle_at_the_second_percentage() {
        let at = |percents: [f32; 3], f: f32| Settings { percents, ..settings() }.ramp(f);
        assert_eq!(at([0.0, 0.4, 1.0], 0.2), [0.5, 0.5, 0.0]);
        let [start, middle, end] = at([0.0, 0.4, 1.0], 0.7);
        assert!(start == 0.0 && (middle - 0.5).abs() < 1e-6 && (end - 0.5).abs() < 1e-6);
        assert_eq!(at([0.0, 0.0, 1.0], 0.5), [0.0, 0.5, 0.5]);
        assert_eq!(at([0.0, 0.0, 1.0], 0.0), [0.0, 1.0, 0.0]);
    }

    #[test]
    fn frames_go_row_by_row_from_the_top() {
        let four = Settings { grid: [4, 4], frames: [6.0, 6.0], ..settings() };
        assert_eq!(four.cell(four.frame(0.0, 0.0)), [0.5, 0.25, 0.75, 0.5]);
        let all = Settings { frames: [1.0, 16.0], fps: 4.0, ..four };
        assert_eq!([0.0, 0.25, 3.75, 4.0].map(|t| all.frame(t, 0.0)), [1, 2, 15, 1]);
        let random = Settings { fps: 0.0, flags: 0x20, ..all };
        assert_eq!([0.0, 0.5].map(|r| random.frame(9.0, r)), [1, 9]);
    }

    #[test]
    fn words_are_known_however_they_are_written() {
        let emitter = |blend: &[u8]| Emitter {
            blend: galatea_wire::Text::new(blend).unwrap_or_default(),
            ..Emitter::default()
        };
        let mask = AlphaMode::Mask { cutoff: 0.5 };
        assert_eq!(material("", &emitter(b"Punch-Through")).alpha, mask);
        assert_eq!(material("", &emitter(b"PunchThrough")).alpha, mask);
        assert_eq!(material("", &emitter(b"Lighten")).alpha, AlphaMode::Additive);
        assert_eq!(material("", &emitter(b"Normal")).alpha, AlphaMode::Blend);
    }
}
