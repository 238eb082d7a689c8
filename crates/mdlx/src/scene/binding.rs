//! Which track drives which property of the scene, for both directions.

use galatea_scene::{Property, Target};

use super::curve::{Map, Run};
use super::extra::latin;
use crate::{Interpolation, Keys, NodeKind, Owner, Tag, ValueKind, Version, tracks_of};

/// What a track moves in the scene.
#[derive(Debug, Clone)]
pub(super) struct Bound {
    pub(super) target: Target,
    pub(super) property: Property,
    pub(super) map: Map,
    /// Values are held, whatever the track says.
    pub(super) held: bool,
}

impl Bound {
    pub(super) fn new(target: Target, property: Property) -> Self {
        Bound { target, property, map: Map::Plain, held: false }
    }

    /// Whether a node is seen.
    pub(super) fn visibility(node: u32) -> Self {
        Bound { held: true, ..Bound::new(Target::Node(node), Property::Visibility) }
    }

    /// Something the scene has no word for.
    pub(super) fn other(target: Target, tag: Tag) -> Self {
        Bound::new(target, Property::Other(latin(&tag.0)))
    }

    pub(super) fn reversed(self) -> Self {
        Bound { map: Map::Reversed, ..self }
    }
}

/// What an object at a node can move besides the node.
#[derive(Debug, Clone, Copy)]
pub(super) struct Parts {
    pub(super) node: u32,
    pub(super) light: Option<u32>,
    pub(super) emitter: Option<u32>,
}

/// The binding of a track.
pub(super) fn find(bounds: &[(Tag, ValueKind, Bound)], tag: Tag) -> Option<Bound> {
    bounds.iter().find(|(t, ..)| *t == tag).map(|(.., bound)| bound.clone())
}

/// The tracks of the node itself.
pub(super) fn node_bounds(node: u32, rest: Map) -> [(Tag, ValueKind, Bound); 3] {
    let bound = |property| Bound::new(Target::Node(node), property);
    [
        (Tag(*b"KGTR"), ValueKind::Vector, Bound { map: rest, ..bound(Property::Translation) }),
        (Tag(*b"KGRT"), ValueKind::Rotation, bound(Property::Rotation)),
        (Tag(*b"KGSC"), ValueKind::Vector, bound(Property::Scale)),
    ]
}

fn owner_of(kind: NodeKind) -> Option<Owner> {
    Some(match kind {
        NodeKind::Light => Owner::Light,
        NodeKind::Attachment => Owner::Attachment,
        NodeKind::ParticleEmitter => Owner::ParticleEmitter,
        NodeKind::ParticleEmitter2 => Owner::ParticleEmitter2,
        NodeKind::PopcornEmitter => Owner::PopcornEmitter,
        NodeKind::RibbonEmitter => Owner::RibbonEmitter,
        _ => return None,
    })
}

/// The tracks of the object at a node.
pub(super) fn own_bounds(kind: NodeKind, version: Version, parts: Parts) -> Vec<(Tag, ValueKind, Bound)> {
    let Some(owner) = owner_of(kind) else { return Vec::new() };
    let light = Target::Light(parts.light.unwrap_or(u32::MAX));
    let emitter = Target::Emitter(parts.emitter.unwrap_or(u32::MAX));
    let tracks = tracks_of(owner, version).map(|info| {
        let bound = match (owner, &info.tag.0) {
            (_, b"KLAV" | b"KATV" | b"KPEV" | b"KP2V" | b"KRVS" | b"KPPV" | b"KVIS") => {
                Bound::visibility(parts.node)
            }
            (_, b"KLAC") => Bound::new(light, Property::Color).reversed(),
            (_, b"KLAI") => Bound::new(light, Property::Intensity),
            (_, b"KLAE") => Bound::new(light, Property::Range),
            (Owner::Light, _) => Bound::other(light, info.tag),
            _ => Bound::other(emitter, info.tag),
        };
        (info.tag, info.value, bound)
    });
    tracks.collect()
}

