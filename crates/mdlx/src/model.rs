//! The document.

use galatea_wire::{Summary, Text};

use crate::{
    Attachment, Bone, Bounds, Camera, CollisionMesh, CollisionShape, Event, FaceEffect, Geoset, GeosetAnim,
    Helper, Light, Material, Node, NodeKind, ParticleEmitter, ParticleEmitter2, PopcornEmitter,
    RibbonEmitter, Sound, SoundEmitter, Tag, Texture, TextureAnim, Tracks, Version,
};

/// A model: everything an MDX file holds.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Model {
    /// `VERS`.
    pub version: Version,
    /// `MODL`.
    pub info: ModelInfo,
    /// `SEQS`.
    pub sequences: Vec<Sequence>,
    /// `GLBS`: the length of each global sequence, in milliseconds.
    pub global_sequences: Vec<u32>,
    /// `MTLS`.
    pub materials: Vec<Material>,
    /// `TEXS`.
    pub textures: Vec<Texture>,
    /// `TXAN`.
    pub texture_anims: Vec<TextureAnim>,
    /// `GEOS`.
    pub geosets: Vec<Geoset>,
    /// `GEOA`.
    pub geoset_anims: Vec<GeosetAnim>,
    /// `BONE`.
    pub bones: Vec<Bone>,
    /// `LITE`.
    pub lights: Vec<Light>,
    /// `HELP`.
    pub helpers: Vec<Helper>,
    /// `ATCH`.
    pub attachments: Vec<Attachment>,
    /// `PIVT`: the pivot of each node, by object id.
    pub pivots: Vec<[f32; 3]>,
    /// `PREM`.
    pub particle_emitters: Vec<ParticleEmitter>,
    /// `PRE2`.
    pub particle_emitters2: Vec<ParticleEmitter2>,
    /// `RIBB`.
    pub ribbon_emitters: Vec<RibbonEmitter>,
    /// `CAMS`.
    pub cameras: Vec<Camera>,
    /// `EVTS`.
    pub events: Vec<Event>,
    /// `CLID` in Warcraft III, `HTST` in World of Warcraft.
    pub collision_shapes: Vec<CollisionShape>,
    /// `CLID` in World of Warcraft.
    pub collision_mesh: Option<Box<CollisionMesh>>,
    /// `BPOS`: a matrix of three rows and a translation for each node, by object id, then for each camera.
    pub bind_poses: Vec<[f32; 12]>,
    /// `FAFX`.
    pub face_effects: Vec<FaceEffect>,
    /// `CORN`.
    pub popcorn_emitters: Vec<PopcornEmitter>,
    /// `SNDS`.
    pub sounds: Vec<Sound>,
    /// `SNEM`.
    pub sound_emitters: Vec<SoundEmitter>,
    /// Chunks that this version does not define, and repeated chunks where only one is allowed, in file order.
    pub unknown: Vec<UnknownChunk>,
    /// How the file was laid out.
    pub layout: Layout,
}

/// A chunk that is kept without being interpreted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UnknownChunk {
    /// Its tag.
    pub tag: Tag,
    /// Its content.
    pub bytes: Box<[u8]>,
}

/// The order of the chunks, so that writing gives the same bytes. Empty in a new model, which gets Blizzard's order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Layout {
    /// The chunks, in file order.
    pub chunks: Vec<Chunk>,
}

/// One chunk of the file that was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Chunk {
    /// Its tag.
    pub tag: Tag,
    /// Number of items.
    pub items: u32,
    /// The number after the count of `MTLS` and `ATCH` in World of Warcraft: 0, and the highest attachment id.
    pub aux: u32,
    /// Whether it is one of [`Model::unknown`].
    pub unknown: bool,
}

/// Name and bounds of the whole model.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ModelInfo {
    /// Name.
    pub name: Text<80>,
    /// An animation file. Never used by the game; some tools store their name here.
    pub animation_file: Text<260>,
    /// Extent of the model.
    pub bounds: Bounds,
    /// Milliseconds of blending from one sequence to the next.
    pub blend_time: u32,
    /// World of Warcraft: the byte after the blend time. See [`tail`](Self::tail).
    pub flags: u8,
    /// Bytes at the end that a version newer than 1200 added.
    pub extra: Vec<u8>,
}

