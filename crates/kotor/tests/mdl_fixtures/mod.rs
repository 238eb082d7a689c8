//! Small models of our own making, one for every kind of node.
#![allow(dead_code, reason = "each test binary uses what it needs")]

use galatea_kotor::mdl::{
    AabbNode, AabbTree, AnimMeshHeader, Animation, Dangly, Dirt, Emitter, Event, Face, Game, Interpolation,
    Light, Mesh, Model, Name, Node, Platform, PositionCopy, Reference, Saber, Skin, pack_normal,
    unpack_normal, unpack_quaternion,
};
use galatea_wire::{Text, Wire};

pub(crate) const TARGETS: [(Game, Platform, &str); 4] = [
    (Game::K1, Platform::Pc, "k1pc"),
    (Game::K2, Platform::Pc, "k2pc"),
    (Game::K1, Platform::Xbox, "k1xbox"),
    (Game::K2, Platform::Xbox, "k2xbox"),
];

pub(crate) const KINDS: [&str; 12] = [
    "dummy",
    "light",
    "emitter",
    "camera",
    "reference",
    "trimesh",
    "skin",
    "animmesh",
    "danglymesh",
    "aabb",
    "lightsaber",
    "animated",
];

pub(crate) fn text<const N: usize>(text: &str) -> Text<N> {
    Text::new(text.as_bytes()).unwrap()
}

