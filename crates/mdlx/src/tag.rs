//! Every four-letter tag of the format: chunks, blocks inside geosets and the like, and tracks, with their versions.

use std::fmt;
use std::ops::RangeInclusive;

use galatea_wire::{Schema, Wire};

use crate::Version;

/// A four-letter tag.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Tag(pub [u8; 4]);

impl From<[u8; 4]> for Tag {
    fn from(tag: [u8; 4]) -> Self {
        Tag(tag)
    }
}

impl From<&[u8; 4]> for Tag {
    fn from(tag: &[u8; 4]) -> Self {
        Tag(*tag)
    }
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&galatea_wire::escape_bytes(&self.0))
    }
}

impl fmt::Debug for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl Wire for Tag {
    const SIZE: usize = 4;
    const ZERO: Self = Tag([0; 4]);
    const SCHEMA: &'static Schema = <[u8; 4]>::SCHEMA;
    fn get(bytes: &[u8]) -> Self {
        Tag(<[u8; 4]>::get(bytes))
    }
    fn put(&self, bytes: &mut [u8]) {
        self.0.put(bytes);
    }
}

/// A chunk: its content and the versions that have it.
#[derive(Debug)]
#[non_exhaustive]
pub struct ChunkInfo {
    /// Its tag.
    pub tag: Tag,
    /// The tag as text, for paths.
    pub name: &'static str,
    /// The versions that have it.
    pub versions: RangeInclusive<u32>,
    /// Its content.
    pub meaning: &'static str,
}

const ALL: RangeInclusive<u32> = 800..=1500;
const WARCRAFT: RangeInclusive<u32> = 800..=1299;
const REFORGED: RangeInclusive<u32> = 900..=1299;
const WOW: RangeInclusive<u32> = 1300..=1500;

const fn tag(name: &str) -> Tag {
    match name.as_bytes().first_chunk() {
        Some(tag) => Tag(*tag),
        None => Tag(*b"????"),
    }
}

const fn chunk(name: &'static str, versions: RangeInclusive<u32>, meaning: &'static str) -> ChunkInfo {
    ChunkInfo { tag: tag(name), name, versions, meaning }
}

/// All known chunks, in the order in which Blizzard's own tools write them.
pub static CHUNKS: &[ChunkInfo] = &[
    chunk("VERS", ALL, "the version of the format"),
    chunk("MODL", ALL, "the model's name, bounds and blend time"),
    chunk("SEQS", ALL, "sequences: named intervals of the timeline"),
    chunk("GLBS", ALL, "lengths of the global sequences, which run independently"),
    chunk("MTLS", ALL, "materials and their layers"),
    chunk("TEXS", ALL, "textures: a path or a replaceable id"),
    chunk("TXAN", ALL, "texture animations"),
    chunk("GEOS", ALL, "geosets: the meshes"),
    chunk("GEOA", ALL, "geoset animations: alpha and colour of a geoset"),
    chunk("BONE", ALL, "bones"),
    chunk("LITE", ALL, "lights"),
    chunk("HELP", ALL, "helpers: nodes that only group other nodes"),
    chunk("ATCH", ALL, "attachment points"),
    chunk("PIVT", ALL, "pivot points, by object id"),
    chunk("PREM", ALL, "particle emitters that emit models"),
    chunk("PRE2", ALL, "particle emitters that emit quads"),
    chunk("RIBB", ALL, "ribbon emitters"),
    chunk("CAMS", ALL, "cameras"),
    chunk("EVTS", ALL, "event objects: timed sounds, splats and footprints"),
    chunk("HTST", WOW, "hit-test shapes"),
    chunk("CLID", ALL, "collision shapes; from 1300 on a collision mesh"),
    chunk("BPOS", REFORGED, "bind pose: a 3 x 4 matrix per node, then per camera"),
    chunk("FAFX", REFORGED, "face effects: facial animation of a node"),
    chunk("CORN", REFORGED, "PopcornFX emitters"),
    chunk("SNDS", WARCRAFT, "sounds of the sound emitters"),
    chunk("SNEM", WARCRAFT, "sound emitters"),
];

