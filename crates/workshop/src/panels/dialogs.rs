//! Dialogs: what to open, where to save, what gets lost, what would change, what was not saved.

use std::path::PathBuf;

use egui::{Id, Modal, RichText, Ui};
use galatea::{FormatId, Severity};

use super::{Work, severity_color};
use crate::session::Session;
use crate::session::action::Action;
use crate::session::export::{Motion, targets};
use crate::session::jobs::{Task, finished};

/// What is remembered.
#[derive(Default)]
pub(crate) struct State {
    dialog: Option<Dialog>,
    /// The dialog of the system, while it is open.
    chosen: Option<Task<Option<PathBuf>>>,
    /// Why the dialog of the system gave nothing.
    note: String,
    /// Whether the field of the path wants the focus.
    fresh: bool,
}

/// An open dialog.
enum Dialog {
    Open { path: String },
    SaveAs { path: String, format: FormatId, formats: Vec<(FormatId, &'static str)> },
    Shoot { path: String, size: u32, motion: usize, fps: f32 },
}

/// What the dialog of the system is asked for.
enum Pick {
    File,
    Folder,
    Save(String),
}

/// How images move, and their extensions.
const MOTIONS: [(&str, &str); 3] =
    [("Still image", "png"), ("The clip as it plays", "webp"), ("A turn", "webp")];

impl State {
    /// Returns `true` if a dialog is open.
    pub(crate) fn is_open(&self) -> bool {
        self.dialog.is_some()
    }

    fn begin(&mut self, dialog: Dialog) {
        (self.dialog, self.chosen, self.fresh) = (Some(dialog), None, true);
        self.note.clear();
    }

    /// Asks what to open.
    pub(crate) fn open(&mut self, session: &Session) {
        let here = session.document().map(|document| document.path.clone());
        let here = here.or_else(|| session.browser.roots.first().cloned()).unwrap_or_default();
        self.begin(Dialog::Open { path: here.display().to_string() });
    }

    /// Asks where to save, and in which format.
    pub(crate) fn save_as(&mut self, session: &Session) {
        let Some(document) = session.document() else { return };
        let Some(format) = document.opened.as_ref().and_then(|opened| opened.format) else { return };
        let mut formats = targets(format.id);
        if !formats.iter().any(|(id, _)| *id == format.id) {
            formats.insert(0, (format.id, format.extensions.first().copied().unwrap_or("")));
        }
        let path = document.path.display().to_string();
        self.begin(Dialog::SaveAs { path, format: format.id, formats });
    }

    /// Asks where an image of the viewport goes.
    pub(crate) fn shoot(&mut self, session: &Session) {
        let Some(document) = session.document().filter(|document| document.scene().is_some()) else { return };
        let path = document.path.with_extension("png").display().to_string();
        self.begin(Dialog::Shoot { path, size: 1024, motion: 0, fps: 20.0 });
    }
}

/// Shows the dialogs that are open.
pub(crate) fn show(ui: &Ui, work: &mut Work<'_>, state: &mut State) {
    pending(ui, work);
    closing(ui, work);
    proposal(ui, work);
    #[cfg(not(target_arch = "wasm32"))]
    left(ui, work);
    take_chosen(state);
    let Some(mut dialog) = state.dialog.take() else { return };
    let mut open = true;
    let response = Modal::new(Id::unique("dialog")).show(ui.ctx(), |ui| {
        ui.set_width(560.0_f32.min(ui.ctx().content_rect().width() - 40.0));
        open = match &mut dialog {
            Dialog::Open { path } => open_dialog(ui, work, state, path),
            Dialog::SaveAs { path, format, formats } => save_dialog(ui, work, state, path, format, formats),
            Dialog::Shoot { path, size, motion, fps } => {
                shoot_dialog(ui, work, state, (path, size, motion, fps))
            }
        };
        if !state.note.is_empty() {
            ui.colored_label(severity_color(ui, Severity::Warning), &state.note);
        }
    });
    if open && !response.should_close() {
        state.dialog = Some(dialog);
    }
}

fn take_chosen(state: &mut State) {
    let Some(outcome) = finished(&mut state.chosen) else { return };
    let chosen = match outcome {
        Ok(Some(chosen)) => chosen.display().to_string(),
        // Without a desktop there is no such dialog, which cannot be told from a closed one.
        Ok(None) => {
            state.note = "Nothing was chosen. If no dialog appeared, type the path instead.".into();
            return;
        }
        Err(error) => {
            state.note = error;
            return;
        }
    };
    match &mut state.dialog {
        Some(Dialog::Open { path } | Dialog::SaveAs { path, .. } | Dialog::Shoot { path, .. }) => {
            *path = chosen
        }
        None => {}
    }
}

/// Opens the dialog of the system; the path field stays.
#[cfg(not(target_arch = "wasm32"))]
fn pick(work: &Work<'_>, state: &mut State, what: Pick, path: &str) {
    use std::future::Future;
    use std::pin::Pin;

    type Chosen = Pin<Box<dyn Future<Output = Option<PathBuf>> + Send>>;
    state.note.clear();
    let path = PathBuf::from(path);
    let folder = if path.is_dir() { Some(path.as_path()) } else { path.parent() };
    let dialog = rfd::AsyncFileDialog::new();
    let dialog = match folder.filter(|folder| folder.is_dir()) {
        Some(folder) => dialog.set_directory(folder),
        None => dialog,
    };
    let to_path = |file: Option<rfd::FileHandle>| file.map(|file| file.path().to_path_buf());
    let chosen: Chosen = match what {
        Pick::File => Box::pin(async move { to_path(dialog.pick_file().await) }),
        Pick::Folder => Box::pin(async move { to_path(dialog.pick_folder().await) }),
        Pick::Save(name) => Box::pin(async move { to_path(dialog.set_file_name(name).save_file().await) }),
    };
    let task =
        Task::start(work.session.executor.as_ref(), "Choosing", move |_| Ok(pollster::block_on(chosen)));
    state.chosen = Some(task);
}

#[cfg(target_arch = "wasm32")]
fn pick(_: &Work<'_>, state: &mut State, what: Pick, _: &str) {
    state.note = match what {
        Pick::File | Pick::Folder => "Drop files on the page to open them.".into(),
        Pick::Save(name) => format!("{name} is saved to the downloads of the browser."),
    };
}

fn path_field(ui: &mut Ui, state: &mut State, path: &mut String) -> bool {
    let field = egui::TextEdit::singleline(path).desired_width(f32::INFINITY).hint_text("path");
    let response = ui.add(field).accessible_name("Path");
    if std::mem::take(&mut state.fresh) {
        response.request_focus();
    }
    response.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter))
}

