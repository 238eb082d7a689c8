//! KotOR layouts: the rooms of an area at their places, with their models and walkmeshes.

mod check;
mod rules;
mod scene;

use std::any::Any;
use std::collections::BTreeMap;

use galatea_kotor::bwm::Walkmesh;
use galatea_kotor::mdl::Model;
use galatea_kotor::table::Gff;
use galatea_scene::Scene;
use galatea_texture::find::Game;
use galatea_walk::{DoorHook, Layout};
use galatea_wire::{Error, ErrorKind, Fixed, Limits, Report, Result, Rule, Summary, escape};

pub(crate) use scene::layout_scene;

use crate::{Document, Format, FormatId, Input, Instances, Output, SceneContext, SiblingFiles};

pub(super) static FORMAT: Format = Format {
    extensions: &["lyt"],
    game: Some(Game::Kotor),
    stored: true,
    detect,
    read: |input, limits| Ok(Box::new(LayoutFile::read(input, limits)?)),
    rules: rules::RULES,
    ..Format::model(FormatId::KotorLyt, "kotor-lyt", "KotOR layout: the rooms of an area (LYT, with its VIS)")
};

/// Bytes of all files of rooms together.
const MOST: u64 = 2 << 30;

/// A layout, and the files of its rooms that are available.
#[derive(Debug)]
pub struct LayoutFile {
    bytes: Vec<u8>,
    /// Rooms, tracks, obstacles and door hooks.
    pub layout: Layout,
    /// Which rooms are seen from which, by the VIS file, if there is one. Names are in lower case.
    pub visible: Option<BTreeMap<String, Vec<String>>>,
    /// The files of rooms, by the names of their models in lower case.
    pub rooms: BTreeMap<String, RoomFiles>,
    /// The doors, placeables and creatures of the area, if its GIT is beside the layout.
    pub instances: Option<Instances>,
}

/// The files of a room.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct RoomFiles {
    /// Its model, or why it cannot be read; `None` if there is none.
    pub model: Option<Result<Model>>,
    /// Its walkmesh, or why it cannot be read; `None` if there is none.
    pub walkmesh: Option<Result<Walkmesh>>,
}

/// Returns `true` if a text begins like a layout.
fn detect(bytes: &[u8]) -> bool {
    let start = bytes.get(..1024).unwrap_or(bytes);
    if start.contains(&0) {
        return false;
    }
    let text = String::from_utf8_lossy(start);
    let firsts = text.lines().filter_map(|line| line.split_whitespace().next()).take(4);
    let mut firsts = firsts.map(str::to_ascii_lowercase);
    firsts.any(|word| ["beginlayout", "roomcount", "#maxlayout"].contains(&word.as_str()))
}

impl LayoutFile {
    /// Reads a layout, and the files of its rooms and the objects of its area beside it.
    pub fn read(input: &Input<'_>, limits: &Limits) -> Result<LayoutFile> {
        let mut out = LayoutFile::without_objects(input, limits)?;
        let name = format!("{}.git", input.stem().to_lowercase());
        let git = input.siblings.and_then(|files| files.file(&name));
        // A GIT that cannot be read says so when it is opened itself.
        let git = git.and_then(|bytes| Gff::read(&bytes, limits).ok());
        out.instances = git.map(|git| Instances::read(&git, input.siblings, limits)).transpose()?;
        Ok(out)
    }

    /// Reads a layout, and the files of its rooms beside it.
    pub(crate) fn without_objects(input: &Input<'_>, limits: &Limits) -> Result<LayoutFile> {
        if !detect(input.bytes) {
            return Err(Error::at(ErrorKind::NotThisFormat, 0));
        }
        let layout = Layout::parse(&String::from_utf8_lossy(input.bytes), limits)?;
        let mut out = LayoutFile {
            bytes: input.bytes.to_vec(),
            layout,
            visible: None,
            rooms: BTreeMap::new(),
            instances: None,
        };
        if let Some(siblings) = input.siblings {
            out.read_rooms(siblings, limits)?;
            let name = format!("{}.vis", input.stem().to_lowercase());
            out.visible = siblings.file(&name).map(|bytes| visibility(&bytes));
        }
        Ok(out)
    }

