//! Opens a file by content, checks it and converts it to glTF: `open [FILE]`; without a file, a walkmesh made here.

use galatea::fox::Dictionary;
use galatea::kotor::bwm::{Kind, Walkmesh};
use galatea::{ConvertOptions, FormatId, Input, Limits, SceneContext, convert, open};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let bytes = match std::env::args_os().nth(1) {
        Some(path) => std::fs::read(path)?,
        None => {
            let corners = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
            Walkmesh::build(Kind::Area, corners, vec![[0, 1, 2]], vec![4], &Default::default())?.write()?
        }
    };
    let document = open(&Input::new(&bytes), &Limits::default())?;
    println!("{}, {} triangles", document.format().title, document.summary().triangles);
    for finding in document.check().findings() {
        println!("{finding}");
    }
    assert_eq!(document.write()?.bytes, bytes);

    let names = Dictionary::new();
    let context = SceneContext::new("room").with_names(&names);
    let glb = convert(document.as_ref(), FormatId::Glb, &ConvertOptions::default(), &context)?;
    println!("{} bytes of GLB, {} losses", glb.output.bytes.len(), glb.losses.len());
    Ok(())
}
