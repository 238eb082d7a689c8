//! Differences between models. Layout and padding are ignored.

use galatea_wire::{Text, escape_bytes};

use super::mesh::{AabbNode, AabbTree, Dangly, IndexLists, Mesh, PositionCopy, Saber, Skin, Vertices};
use super::node::{Light, Name, Node};
use super::wire::{Emitter, Event, Face, Reference};
use super::{Animation, Controllers, Game, Model, Platform};

/// A value that can be compared bit by bit and displayed.
trait Value {
    fn same(&self, other: &Self) -> bool;
    fn show(&self) -> String;
}

macro_rules! plain {
    ($($t:ty),*) => {$(
        impl Value for $t {
            fn same(&self, other: &Self) -> bool { self == other }
            fn show(&self) -> String { format!("{self:?}") }
        }
    )*};
}
plain!(u8, u16, u32, i16, i32, usize, bool, Game, Platform, Name);

impl Value for f32 {
    fn same(&self, other: &Self) -> bool {
        self.to_bits() == other.to_bits()
    }
    fn show(&self) -> String {
        if self.is_nan() { format!("NaN 0x{:08X}", self.to_bits()) } else { format!("{self}") }
    }
}

impl<T: Value, const N: usize> Value for [T; N] {
    fn same(&self, other: &Self) -> bool {
        self.iter().zip(other).all(|(a, b)| a.same(b))
    }
    fn show(&self) -> String {
        format!("({})", self.iter().map(Value::show).collect::<Vec<_>>().join(", "))
    }
}

impl<T: Value> Value for Option<T> {
    fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Some(a), Some(b)) => a.same(b),
            (a, b) => a.is_none() && b.is_none(),
        }
    }
    fn show(&self) -> String {
        self.as_ref().map_or_else(|| "none".into(), Value::show)
    }
}

impl<const N: usize> Value for Text<N> {
    fn same(&self, other: &Self) -> bool {
        self.bytes() == other.bytes()
    }
    fn show(&self) -> String {
        format!("\"{}\"", escape_bytes(self.bytes()))
    }
}

/// Compares records by the listed fields; the others have no meaning.
macro_rules! record {
    ($t:ty: $($field:ident),* $(,)?) => {
        impl Value for $t {
            fn same(&self, other: &Self) -> bool { true $(&& self.$field.same(&other.$field))* }
            fn show(&self) -> String {
                let fields = [$(format!("{} {}", stringify!($field), self.$field.show())),*];
                fields.join(", ")
            }
        }
    };
}
record!(Event: time, name);
record!(Face: normal, distance, material, adjacent, vertices);
record!(AabbNode: min, max, left, right, face, plane);
record!(super::Dirt: enabled, texture, coordinate_space, hide_in_holograms);

struct Differences {
    path: String,
    out: Vec<String>,
}

/// Compares fields of the same name.
macro_rules! fields {
    ($d:expr, $a:expr, $b:expr, $($field:ident),* $(,)?) => {
        { $($d.value(stringify!($field), &$a.$field, &$b.$field);)* }
    };
}

/// Compares lists of the same name.
macro_rules! lists {
    ($d:expr, $a:expr, $b:expr, $($field:ident),* $(,)?) => {
        { $($d.list(stringify!($field), &$a.$field, &$b.$field);)* }
    };
}

impl Differences {
    fn report(&mut self, what: &str, text: String) {
        let dot = if self.path.is_empty() { "" } else { " > " };
        self.out.push(format!("{}{dot}{what}: {text}", self.path));
    }

    fn value<T: Value>(&mut self, name: &str, a: &T, b: &T) {
        if !a.same(b) {
            self.report(name, format!("{} / {}", a.show(), b.show()));
        }
    }

    /// Reports the first entry that differs, and how many do.
    fn list<T: Value>(&mut self, name: &str, a: &[T], b: &[T]) {
        if a.len() != b.len() {
            self.report(name, format!("{} / {} entries", a.len(), b.len()));
            return;
        }
        let mut differ = a.iter().zip(b).enumerate().filter(|(_, (a, b))| !a.same(b));
        if let Some((i, (a, b))) = differ.next() {
            let rest = differ.count();
            let more = if rest > 0 { format!(", and {rest} more") } else { String::new() };
            self.report(&format!("{name}[{i}]"), format!("{} / {}{more}", a.show(), b.show()));
        }
    }

    fn within(&mut self, step: &str, body: impl FnOnce(&mut Self)) {
        let len = self.path.len();
        if len > 0 {
            self.path.push_str(" > ");
        }
        self.path.push_str(step);
        body(self);
        self.path.truncate(len);
    }

