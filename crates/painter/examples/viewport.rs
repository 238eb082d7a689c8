//! Draws models with the painter on OpenGL, without a window, and with `galatea render`'s rasterizer, and compares the images.
//!
//!   viewport [--models N] [--effects N] [--size N] [--show WHAT]... [--out FOLDER] PATH...
//!
//! A line per image: the share of pixels of which a channel differs by more than 16 of 255, and the number of pixels that are mostly covered
//! in one image and mostly not in the other. Ends with 1 if 2 % or more differ in any image, or any pixel of a silhouette does. With `--out`
//! an image for each: ours, the rasterizer's, and what differs. `cargo xtask viewport` calls it.

#![allow(unsafe_code, reason = "a context of OpenGL is made from a device of EGL")]
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "it is a program")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use galatea::disk::{self, Job};
use galatea::preview::{self, Image, Options, Show};
use galatea::textures::{self, Libraries};
use galatea::{Category, EmittedModels, Limits, SceneContext, Stage, fox};
use galatea_painter::{Drawing, Painter, Subject};
use glutin::api::egl::device::Device;
use glutin::api::egl::display::Display;
use glutin::config::{Api, ConfigSurfaceTypes, ConfigTemplateBuilder};
use glutin::context::{ContextApi, ContextAttributesBuilder, PossiblyCurrentContext, Version};
use glutin::prelude::*;

/// Greatest share of pixels that may differ.
const SHARE: f64 = 0.02;
/// What counts as another value of a channel.
const VALUE: u8 = 16;

/// What is asked for.
struct Wanted {
    models: usize,
    effects: usize,
    size: u32,
    shows: Vec<Option<Show>>,
    out: Option<PathBuf>,
    paths: Vec<PathBuf>,
}

fn main() -> ExitCode {
    match wanted().and_then(|wanted| run(&wanted)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn wanted() -> Result<Wanted, String> {
    let (mut models, mut effects, mut size, mut shows, mut out, mut paths) =
        (usize::MAX, usize::MAX, 512, Vec::new(), None, Vec::new());
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("{argument} needs a value"));
        let number = |text: String| text.parse::<usize>().map_err(|_| format!("`{text}` is not a number"));
        match argument.as_str() {
            "--models" => models = number(value()?)?,
            "--effects" => effects = number(value()?)?,
            "--size" => size = number(value()?)? as u32,
            "--show" => shows.push(Some(value()?.parse::<Show>()?)),
            "--out" => out = Some(PathBuf::from(value()?)),
            _ => paths.push(PathBuf::from(argument)),
        }
    }
    if shows.is_empty() {
        shows.push(None);
    }
    Ok(Wanted { models, effects, size, shows, out, paths })
}

/// Makes a context of OpenGL without a window. What is returned has to live as long as it is used.
fn context() -> Result<(Arc<glow::Context>, PossiblyCurrentContext), String> {
    let none = "no OpenGL without a window: install libegl1 and libgl1-mesa-dri";
    let devices = Device::query_devices().map_err(|e| format!("{none} ({e})"))?;
    let mut last = String::from(none);
    for device in devices {
        match on_device(&device) {
            Ok(context) => return Ok(context),
            Err(error) => last = format!("{none} ({error})"),
        }
    }
    Err(last)
}

fn on_device(device: &Device) -> Result<(Arc<glow::Context>, PossiblyCurrentContext), String> {
    let text = |error: glutin::error::Error| error.to_string();
    // Safety: there is no native display that could be closed too early.
    let display = unsafe { Display::with_device(device, None) }.map_err(text)?;
    let template = ConfigTemplateBuilder::new()
        .with_surface_type(ConfigSurfaceTypes::empty())
        .with_api(Api::OPENGL)
        .build();
    // Safety: the template names no window.
    let config = unsafe { display.find_configs(template) }.map_err(text)?.next().ok_or("no configuration")?;
    let attributes = ContextAttributesBuilder::new()
        .with_context_api(ContextApi::OpenGl(Some(Version::new(3, 3))))
        .build(None);
    // Safety: the attributes name no window.
    let context = unsafe { display.create_context(&config, &attributes) }.map_err(text)?;
    let context = context.make_current_surfaceless().map_err(text)?;
    // Safety: the context is current, and its functions are those of this display.
    let gl = unsafe { glow::Context::from_loader_function_cstr(|name| display.get_proc_address(name)) };
    Ok((Arc::new(gl), PossiblyCurrentContext::Egl(context)))
}

/// Sums over all images.
#[derive(Default)]
struct Sums {
    images: usize,
    bad: usize,
    worst: f64,
    slowest: f64,
}

