//! Materials to the scene: slots, parameters, shaders, and the part of mesh flags that materials of the scene hold.

use std::collections::HashMap;

use galatea_scene::{Extras, Material, MaterialId, Scene, Texture as SceneTexture, Value, floats};

use super::To;
use crate::mesh::Mesh;
use crate::model::{MaterialInstance, Texture, TexturePath};
use crate::name::Name;
use crate::scene::extra::{put, put_bytes, wrap};
use crate::scene::material::{alpha, looks, slot_kind};

/// Which material of the scene stands for which material and flags.
pub(super) struct Materials(HashMap<(u16, u32), MaterialId>);

impl Materials {
    pub(super) fn of(&self, mesh: &Mesh) -> Option<MaterialId> {
        self.0.get(&(mesh.material, looks(mesh.flags))).copied()
    }
}

impl To<'_> {
    /// Returns all materials in their order; one that is used with several flags is there several times.
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
            let mut stored = Extras::new();
            self.put_word(&mut stored, "name", &p.name);
            put(&mut stored, "value", floats(&p.value));
            Value::Object(stored)
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

    /// Puts a name into extras.
    fn put_word(&self, map: &mut Extras, key: &'static str, name: &Name) {
        let shown = self.shown(name);
        put_bytes(map, key, name, &shown, self.hashes);
        put(map, key, shown);
    }
}
