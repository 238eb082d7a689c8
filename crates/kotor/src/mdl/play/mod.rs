//! Playback of what a scene does not hold: emitters, lens flares, swinging meshes and moving texture coordinates, as a
//! [`Frame`].
//!
//! Public players of these games disagree on much of it; what they agree on is done here, and the rest is stated where it is
//! decided. Mass and wind have no effect, and danglymeshes are an approximation.

mod emitter;
mod particles;
mod sprites;

use galatea_scene::{
    Frame, Instant, Marker, MarkerKind, Material, MaterialId, Performance, PlainPerformance, Pose, Random,
    Scene, Shown, Sprite,
};
use glam::{Mat4, Vec3};

use self::emitter::{Settings, material};
use self::particles::{Surroundings, System};
use self::sprites::{Space, particle_sprites};
use super::{Model, NodeId};
use crate::extra::latin;

/// Steps of a second. A power of two, so that sums of steps are exact.
const STEPS_PER_SECOND: f32 = 64.0;
/// Maximum number of steps of one simulation: five minutes.
const STEPS: u32 = 64 * 300;
/// Emitters that are run; those after them emit nothing.
const EMITTERS: usize = 1024;
/// Steps times nodes that a simulation may take.
const WORK: u32 = 1 << 23;
/// Texture coordinates per second and unit of a mesh's direction.
const UV_SPEED: f32 = 250.0;

/// A model that plays.
#[derive(Debug)]
pub struct ModelPerformance<'a> {
    model: &'a Model,
    /// The nodes that emit, each with its material.
    emitters: Vec<(NodeId, u32)>,
    /// The lights with a lens flare, each with its material.
    flares: Vec<(NodeId, u32)>,
    added: Vec<Material>,
    run: Option<Run>,
    seed: u64,
}

/// The state of all emitters and swinging meshes after some steps.
#[derive(Debug, Clone)]
struct Run {
    clip: Option<usize>,
    step: u32,
    late: bool,
    systems: Vec<System>,
    swings: Vec<Swing>,
}

/// A danglymesh: how far it lags behind its node.
#[derive(Debug, Clone, Copy)]
struct Swing {
    node: NodeId,
    last: Option<Vec3>,
    offset: Vec3,
    velocity: Vec3,
}

impl<'a> ModelPerformance<'a> {
    /// Prepares a model to play as this scene, which [`Model::to_scene`] made from it.
    pub fn new(model: &'a Model, scene: &Scene) -> Self {
        let mut out = ModelPerformance {
            model,
            emitters: Vec::new(),
            flares: Vec::new(),
            added: Vec::new(),
            run: None,
            seed: 0,
        };
        let next = |added: &Vec<Material>| (scene.materials.len() + added.len()) as u32;
        for (id, node) in (0..).zip(&model.nodes) {
            if let Some(emitter) = node.emitter.as_deref().filter(|_| out.emitters.len() < EMITTERS) {
                out.emitters.push((id, next(&out.added)));
                out.added.push(material(&latin(model.name_of(node)), emitter));
            }
            if let Some(light) = node.light.as_deref()
                && let Some(texture) = light.flare_textures.first()
            {
                out.flares.push((id, next(&out.added)));
                out.added.push(emitter::flare_material(&latin(&texture.0)));
            }
        }
        out
    }

    fn start(&self, clip: Option<usize>) -> Run {
        let swings = (0..).zip(&self.model.nodes);
        let swings = swings.filter(|(_, n)| n.mesh.as_deref().is_some_and(|m| m.dangly.is_some()));
        let still = |node| Swing { node, last: None, offset: Vec3::ZERO, velocity: Vec3::ZERO };
        Run {
            clip,
            step: 0,
            late: false,
            systems: (1u64..)
                .zip(&self.emitters)
                .map(|(own, _)| {
                    let chance = Random::new(self.seed.wrapping_mul(EMITTERS as u64).wrapping_add(own));
                    System::new(chance, particles::share(self.emitters.len()))
                })
                .collect(),
            swings: swings.map(|(id, _)| still(id)).collect(),
        }
    }

