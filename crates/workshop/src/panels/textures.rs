//! The textures of a model: what they look like, which are missing, and another one in their place.

use std::collections::HashMap;

use egui::{Ui, Vec2};
use galatea::Severity;
use galatea::preview::{Image, Texture};
use galatea::textures::{Audited, Why};

use super::{Work, severity_color};
use crate::session::action::Action;
use crate::session::change::Wish;
use crate::session::open::Used;

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
    state.under = None;
    let (subject, used) = (std::sync::Arc::clone(&stand.subject), &opened.textures);
    // Those of files that bring their own are in the scene only.
    let mut inside: Vec<(&str, &str)> = Vec::new();
    if used.is_empty() {
        for texture in subject.scene.materials.iter().flat_map(|material| &material.textures) {
            if !inside.iter().any(|(name, _)| *name == texture.name) {
                inside.push((&texture.name, texture.slot.name()));
            }
        }
    }
    if used.is_empty() && inside.is_empty() {
        ui.weak("No textures are used.");
        return;
    }
    if used.iter().any(Used::is_named_here) {
        ui.weak("Type another name, or drop an image on one, to put it in its place.");
    }
    let mut asked = Vec::new();
    egui::ScrollArea::vertical().id_salt("textures").auto_shrink(false).show(ui, |ui| {
        for used in used {
            let make = |image: &std::sync::Arc<Image>, images: &mut super::Images, ui: &Ui| {
                images.get(ui.ctx(), image, || super::picture(image))
            };
            let image = used.image.as_ref().map(|image| make(image, work.images, ui));
            let group = ui.group(|ui| one(ui, used, image.as_ref(), state, &mut asked));
            if used.is_named_here() && group.response.contains_pointer() {
                state.under = Some(used.audited.name.clone());
            }
        }
        for (name, slot) in inside {
            let make = |texture: &Texture| {
                let (width, height, pixels) = pixels(texture).unwrap_or_default();
                super::color_image(width, height, &pixels)
            };
            let found = subject.textures.get(name);
            let image = found.map(|texture| work.images.get(ui.ctx(), texture, || make(texture)));
            ui.group(|ui| {
                ui.horizontal(|ui| {
                    square(ui, image.as_ref(), "missing");
                    ui.vertical(|ui| title(ui, name, slot));
                });
            });
        }
    });
    asked.into_iter().for_each(|action| work.ask(action));
}

fn one(
    ui: &mut Ui,
    used: &Used,
    image: Option<&egui::TextureHandle>,
    state: &mut State,
    asked: &mut Vec<Action>,
) {
    let Audited { name, what, why, .. } = &used.audited;
    ui.horizontal(|ui| {
        let without = match why {
            Why::BuiltIn => "of the game",
            Why::Missing => "missing",
            _ => "unreadable",
        };
        square(ui, image, without);
        ui.vertical(|ui| {
            title(ui, name, what);
            if let Some(wrong) = wrong(why) {
                ui.colored_label(severity_color(ui, Severity::Warning), wrong);
            }
            if !used.is_named_here() {
                return;
            }
            let text = state.typed.entry(name.clone()).or_insert_with(|| name.clone());
            let field = ui.add(egui::TextEdit::singleline(text).desired_width(f32::INFINITY));
            let field = field.accessible_name(format!("New name of {name}"));
            let entered = field.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter));
            let value = text.trim();
            if entered && !value.is_empty() && value != name {
                let wish = Wish::Operate(vec![("texture".into(), format!("{name}={value}"))]);
                asked.push(Action::Change { wish, asks: false });
            }
        });
    });
}

fn title(ui: &mut Ui, name: &str, what: &str) {
    ui.add(egui::Label::new(egui::RichText::new(name).strong()).truncate());
    ui.weak(what);
}

/// An image, or a word in its place.
fn square(ui: &mut Ui, image: Option<&egui::TextureHandle>, without: &str) {
    if let Some(image) = image {
        ui.image((image.id(), Vec2::splat(SIZE)));
        return;
    }
    let (rect, _) = ui.allocate_exact_size(Vec2::splat(SIZE), egui::Sense::hover());
    ui.painter().rect_filled(rect, 2.0, ui.visuals().extreme_bg_color);
    let color = ui.visuals().weak_text_color();
    let font = egui::FontId::proportional(12.0);
    ui.painter().text(rect.center(), egui::Align2::CENTER_CENTER, without, font, color);
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
