//! Rooms are one area: doors let through or not, things stand in the way, agents have a width.

#![allow(clippy::indexing_slicing, clippy::expect_used, clippy::panic)] // Helpers of tests fail the test they help.

mod common;

use std::path::Path;

use common::scenes::{self, Random};
use common::wok;
use galatea_walk::{
    Agent, Area, Crossing, Door, Effort, Layout, Materials, Navigator, Obstacle, Room, Route, Surface,
    Transform, Walkmesh,
};

/// A room of `nx` by `ny` squares of two metres, with exits.
fn room(name: &str, nx: u32, ny: u32, at: [f32; 3], exits: &[(u32, u32)]) -> Room {
    let mut surface = scenes::surface(scenes::grid(nx, ny, 2.0, 0.0));
    surface.positions.iter_mut().for_each(|p| p[2] = 0.0);
    surface.transitions = exits.to_vec();
    Room { name: name.to_string(), surface, place: Transform::at(at) }
}

/// The border edge of a room from one corner to another.
fn edge(room: &Room, from: [f32; 2], to: [f32; 2]) -> u32 {
    let s = &room.surface;
    let at = |v: u32| [s.positions[v as usize][0], s.positions[v as usize][1]];
    (0..3 * s.faces.len() as u32)
        .find(|e| {
            let f = s.faces[*e as usize / 3];
            at(f[*e as usize % 3]) == from && at(f[(*e as usize + 1) % 3]) == to
        })
        .expect("such an edge")
}

/// Hall, passage and vault in a row, 6 m, 2 m and 6 m wide, with a door at either end of the passage.
fn three_rooms() -> Area {
    let mut hall = room("hall", 3, 3, [0.0; 3], &[]);
    let mut passage = room("passage", 2, 1, [6.0, 2.0, 0.0], &[]);
    let mut vault = room("vault", 3, 3, [10.0, 0.0, 0.0], &[]);
    hall.surface.transitions = vec![(edge(&hall, [6.0, 2.0], [6.0, 4.0]), 1)];
    passage.surface.transitions =
        vec![(edge(&passage, [0.0, 2.0], [0.0, 0.0]), 0), (edge(&passage, [4.0, 0.0], [4.0, 2.0]), 2)];
    vault.surface.transitions = vec![(edge(&vault, [0.0, 4.0], [0.0, 2.0]), 1)];
    let mut area = Area::new(vec![hall, passage, vault], Area::TOLERANCE).expect("sound rooms");
    let across = [0.707_106_77, 0.0, 0.0, 0.707_106_77];
    for x in [6.0, 10.0] {
        let place = Transform { position: [x, 3.0, 0.0], rotation: across };
        area.add_door(Door { is_open: true, ..Door::leaf("door", place, 2.2) });
    }
    area
}

#[test]
fn paths_go_through_open_doors_and_name_the_transitions() {
    let area = three_rooms();
    assert_eq!(area.links().len(), 2);
    assert_eq!(area.links()[0].rooms, [0, 1]);
    assert_eq!(area.links()[0].transitions, [Some(1), Some(0)]);
    assert!(area.loose_transitions().is_empty());
    let mut navigator = area.navigator(&Agent::default());
    let path = navigator.route([1.0, 3.0, 0.0], [15.0, 3.0, 0.0], Effort::Exact).path().expect("through");
    assert!((path.length - 14.0).abs() < 1e-9);
    let crossings = area.crossings(&path);
    assert_eq!(
        crossings,
        [Crossing { from: 0, to: 1, transition: Some(1) }, Crossing { from: 1, to: 2, transition: Some(2) }]
    );
    assert_eq!(area.room_of(path.faces[0]).map(|r| r.0), Some(0));
    // Around the corners of the passage.
    let path = navigator.route([5.0, 0.5, 0.0], [11.0, 5.5, 0.0], Effort::Exact).path().expect("through");
    let d = |a: [f64; 2], b: [f64; 2]| ((a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2)).sqrt();
    let bend = d([5.0, 0.5], [6.0, 2.0]) + d([6.0, 2.0], [10.0, 4.0]) + d([10.0, 4.0], [11.0, 5.5]);
    assert!((path.length - bend).abs() < 1e-6, "{} for {bend}", path.length);
}

#[test]
fn a_closed_door_is_in_the_way_of_paths_and_of_sight() {
    let mut area = three_rooms();
    let (from, to) = ([1.0, 3.0, 0.0], [15.0, 3.0, 0.0]);
    let route = |area: &Area| area.navigator(&Agent::default()).route(from, to, Effort::Exact);
    let eyes = |p: [f32; 3]| [p[0], p[1], 1.7];
    assert!(area.sees(eyes(from), eyes(to), Materials::ALL));
    assert!(area.set_door(1, false));
    assert_eq!(route(&area), Route::Unreachable);
    assert!(!area.sees(eyes(from), eyes(to), Materials::ALL));
    let before = area.navigator(&Agent::default()).route(from, [8.0, 3.0, 0.0], Effort::Exact);
    assert!(matches!(before, Route::Found(_)), "the first door is still open");
    area.set_door(1, true);
    assert!(matches!(route(&area), Route::Found(_)));
    area.set_door(0, false);
    assert_eq!(route(&area), Route::Unreachable);
    assert!(!area.set_door(7, true));
}

