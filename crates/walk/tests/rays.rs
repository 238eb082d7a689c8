//! Rays agree with brute force, and never slip through.

#![allow(clippy::indexing_slicing, clippy::expect_used, clippy::panic)] // Helpers of tests fail the test they help.

mod common;

use common::{BruteForce, count, same, scenes, wok};
use galatea_walk::{Materials, Ray, Reach, StoredTree, Surface, TreeNode, Walkmesh};
use scenes::{Random, Triangles};

fn mesh(triangles: Triangles) -> Walkmesh {
    Walkmesh::new(scenes::surface(triangles)).expect("a sound scene")
}

/// Random rays around a mesh: from anywhere in and around its box to anywhere in it.
fn random_ray(g: &mut Random, low: [f32; 3], high: [f32; 3]) -> Ray {
    let mut point = |grow: f32| {
        [0, 1, 2].map(|k| {
            let size = (high[k] - low[k]).max(1.0) * grow;
            g.range(low[k] - size, high[k] + size)
        })
    };
    let (origin, target) = (point(0.5), point(0.0));
    let d = [0, 1, 2].map(|k| target[k] - origin[k]);
    let len = (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).sqrt().max(1e-3);
    Ray::new(origin, d.map(|c| c / len)).up_to(len * 2.0)
}

fn bounds(mesh: &Walkmesh) -> ([f32; 3], [f32; 3]) {
    let mut out = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    for p in mesh.positions() {
        out = ([0, 1, 2].map(|k| out.0[k].min(p[k])), [0, 1, 2].map(|k| out.1[k].max(p[k])));
    }
    out
}

fn agrees(mesh: &Walkmesh, name: &str, rays: usize) {
    let brute = BruteForce::new(mesh);
    let mut g = Random(0x5EED);
    let (low, high) = bounds(mesh);
    let mut hits = 0;
    for i in 0..rays {
        let ray = random_ray(&mut g, low, high);
        let (ours, theirs) = (mesh.nearest(&ray, Materials::ALL), brute.nearest(&ray));
        assert!(same(ours, theirs), "{name}, ray {i} {ray:?}: {ours:?}, brute force {theirs:?}");
        assert_eq!(mesh.any_hit(&ray, Materials::ALL), ours.is_some(), "{name}, ray {i}");
        hits += usize::from(ours.is_some());
    }
    assert!(hits * 20 > rays, "{name}: only {hits} of {rays} rays hit");
}

#[test]
fn terrain_rays_agree_with_brute_force() {
    agrees(&mesh(scenes::terrain()), "terrain", count(3_000, 1_000_000));
}

#[test]
fn storey_rays_agree_with_brute_force() {
    agrees(&mesh(scenes::storeys()), "storeys", count(3_000, 1_000_000));
}

#[test]
#[ignore = "needs the corpus"]
fn corpus_rays_agree_with_brute_force() {
    for (path, surface) in wok::corpus().into_iter().take(5) {
        let mesh = Walkmesh::new(surface).expect("a sound file");
        agrees(&mesh, &wok::name(&path), count(10_000, 1_000_000));
    }
}

#[test]
fn no_vertical_ray_slips_through_an_edge_or_a_corner() {
    for (name, scene) in [("terrain", scenes::terrain()), ("storeys", scenes::storeys())] {
        let mesh = mesh(scene);
        let mut g = Random(99);
        for i in 0..count(200_000, 5_100_000) {
            let face = g.below(mesh.len()) as u32;
            let corners = mesh.corners(face).expect("a face");
            let edge = g.below(3);
            let (a, b) = (corners[edge], corners[(edge + 1) % 3]);
            // An edge of the rim may round to the outside, where there is nothing to hit.
            if mesh.neighbour(face, edge as u32).is_none() {
                continue;
            }
            let t = if g.below(4) == 0 { 0.0 } else { g.unit() };
            let p = [a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t];
            let up = g.below(2) == 0;
            let ray = Ray::new(
                [p[0], p[1], if up { -50.0 } else { 50.0 }],
                [0.0, 0.0, if up { 1.0 } else { -1.0 }],
            );
            assert!(mesh.nearest(&ray, Materials::ALL).is_some(), "{name}, ray {i}: {ray:?}");
        }
    }
}

