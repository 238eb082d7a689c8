//! Particles of one emitter, simulated. The same seed always gives the same particles.

use galatea_scene::Random;
use glam::{Mat4, Vec3};

use super::emitter::{Course, Render, Settings, Update, flags};

/// Maximum number of particles of one emitter at a time.
pub(super) const MOST: usize = 4096;

/// Maximum number of particles of all emitters of a model at a time.
const ALL: usize = 1 << 18;

/// Returns how many of them each of this many emitters may have.
pub(super) fn share(emitters: usize) -> usize {
    (ALL / emitters.max(1)).clamp(1, MOST)
}

/// One particle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Particle {
    /// Its position, in the scene or in the emitter's space.
    pub(super) position: Vec3,
    pub(super) velocity: Vec3,
    pub(super) age: f32,
    /// Where it was emitted, and the z axis of the emitter then, of the length of a metre.
    origin: Vec3,
    axis: Vec3,
    /// Its own number from 0 to 1.
    pub(super) random: f32,
}

/// The particles of one emitter.
#[derive(Debug, Clone)]
pub(super) struct System {
    chance: Random,
    owed: f32,
    started: bool,
    limited: bool,
    /// How many may live at a time.
    most: usize,
    /// Where the emitter was.
    last: Option<Vec3>,
    particles: Vec<Particle>,
}

/// Returns whether particles of an emitter keep their place in the scene; others move with the emitter.
fn is_free(settings: &Settings) -> bool {
    let has = |flag: u32| settings.flags & flag != 0;
    let usual = matches!(settings.render, Render::Normal | Render::MotionBlur | Render::Linked);
    let free = (usual || has(flags::INHERIT_LOCAL)) && settings.update == Update::Fountain;
    settings.course.is_some() || free && !has(flags::INHERIT)
}

/// What an emitter meets in a step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Surroundings {
    /// The transform of the emitter.
    pub(super) world: Mat4,
    /// Where its target is.
    pub(super) target: Option<Vec3>,
    /// Whether it is seen.
    pub(super) seen: bool,
    /// Whether the animation has just detonated.
    pub(super) burst: bool,
}

impl System {
    pub(super) fn new(chance: Random, most: usize) -> Self {
        System { chance, owed: 0.0, started: false, limited: false, most, last: None, particles: Vec::new() }
    }

    pub(super) fn particles(&self) -> &[Particle] {
        &self.particles
    }

    /// Returns `true` if more were due than may live at a time.
    pub(super) fn is_limited(&self) -> bool {
        self.limited
    }

    /// Returns how many may live at a time.
    pub(super) fn most(&self) -> usize {
        self.most
    }

    /// Returns where a particle is in the scene.
    pub(super) fn place(&self, settings: &Settings, particle: &Particle, world: Mat4) -> Vec3 {
        if is_free(settings) { particle.position } else { world.transform_point3(particle.position) }
    }

    /// Returns the velocity of a particle in the scene.
    pub(super) fn velocity(&self, settings: &Settings, particle: &Particle, world: Mat4) -> Vec3 {
        if is_free(settings) { particle.velocity } else { world.transform_vector3(particle.velocity) }
    }

    /// Advances by a number of seconds: the living age and move, then others are emitted with the age 0.
    pub(super) fn advance(&mut self, settings: &Settings, around: &Surroundings, seconds: f32) {
        for particle in &mut self.particles {
            particle.age += seconds;
            match (settings.course, around.target) {
                (Some(course), Some(target)) => fly(particle, course, target, seconds),
                _ => fall(particle, settings, seconds),
            }
        }
        let arrived = |p: &Particle| around.target.is_some_and(|t| has_arrived(p, settings.course, t));
        self.particles.retain(|p| (settings.life < 0.0 || p.age < settings.life) && !arrived(p));
        let here = around.world.w_axis.truncate();
        let moved = self.last.map_or(Vec3::ZERO, |last| here - last);
        self.last = Some(here);
        let first = !self.started;
        self.started = true;
        if !around.seen || settings.life == 0.0 || settings.life.is_nan() {
            return;
        }
        let due = match settings.update {
            Update::Fountain => {
                let rate = settings.rate + self.chance.signed() * settings.random_rate;
                let unit = around.world.z_axis.truncate().length().max(f32::MIN_POSITIVE);
                let owed = rate * if settings.trail { moved.length() / unit } else { seconds };
                self.owed = if owed > 0.0 { (self.owed + owed).min(1e9) } else { self.owed };
                self.owed.floor()
            }
            Update::Single if first || settings.looped && self.particles.is_empty() => 1.0,
            Update::Explosion if around.burst => settings.rate.clamp(0.0, 1e9),
            Update::Single | Update::Explosion | Update::Lightning => 0.0,
        };
        self.owed = (self.owed - due).max(0.0);
        let births = (due as usize).min(self.most.saturating_sub(self.particles.len()));
        self.limited |= births < due as usize;
        let carried =
            if settings.flags & flags::INHERIT_VELOCITY != 0 { moved / seconds } else { Vec3::ZERO };
        for _ in 0..births {
            let mut particle = self.born(settings, around.world);
            if is_free(settings) && carried.is_finite() {
                particle.velocity += carried;
            }
            self.particles.push(particle);
        }
    }

