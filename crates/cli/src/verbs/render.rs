//! `galatea render`: images of models.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use galatea::disk::{self, Job};
use galatea::preview::{self, Image, Options as Appearance};
use galatea::scene::Scene;
use galatea::textures::{self, Libraries, ResolvedMaterials};
use galatea::{Category, Limits, SceneContext, SiblingFiles, fox};
use serde_json::json;

use super::names::Dictionaries;
use super::texture_options::TextureSources;
use crate::Exit;
use crate::batch::{self, Failure, Inputs};
use crate::terminal::{complain, plain, reason, show};

#[derive(Args)]
pub(crate) struct Options {
    #[command(flatten)]
    inputs: Inputs,
    /// The PNG file to write; a folder for several inputs, unless --sheet is given
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// Pixels: one number for a square, or WIDTHxHEIGHT
    #[arg(long, value_name = "SIZE", default_value = "512", value_parser = size)]
    size: (u32, u32),
    /// Play this clip
    #[arg(long, value_name = "NAME")]
    clip: Option<String>,
    /// Seconds into the clip [default: its middle]
    #[arg(long, value_name = "SECONDS", requires = "clip")]
    time: Option<f32>,
    /// Render one full turn as an animated PNG
    #[arg(long, conflicts_with = "sheet")]
    turntable: bool,
    /// Frames of a turntable
    #[arg(long, value_name = "N", default_value_t = 36, requires = "turntable")]
    frames: u32,
    /// Render a contact sheet: all inputs in one image, or all clips of a single model
    #[arg(long)]
    sheet: bool,
    /// Images per row of the sheet [default: about square]
    #[arg(long, value_name = "N", requires = "sheet")]
    columns: Option<usize>,
    /// Draw the bones
    #[arg(long)]
    skeleton: bool,
    /// Draw the edges of all triangles
    #[arg(long)]
    wire: bool,
    /// Draw walk and collision surfaces too
    #[arg(long)]
    walk: bool,
    /// Draw the box around the model
    #[arg(long)]
    bounds: bool,
    /// Degrees to the right of the front
    #[arg(long, value_name = "DEGREES", default_value_t = 35.0, allow_negative_numbers = true)]
    yaw: f32,
    /// Degrees above the horizon
    #[arg(long, value_name = "DEGREES", default_value_t = 20.0, allow_negative_numbers = true)]
    pitch: f32,
    /// `transparent`, or a colour such as #2e3238
    #[arg(long, value_name = "COLOUR", default_value = "#2e3238", value_parser = colour)]
    background: [u8; 4],
    /// Replace existing files
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    sources: TextureSources,
    /// Leave textures out
    #[arg(long)]
    no_textures: bool,
    #[command(flatten)]
    dictionaries: Dictionaries,
}

fn size(text: &str) -> Result<(u32, u32), String> {
    let (width, height) = text.split_once(['x', 'X']).unwrap_or((text, text));
    match (width.parse(), height.parse()) {
        (Ok(0), _) | (_, Ok(0)) => Err("an image needs at least one pixel".into()),
        (Ok(w), Ok(h)) if w <= preview::LARGEST && h <= preview::LARGEST => Ok((w, h)),
        (Ok(_), Ok(_)) => Err(format!("images are limited to {0} x {0} pixels", preview::LARGEST)),
        _ => Err(format!("`{text}` is not a size; expected one such as 512 or 800x600")),
    }
}

fn colour(text: &str) -> Result<[u8; 4], String> {
    if text.eq_ignore_ascii_case("transparent") {
        return Ok([0; 4]);
    }
    let hex = text.trim_start_matches('#');
    match u32::from_str_radix(hex, 16) {
        Ok(value) if hex.len() == 6 => {
            let [_, r, g, b] = value.to_be_bytes();
            Ok([r, g, b, 255])
        }
        _ => Err(format!("`{text}` is not a colour; expected one such as #2e3238, or transparent")),
    }
}

/// A model ready to be drawn.
struct Subject {
    name: String,
    scene: Scene,
    resolved: Option<ResolvedMaterials>,
}

impl Subject {
    fn texture(&self, name: &str) -> Option<Arc<preview::Texture>> {
        self.resolved.as_ref()?.texture(name)
    }
}

impl Options {
    fn look(&self, scene: &Scene) -> Appearance {
        let (width, height) = self.size;
        let length = self.clip.as_ref().and_then(|c| scene.find_clip(c)).map_or(0.0, |c| c.length);
        Appearance::default()
            .with_size(width, height)
            .with_background(self.background)
            .with_yaw(self.yaw)
            .with_pitch(self.pitch)
            .with_clip(self.clip.clone())
            .with_time(self.time.unwrap_or(length * 0.5))
            .with_skeleton(self.skeleton)
            .with_wire(self.wire)
            .with_walk(self.walk)
            .with_bounds(self.bounds)
    }

    /// A model with its textures on, or why there is none.
    fn subject(&self, job: &Job, library: &Libraries, names: &fox::Dictionary) -> Result<Subject, Failure> {
        let opened = batch::open(job)?;
        let name = disk::stem(&job.path);
        let format = opened.document.format();
        let Some(scene) = opened.document.scene(&SceneContext::new(&name).with_names(names)) else {
            return Err(Failure::Other(format!("{} files cannot be rendered yet", format.name)));
        };
        let found = || self.sources.textures(job, format, library);
        let resolved = if self.no_textures {
            None
        } else if let Some(textures) = found() {
            Some(textures::resolve_materials(&scene, &textures, self.sources.team_colour))
        } else {
            let beside = |path: &str| opened.loaded.file(path);
            textures::resolve_gltf_materials(opened.document.as_ref(), &beside, &Limits::default())
        };
        for loss in resolved.iter().flat_map(ResolvedMaterials::left_out) {
            complain(format_args!("{}: {}", show(&job.path), plain(&loss.to_string())));
        }
        let scene = match &resolved {
            Some(resolved) => resolved.scene(&scene),
            None => scene.into_owned(),
        };
        Ok(Subject { name, scene, resolved })
    }

