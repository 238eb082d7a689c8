//! Saving, and writing other formats and images.

use std::path::PathBuf;
use std::sync::Arc;

use galatea::Severity;

use super::action::Action;
use super::document::OnDisk;
use super::export::{self, Export, Shot};
use super::files::{Unsaved, name_of};
use super::jobs::{Task, finished};
use super::{Session, change};

/// What became of writing.
pub(crate) struct Written {
    /// What was to be written.
    export: Export,
    /// Why it was not.
    result: Result<(), Unsaved>,
    /// What is known of the file now.
    stamp: Option<u64>,
}

impl Session {
    /// Does what has to do with writing files.
    pub(super) fn act_on_files(&mut self, action: Action) {
        match action {
            Action::Save => self.save(),
            Action::SaveAs { path, format, replace } => self.save_as(path, format, replace),
            Action::Shoot { path, size, motion, replace } => self.shoot(path, size, motion, replace),
            Action::Write => {
                if let Some(export) = self.pending.take() {
                    let replace = export.replace || export.conflict.is_some();
                    self.write(Export { replace, ..export });
                }
            }
            Action::DoNotWrite => self.pending = None,
            _ => {}
        }
    }

    fn save(&mut self) {
        let Some(document) = self.document() else { return };
        let Some(output) = document.output().cloned() else { return };
        if !document.is_dirty() && document.on_disk == OnDisk::Same {
            return self.say(Severity::Info, "Nothing to save: the file is as it is shown");
        }
        let commands = document.commands().join(" && ");
        let command = commands.strip_prefix("galatea ").unwrap_or(&commands).to_owned();
        let mut export = Export::whole(document.path.clone(), output, command);
        export.takes = Some(document.id);
        export.replace = true;
        if document.on_disk == OnDisk::Changed {
            let text = format!("{} was changed by another program meanwhile", document.name());
            export.conflict = Some(text);
            self.pending = Some(export);
            return;
        }
        self.write(export);
    }

    fn save_as(&mut self, path: PathBuf, format: galatea::FormatId, replace: bool) {
        let Some(document) = self.document() else { return };
        let Some(output) = document.output().cloned() else { return };
        let own = document.opened.as_ref().and_then(|opened| opened.format);
        if own.is_some_and(|own| own.id == format) {
            let [from, to] = [&document.path, &path].map(|p| change::quoted(&p.display().to_string()));
            let mut export = Export::whole(path, output, format!("convert {from} {to}"));
            (export.takes, export.replace) = (Some(document.id), replace);
            return self.write(export);
        }
        let around = self.around(&document.path);
        let what = format!("Converting to {format}");
        let task = Task::start(self.executor.as_ref(), what, move |_| {
            let export = export::convert(&around, &output, format, path)?;
            Ok(Export { replace, ..export })
        });
        self.making = Some(task);
    }

    fn shoot(&mut self, path: PathBuf, size: (u32, u32), motion: export::Motion, replace: bool) {
        let show = self.settings.show.clone();
        let Some(document) = self.document_mut() else { return };
        let Some((_, look)) = document.frame(&show, size) else {
            return self.say(Severity::Error, "there is nothing to draw in this file");
        };
        let (yaw, pitch) = (document.orbit.yaw, document.orbit.pitch);
        let bone = document.node_name().map(str::to_owned);
        let shot = Shot {
            look: look.with_yaw(yaw).with_pitch(pitch).with_strokes(document.walking.strokes()),
            motion,
            words: show.words(bone.as_deref()),
            background: show.background.word(),
            camera: document.camera.clone(),
        };
        let Some(output) = document.output().cloned() else { return };
        let from = document.path.clone();
        let around = self.around(&from);
        let what = format!("Drawing {}", name_of(&path));
        let task = Task::start(self.executor.as_ref(), what, move |progress| {
            let export = export::shoot(&around, &output, &shot, path, progress)?;
            Ok(Export { replace, ..export })
        });
        self.making = Some(task);
    }

    fn write(&mut self, export: Export) {
        let files = Arc::clone(&self.files);
        let what = format!("Writing {}", name_of(&export.path));
        self.writing = Some(Task::start(self.executor.as_ref(), what, move |_| {
            let result = files.save(&export.path, &export.output, export.replace);
            let stamp = files.stamp(&export.path);
            Ok(Written { export, result, stamp })
        }));
    }

    /// Takes what was made and written.
    pub(super) fn take_made(&mut self) {
        match finished(&mut self.making) {
            // Losses are listed before anything is written.
            Some(Ok(export)) if !export.losses.is_empty() => self.pending = Some(export),
            Some(Ok(export)) => self.write(export),
            Some(Err(error)) => self.say(Severity::Error, error),
            None => {}
        }
        match finished(&mut self.writing) {
            Some(Ok(written)) => self.take_written(written),
            Some(Err(error)) => self.say(Severity::Error, error),
            None => {}
        }
    }

    fn take_written(&mut self, Written { mut export, result, stamp }: Written) {
        match result {
            Ok(()) => {}
            Err(Unsaved::Exists(name)) => {
                export.conflict = Some(format!("{name} is there already"));
                self.pending = Some(export);
                return;
            }
            Err(Unsaved::Failed(error)) => return self.say(Severity::Error, format!("not saved: {error}")),
        }
        self.say(Severity::Info, format!("Saved {}", export.path.display()));
        if !export.command.is_empty() {
            self.last_command = Some(export.command.clone());
        }
        self.browser.forget(&export.path);
        self.files.refresh();
        let Some(id) = export.takes else { return };
        let Some(at) = self.documents.iter().position(|document| document.id == id) else { return };
        if let Some(document) = self.documents.get_mut(at) {
            #[cfg(not(target_arch = "wasm32"))]
            if let Some(shelf) = &mut self.shelf {
                shelf.forget(&document.path);
            }
            document.path.clone_from(&export.path);
            document.mark_saved(&export.output);
            (document.stamp, document.seen) = (stamp, None);
        }
        self.settings.remember(&export.path);
        // It may have been changed on while it was written.
        self.keep_unsaved(at);
    }
}