impl ModelInfo {
    /// Returns the last five bytes of `MODL` in World of Warcraft. Documented elsewhere as a blend time and a byte of flags; in
    /// the one authentic file they make sense only as a byte and the number of nodes.
    pub fn tail(&self) -> [u8; 5] {
        let [a, b, c, d] = self.blend_time.to_le_bytes();
        [a, b, c, d, self.flags]
    }

    /// Returns the [`tail`](Self::tail), interpreted as a byte and a number of nodes.
    pub fn tail_as_node_count(&self) -> (u8, u32) {
        let [a, b, c, d, e] = self.tail();
        (a, u32::from_le_bytes([b, c, d, e]))
    }
}

/// A named interval of the timeline.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Sequence {
    /// Name, such as `Stand - 2` or `Attack Slam`.
    pub name: Text<80>,
    /// First millisecond.
    pub start: u32,
    /// Last millisecond.
    pub end: u32,
    /// Speed of a unit at which the animation matches its movement.
    pub move_speed: f32,
    /// 1: does not loop.
    pub flags: u32,
    /// The higher, the less often it is chosen. Warcraft III.
    pub rarity: f32,
    /// Unexplained; always 0. Warcraft III.
    pub sync_point: u32,
    /// Extent of the model during the sequence.
    pub bounds: Bounds,
    /// The higher, the more often it is chosen. World of Warcraft.
    pub frequency: f32,
    /// Minimum and maximum number of repetitions. World of Warcraft.
    pub replay: [u32; 2],
    /// Milliseconds of blending. World of Warcraft.
    pub blend_time: u32,
}

impl Sequence {
    /// Returns `true` if the sequence does not loop.
    pub fn non_looping(&self) -> bool {
        self.flags & 1 != 0
    }
}

macro_rules! nodes {
    ($model:expr, $iter:ident, $($r:tt)+) => {
        {
            let m = $model;
            m.bones.$iter().enumerate().map(|(i, o)| (NodeKind::Bone, i, $($r)+ o.node))
                .chain(m.lights.$iter().enumerate().map(|(i, o)| (NodeKind::Light, i, $($r)+ o.node)))
                .chain(m.helpers.$iter().enumerate().map(|(i, o)| (NodeKind::Helper, i, $($r)+ o.node)))
                .chain(m.attachments.$iter().enumerate().map(|(i, o)| (NodeKind::Attachment, i, $($r)+ o.node)))
                .chain(m.particle_emitters.$iter().enumerate().map(|(i, o)| (NodeKind::ParticleEmitter, i, $($r)+ o.node)))
                .chain(m.particle_emitters2.$iter().enumerate().map(|(i, o)| (NodeKind::ParticleEmitter2, i, $($r)+ o.node)))
                .chain(m.popcorn_emitters.$iter().enumerate().map(|(i, o)| (NodeKind::PopcornEmitter, i, $($r)+ o.node)))
                .chain(m.ribbon_emitters.$iter().enumerate().map(|(i, o)| (NodeKind::RibbonEmitter, i, $($r)+ o.node)))
                .chain(m.events.$iter().enumerate().map(|(i, o)| (NodeKind::Event, i, $($r)+ o.node)))
                .chain(m.collision_shapes.$iter().enumerate().map(|(i, o)| (NodeKind::CollisionShape, i, $($r)+ o.node)))
                .chain(m.sound_emitters.$iter().enumerate().map(|(i, o)| (NodeKind::SoundEmitter, i, $($r)+ o.node)))
        }
    };
}

impl Model {
    /// Returns an empty model of this version.
    ///
    /// ```
    /// use galatea_mdlx::{Model, Version};
    /// assert_eq!(Model::new(Version(1000)).summary().version, "1000");
    /// ```
    pub fn new(version: Version) -> Self {
        Model { version, ..Model::default() }
    }

