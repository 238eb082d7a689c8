//! Sidecar lines belong to one block: they do not apply to another that takes its place.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)] // A test that meets the unexpected has to fail.

mod text_support;

use galatea_mdlx::{Bone, Model, Node, Text, Texture, Version};
use text_support::{parse, print};

fn bone(name: &str, object_id: u32, flags: u32) -> Bone {
    let node = Node { name: Text::new(name.as_bytes()).unwrap(), object_id, flags, ..Node::default() };
    Bone { node, ..Bone::default() }
}

#[test]
fn sidecar_lines_of_a_deleted_block_do_not_apply_to_the_next() {
    let mut model = Model::new(Version(800));
    model.bones.extend([bone("Gone", 0, 0x8000_0100), bone("Root", 1, 0x100), bone("Arm", 2, 0x4000_0100)]);
    let printed = print(&model);
    assert!(printed.contains("flags 0x80000100\nBone \"Gone\" {"), "{printed}");
    let (start, end) = (printed.find("Bone \"Gone\"").unwrap(), printed.find("Bone \"Root\"").unwrap());
    let edited = format!("{}{}", &printed[..start], &printed[end..]);
    let back = parse(edited);
    let flags: Vec<u32> = back.bones.iter().map(|b| b.node.flags).collect();
    assert_eq!(flags, [0x100, 0x4000_0100]);
    // The same where a list of blocks follows.
    let list = format!("{}Textures 1 {{\nBitmap {{\nImage \"a.blp\",\n}}\n}}\n", &printed[..start]);
    assert_eq!(parse(list).textures[0].flags, 0);
}

#[test]
fn sidecar_lines_do_not_apply_to_another_block_of_a_list() {
    let mut model = Model::new(Version(800));
    let texture = |path: &str, flags: u32| Texture {
        path: Text::new(path.as_bytes()).unwrap(),
        flags,
        replaceable_id: 0,
    };
    model.textures.extend([texture("a.blp", 0x10), texture("b.blp", 0x20)]);
    let printed = print(&model);
    let swapped = printed.replace("a.blp", "x.blp").replace("b.blp", "a.blp").replace("x.blp", "b.blp");
    let back = parse(swapped);
    assert_eq!(back.textures.iter().map(|t| t.flags).collect::<Vec<_>>(), [0, 0]);
    // A change of one leaves the other alone.
    let renamed = printed.replace("a.blp", "c.blp");
    let back = parse(renamed);
    assert_eq!(back.textures.iter().map(|t| t.flags).collect::<Vec<_>>(), [0, 0x20]);
}

#[test]
fn sidecar_lines_survive_edits_of_other_fields_and_texts_without_checksums() {
    let mut model = Model::new(Version(800));
    model.bones.push(bone("Root", 0, 0x8000_0100));
    let printed = print(&model);
    let moved = printed.replace("ObjectId 0", "ObjectId 5");
    assert_ne!(moved, printed);
    let without: String =
        printed.lines().filter(|l| !l.contains(": for ")).map(|l| format!("{l}\n")).collect();
    assert_ne!(without, printed);
    for edited in [moved, without] {
        let back = parse(edited);
        assert_eq!(back.bones[0].node.flags, 0x8000_0100);
    }
}
