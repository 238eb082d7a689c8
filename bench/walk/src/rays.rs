//! Vertical, oblique and sight rays on the terrain and on two storeys.

use std::hint::black_box;
use std::time::{Duration, Instant};

use bvh::aabb::{Aabb, Bounded};
use bvh::bounding_hierarchy::BHShape;
use galatea_walk::{Materials, Ray, Reach, Walkmesh};
use glam::{Vec3, Vec3A};
use parry3d::query::RayCast;

use crate::scenes::{self, Triangles};
use crate::{rates, verdict};

const RAYS: usize = 100_000;
const RUNS: usize = 12;

pub fn run() {
    println!("rays, millions per second, best of {RUNS} runs of {RAYS}");
    println!(
        "scene     kind         galatea  parry3d    obvhs      bvh   galatea / parry3d  obvhs  bvh   hits"
    );
    for (name, scene, width, depth) in
        [("terrain", scenes::terrain(), 200.0, 100.0), ("storeys", scenes::storeys(), 100.0, 100.0)]
    {
        let mesh = Walkmesh::new(scenes::surface(scene.clone())).expect("a sound scene");
        let start = Instant::now();
        mesh.prepare();
        let built = start.elapsed();
        cast(name, &scene, &mesh, [width, depth]);
        locate(name, &mesh, [width, depth]);
        println!("{name}: built in {:.1} ms", built.as_secs_f64() * 1e3);
    }
}

/// Casts rays with every library.
fn cast(name: &str, scene: &Triangles, mesh: &Walkmesh, [width, depth]: [f32; 2]) {
    let parry = Parry::new(scene);
    let obvhs = Obvhs::new(scene);
    let bvh = BvhCrate::new(scene);
    for (kind, what) in [('V', "vertical"), ('O', "oblique"), ('S', "sight")] {
        let rays = scenes::rays(kind, RAYS, width, depth);
        let any = kind == 'S';
        let [ours, theirs @ ..] = rates(
            RAYS,
            RUNS,
            [
                &mut || {
                    if any {
                        rays.iter().filter(|r| mesh.any_hit(black_box(r), Materials::ALL)).count()
                    } else {
                        rays.iter()
                            .filter(|r| black_box(mesh.nearest(black_box(r), Materials::ALL)).is_some())
                            .count()
                    }
                },
                &mut || rays.iter().filter(|r| parry.hit(black_box(r))).count(),
                &mut || rays.iter().filter(|r| obvhs.hit(black_box(r), any)).count(),
                &mut || rays.iter().filter(|r| bvh.hit(black_box(r), any)).count(),
            ],
        );
        let best = theirs.iter().fold(0.0f64, |m, t| m.max(t.0));
        let [parry, obvhs, bvh] = theirs.map(|t| ours.0 / t.0);
        println!(
            "{name:8}  {what:10}  {:8.2} {:8.2} {:8.2} {:8.2}   {parry:10.2} x  {obvhs:8.2} x {bvh:5.2} x  {} / {} {} {}   best must 1.0: {}",
            ours.0,
            theirs[0].0,
            theirs[1].0,
            theirs[2].0,
            ours.1,
            theirs[0].1,
            theirs[1].1,
            theirs[2].1,
            verdict(ours.0 / best >= 1.0)
        );
    }
}

/// Finds the ground below points, anywhere and along a walk.
fn locate(name: &str, mesh: &Walkmesh, [width, depth]: [f32; 2]) {
    let mut g = scenes::Random(11);
    let points: Vec<[f32; 3]> = (0..RAYS)
        .map(|_| {
            let (x, y) = (g.range(0.0, width), g.range(0.0, depth));
            [x, y, scenes::height(x, y) + 1.0]
        })
        .collect();
    // Someone who walks: steps of 20 cm.
    let (mut x, mut y) = (width * 0.5, depth * 0.5);
    let walk: Vec<[f32; 3]> = (0..RAYS)
        .map(|_| {
            x = (x + g.range(-0.3, 0.3)).clamp(0.1, width - 0.1);
            y = (y + g.range(-0.3, 0.3)).clamp(0.1, depth - 0.1);
            [x, y, scenes::height(x, y) + 1.0]
        })
        .collect();
    let reach = Reach::default();
    let located = rates(
        RAYS,
        RUNS,
        [
            &mut || points.iter().filter(|p| black_box(mesh.locate(black_box(**p), reach)).is_some()).count(),
            &mut || {
                let mut face = 0;
                let mut found = 0;
                for p in &walk {
                    if let Some(footing) = mesh.locate_from(face, black_box(*p), reach) {
                        face = footing.face;
                        found += 1;
                    }
                }
                found
            },
        ],
    );
    println!(
        "{name:8}  locate      {:8.2} (must 4: {})   with a hint {:8.2} (must 10: {})   {} and {} found",
        located[0].0,
        verdict(located[0].0 >= 4.0),
        located[1].0,
        verdict(located[1].0 >= 10.0),
        located[0].1,
        located[1].1
    );
}