/// A square in the plane z = 0, of two triangles.
pub(crate) fn square(platform: Platform) -> Mesh {
    let mut mesh = Mesh {
        texture: text("fix_wall01"),
        texture_count: 1,
        bounds: [[0.0; 3], [1.0, 1.0, 0.0]],
        radius: 0.5f32.sqrt(),
        average: [0.5, 0.5, 0.0],
        area: 1.0,
        ..Mesh::default()
    };
    mesh.vertices.positions = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    mesh.vertices.normals = vec![[0.0, 0.0, 1.0]; 4];
    mesh.vertices.uvs[0] = vec![[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
    let face = |vertices: [u16; 3], adjacent: [u16; 3]| Face {
        normal: [0.0, 0.0, 1.0],
        distance: 0.0,
        material: 1,
        adjacent,
        vertices,
    };
    mesh.faces = vec![face([0, 1, 2], [u16::MAX, u16::MAX, 1]), face([0, 2, 3], [0, u16::MAX, u16::MAX])];
    if platform == Platform::Xbox {
        mesh.mdl_positions = PositionCopy::Absent;
    }
    mesh
}

fn add(model: &mut Model, name: &str, node: Node) -> u32 {
    let id = model.add_node(Some(0), name.as_bytes(), node);
    let node = &mut model.nodes[id as usize];
    node.position = [0.25, -0.5, 2.0];
    let (p, o) = (node.position, node.orientation);
    node.controllers.push(8, 0xFFFF, Interpolation::Linear, 3, &[0.0], &p).unwrap();
    node.controllers.push(20, 0xFFFF, Interpolation::Linear, 4, &[0.0], &[o[1], o[2], o[3], o[0]]).unwrap();
    model.node_count = model.nodes.len() as u32;
    id
}

fn with_mesh(mesh: Mesh) -> Node {
    Node { mesh: Some(Box::new(mesh)), ..Node::default() }
}

/// A model with a root and one node of the kind (the skin with two bones, the animation with its model).
pub(crate) fn model(kind: &str, game: Game, platform: Platform) -> Model {
    let mut m = Model::new(&format!("fix_{kind}"));
    (m.game, m.platform) = (game, platform);
    let mesh = |change: &dyn Fn(&mut Mesh)| {
        let mut mesh = square(platform);
        if game == Game::K2 {
            mesh.dirt = Some(Dirt { texture: 1, coordinate_space: 1, ..Dirt::ZERO });
        }
        change(&mut mesh);
        with_mesh(mesh)
    };
    match kind {
        "dummy" => _ = add(&mut m, "hook", Node::default()),
        "light" => {
            let light = Light {
                flare_radius: 5000.0,
                flare_sizes: vec![2.0, 3.5],
                flare_positions: vec![0.25, 1.0],
                flare_colors: vec![[1.0, 0.5, 0.25], [0.0, -0.0, 1.0]],
                flare_textures: vec![Name(b"fx_flare01".to_vec()), Name(b"fx_flare02".to_vec())],
                priority: 3,
                affect_dynamic: 1,
                fading: 1,
                ..Light::default()
            };
            let id = add(&mut m, "lamp", Node { light: Some(Box::new(light)), ..Node::default() });
            let c = &mut m.nodes[id as usize].controllers;
            c.push(88, 0xFFFF, Interpolation::Linear, 1, &[0.0], &[7.5]).unwrap();
            c.push(76, 0xFFFF, Interpolation::Linear, 3, &[0.0], &[1.0, 0.75, 0.5]).unwrap();
        }
        "emitter" => {
            let emitter = Emitter {
                x_grid: 4,
                y_grid: 4,
                update: text("Fountain"),
                render: text("Normal"),
                blend: text("Lighten"),
                texture: text("fx_spark"),
                depth_texture: text("NULL"),
                flags: 0x42,
                ..Emitter::ZERO
            };
            let id = add(&mut m, "sparks", Node { emitter: Some(Box::new(emitter)), ..Node::default() });
            let c = &mut m.nodes[id as usize].controllers;
            c.push(88, 0xFFFF, Interpolation::Linear, 1, &[0.0], &[25.0]).unwrap();
            c.push(392, 0xFFFF, Interpolation::Linear, 3, &[0.0], &[1.0, 1.0, 0.5]).unwrap();
        }
        "camera" => _ = add(&mut m, "camerahook1", Node { camera: true, ..Node::default() }),
        "reference" => {
            let reference = Reference { model: text("fx_ref"), reattachable: 1 };
            add(&mut m, "handhook", Node { reference: Some(Box::new(reference)), ..Node::default() });
        }
        "trimesh" => {
            let node = mesh(&|mesh| {
                mesh.lightmap = text("fix_lm0");
                mesh.lightmapped = 1;
                mesh.texture_count = 2;
                mesh.vertices.uvs[1] = vec![[0.25, 0.25], [0.75, 0.25], [0.75, 0.75], [0.25, 0.75]];
                mesh.vertices.colors = vec![[0.5, 0.25, 1.0]; 4];
                mesh.vertices.tangents[0] = vec![[[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]; 4];
            });
            let id = add(&mut m, "wall", node);
            let c = &mut m.nodes[id as usize].controllers;
            c.push(132, 0xFFFF, Interpolation::Linear, 1, &[0.0], &[1.0]).unwrap();
            c.push(36, 0xFFFF, Interpolation::Linear, 1, &[0.0], &[1.0]).unwrap();
            c.push(100, 0xFFFF, Interpolation::Linear, 3, &[0.0], &[0.0; 3]).unwrap();
        }
        "skin" => {
            add(&mut m, "bone1", Node::default());
            add(&mut m, "bone2", Node::default());
            let skin = Skin {
                bone_map: vec![-1.0, 0.0, 1.0, -1.0],
                rotations: vec![[1.0, 0.0, 0.0, 0.0]; 4],
                translations: vec![[0.25, -0.5, 2.0], [0.0; 3], [0.0; 3], [0.0; 3]],
                bone_nodes: std::array::from_fn(|i| if i < 2 { i as i16 + 1 } else { 0 }),
                ..Skin::default()
            };
            let node = mesh(&|mesh| {
                mesh.vertices.weights = vec![
                    [1.0, 0.0, 0.0, 0.0],
                    [0.25, 0.75, 0.0, 0.0],
                    [0.5, 0.5, 0.0, 0.0],
                    [1.0, 0.0, 0.0, 0.0],
                ];
                mesh.vertices.bones = vec![
                    [0.0, -1.0, -1.0, -1.0],
                    [0.0, 1.0, -1.0, -1.0],
                    [0.0, 1.0, -1.0, -1.0],
                    [1.0, -1.0, -1.0, -1.0],
                ];
                mesh.skin = Some(Box::new(skin.clone()));
            });
            add(&mut m, "body", node);
        }
        "animmesh" => {
            let anim = AnimMeshHeader { sample_period: 0.125, ..AnimMeshHeader::ZERO };
            add(&mut m, "flag", mesh(&|mesh| mesh.anim = Some(Box::new(anim))));
        }
        "danglymesh" => {
            let dangly = Dangly {
                constraints: vec![0.0, 64.0, 128.0, 255.0],
                displacement: 0.5,
                tightness: 3.0,
                period: 6.0,
                positions: PositionCopy::Same,
                ..Dangly::default()
            };
            add(&mut m, "cape", mesh(&|mesh| mesh.dangly = Some(Box::new(dangly.clone()))));
        }
        "aabb" => {
            let node = |left: Option<u32>, right: Option<u32>, face: i32, plane: u32| AabbNode {
                min: [0.0; 3],
                max: [1.0, 1.0, 0.0],
                left,
                right,
                face,
                plane,
            };
            let nodes = vec![node(Some(1), Some(2), -1, 1), node(None, None, 0, 0), node(None, None, 1, 0)];
            let walkable = mesh(&|mesh| {
                mesh.render = 0;
                mesh.aabb = Some(Box::new(AabbTree { nodes: nodes.clone(), ..AabbTree::default() }));
            });
            add(&mut m, "walkmesh", walkable);
        }
        "lightsaber" => {
            let blade = mesh(&|mesh| {
                let positions: Vec<[f32; 3]> =
                    (0..176).map(|i| [(i % 8) as f32, (i / 8) as f32, 0.5]).collect();
                mesh.in_mdx = false;
                mesh.indices = galatea_kotor::mdl::IndexLists::Own(Vec::new());
                mesh.inverted_counters.clear();
                mesh.vertices =
                    galatea_kotor::mdl::Vertices { positions: positions.clone(), ..Default::default() };
                mesh.saber = Some(Box::new(Saber {
                    uvs: positions.iter().map(|p| [p[0] / 8.0, p[1] / 22.0]).collect(),
                    normals: vec![[0.0, 0.0, 1.0]; 176],
                    positions,
                    inverted_counters: [98, 97],
                    ..Saber::default()
                }));
            });
            add(&mut m, "blade", blade);
        }
        "animated" => {
            add(&mut m, "wall", mesh(&|_| {}));
            m.animations.push(animation(&m, "pause1"));
            m.animations.push(Animation { nodes: Vec::new(), events: Vec::new(), ..animation(&m, "empty") });
        }
        _ => panic!("no fixture {kind}"),
    }
    // What a value of the Xbox cannot hold exactly would come back different.
    for node in &mut m.nodes {
        if let Some(mesh) = node.mesh.as_deref_mut().filter(|_| platform == Platform::Xbox) {
            mesh.vertices.normals.iter_mut().for_each(|n| *n = unpack_normal(pack_normal(*n)));
        }
    }
    m
}

/// An animation with linear, bezier and packed keys, a doubled controller, numbers nobody uses, and events.
fn animation(m: &Model, name: &str) -> Animation {
    let mut root = Node { children: vec![1].into(), ..Node::default() };
    *root.controllers.data_mut() = vec![1.0, 2.0, 3.0, 4.0].into();
    let mut node = Node { parent: Some(0), name: 1, number: 1, ..Node::default() };
    let c = &mut node.controllers;
    c.push(
        8,
        16,
        Interpolation::Bezier,
        3,
        &[0.0, 1.0],
        &(0..18).map(|i| i as f32 / 8.0).collect::<Vec<_>>(),
    )
    .unwrap();
    let packed = [f32::from_bits(0x7FDF_FBFF), f32::from_bits(0x1234_5678)];
    c.push(20, 28, Interpolation::Packed, 1, &[0.0, 1.0], &packed).unwrap();
    c.push(36, 0xFFFF, Interpolation::Linear, 1, &[0.0, 0.5, 1.0], &[1.0, 1.5, 1.0]).unwrap();
    c.push(36, 0xFFFF, Interpolation::Linear, 1, &[0.0], &[2.0]).unwrap();
    assert_eq!(unpack_quaternion(packed[0].to_bits()), [0.0, 0.0, 0.0, 1.0]);
    Animation {
        name: text(name),
        length: 1.0,
        transition: 0.25,
        root: m.name,
        node_count: 2,
        events: vec![Event { time: 0.5, name: text("snd_footstep") }, Event { time: 1.0, name: text("hit") }],
        nodes: vec![root, node],
        ..Animation::default()
    }
}
