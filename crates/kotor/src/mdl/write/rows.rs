//! Plans and writes the vertex rows of meshes in the MDX.

use std::borrow::Cow;

use galatea_wire::{Error, Result, Wire};

use super::out::Out;
use super::plan::{Coverage, coverage};
use crate::mdl::layout::{RowLayout, Sentinel};
use crate::mdl::mesh::Mesh;
use crate::mdl::{Model, Platform};

/// The alignment of the rows of a mesh in files of the game's compiler.
const ALIGNMENT: usize = 16;

/// The vertex rows of one mesh.
#[derive(Debug)]
pub(super) struct Rows<'a> {
    /// The node, counted over the model and then its animations.
    node: usize,
    mesh: &'a Mesh,
    pub(super) layout: Cow<'a, RowLayout>,
    /// Their place.
    pub(super) at: u32,
    /// Bytes of the rows, without the one that ends them.
    body: usize,
    /// Bytes of the row that ends them, if there is one.
    sentinel: usize,
}

impl Rows<'_> {
    fn len(&self) -> usize {
        self.body.saturating_add(self.sentinel)
    }

    fn write(&self, out: &mut Out<'_>) {
        let (at, skin) = (self.at as usize, self.mesh.skin.is_some());
        out.fill(at, self.body, |rows| self.layout.encode(&self.mesh.vertices, skin, rows));
        let number = match &self.layout.sentinel {
            Sentinel::Absent => return,
            Sentinel::Raw(bytes) => {
                let len = self.sentinel.min(bytes.len());
                return out
                    .fill(at + self.body, len, |row| row.copy_from_slice(bytes.get(..len).unwrap_or(bytes)));
            }
            Sentinel::Number(number) => *number,
            Sentinel::Usual if skin => 1.0e6,
            Sentinel::Usual => 1.0e7,
        };
        out.fill(at + self.body, self.sentinel, |row| {
            row.fill(0);
            [number; 3].put(row);
        });
    }
}

/// The vertex rows of all meshes and their places.
#[derive(Debug)]
pub(super) struct RowPlan<'a> {
    /// In the order of the nodes: those of the model, then those of its animations.
    rows: Vec<Rows<'a>>,
    /// Length of the MDX.
    pub(super) len: usize,
    coverage: Coverage,
}

impl<'a> RowPlan<'a> {
    /// Plans the rows of a model: at their old places if they are those that were read, otherwise one after the other.
    pub(super) fn of(model: &'a Model) -> Result<RowPlan<'a>> {
        let mut plan = RowPlan { rows: collect(model)?, len: 0, coverage: Coverage::Partial };
        if !model.layout.mdx.missing && !plan.keeps_places(model) {
            plan.stack(model)?;
        }
        Ok(plan)
    }

    /// Returns the rows of the mesh of a node, if they are in the MDX.
    pub(super) fn of_node(&self, node: usize) -> Option<&Rows<'a>> {
        let found = self.rows.binary_search_by_key(&node, |rows| rows.node).ok()?;
        self.rows.get(found)
    }

    /// Keeps the old places if the rows are those that were read. Returns `false` if they are not.
    fn keeps_places(&mut self, model: &Model) -> bool {
        let layout = &model.layout.mdx;
        let same =
            |rows: &Rows<'_>| rows.layout.known && rows.layout.count as usize == rows.mesh.vertex_count();
        if model.layout.headers.is_none() || !self.rows.iter().all(same) {
            return false;
        }
        self.len = layout.len as usize;
        let rows = self.rows.iter().map(|rows| (u64::from(rows.at), rows.len() as u64));
        let gaps = layout.gaps.iter().map(|gap| (u64::from(gap.offset), gap.bytes.len() as u64));
        // Padding is stored as a gap only if it is not zero.
        self.coverage = coverage(rows.chain(gaps), u64::from(layout.len), ALIGNMENT as u64 - 1);
        match self.coverage {
            Coverage::Exact => true,
            Coverage::Shared => layout.overlaps,
            Coverage::Partial => false,
        }
    }

    /// Makes the rows of all meshes consecutive, in their old order; new ones follow those of the previous mesh. Bytes
    /// that belong to no mesh are dropped.
    fn stack(&mut self, model: &Model) -> Result<()> {
        let mut order: Vec<(u32, bool, usize)> = Vec::with_capacity(self.rows.len());
        let mut last = 0;
        for (i, rows) in self.rows.iter().enumerate() {
            if rows.layout.known {
                last = rows.layout.at;
            }
            order.push((last, !rows.layout.known, i));
        }
        order.sort();
        let layout = &model.layout.mdx;
        let alignment = if layout.aligned || layout.len == 0 { ALIGNMENT } else { 1 };
        let mut end = 0usize;
        for (_, _, i) in order {
            let Some(rows) = self.rows.get_mut(i) else { continue };
            let at = end.next_multiple_of(alignment);
            rows.at =
                u32::try_from(at).map_err(|_| Error::unrepresentable("the MDX is longer than 4 GiB"))?;
            end = at.saturating_add(rows.len());
        }
        (self.len, self.coverage) = (end, Coverage::Partial);
        Ok(())
    }

    /// Writes the MDX. Rows that share bytes but no longer agree on them get separate places.
    pub(super) fn write(&mut self, model: &Model, mdx: &mut Vec<u8>) -> Result<()> {
        self.emit(model, Out::zeroed(mdx, self.len))?;
        if self.coverage == Coverage::Shared && !self.emit(model, Out::comparing(mdx))? {
            self.stack(model)?;
            self.emit(model, Out::zeroed(mdx, self.len))?;
        }
        Ok(())
    }

    fn emit(&self, model: &Model, mut out: Out<'_>) -> Result<bool> {
        if self.coverage != Coverage::Partial {
            for gap in &model.layout.mdx.gaps {
                out.fill(gap.offset as usize, gap.bytes.len(), |bytes| bytes.copy_from_slice(&gap.bytes));
            }
        }
        self.rows.iter().for_each(|rows| rows.write(&mut out));
        out.finish()
    }
}

/// Lists the rows of all meshes, at their old places. Without the MDX there are none.
fn collect(model: &Model) -> Result<Vec<Rows<'_>>> {
    let packed = model.platform == Platform::Xbox;
    let mut list = Vec::new();
    let mut first = 0;
    for nodes in model.trees() {
        for (id, mesh) in nodes.iter().enumerate().filter_map(|(i, n)| Some((i, n.mesh.as_deref()?))) {
            RowLayout::columns_agree(&mesh.vertices).map_err(|error| error.within(format!("nodes[{id}]")))?;
            if model.layout.mdx.missing || !mesh.in_mdx || mesh.vertex_count() == 0 {
                continue;
            }
            let layout = RowLayout::for_writing(mesh, packed);
            let stride = layout.stride as usize;
            list.push(Rows {
                node: first + id,
                mesh,
                at: layout.at,
                body: mesh.vertex_count().saturating_mul(stride),
                sentinel: if layout.sentinel == Sentinel::Absent { 0 } else { stride },
                layout,
            });
        }
        first += nodes.len();
    }
    Ok(list)
}
