//! The statue of the examples: a figure on a plinth that walks, authored here and written in every format.

use galatea::fox::{Fmdl, Game, SceneOptions};
use galatea::gltf::{self, ImageSource};
use galatea::kotor::mdl;
use galatea::mdlx::{self, Version};
use galatea::scene::{
    Channel, Clip, Influences, Interpolation, Material, Mesh, Node, NodeId, Primitive, Property, Scene, Skin,
    Texture, Vertices,
};
use galatea::texture::Image;
use galatea::texture::encode::{self, BlpFormat};

/// Corners of a ring of eight, as parts of its two radii.
const RING: [[f32; 2]; 8] = {
    let h = std::f32::consts::FRAC_1_SQRT_2;
    [[1.0, 0.0], [h, h], [0.0, 1.0], [-h, h], [-1.0, 0.0], [-h, -h], [0.0, -1.0], [h, -h]]
};
/// Corners of a ring of four, square to the axes.
const SQUARE: [[f32; 2]; 4] = [[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]];

/// Bones: name, parent, place in the model.
const BONES: [(&str, Option<usize>, [f32; 3]); 13] = [
    ("hips", None, [0.0, 1.24, 0.0]),
    ("chest", Some(0), [0.0, 1.42, 0.0]),
    ("head", Some(1), [0.0, 1.86, 0.0]),
    ("arm_l", Some(1), [0.25, 1.75, 0.0]),
    ("forearm_l", Some(3), [0.31, 1.45, 0.0]),
    ("arm_r", Some(1), [-0.25, 1.75, 0.0]),
    ("forearm_r", Some(5), [-0.31, 1.45, 0.0]),
    ("thigh_l", Some(0), [0.11, 1.2, 0.0]),
    ("shin_l", Some(7), [0.12, 0.8, 0.01]),
    ("foot_l", Some(8), [0.12, 0.4, -0.01]),
    ("thigh_r", Some(0), [-0.11, 1.2, 0.0]),
    ("shin_r", Some(10), [-0.12, 0.8, 0.01]),
    ("foot_r", Some(11), [-0.12, 0.4, -0.01]),
];

/// Which way a tube runs: the ring lies across.
#[derive(Clone, Copy)]
enum Along {
    Up,
    Front,
}

/// A ring of a tube: its middle, its two radii, and the bones that move it.
struct Ring {
    middle: [f32; 3],
    radii: [f32; 2],
    bones: [(u16, f32); 2],
}

fn ring(middle: [f32; 3], radii: [f32; 2], bone: u16) -> Ring {
    Ring { middle, radii, bones: [(bone, 1.0), (0, 0.0)] }
}

/// Returns a ring between two bones.
fn joint(middle: [f32; 3], radii: [f32; 2], a: u16, b: u16) -> Ring {
    Ring { middle, radii, bones: [(a, 0.5), (b, 0.5)] }
}

/// Collects tubes.
#[derive(Default)]
struct Body {
    vertices: Vertices,
    indices: Vec<u32>,
}

impl Body {
    /// A tube through rings, closed at both ends. Its sides are smooth, its ends have edges.
    fn tube(&mut self, along: Along, shape: &[[f32; 2]], rings: &[Ring]) {
        let sides = shape.len() as u32;
        let first = self.vertices.positions.len() as u32;
        let mut run = 0.0;
        for (i, ring) in rings.iter().enumerate() {
            let before = i.checked_sub(1).and_then(|b| rings.get(b)).unwrap_or(ring);
            let after = rings.get(i + 1).unwrap_or(ring);
            let length = |a: &Ring, b: &Ring| {
                let [x, y, z] = minus(b.middle, a.middle);
                (x * x + y * y + z * z).sqrt()
            };
            run += length(before, ring);
            let span = length(before, after).max(1e-3);
            for side in 0..=sides {
                let at = shape.get((side % sides) as usize).copied().unwrap_or_default();
                let place = corner(along, ring, at);
                // A side leans inwards where the next ring is narrower.
                let lean = |r: &Ring| {
                    let ([p, q], [a, b]) = (r.radii, at);
                    p * a.abs() + q * b.abs()
                };
                let slope = (lean(before) - lean(after)) / span;
                let out = outward(along, at, slope);
                self.add(place, out, [side as f32 / sides as f32 * 2.0, run * 2.0], ring);
            }
        }
        for row in 0..rings.len().saturating_sub(1) as u32 {
            for side in 0..sides {
                let a = first + row * (sides + 1) + side;
                let (b, c, d) = (a + 1, a + sides + 2, a + sides + 1);
                match along {
                    Along::Up => self.indices.extend([a, c, b, a, d, c]),
                    Along::Front => self.indices.extend([a, b, c, a, c, d]),
                }
            }
        }
        if let (Some(start), Some(end)) = (rings.first(), rings.last()) {
            self.cap(along, shape, start, true);
            self.cap(along, shape, end, false);
        }
    }

