//! Edits made in a glTF between writing and reading it.
#![allow(clippy::expect_used, clippy::indexing_slicing, reason = "tests fail loudly")]

use galatea_gltf::{Options, read, write_gltf};
use galatea_scene::Scene;
use galatea_wire::Limits;
use serde_json::Value;

/// Returns a scene after a round trip through a glTF, with an edit made in the JSON or the binary part.
pub fn edited(scene: &Scene, edit: impl Fn(&mut Value, &mut Vec<u8>)) -> Scene {
    let (json, mut bin) = write_gltf(scene, &Options::default(), "a.bin");
    let mut json: Value = serde_json::from_str(&json).expect("what was written is JSON");
    edit(&mut json, &mut bin);
    let mut file = |path: &str| (path == "a.bin").then(|| bin.clone());
    let read = read(json.to_string().as_bytes(), &Limits::default(), &mut file);
    read.expect("an edited glTF can be read").scene
}

/// Returns where an accessor begins in the binary part.
pub fn start(json: &Value, accessor: &Value) -> usize {
    let number = |v: &Value| v.as_u64().unwrap_or(0) as usize;
    let accessor = &json["accessors"][number(accessor)];
    let view = &json["bufferViews"][number(&accessor["bufferView"])];
    number(&view["byteOffset"]) + number(&accessor["byteOffset"])
}
