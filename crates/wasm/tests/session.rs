//! What a host of the module can do, natively. `cargo xtask wasm` compares the module with this on every example.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail loudly")]

use std::path::Path;

use galatea_wasm::Session;

fn session(names: &[&str]) -> Session {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut session = Session::default();
    for name in names {
        session.put(name, std::fs::read(examples.join(name)).unwrap());
    }
    session
}

#[test]
fn a_model_is_opened_with_its_companion_whatever_its_letter_case() {
    let mut alone = session(&["statue.mdl"]);
    alone.open("statue.mdl").unwrap();
    let mut pair = session(&["statue.mdl"]);
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    pair.put("STATUE.MDX", std::fs::read(examples.join("statue.mdx")).unwrap());
    pair.open("statue.mdl").unwrap();
    let bytes = |session: &Session| {
        let info: serde_json::Value = serde_json::from_str(&session.info().unwrap()).unwrap();
        assert_eq!(info["format"], "kotor-mdl");
        info["bytes"].as_u64().unwrap()
    };
    assert!(bytes(&pair) > bytes(&alone));
}

#[test]
fn a_conversion_lists_its_files_and_hands_them_out() {
    let mut session = session(&["statue.mdl", "statue.mdx"]);
    session.open("statue.mdl").unwrap();
    let list: serde_json::Value = serde_json::from_str(&session.convert("kotor-mdl").unwrap()).unwrap();
    assert_eq!(list["files"][0]["name"], "statue.mdl");
    assert_eq!(list["files"][1]["name"], "statue.mdx");
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    for (index, name) in ["statue.mdl", "statue.mdx"].iter().enumerate() {
        assert_eq!(session.file(index).unwrap(), std::fs::read(examples.join(name)).unwrap(), "{name}");
    }
    assert_eq!(session.file(2), Err("the last conversion gave 2 files".into()));
}

#[test]
fn a_room_is_checked_and_drawn() {
    let mut session = session(&["room.wok"]);
    session.open("room.wok").unwrap();
    let report: serde_json::Value = serde_json::from_str(&session.check().unwrap()).unwrap();
    assert!(report["findings"].is_array());
    assert!(
        session.render(64, 48).unwrap().starts_with(b"\x89PNG\r\n\x1A\n\0\0\0\rIHDR\0\0\0\x40\0\0\0\x30")
    );
}

#[test]
fn wrong_calls_say_what_is_wrong() {
    let mut session = session(&["room.wok"]);
    assert_eq!(session.info(), Err("no file is open; call `open` first".into()));
    assert_eq!(session.open("hall.wok"), Err("no file is called `hall.wok`".into()));
    session.put("junk.bin", b"nothing known".to_vec());
    assert_eq!(session.open("junk.bin"), Err("junk.bin: not a known format".into()));
    session.open("room.wok").unwrap();
    assert!(session.convert("fbx").is_err());
    assert!(session.render(0, 1).is_err());
}