#[test]
fn obstacles_are_walked_around() {
    let mut area = three_rooms();
    let (from, to) = ([0.5, 3.0, 0.0], [5.5, 3.0, 0.0]);
    let corner = |x: f32, y: f32| [x, y, 0.0];
    let block = vec![
        [corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0)],
        [corner(-1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)],
    ];
    area.add_obstacle(Obstacle {
        name: "crate".into(),
        triangles: block,
        place: Transform::at([3.0, 3.0, 0.0]),
    });
    let path =
        area.navigator(&Agent::default()).route(from, to, Effort::Exact).path().expect("around the crate");
    let around = 2.0 * (1.5f64 * 1.5 + 1.0).sqrt() + 2.0;
    assert!((path.length - around).abs() < 1e-4, "{} for {around}", path.length);
    let on_top = area.navigator(&Agent::default()).route(from, [3.0, 3.0, 0.0], Effort::Exact);
    assert_eq!(on_top, Route::NoGoal);
    let wide = Agent::default().with_radius(0.5);
    let path = area.navigator(&wide).route(from, to, Effort::Exact).path().expect("farther around");
    assert!(path.length > around + 0.3 && path.length < around + 1.5, "{}", path.length);
    let fat = Agent::default().with_radius(1.2);
    assert!(
        area.navigator(&fat).route(from, to, Effort::Exact).path().is_none(),
        "it does not fit beside the crate"
    );
}

#[test]
fn an_agent_keeps_its_radius_from_every_border() {
    let (positions, faces) = scenes::navmesh();
    // A corner of the maze, so that checking all borders stays quick.
    let faces: Vec<[u32; 3]> = faces
        .into_iter()
        .filter(|f| f.iter().all(|v| positions[*v as usize][0] < 50.0 && positions[*v as usize][1] < 50.0))
        .collect();
    let mesh = Walkmesh::new(scenes::surface((positions, faces))).expect("sound");
    let mut borders = Vec::new();
    for face in 0..mesh.len() as u32 {
        let c = mesh.corners(face).expect("a face").map(|p| [f64::from(p[0]), f64::from(p[1])]);
        borders.extend(
            (0..3)
                .filter(|e| mesh.neighbour(face, *e).is_none())
                .map(|e| [c[e as usize], c[(e as usize + 1) % 3]]),
        );
    }
    let clearance = |p: [f64; 2]| {
        borders.iter().fold(f64::INFINITY, |m, [a, b]| {
            let d = [b[0] - a[0], b[1] - a[1]];
            let t = ((p[0] - a[0]) * d[0] + (p[1] - a[1]) * d[1]) / (d[0] * d[0] + d[1] * d[1]);
            let t = t.clamp(0.0, 1.0);
            let e = [p[0] - a[0] - d[0] * t, p[1] - a[1] - d[1] * t];
            m.min((e[0] * e[0] + e[1] * e[1]).sqrt())
        })
    };
    let mut thin = Navigator::new(&mesh, &Agent::default());
    for radius in [0.3f32, 0.7] {
        let mut navigator = Navigator::new(&mesh, &Agent::default().with_radius(radius));
        let mut g = Random(31);
        let (mut found, mut tried) = (0, 0);
        while tried < 150 {
            let place = |g: &mut Random| [f64::from(g.range(0.0, 50.0)), f64::from(g.range(0.0, 50.0))];
            let (a, b) = (place(&mut g), place(&mut g));
            let stand = |p: [f64; 2]| mesh.locate([p[0] as f32, p[1] as f32, 50.0], Default::default());
            let (Some(from), Some(to)) = (stand(a), stand(b)) else { continue };
            if clearance(a) < f64::from(radius) * 1.05 || clearance(b) < f64::from(radius) * 1.05 {
                continue;
            }
            tried += 1;
            let Some(path) = navigator.route_between((from.face, a), (to.face, b), Effort::Exact).path()
            else {
                continue;
            };
            found += 1;
            let short = thin
                .route_between((from.face, a), (to.face, b), Effort::Exact)
                .path()
                .expect("without width, too");
            assert!(path.length >= short.length - 1e-6, "{} shorter than {}", path.length, short.length);
            for leg in path.points.windows(2) {
                for step in 0..=20 {
                    let t = f64::from(step) / 20.0;
                    let p = [0, 1].map(|k| {
                        let (a, b) = (f64::from(leg[0].point[k]), f64::from(leg[1].point[k]));
                        a + (b - a) * t
                    });
                    let c = clearance(p);
                    assert!(c >= f64::from(radius) - 1e-3, "radius {radius}: {c} at {p:?}");
                }
            }
        }
        assert!(found > 20, "radius {radius}: {found} of {tried} found");
    }
}

