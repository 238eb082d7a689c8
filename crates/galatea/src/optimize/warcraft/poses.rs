//! The comparison of an optimized model with the original: triangles and their bones, then the poses of all sequences.

use std::collections::HashMap;

use glam::{Mat4, Quat, Vec3};

use super::Warcraft;
use super::fixed::{self, Fixed};
use crate::mdlx::play::{GeosetPose, Moment, NodePose, Player, Pose};
use crate::mdlx::{Geoset, Keys, Material, Model, NodeKind, Track, Tracks};
use crate::optimize::Difference;
use crate::optimize::run::Compared;

/// The moments of each sequence at which poses are compared.
const INSTANTS: u32 = 24;
/// Numbers that are computed in another order differ by this share.
const ROUNDING: f32 = 1e-5;
/// Degrees by which equal rotations differ when they are computed in another order.
const TURN: f32 = 0.01;
/// A difference of colors that no screen shows.
const COLOR: f32 = 1.0 / 255.0;
/// A quarter of a pixel of a texture with 512.
const TEXEL: f32 = 1.0 / 2048.0;

/// What a static value and its track give at a moment.
enum Source {
    Float(f32, Option<Track>),
    Color([f32; 3], Option<Track>),
    Integer(u32, Option<Track>),
    Shown(Option<Track>),
}

