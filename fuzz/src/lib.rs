//! What every target does with its bytes. A target names a format; what is asked of it is the same for all.

pub mod texture;
pub mod walk;

use galatea::wire::Inspector;
use galatea::{Companion, Document, Format, Input, Limits};

fn format(name: &str) -> &'static Format {
    galatea::FORMATS.iter().find(|f| f.name == name).expect("a format of this name")
}

/// Bytes behind the magic of the format, so that the fuzzer spends its time behind it; whole files have it already. For
/// formats with companions the first two bytes say where the one file ends and its first companion begins.
fn bytes(magic: &[u8], companion: bool, data: &[u8]) -> (Vec<u8>, Option<Vec<u8>>) {
    let (data, second) = match data {
        [a, b, rest @ ..] if companion => {
            let at = usize::from(u16::from_le_bytes([*a, *b])).min(rest.len());
            let (first, second) = rest.split_at(at);
            (first, Some(second.to_vec()))
        }
        _ => (data, None),
    };
    (behind(magic, data), second)
}

/// Bytes that begin with the magic.
pub(crate) fn behind(magic: &[u8], data: &[u8]) -> Vec<u8> {
    if data.starts_with(magic) { data.to_vec() } else { [magic, data].concat() }
}

fn input<'a>(format: &Format, bytes: &'a [u8], companion: Option<&'a [u8]>) -> Input<'a> {
    let companions =
        format.companions.iter().zip(companion).map(|(extension, bytes)| Companion { extension, bytes });
    Input { companions: companions.collect(), ..Input::new(bytes) }
}

fn open(name: &str, magic: &[u8], data: &[u8]) -> (Vec<u8>, Option<Vec<u8>>, Option<Box<dyn Document>>) {
    let format = format(name);
    let (bytes, companion) = bytes(magic, !format.companions.is_empty(), data);
    let document = (format.read)(&input(format, &bytes, companion.as_deref()), &Limits::default()).ok();
    (bytes, companion, document)
}

/// Any bytes: inspect, read, check, mend, write. Nothing may panic or hang.
pub fn read(name: &str, magic: &[u8], data: &[u8]) {
    let (bytes, companion, document) = open(name, magic, data);
    let format = format(name);
    let inspections = (format.inspect)(&input(format, &bytes, companion.as_deref()), &Limits::default());
    for (inspection, bytes) in inspections.iter().zip([Some(&bytes), companion.as_ref()]) {
        let bytes = bytes.map_or(&[][..], Vec::as_slice);
        let map = Inspector::new(bytes, &inspection.coverage).map();
        assert_eq!(map.iter().map(|s| s.end - s.start).sum::<usize>(), bytes.len(), "every byte once");
    }
    if let Some(mut document) = document {
        document.summary();
        document.check();
        document.fix(&|_| true);
        let _ = document.write();
    }
}

/// What opens is written back identically.
pub fn roundtrip(name: &str, magic: &[u8], data: &[u8]) {
    let (bytes, companion, document) = open(name, magic, data);
    if let Some(document) = document {
        let written = document.write().expect("what was read can be written");
        assert!(written.bytes == bytes, "the file differs");
        if let Some(companion) = companion {
            let back = format(name).companions.first().and_then(|e| written.companion(e));
            assert!(back == Some(&companion), "the companion differs");
        }
    }
}

/// Any glTF as every format that can be built from a scene: what is written opens, and becomes a scene again.
pub fn scene_roundtrip(data: &[u8]) {
    let Ok(loaded) = galatea::gltf::read(data, &Limits::default(), &mut |_| None) else { return };
    let names = galatea::fox::Dictionary::new();
    for format in galatea::FORMATS {
        let Some(from_scene) = format.from_scene else { continue };
        let Ok((document, _)) = from_scene(&loaded.scene, &Default::default()) else { continue };
        document.check();
        let Ok(written) = document.write() else { continue };
        let companions =
            written.companions.iter().map(|c| Companion { extension: c.extension, bytes: &c.bytes[..] });
        let input = Input { companions: companions.collect(), ..Input::new(&written.bytes) };
        let limits = Limits { ratio: 16, ..Limits::default() };
        let back = (format.read)(&input, &limits).expect("what was written opens");
        back.to_scene(&galatea::SceneContext::new("x", &names));
    }
}
