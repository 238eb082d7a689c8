//! Images of every kind and flag of emitter, on models built here: the same bytes as those kept beside this test, in every
//! build, at any number of threads. With `GALATEA_BLESS` set, they are written anew; look at them before you keep them.
#![cfg(test)]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail loudly")]

mod support;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use galatea::mdlx::{self, node_flags};
use galatea::preview::Options;
use galatea::texture::find::Game;
use galatea::{Document, EmittedModels, Limits, SceneContext, Stage, kotor, textures};

use support::{galatea, scratch};

/// A texture of 4 x 4 cells, each in its own color with a soft edge, as a TGA.
fn cells() -> Vec<u8> {
    let side = 64u16;
    let mut out = vec![0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    out.extend(side.to_le_bytes());
    out.extend(side.to_le_bytes());
    // 32 bits, top row first.
    out.extend([32, 0x28]);
    for y in 0..side {
        for x in 0..side {
            let (column, row) = (x / 16, y / 16);
            let (dx, dy) = (i32::from(x % 16) - 8, i32::from(y % 16) - 8);
            let alpha = (255 - (dx * dx + dy * dy) * 4).clamp(0, 255) as u8;
            let channel = |n: u16| (55 + n * 66) as u8;
            out.extend([channel(3 - row), channel(row), channel(column), alpha]);
        }
    }
    out
}

fn wc3(emitter: mdlx::ParticleEmitter2) -> mdlx::Model {
    let mut model = mdlx::Model::new(mdlx::Version(800));
    model.sequences.push(mdlx::Sequence { end: 4000, ..mdlx::Sequence::default() });
    model.textures.push(mdlx::Texture {
        path: mdlx::Text::new(b"cells.tga").unwrap(),
        replaceable_id: 0,
        flags: 0,
    });
    model.particle_emitters2.push(emitter);
    model.pivots = vec![[0.0; 3]; 4];
    model
}

fn emitter() -> mdlx::ParticleEmitter2 {
    mdlx::ParticleEmitter2 {
        speed: 60.0,
        variation: 0.2,
        latitude: 25.0,
        gravity: 20.0,
        life_span: 1.5,
        emission_rate: 16.0,
        rows: 4,
        columns: 4,
        head_life: [0, 7, 1],
        head_decay: [8, 15, 1],
        tail_life: [0, 7, 1],
        tail_decay: [8, 15, 1],
        tail_length: 0.3,
        segment_scalings: [6.0, 10.0, 14.0],
        segment_alphas: [255, 255, 80],
        ..mdlx::ParticleEmitter2::default()
    }
}

fn flagged(flags: u32) -> mdlx::ParticleEmitter2 {
    let mut emitter = emitter();
    emitter.node.flags = flags;
    emitter
}

/// A model whose emitter turns in a circle.
fn circling(mut model: mdlx::Model) -> mdlx::Model {
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let turns = [[0.0, 0.0, 0.0, 1.0], [0.0, 0.0, half, half], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, half, -half]];
    let keys = (0..5).map(|i| (i * 500, turns[i as usize % 4]));
    let spin =
        mdlx::Track::new(b"KGRT", mdlx::Interpolation::Linear, mdlx::Keys::Rotation(mdlx::Curve::new(keys)));
    let node = mdlx::Node { object_id: 2, tracks: vec![spin].into(), ..mdlx::Node::default() };
    model.helpers.push(mdlx::Helper { node });
    model.pivots[0] = [30.0, 0.0, 0.0];
    for emitter in &mut model.particle_emitters2 {
        emitter.node.parent_id = 2;
    }
    for ribbon in &mut model.ribbon_emitters {
        ribbon.node.parent_id = 2;
    }
    model
}

fn ribbon() -> mdlx::Model {
    let mut model = wc3(emitter());
    model.particle_emitters2.clear();
    let layer = mdlx::Layer { filter_mode: 3, flags: 0x10, ..mdlx::Layer::default() };
    model.materials.push(mdlx::Material { layers: vec![layer], ..mdlx::Material::default() });
    model.ribbon_emitters.push(mdlx::RibbonEmitter {
        height_above: 10.0,
        height_below: 10.0,
        life_span: 1.5,
        emission_rate: 30,
        ..mdlx::RibbonEmitter::default()
    });
    let mut model = circling(model);
    // Its edges lie along its way around, unless it is turned.
    model.pivots[0] = [0.0, 30.0, 0.0];
    model
}