struct Comparison<'c> {
    of: &'c Warcraft,
    before: Player<'c>,
    after: Player<'c>,
    /// For each node that is left, its places in both lists of nodes.
    nodes: Vec<(usize, usize, NodeKind, u32)>,
    sources: [Vec<(&'static [u8; 4], Source)>; 2],
    found: Compared,
}

/// Compares an optimized model with the original.
pub(super) fn compare(of: &Warcraft, model: &Model) -> Result<Compared, Difference> {
    let comparison = Comparison {
        of,
        before: Player::new(&of.original),
        after: Player::new(model),
        nodes: pairs(of, model)?,
        sources: [sources(&of.original), sources(model)],
        found: Compared::default(),
    };
    comparison.run(model)
}

fn differ<T>(of: &Warcraft, clip: Option<String>, what: String) -> Result<T, Difference> {
    Err(Difference { clip, what, tolerance: of.tolerance })
}

/// Returns the nodes that are left, with their places in both models.
fn pairs(of: &Warcraft, model: &Model) -> Result<Vec<(usize, usize, NodeKind, u32)>, Difference> {
    let mut places: HashMap<u32, usize> = HashMap::new();
    for (index, (_, _, node)) in of.original.nodes().enumerate() {
        places.entry(node.object_id).or_insert(index);
    }
    let originals: Vec<_> = of.original.nodes().collect();
    let same = model.nodes().count() == originals.len();
    let mut out = Vec::new();
    for (index, (kind, _, node)) in model.nodes().enumerate() {
        let id = of.trace.nodes.get(node.object_id as usize).copied().unwrap_or(node.object_id);
        // Where no node is gone, numbers may have doubles.
        let before = if same { Some(index) } else { places.get(&id).copied() };
        let was = before.and_then(|before| originals.get(before).map(|was| (before, was)));
        match was {
            Some((before, (was, _, old))) if *was == kind && old.name.bytes() == node.name.bytes() => {
                out.push((before, index, kind, id));
            }
            _ => return differ(of, None, format!("the node \"{}\" is another one", node.name.lossy())),
        }
    }
    let seen = |kind: NodeKind| !matches!(kind, NodeKind::Bone | NodeKind::Helper);
    let count = |model: &Model| model.nodes().filter(|(kind, ..)| seen(*kind)).count();
    if count(model) != count(&of.original) {
        return differ(of, None, "objects are missing".to_owned());
    }
    Ok(out)
}

/// Returns the static values of objects with their tracks.
fn sources(model: &Model) -> Vec<(&'static [u8; 4], Source)> {
    let mut out = Vec::new();
    let mut copy = model.clone();
    fixed::of_objects(&mut copy, &mut |tracks: &mut Tracks, tag: &'static [u8; 4], fixed: Fixed<'_>| {
        let track = tracks.list.iter().find(|track| track.tag.0 == *tag).cloned();
        let source = match fixed {
            Fixed::Float(value) => Source::Float(*value, track),
            Fixed::Color([r, g, b]) => Source::Color([*b, *g, *r], track),
            Fixed::Index(value) => Source::Integer(*value as u32, track),
            Fixed::Count(value) => Source::Integer(*value, track),
            Fixed::Shown => Source::Shown(track),
        };
        out.push((tag, source));
    });
    out
}

impl Comparison<'_> {
    fn run(mut self, model: &Model) -> Result<Compared, Difference> {
        self.compare_geosets(model)?;
        let original = &self.of.original;
        let same = |a: &Model, b: &Model| {
            a.sequences.len() == b.sequences.len()
                && a.sequences.iter().zip(&b.sequences).all(|(a, b)| (a.start, a.end) == (b.start, b.end))
        };
        if !same(original, model) {
            return differ(self.of, None, "sequences are others".to_owned());
        }
        for (index, sequence) in original.sequences.iter().enumerate() {
            let length = f64::from(sequence.end) - f64::from(sequence.start);
            let name = sequence.name.lossy();
            for instant in 0..INSTANTS {
                let elapsed = length.max(0.0) * f64::from(instant) / f64::from(INSTANTS);
                let mut moment = Moment::in_sequence(original, index, elapsed);
                // Global sequences are at another place each time.
                moment.clock += f64::from(instant) * 137.0;
                self.compare_moment(model, &moment, &name)?;
                self.found.poses += 1;
            }
        }
        if original.sequences.is_empty() {
            let moment = Moment { sequence: None, time: 0.0, clock: 0.0 };
            self.compare_moment(model, &moment, "rest")?;
            self.found.poses += 1;
        }
        Ok(self.found)
    }

    fn compare_moment(&mut self, model: &Model, moment: &Moment, clip: &str) -> Result<(), Difference> {
        let (before, after) = (self.before.pose(moment, None), self.after.pose(moment, None));
        self.compare_nodes(&before, &after, clip)?;
        self.compare_surfaces(model, &before, &after, moment, clip)?;
        self.compare_objects(&before, &after, moment, clip)
    }

    fn compare_nodes(&mut self, before: &Pose, after: &Pose, clip: &str) -> Result<(), Difference> {
        let (position, angle) = (self.of.tolerance.position, self.of.tolerance.angle);
        let size = self.of.budget.size;
        for (old, new, kind, id) in &self.nodes {
            let (Some(a), Some(b)) = (before.nodes.get(*old), after.nodes.get(*new)) else { continue };
            let moves = self.of.budget.boxes.get(id);
            let is_point = !matches!(kind, NodeKind::Bone | NodeKind::Helper);
            if moves.is_none() && !is_point {
                continue;
            }
            let corners = moves.map(|moves| moves.corners()).into_iter().flatten();
            let pivot = self.of.original.pivots.get(*id as usize).copied().filter(|_| is_point);
            let scale = largest(a);
            let mut far = 0.0f32;
            for point in corners.chain(pivot).map(Vec3::from) {
                let places = [a, b].map(|node| node.matrix.transform_point3(point));
                let [x, y] = places;
                let noise = ROUNDING * (x.length() + scale * point.length());
                far = far.max((x.distance(y) - noise).max(0.0) / size);
            }
            let turned = if is_point { turned(a.rotation, b.rotation) } else { 0.0 };
            self.found.position = self.found.position.max(far);
            self.found.angle = self.found.angle.max(turned);
            let name = || {
                let node = self.of.original.nodes().nth(*old);
                node.map_or(String::new(), |(_, _, node)| galatea_wire::escape(&node.name.lossy()))
            };
            if far > position {
                let what = format!("\"{}\" is {far:.5} of the size elsewhere", name());
                return differ(self.of, Some(clip.to_owned()), what);
            }
            if turned > angle + TURN {
                let what = format!("\"{}\" is turned by {turned:.3} degrees", name());
                return differ(self.of, Some(clip.to_owned()), what);
            }
            if a.visible != b.visible {
                return differ(self.of, Some(clip.to_owned()), format!("\"{}\" is shown otherwise", name()));
            }
        }
        Ok(())
    }

    fn compare_surfaces(
        &self,
        model: &Model,
        before: &Pose,
        after: &Pose,
        moment: &Moment,
        clip: &str,
    ) -> Result<(), Difference> {
        let original = &self.of.original;
        for (new, parts) in self.of.trace.geosets.iter().enumerate() {
            let Some(b) = after.geosets.get(new) else { continue };
            for old in parts {
                let Some(a) = before.geosets.get(*old) else { continue };
                if !same_geoset(a, b) {
                    return differ(
                        self.of,
                        Some(clip.to_owned()),
                        format!("geoset {old} is shown otherwise"),
                    );
                }
                let materials = [(original, original.geosets.get(*old)), (model, model.geosets.get(new))];
                let [a, b] = materials.map(|(model, geoset)| {
                    geoset.and_then(|geoset| model.materials.get(geoset.material_id as usize))
                });
                if !self.same_material(model, a, b, moment) {
                    let what = format!("the material of geoset {old} is another one");
                    return differ(self.of, Some(clip.to_owned()), what);
                }
            }
        }
        for (index, (a, b)) in original.ribbon_emitters.iter().zip(&model.ribbon_emitters).enumerate() {
            let a = original.materials.get(a.material_id as usize);
            let b = model.materials.get(b.material_id as usize);
            if !self.same_material(model, a, b, moment) {
                let what = format!("the material of ribbon {index} is another one");
                return differ(self.of, Some(clip.to_owned()), what);
            }
        }
        for (index, (a, b)) in original.particle_emitters2.iter().zip(&model.particle_emitters2).enumerate() {
            if !self.same_texture(model, a.texture_id, b.texture_id) {
                return differ(self.of, None, format!("the texture of emitter {index} is another one"));
            }
        }
        Ok(())
    }

    fn same_texture(&self, model: &Model, a: i32, b: i32) -> bool {
        let of = |model: &Model, id: i32| {
            let texture = usize::try_from(id).ok().and_then(|id| model.textures.get(id));
            texture.map(|texture| (texture.replaceable_id, texture.path.bytes().to_vec(), texture.flags))
        };
        of(&self.of.original, a) == of(model, b)
    }

    fn same_material(
        &self,
        model: &Model,
        a: Option<&Material>,
        b: Option<&Material>,
        moment: &Moment,
    ) -> bool {
        let (Some(a), Some(b)) = (a, b) else { return a.is_none() && b.is_none() };
        let same = |x: f32, y: f32, most: f32| (x - y).abs() <= most || x.to_bits() == y.to_bits();
        (a.priority_plane, a.flags, a.layers.len()) == (b.priority_plane, b.flags, b.layers.len())
            && a.shader.bytes() == b.shader.bytes()
            && a.layers.iter().zip(&b.layers).all(|(a, b)| {
                let (x, y) = (self.before.layer(a, moment), self.after.layer(b, moment));
                let slots = a.textures.iter().zip(&b.textures);
                let moved = x.translation.iter().chain(&x.scale).zip(y.translation.iter().chain(&y.scale));
                let [p, q] = [x.rotation, y.rotation].map(|q| Quat::from_array(q).normalize());
                (a.filter_mode, a.flags, a.coord_id, a.shader_type)
                    == (b.filter_mode, b.flags, b.coord_id, b.shader_type)
                    && a.textures.len() == b.textures.len()
                    && slots.into_iter().skip(1).all(|(a, b)| {
                        a.slot == b.slot && self.same_texture(model, a.texture_id, b.texture_id)
                    })
                    && self.same_texture(model, x.texture, y.texture)
                    && same(x.alpha, y.alpha, COLOR)
                    && moved.into_iter().all(|(x, y)| same(*x, *y, TEXEL * (1.0 + x.abs())))
                    && turned(p, q) <= self.of.tolerance.angle + TURN
            })
    }

    fn compare_objects(
        &self,
        before: &Pose,
        after: &Pose,
        moment: &Moment,
        clip: &str,
    ) -> Result<(), Difference> {
        let [old, new] = &self.sources;
        let at = || Some(clip.to_owned());
        if old.len() != new.len() {
            return differ(self.of, None, "objects are missing".to_owned());
        }
        for ((tag, a), (_, b)) in old.iter().zip(new) {
            let [x, y] =
                [(&self.before, a), (&self.after, b)].map(|(player, source)| value(player, source, moment));
            let most = if matches!(*tag, b"KLAC" | b"KLBC" | b"KRAL") { COLOR } else { 0.0 };
            let same = x.iter().zip(y).all(|(x, y)| {
                x.to_bits() == y.to_bits() || (x - y).abs() <= most + ROUNDING * x.abs().max(y.abs())
            });
            if !same {
                let tag = String::from_utf8_lossy(&tag[..]).into_owned();
                return differ(self.of, at(), format!("a value of {tag} is another one"));
            }
        }
        let size = self.of.budget.size;
        let most = self.of.tolerance.position;
        for (index, (a, b)) in before.cameras.iter().zip(&after.cameras).enumerate() {
            let far = a.position.distance(b.position).max(a.target.distance(b.target)) / size;
            let noise = ROUNDING * (a.position.length() + a.target.length()) / size;
            if far > most + noise || (a.roll - b.roll).abs() > self.of.tolerance.angle.to_radians() + ROUNDING
            {
                return differ(self.of, at(), format!("camera {index} is {far:.5} of the size elsewhere"));
            }
        }
        Ok(())
    }

    /// Compares every corner of every triangle, and the bones that move it.
    fn compare_geosets(&self, model: &Model) -> Result<(), Difference> {
        for (new, parts) in self.of.trace.geosets.iter().enumerate() {
            let Some(geoset) = model.geosets.get(new) else {
                return differ(self.of, None, format!("geoset {new} is missing"));
            };
            let old = |index: &usize| self.of.original.geosets.get(*index);
            let mut wanted = parts.iter().filter_map(old).flat_map(|geoset| {
                geoset
                    .triangles()
                    .into_iter()
                    .map(move |corners| corners.map(|corner| of_vertex(geoset, corner, None)))
            });
            let bones = &self.of.trace.nodes;
            for corners in geoset.triangles() {
                let have = corners.map(|corner| of_vertex(geoset, corner, Some(bones)));
                let found = if self.of.degenerate {
                    wanted.any(|want| want == have)
                } else {
                    wanted.next().as_ref() == Some(&have)
                };
                if !found {
                    return differ(self.of, None, format!("a triangle of geoset {new} is another one"));
                }
            }
            if !self.of.degenerate && wanted.next().is_some() {
                return differ(self.of, None, format!("a triangle of geoset {new} is missing"));
            }
        }
        let kept: usize = self.of.trace.geosets.iter().flatten().count();
        let drawn = self.of.original.geosets.iter().filter(|geoset| !geoset.faces.is_empty()).count();
        let whole = kept >= drawn || self.of.degenerate;
        if whole { Ok(()) } else { differ(self.of, None, "geosets are missing".to_owned()) }
    }
}

