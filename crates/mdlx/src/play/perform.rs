//! A model that plays as the scene made from it: poses, animated materials, particles and ribbons as a [`Frame`].

use galatea_scene::{
    AlphaMode, Appended, Frame, Instant, Marker, MarkerKind, Material as SceneMaterial, MaterialId,
    Performance, PlainPerformance, Pose as ScenePose, Scene, Shown, Slot, Texture as SceneTexture,
    UvTransform, latin,
};
use glam::{Mat4, Quat, Vec3};

use super::run::Run;
use super::sprites::{Space, particle_sprites, ribbon_sprites};
use super::thrown::{Course, Missile, Thrown};
use super::{LayerPose, Moment, Player, Pose, View};
use crate::scene::{is_hd, texture_name, wrap_of};
use crate::{Layer, Material, Model, NodeKind, ParticleEmitter2, Texture};

/// Seconds for which the marker of an event is shown.
const EVENT_SHOWN: f64 = 0.25;

/// A model that plays.
#[derive(Debug)]
pub struct ModelPerformance<'a> {
    player: Player<'a>,
    /// The scene's material of each layer, by material.
    materials: Vec<Vec<u32>>,
    /// The textures that a layer shows over time, as materials of their own: the scene's material, the texture, its page.
    pages: Vec<(u32, u32, u32)>,
    /// The material of each particle emitter.
    particle_materials: Vec<u32>,
    added: Vec<SceneMaterial>,
    /// The number of the first of them.
    first_added: MaterialId,
    /// The models that emitters throw.
    missiles: Vec<Missile<'a>>,
    /// The one of each emitter, if it was found.
    thrown_by: Vec<Option<usize>>,
    run: Option<Run<'a>>,
    seed: u64,
}

impl<'a> ModelPerformance<'a> {
    /// Prepares a model to play as this scene, which [`Model::to_scene`] made from it. Markers stand in for models that it throws.
    pub fn new(model: &'a Model, scene: &Scene) -> Self {
        let mut next = 0;
        let materials: Vec<Vec<u32>> = model
            .materials
            .iter()
            .map(|material| {
                let count = if is_hd(material, model.version) { 1 } else { material.layers.len().max(1) };
                let first = next;
                next += count as u32;
                (first..next).collect()
            })
            .collect();
        let mut out = ModelPerformance {
            player: Player::new(model),
            materials,
            pages: Vec::new(),
            particle_materials: Vec::new(),
            added: Vec::new(),
            first_added: scene.materials.len() as MaterialId,
            missiles: Vec::new(),
            thrown_by: Vec::new(),
            run: None,
            seed: 0,
        };
        out.add_pages(scene);
        out.add_particles(scene);
        out
    }

