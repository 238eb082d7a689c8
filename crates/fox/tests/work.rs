//! Work on models: splitting and merging, levels of detail, versions, textures, groups.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)] // Helpers of tests fail as tests do.

mod sample;

use std::collections::BTreeMap;

use galatea_fox::{
    BigMesh, Dictionary, Extensions, Fmdl, Group, Mesh, Name, SplitLimits, TexturePath, Usage, Values,
    Vertices,
};
use galatea_wire::{Limits, Severity};

fn read(bytes: &[u8]) -> Fmdl {
    Fmdl::read(bytes, &Limits::default()).unwrap()
}

/// All models of the corpus.
fn models() -> impl Iterator<Item = (String, Fmdl)> {
    let files = galatea_robustness::listed(&["fmdl"], &[".fmdl"]);
    let models = files.read(|_, bytes| Fmdl::read(bytes, &Limits::default()));
    models.map(|(path, model)| (path.display().to_string(), model))
}

/// Every triangle of every level with all attributes of its corners, and how often it is there.
fn triangles(meshes: &[BigMesh]) -> BTreeMap<(usize, Vec<u8>), usize> {
    let mut out = BTreeMap::new();
    for mesh in meshes {
        let keys: Vec<Vec<u8>> = (0..mesh.vertices.count).map(|v| vertex(mesh, v)).collect();
        for (k, level) in mesh.levels.iter().enumerate() {
            for face in &mesh.faces[level.clone()] {
                let all: Vec<u8> = face.iter().flat_map(|v| keys[*v as usize].clone()).collect();
                *out.entry((k, all)).or_default() += 1;
            }
        }
    }
    out
}

fn vertex(mesh: &BigMesh, v: usize) -> Vec<u8> {
    let one = mesh.vertices.pick(&[v]);
    let mut out: Vec<u8> = one.columns.iter().flat_map(|c| format!("{:?}", c.values).into_bytes()).collect();
    let weights = mesh.vertices.weights().map(|w| w[v]);
    let bones = mesh.bones.get(v);
    out.extend(format!("{weights:?} {bones:?}").into_bytes());
    out
}

#[test]
#[ignore = "needs the corpus"]
fn splitting_and_merging_keeps_every_triangle_and_attribute() {
    // Three vertices of four bones each always fit.
    let limits = SplitLimits::default().with_bones(12).with_vertices(300).with_faces(200);
    let (mut split, mut pieces_made) = (0, 0);
    for (name, model) in models().filter(|(_, m)| m.bones.len() > 20).take(2) {
        for mesh in &model.meshes {
            let whole = model.big_mesh(mesh);
            let Ok(pieces) = whole.split(&limits) else {
                panic!("{name}: cannot be split");
            };
            for piece in &pieces {
                assert!(piece.bones.len() <= 12 && piece.mesh.vertices.count <= 300);
                assert!(piece.mesh.windows.iter().all(|w| w.count <= 600));
            }
            pieces_made += pieces.len();
            split += usize::from(pieces.len() > 1);
            let mut scratch = model.clone();
            scratch.bone_groups.clear();
            let parts: Vec<BigMesh> = pieces
                .into_iter()
                .map(|piece| {
                    let mut mesh = piece.mesh;
                    mesh.bone_group = scratch.bone_groups.len() as u16;
                    scratch.bone_groups.push(galatea_fox::BoneGroup { max_weights: 4, bones: piece.bones });
                    scratch.big_mesh(&mesh)
                })
                .collect();
            assert_eq!(triangles(&parts), triangles(std::slice::from_ref(&whole)), "{name}");
            let merged = BigMesh::merge(&parts).unwrap();
            assert_eq!(triangles(std::slice::from_ref(&merged)), triangles(&[whole]), "{name}");
        }
    }
    println!("{split} meshes split into {pieces_made} pieces");
    assert!(split > 10, "{split}");
}