fn open_dialog(ui: &mut Ui, work: &mut Work<'_>, state: &mut State, path: &mut String) -> bool {
    ui.heading("Open");
    ui.label("A file, a folder, an archive (also a path inside of one), or the folder of a game.");
    let mut go = path_field(ui, state, path);
    let mut cancel = false;
    ui.horizontal(|ui| {
        if ui.button("Choose file…").clicked() {
            pick(work, state, Pick::File, path);
        }
        if ui.button("Choose folder…").clicked() {
            pick(work, state, Pick::Folder, path);
        }
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            go |= ui.button("Open").clicked();
            cancel = ui.button("Cancel").clicked();
        });
    });
    let recent = work.session.settings.recent.clone();
    if !recent.is_empty() {
        ui.separator();
        ui.weak("Recent");
    }
    for place in recent.into_iter().take(8) {
        if ui.link(place.display().to_string()).clicked() {
            *path = place.display().to_string();
            go = true;
        }
    }
    if go && !path.trim().is_empty() {
        work.ask(Action::Open(PathBuf::from(path.trim())));
    }
    !go && !cancel
}

/// Returns a path with another extension; extensions of two parts count as one.
fn with_extension(path: &str, old: &[(FormatId, &'static str)], new: &str) -> String {
    let lower = path.to_lowercase();
    let known = old.iter().map(|(_, extension)| extension).filter(|e| lower.ends_with(&format!(".{e}")));
    let longest = known.map(|extension| extension.len()).max();
    let cut = longest.map(|len| path.len() - len - 1).or_else(|| path.rfind('.').filter(|at| *at > 0));
    format!("{}.{new}", cut.and_then(|cut| path.get(..cut)).unwrap_or(path))
}

fn save_dialog(
    ui: &mut Ui,
    work: &mut Work<'_>,
    state: &mut State,
    path: &mut String,
    format: &mut FormatId,
    formats: &[(FormatId, &'static str)],
) -> bool {
    ui.heading("Save as");
    let old = *format;
    let combo = egui::ComboBox::from_id_salt("formats").selected_text(format.format().title).width(360.0);
    let combo = combo.height(500.0).show_ui(ui, |ui| {
        for (id, extension) in formats {
            ui.selectable_value(format, *id, format!("{} (.{extension})", id.format().title));
        }
    });
    combo.response.accessible_name("Format");
    if old != *format
        && let Some((_, extension)) = formats.iter().find(|(id, _)| id == format)
    {
        *path = with_extension(path, formats, extension);
    }
    let mut go = path_field(ui, state, path);
    ui.weak("What the format cannot hold is listed before anything is written.");
    let mut cancel = false;
    ui.horizontal(|ui| {
        if ui.button("Choose…").clicked() {
            let name = path.rsplit(['/', '\\']).next().unwrap_or(path).to_owned();
            pick(work, state, Pick::Save(name), path);
        }
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            go |= ui.button("Save").clicked();
            cancel = ui.button("Cancel").clicked();
        });
    });
    if go && !path.trim().is_empty() {
        let path = PathBuf::from(path.trim());
        work.ask(Action::SaveAs { path, format: *format, replace: false });
    }
    !go && !cancel
}

type Shot<'a> = (&'a mut String, &'a mut u32, &'a mut usize, &'a mut f32);

fn shoot_dialog(
    ui: &mut Ui,
    work: &mut Work<'_>,
    state: &mut State,
    (path, size, motion, fps): Shot<'_>,
) -> bool {
    ui.heading("Export image");
    let old = *motion;
    ui.horizontal(|ui| {
        for (number, (name, _)) in MOTIONS.iter().enumerate() {
            ui.radio_value(motion, number, *name);
        }
    });
    if old != *motion
        && let Some((_, extension)) = MOTIONS.get(*motion)
    {
        *path = PathBuf::from(&*path).with_extension(extension).display().to_string();
    }
    ui.horizontal(|ui| {
        ui.add(egui::DragValue::new(size).range(16..=4096).suffix(" pixels")).accessible_name("Size");
        if *motion > 0 {
            ui.add(egui::DragValue::new(fps).range(1.0..=60.0).suffix(" per second")).accessible_name("Rate");
            ui.weak(".webp, .gif or .png");
        }
    });
    let mut go = path_field(ui, state, path);
    let mut cancel = false;
    ui.horizontal(|ui| {
        if ui.button("Choose…").clicked() {
            let name = path.rsplit(['/', '\\']).next().unwrap_or(path).to_owned();
            pick(work, state, Pick::Save(name), path);
        }
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            go |= ui.button("Export").clicked();
            cancel = ui.button("Cancel").clicked();
        });
    });
    if go && !path.trim().is_empty() {
        let motion = match *motion {
            1 => Motion::Clip(*fps),
            2 => Motion::Turn(*fps),
            _ => Motion::Still,
        };
        let path = PathBuf::from(path.trim());
        work.ask(Action::Shoot { path, size: (*size, *size), motion, replace: false });
    }
    !go && !cancel
}