struct Parry(parry3d::shape::TriMesh);

impl Parry {
    fn new((positions, faces): &Triangles) -> Self {
        let points = positions.iter().map(|p| parry3d::math::Vector::new(p[0], p[1], p[2])).collect();
        Parry(parry3d::shape::TriMesh::new(points, faces.clone()).expect("a sound scene"))
    }

    fn hit(&self, ray: &Ray) -> bool {
        let v = |p: [f32; 3]| parry3d::math::Vector::new(p[0], p[1], p[2]);
        let r = parry3d::query::Ray::new(v(ray.origin).into(), v(ray.direction));
        black_box(self.0.cast_local_ray(&r, ray.length, false)).is_some()
    }
}

struct Obvhs {
    tree: obvhs::cwbvh::CwBvh,
    triangles: Vec<obvhs::rt_triangle::RtTriangle>,
}

impl Obvhs {
    fn new((positions, faces): &Triangles) -> Self {
        let triangles: Vec<obvhs::triangle::Triangle> = faces
            .iter()
            .map(|f| {
                let [v0, v1, v2] = f.map(|v| Vec3A::from(Vec3::from_array(positions[v as usize])));
                obvhs::triangle::Triangle { v0, v1, v2 }
            })
            .collect();
        let tree = obvhs::cwbvh::builder::build_cwbvh_from_tris(
            &triangles,
            obvhs::BvhBuildParams::very_slow_build(),
            &mut Duration::default(),
        );
        let triangles = tree.primitive_indices.iter().map(|&i| (&triangles[i as usize]).into()).collect();
        Obvhs { tree, triangles }
    }

    fn hit(&self, ray: &Ray, any: bool) -> bool {
        let v = |p: [f32; 3]| Vec3A::new(p[0], p[1], p[2]);
        let r = obvhs::ray::Ray::new(v(ray.origin), v(ray.direction), 0.0, ray.length);
        if any {
            return !self.tree.ray_traverse_miss(r, |r, i| self.triangles[i].intersect(r));
        }
        let mut hit = obvhs::ray::RayHit::none();
        let found = self.tree.ray_traverse(r, &mut hit, |r, i| self.triangles[i].intersect(r));
        black_box(hit);
        found
    }
}

struct Triangle {
    corners: [nalgebra::Point3<f32>; 3],
    node: usize,
}

impl Bounded<f32, 3> for Triangle {
    fn aabb(&self) -> Aabb<f32, 3> {
        self.corners.iter().fold(Aabb::empty(), |b, c| b.grow(c))
    }
}

impl BHShape<f32, 3> for Triangle {
    fn set_bh_node_index(&mut self, index: usize) {
        self.node = index;
    }
    fn bh_node_index(&self) -> usize {
        self.node
    }
}

struct BvhCrate {
    tree: bvh::bvh::Bvh<f32, 3>,
    triangles: Vec<Triangle>,
}

impl BvhCrate {
    fn new((positions, faces): &Triangles) -> Self {
        let mut triangles: Vec<Triangle> = faces
            .iter()
            .map(|f| Triangle { corners: f.map(|v| positions[v as usize].into()), node: 0 })
            .collect();
        let tree = bvh::bvh::Bvh::build(&mut triangles);
        BvhCrate { tree, triangles }
    }

    fn hit(&self, ray: &Ray, any: bool) -> bool {
        let r = bvh::ray::Ray::new(ray.origin.into(), ray.direction.into());
        // Its triangle test sees one side only; the scenes' faces look up, so a downward ray needs one test, sight two.
        let test = |t: &Triangle, a: usize, b: usize| {
            r.intersects_triangle(&t.corners[0], &t.corners[a], &t.corners[b]).distance
        };
        if any {
            let mut near = self.tree.traverse_iterator(&r, &self.triangles);
            return near.any(|t| test(t, 1, 2).min(test(t, 2, 1)) <= ray.length);
        }
        let best = self
            .tree
            .traverse_iterator(&r, &self.triangles)
            .map(|t| test(t, 1, 2))
            .fold(f32::INFINITY, f32::min);
        black_box(best) <= ray.length
    }
}