    /// Closes an end with a fan.
    fn cap(&mut self, along: Along, shape: &[[f32; 2]], ring: &Ring, start: bool) {
        let way = if start { -1.0 } else { 1.0 };
        let out = match along {
            Along::Up => [0.0, way, 0.0],
            Along::Front => [0.0, 0.0, way],
        };
        let first = self.vertices.positions.len() as u32;
        for at in shape {
            let [u, v] = at.map(|c| c * 0.5 + 0.5);
            self.add(corner(along, ring, *at), out, [u * 0.4, v * 0.4], ring);
        }
        for i in 1..shape.len() as u32 - 1 {
            let (b, c) = (first + i, first + i + 1);
            // A ring runs clockwise seen from above, counter-clockwise seen from the front.
            let turned = matches!((along, start), (Along::Up, false) | (Along::Front, true));
            self.indices.extend(if turned { [first, c, b] } else { [first, b, c] });
        }
    }

    fn add(&mut self, place: [f32; 3], out: [f32; 3], uv: [f32; 2], ring: &Ring) {
        let v = &mut self.vertices;
        v.positions.push(place);
        v.normals.push(unit(out));
        match v.uvs.first_mut() {
            Some(set) => set.push(uv),
            None => v.uvs.push(vec![uv]),
        }
        v.influences.width = 4;
        let [(a, wa), (b, wb)] = ring.bones;
        v.influences.joints.extend([a, b, 0, 0]);
        v.influences.weights.extend([wa, wb, 0.0, 0.0]);
    }
}

fn minus([a, b, c]: [f32; 3], [x, y, z]: [f32; 3]) -> [f32; 3] {
    [a - x, b - y, c - z]
}

fn unit([x, y, z]: [f32; 3]) -> [f32; 3] {
    let length = (x * x + y * y + z * z).sqrt();
    if length > 0.0 { [x / length, y / length, z / length] } else { [0.0, 1.0, 0.0] }
}

fn corner(along: Along, ring: &Ring, [a, b]: [f32; 2]) -> [f32; 3] {
    let ([x, y, z], [p, q]) = (ring.middle, ring.radii);
    match along {
        Along::Up => [x + a * p, y, z + b * q],
        Along::Front => [x + a * p, y + b * q, z],
    }
}

fn outward(along: Along, [a, b]: [f32; 2], slope: f32) -> [f32; 3] {
    match along {
        Along::Up => [a, slope, b],
        Along::Front => [a, b, slope],
    }
}

/// A leg; `side` is 1 for the left one, whose bones begin at `bone`.
fn leg(body: &mut Body, side: f32, bone: u16) {
    let x = 0.115 * side;
    let (thigh, shin, foot) = (bone, bone + 1, bone + 2);
    body.tube(
        Along::Up,
        &RING,
        &[
            ring([x, 0.36, -0.01], [0.05, 0.06], foot),
            joint([x, 0.42, -0.01], [0.05, 0.06], shin, foot),
            ring([x, 0.62, -0.01], [0.075, 0.085], shin),
            joint([x, 0.8, 0.005], [0.07, 0.075], thigh, shin),
            ring([x, 0.95, 0.0], [0.09, 0.1], thigh),
            joint([x, 1.19, 0.0], [0.105, 0.12], 0, thigh),
            ring([x * 0.9, 1.26, 0.0], [0.09, 0.1], 0),
        ],
    );
    body.tube(
        Along::Front,
        &SQUARE,
        &[
            ring([x, 0.345, -0.1], [0.05, 0.045], foot),
            ring([x, 0.355, 0.0], [0.06, 0.055], foot),
            ring([x, 0.33, 0.14], [0.06, 0.03], foot),
            ring([x, 0.322, 0.18], [0.045, 0.022], foot),
        ],
    );
}

