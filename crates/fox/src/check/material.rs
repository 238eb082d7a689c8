//! Rules about what the games look up by name: shaders, slots, textures, bones.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use super::Checker;
use crate::model::{Fmdl, Group, MaterialInstance, TexturePath};
use crate::name::Name;
use crate::names::Dictionary;
use crate::presets::{Presets, closest};
use crate::rules::*;
use crate::wire;

/// Endings of source files.
const SOURCES: [&str; 3] = [".tga", ".psd", ".dds"];

/// The names that the games and tools use, by their hashes.
struct Known {
    words: Dictionary,
    shaders: HashSet<u64>,
    techniques: HashSet<u64>,
    /// Slots and parameters.
    slots: HashSet<u64>,
    /// The slots of each pair of shader and technique that always has the same.
    slots_of: HashMap<(u64, u64), Vec<Name>>,
}

static KNOWN: LazyLock<Known> = LazyLock::new(|| {
    let presets = Presets::built_in();
    let mut slots_of: HashMap<(u64, u64), Option<Vec<Name>>> = HashMap::new();
    for preset in presets.iter().filter(|p| p.count > 0) {
        let slot = slots_of.entry((preset.shader.code(), preset.technique.code()));
        slot.and_modify(|s| *s = s.take().filter(|s| *s == preset.slots))
            .or_insert(Some(preset.slots.clone()));
    }
    let slots = presets.iter().flat_map(|p| p.slots.iter().chain(p.parameters.iter().map(|p| &p.name)));
    Known {
        words: Dictionary::built_in(),
        shaders: presets.pairs().map(|(shader, _)| shader.code()).collect(),
        techniques: presets.pairs().map(|(_, technique)| technique.code()).collect(),
        slots: slots.map(Name::code).collect(),
        slots_of: slots_of.into_iter().filter_map(|(pair, slots)| Some((pair, slots?))).collect(),
    }
});

impl Known {
    fn has_slot(&self, name: &Name) -> bool {
        name.is_empty() || self.slots.contains(&name.code()) || self.words.name(name.code()).is_some()
    }
}

/// Returns what a misspelt name was to be, as the end of a message.
fn meant<'a>(name: &Name, words: impl Iterator<Item = &'a Name>) -> String {
    let words: Vec<String> = words.filter_map(|w| w.text().map(|t| t.into_owned())).collect();
    let near = name.text().and_then(|text| closest(&text, words.iter().map(String::as_str)));
    near.map_or(String::new(), |near| format!("; {near:?} is known"))
}