/// What gets lost, or is in the way, before anything is written.
fn pending(ui: &Ui, work: &mut Work<'_>) {
    let Some(export) = work.session.pending.clone() else { return };
    let response = Modal::new(Id::unique("pending")).show(ui.ctx(), |ui| {
        ui.set_width(520.0);
        ui.heading(export.path.file_name().map_or(String::new(), |n| n.to_string_lossy().into_owned()));
        if let Some(conflict) = &export.conflict {
            ui.colored_label(severity_color(ui, Severity::Warning), conflict);
        }
        if !export.losses.is_empty() {
            ui.label("This format cannot hold everything. What gets lost:");
            egui::ScrollArea::vertical().max_height(260.0).show(ui, |ui| {
                for loss in &export.losses {
                    ui.label(format!("• {loss}"));
                }
            });
            ui.weak("The file that is open stays as it is.");
        }
        ui.horizontal(|ui| {
            let name = if export.conflict.is_some() { "Replace" } else { "Write anyway" };
            if ui.button(name).clicked() {
                work.ask(Action::Write);
            }
            ui.button("Do not write").clicked()
        })
        .inner
    });
    if response.inner || response.should_close() {
        work.ask(Action::DoNotWrite);
    }
}

/// Unsaved changes of a document that is to be closed.
fn closing(ui: &Ui, work: &mut Work<'_>) {
    let Some(at) = work.session.closing else { return };
    let Some(document) = work.session.documents.get(at) else {
        work.session.closing = None;
        return;
    };
    let (name, dirty) = (document.name(), document.is_dirty());
    let mut done = !dirty;
    if !dirty {
        // It was saved from this dialog.
        work.ask(Action::CloseAnyway(at));
    }
    let response = Modal::new(Id::unique("closing")).show(ui.ctx(), |ui| {
        ui.heading("Unsaved changes");
        ui.label(format!("{name} has changes that are not saved."));
        ui.horizontal(|ui| {
            if ui.button("Save and close").clicked() {
                work.ask(Action::Save);
            }
            if ui.button("Close without saving").clicked() {
                work.ask(Action::CloseAnyway(at));
                done = true;
            }
            done |= ui.button("Keep open").clicked();
        });
    });
    if done || response.should_close() {
        work.session.closing = None;
    }
}

