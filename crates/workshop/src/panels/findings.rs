//! What the rules find, what it means, and how it is fixed.

use egui::{RichText, Ui};
use galatea::wire::Finding;
use galatea::{Report, Severity};

use super::{Work, severity_color};
use crate::session::action::Action;
use crate::session::change::Wish;

/// What is remembered.
#[derive(Default)]
pub(crate) struct State {
    filter: String,
}

/// Returns the findings that are listed, the worst first, by their places in the report.
pub(crate) fn order(report: &Report, infos: bool) -> Vec<usize> {
    let least = if infos { Severity::Info } else { Severity::Warning };
    let all = report.findings().iter().enumerate().filter(|(_, finding)| finding.rule.severity >= least);
    let mut all: Vec<(usize, &Finding)> = all.collect();
    all.sort_by_key(|(_, finding)| std::cmp::Reverse(finding.rule.severity));
    all.into_iter().map(|(at, _)| at).collect()
}

/// Shows the findings.
pub(crate) fn show(ui: &mut Ui, work: &mut Work<'_>, state: &mut State) {
    let Some(document) = work.session.document() else { return };
    let Some(opened) = &document.opened else { return };
    if let Some(error) = &opened.error {
        ui.colored_label(severity_color(ui, Severity::Error), error);
        return;
    }
    let mut asked = Vec::new();
    let infos = work.session.settings.infos;
    let (fixable, changing) = (opened.report.counts().any(|(rule, _)| rule.fix), document.changing.is_some());
    let mut list_infos = infos;
    ui.horizontal(|ui| {
        let all = ui.add_enabled(fixable && !changing, egui::Button::new("Fix all…"));
        if all.on_hover_text("Shows what would change first").clicked() {
            asked.push(Action::Change { wish: Wish::Fix(Vec::new()), asks: true });
        }
        ui.checkbox(&mut list_infos, "Infos").on_hover_text("List what is only worth knowing, too");
        let field =
            egui::TextEdit::singleline(&mut state.filter).hint_text("Filter findings").desired_width(160.0);
        ui.add(field).accessible_name("Filter findings");
        let [errors, warnings, infos] = opened.counts();
        ui.weak(format!("{errors} errors, {warnings} warnings, {infos} infos"));
    });
    let filter = state.filter.to_lowercase();
    let fits = |finding: &Finding| filter.is_empty() || finding.to_string().to_lowercase().contains(&filter);
    let listed = order(&opened.report, infos).into_iter();
    let shown: Vec<(usize, &Finding)> = listed
        .filter_map(|at| Some((at, opened.report.findings().get(at)?)))
        .filter(|(_, finding)| fits(finding))
        .collect();
    let selected = document.selection.finding;
    if shown.is_empty() {
        let more = opened.report.at_least(Severity::Info);
        ui.label(if more > 0 && !infos { "No errors or warnings." } else { "Nothing found." });
    } else {
        ui.columns(2, |columns| {
            let [list, about] = columns else { return };
            rows(list, &shown, selected, &mut asked);
            let finding = selected.and_then(|number| opened.report.findings().get(number));
            explain(about, finding, &opened.report, changing, &mut asked);
        });
    }
    work.session.settings.infos = list_infos;
    asked.into_iter().for_each(|action| work.ask(action));
}

fn rows(ui: &mut Ui, shown: &[(usize, &Finding)], selected: Option<usize>, asked: &mut Vec<Action>) {
    let height = ui.text_style_height(&egui::TextStyle::Body) + 4.0;
    egui::ScrollArea::vertical().id_salt("findings").auto_shrink(false).show_rows(
        ui,
        height,
        shown.len(),
        |ui, range| {
            for (number, finding) in shown.get(range).into_iter().flatten() {
                let color = severity_color(ui, finding.rule.severity);
                let text = format!("{} {}: {}", finding.rule.code, finding.rule.title, finding.message);
                let button =
                    egui::Button::selectable(selected == Some(*number), RichText::new(text).color(color));
                let tip = finding.to_string();
                if ui.add(button.truncate()).on_hover_text(tip).clicked() {
                    asked.push(Action::SelectFinding(*number));
                }
            }
        },
    );
}

fn explain(ui: &mut Ui, finding: Option<&Finding>, report: &Report, changing: bool, asked: &mut Vec<Action>) {
    let Some(finding) = finding else {
        ui.weak("Click a finding to see what it means, its node, its field and its bytes.");
        return;
    };
    egui::ScrollArea::vertical().id_salt("explain").auto_shrink(false).show(ui, |ui| {
        let rule = finding.rule;
        ui.horizontal_wrapped(|ui| {
            ui.colored_label(severity_color(ui, rule.severity), format!("{} {}", rule.severity, rule.code));
            let count = report.count(rule.code);
            if count > 1 {
                ui.weak(format!("{count} times"));
            }
            if rule.fix {
                let button = ui.add_enabled(!changing, egui::Button::new(format!("Fix {}…", rule.code)));
                if button.on_hover_text("Shows what would change first").clicked() {
                    asked.push(Action::Change { wish: Wish::Fix(vec![rule.code.to_owned()]), asks: true });
                }
            }
            if ui.button("Copy").on_hover_text("Copies the finding as text").clicked() {
                asked.push(Action::Copy(finding.to_string()));
            }
        });
        ui.strong(rule.title);
        ui.label(&finding.message);
        if let Some(place) = finding.place() {
            ui.monospace(place);
        }
        ui.add_space(4.0);
        ui.label(rule.help);
        if !rule.fix {
            ui.weak("There is no automatic fix: the rest of the file does not decide what is right.");
        }
    });
}
