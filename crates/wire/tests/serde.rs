//! What is serialized, and under which keys.
#![allow(clippy::unwrap_used, reason = "tests fail loudly")]

use galatea_wire::{Error, ErrorKind, Fixed, Loss, Report, Rule, Severity, Summary};
use serde_json::{json, to_value};

static RULE: Rule =
    Rule { code: "TEST0001", severity: Severity::Warning, title: "holes", help: "close them", fix: true };

#[test]
fn a_report_has_counts_and_findings() {
    let mut report = Report::new();
    for i in 0..Report::KEEP + 5 {
        report.add(&RULE, Some(i as u64), || (format!("faces[{i}]"), "bad".into()));
    }
    let json = to_value(&report).unwrap();
    assert_eq!(json["counts"], json!({ "TEST0001": Report::KEEP + 5 }));
    assert_eq!(json["findings"].as_array().unwrap().len(), Report::KEEP);
    let finding = json!({
        "code": "TEST0001", "severity": "warning", "title": "holes", "offset": 3, "path": "faces[3]",
        "message": "bad",
    });
    assert_eq!(json["findings"][3], finding);
    let fixed = Fixed { rule: &RULE, message: "1 hole closed".into() };
    assert_eq!(to_value(&fixed).unwrap(), json!({ "code": "TEST0001", "message": "1 hole closed" }));
}

#[test]
fn a_rule_has_all_of_its_texts() {
    let json = json!({
        "code": "TEST0001", "severity": "warning", "title": "holes", "help": "close them", "fix": true,
    });
    assert_eq!(to_value(&RULE).unwrap(), json);
}

#[test]
fn an_error_names_its_place() {
    let at = Error::at(ErrorKind::Cycle, 16).within("nodes[0]");
    let json = json!({
        "message": at.to_string(), "offset": 16, "line": null, "column": null, "path": "nodes[0]",
    });
    assert_eq!(to_value(&at).unwrap(), json);
    let json = to_value(Error::syntax("expected `{`", 3, 14)).unwrap();
    assert_eq!((&json["line"], &json["column"], &json["offset"]), (&json!(3), &json!(14), &json!(null)));
}

#[test]
fn summaries_losses_and_severities_come_back() {
    let summary = Summary { version: "800".into(), nodes: 3, ..Summary::default() };
    assert_eq!(serde_json::from_value::<Summary>(to_value(&summary).unwrap()).unwrap(), summary);
    let loss = Loss::new("lights[0]", "its shadow").invisible();
    assert_eq!(serde_json::from_value::<Loss>(to_value(&loss).unwrap()).unwrap(), loss);
    for severity in [Severity::Info, Severity::Warning, Severity::Error] {
        assert_eq!(to_value(severity).unwrap(), severity.name());
        assert_eq!(serde_json::from_value::<Severity>(json!(severity.name())).unwrap(), severity);
    }
}
