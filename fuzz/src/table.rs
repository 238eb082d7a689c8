//! KotOR's tables: any bytes, and every question that areas and creatures ask.

use galatea::Limits;
use galatea::kotor::table::{Gff, Record, TwoDa};

use crate::memory;

/// Reads a 2DA, in either form, and asks for its cells.
pub fn two_da(data: &[u8]) {
    memory::native(data.len(), || {
        let Ok(table) = TwoDa::read(data, &Limits::default()) else { return };
        for row in 0..table.rows().min(64) {
            let _ = table.label(row);
            for column in table.columns().iter().take(64) {
                if table.number(row, column).is_some() {
                    assert!(table.cell(row, column).is_some(), "a number is text first");
                }
            }
        }
        assert!(table.cell(table.rows(), "label").is_none(), "no row after the last");
    });
}

/// Reads a GFF and walks through it.
pub fn gff(data: &[u8]) {
    memory::native(data.len(), || {
        if let Ok(tree) = Gff::read(data, &Limits::default()) {
            ask(tree.root(), 0);
        }
    });
}

fn ask(record: Record<'_>, depth: u32) {
    let _ = record.kind();
    for label in ["Door List", "Creature List", "TemplateResRef", "X", "Bearing", "Tag", "Appearance_Type"] {
        let _ = (record.number(label), record.float(label), record.text(label));
        if depth < 2 {
            record.list(label).take(16).chain(record.record(label)).for_each(|below| ask(below, depth + 1));
        }
    }
}