    /// Emits a particle from the emitter's rectangle, along its z axis within the spread.
    fn born(&mut self, settings: &Settings, world: Mat4) -> Particle {
        let [width, height] = settings.area;
        let place = Vec3::new(self.chance.signed() * width / 2.0, self.chance.signed() * height / 2.0, 0.0);
        let (a, b) =
            (self.chance.signed() * settings.spread / 2.0, self.chance.signed() * settings.spread / 2.0);
        let direction = Vec3::new(libm::sinf(a), libm::sinf(b), libm::cosf(a) * libm::cosf(b));
        let velocity = direction * (settings.speed + self.chance.unit() * settings.random_speed);
        let (position, velocity) = if is_free(settings) {
            (world.transform_point3(place), world.transform_vector3(velocity))
        } else {
            (place, velocity)
        };
        let (origin, axis) = (position, world.z_axis.truncate());
        Particle { position, velocity, age: 0.0, origin, axis, random: self.chance.unit() }
    }
}

/// Moves a particle that flies freely.
fn fall(particle: &mut Particle, settings: &Settings, seconds: f32) {
    particle.position += particle.velocity * seconds;
    if settings.flags & flags::BOUNCE != 0 && is_free(settings) && particle.position.y < 0.0 {
        particle.position.y = 0.005;
        particle.velocity.y = particle.velocity.y.abs() * settings.bounce;
    }
}

/// Moves a particle on its way to a target.
fn fly(particle: &mut Particle, course: Course, target: Vec3, seconds: f32) {
    match course {
        Course::Pull { strength, drag, .. } => {
            let way = (target - particle.position).normalize_or_zero();
            particle.velocity += way * (strength * particle.axis.length() * seconds);
            particle.velocity *= (1.0 - seconds / (1.0 + drag.max(0.0))).max(0.0);
            particle.position += particle.velocity * seconds;
        }
        Course::Curve { handles: [first, second], seconds } => {
            let t = (particle.age / seconds).clamp(0.0, 1.0);
            let s = 1.0 - t;
            let (p, q) = (particle.origin, target);
            let (a, b) = (p + particle.axis * first, q - particle.axis * second);
            let place = p * (s * s * s) + a * (3.0 * s * s * t) + b * (3.0 * s * t * t) + q * (t * t * t);
            particle.velocity = (a - p) * (3.0 * s * s) + (b - a) * (6.0 * s * t) + (q - b) * (3.0 * t * t);
            particle.velocity /= seconds;
            particle.position = place;
        }
    }
}