/// The place, normal and texture coordinates of a vertex as bits, and the original numbers of its bones.
fn of_vertex(geoset: &Geoset, corner: u16, bones: Option<&Vec<u32>>) -> (Vec<u32>, Vec<u32>) {
    let index = usize::from(corner);
    let mut bits = Vec::with_capacity(12);
    let mut add =
        |values: Option<&[f32]>| bits.extend(values.into_iter().flatten().map(|value| value.to_bits()));
    add(geoset.vertices.get(index).map(|v| &v[..]));
    add(geoset.normals.get(index).map(|v| &v[..]));
    add(geoset.tangents.as_ref().and_then(|tangents| tangents.get(index)).map(|v| &v[..]));
    geoset.uvs.iter().for_each(|set| add(set.get(index).map(|v| &v[..])));
    let original = |id: u32| bones.and_then(|bones| bones.get(id as usize)).copied().unwrap_or(id);
    let moved = match geoset.skin.as_ref().and_then(|skin| skin.get(index)) {
        Some(skin) => {
            let weighted = skin.bones.iter().zip(skin.weights).filter(|(_, weight)| *weight > 0);
            weighted.flat_map(|(bone, weight)| [original(u32::from(*bone)), u32::from(weight)]).collect()
        }
        None => {
            let group = geoset.vertex_groups.get(index).map_or(0, |group| usize::from(*group));
            let group = geoset.groups().nth(group).or_else(|| geoset.groups().last()).unwrap_or(&[]);
            group.iter().map(|id| original(*id)).collect()
        }
    };
    (bits, moved)
}

