//! Effects of Warcraft III models, played by mdx-m3-viewer too: how many particles live, where, and in which color.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;
use galatea::mdlx::{Keys, Limits, Model, ParticleEmitter2, node_flags};
use galatea::preview::{self, Options};
use galatea::scene::{Bounds, Frame};
use galatea::texture::find::Game;
use galatea::texture::{Image, encode, team};
use galatea::textures::{Library, Textures, resolve_materials};
use galatea::{SceneContext, Stage};
use glam::{Mat4, Vec3};
use serde_json::{Value, json};

use crate::gltf::packages;
use crate::{Outcome, root, run, target};

/// Width and height of the images.
const SIZE: u32 = 192;
/// Seeds that the numbers are the mean of.
const SEEDS: u64 = 6;
/// How far the number of particles may be off, as a share.
const COUNT: f64 = 0.20;
/// How far a side of the box may be off, as a share of its diagonal.
const PLACE: f64 = 0.15;
/// How far the mean color of what is covered may be off, as a share of white.
const COLOR: f64 = 0.10;

#[derive(Args)]
pub(crate) struct EffectsOptions {
    /// The folders, searched recursively for MDX files with particles or ribbons
    #[arg(required = true)]
    folders: Vec<PathBuf>,
    /// How many models to take, spread over the folders
    #[arg(long, default_value_t = 30)]
    count: usize,
    /// Keep the images of both in this folder
    #[arg(long)]
    keep: Option<PathBuf>,
}

/// What is seen of the effects at a moment, as the mean over all seeds.
#[derive(Debug, Clone, Default)]
struct Seen {
    alive: f64,
    /// The least and the greatest place for each seed that shows something.
    boxes: Vec<[f64; 6]>,
    covered: f64,
    color: [f64; 3],
}

/// A model that both play.
struct Subject {
    name: String,
    job: Value,
    ours: Vec<Seen>,
    /// What the viewer is known to play otherwise in it.
    known: Vec<&'static str>,
}

impl EffectsOptions {
    pub(crate) fn run(&self) -> Outcome {
        let home = packages("effects", &["mdx-m3-viewer@5.12.0", "playwright-core@1.65.0"])?;
        let keep = self.keep.clone().unwrap_or_else(|| target().join("effects"));
        fs::create_dir_all(&keep).map_err(|e| format!("{}: {e}", keep.display()))?;
        let mut subjects = Vec::new();
        for path in self.choose() {
            if subjects.len() >= self.count {
                break;
            }
            match subject(&path, subjects.len(), &keep) {
                Ok(subject) => subjects.push(subject),
                Err(error) => println!("left out: {}: {error}", path.display()),
            }
        }
        let (jobs, results) = (keep.join("jobs.json"), keep.join("results.json"));
        let list: Vec<&Value> = subjects.iter().map(|s| &s.job).collect();
        let all = json!({ "size": SIZE, "seeds": SEEDS, "jobs": list });
        fs::write(&jobs, all.to_string()).map_err(|e| e.to_string())?;
        let mut node = Command::new("node");
        node.arg(root().join("xtask/effects/witness.mjs")).arg(&jobs).arg(&results).env("WITNESSES", &home);
        run(&mut node, "the viewer (it needs Chromium: apt-get install chromium)")?;
        let text = fs::read_to_string(&results).map_err(|e| e.to_string())?;
        let theirs: Vec<Value> = serde_json::from_str(&text).map_err(|e| e.to_string())?;
        report(&subjects, &theirs)
    }

    /// Returns the models with effects, beginning with some that are spread over the folders, the same every time.
    fn choose(&self) -> Vec<PathBuf> {
        let mut all: Vec<PathBuf> = Vec::new();
        for folder in &self.folders {
            all.extend(galatea_corpus::files(folder, &[".mdx"]));
        }
        all.retain(|path| fs::read(path).is_ok_and(|bytes| has_effects(&bytes)));
        // Those after the wanted ones take the place of models that emit nothing in their clip.
        let step = (all.len() / self.count.max(1)).max(1);
        let turns = (0..step).flat_map(|first| (first..all.len()).step_by(step));
        turns.filter_map(|i| all.get(i).cloned()).collect()
    }
}

/// Returns `true` if a file is a classic model whose effects are most of it.
fn has_effects(bytes: &[u8]) -> bool {
    let Ok(model) = Model::read(bytes, &Limits::default()) else { return false };
    let effects = model.particle_emitters2.len() + model.ribbon_emitters.len();
    let drawn: usize = model.geosets.iter().map(|g| g.vertices.len()).sum();
    effects > 0 && model.version.0 == 800 && !model.sequences.is_empty() && drawn < 600
}

