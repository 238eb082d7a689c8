//! Channels and layers of materials, team colours, and names of files.
#![cfg(test)]

use galatea_texture::find::{Found, How, Index, Why, output_name};
use galatea_texture::material::{self, FoxRole, Surface};
use galatea_texture::{Image, Txi, team, txi};

/// Images of one pixel.
fn dot(rgba: [u8; 4]) -> Image {
    Image::filled(1, 1, rgba)
}

#[test]
fn channels_go_where_gltf_expects_them() {
    let [r, g, b, a] = [40, 80, 120, 160];
    let stored = dot([r, g, b, a]);
    assert_eq!(material::opaque(&stored).rgba, [r, g, b, 255]);
    assert_eq!(material::orm(&stored).rgba, [r, g, b, 255]);
    assert_eq!(material::fox_roughness(&stored).rgba, [255, g, 0, 255]);
    assert_eq!(material::fox_specular(&stored).rgba, [255, 255, 255, r]);
    // As dark as the mean of 40, 80 and 120.
    assert_eq!(material::modulate(&stored).rgba, [0, 0, 0, 255 - 80]);
}

#[test]
fn metal_is_scaled_to_the_roughness() {
    let rough = Image::filled(4, 1, [255, 9, 0, 255]);
    let metal = Image::new(2, 1, vec![10, 0, 0, 255, 200, 0, 0, 255]).unwrap();
    let both = material::with_metal(&rough, &metal);
    let blue: Vec<u8> = both.pixels().map(|[_, _, b, _]| b).collect();
    assert_eq!(blue, [10, 10, 200, 200]);
    assert!(both.pixels().all(|[r, g, _, a]| [r, g, a] == [255, 9, 255]));
}

#[test]
fn layers_are_drawn_over_each_other() {
    let over = |surface, opacity| {
        let image = dot([100, 200, 50, 128]);
        material::layered(&dot([200, 100, 0, 77]), &[(&image, surface, opacity)]).rgba
    };
    assert_eq!(over(Surface::Opaque, 1.0), [100, 200, 50, 77]);
    assert_eq!(over(Surface::Mask(0.5), 1.0), [100, 200, 50, 77]);
    assert_eq!(over(Surface::Mask(0.75), 1.0), [200, 100, 0, 77]);
    // 128 of 255 of the way.
    assert_eq!(over(Surface::Blend, 1.0), [150, 150, 25, 77]);
    assert_eq!(over(Surface::Blend, 0.0), [200, 100, 0, 77]);
    assert_eq!(over(Surface::Additive, 1.0), [250, 200, 25, 77]);
    assert_eq!(over(Surface::Modulate { twice: false }, 1.0), [78, 78, 0, 77]);
    assert_eq!(over(Surface::Modulate { twice: true }, 1.0), [157, 157, 0, 77]);
    // The image is as large as the largest.
    let wide = Image::new(2, 1, vec![10, 20, 30, 255, 10, 20, 30, 0]).unwrap();
    let both = material::layered(&dot([255, 0, 0, 255]), &[(&wide, Surface::Blend, 1.0)]);
    assert_eq!((both.width, both.rgba), (2, vec![10, 20, 30, 255, 255, 0, 0, 255]));
}

#[test]
fn fox_normals_point_up_in_both_games() {
    assert_eq!(material::fox_normal(&dot([132, 200, 132, 90])).rgba[..2], [90, 200], "MGSV: as stored");
    assert_eq!(material::fox_normal(&dot([255, 100, 0, 90])).rgba[..2], [90, 155], "PES: upside down");
    assert_eq!(material::fox_normal(&dot([132, 128, 132, 128])).rgba, [128, 128, 255, 255], "straight up");
}

#[test]
fn fox_names_tell_the_role_of_a_texture() {
    for (name, role) in [
        ("face_bsm_alp.ftex", FoxRole::Colour { alpha: true }),
        ("/Assets/tpp/face_bsm.tga", FoxRole::Colour { alpha: false }),
        (r"a\hand_NRM.ftex", FoxRole::Normal),
        ("hand_srm_clp.ftex", FoxRole::Specular),
        ("hand_mtm.ftex", FoxRole::Material),
        ("hand_trm_32b.ftex", FoxRole::Translucency),
        ("sky_cbm.ftex", FoxRole::Cube),
        ("hand_lym_nmp.ftex", FoxRole::Mask),
        ("hand.ftex", FoxRole::Unknown),
        ("alp", FoxRole::Unknown),
    ] {
        assert_eq!(material::fox_role(name), role, "{name}");
    }
}

