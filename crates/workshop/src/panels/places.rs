//! What is shown while nothing is open.

use egui::Ui;

use super::Work;
use super::dialogs;
use crate::session::action::Action;

/// Shows how to open something, and the places that were opened before.
pub(crate) fn welcome(ui: &mut Ui, work: &mut Work<'_>, dialogs: &mut dialogs::State) {
    ui.vertical_centered(|ui| {
        ui.add_space(ui.available_height() * 0.18);
        ui.heading("Galatea");
        ui.label("Drop a model, a folder or an archive here, or open one.");
        ui.add_space(10.0);
        if ui.button("Open…").on_hover_text("Ctrl+O").clicked() {
            dialogs.open(work.session);
        }
        ui.add_space(16.0);
        let games = work.session.games.clone();
        if !games.is_empty() {
            ui.weak("Games");
        }
        for (name, folder) in games {
            if ui.link(name).on_hover_text(folder.display().to_string()).clicked() {
                work.ask(Action::Open(folder));
            }
        }
        ui.add_space(10.0);
        let recent = work.session.settings.recent.clone();
        if !recent.is_empty() {
            ui.weak("Recent");
        }
        for path in recent {
            if ui.link(path.display().to_string()).clicked() {
                work.ask(Action::Open(path));
            }
        }
    });
}
