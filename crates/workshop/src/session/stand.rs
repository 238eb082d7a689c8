//! A document on its stage, for as long as it is shown.
//!
//! A [`Stage`] borrows its document, so the two cannot be fields of one struct. They are variables of a future instead, which is
//! run by hand: each question wakes it, and it sleeps again behind its answer. The same works in the window and on the page.

use std::collections::BTreeMap;
use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

use galatea::preview::{Options, View};
use galatea::scene::{Frame, Instant, Scene};
use galatea::textures::{resolve_gltf_materials, resolve_materials};
use galatea::{Document, EmittedModels, FindModel, Limits, SceneContext, Stage};

use super::files::Files;
use crate::Subject;

/// What is asked of a stage.
enum Ask {
    Frame(Instant, Options),
    View(String, Options),
    Usual(Options),
}

/// What it answers.
enum Answer {
    Frame(Box<Frame>),
    View(Option<View>),
    Usual(Option<String>),
}

#[derive(Default)]
struct Slot {
    ask: Option<Ask>,
    answer: Option<Answer>,
    subject: Option<Subject>,
    notes: Vec<String>,
    cameras: Vec<String>,
    has_effects: bool,
}

type Shared = Arc<Mutex<Slot>>;

/// A document on its stage.
pub(crate) struct Stand {
    run: Mutex<Pin<Box<dyn Future<Output = ()> + Send>>>,
    slot: Shared,
    /// The scene and its textures.
    pub(crate) subject: Arc<Subject>,
    /// What is missing from what is shown, a sentence each.
    pub(crate) notes: Vec<String>,
    /// The names of the cameras of the model.
    pub(crate) cameras: Vec<String>,
    /// Whether particles, ribbons or other effects may be seen.
    pub(crate) has_effects: bool,
}

/// Waits for the next question.
struct Asked(Shared);

impl Future for Asked {
    type Output = Ask;

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Ask> {
        let ask = self.0.lock().unwrap_or_else(PoisonError::into_inner).ask.take();
        ask.map_or(Poll::Pending, Poll::Ready)
    }
}

/// Where a stage finds what its document needs.
pub(crate) struct Around {
    /// The files.
    pub(crate) files: Arc<dyn Files>,
    /// The path of the document.
    pub(crate) path: PathBuf,
    /// The player whose color Warcraft III units have.
    pub(crate) team: u32,
}