/// A ribbon of two materials: the texture of the second moves, its cells change.
fn animated_ribbon() -> mdlx::Model {
    let mut model = ribbon();
    let slot = mdlx::Keys::Integer(mdlx::Curve::new([(0, 0), (1000, 5), (2000, 10)]));
    let slot = mdlx::Track::new(b"KRTX", mdlx::Interpolation::None, slot);
    let color = mdlx::Keys::Vector(mdlx::Curve::new([(0, [1.0, 0.2, 0.2]), (4000, [0.2, 0.2, 1.0])]));
    let color = mdlx::Track::new(b"KRCO", mdlx::Interpolation::Linear, color);
    let ribbon = &mut model.ribbon_emitters[0];
    (ribbon.rows, ribbon.columns, ribbon.gravity) = (4, 4, 20.0);
    ribbon.tracks = vec![slot, color].into();
    model
}

/// A square with these flags of its node, its texture moved and turned by a texture animation, one page after another.
fn square(flags: u32) -> mdlx::Model {
    let mut model = wc3(emitter());
    model.particle_emitters2.clear();
    let moved = mdlx::Keys::Vector(mdlx::Curve::new([(0, [0.0; 3]), (4000, [1.0, 0.0, 0.0])]));
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let turned =
        mdlx::Keys::Rotation(mdlx::Curve::new([(0, [0.0, 0.0, 0.0, 1.0]), (4000, [0.0, 0.0, half, half])]));
    let linear = mdlx::Interpolation::Linear;
    let tracks =
        vec![mdlx::Track::new(b"KTAT", linear, moved), mdlx::Track::new(b"KTAR", linear, turned)].into();
    model.texture_anims.push(mdlx::TextureAnim { tracks });
    let layer = mdlx::Layer { filter_mode: 1, flags: 0x11, texture_anim_id: 0, ..mdlx::Layer::default() };
    model.materials.push(mdlx::Material { layers: vec![layer], ..mdlx::Material::default() });
    model.geosets.push(mdlx::Geoset {
        vertices: vec![[0.0, -10.0, -10.0], [0.0, 10.0, -10.0], [0.0, 10.0, 10.0], [0.0, -10.0, 10.0]],
        normals: vec![[1.0, 0.0, 0.0]; 4],
        uvs: vec![vec![[0.0, 1.0], [1.0, 1.0], [1.0, 0.0], [0.0, 0.0]]],
        face_types: vec![4],
        face_counts: vec![6],
        faces: vec![0, 1, 2, 0, 2, 3],
        vertex_groups: vec![0; 4],
        group_sizes: vec![1],
        matrices: vec![0],
        ..mdlx::Geoset::default()
    });
    let node = mdlx::Node { object_id: 0, flags: flags | 0x100, ..mdlx::Node::default() };
    model.bones.push(mdlx::Bone { node, ..mdlx::Bone::default() });
    model
}

/// An emitter that throws this model.
fn thrower(path: &[u8]) -> mdlx::Model {
    let mut model = wc3(emitter());
    model.particle_emitters2.clear();
    model.particle_emitters.push(mdlx::ParticleEmitter {
        emission_rate: 4.0,
        life_span: 1.5,
        speed: 60.0,
        gravity: 30.0,
        latitude: 0.6,
        longitude: 3.1,
        path: mdlx::Text::new(path).unwrap(),
        ..mdlx::ParticleEmitter::default()
    });
    model
}

/// A model to be thrown: it faces the camera, its texture moves with its age, and it leaves a trail.
fn missile() -> mdlx::Model {
    let mut model = square(node_flags::BILLBOARDED);
    let node = mdlx::Node { object_id: 1, ..mdlx::Node::default() };
    model.particle_emitters2.push(mdlx::ParticleEmitter2 {
        node,
        speed: 0.0,
        gravity: 0.0,
        emission_rate: 12.0,
        life_span: 0.75,
        segment_scalings: [4.0, 3.0, 2.0],
        ..emitter()
    });
    model
}

