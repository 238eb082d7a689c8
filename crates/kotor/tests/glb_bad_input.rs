//! Damaged GLBs become models, walkmeshes or errors, never a panic, a hang or a heap of memory.
#![cfg(test)]

#[path = "glb_fixtures/mod.rs"]
mod fixtures;

use galatea_gltf::{Options, read, write_glb};
use galatea_kotor::bwm::Walkmesh;
use galatea_kotor::mdl::Model;
use galatea_robustness::Trial;
use galatea_wire::{Error, Limits};

fn run(bytes: &[u8]) -> Result<(), Error> {
    let scene = read(bytes, &Limits::default(), &mut |_| None)?.scene;
    // Whatever the scene has become: what cannot be built or written says so.
    if let Ok((model, _)) = Model::from_scene(&scene, &Default::default()) {
        let _ = model.write();
        let (again, _) = Model::from_scene(&model.to_scene(), &Default::default())?;
        model.differences(&again);
    }
    if let Ok((walkmesh, _)) = Walkmesh::from_scene(&scene, &Default::default()) {
        let _ = walkmesh.write();
        walkmesh.to_scene();
    }
    Ok(())
}

fn damage(name: &str, bytes: &[u8]) {
    let trial = Trial { name, bytes, read: &run };
    assert!(trial.mutations(3, 1500).opened > 20);
    // Digits are what extras are made of: each becomes a nine, and each number longer.
    let mut opened = 0;
    for at in (0..bytes.len()).filter(|i| bytes[*i].is_ascii_digit()).step_by(3) {
        let mut bytes = bytes.to_vec();
        bytes[at] = b'9';
        opened += usize::from(trial.run(&bytes, &|| format!("a nine at {at}")));
    }
    assert!(opened > 50, "{opened}");
}

#[test]
fn damaged_models() {
    damage("model", &write_glb(&fixtures::statue().to_scene(), &Options::default()).unwrap());
}

#[test]
fn damaged_walkmeshes() {
    damage("walkmesh", &write_glb(&fixtures::floor().to_scene(), &Options::default()).unwrap());
}

/// Numbers in extras that ask for too much.
#[test]
fn enormous_numbers_in_extras() {
    let scenes = [fixtures::statue().to_scene(), fixtures::floor().to_scene()];
    for scene in &scenes {
        let (mut tried, mut opened) = (0, 0);
        let (json, bin) = galatea_gltf::write_gltf(scene, &Options::default(), "a.bin");
        let bytes: Vec<&str> = json.split(':').collect();
        for at in 1..bytes.len() {
            let rest = bytes[at].trim_start_matches(|c: char| c.is_ascii_digit() || c == '-' || c == '[');
            if rest.len() == bytes[at].len() {
                continue;
            }
            for number in ["9e18", "-9e18", "4294967296", "[9e18,9e18", "[-1,-1"] {
                let text = format!("{}:{number}{rest}:{}", bytes[..at].join(":"), bytes[at + 1..].join(":"));
                let mut file = |_: &str| Some(bin.clone());
                tried += 1;
                if let Ok(loaded) = read(text.as_bytes(), &Limits::default(), &mut file) {
                    opened += 1;
                    let _ = Model::from_scene(&loaded.scene, &Default::default())
                        .map(|(m, _)| m.write().map(|_| ()));
                    let _ = Walkmesh::from_scene(&loaded.scene, &Default::default())
                        .map(|(w, _)| w.write().map(|_| ()));
                }
            }
        }
        // Numbers in extras are nothing to the reader; only building the model meets them.
        assert!(opened > 50, "{opened} of {tried} opened");
    }
}
