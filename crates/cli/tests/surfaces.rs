//! Images of surfaces with maps: normals, roughness, metal, own light, team color, reflections. The same bytes as those kept beside this
//! test. With `GALATEA_BLESS` set, they are written anew; look at them before you keep them.
#![cfg(test)]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail loudly")]

mod support;

use std::path::{Path, PathBuf};

use galatea::preview::{self, Options};
use galatea::scene::{AlphaMode, Extras, Material, Mesh, Node, Primitive, Scene, Slot, Texture, Vertices};
use galatea::texture::find::Game;
use galatea::{textures, wire};

use support::scratch;

const SIDE: u16 = 64;

/// An image as a TGA, top row first: red, green, blue, alpha by column and row, from 0 to 1.
fn tga(of: impl Fn(f32, f32) -> [f32; 4]) -> Vec<u8> {
    let mut out = vec![0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    out.extend(SIDE.to_le_bytes());
    out.extend(SIDE.to_le_bytes());
    out.extend([32, 0x28]);
    for y in 0..SIDE {
        for x in 0..SIDE {
            let at = |n: u16| (f32::from(n) + 0.5) / f32::from(SIDE);
            let [r, g, b, a] = of(at(x), at(y)).map(|v| (v.clamp(0.0, 1.0) * 255.0 + 0.5) as u8);
            out.extend([b, g, r, a]);
        }
    }
    out
}

/// Round bumps in a grid, as a normal map whose green is up.
fn bumps(u: f32, v: f32) -> [f32; 4] {
    let (x, y) = ((u * 8.0).fract() * 2.0 - 1.0, (v * 4.0).fract() * 2.0 - 1.0);
    let inside = x * x + y * y < 0.8;
    let (nx, ny) = if inside { (x * 0.8, -y * 0.8) } else { (0.0, 0.0) };
    let nz = (1.0 - nx * nx - ny * ny).sqrt();
    [nx, ny, nz].map(|n| n * 0.5 + 0.5).into_iter().chain([1.0]).collect::<Vec<_>>().try_into().unwrap()
}

/// Returns a ball with this material; u goes around it and v down.
fn ball(material: Material) -> Scene {
    let (across, down) = (48u32, 24u32);
    let mut vertices = Vertices { uvs: vec![Vec::new(), Vec::new()], ..Vertices::default() };
    for row in 0..=down {
        for column in 0..=across {
            let (u, v) = (column as f32 / across as f32, row as f32 / down as f32);
            let (turn, tilt) = (u * std::f32::consts::TAU, v * std::f32::consts::PI);
            let place = [tilt.sin() * turn.sin(), tilt.cos(), tilt.sin() * turn.cos()];
            vertices.positions.push(place);
            vertices.normals.push(place);
            vertices.uvs.iter_mut().for_each(|set| set.push([u, v]));
        }
    }
    let mut indices = Vec::new();
    for row in 0..down {
        for column in 0..across {
            let a = row * (across + 1) + column;
            let (b, c, d) = (a + across + 1, a + across + 2, a + 1);
            indices.extend([a, b, c, a, c, d]);
        }
    }
    let mut scene = Scene::new("ball");
    scene.vertices.push(vertices);
    scene.materials.push(material);
    let primitive = Primitive { vertices: 0, indices, material: Some(0), ..Primitive::default() };
    scene.meshes.push(Mesh { primitives: vec![primitive], ..Mesh::default() });
    scene.add_node(None, Node { mesh: Some(0), ..Node::new("ball") });
    scene
}

fn texture(slot: Slot, name: &str) -> Texture {
    Texture { slot, name: name.into(), ..Texture::default() }
}

/// A Reforged material with the maps of these letters: normal, orm, emissive, team color.
fn reforged(maps: &str, orm: &str) -> Material {
    let mut material = Material { textures: vec![texture(Slot::Base, "clay.tga")], ..Material::default() };
    for (letter, slot, name) in [
        ('n', Slot::Normal, "bumps.tga"),
        ('o', Slot::OcclusionRoughnessMetallic, orm),
        ('e', Slot::Emissive, "glow.tga"),
        ('t', Slot::TeamColor, "team color"),
    ] {
        if maps.contains(letter) {
            material.textures.push(texture(slot, name));
        }
    }
    material
}

/// A cube map of KotOR whose faces have these colors, in the order of the game.
fn cube(faces: [[u8; 3]; 6]) -> Vec<u8> {
    let mut out = vec![0u8; 128];
    out[4..8].copy_from_slice(&1f32.to_le_bytes());
    out[8..10].copy_from_slice(&4u16.to_le_bytes());
    out[10..12].copy_from_slice(&24u16.to_le_bytes());
    (out[12], out[13]) = (4, 3);
    for face in faces {
        for side in [4usize, 2, 1] {
            (0..side * side).for_each(|_| out.extend([face[0], face[1], face[2], 255]));
        }
    }
    out.extend(b"cube 1\n");
    out
}

fn files(test: &str) -> PathBuf {
    let folder = scratch(test);
    let write = |name: &str, bytes: Vec<u8>| std::fs::write(folder.join(name), bytes).unwrap();
    let checks = |u: f32, v: f32| ((u * 8.0) as u32 + (v * 4.0) as u32).is_multiple_of(2);
    write("clay.tga", tga(|_, _| [0.7, 0.55, 0.4, 1.0]));
    write("bumps.tga", tga(bumps));
    // Rough on the left of each half, smooth on the right; the team's color on the squares of a chessboard.
    let orm = move |metal: f32| {
        move |u: f32, v: f32| [1.0, 1.0 - (u * 2.0).fract(), metal, if checks(u, v) { 1.0 } else { 0.0 }]
    };
    write("rough.tga", tga(orm(0.0)));
    write("metal.tga", tga(orm(1.0)));
    write("holes.tga", tga(|u, _| [(u * 8.0).fract(), 1.0, 0.0, 1.0]));
    let lamp = |u: f32, v: f32| (u * 8.0).fract() > 0.8 || (v * 4.0).fract() > 0.8;
    write("glow.tga", tga(|u, v| if lamp(u, v) { [0.2, 0.8, 1.0, 1.0] } else { [0.0, 0.0, 0.0, 1.0] }));
    // KotOR: alpha tells what is not reflected.
    let plate = |u: f32, v: f32| [0.3, 0.3, 0.35, if checks(u, v) { 1.0 } else { 0.2 }];
    for (name, txi) in [
        ("shiny", "envmaptexture sky"),
        ("lost", "envmaptexture nowhere"),
        ("bumpy", "bumpyshinytexture sky\r\nbumpmaptexture waves"),
    ] {
        write(&format!("{name}.tga"), tga(plate));
        write(&format!("{name}.txi"), txi.as_bytes().to_vec());
    }
    write("plate.tga", tga(|_, _| [0.3, 0.3, 0.35, 1.0]));
    write("waves.tga", tga(bumps));
    write("lights.tga", tga(|u, _| [u, u, u, 1.0]));
    let colors =
        [[200, 60, 60], [60, 200, 60], [60, 60, 200], [200, 200, 60], [60, 200, 200], [200, 60, 200]];
    write("sky.tpc", cube(colors));
    folder
}

fn kotor(name: &str, lightmap: bool) -> Material {
    let mut material = Material { textures: vec![texture(Slot::Base, name)], ..Material::default() };
    if lightmap {
        material.textures.push(Texture { uv_set: 1, ..texture(Slot::Lightmap, "lights") });
    }
    material
}

fn subjects() -> Vec<(&'static str, Game, Material)> {
    let mut out = Vec::new();
    let mut hd = |name, maps: &str, orm: &str| out.push((name, Game::Warcraft, reforged(maps, orm)));
    hd("hd_color", "", "");
    hd("hd_normal", "n", "");
    hd("hd_rough", "o", "rough.tga");
    hd("hd_metal", "o", "metal.tga");
    hd("hd_occlusion", "o", "holes.tga");
    hd("hd_emissive", "e", "");
    hd("hd_team", "ot", "rough.tga");
    hd("hd_all", "noet", "metal.tga");
    let mut dim = reforged("e", "");
    dim.extras.insert("mdx", Extras::from([("emissive_gain", galatea::scene::Value::Float(0.25))]));
    out.push(("hd_emissive_gain", Game::Warcraft, dim));
    let mut unlit = reforged("no", "metal.tga");
    unlit.unlit = true;
    out.push(("hd_unshaded", Game::Warcraft, unlit));
    let mut cut = reforged("n", "");
    cut.alpha = AlphaMode::Blend;
    cut.base_color[3] = 0.5;
    out.push(("hd_blend", Game::Warcraft, cut));
    let mut odyssey = |name, texture: &str, lightmap| out.push((name, Game::Kotor, kotor(texture, lightmap)));
    odyssey("kotor_plain", "plate", false);
    odyssey("kotor_mirror", "shiny", false);
    odyssey("kotor_mirror_lost", "lost", false);
    odyssey("kotor_bumps", "bumpy", false);
    odyssey("kotor_lightmap", "bumpy", true);
    let mut own_light = kotor("plate", false);
    own_light.emissive = [0.0, 0.6, 0.0];
    out.push(("kotor_own_light", Game::Kotor, own_light));
    out
}

fn draw(folder: &Path, game: Game, material: Material) -> Vec<u8> {
    let found = textures::Textures::new(game, Some(folder), None);
    let scene = ball(material);
    let resolved = textures::resolve_materials(&scene, &found, 1);
    let look = Options::default().with_size(72, 72);
    let image = preview::render(&resolved.scene(&scene), &look, &|name| resolved.texture(name)).unwrap();
    image.png().unwrap()
}

#[test]
fn every_map_is_seen_as_it_was_looked_at() {
    let (files, kept) =
        (files("surfaces"), Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/images/surfaces"));
    let draw_all = || -> Vec<(&str, Vec<u8>)> {
        subjects().into_iter().map(|(name, game, material)| (name, draw(&files, game, material))).collect()
    };
    let drawn = draw_all();
    if std::env::var_os("GALATEA_BLESS").is_some() {
        std::fs::create_dir_all(&kept).unwrap();
        for (name, png) in &drawn {
            std::fs::write(kept.join(format!("{name}.png")), png).unwrap();
        }
    }
    for (number, (name, png)) in drawn.iter().enumerate() {
        let was = std::fs::read(kept.join(format!("{name}.png"))).unwrap_or_default();
        assert!(
            was == *png,
            "{name} is drawn otherwise than before: look at it, then run with GALATEA_BLESS=1"
        );
        let twin = drawn.iter().take(number).find(|(_, other)| other == png);
        assert!(twin.is_none(), "{name} looks like {}", twin.unwrap().0);
    }
    for threads in [1, 2, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert!(pool.install(draw_all) == drawn, "{threads} threads");
    }
}

#[test]
fn a_cube_map_adds_its_faces_where_alpha_is_low() {
    let files = files("mirrors");
    let image = |name: &str| {
        let png = draw(&files, Game::Kotor, kotor(name, false));
        galatea::texture::decode(&png, &[], &wire::Limits::default()).unwrap()
    };
    let (shiny, lost, plain) = (image("shiny"), image("lost"), image("plate"));
    for other in [&shiny, &lost] {
        // Normals of pixels are not quite those between vertices.
        let brighter = |x, y| {
            let (with, without) = (other.pixel(x, y).unwrap(), plain.pixel(x, y).unwrap());
            with.iter().zip(without).all(|(a, b)| a.saturating_add(4) >= b)
        };
        assert!((0..72).all(|x| (0..72).all(|y| brighter(x, y))), "reflections add light");
    }
    // A ball shows everything around it: all six faces.
    let mut seen = std::collections::BTreeMap::new();
    for [r, g, b, _] in shiny.pixels() {
        let (most, least) = (u32::from(r.max(g).max(b)), u32::from(r.min(g).min(b)));
        if most - least > 60 {
            *seen.entry([r, g, b].map(|v| u32::from(v) * 10 > most * 7)).or_insert(0) += 1;
        }
    }
    assert!(seen.len() == 6 && seen.values().all(|count| *count > 30), "{seen:?}");
}
