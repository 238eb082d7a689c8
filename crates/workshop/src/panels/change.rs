//! Operations of `galatea edit` by form, the history, and its commands.

use egui::Ui;
use galatea::edit::OPERATIONS;

use super::Work;
use crate::session::action::Action;
use crate::session::change::Wish;

/// What is remembered.
#[derive(Default)]
pub(crate) struct State {
    /// The operation by its place in the list.
    operation: usize,
    /// Its value.
    value: String,
    /// Of `attach`: the node, and the place relative to it.
    to: String,
    at: String,
}

/// Shows the form and the history.
pub(crate) fn show(ui: &mut Ui, work: &mut Work<'_>, state: &mut State) {
    let Some(document) = work.session.document() else { return };
    let can = document.output().is_some() && document.changing.is_none();
    let mut asked = Vec::new();
    ui.strong("Operation");
    form(ui, state, can, document.node_name(), &mut asked);
    ui.separator();
    ui.horizontal(|ui| {
        ui.strong("History");
        if ui.button("Copy as commands").on_hover_text("The same changes on the command line").clicked() {
            asked.push(Action::Copy(document.commands().join("\n")));
        }
    });
    let (steps, at) = document.history();
    egui::ScrollArea::vertical().id_salt("history").auto_shrink(false).show(ui, |ui| {
        for (number, step) in steps.iter().enumerate() {
            let saved = document.saved().is_some_and(|saved| std::sync::Arc::ptr_eq(saved, &step.output));
            let text = format!("{}{}", step.label, if saved { "  (on disk)" } else { "" });
            let response = ui.selectable_label(number == at, text);
            let response = if step.command.is_empty() {
                response
            } else {
                response.on_hover_text(format!("galatea {}", step.command))
            };
            if response.clicked() {
                let (times, action) =
                    if number < at { (at - number, Action::Undo) } else { (number - at, Action::Redo) };
                asked.extend(std::iter::repeat_n(action, times));
            }
        }
    });
    asked.into_iter().for_each(|action| work.ask(action));
}

fn form(ui: &mut Ui, state: &mut State, can: bool, node: Option<&str>, asked: &mut Vec<Action>) {
    let all: Vec<_> = OPERATIONS.iter().filter(|o| o.changes && !["to", "at"].contains(&o.name)).collect();
    let Some(info) = all.get(state.operation).or(all.first()) else { return };
    let combo = egui::ComboBox::from_id_salt("operation").selected_text(info.name).width(180.0).height(500.0);
    let combo = combo.show_ui(ui, |ui| {
        for (number, operation) in all.iter().enumerate() {
            let item = ui.selectable_value(&mut state.operation, number, operation.name);
            item.on_hover_text(operation.help);
        }
    });
    combo.response.accessible_name("Operation");
    let Some(info) = all.get(state.operation) else { return };
    ui.label(info.help);
    let field =
        egui::TextEdit::singleline(&mut state.value).hint_text(info.value).desired_width(f32::INFINITY);
    let field = ui.add(field).accessible_name("Value of the operation");
    let attaches = info.name == "attach";
    if attaches {
        for (text, hint) in [(&mut state.to, "node"), (&mut state.at, "x,y,z")] {
            ui.add(egui::TextEdit::singleline(text).hint_text(hint).desired_width(f32::INFINITY))
                .accessible_name(hint);
        }
    }
    let mut go = field.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter));
    ui.horizontal(|ui| {
        let button =
            ui.add_enabled(can && !state.value.trim().is_empty(), egui::Button::new("Preview change"));
        go |= button.on_hover_text("Shows what would differ; nothing is changed yet").clicked();
        if let Some(node) =
            node.filter(|_| ["rename-node", "remove-node", "visibility", "attach"].contains(&info.name))
            && ui.button("Take selected node").clicked()
        {
            match info.name {
                "attach" => state.to = node.to_owned(),
                "remove-node" => state.value = node.to_owned(),
                "visibility" => state.value = format!("{node}=no"),
                _ => state.value = format!("{node}={node}"),
            }
        }
    });
    if go && can && !state.value.trim().is_empty() {
        let mut value = state.value.trim().to_owned();
        if attaches {
            value = format!("{value} --to {}", state.to.trim());
            if !state.at.trim().is_empty() {
                value = format!("{value} --at {}", state.at.trim());
            }
        }
        let wish = Wish::Operate(vec![(info.name.to_owned(), value)]);
        asked.push(Action::Change { wish, asks: true });
    }
}
