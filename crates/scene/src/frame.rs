//! Frames: everything that is drawn of a scene at a moment, for any painter.
//!
//! A [`Frame`] has the visible surfaces with their vertices in place, the state of every material, and sprites: particles,
//! ribbons, beams and flares as textured quads. It refers to the scene for indices, texture coordinates and textures.

use crate::append::Appended;
use crate::{
    Bounds, Deformed, MaterialId, Mesh, MeshId, NodeId, Playback, Pose, Primitive, Purpose, Scene,
    UvTransform,
};

/// The key of extras that mark what was made from the frames of an effect and follows from it: nodes, meshes and materials.
pub const BAKED: &str = "baked_effect";

/// Everything that is drawn of a scene at a moment.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Frame {
    /// The pose of the nodes.
    pub pose: Pose,
    /// The visible primitives, in the order of the scene.
    pub surfaces: Vec<Surface>,
    /// The state of each material of the scene, then those of the materials of each model that an emitter has thrown.
    pub materials: Vec<MaterialState>,
    /// Sprites; those of one order are drawn in this order.
    pub sprites: Vec<Sprite>,
    /// Places of what cannot be drawn, and of events.
    pub markers: Vec<Marker>,
    /// What is missing from the frame, one sentence each: emitters over their budget, effects that have a stand-in.
    pub notes: Vec<String>,
}

/// A primitive in place.
#[derive(Debug, Clone, PartialEq)]
pub struct Surface {
    /// The node it belongs to.
    pub node: NodeId,
    /// Its mesh.
    pub mesh: MeshId,
    /// Its number in the mesh.
    pub primitive: usize,
    /// Its vertices in the scene.
    pub deformed: Deformed,
    /// Color and opacity that it is multiplied by.
    pub tint: [f32; 4],
    /// What is added to the number of a material for that of its state in [`Frame::materials`]: 0, unless it belongs to one of several
    /// models of the same kind.
    pub states: MaterialId,
}

/// A material at a moment.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct MaterialState {
    /// The material whose textures and blending are used: itself, unless it is one page of a flip book.
    pub drawn_as: MaterialId,
    /// Base colour and opacity.
    pub base_color: [f32; 4],
    /// Emitted light.
    pub emissive: [f32; 3],
    /// Transform of texture coordinates, applied before that of the texture.
    pub uv: UvTransform,
    /// Order of drawing among transparent parts; lower ones are drawn first.
    pub order: i32,
}

/// A textured quad. It is neither lit nor culled, is hidden by surfaces in front of it and hides nothing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sprite {
    /// Corners in the scene, around the quad.
    pub corners: [[f32; 3]; 4],
    /// Texture coordinates of the corners.
    pub uvs: [[f32; 2]; 4],
    /// Colour and opacity that the texture is multiplied by.
    pub color: [f32; 4],
    /// Its material, which has the texture and the blending.
    pub material: MaterialId,
    /// Order of drawing among transparent parts; sprites come after surfaces of the same order.
    pub order: i32,
}

/// What a marker stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MarkerKind {
    /// A model that is emitted and was not found.
    Model,
    /// An effect of another program.
    Effect,
    /// An event that has just happened: a footprint, a sound, a splat.
    Event,
}

/// A place in the scene that a painter shows with a sign.
#[derive(Debug, Clone, PartialEq)]
pub struct Marker {
    /// What it stands for.
    pub kind: MarkerKind,
    /// The name of the model, effect or event.
    pub name: String,
    /// Its place in the scene.
    pub place: [f32; 3],
}

/// The moment of a frame.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Instant {
    /// Index of the clip that plays; `None` for the scene at rest.
    pub clip: Option<usize>,
    /// Seconds since the clip began. A clip that loops starts again.
    pub time: f32,
    /// Rotation of the camera x, y, z, w: it looks along its negative Z axis with Y up. Sprites and billboards face it.
    pub camera: [f32; 4],
}

impl Instant {
    /// Returns a moment of a clip, for a camera with this rotation.
    pub fn new(clip: Option<usize>, time: f32, camera: [f32; 4]) -> Instant {
        Instant { clip, time, camera }
    }
}

/// Which meshes are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Shown {
    /// Walk and collision surfaces, beside the meshes for rendering.
    pub walk: bool,
    /// The level of detail, 0 for the finest.
    pub level: u32,
    /// If there is nothing else to draw: walk surfaces, then hidden meshes.
    pub stand_in: bool,
}

impl Default for Shown {
    fn default() -> Self {
        Shown { walk: false, level: 0, stand_in: true }
    }
}

galatea_wire::setters! {
    Shown {
        with_walk: walk: bool,
        with_level: level: u32,
        with_stand_in: stand_in: bool,
    }
}

/// A document that plays: it gives the frames of the scene that was made from it. State between frames is an optimization; the
/// frame of an instant is always the same.
pub trait Performance: Send {
    /// Adds what frames refer to beyond the scene that was made from the document: materials of sprites, and the meshes of models
    /// that emitters throw. Who draws calls it once, before the first frame. Returns the materials of sprites.
    fn extend(&self, scene: &mut Scene) -> Vec<MaterialId>;