    fn part<T>(&mut self, name: &str, a: Option<&T>, b: Option<&T>, body: impl FnOnce(&mut Self, &T, &T)) {
        match (a, b) {
            (Some(a), Some(b)) => self.within(name, |d| body(d, a, b)),
            (None, None) => {}
            (a, _) => {
                self.report(name, if a.is_some() { "present / absent" } else { "absent / present" }.into())
            }
        }
    }

    fn nodes(&mut self, model: &Model, a: &[Node], b: &[Node]) {
        if a.len() != b.len() {
            self.report("nodes", format!("{} / {} entries", a.len(), b.len()));
            return;
        }
        for (i, (a, b)) in a.iter().zip(b).enumerate() {
            let before = self.out.len();
            self.within(&format!("nodes[{i}]"), |d| d.node(a, b));
            // The name is inserted only if something differs.
            let named = format!("nodes[{i}] \"{}\"", escape_bytes(model.name_of(a)));
            for line in self.out.iter_mut().skip(before) {
                *line = line.replacen(&format!("nodes[{i}]"), &named, 1);
            }
        }
    }

    fn node(&mut self, a: &Node, b: &Node) {
        fields!(self, a, b, parent, name, number, position, orientation, unknown_flags, camera);
        lists!(self, a, b, children);
        self.controllers(&a.controllers, &b.controllers);
        self.part("light", a.light.as_deref(), b.light.as_deref(), Self::light);
        self.part("emitter", a.emitter.as_deref(), b.emitter.as_deref(), Self::emitter);
        self.part("reference", a.reference.as_deref(), b.reference.as_deref(), |d, a: &Reference, b| {
            fields!(d, a, b, model, reattachable);
        });
        self.part("mesh", a.mesh.as_deref(), b.mesh.as_deref(), Self::mesh);
    }

    /// Compares controllers by their keys, wherever those are in the data.
    fn controllers(&mut self, a: &Controllers, b: &Controllers) {
        if a.list().len() != b.list().len() {
            self.report("controllers", format!("{} / {} entries", a.list().len(), b.list().len()));
            return;
        }
        for (i, (ca, cb)) in a.list().iter().zip(b.list()).enumerate() {
            self.within(&format!("controllers[{i}]"), |d| {
                fields!(d, ca, cb, kind, target, columns, rows);
                match (a.track(i), b.track(i)) {
                    (Some(ta), Some(tb)) => {
                        d.list("times", ta.times, tb.times);
                        d.list("values", ta.values, tb.values);
                    }
                    (None, None) => fields!(d, ca, cb, time_index, data_index),
                    (a, _) => {
                        d.report(
                            "keys",
                            if a.is_some() {
                                "present / outside the data"
                            } else {
                                "outside the data / present"
                            }
                            .into(),
                        );
                    }
                }
            });
        }
    }

    fn light(&mut self, a: &Light, b: &Light) {
        fields!(
            self,
            a,
            b,
            flare_radius,
            priority,
            ambient_only,
            dynamic_type,
            affect_dynamic,
            shadow,
            flare,
            fading
        );
        lists!(self, a, b, flare_sizes, flare_positions, flare_colors, flare_textures);
    }

    fn emitter(&mut self, a: &Emitter, b: &Emitter) {
        fields!(
            self,
            a,
            b,
            dead_space,
            blast_radius,
            blast_length,
            branch_count,
            control_point_smoothing,
            x_grid,
            y_grid,
            spawn_type,
            update,
            render,
            blend,
            texture,
            chunk,
            two_sided,
            looped,
            render_order,
            frame_blending,
            depth_texture,
            flags,
        );
    }