/// Returns `true` if a particle has reached its target.
fn has_arrived(particle: &Particle, course: Option<Course>, target: Vec3) -> bool {
    match course {
        Some(Course::Pull { close, .. }) => {
            particle.position.distance(target) < close * particle.axis.length()
        }
        Some(Course::Curve { seconds, .. }) => particle.age >= seconds,
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mdl::{Model, Node};

    const HERE: Surroundings = Surroundings { world: Mat4::IDENTITY, target: None, seen: true, burst: false };

    fn fountain() -> Settings {
        Settings {
            rate: 8.0,
            life: 62.0 / 64.0,
            speed: 2.0,
            area: [2.0, 0.0],
            ..Settings::at(&Model::new("x"), &Node::default(), None, 0.0)
        }
    }

    fn after(settings: &Settings, steps: u32) -> System {
        let mut system = System::new(Random::new(1), MOST);
        for _ in 0..steps {
            system.advance(settings, &HERE, 1.0 / 64.0);
        }
        system
    }

    #[test]
    fn as_many_live_as_rate_times_life() {
        for steps in 64..130 {
            let system = after(&fountain(), steps);
            assert_eq!(system.particles().len(), if steps % 8 < 6 { 8 } else { 7 }, "{steps}");
            for particle in system.particles() {
                assert!(particle.position.x.abs() <= 1.0 && particle.position.z == 2.0 * particle.age);
            }
        }
    }

    #[test]
    fn a_single_particle_lives_for_ever_or_comes_again() {
        let single = Settings { update: Update::Single, life: -1.0, ..fountain() };
        assert_eq!(after(&single, 640).particles().len(), 1);
        let once = Settings { life: 0.5, ..single };
        assert_eq!([16, 40].map(|n| after(&once, n).particles().len()), [1, 0]);
        let again = Settings { looped: true, ..once };
        assert_eq!(after(&again, 40).particles().len(), 1);
    }

    #[test]
    fn explosions_wait_for_their_event() {
        let boom = Settings { update: Update::Explosion, ..fountain() };
        let mut system = after(&boom, 10);
        assert!(system.particles().is_empty());
        system.advance(&boom, &Surroundings { burst: true, ..HERE }, 1.0 / 64.0);
        assert_eq!(system.particles().len(), 8);
    }

    #[test]
    fn particles_fly_to_their_target() {
        let target = Vec3::new(4.0, 0.0, 2.0);
        let around = Surroundings { target: Some(target), ..HERE };
        let run = |course: Course, steps: u32| {
            let settings = Settings { course: Some(course), life: -1.0, area: [0.0; 2], ..fountain() };
            let mut system = System::new(Random::new(1), MOST);
            for _ in 0..steps {
                system.advance(&settings, &around, 1.0 / 64.0);
            }
            system
        };
        let curve = Course::Curve { handles: [1.0, 1.0], seconds: 1.0 };
        let oldest = |system: &System| system.particles().first().map(|p| (p.age, p.position));
        assert_eq!(oldest(&run(curve, 8 + 32)), Some((0.5, target / 2.0)));
        // Those that have arrived are gone: one is emitted every eighth of a second.
        assert_eq!(run(curve, 256).particles().len(), 8);
        let pull = Course::Pull { strength: 50.0, drag: 0.0, close: 0.5 };
        let system = run(pull, 256);
        assert!(!system.particles().is_empty() && system.particles().len() < 16);
        assert!(system.particles().iter().all(|p| p.position.distance(target) >= 0.5));
    }

    #[test]
    fn trails_are_emitted_by_the_way() {
        let trail = Settings { trail: true, life: -1.0, ..fountain() };
        let mut system = System::new(Random::new(1), MOST);
        for step in 0..=64u16 {
            let world = Mat4::from_translation(Vec3::X * f32::from(step) / 32.0);
            system.advance(&trail, &Surroundings { world, ..HERE }, 1.0 / 64.0);
        }
        assert_eq!(system.particles().len(), 16);
    }

    #[test]
    fn particles_inherit_what_their_flags_say() {
        let moved = Mat4::from_translation(Vec3::X);
        let after = |flags: u32, render: Render| {
            let settings = Settings { flags, render, rate: 64.0, speed: 0.0, area: [0.0; 2], ..fountain() };
            let mut system = System::new(Random::new(1), MOST);
            system.advance(&settings, &HERE, 1.0 / 64.0);
            system.advance(&settings, &Surroundings { world: moved, ..HERE }, 1.0 / 64.0);
            let at = |i: usize| {
                system.particles().get(i).map(|p| (system.place(&settings, p, moved).x, p.velocity.x))
            };
            (at(0), at(1))
        };
        assert_eq!(after(0, Render::Normal).0, Some((0.0, 0.0)));
        assert_eq!(after(flags::INHERIT, Render::Normal).0, Some((1.0, 0.0)));
        assert_eq!(after(0, Render::BillboardToLocalZ).0, Some((1.0, 0.0)));
        assert_eq!(after(flags::INHERIT_LOCAL, Render::BillboardToLocalZ).0, Some((0.0, 0.0)));
        assert_eq!(after(flags::INHERIT_VELOCITY, Render::Normal).1, Some((1.0, 64.0)));
    }

    #[test]
    fn absurd_emitters_hold_their_budget_and_tell() {
        for (rate, life) in [(1e9, 1e9), (1e9, -1.0), (f32::INFINITY, 1.0)] {
            let system = after(&Settings { rate, life, ..fountain() }, 64);
            assert!(system.particles().len() <= MOST && system.is_limited(), "{rate} {life}");
        }
        for (rate, life) in [(f32::NAN, 1.0), (8.0, f32::NAN), (-8.0, 1.0)] {
            assert!(
                after(&Settings { rate, life, ..fountain() }, 64).particles().is_empty(),
                "{rate} {life}"
            );
        }
    }
}
