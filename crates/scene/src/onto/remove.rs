//! Removes what is gone, and renumbers the rest.

use std::collections::HashSet;

use super::{Fate, Merge, Onto, Part};
use crate::{Scene, Target};

impl Merge<'_> {
    /// Removes what is gone and returns the result.
    pub(super) fn finish(mut self) -> Onto {
        self.account_for_nodes();
        self.keep_used_materials();
        let nodes = kept_ids(&self.gone_nodes, self.out.nodes.len());
        let materials = kept_ids(&self.gone_materials, self.out.materials.len());
        let mut scene = std::mem::take(&mut self.out);
        if nodes.contains(&None) {
            remove_nodes(&mut scene, &nodes);
        }
        if materials.contains(&None) {
            remove_materials(&mut scene, &materials);
        }
        let mut gone = self.gone_clips.iter();
        scene.clips.retain(|_| gone.next() != Some(&true));
        Onto { scene, account: self.account }
    }

    fn account_for_nodes(&mut self) {
        for (id, node) in self.original.nodes.iter().enumerate() {
            if self.gone_nodes.get(id) == Some(&true) {
                self.account.add(Part::Node, Fate::Gone, &node.name, "");
                continue;
            }
            let what = self.notes.get(id).map(|list| list.join(", ")).unwrap_or_default();
            let kept = self.kept_nodes.contains(&(id as u32));
            let fate = if what.is_empty() { Fate::Kept } else { Fate::Changed };
            let what = if kept { "it was not exported".to_owned() } else { what };
            self.account.add(Part::Node, fate, &node.name, what);
        }
    }

    /// Keeps materials that something of the result still has.
    fn keep_used_materials(&mut self) {
        let there = |id: usize| self.gone_nodes.get(id) != Some(&true);
        let nodes = self.out.nodes.iter().enumerate().filter(|(id, _)| there(*id));
        let mut used: HashSet<u32> = HashSet::new();
        for (_, node) in nodes {
            let mesh = node.mesh.and_then(|m| self.out.meshes.get(m as usize));
            used.extend(mesh.into_iter().flat_map(|m| &m.primitives).filter_map(|p| p.material));
            let emitter = node.emitter.and_then(|e| self.out.emitters.get(e as usize));
            used.extend(emitter.and_then(|e| e.material));
        }
        for (id, material) in self.out.materials.iter().enumerate() {
            if self.gone_materials.get(id) != Some(&true) || used.contains(&(id as u32)) {
                used.extend(&material.layers);
            }
        }
        for (id, material) in self.original.materials.iter().enumerate() {
            let Some(gone) = self.gone_materials.get_mut(id).filter(|gone| **gone) else { continue };
            *gone = !used.contains(&(id as u32));
            let fate = if *gone { Fate::Gone } else { Fate::Kept };
            self.account.add(Part::Material, fate, &material.name, "");
        }
    }
}

/// Returns the new index of each part; `None` for those that are gone.
pub(crate) fn kept_ids(gone: &[bool], count: usize) -> Vec<Option<u32>> {
    let mut next = 0;
    let mut id = |at: usize| {
        let kept = gone.get(at) != Some(&true);
        next += u32::from(kept);
        kept.then(|| next - 1)
    };
    (0..count).map(&mut id).collect()
}