/// Returns a soft white dot in each cell, in place of textures that are not there.
fn dots(rows: u32, columns: u32) -> Image {
    let (width, height) = (32 * columns.clamp(1, 16), 32 * rows.clamp(1, 16));
    let pixel = |i: u32| {
        let (x, y) = ((i % width % 32) as f32 - 15.5, (i / width % 32) as f32 - 15.5);
        let light = (1.0 - (x * x + y * y) / 256.0).max(0.0);
        [255, 255, 255, (light * 255.0) as u8]
    };
    let rgba = (0..width * height).flat_map(pixel).collect();
    Image::new(width, height, rgba).unwrap_or_else(|| Image::filled(1, 1, [255; 4]))
}

fn dot() -> Image {
    dots(1, 1)
}

fn png(image: &Image) -> Result<Vec<u8>, String> {
    encode::png(image).map_err(|e| e.to_string())
}

/// Writes an image, and returns its path.
fn write_png(path: PathBuf, image: &Image) -> Result<PathBuf, String> {
    fs::write(&path, png(image)?).map_err(|e| e.to_string())?;
    Ok(path)
}

/// The textures of a model, the same for both: those beside it, and dots.
struct Shared {
    names: Vec<String>,
    images: Vec<PathBuf>,
    library: Library,
}

fn shared(path: &Path, model: &Model, number: usize, keep: &Path) -> Result<Shared, String> {
    let beside = Textures::new(Game::Warcraft, path.parent(), None);
    let (mut names, mut images, mut files) = (Vec::new(), Vec::new(), Vec::new());
    for (id, texture) in (0i32..).zip(&model.textures).filter(|(_, t)| !t.path.bytes().is_empty()) {
        let name = String::from_utf8_lossy(texture.path.bytes()).into_owned();
        let user = model.particle_emitters2.iter().find(|e| e.texture_id == id);
        let stand_in = || user.map_or_else(dot, |e| dots(e.rows, e.columns));
        let found = beside.load(&name).map_or_else(stand_in, |decoded| Image::clone(&decoded.image));
        images.push(write_png(keep.join(format!("{number}-{}.png", names.len())), &found)?);
        files.push((name.replace('\\', "/"), png(&found)?));
        names.push(name);
    }
    for id in [1, 2] {
        let name = team::path(id, 0).unwrap_or_default().replace('\\', "/");
        files.push((format!("{name}.blp"), png(&team::image(id, 0).unwrap_or_else(dot))?));
    }
    Ok(Shared { names, images, library: Library::from_files(files) })
}

fn subject(path: &Path, number: usize, keep: &Path) -> Result<Subject, String> {
    let bytes = fs::read(path).map_err(|e| e.to_string())?;
    let model = Model::read(&bytes, &Limits::default()).map_err(|e| e.to_string())?;
    let Shared { names, images, library } = shared(path, &model, number, keep)?;
    let textures = Textures::in_library(Game::Warcraft, library);
    let scene = galatea::Document::to_scene(&model, &SceneContext::new("model")).ok_or("no scene")?;
    let mut stage = Stage::new(&model, scene, |scene| Some(resolve_materials(scene, &textures, 0)));
    let stand = |name: &[u8]| name.get(..5).is_some_and(|n| n.eq_ignore_ascii_case(b"stand"));
    let sequence = model.sequences.iter().position(|s| stand(s.name.bytes())).unwrap_or(0);
    let played = model.sequences.get(sequence).ok_or("no sequence")?;
    let length = played.end.saturating_sub(played.start) as f32 / 1000.0;
    let end = if played.non_looping() { length * 0.95 } else { length.max(2.5) };
    let moments = [0.3, 0.6, 0.9].map(|part: f32| (part * end * 64.0).round().max(1.0));
    let times = moments.map(|step| step / 64.0);
    let clip = stage.scene().clips.get(sequence).map(|c| c.name.clone());
    let look = Options::default().with_size(SIZE, SIZE).with_background([0, 0, 0, 255]).with_clip(clip);
    let framing = alone(&mut stage, &look, &times)?;
    let own = keep.join(number.to_string());
    let (ours, view) = play(&mut stage, &look.with_framing(Some(framing)), &times, &own)?;
    let job = json!({
        "number": number, "model": path, "sequence": sequence, "moments": moments, "view": view,
        "textures": names, "images": images, "keep": own,
        "dot": write_png(keep.join("dot.png"), &dot())?,
        "team": write_png(keep.join("team.png"), &team::image(1, 0).unwrap_or_else(dot))?,
        "glow": write_png(keep.join("glow.png"), &team::image(2, 0).unwrap_or_else(dot))?,
    });
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    Ok(Subject { name, job, ours, known: known(&model) })
}

