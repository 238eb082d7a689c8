//! `cargo xtask docs`: byte tables from the records and rule catalogues from the rules, written into the format pages.

use std::fmt::Write;

use clap::Args;
use galatea::wire::{Kind, Schema};
use galatea::{Format, Holds, Rule, texture};

use crate::{Outcome, generated, root};

#[derive(Args)]
pub(crate) struct Options {
    /// Only say whether the pages are up to date
    #[arg(long)]
    pub(crate) check: bool,
}

impl Options {
    pub(crate) fn run(&self) -> Outcome {
        // Walkmeshes as text are told on the page of models as text.
        let elsewhere = ["kotor-bwm-ascii", "glb", "gltf"];
        let own = |f: &&&Format| f.holds == Holds::Model && !elsewhere.contains(&f.name);
        for format in galatea::FORMATS.iter().filter(own) {
            self.page(format.name, format.records, format.rules)?;
        }
        // All textures are told on one page.
        self.page("textures", texture::RECORDS, texture::RULES)
    }

    fn page(&self, name: &str, schemas: &[&Schema], table: &[Rule]) -> Outcome {
        let path = root().join("docs/formats").join(format!("{name}.md"));
        let mut page = std::fs::read_to_string(&path).map_err(|e| format!("docs/formats/{name}.md: {e}"))?;
        replace(&mut page, "records", &records(schemas))?;
        replace(&mut page, "rules", &rules(table))?;
        generated(&path, page.as_bytes(), self.check)
    }
}

/// Puts text between `<!-- begin NAME -->` and `<!-- end NAME -->`.
pub(crate) fn replace(page: &mut String, name: &str, text: &str) -> Outcome {
    let (begin, end) = (format!("<!-- begin {name} -->\n"), format!("<!-- end {name} -->"));
    let missing = || format!("no `{}` in the page", begin.trim_end());
    let from = page.find(&begin).ok_or_else(missing)? + begin.len();
    let to = page.get(from..).and_then(|p| p.find(&end)).ok_or_else(missing)? + from;
    page.replace_range(from..to, &format!("\n{}\n", text.trim_end_matches('\n')));
    let at = page.find(&end).ok_or_else(missing)?;
    if !page.get(..at).is_some_and(|p| p.ends_with("\n\n")) {
        page.insert(at, '\n');
    }
    Ok(())
}

fn type_name(ty: &str, schema: &Schema) -> String {
    match schema.kind {
        Kind::Offset => "offset (u32)".into(),
        _ => ty.replace("galatea_wire :: ", "").replace(" :: ", "::"),
    }
}

fn records(schemas: &[&Schema]) -> String {
    let mut out = String::new();
    for schema in schemas {
        let _ = writeln!(out, "### {} ({} bytes)\n\n{}\n", schema.name, schema.size, flow(schema.doc));
        let Kind::Struct(fields) = schema.kind else { continue };
        out.push_str("| offset | size | type | field | meaning |\n|---:|---:|---|---|---|\n");
        for field in fields {
            let ty = type_name(field.ty, field.schema);
            let (name, doc) = (field.name, flow(field.doc));
            let _ =
                writeln!(out, "| 0x{:02X} | {} | {ty} | `{name}` | {doc} |", field.offset, field.schema.size);
        }
        out.push('\n');
    }
    out
}

fn rules(table: &[Rule]) -> String {
    let mut out = String::from(
        "| code | severity | `--fix` | what is wrong | what it means |\n|---|---|---|---|---|\n",
    );
    for rule in table {
        let fix = if rule.fix { "yes" } else { "" };
        let _ = writeln!(
            out,
            "| {} | {} | {fix} | {} | {} |",
            rule.code,
            rule.severity,
            rule.title,
            flow(rule.help)
        );
    }
    out
}

/// Doc comments as one line of a table.
fn flow(doc: &str) -> String {
    doc.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}
