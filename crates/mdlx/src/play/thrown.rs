//! Models thrown by the emitters of another one: each plays its first sequence along its course.

use std::collections::HashMap;

use galatea_scene::{Appended, Frame, Instant, Marker, MarkerKind, NodeId, Scene, Shown, latin};
use glam::Mat4;

use super::perform::axes;
use super::run::{Run, THROWN};
use super::{ModelPerformance, ModelSystem, NodePose, ThrownModel};
use crate::Model;

/// Vertices of thrown models that are drawn at a time.
const VERTICES: usize = 1 << 20;

/// The course of a thrown model, below the axes of the scene that it is drawn in.
#[derive(Debug, Clone, Copy)]
pub(super) struct Course {
    pub(super) thrown: ThrownModel,
    /// From the axes and units of the throwing model to the scene's.
    pub(super) axes: Mat4,
}

impl Course {
    /// Moves nodes to where they are this many milliseconds after the model was thrown.
    pub(super) fn carry(&self, nodes: &mut [NodePose], elapsed: f64) {
        let matrix = self.thrown.matrix_at((elapsed / 1000.0) as f32);
        for node in nodes {
            node.position = matrix.transform_point3(node.position);
            node.matrix = matrix * node.matrix;
            node.rotation = self.thrown.rotation * node.rotation;
            node.scale *= self.thrown.scale;
        }
    }
}

/// A model that emitters throw.
#[derive(Debug)]
pub(super) struct Missile<'a> {
    /// The name by which emitters ask for it.
    pub(super) name: String,
    scene: Scene,
    performance: Box<ModelPerformance<'a>>,
    /// Its place in the scene of the throwing model.
    at: Appended,
    /// Vertices that are drawn of it.
    vertices: usize,
    /// The effects of those that are in the air, by emitter and number.
    runs: HashMap<(usize, u32), Run<'a>>,
}

impl<'a> Missile<'a> {
    /// Prepares a model to be thrown. What it throws itself is shown as markers.
    pub(super) fn new(name: &str, model: &'a Model) -> Self {
        let mut scene = model.to_scene(name);
        let performance = Box::new(ModelPerformance::new(model, &scene));
        performance.extend_scene(&mut scene);
        let vertices = scene.drawn().flat_map(|(_, _, mesh)| &mesh.primitives).map(|p| p.indices.len());
        let vertices = vertices.sum();
        let name = name.to_owned();
        Missile { name, scene, performance, at: Appended::default(), vertices, runs: HashMap::new() }
    }

    pub(super) fn scene(&self) -> &Scene {
        &self.scene
    }

    pub(super) fn place(&mut self, at: Appended) {
        self.at = at;
    }

    /// Returns the materials of its sprites, by their numbers in the scene of the throwing model.
    pub(super) fn sprite_materials(&self) -> impl Iterator<Item = u32> {
        self.performance.own_materials().map(|id| id.saturating_add(self.at.materials))
    }

    /// Forgets those in the air.
    pub(super) fn restart(&mut self) {
        self.runs.clear();
    }

    /// Returns the frame of one of them. `at` is the moment of the throwing model.
    fn frame(&mut self, at: &Instant, shown: &Shown, key: (usize, u32), seed: u64, course: &Course) -> Frame {
        let (emitter, number) = key;
        let seed = seed.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.performance
            .start_with(seed ^ (emitter as u64) << 32 ^ u64::from(number), self.runs.remove(&key));
        let clip = (!self.scene.clips.is_empty()).then_some(0);
        let at = Instant::new(clip, course.thrown.age, at.camera);
        let frame = self.performance.frame_on(&self.scene, &at, shown, Some(course));
        self.runs.extend(self.performance.take_run().map(|run| (key, run)));
        frame
    }
}

/// What is drawn of thrown models in one frame.
#[derive(Debug)]
pub(super) struct Thrown<'m, 'a> {
    pub(super) missiles: &'m mut [Missile<'a>],
    /// The model that each emitter throws, if it was found.
    pub(super) of_emitter: &'m [Option<usize>],
    pub(super) at: &'m Instant,
    pub(super) shown: &'m Shown,
    pub(super) seed: u64,
}

impl Thrown<'_, '_> {
    /// Adds the models of all emitters, and markers for those that were not found or are too many. `node` is the node of the first
    /// model emitter.
    pub(super) fn add(self, frame: &mut Frame, scene: &Scene, systems: &[ModelSystem<'_>], node: NodeId) {
        let axes = axes(scene);
        let (mut count, mut vertices, mut many) = (0, 0usize, false);
        let mut used: Vec<(usize, (usize, u32))> = Vec::new();
        for (emitter, system) in systems.iter().enumerate() {
            let missile = self.of_emitter.get(emitter).copied().flatten();
            for thrown in system.models() {
                let found = missile.and_then(|index| Some((index, self.missiles.get_mut(index)?)));
                let fits = |missile: &Missile<'_>| {
                    count == 0 || count < THROWN && vertices.saturating_add(missile.vertices) <= VERTICES
                };
                let Some((index, missile)) = found.filter(|(_, missile)| fits(missile)) else {
                    let place = axes.transform_point3(thrown.position()).into();
                    let name = latin(system.path());
                    frame.markers.push(Marker { kind: MarkerKind::Model, name, place });
                    many |= missile.is_some();
                    continue;
                };
                (count, vertices) = (count + 1, vertices.saturating_add(missile.vertices));
                let key = (emitter, thrown.number);
                let course = Course { thrown: *thrown, axes };
                let one = missile.frame(self.at, self.shown, key, self.seed, &course);
                frame.append(one, missile.at, node);
                used.push((index, key));
            }
            if missile.is_none() && !system.models().is_empty() && !system.path().is_empty() {
                let note = format!(
                    "{}: not found; a marker stands in for this model, which an emitter throws",
                    latin(system.path())
                );
                if !frame.notes.contains(&note) {
                    frame.notes.push(note);
                }
            }
        }
        if many {
            frame.notes.push(format!(
                "more models are thrown than the {THROWN} with {VERTICES} vertices that are drawn at a time; markers stand in for the rest"
            ));
        }
        for (index, missile) in self.missiles.iter_mut().enumerate() {
            missile.runs.retain(|key, _| used.contains(&(index, *key)));
        }
    }
}
