//! Builds a walkmesh with its derived tables, checks it, writes it and reads it back.

use galatea_kotor::bwm::{Kind, Walkmesh};
use galatea_wire::{Limits, Result};

/// Surface material `stone`.
const STONE: u32 = 4;

fn main() -> Result<()> {
    let corners = vec![[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [4.0, 4.0, 0.0], [0.0, 4.0, 0.0]];
    let faces = vec![[0, 1, 2], [0, 2, 3]];
    let mut room = Walkmesh::build(Kind::Area, corners, faces, vec![STONE; 2], &Default::default())?;
    for finding in room.check().findings() {
        println!("{finding}");
    }

    room.translate([0.0, 0.0, 1.5]);
    let bytes = room.write()?;
    let back = Walkmesh::read(&bytes, &Limits::default())?;
    assert!(back.differences(&room).is_empty());
    assert_eq!(back.write()?, bytes);
    let summary = back.summary();
    println!("{}: {} triangles in {} bytes", summary.version, summary.triangles, bytes.len());
    Ok(())
}
