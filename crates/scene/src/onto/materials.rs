//! Materials: colours and textures from the edit, everything else from the original.

use super::{Fate, Merge, Part, close, match_names, plain};
use crate::{AlphaMode, Material, MaterialId, Texture};

/// How much a program may change a colour by itself.
const COLOR: f32 = 2e-3;

impl Merge<'_> {
    /// Takes over the materials, and adds new ones.
    pub(super) fn materials(&mut self) {
        let named = self.edited.materials.iter().map(|m| (m.name.as_str(), &m.extras));
        let pairs = match_names(named, self.original.materials.iter().map(|m| m.name.as_str()));
        let mut there = vec![false; self.original.materials.len()];
        for (material, pair) in self.edited.materials.iter().zip(pairs) {
            let id = match pair {
                Some(original) => {
                    there.get_mut(original).into_iter().for_each(|slot| *slot = true);
                    if let Some(slot) = self.out.materials.get_mut(original) {
                        let what = take(slot, material);
                        let fate = if what.is_empty() { Fate::Kept } else { Fate::Changed };
                        self.account.add(Part::Material, fate, &material.name, what.join(", "));
                    }
                    original as MaterialId
                }
                None => {
                    self.account.add(Part::Material, Fate::New, &material.name, "");
                    // Layers are set when every material has its place.
                    self.out.materials.push(Material { layers: Vec::new(), ..plain(material) });
                    self.out.materials.len() as MaterialId - 1
                }
            };
            self.material_ids.push(Some(id));
        }
        for (material, id) in self.edited.materials.iter().zip(&self.material_ids) {
            let new = id.filter(|id| *id as usize >= self.original.materials.len());
            let Some(slot) = new.and_then(|id| self.out.materials.get_mut(id as usize)) else { continue };
            let layers = material.layers.iter().filter_map(|l| *self.material_ids.get(*l as usize)?);
            slot.layers = layers.collect();
        }
        let used = self.used_materials();
        for (id, there) in there.into_iter().enumerate().filter(|(_, there)| !there) {
            let name = self.original.materials.get(id).map_or("", |m| m.name.as_str());
            if used.get(id) == Some(&true) {
                // Whether it is gone is known once the meshes are in place.
                self.gone_materials.get_mut(id).into_iter().for_each(|slot| *slot = true);
            } else {
                let why = if there { "" } else { "no triangle uses it, so it was not exported" };
                self.account.add(Part::Material, Fate::Kept, name, why);
            }
        }
    }

    /// Returns for each material of the original whether a triangle has it, or a material whose layer it is.
    fn used_materials(&self) -> Vec<bool> {
        let mut used = vec![false; self.original.materials.len()];
        for primitive in self.original.meshes.iter().flat_map(|m| &m.primitives) {
            let solid = self.original.vertices_of(primitive);
            let solid = solid.is_some_and(|v| primitive.triangles(v.positions.len()).next().is_some());
            let slot = primitive.material.and_then(|m| used.get_mut(m as usize));
            slot.into_iter().for_each(|slot| *slot |= solid);
        }
        used
    }
}

/// Takes over what was changed in a material, and returns what that is.
fn take(into: &mut Material, edited: &Material) -> Vec<&'static str> {
    let mut what = Vec::new();
    if !close(&into.base_color, &edited.base_color, COLOR) {
        into.base_color = edited.base_color;
        what.push("colour");
    }
    if !close(&into.emissive, &edited.emissive, COLOR) {
        into.emissive = edited.emissive;
        what.push("emitted light");
    }
    // Editors write values of their own for materials without lighting.
    let own = edited.unlit || into.unlit;
    if !own && !close(&[into.metallic, into.roughness], &[edited.metallic, edited.roughness], COLOR) {
        (into.metallic, into.roughness) = (edited.metallic, edited.roughness);
        what.push("metalness or roughness");
    }
    if into.two_sided != edited.two_sided {
        into.two_sided = edited.two_sided;
        what.push("sides");
    }
    if take_alpha(&mut into.alpha, edited.alpha) {
        what.push("blending");
    }
    if super::base_name(&into.name) != super::base_name(&edited.name) && !edited.name.is_empty() {
        into.name.clone_from(&edited.name);
        what.push("name");
    }
    if take_textures(&mut into.textures, &edited.textures) {
        what.push("textures");
    }
    what
}

/// Takes over a blending that was changed. Programs have three ways of blending; those they lack look like one of them.
fn take_alpha(into: &mut AlphaMode, edited: AlphaMode) -> bool {
    let same = match (*into, edited) {
        (AlphaMode::Mask { cutoff: a }, AlphaMode::Mask { cutoff: b }) => (a - b).abs() <= COLOR,
        (AlphaMode::Additive | AlphaMode::Modulate | AlphaMode::Modulate2x, AlphaMode::Blend) => true,
        (a, b) => a == b,
    };
    if !same {
        *into = edited;
    }
    !same
}

/// Takes over textures that were swapped: another name in a slot. Textures that the edit lacks were not shown.
fn take_textures(into: &mut Vec<Texture>, edited: &[Texture]) -> bool {
    let mut changed = false;
    for texture in edited {
        match into.iter_mut().find(|t| t.slot == texture.slot) {
            Some(slot) if same_image(&slot.name, &texture.name) => {}
            Some(slot) => {
                slot.name.clone_from(&texture.name);
                changed = true;
            }
            None => {
                into.push(texture.clone());
                changed = true;
            }
        }
    }
    changed
}

/// Returns `true` if two names mean the same image: programs drop directories, endings and case, and append numbers.
fn same_image(a: &str, b: &str) -> bool {
    fn stem(name: &str) -> &str {
        let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
        let name = super::base_name(name);
        match name.rsplit_once('.') {
            Some((stem, ending)) if !stem.is_empty() && ending.len() <= 5 => stem,
            _ => name,
        }
    }
    stem(a).eq_ignore_ascii_case(stem(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_are_the_same_whatever_a_program_makes_of_their_names() {
        for other in ["warlock", "Warlock.png", "units/Warlock.001", "Units\\Human\\warlock.blp.001"] {
            assert!(same_image("Units\\Human\\Warlock.blp", other), "{other}");
        }
        assert!(!same_image("Warlock.blp", "Warlock2.blp"));
    }
}