#[test]
#[ignore = "needs the corpus"]
fn split_models_are_sound_and_merge_back() {
    let limits = SplitLimits::default().with_bones(12).with_vertices(2000).with_faces(1500);
    let mut seen = 0;
    for (name, model) in models().filter(|(_, m)| m.bones.len() > 40).take(2) {
        let mut work = model.clone();
        let split = work.split_meshes(&limits).unwrap();
        work.rederive();
        let again = read(&work.write().unwrap());
        assert_eq!(again.check().at_least(Severity::Error), 0, "{name}: {:?}", again.check().findings());
        assert!(again.meshes.iter().all(|m| m.vertices.count <= 2000));
        assert!(again.bone_groups.iter().all(|g| g.bones.len() <= 12));
        let of = |m: &Fmdl| triangles(&m.meshes.iter().map(|x| m.big_mesh(x)).collect::<Vec<_>>());
        assert!(of(&again) == of(&model), "{name}");
        let fewer = work.merge_meshes(&SplitLimits::default()).unwrap();
        assert!(split == 0 || fewer > 0, "{name}");
        assert!(of(&work) == of(&model), "{name}");
        seen += split;
    }
    assert!(seen > 5, "{seen}");
}

/// A tube of so many vertices around a chain of so many bones.
fn tube(vertices: usize, bones: usize) -> BigMesh {
    let around = 100;
    let rows = vertices / around;
    let mut v = Vertices::default();
    let at = |i: usize| (i / around, i % around);
    let positions = (0..rows * around).map(|i| {
        let (row, k) = at(i);
        let angle = k as f32 / around as f32 * std::f32::consts::TAU;
        [angle.cos(), row as f32 * 0.01, angle.sin()]
    });
    v.push(Usage::Position, Values::F32x3(positions.collect()));
    v.push(Usage::Weights, Values::Unorm8x4(vec![[200, 55, 0, 0]; rows * around]));
    let bone = |i: usize| {
        let b = at(i).0 * (bones - 1) / rows;
        [b as u16, b as u16 + 1, BigMesh::NO_BONE, BigMesh::NO_BONE]
    };
    let named = (0..rows * around).map(bone).collect();
    let mut faces = Vec::new();
    for row in 0..rows - 1 {
        for k in 0..around {
            let i = |r: usize, k: usize| (r * around + k % around) as u32;
            faces.push([i(row, k), i(row, k + 1), i(row + 1, k)]);
            faces.push([i(row, k + 1), i(row + 1, k + 1), i(row + 1, k)]);
        }
    }
    BigMesh::new(v, named, faces)
}

#[test]
fn two_hundred_bones_and_200_000_vertices_split_in_linear_time() {
    let limits = SplitLimits::default();
    let time = |n: usize| {
        let big = tube(n, 200);
        let (pieces, took) = galatea_robustness::timed(|| big.split(&limits).unwrap());
        let took = took.as_secs_f64();
        assert_eq!(pieces.iter().map(|p| p.mesh.faces(0).len()).sum::<usize>(), big.faces.len());
        for piece in &pieces {
            assert!(piece.bones.len() <= 32 && piece.mesh.vertices.count <= 65_535);
            assert!(piece.mesh.faces(0).len() <= 21_845);
        }
        (pieces.len(), took)
    };
    let (_, small) = time(50_000);
    let (pieces, large) = time(200_000);
    println!("{pieces} pieces, {large:.3} s for 200,000 vertices, {small:.3} s for 50,000");
    assert!((19..60).contains(&pieces), "{pieces}");
    assert!(large < small * 12.0 + 0.5, "{small} {large}");
    let mut model = Fmdl::new(Fmdl::TPP);
    model.bones = (0..200).map(|_| sample::skinned(Fmdl::TPP).bones[0].clone()).collect();
    model.groups.push(Group { name: "MESH_ROOT".into(), ..Group::default() });
    model.materials.push(sample::material("tube", Fmdl::TPP));
    model.add_mesh(&tube(200_000, 200), 0, &limits).unwrap();
    model.rederive();
    let back = read(&model.write().unwrap());
    assert_eq!(back.meshes.len(), pieces);
    assert_eq!(back.check().at_least(Severity::Error), 0, "{:?}", back.check().findings());
}

#[test]
fn what_cannot_be_split_is_refused() {
    let mut big = tube(1000, 40);
    assert!(big.split(&SplitLimits::default().with_bones(1)).is_err());
    assert!(big.split(&SplitLimits::default().with_vertices(2)).is_err());
    big.faces[0] = [0, 1, 5000];
    assert!(big.split(&SplitLimits::default()).is_err());
}