#[test]
fn no_oblique_ray_slips_through_an_edge_or_a_corner() {
    let mesh = mesh(scenes::terrain());
    let mut g = Random(98);
    for i in 0..count(100_000, 5_000_000) {
        let face = g.below(mesh.len()) as u32;
        let corners = mesh.corners(face).expect("a face");
        let edge = g.below(3);
        let (a, b) = (corners[edge], corners[(edge + 1) % 3]);
        let rim = |p: [f32; 3]| p[0] < 3.0 || p[0] > 197.0 || p[1] < 3.0 || p[1] > 97.0;
        if rim(a) || rim(b) {
            continue;
        }
        let t = if g.below(4) == 0 { 0.0 } else { g.unit() };
        let p = [0, 1, 2].map(|k| a[k] + (b[k] - a[k]) * t);
        // The surface is a graph over the plan, so a ray from high above to below it has to go through.
        let from = [p[0] + g.range(-30.0, 30.0), p[1] + g.range(-30.0, 30.0), p[2] + g.range(25.0, 60.0)];
        let ray = Ray::new(from, [0, 1, 2].map(|k| p[k] - from[k]));
        assert!(mesh.nearest(&ray, Materials::ALL).is_some(), "ray {i}: {ray:?}");
    }
}

#[test]
fn all_hits_come_in_order_and_through_every_storey() {
    let mesh = mesh(scenes::storeys());
    let mut g = Random(5);
    for _ in 0..1000 {
        let ray = Ray::new([g.range(1.0, 99.0), g.range(1.0, 99.0), 50.0], [0.0, 0.0, -2.0]);
        let hits = mesh.all_hits(&ray, Materials::ALL);
        assert!(hits.len() >= 2 && hits.is_sorted_by(|a, b| a.distance <= b.distance));
        assert_eq!(hits.first().copied(), mesh.nearest(&ray, Materials::ALL));
    }
}

#[test]
fn a_ray_sees_only_the_materials_it_is_asked_for() {
    let mut surface = scenes::surface(scenes::storeys());
    surface.materials.iter_mut().skip(5000).for_each(|m| *m = 8);
    let mesh = Walkmesh::new(surface).expect("a sound scene");
    let down = Ray::new([50.3, 50.2, 50.0], [0.0, 0.0, -1.0]);
    let first = mesh.nearest(&down, Materials::ALL).expect("the upper storey");
    let second = mesh.nearest(&down, Materials::ALL.without(&[8])).expect("the lower storey");
    assert_eq!((first.face >= 5000, second.face + 5000), (true, first.face));
    assert!(mesh.any_hit(&down, Materials::NONE.with(&[8])) && !mesh.any_hit(&down, Materials::NONE));
}

#[test]
fn standing_is_on_the_highest_storey_within_a_step() {
    let mesh = mesh(scenes::storeys());
    let mut g = Random(6);
    let mut face = 0;
    for _ in 0..20_000 {
        let (x, y) = (g.range(0.5, 99.5), g.range(0.5, 99.5));
        for lift in [0.0f32, 12.0] {
            let z = scenes::height(x, y) + lift;
            let footing = mesh.locate([x, y, z + 1.0], Reach { step: 0.5, drop: 3.0 }).expect("on a storey");
            assert!((footing.height - z).abs() < 0.6 && (footing.face >= 5000) == (lift > 0.0));
            // A hint never changes where the foot lands, only, on an edge, which of its faces is named.
            let hinted =
                mesh.locate_from(face, [x, y, z + 1.0], Reach { step: 0.5, drop: 3.0 }).expect("the same");
            assert!((hinted.height - footing.height).abs() < 1e-5);
            let same = mesh.locate_from(footing.face, [x, y, z + 1.0], Reach { step: 0.5, drop: 3.0 });
            assert_eq!(same.map(|f| f.face), Some(footing.face));
            face = footing.face;
        }
        assert!(mesh.locate([x, y, -20.0], Reach { step: 0.5, drop: 3.0 }).is_none());
    }
}

