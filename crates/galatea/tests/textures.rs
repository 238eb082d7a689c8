//! Textures as files, as companions, and on models: found, shown, and never beyond the folders that were given.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests fail loudly")]

use std::path::{Path, PathBuf};

use galatea::disk::{self, Job};
use galatea::fox::Dictionary;
use galatea::kotor::mdl::Model;
use galatea::scene::{AlphaMode, Material, Mesh, Node, Primitive, Scene, Slot, Texture, Vertices};
use galatea::texture::find::Game;
use galatea::texture::{Image, Texture as AnyTexture, encode};
use galatea::textures::{Images, Library, Textures, Why, audit, resolve_materials};
use galatea::{
    Category, ConvertOptions, Document, Encoding, FormatId, Input, Limits, Loss, SceneContext, TextureFile,
    convert, mdlx, preview,
};

fn scratch(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("textures").join(name);
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).unwrap();
    dir
}

fn save(dir: &Path, name: &str, image: &Image) {
    std::fs::write(dir.join(name), encode::tga(image).unwrap()).unwrap();
}

/// A square whose material has these textures.
fn square(textures: &[(Slot, &str)]) -> Scene {
    let mut scene = Scene::new("square");
    let textures = textures.iter().map(|(slot, name)| Texture {
        slot: slot.clone(),
        name: (*name).to_owned(),
        ..Texture::default()
    });
    scene.materials.push(Material { textures: textures.collect(), two_sided: true, ..Material::default() });
    scene.vertices.push(Vertices {
        positions: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]],
        normals: vec![[0.0, 0.0, 1.0]; 4],
        uvs: vec![vec![[0.0, 1.0], [1.0, 1.0], [1.0, 0.0], [0.0, 0.0]]; 2],
        ..Vertices::default()
    });
    let primitive = Primitive { indices: vec![0, 1, 2, 0, 2, 3], material: Some(0), ..Primitive::default() };
    scene.meshes.push(Mesh { name: "square".into(), primitives: vec![primitive], ..Mesh::default() });
    scene.add_node(None, Node { mesh: Some(0), ..Node::new("square") });
    scene
}

fn model(textures: &[(Slot, &str)]) -> Model {
    Model::from_scene(&square(textures), &Default::default()).unwrap().0
}

fn opened(path: &Path) -> Box<dyn Document> {
    let loaded = disk::load(&Job::new(path)).unwrap();
    galatea::open(&loaded.input(), &Limits::default()).unwrap()
}

#[test]
fn an_ftex_and_its_parts_are_one_input_and_come_back() {
    let dir = scratch("ftex");
    let pixels = (0..64 * 64u32).flat_map(|i| [i as u8, (i >> 4) as u8, (i >> 8) as u8, 255]).collect();
    let image = Image::new(64, 64, pixels).unwrap();
    std::fs::write(dir.join("a_bsm.png"), encode::png(&image).unwrap()).unwrap();
    let options = ConvertOptions::default().with_encoding(Encoding::Raw).with_ftexs(2);
    let names = Dictionary::new();
    let context = SceneContext::new("a_bsm").with_names(&names);
    let png = opened(&dir.join("a_bsm.png"));
    let written = convert(png.as_ref(), FormatId::Ftex, &options, &context).unwrap().output;
    assert_eq!(written.companions.iter().map(|c| c.extension).collect::<Vec<_>>(), ["1.ftexs", "2.ftexs"]);
    disk::write_output(&dir.join("a_bsm.ftex"), &written, false).unwrap();
    let jobs = disk::jobs(std::slice::from_ref(&dir), &|f| f.category == Category::Texture);
    let names: Vec<_> = jobs.into_iter().map(|j| j.unwrap().path).collect();
    assert_eq!(names, [dir.join("a_bsm.ftex"), dir.join("a_bsm.png")]);
    let ftex = opened(&dir.join("a_bsm.ftex"));
    assert_eq!(ftex.write().unwrap(), written);
    let back = convert(ftex.as_ref(), FormatId::Png, &ConvertOptions::default(), &context).unwrap();
    assert_eq!(galatea::texture::decode(&back.output.bytes, &[], &Limits::default()).unwrap(), image);
    assert!(back.losses.is_empty(), "{:?}", back.losses);
    // Without the part that holds the largest level the rest is still good for something.
    std::fs::remove_file(dir.join("a_bsm.2.ftexs")).unwrap();
    let half = convert(
        opened(&dir.join("a_bsm.ftex")).as_ref(),
        FormatId::Png,
        &ConvertOptions::default(),
        &context,
    );
    assert!(half.unwrap().losses[0].what.contains("32 x 32 is the largest available: FTEXS parts [2]"));
    // Every byte of every part is accounted for.
    let loaded = disk::load(&Job::new(dir.join("a_bsm.ftex"))).unwrap();
    let format = galatea::detect(&loaded.bytes).unwrap();
    let seen = (format.inspect)(&loaded.input(), &Limits::default());
    assert_eq!(seen.iter().map(|i| i.file).collect::<Vec<_>>(), ["ftex", "1.ftexs"]);
    assert!(seen.iter().all(|i| i.error.is_none()));
}

