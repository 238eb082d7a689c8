//! The doors, placeables and creatures of an area, with the models that the tables of the game give them.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use galatea_kotor::mdl::Model;
use galatea_kotor::table::{Gff, Record, TwoDa};
use galatea_wire::{Error, Limits, Result};

use crate::formats::character::{absent, model, table};
use crate::{Appearances, Character, Look, SiblingFiles};

/// What an object of an area is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ObjectKind {
    /// A door.
    Door,
    /// A placeable: a chest, a console, a corpse.
    Placeable,
    /// A creature.
    Creature,
}

/// How a kind of objects is stored.
struct Stored {
    kind: ObjectKind,
    list: &'static str,
    place: [&'static str; 3],
    /// Extension of its templates.
    template: &'static str,
    /// The number in its template, and the table that it is a row of.
    number: &'static str,
    table: &'static str,
}

const STORED: [Stored; 3] = [
    Stored {
        kind: ObjectKind::Door,
        list: "Door List",
        place: ["X", "Y", "Z"],
        template: "utd",
        number: "GenericType",
        table: "genericdoors.2da",
    },
    Stored {
        kind: ObjectKind::Placeable,
        list: "Placeable List",
        place: ["X", "Y", "Z"],
        template: "utp",
        number: "Appearance",
        table: "placeables.2da",
    },
    Stored {
        kind: ObjectKind::Creature,
        list: "Creature List",
        place: ["XPosition", "YPosition", "ZPosition"],
        template: "utc",
        number: "Appearance_Type",
        table: "appearance.2da",
    },
];

/// An object of an area.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Object {
    /// What it is.
    pub kind: ObjectKind,
    /// The name of its template in lower case.
    pub template: String,
    /// Where it is in the area.
    pub position: [f32; 3],
    /// By how much it is turned about the vertical axis, in radians.
    pub turn: f32,
}

impl Object {
    /// Returns `true` if its place is a number.
    pub fn is_placed(&self) -> bool {
        self.position.iter().all(|v| v.is_finite()) && self.turn.is_finite()
    }
}

/// What is seen of an object.
#[derive(Debug)]
#[non_exhaustive]
pub enum Body {
    /// One model, by its name.
    Model(String),
    /// A creature of several models, by its look.
    Creature(Look),
    /// There is no template of this name.
    NoTemplate,
    /// There is no table that gives it a model, as without the game.
    NoTable,
    /// The table gives it no model, or one that is not there.
    Missing(Error),
}

/// The objects of an area.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Instances {
    /// Doors, placeables and creatures, in the order of the file.
    pub objects: Vec<Object>,
    /// What is seen of each kind of object, by template.
    pub bodies: BTreeMap<(ObjectKind, String), Body>,
    /// Models by their names in lower case.
    pub models: BTreeMap<String, Model>,
    /// Creatures by their looks.
    pub creatures: BTreeMap<Look, Character>,
}

/// Bytes of all templates, tables and models together.
const MOST: u64 = 2 << 30;

/// Files of a game, of which no more than [`MOST`] bytes are read.
#[derive(Debug)]
struct Counted<'a> {
    files: &'a dyn SiblingFiles,
    left: Cell<u64>,
}

impl SiblingFiles for Counted<'_> {
    fn file(&self, path: &str) -> Option<Vec<u8>> {
        let bytes = self.files.file(path)?;
        self.left.set(self.left.get().checked_sub(bytes.len() as u64)?);
        Some(bytes)
    }
}

/// What reading the templates needs.
struct Reading<'a> {
    files: &'a Counted<'a>,
    limits: &'a Limits,
    tables: BTreeMap<&'static str, Option<TwoDa>>,
    appearances: Option<Result<Appearances>>,
}

impl Instances {
    /// Reads the objects of an area, and their templates, tables and models where they are available.
    pub fn read(git: &Gff, files: Option<&dyn SiblingFiles>, limits: &Limits) -> Result<Instances> {
        let mut out = Instances::default();
        for stored in &STORED {
            let objects = git.root().list(stored.list).map(|record| object(stored, record));
            out.objects.extend(objects.take(limits.nodes as usize));
        }
        let Some(files) = files else { return Ok(out) };
        let files = Counted { files, left: Cell::new(MOST) };
        let mut reading = Reading { files: &files, limits, tables: BTreeMap::new(), appearances: None };
        for object in std::mem::take(&mut out.objects) {
            let key = (object.kind, object.template.clone());
            if !out.bodies.contains_key(&key) && !key.1.is_empty() {
                let body = reading.body(&object, &mut out).unwrap_or_else(Body::Missing);
                out.bodies.insert(key, body);
            }
            out.objects.push(object);
        }
        Ok(out)
    }

