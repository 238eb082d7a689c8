//! `galatea render`: images of models.

mod moving;
mod values;

use std::cell::RefCell;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use galatea::disk::{self, Job, Supermodels};
use galatea::preview::{self, Image, Movie, Options as Appearance, Show, SurfaceView};
use galatea::scene::Scene;
use galatea::textures::{self, Libraries};
use galatea::{Category, EmittedModels, Limits, SceneContext, SiblingFiles, Stage, fox};
use serde_json::json;

use self::moving::Animate;
use self::values::{Background, background, rate, size};
use super::names::Dictionaries;
use super::texture_options::{TextureSources, supermodels};
use crate::Exit;
use crate::batch::{self, Failure, Inputs};
use crate::terminal::{complain, note, plain, reason, show};

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
    /// Play a clip as a moving image: APNG, GIF or WebP, by the extension of the output
    #[arg(long, value_enum, value_name = "WHAT", num_args = 0..=1, default_missing_value = "clip", conflicts_with = "sheet")]
    animate: Option<Animate>,
    /// Frames per second of a moving image
    #[arg(long, value_name = "N", default_value_t = 15.0, value_parser = rate)]
    fps: f32,
    /// How often a moving image plays; 0 for ever
    #[arg(long = "loop", value_name = "N", default_value_t = 0)]
    loops: u16,
    /// The format of moving images that are written to a folder
    #[arg(long, value_name = "FORMAT", default_value = "png", value_parser = ["png", "gif", "webp"])]
    movie: String,
    /// Render one full turn as a moving image, while the clip of --clip plays
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
    /// Also draw walk, bounds, skeleton or wire; or in place of materials normals, uv, weights:BONE or masks; or lod:N
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    show: Vec<Show>,
    /// The same as --show skeleton
    #[arg(long, hide = true)]
    skeleton: bool,
    /// The same as --show wire
    #[arg(long, hide = true)]
    wire: bool,
    /// The same as --show walk
    #[arg(long, hide = true)]
    walk: bool,
    /// The same as --show bounds
    #[arg(long, hide = true)]
    bounds: bool,
    /// Look through a camera of the model: its name, or `portrait` [default for files called so: portrait]
    #[arg(long, value_name = "NAME")]
    camera: Option<String>,
    /// Degrees to the right of the front
    #[arg(long, value_name = "DEGREES", default_value_t = 35.0, allow_negative_numbers = true)]
    yaw: f32,
    /// Degrees above the horizon
    #[arg(long, value_name = "DEGREES", default_value_t = 20.0, allow_negative_numbers = true)]
    pitch: f32,
    /// `transparent`, `checker`, or a colour such as #2e3238
    #[arg(long, value_name = "COLOUR", default_value = "#2e3238", value_parser = background)]
    background: Background,
    /// Draw the model's shadow on the ground
    #[arg(long)]
    ground: bool,
    /// Replace existing files
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    sources: TextureSources,
    /// Folder with the supermodels from which KotOR models inherit clips, before those of the game
    #[arg(long, value_name = "DIR")]
    supermodels: Option<PathBuf>,
    /// Leave textures out
    #[arg(long)]
    no_textures: bool,
    #[command(flatten)]
    dictionaries: Dictionaries,
}

/// Part of the height of an image below which a camera shows little of a model.
const LITTLE: f32 = 0.25;

/// What all inputs share: names, textures, supermodels.
struct Around {
    names: fox::Dictionary,
    library: Libraries,
    models: Supermodels,
}

/// A model that opened, with its name.
struct Subject<'a> {
    name: String,
    stage: Stage<'a>,
}

impl Options {
    fn look(&self) -> Appearance {
        let (width, height) = self.size;
        let look = Appearance::default()
            .with_size(width, height)
            .with_background(self.background.color)
            .with_checker(self.background.checker)
            .with_ground(self.ground)
            .with_yaw(self.yaw)
            .with_pitch(self.pitch)
            .with_skeleton(self.skeleton)
            .with_wire(self.wire)
            .with_walk(self.walk)
            .with_bounds(self.bounds);
        self.show.iter().fold(look, |look, show| show.apply(look))
    }

