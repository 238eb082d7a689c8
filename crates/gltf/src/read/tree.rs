//! From glTF to the scene: the tree of nodes.

use std::collections::{HashMap, HashSet};

use galatea_scene::Value;
use galatea_wire::{Error, ErrorKind, Loss, Result};

use crate::accessor::{Document, whole, wrong};
use crate::{Loaded, blender};

/// The nodes of the chosen scene.
pub(crate) struct Tree {
    pub(super) scene: usize,
    /// Indices in the document, in the order of the scene's nodes.
    pub(super) order: Vec<usize>,
    pub(super) new_id: Vec<Option<u32>>,
    pub(super) parents: Vec<Option<usize>>,
    pub(super) children: Vec<Vec<usize>>,
    /// For nodes that another program split in two, the other half.
    pub(super) halves: HashMap<usize, usize>,
    /// Nodes that held a mesh that was deleted.
    pub(super) empty: HashSet<usize>,
    pub(super) lights: usize,
}

impl Tree {
    pub(crate) fn id(&self, old: usize) -> Option<u32> {
        self.new_id.get(old).copied().flatten()
    }

    pub(super) fn read(document: &Document<'_>, loaded: &mut Loaded) -> Result<Tree> {
        let nodes = document.list("nodes");
        let mut parents: Vec<Option<usize>> = vec![None; nodes.len()];
        let mut children = vec![Vec::new(); nodes.len()];
        for (i, node) in nodes.iter().enumerate() {
            let list = node.get("children").and_then(Value::as_array).map_or(&[][..], |l| l);
            for child in list {
                let inside = |e: Error| e.within("children").within(format!("nodes[{i}]"));
                let child = whole(child).filter(|c| *c < nodes.len());
                let child =
                    child.ok_or_else(|| inside(wrong(document.place, "the index of a node", "another")))?;
                match parents.get_mut(child) {
                    Some(parent @ None) if child != i => *parent = Some(i),
                    _ => return Err(inside(Error::at(ErrorKind::Cycle, document.place))),
                }
                if let Some(list) = children.get_mut(i) {
                    list.push(child);
                }
            }
        }
        let scenes = document.list("scenes");
        let scene = document.index(document.root, "scene", "scenes")?.unwrap_or(0);
        let roots: Vec<usize> = match scenes.get(scene) {
            Some(value) => {
                let list = value.get("nodes").and_then(Value::as_array).map_or(&[][..], |l| l);
                let roots = list.iter().map(|v| whole(v).filter(|n| *n < nodes.len()));
                let roots: Option<Vec<usize>> = roots.collect();
                roots.ok_or_else(|| {
                    wrong(document.place, "the index of a node", "another").within(format!("scenes[{scene}]"))
                })?
            }
            None => (0..nodes.len()).filter(|n| parents.get(*n).copied().flatten().is_none()).collect(),
        };
        if scenes.len() > 1 {
            loaded.losses.push(
                Loss::new("", format!("{} scenes besides the one that is shown", scenes.len() - 1))
                    .invisible(),
            );
        }
        // Every node has one parent, so a walk from the roots meets a node twice only if a root has a parent.
        let mut taken = vec![false; nodes.len()];
        let mut todo = roots;
        while let Some(node) = todo.pop() {
            if let Some(flag) = taken.get_mut(node).filter(|t| !**t) {
                *flag = true;
                todo.extend(children.get(node).into_iter().flatten());
            }
        }
        let (mut halves, mut empty) = (HashMap::new(), HashSet::new());
        if blender::wrote(document.root) {
            for (half, holder) in blender::halves(document.root, &parents) {
                if let Some(flag) = taken.get_mut(half).filter(|t| **t) {
                    *flag = false;
                    halves.insert(holder, half);
                }
            }
            for (at, node) in nodes.iter().enumerate().filter(|(at, _)| !halves.contains_key(at)) {
                if blender::is_empty_holder(node)
                    && let Some(flag) = taken.get_mut(at).filter(|t| **t)
                {
                    *flag = false;
                    empty.insert(at);
                }
            }
        }
        let order: Vec<usize> =
            (0..nodes.len()).filter(|n| taken.get(*n).copied().unwrap_or(false)).collect();
        let mut new_id = vec![None; nodes.len()];
        for (new, old) in order.iter().enumerate() {
            if let Some(slot) = new_id.get_mut(*old) {
                *slot = Some(new as u32);
            }
        }
        let left = nodes.len() - order.len() - halves.len() - empty.len();
        if left > 0 && scenes.len() <= 1 {
            loaded.losses.push(Loss::new("", format!("{left} nodes that no scene shows")).invisible());
        }
        let lights = loaded.scene.lights.len();
        Ok(Tree { scene, order, new_id, parents, children, halves, empty, lights })
    }
}
