//! Paths are the shortest there are, stay on the surface and are the same both ways.

#![allow(clippy::indexing_slicing, clippy::expect_used, clippy::panic)] // Helpers of tests fail the test they help.

mod common;

use common::{count, scenes, wok};
use galatea_walk::{Agent, Effort, Materials, Navigator, Path, Route, Surface, Walkmesh};
use scenes::{Random, Triangles};

type P = [f64; 2];

fn cross(o: P, a: P, b: P) -> f64 {
    (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0])
}

fn distance(a: P, b: P) -> f64 {
    ((a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2)).sqrt()
}

/// A mesh of up to 60 triangles with holes, where no two parts touch in a single point.
fn random_mesh(g: &mut Random, jitter: f32) -> Triangles {
    loop {
        let (nx, ny) = (2 + g.below(4) as u32, 2 + g.below(5) as u32);
        let (mut positions, faces) = scenes::grid(nx, ny, 2.0, 0.0);
        for p in &mut positions {
            p[0] += g.range(-jitter, jitter);
            p[1] += g.range(-jitter, jitter);
            p[2] = 0.0;
        }
        let removed = g.range(0.05, 0.6);
        let faces: Vec<[u32; 3]> = faces.into_iter().filter(|_| g.unit() > removed).collect();
        if faces.len() < 2 || faces.len() > 60 {
            continue;
        }
        let mesh = Walkmesh::new(scenes::surface((positions.clone(), faces.clone()))).expect("sound");
        let borders_from = |v: u32| {
            (0..faces.len() as u32)
                .flat_map(|f| (0..3u32).map(move |e| (f, e)))
                .filter(|&(f, e)| faces[f as usize][e as usize] == v && mesh.neighbour(f, e).is_none())
                .count()
        };
        if (0..positions.len() as u32).all(|v| borders_from(v) <= 1) {
            return (positions, faces);
        }
    }
}

/// The shortest path by Dijkstra over everything that sees each other.
struct Visibility {
    triangles: Vec<[P; 3]>,
    borders: Vec<[P; 2]>,
    corners: Vec<P>,
}

impl Visibility {
    fn new(mesh: &Walkmesh) -> Self {
        let corner = |v: u32| [0, 1].map(|k| f64::from(mesh.positions()[v as usize][k]));
        let triangles = mesh.faces().iter().map(|f| f.map(corner)).collect();
        let mut borders = Vec::new();
        for f in 0..mesh.len() as u32 {
            for e in 0..3 {
                if mesh.neighbour(f, e).is_none() {
                    let face = mesh.faces()[f as usize];
                    borders.push([corner(face[e as usize]), corner(face[(e as usize + 1) % 3])]);
                }
            }
        }
        let corners = borders.iter().map(|b| b[0]).collect();
        Visibility { triangles, borders, corners }
    }

    fn inside(&self, p: P) -> bool {
        self.triangles
            .iter()
            .any(|t| (0..3).all(|k| cross(t[k], t[(k + 1) % 3], p) >= -1e-9 * distance(t[k], t[(k + 1) % 3])))
    }

    fn sees(&self, a: P, b: P) -> bool {
        let mut cuts = vec![0.0, 1.0];
        for &[p, q] in &self.borders {
            let (da, db) = (cross(p, q, a), cross(p, q, b));
            if (da - db).abs() > 1e-12 {
                let t = da / (da - db);
                if t > 0.0 && t < 1.0 {
                    cuts.push(t);
                }
            } else {
                let along = |c: P| {
                    ((c[0] - a[0]) * (b[0] - a[0]) + (c[1] - a[1]) * (b[1] - a[1]))
                        / distance(a, b).powi(2).max(1e-30)
                };
                cuts.extend([along(p), along(q)].into_iter().filter(|t| *t > 0.0 && *t < 1.0));
            }
        }
        cuts.sort_by(f64::total_cmp);
        cuts.windows(2).filter(|w| w[1] - w[0] > 1e-9).all(|w| {
            let t = (w[0] + w[1]) * 0.5;
            self.inside([a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t])
        })
    }

    fn shortest(&self, from: P, to: P) -> Option<f64> {
        let mut points = vec![from, to];
        points.extend(&self.corners);
        let mut best = vec![f64::INFINITY; points.len()];
        let mut done = vec![false; points.len()];
        best[0] = 0.0;
        loop {
            let next = (0..points.len())
                .filter(|&i| !done[i] && best[i].is_finite())
                .min_by(|&a, &b| best[a].total_cmp(&best[b]))?;
            if next == 1 {
                return Some(best[1]);
            }
            done[next] = true;
            for i in 0..points.len() {
                let length = best[next] + distance(points[next], points[i]);
                if !done[i] && length < best[i] && self.sees(points[next], points[i]) {
                    best[i] = length;
                }
            }
        }
    }
}

