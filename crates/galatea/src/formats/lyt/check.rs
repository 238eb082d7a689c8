//! Checks a layout, and that the files of its rooms fit it and each other.

use std::collections::{BTreeMap, BTreeSet};

use galatea_kotor::bwm::Walkmesh;
use galatea_kotor::mdl::Model;
use galatea_scene::{Bounds, Pose};
use galatea_wire::{Report, Rule, escape};

use super::{LayoutFile, RoomFiles, rules};

/// How far apart model and walkmesh of a room may be, in metres.
const APART: f32 = 1.0;

pub(super) fn check(file: &LayoutFile) -> Report {
    let mut report = Report::new();
    text(file, &mut report);
    let rooms: BTreeSet<String> = file.layout.rooms.iter().map(|room| room.model.to_lowercase()).collect();
    let models =
        file.layout.rooms.iter().any(|room| file.files(&room.model).is_some_and(|f| f.model.is_some()));
    for (number, room) in file.layout.rooms.iter().enumerate() {
        let path = || format!("rooms[{number}] \"{}\"", escape(&room.model));
        if room.model.len() > 16 {
            add(&mut report, &rules::LONG_NAME, path(), format!("{} letters", room.model.len()));
        }
        if let Some(files) = file.files(&room.model) {
            if models && files.model.is_none() {
                add(&mut report, &rules::NO_MODEL, path(), "no MDL of this name was found".into());
            }
            one_room(file, files, room.position, &path(), &mut report);
        }
    }
    same_walkmeshes(file, &mut report);
    for (number, door) in file.layout.doors.iter().enumerate() {
        if !rooms.contains(&door.room.to_lowercase()) {
            let path = format!("doors[{number}] \"{}\"", escape(&door.name));
            add(&mut report, &rules::HOOK, path, format!("there is no room \"{}\"", escape(&door.room)));
        }
    }
    let seen = file.visible.iter().flatten().flat_map(|(room, seen)| std::iter::once(room).chain(seen));
    for room in seen.collect::<BTreeSet<_>>() {
        if !rooms.contains(room) {
            add(&mut report, &rules::VISIBLE, "vis".into(), format!("there is no room \"{}\"", escape(room)));
        }
    }
    report
}

fn add(report: &mut Report, rule: &'static Rule, path: String, message: String) {
    report.add(rule, None, || (path, message));
}

/// Compares the numbers that the text declares with its lines.
fn text(file: &LayoutFile, report: &mut Report) {
    let text = String::from_utf8_lossy(&file.bytes);
    let layout = &file.layout;
    let lists = [
        ("roomcount", layout.rooms.len()),
        ("trackcount", layout.tracks.len()),
        ("obstaclecount", layout.obstacles.len()),
        ("doorhookcount", layout.doors.len()),
    ];
    let mut ends = false;
    for line in text.lines() {
        let mut words = line.split_whitespace();
        let Some(first) = words.next().map(str::to_ascii_lowercase) else { continue };
        ends |= first == "donelayout";
        let Some((_, lines)) = lists.iter().find(|(word, _)| *word == first) else { continue };
        let declared = words.next().and_then(|word| word.parse::<usize>().ok());
        if declared != Some(*lines) {
            let declared = declared.map_or("nothing".to_owned(), |n| n.to_string());
            add(report, &rules::COUNT, first, format!("{declared} declared, {lines} lines"));
        }
    }
    if !ends {
        add(report, &rules::END, "layout".into(), "the last line is missing".into());
    }
}

fn one_room(file: &LayoutFile, files: &RoomFiles, position: [f32; 3], path: &str, report: &mut Report) {
    if let Some(Err(error)) = &files.model {
        add(report, &rules::UNREADABLE, path.into(), format!("MDL: {error}"));
    }
    match &files.walkmesh {
        None => add(report, &rules::NO_WALKMESH, path.into(), "no WOK of this name was found".into()),
        Some(Err(error)) => add(report, &rules::UNREADABLE, path.into(), format!("WOK: {error}")),
        Some(Ok(walkmesh)) => transitions(walkmesh, file.layout.rooms.len(), path, report),
    }
    let (Some(Ok(model)), Some(Ok(walkmesh))) = (&files.model, &files.walkmesh) else { return };
    let (Some(model), Some(ground)) = (model_bounds(model, position), walkmesh_bounds(walkmesh)) else {
        return;
    };
    let gap = |axis: usize| {
        let of = |v: &[f32; 3]| v.get(axis).copied().unwrap_or(0.0);
        (of(&ground.min) - of(&model.max)).max(of(&model.min) - of(&ground.max))
    };
    let gap = gap(0).max(gap(1)).max(gap(2));
    if gap > APART {
        add(report, &rules::APART, path.into(), format!("{gap:.2} metres lie between them"));
    }
}

fn transitions(walkmesh: &Walkmesh, rooms: usize, path: &str, report: &mut Report) {
    let wild: BTreeSet<i32> =
        walkmesh.edges.iter().map(|edge| edge.transition).filter(|to| *to >= rooms as i32).collect();
    for to in wild {
        add(report, &rules::TRANSITION, path.into(), format!("room {to} of {rooms}"));
    }
}

/// Returns the box around what is seen of a room, in the axes and coordinates of the area.
fn model_bounds(model: &Model, [x, y, z]: [f32; 3]) -> Option<Bounds> {
    let scene = model.to_scene();
    let bounds = Pose::rest(&scene).bounds(&scene)?;
    // From Y up to Z up.
    let ([ax, ay, az], [bx, by, bz]) = (bounds.min, bounds.max);
    Some(Bounds { min: [ax + x, -bz + y, ay + z], max: [bx + x, -az + y, by + z] })
}

fn walkmesh_bounds(walkmesh: &Walkmesh) -> Option<Bounds> {
    let first = *walkmesh.vertices.first()?;
    let start = Bounds { min: first, max: first };
    Some(walkmesh.vertices.iter().fold(start, |all, v| all.union(Bounds { min: *v, max: *v })))
}

/// Finds rooms with different names whose walkmeshes have the same vertices.
fn same_walkmeshes(file: &LayoutFile, report: &mut Report) {
    let mut seen: BTreeMap<Vec<u32>, &str> = BTreeMap::new();
    for (name, files) in &file.rooms {
        let Some(Ok(walkmesh)) = &files.walkmesh else { continue };
        if walkmesh.vertices.is_empty() {
            continue;
        }
        let key: Vec<u32> = walkmesh.vertices.iter().flatten().map(|v| v.to_bits()).collect();
        match seen.get(&key) {
            Some(first) => {
                let message = format!("the vertices are those of \"{}\"", escape(first));
                add(report, &rules::SAME_WALKMESH, format!("room \"{}\"", escape(name)), message);
            }
            None => {
                seen.insert(key, name);
            }
        }
    }
}