    fn mesh(&mut self, a: &Mesh, b: &Mesh) {
        fields!(
            self,
            a,
            b,
            in_mdx,
            bounds,
            radius,
            average,
            area,
            diffuse,
            ambient,
            transparency_hint,
            texture,
            lightmap,
            texture_3,
            texture_4,
            texture_count,
            unknown_0xd4,
            unknown_0xe0,
            animate_uv,
            uv_direction,
            uv_jitter,
            uv_jitter_speed,
            lightmapped,
            rotate_texture,
            background,
            shadow,
            beaming,
            render,
            dirt,
            unknown_after_area,
        );
        lists!(self, a, b, faces, inverted_counters);
        self.within("vertices", |d| d.vertices(&a.vertices, &b.vertices));
        self.copy("mdl_positions", &a.mdl_positions, &b.mdl_positions);
        match (&a.indices, &b.indices) {
            (IndexLists::Faces, IndexLists::Faces) => {}
            (IndexLists::Own(a), IndexLists::Own(b)) if a.len() == b.len() => {
                for (i, (a, b)) in a.iter().zip(b).enumerate() {
                    self.list(&format!("indices[{i}]"), a, b);
                }
            }
            (a, b) => self.report("indices", format!("{} / {}", lists_of(a), lists_of(b))),
        }
        self.part("skin", a.skin.as_deref(), b.skin.as_deref(), Self::skin);
        self.part("anim", a.anim.as_deref(), b.anim.as_deref(), |d, a, b| {
            fields!(d, a, b, sample_period, unknown_0x28);
        });
        self.part("dangly", a.dangly.as_deref(), b.dangly.as_deref(), |d, a: &Dangly, b: &Dangly| {
            fields!(d, a, b, displacement, tightness, period);
            lists!(d, a, b, constraints);
            d.copy("positions", &a.positions, &b.positions);
        });
        self.part("aabb", a.aabb.as_deref(), b.aabb.as_deref(), |d, a: &AabbTree, b| {
            lists!(d, a, b, nodes);
        });
        self.part("saber", a.saber.as_deref(), b.saber.as_deref(), |d, a: &Saber, b: &Saber| {
            fields!(d, a, b, inverted_counters);
            lists!(d, a, b, positions, uvs, normals);
        });
    }

    fn vertices(&mut self, a: &Vertices, b: &Vertices) {
        lists!(self, a, b, positions, normals, colors, weights, bones);
        for (i, (a, b)) in a.uvs.iter().zip(&b.uvs).enumerate() {
            self.list(&format!("uvs[{i}]"), a, b);
        }
        for (i, (a, b)) in a.tangents.iter().zip(&b.tangents).enumerate() {
            self.list(&format!("tangents[{i}]"), a, b);
        }
    }

    fn copy(&mut self, name: &str, a: &PositionCopy, b: &PositionCopy) {
        match (a, b) {
            (PositionCopy::Own(a), PositionCopy::Own(b)) => self.list(name, a, b),
            (PositionCopy::Same, PositionCopy::Same) | (PositionCopy::Absent, PositionCopy::Absent) => {}
            (a, b) => self.report(name, format!("{} / {}", copy_of(a), copy_of(b))),
        }
    }

    fn skin(&mut self, a: &Skin, b: &Skin) {
        lists!(self, a, b, bone_map, rotations, translations);
        // Unused slots contain garbage.
        let used = a.slots().max(b.slots()).min(16);
        self.list(
            "bone_nodes",
            a.bone_nodes.get(..used).unwrap_or(&[]),
            b.bone_nodes.get(..used).unwrap_or(&[]),
        );
    }

    fn animation(&mut self, model: &Model, a: &Animation, b: &Animation) {
        fields!(self, a, b, name, length, transition, root, node_count);
        lists!(self, a, b, events);
        self.nodes(model, &a.nodes, &b.nodes);
    }
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

impl Model {
    /// Returns the differences from another model, one line each; empty if there are none. Layout, padding and unused
    /// controller data are ignored. Numbers are compared by their bits.
    ///
    /// ```
    /// use galatea_kotor::mdl::Model;
    /// let a = Model::new("box");
    /// let b = Model { radius: 40.0, ..a.clone() };
    /// assert!(a.differences(&a).is_empty());
    /// assert_eq!(a.differences(&b), ["radius: 7 / 40"]);
    /// ```
    pub fn differences(&self, other: &Model) -> Vec<String> {
        let mut d = Differences { path: String::new(), out: Vec::new() };
        let (a, b) = (self, other);
        fields!(
            d,
            a,
            b,
            game,
            platform,
            name,
            node_count,
            classification,
            subclassification,
            unknown_0x52,
            fog,
            child_models,
            bounds,
            radius,
            animation_scale,
            supermodel,
            head,
        );
        lists!(d, a, b, names);
        d.nodes(a, &a.nodes, &b.nodes);
        if a.animations.len() == b.animations.len() {
            for (i, (x, y)) in a.animations.iter().zip(&b.animations).enumerate() {
                let step = format!("animations[{i}] \"{}\"", escape_bytes(x.name.bytes()));
                d.within(&step, |d| d.animation(a, x, y));
            }
        } else {
            d.report("animations", format!("{} / {} entries", a.animations.len(), b.animations.len()));
        }
        d.out
    }
}