    /// Returns all nodes, list by list, with their kind and their index in the list of that kind.
    pub fn nodes(&self) -> impl Iterator<Item = (NodeKind, usize, &Node)> {
        nodes!(self, iter, &)
    }

    /// Returns all nodes, list by list, with their kind and their index in the list of that kind.
    pub fn nodes_mut(&mut self) -> impl Iterator<Item = (NodeKind, usize, &mut Node)> {
        nodes!(self, iter_mut, &mut)
    }

    /// Returns the number of nodes.
    pub fn node_count(&self) -> usize {
        self.nodes().count()
    }

    /// Returns the track lists of nodes and everything else, in document order.
    pub fn all_tracks(&self) -> Vec<&Tracks> {
        let mut out = Vec::new();
        for layer in self.materials.iter().flat_map(|m| &m.layers) {
            out.push(&layer.tracks);
            out.extend(layer.textures.iter().map(|t| &t.tracks));
        }
        out.extend(self.texture_anims.iter().map(|a| &a.tracks));
        out.extend(self.geoset_anims.iter().map(|a| &a.tracks));
        out.extend(self.nodes().map(|(_, _, n)| &n.tracks));
        out.extend(self.lights.iter().map(|o| &o.tracks));
        out.extend(self.attachments.iter().map(|o| &o.tracks));
        out.extend(self.particle_emitters.iter().map(|o| &o.tracks));
        out.extend(self.particle_emitters2.iter().map(|o| &o.tracks));
        out.extend(self.ribbon_emitters.iter().map(|o| &o.tracks));
        out.extend(self.popcorn_emitters.iter().map(|o| &o.tracks));
        out.extend(self.cameras.iter().map(|o| &o.tracks));
        out
    }

    /// Returns all track lists for modification.
    pub fn all_tracks_mut(&mut self) -> Vec<&mut Tracks> {
        let mut out: Vec<&mut Tracks> = Vec::new();
        for layer in self.materials.iter_mut().flat_map(|m| &mut m.layers) {
            out.push(&mut layer.tracks);
            out.extend(layer.textures.iter_mut().map(|t| &mut t.tracks));
        }
        out.extend(self.texture_anims.iter_mut().map(|a| &mut a.tracks));
        out.extend(self.geoset_anims.iter_mut().map(|a| &mut a.tracks));
        out.extend(self.bones.iter_mut().map(|o| &mut o.node.tracks));
        out.extend(self.helpers.iter_mut().map(|o| &mut o.node.tracks));
        out.extend(self.events.iter_mut().map(|o| &mut o.node.tracks));
        out.extend(self.collision_shapes.iter_mut().map(|o| &mut o.node.tracks));
        out.extend(self.sound_emitters.iter_mut().map(|o| &mut o.node.tracks));
        out.extend(self.lights.iter_mut().flat_map(|o| [&mut o.node.tracks, &mut o.tracks]));
        out.extend(self.attachments.iter_mut().flat_map(|o| [&mut o.node.tracks, &mut o.tracks]));
        out.extend(self.particle_emitters.iter_mut().flat_map(|o| [&mut o.node.tracks, &mut o.tracks]));
        out.extend(self.particle_emitters2.iter_mut().flat_map(|o| [&mut o.node.tracks, &mut o.tracks]));
        out.extend(self.ribbon_emitters.iter_mut().flat_map(|o| [&mut o.node.tracks, &mut o.tracks]));
        out.extend(self.popcorn_emitters.iter_mut().flat_map(|o| [&mut o.node.tracks, &mut o.tracks]));
        out.extend(self.cameras.iter_mut().map(|o| &mut o.tracks));
        out
    }

    /// Returns version and counts for a one-line summary.
    pub fn summary(&self) -> Summary {
        Summary {
            version: self.version.to_string(),
            nodes: self.node_count(),
            meshes: self.geosets.len(),
            vertices: self.geosets.iter().map(|g| g.vertices.len()).sum(),
            triangles: self.geosets.iter().map(|g| g.triangles().len()).sum(),
            bones: self.bones.len(),
            clips: self.sequences.len(),
        }
    }
}
