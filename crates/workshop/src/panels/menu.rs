//! The menu and the tabs of open files.

use egui::Ui;

use super::{Panels, Work};
use crate::session::action::Action;
use crate::session::change::Wish;
use crate::session::settings::Theme;

/// Shows the menu and the tabs.
pub(crate) fn show(ui: &mut Ui, work: &mut Work<'_>, panels: &mut Panels) {
    egui::MenuBar::new().ui(ui, |ui| {
        ui.menu_button("File", |ui| file(ui, work, panels));
        ui.menu_button("Edit", |ui| edit(ui, work));
        ui.menu_button("View", |ui| view(ui, work));
        if ui.button("?").on_hover_text("The keys").accessible_name("Keys").clicked() {
            panels.help = true;
        }
        ui.separator();
        tabs(ui, work);
    });
}

fn file(ui: &mut Ui, work: &mut Work<'_>, panels: &mut Panels) {
    let has = work.session.output().is_some();
    if ui.button("Open…").clicked() {
        panels.dialogs.open(work.session);
    }
    ui.menu_button("Recent", |ui| {
        for path in work.session.settings.recent.clone() {
            if ui.button(path.display().to_string()).clicked() {
                work.ask(Action::Open(path));
            }
        }
    });
    ui.separator();
    let dirty = work.session.document().is_some_and(|document| document.is_dirty());
    if ui.add_enabled(dirty, egui::Button::new("Save").shortcut_text("Ctrl+S")).clicked() {
        work.ask(Action::Save);
    }
    if ui.add_enabled(has, egui::Button::new("Save as…").shortcut_text("Ctrl+Shift+S")).clicked() {
        panels.dialogs.save_as(work.session);
    }
    if ui.add_enabled(has, egui::Button::new("Export image…").shortcut_text("Ctrl+E")).clicked() {
        panels.dialogs.shoot(work.session);
    }
    ui.separator();
    if ui.add_enabled(has, egui::Button::new("Read again").shortcut_text("F5")).clicked() {
        work.ask(Action::Refresh);
    }
    let current = work.session.current;
    if ui.add_enabled(has, egui::Button::new("Close").shortcut_text("Ctrl+W")).clicked() {
        work.ask(Action::Close(current));
    }
    if ui.button("Quit").clicked() {
        ui.ctx().send_viewport_cmd(egui::ViewportCommand::Close);
    }
}

fn edit(ui: &mut Ui, work: &mut Work<'_>) {
    let Some(document) = work.session.document() else {
        ui.weak("Nothing is open.");
        return;
    };
    let (undo, redo) = document.can_undo_redo();
    let (steps, at) = document.history();
    let label = |step: usize| steps.get(step).map_or("", |step| step.label.as_str()).to_owned();
    let (last, next) = (label(at), label(at + 1));
    let commands = document.commands();
    let undo = ui.add_enabled(undo, egui::Button::new("Undo").shortcut_text("Ctrl+Z"));
    if undo.on_hover_text(last).clicked() {
        work.ask(Action::Undo);
    }
    let redo = ui.add_enabled(redo, egui::Button::new("Redo").shortcut_text("Ctrl+Shift+Z"));
    if redo.on_hover_text(next).clicked() {
        work.ask(Action::Redo);
    }
    ui.separator();
    if ui.button("Fix all findings…").clicked() {
        work.ask(Action::Change { wish: Wish::Fix(Vec::new()), asks: true });
    }
    if ui.add_enabled(!commands.is_empty(), egui::Button::new("Copy changes as commands")).clicked() {
        work.ask(Action::Copy(commands.join("\n")));
    }
}

fn view(ui: &mut Ui, work: &mut Work<'_>) {
    let settings = &mut work.session.settings;
    ui.checkbox(&mut settings.browser, "Files and nodes");
    ui.checkbox(&mut settings.right, "Right panel");
    ui.checkbox(&mut settings.lower, "Lower panel");
    ui.checkbox(&mut settings.plays, "Play clips when a model is opened");
    ui.separator();
    ui.label("Theme");
    for (theme, name) in [(Theme::System, "As the system"), (Theme::Light, "Light"), (Theme::Dark, "Dark")] {
        ui.radio_value(&mut settings.theme, theme, name);
    }
    ui.separator();
    let slider = egui::Slider::new(&mut settings.scale, 0.5..=3.0).step_by(0.1).text("Scale");
    ui.add(slider);
}

fn tabs(ui: &mut Ui, work: &mut Work<'_>) {
    let mut asked = Vec::new();
    egui::ScrollArea::horizontal().id_salt("tabs").show(ui, |ui| {
        ui.horizontal(|ui| {
            for (at, document) in work.session.documents.iter().enumerate() {
                let dirty = document.is_dirty();
                let name = format!("{}{}", document.name(), if dirty { " *" } else { "" });
                let tab = ui.selectable_label(at == work.session.current, name.as_str());
                let tab = tab.on_hover_text(document.path.display().to_string());
                if tab.clicked() {
                    asked.push(Action::Switch(at));
                }
                let close = ui.small_button("x").accessible_name(format!("Close {}", document.name()));
                if close.clicked() || tab.middle_clicked() {
                    asked.push(Action::Close(at));
                }
            }
        });
    });
    asked.into_iter().for_each(|action| work.ask(action));
}