/// An arm.
fn arm(body: &mut Body, side: f32, bone: u16) {
    let (upper, fore) = (bone, bone + 1);
    let at = |x: f32, y: f32, z: f32| [x * side, y, z];
    body.tube(
        Along::Up,
        &RING,
        &[
            ring(at(0.35, 1.06, 0.045), [0.025, 0.035], fore),
            ring(at(0.35, 1.15, 0.03), [0.035, 0.05], fore),
            ring(at(0.345, 1.2, 0.02), [0.034, 0.038], fore),
            ring(at(0.33, 1.34, 0.0), [0.052, 0.055], fore),
            joint(at(0.31, 1.45, -0.01), [0.05, 0.052], upper, fore),
            ring(at(0.285, 1.6, 0.0), [0.065, 0.07], upper),
            ring(at(0.25, 1.74, 0.0), [0.075, 0.085], upper),
            joint(at(0.2, 1.79, 0.0), [0.06, 0.07], 1, upper),
        ],
    );
}

/// Torso, neck and head.
fn trunk(body: &mut Body) {
    body.tube(
        Along::Up,
        &RING,
        &[
            ring([0.0, 1.14, 0.0], [0.14, 0.09], 0),
            ring([0.0, 1.22, 0.0], [0.2, 0.13], 0),
            joint([0.0, 1.38, 0.0], [0.165, 0.11], 0, 1),
            ring([0.0, 1.58, 0.01], [0.225, 0.145], 1),
            ring([0.0, 1.72, 0.0], [0.24, 0.135], 1),
            ring([0.0, 1.8, 0.0], [0.15, 0.09], 1),
            ring([0.0, 1.84, 0.0], [0.065, 0.065], 1),
            joint([0.0, 1.9, 0.005], [0.06, 0.062], 1, 2),
        ],
    );
    body.tube(
        Along::Up,
        &RING,
        &[
            ring([0.0, 1.88, 0.03], [0.05, 0.06], 2),
            ring([0.0, 1.92, 0.025], [0.085, 0.1], 2),
            ring([0.0, 2.02, 0.01], [0.105, 0.13], 2),
            ring([0.0, 2.1, 0.0], [0.1, 0.125], 2),
            ring([0.0, 2.155, -0.01], [0.06, 0.08], 2),
        ],
    );
    // The nose tells front from back.
    body.tube(
        Along::Front,
        &SQUARE,
        &[ring([0.0, 1.99, 0.12], [0.022, 0.04], 2), ring([0.0, 1.965, 0.175], [0.014, 0.014], 2)],
    );
}

impl Body {
    /// A block whose sides lean inwards, with sharp edges.
    fn block(&mut self, low: f32, high: f32, wide: f32, narrow: f32) {
        let (bottom, top) = (ring([0.0, low, 0.0], [wide; 2], 0), ring([0.0, high, 0.0], [narrow; 2], 0));
        let slope = (wide - narrow) / (high - low);
        for (side, from) in SQUARE.into_iter().enumerate() {
            let to = SQUARE.get((side + 1) % 4).copied().unwrap_or(from);
            let ([a, b], [c, d]) = (from, to);
            let out = outward(Along::Up, [(a + c) * 0.5, (b + d) * 0.5], slope);
            let first = self.vertices.positions.len() as u32;
            for (at, ring, uv) in [
                (from, &bottom, [0.0, high * 2.0]),
                (to, &bottom, [wide * 2.0, high * 2.0]),
                (to, &top, [wide * 2.0, low * 2.0]),
                (from, &top, [0.0, low * 2.0]),
            ] {
                self.add(corner(Along::Up, ring, at), out, uv, ring);
            }
            self.indices.extend([first, first + 2, first + 1, first, first + 3, first + 2]);
        }
        self.cap(Along::Up, &SQUARE, &bottom, true);
        self.cap(Along::Up, &SQUARE, &top, false);
    }
}

fn plinth() -> Body {
    let mut body = Body::default();
    body.block(0.0, 0.1, 0.5, 0.47);
    body.block(0.1, 0.3, 0.4, 0.36);
    body.vertices.influences = Influences::default();
    body
}

