//! glTF documents that ask for far more than they hold.

use super::{Case, Outcome, case};

const HEAD: &str = r#"{"asset":{"version":"2.0"}"#;

/// A document of these parts.
fn text(parts: &[String]) -> Vec<u8> {
    format!("{HEAD},{}}}", parts.join(",")).into_bytes()
}

/// A list of the same entry.
fn repeated(key: &str, entry: &str, count: usize) -> String {
    format!("\"{key}\":[{}]", vec![entry; count].join(","))
}

/// A list of entries made from their numbers.
fn list(key: &str, count: usize, entry: impl Fn(usize) -> String) -> String {
    let entries: Vec<String> = (0..count).map(entry).collect();
    format!("\"{key}\":[{}]", entries.join(","))
}

/// A GLB of these parts and this binary chunk; the only buffer is added.
fn glb(parts: &[String], bin: &[u8]) -> Vec<u8> {
    let mut parts = parts.to_vec();
    parts.push(format!(r#""buffers":[{{"byteLength":{}}}]"#, bin.len()));
    let mut json = text(&parts);
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut bin = bin.to_vec();
    bin.resize(bin.len().next_multiple_of(4), 0);
    let mut out = b"glTF\x02\0\0\0".to_vec();
    out.extend((28 + json.len() as u32 + bin.len() as u32).to_le_bytes());
    for (tag, body) in [(b"JSON", &json), (b"BIN\0", &bin)] {
        out.extend((body.len() as u32).to_le_bytes());
        out.extend(tag);
        out.extend(body);
    }
    out
}

/// A grid of so many triangles in one mesh: its parts but nodes, and its buffer.
fn mesh(triangles: usize) -> (Vec<String>, Vec<u8>) {
    let mut bin = Vec::new();
    for i in 0..triangles * 3 {
        let place = [(i % 100) as f32, (i / 100 % 100) as f32, (i % 3) as f32];
        bin.extend(place.iter().flat_map(|v| v.to_le_bytes()));
    }
    let view = format!(r#""bufferViews":[{{"buffer":0,"byteLength":{}}}]"#, bin.len());
    let accessor = format!(
        r#""accessors":[{{"bufferView":0,"componentType":5126,"count":{},"type":"VEC3"}}]"#,
        triangles * 3
    );
    let mesh = r#""meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}]"#.to_owned();
    (vec![view, accessor, mesh], bin)
}

/// A clip of many channels on node 0, whose times and values are these accessors of a buffer of zeros.
fn clip(accessors: &str, channels: usize, zeros: usize) -> Vec<u8> {
    let channel = r#"{"sampler":0,"target":{"node":0,"path":"translation"}}"#;
    let parts = [
        r#""nodes":[{}]"#.to_owned(),
        format!(r#""bufferViews":[{{"buffer":0,"byteLength":{zeros}}}]"#),
        format!(r#""accessors":[{accessors}]"#),
        format!(
            r#""animations":[{{"samplers":[{{"input":0,"output":1}}],{}}}]"#,
            repeated("channels", channel, channels)
        ),
    ];
    glb(&parts, &vec![0; zeros])
}

/// The files that a scene can become.
const GAMES: [&str; 7] = ["o.mdx", "o.mdl", "o.mdl.ascii", "o.fmdl", "o.obj", "o.gltf", "o.wok"];

pub(crate) fn cases() -> Vec<Case> {
    let mut out = buffers();
    out.extend(images());
    out.extend(notes());
    out.extend(accessors());
    out.extend(trees());
    out
}

fn buffers() -> Vec<Case> {
    let five = (5 << 20).to_string();
    let entry = format!(r#"{{"byteLength":{five},"uri":"five.bin"}}"#);
    let many = text(&[repeated("buffers", &entry, 1000)]);
    let itself = text(&[repeated("buffers", r#"{"byteLength":4,"uri":"a.gltf"}"#, 20_000)]);
    let junk = format!(r#""buffers":[{{"byteLength":4,"uri":"data:;base64,{}!"}}]"#, "A".repeat(4 << 20));
    let nested = format!(
        r#""buffers":[{{"byteLength":4,"uri":"{}"}}]"#,
        "data:application/octet-stream;base64,".repeat(50_000)
    );
    let info: &[&str] = &["info", "a.gltf"];
    vec![
        case("1000 buffers that name one 5 MB file")
            .file("a.gltf", many)
            .file("five.bin", vec![0; 5 << 20])
            .run(info, Outcome::Done),
        case("20,000 buffers that name the document")
            .file("a.gltf", itself)
            .run(info, Outcome::Refused("the document itself")),
        case("4 MB of base64 with junk at its end")
            .file("a.gltf", text(&[junk]))
            .run(info, Outcome::Refused("cannot be decoded")),
        case("data URIs inside data URIs")
            .file("a.gltf", text(&[nested]))
            .run(info, Outcome::Refused("cannot be decoded")),
        case("a buffer that needs Draco")
            .file("a.gltf", text(&[r#""extensionsRequired":["KHR_draco_mesh_compression"]"#.to_owned()]))
            .run(info, Outcome::Refused("KHR_draco_mesh_compression")),
    ]
}

fn images() -> Vec<Case> {
    let view = format!(r#""bufferViews":[{{"buffer":0,"byteLength":{}}}]"#, 1 << 20);
    let image = r#"{"bufferView":0,"mimeType":"image/png"}"#;
    let one_view = glb(&[view, repeated("images", image, 5000)], &vec![0; 1 << 20]);
    let texture = r#"{"pbrMetallicRoughness":{"baseColorTexture":{"index":0}}}"#;
    let long_name = text(&[
        format!(r#""images":[{{"uri":"x.png","name":"{}"}}]"#, "n".repeat(1 << 20)),
        r#""textures":[{"source":0}]"#.to_owned(),
        repeated("materials", texture, 3000),
    ]);
    let mesh_name = text(&[
        format!(r#""nodes":[{{"name":"{}"}}]"#, "n".repeat(1 << 20)),
        repeated("animations", r#"{"channels":[],"samplers":[]}"#, 3000),
    ]);
    vec![
        case("5,000 images on one view of 1 MB")
            .file("a.glb", one_view)
            .run(&["info", "a.glb"], Outcome::Refused("decoded data"))
            .run(&["render", "a.glb", "-o", "a.png"], Outcome::Refused("decoded data")),
        case("one image name of 1 MB that 3,000 materials use")
            .file("a.gltf", long_name)
            .run(&["info", "a.gltf"], Outcome::Refused("the limit on"))
            .run(&["convert", "a.gltf", "a.mdx"], Outcome::Refused("the limit on")),
        case("a node name of 1 MB")
            .file("a.gltf", mesh_name)
            .run(&["convert", "a.gltf", "a.mdx"], Outcome::Done)
            .run(&["convert", "a.gltf", "a.glb"], Outcome::Done),
    ]
}

fn notes() -> Vec<Case> {
    let long = "n".repeat(1 << 20);
    let clips = text(&[
        r#""nodes":[{}]"#.to_owned(),
        format!(
            r#""scenes":[{{"nodes":[0],"extras":{{"galatea":{{"clips":[{{"clip":"a","x":"{long}"}}]}}}}}}]"#
        ),
        repeated("animations", r#"{"name":"a"}"#, 5000),
    ]);
    let channel = r#"{"sampler":0,"target":{"node":0,"path":"translation"}}"#;
    let keys =
        r#"{"componentType":5126,"count":1,"type":"SCALAR"},{"componentType":5126,"count":1,"type":"VEC3"}"#;
    let channels = text(&[
        r#""nodes":[{"name":"a"}]"#.to_owned(),
        format!(r#""accessors":[{keys}]"#),
        format!(
            r#""animations":[{{"samplers":[{{"input":0,"output":1}}],{},"extras":{{"galatea":{{"channels":[
            {{"node":"a","property":"translation","extras":{{"x":"{long}"}}}}]}}}}}}]"#,
            repeated("channels", channel, 5000)
        ),
    ]);
    let times = format!(r#"{{"at":"{0}","by":"{0}"}}"#, "A".repeat(1 << 18));
    let replaced = text(&[
        r#""nodes":[{"name":"a"}]"#.to_owned(),
        format!(r#""accessors":[{keys}]"#),
        format!(
            r#""animations":[{{"samplers":[{{"input":0,"output":1}}],{},"extras":{{"galatea":{{"channels":[
            {{"node":"a","property":"translation","times":{times},"values":{times}}}]}}}}}}]"#,
            repeated("channels", channel, 5000)
        ),
    ]);
    let info: &[&str] = &["info", "a.gltf"];
    vec![
        case("a note of 1 MB that 5,000 clips share").file("a.gltf", clips).run(info, Outcome::Done),
        case("a note of 1 MB that 5,000 channels share").file("a.gltf", channels).run(info, Outcome::Done),
        case("differences of 1 MB that 5,000 channels share")
            .file("a.gltf", replaced)
            .run(info, Outcome::Done),
    ]
}

fn accessors() -> Vec<Case> {
    let zeros = 4 << 20;
    let plain = |count: usize| {
        format!(
            r#"{{"bufferView":0,"componentType":5126,"count":{count},"type":"SCALAR"}},
            {{"bufferView":0,"componentType":5126,"count":{count},"type":"VEC3"}}"#
        )
    };
    let sparse = |count: usize| {
        format!(
            r#"{{"componentType":5126,"count":1,"type":"SCALAR","sparse":{{"count":{count},
            "indices":{{"bufferView":0,"componentType":5121}},"values":{{"bufferView":0}}}}}},
            {{"componentType":5126,"count":1,"type":"VEC3"}}"#
        )
    };
    let info: &[&str] = &["info", "a.glb"];
    let (mut parts, bin) = mesh(10_000);
    parts.push(r#""nodes":[{"mesh":0}]"#.to_owned());
    let primitive = |i: usize| format!(r#"{{"primitives":[{{"attributes":{{"POSITION":0,"_A{i}":0}}}}]}}"#);
    parts.retain(|p| !p.starts_with("\"meshes"));
    parts.push(list("meshes", 1000, primitive));
    let targets = |parts: &[String]| {
        let mut parts = parts.to_vec();
        parts.retain(|p| !p.starts_with("\"meshes"));
        let target = r#"{"POSITION":0}"#;
        let targets = repeated("targets", target, 100_000);
        parts.push(format!(r#""meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},{targets}}}]}}]"#));
        parts
    };
    vec![
        case("20,000 channels that share keys of 4 MB")
            .file("a.glb", clip(&plain(300_000), 20_000, zeros))
            .run(info, Outcome::Refused("decoded data")),
        case("20,000 channels whose times are 10^6 exceptions")
            .file("a.glb", clip(&sparse(1_000_000), 20_000, zeros))
            .run(info, Outcome::Refused("decoded data")),
        case("1,000 meshes that share vertices")
            .file("a.glb", glb(&parts, &bin))
            .run(info, Outcome::Refused("decoded data")),
        case("10^5 morph targets").file("a.glb", glb(&targets(&parts), &bin)).run(info, Outcome::Done),
    ]
}

fn trees() -> Vec<Case> {
    let count = 100_000;
    let games = |mut case: Case, outcome: &dyn Fn(&str) -> Outcome| {
        for to in GAMES {
            let input = case.files[0].0.clone();
            case = case.run(&["convert", &input, to, "--force"], outcome(to));
        }
        case
    };
    let kept = |to: &str| if to == "o.gltf" { Outcome::Done } else { Outcome::Either };
    let (mut small, triangle) = mesh(1);
    small.push(repeated("nodes", r#"{"mesh":0}"#, count / 20));
    let (mut shared, bin) = mesh(100);
    shared.push(repeated("nodes", r#"{"mesh":0}"#, count));
    let chain = list("nodes", count, |i| {
        if i + 1 < count { format!(r#"{{"children":[{}]}}"#, i + 1) } else { "{}".to_owned() }
    });
    let numbers: Vec<String> = (0..count).map(|i| i.to_string()).collect();
    let joints = numbers.join(",");
    let skin = [repeated("nodes", "{}", count), format!(r#""skins":[{{"joints":[{joints}]}}]"#)];
    let skins = [repeated("nodes", "{}", count), repeated("skins", r#"{"joints":[0]}"#, 20_000)];
    let same = repeated("nodes", r#"{"name":"twin"}"#, count);
    let near = list("nodes", count, |i| format!(r#"{{"name":"twin.{:03}"}}"#, i % 1000));
    vec![
        games(
            case("10^5 nodes that share a mesh of 300 vertices")
                .file("a.glb", glb(&shared, &bin))
                .run(&["info", "a.glb"], Outcome::Done)
                .run(&["check", "a.glb"], Outcome::Either)
                .run(&["render", "a.glb", "-o", "a.png"], Outcome::Refused("limit")),
            &kept,
        ),
        games(case("5,000 nodes that share a triangle").file("a.glb", glb(&small, &triangle)), &kept)
            .run(&["render", "a.glb", "-o", "a.png"], Outcome::Done),
        games(case("10^5 plain nodes").file("a.gltf", text(&[repeated("nodes", "{}", count)])), &kept),
        games(case("a chain of 10^5 nodes").file("a.gltf", text(&[chain])), &kept),
        games(case("10^5 nodes of one name").file("a.gltf", text(&[same])), &kept),
        games(case("10^5 nodes of names that look numbered").file("a.gltf", text(&[near])), &kept),
        games(case("a skin of 10^5 joints").file("a.gltf", text(&skin)), &kept),
        games(case("20,000 skins over 10^5 nodes").file("a.gltf", text(&skins)), &kept),
    ]
}

/// A triangle for each of these images, which are whatever files they are.
pub(crate) fn textured(images: &[&[u8]]) -> Vec<u8> {
    let (parts, mut bin) = mesh(1);
    let vertices = bin.len();
    let starts: Vec<usize> = images
        .iter()
        .map(|image| {
            let start = bin.len();
            bin.extend_from_slice(image);
            start
        })
        .collect();
    let view = |i: usize| match i.checked_sub(1) {
        None => format!(r#"{{"buffer":0,"byteLength":{vertices}}}"#),
        Some(i) => format!(r#"{{"buffer":0,"byteOffset":{},"byteLength":{}}}"#, starts[i], images[i].len()),
    };
    let count = images.len();
    let attributes = r#"{"POSITION":0}"#;
    glb(
        &[
            list("bufferViews", count + 1, view),
            parts[1].clone(),
            list("images", count, |i| format!(r#"{{"bufferView":{},"mimeType":"image/png"}}"#, i + 1)),
            list("textures", count, |i| format!(r#"{{"source":{i}}}"#)),
            list("materials", count, |i| {
                format!(r#"{{"pbrMetallicRoughness":{{"baseColorTexture":{{"index":{i}}}}}}}"#)
            }),
            list("meshes", count, |i| {
                format!(r#"{{"primitives":[{{"attributes":{attributes},"material":{i}}}]}}"#)
            }),
            list("nodes", count, |i| format!(r#"{{"mesh":{i}}}"#)),
        ],
        &bin,
    )
}