fn run(wanted: &Wanted) -> Result<bool, String> {
    let (gl, _current) = context()?;
    let mut painter = Painter::new(&gl)?;
    let (libraries, failed) = Libraries::new(&[]);
    for (path, error) in failed {
        eprintln!("warning: {}: {error}", path.display());
    }
    let names = fox::Dictionary::built_in();
    let drawn = |format: &galatea::Format| format.category == Category::Model;
    let jobs: Vec<Job> = disk::jobs(&wanted.paths, &drawn).into_iter().filter_map(Result::ok).collect();
    let (mut models, mut effects, mut sums) = (0, 0, Sums::default());
    let mut number = 0;
    for job in spread(jobs) {
        if models >= wanted.models && effects >= wanted.effects {
            break;
        }
        let (mut models_left, mut effects_left) = (wanted.models - models, wanted.effects - effects);
        with_stage(&job, &libraries, &names, |stage| {
            let left = if stage.has_effects() { &mut effects_left } else { &mut models_left };
            if *left == 0 || is_empty(stage) {
                return Ok(());
            }
            *left -= 1;
            for show in &wanted.shows {
                number += 1;
                one(&gl, &mut painter, stage, show.as_ref(), &job.path, number, wanted, &mut sums)?;
            }
            Ok(())
        })?;
        (models, effects) = (wanted.models - models_left, wanted.effects - effects_left);
    }
    painter.destroy(&gl);
    println!(
        "{} images of {models} models and {effects} effects: {} differ; at most {:.3} % of the pixels; at most {:.1} ms by the painter",
        sums.images,
        sums.bad,
        sums.worst * 100.0,
        sums.slowest
    );
    if sums.images == 0 {
        return Err("nothing was drawn".into());
    }
    Ok(sums.bad == 0)
}

/// Returns the inputs in an order that does not follow their names, the same one every time.
fn spread(jobs: Vec<Job>) -> Vec<Job> {
    let mut keyed: Vec<(u64, Job)> = jobs
        .into_iter()
        .map(|job| {
            let name = disk::stem(&job.path);
            let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
            });
            (hash, job)
        })
        .collect();
    keyed.sort_by_key(|(hash, _)| *hash);
    keyed.into_iter().map(|(_, job)| job).collect()
}

/// Returns `true` if nothing is there to draw.
fn is_empty(stage: &mut Stage<'_>) -> bool {
    let small = Options::default().with_size(16, 16);
    stage.usual(&small).and_then(|look| stage.shown(&look)).map_or(true, |frame| frame.is_empty())
}