#[test]
fn the_closest_point_is_the_closest_of_all() {
    let mesh = mesh(scenes::grid(12, 9, 2.0, 0.0));
    let mut g = Random(8);
    for _ in 0..2000 {
        let p = [g.range(-10.0, 40.0), g.range(-10.0, 30.0), g.range(-15.0, 15.0)];
        let found = mesh.closest_point(p, f32::INFINITY).expect("a surface");
        // Sample every face: nothing may be nearer.
        for face in 0..mesh.len() as u32 {
            let [a, b, c] = mesh.corners(face).expect("a face").map(|q| q.map(f64::from));
            for (u, v) in [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (0.5, 0.5), (0.5, 0.0), (0.0, 0.5), (0.3, 0.3)]
            {
                let q = [0, 1, 2].map(|k| a[k] + (b[k] - a[k]) * u + (c[k] - a[k]) * v);
                let d = (0..3).map(|k| (q[k] - f64::from(p[k])).powi(2)).sum::<f64>().sqrt();
                assert!(found.distance <= d + 1e-9);
            }
        }
        let on = mesh.locate([found.point[0], found.point[1], found.point[2] + 0.1], Reach::default());
        assert!(on.is_none_or(|f| (f.height - found.point[2]).abs() < 1e-3));
        assert!(mesh.closest_point(p, found.distance as f32 * 0.99).is_none());
    }
}

#[test]
fn senseless_rays_meet_nothing() {
    let mesh = mesh(scenes::grid(4, 4, 2.0, 0.0));
    let nan = f32::NAN;
    for ray in [
        Ray::new([1.0, 1.0, 9.0], [0.0; 3]),
        Ray::new([1.0, nan, 9.0], [0.0, 0.0, -1.0]),
        Ray::new([1.0, 1.0, 9.0], [nan, 0.0, -1.0]),
        Ray::new([1.0, 1.0, 9.0], [0.0, 0.0, f32::NEG_INFINITY]),
        Ray::new([1.0, 1.0, 9.0], [0.0, 0.0, -1.0]).up_to(nan),
        Ray::new([1.0, 1.0, 9.0], [0.0, 0.0, -1.0]).up_to(-1.0),
    ] {
        assert!(
            mesh.nearest(&ray, Materials::ALL).is_none() && !mesh.any_hit(&ray, Materials::ALL),
            "{ray:?}"
        );
        assert!(mesh.all_hits(&ray, Materials::ALL).is_empty());
    }
    assert!(mesh.locate([nan, 1.0, 1.0], Reach::default()).is_none());
    assert!(mesh.closest_point([1.0, 1.0, nan], 9.0).is_none());
}

#[test]
fn directions_of_any_length_and_far_away_meshes_answer_alike() {
    let mesh = mesh(scenes::grid(20, 20, 2.0, 0.0));
    let mut g = Random(3);
    for _ in 0..500 {
        let ray = random_ray(&mut g, [0.0, 0.0, -5.0], [40.0, 40.0, 5.0]);
        let plain = mesh.nearest(&Ray::new(ray.origin, ray.direction), Materials::ALL);
        for scale in [1e-30f32, 1e-12, 1e12, 1e30] {
            let scaled = Ray::new(ray.origin, ray.direction.map(|c| c * scale));
            let hit = mesh.nearest(&scaled, Materials::ALL);
            // Scaling rounds the direction a little, so the face may differ at an edge; hit or miss may not, far from rims.
            if let (Some(a), Some(b)) = (plain, hit) {
                assert!((a.distance - b.distance * f64::from(scale)).abs() < 1e-3, "{scale}: {a:?} {b:?}");
            } else {
                assert_eq!(plain.is_some(), hit.is_some());
            }
        }
    }
}

#[test]
fn broken_faces_are_passed_over() {
    let nan = f32::NAN;
    let mut surface = scenes::surface(scenes::grid(2, 2, 2.0, 0.0));
    let n = surface.positions.len() as u32;
    surface.positions.extend([[nan, 0.0, 0.0], [f32::INFINITY, 0.0, 0.0], [3e38, -3e38, 3e38]]);
    surface.faces.extend([[0, 1, n], [0, 1, n + 1], [0, 1, n + 2], [0, 0, 0], [0, 1, 1], [0, 1, 2]]);
    surface.materials.resize(surface.faces.len(), 4);
    let mesh = Walkmesh::new(surface).expect("faces with broken corners are no error");
    let hit = mesh.nearest(&Ray::new([1.0, 0.9, 9.0], [0.0, 0.0, -1.0]), Materials::ALL);
    assert!(hit.is_some_and(|h| h.face < 8));
}

#[test]
fn a_face_without_its_corner_is_an_error() {
    let surface = Surface { positions: vec![[0.0; 3]; 3], faces: vec![[0, 1, 3]], ..Surface::default() };
    let error = Walkmesh::new(surface).expect_err("corner 3 is not there");
    assert_eq!(error.to_string(), "faces[0]: expected a vertex below 3, found 3");
}