/// A tagged block inside a chunk that is not a track.
#[derive(Debug)]
#[non_exhaustive]
pub struct BlockInfo {
    /// Its tag.
    pub tag: Tag,
    /// The tag as text.
    pub name: &'static str,
    /// The chunk it is part of.
    pub chunk: Tag,
    /// The versions that have it.
    pub versions: RangeInclusive<u32>,
    /// Its content.
    pub meaning: &'static str,
}

const fn block(
    name: &'static str,
    chunk: &'static str,
    versions: RangeInclusive<u32>,
    meaning: &'static str,
) -> BlockInfo {
    BlockInfo { tag: tag(name), name, chunk: tag(chunk), versions, meaning }
}

const LISTS: RangeInclusive<u32> = 800..=1499;

/// Every known block, in file order.
pub static BLOCKS: &[BlockInfo] = &[
    block("LAYS", "MTLS", WARCRAFT, "layers of a material"),
    block("VRTX", "GEOS", LISTS, "vertex positions"),
    block("NRMS", "GEOS", LISTS, "vertex normals"),
    block("PTYP", "GEOS", ALL, "primitive types, one per face group (4: triangles)"),
    block("PCNT", "GEOS", LISTS, "indices in each face group"),
    block("PVTX", "GEOS", ALL, "vertex indices of all face groups"),
    block("GNDX", "GEOS", LISTS, "matrix group of each vertex"),
    block("MTGC", "GEOS", LISTS, "bones in each matrix group"),
    block("MATS", "GEOS", LISTS, "bones of all matrix groups, by object id"),
    block("TANG", "GEOS", REFORGED, "vertex tangents"),
    block("SKIN", "GEOS", REFORGED, "four bones and weights per vertex"),
    block("UVAS", "GEOS", LISTS, "number of texture coordinate sets; from 1300 on the coordinates too"),
    block("UVBS", "GEOS", WARCRAFT, "one set of texture coordinates"),
    block("BIDX", "GEOS", 1300..=1400, "bones, four per entry, ordered by matrix group"),
    block("BWGT", "GEOS", 1300..=1400, "weights of those bones, bytes reversed"),
    block("VRTX", "CLID", WOW, "collision vertices"),
    block("TRI ", "CLID", WOW, "collision triangles"),
    block("NRMS", "CLID", WOW, "normals of the collision triangles"),
];

/// The value type of a track's keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ValueKind {
    /// One float.
    Float,
    /// Three floats.
    Vector,
    /// A quaternion: x, y, z, w.
    Rotation,
    /// An unsigned integer.
    Integer,
    /// None: events have only times.
    Event,
}

/// The kind of object that a track belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Owner {
    /// Any node.
    Node,
    /// A layer of a material.
    Layer,
    /// A texture slot of a layer.
    LayerTexture,
    /// A texture animation.
    TextureAnim,
    /// A geoset animation.
    GeosetAnim,
    /// A light.
    Light,
    /// An attachment point.
    Attachment,
    /// A particle emitter that emits models.
    ParticleEmitter,
    /// A particle emitter that emits quads.
    ParticleEmitter2,
    /// A PopcornFX emitter.
    PopcornEmitter,
    /// A ribbon emitter.
    RibbonEmitter,
    /// A camera.
    Camera,
    /// An event object.
    Event,
    /// A sound emitter.
    SoundEmitter,
}

/// A track: the value it animates and the versions that have it.
#[derive(Debug)]
#[non_exhaustive]
pub struct TrackInfo {
    /// Its tag.
    pub tag: Tag,
    /// The tag as text.
    pub name: &'static str,
    /// What it belongs to.
    pub owner: Owner,
    /// The versions that have it.
    pub versions: RangeInclusive<u32>,
    /// The type of its values.
    pub value: ValueKind,
    /// Its keyword in the text form.
    pub keyword: &'static str,
    /// The value it animates.
    pub meaning: &'static str,
}

const fn track(
    name: &'static str,
    owner: Owner,
    versions: RangeInclusive<u32>,
    value: ValueKind,
    keyword: &'static str,
    meaning: &'static str,
) -> TrackInfo {
    TrackInfo { tag: tag(name), name, owner, versions, value, keyword, meaning }
}

use Owner::*;
use ValueKind::{Float, Integer, Rotation, Vector};

