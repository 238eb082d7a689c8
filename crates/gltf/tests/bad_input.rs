//! Damaged and hostile glTF: an error with a place, never a panic, a hang or a heap of memory.
#![cfg(test)]

use galatea_gltf::{Options, read, write_glb, write_gltf};
use galatea_robustness::Trial;
use galatea_wire::{Error, ErrorKind, Limits};

fn run(bytes: &[u8]) -> Result<(), Error> {
    let loaded = read(bytes, &Limits::default(), &mut |_| None)?;
    let again = write_glb(&loaded.scene, &Options::default())?;
    let back = read(&again, &Limits::default(), &mut |_| None)?;
    assert_eq!(loaded.scene.nodes.len(), back.scene.nodes.len());
    let pose = galatea_scene::Pose::rest(&loaded.scene);
    pose.bounds(&loaded.scene);
    Ok(())
}

fn fixture() -> Vec<u8> {
    write_glb(&galatea_scene::example(), &Options::default()).unwrap()
}

#[test]
fn cut_flipped_and_mutated_glb() {
    let bytes = fixture();
    let trial = Trial { name: "glb", bytes: &bytes, read: &run };
    let cuts = trial.cuts();
    assert_eq!((cuts.tried, cuts.opened), (bytes.len(), 0));
    let flips = trial.flips();
    assert!(flips.opened > 1000 && flips.opened < flips.tried, "{flips:?}");
    // Words of the header and of the binary chunk; in the text they are like flips.
    let binary = bytes.windows(4).rposition(|w| w == b"BIN\0").unwrap();
    let words = trial.words((0..20).chain(binary - 4..bytes.len()).step_by(4));
    assert!(words.opened < words.tried, "{words:?}");
    assert!(trial.mutations(1, 2000).opened > 0);
}

#[test]
fn mutated_json_text() {
    let (json, bin) = write_gltf(&galatea_scene::example(), &Options::default(), "arm.bin");
    let read_text = |bytes: &[u8]| {
        read(bytes, &Limits::default(), &mut |path| (path == "arm.bin").then(|| bin.clone())).map(|_| ())
    };
    let trial = Trial { name: "gltf", bytes: json.as_bytes(), read: &read_text };
    assert_eq!(trial.cuts().opened, 0);
    assert!(trial.mutations(2, 2000).opened > 0);
}