/// The tracks of a layer. Further layers of one material of the scene have their number behind the tag.
pub(super) fn layer_bounds(version: Version, material: u32, layer: usize) -> Vec<(Tag, ValueKind, Bound)> {
    let target = Target::Material(material);
    let tracks = tracks_of(Owner::Layer, version).map(|info| {
        let bound = match (&info.tag.0, layer) {
            (b"KMTA", 0) => Bound::new(target, Property::Alpha),
            (_, 0) => Bound::other(target, info.tag),
            _ => Bound::new(target, Property::Other(format!("{} {layer}", latin(&info.tag.0)))),
        };
        (info.tag, info.value, bound)
    });
    tracks.collect()
}

/// The track of a texture slot.
pub(super) fn slot_bounds(version: Version, material: u32, slot: usize) -> Vec<(Tag, ValueKind, Bound)> {
    let tracks = tracks_of(Owner::LayerTexture, version).map(|info| {
        let property = Property::Other(format!("{} texture {slot}", latin(&info.tag.0)));
        (info.tag, info.value, Bound::new(Target::Material(material), property))
    });
    tracks.collect()
}

/// The tracks of a texture animation.
pub(super) fn uv_bounds(material: u32) -> [(Tag, ValueKind, Bound); 3] {
    let bound = |property| Bound::new(Target::Material(material), property);
    [
        (Tag(*b"KTAT"), ValueKind::Vector, bound(Property::UvOffset)),
        (Tag(*b"KTAR"), ValueKind::Rotation, bound(Property::Other("uv_turn".into()))),
        (Tag(*b"KTAS"), ValueKind::Vector, bound(Property::UvScale)),
    ]
}

/// The tracks of a geoset animation.
pub(super) fn anim_bounds(node: u32) -> [(Tag, ValueKind, Bound); 2] {
    let bound = |property| Bound::new(Target::Node(node), property);
    [
        (Tag(*b"KGAO"), ValueKind::Float, bound(Property::Alpha)),
        (Tag(*b"KGAC"), ValueKind::Vector, bound(Property::Color).reversed()),
    ]
}

pub(super) fn camera_bounds(
    version: Version,
    camera: u32,
    [node, target]: [u32; 2],
    [place, aim]: [Map; 2],
) -> Vec<(Tag, ValueKind, Bound)> {
    let tracks = tracks_of(Owner::Camera, version).map(|info| {
        let moved =
            |node: u32, map: Map| Bound { map, ..Bound::new(Target::Node(node), Property::Translation) };
        let bound = match &info.tag.0 {
            b"KCTR" => moved(node, place),
            b"KTTR" => moved(target, aim),
            b"KVIS" => Bound::visibility(node),
            _ => Bound::other(Target::Camera(camera), info.tag),
        };
        (info.tag, info.value, bound)
    });
    tracks.collect()
}

/// What keys hold, as floats.
pub(super) trait Lane: Copy + Default {
    const WIDTH: usize;
    fn put(self, out: &mut Vec<f32>);
    fn take(row: &[f32]) -> Self;
}

impl Lane for f32 {
    const WIDTH: usize = 1;
    fn put(self, out: &mut Vec<f32>) {
        out.push(self);
    }
    fn take(row: &[f32]) -> Self {
        row.first().copied().unwrap_or(0.0)
    }
}

impl<const N: usize> Lane for [f32; N]
where
    [f32; N]: Default,
{
    const WIDTH: usize = N;
    fn put(self, out: &mut Vec<f32>) {
        out.extend_from_slice(&self);
    }
    fn take(row: &[f32]) -> Self {
        row.first_chunk().copied().unwrap_or_default()
    }
}

impl Lane for u32 {
    const WIDTH: usize = 1;
    fn put(self, out: &mut Vec<f32>) {
        out.push(self as f32);
    }
    fn take(row: &[f32]) -> Self {
        row.first().map_or(0, |v| *v as u32)
    }
}

/// How the values of a track run in the scene.
pub(super) fn run_of(interpolation: Interpolation, keys: &Keys) -> Run {
    match (interpolation, keys) {
        (Interpolation::Hermite | Interpolation::Bezier, Keys::Rotation(_)) => Run::Smooth,
        (Interpolation::Hermite, _) => Run::Hermite,
        (Interpolation::Bezier, _) => Run::Bezier,
        _ => Run::Straight,
    }
}

pub(super) const WORDS: [(Interpolation, &str); 4] = [
    (Interpolation::None, "none"),
    (Interpolation::Linear, "linear"),
    (Interpolation::Hermite, "hermite"),
    (Interpolation::Bezier, "bezier"),
];
