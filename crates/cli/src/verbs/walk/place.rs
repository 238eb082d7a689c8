//! Where questions are asked: one walkmesh, several rooms, or the area a LYT lists, with doors and things in the way.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use clap::Args;
use galatea::disk::{self, Job};
use galatea::texture::find::Game;
use galatea::walk::{
    Agent, Area, Door, Footing, Layout, Materials, Obstacle, Reach, Room, StoredTree, Transform,
};
use galatea::{Ground, Limits, SceneContext, fox};
use serde_json::{Value, json};

use super::super::games::GameDir;
use super::{Spot, Wrong, number};
use crate::batch::Failure;
use crate::terminal::show;

#[derive(Args)]
pub(crate) struct Place {
    /// A walkmesh (WOK, PWK, DWK; binary or text), a model with walk or collision meshes, several rooms in the order of
    /// their numbers, or a LYT that lists the rooms beside it
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Treat this material as walkable (name or number)
    #[arg(long, value_name = "MATERIAL")]
    walkable: Vec<String>,
    /// Treat this material as not walkable (name or number)
    #[arg(long, value_name = "MATERIAL")]
    not_walkable: Vec<String>,
    /// Move the rooms of a LYT to its positions; walkmeshes of the games are in place already
    #[arg(long)]
    move_rooms: bool,
    /// Leave out rooms of a LYT whose walkmesh is missing, such as skies
    #[arg(long)]
    skip_missing: bool,
    /// Put an obstacle in the way, such as a PWK: FILE@X,Y,Z or FILE@X,Y,Z,DEGREES
    #[arg(long, value_name = "FILE@PLACE", allow_hyphen_values = true)]
    obstacle: Vec<String>,
    /// Add a door, by the DWK of its closed state: FILE@X,Y,Z or FILE@X,Y,Z,DEGREES; it is named after the file
    #[arg(long, value_name = "FILE@PLACE", allow_hyphen_values = true)]
    door: Vec<String>,
    /// Close this door (name, number, or `all`); doors are open otherwise
    #[arg(long, value_name = "DOOR")]
    close: Vec<String>,
    /// Width of the doors a LYT has hooks for
    #[arg(long, value_name = "WIDTH", default_value_t = 2.0)]
    door_width: f32,
    #[command(flatten)]
    game: GameDir,
    /// One JSON object
    #[arg(long)]
    pub(super) json: bool,
    #[command(flatten)]
    pub(super) map: super::map::Map,
}

/// Most faces of rooms that a layout repeats.
const COPIES: usize = 100_000;

/// The rooms as one area, and what goes with them.
pub(super) struct World {
    pub(super) area: Area,
    /// Names and colours of the materials; its surface is empty.
    pub(super) ground: Ground,
    /// The file's own tree, if there is one file with one.
    pub(super) tree: Option<StoredTree>,
    /// What was opened, for messages.
    pub(super) name: String,
    /// Where things are that stand in the way: name and triangles, in the area.
    pub(super) obstacles: Vec<(String, Vec<[[f32; 3]; 3]>)>,
}

impl Place {
    pub(super) fn open(&self) -> Result<World, Wrong> {
        let name = match self.files.as_slice() {
            [only] => show(only),
            [first, rest @ ..] => format!("{} and {} more", show(first), rest.len()),
            [] => String::new(),
        };
        let mut hooks = Vec::new();
        let mut rooms: Vec<(String, Ground, Transform)> = Vec::new();
        for path in &self.files {
            match layout(path)? {
                Some(layout) => {
                    let beside = disk::names_beside(path);
                    // A layout may have the same room thousands of times.
                    let mut known: HashMap<String, Ground> = HashMap::new();
                    let (mut own, mut all) = (0, 0);
                    for (number, room) in layout.rooms.iter().enumerate() {
                        if !known.contains_key(&room.model) {
                            let ground = self.room_of(path, number, &room.model, &beside)?;
                            own += ground.surface.faces.len();
                            known.insert(room.model.clone(), ground);
                        }
                        let Some(ground) = known.get(&room.model) else { continue };
                        all += ground.surface.faces.len();
                        if all > own + COPIES {
                            let what = "rooms repeat walkmeshes: there would be more than";
                            return Err(Wrong::File(format!(
                                "{}: {what} {COPIES} faces of copies",
                                show(path)
                            )));
                        }
                        let ground = ground.clone();
                        let position = if self.move_rooms { room.position } else { [0.0; 3] };
                        rooms.push((room.model.clone(), ground, Transform::at(position)));
                    }
                    hooks.extend(layout.doors);
                }
                None => rooms.push((stem(path), ground(path)?, Transform::default())),
            }
        }
        let mut all = legend(&rooms);
        let single =
            if let [(_, ground, _)] = rooms.as_mut_slice() { ground.surface.tree.take() } else { None };
        let add = materials(&all, &self.walkable, &name)?;
        let remove = materials(&all, &self.not_walkable, &name)?;
        let changed = !self.walkable.is_empty() || !self.not_walkable.is_empty();
        let rooms: Vec<Room> = rooms
            .into_iter()
            .map(|(name, ground, place)| {
                let mut surface = ground.surface;
                surface.walkable = surface.walkable.or(add).minus(remove);
                // The file's neighbours are those of the faces that were walkable then.
                surface.adjacency = surface.adjacency.filter(|_| !changed);
                Room { name, surface, place }
            })
            .collect();
        all.surface = Default::default();
        let area =
            Area::new(rooms, Area::TOLERANCE).map_err(|error| Wrong::File(format!("{name}: {error}")))?;
        let mut world = World { area, ground: all, tree: single, name, obstacles: Vec::new() };
        for hook in hooks {
            world
                .area
                .add_door(Door { is_open: true, ..Door::leaf(&hook.name, hook.place, self.door_width) });
        }
        for text in &self.door {
            let (name, triangles, place) = placed(text)?;
            let door = Door { name, closed: triangles, place, is_open: true, ..Door::default() };
            world.area.add_door(door);
        }
        for text in &self.obstacle {
            let (name, triangles, place) = placed(text)?;
            world
                .obstacles
                .push((name.clone(), triangles.iter().map(|t| t.map(|c| place.apply(c))).collect()));
            world.area.add_obstacle(Obstacle { name, triangles, place });
        }
        self.close_doors(&mut world)?;
        Ok(world)
    }