/// A change before it is made.
fn proposal(ui: &Ui, work: &mut Work<'_>) {
    let Some(change) = work.session.document().and_then(|document| document.proposal.clone()) else { return };
    let response = Modal::new(Id::unique("proposal")).show(ui.ctx(), |ui| {
        ui.set_width(620.0_f32.min(ui.ctx().content_rect().width() - 40.0));
        ui.heading(&change.label);
        ui.label("What would differ:");
        let height = ui.text_style_height(&egui::TextStyle::Monospace);
        let area = egui::ScrollArea::both().max_height(300.0).auto_shrink([false, true]);
        area.show_rows(ui, height, change.differences.len(), |ui, rows| {
            for line in change.differences.get(rows).into_iter().flatten() {
                ui.add(egui::Label::new(RichText::new(line).monospace()).extend());
            }
        });
        ui.weak(format!("galatea {}", change.command));
        ui.horizontal(|ui| {
            let entered = ui.input(|input| input.key_pressed(egui::Key::Enter));
            if ui.button("Apply").on_hover_text("Enter; undo takes it back").clicked() || entered {
                work.ask(Action::Apply);
            }
            ui.button("Do not change").clicked()
        })
        .inner
    });
    if response.inner || response.should_close() {
        work.ask(Action::Dismiss);
    }
}

/// Changes that an earlier run could not save.
#[cfg(not(target_arch = "wasm32"))]
fn left(ui: &Ui, work: &mut Work<'_>) {
    if work.session.left.is_empty() {
        return;
    }
    Modal::new(Id::unique("left")).show(ui.ctx(), |ui| {
        ui.set_width(520.0);
        ui.heading("Changes of an earlier run");
        ui.label("Galatea ended before these changes were saved:");
        let mut asked = None;
        for (number, left) in work.session.left.iter().enumerate() {
            ui.separator();
            ui.label(left.path.display().to_string());
            ui.horizontal(|ui| {
                if ui.button("Recover").clicked() {
                    asked = Some(Action::Recover(number));
                }
                if ui.button("Forget").clicked() {
                    asked = Some(Action::DiscardLeft(number));
                }
            });
        }
        if let Some(action) = asked {
            work.ask(action);
        }
    });
}
