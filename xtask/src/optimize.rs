//! `cargo xtask optimize`: what `galatea optimize` saves, and that nothing else changes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;
use galatea::disk::{self, Job};
use galatea::optimize::{OptimizeOptions, Optimized, Step, Tolerance, optimize};
use galatea::{Document, FormatId, Input, Limits, SceneContext, Stage, preview};
use rayon::prelude::*;

use crate::gltf::packages;
use crate::{Outcome, root, run, target};

#[derive(Args)]
pub(crate) struct Options {
    /// Models, or folders with them
    paths: Vec<PathBuf>,
    /// List every file
    #[arg(long)]
    list: bool,
    /// Leave out the images
    #[arg(long)]
    no_images: bool,
    /// Read the results with war3-model, too (npm)
    #[arg(long)]
    war3_model: bool,
}

/// Steps that find what is there twice.
const DUPLICATES: [Step; 6] =
    [Step::Vertices, Step::Groups, Step::TextureAnims, Step::Textures, Step::Materials, Step::Keys];
/// Width and height of the images.
const SIZE: u32 = 256;
/// By how much a channel of a pixel may differ.
const LEVELS: u8 = 8;
/// The share of pixels that may differ.
const PIXELS: f64 = 0.001;

/// What was found about one file.
struct Found {
    path: PathBuf,
    /// Bytes before and after, and after the removal of duplicates alone.
    before: usize,
    after: usize,
    duplicates: usize,
    /// Bytes that a second run saves.
    again: usize,
    poses: usize,
    deviation: Tolerance,
    /// The largest share of pixels that differ, of three moments.
    pixels: f64,
    saved: Vec<galatea::optimize::Saved>,
    notes: Vec<String>,
}

impl Options {
    pub(crate) fn run(&self) -> Outcome {
        let mut files: Vec<PathBuf> = Vec::new();
        for path in &self.paths {
            let endings = [".mdx", ".mdl", ".fmdl"];
            let inside =
                if path.is_dir() { galatea_corpus::files(path, &endings) } else { vec![path.clone()] };
            files.extend(inside);
        }
        // The companion of a KotOR model is no model.
        files
            .retain(|path| path.extension().is_none_or(|e| !e.eq_ignore_ascii_case("mdx")) || is_model(path));
        let out = target().join("optimized");
        let _ = std::fs::remove_dir_all(&out);
        std::fs::create_dir_all(&out).map_err(|e| format!("{}: {e}", out.display()))?;
        let results: Vec<_> = files.par_iter().enumerate().map(|(n, path)| self.one(n, path, &out)).collect();
        let (mut families, mut unread, mut refused) =
            (BTreeMap::<FormatId, Vec<Found>>::new(), 0usize, Vec::new());
        for result in results {
            match result {
                Ok(Some((format, found))) => families.entry(format).or_default().push(found),
                Ok(None) => unread += 1,
                Err(error) => refused.push(error),
            }
        }
        let mut wrong = refused.len();
        refused.iter().for_each(|error| println!("refused: {error}"));
        for (format, found) in &families {
            wrong += self.report(*format, found);
        }
        println!("{unread} are not read or are no models");
        if self.war3_model {
            let home = packages("warcraft", &["war3-model@4.0.1", "mdx-m3-viewer@5.12.0"])?;
            let mut node = Command::new("node");
            node.arg(root().join("xtask/war3-model/check.mjs")).arg(out.join("mdx"));
            node.env("NODE_PATH", home.join("node_modules"));
            run(&mut node, "war3-model")?;
        }
        if wrong > 0 {
            Err(format!("{wrong} files differ, or are made smaller by a second run"))
        } else {
            Ok(())
        }
    }

