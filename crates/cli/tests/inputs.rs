//! What is taken as an input and what is not: damaged files of our own extensions, files of other programs, pipes and devices.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests fail loudly")]

mod support;

use std::path::{Path, PathBuf};
use std::process::Output;

use support::{galatea, scratch};

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name)
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// A folder with a sound walkmesh and one damaged file of this name.
fn with_damaged(test: &str, name: &str, bytes: &[u8]) -> PathBuf {
    let dir = scratch(&format!("inputs-{test}"));
    std::fs::copy(example("room.wok"), dir.join("sound.wok")).unwrap();
    std::fs::write(dir.join(name), bytes).unwrap();
    dir
}

#[test]
fn damaged_files_in_a_folder_are_errors_with_a_reason() {
    let tga = std::fs::read(example("statue.tga")).unwrap();
    let cut_tpc = [&1024u32.to_le_bytes()[..], &[0; 4], &[64, 0, 64, 0, 4, 1], &[0; 40]].concat();
    for (name, bytes, reason) in [
        ("empty.mdl", &b""[..], "empty file"),
        ("zeros.mdl", &[0; 64], "nothing but zeros, 64 bytes of them"),
        (
            "junk.wok",
            b"<html><body>404",
            "not a KotOR walkmesh: expected \"BWM V1.0\" at 0x0, found \"<html><b\"",
        ),
        (
            "junk.fmdl",
            b"\x01\x02\x03\x04",
            "not a Fox Engine model: expected \"FMDL\" at 0x0, found 01 02 03 04",
        ),
        ("cut.tpc", &cut_tpc, "not a KotOR texture, or cut off: its header has 128 bytes, the file 54"),
        ("cut.tga", &tga[..100], "cut off: 64 x 64 pixels need 12306 bytes, the file has 100"),
        ("lone.mdx", &[0, 0, 128, 63, 0, 0, 0, 1], "not a Warcraft III model: expected \"MDLX\" at 0x0"),
        ("junk.blp", b"JPEG....", "not a BLP texture: expected \"BLP0\", \"BLP1\" or \"BLP2\" at 0x0"),
        ("text.mdl.ascii", b"lorem ipsum", "not a KotOR model or walkmesh as text"),
    ] {
        let dir = with_damaged("damaged", name, bytes);
        let path = dir.to_string_lossy().into_owned();
        for verb in ["check", "info"] {
            let output = galatea(&[verb, &path]);
            assert_eq!(output.status.code(), Some(3), "{verb} {name}: {output:?}");
            assert!(stderr(&output).contains(&format!("{name}: {reason}")), "{verb} {name}: {output:?}");
        }
        let check = stdout(&galatea(&["check", &path]));
        assert_eq!(check, "2 files: 1 error in 1 file, 1 file cannot be opened\n", "{name}");
    }
}

#[test]
fn every_verb_tells_of_a_damaged_model() {
    let dir = with_damaged("verbs", "empty.mdl", b"");
    std::fs::copy(example("statue_800.mdx"), dir.join("statue.mdx")).unwrap();
    let (path, out) = (dir.to_string_lossy().into_owned(), scratch("inputs-verbs-out"));
    let at = |name: &str| out.join(name).to_string_lossy().into_owned();
    for args in [
        vec!["info", &path],
        vec!["check", &path],
        vec!["roundtrip", &path],
        vec!["textures", &path],
        vec!["convert", &path, "--to", "glb", "-o", &at("glb")],
        vec!["render", &path, "--size", "16", "-o", &at("png")],
        vec!["render", &path, "--size", "16", "--sheet", "-o", &at("sheet.png")],
    ] {
        let output = galatea(&args);
        assert_eq!(output.status.code(), Some(3), "{args:?}: {output:?}");
        assert!(stderr(&output).contains("empty.mdl: empty file"), "{args:?}: {output:?}");
    }
    assert!(out.join("glb/sound.glb").is_file() && out.join("sheet.png").is_file());
}