    fn read_rooms(&mut self, siblings: &dyn SiblingFiles, limits: &Limits) -> Result<()> {
        let mut left = MOST;
        let mut file = |name: String| -> Result<Option<Vec<u8>>> {
            let Some(bytes) = siblings.file(&name) else { return Ok(None) };
            left = left
                .checked_sub(bytes.len() as u64)
                .ok_or_else(|| Error::at(ErrorKind::Limit("bytes of rooms"), 0).within(name))?;
            Ok(Some(bytes))
        };
        for room in &self.layout.rooms {
            let name = room.model.to_lowercase();
            if name.is_empty() || self.rooms.contains_key(&name) {
                continue;
            }
            let (mdl, mdx) = (file(format!("{name}.mdl"))?, file(format!("{name}.mdx"))?);
            let model = mdl.map(|mdl| Model::read(&mdl, mdx.as_deref(), limits));
            let walkmesh = file(format!("{name}.wok"))?.map(|wok| Walkmesh::read(&wok, limits));
            self.rooms.insert(name, RoomFiles { model, walkmesh });
        }
        Ok(())
    }

    /// Returns the files of a room.
    fn files(&self, room: &str) -> Option<&RoomFiles> {
        self.rooms.get(&room.to_lowercase())
    }
}

/// Parses a VIS file: a line with a room and a number, and below it, indented, the rooms that are seen from there.
fn visibility(bytes: &[u8]) -> BTreeMap<String, Vec<String>> {
    let mut out: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut room: Option<String> = None;
    for line in String::from_utf8_lossy(bytes).lines() {
        let Some(name) = line.split_whitespace().next().map(str::to_lowercase) else { continue };
        if line.starts_with(char::is_whitespace) {
            if let Some(seen) = room.as_ref().and_then(|room| out.get_mut(room)) {
                seen.push(name);
            }
        } else {
            out.entry(name.clone()).or_default();
            room = Some(name);
        }
    }
    out
}

/// Adds a line for every entry in which two lists differ.
pub(super) fn lines_of<T: PartialEq>(
    name: &str,
    a: &[T],
    b: &[T],
    text: &dyn Fn(&T) -> String,
    out: &mut Vec<String>,
) {
    for index in 0..a.len().max(b.len()) {
        let (left, right) = (a.get(index), b.get(index));
        if left != right {
            let text = |entry: Option<&T>| entry.map_or("nothing".to_owned(), text);
            out.push(format!("{name}[{index}]: {} -> {}", text(left), text(right)));
        }
    }
}

impl Document for LayoutFile {
    fn format(&self) -> &'static Format {
        &FORMAT
    }

    fn summary(&self) -> Summary {
        let (rooms, doors) = (self.layout.rooms.len(), self.layout.doors.len());
        let version = format!("rooms: {rooms}, door hooks: {doors}");
        let mut sum = Summary { version, ..Summary::default() };
        for model in self.rooms.values().filter_map(|room| room.model.as_ref()?.as_ref().ok()) {
            sum.add_geometry(&Document::summary(model));
        }
        sum
    }

    fn write(&self) -> Result<Output> {
        Ok(Output::single(self.bytes.clone()))
    }

    fn check(&self) -> Report {
        check::check(self)
    }

    fn fix(&mut self, _: &dyn Fn(&Rule) -> bool) -> Vec<Fixed> {
        Vec::new()
    }

    fn differences(&self, other: &dyn Document) -> Option<Vec<String>> {
        let other = &other.as_any().downcast_ref::<LayoutFile>()?.layout;
        let mut out = Vec::new();
        let lists = [
            ("rooms", &self.layout.rooms, &other.rooms),
            ("tracks", &self.layout.tracks, &other.tracks),
            ("obstacles", &self.layout.obstacles, &other.obstacles),
        ];
        for (name, a, b) in lists {
            lines_of(
                name,
                a,
                b,
                &|placed| format!("{} at {:?}", escape(&placed.model), placed.position),
                &mut out,
            );
        }
        let door = |door: &DoorHook| {
            let place = &door.place;
            let (room, name) = (escape(&door.room), escape(&door.name));
            format!("{room} {name} at {:?}, turned {:?}", place.position, place.rotation)
        };
        lines_of("doors", &self.layout.doors, &other.doors, &door, &mut out);
        Some(out)
    }

    fn to_scene(&self, context: &SceneContext<'_>) -> Option<Scene> {
        Some(layout_scene(Some(self), self.instances.as_ref(), context.name))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
}
