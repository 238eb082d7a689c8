//! A small scene with one of most things, for tests and documentation.

use crate::{
    AlphaMode, Attachment, Attribute, Channel, Clip, Event, Influences, Interpolation, Light, Material, Mesh,
    Node, NodeId, Primitive, Property, Purpose, Scene, Skin, Slot, Target, Texture, Topology, Vertices,
};

/// Returns a jointed arm over a walkable square: two joints, a skin, a lamp, a hidden plate, two clips. Z is up in its data;
/// the axes node converts that.
///
/// ```
/// let scene = galatea_scene::example();
/// assert_eq!((scene.meshes.len(), scene.skins.len(), scene.clips.len()), (3, 1, 2));
/// ```
pub fn example() -> Scene {
    let mut scene = Scene::new("arm");
    let top = scene.add_axes([-HALF, 0.0, 0.0, HALF], 1.0);
    let base = scene.add_node(Some(top), Node::new("base"));
    let mut arm = Node::new("arm");
    arm.transform.translation = [0.0, 0.0, 1.0];
    let arm = scene.add_node(Some(base), arm);
    let mut hand = Node::new("hand");
    hand.transform.translation = [1.0, 0.0, 0.0];
    hand.attachment = Some(Attachment { id: Some(3), path: String::new() });
    let hand = scene.add_node(Some(arm), hand);
    add_materials(&mut scene);
    add_vertices(&mut scene);
    add_meshes(&mut scene);
    add_skin(&mut scene, arm, hand);
    add_drawn_nodes(&mut scene, base);
    add_clips(&mut scene, base, arm, hand);
    scene
}

/// The sine and cosine of an eighth of a turn.
const HALF: f32 = std::f32::consts::FRAC_1_SQRT_2;

fn add_materials(scene: &mut Scene) {
    scene.materials.push(Material {
        name: "skin".into(),
        textures: vec![
            Texture { name: "c_arm01".into(), ..Texture::default() },
            Texture { slot: Slot::Lightmap, name: "arm_lm0".into(), uv_set: 1, ..Texture::default() },
        ],
        alpha: AlphaMode::Mask { cutoff: 0.5 },
        two_sided: true,
        ..Material::default()
    });
    scene.materials.push(Material {
        name: "Grass".into(),
        base_color: [0.25, 0.75, 0.125, 1.0],
        unlit: true,
        ..Material::default()
    });
}

fn add_vertices(scene: &mut Scene) {
    let strip = |y: f32| [[0.0, y, 1.0], [1.0, y, 1.0], [2.0, y, 1.0]];
    scene.vertices.push(Vertices {
        positions: [strip(-0.25), strip(0.25)].concat(),
        normals: vec![[0.0, 0.0, 1.0]; 6],
        uvs: vec![
            vec![[0.0, 0.0], [0.5, 0.0], [1.0, 0.0], [0.0, 1.0], [0.5, 1.0], [1.0, 1.0]],
            vec![[0.25, 0.75]; 6],
        ],
        colors: vec![vec![[1.0, 0.5, 0.25, 1.0]; 6]],
        influences: Influences {
            width: 2,
            joints: vec![0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0],
            weights: vec![1.0, 0.0, 0.5, 0.5, 1.0, 0.0, 1.0, 0.0, 0.5, 0.5, 1.0, 0.0],
        },
        attributes: vec![Attribute {
            name: "SWAY".into(),
            width: 1,
            values: vec![0.0, 0.5, 1.0, 0.0, 0.5, 1.0],
        }],
        ..Vertices::default()
    });
    scene.vertices.push(Vertices {
        positions: vec![[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]],
        ..Vertices::default()
    });
}

fn add_meshes(scene: &mut Scene) {
    let part = |vertices, topology, indices: &[u32], material| Primitive {
        vertices,
        topology,
        indices: indices.to_vec(),
        material,
        ..Primitive::default()
    };
    let triangles = Topology::Triangles;
    scene.meshes.push(Mesh {
        name: "arm".into(),
        primitives: vec![part(0, triangles, &[0, 1, 4, 0, 4, 3, 1, 2, 5, 1, 5, 4], Some(0))],
        ..Mesh::default()
    });
    scene.meshes.push(Mesh {
        name: "ground".into(),
        primitives: vec![
            part(1, triangles, &[0, 1, 2], Some(1)),
            part(1, triangles, &[0, 2, 3], None),
            part(1, Topology::Lines, &[0, 1, 1, 2, 2, 3, 3, 0], None),
        ],
        purpose: Purpose::Walk,
        ..Mesh::default()
    });
    scene.meshes.push(Mesh {
        name: "plate".into(),
        primitives: vec![part(1, triangles, &[0, 1, 2], Some(0))],
        purpose: Purpose::Hidden,
        lod: Some(1),
        ..Mesh::default()
    });
}

fn add_skin(scene: &mut Scene, arm: NodeId, hand: NodeId) {
    // The mesh is bound in the space of the format: a joint's inverse bind takes away where it stands there.
    let bind = |x: f32| [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, -x, 0.0, -1.0, 1.0];
    scene.skins.push(Skin {
        name: "arm".into(),
        joints: vec![arm, hand],
        inverse_bind: vec![bind(0.0), bind(1.0)],
        ..Skin::default()
    });
}

/// Adds the nodes with meshes, and the lamp.
fn add_drawn_nodes(scene: &mut Scene, base: NodeId) {
    let drawn = |name: &str, mesh, skin, visible| Node { mesh: Some(mesh), skin, visible, ..Node::new(name) };
    scene.add_node(Some(base), drawn("flesh", 0, Some(0), true));
    scene.add_node(Some(base), drawn("ground", 1, None, true));
    scene.add_node(Some(base), drawn("plate", 2, None, false));
    scene.lights.push(Light {
        name: "lamp".into(),
        color: [1.0, 0.5, 0.25],
        intensity: 2.0,
        range: Some(5.0),
        ..Light::default()
    });
    scene.add_node(Some(base), Node { light: Some(0), ..Node::new("lamp") });
}

fn add_clips(scene: &mut Scene, base: NodeId, arm: NodeId, hand: NodeId) {
    let turn = Channel::node(
        arm,
        Property::Rotation,
        Interpolation::Linear,
        vec![0.0, 1.0],
        vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, HALF, HALF],
    );
    let lift =
        Channel::node(base, Property::Translation, Interpolation::Cubic, vec![0.0, 1.0], vec![0.0; 18]);
    let mut fade = Channel::node(hand, Property::Alpha, Interpolation::Step, vec![0.0, 0.5], vec![1.0, 0.25]);
    fade.target = Target::Material(0);
    let event = Event { time: 0.5, name: "snd_wave".into(), node: Some(hand), ..Event::default() };
    scene.clips.push(Clip {
        name: "wave".into(),
        length: 1.5,
        channels: vec![turn, lift, fade],
        events: vec![event],
        ..Clip::default()
    });
    scene.clips.push(Clip { name: "still".into(), length: 0.25, ..Clip::default() });
}