fn odyssey(update: &str, render: &str, blend: &str, flags: u32) -> kotor::mdl::Model {
    let text = |s: &str| galatea::wire::Text::new(s.as_bytes()).unwrap();
    let mut model = kotor::mdl::Model::new("fx");
    let emitter = kotor::mdl::Emitter {
        update: text(update),
        render: text(render),
        blend: text(blend),
        texture: text("cells"),
        x_grid: 4,
        y_grid: 4,
        flags,
        ..kotor::mdl::Emitter::default()
    };
    let mut node = kotor::mdl::Node { emitter: Some(Box::new(emitter)), ..kotor::mdl::Node::default() };
    let mut set = |kind: u32, values: &[f32]| {
        let linear = kotor::mdl::Interpolation::Linear;
        node.controllers.push(kind, 0xFFFF, linear, values.len(), &[0.0], values).unwrap();
    };
    let life = if update == "Single" { -1.0 } else { 1.5 };
    for (kind, value) in [
        (88, 12.0),
        (120, life),
        (168, 1.0),
        (160, 0.6),
        (144, 0.25),
        (148, 0.5),
        (232, 0.4),
        (84, 1.0),
        (216, 1.0),
        (80, 0.3),
        (104, 4.0),
        (108, 15.0),
        (180, 10.0),
        (184, 0.1),
        (188, 0.5),
        (192, 0.1),
        (196, 8.0),
    ] {
        set(kind, &[value]);
    }
    set(392, &[1.0, 1.0, 1.0]);
    set(380, &[1.0, 0.6, 0.3]);
    for (kind, value) in [(116, 4.0), (164, 0.1), (128, 1.0), (132, 1.0), (96, 1.25), (92, 0.8)] {
        set(kind, &[value]);
    }
    if render.contains("_to_") {
        // Axes of the emitter and of the world are told apart.
        node.orientation = [0.0, 0.38, 0.0, 0.925];
    }
    node.parent = Some(0);
    (node.name, node.number) = (1, 1);
    let mut target =
        kotor::mdl::Node { parent: Some(1), position: [0.0, 0.5, 1.5], ..kotor::mdl::Node::default() };
    (target.name, target.number) = (2, 2);
    model.names.extend([b"emitter", b"target_".as_slice()].map(|n| kotor::mdl::Name(n.to_vec())));
    model.nodes[0].children.push(1);
    node.children.push(2);
    model.nodes.extend([node, target]);
    let events = vec![kotor::mdl::Event { time: 0.9, name: text("detonate") }];
    let nodes = vec![kotor::mdl::Node::default()];
    model.animations.push(kotor::mdl::Animation {
        name: text("play"),
        length: 4.0,
        events,
        nodes,
        ..kotor::mdl::Animation::default()
    });
    model
}

/// The same model, changed.
fn changed(mut model: kotor::mdl::Model, change: impl FnOnce(&mut kotor::mdl::Node)) -> kotor::mdl::Model {
    change(&mut model.nodes[1]);
    model
}

/// A model whose emitter goes to and fro.
fn moving(mut model: kotor::mdl::Model) -> kotor::mdl::Model {
    let mut node = kotor::mdl::Node { name: 1, number: 1, parent: Some(0), ..kotor::mdl::Node::default() };
    let (times, places) = ([0.0, 1.0, 2.0, 3.0, 4.0], [-1.0, 1.0, -1.0, 1.0, -1.0].map(|x| [x, 0.0, 0.0]));
    let linear = kotor::mdl::Interpolation::Linear;
    node.controllers.push(8, 0xFFFF, linear, 3, &times, places.as_flattened()).unwrap();
    let animation = &mut model.animations[0];
    animation.nodes[0].children.push(1);
    animation.nodes.push(node);
    model
}

