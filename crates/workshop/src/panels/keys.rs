//! Keys for everything.

use egui::{Key, KeyboardShortcut, Modifiers, Ui};

use super::{Panels, Work};
use crate::session::action::Action;
use crate::session::change::Wish;
use crate::session::settings::{Bottom, Side};
use crate::session::view::Paint;

/// The keys, for the overlay and the documentation.
pub(crate) const KEYS: &[(&str, &str)] = &[
    ("Ctrl+O", "open a file, folder, archive or game"),
    ("Down / Up", "next / previous file of the list"),
    ("Ctrl+S / Ctrl+Shift+S", "save / save as, in any format"),
    ("Ctrl+E", "export an image or moving image"),
    ("Ctrl+Z / Ctrl+Shift+Z", "undo / redo"),
    ("Ctrl+W", "close the file"),
    ("Ctrl+Tab", "next open file"),
    ("Space", "play or pause"),
    (", / .", "a frame back / on"),
    ("[ / ]", "previous / next clip"),
    ("F", "frame all"),
    ("Home / End / PageUp", "from the front / from behind / from above"),
    ("1 to 6", "skeleton, wire, bounds, walk surfaces, shadow, grid"),
    ("N / U / M", "normals / texture coordinates / materials"),
    ("A D W S", "turn the camera, when the viewport has the focus"),
    ("F1 to F4", "properties, textures, change, walk"),
    ("F5", "read everything again"),
    ("F6 to F8", "findings, bytes, log"),
    ("Alt+Down / Alt+Up", "next / previous finding"),
    ("Ctrl+.", "fix the selected finding; Enter applies what is shown"),
    ("G", "walk: clicks in the viewport set two points"),
    ("Ctrl+Plus / Ctrl+Minus / Ctrl+0", "larger / smaller / as it was"),
    ("Tab / Shift+Tab, Enter", "go through all buttons and fields, press one"),
    ("Esc", "forget the change that is shown, close a dialog"),
    ("?", "these keys"),
];

fn pressed(ui: &Ui, modifiers: Modifiers, key: Key) -> bool {
    ui.input_mut(|input| input.consume_shortcut(&KeyboardShortcut::new(modifiers, key)))
}

/// Does what keys ask for.
pub(crate) fn read(ui: &Ui, work: &mut Work<'_>, panels: &mut Panels) {
    if panels.dialogs.is_open() || work.session.pending.is_some() || work.session.closing.is_some() {
        return;
    }
    let control = Modifiers::COMMAND;
    let with_shift = Modifiers::COMMAND | Modifiers::SHIFT;
    // Those with more modifiers come first: a shortcut takes what has it, too.
    if pressed(ui, with_shift, Key::Z) || pressed(ui, control, Key::Y) {
        work.ask(Action::Redo);
    }
    if pressed(ui, with_shift, Key::S) {
        panels.dialogs.save_as(work.session);
    }
    if pressed(ui, control, Key::Z) {
        work.ask(Action::Undo);
    }
    if pressed(ui, control, Key::S) {
        work.ask(Action::Save);
    }
    if pressed(ui, control, Key::E) {
        panels.dialogs.shoot(work.session);
    }
    if pressed(ui, control, Key::O) {
        panels.dialogs.open(work.session);
    }
    if pressed(ui, control, Key::W) && work.session.document().is_some() {
        let current = work.session.current;
        work.ask(Action::Close(current));
    }
    if pressed(ui, control, Key::Tab) {
        let count = work.session.documents.len().max(1);
        let next = (work.session.current + 1) % count;
        work.ask(Action::Switch(next));
    }
    if pressed(ui, control, Key::Period) {
        fix(work);
    }
    scale(ui, work);
    // What is typed into a field is no command.
    if ui.ctx().egui_wants_keyboard_input()
        && ui.memory(|memory| memory.focused()).is_some_and(|id| is_text(ui, id))
    {
        return;
    }
    if ui.input(|input| input.events.iter().any(|e| matches!(e, egui::Event::Text(text) if text == "?"))) {
        panels.help = !panels.help;
    }
    if panels.help || work.session.document().is_some_and(|document| document.proposal.is_some()) {
        return;
    }
    plain(ui, work);
}

fn is_text(ui: &Ui, id: egui::Id) -> bool {
    egui::TextEdit::load_state(ui.ctx(), id).is_some()
}

fn scale(ui: &Ui, work: &mut Work<'_>) {
    let control = Modifiers::COMMAND;
    let scale = work.session.settings.scale;
    let new = if pressed(ui, control, Key::Plus) || pressed(ui, control, Key::Equals) {
        scale * 1.1
    } else if pressed(ui, control, Key::Minus) {
        scale / 1.1
    } else if pressed(ui, control, Key::Num0) {
        1.0
    } else {
        return;
    };
    work.session.settings.scale = new.clamp(0.5, 3.0);
}