fn random_place(g: &mut Random, mesh: &Walkmesh) -> (u32, P) {
    let face = g.below(mesh.len()) as u32;
    place_on(g, mesh, face)
}

fn place_on(g: &mut Random, mesh: &Walkmesh, face: u32) -> (u32, P) {
    let [a, b, c] = mesh.corners(face).expect("a face").map(|p| p.map(f64::from));
    let (mut u, mut v) = (f64::from(g.range(0.02, 0.96)), f64::from(g.range(0.02, 0.96)));
    if u + v > 0.98 {
        (u, v) = (0.98 - u * 0.5, 0.49 - v * 0.5);
        v = v.max(0.01);
        u = u.min(0.98 - v);
    }
    (face, [0, 1].map(|k| a[k] + (b[k] - a[k]) * u + (c[k] - a[k]) * v))
}

#[test]
fn exact_paths_equal_dijkstra_over_all_that_is_visible() {
    let mut g = Random(2024);
    let (mut found, mut unreachable) = (0, 0);
    for round in 0..count(200, 1000) {
        let jitter = if round % 3 == 0 { 0.0 } else { 0.35 };
        let mesh = Walkmesh::new(scenes::surface(random_mesh(&mut g, jitter))).expect("sound");
        let visibility = Visibility::new(&mesh);
        let mut navigator = Navigator::new(&mesh, &Agent::default());
        let mut surveyed = Navigator::new(&mesh, &Agent::default());
        surveyed.prepare();
        for query in 0..6 {
            let (from, mut to) = (random_place(&mut g, &mesh), random_place(&mut g, &mesh));
            if query == 5 {
                // Straight onto a corner of the mesh.
                let face = to.0;
                to.1 = mesh.corners(face).map(|c| [f64::from(c[0][0]), f64::from(c[0][1])]).expect("a face");
            }
            let truth = visibility.shortest(from.1, to.1);
            let exact = navigator.route_between(from, to, Effort::Exact).path();
            let fast = navigator.route_between(from, to, Effort::Fast).path();
            let known = surveyed.route_between(from, to, Effort::Exact).path();
            assert!(
                match (&exact, &known) {
                    (Some(a), Some(b)) => (a.length - b.length).abs() < 1e-9,
                    (a, b) => a.is_none() && b.is_none(),
                },
                "mesh {round}, query {query}: landmarks change the answer"
            );
            let lengths = (exact.as_ref().map(|p| p.length), truth);
            match lengths {
                (Some(a), Some(b)) => {
                    assert!(
                        (a - b).abs() < 1e-5,
                        "mesh {round}, query {query}: {a}, Dijkstra {b}: {from:?} {to:?}"
                    );
                    let fast = fast.expect("the fast search finds a path where there is one").length;
                    assert!(
                        fast >= b - 1e-9 && fast < b * 1.5,
                        "mesh {round}, query {query}: fast {fast}, {b}"
                    );
                    found += 1;
                }
                (None, None) => unreachable += 1,
                _ => panic!("mesh {round}, query {query}: {lengths:?} {from:?} {to:?}"),
            }
        }
    }
    assert!(found > 500 && unreachable > 10, "{found} found, {unreachable} unreachable");
}

/// Samples a path: every point of it lies on one of the faces it names, and those are walkable and hang together.
fn stays_on_the_surface(mesh: &Walkmesh, path: &Path, may: &dyn Fn(u32) -> bool) -> Result<(), String> {
    for pair in path.faces.windows(2) {
        let joined = (0..3).any(|e| mesh.neighbour(pair[0], e).is_some_and(|n| n.0 == pair[1]));
        if !joined {
            return Err(format!("faces {} and {} do not touch", pair[0], pair[1]));
        }
    }
    if let Some(face) = path.faces.iter().find(|f| !may(**f)) {
        return Err(format!("face {face} must not be walked on"));
    }
    for leg in path.points.windows(2) {
        for step in 0..=16 {
            let t = step as f64 / 16.0;
            let p = [0, 1].map(|k| {
                let (a, b) = (f64::from(leg[0].point[k]), f64::from(leg[1].point[k]));
                a + (b - a) * t
            });
            let on = path.faces.iter().any(|&f| {
                let [a, b, c] = mesh.corners(f).expect("a face").map(|q| [f64::from(q[0]), f64::from(q[1])]);
                let sign = cross(a, b, c).signum();
                [(a, b), (b, c), (c, a)].iter().all(|&(a, b)| sign * cross(a, b, p) >= -1e-4 * distance(a, b))
            });
            if !on {
                return Err(format!("{p:?} lies on none of its faces"));
            }
        }
    }
    Ok(())
}