#[test]
fn extension_numbers_follow_a_split() {
    let mut model = sample::pes();
    assert_eq!(model.split_meshes(&SplitLimits::default().with_faces(10)).unwrap(), 2);
    let extensions = Extensions::parse(&model.extensions);
    let per_mesh = model.meshes.len() as u32 / 2;
    let expected: Vec<u32> = (per_mesh..per_mesh * 2).collect();
    assert_eq!(extensions.get(Extensions::HAS_ANTIBLUR), expected);
    assert_eq!(extensions.get(Extensions::SPLIT_GROUPS), [0]);
    model.rederive();
    assert_eq!(model.check().at_least(Severity::Warning), 0, "{:?}", model.check().findings());
}

fn sorted(mesh: &Mesh, level: usize) -> Vec<[u16; 3]> {
    let mut faces: Vec<[u16; 3]> = mesh.faces(level).collect();
    faces.sort_unstable();
    faces
}

#[test]
#[ignore = "needs the corpus"]
fn levels_given_one_by_one_share_triangles_as_the_games_do() {
    let (mut meshes, mut ours, mut theirs) = (0, 0, 0);
    for (name, model) in models() {
        for mesh in model.meshes.iter().filter(|m| m.windows.len() > 1) {
            let levels: Vec<Vec<[u16; 3]>> =
                (0..mesh.windows.len()).map(|k| mesh.faces(k).collect()).collect();
            let mut again = mesh.clone();
            again.set_levels(&levels);
            for k in 0..levels.len() {
                assert_eq!(sorted(&again, k), sorted(mesh, k), "{name}");
            }
            meshes += 1;
            ours += again.indices.len();
            theirs += mesh.indices.len();
        }
    }
    assert!(meshes > 100, "{meshes} meshes have levels");
    assert!(ours as f64 <= theirs as f64 * 1.02, "{ours} {theirs}");
}

#[test]
#[ignore = "needs the corpus"]
fn generated_levels_are_smaller_close_and_sound() {
    let mut seen = 0;
    for (name, mut model) in models().filter(|(_, m)| m.bones.len() > 40).take(2) {
        seen += 1;
        let before = model.clone();
        model.generate_levels(&[0.5, 0.25, 0.1]);
        let report = read(&model.write().unwrap()).check();
        assert_eq!(report.at_least(Severity::Error), 0, "{name}: {:?}", report.findings());
        let faces = |m: &Fmdl, k: usize| m.meshes.iter().map(|m| m.faces(k).len()).sum::<usize>();
        assert_eq!(faces(&model, 0), faces(&before, 0));
        assert!(faces(&model, 1) <= faces(&model, 0) * 56 / 100, "{} {}", faces(&model, 1), faces(&model, 0));
        assert!(faces(&model, 2) <= faces(&model, 0) * 35 / 100, "{} {}", faces(&model, 2), faces(&model, 0));
        let area = |k: usize| {
            let of = |m: &Mesh| {
                let mut low = m.clone();
                low.windows = vec![m.windows[k]];
                low.areas().0
            };
            model.meshes.iter().map(of).sum::<f64>()
        };
        assert!((area(1) / area(0) - 1.0).abs() < 0.03, "{} {}", area(1), area(0));
        assert!((area(2) / area(0) - 1.0).abs() < 0.12, "{} {}", area(2), area(0));
        let (small, whole): (usize, usize) =
            (model.meshes.iter().map(|m| m.indices.len()).sum(), faces(&model, 0) * 3);
        println!("{name}: {:?} faces, {small} indices for {whole}", [0, 1, 2, 3].map(|k| faces(&model, k)));
    }
    assert_eq!(seen, 2);
}

#[test]
fn removing_faces_keeps_the_windows() {
    let mut model = sample::skinned(Fmdl::TPP);
    let mesh = &mut model.meshes[0];
    let before: Vec<Vec<[u16; 3]>> = (0..4).map(|k| mesh.faces(k).collect()).collect();
    mesh.retain_faces(|f| !f.contains(&6));
    for (k, faces) in before.iter().enumerate() {
        let kept: Vec<[u16; 3]> = faces.iter().filter(|f| !f.contains(&6)).copied().collect();
        assert_eq!(mesh.faces(k).collect::<Vec<_>>(), kept);
    }
    assert_eq!(mesh.drop_unused_vertices(), 1);
    model.rederive();
    assert_eq!(model.check().at_least(Severity::Warning), 0, "{:?}", model.check().findings());
    model.drop_levels();
    assert_eq!(read(&model.write().unwrap()).lod_count(), 1);
}

