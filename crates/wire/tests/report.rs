//! Fixes, reports, errors, losses and limits.
#![cfg(test)]

use galatea_wire::{
    Error, ErrorKind, Fix, Limits, Loss, Place, Report, Rule, Severity, escape, escape_bytes, run_fixes,
};

static ODD: Rule = rule("TEST0001", Severity::Error, true);
static LARGE: Rule = rule("TEST0002", Severity::Warning, true);
static NAME: Rule = rule("TEST0003", Severity::Info, false);

const fn rule(code: &'static str, severity: Severity, fix: bool) -> Rule {
    Rule { code, severity, title: "t", help: "h", fix }
}

/// Odd numbers, numbers above 10, and every list whose first number is 0.
fn check(numbers: &[u32]) -> Report {
    let mut report = Report::new();
    for (rule, broken) in [(&ODD, (|n| n % 2 == 1) as fn(&u32) -> bool), (&LARGE, |n| *n > 10)] {
        for n in numbers.iter().filter(|n| broken(n)) {
            report.add(rule, None, || (String::new(), n.to_string()));
        }
    }
    if numbers.first() == Some(&0) {
        report.add(&NAME, None, || (String::new(), "zero".into()));
    }
    report
}

/// Applies a change to the numbers that need it, and counts them.
fn each(numbers: &mut [u32], broken: fn(u32) -> bool, change: fn(u32) -> u32) -> usize {
    let wrong = numbers.iter_mut().filter(|n| broken(**n));
    wrong.map(|n| *n = change(*n)).count()
}

fn fixed(
    numbers: &mut Vec<u32>,
    fixes: &[Fix<'_, Vec<u32>>],
    wanted: &dyn Fn(&Rule) -> bool,
) -> Vec<(&'static str, String)> {
    run_fixes(numbers, fixes, &|n| check(n), wanted).into_iter().map(|f| (f.rule.code, f.message)).collect()
}

#[test]
fn fixes_run_until_nothing_is_left_and_are_counted_together() {
    let halve = |n: &mut Vec<u32>| each(n, |n| n > 10, |n| n / 2);
    let round = |n: &mut Vec<u32>| each(n, |n| n % 2 == 1, |n| n + 1);
    // 40 takes two rounds.
    let fixes = [
        Fix { rules: &[&LARGE], done: "numbers halved", run: &halve },
        Fix { rules: &[&ODD], done: "numbers rounded up", run: &round },
    ];
    let mut numbers = vec![3, 5, 40];
    let done = fixed(&mut numbers, &fixes, &|_| true);
    assert_eq!(numbers, [4, 6, 10]);
    assert_eq!(
        done,
        [("TEST0002", "2 numbers halved".into()), ("TEST0001", "2 numbers rounded up".to_owned())]
    );
    assert_eq!(fixed(&mut numbers, &fixes, &|_| true), []);
}

#[test]
fn a_fix_that_breaks_another_rule_is_undone() {
    let halve = |n: &mut Vec<u32>| each(n, |n| n > 10, |n| n / 2);
    let fixes = [Fix { rules: &[&LARGE], done: "numbers halved", run: &halve }];
    let mut numbers = vec![22, 14];
    assert_eq!(fixed(&mut numbers, &fixes, &|_| true), []);
    assert_eq!(numbers, [22, 14], "11 and 7 would be odd");
}

#[test]
fn only_rules_that_are_wanted_and_can_be_fixed_are() {
    let clear = |n: &mut Vec<u32>| {
        n.clear();
        1
    };
    let nothing = |_: &mut Vec<u32>| 0;
    let fixes = [
        Fix { rules: &[&NAME], done: "lists cleared", run: &clear },
        Fix { rules: &[&ODD], done: "numbers dropped", run: &clear },
        Fix { rules: &[&LARGE], done: "numbers kept", run: &nothing },
    ];
    let mut numbers = vec![0, 1, 12];
    assert_eq!(fixed(&mut numbers, &fixes, &|rule| rule.code != "TEST0001"), []);
    assert_eq!(numbers, [0, 1, 12]);
    assert_eq!(format!("{:?}", fixes[1]), "Fix { rules: [\"TEST0001\"], done: \"numbers dropped\", .. }");
}

#[test]
fn a_report_can_be_narrowed() {
    let mut report = check(&[0, 1, 3, 12]);
    let counts: Vec<_> = report.counts().map(|(rule, n)| (rule.code, n)).collect();
    assert_eq!(counts, [("TEST0001", 2), ("TEST0002", 1), ("TEST0003", 1)]);
    assert_eq!((report.at_least(Severity::Error), report.at_least(Severity::Info)), (2, 4));
    report.retain(|rule| rule.severity == Severity::Info);
    assert_eq!((report.findings().len(), report.count("TEST0001"), report.is_empty()), (1, 0, false));
    assert_eq!(report.findings()[0].to_string(), "info TEST0003: t: zero");
    report.retain(|_| false);
    assert!(report.is_empty());
    assert_eq!([Severity::Error, Severity::Warning].map(Severity::name), ["error", "warning"]);
}

#[test]
fn every_kind_of_error_has_a_sentence() {
    let text = |kind| Error::new(kind, Place::Nowhere).to_string();
    assert_eq!(text(ErrorKind::NotThisFormat), "not a file of this format");
    assert_eq!(text(ErrorKind::Truncated { count: 1, size: 8, have: 3 }), "needs 8 bytes, have 3");
    assert_eq!(text(ErrorKind::Unsupported("version 7".into())), "unsupported: version 7");
    assert_eq!(text(ErrorKind::Cycle), "already visited: the offsets lead in a circle");
    assert_eq!(text(ErrorKind::Limit("depth")), "the limit on depth is reached");
}

#[test]
fn an_error_tells_its_place() {
    let error = Error::unrepresentable("5 weights").within("mesh").within("");
    assert_eq!((error.to_string().as_str(), error.offset(), error.path()), ("mesh: 5 weights", None, "mesh"));
    assert_eq!(format!("{error:?}"), "Error(mesh: 5 weights)");
    let error = Error::syntax("expected a number", 2, 7);
    assert_eq!((error.place(), error.offset()), (Place::Line { line: 2, column: 7 }, None));
    let error = Error::at(ErrorKind::Cycle, 16);
    assert_eq!((error.place(), error.offset()), (Place::Byte(16), Some(16)));
}

#[test]
fn a_loss_names_what_it_belongs_to() {
    let loss = Loss::new("lights[0]", "the cone");
    assert_eq!((loss.to_string().as_str(), loss.visible), ("lights[0]: the cone", true));
    let loss = Loss::new("", "comments").invisible();
    assert_eq!((loss.to_string().as_str(), loss.visible), ("comments", false));
}

#[test]
fn names_are_printed_on_one_line() {
    assert_eq!(escape("a\"b\\c\n\r\t\u{7}é"), "a\\\"b\\\\c\\n\\r\\t\\u{7}é");
    assert_eq!(escape_bytes(b"x\xFF\n"), "x\\xff\\n");
}

#[test]
fn an_image_of_few_bytes_may_not_be_huge() {
    let limits = Limits::default();
    assert_eq!(limits.of_image(0).pixels, 4096 * 4096);
    assert_eq!(limits.of_image(1 << 20).pixels, 4096 * 4096 + (4 << 20));
    assert_eq!(limits.of_image(usize::MAX).pixels, limits.pixels);
    assert_eq!(limits.with_ratio(3).with_base_allowance(7).budget(10), 37);
}
