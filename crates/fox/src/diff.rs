//! What differs between two documents, in the format's words. Layout and padding are left out.

use std::fmt::Debug;

use crate::mesh::Mesh;
use crate::model::{Fmdl, MaterialInstance};

/// Collects differences; stops telling after a while, since a list of thousands helps nobody.
struct Diff {
    out: Vec<String>,
}

const MOST: usize = 1000;

impl Diff {
    fn say(&mut self, what: impl FnOnce() -> String) {
        if self.out.len() < MOST {
            self.out.push(what());
        }
    }

    fn value<T: Debug + PartialEq>(&mut self, path: &dyn Fn() -> String, a: T, b: T) {
        if a != b {
            self.say(|| format!("{}: {a:?} / {b:?}", path()));
        }
    }

    /// Floats by their bits.
    fn floats<const N: usize>(&mut self, path: &dyn Fn() -> String, a: [f32; N], b: [f32; N]) {
        if a.map(f32::to_bits) != b.map(f32::to_bits) {
            self.say(|| format!("{}: {a:?} / {b:?}", path()));
        }
    }

    fn list<T>(
        &mut self,
        name: &str,
        a: &[T],
        b: &[T],
        mut each: impl FnMut(&mut Diff, &dyn Fn(&str) -> String, &T, &T),
    ) {
        if a.len() != b.len() {
            self.say(|| format!("{name}: {} / {}", a.len(), b.len()));
        }
        for (i, (a, b)) in a.iter().zip(b).enumerate() {
            each(self, &|field| format!("{name}[{i}].{field}"), a, b);
        }
    }
}

impl Fmdl {
    /// Returns what differs, a line each; empty if both mean the same. Floats are compared by their bits.
    ///
    /// ```
    /// use galatea_fox::{Fmdl, Group};
    /// let a = Fmdl::new(2.04);
    /// let mut b = a.clone();
    /// b.groups.push(Group { name: "MESH_ROOT".into(), ..Group::default() });
    /// assert_eq!(a.differences(&b), ["groups: 0 / 1"]);
    /// ```
    pub fn differences(&self, other: &Fmdl) -> Vec<String> {
        let (a, b) = (self, other);
        let mut d = Diff { out: Vec::new() };
        d.floats(&|| "version".into(), [a.version], [b.version]);
        let hashes = a.has_hashes() && b.has_hashes();
        // A 2.04 file holds hashes only: text and its hash are the same name there.
        let names = |d: &mut Diff, path: &dyn Fn() -> String, a: &crate::Name, b: &crate::Name| {
            if if hashes { a.code() != b.code() } else { a != b } {
                d.say(|| format!("{}: {a:?} / {b:?}", path()));
            }
        };
        d.list("bones", &a.bones, &b.bones, |d, at, a, b| {
            names(d, &|| at("name"), &a.name, &b.name);
            d.value(&|| at("parent"), a.parent, b.parent);
            d.value(&|| at("flags"), a.flags, b.flags);
            d.floats(&|| at("bounds.max"), a.bounds.max, b.bounds.max);
            d.floats(&|| at("bounds.min"), a.bounds.min, b.bounds.min);
            d.floats(&|| at("local"), a.local, b.local);
            d.floats(&|| at("world"), a.world, b.world);
        });
        d.list("groups", &a.groups, &b.groups, |d, at, a, b| {
            names(d, &|| at("name"), &a.name, &b.name);
            d.value(&|| at("flags"), a.flags, b.flags);
            d.value(&|| at("parent"), a.parent, b.parent);
            d.value(
                &|| at("pivot"),
                a.pivot.map(|p| p.map(f32::to_bits)),
                b.pivot.map(|p| p.map(f32::to_bits)),
            );
        });
        d.list("runs", &a.runs, &b.runs, |d, at, a, b| {
            d.value(&|| at("group"), a.group, b.group);
            d.value(&|| at("meshes"), a.meshes(), b.meshes());
            d.floats(&|| at("bounds.max"), a.bounds.max, b.bounds.max);
            d.floats(&|| at("bounds.min"), a.bounds.min, b.bounds.min);
        });
        d.list("meshes", &a.meshes, &b.meshes, mesh);
        d.list("materials", &a.materials, &b.materials, |d, at, a, b| material(d, at, a, b, hashes));
        d.list("bone_groups", &a.bone_groups, &b.bone_groups, |d, at, a, b| {
            d.value(&|| at("max_weights"), a.max_weights, b.max_weights);
            d.value(&|| at("bones"), &a.bones, &b.bones);
        });
        d.floats(&|| "bounds.max".into(), a.bounds.max, b.bounds.max);
        d.floats(&|| "bounds.min".into(), a.bounds.min, b.bounds.min);
        d.list("lods", &a.lods, &b.lods, |d, at, a, b| {
            d.value(&|| at("count"), a.count, b.count);
            d.value(&|| at("unknown_0x02"), a.unknown_0x02, b.unknown_0x02);
            let floats = |l: &crate::LodInfo| [l.threshold_a, l.threshold_b, l.ratio];
            d.floats(&|| at("thresholds"), floats(a), floats(b));
        });
        d.value(&|| "unknown_0x12".into(), &a.unknown_0x12, &b.unknown_0x12);
        d.list("statistics", &a.statistics, &b.statistics, |d, at, a, b| {
            use galatea_wire::Wire;
            let (mut x, mut y) = ([0; 128], [0; 128]);
            a.put(&mut x);
            b.put(&mut y);
            if x != y {
                d.say(|| format!("{}: {a:?} / {b:?}", at("record")));
            }
        });
        d.list("bone_matrices", &a.bone_matrices, &b.bone_matrices, |d, at, a, b| {
            d.floats(&|| at("matrix"), *a, *b);
        });
        if a.extensions != b.extensions {
            let text = |e: &[u8]| galatea_wire::escape_bytes(e);
            d.say(|| format!("extensions: \"{}\" / \"{}\"", text(&a.extensions), text(&b.extensions)));
        }
        d.list("unknown_blocks", &a.unknown_blocks, &b.unknown_blocks, |d, at, a, b| {
            d.value(&|| at("id"), (a.section, a.id, a.count), (b.section, b.id, b.count));
            if a.bytes != b.bytes {
                d.say(|| at("bytes"));
            }
        });
        d.out
    }
}

