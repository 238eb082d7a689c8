//! Differences between models. Layout and padding are ignored.

use galatea_wire::{Differences, compare_by_eq, compare_fields, differences};

use super::mesh::{AabbNode, AabbTree, Dangly, IndexLists, Mesh, PositionCopy, Saber, Skin, Vertices};
use super::node::{Light, Name, Node};
use super::wire::{Emitter, Event, Face, Reference};
use super::{Animation, Controllers, Dirt, Game, Interpolation, Model, Platform, Track, unpack_quaternion};

compare_by_eq!(Game, Platform, Name);
compare_fields!(Event: time, name);
compare_fields!(Face: normal, distance, material, adjacent, vertices);
compare_fields!(AabbNode: min, max, left, right, face, plane);
compare_fields!(Dirt: enabled, texture, coordinate_space, hide_in_holograms);

impl Model {
    /// Returns the differences from another model, one line each; empty if there are none. Layout, padding and unused
    /// controller data are ignored. Numbers are compared by their bits.
    ///
    /// ```
    /// use galatea_kotor::mdl::Model;
    /// let a = Model::new("box");
    /// let b = Model { radius: 40.0, ..a.clone() };
    /// assert!(a.differences(&a).is_empty());
    /// assert_eq!(a.differences(&b), ["radius: 7.0 -> 40.0"]);
    /// ```
    pub fn differences(&self, other: &Model) -> Vec<String> {
        Differences::collect(|out| self.compare(other, out))
    }

    /// Adds the [`differences`](Self::differences) from another model to a list, within its tolerance.
    pub fn compare(&self, other: &Model, out: &mut Differences) {
        let (a, b) = (self, other);
        differences!(out, a, b;
            values game, platform, name, node_count, classification, subclassification, unknown_0x52, fog,
                child_models, bounds, radius, animation_scale, supermodel, head;
            tables names
        );
        nodes(out, a, &a.nodes, &b.nodes);
        out.each_named(
            "animations",
            &a.animations,
            &b.animations,
            |animation| animation.name.bytes(),
            |out, x, y| animation(out, a, x, y),
        );
    }
}

fn animation(out: &mut Differences, model: &Model, a: &Animation, b: &Animation) {
    differences!(out, a, b; values name, length, transition, root, node_count; tables events);
    nodes(out, model, &a.nodes, &b.nodes);
}

fn nodes(out: &mut Differences, model: &Model, a: &[Node], b: &[Node]) {
    out.each_named("nodes", a, b, |node| model.name_of(node), node);
}

fn node(out: &mut Differences, a: &Node, b: &Node) {
    differences!(out, a, b;
        values parent, name, number, position, orientation, unknown_flags, camera;
        tables children
    );
    controllers(out, &a.controllers, &b.controllers);
    out.part("light", a.light.as_deref(), b.light.as_deref(), light);
    out.part("emitter", a.emitter.as_deref(), b.emitter.as_deref(), emitter);
    out.part("reference", a.reference.as_deref(), b.reference.as_deref(), |out, a: &Reference, b| {
        differences!(out, a, b; values model, reattachable);
    });
    out.part("mesh", a.mesh.as_deref(), b.mesh.as_deref(), mesh);
}

/// Compares controllers by their keys, wherever those are in the data.
fn controllers(out: &mut Differences, a: &Controllers, b: &Controllers) {
    let mut index = 0;
    out.each("controllers", a.list(), b.list(), |out, ca, cb| {
        differences!(out, ca, cb; values kind, target, columns, rows);
        match (a.track(index), b.track(index)) {
            (Some(a), Some(b)) => {
                out.table("times", a.times, b.times);
                match (rotations(&a), rotations(&b)) {
                    // Words of bits: near are those of rotations that are near.
                    (Some(a), Some(mut b)) if out.tolerance() > 0.0 => {
                        align(&mut b, &a);
                        out.table("values", &a, &b);
                    }
                    _ => out.table("values", a.values, b.values),
                }
            }
            (None, None) => differences!(out, ca, cb; values time_index, data_index),
            (Some(_), None) => out.change("keys", "present", "outside the data"),
            (None, Some(_)) => out.change("keys", "outside the data", "present"),
        }
        index += 1;
    });
}

/// Returns the rotations of packed keys.
fn rotations(track: &Track<'_>) -> Option<Vec<[f32; 4]>> {
    let packed = track.interpolation == Interpolation::Packed;
    packed.then(|| track.values.iter().map(|word| unpack_quaternion(word.to_bits())).collect())
}