    /// Prepares a model to play, with the models that its emitters throw, by the paths that the emitters have.
    ///
    /// ```
    /// use galatea_mdlx::play::ModelPerformance;
    /// use galatea_mdlx::{Model, ParticleEmitter, Sequence, Text, Version};
    /// use galatea_scene::{Instant, Performance, Shown};
    /// let mut catapult = Model::new(Version(800));
    /// catapult.sequences.push(Sequence { end: 1000, ..Sequence::default() });
    /// let path = Text::new(b"Rock.mdl").unwrap();
    /// catapult.particle_emitters.push(ParticleEmitter { emission_rate: 8.0, life_span: 0.5, path, ..ParticleEmitter::default() });
    /// let rock = Model::new(Version(800));
    /// let mut scene = catapult.to_scene("catapult");
    /// let mut performance = ModelPerformance::with_models(&catapult, &scene, &[("Rock.mdl", &rock)]);
    /// performance.extend(&mut scene);
    /// let at = Instant::new(Some(0), 0.9, [0.0, 0.0, 0.0, 1.0]);
    /// assert!(performance.frame(&scene, &at, &Shown::default()).markers.is_empty());
    /// ```
    pub fn with_models(model: &'a Model, scene: &Scene, thrown: &[(&str, &'a Model)]) -> Self {
        let mut out = ModelPerformance::new(model, scene);
        let mut at = Appended::default();
        at.meshes = scene.meshes.len() as u32;
        at.materials = out.first_added + out.added.len() as MaterialId;
        for emitter in &model.particle_emitters {
            let path = latin(emitter.path.bytes());
            let known = out.missiles.iter().position(|m| m.name == path);
            let found = known.or_else(|| {
                let (name, model) = thrown.iter().find(|(name, _)| *name == path)?;
                let mut missile = Missile::new(name, model);
                missile.place(at);
                at.meshes += missile.scene().meshes.len() as u32;
                at.materials += missile.scene().materials.len() as MaterialId;
                out.missiles.push(missile);
                Some(out.missiles.len() - 1)
            });
            out.thrown_by.push(found);
        }
        out
    }

    /// Returns the materials that it adds to its scene itself, by their numbers there.
    pub(super) fn own_materials(&self) -> impl Iterator<Item = MaterialId> {
        self.first_added..self.first_added + self.added.len() as MaterialId
    }

    /// Adds what its frames refer to.
    pub(super) fn extend_scene(&self, scene: &mut Scene) {
        scene.materials.extend(self.added.iter().cloned());
        for missile in &self.missiles {
            scene.append_meshes(missile.scene());
        }
    }

    /// Goes on with a run of its emitters, or starts one.
    pub(super) fn start_with(&mut self, seed: u64, run: Option<Run<'a>>) {
        (self.seed, self.run) = (seed, run);
    }

    /// Returns the run of its emitters.
    pub(super) fn take_run(&mut self) -> Option<Run<'a>> {
        self.run.take()
    }

    fn model(&self) -> &'a Model {
        self.player.model()
    }

    /// Adds a material for each texture that the keys of a layer show.
    fn add_pages(&mut self, scene: &Scene) {
        let model = self.model();
        for (material, ids) in model.materials.iter().zip(&self.materials) {
            for (layer, id) in material.layers.iter().zip(ids) {
                let Some(base) = scene.materials.get(*id as usize) else { continue };
                for texture in shown_textures(layer) {
                    let Some(file) = model.textures.get(texture as usize) else { continue };
                    let mut page = SceneMaterial { layers: Vec::new(), ..base.clone() };
                    page.name = format!("{} {texture}", base.name);
                    if let Some(first) = page.textures.first_mut() {
                        *first = SceneTexture { uv_set: first.uv_set, ..scene_texture(file) };
                    }
                    self.pages.push((*id, texture, (scene.materials.len() + self.added.len()) as u32));
                    self.added.push(page);
                }
            }
        }
    }

    fn add_particles(&mut self, scene: &Scene) {
        let model = self.model();
        for emitter in &model.particle_emitters2 {
            self.particle_materials.push((scene.materials.len() + self.added.len()) as u32);
            self.added.push(particle_material(emitter, &model.textures));
        }
    }

    /// Returns the sequence of a clip of the scene; `None` for a global sequence.
    fn sequence(&self, clip: usize) -> Option<usize> {
        (clip < self.model().sequences.len()).then_some(clip)
    }

    /// Returns the pose of the scene for the pose of the model.
    fn scene_pose(&self, scene: &Scene, pose: &Pose) -> ScenePose {
        let model = self.model();
        let mut out = ScenePose::rest(scene);
        let axes = axes(scene);
        for (index, (_, _, node)) in model.nodes().enumerate() {
            let Some(posed) = pose.nodes.get(index) else { continue };
            if let Some(world) = out.world.get_mut(index + 1) {
                *world = axes * posed.matrix * Mat4::from_translation(self.player.pivot(node));
            }
        }
        for (id, node) in scene.nodes.iter().enumerate() {
            let Some((number, camera)) = node.camera.and_then(|n| Some((n, scene.cameras.get(n as usize)?)))
            else {
                continue;
            };
            let Some(posed) = pose.cameras.get(number as usize) else { continue };
            for (id, place) in [(Some(id), posed.position), (camera.target.map(|t| t as usize), posed.target)]
            {
                if let Some(world) = id.and_then(|id| out.world.get_mut(id)) {
                    *world = axes * Mat4::from_translation(place);
                }
            }
        }
        for (index, geoset) in pose.geosets.iter().enumerate() {
            let at = 1 + model.node_count() + index;
            let (Some(visible), Some(tint)) = (out.visible.get_mut(at), out.tint.get_mut(at)) else {
                continue;
            };
            *visible = geoset.visible;
            let [r, g, b] = geoset.color;
            *tint = [r, g, b, geoset.alpha];
        }
        out
    }

    fn set_materials(&self, frame: &mut Frame, scene: &Scene, moment: &Moment) {
        for (material, ids) in self.model().materials.iter().zip(&self.materials) {
            for (layer, id) in material.layers.iter().zip(ids) {
                self.set_layer(frame, material, layer, *id, moment);
                let glows =
                    scene.materials.get(*id as usize).is_some_and(|m| m.texture(&Slot::Emissive).is_some());
                if let Some(state) = frame.materials.get_mut(*id as usize)
                    && glows
                    && layer.tracks.get(*b"KMTE").is_some()
                {
                    let own = layer.emissive_gain;
                    state.emissive =
                        [self.player.value(&layer.tracks, b"KMTE", moment, own, own).max(0.0); 3];
                }
            }
        }
    }

    fn set_layer(&self, frame: &mut Frame, material: &Material, layer: &Layer, id: u32, moment: &Moment) {
        let Some(state) = frame.materials.get_mut(id as usize) else { return };
        let posed = self.player.layer(layer, moment);
        state.order = material.priority_plane;
        if layer.tracks.get(*b"KMTA").is_some() {
            // At rest it is opaque.
            state.base_color[3] *= posed.alpha;
        }
        state.uv = uv_transform(&posed);
        let page = self.pages.iter().find(|(of, texture, _)| *of == id && *texture as i32 == posed.texture);
        state.drawn_as = page.map_or(id, |(_, _, page)| *page);
    }

    /// Runs the emitters up to a time, and adds what they emitted.
    fn add_effects(
        &mut self,
        frame: &mut Frame,
        scene: &Scene,
        at: &Instant,
        shown: &Shown,
        course: Option<&Course>,
    ) {
        let (sequence, elapsed) = (self.sequence_of(at), elapsed(at));
        let outer = course.map_or_else(|| axes(scene), |course| course.axes);
        let view = model_view(scene, at.camera);
        // A model in the air sees the camera from its own axes.
        let own = course.map_or(view, |course| view.seen_from(course.thrown.rotation));
        let run = match self.run.take().filter(|run| run.leads_to(sequence, &own, elapsed)) {
            Some(run) => run,
            None => {
                self.missiles.iter_mut().for_each(Missile::restart);
                Run::new(&self.player, sequence, own, self.seed)
            }
        };
        let run = self.run.insert(run);
        run.advance(&self.player, elapsed, course);
        let now = run.at(&self.player, elapsed, course);
        let space = Space::new(outer, &view);
        for (system, material) in now.particles.iter().zip(&self.particle_materials) {
            let node = now.matrix(system.node());
            particle_sprites(&mut frame.sprites, system, node, *material, &space);
        }
        for system in &now.ribbons {
            let material = system.emitter().material_id as usize;
            let order = self.model().materials.get(material).map_or(0, |m| m.priority_plane);
            for id in self.materials.get(material).into_iter().flatten() {
                let Some(state) = frame.materials.get(*id as usize) else { continue };
                ribbon_sprites(&mut frame.sprites, system, (state.drawn_as, order), &state.uv, &space);
            }
        }
        frame.notes.extend(now.notes());
        if course.is_none() {
            let node = self.player.node_index(NodeKind::ParticleEmitter, 0).map_or(0, |i| i as u32 + 1);
            let (missiles, of_emitter) = (self.missiles.as_mut_slice(), self.thrown_by.as_slice());
            let thrown = Thrown { missiles, of_emitter, at, shown, seed: self.seed };
            thrown.add(frame, scene, &now.models, node);
        } else {
            for system in &now.models {
                let mark = |name: String, place| Marker { kind: MarkerKind::Model, name, place };
                let places = system.models().iter().map(|m| space.point(m.position()));
                frame.markers.extend(places.map(|place| mark(latin(system.path()), place)));
            }
        }
    }

    /// Marks effects of other programs that are visible, and events that have just happened.
    fn add_markers(&self, frame: &mut Frame, axes: Mat4, pose: &Pose, moment: &Moment) {
        let model = self.model();
        let place = |kind, index| {
            let node = self.player.node_index(kind, index).and_then(|i| pose.nodes.get(i))?;
            Some((axes.transform_point3(node.position).to_array(), node.visible))
        };
        for (index, emitter) in model.popcorn_emitters.iter().enumerate() {
            let Some((place, true)) = place(NodeKind::PopcornEmitter, index) else { continue };
            let name = latin(emitter.path.bytes());
            frame
                .notes
                .push(format!("{name}: PopcornFX effects are not drawn; a marker shows where it plays"));
            frame.markers.push(Marker { kind: MarkerKind::Effect, name, place });
        }
        let back = EVENT_SHOWN * 1000.0;
        let before = Moment { time: moment.time - back, clock: moment.clock - back, ..*moment };
        for (index, _) in self.player.events(&before, moment) {
            let Some((place, _)) = place(NodeKind::Event, index) else { continue };
            let name = model.events.get(index).map_or_else(String::new, |e| latin(e.node.name.bytes()));
            frame.markers.push(Marker { kind: MarkerKind::Event, name, place });
        }
    }
}