/// Returns the box around the effects alone.
fn alone(stage: &mut Stage<'_>, look: &Options, times: &[f32]) -> Result<Bounds, String> {
    let mut all: Option<Bounds> = None;
    for time in times {
        let frame = effects_of(stage, look, *time)?;
        let around = Bounds::around(frame.sprites.iter().flat_map(|s| s.corners));
        all = around.map_or(all, |b| Some(all.map_or(b, |all| all.union(b))));
    }
    all.ok_or_else(|| "nothing is emitted at these moments".into())
}

/// Returns the frame of a moment without surfaces and markers.
fn effects_of(stage: &mut Stage<'_>, look: &Options, time: f32) -> Result<Frame, String> {
    let mut frame = stage.shown(&look.clone().with_time(time)).map_err(|e| e.to_string())?;
    frame.surfaces.clear();
    frame.markers.clear();
    Ok(frame)
}

/// Plays all moments with every seed. Also returns the camera in the model's axes.
fn play(
    stage: &mut Stage<'_>,
    look: &Options,
    times: &[f32],
    keep: &Path,
) -> Result<(Vec<Seen>, Value), String> {
    let axes = stage.scene().axes().and_then(|id| stage.scene().node(id));
    let inverse = axes.map_or(Mat4::IDENTITY, |n| n.transform.matrix()).inverse();
    let mut out = vec![Seen::default(); times.len()];
    let mut view = Value::Null;
    for seed in 0..SEEDS {
        stage.set_seed(seed);
        for ((number, time), seen) in times.iter().enumerate().zip(&mut out) {
            let frame = effects_of(stage, look, *time)?;
            let image = stage.render_frame(&frame, look).map_err(|e| e.to_string())?;
            seen.add(&frame, inverse, &image.pixels);
            if seed == 0 {
                let png = image.png().map_err(|e| e.to_string())?;
                fs::write(format!("{}-{number}-ours.png", keep.display()), png).map_err(|e| e.to_string())?;
                view = camera(&preview::frame_view(stage.scene(), &frame, look), inverse);
            }
        }
    }
    Ok((out, view))
}

fn camera(view: &preview::View, inverse: Mat4) -> Value {
    let [eye, target] = [view.eye, view.target].map(|p| inverse.transform_point3(Vec3::from(p)));
    let up = inverse.transform_vector3(Vec3::from(view.up)).normalize_or(Vec3::Z);
    let away = eye.distance(target);
    json!({
        "eye": eye.to_array(), "target": target.to_array(), "up": up.to_array(),
        "field_of_view": view.field_of_view, "near": away * 0.02, "far": away * 20.0,
    })
}

impl Seen {
    /// Adds what one seed shows.
    fn add(&mut self, frame: &Frame, inverse: Mat4, pixels: &[u8]) {
        let share = 1.0 / SEEDS as f64;
        self.alive += frame.sprites.len() as f64 * share;
        let corners = frame.sprites.iter().flat_map(|s| s.corners);
        let around = Bounds::around(corners.map(|c| inverse.transform_point3(Vec3::from(c)).to_array()));
        self.boxes.extend(
            around.map(|Bounds { min: [a, b, c], max: [d, e, f] }| [a, b, c, d, e, f].map(f64::from)),
        );
        let (mut sum, mut covered) = ([0.0f64; 3], 0u32);
        for pixel in pixels.chunks_exact(4).filter(|p| p.iter().take(3).any(|v| *v > 8)) {
            covered += 1;
            sum.iter_mut().zip(pixel).for_each(|(sum, value)| *sum += f64::from(*value));
        }
        self.covered += f64::from(covered) * share;
        let mean = sum.map(|v| v / f64::from(covered.max(1)) * share);
        self.color.iter_mut().zip(mean).for_each(|(color, mean)| *color += mean);
    }

    /// Reads what the viewer saw.
    fn read(list: &[Value]) -> Seen {
        let share = 1.0 / list.len().max(1) as f64;
        let mut out = Seen::default();
        let number = |value: &Value| value.as_f64().unwrap_or(0.0);
        let numbers = |one: &Value, key: &str| -> Vec<f64> {
            one.get(key).and_then(Value::as_array).map_or_else(Vec::new, |l| l.iter().map(number).collect())
        };
        for one in list {
            out.alive += one.get("alive").map_or(0.0, number) * share;
            out.covered += one.get("covered").map_or(0.0, number) * share;
            out.boxes.extend(<[f64; 6]>::try_from(numbers(one, "box")).ok());
            out.color
                .iter_mut()
                .zip(numbers(one, "color"))
                .for_each(|(color, value)| *color += value * share);
        }
        out
    }

    /// Returns the mean box of the seeds that show something.
    fn sides(&self) -> Option<[f64; 6]> {
        let mut mean = [0.0; 6];
        for sides in &self.boxes {
            mean.iter_mut().zip(sides).for_each(|(mean, side)| *mean += side / self.boxes.len() as f64);
        }
        (!self.boxes.is_empty()).then_some(mean)
    }

