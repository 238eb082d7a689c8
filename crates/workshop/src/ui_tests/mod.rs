//! The panels, driven by what a screen reader knows of them: names of buttons and fields, clicks and keys.

mod panels;
mod saving;

use std::path::Path;
use std::sync::Arc;

use egui_kittest::kittest::Queryable;
use egui_kittest::{Harness, Node};

use crate::app::Workbench;
use crate::session::document::Document;
use crate::session::dropped::Dropped;
use crate::session::files::Files;
use crate::session::jobs::OnTheSpot;
use crate::session::settings::Settings;
use crate::session::tests::{damaged, dropped};

/// The window without a window.
struct Test {
    harness: Harness<'static, Workbench>,
    files: Arc<Dropped>,
}

impl Test {
    /// Opens a file of the examples, or nothing.
    fn open(name: &str) -> Test {
        let files = dropped();
        files.put("bad.wok", damaged());
        // What moves by itself never settles.
        let settings = Settings { plays: false, ..Settings::default() };
        let store = Arc::clone(&files) as Arc<dyn Files>;
        let mut bench = Workbench::new(Arc::new(OnTheSpot), store, settings);
        if !name.is_empty() {
            bench.open(vec![name.into()]);
        }
        let mut harness = Harness::builder()
            .with_size([1500.0, 1000.0])
            .build_ui_state(|ui, bench: &mut Workbench| bench.ui(ui), bench);
        harness.run_steps(6);
        Test { harness, files }
    }

    fn document(&self) -> &Document {
        self.harness.state().session.document().unwrap()
    }

    fn label<'n>(&'n self, label: &'n str) -> Node<'n> {
        self.harness.get_by_label(label)
    }

    /// Clicks what has this name.
    fn click(&mut self, label: &str) {
        self.harness.get_by_label(label).click();
        self.harness.run_steps(4);
    }

    /// Clicks the first whose name has this in it.
    fn click_containing(&mut self, part: &str) {
        self.harness.get_all_by_label_contains(part).next().unwrap().click();
        self.harness.run_steps(4);
    }

    /// Types into the field with this name, in the place of what is there, and presses Enter.
    fn enter(&mut self, label: &str, text: &str) {
        self.harness.get_by_label(label).focus();
        self.harness.run_steps(2);
        self.harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::A);
        self.harness.run_steps(1);
        self.harness.get_by_label(label).type_text(text);
        self.harness.run_steps(2);
        self.harness.key_press(egui::Key::Enter);
        self.harness.run_steps(5);
    }

    fn key(&mut self, modifiers: egui::Modifiers, key: egui::Key) {
        self.harness.key_press_modifiers(modifiers, key);
        self.harness.run_steps(5);
    }

    fn has(&self, part: &str) -> bool {
        self.harness.query_all_by_label_contains(part).next().is_some()
    }

    fn last(&self) -> String {
        self.harness.state().session.messages.last().map_or(String::new(), |m| m.text.clone())
    }

    fn bytes(&self, name: &str) -> Option<Vec<u8>> {
        self.files.load(Path::new(name)).ok().map(|output| output.bytes)
    }
}