impl Around {
    /// Puts a document on a stage and hands it on; `None` if it has nothing to show.
    pub(crate) fn with_stage<T>(
        &self,
        document: &dyn Document,
        with: impl FnOnce(&mut Stage<'_>, Vec<String>) -> T,
    ) -> Option<T> {
        let (scene, emitted, mut notes) = self.scene(document)?;
        let mut stage = self.stage(document, scene, &emitted);
        notes.extend(stage.left_out().iter().map(ToString::to_string));
        Some(with(&mut stage, notes))
    }

    fn scene(&self, document: &dyn Document) -> Option<(Scene, EmittedModels, Vec<String>)> {
        let name = galatea::file_names::stem(&self.path);
        let find = |name: &str| self.files.supermodel(&self.path, name);
        let siblings = self.files.siblings(&self.path);
        let context = SceneContext::new(&name)
            .with_team(self.team)
            .with_supermodel(Some(&find as &FindModel<'_>))
            .with_siblings(Some(siblings.as_ref()));
        let scene = document.scene(&context)?.into_owned();
        let mut emitted = EmittedModels::default();
        self.files.with_textures(document.format().game, &self.path, &mut |textures| {
            if let Some(textures) = textures {
                emitted = EmittedModels::find(document, textures, &Limits::default());
            }
        });
        let notes = emitted.unreadable().map(|(name, error)| format!("{name}: {error}")).collect();
        Some((scene, emitted, notes))
    }

    fn stage<'a>(&self, document: &'a dyn Document, scene: Scene, emitted: &'a EmittedModels) -> Stage<'a> {
        let game = document.format().game;
        Stage::with_emitted(document, scene, Some(emitted), |scene| {
            let mut resolved = None;
            self.files.with_textures(game, &self.path, &mut |textures| {
                resolved = textures.map(|textures| resolve_materials(scene, textures, self.team));
            });
            let siblings = self.files.siblings(&self.path);
            let beside = |path: &str| siblings.file(path);
            resolved.or_else(|| resolve_gltf_materials(document, &beside, &Limits::default()))
        })
    }
}

impl Stand {
    /// Puts a document on a stage; `None` if it has nothing to show.
    pub(crate) fn new(document: Box<dyn Document>, around: Around) -> Option<Stand> {
        let slot = Shared::default();
        let mut run: Pin<Box<dyn Future<Output = ()> + Send>> =
            Box::pin(perform(document, around, Arc::clone(&slot)));
        step(&mut run);
        let mut ready = slot.lock().unwrap_or_else(PoisonError::into_inner);
        let subject = Arc::new(ready.subject.take()?);
        let (notes, cameras) = (std::mem::take(&mut ready.notes), std::mem::take(&mut ready.cameras));
        let has_effects = ready.has_effects;
        drop(ready);
        Some(Stand { run: Mutex::new(run), slot, subject, notes, cameras, has_effects })
    }

    fn ask(&self, ask: Ask) -> Option<Answer> {
        self.slot.lock().unwrap_or_else(PoisonError::into_inner).ask = Some(ask);
        step(&mut self.run.lock().unwrap_or_else(PoisonError::into_inner));
        self.slot.lock().unwrap_or_else(PoisonError::into_inner).answer.take()
    }

    /// Returns the frame of a moment.
    pub(crate) fn frame(&self, at: Instant, look: &Options) -> Option<Frame> {
        match self.ask(Ask::Frame(at, look.clone()))? {
            Answer::Frame(frame) => Some(*frame),
            _ => None,
        }
    }

    /// Returns the view of a camera of the model at the moment that the options show.
    pub(crate) fn view(&self, camera: &str, look: &Options) -> Option<View> {
        match self.ask(Ask::View(camera.to_owned(), look.clone()))? {
            Answer::View(view) => view,
            _ => None,
        }
    }

    /// Returns the name of the clip that is usually shown first.
    pub(crate) fn usual_clip(&self) -> Option<String> {
        match self.ask(Ask::Usual(Options::default()))? {
            Answer::Usual(clip) => clip,
            _ => None,
        }
    }
}

/// Runs the future up to its next question.
fn step(run: &mut Pin<Box<dyn Future<Output = ()> + Send>>) {
    let _ = run.as_mut().poll(&mut Context::from_waker(Waker::noop()));
}

async fn perform(document: Box<dyn Document>, around: Around, slot: Shared) {
    let Some((scene, emitted, mut notes)) = around.scene(document.as_ref()) else { return };
    let mut stage = around.stage(document.as_ref(), scene, &emitted);
    notes.extend(stage.left_out().iter().map(ToString::to_string));
    let missing = stage.missing_effect_textures();
    if !missing.is_empty() {
        notes.push(format!("{}: not found; soft dots stand in for these textures", missing.join(", ")));
    }
    {
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        slot.subject = Some(subject(&stage));
        slot.cameras = stage.cameras().into_iter().map(str::to_owned).collect();
        (slot.notes, slot.has_effects) = (notes, stage.has_effects());
    }
    loop {
        let ask = Asked(Arc::clone(&slot)).await;
        let answer = match ask {
            Ask::Frame(at, look) => Answer::Frame(Box::new(stage.frame(&at, &look))),
            Ask::View(camera, look) => Answer::View(stage.view(&camera, &look).ok().flatten()),
            Ask::Usual(look) => Answer::Usual(usual_clip(&mut stage, &look)),
        };
        slot.lock().unwrap_or_else(PoisonError::into_inner).answer = Some(answer);
    }
}

fn subject(stage: &Stage<'_>) -> Subject {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let scene = stage.scene().clone();
    let names = scene.materials.iter().flat_map(|material| &material.textures).map(|texture| &texture.name);
    let found: BTreeMap<_, _> = names.filter_map(|name| Some((name.clone(), stage.texture(name)?))).collect();
    Subject { id: NEXT.fetch_add(1, Ordering::Relaxed), scene, textures: found }
}

/// Returns the clip that plays when a model is opened: the first whose name begins with `stand`, or has `idle` or `pause` in it,
/// else the first one.
fn usual_clip(stage: &mut Stage<'_>, look: &Options) -> Option<String> {
    if stage.has_effects()
        && let Ok(usual) = stage.usual(look)
    {
        return usual.clip;
    }
    let clips = &stage.scene().clips;
    let begins = |name: &str| name.to_ascii_lowercase().starts_with("stand");
    let rests = |name: &str| ["idle", "pause1"].iter().any(|word| name.to_ascii_lowercase().contains(word));
    let usual = clips.iter().find(|c| begins(&c.name)).or_else(|| clips.iter().find(|c| rests(&c.name)));
    usual.or(clips.first()).map(|clip| clip.name.clone())
}
