//! Materials, textures and texture animations from the scene.

use foldhash::{HashMap, HashSet};
use galatea_scene::{Extras, Material as SceneMaterial, Purpose, Slot, Texture as SceneTexture, Wrap};
use galatea_wire::Loss;

use super::FromScene;
use super::frame::Frame;
use super::surface::game_path;
use crate::scene::binding::{layer_bindings, slot_bindings, uv_bindings};
use crate::scene::extra::{ExtraValue, own, read_fields, text};
use crate::scene::vocabulary::{alpha_of, filter_of, is_unlit, layer_flags, slots, texture_name, wrap_of};
use crate::{Feature, Layer, LayerTexture, Material, Model, Texture, TextureAnim};

/// A texture that every Warcraft III installation has, for materials without one.
const WHITE: &str = "Textures\\white.blp";

fn flags_of(wrap: [Wrap; 2]) -> u32 {
    let [u, v] = wrap.map(|w| w != Wrap::Clamp);
    u32::from(u) | u32::from(v) << 1
}

impl FromScene<'_> {
    pub(super) fn read_materials(&mut self, model: &mut Model) {
        let map = own(&self.scene.extras);
        for entry in map.objects("textures") {
            let mut texture = Texture { replaceable_id: 0, path: Default::default(), flags: 0 };
            read_fields!(entry, texture, path, replaceable_id, flags);
            model.textures.push(texture);
        }
        self.rename_textures(model);
        let order = self.material_order();
        for id in order {
            let Some(material) = self.scene.materials.get(id as usize) else { continue };
            let index = model.materials.len() as u32;
            self.material_of.insert(id, index);
            if let Some(old) = own(&material.extras).int("material") {
                self.new_materials.entry(old as u32).or_insert(index);
            }
            let read = self.read_material(model, id, material);
            model.materials.push(read);
        }
        for entry in map.objects("texture_anims") {
            let tracks = self.read_tracks(entry, "tracks", "texture animation", &[], &Frame::default());
            set_anim(model, entry.int("texture_anim"), TextureAnim { tracks });
        }
    }

    /// Renames a texture if all materials that use it have the same new name for it.
    fn rename_textures(&mut self, model: &mut Model) {
        let mut names: HashMap<i64, Option<&str>> = HashMap::default();
        for texture in self.scene.materials.iter().flat_map(|m| &m.textures) {
            if let Some(id) = own(&texture.extras).int("texture") {
                let name = names.entry(id).or_insert(Some(&texture.name));
                if *name != Some(&texture.name) {
                    *name = None;
                }
            }
        }
        for (id, name) in names {
            let slot = usize::try_from(id).ok().and_then(|i| model.textures.get_mut(i));
            if let (Some(texture), Some(name)) = (slot, name)
                && texture_name(texture) != name
            {
                texture.path = text(&game_path(name, self.version));
                // A file of its own is not the game's to replace.
                texture.replaceable_id = 0;
            }
        }
    }

    /// Returns the materials of the scene that become materials of the model, in the model's order.
    fn material_order(&self) -> Vec<u32> {
        let scene = self.scene;
        let over: HashSet<u32> = scene.materials.iter().flat_map(|m| m.layers.iter().copied()).collect();
        let drawn = |purpose: Purpose| purpose == Purpose::Render;
        let mut used: HashSet<u32> = scene.emitters.iter().filter_map(|e| e.material).collect();
        for (_, _, mesh) in scene.drawn().filter(|(_, _, mesh)| drawn(mesh.purpose)) {
            used.extend(mesh.primitives.iter().filter_map(|p| p.material));
        }
        let mut seen = HashSet::default();
        let mut order: Vec<(i64, u32)> = Vec::new();
        for (id, material) in scene.materials.iter().enumerate() {
            let id = id as u32;
            let stored = own(&material.extras).int("material").filter(|stored| seen.insert(*stored));
            if stored.is_some() || used.contains(&id) && (!over.contains(&id) || !self.native) {
                order.push((stored.unwrap_or(i64::MAX), id));
            }
        }
        order.sort_unstable();
        order.into_iter().map(|(_, id)| id).collect()
    }

    fn read_material(&mut self, model: &mut Model, id: u32, from: &SceneMaterial) -> Material {
        let map = own(&from.extras);
        let mut out = Material::default();
        read_fields!(map, out, priority_plane, flags, shader, extra);
        if map.contains_key("no_layer") && from.textures.is_empty() && from.layers.is_empty() {
            return out;
        }
        let fresh = !map.contains_key("material");
        out.layers.push(self.read_layer(model, id, from));
        for entry in map.objects("layers") {
            let number = out.layers.len();
            let layer = self.read_further(model, id, from, entry, number);
            out.layers.push(layer);
        }
        if fresh {
            self.make_hd(model, from, &mut out);
            if out.layers.len() == 1 && !Self::is_hd(&out) {
                self.apply_words(model, from, &mut out);
            }
        }
        let depth = self.scene.materials.len();
        for over in from.layers.iter().take(depth) {
            if let Some(material) = self.scene.materials.get(*over as usize) {
                out.layers.push(self.read_layer(model, *over, material));
            }
        }
        out
    }

    /// Returns the index of a texture: its previous one if the name is unchanged, else one with the same name, else a new one.
    pub(super) fn texture_id(&mut self, model: &mut Model, texture: &SceneTexture) -> u32 {
        let stored = own(&texture.extras).int("texture").and_then(|t| usize::try_from(t).ok());
        let fits = |t: &Texture| self.is_texture(t, &texture.name) && wrap_of(t.flags) == texture.wrap;
        if let Some(stored) = stored.filter(|i| model.textures.get(*i).is_some_and(fits)) {
            return stored as u32;
        }
        if let Some(found) = model.textures.iter().position(fits) {
            return found as u32;
        }
        let known = stored.and_then(|i| model.textures.get(i)).copied();
        let kept = known.filter(|t| texture_name(t) == texture.name);
        let mut new = kept.unwrap_or(Texture { replaceable_id: 0, path: self.path_of(texture), flags: 0 });
        new.flags = new.flags & !3 | flags_of(texture.wrap);
        model.textures.push(new);
        model.textures.len() as u32 - 1
    }

    fn white(&mut self, model: &mut Model) -> i32 {
        let white = SceneTexture { name: WHITE.to_owned(), ..SceneTexture::default() };
        self.texture_id(model, &white) as i32
    }

    fn read_layer(&mut self, model: &mut Model, id: u32, from: &SceneMaterial) -> Layer {
        let map = own(&from.extras);
        let fresh = !map.contains_key("layer");
        let slotted = self.version.has(Feature::TextureSlots);
        let mut layer = Layer::default();
        read_fields!(
            map,
            layer,
            texture_anim_id,
            emissive_gain,
            fresnel_color,
            fresnel_opacity,
            fresnel_team_color,
            shader_type,
            coord_id,
            filter_mode,
        );
        let [r, g, b, opacity] = from.base_color;
        if !map.contains_key("filter_mode") || alpha_of(layer.filter_mode) != from.alpha {
            layer.filter_mode = filter_of(from.alpha);
        }
        let two_sided = |flags: u32| flags & 0x10 != 0 || self.two_sided_above(map);
        layer.flags = match map.get("layer_flags").and_then(u32::read) {
            Some(flags) if two_sided(flags) == from.two_sided && is_unlit(flags) == from.unlit => flags,
            Some(flags) => flags & !0x111 | layer_flags(from.two_sided, from.unlit),
            None => layer_flags(from.two_sided, from.unlit),
        };
        layer.alpha = opacity;
        if let Some(alpha) = map.get("alpha").and_then(f32::read).filter(|_| opacity == 1.0) {
            layer.alpha = alpha;
        }
        layer.texture_id = if slotted { 0 } else { -1 };
        read_fields!(map, layer, texture_id);
        let base = from.textures.iter().find(|t| matches!(t.slot, Slot::Base | Slot::TeamColor));
        if slotted {
            self.read_slots(model, id, from, &mut layer, fresh);
        } else if let Some(texture) = base.filter(|t| !own(&t.extras).contains_key("layer")) {
            layer.texture_id = self.texture_id(model, texture) as i32;
            layer.coord_id = texture.uv_set;
        } else if fresh {
            layer.texture_id = self.white(model);
        }
        let what = format!("material {:?}", from.name);
        if fresh && [r, g, b] != [1.0; 3] {
            self.lose(Loss::new(&what, "its colour"));
        }
        if fresh && (from.emissive != [0.0; 3] || from.metallic != 0.0) {
            self.lose(Loss::new(&what, "its emissive colour or metallic value"));
        }
        let bindings = layer_bindings(self.version, id, 0);
        layer.tracks = self.read_tracks(map, "tracks", &what, &bindings, &Frame::default());
        self.read_texture_anim(model, id, map, &mut layer, &what);
        layer
    }

    /// Returns `true` if the two-sided flag is set on the material instead of the layer.
    fn two_sided_above(&self, map: &Extras) -> bool {
        !self.version.is_wow() && map.get("flags").and_then(u32::read).is_some_and(|f| f & 2 != 0)
    }

    fn read_texture_anim(&mut self, model: &mut Model, id: u32, map: &Extras, layer: &mut Layer, what: &str) {
        let stored = map.int("texture_anim");
        let bindings = uv_bindings(id);
        let moved =
            bindings.iter().any(|(_, _, b)| self.channels.contains_key(&(b.target, b.property.clone())));
        if stored.is_none() && (!moved || layer.texture_anim_id >= 0) {
            return;
        }
        let tracks = self.read_tracks(map, "uv_tracks", what, &bindings, &Frame::default());
        if stored.is_none() && tracks.is_empty() {
            return;
        }
        let index = stored.unwrap_or(model.texture_anims.len() as i64);
        set_anim(model, Some(index), TextureAnim { tracks });
        if stored.is_none() {
            layer.texture_anim_id = index as i32;
        }
    }

    fn read_slots(
        &mut self,
        model: &mut Model,
        id: u32,
        from: &SceneMaterial,
        layer: &mut Layer,
        fresh: bool,
    ) {
        for (n, texture) in from.textures.iter().enumerate() {
            let stored = own(&texture.extras);
            let known = slots().iter().position(|s| *s == texture.slot);
            let slot = stored.get("slot").and_then(u32::read).or(known.map(|k| k as u32));
            let Some(slot) = slot else {
                self.lose(Loss::new(
                    format!("material {:?}", from.name),
                    format!("the texture for {}", texture.slot.name()),
                ));
                continue;
            };
            let texture_id = match stored.int("texture") {
                Some(stored) if texture.name.is_empty() => stored as i32,
                _ => self.texture_id(model, texture) as i32,
            };
            let bindings = slot_bindings(self.version, id, n);
            let what = format!("material {:?}", from.name);
            let tracks = self.read_tracks(stored, "tracks", &what, &bindings, &Frame::default());
            layer.coord_id = texture.uv_set;
            layer.textures.push(LayerTexture { texture_id, slot, tracks });
        }
        if fresh && layer.textures.is_empty() {
            let texture_id = self.white(model);
            layer.textures.push(LayerTexture { texture_id, ..LayerTexture::default() });
        }
    }

    /// Reads a layer of a HD shader after the first.
    fn read_further(
        &mut self,
        model: &mut Model,
        id: u32,
        from: &SceneMaterial,
        map: &Extras,
        number: usize,
    ) -> Layer {
        let mut layer = Layer { texture_id: -1, ..Layer::default() };
        read_fields!(
            map,
            layer,
            texture_id,
            texture_anim_id,
            coord_id,
            emissive_gain,
            fresnel_color,
            fresnel_opacity,
            fresnel_team_color,
            shader_type,
            filter_mode,
            flags,
            alpha,
        );
        let mine = |t: &&SceneTexture| {
            let stored = own(&t.extras).int("layer");
            stored == Some(number as i64) || stored.is_none() && slots().get(number) == Some(&t.slot)
        };
        if let Some(texture) = from.textures.iter().find(mine) {
            layer.texture_id = self.texture_id(model, texture) as i32;
            layer.coord_id = texture.uv_set;
        }
        let what = format!("material {:?}", from.name);
        let bindings = layer_bindings(self.version, id, number);
        layer.tracks = self.read_tracks(map, "tracks", &what, &bindings, &Frame::default());
        if map.contains_key("texture_anim") {
            self.read_texture_anim(model, id, map, &mut layer, &what);
        }
        layer
    }

    /// Gives a new material the six textures of the HD shader.
    fn make_hd(&mut self, model: &mut Model, from: &SceneMaterial, out: &mut Material) {
        let Some(ids) = self.hd_textures(model, from) else { return };
        let slot =
            |(slot, id): (u32, u32)| LayerTexture { texture_id: id as i32, slot, ..LayerTexture::default() };
        if self.version.has(Feature::TextureSlots) {
            if let Some(layer) = out.layers.first_mut() {
                layer.textures = (0..).zip(ids).map(slot).collect();
                layer.shader_type = 1;
            }
            return;
        }
        out.shader = text("Shader_HD_DefaultUnit");
        let further = ids.into_iter().skip(1);
        out.layers.extend(further.map(|id| Layer { texture_id: id as i32, ..Layer::default() }));
    }

    /// Returns `true` if a material has the HD shader.
    fn is_hd(material: &Material) -> bool {
        material.shader.bytes().starts_with(b"Shader_HD")
            || material.layers.iter().any(|l| l.shader_type == 1)
    }

    /// Returns the index of an imported emitter's texture.
    pub(super) fn emitter_texture(&mut self, model: &mut Model, emitter: &galatea_scene::Emitter) -> i32 {
        let material = emitter.material.and_then(|m| self.scene.materials.get(m as usize));
        match material.and_then(|m| m.texture(&Slot::Base)) {
            Some(texture) => self.texture_id(model, texture) as i32,
            None => self.white(model),
        }
    }

    /// Returns the index of a primitive's material; makes one if it has none.
    pub(super) fn material_for(&mut self, model: &mut Model, material: Option<u32>) -> u32 {
        if let Some(found) = material.and_then(|m| self.material_of.get(&m)) {
            return *found;
        }
        let key = material.unwrap_or(u32::MAX);
        if let Some(found) = self.material_of.get(&key) {
            return *found;
        }
        let texture_id = self.white(model);
        let mut layer = Layer::default();
        self.set_texture(&mut layer, texture_id as u32);
        model.materials.push(Material { layers: vec![layer], ..Material::default() });
        self.material_of.insert(key, model.materials.len() as u32 - 1);
        model.materials.len() as u32 - 1
    }
}

fn set_anim(model: &mut Model, index: Option<i64>, anim: TextureAnim) {
    let Some(index) = index.and_then(|i| usize::try_from(i).ok()).filter(|i| *i < 1 << 16) else { return };
    if model.texture_anims.len() <= index {
        model.texture_anims.resize_with(index + 1, TextureAnim::default);
    }
    if let Some(slot) = model.texture_anims.get_mut(index) {
        *slot = anim;
    }
}
