//! Differences between two documents, in the format's words. Layout and padding are ignored.

use std::fmt::{self, Display, Formatter};

use galatea_wire::{Compare, Differences, compare_by_eq, compare_fields, differences, escape_bytes};

use crate::mesh::{Column, Mesh, Usage, Values, half_to_f32};
use crate::model::{Fmdl, MaterialInstance};
use crate::{Bounds, Name, Window};

compare_by_eq!(Usage);
compare_fields!(Window: first, count);

/// A half float, by its bits.
struct Half(u16);

impl Compare for Half {
    fn same(&self, other: &Self, tolerance: f32) -> bool {
        self.0 == other.0 || tolerance > 0.0 && half_to_f32(self.0).same(&half_to_f32(other.0), tolerance)
    }
    fn show(&self, f: &mut Formatter<'_>) -> fmt::Result {
        half_to_f32(self.0).show(f)
    }
}

impl Fmdl {
    /// Returns the differences from another document, one line each; empty if both mean the same. Floats are compared by
    /// their bits.
    ///
    /// ```
    /// use galatea_fox::{Fmdl, Group};
    /// let a = Fmdl::new(2.04);
    /// let mut b = a.clone();
    /// b.groups.push(Group { name: "MESH_ROOT".into(), ..Group::default() });
    /// assert_eq!(a.differences(&b), ["groups: 0 -> 1 entries"]);
    /// ```
    pub fn differences(&self, other: &Fmdl) -> Vec<String> {
        Differences::collect(|out| self.compare(other, out))
    }

    /// Adds the [`differences`](Self::differences) from another document to a list, within its tolerance.
    pub fn compare(&self, other: &Fmdl, out: &mut Differences) {
        let (a, b) = (self, other);
        let names = NameRule { by_hash: a.has_hashes() && b.has_hashes() };
        differences!(out, a, b; values version);
        out.each("bones", &a.bones, &b.bones, |out, a, b| {
            names.compare(out, "name", &a.name, &b.name);
            differences!(out, a, b; values parent, flags, local, world);
            bounds(out, &a.bounds, &b.bounds);
        });
        out.each("groups", &a.groups, &b.groups, |out, a, b| {
            names.compare(out, "name", &a.name, &b.name);
            differences!(out, a, b; values flags, parent, pivot);
        });
        out.each("runs", &a.runs, &b.runs, |out, a, b| {
            differences!(out, a, b; values group, first_mesh, mesh_count);
            bounds(out, &a.bounds, &b.bounds);
        });
        out.each("meshes", &a.meshes, &b.meshes, mesh);
        out.each("materials", &a.materials, &b.materials, |out, a, b| material(out, names, a, b));
        out.each("bone_groups", &a.bone_groups, &b.bone_groups, |out, a, b| {
            differences!(out, a, b; values max_weights; tables bones);
        });
        bounds(out, &a.bounds, &b.bounds);
        out.each("lods", &a.lods, &b.lods, |out, a, b| out.record(a, b, &[]));
        differences!(out, a, b; tables unknown_0x12);
        out.each("statistics", &a.statistics, &b.statistics, |out, a, b| out.record(a, b, &[]));
        differences!(out, a, b; tables bone_matrices);
        if a.extensions != b.extensions {
            let text = |bytes: &[u8]| format!("\"{}\"", escape_bytes(bytes));
            out.change("extensions", text(&a.extensions), text(&b.extensions));
        }
        out.each("unknown_blocks", &a.unknown_blocks, &b.unknown_blocks, |out, a, b| {
            differences!(out, a, b; values section, id, count);
            out.bytes("bytes", &a.bytes, &b.bytes);
        });
    }
}

/// How names are compared. A 2.04 file contains only hashes: there, a text and its hash are the same name.
#[derive(Clone, Copy)]
struct NameRule {
    by_hash: bool,
}

impl NameRule {
    fn compare(self, out: &mut Differences, field: &str, a: &Name, b: &Name) {
        if if self.by_hash { a.code() != b.code() } else { a != b } {
            out.change(field, format_args!("{a:?}"), format_args!("{b:?}"));
        }
    }
}

fn bounds(out: &mut Differences, a: &Bounds, b: &Bounds) {
    out.within("bounds", |out| differences!(out, a, b; values max, min));
}

fn mesh(out: &mut Differences, a: &Mesh, b: &Mesh) {
    differences!(out, a, b; values flags, material, bone_group);
    out.value("vertices", &a.vertices.count, &b.vertices.count);
    let (a_columns, b_columns) = (&a.vertices.columns, &b.vertices.columns);
    out.value("columns", &a_columns.len(), &b_columns.len());
    a_columns.iter().zip(b_columns).for_each(|(a, b)| column(out, a, b));
    differences!(out, a, b; tables indices, windows);
}

/// Compares the values of one attribute.
fn column(out: &mut Differences, a: &Column, b: &Column) {
    differences!(out, a, b; values usage);
    let name = UsageName(a.usage);
    match (&a.values, &b.values) {
        (Values::F32x3(a), Values::F32x3(b)) => out.table(name, a, b),
        (Values::F32x2(a), Values::F32x2(b)) => out.table(name, a, b),
        (Values::U16x4(a), Values::U16x4(b)) => out.table(name, a, b),
        (Values::F16x4(a), Values::F16x4(b)) => halves(out, name, a, b),
        (Values::F16x2(a), Values::F16x2(b)) => halves(out, name, a, b),
        (Values::Unorm8x4(a), Values::Unorm8x4(b)) | (Values::U8x4(a), Values::U8x4(b)) => {
            out.table(name, a, b);
        }
        (Values::Raw { format, bytes, .. }, Values::Raw { format: b_format, bytes: b_bytes, .. })
            if format == b_format =>
        {
            out.bytes(name, bytes, b_bytes);
        }
        (a, b) if a == b => {}
        (a, b) => out.change(name, kind_of(a), kind_of(b)),
    }
}

/// The name of an attribute, made when it is displayed.
struct UsageName(Usage);

impl Display for UsageName {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.name())
    }
}

fn halves<const N: usize>(out: &mut Differences, name: UsageName, a: &[[u16; N]], b: &[[u16; N]]) {
    if a != b {
        let halves = |rows: &[[u16; N]]| -> Vec<[Half; N]> { rows.iter().map(|r| r.map(Half)).collect() };
        out.table(name, &halves(a), &halves(b));
    }
}

fn kind_of(values: &Values) -> String {
    match values {
        Values::Same(column) => format!("the same as column {column}"),
        Values::Raw { format, bytes, .. } => format!("{} bytes of type {format}", bytes.len()),
        typed => format!("type {}", typed.format().unwrap_or_default()),
    }
}

fn material(out: &mut Differences, names: NameRule, a: &MaterialInstance, b: &MaterialInstance) {
    names.compare(out, "name", &a.name, &b.name);
    names.compare(out, "shader", &a.shader, &b.shader);
    names.compare(out, "technique", &a.technique, &b.technique);
    out.each("textures", &a.textures, &b.textures, |out, a, b| {
        names.compare(out, "slot", &a.slot, &b.slot);
        names.compare(out, "file", &a.file, &b.file);
        if if names.by_hash { a.code() != b.code() } else { a.path != b.path } {
            out.change("path", format_args!("{:?}", a.path), format_args!("{:?}", b.path));
        }
    });
    out.each("parameters", &a.parameters, &b.parameters, |out, a, b| {
        names.compare(out, "name", &a.name, &b.name);
        differences!(out, a, b; values value);
    });
}
