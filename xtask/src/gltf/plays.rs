//! Whether a glTF plays in a plain viewer as the model plays in the game.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use clap::Args;
use galatea::mdlx::play::{Moment, Player};
use galatea::mdlx::{Geoset, Limits, Model, Node};
use galatea::{ConvertOptions, FormatId, SceneContext, textures::Images};
use glam::Vec3;
use rayon::prelude::*;

use super::viewer::{Clip, Mesh, Viewer};
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

/// By how many milliseconds a jump may be early or late.
const JUMP: [f64; 3] = [0.0, 1.0, -1.0];

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
    let mut meshes = viewer.meshes(|node| {
        let own = node.get("extras")?.get("galatea")?.get("mdx")?;
        Some(own.get("geoset")?.as_u64()? as usize)
    });
    meshes.retain(|(geoset, _)| model.geosets.get(*geoset).is_some_and(|g| !faces_camera(&model, g)));
    let both =
        Both { player: Player::new(&model), size: size(&model), model: &model, viewer: &viewer, meshes };
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
        let moments = [0.0, 0.07, 0.23, 0.51, 0.74, 0.93, 1.0].map(|part| (length * part).floor());
        let worst = moments.map(|elapsed| both.worst(index, clip, elapsed, length));
        let worse = |a: (f32, String), b: (f32, String)| if b.0 > a.0 || b.0.is_nan() { b } else { a };
        let (far, place) = worst.into_iter().fold((0.0, String::new()), worse);
        if far > FAR || far.is_nan() {
            found.off.push(("position", format!("{what} {far} at {place}")));
        }
    }
    Ok(found)
}

/// A model as the game and as a viewer has it.
struct Both<'a> {
    model: &'a Model,
    player: Player<'a>,
    viewer: &'a Viewer,
    /// The meshes of geosets.
    meshes: Vec<(usize, Mesh)>,
    size: f32,
}

impl Both<'_> {
    /// Returns how far the farthest vertex is off at a moment, and which one it is.
    fn worst(&self, sequence: usize, clip: &Clip, elapsed: f64, length: f64) -> (f32, String) {
        let start = self.model.sequences.get(sequence).map_or(0.0, |s| f64::from(s.start));
        // Where values jump, a hair makes all the difference.
        let poses = JUMP.map(|by| {
            let clock = (elapsed + by).clamp(0.0, length);
            self.player.pose(&Moment { sequence: Some(sequence), time: start + clock, clock }, None)
        });
        let shown = JUMP.map(|by| self.viewer.pose(clip, ((elapsed + by) as f32 / 1000.0).max(0.0)));
        let axes = self.viewer.axes();
        let mut worst = (0.0f32, String::new());
        for (geoset, mesh) in &self.meshes {
            let Some(from) = self.model.geosets.get(*geoset) else { continue };
            // Most are needed at one moment only.
            let moved: [OnceCell<_>; 3] = Default::default();
            let at = |game: usize| {
                let (cell, pose) = (moved.get(game)?, poses.get(game)?);
                Some(cell.get_or_init(|| self.player.vertices(from, pose)))
            };
            for vertex in (0..from.vertices.len()).step_by((from.vertices.len() / 64).max(1)) {
                let off = |[game, view]: [usize; 2]| {
                    let here = at(game).and_then(|m| m.get(vertex));
                    let Some(((place, _), shown)) = here.zip(shown.get(view)) else { return f32::NAN };
                    let want = axes.transform_point3(Vec3::from(*place));
                    let off = (mesh.vertex(vertex, shown) - want).length() / axes.x_axis.length();
                    // Scales of hundreds make large numbers: what counts is how much of them is wrong.
                    off / self.size.max(Vec3::from(*place).length())
                };
                let mut far = off([0, 0]);
                if far > FAR || far.is_nan() {
                    far = [[0, 1], [0, 2], [1, 0], [2, 0]].into_iter().map(off).fold(far, f32::min);
                }
                if far > worst.0 || far.is_nan() {
                    worst = (far, format!("geoset {geoset}, vertex {vertex}, {elapsed} of {length} ms"));
                }
            }
        }
        worst
    }
}

/// Returns whether something turns a geoset to the camera, which a viewer does not do.
fn faces_camera(model: &Model, geoset: &Geoset) -> bool {
    let nodes: HashMap<i64, &Node> =
        model.nodes().map(|(_, _, node)| (i64::from(node.object_id), node)).collect();
    let bones = geoset.matrices.iter().map(|id| i64::from(*id));
    let weighted = geoset.skin.iter().flatten().flat_map(|skin| skin.bones.map(i64::from));
    bones.chain(weighted).collect::<BTreeSet<i64>>().into_iter().any(|id| {
        let mut at = nodes.get(&id);
        for _ in 0..nodes.len() {
            let Some(node) = at else { return false };
            if node.flags & BILLBOARD != 0 {
                return true;
            }
            at = nodes.get(&i64::from(node.parent_id));
        }
        false
    })
}

/// The flags of nodes that turn to the camera.
const BILLBOARD: u32 = 0x78;

/// Returns the size of a model at rest.
fn size(model: &Model) -> f32 {
    let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    for vertex in model.geosets.iter().flat_map(|g| &g.vertices) {
        low = low.min(Vec3::from(*vertex));
        high = high.max(Vec3::from(*vertex));
    }
    if low.is_finite() && high.is_finite() { (high - low).length().max(1e-3) } else { 1.0 }
}
