//! Differences between two scenes, part by part and field by field.

use std::collections::HashMap;
use std::fmt::{self, Formatter};
use std::mem::discriminant;

use galatea_wire::{Compare, Differences, compare_by_eq, compare_fields, differences};

use crate::{
    AlphaMode, Attachment, Billboard, Camera, Clip, Emitter, EmitterKind, Extras, Inherit, Interpolation,
    Light, LightKind, Material, Mesh, Node, Playback, Projection, Property, Purpose, Scene, Shape, Skin,
    Slot, Target, Topology, Transform, UvTransform, Value, Vertices, Wrap,
};

compare_by_eq!(
    Billboard,
    EmitterKind,
    Inherit,
    Interpolation,
    Playback,
    Property,
    Purpose,
    Slot,
    Target,
    Topology,
    Wrap
);
compare_fields!(Attachment: id, path);
compare_fields!(Transform: translation, rotation, scale);
compare_fields!(UvTransform: offset, rotation, scale);

/// Compares enums by their variant and its numbers; missing ones count as 0.
macro_rules! compare_variants {
    ($($t:ident { $($variant:ident($($field:ident),+) => [$($number:expr),+]),+ $(; $others:pat)? })*) => {$(
        impl Compare for $t {
            fn same(&self, other: &Self, tolerance: f32) -> bool {
                fn numbers(value: &$t) -> [[f32; 3]; 3] {
                    let mut numbers = [[0.0; 3]; 3];
                    match *value {
                        $($t::$variant { $($field),+ } => {
                            numbers.iter_mut().zip([$($number),+]).for_each(|(slot, number)| *slot = number);
                        })+
                        $($others => {})?
                    }
                    numbers
                }
                discriminant(self) == discriminant(other) && numbers(self).same(&numbers(other), tolerance)
            }
            fn show(&self, f: &mut Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(self, f)
            }
        }
    )*};
}
compare_variants! {
    AlphaMode { Mask(cutoff) => [[cutoff; 3]]; _ }
    LightKind { Spot(inner, outer) => [[inner; 3], [outer; 3]]; _ }
    Projection {
        Perspective(yfov, aspect) => [[yfov; 3], [aspect.unwrap_or(f32::INFINITY); 3]],
        Orthographic(size) => [[size[0]; 3], [size[1]; 3]]
    }
    Shape {
        Box(min, max) => [min, max],
        Sphere(center, radius) => [center, [radius; 3]],
        Cylinder(from, to, radius) => [from, to, [radius; 3]],
        Plane(size) => [[size[0]; 3], [size[1]; 3]]
    }
}

impl Scene {
    /// Adds the differences of another scene from this one to a list, within its tolerance. The names of the scenes are not
    /// compared: they may come from the names of files.
    ///
    /// ```
    /// use galatea_scene::example;
    /// use galatea_wire::Differences;
    /// let (scene, mut other) = (example(), example());
    /// other.nodes[1].visible = false;
    /// let lines = Differences::collect(|out| scene.compare(&other, out));
    /// assert_eq!(lines, [format!("nodes[1] {:?} > visible: true -> false", scene.nodes[1].name)]);
    /// ```
    pub fn compare(&self, other: &Scene, out: &mut Differences) {
        macro_rules! parts {
            ($($field:ident $compare:expr),+ $(,)?) => {$(
                out.each_named(
                    stringify!($field),
                    &self.$field,
                    &other.$field,
                    |part| part.name.as_bytes(),
                    |out, a, b| {
                        out.value("name", &a.name, &b.name);
                        $compare(out, a, b);
                        extras(out, &a.extras, &b.extras);
                    },
                );
            )+};
        }
        parts!(nodes node, meshes mesh, skins skin, materials material, clips clip, lights light);
        parts!(cameras camera, emitters emitter);
        out.each("vertices", &self.vertices, &other.vertices, vertices);
        extras(out, &self.extras, &other.extras);
    }
}

fn node(out: &mut Differences, a: &Node, b: &Node) {
    differences!(out, a, b;
        values parent, transform, visible, tint, mesh, skin, light, camera, emitter, attachment, shape,
            billboard, inherit, axes;
        tables children
    );
}

