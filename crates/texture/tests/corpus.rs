//! Every real texture: detected, decoded, written back as it was, every byte accounted for.
#![allow(clippy::unwrap_used)] // Helpers of tests fail as tests do.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use galatea_robustness::{Listing, listed};
use galatea_texture::find::{Found, Game, Index};
use galatea_texture::material::{NormalEncoding, fox_normal, normal_encoding};
use galatea_texture::{Kind, Level, Part, Texture, Txi, detect, ftex, inspect, team, txi};
use galatea_wire::{Error, Limits};

const ENDINGS: &[&str] = &[".tpc", ".blp", ".dds", ".ftex", ".tga", ".png", ".jpg"];

/// The FTEXS parts beside an FTEX, or the level files beside a BLP0, with their numbers.
fn parts(path: &Path) -> Vec<(u8, Vec<u8>)> {
    let stem = path.with_extension("");
    let beside = |ending: String| PathBuf::from(format!("{}{ending}", stem.display()));
    let names = (1..=9).map(|n| (n, beside(format!(".{n}.ftexs"))));
    let levels = (0..=9).map(|n| (n, beside(format!(".b{n:02}"))));
    names.chain(levels).filter_map(|(n, p)| Some((n, std::fs::read(p).ok()?))).collect()
}

fn read(path: &Path, bytes: &[u8]) -> Result<(Vec<u8>, Texture), Error> {
    let parts = parts(path);
    let parts: Vec<Part<'_>> = parts.iter().map(|(number, bytes)| Part { number: *number, bytes }).collect();
    Ok((bytes.to_vec(), Texture::read_with(bytes, &parts, &Limits::default())?))
}

/// All textures, alone and of models.
fn all() -> Listing {
    listed(&["textures", "sets"], ENDINGS)
}

/// One texture by the end of its path.
fn one(name: &str) -> Texture {
    let (_, (_, texture)) = all().only(name).read(read).next().unwrap();
    texture
}

#[test]
#[ignore = "needs the corpus"]
fn every_file_is_detected_by_content() {
    let files = listed(&["textures"], ENDINGS);
    let listed = files.len();
    let mut counts = BTreeMap::new();
    for (path, bytes) in files.bytes() {
        let kind = detect(&bytes).unwrap_or_else(|| panic!("{} is not known", path.display()));
        *counts.entry(kind.name()).or_insert(0) += 1;
        let name = path.to_string_lossy().to_lowercase();
        match kind {
            Kind::Dds | Kind::Wesys | Kind::BiowareDds => assert!(name.ends_with(".dds"), "{name}"),
            _ => assert!(name.ends_with(kind.name()), "{name} as {}", kind.name()),
        }
    }
    let kinds: Vec<&str> = counts.keys().copied().collect();
    assert_eq!(kinds, ["bioware-dds", "blp", "dds", "ftex", "tga", "tpc", "wesys-dds"]);
    assert_eq!(counts.values().sum::<usize>(), listed);
}

#[test]
#[ignore = "needs the corpus"]
fn every_file_is_written_as_it_was() {
    let mut parts_read = 0;
    for (path, (bytes, texture)) in all().read(read) {
        assert!(texture.write().unwrap() == bytes, "{} is written differently", path.display());
        if let Texture::Ftex(ftex) = &texture {
            for (number, bytes) in parts(&path) {
                let written = ftex.write_part(number).unwrap();
                assert!(written == bytes, "{} part {number} is written differently", path.display());
                parts_read += 1;
            }
        }
    }
    let listed = listed(&["textures"], &[".ftexs"]).len();
    assert!(parts_read >= listed, "{parts_read} of at least {listed} FTEXS");
}

#[test]
#[ignore = "needs the corpus"]
fn every_level_of_every_file_decodes() {
    let limits = Limits::default();
    let mut counts = (0, 0);
    for (path, (_, texture)) in all().read(read) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let best = texture.decode_best(&limits);
        // A set without its FTEXS parts has no pixels at all; the supplement's set list says so.
        if let (Texture::Ftex(ftex), Err(error)) = (&texture, &best) {
            assert_eq!(ftex.best_mip(), None, "{name}: {error}");
            continue;
        }
        let best = best.unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        assert_eq!(best.rgba.len(), best.width as usize * best.height as usize * 4);
        counts.0 += 1;
        let shape = texture.shape();
        let first = if let Texture::Ftex(ftex) = &texture { ftex.best_mip().unwrap() } else { 0 };
        for layer in 0..shape.layers {
            for face in 0..shape.faces {
                for mip in first..shape.mips {
                    match texture.decode(Level { mip, face, layer }, &limits) {
                        Ok(image) => {
                            // Some tools let the small levels share the JPEG of a larger one.
                            let shared = match &texture {
                                Texture::Blp(blp) => {
                                    let at = |mip: u32| blp.mips[mip as usize].as_ptr();
                                    mip > 0 && (at(mip - 1) == at(mip))
                                }
                                _ => false,
                            };
                            let same = (image.width, image.height) == shape.level(mip);
                            assert!(same || shared, "{name} {mip}");
                            counts.1 += 1;
                        }
                        // Cut inside its smaller levels; the large ones are whole.
                        Err(error) => assert!(
                            name == "demon-inventory-slotfiller.blp" && mip > 0,
                            "{name} {mip} {face} {layer}: {error}"
                        ),
                    }
                }
            }
        }
    }
    println!("{} files, {} levels", counts.0, counts.1);
    assert!(counts.0 > 150 && counts.1 > 1200, "{counts:?}");
}