impl Checker<'_> {
    /// Checks what the game finds by name.
    pub(super) fn looked_up(&mut self) {
        let pes = is_pes(self.doc);
        for (i, material) in self.doc.materials.iter().enumerate() {
            self.shader(i, material, pes);
            self.slots(i, material);
        }
        self.visibility();
        let mut seen = HashSet::new();
        for (i, bone) in self.doc.bones.iter().enumerate() {
            if !seen.insert(bone.name.code()) {
                let at = self.record::<wire::Bone>(0x0, i);
                self.add(&DOUBLE_BONE, at, || format!("bones[{i}]"), || format!("{:?}", bone.name));
            }
        }
        self.name_table();
    }

    fn shader(&mut self, i: usize, material: &MaterialInstance, pes: bool) {
        let at = self.record::<wire::MaterialInstance>(0x4, i);
        let path = || format!("materials[{i}] {:?}", material.name);
        let (shader, technique) = (&material.shader, &material.technique);
        if !shader.is_empty() && !KNOWN.shaders.contains(&shader.code()) {
            let what = || {
                let pairs = Presets::built_in().pairs().map(|(shader, _)| shader);
                format!("shader {shader:?}{}", meant(shader, pairs))
            };
            self.add(&UNKNOWN_SHADER, at, path, what);
        }
        if !technique.is_empty() && !KNOWN.techniques.contains(&technique.code()) {
            let what = || {
                let pairs = Presets::built_in().pairs().map(|(_, technique)| technique);
                format!("technique {technique:?}{}", meant(technique, pairs))
            };
            self.add(&UNKNOWN_SHADER, at, path, what);
        }
        if pes
            && [shader, technique]
                .iter()
                .any(|n| n.text().is_some_and(|t| t.to_lowercase().starts_with("tpp")))
        {
            self.add(&FOREIGN_SHADER, at, path, || format!("{shader:?}, {technique:?}"));
        }
    }

    fn slots(&mut self, i: usize, material: &MaterialInstance) {
        let at = self.record::<wire::MaterialInstance>(0x4, i);
        let presets = Presets::built_in();
        for (k, texture) in material.textures.iter().enumerate() {
            let path = || format!("materials[{i}].textures[{k}]");
            if !KNOWN.has_slot(&texture.slot) {
                let slots = || presets.iter().flat_map(|p| &p.slots);
                let what = || format!("slot {:?}{}", texture.slot, meant(&texture.slot, slots()));
                self.add(&UNKNOWN_SLOT, at, path, what);
            }
            let named = texture.file.text();
            let wrong = named.is_some_and(|n| !SOURCES.iter().any(|e| n.to_lowercase().ends_with(e)));
            if wrong && !(texture.file.is_empty() && matches!(texture.path, TexturePath::Code(_))) {
                self.add(&TEXTURE_ENDING, at, path, || format!("{:?}", texture.file));
            }
        }
        for (k, parameter) in material.parameters.iter().enumerate() {
            if !KNOWN.has_slot(&parameter.name) {
                let all = || presets.iter().flat_map(|p| &p.parameters).map(|p| &p.name);
                let what = || format!("parameter {:?}{}", parameter.name, meant(&parameter.name, all()));
                self.add(&UNKNOWN_SLOT, at, || format!("materials[{i}].parameters[{k}]"), what);
            }
        }
        let pair = (material.shader.code(), material.technique.code());
        // That there are none at all is already reported.
        let Some(wanted) = KNOWN.slots_of.get(&pair).filter(|_| !material.textures.is_empty()) else {
            return;
        };
        let there: HashSet<u64> = material.textures.iter().map(|t| t.slot.code()).collect();
        let missing: Vec<&Name> = wanted.iter().filter(|s| !there.contains(&s.code())).collect();
        if !missing.is_empty() {
            let path = || format!("materials[{i}] {:?}", material.name);
            self.add(&MISSING_SLOT, at, path, || format!("{missing:?}"));
        }
    }

    /// Groups are hidden by themselves and by those above them.
    fn visibility(&mut self) {
        let mut hidden: Vec<bool> = Vec::with_capacity(self.doc.groups.len());
        for group in &self.doc.groups {
            let above = group.parent.and_then(|p| hidden.get(usize::from(p))).copied().unwrap_or(false);
            hidden.push(group.flags & Group::INVISIBLE != 0 || above);
        }
        let filled = self.doc.runs.iter().filter(|r| r.mesh_count > 0);
        let mut states = filled.filter_map(|r| hidden.get(usize::from(r.group))).peekable();
        if states.peek().is_some() && states.all(|hidden| *hidden) {
            self.add(&ALL_HIDDEN, None, || "groups".into(), || "no visible group has a mesh".into());
        }
    }

    fn name_table(&mut self) {
        let Some(original) = self.original() else { return };
        let (texts, hashes) = (original.tables.strings.len(), original.tables.hashes.len());
        let wrong = if self.doc.has_hashes() { texts > 0 } else { texts == 0 && hashes > 0 };
        if wrong {
            let version = self.doc.version;
            let what = || format!("version {version} with {texts} texts and {hashes} hashes");
            self.add(&NAME_TABLE, Some(4), || "header".into(), what);
        }
    }
}

/// Returns `true` for a model of PES: its bones, folders and matrices are none of the other games'.
fn is_pes(model: &Fmdl) -> bool {
    let bone = |name: &Name| {
        name.text().is_some_and(|n| ["sk_", "dsk_", "skf_", "skh_"].iter().any(|s| n.starts_with(s)))
    };
    let folder = |path: &TexturePath| match path {
        TexturePath::Folder(folder) => folder.text().is_some_and(|f| f.starts_with("/Assets/pes")),
        TexturePath::Code(_) => false,
    };
    !model.has_hashes()
        && (!model.bone_matrices.is_empty()
            || model.bones.iter().any(|b| bone(&b.name))
            || model.materials.iter().flat_map(|m| &m.textures).any(|t| folder(&t.path)))
}
