//! A layout as one scene: each room below a node at its place.

use galatea_scene::{Attachment, Node, NodeId, Scene, Transform};

use super::LayoutFile;
use crate::Instances;
use crate::formats::git;

/// KotOR's axes: Z is up.
const AXES: [f32; 4] = [-std::f32::consts::FRAC_1_SQRT_2, 0.0, 0.0, std::f32::consts::FRAC_1_SQRT_2];

/// Returns all rooms that are available, their walkmeshes, the door hooks, and the objects of the area.
pub(crate) fn layout_scene(layout: Option<&LayoutFile>, instances: Option<&Instances>, name: &str) -> Scene {
    let mut scene = Scene::new(name);
    let axes = scene.add_axes(AXES, 1.0);
    if let Some(file) = layout {
        add_rooms(&mut scene, file, axes);
    }
    if let Some(instances) = instances {
        git::add(&mut scene, instances, axes);
    }
    scene
}

fn add_rooms(scene: &mut Scene, file: &LayoutFile, axes: NodeId) {
    for room in &file.layout.rooms {
        let Some(files) = file.files(&room.model) else { continue };
        let at = Transform { translation: room.position, ..Transform::default() };
        let place = scene.add_node(Some(axes), Node { transform: at, ..Node::new(&room.model) });
        if let Some(Ok(model)) = &files.model {
            scene.append(Scene { name: room.model.clone(), ..model.to_scene() }, place);
        }
        if let Some(Ok(walkmesh)) = &files.walkmesh {
            // Their vertices are in the coordinates of the area.
            let place = scene.add_node(Some(axes), Node::new(&format!("{}_wok", room.model)));
            scene.append(Scene { name: room.model.clone(), ..walkmesh.to_scene() }, place);
        }
    }
    for door in &file.layout.doors {
        let [w, x, y, z] = door.place.rotation;
        let at =
            Transform { translation: door.place.position, rotation: [x, y, z, w], ..Transform::default() };
        let attachment = Some(Attachment { id: None, path: String::new() });
        scene.add_node(Some(axes), Node { transform: at, attachment, ..Node::new(&door.name) });
    }
}