/// Every known track, by owner.
pub static TRACKS: &[TrackInfo] = &[
    track("KGTR", Node, ALL, Vector, "Translation", "translation of a node"),
    track("KGRT", Node, ALL, Rotation, "Rotation", "rotation of a node"),
    track("KGSC", Node, ALL, Vector, "Scaling", "scaling of a node"),
    track("KMTA", Layer, ALL, Float, "Alpha", "alpha of a layer"),
    track("KMTF", Layer, 800..=1099, Integer, "TextureID", "texture of a layer"),
    track("KMTF", Layer, WOW, Integer, "TextureID", "texture of a layer"),
    track("KMTE", Layer, REFORGED, Float, "EmissiveGain", "emissive gain of a layer"),
    track("KFC3", Layer, 1000..=1299, Vector, "FresnelColor", "fresnel colour of a layer"),
    track("KFCA", Layer, 1000..=1299, Float, "FresnelOpacity", "fresnel opacity of a layer"),
    track("KFTC", Layer, 1000..=1299, Float, "FresnelTeamColor", "fresnel team colour of a layer"),
    track("KMTF", LayerTexture, 1100..=1299, Integer, "TextureID", "texture of a slot of a layer"),
    track("KTAT", TextureAnim, ALL, Vector, "Translation", "translation of texture coordinates"),
    track("KTAR", TextureAnim, ALL, Rotation, "Rotation", "rotation of texture coordinates"),
    track("KTAS", TextureAnim, ALL, Vector, "Scaling", "scaling of texture coordinates"),
    track("KGAO", GeosetAnim, ALL, Float, "Alpha", "alpha of a geoset"),
    track("KGAC", GeosetAnim, ALL, Vector, "Color", "colour of a geoset (blue, green, red)"),
    track("KLAS", Light, ALL, Float, "AttenuationStart", "distance at which a light begins to fade"),
    track("KLAE", Light, ALL, Float, "AttenuationEnd", "distance at which a light has faded out"),
    track("KLAC", Light, ALL, Vector, "Color", "colour of a light (blue, green, red)"),
    track("KLAI", Light, ALL, Float, "Intensity", "intensity of a light"),
    track("KLBC", Light, ALL, Vector, "AmbColor", "ambient colour of a light (blue, green, red)"),
    track("KLBI", Light, ALL, Float, "AmbIntensity", "ambient intensity of a light"),
    track("KLAV", Light, WARCRAFT, Float, "Visibility", "visibility of a light"),
    track("KVIS", Light, WOW, Float, "Visibility", "visibility of a light"),
    track("KATV", Attachment, WARCRAFT, Float, "Visibility", "visibility of an attachment"),
    track("KVIS", Attachment, WOW, Float, "Visibility", "visibility of an attachment"),
    track("KPEE", ParticleEmitter, ALL, Float, "EmissionRate", "particles per second"),
    track("KPEG", ParticleEmitter, ALL, Float, "Gravity", "gravity on particles"),
    track("KPLN", ParticleEmitter, ALL, Float, "Longitude", "spread around the axis"),
    track("KPLT", ParticleEmitter, ALL, Float, "Latitude", "spread from the axis"),
    track("KPEL", ParticleEmitter, ALL, Float, "LifeSpan", "seconds a particle lives"),
    track("KPES", ParticleEmitter, ALL, Float, "InitVelocity", "speed of new particles"),
    track("KPEV", ParticleEmitter, WARCRAFT, Float, "Visibility", "visibility of an emitter"),
    track("KVIS", ParticleEmitter, WOW, Float, "Visibility", "visibility of an emitter"),
    track("KP2S", ParticleEmitter2, ALL, Float, "Speed", "speed of new particles"),
    track("KP2R", ParticleEmitter2, ALL, Float, "Variation", "relative variation of the speed"),
    track("KP2L", ParticleEmitter2, ALL, Float, "Latitude", "spread from the axis, in degrees"),
    track("KPLN", ParticleEmitter2, WOW, Float, "Longitude", "spread around the axis"),
    track("KP2G", ParticleEmitter2, ALL, Float, "Gravity", "gravity on particles"),
    track("KLIF", ParticleEmitter2, WOW, Float, "LifeSpan", "seconds a particle lives"),
    track("KP2E", ParticleEmitter2, ALL, Float, "EmissionRate", "particles per second"),
    track("KP2N", ParticleEmitter2, ALL, Float, "Length", "length of the emitting area"),
    track("KP2W", ParticleEmitter2, ALL, Float, "Width", "width of the emitting area"),
    track(
        "KP2Z",
        ParticleEmitter2,
        WOW,
        Float,
        "ZSource",
        "depth of the point that particles move away from",
    ),
    track("KP2V", ParticleEmitter2, WARCRAFT, Float, "Visibility", "visibility of an emitter"),
    track("KVIS", ParticleEmitter2, WOW, Float, "Visibility", "visibility of an emitter"),
    track("KPPA", PopcornEmitter, REFORGED, Float, "Alpha", "alpha of a PopcornFX effect"),
    track("KPPC", PopcornEmitter, REFORGED, Vector, "Color", "colour of a PopcornFX effect"),
    track("KPPE", PopcornEmitter, REFORGED, Float, "EmissionRate", "emission rate of a PopcornFX effect"),
    track("KPPL", PopcornEmitter, REFORGED, Float, "LifeSpan", "life span of a PopcornFX effect"),
    track("KPPS", PopcornEmitter, REFORGED, Float, "Speed", "speed of a PopcornFX effect"),
    track("KPPV", PopcornEmitter, REFORGED, Float, "Visibility", "visibility of a PopcornFX effect"),
    track("KRHA", RibbonEmitter, ALL, Float, "HeightAbove", "height of a ribbon above its pivot"),
    track("KRHB", RibbonEmitter, ALL, Float, "HeightBelow", "height of a ribbon below its pivot"),
    track("KRAL", RibbonEmitter, ALL, Float, "Alpha", "alpha of a ribbon"),
    track("KRCO", RibbonEmitter, ALL, Vector, "Color", "colour of a ribbon (blue, green, red)"),
    track("KRTX", RibbonEmitter, ALL, Integer, "TextureSlot", "cell of the ribbon's texture"),
    track("KRVS", RibbonEmitter, WARCRAFT, Float, "Visibility", "visibility of a ribbon"),
    track("KVIS", RibbonEmitter, WOW, Float, "Visibility", "visibility of a ribbon"),
    track("KCTR", Camera, ALL, Vector, "Translation", "translation of a camera"),
    track("KTTR", Camera, ALL, Vector, "TargetTranslation", "translation of a camera's target"),
    track("KCRL", Camera, ALL, Float, "Rotation", "roll of a camera, in radians"),
    track("KVIS", Camera, WOW, Float, "Visibility", "visibility of a camera"),
    track("KEVT", Event, ALL, ValueKind::Event, "EventTrack", "times of an event"),
    track("KESK", SoundEmitter, WARCRAFT, ValueKind::Event, "SoundTrack", "times of a sound"),
];

