//! The panels, one file each. A panel reads the session and sends actions.

mod browser;
mod bytes;
mod change;
mod dialogs;
mod findings;
mod help;
mod keys;
mod log;
mod menu;
mod outliner;
mod places;
mod properties;
mod textures;
mod timeline;
mod viewport;
mod walk;

use std::any::Any;
use std::collections::HashMap;
use std::sync::{Arc, Weak};

use egui::{Color32, ColorImage, TextureHandle, TextureOptions};
use galatea::Severity;

use crate::session::Session;
use crate::session::action::Action;
use crate::session::settings::{Bottom, Side};

pub(crate) use keys::KEYS;
pub(crate) use viewport::Canvas;

/// What a panel works with.
pub(crate) struct Work<'a> {
    /// The session.
    pub(crate) session: &'a mut Session,
    /// What the panels ask for.
    pub(crate) actions: &'a mut Vec<Action>,
    /// Images that panels show.
    pub(crate) images: &'a mut Images,
}

impl Work<'_> {
    /// Asks for something.
    pub(crate) fn ask(&mut self, action: Action) {
        self.actions.push(action);
    }
}

/// What panels remember from one frame to the next.
#[derive(Default)]
pub(crate) struct Panels {
    browser: browser::State,
    outliner: outliner::State,
    properties: properties::State,
    bytes: bytes::State,
    change: change::State,
    textures: textures::State,
    findings: findings::State,
    /// The viewport.
    pub(crate) viewport: viewport::State,
    /// The dialogs.
    pub(crate) dialogs: dialogs::State,
    /// Whether the keys are shown.
    pub(crate) help: bool,
    images: Images,
}

/// Most images that are kept for the graphics card.
const IMAGES: usize = 1200;

/// Images on the graphics card, by what they are of.
#[derive(Default)]
pub(crate) struct Images {
    known: HashMap<usize, Known>,
    clock: u64,
}

struct Known {
    texture: TextureHandle,
    used: u64,
    /// As long as this is kept, nothing else has the same address.
    _of: Weak<dyn Any + Send + Sync>,
}

impl Images {
    /// Returns an image of something, which is made if it is not known.
    pub(crate) fn get<T: Any + Send + Sync>(
        &mut self,
        ctx: &egui::Context,
        of: &Arc<T>,
        make: impl FnOnce() -> ColorImage,
    ) -> TextureHandle {
        self.clock += 1;
        let clock = self.clock;
        if self.known.len() > IMAGES {
            let old = clock.saturating_sub(IMAGES as u64 / 2);
            self.known.retain(|_, known| known.used > old);
        }
        let key = Arc::as_ptr(of).addr();
        let known = self.known.entry(key).or_insert_with(|| {
            let of: Arc<dyn Any + Send + Sync> = Arc::<T>::clone(of);
            let texture = ctx.load_texture(format!("image {key:x}"), make(), TextureOptions::LINEAR);
            Known { texture, used: clock, _of: Arc::downgrade(&of) }
        });
        known.used = clock;
        known.texture.clone()
    }
}

/// Returns an image of RGBA pixels.
pub(crate) fn color_image(width: u32, height: u32, rgba: &[u8]) -> ColorImage {
    let size = [width as usize, height as usize];
    if rgba.len() == size.iter().product::<usize>() * 4 {
        ColorImage::from_rgba_unmultiplied(size, rgba)
    } else {
        ColorImage::filled([1, 1], Color32::TRANSPARENT)
    }
}

/// Returns the color of a severity, readable on the background of the window.
pub(crate) fn severity_color(ui: &egui::Ui, severity: Severity) -> Color32 {
    match (severity, ui.visuals().dark_mode) {
        (Severity::Error, true) => Color32::from_rgb(255, 120, 110),
        (Severity::Error, false) => Color32::from_rgb(190, 30, 30),
        (Severity::Warning, true) => Color32::from_rgb(240, 190, 80),
        (Severity::Warning, false) => Color32::from_rgb(140, 90, 0),
        (Severity::Info, _) => ui.visuals().weak_text_color(),
    }
}

/// A row of tabs; returns the one that was clicked.
fn tabs<T: PartialEq + Copy>(ui: &mut egui::Ui, current: T, all: &[(T, String)]) -> Option<T> {
    let mut clicked = None;
    ui.horizontal_wrapped(|ui| {
        for (tab, name) in all {
            if ui.selectable_label(current == *tab, name.as_str()).clicked() {
                clicked = Some(*tab);
            }
        }
    });
    ui.separator();
    clicked
}

