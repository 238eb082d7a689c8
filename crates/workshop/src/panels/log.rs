//! What was done and what went wrong, and the line at the bottom of the window.

use egui::Ui;
use galatea::Severity;

use super::{Work, severity_color};
use crate::session::action::Action;

/// Shows all messages.
pub(crate) fn show(ui: &mut Ui, work: &mut Work<'_>) {
    ui.horizontal(|ui| {
        if ui.button("Copy all").clicked() {
            let lines: Vec<&str> =
                work.session.messages.iter().map(|message| message.text.as_str()).collect();
            let text = lines.join("\n");
            work.ask(Action::Copy(text));
        }
        if ui.button("Clear").clicked() {
            work.ask(Action::ClearLog);
        }
    });
    let messages = &work.session.messages;
    let height = ui.text_style_height(&egui::TextStyle::Body) + 2.0;
    let area = egui::ScrollArea::vertical().id_salt("log").auto_shrink(false).stick_to_bottom(true);
    area.show_rows(ui, height, messages.len(), |ui, range| {
        for message in messages.get(range).into_iter().flatten() {
            let color = color(ui, message.severity);
            ui.add(egui::Label::new(egui::RichText::new(&message.text).color(color)).truncate());
        }
    });
}

fn color(ui: &Ui, severity: Severity) -> egui::Color32 {
    match severity {
        Severity::Info => ui.visuals().text_color(),
        other => severity_color(ui, other),
    }
}

/// Shows the last message, what is being done, and the command that does the same as the last action.
pub(crate) fn status(ui: &mut Ui, work: &mut Work<'_>) {
    ui.horizontal(|ui| {
        let busy = work.session.busy();
        if let Some((what, part)) = busy.first() {
            match part {
                Some(part) => {
                    ui.add(
                        egui::ProgressBar::new(*part)
                            .desired_width(90.0)
                            .text(format!("{:.0} %", part * 100.0)),
                    );
                }
                None => {
                    ui.spinner();
                }
            }
            ui.label(what);
            if ui.small_button("Stop").clicked() {
                work.session.stop();
            }
            ui.separator();
        }
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            if let Some(command) = work.session.last_command.clone() {
                let command = format!("galatea {command}");
                let button = ui.small_button("Copy as command line");
                if button.on_hover_text(&command).clicked() {
                    work.ask(Action::Copy(command));
                }
            }
            ui.with_layout(egui::Layout::left_to_right(egui::Align::Center), |ui| {
                let Some(message) = work.session.messages.last() else {
                    ui.weak("Press ? for the keys");
                    return;
                };
                let color = color(ui, message.severity);
                let text = egui::RichText::new(&message.text).color(color);
                ui.add(egui::Label::new(text).truncate()).on_hover_text(&message.text);
            });
        });
    });
}
