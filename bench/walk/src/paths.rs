//! Exact and fast paths on the maze-like navmesh.

use std::time::Instant;

use galatea_walk::{Agent, Effort, Navigator, Walkmesh};
use glam33::Vec2;

use crate::scenes;
use crate::{rates, verdict};

const QUERIES: usize = 2000;
const RUNS: usize = 3;

/// The two ends of a query: points and the faces they lie on.
type Pair = [([f32; 2], u32); 2];

pub fn run() {
    let scene = scenes::navmesh();
    let pairs = scenes::pairs(&scene, QUERIES);
    let mesh = Walkmesh::new(scenes::surface(scene.clone())).expect("a sound scene");
    let start = Instant::now();
    let mut navigator = Navigator::new(&mesh, &Agent::default());
    let built = start.elapsed();
    let start = Instant::now();
    navigator.prepare();
    let surveyed = start.elapsed();
    let mut fast_navigator = Navigator::new(&mesh, &Agent::default());
    fast_navigator.prepare();
    let mut plain = Navigator::new(&mesh, &Agent::default());
    let start = Instant::now();
    let theirs = polyanya_mesh(&scene);
    let their_built = start.elapsed();
    println!(
        "navmesh: {} faces, {} polygons; plan laid out in {:.1} ms, surveyed in {:.1} ms, polyanya's mesh in {:.1} ms",
        mesh.len(),
        navigator.polygons(),
        built.as_secs_f64() * 1e3,
        surveyed.as_secs_f64() * 1e3,
        their_built.as_secs_f64() * 1e3
    );
    let [mut exact, mut unsurveyed, mut fast, mut other] = [(); 4].map(|()| vec![0.0; QUERIES]);
    let rates = rates(
        QUERIES,
        RUNS,
        [
            &mut || lengths(&mut navigator, Effort::Exact, &pairs, &mut exact),
            &mut || lengths(&mut plain, Effort::Exact, &pairs, &mut unsurveyed),
            &mut || lengths(&mut fast_navigator, Effort::Fast, &pairs, &mut fast),
            &mut || {
                // Once is enough: it takes its time.
                if other[0] > 0.0 && std::env::var_os("QUICK").is_some() {
                    return QUERIES;
                }
                their_lengths(&theirs, &pairs, &mut other)
            },
        ],
    );
    print(rates, [&exact, &unsurveyed, &fast, &other]);
}

/// Finds a path for each query. Returns how many there are, and their lengths in `out`.
fn lengths(navigator: &mut Navigator<'_>, effort: Effort, pairs: &[Pair], out: &mut [f64]) -> usize {
    let mut found = 0;
    for (pair, out) in pairs.iter().zip(out) {
        let [from, to] = pair.map(|(point, face)| (face, point.map(f64::from)));
        if let Some(path) = navigator.route_between(from, to, effort).path() {
            found += 1;
            *out = path.length;
        }
    }
    found
}

/// Returns the same with polyanya.
fn their_lengths(mesh: &polyanya::Mesh, pairs: &[Pair], out: &mut [f64]) -> usize {
    let mut found = 0;
    for (pair, out) in pairs.iter().zip(out) {
        let [a, b] = pair.map(|p| Vec2::from_array(p.0));
        if let Some(path) = mesh.path(a, b) {
            found += 1;
            *out = f64::from(path.length);
        }
    }
    found
}

/// Prints rates and lengths of: exact, exact without survey, fast, polyanya.
fn print(rates: [(f64, usize); 4], lengths: [&[f64]; 4]) {
    let [exact, _, _, other] = lengths;
    let excess = lengths.map(|lengths| {
        let all = || lengths.iter().zip(exact).map(|(a, b)| a / b - 1.0);
        let mean = all().sum::<f64>() / QUERIES as f64;
        (mean, all().fold(f64::NEG_INFINITY, f64::max), all().fold(f64::INFINITY, f64::min))
    });
    let names = ["exact", "  without survey", "fast", "polyanya"];
    for ((name, rate), (mean, worst, least)) in names.iter().zip(rates).zip(excess) {
        println!(
            "{name:16} {:9.0} /s  {} found  excess over exact: mean {:.4} %, worst {:.4} %, least {:.5} %   {:.1} x polyanya",
            rate.0 * 1e6,
            rate.1,
            mean * 100.0,
            worst * 100.0,
            least * 100.0,
            rate.0 / rates[3].0
        );
    }
    let longer = exact.iter().zip(other).fold(0.0f64, |m, (a, b)| m.max(a / b - 1.0));
    let (mean, worst, _) = excess[2];
    println!(
        "exact: at most {longer:.1e} longer than polyanya's (must 1e-4: {}), {:.1} x its rate (must 3: {})",
        verdict(longer <= 1e-4 && rates[0].1 == QUERIES),
        rates[0].0 / rates[3].0,
        verdict(rates[0].0 >= 3.0 * rates[3].0)
    );
    println!(
        "fast: {:.0} /s (must 8,000: {}), mean excess {:.2} % (must 2: {}), worst {:.2} % (must 8: {})",
        rates[2].0 * 1e6,
        verdict(rates[2].0 * 1e6 >= 8000.0),
        mean * 100.0,
        verdict(mean <= 0.02),
        worst * 100.0,
        verdict(worst <= 0.08)
    );
}

fn polyanya_mesh((positions, faces): &scenes::Triangles) -> polyanya::Mesh {
    // Around each vertex: its polygons in counter-clockwise order, -1 where the mesh ends.
    let mut around: Vec<Vec<(f32, u32)>> = vec![Vec::new(); positions.len()];
    for (i, f) in faces.iter().enumerate() {
        for k in 0..3 {
            let v = positions[f[k] as usize];
            let (a, b) = (positions[f[(k + 1) % 3] as usize], positions[f[(k + 2) % 3] as usize]);
            let (x, y) = ((a[0] + b[0]) / 2.0 - v[0], (a[1] + b[1]) / 2.0 - v[1]);
            around[f[k] as usize].push((y.atan2(x), i as u32));
        }
    }
    let mut edges = std::collections::HashMap::new();
    for (i, f) in faces.iter().enumerate() {
        for k in 0..3 {
            edges.insert((f[k], f[(k + 1) % 3]), i as u32);
        }
    }
    let vertices = around
        .iter_mut()
        .enumerate()
        .map(|(v, list)| {
            list.sort_by(|a, b| a.0.total_cmp(&b.0));
            let mut polygons = Vec::new();
            for (k, &(_, p)) in list.iter().enumerate() {
                polygons.push(p);
                let next = list[(k + 1) % list.len()].1;
                // The polygon's edge that comes into the vertex: its other side is the next polygon, or nothing.
                let f = faces[p as usize];
                let at = f.iter().position(|&c| c as usize == v).unwrap_or(0);
                let before = f[(at + 2) % 3];
                if edges.get(&(v as u32, before)) != Some(&next) || list.len() == 1 {
                    polygons.push(u32::MAX);
                }
            }
            polyanya::Vertex::new(Vec2::new(positions[v][0], positions[v][1]), polygons)
        })
        .collect();
    let polygons = faces
        .iter()
        .map(|f| {
            let joined = (0..3).filter(|&k| edges.contains_key(&(f[(k + 1) % 3], f[k]))).count();
            polyanya::Polygon::new(f.to_vec(), joined <= 1)
        })
        .collect();
    let mut mesh = polyanya::Mesh::new(vertices, polygons).expect("a sound mesh");
    mesh.bake();
    mesh
}
