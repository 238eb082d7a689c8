//! The list of files with their images.

use std::path::PathBuf;

use egui::Role;
use egui::{Align2, Color32, FontId, Rect, RichText, Sense, Vec2, WidgetInfo};
use galatea::Severity;

use super::{Work, picture, severity_color};
use crate::session::action::Action;
use crate::session::browser::Only;

/// What is remembered.
#[derive(Default)]
pub(crate) struct State {
    /// The document that the list was scrolled to.
    scrolled: Option<PathBuf>,
}

/// The height of a row.
const ROW: f32 = 52.0;

/// Shows the list.
pub(crate) fn show(ui: &mut egui::Ui, work: &mut Work<'_>, state: &mut State) {
    narrow(ui, work);
    if let Some(error) = work.session.browser.failed.clone() {
        ui.colored_label(severity_color(ui, Severity::Error), &error);
        if ui.button("Try again").clicked() {
            work.ask(Action::Refresh);
        }
        return;
    }
    let shown = work.session.browser.shown().to_vec();
    let all = work.session.browser.entries.len();
    if all == 0 {
        ui.weak("Open a folder, an archive or a game to see its files here.");
        return;
    }
    let count =
        if shown.len() == all { format!("{all} files") } else { format!("{} of {all} files", shown.len()) };
    ui.weak(count);
    let current = work.session.document().map(|document| document.path.clone());
    let mut area = egui::ScrollArea::vertical().id_salt("files").auto_shrink(false);
    if current.is_some() && state.scrolled != current {
        let here = shown.iter().position(|at| {
            work.session.browser.entries.get(*at).is_some_and(|entry| Some(&entry.path) == current.as_ref())
        });
        if let Some(here) = here {
            let row = ROW + ui.spacing().item_spacing.y;
            let middle = here as f32 * row - ui.available_height() * 0.5 + row;
            area = area.vertical_scroll_offset(middle.max(0.0));
            state.scrolled.clone_from(&current);
        }
    }
    let mut visible = Vec::new();
    area.show_rows(ui, ROW, shown.len(), |ui, rows| {
        for at in shown.get(rows).into_iter().flatten() {
            let Some(entry) = work.session.browser.entries.get(*at).cloned() else { continue };
            let selected = Some(&entry.path) == current.as_ref();
            row(ui, work, &entry, selected);
            if work.session.browser.look(&entry.path).is_none() {
                visible.push(entry.path);
            }
        }
    });
    if !visible.is_empty() {
        work.ask(Action::Thumbnails(visible));
    }
}

fn narrow(ui: &mut egui::Ui, work: &mut Work<'_>) {
    let extensions = work.session.browser.extensions.clone();
    let browser = &mut work.session.browser;
    ui.horizontal(|ui| {
        ui.strong("Files");
        if let Some(root) = browser.roots.first() {
            ui.add(egui::Label::new(RichText::new(root.display().to_string()).weak()).truncate());
        }
    });
    let field = egui::TextEdit::singleline(&mut browser.filter)
        .hint_text("Filter names")
        .desired_width(f32::INFINITY);
    ui.add(field).accessible_name("Filter names");
    ui.horizontal(|ui| {
        let now = browser.extension.clone().unwrap_or_else(|| "all formats".into());
        let combo = egui::ComboBox::from_id_salt("format").selected_text(now).width(90.0).show_ui(ui, |ui| {
            ui.selectable_value(&mut browser.extension, None, "all formats");
            for extension in extensions {
                ui.selectable_value(&mut browser.extension, Some(extension.clone()), extension);
            }
        });
        combo.response.accessible_name("Only files of this format");
        let names = [(Only::All, "all"), (Only::Warnings, "with warnings"), (Only::Errors, "with errors")];
        let now = names.iter().find(|(only, _)| *only == browser.only).map_or("", |(_, name)| *name);
        let combo =
            egui::ComboBox::from_id_salt("findings").selected_text(now).width(90.0).show_ui(ui, |ui| {
                for (only, name) in names {
                    ui.selectable_value(&mut browser.only, only, name);
                }
            });
        combo.response.accessible_name("Only files with findings");
    });
}

