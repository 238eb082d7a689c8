//! Whether a glTF plays in a plain viewer as the model plays in the game.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Args;
use galatea::mdlx::play::{Moment, Player};
use galatea::mdlx::{Limits, Model};
use galatea::{ConvertOptions, FormatId, SceneContext, textures::Images};
use glam::Vec3;
use rayon::prelude::*;

use super::viewer::Viewer;
use crate::Outcome;

#[derive(Args)]
pub(crate) struct PlayOptions {
    /// Warcraft III models, or folders with them
    paths: Vec<PathBuf>,
    /// List every clip that differs
    #[arg(long)]
    list: bool,
}

/// How far a vertex may be from where the game has it, as a share of the model's size.
const FAR: f32 = 1e-3;

/// By how many seconds a jump may be early or late.
const JUMP: [f32; 3] = [0.0, 1e-3, -1e-3];

/// How far the end of a clip may be off, in seconds.
const LATE: f32 = 2e-3;

/// What was found about one file.
#[derive(Default)]
struct Found {
    clips: usize,
    bytes: usize,
    /// What differs, by cause.
    off: Vec<(&'static str, String)>,
}

impl PlayOptions {
    pub(crate) fn run(&self) -> Outcome {
        let mut files: Vec<PathBuf> = Vec::new();
        for path in &self.paths {
            let inside =
                if path.is_dir() { galatea_corpus::files(path, &[".mdx"]) } else { vec![path.clone()] };
            files.extend(inside);
        }
        let found: Vec<Found> = files.par_iter().map(|path| compare(path)).collect::<Result<_, String>>()?;
        let clips: usize = found.iter().map(|f| f.clips).sum();
        let bytes: usize = found.iter().map(|f| f.bytes).sum();
        let mut causes: BTreeMap<&str, usize> = BTreeMap::new();
        for (cause, what) in found.iter().flat_map(|f| &f.off) {
            *causes.entry(cause).or_default() += 1;
            if self.list {
                println!("{cause}: {what}");
            }
        }
        let off: usize = causes.values().sum();
        println!("{} files, {bytes} bytes as GLB, {clips} clips, {off} differ: {causes:?}", files.len());
        let share = off as f64 / clips.max(1) as f64;
        if clips == 0 || share > 0.005 {
            Err(format!("{:.2} % of the clips differ", share * 100.0))
        } else {
            Ok(())
        }
    }
}

fn compare(path: &Path) -> Result<Found, String> {
    let told = |e: &dyn std::fmt::Display| format!("{}: {e}", path.display());
    let bytes = std::fs::read(path).map_err(|e| told(&e))?;
    let Ok(model) = Model::read(&bytes, &Limits::default()) else { return Ok(Found::default()) };
    let options = ConvertOptions::default().with_images(Images::None);
    let glb = galatea::convert(&model, FormatId::Glb, &options, &SceneContext::new("model"));
    let glb = glb.map_err(|e| told(&e))?.output.bytes;
    let viewer = Viewer::new(&glb).ok_or_else(|| told(&"a viewer cannot read the GLB"))?;
    let mut found = Found { clips: model.sequences.len(), bytes: glb.len(), off: Vec::new() };
    let player = Player::new(&model);
    let meshes = viewer.meshes(|node| {
        let own = node.get("extras")?.get("galatea")?.get("mdx")?;
        Some(own.get("geoset")?.as_u64()? as usize)
    });
    let size = size(&model);
    // Animations are in the order of the sequences; the global ones follow.
    for (index, sequence) in model.sequences.iter().enumerate() {
        let what = format!("{} {:?}", path.display(), sequence.name);
        let Some(clip) = viewer.clips.get(index) else {
            found.off.push(("missing", what));
            continue;
        };
        let length = f64::from(sequence.end.saturating_sub(sequence.start));
        let late = (f64::from(clip.length()) - length / 1000.0).abs() as f32;
        // A viewer cannot show a clip without any duration; ours lasts as long as the game's.
        if late > LATE {
            found.off.push(("length", format!("{what} {late} s")));
            continue;
        }
        let to_viewer = viewer.axes();
        // How far vertices are off at worst, and which one.
        let mut worst = (0.0f32, String::new());
        for part in [0.0, 0.07, 0.23, 0.51, 0.74, 0.93, 1.0] {
            let elapsed = (length * part).floor();
            let time = f64::from(sequence.start) + elapsed;
            let pose = player.pose(&Moment { sequence: Some(index), time, clock: elapsed }, None);
            // Where values jump, a hair makes all the difference.
            let shown: Vec<_> =
                JUMP.iter().map(|by| viewer.pose(clip, (elapsed as f32 / 1000.0 + by).max(0.0))).collect();
            for (geoset, mesh) in &meshes {
                let Some(from) = model.geosets.get(*geoset) else { continue };
                let moved = player.vertices(from, &pose);
                for (vertex, (place, _)) in moved.iter().enumerate().step_by((moved.len() / 64).max(1)) {
                    let want = to_viewer.transform_point3(Vec3::from(*place));
                    let off = |shown: &Vec<glam::Mat4>| {
                        let off = (mesh.vertex(vertex, shown) - want).length() / to_viewer.x_axis.length();
                        // Scales of hundreds make large numbers: what counts is how much of them is wrong.
                        off / size.max(Vec3::from(*place).length())
                    };
                    let mut far = shown.first().map_or(0.0, &off);
                    if !(far <= FAR) {
                        far = shown.iter().skip(1).map(&off).fold(far, f32::min);
                    }
                    if far > worst.0 || far.is_nan() {
                        worst = (far, format!("geoset {geoset}, vertex {vertex}, {elapsed} of {length} ms"));
                    }
                }
            }
        }
        let (far, place) = worst;
        if far > FAR || far.is_nan() {
            found.off.push(("position", format!("{what} {far} at {place}")));
        }
    }
    Ok(found)
}

/// The size of a model at rest.
fn size(model: &Model) -> f32 {
    let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    for vertex in model.geosets.iter().flat_map(|g| &g.vertices) {
        low = low.min(Vec3::from(*vertex));
        high = high.max(Vec3::from(*vertex));
    }
    if low.is_finite() && high.is_finite() { (high - low).length().max(1e-3) } else { 1.0 }
}