    /// Optimizes a file; `None` if it cannot be read.
    fn one(&self, number: usize, path: &Path, out: &Path) -> Result<Option<(FormatId, Found)>, String> {
        let Ok(loaded) = disk::load(&Job::new(path.to_path_buf())) else { return Ok(None) };
        let input = loaded.input();
        let options = OptimizeOptions::default();
        let Ok(original) = galatea::open(&input, &Limits::default()) else { return Ok(None) };
        let optimized = match optimize(&input, &options) {
            Ok(optimized) => optimized,
            Err(galatea::optimize::OptimizeError::NotInFormat(_)) => return Ok(None),
            Err(error) => return Err(format!("{}: {error}", path.display())),
        };
        let exact =
            OptimizeOptions::default().with_tolerance(Tolerance::NONE).with_steps(DUPLICATES.to_vec());
        let duplicates = optimize(&input, &exact).map_or(optimized.before, |exact| exact.after);
        let again = |input: &Input<'_>| {
            optimize(input, &options).map_err(|error| format!("{}: again: {error}", path.display()))
        };
        let twice = again(&optimized.output.input())?;
        let format = original.format().id;
        if format == FormatId::Mdx {
            let folder = out.join("mdx");
            std::fs::create_dir_all(&folder).map_err(|e| e.to_string())?;
            std::fs::write(folder.join(format!("{number}.mdx")), &optimized.output.bytes)
                .map_err(|e| e.to_string())?;
        }
        let pixels =
            if self.no_images { 0.0 } else { pixels(original.as_ref(), optimized.document.as_ref()) };
        let Optimized { before, after, poses, deviation, saved, notes, .. } = optimized;
        let again = twice.before - twice.after;
        Ok(Some((
            format,
            Found {
                path: path.to_path_buf(),
                before,
                after,
                duplicates,
                again,
                poses,
                deviation,
                pixels,
                saved,
                notes,
            },
        )))
    }

    /// Prints what was found about the files of a format; returns how many are wrong.
    fn report(&self, format: FormatId, found: &[Found]) -> usize {
        let share =
            |before: usize, after: usize| 100.0 * (before as f64 - after as f64) / before.max(1) as f64;
        let (before, after) = found.iter().fold((0, 0), |(b, a), f| (b + f.before, a + f.after));
        println!(
            "{format}: {} files, {before} -> {after} bytes ({:.1} %), median {:.1} %; exact duplicates alone {:.1} %",
            found.len(),
            share(before, after),
            median(found.iter().map(|f| share(f.before, f.after)).collect()),
            median(found.iter().map(|f| share(f.before, f.duplicates)).collect()),
        );
        let mut steps: BTreeMap<Step, (usize, i64, usize)> = BTreeMap::new();
        for saved in found.iter().flat_map(|f| &f.saved) {
            let sum = steps.entry(saved.step).or_default();
            *sum = (sum.0 + saved.count, sum.1 + saved.bytes, sum.2 + 1);
        }
        for (step, (count, bytes, files)) in steps {
            println!("  {bytes:>10} bytes {count:>8} {} in {files} files", step.what());
        }
        let poses: usize = found.iter().map(|f| f.poses).sum();
        let most = |value: fn(&Found) -> f32| found.iter().map(value).fold(0.0f32, f32::max);
        println!(
            "  {poses} poses: at most {:.5} of the size and {:.3} degrees elsewhere",
            most(|f| f.deviation.position),
            most(|f| f.deviation.angle)
        );
        let kept = found.iter().filter(|f| !f.notes.is_empty()).count();
        let again: Vec<&Found> = found.iter().filter(|f| f.again > 0).collect();
        let seen: Vec<&Found> = found.iter().filter(|f| f.pixels >= PIXELS).collect();
        println!(
            "  {kept} with notes, {} made smaller by a second run, {} whose images differ in {} % of the pixels or more",
            again.len(),
            seen.len(),
            PIXELS * 100.0
        );
        again.iter().for_each(|f| println!("  again: {}: {} bytes", f.path.display(), f.again));
        seen.iter()
            .for_each(|f| println!("  seen: {}: {:.2} % of pixels", f.path.display(), f.pixels * 100.0));
        for f in found.iter().filter(|f| self.list || !f.notes.is_empty()) {
            println!("  {}: {} -> {} {:?}", f.path.display(), f.before, f.after, f.notes);
        }
        again.len() + seen.len()
    }
}

fn is_model(path: &Path) -> bool {
    std::fs::read(path).is_ok_and(|bytes| bytes.starts_with(b"MDLX"))
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match (values.get(middle.wrapping_sub(1)), values.get(middle)) {
        (Some(a), Some(b)) if values.len().is_multiple_of(2) => (a + b) / 2.0,
        (_, Some(b)) => *b,
        _ => 0.0,
    }
}

/// Draws two documents at three moments; returns the largest share of pixels that differ.
fn pixels(before: &dyn Document, after: &dyn Document) -> f64 {
    let context = SceneContext::new("model");
    let (Some(a), Some(b)) = (before.to_scene(&context), after.to_scene(&context)) else { return 0.0 };
    let clips: Vec<(String, f32)> = a.clips.iter().map(|clip| (clip.name.clone(), clip.length)).collect();
    let last = clips.len().saturating_sub(1);
    let moments = [(0, 0.25f32), (last / 2, 0.5), (last, 0.8)];
    let mut stages = [Stage::new(before, a, |_| None), Stage::new(after, b, |_| None)];
    let mut most = 0.0f64;
    for (clip, share) in moments {
        let (name, length) = clips.get(clip).cloned().unzip();
        let mut look = preview::Options::default().with_size(SIZE, SIZE);
        look.clip = name;
        look.time = length.unwrap_or(0.0) * share;
        let [a, b] = &mut stages;
        // The view of the original for both.
        look.framing = a.framing(&look, &[look.time]).ok().flatten();
        let (Ok(a), Ok(b)) = (a.render(&look), b.render(&look)) else { continue };
        let pairs = a.pixels.chunks(4).zip(b.pixels.chunks(4));
        let differ = |(a, b): (&[u8], &[u8])| a.iter().zip(b).any(|(a, b)| a.abs_diff(*b) > LEVELS);
        let count = pairs.filter(|pair| differ(*pair)).count();
        most = most.max(count as f64 / f64::from(SIZE * SIZE));
    }
    most
}