    /// Returns `true` if frames may have sprites or markers.
    fn has_effects(&self) -> bool;

    /// Sets the seed of the random numbers of emitters. Each seed gives another course of the same effect; the usual one is 0.
    fn set_seed(&mut self, _seed: u64) {}

    /// Returns the frame of an instant. `scene` is the one made from the document, with what [`Performance::extend`] added.
    fn frame(&mut self, scene: &Scene, at: &Instant, shown: &Shown) -> Frame;
}

/// The performance of a scene without its document: clips play, nothing is emitted.
#[derive(Debug, Clone, Copy, Default)]
pub struct PlainPerformance;

impl Performance for PlainPerformance {
    fn extend(&self, _: &mut Scene) -> Vec<MaterialId> {
        Vec::new()
    }

    fn has_effects(&self) -> bool {
        false
    }

    fn frame(&mut self, scene: &Scene, at: &Instant, shown: &Shown) -> Frame {
        let mut pose = Pose::rest(scene);
        let looped = |length: f32, time: f32| if length > 0.0 { time.rem_euclid(length) } else { time };
        let clip = at.clip.and_then(|i| scene.clips.get(i));
        if let Some(clip) = clip {
            let again = clip.playback == Playback::Loop && at.time > clip.length;
            pose.play(clip, if again { looped(clip.length, at.time) } else { at.time });
            let always = scene.clips.iter().filter(|c| c.playback == Playback::Always);
            for clip in always.filter(|other| !std::ptr::eq(*other, clip)) {
                pose.play(clip, looped(clip.length, at.time));
            }
            pose.place(scene);
        }
        pose.face(scene, at.camera);
        Frame::new(scene, pose, at.clip.is_some(), shown)
    }
}

impl Frame {
    /// Returns the frame of a pose, without sprites. While a clip plays, hidden meshes never stand in for visible ones.
    pub fn new(scene: &Scene, pose: Pose, playing: bool, shown: &Shown) -> Frame {
        let surfaces = chosen(scene, &pose, playing, shown)
            .into_iter()
            .flat_map(|(node, id, mesh)| mesh.primitives.iter().enumerate().map(move |p| (node, id, p)))
            .map(|(node, mesh, (number, primitive))| Surface {
                node,
                mesh,
                primitive: number,
                deformed: pose.deform(scene, node, primitive),
                tint: pose.tint.get(node as usize).copied().unwrap_or([1.0; 4]),
                states: 0,
            })
            .collect();
        let materials = (0u32..).zip(&scene.materials).map(|(id, material)| MaterialState {
            drawn_as: id,
            base_color: pose.base_color.get(id as usize).copied().unwrap_or(material.base_color),
            emissive: pose.emissive.get(id as usize).copied().unwrap_or(material.emissive),
            uv: pose.uv.get(id as usize).copied().unwrap_or_default(),
            order: 0,
        });
        Frame {
            materials: materials.collect(),
            surfaces,
            pose,
            sprites: Vec::new(),
            markers: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Adds the frame of a model whose meshes and materials [`Scene::append_meshes`] put into this frame's scene, as part of what `node`
    /// draws.
    pub fn append(&mut self, other: Frame, at: Appended, node: NodeId) {
        let states = (self.materials.len() as MaterialId).saturating_sub(at.materials);
        self.materials.extend(
            other.materials.into_iter().map(|state| MaterialState {
                drawn_as: state.drawn_as.saturating_add(at.materials),
                ..state
            }),
        );
        self.surfaces.extend(other.surfaces.into_iter().map(|surface| Surface {
            node,
            mesh: surface.mesh.saturating_add(at.meshes),
            states: states.saturating_add(surface.states),
            ..surface
        }));
        self.sprites.extend(
            other
                .sprites
                .into_iter()
                .map(|sprite| Sprite { material: sprite.material.saturating_add(at.materials), ..sprite }),
        );
        self.markers.extend(other.markers);
        for note in other.notes {
            if !self.notes.contains(&note) {
                self.notes.push(note);
            }
        }
    }

    /// Returns `true` if there is nothing to see.
    pub fn is_empty(&self) -> bool {
        self.surfaces.is_empty() && self.sprites.is_empty() && self.markers.is_empty()
    }

    /// Returns the box around everything that is drawn; `None` if nothing is finite.
    pub fn bounds(&self, scene: &Scene) -> Option<Bounds> {
        self.boxes(scene).into_iter().map(|(bounds, _)| bounds).reduce(Bounds::union)
    }

    /// Returns the box around what a viewer looks for: a backdrop or sky that would make the rest a speck does not count, and
    /// neither do sprites that are almost invisible.
    pub fn framing_bounds(&self, scene: &Scene) -> Option<Bounds> {
        let mut boxes = self.boxes(scene);
        boxes.sort_by(|(a, _), (b, _)| a.size().total_cmp(&b.size()));
        let all: usize = boxes.iter().map(|(_, weight)| weight).sum();
        let (mut kept, mut weight): (Option<Bounds>, usize) = (None, 0);
        for (bounds, count) in boxes {
            // What is left over, if it is most of the model or not much larger, belongs to it.
            let huge = kept.is_some_and(|kept| bounds.size() > kept.size() * BACKDROP);
            if huge && weight * 2 > all {
                continue;
            }
            kept = Some(kept.map_or(bounds, |kept| kept.union(bounds)));
            weight += count;
        }
        kept
    }

    /// Returns the box of each surface and of the visible sprites of each material, with the count of triangles.
    fn boxes(&self, scene: &Scene) -> Vec<(Bounds, usize)> {
        let mut out = Vec::new();
        for surface in &self.surfaces {
            let Some(primitive) = surface.primitive(scene) else { continue };
            let places = &surface.deformed.positions;
            let used = primitive.indices.iter().filter_map(|i| places.get(*i as usize)).copied();
            out.extend(Bounds::around(used).map(|b| (b, primitive.indices.len() / 3)));
        }
        let seen = |s: &&Sprite| s.color[3] > 0.02;
        let mut sprites: Vec<&Sprite> = self.sprites.iter().filter(seen).collect();
        sprites.sort_by_key(|s| s.material);
        for group in sprites.chunk_by(|a, b| a.material == b.material) {
            out.extend(without_strays(group).map(|b| (b, group.len() * 2)));
        }
        out.extend(Bounds::around(self.markers.iter().map(|m| m.place)).map(|b| (b, 1)));
        out
    }
}

/// Returns the box around sprites; of many, the outermost of each direction do not count.
fn without_strays(sprites: &[&Sprite]) -> Option<Bounds> {
    let strays = sprites.len() / 25;
    let side = |axis: usize| -> Option<(f32, f32)> {
        let reach = |pick: fn(f32, f32) -> f32, start: f32| {
            let of = |s: &&Sprite| s.corners.iter().filter_map(|c| c.get(axis)).copied().fold(start, pick);
            let mut all: Vec<f32> = sprites.iter().map(of).filter(|v| v.is_finite()).collect();
            all.sort_by(f32::total_cmp);
            all
        };
        let (low, high) = (reach(f32::min, f32::INFINITY), reach(f32::max, f32::NEG_INFINITY));
        let last = high.len().checked_sub(1 + strays)?;
        Some((*low.get(strays)?, *high.get(last)?))
    };
    let (x, y, z) = (side(0)?, side(1)?, side(2)?);
    Bounds::around([[x.0, y.0, z.0], [x.1, y.1, z.1]])
}

/// How many times larger than the rest a part is that counts as a backdrop.
const BACKDROP: f32 = 6.0;

impl Surface {
    /// Returns its primitive in the scene.
    pub fn primitive<'s>(&self, scene: &'s Scene) -> Option<&'s Primitive> {
        scene.meshes.get(self.mesh as usize)?.primitives.get(self.primitive)
    }
}

