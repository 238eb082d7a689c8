//! Damaged GLBs become models or errors, never a panic, a hang or a heap of memory.
#![cfg(test)]

mod sample;

use galatea_fox::{Dictionary, Fmdl, Game, SceneOptions};
use galatea_gltf::{Options, read, write_glb};
use galatea_robustness::Trial;
use galatea_scene::Scene;
use galatea_wire::{Error, Limits};

fn run(bytes: &[u8]) -> Result<(), Error> {
    let scene = read(bytes, &Limits::default(), &mut |_| None)?.scene;
    build(&scene)
}

fn build(scene: &Scene) -> Result<(), Error> {
    // Whatever the scene has become: what cannot be built or written says so.
    for game in [None, Some(Game::Pes)] {
        if let Ok((model, _)) = Fmdl::from_scene(scene, &SceneOptions::default().with_game(game)) {
            let _ = model.write();
            model.check();
            let (again, _) =
                Fmdl::from_scene(&model.to_scene("again", &Dictionary::new()), &Default::default())?;
            model.differences(&again);
        }
    }
    Ok(())
}

fn scene(model: &Fmdl) -> Scene {
    model.to_scene("sample", &Dictionary::built_in())
}

#[test]
fn damaged_models() {
    for (name, model) in [("pes", sample::pes()), ("fragments", sample::fragments(Fmdl::TPP))] {
        let bytes = write_glb(&scene(&model), &Options::default()).unwrap();
        let trial = Trial { name, bytes: &bytes, read: &run };
        assert!(trial.mutations(3, 1000).opened > 20);
        // Digits are what extras are made of: each becomes a nine.
        let mut opened = 0;
        for at in (0..bytes.len()).filter(|i| bytes[*i].is_ascii_digit()).step_by(3) {
            let mut bytes = bytes.clone();
            bytes[at] = b'9';
            opened += usize::from(trial.run(&bytes, &|| format!("a nine at {at}")));
        }
        assert!(opened > 50, "{opened}");
    }
}

/// Numbers in extras that ask for too much.
#[test]
fn enormous_numbers_in_extras() {
    for model in [sample::pes(), sample::fragments(Fmdl::TPP)] {
        let (mut tried, mut opened) = (0, 0);
        let (json, bin) = galatea_gltf::write_gltf(&scene(&model), &Options::default(), "a.bin");
        let parts: Vec<&str> = json.split(':').collect();
        for at in (1..parts.len()).step_by(2) {
            let rest = parts[at].trim_start_matches(|c: char| c.is_ascii_digit() || c == '-' || c == '[');
            let list = if parts[at].starts_with('[') { "[" } else { "" };
            if rest == parts[at] {
                continue;
            }
            for number in ["2000000000", "-7", "65535"] {
                let new = format!("{list}{number}{rest}");
                let mut all = parts.clone();
                all[at] = &new;
                let text = all.join(":");
                let mut file = |_: &str| Some(bin.clone());
                tried += 1;
                if let Ok(loaded) = read(text.as_bytes(), &Limits::default(), &mut file) {
                    opened += 1;
                    let _ = build(&loaded.scene);
                }
            }
        }
        // Numbers in extras are nothing to the reader; only building the model meets them.
        assert!(opened > 50, "{opened} of {tried} opened");
    }
}