#[test]
#[ignore = "needs the corpus"]
fn stored_trees_answer_like_the_private_one_or_say_why_not() {
    let files = wok::corpus();
    let mut sound = 0;
    for (path, surface) in &files {
        let mesh = Walkmesh::new(surface.clone()).expect("a sound file");
        let Some(tree) = mesh.stored_tree() else { continue };
        let faults = tree.check(&mesh);
        sound += usize::from(faults.is_empty());
        let mut g = Random(4);
        let (low, high) = bounds(&mesh);
        let mut different = 0;
        for _ in 0..count(500, 10_000) {
            let ray = random_ray(&mut g, low, high);
            let (a, b) = (mesh.nearest(&ray, Materials::ALL), tree.nearest(&mesh, &ray, Materials::ALL));
            different += usize::from(a != b);
        }
        if different > 0 || !faults.is_empty() {
            eprintln!("{}: {faults}; {different} rays differ", wok::name(path));
        }
        assert!(
            different == 0 || faults.can_miss(),
            "{}: {different} rays differ, {faults}",
            wok::name(path)
        );
    }
    assert!(sound * 10 >= files.len() * 9, "{sound} of {} trees are sound", files.len());
}

#[test]
fn trees_in_circles_come_to_an_end() {
    let mesh = mesh(scenes::grid(1, 1, 2.0, 0.0));
    let all = TreeNode { min: [-9.0; 3], max: [9.0; 3], face: None, children: [None; 2] };
    let leaf = |face| TreeNode { face: Some(face), ..all };
    let inner = |a, b| TreeNode { children: [Some(a), Some(b)], ..all };
    let down = Ray::new([0.7, 0.9, 9.0], [0.0, 0.0, -1.0]);
    let tree = StoredTree { nodes: vec![inner(1, 2), inner(0, 0), inner(3, 77), leaf(0), leaf(1), leaf(9)] };
    assert!(tree.nearest(&mesh, &down, Materials::ALL).is_none_or(|h| h.face == 0));
    let faults = tree.check(&mesh);
    assert_eq!(faults.revisited, [0, 0]);
    assert_eq!(faults.lost_children, [2]);
    assert_eq!(faults.unreached, [4, 5]);
    assert_eq!(faults.missing_faces, [1]);
    assert!(faults.can_miss());
    let small = TreeNode { max: [0.1; 3], ..leaf(0) };
    let tree = StoredTree { nodes: vec![inner(1, 2), small, leaf(1)] };
    assert_eq!(tree.check(&mesh).small_boxes, [1]);
    assert_eq!(tree.check(&mesh).to_string(), "1 boxes too small for their faces");
    assert!(StoredTree::default().nearest(&mesh, &down, Materials::ALL).is_none());
}

/// Faces that look up and faces that look down meet a ray that begins on them at the same distance.
#[test]
fn a_ray_that_begins_on_faces_meets_the_first_of_them() {
    let positions = vec![[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];
    for faces in [vec![[0, 1, 2], [0, 2, 1]], vec![[0, 2, 1], [0, 1, 2]]] {
        let surface = Surface { positions: positions.clone(), faces, ..Surface::default() };
        let mesh = Walkmesh::new(surface).unwrap();
        for direction in [[0.0, 0.0, -1.0], [0.0, 0.0, 1.0], [0.5, 0.25, -1.0]] {
            let ray = Ray::new([1.0, 1.0, 0.0], direction);
            let nearest = mesh.nearest(&ray, Materials::ALL).unwrap();
            assert_eq!((nearest.face, nearest.distance.to_bits()), (0, 0));
            assert_eq!(mesh.all_hits(&ray, Materials::ALL)[0], nearest);
        }
    }
}

#[test]
fn rays_from_beyond_the_world_meet_nothing() {
    let mesh = mesh(scenes::grid(1, 1, 2.0, 0.0));
    for z in [1e17f32, 2e30, f32::MAX, f32::INFINITY, f32::NAN] {
        let down = Ray::new([0.7, 0.9, z], [0.0, 0.0, -1.0]);
        let leaning = Ray::new([0.7, 0.9, z], [0.0, -1e-30, -1.0]);
        for ray in [down, leaning] {
            let nearest = mesh.nearest(&ray, Materials::ALL);
            assert_eq!(nearest.is_some(), z < 1e18, "{ray:?}");
            assert_eq!(nearest, mesh.all_hits(&ray, Materials::ALL).first().copied());
            assert_eq!(nearest.is_some(), mesh.any_hit(&ray, Materials::ALL));
        }
    }
}
