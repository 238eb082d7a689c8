//! Materials both ways: slots, parameters, shaders, and the part of mesh flags that materials of the scene hold.

use std::collections::{BTreeMap, HashMap};

use galatea_scene::{
    AlphaMode, Extras, Material, MaterialId, Scene, Slot, Texture as SceneTexture, Value, floats,
};

use galatea_wire::Loss;

use super::extra::{array, index, objects, own, put, put_bytes, read_name, text, wrap};
use super::{Game, To};
use crate::mesh::Mesh;
use crate::model::{MaterialInstance, Parameter, Texture, TexturePath};
use crate::name::Name;

/// Flag bits that glass and decals have.
const GLASS: u32 = 0x50;
/// The part of flags that is the way of blending.
const BLEND: u32 = 0xF;

/// How a mesh with these flags mixes with what is behind.
pub(super) fn alpha(flags: u32) -> AlphaMode {
    if flags & Mesh::ALPHA_TEST != 0 {
        AlphaMode::Mask { cutoff: 0.5 }
    } else if flags & BLEND == 1 {
        AlphaMode::Additive
    } else if flags & GLASS != 0 {
        AlphaMode::Blend
    } else {
        AlphaMode::Opaque
    }
}

/// Flags changed as little as a material asks for.
pub(super) fn flags_for(flags: u32, material: &Material) -> u32 {
    let two_sided = if material.two_sided { Mesh::TWO_SIDED } else { 0 };
    let flags = flags & !Mesh::TWO_SIDED | two_sided;
    if std::mem::discriminant(&alpha(flags)) == std::mem::discriminant(&material.alpha) {
        return flags;
    }
    let plain = flags & !(Mesh::ALPHA_TEST | BLEND | GLASS);
    match material.alpha {
        AlphaMode::Opaque => plain,
        AlphaMode::Additive => plain | 1,
        AlphaMode::Mask { .. } => plain | Mesh::ALPHA_TEST,
        _ => plain | 0x10,
    }
}

/// Which material of the scene stands for which material and flags.
pub(super) struct Materials(HashMap<(u16, u32), MaterialId>);

/// The flags that make a material of its own.
fn looks(flags: u32) -> u32 {
    flags & (Mesh::ALPHA_TEST | Mesh::TWO_SIDED | BLEND | GLASS)
}

impl Materials {
    pub(super) fn of(&self, mesh: &Mesh) -> Option<MaterialId> {
        self.0.get(&(mesh.material, looks(mesh.flags))).copied()
    }
}

impl To<'_> {
    /// All materials in their order; one that is used with several flags is there several times.
    pub(super) fn add_materials(&self, scene: &mut Scene) -> Materials {
        let mut used: Vec<Vec<u32>> = vec![Vec::new(); self.model.materials.len()];
        for mesh in &self.model.meshes {
            if let Some(list) = used.get_mut(usize::from(mesh.material)) {
                let flags = looks(mesh.flags);
                if !list.contains(&flags) {
                    list.push(flags);
                }
            }
        }
        let mut out = Materials(HashMap::new());
        for (i, (instance, mut flags)) in self.model.materials.iter().zip(used).enumerate() {
            if flags.is_empty() {
                flags.push(0);
            }
            for flags in flags {
                let id = scene.materials.len() as MaterialId;
                scene.materials.push(self.material(i, instance, flags));
                out.0.insert((i as u16, flags), id);
            }
        }
        out
    }

    fn material(&self, i: usize, instance: &MaterialInstance, flags: u32) -> Material {
        let mut map = Extras::new();
        put(&mut map, "instance", i);
        let name = self.shown(&instance.name);
        put_bytes(&mut map, "name", &instance.name, &name, self.hashes);
        self.put_word(&mut map, "shader", &instance.shader);
        self.put_word(&mut map, "technique", &instance.technique);
        let parameters = instance.parameters.iter().map(|p| {
            let mut told = Extras::new();
            self.put_word(&mut told, "name", &p.name);
            put(&mut told, "value", floats(&p.value));
            Value::Object(told)
        });
        put(&mut map, "parameters", Value::Array(parameters.collect()));
        Material {
            name,
            alpha: alpha(flags),
            two_sided: flags & Mesh::TWO_SIDED != 0,
            textures: instance.textures.iter().map(|t| self.texture(t)).collect(),
            extras: wrap(map),
            ..Material::default()
        }
    }

    fn texture(&self, texture: &Texture) -> SceneTexture {
        let mut map = Extras::new();
        self.put_word(&mut map, "slot", &texture.slot);
        self.put_word(&mut map, "file", &texture.file);
        let name = match &texture.path {
            TexturePath::Folder(folder) => {
                let shown = self.shown(folder);
                put_bytes(&mut map, "folder", folder, &shown, self.hashes);
                format!("{shown}{}", self.shown(&texture.file))
            }
            TexturePath::Code(code) => {
                let path = self.names.path(*code).map(|p| format!("{p}.ftex"));
                path.unwrap_or_else(|| format!("0x{code:x}"))
            }
        };
        if self.hashes {
            put(&mut map, "code", format!("0x{:x}", texture.code()));
        }
        let slot = slot_kind(&self.shown(&texture.slot));
        SceneTexture { slot, name, extras: wrap(map), ..SceneTexture::default() }
    }

    /// A name in extras.
    fn put_word(&self, map: &mut Extras, key: &'static str, name: &Name) {
        let shown = self.shown(name);
        put_bytes(map, key, name, &shown, self.hashes);
        put(map, key, shown);
    }
}