/// Converts a model to TPP and back. Returns whether all of it came back: textures that have no folder cannot be found by
/// their path.
fn becomes_new_and_old_again(name: &str, model: &Fmdl) -> bool {
    let mut names = Dictionary::new();
    names.add_model(model);
    let mut new = model.clone();
    assert_eq!(new.convert(Fmdl::TPP, &names), Vec::<galatea_wire::Loss>::new(), "{name}");
    let mut back = read(&new.write().unwrap());
    assert_eq!(back.version, Fmdl::TPP);
    assert!(back.materials.iter().flat_map(|m| &m.textures).all(|t| t.code() >> 51 == 0x2AD));
    let lost = back.convert(Fmdl::GZ, &names);
    let mut textures = model.materials.iter().flat_map(|m| &m.textures);
    let whole = textures.all(|t| t.path_text(&names).is_some_and(|p| p.starts_with('/')));
    if whole {
        assert!(lost.is_empty(), "{name}: {lost:?}");
        assert_eq!(back.differences(model), Vec::<String>::new(), "{name}");
    }
    whole
}

#[test]
fn an_old_model_becomes_a_new_one_and_back() {
    assert!(becomes_new_and_old_again("own", &sample::skinned(Fmdl::GZ)));
}

#[test]
#[ignore = "needs the corpus"]
fn old_models_of_the_corpus_become_new_ones_and_back() {
    let old = models().filter(|(_, model)| !model.has_hashes());
    let count = old.filter(|(name, model)| becomes_new_and_old_again(name, model)).count();
    assert!(count > 40, "{count}");
}

#[test]
fn unknown_names_survive_the_way_to_2_03_and_back() {
    let model = read(&sample::skinned(Fmdl::TPP).write().unwrap());
    let mut old = model.clone();
    let lost = old.convert(Fmdl::GZ, &Dictionary::new());
    // Six paths of textures, each on its own, and the names in one.
    assert_eq!(lost.len(), 7, "{lost:?}");
    let mut back = read(&old.write().unwrap());
    assert!(back.bones[0].name.text().unwrap().starts_with("0x"));
    back.convert(Fmdl::TPP, &Dictionary::new());
    assert_eq!(read(&back.write().unwrap()).differences(&model), Vec::<String>::new());
}

#[test]
fn textures_are_replaced_in_both_versions() {
    for version in [Fmdl::GZ, Fmdl::TPP] {
        let mut model = sample::still(version);
        let old = "/Assets/test/sourceimages/ground_bsm.ftex";
        assert_eq!(model.retexture("/Assets/test/sourceimages/other.ftex", "/x.ftex"), 0);
        assert_eq!(model.retexture(old, "/Assets/new/grass_bsm.psd"), 1);
        let texture = &model.materials[0].textures[0];
        assert_eq!(texture.code(), galatea_fox::path_code64("/Assets/new/grass_bsm.ftex"));
        assert_eq!(texture.file, Name::from("grass_bsm.psd"));
        let mut names = Dictionary::new();
        names.add("/Assets/new/grass_bsm");
        let done = model.repath(&names, |p| Some(p.replace("/Assets/new/", "/Assets/mod/")));
        // The game's own textures of the other two slots are in no dictionary here; the old version has them as text.
        let unknown = if version == Fmdl::TPP { 2 } else { 0 };
        assert_eq!((done.changed, done.unknown), (1, unknown));
        let texture = &model.materials[0].textures[0];
        assert_eq!(texture.code(), galatea_fox::path_code64("/Assets/mod/grass_bsm.ftex"));
        assert_eq!(model.check().at_least(Severity::Warning), 0);
    }
    let mut model = sample::still(Fmdl::TPP);
    model.materials[0].textures[0].path = TexturePath::Code(1);
    assert_eq!(model.repath(&Dictionary::new(), |_| None).unknown, 3);
}

#[test]
fn groups_are_listed_and_hidden() {
    let mut model = sample::skinned(Fmdl::TPP);
    let list = model.group_list();
    assert_eq!((list[0].meshes.as_slice(), list[0].triangles, list[0].shown), (&[0][..], 32, true));
    assert_eq!((list[1].depth, list[1].visible), (1, false));
    assert_eq!(model.set_visible(&"MESH_armor_IV".into(), true), 1);
    assert!(model.group_list()[1].shown);
}