#[test]
fn a_damaged_texture_does_not_concern_verbs_on_models() {
    let dir = with_damaged("texture", "empty.tpc", b"");
    let out = scratch("inputs-texture-out").to_string_lossy().into_owned();
    let output = galatea(&["convert", &dir.to_string_lossy(), "--to", "glb", "-o", &out]);
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
    assert_eq!(galatea(&["check", &dir.to_string_lossy()]).status.code(), Some(3));
}

#[test]
fn companions_and_files_of_other_programs_are_no_inputs() {
    let dir = scratch("inputs-foreign");
    for (name, from) in [("a.mdl", "statue.mdl"), ("a.mdx", "statue.mdx"), ("tex.tga", "statue.tga")] {
        std::fs::copy(example(from), dir.join(name)).unwrap();
    }
    std::fs::write(dir.join("tex.txi"), "").unwrap();
    for (name, bytes) in [
        ("source.mdl", &b"IDST\x2C\0\0\0"[..]),
        ("page.mdx", b"# A page\n\n<Chart />\n"),
        ("notes.ascii", b"hello"),
        ("readme.txt", b""),
        ("._a.mdl", b"\x00\x05\x16\x07"),
        // A damaged model keeps its companion.
        ("b.mdl", b""),
        ("b.mdx", &[0, 0, 128, 63]),
    ] {
        std::fs::write(dir.join(name), bytes).unwrap();
    }
    let output = galatea(&["info", &dir.to_string_lossy()]);
    let names: Vec<String> = stdout(&output)
        .lines()
        .map(|l| Path::new(l.split('\t').next().unwrap()).file_name().unwrap().to_string_lossy().into_owned())
        .collect();
    assert_eq!(names, ["a.mdl", "tex.tga"]);
    let told = stderr(&output);
    assert!(told.lines().count() == 1 && told.contains("b.mdl: empty file"), "{told}");
}

#[test]
fn the_number_of_threads_has_bounds() {
    for wrong in ["0", "100000", "-1", "many"] {
        let output = galatea(&["info", &format!("-j={wrong}"), &example("room.wok").to_string_lossy()]);
        assert_eq!(output.status.code(), Some(2), "{wrong}: {output:?}");
        assert!(stderr(&output).contains("needs a number from 1 to "), "{output:?}");
    }
    let many = galatea(&["info", "-j", "64", &example("room.wok").to_string_lossy()]);
    assert_eq!(many.status.code(), Some(0), "{many:?}");
}

#[cfg(unix)]
mod pipes {
    use std::process::Command;

    use super::*;

    /// A pipe that nobody writes to: opening it would wait forever.
    fn fifo(path: &Path) {
        assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    }

    #[test]
    fn pipes_and_sockets_in_a_folder_are_never_opened() {
        let dir = scratch("inputs-fifo");
        std::fs::copy(example("statue_800.mdx"), dir.join("statue.mdx")).unwrap();
        for name in ["pipe.mdl", "statue.blp", "pipe.wok", "pipe"] {
            fifo(&dir.join(name));
        }
        std::os::unix::fs::symlink("pipe.mdl", dir.join("link.mdl")).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(dir.join("s.mdl"));
        let path = dir.to_string_lossy().into_owned();
        let out = scratch("inputs-fifo-out").to_string_lossy().into_owned();
        for args in [
            vec!["info", &path],
            vec!["check", &path],
            vec!["convert", &path, "--to", "glb", "-o", &out],
            vec!["convert", &path, "--to", "glb", "-o", &out, "--force", "--textures", &path],
        ] {
            let output = galatea(&args);
            assert_eq!(output.status.code(), Some(0), "{args:?}: {output:?}");
        }
        let textures = galatea(&["textures", &path]);
        assert!(stdout(&textures).contains("missing"), "{textures:?}");
    }

    #[test]
    fn a_pipe_or_device_that_is_named_is_refused() {
        let pipe = scratch("inputs-named-fifo").join("pipe.mdl");
        fifo(&pipe);
        for path in [pipe.to_string_lossy().as_ref(), "/dev/zero"] {
            let output = galatea(&["info", path]);
            assert_eq!(output.status.code(), Some(4), "{output:?}");
            assert!(
                stderr(&output).contains("is a pipe, socket or device, not a file; `-` reads standard input"),
                "{output:?}"
            );
        }
    }