/// What the scene calls a slot of a shader.
fn slot_kind(slot: &str) -> Slot {
    match slot {
        "Base_Tex_SRGB" | "Base_Tex_LIN" => Slot::Base,
        "NormalMap_Tex_NRM" => Slot::Normal,
        "SpecularMap_Tex_LIN" => Slot::Specular,
        other => Slot::Other(other.to_owned()),
    }
}

/// The slot of a shader for a slot of the scene.
fn slot_name(slot: &Slot) -> Option<&str> {
    match slot {
        Slot::Base => Some("Base_Tex_SRGB"),
        Slot::Normal => Some("NormalMap_Tex_NRM"),
        Slot::Specular => Some("SpecularMap_Tex_LIN"),
        Slot::Other(name) => Some(name),
        _ => None,
    }
}

/// The code of a path as the scene shows it: `0x` and digits, or a path.
fn path_code(shown: &str) -> u64 {
    match shown.strip_prefix("0x").map(|h| u64::from_str_radix(h, 16)) {
        Some(Ok(code)) => code,
        _ => crate::path_code64(shown),
    }
}

/// The part of a code that does not depend on the extension.
fn key(code: u64) -> u64 {
    code & (crate::PATH_MASK | crate::PATH_META)
}

/// Reads materials and keeps equal ones together.
pub(super) struct Reader<'a> {
    pub(super) scene: &'a Scene,
    pub(super) game: Game,
    pub(super) hashes: bool,
    /// The instances so far; those of the source in the order they had.
    pub(super) instances: Vec<MaterialInstance>,
    numbers: HashMap<Option<MaterialId>, u16>,
    pub(super) losses: Vec<Loss>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(scene: &'a Scene, game: Game, hashes: bool) -> Reader<'a> {
        let mut out = Reader {
            scene,
            game,
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
            let number = u16::try_from(out.instances.len()).unwrap_or(u16::MAX);
            out.numbers.extend(users.into_iter().map(|user| (Some(user), number)));
            out.instances.push(instance);
        }
        out
    }

    /// The number of the instance for a material of the scene.
    pub(super) fn number(&mut self, id: Option<MaterialId>) -> u16 {
        if let Some(number) = self.numbers.get(&id) {
            return *number;
        }
        let plain = Material { name: "default".into(), ..Material::default() };
        let material = id.and_then(|id| self.scene.materials.get(id as usize)).unwrap_or(&plain);
        let instance = self.read(material);
        if index(own(&material.extras), "instance").is_none() {
            self.name_losses(material);
        }
        let number = u16::try_from(self.instances.len()).unwrap_or(u16::MAX);
        self.instances.push(instance);
        self.numbers.insert(id, number);
        number
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
        let known = index(map, "instance").is_some();
        let word =
            |map: &Extras, key: &str| text(map, key).map(|shown| read_name(map, key, shown, self.hashes));
        let (shader, technique) = self.game.shader();
        let parameter = |told: &Extras| {
            Some(Parameter { name: word(told, "name")?, value: array(told, "value").unwrap_or_default() })
        };
        let parameters = if known {
            objects(map, "parameters").filter_map(parameter).collect()
        } else {
            vec![Parameter { name: Name::from("MatParamIndex_0"), value: [0.0; 4] }]
        };
        let textures = material.textures.iter().filter_map(|t| self.texture(t));
        MaterialInstance {
            name: read_name(map, "name", &material.name, self.hashes),
            shader: word(map, "shader").unwrap_or_else(|| Name::from(shader)),
            technique: word(map, "technique").unwrap_or_else(|| Name::from(technique)),
            textures: textures.collect(),
            parameters,
        }
    }

    fn texture(&self, texture: &SceneTexture) -> Option<Texture> {
        let map = own(&texture.extras);
        let told = text(map, "slot").filter(|t| slot_kind(t) == texture.slot);
        let slot = match told {
            Some(shown) => read_name(map, "slot", shown, self.hashes),
            None => Name::from(slot_name(&texture.slot)?),
        };
        let mut out = Texture { slot, ..Texture::default() };
        if !self.hashes {
            out.path = TexturePath::Folder(Name::EMPTY);
        }
        let told = text(map, "code").map(path_code);
        let same = told.filter(|told| key(*told) == key(path_code(&texture.name)));
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
