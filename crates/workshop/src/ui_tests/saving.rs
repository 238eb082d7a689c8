//! Changes, their undo, and saving.

use egui::{Key, Modifiers};

use super::Test;

#[test]
fn a_finding_is_fixed_saved_and_undone_by_its_buttons() {
    let mut test = Test::open("bad.wok");
    let report = test.document().opened.as_ref().unwrap().report.clone();
    let finding = report.findings().iter().find(|finding| finding.rule.fix).unwrap().clone();
    let code = finding.rule.code;
    test.click_containing(&format!("{code} {}", finding.rule.title));
    assert!(test.has(finding.rule.help), "it is explained");
    test.click(&format!("Fix {code}…"));
    assert!(test.has("What would differ"), "{}", test.last());
    test.click("Do not change");
    assert!(!test.document().is_dirty());
    test.click(&format!("Fix {code}…"));
    test.click("Apply");
    assert!(test.document().is_dirty(), "{}", test.last());
    assert_eq!(test.document().opened.as_ref().unwrap().report.count(code), 0);
    let before = test.bytes("bad.wok").unwrap();
    test.key(Modifiers::COMMAND, Key::S);
    assert!(!test.document().is_dirty(), "{}", test.last());
    assert_ne!(test.bytes("bad.wok").unwrap(), before);
    test.key(Modifiers::COMMAND, Key::Z);
    assert!(test.document().is_dirty());
    test.key(Modifiers::COMMAND | Modifiers::SHIFT, Key::Z);
    assert!(!test.document().is_dirty(), "the state on disk again");
}

#[test]
fn a_field_is_typed_and_undone() {
    let mut test = Test::open("statue_800.mdx");
    test.enter("Search fields", "blend_time");
    test.enter("Value of blend_time", "217");
    assert!(test.document().is_dirty(), "{}", test.last());
    assert!(test.document().commands()[0].contains("blend_time=217"));
    test.key(Modifiers::COMMAND, Key::Z);
    assert!(!test.document().is_dirty());
}

#[test]
fn an_operation_is_previewed_applied_and_undone() {
    let mut test = Test::open("statue_800.mdx");
    test.click("Change");
    test.enter("Value of the operation", "MODL.blend_time=217");
    assert!(test.has("What would differ"), "{}", test.last());
    test.click("Apply");
    assert!(test.document().is_dirty());
    assert!(test.has("set MODL.blend_time=217"), "the history lists it");
    test.click("Opened  (on disk)");
    assert!(!test.document().is_dirty(), "a click in the history undoes");
}

#[test]
fn saving_as_another_format_lists_losses_first() {
    let mut test = Test::open("statue.mdl");
    test.key(Modifiers::COMMAND | Modifiers::SHIFT, Key::S);
    assert!(test.has("Save as"));
    test.enter("Path", "copy.mdl");
    assert!(test.bytes("copy.mdl").is_some(), "{}", test.last());
    let to = std::path::PathBuf::from("out.fmdl");
    let format = galatea::FormatId::Fmdl;
    let save = crate::session::action::Action::SaveAs { path: to, format, replace: false };
    test.harness.state_mut().session.act(save);
    test.harness.run_steps(5);
    assert!(test.has("What gets lost"));
    test.click("Do not write");
    assert!(test.bytes("out.fmdl").is_none());
}

#[test]
fn images_are_exported() {
    let mut test = Test::open("statue_800.mdx");
    test.key(Modifiers::COMMAND, Key::E);
    assert!(test.has("Export image"));
    test.enter("Path", "shot.png");
    assert!(test.bytes("shot.png").unwrap().starts_with(b"\x89PNG"), "{}", test.last());
    test.click("Copy as command line");
    let copied = test.harness.output().platform_output.commands.iter().any(|command| {
        matches!(command, egui::OutputCommand::CopyText(text) if text.starts_with("galatea render statue_800.mdx"))
    });
    let shown = test.harness.state().session.last_command.clone().unwrap();
    assert!(copied || shown.starts_with("render statue_800.mdx -o shot.png"), "{shown}");
}

#[test]
fn closing_with_unsaved_changes_asks() {
    let mut test = Test::open("statue_800.mdx");
    test.enter("Search fields", "blend_time");
    test.enter("Value of blend_time", "217");
    test.click("Close statue_800.mdx");
    assert!(test.has("has changes that are not saved"));
    test.click("Keep open");
    assert_eq!(test.harness.state().session.documents.len(), 1);
    test.click("Close statue_800.mdx");
    test.click("Save and close");
    assert_eq!(test.harness.state().session.documents.len(), 0, "{}", test.last());
}
