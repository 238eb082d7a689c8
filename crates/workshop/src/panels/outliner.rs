//! The tree of nodes.

use std::collections::HashSet;

use egui::Role;
use egui::{Align2, FontId, Sense, Vec2, WidgetInfo};
use galatea::scene::{Node, NodeId, Scene};

use super::Work;
use crate::session::action::Action;

/// What is remembered.
#[derive(Default)]
pub(crate) struct State {
    filter: String,
    /// Nodes whose children are hidden, by document.
    closed: HashSet<(u64, NodeId)>,
    /// The selection that the tree was scrolled to.
    scrolled: (u64, u64),
}

/// Height of a row.
const ROW: f32 = 18.0;

/// What a node is, in a word.
pub(crate) fn kind(scene: &Scene, node: &Node) -> &'static str {
    if let Some(mesh) = node.mesh.and_then(|id| scene.meshes.get(id as usize)) {
        return if node.skin.is_some() { "skin" } else { mesh.purpose.name() };
    }
    match node {
        Node { light: Some(_), .. } => "light",
        Node { camera: Some(_), .. } => "camera",
        Node { emitter: Some(_), .. } => "emitter",
        Node { attachment: Some(_), .. } => "attachment",
        Node { shape: Some(_), .. } => "collision",
        Node { axes: true, .. } => "axes",
        _ => "node",
    }
}

/// Shows the tree.
pub(crate) fn show(ui: &mut egui::Ui, work: &mut Work<'_>, state: &mut State) {
    let Some(document) = work.session.document() else { return };
    let count = document.scene().map_or(0, |scene| scene.nodes.len());
    ui.horizontal(|ui| {
        ui.strong("Nodes");
        ui.weak(count.to_string());
    });
    let field =
        egui::TextEdit::singleline(&mut state.filter).hint_text("Search nodes").desired_width(f32::INFINITY);
    ui.add(field).accessible_name("Search nodes");
    let (id, selection) = (document.id, document.selection.clone());
    let Some(scene) = document.scene() else {
        ui.weak("This file has no nodes.");
        return;
    };
    let rows = rows(scene, id, state);
    let mut area = egui::ScrollArea::vertical().id_salt("nodes").auto_shrink(false);
    if state.scrolled != (id, selection.number) {
        state.scrolled = (id, selection.number);
        let here = rows.iter().position(|(node, _)| Some(*node) == selection.node);
        if let Some(here) = here {
            let row = ROW + ui.spacing().item_spacing.y;
            area = area.vertical_scroll_offset((here as f32 * row - ui.available_height() * 0.4).max(0.0));
        }
    }
    let mut asked = None;
    area.show_rows(ui, ROW, rows.len(), |ui, range| {
        for (node, depth) in rows.get(range).into_iter().flatten() {
            let selected = selection.node == Some(*node);
            asked = row(ui, scene, (id, *node), *depth, selected, &mut state.closed).or(asked.take());
        }
    });
    if let Some(action) = asked {
        work.ask(action);
    }
}

/// Returns the nodes that are shown, with their depth.
fn rows(scene: &Scene, id: u64, state: &State) -> Vec<(NodeId, usize)> {
    let filter = state.filter.to_lowercase();
    if !filter.is_empty() {
        let fits = |node: &Node| node.name.to_lowercase().contains(&filter) || kind(scene, node) == filter;
        let all = (0..).zip(&scene.nodes);
        return all.filter(|(_, node)| fits(node)).map(|(id, _)| (id, 0)).collect();
    }
    let mut out = Vec::new();
    let mut seen = vec![false; scene.nodes.len()];
    let mut todo: Vec<(NodeId, usize)> = scene.roots().into_iter().rev().map(|root| (root, 0)).collect();
    while let Some((node, depth)) = todo.pop() {
        let Some(slot) = seen.get_mut(node as usize) else { continue };
        if std::mem::replace(slot, true) {
            continue;
        }
        out.push((node, depth));
        if !state.closed.contains(&(id, node)) {
            let children = scene.node(node).map_or(&[][..], |node| &node.children);
            todo.extend(children.iter().rev().map(|child| (*child, depth + 1)));
        }
    }
    out
}

fn row(
    ui: &mut egui::Ui,
    scene: &Scene,
    key: (u64, NodeId),
    depth: usize,
    selected: bool,
    closed: &mut HashSet<(u64, NodeId)>,
) -> Option<Action> {
    let node = scene.node(key.1)?;
    let (rect, response) = ui.allocate_exact_size(Vec2::new(ui.available_width(), ROW), Sense::click());
    let kind = kind(scene, node);
    let name = if node.name.is_empty() { "(no name)" } else { &node.name };
    response.widget_info(|| WidgetInfo::selected(Role::Button, true, selected, format!("{name} {kind}")));
    let visuals = ui.style().interact_selectable(&response, selected);
    let painter = ui.painter().with_clip_rect(rect);
    if selected || response.hovered() || response.has_focus() {
        painter.rect_filled(rect, 2.0, visuals.weak_bg_fill);
    }
    let left = rect.left() + 4.0 + depth.min(24) as f32 * 10.0;
    let font = FontId::proportional(13.0);
    if !node.children.is_empty() {
        let sign = if closed.contains(&key) { "+" } else { "-" };
        let at = egui::pos2(left, rect.center().y);
        painter.text(at, Align2::LEFT_CENTER, sign, font.clone(), visuals.text_color());
    }
    let at = egui::pos2(left + 14.0, rect.center().y);
    let color = if node.visible { visuals.text_color() } else { ui.visuals().weak_text_color() };
    let end = painter.text(at, Align2::LEFT_CENTER, name, font, color).right();
    let weak = ui.visuals().weak_text_color();
    painter.text(egui::pos2(end + 8.0, at.y), Align2::LEFT_CENTER, kind, FontId::proportional(11.0), weak);
    if !response.clicked() {
        return None;
    }
    let on_sign = response.interact_pointer_pos().is_some_and(|p| p.x >= left && p.x < left + 13.0);
    if on_sign && !node.children.is_empty() {
        if !closed.remove(&key) {
            closed.insert(key);
        }
        return None;
    }
    Some(Action::SelectNode(Some(key.1)))
}
