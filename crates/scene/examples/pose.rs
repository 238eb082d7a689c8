//! Poses the example scene at several times of each clip and prints where its geometry is.

use galatea_scene::{Pose, example};

fn main() {
    let scene = example();
    println!(
        "{}: {} nodes, {} meshes, {} clips",
        scene.name,
        scene.nodes.len(),
        scene.meshes.len(),
        scene.clips.len()
    );
    for clip in &scene.clips {
        for step in 0..=2u8 {
            let time = clip.length * f32::from(step) / 2.0;
            match Pose::at(&scene, clip, time).bounds(&scene) {
                Some(bounds) => println!("{} at {time} s: {:?} to {:?}", clip.name, bounds.min, bounds.max),
                None => println!("{} at {time} s: nothing to draw", clip.name),
            }
        }
    }
}
