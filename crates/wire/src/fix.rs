//! Runs the fixes of a format: each one changes only what a rule finds wrong, and none may break another rule.

use crate::report::{Fixed, Report, Rule};

/// Most rounds of fixing. Each fixes something, so more than two are rare.
const ROUNDS: usize = 8;

/// One fix.
pub struct Fix<'a, D> {
    /// The rules whose findings it removes.
    pub rules: &'a [&'static Rule],
    /// What was changed, for a message after a count: "face normals derived".
    pub done: &'static str,
    /// Changes the wrong values that the rest of the document determines. Returns how many it changed.
    pub run: &'a dyn Fn(&mut D) -> usize,
}

impl<D> std::fmt::Debug for Fix<'_, D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let codes: Vec<&str> = self.rules.iter().map(|r| r.code).collect();
        f.debug_struct("Fix").field("rules", &codes).field("done", &self.done).finish_non_exhaustive()
    }
}

/// Runs the fixes whose rules are wanted and broken, in order, until nothing changes any more.
///
/// A fix is undone if it leaves more findings of any rule than there were: then the value it changed was not the one that
/// is wrong. What is fixed therefore stays fixed, and a second call finds nothing to do.
///
/// ```
/// use galatea_wire::{Fix, Report, Rule, Severity, run_fixes};
/// static EVEN: Rule = Rule { code: "DEMO0001", severity: Severity::Error, title: "odd", help: "make it even", fix: true };
/// let check = |n: &u32| {
///     let mut report = Report::new();
///     if n % 2 == 1 {
///         report.add(&EVEN, None, || ("n".into(), format!("{n}")));
///     }
///     report
/// };
/// let fixes = [Fix { rules: &[&EVEN], done: "numbers rounded up", run: &|n: &mut u32| { *n += 1; 1 } }];
/// let mut n = 7;
/// assert_eq!(run_fixes(&mut n, &fixes, &check, &|_| true)[0].message, "1 numbers rounded up");
/// assert_eq!((n, run_fixes(&mut n, &fixes, &check, &|_| true).len()), (8, 0));
/// ```
pub fn run_fixes<D: Clone>(
    document: &mut D,
    fixes: &[Fix<'_, D>],
    check: &dyn Fn(&D) -> Report,
    wanted: &dyn Fn(&Rule) -> bool,
) -> Vec<Fixed> {
    let mut report = check(document);
    let mut counts: Vec<(&'static Rule, &'static str, usize)> = Vec::new();
    for _ in 0..ROUNDS {
        let mut changed = false;
        for fix in fixes {
            let open = |r: &&&'static Rule| r.fix && wanted(r) && report.count(r.code) > 0;
            let broken: Vec<&'static Rule> = fix.rules.iter().filter(open).copied().collect();
            if broken.is_empty() {
                continue;
            }
            let before = document.clone();
            let count = (fix.run)(document);
            if count == 0 {
                continue;
            }
            let after = check(document);
            if after.counts().any(|(rule, n)| n > report.count(rule.code)) {
                *document = before;
                continue;
            }
            let fewer = |r: &&&'static Rule| after.count(r.code) < report.count(r.code);
            let mut told: Vec<&'static Rule> = broken.iter().filter(fewer).copied().collect();
            if told.is_empty() {
                told = broken;
            }
            for rule in told {
                match counts.iter_mut().find(|(r, done, _)| r.code == rule.code && *done == fix.done) {
                    Some((_, _, n)) => *n += count,
                    None => counts.push((rule, fix.done, count)),
                }
            }
            report = after;
            changed = true;
        }
        if !changed {
            break;
        }
    }
    counts.into_iter().map(|(rule, done, n)| Fixed { rule, message: format!("{n} {done}") }).collect()
}