impl ModelPerformance<'_> {
    fn sequence_of(&self, at: &Instant) -> Option<usize> {
        at.clip.and_then(|clip| self.sequence(clip))
    }

    /// Returns the frame of an instant; of a model in the air, on its course.
    pub(super) fn frame_on(
        &mut self,
        scene: &Scene,
        at: &Instant,
        shown: &Shown,
        course: Option<&Course>,
    ) -> Frame {
        let (sequence, elapsed) = (self.sequence_of(at), elapsed(at));
        let moment = match sequence {
            Some(sequence) => Moment::in_sequence(self.model(), sequence, elapsed),
            None => Moment { sequence: None, time: elapsed, clock: elapsed },
        };
        let view = model_view(scene, at.camera);
        let own = course.map_or(view, |course| view.seen_from(course.thrown.rotation));
        let pose = self.player.pose(&moment, Some(&own));
        let mut posed = self.scene_pose(scene, &pose);
        let carried = course.map(|course| course.axes * course.thrown.matrix_at(course.thrown.age));
        if let Some(carried) = carried {
            let carried = carried * axes(scene).inverse();
            posed.world.iter_mut().for_each(|world| *world = carried * *world);
        }
        let mut frame = Frame::new(scene, posed, true, shown);
        self.set_materials(&mut frame, scene, &moment);
        self.add_effects(&mut frame, scene, at, shown, course);
        self.add_markers(&mut frame, carried.unwrap_or_else(|| axes(scene)), &pose, &moment);
        frame
    }
}