fn same_geoset(a: &GeosetPose, b: &GeosetPose) -> bool {
    let colors =
        a.color.iter().zip(b.color).all(|(a, b)| (a - b).abs() <= COLOR || a.to_bits() == b.to_bits());
    // What cannot be seen has no color.
    (a.alpha - b.alpha).abs() <= COLOR
        && (colors || !a.visible)
        && (a.visible == b.visible || a.alpha.max(b.alpha) <= COLOR)
}

/// Returns the angle between two rotations in degrees.
fn turned(a: Quat, b: Quat) -> f32 {
    let b = if a.dot(b) < 0.0 { -b } else { b };
    let chord = (a - b).length();
    if chord.is_nan() { 0.0 } else { (4.0 * (chord / 2.0).min(1.0).asin()).to_degrees() }
}

/// Returns the largest scale of a node.
fn largest(node: &NodePose) -> f32 {
    let matrix: &Mat4 = &node.matrix;
    [matrix.x_axis, matrix.y_axis, matrix.z_axis]
        .iter()
        .map(|axis| axis.truncate().length())
        .fold(0.0, f32::max)
}

fn value(player: &Player<'_>, source: &Source, moment: &Moment) -> Vec<f32> {
    match source {
        Source::Float(fixed, track) => vec![sampled(player, track, moment, *fixed)],
        Source::Color(fixed, track) => sampled(player, track, moment, *fixed).to_vec(),
        Source::Integer(fixed, track) => {
            let value = sampled(player, track, moment, *fixed);
            vec![value as f32]
        }
        Source::Shown(track) => vec![f32::from(u8::from(sampled(player, track, moment, 1.0f32) > 0.0))],
    }
}

fn sampled<T: crate::mdlx::play::Value>(
    player: &Player<'_>,
    track: &Option<Track>,
    moment: &Moment,
    fixed: T,
) -> T {
    let track =
        track.as_ref().filter(|track| !matches!(&track.keys, Keys::Float(curve) if curve.keys.is_empty()));
    track.and_then(|track| player.sample(track, moment)).unwrap_or(fixed)
}