fn mesh(out: &mut Differences, a: &Mesh, b: &Mesh) {
    differences!(out, a, b; values purpose, lod);
    out.each("primitives", &a.primitives, &b.primitives, |out, a, b| {
        differences!(out, a, b; values vertices, topology, material; tables indices);
        extras(out, &a.extras, &b.extras);
    });
}

fn skin(out: &mut Differences, a: &Skin, b: &Skin) {
    differences!(out, a, b; tables joints, inverse_bind);
}

fn material(out: &mut Differences, a: &Material, b: &Material) {
    differences!(out, a, b;
        values base_color, emissive, metallic, roughness, alpha, two_sided, unlit;
        tables layers
    );
    out.each("textures", &a.textures, &b.textures, |out, a, b| {
        differences!(out, a, b; values slot, name, uv_set, wrap, transform);
        extras(out, &a.extras, &b.extras);
    });
}

fn clip(out: &mut Differences, a: &Clip, b: &Clip) {
    differences!(out, a, b; values length, playback);
    out.each("channels", &a.channels, &b.channels, |out, a, b| {
        differences!(out, a, b; values target, property, interpolation; tables times, values);
        extras(out, &a.extras, &b.extras);
    });
    out.each("events", &a.events, &b.events, |out, a, b| {
        differences!(out, a, b; values time, name, node);
        extras(out, &a.extras, &b.extras);
    });
}

fn light(out: &mut Differences, a: &Light, b: &Light) {
    differences!(out, a, b; values kind, color, intensity, range);
}

fn camera(out: &mut Differences, a: &Camera, b: &Camera) {
    differences!(out, a, b; values projection, near, far, target);
}

fn emitter(out: &mut Differences, a: &Emitter, b: &Emitter) {
    differences!(out, a, b;
        values kind, rate, life, speed, spread, gravity, area, grid, material, path;
        tables colors, sizes
    );
}

fn vertices(out: &mut Differences, a: &Vertices, b: &Vertices) {
    differences!(out, a, b; tables positions, normals, tangents);
    out.tables("uvs", &a.uvs, &b.uvs);
    out.tables("colors", &a.colors, &b.colors);
    out.within("influences", |out| {
        differences!(out, a.influences, b.influences; values width; tables joints, weights);
    });
    out.each("attributes", &a.attributes, &b.attributes, |out, a, b| {
        differences!(out, a, b; values name, width; tables values);
    });
    extras(out, &a.extras, &b.extras);
}

fn extras(out: &mut Differences, a: &Extras, b: &Extras) {
    out.within("extras", |out| members(out, a, b));
}

fn by_key(extras: &Extras) -> HashMap<&str, &Value> {
    extras.iter().collect()
}

fn have_same_keys(a: &Extras, b: &Extras) -> bool {
    a.len() == b.len() && a.iter().zip(b.iter()).all(|((a, _), (b, _))| a == b)
}

/// Compares members by their keys, in any order.
fn members(out: &mut Differences, a: &Extras, b: &Extras) {
    if have_same_keys(a, b) {
        return a.iter().zip(b.iter()).for_each(|((key, a), (_, b))| member(out, key, a, b));
    }
    let (own, others) = (by_key(a), by_key(b));
    for (key, value) in a.iter() {
        match others.get(key) {
            Some(other) => member(out, key, value, other),
            None => out.line(format_args!("{key}: only in the first")),
        }
    }
    for (key, _) in b.iter().filter(|(key, _)| !own.contains_key(key)) {
        out.line(format_args!("{key}: only in the second"));
    }
}

fn member(out: &mut Differences, key: &str, a: &Value, b: &Value) {
    match (a, b) {
        (Value::Object(a), Value::Object(b)) => out.within(key, |out| members(out, a, b)),
        (Value::Array(a), Value::Array(b)) => out.table(key, a, b),
        _ => out.value(key, a, b),
    }
}

