//! What differs between two documents, in the words of their records.

use galatea_wire::{Field, Kind, Schema, Wire, escape_bytes};

/// The fields in which two records differ, without those that are layout.
pub(crate) fn records<T: Wire>(a: &T, b: &T, without: &[&str], out: &mut Vec<String>) {
    let bytes = |record: &T| {
        let mut bytes = vec![0; T::SIZE];
        record.put(&mut bytes);
        bytes
    };
    let (a, b) = (bytes(a), bytes(b));
    for field in T::FIELDS.iter().filter(|f| !without.contains(&f.name) && !is_layout(f.schema)) {
        let (a, b) = (part(field, &a), part(field, &b));
        if a != b {
            out.push(format!("{}: {} / {}", field.name, show(field.schema, a), show(field.schema, b)));
        }
    }
}

fn is_layout(schema: &Schema) -> bool {
    match schema.kind {
        Kind::Offset => true,
        Kind::Array(item, _) => is_layout(item),
        _ => false,
    }
}

fn part<'a>(field: &Field, bytes: &'a [u8]) -> &'a [u8] {
    bytes.get(field.offset..field.offset + field.schema.size).unwrap_or(&[])
}

fn show(schema: &Schema, bytes: &[u8]) -> String {
    match schema.kind {
        Kind::U8 => u8::get(bytes).to_string(),
        Kind::U16 => u16::get(bytes).to_string(),
        Kind::U32 => u32::get(bytes).to_string(),
        Kind::F32 => format!("{:?}", f32::get(bytes)),
        _ => format!("\"{}\"", escape_bytes(bytes)),
    }
}

/// The images in which two lists of levels differ.
pub(crate) fn levels<T: AsRef<[u8]>>(name: &str, a: &[T], b: &[T], out: &mut Vec<String>) {
    if a.len() != b.len() {
        out.push(format!("{name}: {} / {}", a.len(), b.len()));
    }
    for (i, (a, b)) in a.iter().zip(b).enumerate() {
        bytes(&format!("{name}[{i}]"), a.as_ref(), b.as_ref(), out);
    }
}

/// Whether two byte strings differ, and from where on.
pub(crate) fn bytes(name: &str, a: &[u8], b: &[u8], out: &mut Vec<String>) {
    if a.len() != b.len() {
        out.push(format!("{name}: {} bytes / {} bytes", a.len(), b.len()));
    } else if let Some(at) = a.iter().zip(b).position(|(a, b)| a != b) {
        out.push(format!("{name}: different from byte {at} on"));
    }
}