/// Returns the milliseconds since a clip began.
fn elapsed(at: &Instant) -> f64 {
    f64::from(at.time.max(0.0)) * 1000.0
}

impl Performance for ModelPerformance<'_> {
    fn extend(&self, scene: &mut Scene) -> Vec<MaterialId> {
        self.extend_scene(scene);
        self.own_materials().chain(self.missiles.iter().flat_map(Missile::sprite_materials)).collect()
    }

    fn has_effects(&self) -> bool {
        let m = self.model();
        !(m.particle_emitters.is_empty()
            && m.particle_emitters2.is_empty()
            && m.ribbon_emitters.is_empty()
            && m.popcorn_emitters.is_empty())
    }

    fn set_seed(&mut self, seed: u64) {
        (self.seed, self.run) = (seed, None);
    }

    fn frame(&mut self, scene: &Scene, at: &Instant, shown: &Shown) -> Frame {
        if at.clip.is_none() && !self.model().sequences.is_empty() {
            return PlainPerformance.frame(scene, at, shown);
        }
        self.frame_on(scene, at, shown, None)
    }
}

/// Returns the transform from the model's axes and units to the scene's.
pub(super) fn axes(scene: &Scene) -> Mat4 {
    scene.axes().and_then(|id| scene.node(id)).map_or(Mat4::IDENTITY, |n| n.transform.matrix())
}

/// Returns the view of a camera of the scene in the model's axes.
fn model_view(scene: &Scene, camera: [f32; 4]) -> View {
    let axes = scene.axes().and_then(|id| scene.node(id));
    let axes = axes.map_or(Quat::IDENTITY, |n| Quat::from_array(n.transform.rotation));
    View { rotation: (axes.inverse() * Quat::from_array(camera)).normalize() }
}