/// Floats of extras are those of a document, so they are compared as `f32`.
impl Compare for Value {
    fn same(&self, other: &Self, tolerance: f32) -> bool {
        match (self, other) {
            (Value::Float(a), Value::Float(b)) => {
                a.to_bits() == b.to_bits() || (*a as f32).same(&(*b as f32), tolerance)
            }
            (Value::Array(a), Value::Array(b)) => a.same(b, tolerance),
            (Value::Object(a), Value::Object(b)) if have_same_keys(a, b) => {
                a.iter().zip(b.iter()).all(|((_, a), (_, b))| a.same(b, tolerance))
            }
            (Value::Object(a), Value::Object(b)) => {
                let others = by_key(b);
                let same =
                    |(key, value): (&str, &Value)| others.get(key).is_some_and(|o| value.same(o, tolerance));
                a.len() == b.len() && a.iter().all(same)
            }
            (a, b) => a == b,
        }
    }
    fn show(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Value::Null => f.write_str("null"),
            Value::Bool(value) => value.show(f),
            Value::Int(value) => value.show(f),
            Value::Float(value) => write!(f, "{value:?}"),
            Value::String(value) => (**value).show(f),
            Value::Array(values) => values.show(f),
            Value::Object(members) => write!(f, "an object of {} members", members.len()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example;

    fn lines(change: impl FnOnce(&mut Scene)) -> Vec<String> {
        let (scene, mut other) = (example(), example());
        change(&mut other);
        Differences::collect(|out| scene.compare(&other, out))
    }

    #[test]
    fn a_scene_equals_itself_even_with_nan() {
        let mut scene = example();
        scene.vertices[0].positions[0] = [f32::NAN; 3];
        scene.extras.insert("odd", Value::Float(f64::NAN));
        assert_eq!(Differences::collect(|out| scene.compare(&scene.clone(), out)), [""; 0]);
    }

    #[test]
    fn a_change_is_named_by_its_path() {
        let moved = lines(|s| s.vertices[0].positions[1][0] = -0.5);
        assert!(moved.len() == 1 && moved[0].starts_with("vertices[0] > positions[1]: ("), "{moved:?}");
        let tagged =
            lines(|s| s.nodes[0].extras = Extras::from([("a", Extras::from([("b", 1u32.into())]).into())]));
        assert!(tagged.iter().any(|l| l.ends_with("> extras > a: only in the second")), "{tagged:?}");
        assert_eq!(lines(|s| s.nodes.push(Node::new("more")))[0], {
            let count = example().nodes.len();
            format!("nodes: {count} -> {} entries", count + 1)
        });
    }

    #[test]
    fn variants_differ_by_kind_and_number() {
        let alpha = |cutoff| AlphaMode::Mask { cutoff };
        assert!(alpha(0.5).same(&alpha(0.5), 0.0) && !alpha(0.0).same(&AlphaMode::Opaque, 1.0));
        assert!(!alpha(0.5).same(&alpha(0.6), 0.0) && alpha(0.5).same(&alpha(0.6), 0.2));
        let fixed = |aspect| Projection::Perspective { yfov: 1.0, aspect };
        assert!(!fixed(None).same(&fixed(Some(0.0)), 1.0) && fixed(Some(1.0)).same(&fixed(Some(1.5)), 1.0));
        let cylinder = |radius| Shape::Cylinder { from: [0.0; 3], to: [0.0, 1.0, 0.0], radius };
        assert!(cylinder(1.0).same(&cylinder(1.0), 0.0) && !cylinder(1.0).same(&cylinder(2.0), 0.0));
    }

    #[test]
    fn members_are_compared_in_any_order() {
        let extras =
            |keys: [&'static str; 2]| Extras::from(keys.map(|key| (key, Value::from(key.len() as u32))));
        assert_eq!(
            Differences::collect(|out| members(out, &extras(["a", "bb"]), &extras(["bb", "a"]))),
            [""; 0]
        );
        assert_eq!(
            Differences::collect(|out| members(out, &extras(["a", "bb"]), &extras(["bb", "c"]))),
            ["a: only in the first", "c: only in the second"]
        );
    }
}