    /// Returns what is seen of an object.
    pub fn body(&self, object: &Object) -> Option<&Body> {
        self.bodies.get(&(object.kind, object.template.clone()))
    }

    /// Returns how many objects of a kind there are.
    pub fn count(&self, kind: ObjectKind) -> usize {
        self.objects.iter().filter(|object| object.kind == kind).count()
    }
}

fn object(stored: &Stored, record: Record<'_>) -> Object {
    let float = |label| record.float(label).unwrap_or(0.0);
    let turn = match stored.kind {
        // Creatures have the direction they look in; at rest they look along Y.
        ObjectKind::Creature => -libm::atan2f(float("XOrientation"), float("YOrientation")),
        _ => float("Bearing"),
    };
    Object {
        kind: stored.kind,
        template: record.text("TemplateResRef").map_or(String::new(), |name| name.to_lowercase()),
        position: stored.place.map(float),
        turn,
    }
}

impl Reading<'_> {
    fn gff(&self, name: &str) -> Result<Option<Gff>> {
        let read = |bytes: Vec<u8>| Gff::read(&bytes, self.limits).map_err(|e| e.within(name));
        self.files.file(name).map(read).transpose()
    }

    /// Finds the number of an object's template in the table of its kind, and the model there.
    fn body(&mut self, object: &Object, out: &mut Instances) -> Result<Body> {
        let Some(stored) = STORED.iter().find(|stored| stored.kind == object.kind) else {
            return Ok(Body::NoTemplate);
        };
        let Some(template) = self.gff(&format!("{}.{}", object.template, stored.template))? else {
            return Ok(Body::NoTemplate);
        };
        if self.table(stored.table)?.is_none() {
            return Ok(Body::NoTable);
        }
        let number = template.root().number(stored.number).and_then(|n| u32::try_from(n).ok()).unwrap_or(0);
        if object.kind == ObjectKind::Creature {
            let look = self.worn(template.root(), Look::row(number))?;
            if let Entry::Vacant(place) = out.creatures.entry(look) {
                place.insert(self.creature(&look)?);
            }
            return Ok(Body::Creature(look));
        }
        let table = self.table(stored.table)?;
        let name = table.and_then(|table| table.cell(number as usize, "modelname").map(Cow::into_owned));
        let what = || format!("{} > row {number}", stored.table);
        let name = name.ok_or_else(|| absent(&what(), "modelname"))?.to_lowercase();
        if !out.models.contains_key(&name) {
            out.models.insert(name.clone(), model(&what(), &name, self.files, self.limits)?);
        }
        Ok(Body::Model(name))
    }

    fn creature(&mut self, look: &Look) -> Result<Character> {
        let tables = self.appearances.get_or_insert_with(|| Appearances::read(self.files, self.limits));
        Character::of(tables.as_ref().map_err(Clone::clone)?, look, self.files, self.limits)
    }

    fn table(&mut self, name: &'static str) -> Result<Option<&TwoDa>> {
        if !self.tables.contains_key(name) {
            self.tables.insert(name, table(name, self.files, self.limits)?);
        }
        Ok(self.tables.get(name).and_then(Option::as_ref))
    }

    /// Returns the look of a creature with what it wears on its body.
    fn worn(&mut self, creature: Record<'_>, look: Look) -> Result<Look> {
        /// The type of the struct of what is worn on the body.
        const BODY: u32 = 2;
        let worn = creature.list("Equip_ItemList").find(|item| item.kind() == BODY);
        let Some(name) = worn.and_then(|item| item.text("EquippedRes")) else { return Ok(look) };
        let Some(item) = self.gff(&format!("{}.uti", name.to_lowercase()))? else { return Ok(look) };
        let number = |label: &str| item.root().number(label).and_then(|n| u32::try_from(n).ok());
        let Some(base) = number("BaseItem") else { return Ok(look) };
        let Some(items) = self.table("baseitems.2da")? else { return Ok(look) };
        let letter = items.cell(base as usize, "bodyvar").and_then(|cell| cell.chars().next());
        let letter = letter.filter(char::is_ascii_alphabetic).map(|c| c.to_ascii_lowercase());
        Ok(match letter {
            Some(body) => {
                Look { body, texture: number("TextureVar").filter(|n| *n > 0).unwrap_or(1), ..look }
            }
            None => look,
        })
    }
}
