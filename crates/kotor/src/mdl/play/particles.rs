//! Particles of one emitter, simulated. The same seed always gives the same particles.

use galatea_scene::Random;
use glam::{Mat4, Vec3};

use super::emitter::{Render, Settings, Update};

/// Maximum number of particles of one emitter at a time.
pub(super) const MOST: usize = 4096;

/// One particle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Particle {
    /// Its position, in the scene or in the emitter's space.
    pub(super) position: Vec3,
    pub(super) velocity: Vec3,
    pub(super) age: f32,
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
    particles: Vec<Particle>,
}

/// Returns whether particles of an emitter keep their place in the scene; others move with the emitter.
fn is_free(settings: &Settings) -> bool {
    let inherits = settings.flags & 0x40 != 0;
    let free = matches!(settings.render, Render::Normal | Render::MotionBlur | Render::Linked);
    free && !inherits && settings.update == Update::Fountain
}

impl System {
    pub(super) fn new(chance: Random) -> Self {
        System { chance, owed: 0.0, started: false, limited: false, particles: Vec::new() }
    }

    pub(super) fn particles(&self) -> &[Particle] {
        &self.particles
    }

    /// Returns `true` if more were due than may live at a time.
    pub(super) fn is_limited(&self) -> bool {
        self.limited
    }

    /// Returns where a particle is in the scene.
    pub(super) fn place(&self, settings: &Settings, particle: &Particle, world: Mat4) -> Vec3 {
        if is_free(settings) { particle.position } else { world.transform_point3(particle.position) }
    }

    /// Returns the velocity of a particle in the scene.
    pub(super) fn velocity(&self, settings: &Settings, particle: &Particle, world: Mat4) -> Vec3 {
        if is_free(settings) { particle.velocity } else { world.transform_vector3(particle.velocity) }
    }

    /// Advances by a number of seconds: the living age and move, then others are emitted with the age 0. `burst` says whether the
    /// animation has just detonated.
    pub(super) fn advance(
        &mut self,
        settings: &Settings,
        world: Mat4,
        seconds: f32,
        seen: bool,
        burst: bool,
    ) {
        for particle in &mut self.particles {
            particle.age += seconds;
            particle.position += particle.velocity * seconds;
            if settings.flags & 0x10 != 0 && is_free(settings) && particle.position.y < 0.0 {
                particle.position.y = 0.005;
                particle.velocity.y = particle.velocity.y.abs() * settings.bounce;
            }
        }
        self.particles.retain(|p| settings.life < 0.0 || p.age < settings.life);
        let first = !self.started;
        self.started = true;
        if !seen || settings.life == 0.0 || settings.life.is_nan() {
            return;
        }
        let due = match settings.update {
            Update::Fountain => {
                let rate = settings.rate + self.chance.signed() * settings.random_rate;
                let owed = rate * seconds;
                self.owed = if owed > 0.0 { (self.owed + owed).min(1e9) } else { self.owed };
                self.owed.floor()
            }
            Update::Single if first || settings.looped && self.particles.is_empty() => 1.0,
            Update::Explosion if burst => settings.rate.clamp(0.0, 1e9),
            Update::Single | Update::Explosion | Update::Lightning => 0.0,
        };
        self.owed = (self.owed - due).max(0.0);
        let births = (due as usize).min(MOST.saturating_sub(self.particles.len()));
        self.limited |= births < due as usize;
        for _ in 0..births {
            let particle = self.born(settings, world);
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
        Particle { position, velocity, age: 0.0, random: self.chance.unit() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mdl::{Model, Node};

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
        let mut system = System::new(Random::new(1));
        for _ in 0..steps {
            system.advance(settings, Mat4::IDENTITY, 1.0 / 64.0, true, false);
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
        system.advance(&boom, Mat4::IDENTITY, 1.0 / 64.0, true, true);
        assert_eq!(system.particles().len(), 8);
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
