//! Differences between two documents, field by field.

use std::collections::HashMap;

use galatea_wire::{Claim, Coverage, Inspector, Kind, Limits};

use crate::{Layout, Model, inspect};

/// Maximum number of listed differences; the rest is counted.
const MOST: usize = 200;

impl Model {
    /// Returns the differences from another model; empty if they are equal. Floats are compared by bits. The order of chunks and
    /// bytes after the NUL of a string are ignored.
    ///
    /// ```
    /// use galatea_mdlx::{Model, Version};
    /// let (a, mut b) = (Model::new(Version(800)), Model::new(Version(800)));
    /// assert!(a.differences(&b).is_empty());
    /// b.info.blend_time = 150;
    /// assert_eq!(a.differences(&b), ["MODL > blend_time: 0 and 150"]);
    /// ```
    pub fn differences(&self, other: &Model) -> Vec<String> {
        if self.version != other.version {
            return vec![format!("version: {} and {}", self.version, other.version)];
        }
        let (a, b) = match (self.write_laid_out(&Layout::default()), other.write_laid_out(&Layout::default()))
        {
            (Ok(a), Ok(b)) => (a, b),
            (Err(e), Ok(_)) => return vec![format!("the first cannot be written: {e}")],
            (Ok(_), Err(e)) => return vec![format!("the second cannot be written: {e}")],
            // Neither can be written, so they cannot be compared field by field.
            (Err(_), Err(_)) if self == other => return Vec::new(),
            (Err(e), Err(_)) => return vec![format!("neither can be written: {e}")],
        };
        if a == b {
            return Vec::new();
        }
        let limits = Limits::default().with_ratio(8);
        let (a_claims, _) = inspect(&a, &limits);
        let (b_claims, _) = inspect(&b, &limits);
        let (a, b) = (Side::new(&a, &a_claims), Side::new(&b, &b_claims));
        let mut out = Found::default();
        for (key, claim) in &a.order {
            match b.by_key.get(key) {
                None => out.add(|| format!("{}: only in the first", a.path(*claim))),
                Some(twin) => compare(&a, *claim, &b, *twin, &mut out),
            }
        }
        for (key, claim) in &b.order {
            if !a.by_key.contains_key(key) {
                out.add(|| format!("{}: only in the second", b.path(*claim)));
            }
        }
        out.finish()
    }
}

#[derive(Default)]
struct Found {
    lines: Vec<String>,
    more: usize,
}

impl Found {
    fn add(&mut self, line: impl FnOnce() -> String) {
        if self.lines.len() < MOST {
            self.lines.push(line());
        } else {
            self.more += 1;
        }
    }

    fn finish(mut self) -> Vec<String> {
        if self.more > 0 {
            self.lines.push(format!("and {} more", self.more));
        }
        self.lines
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

    fn path(&self, id: u32) -> String {
        self.coverage.path(id, self.bytes)
    }
}

fn compare(a: &Side<'_>, a_id: u32, b: &Side<'_>, b_id: u32, out: &mut Found) {
    let (a_bytes, b_bytes) = (a.of(a_id), b.of(b_id));
    if a_bytes == b_bytes {
        return;
    }
    let (Some(a_claim), Some(b_claim)) = (a.claim(a_id), b.claim(b_id)) else { return };
    if a_bytes.len() != b_bytes.len() {
        let size = a_claim.schema.map_or(1, |s| s.size.max(1));
        out.add(|| format!("{}: {} and {} items", a.path(a_id), a_bytes.len() / size, b_bytes.len() / size));
        return;
    }
    let (a_look, b_look) = (Inspector::new(a.bytes, a.coverage), Inspector::new(b.bytes, b.coverage));
    let mut at = 0usize;
    let mut reported = 0usize;
    while let Some(next) =
        a_bytes.iter().zip(b_bytes).skip(at).position(|(x, y)| x != y).map(|found| at + found)
    {
        let (Some(x), Some(y)) =
            (a_look.at(a_claim.start as usize + next), b_look.at(b_claim.start as usize + next))
        else {
            break;
        };
        at = (x.offset + x.size).saturating_sub(a_claim.start as usize).max(next + 1);
        if x.value == y.value && is_text(a_claim, x.size) {
            continue;
        }
        reported += 1;
        if reported > 3 {
            out.add(|| format!("{}: more differs", a.path(a_id)));
            return;
        }
        out.add(|| format!("{}: {} and {}", x.path, x.value, y.value));
    }
}

fn is_text(claim: &Claim, size: usize) -> bool {
    claim.schema.is_some_and(|s| match s.kind {
        Kind::Text => true,
        Kind::Struct(fields) => fields.iter().any(|f| f.schema.size == size && f.schema.kind == Kind::Text),
        _ => false,
    })
}
