//! Whether a glTF plays in a plain viewer as the model plays in the game.

mod kotor;
mod warcraft;

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;
use galatea::disk::{self, Job};
use galatea::kotor::mdl::Model as KotorModel;
use galatea::mdlx::Model as WarcraftModel;
use galatea::textures::Images;
use galatea::wire::Limits;
use galatea::{AsciiModel, Category, ConvertOptions, FormatId, MdlText, SceneContext};
use glam::Vec3;
use rayon::prelude::*;
use serde_json::Value;

use super::viewer::{Clip, Mesh, Viewer};
use crate::Outcome;

#[derive(Args)]
pub(crate) struct PlayOptions {
    /// Models of Warcraft III and KotOR, or folders with them
    paths: Vec<PathBuf>,
    /// List every clip that differs
    #[arg(long)]
    list: bool,
}

/// How far a point may be from where the game has it, as a share of the model's size.
const FAR: f32 = 1e-3;

/// By how many milliseconds a jump may be early or late.
const JUMP: [f64; 3] = [0.0, 1.0, -1.0];

/// How far the end of a clip may be off, in seconds.
const LATE: f32 = 2e-3;

/// A model as its game plays it.
trait Played {
    /// The model at a moment.
    type Pose;

    /// Names and lengths of the clips, in milliseconds. The animations of the glTF begin with them, in this order.
    fn clips(&self) -> Vec<(String, f64)>;

    /// The model after so many milliseconds of a clip.
    fn pose(&self, clip: usize, elapsed: f64) -> Self::Pose;

    /// What a node of the glTF shows: a number for [`Played::points`]; `None` if it is not compared.
    fn drawn_by(&self, extras: &Value) -> Option<usize>;

    /// Where the vertices of a mesh are in the model.
    fn points(&self, drawn: usize, pose: &Self::Pose) -> Vec<Vec3>;

    /// Where the origin of a node is, and how its first two axes point; none if nodes are not compared.
    fn frame(&self, drawn: usize, pose: &Self::Pose) -> Option<[Vec3; 3]>;

    /// The size of the model at rest.
    fn size(&self) -> f32;
}

/// What was found about one file.
#[derive(Default)]
struct Found {
    game: &'static str,
    clips: usize,
    bytes: usize,
    points: usize,
    /// What differs, by cause.
    off: Vec<(&'static str, String)>,
}

impl PlayOptions {
    pub(crate) fn run(&self) -> Outcome {
        let wanted = |format: &galatea::Format| format.category == Category::Model && format.game.is_some();
        let jobs: Vec<Job> = disk::jobs(&self.paths, &wanted).into_iter().flatten().collect();
        let found: Vec<Found> = jobs.par_iter().map(compare).collect::<Result<_, String>>()?;
        let (mut clips, mut off) = (0, 0);
        for game in ["Warcraft III", "KotOR"] {
            let own: Vec<&Found> = found.iter().filter(|f| f.game == game).collect();
            let mut causes: BTreeMap<&str, usize> = BTreeMap::new();
            for (cause, what) in own.iter().flat_map(|f| &f.off) {
                *causes.entry(cause).or_default() += 1;
                if self.list {
                    println!("{cause}: {what}");
                }
            }
            let sum = |of: fn(&Found) -> usize| own.iter().map(|f| of(f)).sum::<usize>();
            let wrong: usize = causes.values().sum();
            println!(
                "{game}: {} files, {} bytes as GLB, {} points compared, {} clips, {wrong} differ: {causes:?}",
                own.len(),
                sum(|f| f.bytes),
                sum(|f| f.points),
                sum(|f| f.clips),
            );
            clips += sum(|f| f.clips);
            off += wrong;
        }
        let share = off as f64 / clips.max(1) as f64;
        if clips == 0 || share > 0.005 {
            Err(format!("{:.2} % of {clips} clips differ", share * 100.0))
        } else {
            Ok(())
        }
    }
}

fn compare(job: &Job) -> Result<Found, String> {
    let told = |e: &dyn std::fmt::Display| format!("{}: {e}", job.path.display());
    let loaded = disk::load(job).map_err(|e| told(&e))?;
    // Damaged files have no clips.
    let Ok(document) = galatea::open(&loaded.input(), &Limits::default()) else {
        return Ok(Found::default());
    };
    let any = document.as_any();
    let warcraft =
        any.downcast_ref::<WarcraftModel>().or_else(|| any.downcast_ref::<MdlText>().map(|text| &text.0));
    let knights =
        any.downcast_ref::<KotorModel>().or_else(|| any.downcast_ref::<AsciiModel>().map(|text| &text.0));
    if warcraft.is_none() && knights.is_none() {
        return Ok(Found::default());
    }
    let options = ConvertOptions::default().with_images(Images::None);
    let context = SceneContext::new("model");
    let glb = galatea::convert(document.as_ref(), FormatId::Glb, &options, &context);
    let glb = glb.map_err(|e| told(&e))?.output.bytes;
    let viewer = Viewer::new(&glb).ok_or_else(|| told(&"a viewer cannot read the GLB"))?;
    let mut found = match (warcraft, knights) {
        (Some(model), _) => {
            Found { game: "Warcraft III", ..watch(&warcraft::Warcraft::new(model), &viewer, job) }
        }
        (_, Some(model)) => Found { game: "KotOR", ..watch(&kotor::Knights::new(model), &viewer, job) },
        _ => Found::default(),
    };
    found.bytes = glb.len();
    Ok(found)
}

/// Compares all clips.
fn watch<P: Played>(game: &P, viewer: &Viewer, job: &Job) -> Found {
    let own = |node: &Value| game.drawn_by(node.get("extras")?.get("galatea")?);
    let both =
        Both { size: game.size(), game, viewer, meshes: viewer.meshes(own), nodes: viewer.nodes_of(own) };
    let mut found = Found::default();
    for (index, (name, length)) in game.clips().into_iter().enumerate() {
        found.clips += 1;
        let what = format!("{} {name:?}", job.path.display());
        let Some(clip) = viewer.clips.get(index) else {
            found.off.push(("missing", what));
            continue;
        };
        let late = (f64::from(clip.length()) - length / 1000.0).abs() as f32;
        if late > LATE {
            found.off.push(("length", format!("{what} {late} s")));
            continue;
        }
        let moments = [0.0, 0.07, 0.23, 0.51, 0.74, 0.93, 1.0].map(|part| (length * part).floor());
        let worst = moments.map(|elapsed| both.worst(index, clip, elapsed, length));
        found.points += worst.iter().map(|w| w.points).sum::<usize>();
        let worse = |a: Worst, b: Worst| if b.far > a.far || b.far.is_nan() { b } else { a };
        let Worst { far, place, .. } = worst.into_iter().fold(Worst::default(), worse);
        if far > FAR || far.is_nan() {
            found.off.push(("position", format!("{what} {far} at {place}")));
        }
    }
    found
}

/// A model as the game and as a viewer has it.
struct Both<'a, P> {
    game: &'a P,
    viewer: &'a Viewer,
    meshes: Vec<(usize, Mesh)>,
    /// The nodes of the viewer, each with its number in the game.
    nodes: Vec<(usize, usize)>,
    size: f32,
}

