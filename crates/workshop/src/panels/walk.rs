//! Paths over walkmeshes and layouts.

use egui::Ui;
use galatea::Severity;

use super::{Work, severity_color};
use crate::session::action::Action;
use crate::session::walking::Found;

/// Shows the points, the path and the doors.
pub(crate) fn show(ui: &mut Ui, work: &mut Work<'_>) {
    let Some(document) = work.session.document() else { return };
    let walking = &document.walking;
    let mut asked = Vec::new();
    let mut on = walking.on;
    let tip = "Clicks in the viewport set the two points";
    if ui.checkbox(&mut on, "Walk here").on_hover_text(tip).changed() {
        asked.push(Action::Walk(on));
    }
    if !walking.on {
        ui.weak("Find paths on a walkmesh, a layout, or the ground of any model.");
        asked.into_iter().for_each(|action| work.ask(action));
        return;
    }
    match &walking.land {
        None => {
            ui.horizontal(|ui| {
                ui.spinner();
                ui.label("Finding the ground");
            });
        }
        Some(Err(error)) => {
            ui.colored_label(severity_color(ui, Severity::Warning), error);
        }
        Some(Ok(land)) => {
            let mesh = land.area.mesh();
            let walkable = (0..mesh.len() as u32).filter(|face| mesh.is_walkable(*face)).count();
            ui.weak(format!(
                "{} faces, {walkable} of them walkable, {} rooms",
                mesh.len(),
                land.area.rooms().len()
            ));
        }
    }
    let mut radius = walking.radius;
    let slider = egui::Slider::new(&mut radius, 0.0..=5.0).text("Width (radius)").step_by(0.05);
    if ui.add(slider).changed() {
        asked.push(Action::WalkRadius(radius));
    }
    points(ui, document, &mut asked);
    if let Some(Ok(land)) = &walking.land {
        let doors = land.area.doors();
        if !doors.is_empty() {
            ui.separator();
            ui.strong("Doors");
        }
        egui::ScrollArea::vertical().id_salt("doors").show(ui, |ui| {
            for (number, door) in doors.iter().enumerate() {
                let mut open = door.is_open;
                if ui.checkbox(&mut open, format!("{} open", door.name)).changed() {
                    asked.push(Action::Door(number, open));
                }
            }
        });
    }
    asked.into_iter().for_each(|action| work.ask(action));
}

fn points(ui: &mut Ui, document: &crate::session::document::Document, asked: &mut Vec<Action>) {
    let walking = &document.walking;
    let text = |point: Option<[f32; 3]>| match point {
        Some([x, y, z]) => format!("{x:.2}, {y:.2}, {z:.2}"),
        None => "click in the viewport".into(),
    };
    egui::Grid::new("points").num_columns(2).show(ui, |ui| {
        ui.label("From");
        ui.monospace(text(walking.from));
        ui.end_row();
        ui.label("To");
        ui.monospace(text(walking.to));
        ui.end_row();
    });
    match &walking.found {
        Some(Found::Path { points, length, crossings }) => {
            let through =
                if *crossings > 0 { format!(", into another room {crossings} times") } else { String::new() };
            ui.label(format!("{length:.2} long, {} points{through}", points.len()));
        }
        Some(Found::None(why)) => {
            ui.colored_label(severity_color(ui, Severity::Warning), why);
        }
        None => {}
    }
    if let Some(command) = walking.command(&document.path)
        && ui.button("Copy path as command line").clicked()
    {
        asked.push(Action::Copy(format!("galatea {command}")));
    }
}