/// Returns the scene: Y up, metres, looking along positive Z.
fn statue() -> Scene {
    let mut scene = Scene::new("statue");
    let texture = Texture { name: "statue".into(), ..Texture::default() };
    scene.materials.push(Material { name: "marble".into(), textures: vec![texture], ..Material::default() });
    let root = scene.add_node(None, Node::new("statue"));
    let mut bones: Vec<NodeId> = Vec::new();
    let mut places: Vec<[f32; 3]> = Vec::new();
    for (name, parent, place) in BONES {
        let above = parent.and_then(|p| Some((*bones.get(p)?, *places.get(p)?)));
        let (node, from) = above.unwrap_or((root, [0.0; 3]));
        let mut bone = Node::new(name);
        bone.transform.translation = minus(place, from);
        bones.push(scene.add_node(Some(node), bone));
        places.push(place);
    }
    let mut body = Body::default();
    trunk(&mut body);
    arm(&mut body, 1.0, 3);
    arm(&mut body, -1.0, 5);
    leg(&mut body, 1.0, 7);
    leg(&mut body, -1.0, 10);
    let bind =
        |[x, y, z]: [f32; 3]| [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, -x, -y, -z, 1.0];
    scene.skins.push(Skin {
        name: "body".into(),
        joints: bones.clone(),
        inverse_bind: places.into_iter().map(bind).collect(),
        ..Skin::default()
    });
    for (id, (name, body)) in (0u32..).zip([("body", body), ("plinth", plinth())]) {
        scene.vertices.push(body.vertices);
        let primitive =
            Primitive { vertices: id, indices: body.indices, material: Some(0), ..Primitive::default() };
        scene.meshes.push(Mesh { name: name.into(), primitives: vec![primitive], ..Mesh::default() });
        let skin = (name == "body").then_some(0);
        scene.add_node(Some(root), Node { mesh: Some(id), skin, ..Node::new(name) });
    }
    scene.clips.push(stand(&bones));
    scene.clips.push(walk(&bones));
    scene
}

/// Returns a rotation about the axis from right to left whose half has this tangent; positive bends to the front.
fn bend(tangent: f32) -> [f32; 4] {
    let length = (1.0 + tangent * tangent).sqrt();
    [-tangent / length, 0.0, 0.0, 1.0 / length]
}

/// Returns two seconds in which nothing but the head moves.
fn stand(bones: &[NodeId]) -> Clip {
    let values = [0.0, -0.02, 0.0].into_iter().flat_map(bend).collect();
    let head = bones.get(2).copied().unwrap_or(0);
    let nod = Channel::node(head, Property::Rotation, Interpolation::Linear, vec![0.0, 1.0, 2.0], values);
    Clip { name: "stand".into(), length: 2.0, channels: vec![nod], ..Clip::default() }
}

/// Returns two steps in a second, from the left foot in front to the left foot in front.
fn walk(bones: &[NodeId]) -> Clip {
    let times = vec![0.0, 0.25, 0.5, 0.75, 1.0];
    // For each bone five bends; those of the right side are half a round later.
    let half = |[a, b, c, d]: [f32; 4]| [c, d, a, b];
    let (thigh, shin, foot) =
        ([0.24, 0.02, -0.2, 0.12], [-0.04, -0.1, -0.16, -0.42], [0.0, 0.0, -0.06, 0.06]);
    let (upper, fore) = ([-0.2, 0.0, 0.22, 0.02], [0.12, 0.14, 0.2, 0.14]);
    let moves: [(usize, [f32; 4]); 12] = [
        (7, thigh),
        (8, shin),
        (9, foot),
        (10, half(thigh)),
        (11, half(shin)),
        (12, half(foot)),
        (3, upper),
        (4, fore),
        (5, half(upper)),
        (6, half(fore)),
        (1, [0.02, 0.03, 0.02, 0.03]),
        (2, [-0.01, 0.0, -0.01, 0.0]),
    ];
    let mut channels: Vec<Channel> = Vec::new();
    for (bone, [a, b, c, d]) in moves {
        let Some(node) = bones.get(bone) else { continue };
        let values = [a, b, c, d, a].into_iter().flat_map(bend).collect();
        channels.push(Channel::node(*node, Property::Rotation, Interpolation::Linear, times.clone(), values));
    }
    if let Some(hips) = bones.first() {
        // The hips sink a little when the legs are apart.
        let (.., [x, y, z]) = BONES[0];
        let values = [-0.03, 0.0, -0.03, 0.0, -0.03].into_iter().flat_map(|dy| [x, y + dy, z]).collect();
        channels.push(Channel::node(*hips, Property::Translation, Interpolation::Linear, times, values));
    }
    Clip { name: "walk".into(), length: 1.0, channels, ..Clip::default() }
}

/// As Warcraft III wants it: sequences with the names that the game plays, and a texture that it can load.
fn warcraft(scene: &Scene) -> Scene {
    let mut out = scene.clone();
    for texture in out.materials.iter_mut().flat_map(|m| &mut m.textures) {
        texture.name = "statue.blp".into();
    }
    for (clip, name) in out.clips.iter_mut().zip(["Stand", "Walk"]) {
        clip.name = name.into();
    }
    // It bows its head for ever.
    let head = out.find("head").unwrap_or(0);
    let values = [0.0, 0.3].into_iter().flat_map(bend).collect();
    let bow = Channel::node(head, Property::Rotation, Interpolation::Linear, vec![0.0, 1.0], values);
    let playback = galatea::scene::Playback::Once;
    out.clips.push(Clip {
        name: "Death".into(),
        length: 1.0,
        playback,
        channels: vec![bow],
        ..Clip::default()
    });
    out
}