#[test]
fn a_gap_narrower_than_the_agent_is_closed_to_it() {
    let area = three_rooms();
    for (radius, fits) in [(0.5f32, true), (0.98, true), (1.02, false), (2.0, false)] {
        let agent = Agent::default().with_radius(radius);
        let route = area.navigator(&agent).route([3.0, 3.0, 0.0], [13.0, 3.0, 0.0], Effort::Exact);
        assert_eq!(matches!(route, Route::Found(_)), fits, "radius {radius}: {route:?}");
    }
}

#[test]
fn rooms_that_are_turned_and_a_little_off_are_joined() {
    let hall = room("hall", 3, 3, [0.0; 3], &[]);
    let mut vault = room("vault", 3, 3, [12.004, 6.003, 0.0], &[]);
    vault.place.rotation = [0.0, 0.0, 0.0, 1.0];
    let area = Area::new(vec![hall, vault], Area::TOLERANCE).expect("sound rooms");
    assert_eq!(area.links().len(), 3);
    assert_eq!(area.links()[0].transitions, [None, None]);
    let path =
        area.navigator(&Agent::default()).route([1.0, 1.0, 0.0], [11.0, 1.0, 0.0], Effort::Exact).path();
    assert!((path.expect("through").length - 10.0).abs() < 1e-2);
}

#[test]
#[ignore = "needs the corpus"]
fn corpus_rooms_that_link_to_each_other_are_one_area() {
    let numbered = |name: &str| Room {
        name: name.to_string(),
        surface: wok::named(&format!("/{name}.wok")),
        place: Transform::default(),
    };
    // The numbers of the rooms are those their transitions name.
    let rooms = ["", "", "koq200_01c", "", "koq200_01e"]
        .map(|n| if n.is_empty() { Room::default() } else { numbered(n) });
    let area = Area::new(rooms.to_vec(), Area::TOLERANCE).expect("sound rooms");
    assert_eq!(area.links().len(), 1);
    assert_eq!((area.links()[0].rooms, area.links()[0].transitions), ([2, 4], [Some(4), Some(2)]));
    // From the middle of one face at the seam to the middle of the other.
    let [from, to] = area.links()[0].edges.map(|e| {
        let [a, b, c] = area.mesh().corners(e / 3).expect("a face").map(|p| p.map(f64::from));
        (e / 3, [0, 1].map(|k| (a[k] + b[k] + c[k]) / 3.0))
    });
    let path = area.navigator(&Agent::default()).route_between(from, to, Effort::Exact);
    let path = path.path().expect("from room to room");
    assert_eq!(area.crossings(&path), [Crossing { from: 2, to: 4, transition: Some(4) }]);

    let rooms = ["", "", "", "m10aa_05a", "m10aa_09a"]
        .map(|n| if n.is_empty() { Room::default() } else { numbered(n) });
    let area = Area::new(rooms.to_vec(), Area::TOLERANCE).expect("sound rooms");
    assert_eq!(area.links().len(), 1);
    assert_eq!((area.links()[0].rooms, area.links()[0].transitions), ([3, 4], [Some(4), Some(3)]));
    assert_eq!(area.loose_transitions().len(), 7);
}

#[test]
#[ignore = "needs the corpus"]
fn corpus_layouts_parse() {
    let files = galatea_robustness::listed(&["archives/kotor"], &[".lyt"]);
    let (mut rooms, mut doors) = (0, 0);
    let parse = |_: &Path, bytes: &[u8]| Layout::parse(&String::from_utf8_lossy(bytes), &Default::default());
    for (_, layout) in files.read(parse) {
        rooms += layout.rooms.len();
        doors += layout.doors.len();
        assert!(layout.doors.iter().all(|d| {
            let size: f32 = d.place.rotation.iter().map(|c| c * c).sum();
            (size - 1.0).abs() < 1e-3
        }));
    }
    assert!(rooms >= 35 && doors >= 42, "{rooms} rooms, {doors} doors");
}

#[test]
fn broken_rooms_name_their_number() {
    let broken =
        Room { surface: Surface { faces: vec![[0, 1, 2]], ..Surface::default() }, ..Room::default() };
    let error = Area::new(vec![Room::default(), broken], Area::TOLERANCE).expect_err("no such vertex");
    assert_eq!(error.to_string(), "rooms[1] > faces[0]: expected a vertex below 0, found 0");
}

#[test]
fn heaps_of_faces_are_cut_within_a_budget() {
    let mut g = Random(3);
    let mut surface = Surface::default();
    for face in 0..2000u32 {
        let corners = [0, 1, 2].map(|_| [g.range(0.0, 20.0), g.range(0.0, 20.0), g.range(0.0, 1.0)]);
        surface.positions.extend(corners);
        surface.faces.push([3 * face, 3 * face + 1, 3 * face + 2]);
    }
    let mesh = Walkmesh::new(surface).expect("sound tables");
    let (path, took) = galatea_robustness::timed(|| {
        let mut navigator = Navigator::new(&mesh, &Agent::default().with_radius(0.05));
        navigator.route([5.0, 5.0, 9.0], [15.0, 15.0, 9.0], Effort::Exact).path()
    });
    assert!(path.is_none_or(|p| p.length.is_finite()));
    assert!(took.as_secs() < 20, "{took:?}");
}
