//! Removing nodes.

use crate::{NodeId, Scene, Target};

impl Scene {
    /// Removes the nodes for which `keep` has `false`. Children of removed nodes move up to the nearest ancestor that
    /// stays, and keep their transform relative to it: the caller removes nodes without a transform, or with
    /// all below them. Channels of removed nodes are removed; their joints and events name no node.
    ///
    /// ```
    /// use galatea_scene::{Node, Scene};
    /// let mut scene = Scene::new("x");
    /// let top = scene.add_node(None, Node::new("top"));
    /// let arm = scene.add_node(Some(top), Node::new("arm"));
    /// scene.add_node(Some(arm), Node::new("hand"));
    /// scene.retain_nodes(&[true, false, true]);
    /// assert_eq!(scene.nodes[1].name, "hand");
    /// assert_eq!((scene.nodes[0].children.as_slice(), scene.nodes[1].parent), (&[1][..], Some(0)));
    /// ```
    pub fn retain_nodes(&mut self, keep: &[bool]) {
        let stays = |id: NodeId| keep.get(id as usize).copied().unwrap_or(true);
        let order = self.depth_first();
        let mut new = vec![None; self.nodes.len()];
        let mut next: NodeId = 0;
        for (id, slot) in (0..).zip(&mut new) {
            if stays(id) {
                *slot = Some(next);
                next += 1;
            }
        }
        let of = |id: NodeId| new.get(id as usize).copied().flatten();
        // The nearest ancestor that stays, for every node; parents come before their children.
        let mut above: Vec<Option<NodeId>> = vec![None; self.nodes.len()];
        let mut children: Vec<Vec<NodeId>> = vec![Vec::new(); next as usize];
        for id in order {
            let parent = self.node(id).and_then(|n| n.parent);
            let found =
                parent.and_then(|p| if stays(p) { of(p) } else { above.get(p as usize).copied().flatten() });
            if let Some(slot) = above.get_mut(id as usize) {
                *slot = found;
            }
            if let (Some(parent), Some(child)) = (found, of(id))
                && let Some(list) = children.get_mut(parent as usize)
            {
                list.push(child);
            }
        }
        let nodes = std::mem::take(&mut self.nodes);
        let kept = (0..).zip(nodes).filter(|(id, _)| stays(*id));
        self.nodes = kept
            .map(|(id, mut node)| {
                node.parent = above.get(id as usize).copied().flatten();
                node
            })
            .collect();
        for (node, children) in self.nodes.iter_mut().zip(children) {
            node.children = children;
        }
        for skin in &mut self.skins {
            skin.joints.iter_mut().for_each(|joint| *joint = of(*joint).unwrap_or(NodeId::MAX));
        }
        for clip in &mut self.clips {
            clip.channels.retain_mut(|channel| match channel.target {
                Target::Node(id) => match of(id) {
                    Some(id) => {
                        channel.target = Target::Node(id);
                        true
                    }
                    None => false,
                },
                _ => true,
            });
            clip.events.iter_mut().for_each(|event| event.node = event.node.and_then(of));
        }
    }
}