/// Returns the textures that a layer shows over time.
fn shown_textures(layer: &Layer) -> Vec<u32> {
    let tracks = layer.textures.first().map_or(&layer.tracks, |slot| &slot.tracks);
    let Some(crate::Keys::Integer(curve)) = tracks.get(*b"KMTF").map(|track| &track.keys) else {
        return Vec::new();
    };
    let mut shown: Vec<u32> = curve.keys.iter().map(|k| k.value).collect();
    shown.sort_unstable();
    shown.dedup();
    shown
}

fn scene_texture(texture: &Texture) -> SceneTexture {
    let team = texture.path.bytes().is_empty() && matches!(texture.replaceable_id, 1 | 2);
    SceneTexture {
        slot: if team { Slot::TeamColor } else { Slot::Base },
        name: texture_name(texture),
        wrap: wrap_of(texture.flags),
        ..SceneTexture::default()
    }
}

fn particle_material(emitter: &ParticleEmitter2, textures: &[Texture]) -> SceneMaterial {
    let own = usize::try_from(emitter.texture_id).ok().and_then(|i| textures.get(i));
    let replaced = Texture { replaceable_id: emitter.replaceable_id, path: Default::default(), flags: 0 };
    let texture = if matches!(emitter.replaceable_id, 1 | 2) { Some(&replaced) } else { own };
    SceneMaterial {
        name: latin(emitter.node.name.bytes()),
        alpha: match emitter.filter_mode {
            1 => AlphaMode::Additive,
            2 => AlphaMode::Modulate,
            3 => AlphaMode::Modulate2x,
            4 => AlphaMode::Mask { cutoff: 0.75 },
            _ => AlphaMode::Blend,
        },
        two_sided: true,
        unlit: true,
        textures: texture.map(scene_texture).into_iter().collect(),
        ..SceneMaterial::default()
    }
}

/// Returns the transform of texture coordinates of a layer: scaled and turned about the middle, then moved.
fn uv_transform(layer: &LayerPose) -> UvTransform {
    let [_, _, z, w] = layer.rotation;
    let [sx, sy, _] = layer.scale;
    let angle = 2.0 * libm::atan2f(z, w);
    let middle = layer.apply([0.5; 2]);
    let turned = Quat::from_rotation_z(angle) * Vec3::new(0.5 * sx, 0.5 * sy, 0.0);
    let [u, v] = middle;
    UvTransform { offset: [u - turned.x, v - turned.y], rotation: -angle, scale: [sx, sy] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texture_animations_are_transforms_of_coordinates() {
        let half = std::f32::consts::FRAC_1_SQRT_2;
        let still = LayerPose {
            texture: 0,
            alpha: 1.0,
            translation: [0.0; 3],
            rotation: [0.0, 0.0, 0.0, 1.0],
            scale: [1.0; 3],
        };
        let of = |pose: LayerPose, [u, v]: [f32; 2]| {
            let t = uv_transform(&pose);
            let (sin, cos) = (libm::sinf(t.rotation), libm::cosf(t.rotation));
            let ([x, y], [left, top]) = ([u * t.scale[0], v * t.scale[1]], t.offset);
            [x * cos + y * sin + left, -x * sin + y * cos + top]
        };
        let near = |a: [f32; 2], b: [f32; 2]| {
            assert!((a[0] - b[0]).abs() + (a[1] - b[1]).abs() < 1e-5, "{a:?} {b:?}")
        };
        let moved = LayerPose { translation: [0.25, 0.0, 0.0], ..still };
        near(of(moved, [0.5, 0.75]), [0.75, 0.75]);
        let turned = LayerPose { rotation: [0.0, 0.0, half, half], ..still };
        near(of(turned, [1.0, 0.5]), [0.5, 1.0]);
        let all = LayerPose { translation: [0.1, 0.2, 0.0], scale: [2.0, 3.0, 1.0], ..turned };
        for uv in [[0.0, 0.0], [1.0, 0.25], [0.3, 0.9]] {
            near(of(all, uv), all.apply(uv));
        }
    }
}