/// Returns the statue in every format, by file name.
pub(crate) fn files() -> std::result::Result<Vec<(&'static str, Vec<u8>)>, String> {
    let scene = statue();
    let image = Image::new(SIDE, SIDE, marble()).ok_or("the texture has the wrong size")?;
    let make = || -> galatea::Result<Vec<(&'static str, Vec<u8>)>> {
        let (kotor, _) = mdl::Model::from_scene(&scene, &Default::default())?;
        let pair = kotor.write()?;
        let warcraft = warcraft(&scene);
        let unit = |version: u32| -> galatea::Result<mdlx::Model> {
            let (mut model, _) = mdlx::Model::from_scene(
                &warcraft,
                &mdlx::SceneOptions::default().with_version(Version(version)),
            )?;
            // A step is a little over half a metre, a unit an inch.
            for sequence in model.sequences.iter_mut().filter(|s| s.name.bytes() == b"Walk") {
                sequence.move_speed = 45.0;
            }
            Ok(model)
        };
        let (classic, reforged) = (unit(800)?, unit(1000)?);
        let (fmdl, _) = Fmdl::from_scene(&scene, &SceneOptions::default().with_game(Game::Gz))?;
        let png = encode::png(&image)?;
        let source = |_: &str| Some(ImageSource::Embedded { mime: "image/png".into(), bytes: png.clone() });
        let options = gltf::Options::default().with_image(&source);
        Ok(vec![
            ("statue.mdl", pair.mdl),
            ("statue.mdx", pair.mdx),
            ("statue.mdl.ascii", mdl::text::print(&kotor)?),
            ("statue_800.mdx", classic.write()?),
            ("statue_800.mdl", mdlx::text::print(&classic)?),
            ("statue_1000.mdx", reforged.write()?),
            ("statue.fmdl", fmdl.write()?),
            ("statue.glb", gltf::write_glb(&scene, &options)?),
            ("statue.tga", encode::tga(&image)?),
            ("statue.blp", encode::blp(&image, BlpFormat::Palette, true)?.write()?),
        ])
    };
    make().map_err(|e| format!("statue: {e}"))
}

/// Side of the texture.
const SIDE: u32 = 64;

/// Marble: grey with soft clouds and a vein, the same at its edges. Red, green, blue, opacity.
fn marble() -> Vec<u8> {
    let side = SIDE as i32;
    // A number for each corner of a grid that begins again at its edge.
    let at = |x: i32, y: i32, cells: i32| {
        let (x, y) = (x.rem_euclid(cells) as u32, y.rem_euclid(cells) as u32);
        let mut h = x.wrapping_mul(0x9E37_79B1) ^ y.wrapping_mul(0x85EB_CA77) ^ (cells as u32) << 7;
        h = (h ^ h >> 15).wrapping_mul(0x2C1B_3C6D);
        ((h ^ h >> 13).wrapping_mul(0x297A_2D39) >> 24) as i32
    };
    let cloud = |x: i32, y: i32, cells: i32| {
        let size = side / cells;
        let (cx, cy, fx, fy) = (x / size, y / size, x % size, y % size);
        let mix = |a: i32, b: i32, f: i32| (a * (size - f) + b * f) / size;
        let top = mix(at(cx, cy, cells), at(cx + 1, cy, cells), fx);
        let bottom = mix(at(cx, cy + 1, cells), at(cx + 1, cy + 1, cells), fx);
        mix(top, bottom, fy)
    };
    let mut out = Vec::with_capacity((SIDE * SIDE * 4) as usize);
    for y in 0..side {
        for x in 0..side {
            let soft = (cloud(x, y, 4) * 2 + cloud(x, y, 8) + cloud(x, y, 16)) / 4;
            // A vein runs where the clouds cross a line that leans.
            let vein = ((x + y) * 4 + cloud(x, y, 8)).rem_euclid(256);
            let dark = (24 - (vein - 128).abs()).max(0) * 2;
            let value = 196 + soft / 6 - dark;
            out.extend([value, value - 3, value - 10].map(|v| v.clamp(0, 255) as u8));
            out.push(255);
        }
    }
    out
}