#[test]
fn navmesh_paths_are_found_stay_on_it_and_fast_ones_are_not_much_longer() {
    let scene = scenes::navmesh();
    let mesh = Walkmesh::new(scenes::surface(scene.clone())).expect("sound");
    let mut navigator = Navigator::new(&mesh, &Agent::default());
    // With the faces in reverse order the search runs from the other end.
    let (positions, faces) = scene.clone();
    let last = faces.len() as u32 - 1;
    let reversed =
        Walkmesh::new(scenes::surface((positions, faces.into_iter().rev().collect()))).expect("sound");
    let mut backwards = Navigator::new(&reversed, &Agent::default());
    backwards.prepare();
    let (mut sum, mut worst, mut n) = (0.0, 0.0f64, 0);
    for [from, to] in scenes::pairs(&scene, count(150, 2000)) {
        let (from, to) = ((from.1, from.0.map(f64::from)), (to.1, to.0.map(f64::from)));
        let exact =
            navigator.route_between(from, to, Effort::Exact).path().expect("all of it hangs together");
        let (there, here) = ((last - to.0, to.1), (last - from.0, from.1));
        let back = backwards.route_between(there, here, Effort::Exact).path().expect("the way back");
        assert!(
            (exact.length - back.length).abs() <= 1e-6 * exact.length,
            "{} {}",
            exact.length,
            back.length
        );
        stays_on_the_surface(&mesh, &exact, &|_| true).expect("on the surface");
        let fast = navigator.route_between(from, to, Effort::Fast).path().expect("a fast one, too");
        stays_on_the_surface(&mesh, &fast, &|_| true).expect("on the surface");
        let excess = fast.length / exact.length - 1.0;
        assert!(excess > -1e-9);
        (sum, worst, n) = (sum + excess, worst.max(excess), n + 1);
    }
    let mean = sum / f64::from(n);
    eprintln!("fast paths: mean excess {:.3} %, worst {:.2} %", mean * 100.0, worst * 100.0);
    assert!(mean <= 0.02 && worst <= 0.08, "mean {mean}, worst {worst}");
}

#[test]
#[ignore = "needs the corpus"]
fn corpus_paths_stay_on_walkable_faces_and_are_the_same_both_ways() {
    for (path, surface) in wok::corpus().into_iter().take(20) {
        let mesh = Walkmesh::new(surface).expect("a sound file");
        let walkable: Vec<u32> = (0..mesh.len() as u32).filter(|f| mesh.is_walkable(*f)).collect();
        let mut navigator = Navigator::new(&mesh, &Agent::default());
        let mut g = Random(77);
        let mut found = 0;
        let pairs = count(300, 10_000);
        for i in 0..pairs {
            let [from, to] = [0, 1].map(|_| {
                let face = walkable[g.below(walkable.len())];
                place_on(&mut g, &mesh, face)
            });
            let there = navigator.route_between(from, to, Effort::Exact);
            let back = navigator.route_between(to, from, Effort::Exact);
            match (there, back) {
                (Route::Found(a), Route::Found(b)) => {
                    found += 1;
                    let same = (a.length - b.length).abs() <= 1e-4 * a.length.max(1.0);
                    assert!(
                        same,
                        "{} {i}: {} there, {} back, {from:?} {to:?}",
                        wok::name(&path),
                        a.length,
                        b.length
                    );
                    if let Err(what) = stays_on_the_surface(&mesh, &a, &|f| mesh.is_walkable(f)) {
                        panic!("{} {i}: {what}, {from:?} {to:?} {a:?}", wok::name(&path));
                    }
                }
                (Route::Unreachable, Route::Unreachable) => {}
                (a, b) => panic!("{} {i}: {a:?}, back {b:?}", wok::name(&path)),
            }
        }
        assert!(found > 0, "{}: none of {pairs} pairs is joined", wok::name(&path));
    }
}