fn kotor_flags(add: &mut dyn FnMut(&str, kotor::mdl::Model)) {
    let fountain = |flags: u32| odyssey("Fountain", "Normal", "Normal", flags);
    add("p2p_pull", fountain(0x1));
    add("p2p_curve", fountain(0x3));
    add("random", fountain(0x22));
    add("world", moving(fountain(0x2)));
    add("inherit", moving(fountain(0x42)));
    add("inherit_velocity", moving(fountain(0x82)));
    let local = |flags: u32| odyssey("Fountain", "Billboard_to_Local_Z", "Normal", flags);
    add("local", moving(local(0x2)));
    add("inherit_local", moving(local(0x102)));
    add("trail", moving(changed(fountain(0x2), |node| node.emitter.as_mut().unwrap().spawn_type = 1)));
    // Thrown upside down, from above the ground.
    let bounce = changed(fountain(0x12), |node| {
        (node.position, node.orientation) = ([0.0, 0.0, 1.0], [0.0, 1.0, 0.0, 0.0]);
    });
    add("bounce", bounce);
    let name = galatea::wire::Text::new(b"rock").unwrap();
    add("chunk", changed(fountain(0x2), |node| node.emitter.as_mut().unwrap().chunk = name));
    // Flags of what is around: wind, tint, splats, depth. They change nothing here.
    add("surroundings", fountain(0x2 | 0x4 | 0x8 | 0x200 | 0x400 | 0x800 | 0x1000));
    let flare = changed(fountain(0x2), |node| {
        node.emitter = None;
        node.light = Some(Box::new(kotor::mdl::Light {
            flare_radius: 10.0,
            flare_sizes: vec![5.0],
            flare_positions: vec![0.0],
            flare_colors: vec![[0.0; 3]],
            flare_textures: vec![kotor::mdl::Name(b"cells".to_vec())],
            ..kotor::mdl::Light::default()
        }));
    });
    add("flare", flare);
}