    fn room_of(
        &self,
        layout: &Path,
        number: usize,
        model: &str,
        beside: &BTreeMap<String, PathBuf>,
    ) -> Result<Ground, Wrong> {
        if model.is_empty() {
            return Ok(Ground::default());
        }
        // Looked up among the files that are there, so that a name never leads out of the folder.
        let name = format!("{}.wok", model.to_lowercase());
        let in_game = || {
            let store = self.game.games().ok()?.store(Game::Kotor, layout.parent()?)?;
            store.find(&name).map(|found| found.path)
        };
        match beside.get(&name).cloned().or_else(in_game) {
            Some(path) => ground(&path),
            None if self.skip_missing => Ok(Ground::default()),
            None => Err(Wrong::File(format!(
                "{}: room {number} has no walkmesh {}.wok beside it or in the game; --skip-missing leaves such rooms empty",
                show(layout),
                galatea::wire::escape(model)
            ))),
        }
    }

    fn close_doors(&self, world: &mut World) -> Result<(), Wrong> {
        for wanted in &self.close {
            let doors = world.area.doors();
            let found: Vec<usize> = if wanted == "all" {
                (0..doors.len()).collect()
            } else {
                let named = |d: &Door| d.name.eq_ignore_ascii_case(wanted);
                let by_name: Vec<usize> =
                    doors.iter().enumerate().filter(|(_, d)| named(d)).map(|(i, _)| i).collect();
                let number = || wanted.parse().ok().filter(|n| *n < doors.len());
                if by_name.is_empty() { number().into_iter().collect() } else { by_name }
            };
            if found.is_empty() {
                let known: Vec<&str> = doors.iter().map(|d| d.name.as_str()).take(20).collect();
                let known = if known.is_empty() { "there are none".into() } else { known.join(", ") };
                return Err(Wrong::Input(format!(
                    "{}: no door is called `{wanted}`; doors: {}",
                    world.name,
                    galatea::wire::escape(&known)
                )));
            }
            for door in found {
                world.area.set_door(door, false);
            }
        }
        Ok(())
    }
}

impl World {
    /// A set of materials by their names; all of them if none is named.
    pub(super) fn materials_or_all(&self, names: &[String]) -> Result<Materials, Wrong> {
        if names.is_empty() { Ok(Materials::ALL) } else { self.materials(names) }
    }

    pub(super) fn materials(&self, names: &[String]) -> Result<Materials, Wrong> {
        materials(&self.ground, names, &self.name)
    }

    pub(super) fn material(&self, name: &str) -> Result<u32, Wrong> {
        material(&self.ground, name, &self.name)
    }

    /// What a face is made of.
    pub(super) fn made_of(&self, face: u32) -> String {
        self.area.mesh().material(face).map_or_else(String::new, |m| self.ground.name(m))
    }

    /// The place of the command line in the area: without a height, above everything.
    pub(super) fn point(&self, spot: Spot) -> [f32; 3] {
        let heights = self.area.mesh().positions().iter().map(|p| p[2]).filter(|z| z.is_finite());
        [spot.x, spot.y, spot.z.unwrap_or_else(|| heights.fold(0.0, f32::max) + 1.0)]
    }

    /// Where one stands at a place, or why nowhere.
    pub(super) fn stand(&self, spot: Spot, reach: Reach, of: Materials) -> Result<Footing, Wrong> {
        let (mesh, point) = (self.area.mesh(), self.point(spot));
        mesh.locate_among(point, reach, of).ok_or_else(|| {
            let low = [spot.x, spot.y, spot.z.unwrap_or(0.0)];
            let hint = match mesh.closest_point_among(low, f32::INFINITY, of) {
                Some(near) => {
                    let [x, y, z] = near.point;
                    format!("the nearest is at {x:.3},{y:.3},{z:.3} (face {})", near.face)
                }
                None => "the mesh has no ground at all".to_owned(),
            };
            Wrong::Input(format!("{}: no ground to stand on at {spot}; {hint}", self.name))
        })
    }

