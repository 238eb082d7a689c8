//! The textures of a model: what they look like, which are missing, and another one in their place.

use std::collections::HashMap;

use egui::{Ui, Vec2};
use galatea::Severity;
use galatea::preview::Texture;
use galatea::textures::Why;

use super::{Work, severity_color};
use crate::session::action::Action;
use crate::session::change::Wish;

/// What is remembered.
#[derive(Default)]
pub(crate) struct State {
    /// New names that are being typed, by the old ones.
    typed: HashMap<String, String>,
    /// The document that they belong to.
    of: u64,
    /// The texture under the pointer, by its name: what is dropped there takes its place.
    pub(crate) under: Option<String>,
}

/// Pixels of an image in the list.
const SIZE: f32 = 72.0;

/// Shows the textures.
pub(crate) fn show(ui: &mut Ui, work: &mut Work<'_>, state: &mut State) {
    let Some(document) = work.session.document() else { return };
    let Some(opened) = &document.opened else { return };
    let Some(stand) = &opened.stand else {
        ui.weak("This file uses no textures.");
        return;
    };
    let id = opened.number;
    if state.of != id {
        state.of = id;
        state.typed.clear();
    }
    let subject = std::sync::Arc::clone(&stand.subject);
    let scene = &subject.scene;
    let mut names: Vec<(String, String)> = Vec::new();
    for texture in scene.materials.iter().flat_map(|material| &material.textures) {
        if !names.iter().any(|(name, _)| *name == texture.name) {
            names.push((texture.name.clone(), texture.slot.name().to_owned()));
        }
    }
    let line = |audited: &galatea::textures::Audited| {
        Some(format!("{} ({}): {}", audited.name, audited.what, wrong(&audited.why)?))
    };
    let missing: Vec<String> = opened.audit.iter().filter_map(line).collect();
    ui.weak("Type another name, or drop an image on one, to put it in its place.");
    let mut asked = Vec::new();
    state.under = None;
    egui::ScrollArea::vertical().id_salt("textures").auto_shrink(false).show(ui, |ui| {
        for line in &missing {
            ui.colored_label(severity_color(ui, Severity::Warning), line);
        }
        if names.is_empty() {
            ui.weak("No textures are used.");
        }
        for (name, slot) in &names {
            let found = subject.textures.get(name);
            let group = ui.group(|ui| one(ui, work, state, (name, slot), found, &mut asked));
            if group.response.contains_pointer() {
                state.under = Some(name.clone());
            }
        }
    });
    asked.into_iter().for_each(|action| work.ask(action));
}

fn one(
    ui: &mut Ui,
    work: &mut Work<'_>,
    state: &mut State,
    (name, slot): (&str, &str),
    found: Option<&std::sync::Arc<Texture>>,
    asked: &mut Vec<Action>,
) {
    ui.horizontal(|ui| {
        match found {
            Some(texture) => {
                let make = || {
                    let (width, height, pixels) = pixels(texture).unwrap_or_default();
                    super::color_image(width, height, &pixels)
                };
                let image = work.images.get(ui.ctx(), texture, make);
                ui.image((image.id(), Vec2::splat(SIZE)));
            }
            None => {
                let (rect, _) = ui.allocate_exact_size(Vec2::splat(SIZE), egui::Sense::hover());
                ui.painter().rect_filled(rect, 2.0, ui.visuals().extreme_bg_color);
                let color = severity_color(ui, Severity::Warning);
                let font = egui::FontId::proportional(12.0);
                ui.painter().text(rect.center(), egui::Align2::CENTER_CENTER, "missing", font, color);
            }
        }
        ui.vertical(|ui| {
            ui.add(egui::Label::new(egui::RichText::new(name).strong()).truncate());
            ui.weak(slot);
            let text = state.typed.entry(name.to_owned()).or_insert_with(|| name.to_owned());
            let field = ui.add(egui::TextEdit::singleline(text).desired_width(f32::INFINITY));
            let field = field.accessible_name(format!("New name of {name}"));
            let entered = field.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter));
            let value = text.trim().to_owned();
            if entered && !value.is_empty() && value != name {
                let wish = Wish::Operate(vec![("texture".into(), format!("{name}={value}"))]);
                asked.push(Action::Change { wish, asks: false });
            }
        });
    });
}

/// Says what is wrong with a texture, if anything is.
fn wrong(why: &Why) -> Option<String> {
    match why {
        Why::Found { broken, .. } => broken.clone(),
        Why::Missing => Some("no file of that name was found".into()),
        Why::Ambiguous(paths) => Some(format!("{} files have that name; the first is used", paths.len())),
        Why::NotLoaded(path) => Some(format!("the game does not load {}", path.display())),
        Why::Unsafe => Some("not a name of a file".into()),
        _ => None,
    }
}

/// Returns the pixels of a texture.
fn pixels(texture: &Texture) -> Option<(u32, u32, Vec<u8>)> {
    // A small level is enough for a small image.
    let level = texture.mip_levels(false).find(|(width, height, _)| width.max(height) <= &128)?;
    Some((level.0 as u32, level.1 as u32, level.2.into_iter().flatten().collect()))
}
