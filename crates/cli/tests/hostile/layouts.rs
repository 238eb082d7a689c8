//! Layouts of far more rooms than any area has.

use galatea::kotor::bwm::{Kind, Walkmesh};

use super::{Case, Outcome, case};

/// A square room whose four sides lead to rooms 0 to 3.
fn room() -> Vec<u8> {
    let corners = vec![[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [4.0, 4.0, 0.0], [0.0, 4.0, 0.0]];
    let faces = vec![[0, 1, 2], [0, 2, 3]];
    Walkmesh::build(Kind::Area, corners, faces, vec![4, 4], &Default::default()).unwrap().write().unwrap()
}

fn layout(rooms: usize, place: impl Fn(usize) -> [usize; 2]) -> Vec<u8> {
    let mut text = format!("beginlayout\nroomcount {rooms}\n");
    for i in 0..rooms {
        let [x, y] = place(i);
        text += &format!("room {x} {y} 0\n");
    }
    text += "donelayout\n";
    text.into_bytes()
}

pub(crate) fn cases() -> Vec<Case> {
    let rooms: &[&str] = &["walk", "rooms", "a.lyt", "--move-rooms"];
    vec![
        case("a layout of 3,000 rooms on one spot")
            .file("a.lyt", layout(3000, |_| [0, 0]))
            .file("room.wok", room())
            .run(rooms, Outcome::Done)
            .run(&["walk", "path", "a.lyt", "--from", "1,1", "--to", "3,3"], Outcome::Either),
        case("a layout of 20,000 rooms on one spot")
            .file("a.lyt", layout(20_000, |_| [0, 0]))
            .file("room.wok", room())
            .run(rooms, Outcome::Refused("overlapping border edges")),
        case("a layout of 20,000 rooms in a row")
            .file("a.lyt", layout(20_000, |i| [i * 4, 0]))
            .file("room.wok", room())
            .run(rooms, Outcome::Done),
        case("a layout of 20,000 rooms above each other in x")
            .file("a.lyt", layout(20_000, |i| [0, i * 4]))
            .file("room.wok", room())
            .run(rooms, Outcome::Done),
    ]
}