#[test]
#[ignore = "needs the corpus"]
fn every_byte_is_claimed_or_a_known_gap() {
    let limits = Limits::default();
    for (path, (bytes, texture)) in all().read(read) {
        let (coverage, error) = inspect(&bytes, &limits);
        assert!(error.is_none(), "{}: {error:?}", path.display());
        let gaps: usize = coverage.gaps(bytes.len()).iter().map(|g| g.len()).sum();
        match &texture {
            // BLP files of some tools leave room between header and pixels; FTEX aligns its levels.
            Texture::Blp(_) | Texture::Ftex(_) => assert!(gaps < bytes.len(), "{}", path.display()),
            _ => assert_eq!(gaps, 0, "{}", path.display()),
        }
        if let Texture::Ftex(texture) = &texture {
            for (number, part) in parts(&path) {
                let (coverage, error) = ftex::inspect_part(texture, number, &part, &limits);
                assert!(error.is_none());
                let gaps: usize = coverage.gaps(part.len()).iter().map(|g| g.len()).sum();
                let chunks: usize = texture.mips.iter().map(|m| usize::from(m.info.chunks) + 1).sum();
                assert!(gaps <= 16 * chunks, "{} part {number}: {gaps}", path.display());
            }
        }
    }
}

#[test]
#[ignore = "needs the corpus"]
fn every_txi_is_kept_and_understood() {
    let mut unknown = BTreeMap::new();
    let mut count = 0;
    let mut look = |bytes: &[u8], name: String| {
        let text = Txi::parse(bytes);
        assert_eq!(text.print(), bytes);
        count += 1;
        for (line, oddity) in text.oddities() {
            unknown.insert(format!("{name} {} {oddity:?}", line.command), ());
        }
    };
    let files = listed(&["textures"], &[".txi"]);
    let tpcs = listed(&["textures"], &[".tpc"]);
    let all = files.len() + tpcs.len();
    for (path, bytes) in files.bytes() {
        assert!(txi::detect(&bytes), "{}", path.display());
        assert_eq!(detect(&bytes), None, "{}", path.display());
        look(&bytes, path.file_name().unwrap().to_string_lossy().into_owned());
    }
    for (path, (_, texture)) in tpcs.read(read) {
        let Texture::Tpc(tpc) = texture else { panic!("{} is no TPC", path.display()) };
        look(tpc.txi.print(), path.file_name().unwrap().to_string_lossy().into_owned());
    }
    assert_eq!(count, all);
    assert!(unknown.is_empty(), "{unknown:?}");
}

#[test]
#[ignore = "needs the corpus"]
fn a_built_in_team_colour_is_the_games_own() {
    let image = one("wc3/TeamColor08.blp").decode_best(&Limits::default()).unwrap();
    assert_eq!(Some(image.clone()), team::image(1, 8));
    assert_eq!(image.pixel(0, 0), Some([149, 150, 151, 255]));
}

#[test]
#[ignore = "needs the corpus"]
fn normal_maps_are_told_apart_by_content() {
    for (name, want) in [
        ("reforged/ElvenKnight_Shield_Normal.dds", NormalEncoding::RedGreen),
        ("reforged/wc3ref_norm.dds", NormalEncoding::RedGreen),
        ("reforged/groundbush3/qm_gb_01_nom.dds", NormalEncoding::AlphaGreen),
        ("reforged/leaf1/ls_cl_01_nom.dds", NormalEncoding::AlphaGreen),
        ("reforged/lordaeronfalltree_normal.dds", NormalEncoding::Plain),
        ("reforged/normal.dds", NormalEncoding::Plain),
    ] {
        let texture = one(name);
        let image = texture.decode_best(&Limits::default()).unwrap();
        let two = texture.shape().pixels == "BC5";
        assert_eq!(normal_encoding(&image, two), want, "{name}");
    }
    // Fox normal maps point out of the surface on the whole once decoded.
    let texture = one("fox/ifb0_main0_def_nrm.ftex");
    let normal = fox_normal(&texture.decode_best(&Limits::default()).unwrap());
    let count = normal.rgba.len() as u64 / 4;
    let mean = |c: usize| normal.pixels().map(|p| u64::from(p[c])).sum::<u64>() / count;
    assert!((118..138).contains(&mean(0)) && (118..138).contains(&mean(1)) && mean(2) > 220);
}

#[test]
#[ignore = "needs the corpus"]
fn names_of_real_folders_are_found() {
    let mut index = Index::new();
    for (path, _) in listed(&["sets/kotor/hallway_3"], &[".tga", ".tpc", ".txi"]).bytes() {
        index.add(0, &path.file_name().unwrap().to_string_lossy());
    }
    let audit = index.audit(Game::Kotor, ["LHR_wall01", "m01aa_08a_lm0", "lhr_nothing"]);
    assert_eq!((audit.found().count(), audit.missing().count()), (2, 1));
    let Found::File { id, .. } = audit.names[1].1 else { panic!("the lightmap is not found") };
    assert!(index.txi(id).is_some());
}

#[test]
#[ignore = "needs the corpus"]
fn real_textures_break_few_rules() {
    let mut counts = BTreeMap::new();
    for (_, (_, texture)) in all().read(read) {
        for (rule, _) in texture.check().counts() {
            *counts.entry(rule.code).or_insert(0) += 1;
        }
    }
    println!("{counts:?}");
    // What makes a texture unreadable is not in real files, but for one that is cut.
    for code in ["TEXR0005", "TEXR0014", "TEXR0019", "TEXR0021", "TEXR0023", "TEXR0026"] {
        assert_eq!(counts.get(code), None, "{code}");
    }
}