    /// Returns what is drawn of a model: the clip and time that were asked for, or what is usual for it.
    fn look_at(&self, subject: &mut Subject<'_>) -> Result<Appearance, Failure> {
        let clip = self.clip.as_deref();
        if clip.is_none() && self.camera_of(subject).is_some() && !subject.stage.cameras().is_empty() {
            return self.portrait(subject, &self.look());
        }
        let look = subject.stage.look(&self.look(), clip, self.time).map_err(other)?;
        self.through_camera(subject, look)
    }

    /// Returns the look of a portrait: the clip that games play in it, or if the camera shows little of the model then, the usual look.
    fn portrait(&self, subject: &mut Subject<'_>, look: &Appearance) -> Result<Appearance, Failure> {
        let portrait = subject.stage.portrait(look).map_err(other)?;
        let portrait = self.through_camera(subject, portrait)?;
        let covered = subject.stage.covered_height(&portrait).map_err(other)?;
        if covered >= LITTLE {
            return Ok(portrait);
        }
        let usual = subject.stage.usual(look).map_err(other)?;
        let usual = self.through_camera(subject, usual)?;
        let more = subject.stage.covered_height(&usual).map_err(other)? > covered;
        Ok(if more { usual } else { portrait })
    }

    /// Returns the same look through the camera that was asked for, or a portrait's own.
    fn through_camera(&self, subject: &mut Subject<'_>, look: Appearance) -> Result<Appearance, Failure> {
        let Some(wanted) = self.camera_of(subject) else { return Ok(look) };
        match subject.stage.view(wanted, &look).map_err(other)? {
            Some(view) => Ok(look.with_view(Some(view))),
            None if self.camera.is_none() => Ok(look),
            None => {
                let known = subject.stage.cameras();
                let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
                Err(Failure::Other(format!("there is no camera `{wanted}`; the model has {}", plain(&known))))
            }
        }
    }

    /// Returns the camera that was asked for, or `portrait` for files called so.
    fn camera_of(&self, subject: &Subject<'_>) -> Option<&str> {
        let is_portrait = subject.name.to_ascii_lowercase().ends_with("_portrait");
        self.camera.as_deref().or(is_portrait.then_some("portrait"))
    }

