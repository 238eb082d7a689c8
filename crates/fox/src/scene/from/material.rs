//! Materials from the scene; equal ones become one.

use std::collections::{BTreeMap, HashMap};

use galatea_scene::{Extras, Material, MaterialId, Scene, Texture as SceneTexture};
use galatea_wire::Loss;

use crate::model::{MaterialInstance, Parameter, Texture, TexturePath};
use crate::name::Name;
use crate::scene::extra::{array, index, int, objects, own, read_name, text};
use crate::scene::material::{slot_kind, slot_name};

/// Returns the code of a path as the scene shows it: `0x` and digits, or a path.
fn path_code(shown: &str) -> u64 {
    match shown.strip_prefix("0x").map(|h| u64::from_str_radix(h, 16)) {
        Some(Ok(code)) => code,
        _ => crate::path_code64(shown),
    }
}

/// Returns the part of a code that does not depend on the extension.
fn key(code: u64) -> u64 {
    code & (crate::PATH_MASK | crate::PATH_META)
}

/// Reads materials and keeps equal ones together.
pub(super) struct Reader<'a> {
    pub(super) scene: &'a Scene,
    /// The material of what has none.
    plain: Material,
    pub(super) hashes: bool,
    /// The instances so far; those of the source in the order they had.
    pub(super) instances: Vec<MaterialInstance>,
    numbers: HashMap<Option<MaterialId>, u16>,
    pub(super) losses: Vec<Loss>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(scene: &'a Scene, plain: Material, hashes: bool) -> Reader<'a> {
        let mut out = Reader {
            scene,
            plain,
            hashes,
            instances: Vec::new(),
            numbers: HashMap::new(),
            losses: Vec::new(),
        };
        // First all that have a place, so that new ones take none of theirs.
        let mut there: BTreeMap<usize, (MaterialInstance, Vec<MaterialId>)> = BTreeMap::new();
        for (i, material) in scene.materials.iter().enumerate() {
            let Some(place) = index(own(&material.extras), "instance") else { continue };
            let instance = out.read(material);
            let entry = there.entry(place).or_insert_with(|| (instance.clone(), Vec::new()));
            if entry.0 == instance {
                entry.1.push(i as MaterialId);
            }
        }
        for (instance, users) in there.into_values() {
            out.name_paths(&instance);
            let number = u16::try_from(out.instances.len()).unwrap_or(u16::MAX);
            out.numbers.extend(users.into_iter().map(|user| (Some(user), number)));
            out.instances.push(instance);
        }
        out
    }

    /// Returns the number of the instance for a material of the scene.
    pub(super) fn number(&mut self, id: Option<MaterialId>) -> u16 {
        if let Some(number) = self.numbers.get(&id) {
            return *number;
        }
        let scene = self.scene;
        let material = id.and_then(|id| scene.materials.get(id as usize)).unwrap_or(&self.plain).clone();
        let instance = self.read(&material);
        if index(own(&material.extras), "instance").is_none() {
            self.name_losses(&material);
            self.name_paths(&instance);
        }
        let number = u16::try_from(self.instances.len()).unwrap_or(u16::MAX);
        self.instances.push(instance);
        self.numbers.insert(id, number);
        number
    }

    /// Returns the flags of meshes with a material that did not come from a model.
    pub(super) fn flags(&self, id: Option<MaterialId>) -> Option<u32> {
        let material = id.and_then(|id| self.scene.materials.get(id as usize)).unwrap_or(&self.plain);
        let map = own(&material.extras);
        let flags = int(map, "flags").filter(|_| index(map, "instance").is_none())?;
        Some(flags as u32)
    }

    /// Names textures whose path is a hash, in a file of texts.
    fn name_paths(&mut self, instance: &MaterialInstance) {
        for texture in &instance.textures {
            if let TexturePath::Folder(folder) = &texture.path
                && let Name::Hash(hash) = Name::parse(&folder.to_string())
            {
                let place = format!("material {:?}", instance.name.to_string());
                let what = format!("path of {}: no name of 0x{hash:016x} is known", texture.slot);
                self.losses.push(Loss::new(place, what));
            }
        }
    }

    fn name_losses(&mut self, material: &Material) {
        let mut lost = Vec::new();
        if material.base_color != [1.0; 4] {
            lost.push("colour");
        }
        if material.emissive != [0.0; 3] {
            lost.push("own light");
        }
        if material.metallic != 0.0 || material.roughness != 1.0 {
            lost.push("metalness and roughness");
        }
        if material.unlit {
            lost.push("being unlit");
        }
        if !material.layers.is_empty() {
            lost.push("layers");
        }
        if material.textures.iter().any(|t| t.transform.is_some()) {
            lost.push("changed texture coordinates");
        }
        let slots = material.textures.iter().filter(|t| slot_name(&t.slot).is_none());
        let slots: Vec<&str> = slots.map(|t| t.slot.name()).collect();
        lost.extend(&slots);
        if !lost.is_empty() {
            self.losses.push(Loss::new(format!("material {:?}", material.name), lost.join(", ")));
        }
    }

    fn read(&self, material: &Material) -> MaterialInstance {
        let map = own(&material.extras);
        let word =
            |map: &Extras, key: &str| text(map, key).map(|shown| read_name(map, key, shown, self.hashes));
        let parameter = |stored: &Extras| {
            Some(Parameter { name: word(stored, "name")?, value: array(stored, "value").unwrap_or_default() })
        };
        let parameters = objects(map, "parameters").filter_map(parameter).collect();
        let textures = material.textures.iter().filter_map(|t| self.texture(t));
        MaterialInstance {
            name: read_name(map, "name", &material.name, self.hashes),
            shader: word(map, "shader").unwrap_or_default(),
            technique: word(map, "technique").unwrap_or_default(),
            textures: textures.collect(),
            parameters,
        }
    }

    fn texture(&self, texture: &SceneTexture) -> Option<Texture> {
        let map = own(&texture.extras);
        let stored = text(map, "slot").filter(|t| slot_kind(t) == texture.slot);
        let slot = match stored {
            Some(shown) => read_name(map, "slot", shown, self.hashes),
            None => Name::from(slot_name(&texture.slot)?),
        };
        let mut out = Texture { slot, ..Texture::default() };
        if !self.hashes {
            out.path = TexturePath::Folder(Name::EMPTY);
        }
        let stored = text(map, "code").map(path_code);
        let same = stored.filter(|stored| key(*stored) == key(path_code(&texture.name)));
        match (self.hashes, same, text(map, "file")) {
            (true, Some(code), Some(file)) => {
                out.file = read_name(map, "file", file, true);
                out.path = TexturePath::Code(code);
            }
            // A file of texts: what stands before the file's name is its folder.
            (false, None, Some(file)) if texture.name.ends_with(file) => {
                let folder = texture.name.get(..texture.name.len() - file.len()).unwrap_or("");
                out.file = read_name(map, "file", file, false);
                out.path = TexturePath::Folder(read_name(map, "folder", folder, false));
            }
            (false, Some(_), Some(file)) if texture.name.starts_with("0x") => {
                out.file = Name::from(file);
                out.path = TexturePath::Folder(Name::from(texture.name.as_str()));
            }
            _ if self.hashes && texture.name.starts_with("0x") => {
                out.path = TexturePath::Code(path_code(&texture.name));
            }
            _ => out.set_path(&texture.name),
        }
        Some(out)
    }
}
