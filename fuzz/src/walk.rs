//! Any bytes as a walkmesh, then every question that can be asked of one. Nothing may panic, hang or take long.

use std::time::Instant;

use galatea::kotor::bwm;
use galatea::walk::{
    Agent, Area, Door, Effort, Layout, Materials, Navigator, Obstacle, Ray, Reach, Room, Route, Transform,
    Walkmesh,
};
use galatea::{Ground, Limits};

use crate::memory;

/// Seconds a query may take for each 10,000 faces. Building the private structures is no query and not timed.
const SLOWEST: f64 = 0.05;

/// Numbers from the end of the input, so that they vary apart from the file.
struct Numbers<'a>(&'a [u8]);

impl Numbers<'_> {
    fn byte(&mut self) -> u8 {
        let Some((last, rest)) = self.0.split_last() else { return 0 };
        self.0 = rest;
        *last
    }

    /// Mostly a coordinate of the mesh or near one, sometimes any bits at all.
    fn coordinate(&mut self, mesh: &Walkmesh, axis: usize) -> f32 {
        let (kind, which, by) = (self.byte(), self.byte(), self.byte());
        let vertex = mesh.positions().get((usize::from(which) * 7919) % mesh.positions().len().max(1));
        let near = vertex.map_or(0.0, |p| p[axis]);
        match kind % 8 {
            0 => f32::from_bits(u32::from_le_bytes([self.byte(), self.byte(), self.byte(), self.byte()])),
            1 => near,
            _ => near + (f32::from(by) - 127.5) * 0.05,
        }
    }

    fn point(&mut self, mesh: &Walkmesh) -> [f32; 3] {
        [0, 1, 2].map(|axis| self.coordinate(mesh, axis))
    }
}

/// Runs a query and sees to it that it does not take long. The first run pays for what the mesh builds on demand; a slow
/// second one may have been put aside by the machine, so the best of three counts.
fn timed<T>(what: &str, faces: usize, mut query: impl FnMut() -> T) -> T {
    let answer = query();
    let most = SLOWEST * (faces as f64 / 1e4).max(1.0);
    let seconds = |query: &mut dyn FnMut() -> T| {
        let start = Instant::now();
        query();
        start.elapsed().as_secs_f64()
    };
    let quick = (0..3).any(|_| seconds(&mut query) <= most);
    assert!(quick, "{what} takes more than {most} s on {faces} faces");
    answer
}

/// Everything that can be asked.
pub fn queries(data: &[u8]) {
    memory::conversion(data.len(), || asked(data));
}

fn asked(data: &[u8]) {
    // Whole files are taken as they are, so that real ones can be seeds.
    let magic: &[u8] = if data.starts_with(&bwm::MAGIC) { &[] } else { &bwm::MAGIC };
    let bytes = [magic, data].concat();
    let Ok(document) = bwm::Walkmesh::read(&bytes, &Limits::default()) else {
        if let Ok(text) = std::str::from_utf8(data) {
            let _ = Layout::parse(text, &Limits::default());
        }
        return;
    };
    let surface = Ground::of_walkmesh(&document).surface;
    let Ok(mesh) = Walkmesh::new(surface.clone()) else { return };
    let (faces, mut numbers) = (mesh.len(), Numbers(data));
    let (a, b, c) = (numbers.point(&mesh), numbers.point(&mesh), numbers.point(&mesh));
    let reach = Reach { step: f32::from(numbers.byte()) * 0.1, drop: f32::from(numbers.byte()) };
    for ray in [Ray::new(a, [0.0, 0.0, -1.0]), Ray::between(a, b), Ray::new(b, c)] {
        for of in [Materials::ALL, Materials::KOTOR_WALKABLE] {
            let nearest = timed("nearest", faces, || mesh.nearest(&ray, of));
            let all = timed("all_hits", faces, || mesh.all_hits(&ray, of));
            assert_eq!(nearest, all.first().copied(), "the nearest of all is the nearest");
            assert_eq!(mesh.any_hit(&ray, of), nearest.is_some());
            if let Some(tree) = mesh.stored_tree() {
                let stored =
                    timed("the stored tree", faces.max(tree.nodes.len()), || tree.nearest(&mesh, &ray, of));
                let faults = tree.check(&mesh);
                let sound = mesh.positions().iter().flatten().all(|c| c.abs() < 1e18);
                assert!(!faults.is_empty() || !sound || stored == nearest, "a sound tree answers alike");
            }
        }
    }
    for point in [a, b] {
        let found = timed("locate", faces, || mesh.locate(point, reach));
        timed("locate_from", faces, || mesh.locate_from(0, point, reach));
        timed("closest_point", faces, || mesh.closest_point(point, f32::INFINITY));
        if let Some(footing) = found {
            assert!(mesh.is_walkable(footing.face));
            let step = [(b[0] - a[0]).clamp(-9.0, 9.0), (b[1] - a[1]).clamp(-9.0, 9.0)];
            timed("slide", faces, || mesh.slide(footing.face, point, step, 0.3, 2.0));
        }
    }
    let mut agent = Agent::default().with_reach(reach);
    match numbers.byte() % 4 {
        0 => agent.radius = f32::from(numbers.byte()) * 0.02,
        1 => agent.costs = vec![(u32::from(numbers.byte()), 1.0 + f32::from(numbers.byte()) * 0.1)],
        2 => agent.forbidden = Materials::NONE.with(&[u32::from(numbers.byte())]),
        _ => {}
    }
    let mut navigator = Navigator::new(&mesh, &agent);
    for effort in [Effort::Exact, Effort::Fast] {
        if let Route::Found(path) = timed("route", faces, || navigator.route(a, b, effort)) {
            assert!(path.faces.iter().all(|f| mesh.is_walkable(*f)) && path.length.is_finite());
        }
    }
    let room =
        |position| Room { name: String::new(), surface: surface.clone(), place: Transform::at(position) };
    let Ok(mut area) = Area::new(vec![room([0.0; 3]), room(c)], Area::TOLERANCE) else { return };
    area.add_door(Door::leaf("door", Transform::at(a), 2.0));
    let triangles = vec![[a, b, c]];
    area.add_obstacle(Obstacle { name: String::new(), triangles, place: Transform::at(b) });
    timed("sight", 2 * faces, || area.sees(a, b, Materials::ALL));
    let mut navigator = area.navigator(&agent);
    let route = timed("route through rooms", 2 * faces, || navigator.route(a, b, Effort::Exact));
    if let Route::Found(path) = route {
        area.crossings(&path);
    }
}
