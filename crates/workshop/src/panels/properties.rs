//! The fields of what is selected, in the words of the format, and the way to change them.

use std::collections::HashMap;

use egui::{RichText, Ui};
use galatea::scene::{Node, Scene};

use super::Work;
use super::outliner::kind;
use crate::session::action::Action;
use crate::session::change::Wish;
use crate::session::fields::{FieldLine, field_of};

/// What is remembered.
#[derive(Default)]
pub(crate) struct State {
    filter: String,
    /// Values that are being typed, by document, file and line.
    typed: HashMap<(u64, usize, usize), String>,
    /// The state of the document that they belong to.
    of: u64,
    scrolled: (u64, u64),
    /// The lines that are shown: the number of the file, that of the line, its depth.
    lines: Vec<(usize, usize, usize)>,
    /// What they depend on: the state of the document, the node, and what is searched for.
    known: (u64, Option<galatea::scene::NodeId>, String),
}

/// Height of a row.
const ROW: f32 = 20.0;

/// Shows the fields.
pub(crate) fn show(ui: &mut Ui, work: &mut Work<'_>, state: &mut State) {
    let Some(document) = work.session.document() else { return };
    let Some(opened) = &document.opened else { return };
    let now = opened.number;
    if state.of != now {
        state.of = now;
        state.typed.clear();
    }
    summary(ui, document.name().as_str(), opened);
    if let (Some(scene), Some(node)) = (document.scene(), document.selection.node)
        && let Some(node) = scene.node(node)
    {
        in_scene(ui, scene, node);
    }
    ui.separator();
    let field =
        egui::TextEdit::singleline(&mut state.filter).hint_text("Search fields").desired_width(f32::INFINITY);
    ui.add(field).accessible_name("Search fields");
    let depends = (now, document.selection.node, state.filter.clone());
    if state.known != depends {
        state.lines = lines(work, &state.filter);
        state.known = depends;
    }
    let lines = std::mem::take(&mut state.lines);
    if lines.is_empty() {
        ui.weak("No fields are known here. The bytes are shown below.");
        return;
    }
    if let Some(document) = work.session.document()
        && document.selection.line.is_some()
    {
        egui::Panel::bottom("field").show(ui, |ui| about(ui, document));
    }
    list(ui, work, state, &lines);
    state.lines = lines;
}

/// What is known of the selected field: its path, its place, and what the format says about it.
fn about(ui: &mut Ui, document: &crate::session::document::Document) -> Option<()> {
    let opened = document.opened.as_ref()?;
    let (file, at) = document.selection.line?;
    let bytes = opened.files.get(file)?;
    let line = bytes.tree.lines.get(at)?;
    let Some((field, path)) = field_of(opened.bytes(file), &bytes.coverage, line).filter(|_| line.size > 0)
    else {
        ui.monospace(&line.name);
        return None;
    };
    ui.add(egui::Label::new(RichText::new(path).monospace()).wrap());
    ui.weak(format!("{} bytes at 0x{:X}, {}", line.size, line.offset, line.ty));
    if !field.doc.trim().is_empty() {
        ui.label(field.doc.trim());
    }
    Some(())
}

fn summary(ui: &mut Ui, name: &str, opened: &crate::session::open::Opened) {
    let summary = &opened.summary;
    ui.horizontal_wrapped(|ui| {
        ui.strong(name);
        ui.weak(opened.format.map_or("unknown format", |format| format.title));
    });
    if opened.error.is_none() {
        let text = format!(
            "{}  {} nodes, {} meshes, {} triangles, {} bones, {} clips",
            summary.version, summary.nodes, summary.meshes, summary.triangles, summary.bones, summary.clips
        );
        ui.weak(text);
    }
}

fn in_scene(ui: &mut Ui, scene: &Scene, node: &Node) {
    ui.separator();
    ui.horizontal(|ui| {
        ui.strong(if node.name.is_empty() { "(no name)" } else { &node.name });
        ui.weak(kind(scene, node));
    });
    let three = |[x, y, z]: [f32; 3]| format!("{x:.3}  {y:.3}  {z:.3}");
    egui::Grid::new("scene").num_columns(2).show(ui, |ui| {
        let mut row = |name: &str, value: String| {
            ui.weak(name);
            ui.monospace(value);
            ui.end_row();
        };
        if let Some(parent) = node.parent.and_then(|parent| scene.node(parent)) {
            row("parent", parent.name.clone());
        }
        row("position", three(node.transform.translation));
        if node.transform.scale != [1.0; 3] {
            row("scale", three(node.transform.scale));
        }
        if let Some(mesh) = node.mesh.and_then(|mesh| scene.meshes.get(mesh as usize)) {
            let triangles: usize = mesh.primitives.iter().map(|p| p.indices.len() / 3).sum();
            row("triangles", triangles.to_string());
            let materials = mesh.primitives.iter().filter_map(|p| scene.materials.get(p.material? as usize));
            let textures =
                materials.flat_map(|material| &material.textures).map(|texture| texture.name.as_str());
            let mut textures: Vec<&str> = textures.collect();
            textures.dedup();
            if !textures.is_empty() {
                row("textures", textures.join(", "));
            }
        }
    });
}