#[test]
fn a_txi_goes_into_a_tpc_and_out_again() {
    let dir = scratch("txi");
    save(&dir, "wall.tga", &Image::filled(8, 8, [10, 200, 30, 255]));
    std::fs::write(dir.join("wall.txi"), "decal 1\r\n").unwrap();
    let names = Dictionary::new();
    let context = SceneContext::new("wall").with_names(&names);
    let jobs = disk::jobs(std::slice::from_ref(&dir), &|_| true);
    assert_eq!(jobs.len(), 1, "the TXI belongs to the TGA: {jobs:?}");
    let raw = ConvertOptions::default().with_encoding(Encoding::Raw);
    let tpc = convert(opened(&dir.join("wall.tga")).as_ref(), FormatId::Tpc, &raw, &context).unwrap().output;
    assert!(tpc.bytes.ends_with(b"decal 1\r\n") && tpc.companions.is_empty());
    let tpc = galatea::open(&Input::new(&tpc.bytes), &Limits::default()).unwrap();
    let tga = convert(tpc.as_ref(), FormatId::Tga, &ConvertOptions::default(), &context).unwrap().output;
    assert_eq!(tga.companion("txi"), Some(&b"decal 1\r\n"[..]));
    assert_eq!(tga.bytes, std::fs::read(dir.join("wall.tga")).unwrap());
    let blp = convert(tpc.as_ref(), FormatId::Blp, &ConvertOptions::default(), &context).unwrap();
    assert_eq!(blp.losses, [Loss::new("the TXI", "blp has no place for it")]);
}

#[test]
fn encodings_that_a_format_lacks_are_named() {
    let png = encode::png(&Image::filled(4, 4, [1, 2, 3, 4])).unwrap();
    let png = galatea::open(&Input::new(&png), &Limits::default()).unwrap();
    let names = Dictionary::new();
    let context = SceneContext::new("a").with_names(&names);
    let ask = |to: FormatId, encoding: Encoding| {
        let options = ConvertOptions::default().with_encoding(encoding);
        convert(png.as_ref(), to, &options, &context).map(|c| c.output.bytes)
    };
    assert_eq!(
        ask(FormatId::Tpc, Encoding::Bc7).unwrap_err().to_string(),
        "tpc can be raw, grey, bc1, bc3, not bc7"
    );
    assert_eq!(
        ask(FormatId::Png, Encoding::Raw).unwrap_err().to_string(),
        "png has only one encoding, and it is not raw"
    );
    assert_eq!(ask(FormatId::Glb, Encoding::Raw).unwrap_err().to_string(), "png cannot become glb");
    for (to, encoding, words) in [
        (FormatId::Tpc, Encoding::Bc3, "DXT5"),
        (FormatId::Dds, Encoding::Bc5, "BC5"),
        (FormatId::Dds, Encoding::Bc7, "BC7"),
        (FormatId::Ftex, Encoding::Bc1, "DXT1"),
        (FormatId::Blp, Encoding::Palette, "palette"),
    ] {
        let bytes = ask(to, encoding).unwrap();
        let texture = AnyTexture::read(&bytes, &Limits::default()).unwrap();
        assert!(texture.shape().pixels.contains(words), "{to}: {}", texture.shape());
    }
}