    /// Advances a simulation to a time, from one seconds before.
    fn take(&self, run: &mut Run, scene: &Scene, now: f32, seconds: f32) {
        let pose = pose(scene, run.clip, now);
        let animation = self.animation(scene, run.clip);
        for ((id, _), system) in self.emitters.iter().zip(&mut run.systems) {
            let Some(node) = self.model.nodes.get(*id as usize) else { continue };
            let settings = Settings::at(self.model, node, animation, now);
            let world = pose.world_of(id + 1);
            let seen = pose.visible.get(*id as usize + 1).copied().unwrap_or(true);
            let burst = animation.is_some_and(|a| emitter::detonates(a, now - seconds, now));
            let target = self.target(node).map(|id| pose.world_of(id + 1).w_axis.truncate());
            system.advance(&settings, &Surroundings { world, target, seen, burst }, seconds);
        }
        for swing in &mut run.swings {
            let dangly =
                self.model.nodes.get(swing.node as usize).and_then(|n| n.mesh.as_deref()?.dangly.as_deref());
            if let Some(dangly) = dangly {
                let here = pose.world_of(swing.node + 1).w_axis.truncate();
                swing.advance(here, [dangly.displacement, dangly.tightness, dangly.period], seconds);
            }
        }
    }

    fn animation(&self, scene: &Scene, clip: Option<usize>) -> Option<&'a super::Animation> {
        let name = clip.and_then(|i| scene.clips.get(i)).map(|c| c.name.as_str())?;
        self.model.animations.iter().find(|a| latin(a.name.bytes()).eq_ignore_ascii_case(name))
    }

    /// Returns the emitters at a time.
    fn simulated(&mut self, scene: &Scene, at: &Instant) -> Run {
        let time = if at.time.is_finite() { at.time.clamp(0.0, 1e6) } else { 0.0 };
        let whole = (time * STEPS_PER_SECOND) as u32;
        let known = self.run.take().filter(|run| run.clip == at.clip && run.step <= whole);
        let mut run = known.unwrap_or_else(|| self.start(at.clip));
        if run.systems.is_empty() && run.swings.is_empty() {
            return run;
        }
        let most = STEPS.min(WORK / (scene.nodes.len() as u32).max(1)).max(1);
        if whole.saturating_sub(run.step) > most {
            run.late = true;
            run.step = whole - most;
        }
        while run.step < whole {
            run.step += 1;
            let now = run.step as f32 / STEPS_PER_SECOND;
            self.take(&mut run, scene, now, 1.0 / STEPS_PER_SECOND);
        }
        let mut now = run.clone();
        self.run = Some(run);
        let rest = time - whole as f32 / STEPS_PER_SECOND;
        if rest > 0.0 {
            self.take(&mut now, scene, time, rest);
        }
        now
    }

    fn add_emitters(&self, frame: &mut Frame, scene: &Scene, run: &Run, at: &Instant) {
        let space = Space::new(scene, at.camera);
        let animation = self.animation(scene, run.clip);
        for ((id, material), system) in self.emitters.iter().zip(&run.systems) {
            let Some((node, emitter)) =
                self.model.nodes.get(*id as usize).and_then(|n| Some((n, n.emitter.as_deref()?)))
            else {
                continue;
            };
            let settings = Settings::at(self.model, node, animation, at.time);
            let world = frame.pose.world_of(id + 1);
            let chunk = latin(emitter.chunk.bytes());
            if !chunk.is_empty() && !chunk.eq_ignore_ascii_case("null") {
                let place = |p: &particles::Particle| system.place(&settings, p, world).to_array();
                let mark = |place| Marker { kind: MarkerKind::Model, name: chunk.clone(), place };
                frame.markers.extend(system.particles().iter().map(|p| mark(place(p))));
                continue;
            }
            let target = self.target(node).map(|id| frame.pose.world_of(id + 1).w_axis.truncate());
            let parts = sprites::Parts { emitter, settings: &settings, world, target, material: *material };
            particle_sprites(&mut frame.sprites, system, &parts, &space, at.time);
            if system.is_limited() {
                frame.notes.push(format!(
                    "emitter {:?}: more is emitted than the {} that are drawn at a time",
                    latin(self.model.name_of(node)),
                    system.most()
                ));
            }
        }
        if run.late {
            frame.notes.push(
                "effects are simulated for the last minutes only, not from the start of the clip".into(),
            );
        }
    }

    /// Returns the child that an emitter aims at.
    fn target(&self, node: &super::Node) -> Option<NodeId> {
        let aims = |id: &NodeId| {
            let child = self.model.nodes.get(*id as usize);
            child.is_some_and(|n| n.mesh.is_none() && n.emitter.is_none() && n.light.is_none())
        };
        node.children.iter().copied().find(aims)
    }

    /// Adds the first flare of each light: a quad of a fifth of its size in the color of the light.
    fn add_flares(&self, frame: &mut Frame, scene: &Scene, at: &Instant) {
        let space = Space::new(scene, at.camera);
        for (id, material) in &self.flares {
            let Some(node) = self.model.nodes.get(*id as usize) else { continue };
            let size = node.light.as_deref().and_then(|l| l.flare_sizes.first()).copied().unwrap_or(0.0);
            let light = scene.node(id + 1).and_then(|n| scene.lights.get(n.light? as usize));
            let [r, g, b] = light.map_or([1.0; 3], |l| l.color);
            let half = 0.1 * size * space.unit;
            let place = frame.pose.world_of(id + 1).w_axis.truncate();
            let corners = sprites::quad(place, space.right * half, space.up * half);
            frame.sprites.push(Sprite {
                corners,
                uvs: sprites::WHOLE,
                color: [r, g, b, 0.5],
                material: *material,
                order: 0,
            });
        }
    }

    /// Moves the texture coordinates of meshes that say so.
    fn move_textures(&self, frame: &mut Frame, scene: &Scene, time: f32) {
        for (id, node) in (0u32..).zip(&self.model.nodes) {
            let Some(mesh) = node.mesh.as_deref().filter(|m| m.animate_uv == 1) else { continue };
            let mesh_id = scene.node(id + 1).and_then(|n| n.mesh);
            let primitives =
                mesh_id.and_then(|m| scene.meshes.get(m as usize)).map(|m| m.primitives.as_slice());
            for material in primitives.unwrap_or_default().iter().filter_map(|p| p.material) {
                let Some(state) = frame.materials.get_mut(material as usize) else { continue };
                let [u, v] = mesh.uv_direction.map(|d| (d * UV_SPEED * time).fract());
                state.uv.offset = [u, v];
            }
        }
    }

    /// Moves the vertices of danglymeshes: those that are held least lag most.
    fn swing_meshes(&self, frame: &mut Frame, run: &Run) {
        for swing in run.swings.iter().filter(|s| s.offset != Vec3::ZERO) {
            let dangly =
                self.model.nodes.get(swing.node as usize).and_then(|n| n.mesh.as_deref()?.dangly.as_deref());
            let Some(dangly) = dangly else { continue };
            for surface in frame.surfaces.iter_mut().filter(|s| s.node == swing.node + 1) {
                for (place, held) in surface.deformed.positions.iter_mut().zip(&dangly.constraints) {
                    let free = (held / 255.0).clamp(0.0, 1.0);
                    *place = (Vec3::from(*place) + swing.offset * free).into();
                }
            }
        }
    }
}