/// Gives rotations the signs of others: both quaternions of a rotation turn alike.
fn align(rotations: &mut [[f32; 4]], to: &[[f32; 4]]) {
    for (rotation, to) in rotations.iter_mut().zip(to) {
        if rotation.iter().zip(to).map(|(a, b)| a * b).sum::<f32>() < 0.0 {
            *rotation = rotation.map(|v| -v);
        }
    }
}

fn light(out: &mut Differences, a: &Light, b: &Light) {
    differences!(out, a, b;
        values flare_radius, priority, ambient_only, dynamic_type, affect_dynamic, shadow, flare, fading;
        tables flare_sizes, flare_positions, flare_colors, flare_textures
    );
}

fn emitter(out: &mut Differences, a: &Emitter, b: &Emitter) {
    differences!(out, a, b;
        values dead_space, blast_radius, blast_length, branch_count, control_point_smoothing, x_grid, y_grid,
            spawn_type, update, render, blend, texture, chunk, two_sided, looped, render_order,
            frame_blending, depth_texture, flags
    );
}

fn mesh(out: &mut Differences, a: &Mesh, b: &Mesh) {
    differences!(out, a, b;
        values in_mdx, bounds, radius, average, area, diffuse, ambient, transparency_hint, texture, lightmap,
            texture_3, texture_4, texture_count, unknown_0xd4, unknown_0xe0, animate_uv, uv_direction,
            uv_jitter, uv_jitter_speed, lightmapped, rotate_texture, background, shadow, beaming, render,
            dirt, unknown_after_area;
        tables faces, inverted_counters
    );
    out.within("vertices", |out| vertices(out, &a.vertices, &b.vertices));
    copy(out, "mdl_positions", &a.mdl_positions, &b.mdl_positions);
    match (&a.indices, &b.indices) {
        (IndexLists::Faces, IndexLists::Faces) => {}
        (IndexLists::Own(a), IndexLists::Own(b)) if a.len() == b.len() => out.tables("indices", a, b),
        (a, b) => out.change("indices", lists_of(a), lists_of(b)),
    }
    out.part("skin", a.skin.as_deref(), b.skin.as_deref(), skin);
    out.part("anim", a.anim.as_deref(), b.anim.as_deref(), |out, a, b| {
        differences!(out, a, b; values sample_period, unknown_0x28);
    });
    out.part("dangly", a.dangly.as_deref(), b.dangly.as_deref(), |out, a: &Dangly, b: &Dangly| {
        differences!(out, a, b; values displacement, tightness, period; tables constraints);
        copy(out, "positions", &a.positions, &b.positions);
    });
    out.part("aabb", a.aabb.as_deref(), b.aabb.as_deref(), |out, a: &AabbTree, b| {
        differences!(out, a, b; tables nodes);
    });
    out.part("saber", a.saber.as_deref(), b.saber.as_deref(), |out, a: &Saber, b: &Saber| {
        differences!(out, a, b; values inverted_counters; tables positions, uvs, normals);
    });
}

fn vertices(out: &mut Differences, a: &Vertices, b: &Vertices) {
    differences!(out, a, b; tables positions, normals, colors, weights, bones);
    out.tables("uvs", &a.uvs, &b.uvs);
    out.tables("tangents", &a.tangents, &b.tangents);
}

fn copy(out: &mut Differences, name: &str, a: &PositionCopy, b: &PositionCopy) {
    match (a, b) {
        (PositionCopy::Own(a), PositionCopy::Own(b)) => out.table(name, a, b),
        (PositionCopy::Same, PositionCopy::Same) | (PositionCopy::Absent, PositionCopy::Absent) => {}
        (a, b) => out.change(name, copy_of(a), copy_of(b)),
    }
}

fn skin(out: &mut Differences, a: &Skin, b: &Skin) {
    differences!(out, a, b; tables bone_map, rotations, translations);
    // Unused slots contain garbage.
    let used = a.slots().max(b.slots()).min(16);
    out.table("bone_nodes", a.bone_nodes.get(..used).unwrap_or(&[]), b.bone_nodes.get(..used).unwrap_or(&[]));
}

fn lists_of(lists: &IndexLists) -> String {
    match lists {
        IndexLists::Faces => "those of the faces".into(),
        IndexLists::Own(lists) => format!("{} separate lists", lists.len()),
    }
}

fn copy_of(copy: &PositionCopy) -> &'static str {
    match copy {
        PositionCopy::Absent => "none",
        PositionCopy::Same => "those of the mesh",
        PositionCopy::Own(_) => "different from those of the mesh",
    }
}