impl Panels {
    /// Returns the name of the texture under the pointer, if they are shown.
    pub(crate) fn texture_under(&self) -> Option<String> {
        self.textures.under.clone()
    }

    /// Shows everything and returns what was asked for.
    pub(crate) fn show(&mut self, ui: &mut egui::Ui, session: &mut Session, canvas: &Canvas) -> Vec<Action> {
        let mut actions = Vec::new();
        let mut images = std::mem::take(&mut self.images);
        let mut work = Work { session, actions: &mut actions, images: &mut images };
        keys::read(ui, &mut work, self);
        egui::Panel::top("menu").show(ui, |ui| menu::show(ui, &mut work, self));
        egui::Panel::bottom("status").show(ui, |ui| log::status(ui, &mut work));
        self.left(ui, &mut work);
        self.right(ui, &mut work);
        self.lower(ui, &mut work);
        egui::CentralPanel::default().show(ui, |ui| {
            if work.session.documents.is_empty() {
                return places::welcome(ui, &mut work, &mut self.dialogs);
            }
            egui::Panel::bottom("timeline").show(ui, |ui| timeline::show(ui, &mut work));
            viewport::show(ui, &mut work, &mut self.viewport, canvas);
        });
        dialogs::show(ui, &mut work, &mut self.dialogs);
        help::show(ui, &mut self.help);
        self.images = images;
        actions
    }

    fn left(&mut self, ui: &mut egui::Ui, work: &mut Work<'_>) {
        if !work.session.settings.browser {
            return;
        }
        egui::Panel::left("left").default_size(250.0).min_size(150.0).show(ui, |ui| {
            let height = ui.available_height() * 0.45;
            if work.session.document().is_some() {
                egui::Panel::bottom("outliner").resizable(true).default_size(height).show(ui, |ui| {
                    keep_height(ui);
                    outliner::show(ui, work, &mut self.outliner);
                });
            }
            browser::show(ui, work, &mut self.browser);
        });
    }

    fn right(&mut self, ui: &mut egui::Ui, work: &mut Work<'_>) {
        if !work.session.settings.right || work.session.documents.is_empty() {
            return;
        }
        egui::Panel::right("right").default_size(320.0).min_size(200.0).show(ui, |ui| {
            let names = [
                (Side::Properties, "Properties"),
                (Side::Textures, "Textures"),
                (Side::Change, "Change"),
                (Side::Walk, "Walk"),
            ];
            let side = work.session.settings.side;
            if let Some(side) = tabs(ui, side, &names.map(|(side, name)| (side, name.to_owned()))) {
                work.ask(Action::Side(side));
            }
            match side {
                Side::Properties => properties::show(ui, work, &mut self.properties),
                Side::Textures => textures::show(ui, work, &mut self.textures),
                Side::Change => change::show(ui, work, &mut self.change),
                Side::Walk => walk::show(ui, work),
            }
        });
    }

    fn lower(&mut self, ui: &mut egui::Ui, work: &mut Work<'_>) {
        if !work.session.settings.lower || work.session.documents.is_empty() {
            return;
        }
        egui::Panel::bottom("lower").resizable(true).default_size(220.0).min_size(80.0).show(ui, |ui| {
            keep_height(ui);
            let counts =
                work.session.document().and_then(|document| Some(document.opened.as_ref()?.counts()));
            let [errors, warnings, _] = counts.unwrap_or_default();
            let findings = match (errors, warnings) {
                (0, 0) => "Findings".to_owned(),
                _ => format!("Findings ({errors} errors, {warnings} warnings)"),
            };
            let names = [
                (Bottom::Findings, findings),
                (Bottom::Bytes, "Bytes".to_owned()),
                (Bottom::Log, "Log".to_owned()),
            ];
            let bottom = work.session.settings.bottom;
            if let Some(bottom) = tabs(ui, bottom, &names) {
                work.ask(Action::Bottom(bottom));
            }
            match bottom {
                Bottom::Findings => findings::show(ui, work, &mut self.findings),
                Bottom::Bytes => bytes::show(ui, work, &mut self.bytes),
                Bottom::Log => log::show(ui, work),
            }
        });
    }
}

/// Keeps the height of a panel that has little in it: it would shrink, and stay small when there is more.
fn keep_height(ui: &mut egui::Ui) {
    ui.set_min_height(ui.available_height());
}

/// A picture on the CPU as an image for the window.
pub(crate) fn picture(image: &galatea::preview::Image) -> ColorImage {
    color_image(image.width, image.height, &image.pixels)
}
