//! Writes a scene as GLB, reads it back and compares.

use galatea_gltf::{Options, read, write_glb};
use galatea_scene::example;
use galatea_wire::{Limits, Result};

fn main() -> Result<()> {
    let scene = example();
    let glb = write_glb(&scene, &Options::default())?;
    let back = read(&glb, &Limits::default(), &mut |_| None)?;
    assert_eq!(back.scene, scene);
    println!("{}: {} bytes of GLB, read back equal", scene.name, glb.len());
    Ok(())
}