fn mesh(d: &mut Diff, at: &dyn Fn(&str) -> String, a: &Mesh, b: &Mesh) {
    d.value(&|| at("flags"), a.flags, b.flags);
    d.value(&|| at("material"), a.material, b.material);
    d.value(&|| at("bone_group"), a.bone_group, b.bone_group);
    d.value(&|| at("vertices"), a.vertices.count, b.vertices.count);
    d.value(&|| at("columns"), a.vertices.columns.len(), b.vertices.columns.len());
    for (x, y) in a.vertices.columns.iter().zip(&b.vertices.columns) {
        d.value(&|| at("usage"), x.usage, y.usage);
        if !x.values.same_bits(&y.values) {
            d.say(|| at(&x.usage.name()));
        }
    }
    if a.indices != b.indices {
        d.say(|| at("indices"));
    }
    d.value(&|| at("windows"), &a.windows, &b.windows);
}

fn material(
    d: &mut Diff,
    at: &dyn Fn(&str) -> String,
    a: &MaterialInstance,
    b: &MaterialInstance,
    hashes: bool,
) {
    let names = |d: &mut Diff, path: &dyn Fn() -> String, a: &crate::Name, b: &crate::Name| {
        if if hashes { a.code() != b.code() } else { a != b } {
            d.say(|| format!("{}: {a:?} / {b:?}", path()));
        }
    };
    names(d, &|| at("name"), &a.name, &b.name);
    names(d, &|| at("shader"), &a.shader, &b.shader);
    names(d, &|| at("technique"), &a.technique, &b.technique);
    d.list(&at("textures"), &a.textures, &b.textures, |d, at, a, b| {
        names(d, &|| at("slot"), &a.slot, &b.slot);
        names(d, &|| at("file"), &a.file, &b.file);
        if if hashes { a.code() != b.code() } else { a.path != b.path } {
            d.say(|| format!("{}: {:?} / {:?}", at("path"), a.path, b.path));
        }
    });
    d.list(&at("parameters"), &a.parameters, &b.parameters, |d, at, a, b| {
        names(d, &|| at("name"), &a.name, &b.name);
        d.floats(&|| at("value"), a.value, b.value);
    });
}