fn row(ui: &mut egui::Ui, work: &mut Work<'_>, entry: &crate::session::files::Entry, selected: bool) {
    let size = Vec2::new(ui.available_width(), ROW);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    response.widget_info(|| WidgetInfo::selected(Role::Button, true, selected, &entry.name));
    if !ui.is_rect_visible(rect) {
        return;
    }
    let visuals = ui.style().interact_selectable(&response, selected);
    if selected || response.hovered() || response.has_focus() {
        ui.painter().rect_filled(rect, 3.0, visuals.weak_bg_fill);
    }
    let square = Rect::from_min_size(rect.min + Vec2::splat(2.0), Vec2::splat(ROW - 4.0));
    let look = work.session.browser.look(&entry.path).cloned();
    let painter = ui.painter().with_clip_rect(rect);
    let weak = ui.visuals().weak_text_color();
    let middle = |text: &str, color| {
        painter.text(square.center(), Align2::CENTER_CENTER, text, FontId::proportional(18.0), color);
    };
    match &look {
        Some(look) => match &look.image {
            Ok(image) => {
                let texture = work.images.get(ui.ctx(), image, || picture(image));
                let whole = Rect::from_min_max(egui::pos2(0.0, 0.0), egui::pos2(1.0, 1.0));
                painter.image(texture.id(), square, whole, Color32::WHITE);
            }
            Err(_) => middle("x", severity_color(ui, Severity::Error)),
        },
        None => middle("…", weak),
    }
    let left = square.right() + 6.0;
    let name = entry.name.rsplit(['/', '\\']).next().unwrap_or(&entry.name);
    let at = egui::pos2(left, rect.top() + 6.0);
    painter.text(at, Align2::LEFT_TOP, name, FontId::proportional(13.5), visuals.text_color());
    let (below, color) = second_line(ui, entry, look.as_ref());
    let at = egui::pos2(left, rect.top() + 27.0);
    painter.text(at, Align2::LEFT_TOP, below, FontId::proportional(11.5), color);
    let why = look.and_then(|look| look.image.err());
    let tip = why
        .map_or_else(|| entry.path.display().to_string(), |why| format!("{}\n{why}", entry.path.display()));
    let response = response.on_hover_text(tip);
    if response.clicked() {
        let beside = ui.input(|input| input.modifiers.command);
        let path = entry.path.clone();
        work.ask(if beside { Action::OpenBeside(path) } else { Action::Open(path) });
    }
    response.context_menu(|ui| {
        if ui.button("Open beside").clicked() {
            work.ask(Action::OpenBeside(entry.path.clone()));
        }
        if ui.button("Copy path").clicked() {
            work.ask(Action::Copy(entry.path.display().to_string()));
        }
    });
}

fn second_line(
    ui: &egui::Ui,
    entry: &crate::session::files::Entry,
    look: Option<&crate::session::browser::Look>,
) -> (String, Color32) {
    let weak = ui.visuals().weak_text_color();
    let folder = entry.name.rfind(['/', '\\']).and_then(|at| entry.name.get(..at)).unwrap_or("").to_owned();
    match look.map(|look| (look.counts, look.image.is_err())) {
        Some((_, true)) => ("cannot be drawn".into(), severity_color(ui, Severity::Error)),
        Some(([errors, ..], _)) if errors > 0 => {
            (format!("{errors} errors  {folder}"), severity_color(ui, Severity::Error))
        }
        Some(([_, warnings, _], _)) if warnings > 0 => {
            (format!("{warnings} warnings  {folder}"), severity_color(ui, Severity::Warning))
        }
        _ => (folder, weak),
    }
}