#[test]
fn forbidden_materials_are_walked_around() {
    let mut surface = scenes::surface(scenes::grid(6, 6, 2.0, 0.0));
    // A wall of water across the middle, with one dry quad at the side.
    for quad in 12..17 {
        surface.materials[2 * quad] = 6;
        surface.materials[2 * quad + 1] = 6;
    }
    let mesh = Walkmesh::new(surface).expect("sound");
    let (from, to) = ([1.0, 1.0, 9.0], [1.0, 11.0, 9.0]);
    let straight =
        Navigator::new(&mesh, &Agent::default()).route(from, to, Effort::Exact).path().expect("through");
    assert!((straight.length - 10.0).abs() < 1e-9);
    let dry = Agent::default().with_forbidden(Materials::NONE.with(&[6]));
    let around = Navigator::new(&mesh, &dry).route(from, to, Effort::Exact).path().expect("around");
    assert!((around.length - (90.0f64.sqrt() + 2.0 + 106.0f64.sqrt())).abs() < 1e-9, "{}", around.length);
    stays_on_the_surface(&mesh, &around, &|f| mesh.material(f) == Some(4)).expect("dry");
    assert_eq!(Navigator::new(&mesh, &dry).route([1.0, 5.0, 9.0], to, Effort::Exact), Route::NoStart);
}

#[test]
fn very_dear_ground_is_walked_around_like_a_hole() {
    // A pond in the middle of a square, and every price from the one where it is crossed to the one where it is not.
    let mut surface = scenes::surface(scenes::grid(6, 6, 2.0, 0.0));
    for quad in [14, 15, 20, 21, 26, 27] {
        surface.materials[2 * quad] = 6;
        surface.materials[2 * quad + 1] = 6;
    }
    let mesh = Walkmesh::new(surface).expect("sound");
    let mut g = Random(12);
    for round in 0..60 {
        let price = [1.5f32, 3.0, 50.0][round % 3];
        let place = |g: &mut Random, low: f32| [low + g.range(0.2, 3.4), g.range(0.2, 11.8), 50.0];
        let (from, to) = (place(&mut g, 0.0), place(&mut g, 8.2));
        let find = |agent: &Agent| {
            Navigator::new(&mesh, agent).route(from, to, Effort::Exact).path().expect("all open")
        };
        let around = find(&Agent::default().with_forbidden(Materials::NONE.with(&[6])));
        let through = find(&Agent::default());
        let dear = find(&Agent::default().with_costs(vec![(6, price)]));
        assert!(dear.cost <= around.length * 1.02, "{round}: {} around {}", dear.cost, around.length);
        assert!(dear.cost >= through.length - 1e-9 && dear.length >= through.length - 1e-9, "{round}");
        stays_on_the_surface(&mesh, &dear, &|_| true).expect("on the surface");
        // The cost is that of the very path: sampled, every piece at the price of the ground below it.
        let mut sum = 0.0;
        for leg in dear.points.windows(2) {
            let [a, b] = [leg[0].point, leg[1].point].map(|p| [f64::from(p[0]), f64::from(p[1])]);
            for k in 0..400 {
                let t = (f64::from(k) + 0.5) / 400.0;
                let p = [a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t];
                let wet = p[0] > 4.0 + 1e-6 && p[0] < 8.0 - 1e-6 && p[1] > 4.0 + 1e-6 && p[1] < 10.0 - 1e-6;
                sum += distance(a, b) / 400.0 * if wet { f64::from(price) } else { 1.0 };
            }
        }
        assert!((sum - dear.cost).abs() < 0.01 * dear.cost, "{round}: says {}, sampled {sum}", dear.cost);
        if price == 50.0 {
            assert!((dear.length - around.length).abs() < 1e-6, "{round}: {} {}", dear.length, around.length);
        }
    }
}

#[test]
fn dear_ground_is_crossed_only_where_it_pays() {
    // Mud in the lower half of a square; the way along it is cheaper a little above its border.
    let mut surface = scenes::surface(scenes::grid(10, 10, 2.0, 0.0));
    for quad in 0..50 {
        surface.materials[2 * quad] = 13;
        surface.materials[2 * quad + 1] = 13;
    }
    let mesh = Walkmesh::new(surface).expect("sound");
    let muddy = |price: f32| Agent::default().with_costs(vec![(13, price)]);
    let (from, to) = ([1.0, 9.0, 50.0], [19.0, 9.0, 50.0]);
    let path =
        |agent: &Agent| Navigator::new(&mesh, agent).route(from, to, Effort::Exact).path().expect("all open");
    let free = path(&muddy(1.0));
    assert!((free.length - 18.0).abs() < 1e-6 && free.is_shortest && (free.cost - 18.0).abs() < 1e-6);
    // Up to the border at the angle of total reflection (its sine is 1 / price), along it, down again.
    for price in [2.0f64, 4.0] {
        let path = path(&muddy(price as f32));
        let tan = 1.0 / (price * price - 1.0).sqrt();
        let leg = (1.0 + tan * tan).sqrt();
        let best = (2.0 * leg * price + 18.0 - 2.0 * tan).min(18.0 * price);
        assert!(
            path.cost >= best - 1e-6 && path.cost < best * 1.01,
            "price {price}: {} for {best}",
            path.cost
        );
        assert!(!path.is_shortest && path.length > 18.0);
    }
}