fn subjects() -> Vec<(String, Box<dyn Document>)> {
    let mut out: Vec<(String, Box<dyn Document>)> = Vec::new();
    let mut add = |name: &str, model: mdlx::Model| out.push((format!("wc3_{name}"), Box::new(model)));
    for (mode, name) in (0..).zip(["blend", "additive", "modulate", "modulate2x", "alpha_key"]) {
        add(name, wc3(mdlx::ParticleEmitter2 { filter_mode: mode, ..emitter() }));
    }
    add("tail", wc3(mdlx::ParticleEmitter2 { head_or_tail: 1, ..emitter() }));
    add("both", wc3(mdlx::ParticleEmitter2 { head_or_tail: 2, ..emitter() }));
    add("xy_quad", wc3(flagged(node_flags::XY_QUAD)));
    let line = mdlx::ParticleEmitter2 { width: 60.0, ..flagged(node_flags::LINE_EMITTER) };
    add("line", wc3(line));
    add("world", circling(wc3(emitter())));
    add("model_space", circling(wc3(flagged(node_flags::MODEL_SPACE))));
    add("sorted", wc3(flagged(node_flags::SORT_PRIMS_FAR_Z)));
    add(
        "glow",
        wc3(mdlx::ParticleEmitter2 { replaceable_id: 2, filter_mode: 1, rows: 1, columns: 1, ..emitter() }),
    );
    let burst = mdlx::Keys::Float(mdlx::Curve::new([(0, 0.0), (500, 24.0), (600, 0.0)]));
    let burst = mdlx::Track::new(b"KP2E", mdlx::Interpolation::None, burst);
    add("squirt", wc3(mdlx::ParticleEmitter2 { squirt: 1, tracks: vec![burst].into(), ..emitter() }));
    add("untextured", wc3(mdlx::ParticleEmitter2 { texture_id: -1, ..emitter() }));
    add("ribbon", ribbon());
    add("ribbon_animated", animated_ribbon());
    for (name, flag) in [
        ("still", 0),
        ("billboard", node_flags::BILLBOARDED),
        ("billboard_lock_x", node_flags::BILLBOARDED_LOCK_X),
        ("billboard_lock_y", node_flags::BILLBOARDED_LOCK_Y),
        ("billboard_lock_z", node_flags::BILLBOARDED_LOCK_Z),
    ] {
        add(name, square(flag));
    }
    let pages = mdlx::Keys::Integer(mdlx::Curve::new([(0, 0), (1500, 1)]));
    let pages = mdlx::Track::new(b"KMTF", mdlx::Interpolation::None, pages);
    let mut book = square(0);
    book.textures.push(mdlx::Texture { path: Default::default(), replaceable_id: 2, flags: 0 });
    (book.materials[0].layers[0].tracks, book.materials[0].layers[0].texture_anim_id) =
        (vec![pages].into(), -1);
    add("pages", book);
    let mut footprint = square(0);
    footprint.events.push(mdlx::Event {
        node: mdlx::Node { object_id: 1, ..mdlx::Node::default() },
        track: Some(mdlx::EventTrack { times: vec![1650], ..mdlx::EventTrack::default() }),
    });
    add("event", footprint);
    add("unshaded_unfogged", wc3(flagged(0x8000 | 0x40000)));
    let team = mdlx::ParticleEmitter2 { replaceable_id: 1, filter_mode: 0, rows: 1, columns: 1, ..emitter() };
    add("team_color", wc3(team));
    let mut thrown = wc3(emitter());
    thrown.particle_emitters2.clear();
    thrown.particle_emitters.push(mdlx::ParticleEmitter {
        emission_rate: 8.0,
        life_span: 1.0,
        speed: 40.0,
        latitude: 0.5,
        longitude: 3.1,
        ..mdlx::ParticleEmitter::default()
    });
    add("models", thrown);
    add("thrown", thrower(br"SharedModels\Missile.MDL"));
    let mut popcorn = wc3(emitter());
    popcorn.particle_emitters2.clear();
    popcorn.popcorn_emitters.push(mdlx::PopcornEmitter::default());
    add("popcorn", popcorn);
    let mut add = |name: &str, model: kotor::mdl::Model| out.push((format!("kotor_{name}"), Box::new(model)));
    for update in ["Fountain", "Single", "Explosion", "Lightning"] {
        add(&update.to_lowercase(), odyssey(update, "Normal", "Normal", 2));
    }
    for render in [
        "Linked",
        "Billboard_to_Local_Z",
        "Billboard_to_World_Z",
        "Aligned_to_World_Z",
        "Aligned_to_Particle_Dir",
        "Motion_Blur",
    ] {
        add(&render.to_lowercase(), odyssey("Fountain", render, "Normal", 2));
    }
    for blend in ["Lighten", "Punch-Through"] {
        add(&blend.to_lowercase(), odyssey("Fountain", "Normal", blend, 2));
    }
    kotor_flags(&mut add);
    out
}

fn draw(folder: &Path, name: &str, document: &dyn Document) -> Vec<u8> {
    let scene = document.to_scene(&SceneContext::new(name)).unwrap();
    let game = document.format().game.unwrap_or(Game::Warcraft);
    let found = textures::Textures::new(game, Some(folder), None);
    let emitted = EmittedModels::find(document, &found, &Limits::default());
    let resolve = |scene: &_| Some(textures::resolve_materials(scene, &found, 0));
    let mut stage = Stage::with_emitted(document, scene, Some(&emitted), resolve);
    let clip = stage.scene().clips.first().map(|c| c.name.clone());
    let look = Options::default().with_size(72, 72).with_clip(clip).with_time(1.75);
    stage.render(&look).unwrap().png().unwrap()
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/images/effects")
}

/// Settings that are drawn alike: particles that go along with an emitter look as if it stood still, since the image follows them;
/// there are neither surroundings nor fog nor light here.
const ALIKE: [&[&str]; 3] = [
    &["kotor_billboard_to_local_z", "kotor_local"],
    &["kotor_fountain", "kotor_inherit", "kotor_surroundings"],
    &["wc3_blend", "wc3_unshaded_unfogged"],
];

