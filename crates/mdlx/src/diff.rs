//! Differences between two documents, field by field.

use std::collections::HashMap;

use galatea_wire::{Claim, Coverage, Differences, FieldAt, Inspector, Limits};

use crate::{Layout, Model, inspect};

impl Model {
    /// Returns the differences from another model; empty if they are equal. Floats are compared by bits. The order of chunks and
    /// bytes after the NUL of a string are ignored.
    ///
    /// ```
    /// use galatea_mdlx::{Model, Version};
    /// let (a, mut b) = (Model::new(Version(800)), Model::new(Version(800)));
    /// assert!(a.differences(&b).is_empty());
    /// b.info.blend_time = 150;
    /// assert_eq!(a.differences(&b), ["MODL > blend_time: 0 -> 150"]);
    /// ```
    pub fn differences(&self, other: &Model) -> Vec<String> {
        Differences::collect(|out| self.compare(other, out))
    }

    /// Adds the [`differences`](Self::differences) from another model to a list, within its tolerance.
    pub fn compare(&self, other: &Model, out: &mut Differences) {
        if self.version != other.version {
            return out.change("version", self.version, other.version);
        }
        let (a, b) = match (self.write_laid_out(&Layout::default()), other.write_laid_out(&Layout::default()))
        {
            (Ok(a), Ok(b)) => (a, b),
            (Err(e), Ok(_)) => return out.line(format_args!("the first cannot be written: {e}")),
            (Ok(_), Err(e)) => return out.line(format_args!("the second cannot be written: {e}")),
            // Neither can be written, so they cannot be compared field by field.
            (Err(_), Err(_)) if self == other => return,
            (Err(e), Err(_)) => return out.line(format_args!("neither can be written: {e}")),
        };
        if a == b {
            return;
        }
        let limits = Limits::default().with_ratio(8);
        let (a_claims, _) = inspect(&a, &limits);
        let (b_claims, _) = inspect(&b, &limits);
        let (a, b) = (Side::new(&a, &a_claims), Side::new(&b, &b_claims));
        for (key, claim) in &a.order {
            match b.by_key.get(key) {
                None => out.line(format_args!("{}: only in the first", a.path(*claim))),
                Some(twin) => compare(&a, *claim, &b, *twin, out),
            }
        }
        for (key, claim) in &b.order {
            if !a.by_key.contains_key(key) {
                out.line(format_args!("{}: only in the second", b.path(*claim)));
            }
        }
    }
}

type Key = (String, u32);

struct Side<'a> {
    bytes: &'a [u8],
    coverage: &'a Coverage,
    order: Vec<(Key, u32)>,
    by_key: HashMap<Key, u32>,
}

impl<'a> Side<'a> {
    fn new(bytes: &'a [u8], coverage: &'a Coverage) -> Self {
        let mut paths: Vec<String> = Vec::with_capacity(coverage.claims().len());
        let mut seen: HashMap<String, u32> = HashMap::new();
        let mut order = Vec::new();
        for (id, claim) in coverage.claims().iter().enumerate() {
            // Without names, so that a renamed node is still the same node.
            let step = Claim { label: (0, 0), ..*claim }.step(bytes);
            let parent = paths.get(claim.parent as usize);
            let path = parent.map_or(step.clone(), |p| format!("{p} > {step}"));
            // Sizes and counts follow from the rest.
            if !claim.is_scope() && !matches!(claim.name, "size" | "count" | "tag") {
                let nth = seen.entry(path.clone()).or_default();
                order.push(((path.clone(), *nth), id as u32));
                *nth += 1;
            }
            paths.push(path);
        }
        let by_key = order.iter().cloned().collect();
        Side { bytes, coverage, order, by_key }
    }

    fn claim(&self, id: u32) -> Option<&Claim> {
        self.coverage.claims().get(id as usize)
    }

    fn of(&self, id: u32) -> &'a [u8] {
        self.claim(id).and_then(|c| self.bytes.get(c.start as usize..c.end as usize)).unwrap_or(&[])
    }

    fn field(&self, field: &FieldAt) -> &'a [u8] {
        self.bytes.get(field.offset..field.offset + field.size).unwrap_or(&[])
    }

    fn path(&self, id: u32) -> String {
        self.coverage.path(id, self.bytes)
    }
}

fn compare(a: &Side<'_>, a_id: u32, b: &Side<'_>, b_id: u32, out: &mut Differences) {
    let (a_bytes, b_bytes) = (a.of(a_id), b.of(b_id));
    if a_bytes == b_bytes {
        return;
    }
    let (Some(a_claim), Some(b_claim)) = (a.claim(a_id), b.claim(b_id)) else { return };
    if a_bytes.len() != b_bytes.len() {
        let size = a_claim.schema.map_or(1, |s| s.size.max(1));
        let (a_len, b_len) = (a_bytes.len() / size, b_bytes.len() / size);
        out.change(a.path(a_id), a_len, format_args!("{b_len} entries"));
        return;
    }
    let (a_look, b_look) = (Inspector::new(a.bytes, a.coverage), Inspector::new(b.bytes, b.coverage));
    let mut at = 0usize;
    let mut reported = 0usize;
    while let (Some(a_rest), Some(b_rest)) = (a_bytes.get(at..), b_bytes.get(at..)) {
        let Some(found) = a_rest.iter().zip(b_rest).position(|(x, y)| x != y) else { break };
        let next = at + found;
        let (Some(x), Some(y)) = (
            a_look.at_in(a_id, a_claim.start as usize + next),
            b_look.at_in(b_id, b_claim.start as usize + next),
        ) else {
            break;
        };
        at = (x.offset + x.size).saturating_sub(a_claim.start as usize).max(next + 1);
        if out.are_same(x.schema, a.field(&x), b.field(&y)) {
            continue;
        }
        reported += 1;
        if reported > 3 {
            out.line(format_args!("{}: more differs", a.path(a_id)));
            return;
        }
        out.change(x.path, x.value, y.value);
    }
}