impl Swing {
    /// Lets the mesh lag behind its node, pulled back by a damped spring.
    fn advance(&mut self, here: Vec3, [displacement, tightness, period]: [f32; 3], seconds: f32) {
        let moved = self.last.map_or(Vec3::ZERO, |last| here - last);
        self.last = Some(here);
        // A jump is not a movement.
        if moved.length() > 5.0 || !moved.is_finite() {
            return;
        }
        self.offset -= moved;
        let pull = self.offset * (-64.0 * tightness) - self.velocity * (1.5 * period);
        self.velocity += pull * seconds;
        self.offset = (self.offset + self.velocity * seconds).clamp_length_max(displacement.max(0.0));
        if !self.offset.is_finite() || !self.velocity.is_finite() {
            (self.offset, self.velocity) = (Vec3::ZERO, Vec3::ZERO);
        }
    }
}

impl Performance for ModelPerformance<'_> {
    fn extend(&self, scene: &mut Scene) -> Vec<MaterialId> {
        let first = scene.materials.len() as MaterialId;
        scene.materials.extend(self.added.iter().cloned());
        (first..scene.materials.len() as MaterialId).collect()
    }

    fn has_effects(&self) -> bool {
        !self.emitters.is_empty() || !self.flares.is_empty()
    }

    fn set_seed(&mut self, seed: u64) {
        (self.seed, self.run) = (seed, None);
    }

    fn frame(&mut self, scene: &Scene, at: &Instant, shown: &Shown) -> Frame {
        let mut frame = PlainPerformance.frame(scene, at, shown);
        let run = self.simulated(scene, at);
        self.move_textures(&mut frame, scene, at.time);
        self.swing_meshes(&mut frame, &run);
        self.add_emitters(&mut frame, scene, &run, at);
        self.add_flares(&mut frame, scene, at);
        frame
    }
}

/// Returns the scene at a time of a clip that starts again at its end, or at rest.
fn pose(scene: &Scene, clip: Option<usize>, time: f32) -> Pose {
    match clip.and_then(|i| scene.clips.get(i)) {
        Some(clip) => Pose::at(scene, clip, if clip.length > 0.0 { time % clip.length } else { time }),
        None => Pose::rest(scene),
    }
}

/// Returns the transform from the model's axes to the scene's.
fn axes(scene: &Scene) -> Mat4 {
    scene.axes().and_then(|id| scene.node(id)).map_or(Mat4::IDENTITY, |n| n.transform.matrix())
}