/// A document that asks for trouble, and a word of the answer.
#[test]
fn hostile_documents_are_refused_by_name() {
    let huge = r#"{"bufferView":0,"componentType":5126,"count":4294967295,"type":"VEC3"}"#;
    let zeros = r#"{"componentType":5126,"count":400000000,"type":"VEC3"}"#;
    let buffer = r#""buffers":[{"byteLength":12,"uri":"data:application/octet-stream;base64,AAAAAAAAAAAAAAAA"}],"bufferViews":[{"buffer":0,"byteLength":12}]"#;
    let mesh = r#""meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1}]}]"#;
    let cases = [
        (r#""nodes":[{"children":[1]},{"children":[0]}],"scenes":[{"nodes":[0]}]"#.to_owned(), "ok"),
        (r#""nodes":[{"children":[0]}]"#.to_owned(), "circle"),
        (r#""nodes":[{"children":[2]},{"children":[2]},{}]"#.to_owned(), "circle"),
        (r#""nodes":[{"children":[7]}]"#.to_owned(), "nodes[0] > children"),
        (r#""nodes":[{"mesh":3}]"#.to_owned(), "nodes[0] > mesh"),
        (r#""scene":4"#.to_owned(), "scene"),
        (
            format!(r#""accessors":[{huge}],{buffer},{mesh}"#),
            "meshes[0] > primitives[0] > attributes > POSITION",
        ),
        (format!(r#""accessors":[{zeros}],{buffer},{mesh}"#), "the limit on decoded data"),
        (
            format!(
                r#""accessors":[{{"bufferView":0,"componentType":5126,"count":1,"type":"VEC3"}},{{"bufferView":0,"componentType":5121,"count":12,"type":"SCALAR"}},{{}}],{buffer},{}"#,
                mesh.replace("indices\":1", "indices\":9")
            ),
            "indices",
        ),
        (
            format!(
                r#""accessors":[{{"bufferView":0,"componentType":5126,"count":0,"type":"VEC3"}},{{"bufferView":0,"componentType":5121,"count":12,"type":"SCALAR"}}],{buffer},{mesh}"#
            ),
            "the index of a vertex",
        ),
        (
            format!(
                r#""accessors":[{{"bufferView":0,"byteOffset":9999999999,"componentType":5126,"count":1,"type":"VEC3"}}],{buffer},{mesh}"#
            ),
            "byteOffset",
        ),
        (
            format!(
                r#""accessors":[{{"componentType":5126,"count":1,"type":"VEC3","sparse":{{"count":1,"indices":{{"bufferView":0,"componentType":5121,"byteOffset":0}},"values":{{"bufferView":0,"byteOffset":4}}}}}}],{buffer},{mesh}"#
            ),
            "sparse",
        ),
        (r#""buffers":[{"byteLength":4,"uri":"../../etc/passwd"}]"#.to_owned(), "leaves the folder"),
        (r#""buffers":[{"byteLength":4,"uri":"/etc/passwd"}]"#.to_owned(), "absolute"),
        (r#""buffers":[{"byteLength":4,"uri":"file:///etc/passwd"}]"#.to_owned(), "scheme"),
        (r#""buffers":[{"byteLength":4,"uri":"beside.bin"}]"#.to_owned(), "no file"),
        (r#""buffers":[{"byteLength":99999999999}]"#.to_owned(), "needs 99999999999 bytes"),
        (r#""extensionsRequired":["KHR_draco_mesh_compression"]"#.to_owned(), "draco"),
    ];
    for (body, word) in cases {
        let text = format!(r#"{{"asset":{{"version":"2.0"}},{body}}}"#);
        let result = read(text.as_bytes(), &Limits::default(), &mut |path| {
            assert_eq!(path, "beside.bin", "a path that must not be asked for");
            None
        });
        match result {
            Ok(_) => assert_eq!(word, "ok", "{text}"),
            Err(error) => {
                assert!(error.to_string().contains(word), "{word} is not in: {error}");
                assert!(!error.path().is_empty(), "{error}");
            }
        }
    }
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(read(format!(r#"{{"asset":{deep}}}"#).as_bytes(), &Limits::default(), &mut |_| None).is_err());
    let many = format!(r#"{{"asset":{{"version":"2.0"}},"nodes":[{}{{}}]}}"#, "{},".repeat(3_000_000));
    let error = read(many.as_bytes(), &Limits::default(), &mut |_| None).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Limit(_)), "{error}");
}

/// Documents of some tens of kilobytes that ask for some hundred megabytes, and a word of the answer ("ok" for none).
#[test]
fn nothing_is_multiplied() {
    let long = "n".repeat(32 << 10);
    let many = |key: &str, entry: &str| format!(r#""{key}":[{}]"#, vec![entry; 4000].join(","));
    let mega = r#"{"byteLength":1048576,"uri":"mega.bin"}"#;
    let dotted: Vec<String> =
        (1..400).map(|n| mega.replace("mega", &format!("{}mega", "./".repeat(n)))).collect();
    let other: Vec<String> = (0..400).map(|n| mega.replace("mega", &format!("copy{n}"))).collect();
    let data = format!("data:;base64,{}", "A".repeat(64 << 10));
    let view = format!(
        r#""buffers":[{{"byteLength":49152,"uri":"{data}"}}],"bufferViews":[{{"buffer":0,"byteLength":49152}}]"#
    );
    let keys = r#""accessors":[{"componentType":5126,"count":1,"type":"SCALAR"},{"componentType":5126,"count":1,"type":"VEC3"}]"#;
    let channels = many("channels", r#"{"sampler":0,"target":{"node":0,"path":"translation"}}"#);
    let clip = |extras: &str| {
        format!(
            r#""nodes":[{{"name":"a"}}],{keys},"animations":[{{"samplers":[{{"input":0,"output":1}}],{channels},"extras":{{"galatea":{extras}}}}}]"#
        )
    };
    let exceptions = keys.replacen(r#""count":1"#, r#""count":1,"sparse":{"count":12000,"indices":{"bufferView":0,"componentType":5121},"values":{"bufferView":0}}"#, 1);
    let members: Vec<String> = (0..2000).map(|n| format!(r#""k{n}":0"#)).collect();
    let cases = [
        (many("buffers", mega), "ok"),
        (format!(r#""buffers":[{}]"#, dotted.join(",")), "ok"),
        (format!(r#""buffers":[{}]"#, other.join(",")), "decoded data"),
        (r#""buffers":[{"byteLength":4,"uri":"itself.gltf"}]"#.to_owned(), "the document itself"),
        (format!("{view},{}", many("images", r#"{"bufferView":0}"#)), "decoded data"),
        (
            format!(
                r#""images":[{{"uri":"x.png","name":"{long}"}}],"textures":[{{"source":0}}],{}"#,
                many("materials", r#"{"normalTexture":{"index":0}}"#)
            ),
            "decoded data",
        ),
        (
            format!(
                r#""scenes":[{{"extras":{{"galatea":{{"clips":[{{"clip":"a","x":"{long}"}}]}}}}}}],{}"#,
                many("animations", r#"{"name":"a"}"#)
            ),
            "ok",
        ),
        (
            clip(&format!(
                r#"{{"channels":[{{"node":"a","property":"translation","extras":{{"x":"{long}"}}}}]}}"#
            )),
            "ok",
        ),
        (format!("{view},{}", clip("{}").replace(keys, &exceptions)), "decoded data"),
        (format!(r#""accessors":[{{{}}}]"#, members.join(",")), "members of an object"),
        (
            format!(
                r#""nodes":[{{}}],"animations":[{{"name":"{long}","samplers":[],{}}}]"#,
                many("channels", r#"{"target":{"path":"weights"}}"#)
            ),
            "ok",
        ),
    ];
    for (body, word) in cases {
        let text = format!(r#"{{"asset":{{"version":"2.0"}},{body}}}"#);
        let open = |bytes: &[u8]| {
            let mut file = |path: &str| match path {
                "itself.gltf" => Some(bytes.to_vec()),
                _ => Some(vec![0; 1 << 20]),
            };
            let loaded = read(bytes, &Limits::default(), &mut file)?;
            write_glb(&loaded.scene, &Options::default()).map(|_| ())
        };
        let trial = Trial { name: word, bytes: text.as_bytes(), read: &open };
        assert_eq!(trial.whole(), word == "ok", "{}", &text[..300]);
        if let Err(error) = open(text.as_bytes()) {
            assert!(error.to_string().contains(word), "{word} is not in: {error}");
        }
    }
}