/// The meshes that are drawn.
type Wanted<'a> = &'a dyn Fn(&Mesh) -> bool;

/// Returns the nodes with meshes to draw: visible render meshes of the level of detail, and walk surfaces if requested. If there
/// are none, walk surfaces; else meshes that are hidden at rest; else meshes that are always hidden.
fn chosen<'s>(
    scene: &'s Scene,
    pose: &Pose,
    playing: bool,
    shown: &Shown,
) -> Vec<(NodeId, MeshId, &'s Mesh)> {
    let deepest = scene.meshes.iter().filter_map(|m| m.lod).max().unwrap_or(0);
    let level = shown.level.min(deepest);
    // Nodes of coarser levels are hidden; who asks for one wants to see it.
    let seen = |id: NodeId| level > 0 || pose.visible.get(id as usize).copied().unwrap_or(true);
    let of_level = |mesh: &Mesh| mesh.lod.is_none_or(|lod| lod == level);
    let any = |mesh: &Mesh| mesh.primitives.iter().any(|p| !p.indices.is_empty());
    let find = |all: bool, wanted: Wanted<'_>| {
        scene
            .drawn()
            .filter(|(id, _, mesh)| (all || seen(*id)) && of_level(mesh) && any(mesh) && wanted(mesh))
            .filter_map(|(id, node, mesh)| Some((id, node.mesh?, mesh)))
            .collect::<Vec<_>>()
    };
    let walk = |mesh: &Mesh| matches!(mesh.purpose, Purpose::Walk | Purpose::Collision | Purpose::Aabb);
    let render = |mesh: &Mesh| mesh.purpose == Purpose::Render;
    let tries: [(bool, bool, Wanted<'_>); 4] = [
        (true, false, &|mesh| render(mesh) || shown.walk && walk(mesh)),
        (shown.stand_in, false, &walk),
        // While a clip plays, an empty frame may be right.
        (shown.stand_in && !playing, true, &render),
        (shown.stand_in && !playing, true, &|_| true),
    ];
    let tries = tries.into_iter().filter(|(allowed, ..)| *allowed);
    tries.map(|(_, all, wanted)| find(all, wanted)).find(|found| !found.is_empty()).unwrap_or_default()
}