#[test]
fn a_stair_of_upright_faces_can_be_climbed() {
    // Two floors 0.2 apart, joined by a riser of two upright triangles.
    let positions = vec![
        [0.0, 0.0, 0.0],
        [2.0, 0.0, 0.0],
        [2.0, 2.0, 0.0],
        [0.0, 2.0, 0.0],
        [2.0, 0.0, 0.2],
        [2.0, 2.0, 0.2],
        [4.0, 0.0, 0.2],
        [4.0, 2.0, 0.2],
    ];
    let faces = vec![[0, 1, 2], [0, 2, 3], [1, 4, 5], [1, 5, 2], [4, 6, 7], [4, 7, 5]];
    let mesh = Walkmesh::new(Surface { positions, faces, ..Surface::default() }).expect("sound");
    let mut navigator = Navigator::new(&mesh, &Agent::default());
    let path = navigator.route([0.5, 0.5, 0.1], [3.5, 1.5, 0.3], Effort::Exact).path().expect("up the stair");
    assert!((path.length - 10.0f64.sqrt()).abs() < 1e-9);
    assert!(path.faces.contains(&2) || path.faces.contains(&3));
}

#[test]
fn a_starts_on_corners_and_edges_of_the_mesh_comes_to_an_end() {
    let mesh = Walkmesh::new(scenes::surface(scenes::grid(5, 5, 2.0, 0.0))).expect("sound");
    let mut navigator = Navigator::new(&mesh, &Agent::default());
    for i in 0..=10u8 {
        for j in 0..=10u8 {
            let from = [f32::from(i), f32::from(j), 9.0];
            for to in [[0.0, 0.0, 9.0], [10.0, 10.0, 9.0], [4.0, 6.0, 9.0], [5.0, 5.0, 9.0]] {
                let path = navigator.route(from, to, Effort::Exact).path().expect("it is all open");
                let d = distance([from[0].into(), from[1].into()], [to[0].into(), to[1].into()]);
                assert!((path.length - d).abs() < 1e-9, "{from:?} {to:?}: {} for {d}", path.length);
            }
        }
    }
}

#[test]
fn broken_surfaces_and_places_get_an_answer() {
    let nan = f32::NAN;
    let mut surface = scenes::surface(scenes::grid(2, 2, 2.0, 0.0));
    let n = surface.positions.len() as u32;
    surface.positions.extend([[nan, 0.0, 0.0], [3e38, -3e38, 3e38]]);
    // Three and four faces on an edge, faces without area, faces upside down.
    surface.faces.extend([
        [0, 1, n],
        [0, 1, n + 1],
        [0, 0, 0],
        [0, 1, 1],
        [1, 0, 4],
        [0, 1, 5],
        [0, 1, 8],
        [4, 1, 0],
    ]);
    surface.materials.resize(surface.faces.len(), 4);
    let mesh = Walkmesh::new(surface).expect("sound enough");
    let mut navigator = Navigator::new(&mesh, &Agent::default());
    for from in 0..mesh.len() as u32 {
        for to in 0..mesh.len() as u32 {
            let _ = navigator.route_between((from, [0.5, 0.4]), (to, [3.2, 3.1]), Effort::Exact);
            let _ = navigator.route_between((from, [0.5, f64::NAN]), (to, [1e300, 3.1]), Effort::Fast);
        }
    }
    assert_eq!(navigator.route([nan, 0.0, 0.0], [1.0, 1.0, 9.0], Effort::Exact), Route::NoStart);
    let empty = Walkmesh::new(Surface::default()).expect("nothing at all");
    let mut navigator = Navigator::new(&empty, &Agent::default());
    assert_eq!(navigator.route([0.0; 3], [1.0; 3], Effort::Exact), Route::NoStart);
}