#[test]
fn names_that_lead_elsewhere_find_nothing() {
    let dir = scratch("unsafe");
    save(&dir, "secret.tga", &Image::filled(2, 2, [255, 0, 0, 255]));
    let inner = dir.join("models");
    std::fs::create_dir_all(&inner).unwrap();
    save(&inner, "con.tga", &Image::filled(2, 2, [255, 0, 0, 255]));
    let bad = [
        "..\\secret.tga",
        "a/../../secret.tga",
        "C:\\secret.tga",
        "con",
        "//server/secret.tga",
        "/etc/passwd",
    ];
    let mut warcraft = mdlx::Model::new(mdlx::Version(800));
    for name in bad {
        let path = galatea::wire::Text::new(name.as_bytes()).unwrap();
        warcraft.textures.push(mdlx::Texture { path, ..galatea::wire::Wire::ZERO });
    }
    let names = Dictionary::new();
    let textures = Textures::new(Game::Warcraft, Some(&inner), None);
    let audited = audit(&warcraft, &SceneContext::new("x").with_names(&names), &textures);
    let why: Vec<_> = audited.iter().map(|a| (a.name.as_str(), &a.why)).collect();
    for name in &bad[..5] {
        assert!(why.contains(&(*name, &Why::Unsafe)), "{name}: {why:?}");
    }
    assert!(why.contains(&("/etc/passwd", &Why::Missing)), "below the folder there is none: {why:?}");
    for name in bad {
        assert!(textures.load(name).is_none(), "{name}");
        let scene = square(&[(Slot::Base, name)]);
        let (_, beside) = resolve_materials(&scene, &textures, 0)
            .with_options(Images::Beside, |o| galatea::gltf::write_glb(&scene, o).unwrap());
        assert!(beside.is_empty(), "{name}");
    }
}

#[test]
fn txis_that_name_each_other_end() {
    let dir = scratch("circle");
    for (name, next) in [("a", "b"), ("b", "c"), ("c", "a")] {
        save(&dir, &format!("{name}.tga"), &Image::filled(4, 4, [90, 90, 90, 255]));
        std::fs::write(
            dir.join(format!("{name}.txi")),
            format!("bumpmaptexture {next}\nenvmaptexture {name}"),
        )
        .unwrap();
    }
    let names = Dictionary::new();
    let textures = Textures::new(Game::Kotor, Some(&dir), None);
    let model = model(&[(Slot::Base, "a")]);
    let audited = audit(&model, &SceneContext::new("x").with_names(&names), &textures);
    assert_eq!(audited.iter().map(|a| a.name.as_str()).collect::<Vec<_>>(), ["a", "b", "c"]);
    let resolved = resolve_materials(&model.to_scene(), &textures, 0);
    assert!(resolved.appearance(0, &Material::default()).maps.iter().any(|m| m.image == "b.normal"));
}

#[test]
fn a_bomb_beside_a_model_is_one_line_and_no_image() {
    let dir = scratch("bomb");
    let mut tga = encode::tga(&Image::filled(2, 2, [1, 2, 3, 255])).unwrap();
    tga[2] = 10;
    tga[12..16].copy_from_slice(&[255; 4]);
    tga.resize(200, 0);
    std::fs::write(dir.join("a.tga"), &tga).unwrap();
    let names = Dictionary::new();
    let textures = Textures::new(Game::Kotor, Some(&dir), None);
    let audited = audit(&model(&[(Slot::Base, "a")]), &SceneContext::new("x").with_names(&names), &textures);
    let Why::Found { broken: Some(line), .. } = &audited[0].why else { panic!("{audited:?}") };
    assert_eq!(line.lines().count(), 1);
    assert!(textures.load("a").is_none());
}