pub(crate) fn remove_nodes(scene: &mut Scene, ids: &[Option<u32>]) {
    let of = |id: u32| ids.get(id as usize).copied().flatten();
    // Children of what is gone that are still there go to its nearest ancestor that is.
    let parents: Vec<Option<u32>> = scene.nodes.iter().map(|n| n.parent).collect();
    let above = |mut id: Option<u32>| {
        for _ in 0..parents.len() {
            match id {
                Some(at) if of(at).is_none() => id = parents.get(at as usize).copied().flatten(),
                _ => return id,
            }
        }
        None
    };
    let orphans: Vec<(u32, u32)> = (0..scene.nodes.len() as u32)
        .filter(|id| of(*id).is_some())
        .filter_map(|id| {
            let parent = parents.get(id as usize).copied().flatten().filter(|p| of(*p).is_none())?;
            Some((id, above(Some(parent))?))
        })
        .collect();
    for (child, parent) in orphans {
        if let Some(node) = scene.nodes.get_mut(parent as usize) {
            node.children.push(child);
        }
    }
    let mut at = 0u32;
    scene.nodes.retain_mut(|node| {
        let kept = of(at).is_some();
        at += 1;
        node.parent = above(node.parent).and_then(of);
        node.children = node.children.iter().filter_map(|c| of(*c)).collect();
        kept
    });
    for skin in &mut scene.skins {
        // A joint that is gone moves nothing, and holds its place.
        let stand_in = skin.joints.iter().find_map(|j| of(*j)).unwrap_or(0);
        skin.joints.iter_mut().for_each(|j| *j = of(*j).unwrap_or(stand_in));
    }
    scene.cameras.iter_mut().for_each(|camera| camera.target = camera.target.and_then(of));
    for clip in &mut scene.clips {
        clip.channels.retain_mut(|channel| match channel.target {
            Target::Node(id) => of(id).map(|id| channel.target = Target::Node(id)).is_some(),
            _ => true,
        });
        clip.events.retain_mut(|event| match event.node {
            Some(id) => of(id).map(|id| event.node = Some(id)).is_some(),
            None => true,
        });
    }
    remove_loose(scene);
}

/// Removes meshes, emitters, lights and cameras that no node has any more.
fn remove_loose(scene: &mut Scene) {
    fn sweep<T>(list: &mut Vec<T>, used: &HashSet<u32>) -> Vec<Option<u32>> {
        let gone: Vec<bool> = (0..list.len()).map(|at| !used.contains(&(at as u32))).collect();
        let ids = kept_ids(&gone, list.len());
        let mut each = ids.iter();
        list.retain(|_| each.next().is_some_and(Option::is_some));
        ids
    }
    let renumbered = |ids: &[Option<u32>], id: u32| ids.get(id as usize).copied().flatten();
    let used = scene.nodes.iter().filter_map(|n| n.mesh).collect();
    let meshes = sweep(&mut scene.meshes, &used);
    let used = scene.nodes.iter().filter_map(|n| n.emitter).collect();
    let emitters = sweep(&mut scene.emitters, &used);
    let used = scene.nodes.iter().filter_map(|n| n.light).collect();
    let lights = sweep(&mut scene.lights, &used);
    let used = scene.nodes.iter().filter_map(|n| n.camera).collect();
    let cameras = sweep(&mut scene.cameras, &used);
    for node in &mut scene.nodes {
        node.mesh = node.mesh.and_then(|id| renumbered(&meshes, id));
        node.emitter = node.emitter.and_then(|id| renumbered(&emitters, id));
        node.light = node.light.and_then(|id| renumbered(&lights, id));
        node.camera = node.camera.and_then(|id| renumbered(&cameras, id));
    }
    for clip in &mut scene.clips {
        clip.channels.retain_mut(|channel| {
            let target = match channel.target {
                Target::Emitter(id) => renumbered(&emitters, id).map(Target::Emitter),
                Target::Light(id) => renumbered(&lights, id).map(Target::Light),
                Target::Camera(id) => renumbered(&cameras, id).map(Target::Camera),
                other => Some(other),
            };
            target.map(|target| channel.target = target).is_some()
        });
    }
}

fn remove_materials(scene: &mut Scene, ids: &[Option<u32>]) {
    let of = |id: u32| ids.get(id as usize).copied().flatten();
    let mut at = 0u32;
    scene.materials.retain_mut(|material| {
        let kept = of(at).is_some();
        at += 1;
        material.layers = material.layers.iter().filter_map(|l| of(*l)).collect();
        kept
    });
    for primitive in scene.meshes.iter_mut().flat_map(|m| &mut m.primitives) {
        primitive.material = primitive.material.and_then(of);
    }
    for emitter in &mut scene.emitters {
        emitter.material = emitter.material.and_then(of);
    }
    for clip in &mut scene.clips {
        clip.channels.retain_mut(|channel| match channel.target {
            Target::Material(id) => of(id).map(|id| channel.target = Target::Material(id)).is_some(),
            _ => true,
        });
    }
}
