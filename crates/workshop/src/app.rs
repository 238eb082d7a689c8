//! The window: the session, its panels, and what comes from outside.

use std::path::PathBuf;
use std::sync::Arc;

use egui::{Theme as Shade, ThemePreference, Ui};

use crate::panels::{Canvas, Panels};
use crate::session::Session;
use crate::session::action::Action;
use crate::session::change::Wish;
use crate::session::files::Files;
use crate::session::jobs::Executor;
use crate::session::settings::{Settings, Theme};

/// The session with its panels: everything but the window itself, so that tests can drive it.
pub(crate) struct Workbench {
    pub(crate) session: Session,
    pub(crate) panels: Panels,
    pub(crate) canvas: Canvas,
}

impl Workbench {
    /// Returns a workbench with nothing open.
    pub(crate) fn new(executor: Arc<dyn Executor>, files: Arc<dyn Files>, settings: Settings) -> Workbench {
        Workbench {
            session: Session::new(executor, files, settings),
            panels: Panels::default(),
            canvas: Canvas::default(),
        }
    }

    #[cfg(not(target_arch = "wasm32"))]
    /// Opens what the program was given: several paths are a list, one is a folder or a file.
    pub(crate) fn open(&mut self, paths: Vec<PathBuf>) {
        match paths.as_slice() {
            [] => {}
            [path] => self.session.act(Action::Open(path.clone())),
            _ => self.session.list(paths),
        }
    }

    /// Lets time pass, shows everything and does what was asked for.
    pub(crate) fn ui(&mut self, ui: &mut Ui) {
        self.look(ui);
        let seconds = ui.input(|input| input.stable_dt);
        let moves = self.session.tick(seconds);
        self.take_drops(ui);
        let actions = self.panels.show(ui, &mut self.session, &self.canvas);
        let busy = !actions.is_empty() || !self.session.busy().is_empty();
        for action in actions {
            self.session.act(action);
        }
        if let Some(text) = self.session.clipboard.take() {
            ui.ctx().copy_text(text);
        }
        if moves || busy {
            ui.ctx().request_repaint();
        } else {
            // Files that are open are looked at now and then.
            ui.ctx().request_repaint_after(std::time::Duration::from_millis(500));
        }
    }

    /// Returns the title of the window: the file, and a star for unsaved changes.
    pub(crate) fn title(&self) -> String {
        match self.session.document() {
            Some(document) => {
                let star = if document.is_dirty() { " *" } else { "" };
                format!("{}{star} - Galatea", document.name())
            }
            None => "Galatea".into(),
        }
    }

    fn look(&self, ui: &Ui) {
        let wanted = match self.session.settings.theme {
            Theme::System => ThemePreference::System,
            Theme::Light => Shade::Light.into(),
            Theme::Dark => Shade::Dark.into(),
        };
        let ctx = ui.ctx();
        if ctx.options(|options| options.theme_preference) != wanted {
            ctx.set_theme(wanted);
        }
        let scale = self.session.settings.scale;
        if (ctx.zoom_factor() - scale).abs() > 1e-3 {
            ctx.set_zoom_factor(scale);
        }
    }

    /// Opens what was dropped. An image on a texture takes its place.
    fn take_drops(&mut self, ui: &Ui) {
        let dropped = ui.input(|input| input.raw.dropped_files.clone());
        if dropped.is_empty() {
            return;
        }
        let paths: Vec<PathBuf> = dropped.iter().map(|file| file.path().to_path_buf()).collect();
        if let [path] = paths.as_slice()
            && self.drop_on_texture(path)
        {
            return;
        }
        #[cfg(not(target_arch = "wasm32"))]
        self.open(paths);
    }
}

impl Workbench {
    /// Puts an image in the place of the texture under the pointer, after a yes; returns `false` if there is no texture, or no image.
    pub(crate) fn drop_on_texture(&mut self, path: &std::path::Path) -> bool {
        let Some(wish) = self.panels.texture_under().and_then(|old| swap(&old, path)) else { return false };
        self.session.act(Action::Change { wish, asks: true });
        true
    }
}

/// Returns the change that puts an image in the place of a texture; `None` if the file is no image. Paths stay as the model
/// writes them, only the name is another one.
fn swap(old: &str, new: &std::path::Path) -> Option<Wish> {
    let images = ["tga", "tpc", "blp", "dds", "png", "ftex", "jpg", "jpeg"];
    let extension = new.extension()?.to_string_lossy().to_lowercase();
    if !images.contains(&extension.as_str()) {
        return None;
    }
    let folder = old.rfind(['/', '\\']).and_then(|at| old.get(..=at)).unwrap_or("");
    let has_extension = old.rsplit(['/', '\\']).next().is_some_and(|name| name.contains('.'));
    let stem = new.file_stem()?.to_string_lossy().into_owned();
    let name = if has_extension { format!("{stem}.{extension}") } else { stem };
    Some(Wish::Operate(vec![("texture".into(), format!("{old}={folder}{name}"))]))
}

#[cfg(test)]
#[allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests fail loudly"
)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn an_image_takes_the_place_of_a_texture_in_the_way_the_model_writes_names() {
        let value = |old: &str, new: &str| match swap(old, Path::new(new)) {
            Some(Wish::Operate(operations)) => Some(operations[0].1.clone()),
            _ => None,
        };
        assert_eq!(
            value("Textures\\Cow.blp", "/tmp/Red.dds").unwrap(),
            "Textures\\Cow.blp=Textures\\Red.dds"
        );
        assert_eq!(value("p_bastilabb", "a/b/new.tga").unwrap(), "p_bastilabb=new");
        assert_eq!(value("p_bastilabb", "model.mdl"), None);
    }
}
