//! Just enough of a WOK file for the tests.

use std::path::{Path, PathBuf};

use galatea_walk::{Materials, StoredTree, Surface, TreeNode};

/// Reads the tables of a WOK, PWK or DWK file.
pub(crate) fn read(bytes: &[u8]) -> Option<Surface> {
    let u32_at = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let f32_at = |at: usize| u32_at(at).map(f32::from_bits);
    let vector = |at: usize| Some([f32_at(at)?, f32_at(at + 4)?, f32_at(at + 8)?]);
    let head = |k: usize| u32_at(72 + 4 * k).map(|v| v as usize);
    if bytes.get(..8)? != b"BWM V1.0" {
        return None;
    }
    let (vertices, vertex_at, faces, face_at, material_at) =
        (head(0)?, head(1)?, head(2)?, head(3)?, head(4)?);
    let (nodes, node_at, links, link_at, edges, edge_at) =
        (head(7)?, head(8)?, head(10)?, head(11)?, head(12)?, head(13)?);
    let three = |at: usize| Some([u32_at(at)?, u32_at(at + 4)?, u32_at(at + 8)?]);
    let some = |v: u32| (v != u32::MAX).then_some(v);
    let tree = (0..nodes)
        .map(|i| {
            let at = node_at + 44 * i;
            let children = [some(u32_at(at + 36)?), some(u32_at(at + 40)?)];
            Some(TreeNode { min: vector(at)?, max: vector(at + 12)?, face: some(u32_at(at + 24)?), children })
        })
        .collect::<Option<Vec<_>>>()?;
    let adjacency =
        (0..links).map(|i| Some(three(link_at + 12 * i)?.map(|v| v as i32))).collect::<Option<Vec<_>>>()?;
    let transitions = (0..edges)
        .map(|i| Some((u32_at(edge_at + 8 * i)?, u32_at(edge_at + 8 * i + 4)?)))
        .collect::<Option<Vec<_>>>()?;
    Some(Surface {
        positions: (0..vertices).map(|i| vector(vertex_at + 12 * i)).collect::<Option<_>>()?,
        faces: (0..faces).map(|i| three(face_at + 12 * i)).collect::<Option<_>>()?,
        materials: (0..faces).map(|i| u32_at(material_at + 4 * i)).collect::<Option<_>>()?,
        walkable: Materials::KOTOR_WALKABLE,
        adjacency: (links > 0).then_some(adjacency),
        transitions: transitions.into_iter().filter(|t| t.1 != u32::MAX).collect(),
        tree: (nodes > 0).then_some(StoredTree { nodes: tree }),
    })
}

/// The WOK files of the corpus, largest first; empty, said on stderr, where there is no corpus.
pub(crate) fn corpus() -> Vec<(PathBuf, Surface)> {
    let Some(dir) = galatea_trial::corpus("kotor") else { return Vec::new() };
    let mut out: Vec<(PathBuf, Surface)> = galatea_trial::files(&dir, &[".wok"])
        .into_iter()
        .filter_map(|path| Some((path.clone(), read(&std::fs::read(&path).ok()?)?)))
        .collect();
    out.sort_by_key(|(path, s)| (std::cmp::Reverse(s.faces.len()), path.clone()));
    out
}

/// One file of the corpus by name.
pub(crate) fn named(name: &str) -> Option<Surface> {
    let dir = galatea_trial::corpus("kotor")?;
    let path = galatea_trial::files(&dir, &[name]).into_iter().next()?;
    read(&std::fs::read(path).ok()?)
}

/// The name of a file.
pub(crate) fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