#[test]
fn every_kind_of_emitter_is_drawn_as_it_was_looked_at() {
    let textures = scratch("effects");
    std::fs::write(textures.join("cells.tga"), cells()).unwrap();
    std::fs::write(textures.join("missile.mdx"), missile().write().unwrap()).unwrap();
    let draw_all = || -> Vec<(String, Vec<u8>)> {
        subjects().iter().map(|(name, model)| (name.clone(), draw(&textures, name, model.as_ref()))).collect()
    };
    let drawn = draw_all();
    if std::env::var_os("GALATEA_BLESS").is_some() {
        std::fs::create_dir_all(folder()).unwrap();
        for (name, png) in &drawn {
            std::fs::write(folder().join(format!("{name}.png")), png).unwrap();
        }
    }
    for (name, png) in &drawn {
        let kept = std::fs::read(folder().join(format!("{name}.png"))).unwrap_or_default();
        assert!(
            kept == *png,
            "{name} is drawn otherwise than before: look at it, then run with GALATEA_BLESS=1"
        );
        let image = galatea::texture::decode(png, &[], &Default::default()).unwrap();
        assert!(image.pixels().any(|p| p != [46, 50, 56, 255]), "{name} is empty");
    }
    let mut by_image: BTreeMap<&[u8], Vec<&str>> = BTreeMap::new();
    for (name, png) in &drawn {
        by_image.entry(png).or_default().push(name);
    }
    let mut alike: Vec<Vec<&str>> = by_image.into_values().filter(|names| names.len() > 1).collect();
    alike.iter_mut().for_each(|names| names.sort_unstable());
    alike.sort_unstable();
    assert_eq!(alike, ALIKE);
    for threads in [1, 2, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert!(pool.install(draw_all) == drawn, "{threads} threads");
    }
}

#[test]
fn models_that_are_thrown_are_found_as_textures_are() {
    let folder = scratch("thrown");
    let (model, image) = (folder.join("catapult.mdx"), folder.join("out.png"));
    std::fs::write(&model, thrower(b"Missile.mdl").write().unwrap()).unwrap();
    let render = |more: &[&str]| {
        let (model, image) = (model.to_string_lossy(), image.to_string_lossy());
        let mut arguments = vec!["render", &model, "-o", &image, "--force", "--size", "64"];
        arguments.extend(more);
        let output = galatea(&arguments);
        assert!(output.status.success());
        (String::from_utf8(output.stderr).unwrap(), std::fs::read(image.as_ref()).unwrap())
    };
    let (said, marked) = render(&[]);
    assert!(said.contains("Missile.mdl: not found; a marker stands in"), "{said}");
    std::fs::write(folder.join("missile.mdx"), b"MDLX and nothing else").unwrap();
    let (said, broken) = render(&[]);
    assert!(said.contains("Missile.mdl: ") && broken == marked, "{said}");
    // Text serves as well, and folders that were named go first.
    let named = folder.join("named");
    std::fs::create_dir(&named).unwrap();
    std::fs::write(named.join("missile.mdl"), mdlx::text::print(&missile()).unwrap()).unwrap();
    let (said, drawn) = render(&["--textures", &named.to_string_lossy()]);
    assert!(said.contains("cells.tga: not found") && !said.contains("Missile"), "{said}");
    assert!(drawn != marked);
    std::fs::write(folder.join("missile.mdx"), missile().write().unwrap()).unwrap();
    assert!(render(&[]).1 == drawn);
}

#[test]
fn the_moving_image_of_the_readme_is_what_render_makes() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let (kept, model) = (root.join("docs/images/beacon.gif"), root.join("examples/beacon.mdx"));
    let out = scratch("readme").join("beacon.gif");
    let command = "--clip Stand --animate --size 216x270 --fps 10 -o";
    let mut arguments = vec!["render".to_owned(), model.to_string_lossy().into_owned()];
    arguments.extend(command.split(' ').map(str::to_owned));
    arguments.push(out.to_string_lossy().into_owned());
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    assert!(galatea(&arguments).status.success());
    let drawn = std::fs::read(out).unwrap();
    assert!(std::fs::read(kept).unwrap() == drawn, "docs/images/beacon.gif: render it again with {command}");
    assert!(drawn.len() < 300_000);
}