#[test]
fn replaceable_textures_have_the_paths_of_the_game() {
    assert_eq!(team::path(1, 7).as_deref(), Some(r"ReplaceableTextures\TeamColor\TeamColor07"));
    assert_eq!(team::path(2, 11).as_deref(), Some(r"ReplaceableTextures\TeamGlow\TeamGlow11"));
    assert_eq!(team::path(33, 0).as_deref(), Some(r"ReplaceableTextures\BarrensTree\BarrensTree"));
    assert_eq!(team::path(99, 0), None);
    for id in [11, 31, 32, 33, 34, 35, 36, 37] {
        assert!(team::path(id, 0).is_some_and(|path| path.starts_with(r"ReplaceableTextures\")), "{id}");
        assert_eq!(team::image(id, 0), None, "{id}: only the game has this image");
    }
    assert_eq!(team::named(r"ReplaceableTextures\TeamColor\TeamColor11.blp"), Some((1, 11)));
    assert_eq!(team::named("replaceabletextures/teamglow/TEAMGLOW03.dds"), Some((2, 3)));
    assert_eq!((team::named(r"Textures\TeamBanner.blp"), team::named("teamcolor.blp")), (None, None));
}

#[test]
fn names_of_output_files_are_safe() {
    for (name, safe) in [
        (r"Textures\Footman.blp", "Footman"),
        ("/Assets/a.b_bsm", "a.b_bsm"),
        (r"..\..\con", "_con"),
        ("a:b\u{7}?", "a_b__"),
        ("dots...", "dots"),
        (".hidden", "_.hidden"),
        ("", "_"),
    ] {
        assert_eq!(output_name(name), safe, "{name}");
    }
    assert_eq!(output_name(&"x".repeat(500)).len(), 120);
}

#[test]
fn an_index_knows_its_files() {
    let mut index = Index::new();
    assert!(index.is_empty());
    let id = index.add(0, "Textures/Footman.ftex");
    index.add_hash(0x1234, id);
    index.add_hash(0x1234, id);
    assert_eq!((index.len(), index.is_empty()), (1, false));
    assert_eq!(index.entry(id).map(|e| (e.path.as_str(), e.folder)), Some(("Textures/Footman.ftex", 0)));
    assert!(index.entry(1).is_none());
    // Added twice, but there is one file.
    assert_eq!(index.find_hash(0x1234).id(), Some(id));
    assert_eq!(Found::Ambiguous(vec![3, 1]).id(), Some(3));
    assert_eq!(Found::Missing(Why::Absent).id(), None);
    assert_eq!(Found::File { id: 2, how: How::Exact, also: vec![] }.id(), Some(2));
}

#[test]
fn a_txi_is_summed_up_and_compared() {
    let text = Txi::parse(b"decal 1\r\nfps 8");
    assert_eq!((text.summary().version.as_str(), text.is_empty()), ("2 commands", false));
    assert_eq!(Txi::parse(b"decal 1").summary().version, "1 command");
    assert!(Txi::default().is_empty());
    assert!(text.differences(&Txi::parse(b"decal 1\nfps 8\n")).is_empty(), "line ends do not count");
    let lines = text.differences(&Txi::parse(b"decal 1\nfps 9\ncube 1"));
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines[0].contains("fps 8") && lines[0].contains("fps 9"), "{lines:?}");
    assert_eq!(Txi::parse(b"caf\xE9").lossy(), "caf\u{FFFD}");
}

#[test]
fn a_new_command_ends_as_the_other_lines_do() {
    let mut unix = Txi::parse(b"decal 1\nfps 8");
    unix.set("cube", "1");
    assert_eq!(unix.print(), b"decal 1\nfps 8\ncube 1\n");
    let mut empty = Txi::default();
    empty.set("cube", "1");
    assert_eq!(empty.print(), b"cube 1\r\n");
}

#[test]
fn a_txi_is_known_by_its_first_command() {
    assert!(txi::detect(b"\r\n  Blending additive\r\n"));
    for other in [&b""[..], b"beginmodelgeom x", b"decal 1\0", b"\xE9\xE9\xE9 1"] {
        assert!(!txi::detect(other), "{other:?}");
    }
}