#[test]
fn kotors_material_is_shown_and_comes_back() {
    let dir = scratch("kotor");
    let mut skin = Image::filled(4, 4, [200, 100, 50, 255]);
    skin.rgba[3] = 0;
    save(&dir, "skin.tga", &skin);
    std::fs::write(dir.join("skin.txi"), "blending punchthrough\nalphamean 0.25\ndecal 1\nclamp 3").unwrap();
    save(&dir, "light.tga", &Image::filled(2, 2, [128, 128, 128, 255]));
    let document = model(&[(Slot::Base, "SKIN"), (Slot::Lightmap, "light")]);
    let names = Dictionary::new();
    let textures = Textures::new(Game::Kotor, Some(&dir), None);
    let context = SceneContext::new("x").with_names(&names).with_textures(&textures);
    let gltf = convert(&document, FormatId::Gltf, &ConvertOptions::default(), &context).unwrap().output;
    let files: Vec<&str> = gltf.siblings.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(files, ["SKIN.png", "light.png", "x.bin"]);
    let json = String::from_utf8(gltf.bytes).unwrap();
    for word in [
        r#""alphaMode":"MASK""#,
        r#""alphaCutoff":0.25"#,
        r#""doubleSided":true"#,
        r#""wrapS":33071"#,
        "MOZ_lightmap",
        "blending punchthrough",
        r#""scale":[1,-1]"#,
    ] {
        assert!(json.contains(word), "{word}: {json}");
    }
    let glb = convert(&document, FormatId::Glb, &ConvertOptions::default(), &context).unwrap().output;
    assert!(glb.siblings.is_empty());
    let back = galatea::open(&Input::new(&glb.bytes), &Limits::default().with_ratio(64)).unwrap();
    let back =
        convert(back.as_ref(), FormatId::KotorMdl, &ConvertOptions::default(), &context).unwrap().output;
    let back = galatea::open(&back.input(), &Limits::default()).unwrap();
    assert_eq!(document.differences(back.as_any().downcast_ref::<Model>().unwrap()), Vec::<String>::new());
    let none = ConvertOptions::default().with_images(Images::None);
    let bare = convert(&document, FormatId::Gltf, &none, &context).unwrap().output;
    assert_eq!(bare.siblings.len(), 1);
    assert!(!String::from_utf8(bare.bytes).unwrap().contains("\"images\""));
}

#[test]
fn classic_units_wear_the_colour_of_their_team() {
    let dir = scratch("team");
    let mut skin = Image::filled(2, 1, [10, 20, 30, 255]);
    skin.rgba[7] = 0;
    save(&dir, "skin.tga", &skin);
    let mut scene = square(&[(Slot::TeamColor, "ReplaceableTextures\\TeamColor\\TeamColor00.blp")]);
    let skin = square(&[(Slot::Base, "skin.blp")]).materials.remove(0);
    scene.materials.push(Material { alpha: AlphaMode::Blend, ..skin });
    scene.materials[0].layers = vec![1];
    let textures = Textures::new(Game::Warcraft, Some(&dir), None);
    let resolved = resolve_materials(&scene, &textures, 1);
    let (_, files) = resolved.with_options(Images::Beside, |o| galatea::gltf::write_glb(&scene, o).unwrap());
    assert_eq!(files[0].0, "skin.layers.png");
    let image = galatea::texture::decode(&files[0].1, &[], &Limits::default()).unwrap();
    assert_eq!(image.pixel(0, 0), Some([10, 20, 30, 255]));
    assert_eq!(image.pixel(image.width - 1, 0), Some([0x00, 0x42, 0xFF, 255]), "blue is the second player");
    // The image shows both layers too.
    let shown = resolved.scene(&scene);
    let look = preview::Options::default().with_yaw(0.0).with_pitch(0.0).with_size(64, 64);
    let image = preview::render(&shown, &look, &|name| resolved.texture(name)).unwrap();
    let at = |x: usize| &image.pixels[(32 * 64 + x) * 4..][..3];
    assert!(at(44)[2] > at(44)[0] * 2 && at(44)[2] > at(20)[2] + 30, "{:?} {:?}", at(20), at(44));
}