/// Returns what is known about a chunk in this version.
pub fn chunk_info(tag: Tag, version: Version) -> Option<&'static ChunkInfo> {
    CHUNKS.iter().find(|c| c.tag == tag && c.versions.contains(&version.0))
}

/// Returns what is known about a track of this owner in this version.
pub fn track_info(tag: Tag, owner: Owner, version: Version) -> Option<&'static TrackInfo> {
    TRACKS.iter().find(|t| t.tag == tag && t.owner == owner && t.versions.contains(&version.0))
}

/// Returns the tracks that this owner can have in this version.
pub fn tracks_of(owner: Owner, version: Version) -> impl Iterator<Item = &'static TrackInfo> {
    TRACKS.iter().filter(move |t| t.owner == owner && t.versions.contains(&version.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_tags() {
        assert!(CHUNKS.iter().all(|c| c.name.as_bytes() == c.tag.0));
        assert!(TRACKS.iter().all(|t| t.name.as_bytes() == t.tag.0));
        assert!(BLOCKS.iter().all(|b| b.name.as_bytes() == b.tag.0));
    }

    #[test]
    fn an_owner_has_a_tag_once_per_version() {
        for version in Version::KNOWN {
            for (i, a) in TRACKS.iter().enumerate() {
                let twin = TRACKS.iter().skip(i + 1).find(|b| {
                    (a.tag, a.owner) == (b.tag, b.owner)
                        && a.versions.contains(&version.0)
                        && b.versions.contains(&version.0)
                });
                assert!(twin.is_none(), "{} of {:?} in {version}", a.tag, a.owner);
            }
        }
    }
}