    #[test]
    fn a_gltf_whose_buffer_is_a_pipe_is_refused() {
        let dir = scratch("inputs-gltf-fifo");
        fifo(&dir.join("a.bin"));
        let text = r#"{"asset":{"version":"2.0"},"buffers":[{"uri":"a.bin","byteLength":4}]}"#;
        std::fs::write(dir.join("a.gltf"), text).unwrap();
        let output = galatea(&["info", &dir.join("a.gltf").to_string_lossy()]);
        assert_eq!(output.status.code(), Some(4), "{output:?}");
    }

    #[test]
    fn a_file_that_may_not_be_read_is_named() {
        use std::os::unix::fs::PermissionsExt;
        let dir = with_damaged("forbidden", "secret.wok", b"BWM V1.0");
        std::fs::set_permissions(dir.join("secret.wok"), std::fs::Permissions::from_mode(0o000)).unwrap();
        let output = galatea(&["info", &dir.to_string_lossy()]);
        // Whoever may read everything finds it cut off instead.
        assert_eq!(output.status.code(), Some(3), "{output:?}");
        assert!(stderr(&output).contains("secret.wok: "), "{output:?}");
    }
}

#[test]
fn shards_share_all_inputs_between_them_and_write_what_one_run_writes() {
    let dir = scratch("inputs-shards");
    let models = dir.join("models");
    std::fs::create_dir_all(models.join("more")).unwrap();
    for n in 0..12 {
        // Two files of each name become one output: the second gets a number, in whatever part it is.
        std::fs::copy(example("statue_800.mdx"), models.join(format!("unit{n}.mdx"))).unwrap();
        std::fs::copy(example("statue_800.mdl"), models.join(format!("unit{n}.mdl"))).unwrap();
    }
    std::fs::copy(example("room.wok"), models.join("more/room.wok")).unwrap();
    let path = models.to_string_lossy().into_owned();
    let all = stdout(&galatea(&["info", &path]));
    let mut parts: Vec<String> = Vec::new();
    for part in ["0/3", "1/3", "2/3"] {
        let output = galatea(&["info", &path, "--shard", part]);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        assert!(stdout(&output).lines().count() < all.lines().count());
        parts.extend(stdout(&output).lines().map(str::to_owned));
    }
    let mut all: Vec<String> = all.lines().map(str::to_owned).collect();
    parts.sort();
    all.sort();
    assert_eq!(parts, all);
    let written = |out: &str, shards: &[&str]| -> Vec<(String, Vec<u8>)> {
        let out = dir.join(out);
        for shard in shards {
            let to = out.to_string_lossy().into_owned();
            let output = galatea(&["convert", &path, "--to", "glb", "-o", &to, "--shard", shard]);
            assert_eq!(output.status.code(), Some(0), "{output:?}");
        }
        let mut files: Vec<PathBuf> = std::fs::read_dir(&out).unwrap().map(|e| e.unwrap().path()).collect();
        files.retain(|path| path.is_file());
        files.sort();
        let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
        files.iter().map(|path| (name(path), std::fs::read(path).unwrap())).collect()
    };
    let whole = written("whole", &["0/1"]);
    assert_eq!(whole.len(), 24);
    assert!(whole == written("parts", &["0/4", "1/4", "2/4", "3/4"]));
    // Of one file, most parts are empty: that is no failure.
    let file = models.join("more/room.wok").to_string_lossy().into_owned();
    let runs = ["0/9", "1/9", "2/9", "3/9", "4/9", "5/9", "6/9", "7/9", "8/9"]
        .map(|part| galatea(&["info", &file, "--shard", part]));
    assert!(runs.iter().all(|run| run.status.code() == Some(0)));
    assert_eq!(runs.iter().filter(|run| !run.stdout.is_empty()).count(), 1);
    for wrong in ["3/3", "1", "a/b", "-1/2", "0/0"] {
        assert_eq!(galatea(&["info", &file, "--shard", wrong]).status.code(), Some(2), "{wrong}");
    }
}
