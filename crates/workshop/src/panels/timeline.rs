//! Clips and their time.

use egui::{Color32, Rect, Sense, Stroke, Vec2, WidgetInfo};
use galatea::scene::{Clip, Playback};

use super::Work;
use crate::session::action::Action;
use crate::session::play::Clock;

/// Shows the clip, its time and the controls.
pub(crate) fn show(ui: &mut egui::Ui, work: &mut Work<'_>) {
    let Some(document) = work.session.document() else { return };
    let Some(scene) = document.scene() else {
        ui.weak("Nothing moves in this file.");
        return;
    };
    let clock = document.clock.clone();
    let has_effects = document.opened.as_ref().and_then(|o| o.stand.as_ref()).is_some_and(|s| s.has_effects);
    let mut asked = Vec::new();
    ui.horizontal(|ui| {
        controls(ui, &clock, &scene.clips, &mut asked);
        let length = clock.length(scene);
        if clock.clip.is_some() {
            ui.monospace(format!("{:.2} / {length:.2} s", clock.shown(scene)));
        } else if has_effects {
            ui.monospace(format!("{:.2} s", clock.time));
        }
        if let Some(clip) = clock.clip(scene) {
            ui.weak(match clip.playback {
                Playback::Once => "plays once",
                Playback::Loop => "loops",
                _ => "always plays",
            });
        }
    });
    if let Some(clip) = clock.clip(scene) {
        line(ui, clip, clock.shown(scene), &mut asked);
    }
    asked.into_iter().for_each(|action| work.ask(action));
}

fn controls(ui: &mut egui::Ui, clock: &Clock, clips: &[Clip], asked: &mut Vec<Action>) {
    let name = if clock.plays { "Pause" } else { "Play" };
    if ui.button(name).on_hover_text(format!("{name} (Space)")).accessible_name(name).clicked() {
        asked.push(Action::Play(!clock.plays));
    }
    for (sign, frames, name) in [("<", -1.0, "Frame back"), (">", 1.0, "Frame on")] {
        if ui.button(sign).on_hover_text(format!("{name} (, and .)")).accessible_name(name).clicked() {
            asked.push(Action::Nudge(frames));
        }
    }
    let current = clock.clip.and_then(|clip| clips.get(clip));
    let text = current.map_or("at rest", |clip| clip.name.as_str());
    let shown = egui::ComboBox::from_id_salt("clip").selected_text(text).width(180.0).height(400.0);
    let shown = shown.show_ui(ui, |ui| {
        if ui.selectable_label(clock.clip.is_none(), "at rest").clicked() {
            asked.push(Action::Clip(None));
        }
        for (number, clip) in clips.iter().enumerate() {
            let label = format!("{}  {:.2} s", clip.name, clip.length);
            if ui.selectable_label(clock.clip == Some(number), label).clicked() {
                asked.push(Action::Clip(Some(number)));
                asked.push(Action::Play(true));
            }
        }
    });
    shown.response.on_hover_text("The clip that plays ([ and ])").accessible_name("Clip");
    let mut speed = clock.speed;
    let field = egui::DragValue::new(&mut speed).range(0.05..=8.0).speed(0.02).suffix(" x");
    if ui.add(field).on_hover_text("Speed").accessible_name("Speed").changed() {
        asked.push(Action::Speed(speed));
    }
    let mut again = clock.again;
    let tip = "Play what the game plays once again and again";
    if ui.checkbox(&mut again, "Repeat").on_hover_text(tip).changed() {
        asked.push(Action::Again(again));
    }
}

/// The time line: a click or drag goes to a time, events are ticks.
fn line(ui: &mut egui::Ui, clip: &Clip, time: f32, asked: &mut Vec<Action>) {
    let size = Vec2::new(ui.available_width(), 26.0);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click_and_drag());
    response.widget_info(|| WidgetInfo::slider(true, f64::from(time), "Time"));
    let inside = rect.shrink2(Vec2::new(6.0, 3.0));
    let painter = ui.painter();
    painter.rect_filled(inside, 3.0, ui.visuals().extreme_bg_color);
    let length = clip.length.max(1e-4);
    let x = |time: f32| inside.left() + inside.width() * (time / length).clamp(0.0, 1.0);
    let weak = ui.visuals().weak_text_color();
    let mut keys: Vec<u32> = Vec::new();
    for channel in clip.channels.iter().take(64) {
        keys.extend(channel.times.iter().take(200).map(|time| x(*time) as u32));
    }
    keys.sort_unstable();
    keys.dedup();
    for key in keys {
        painter.vline(key as f32, inside.bottom() - 5.0..=inside.bottom(), Stroke::new(1.0, weak));
    }
    let pointer = response.hover_pos();
    for event in &clip.events {
        let at = x(event.time);
        let tick = Rect::from_center_size(egui::pos2(at, inside.top() + 4.0), Vec2::new(3.0, 8.0));
        painter.rect_filled(tick, 1.0, Color32::from_rgb(235, 170, 60));
        if pointer.is_some_and(|p| (p.x - at).abs() < 4.0) {
            response.show_tooltip_text(format!("{} at {:.3} s", event.name, event.time));
        }
    }
    let accent = ui.visuals().selection.bg_fill;
    painter.vline(x(time), inside.y_range(), Stroke::new(2.0, accent.gamma_multiply(1.6)));
    painter.circle_filled(egui::pos2(x(time), inside.center().y), 5.0, accent.gamma_multiply(1.6));
    if let Some(at) = response.interact_pointer_pos().filter(|_| response.clicked() || response.dragged()) {
        let part = ((at.x - inside.left()) / inside.width().max(1.0)).clamp(0.0, 1.0);
        asked.push(Action::Seek(part * clip.length));
    }
}