    fn image(&self, subject: &Subject, look: &Appearance) -> Result<Image, Failure> {
        preview::render(&subject.scene, look, &|name| subject.texture(name))
            .map_err(|e| Failure::Other(e.to_string()))
    }

    fn png(&self, subject: &Subject) -> Result<Vec<u8>, Failure> {
        let look = self.look(&subject.scene);
        let texture = |name: &str| subject.texture(name);
        let bytes = if self.turntable {
            preview::turntable(&subject.scene, &look, self.frames, &texture)
                .and_then(|f| preview::animation(&f, 15.0))
        } else {
            preview::render(&subject.scene, &look, &texture).and_then(|p| p.png())
        };
        bytes.map_err(|e| Failure::Other(e.to_string()))
    }

    pub(crate) fn run(&self) -> io::Result<Exit> {
        let loaded = self.dictionaries.load().and_then(|n| Ok((n, self.sources.folders.library()?)));
        let (names, library) = match loaded {
            Ok(both) => both,
            Err(error) => {
                complain(format_args!("{error}"));
                return Ok(Exit::Usage);
            }
        };
        let inputs = self.inputs.only(Category::Model);
        let folder = self.output.is_dir().then(|| self.output.join("image.png"));
        crate::outputs::recover(&[folder.unwrap_or_else(|| self.output.clone())]);
        if self.sheet {
            return self.run_sheet(&inputs, &library, &names);
        }
        let jobs = inputs.list();
        let single =
            jobs.len() == 1 && !self.inputs.paths.iter().any(|p| p.is_dir()) && !self.output.is_dir();
        if !single && self.output.is_file() {
            complain(format_args!(
                "{}: is a file; for several images name a folder, or use --sheet",
                show(&self.output)
            ));
            return Ok(Exit::Usage);
        }
        if !single {
            std::fs::create_dir_all(&self.output)?;
        }
        let tally = inputs.run(
            |job| {
                let subject = self.subject(job, &library, &names)?;
                let folder = || self.output.join(format!("{}.png", subject.name));
                let path = if single { self.output.clone() } else { folder() };
                disk::write(&path, &self.png(&subject)?, self.force).map_err(|e| named(&path, &e))?;
                let view = preview::view(&subject.scene, &self.look(&subject.scene));
                Ok((path, view.ok().filter(|_| !self.turntable)))
            },
            |input, result, out| match result {
                Ok((path, view)) if self.inputs.json => {
                    let view = view.map(|v| {
                        json!({ "eye": v.eye, "target": v.target, "up": v.up, "field_of_view": v.field_of_view })
                    });
                    writeln!(out, "{}", json!({ "path": input, "output": show(&path), "view": view }))
                }
                Ok((path, _)) => writeln!(out, "{}", show(&path)),
                Err(failure) if self.inputs.json => {
                    writeln!(out, "{}", json!({ "path": input, "error": batch::error_json(&failure) }))
                }
                Err(_) => Ok(()),
            },
        )?;
        Ok(tally.exit(false))
    }

    fn run_sheet(&self, inputs: &Inputs, library: &Libraries, names: &fox::Dictionary) -> io::Result<Exit> {
        let count = inputs.list().len();
        let columns = self.columns.unwrap_or(0);
        let start = |most: usize| preview::Sheet::new(self.size, most, columns, self.background);
        // Of a single model all clips are shown, and nobody knows yet how many.
        let alone = count == 1;
        let mut sheet = match start(count) {
            Ok(sheet) => sheet,
            Err(error) => {
                complain(format_args!("{error}"));
                return Ok(Exit::AllFailed);
            }
        };
        let mut refused = None;
        let tally = inputs.run(
            |job| {
                let subject = self.subject(job, library, names)?;
                let rest = self.look(&subject.scene);
                let mut out = vec![(subject.name.clone(), self.image(&subject, &rest)?)];
                for clip in subject.scene.clips.iter().filter(|_| alone) {
                    let look = rest.clone().with_clip(Some(clip.name.clone())).with_time(clip.length * 0.5);
                    out.push((clip.name.clone(), self.image(&subject, &look)?));
                }
                Ok(out)
            },
            |_, result, _| {
                let Ok(images) = result else { return Ok(()) };
                if alone {
                    match start(images.len()) {
                        Ok(larger) => sheet = larger,
                        Err(error) => {
                            refused = Some(error);
                            return Ok(());
                        }
                    }
                }
                images.iter().for_each(|(name, image)| sheet.add(name, image));
                Ok(())
            },
        )?;
        let count = sheet.len();
        let whole = refused.map_or_else(|| sheet.finish(), Err).and_then(|s| s.png());
        match whole.map_err(|e| e.to_string()).and_then(|png| {
            disk::write(&self.output, &png, self.force)
                .map_err(|e| format!("{}: {}", show(&self.output), reason(&e)))
        }) {
            Ok(()) => writeln!(io::stdout().lock(), "{}: {count} images", show(&self.output))?,
            Err(error) => {
                complain(format_args!("{error}"));
                return Ok(Exit::AllFailed);
            }
        }
        Ok(tally.exit(false))
    }
}

fn named(path: &Path, error: &io::Error) -> Failure {
    Failure::Other(format!("{}: {}", show(path), reason(error)))
}
