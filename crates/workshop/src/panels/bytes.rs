//! The file byte by byte, colored by what owns each byte.

use egui::Role;
use egui::{Align2, Color32, FontId, Rect, Sense, Ui, Vec2, WidgetInfo};
use galatea::wire::Inspector;

use super::Work;
use crate::session::action::Action;
use crate::session::open::{FileBytes, Opened};

/// What is remembered.
#[derive(Default)]
pub(crate) struct State {
    /// The file that is shown: the model itself, or one of its companions.
    file: usize,
    /// The document that it belongs to.
    of: u64,
    /// An offset that is typed.
    go: String,
    scrolled: (u64, u64),
}

/// Bytes in a row.
const WIDE: usize = 16;
/// Height of a row.
const ROW: f32 = 16.0;
/// Width of a character.
const CHAR: f32 = 7.4;
/// Where the bytes and the characters begin, in characters.
const COLUMNS: [f32; 2] = [10.0, 60.0];

/// Shows the bytes.
pub(crate) fn show(ui: &mut Ui, work: &mut Work<'_>, state: &mut State) {
    let Some(document) = work.session.document() else { return };
    let Some(opened) = &document.opened else {
        ui.weak("Nothing is open.");
        return;
    };
    if state.of != document.id {
        (state.of, state.file) = (document.id, 0);
    }
    let selection = document.selection.clone();
    let fresh = state.scrolled != (document.id, selection.number);
    if let Some((file, _)) = selection.bytes.as_ref().filter(|_| fresh) {
        state.file = *file;
    }
    let mut asked = Vec::new();
    head(ui, opened, state, selection.bytes.as_ref(), &mut asked);
    let bytes = opened.bytes(state.file);
    let Some(file) = opened.files.get(state.file) else { return };
    let rows = bytes.len().div_ceil(WIDE);
    let mut area = egui::ScrollArea::both().id_salt("bytes").auto_shrink(false);
    if fresh {
        state.scrolled = (document.id, selection.number);
        if let Some((_, range)) = &selection.bytes {
            let row = ROW + ui.spacing().item_spacing.y;
            let here = (range.start / WIDE) as f32 * row - ui.available_height() * 0.3;
            area = area.vertical_scroll_offset(here.max(0.0));
        }
    }
    let range = selection.bytes.filter(|(of, _)| *of == state.file).map(|(_, range)| range);
    area.show_rows(ui, ROW, rows, |ui, visible| {
        for number in visible {
            let start = number * WIDE;
            let row = bytes.get(start..(start + WIDE).min(bytes.len())).unwrap_or(&[]);
            if let Some(offset) = one_row(ui, file, start, row, range.as_ref()) {
                asked.push(Action::SelectByte(state.file, offset));
            }
        }
    });
    asked.into_iter().for_each(|action| work.ask(action));
}

fn head(
    ui: &mut Ui,
    opened: &Opened,
    state: &mut State,
    selected: Option<&(usize, std::ops::Range<usize>)>,
    asked: &mut Vec<Action>,
) {
    ui.horizontal(|ui| {
        if opened.files.len() > 1 {
            for (number, file) in opened.files.iter().enumerate() {
                ui.selectable_value(&mut state.file, number, format!(".{}", file.name));
            }
            ui.separator();
        }
        let field = egui::TextEdit::singleline(&mut state.go).hint_text("offset").desired_width(80.0);
        let response = ui.add(field).accessible_name("Go to offset");
        if response.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter)) {
            let text = state.go.trim();
            let offset = match text.strip_prefix("0x") {
                Some(hex) => usize::from_str_radix(hex, 16),
                None => text.parse(),
            };
            asked.extend(offset.ok().map(|offset| Action::SelectByte(state.file, offset)));
        }
        let len = opened.bytes(state.file).len();
        let Some((file, range)) = selected.filter(|(file, _)| *file == state.file) else {
            ui.weak(format!("{len} bytes (0x{len:X}); click one to see its field"));
            return;
        };
        let Some(bytes) = opened.files.get(*file) else { return };
        let data = opened.bytes(*file);
        let text = match Inspector::new(data, &bytes.coverage).at(range.start) {
            Some(field) => format!("0x{:X}  {} = {}  ({})", range.start, field.path, field.value, field.ty),
            None => format!("0x{:X}: belongs to no field; it is kept as it is", range.start),
        };
        ui.add(egui::Label::new(egui::RichText::new(text).monospace()).truncate());
    });
}

/// Returns a color for an owner: neighbors differ, the same one is always the same.
fn owner_color(owner: Option<u32>, dark: bool) -> Color32 {
    let Some(owner) = owner else {
        return if dark { Color32::from_gray(34) } else { Color32::from_gray(226) };
    };
    let hue = (owner as f32 * 0.618_034).fract();
    let (saturation, value) = if dark { (0.55, 0.34) } else { (0.28, 0.95) };
    egui::epaint::Hsva::new(hue, saturation, value, 1.0).into()
}

fn one_row(
    ui: &mut Ui,
    file: &FileBytes,
    start: usize,
    row: &[u8],
    selected: Option<&std::ops::Range<usize>>,
) -> Option<usize> {
    let width = (COLUMNS[1] + WIDE as f32 + 2.0) * CHAR;
    let (rect, response) = ui.allocate_exact_size(Vec2::new(width, ROW), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, format!("Bytes 0x{start:08X}")));
    let (painter, dark) = (ui.painter(), ui.visuals().dark_mode);
    let font = FontId::monospace(12.0);
    let (text, weak) = (ui.visuals().text_color(), ui.visuals().weak_text_color());
    let middle = rect.center().y;
    let at = |column: f32| egui::pos2(rect.left() + column * CHAR, middle);
    painter.text(at(0.0), Align2::LEFT_CENTER, format!("{start:08X}"), font.clone(), weak);
    let mut span = file.spans.partition_point(|(from, _)| *from <= start).saturating_sub(1);
    for (number, byte) in row.iter().enumerate() {
        let offset = start + number;
        while file.spans.get(span + 1).is_some_and(|(from, _)| *from <= offset) {
            span += 1;
        }
        let owner = file.spans.get(span).and_then(|(_, owner)| *owner);
        let is_selected = selected.is_some_and(|range| range.contains(&offset));
        let fill = if is_selected { ui.visuals().selection.bg_fill } else { owner_color(owner, dark) };
        let color = if is_selected { ui.visuals().selection.stroke.color } else { text };
        for (column, wide) in [(hex_column(number), 3.0), (COLUMNS[1] + number as f32, 1.0)] {
            let cell = Rect::from_min_size(egui::pos2(at(column).x, rect.top()), Vec2::new(wide * CHAR, ROW));
            painter.rect_filled(cell, 0.0, fill);
        }
        painter.text(
            at(hex_column(number) + 0.5),
            Align2::LEFT_CENTER,
            format!("{byte:02X}"),
            font.clone(),
            color,
        );
        let sign = if byte.is_ascii_graphic() || *byte == b' ' { char::from(*byte) } else { '·' };
        painter.text(at(COLUMNS[1] + number as f32), Align2::LEFT_CENTER, sign, font.clone(), color);
    }
    let pointer = response.interact_pointer_pos().filter(|_| response.clicked())?;
    let column = (pointer.x - rect.left()) / CHAR;
    let number = if column >= COLUMNS[1] { column - COLUMNS[1] } else { (column - COLUMNS[0]) / 3.0 };
    Some(start + (number.max(0.0) as usize).min(row.len().saturating_sub(1)))
}

fn hex_column(number: usize) -> f32 {
    COLUMNS[0] + number as f32 * 3.0
}
