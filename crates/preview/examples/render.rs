//! Draws a scene: `render [OUT.png]`.

use galatea_preview::{Options, render};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let scene = galatea_scene::example();
    let options = Options::default().with_size(256, 256).with_walk(true);
    let png = render(&scene, &options, &|_| None)?.png()?;
    match std::env::args_os().nth(1) {
        Some(path) => std::fs::write(path, png)?,
        None => println!("{}: {} bytes of PNG; name a file to keep it", scene.name, png.len()),
    }
    Ok(())
}