fn plain(ui: &Ui, work: &mut Work<'_>) {
    let none = Modifiers::NONE;
    let panels = [
        (Key::F1, Action::Side(Side::Properties)),
        (Key::F2, Action::Side(Side::Textures)),
        (Key::F3, Action::Side(Side::Change)),
        (Key::F4, Action::Side(Side::Walk)),
        (Key::F5, Action::Refresh),
        (Key::F6, Action::Bottom(Bottom::Findings)),
        (Key::F7, Action::Bottom(Bottom::Bytes)),
        (Key::F8, Action::Bottom(Bottom::Log)),
        (Key::F, Action::FrameAll),
        (Key::Home, Action::Look(0.0, 0.0)),
        (Key::End, Action::Look(180.0, 0.0)),
        (Key::PageUp, Action::Look(0.0, 89.0)),
        (Key::Comma, Action::Nudge(-1.0)),
        (Key::Period, Action::Nudge(1.0)),
        (Key::Escape, Action::Dismiss),
    ];
    for (by, key) in [(1, Key::ArrowDown), (-1, Key::ArrowUp)] {
        if pressed(ui, Modifiers::ALT, key) {
            finding(work, by);
        } else if pressed(ui, none, key) {
            work.ask(Action::Step(by));
        }
    }
    for (key, action) in panels {
        if pressed(ui, none, key) {
            work.ask(action);
        }
    }
    let Some(document) = work.session.document() else { return };
    let (plays, clip) = (document.clock.plays, document.clock.clip);
    let clips = document.scene().map_or(0, |scene| scene.clips.len());
    let walks = document.walking.on;
    // A button with the focus is pressed by it.
    if ui.memory(|memory| memory.focused()).is_none() && pressed(ui, none, Key::Space) {
        work.ask(Action::Play(!plays));
    }
    if pressed(ui, none, Key::G) {
        work.ask(Action::Walk(!walks));
    }
    if clips > 0 && pressed(ui, none, Key::CloseBracket) {
        work.ask(Action::Clip(Some(clip.map_or(0, |clip| (clip + 1) % clips))));
    }
    if clips > 0 && pressed(ui, none, Key::OpenBracket) {
        work.ask(Action::Clip(Some(clip.map_or(clips - 1, |clip| (clip + clips - 1) % clips))));
    }
    shown(ui, work);
}

fn shown(ui: &Ui, work: &mut Work<'_>) {
    let none = Modifiers::NONE;
    let old = work.session.settings.show.clone();
    let mut show = old.clone();
    let flags = [
        (Key::Num1, &mut show.skeleton),
        (Key::Num2, &mut show.wire),
        (Key::Num3, &mut show.bounds),
        (Key::Num4, &mut show.walk),
        (Key::Num5, &mut show.ground),
        (Key::Num6, &mut show.no_grid),
    ];
    for (key, flag) in flags {
        if pressed(ui, none, key) {
            *flag = !*flag;
        }
    }
    for (key, paint) in [(Key::N, Paint::Normals), (Key::U, Paint::Uv), (Key::M, Paint::Materials)] {
        if pressed(ui, none, key) {
            show.paint = paint;
        }
    }
    if show != old {
        work.ask(Action::Show(show));
    }
}

/// Shows what the fix of the selected finding would change.
fn fix(work: &mut Work<'_>) {
    let Some(document) = work.session.document() else { return };
    let report = document.opened.as_ref().map(|opened| &opened.report);
    let finding = report.zip(document.selection.finding).and_then(|(report, at)| report.findings().get(at));
    if let Some(rule) = finding.map(|finding| finding.rule).filter(|rule| rule.fix) {
        work.ask(Action::Change { wish: Wish::Fix(vec![rule.code.to_owned()]), asks: true });
    }
}

/// Selects the finding that is this many behind the selected one.
fn finding(work: &mut Work<'_>, by: isize) {
    let Some(document) = work.session.document() else { return };
    let Some(opened) = &document.opened else { return };
    let order = super::findings::order(&opened.report, work.session.settings.infos);
    let now = document.selection.finding.and_then(|now| order.iter().position(|at| *at == now));
    let next = match now {
        Some(now) => now.checked_add_signed(by),
        None => Some(0),
    };
    if let Some(next) = next.and_then(|next| order.get(next).copied()) {
        work.ask(Action::SelectFinding(next));
    }
}