/// Returns the lines that are shown: those of the selected node, else all; those that fit what is searched for.
fn lines(work: &Work<'_>, filter: &str) -> Vec<(usize, usize, usize)> {
    let Some(document) = work.session.document() else { return Vec::new() };
    let Some(opened) = &document.opened else { return Vec::new() };
    let filter = filter.to_lowercase();
    let mut out = Vec::new();
    for (number, file) in opened.files.iter().enumerate() {
        let all = 0..file.tree.lines.len();
        let name = document.node_name().filter(|_| filter.is_empty());
        let range = match name {
            Some(name) => match file.tree.of_node(name) {
                Some(range) => range,
                None => continue,
            },
            None => all,
        };
        let top = file.tree.lines.get(range.start).map_or(0, |line| line.depth);
        for at in range {
            let Some(line) = file.tree.lines.get(at) else { break };
            let fits = filter.is_empty()
                || line.name.to_lowercase().contains(&filter)
                || line.value.to_lowercase().contains(&filter);
            if fits {
                out.push((number, at, if filter.is_empty() { line.depth.saturating_sub(top) } else { 0 }));
            }
        }
    }
    // A node that the file has no name for: all fields are shown.
    if out.is_empty() && filter.is_empty() && document.selection.node.is_some() {
        for (number, file) in opened.files.iter().enumerate() {
            out.extend(file.tree.lines.iter().enumerate().map(|(at, line)| (number, at, line.depth)));
        }
    }
    out
}

fn list(ui: &mut Ui, work: &mut Work<'_>, state: &mut State, lines: &[(usize, usize, usize)]) {
    let Some(document) = work.session.document() else { return };
    let (id, selection) = (document.id, document.selection.clone());
    let mut area = egui::ScrollArea::both().id_salt("fields").auto_shrink(false);
    if state.scrolled != (id, selection.number) {
        state.scrolled = (id, selection.number);
        let here = lines.iter().position(|(file, line, _)| Some((*file, *line)) == selection.line);
        if let Some(here) = here {
            let row = ROW + ui.spacing().item_spacing.y;
            area = area.vertical_scroll_offset((here as f32 * row - ui.available_height() * 0.3).max(0.0));
        }
    }
    let mut asked = Vec::new();
    area.show_rows(ui, ROW, lines.len(), |ui, range| {
        let Some(opened) = &document.opened else { return };
        for (file, at, depth) in lines.get(range).into_iter().flatten() {
            let Some(line) = opened.files.get(*file).and_then(|f| f.tree.lines.get(*at)) else { continue };
            let selected = selection.line == Some((*file, *at));
            let key = (id, *file, *at);
            ui.horizontal(|ui| {
                ui.set_height(ROW);
                ui.add_space(*depth as f32 * 10.0);
                row(ui, opened, (key, line, selected), &mut state.typed, &mut asked);
            });
        }
    });
    asked.into_iter().for_each(|action| work.ask(action));
}

type Row<'a> = ((u64, usize, usize), &'a FieldLine, bool);

fn row(
    ui: &mut Ui,
    opened: &crate::session::open::Opened,
    (key, line, selected): Row<'_>,
    typed: &mut HashMap<(u64, usize, usize), String>,
    asked: &mut Vec<Action>,
) {
    let (_, file, at) = key;
    let Some(bytes) = opened.files.get(file) else { return };
    let group = line.value.is_empty();
    let name = if group { RichText::new(&line.name).strong() } else { RichText::new(&line.name) };
    let response = ui.selectable_label(selected, name);
    if response.clicked() {
        asked.push(Action::SelectLine(file, at));
    }
    let field = || field_of(opened.bytes(file), &bytes.coverage, line);
    response.on_hover_ui(|ui| {
        let Some((field, path)) = field() else { return };
        ui.label(field.doc.trim());
        ui.weak(format!("{path}\n{} bytes at 0x{:X}, {}", line.size, line.offset, line.ty));
    });
    if group {
        ui.weak(&line.ty);
        return;
    }
    let text = typed.entry(key).or_insert_with(|| line.value.clone());
    let width = (text.chars().count() as f32 * 8.5 + 14.0).clamp(60.0, 260.0);
    let edit = egui::TextEdit::singleline(text)
        .id(egui::Id::unique(("field", key)))
        .font(egui::TextStyle::Monospace)
        .desired_width(width);
    let response = ui.add(edit).on_hover_text("Type another value and press Enter");
    let response = response.accessible_name(format!("Value of {}", line.name));
    if response.gained_focus() {
        asked.push(Action::SelectLine(file, at));
    }
    if !response.lost_focus() {
        return;
    }
    let entered = ui.input(|input| input.key_pressed(egui::Key::Enter));
    let value = text.trim().to_owned();
    if entered && value != line.value {
        if let Some((_, path)) = field() {
            let path = if bytes.is_main { path } else { format!("{}:{path}", bytes.name) };
            asked.push(Action::Change { wish: Wish::Set { path, value }, asks: false });
        }
    } else if !entered {
        typed.remove(&key);
    }
}