    /// Returns the differences in count, place and color that are too large, in words.
    fn differs(&self, other: &Seen) -> Vec<String> {
        let mut out = Vec::new();
        let most = self.alive.max(other.alive);
        if (self.alive - other.alive).abs() > (most * COUNT).max(1.0) {
            out.push(format!("{:.1} particles, not {:.1}", self.alive, other.alive));
        }
        if let (Some(a), Some(b)) = (self.sides(), other.sides()) {
            let [x0, y0, z0, x1, y1, z1] = b;
            let diagonal = ((x1 - x0).powi(2) + (y1 - y0).powi(2) + (z1 - z0).powi(2)).sqrt();
            let off = a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) / diagonal.max(1e-6);
            if off > PLACE {
                out.push(format!("box off by {:.0} %: {:.0?}, not {:.0?}", off * 100.0, a, b));
            }
        }
        let off = self.color.iter().zip(other.color).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) / 255.0;
        if off > COLOR && self.covered.max(other.covered) > 8.0 {
            let (a, b) = (self.color, other.color);
            out.push(format!("color off by {:.0} %: {a:.0?}, not {b:.0?}", off * 100.0));
        }
        out
    }
}

/// Returns where the viewer is known to play a model otherwise, and why we do not follow it; see the table in docs/render.md.
fn known(model: &Model) -> Vec<&'static str> {
    let particles = &model.particle_emitters2;
    let mut out = Vec::new();
    let mut add = |found: bool, why: &'static str| out.extend(found.then_some(why));
    let line = |e: &ParticleEmitter2| e.node.has(node_flags::LINE_EMITTER);
    add(particles.iter().any(|e| e.head_or_tail == 2), "emits heads and tails independently of each other");
    add(particles.iter().any(|e| e.squirt == 1), "adds a burst to what the last one left over");
    add(
        particles.iter().any(|e| e.latitude > 5.0 && !line(e)),
        "tilts about two axes in turn: a square cone, and other places for wide angles",
    );
    add(
        particles.iter().any(|e| e.emission_rate * e.life_span < 12.0),
        "emits one particle more than have accumulated, early, and owes it: few particles come in pairs",
    );
    add(particles.iter().any(|e| e.rows * e.columns > 1), "leaves out the last cell of a span");
    add(!model.ribbon_emitters.is_empty(), "maps ribbons by the number of an edge, not by its age");
    add(particles.iter().any(|e| e.time > 1.0), "does not limit the middle time to the life");
    add(
        particles.iter().any(|e| e.tracks.get(*b"KP2E").is_some()),
        "takes a default before the first key of a rate, not the last key of the sequence",
    );
    let rotations = model.nodes().filter_map(|(_, _, node)| node.tracks.get(*b"KGRT"));
    let odd = |q: [f32; 4]| (q.iter().map(|v| v * v).sum::<f32>() - 1.0).abs() > 0.01;
    let unscaled = rotations.filter_map(|track| match &track.keys {
        Keys::Rotation(curve) => Some(curve.keys.iter().any(|key| odd(key.value))),
        _ => None,
    });
    add(
        unscaled.into_iter().any(|odd| odd),
        "does not normalize rotations, of which some here are not of length 1",
    );
    out
}

fn report(subjects: &[Subject], theirs: &[Value]) -> Outcome {
    let (mut moments, mut same, mut models) = (0usize, 0usize, 0usize);
    for (number, (subject, their)) in subjects.iter().zip(theirs).enumerate() {
        if let Some(error) = their.get("error").and_then(Value::as_str) {
            println!("{number} {}: the viewer failed: {error}", subject.name);
            continue;
        }
        models += 1;
        let list = their.get("moments").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let mut differs = Vec::new();
        for (index, (ours, seen)) in subject.ours.iter().zip(list).enumerate() {
            let seen = Seen::read(seen.as_array().map_or(&[], Vec::as_slice));
            let lines = ours.differs(&seen);
            moments += 1;
            same += usize::from(lines.is_empty());
            differs.extend(lines.into_iter().map(|line| format!("  moment {index}: {line}")));
        }
        println!("{number} {}: {}", subject.name, if differs.is_empty() { "alike" } else { "DIFFERS" });
        differs.iter().for_each(|line| println!("{line}"));
        if !differs.is_empty() {
            subject.known.iter().for_each(|why| println!("  the viewer {why}"));
        }
    }
    println!(
        "{models} models, {moments} moments, {same} alike (count within {COUNT}, box within {PLACE}, color within {COLOR})"
    );
    if models == 0 { Err("nothing was compared".into()) } else { Ok(()) }
}