fn with_stage(
    job: &Job,
    libraries: &Libraries,
    names: &fox::Dictionary,
    draw: impl FnOnce(&mut Stage<'_>) -> Result<(), String>,
) -> Result<(), String> {
    let Ok(loaded) = disk::load(job) else { return Ok(()) };
    let Ok(document) = galatea::open(&loaded.input(), &Limits::default()) else { return Ok(()) };
    let name = disk::stem(&job.path);
    let context = SceneContext::new(&name).with_names(names);
    let Some(scene) = document.scene(&context) else { return Ok(()) };
    let found = document.format().game.map(|game| libraries.textures(game, job.path.parent()));
    let emitted = found.as_ref().map(|t| EmittedModels::find(document.as_ref(), t, &Limits::default()));
    let emitted = emitted.unwrap_or_default();
    let mut stage =
        Stage::with_emitted(document.as_ref(), scene.into_owned(), Some(&emitted), |scene| match &found {
            Some(found) => Some(textures::resolve_materials(scene, found, 0)),
            None => {
                let beside = |path: &str| galatea::SiblingFiles::file(&loaded, path);
                textures::resolve_gltf_materials(document.as_ref(), &beside, &Limits::default())
            }
        });
    draw(&mut stage)
}

#[expect(clippy::too_many_arguments, reason = "one image of a run")]
fn one(
    gl: &Arc<glow::Context>,
    painter: &mut Painter,
    stage: &mut Stage<'_>,
    show: Option<&Show>,
    path: &Path,
    number: usize,
    wanted: &Wanted,
    sums: &mut Sums,
) -> Result<(), String> {
    let text = |error: preview::RenderError| error.to_string();
    let size = wanted.size;
    let plain = Options::default().with_size(size, size);
    let plain = show.map_or(plain.clone(), |show| show.apply(plain));
    let plain = match &plain.surface {
        preview::SurfaceView::Weights(bone) if bone == "*" => {
            let scene = stage.scene();
            let most = scene.skins.first().and_then(|s| s.joints.get(s.joints.len() / 2));
            let bone = most.and_then(|id| scene.node(*id)).map(|n| n.name.clone()).unwrap_or_default();
            plain.with_surface(preview::SurfaceView::Weights(bone))
        }
        _ => plain,
    };
    let look = stage.usual(&plain).map_err(text)?;
    let frame = Arc::new(stage.shown(&look).map_err(text)?);
    let view = preview::frame_view(stage.scene(), &frame, &look);
    let look = look.with_view(Some(view));
    let subject =
        Arc::new(Subject { id: number as u64, scene: stage.scene().clone(), textures: textures_of(stage) });
    let mut pairs = Vec::new();
    let mut took = f64::MAX;
    for background in [look.background, [0; 4]] {
        let look = look.clone().with_background(background);
        let theirs = stage.render_frame(&frame, &look).map_err(text)?;
        let (subject, frame) = (Arc::clone(&subject), Arc::clone(&frame));
        let drawing = Drawing { subject, frame, look, grid: false, part: [0.0, 1.0] };
        let started = Instant::now();
        let ours = painter.image(gl, &[drawing], [size, size])?;
        took = took.min(started.elapsed().as_secs_f64() * 1e3);
        pairs.push((ours, theirs));
    }
    let [(ours, theirs), (ours_clear, theirs_clear)] = pairs.as_slice() else { return Ok(()) };
    let share = differing(ours, theirs);
    let outline = outline(ours_clear, theirs_clear);
    let bad = share >= SHARE || outline > 0;
    let triangles: usize =
        frame.surfaces.iter().filter_map(|s| s.primitive(stage.scene())).map(|p| p.indices.len() / 3).sum();
    println!(
        "{:7.3} % {outline:4} of the outline {triangles:7} triangles {:6} sprites {took:7.1} ms {} {number:3} {}{}",
        share * 100.0,
        frame.sprites.len(),
        if bad { "DIFFERS" } else { "       " },
        path.display(),
        show.map(|s| format!(" ({s:?})")).unwrap_or_default()
    );
    sums.images += 1;
    sums.bad += usize::from(bad);
    sums.worst = sums.worst.max(share);
    sums.slowest = sums.slowest.max(took);
    if let Some(out) = &wanted.out {
        let name = format!("{number:03}-{}.png", disk::stem(path));
        write(&out.join(name), &beside(ours, theirs))?;
    }
    Ok(())
}

/// Returns the textures that the materials of a stage name.
fn textures_of(stage: &Stage<'_>) -> BTreeMap<String, Arc<preview::Texture>> {
    let names = stage.scene().materials.iter().flat_map(|m| &m.textures).map(|t| t.name.clone());
    names.filter_map(|name| stage.texture(&name).map(|texture| (name, texture))).collect()
}

/// Returns the share of pixels with another value.
fn differing(a: &Image, b: &Image) -> f64 {
    let (a, b) = (a.pixels.as_chunks::<4>().0, b.pixels.as_chunks::<4>().0);
    let other = |(a, b): &(&[u8; 4], &[u8; 4])| a.iter().zip(*b).any(|(a, b)| a.abs_diff(*b) > VALUE);
    a.iter().zip(b).filter(other).count() as f64 / a.len().max(1) as f64
}

/// Returns the number of pixels that are mostly covered in one image and mostly not in the other.
fn outline(a: &Image, b: &Image) -> usize {
    let (a, b) = (a.pixels.as_chunks::<4>().0, b.pixels.as_chunks::<4>().0);
    a.iter().zip(b).filter(|([.., a], [.., b])| a.abs_diff(*b) > 128).count()
}

/// Returns ours, theirs, and what differs eight times as bright.
fn beside(ours: &Image, theirs: &Image) -> Image {
    let mut all = Image::new(ours.width * 3, ours.height, [0, 0, 0, 255]);
    all.paste(ours, 0, 0);
    all.paste(theirs, ours.width, 0);
    for y in 0..ours.height {
        for x in 0..ours.width {
            if let (Some([ar, ag, ab, _]), Some([br, bg, bb, _])) = (ours.get(x, y), theirs.get(x, y)) {
                let more = |a: u8, b: u8| a.abs_diff(b).saturating_mul(8);
                all.set(ours.width * 2 + x, y, [more(ar, br), more(ag, bg), more(ab, bb), 255]);
            }
        }
    }
    all
}

fn write(path: &Path, image: &Image) -> Result<(), String> {
    let text = |error: std::io::Error| format!("{}: {error}", path.display());
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(text)?;
    }
    std::fs::write(path, image.png().map_err(|e| e.to_string())?).map_err(text)
}