#[test]
fn reforged_units_have_six_textures() {
    let dir = scratch("reforged");
    save(&dir, "d.tga", &Image::filled(2, 2, [200, 200, 200, 255]));
    save(&dir, "n.tga", &Image::filled(2, 2, [254, 123, 0, 131]));
    let mut orm = Image::filled(2, 2, [255, 128, 64, 0]);
    orm.rgba[3] = 255;
    save(&dir, "o.tga", &orm);
    let scene = square(&[
        (Slot::Base, "d.dds"),
        (Slot::Normal, "n.dds"),
        (Slot::OcclusionRoughnessMetallic, "o.dds"),
        (Slot::Emissive, "Textures\\Black32.dds"),
        (Slot::TeamColor, "ReplaceableTextures\\TeamColor\\TeamColor00.blp"),
    ]);
    let textures = Textures::new(Game::Warcraft, Some(&dir), None);
    let resolved = resolve_materials(&scene, &textures, 0);
    let write = |o: &galatea::gltf::Options<'_>| galatea::gltf::write_gltf(&scene, o, "a.bin").0;
    let (json, files) = resolved.with_options(Images::Beside, write);
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["d.team00.png", "n.normal.png", "o.orm.png"]);
    let image = |i: usize| galatea::texture::decode(&files[i].1, &[], &Limits::default()).unwrap();
    assert_eq!(image(0).pixel(0, 0), Some([200, 2, 2, 255]));
    assert_eq!(image(0).pixel(1, 1), Some([200, 200, 200, 255]));
    assert_eq!(image(1).pixel(0, 0), Some([131, 123, 255, 255]));
    assert_eq!(image(2).pixel(0, 0), Some([255, 128, 64, 255]));
    assert!(json.contains("occlusionTexture") && json.contains("metallicRoughnessTexture"));
    let back = galatea::gltf::read(json.as_bytes(), &Limits::default(), &mut |_| {
        Some(galatea::gltf::write_gltf(&scene, &Default::default(), "a.bin").1)
    });
    assert_eq!(back.unwrap().scene.materials, scene.materials);
}

#[test]
fn folders_that_are_named_go_before_the_models_own() {
    let dir = scratch("order");
    let (own, shared) = (dir.join("own"), dir.join("shared/deep"));
    for folder in [&own, &shared] {
        std::fs::create_dir_all(folder).unwrap();
    }
    save(&own, "a.tga", &Image::filled(1, 1, [1, 1, 1, 255]));
    save(&shared, "A.tga", &Image::filled(1, 1, [2, 2, 2, 255]));
    save(&shared, "b.tga", &Image::filled(1, 1, [3, 3, 3, 255]));
    let (library, failed) = Library::below(&[dir.join("shared")]);
    assert!(failed.is_empty());
    let textures = Textures::new(Game::Kotor, Some(&own), Some(&library));
    let red = |name: &str| textures.load(name).map(|d| d.image.rgba[0]);
    assert_eq!((red("A"), red("b"), red("c")), (Some(2), Some(3), None));
}

#[test]
fn a_texture_document_tells_what_differs() {
    let file = |c: u8| {
        let bytes = encode::tga(&Image::filled(2, 2, [c, 2, 3, 255])).unwrap();
        galatea::open(&Input::new(&bytes), &Limits::default()).unwrap()
    };
    let (a, b) = (file(1), file(9));
    assert_eq!(a.differences(b.as_ref()).unwrap(), ["file: different from byte 20 on"]);
    assert!(a.as_any().is::<TextureFile>());
    assert_eq!(a.summary().version, "TGA 24-bit 2x2, 1 mip");
}