    /// The number and name of the room of a face, if there is more than one room.
    pub(super) fn room(&self, face: u32) -> Option<(u32, &str)> {
        let (room, _) = self.area.room_of(face).filter(|_| self.area.rooms().len() > 1)?;
        Some((room, self.area.rooms().get(room as usize)?))
    }

    /// A face as JSON: its number, that of its room and in it, its material.
    pub(super) fn face_json(&self, face: u32) -> Value {
        let mut out = json!({ "face": face, "material": self.made_of(face) });
        if let (Some(map), Some((room, own))) = (out.as_object_mut(), self.area.room_of(face))
            && self.area.rooms().len() > 1
        {
            map.insert("room".into(), room.into());
            map.insert("room_face".into(), own.into());
        }
        out
    }

    /// An agent, with the ends of its path where it can stand.
    pub(super) fn agent(&self, reach: Reach) -> Agent {
        Agent::default().with_reach(reach)
    }
}

fn materials(ground: &Ground, names: &[String], file: &str) -> Result<Materials, Wrong> {
    names.iter().try_fold(Materials::NONE, |set, name| Ok(set.with(&[material(ground, name, file)?])))
}

fn material(ground: &Ground, name: &str, file: &str) -> Result<u32, Wrong> {
    ground.material(name).ok_or_else(|| {
        let known: Vec<&str> = ground.materials.iter().map(|m| m.name.as_str()).collect();
        Wrong::Input(format!("{file}: no material is called `{name}`; it has {}", known.join(", ")))
    })
}

/// The materials of all rooms.
fn legend(rooms: &[(String, Ground, Transform)]) -> Ground {
    let mut all = Ground::default();
    for (_, ground, _) in rooms {
        all.materials.extend(ground.materials.iter().cloned());
        all.is_kotor |= ground.is_kotor;
    }
    all.materials.sort_by(|a, b| (a.number, &a.name).cmp(&(b.number, &b.name)));
    all.materials.dedup();
    all
}

fn stem(path: &Path) -> String {
    path.file_stem().map_or_else(|| "room".into(), |s| s.to_string_lossy().into_owned())
}

fn ground(path: &Path) -> Result<Ground, Wrong> {
    let wrong = |failure: Failure| Wrong::File(format!("{}: {failure}", show(path)));
    if disk::is_folder(path) {
        return Err(Wrong::Input(format!("{}: is a folder; name the walkmeshes or the LYT", show(path))));
    }
    let loaded = disk::load(&Job::new(path.to_path_buf())).map_err(|e| wrong(Failure::Io(e)))?;
    let name = stem(path);
    let names = fox::Dictionary::built_in();
    let context = SceneContext::new(&name).with_names(&names);
    match Ground::read(&loaded.input(), &Limits::default(), &context) {
        Ok(Some(ground)) => Ok(ground),
        Ok(None) => Err(wrong(Failure::Other("has no triangles to walk on".into()))),
        Err(_)
            if galatea::detect(&loaded.bytes).is_none_or(|f| f.category != galatea::Category::Model)
                && !galatea::kotor::bwm::text::detect(&loaded.bytes) =>
        {
            Err(wrong(Failure::Unknown))
        }
        Err(error) => Err(wrong(Failure::Format(error))),
    }
}

/// The layout, if the file is one.
fn layout(path: &Path) -> Result<Option<Layout>, Wrong> {
    if !path.extension().is_some_and(|e| e.eq_ignore_ascii_case("lyt")) {
        return Ok(None);
    }
    let wrong = |failure: Failure| Wrong::File(format!("{}: {failure}", show(path)));
    let bytes = disk::read(path).map_err(|e| wrong(Failure::Io(e)))?;
    let text = String::from_utf8_lossy(&bytes);
    Layout::parse(&text, &Limits::default()).map(Some).map_err(|e| wrong(Failure::Format(e)))
}

type Placed = (String, Vec<[[f32; 3]; 3]>, Transform);

/// A file and where it goes: `FILE@X,Y,Z` or `FILE@X,Y,Z,DEGREES`.
fn placed(text: &str) -> Result<Placed, Wrong> {
    let wrong = || {
        Wrong::Input(format!(
            "`{text}` is not a file with a place; expected one such as crate.pwk@1.5,2,0 or crate.pwk@1.5,2,0,90"
        ))
    };
    let (file, place) = text.rsplit_once('@').ok_or_else(wrong)?;
    let numbers: Option<Vec<f32>> = place.split(',').map(number).collect();
    let (position, degrees) = match numbers.as_deref() {
        Some([x, y, z]) => ([*x, *y, *z], 0.0),
        Some([x, y, z, degrees]) => ([*x, *y, *z], *degrees),
        _ => return Err(wrong()),
    };
    let (sin, cos) = (f64::from(degrees).to_radians() / 2.0).sin_cos();
    let path = Path::new(file);
    let transform = Transform { position, rotation: [cos as f32, 0.0, 0.0, sin as f32] };
    Ok((stem(path), ground(path)?.triangles(), transform))
}