/// The point that is farthest from where the game has it.
#[derive(Default)]
struct Worst {
    far: f32,
    place: String,
    points: usize,
}

impl Worst {
    fn add(&mut self, far: f32, place: impl Fn() -> String) {
        self.points += 1;
        if far > self.far || far.is_nan() {
            (self.far, self.place) = (far, place());
        }
    }
}

impl<P: Played> Both<'_, P> {
    /// Returns how far the farthest point is off at a moment, and which one it is.
    fn worst(&self, index: usize, clip: &Clip, elapsed: f64, length: f64) -> Worst {
        // Where values jump, a hair makes all the difference.
        let poses = JUMP.map(|by| self.game.pose(index, (elapsed + by).clamp(0.0, length)));
        let shown = JUMP.map(|by| self.viewer.pose(clip, ((elapsed + by) as f32 / 1000.0).max(0.0)));
        let axes = self.viewer.axes();
        let unit = axes.x_axis.length();
        // Scales of hundreds make large numbers: what counts is how much of them is wrong.
        let apart = |place: Vec3, seen: Vec3| {
            let off = (seen - axes.transform_point3(place)).length() / unit;
            off / self.size.max(place.length())
        };
        let least = |off: &dyn Fn([usize; 2]) -> f32| {
            let far = off([0, 0]);
            if far > FAR || far.is_nan() {
                return [[0, 1], [0, 2], [1, 0], [2, 0]].into_iter().map(off).fold(far, f32::min);
            }
            far
        };
        let mut worst = Worst::default();
        for (drawn, mesh) in &self.meshes {
            // Most are needed at one moment only.
            let moved: [OnceCell<Vec<Vec3>>; 3] = Default::default();
            let at = |game: usize| -> Option<&Vec<Vec3>> {
                let (cell, pose) = (moved.get(game)?, poses.get(game)?);
                Some(cell.get_or_init(|| self.game.points(*drawn, pose)))
            };
            let count = at(0).map_or(0, Vec::len);
            for vertex in (0..count).step_by((count / 64).max(1)) {
                let off = |[game, view]: [usize; 2]| {
                    let here = at(game).and_then(|m| m.get(vertex));
                    let seen = shown.get(view).and_then(|shown| mesh.vertex(vertex, shown));
                    here.zip(seen).map_or(f32::NAN, |(place, seen)| apart(*place, seen))
                };
                worst.add(least(&off), || format!("mesh {drawn}, vertex {vertex}, {elapsed} of {length} ms"));
            }
        }
        for (drawn, node) in &self.nodes {
            if self.game.frame(*drawn, &poses[0]).is_none() {
                continue;
            }
            let off = |[game, view]: [usize; 2]| {
                let place = poses.get(game).and_then(|pose| self.game.frame(*drawn, pose));
                let seen = shown.get(view).and_then(|shown| shown.get(*node));
                let Some(([origin, x, y], seen)) = place.zip(seen) else { return f32::NAN };
                let turned = |axis: Vec3, seen: Vec3| {
                    (axes.transform_vector3(axis).normalize_or_zero() - seen.normalize_or_zero()).length()
                };
                // A turn by this much moves what is a size away by as much of it.
                apart(origin, seen.w_axis.truncate())
                    .max(turned(x, seen.x_axis.truncate()))
                    .max(turned(y, seen.y_axis.truncate()))
            };
            worst.add(least(&off), || format!("node {drawn}, {elapsed} of {length} ms"));
        }
        worst
    }
}