    /// Opens a model with its textures, and hands it on.
    fn with_subject<T>(
        &self,
        job: &Job,
        around: &Around,
        draw: impl FnOnce(&mut Subject<'_>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let opened = batch::open(job)?;
        let name = disk::stem(&job.path);
        let format = opened.document.format();
        let missing = RefCell::new(Vec::new());
        let find = |name: &str| {
            let found = around.models.find_beside(&job.path, name);
            if found.is_none() {
                missing.borrow_mut().push(name.to_owned());
            }
            found
        };
        // Only a clip that is asked for may come from a supermodel: they have hundreds.
        let supermodel = self.clip.is_some().then_some(&find as &galatea::FindModel<'_>);
        let context = SceneContext::new(&name).with_names(&around.names).with_supermodel(supermodel);
        let Some(scene) = opened.document.scene(&context) else {
            return Err(Failure::Other(format!("{} files cannot be rendered yet", format.name)));
        };
        self.clip_is_there(&scene, &missing.borrow())?;
        let found = self.sources.textures(job, format, &around.library);
        let emitted = match &found {
            Some(textures) => EmittedModels::find(opened.document.as_ref(), textures, &Limits::default()),
            None => EmittedModels::default(),
        };
        for (name, error) in emitted.unreadable() {
            complain(format_args!("{}: {}: {error}", show(&job.path), plain(name)));
        }
        let stage =
            Stage::with_emitted(opened.document.as_ref(), scene.into_owned(), Some(&emitted), |scene| {
                if self.no_textures {
                    None
                } else if let Some(textures) = &found {
                    Some(textures::resolve_materials(scene, textures, self.sources.team_colour))
                } else {
                    let beside = |path: &str| opened.loaded.file(path);
                    textures::resolve_gltf_materials(opened.document.as_ref(), &beside, &Limits::default())
                }
            });
        for loss in stage.left_out() {
            complain(format_args!("{}: {}", show(&job.path), plain(&loss.to_string())));
        }
        for what in self.check_shown(stage.scene())? {
            note(format_args!("{}: {what}", show(&job.path)));
        }
        draw(&mut Subject { name, stage })
    }

    /// Returns what `--show` asks for in vain. Fails for a bone that is not there.
    fn check_shown(&self, scene: &Scene) -> Result<Vec<String>, Failure> {
        let mut notes = Vec::new();
        for shown in &self.show {
            match shown {
                Show::Surface(SurfaceView::Weights(bone)) => {
                    let joints = scene.skins.iter().flat_map(|s| &s.joints).filter_map(|id| scene.node(*id));
                    let mut names: Vec<&str> = joints.map(|node| node.name.as_str()).collect();
                    if names.iter().any(|name| name.eq_ignore_ascii_case(bone)) {
                        continue;
                    }
                    names.sort_unstable();
                    names.dedup();
                    names.truncate(20);
                    let known = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
                    let what = format!("there is no bone `{}`; the model has {}", plain(bone), plain(&known));
                    return Err(Failure::Other(what));
                }
                Show::Surface(SurfaceView::Masks) if scene.vertices.iter().all(|v| v.colors.is_empty()) => {
                    notes.push("no vertex colors; what has none is gray".into());
                }
                Show::Level(level) => {
                    let last = scene.meshes.iter().filter_map(|m| m.lod).max().unwrap_or(0);
                    if *level > last {
                        notes.push(format!("there is no level {level}; level {last} is the last"));
                    }
                }
                _ => {}
            }
        }
        Ok(notes)
    }

    /// Says which supermodel is missing if the clip that was asked for may be in it.
    fn clip_is_there(&self, scene: &Scene, missing: &[String]) -> Result<(), Failure> {
        match (&self.clip, missing.first()) {
            (Some(clip), Some(model)) if scene.find_clip(clip).is_none() => Err(Failure::Other(format!(
                "there is no clip `{}` in it, and its supermodel {} was not found; name the folder of the game with --game-dir, or a \
                 folder with supermodels with --supermodels",
                plain(clip),
                plain(model)
            ))),
            _ => Ok(()),
        }
    }

    /// Returns what all inputs share.
    fn around(&self) -> Result<Around, String> {
        Ok(Around {
            names: self.dictionaries.load()?,
            library: self.sources.folders.library()?,
            models: supermodels(self.supermodels.as_deref(), &self.sources.folders.game)?,
        })
    }

    /// Returns `true` if several models of an archive are asked for in a single image.
    fn is_sheet(&self, jobs: usize) -> bool {
        let archives = self.inputs.paths.iter().any(|path| disk::is_folder(path) && !path.is_dir());
        self.sheet || archives && jobs > 1 && self.names_image() && !self.output.is_dir() && !self.moves()
    }

    /// Returns `true` if the output has the extension of an image.
    fn names_image(&self) -> bool {
        let known = ["png", "gif", "webp"];
        self.output.extension().is_some_and(|e| known.iter().any(|image| e.eq_ignore_ascii_case(image)))
    }

    fn image(&self, subject: &mut Subject<'_>, look: &Appearance) -> Result<Image, Failure> {
        subject.stage.render(look).map_err(other)
    }

    /// Returns `true` if the image moves.
    fn moves(&self) -> bool {
        self.turntable || self.animate.is_some()
    }

    /// Returns the format of a moving image with this path.
    fn movie(&self, path: &Path) -> Result<Movie, Failure> {
        let extension = path.extension().map(|e| e.to_string_lossy().into_owned()).unwrap_or_default();
        Movie::by_extension(&extension).ok_or_else(|| {
            Failure::Other(format!(
                "`{}` is not a moving image; name a .png, .gif or .webp",
                plain(&extension)
            ))
        })
    }

    fn file(&self, subject: &mut Subject<'_>, look: &Appearance, path: &Path) -> Result<Vec<u8>, Failure> {
        if !self.moves() {
            return self.image(subject, look)?.png().map_err(other);
        }
        let movie = self.movie(path)?;
        movie.encode(&self.moving(subject, look)?, self.fps, self.loops).map_err(other)
    }

    pub(crate) fn run(&self) -> io::Result<Exit> {
        let around = match self.around() {
            Ok(around) => around,
            Err(error) => {
                complain(format_args!("{error}"));
                return Ok(Exit::Usage);
            }
        };
        let inputs = self.inputs.only(Category::Model);
        let folder = self.output.is_dir().then(|| self.output.join("image.png"));
        crate::outputs::recover(&[folder.unwrap_or_else(|| self.output.clone())]);
        let jobs = inputs.list();
        if self.is_sheet(jobs.len()) {
            return self.run_sheet(&inputs, &around);
        }
        // An archive with one model may be named for one image.
        let folders = |path: &PathBuf| if self.names_image() { path.is_dir() } else { disk::is_folder(path) };
        let single = jobs.len() == 1 && !self.inputs.paths.iter().any(folders) && !self.output.is_dir();
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
                self.with_subject(job, &around, |subject| {
                    let look = self.look_at(subject)?;
                    let ending = if self.moves() { self.movie.as_str() } else { "png" };
                    let folder = || self.output.join(format!("{}.{ending}", subject.name));
                    let path = if single { self.output.clone() } else { folder() };
                    let bytes = self.file(subject, &look, &path)?;
                    disk::write(&path, &bytes, self.force).map_err(|e| named(&path, &e))?;
                    let frame = subject.stage.shown(&look).map_err(other)?;
                    self.tell(job, subject, &frame);
                    if look.view.is_some() && subject.stage.covered_height(&look).map_err(other)? < LITTLE {
                        note(format_args!(
                            "{}: the camera shows little of the model; without --camera all of it is shown",
                            show(&job.path)
                        ));
                    }
                    let view = preview::frame_view(subject.stage.scene(), &frame, &look);
                    Ok((path, Some(view).filter(|_| !self.moves())))
                })
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

    /// Says what is missing from an image.
    fn tell(&self, job: &Job, subject: &Subject<'_>, frame: &galatea::scene::Frame) {
        let note = |text: &str| note(format_args!("{}: {}", show(&job.path), plain(text)));
        frame.notes.iter().for_each(|text| note(text));
        if !self.no_textures && !frame.sprites.is_empty() {
            let missing = subject.stage.missing_effect_textures();
            let (named, rest) = missing.split_at(missing.len().min(3));
            let more = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
            if !missing.is_empty() {
                let what = if missing.len() == 1 { "this texture" } else { "these textures" };
                note(&format!(
                    "{}{more}: not found; soft dots stand in for {what} of effects",
                    named.join(", ")
                ));
            }
        }
    }

    fn run_sheet(&self, inputs: &Inputs, around: &Around) -> io::Result<Exit> {
        let count = inputs.list().len();
        let columns = self.columns.unwrap_or(0);
        let start = |most: usize| preview::Sheet::new(self.size, most, columns, self.background.color);
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
                self.with_subject(job, around, |subject| {
                    let look = self.look_at(subject)?;
                    let mut out = vec![(subject.name.clone(), self.image(subject, &look)?)];
                    let clips = subject.stage.scene().clips.iter().filter(|_| alone);
                    let clips: Vec<(String, f32)> = clips.map(|c| (c.name.clone(), c.length)).collect();
                    for (clip, length) in clips {
                        let look = look.clone().with_clip(Some(clip.clone())).with_time(length * 0.5);
                        let effects = subject.stage.has_effects();
                        let look = if effects { subject.stage.fullest(&look).map_err(other)? } else { look };
                        out.push((clip, self.image(subject, &look)?));
                    }
                    Ok(out)
                })
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

fn other(error: preview::RenderError) -> Failure {
    Failure::Other(error.to_string())
}

fn named(path: &Path, error: &io::Error) -> Failure {
    Failure::Other(format!("{}: {}", show(path), reason(error)))
}
