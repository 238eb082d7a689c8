//! The keys.

use super::KEYS;

/// Shows the keys, if they are asked for.
pub(crate) fn show(ui: &egui::Ui, open: &mut bool) {
    if !*open {
        return;
    }
    let response = egui::Modal::new(egui::Id::unique("help")).show(ui.ctx(), |ui| {
        ui.heading("Keys");
        ui.set_max_width(560.0);
        egui::ScrollArea::vertical().max_height(460.0).show(ui, |ui| {
            egui::Grid::new("keys").num_columns(2).spacing([24.0, 4.0]).striped(true).show(ui, |ui| {
                for (keys, what) in KEYS {
                    ui.monospace(*keys);
                    ui.label(*what);
                    ui.end_row();
                }
            });
        });
        ui.separator();
        ui.weak("Left button: turn. Right or middle button, or Shift: move. Wheel: zoom. Double click: frame all.");
        ui.button("Close").clicked()
    });
    if response.inner || response.should_close() {
        *open = false;
    }
}
