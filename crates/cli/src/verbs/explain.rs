//! `galatea explain`: what a rule means.

use std::io::{self, Write};

use clap::Args;
use serde_json::json;

use crate::Exit;
use crate::batch::joined;
use crate::terminal::complain;

#[derive(Args)]
pub(crate) struct Options {
    /// Codes such as KBWM0007 [default: list all rules]
    #[arg(value_name = "CODE")]
    codes: Vec<String>,
    /// One JSON object per rule, one line each
    #[arg(long)]
    json: bool,
}

impl Options {
    pub(crate) fn run(&self) -> io::Result<Exit> {
        let mut out = io::stdout().lock();
        let mut rules = Vec::new();
        for code in &self.codes {
            match galatea::rule(code) {
                Some(rule) => rules.push(rule),
                None => {
                    complain(format_args!(
                        "no rule is called `{}`; `galatea explain` lists them",
                        galatea::wire::escape(code)
                    ));
                    return Ok(Exit::Usage);
                }
            }
        }
        let all = rules.is_empty();
        if all {
            // Formats of one family share their rules.
            let mut seen = std::collections::HashSet::new();
            rules.extend(galatea::rules().filter(|rule| seen.insert(rule.code)));
        }
        for rule in rules {
            if self.json {
                writeln!(out, "{}", joined(json!(rule), json!({ "link": link(rule.code) })))?;
            } else if all {
                writeln!(out, "{}  {:<7}  {}", rule.code, rule.severity.name(), rule.title)?;
            } else {
                writeln!(out, "{} ({}): {}", rule.code, rule.severity, rule.title)?;
                writeln!(out, "  {}", rule.help)?;
                if rule.fix {
                    writeln!(out, "  `galatea check --fix --only {} FILE` fixes it.", rule.code)?;
                }
                writeln!(out, "  {}", link(rule.code))?;
            }
        }
        Ok(Exit::Fine)
    }
}

/// The place of a rule in the catalogue.
fn link(code: &str) -> String {
    format!("{}/blob/main/docs/rules.md#{}", env!("CARGO_PKG_REPOSITORY"), code.to_ascii_lowercase())
}
