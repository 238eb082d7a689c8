//! A model to a scene.

mod header;
mod material;
mod mesh;
pub(super) mod tree;
pub(super) mod vertices;

use galatea_scene::Scene;

use super::extra::wrap;
use crate::derive::Derived;
use crate::model::Fmdl;
use crate::name::Name;
use crate::names::Dictionary;

/// A model that is converted to a scene.
struct To<'a> {
    model: &'a Fmdl,
    names: &'a Dictionary,
    derived: Derived,
    /// The boxes of what the bones move.
    moved: Vec<crate::Bounds>,
    hashes: bool,
}

impl To<'_> {
    /// Returns the name as text, if anybody knows it, else its hash.
    fn shown(&self, name: &Name) -> String {
        self.names.text(name).unwrap_or_else(|| name.to_string())
    }
}

impl Fmdl {
    /// Returns the model as a neutral scene. Hashes are shown as texts where the dictionary knows them.
    ///
    /// ```
    /// use galatea_fox::{Dictionary, Fmdl, Group, Mesh, Run, Usage, Values};
    /// let mut model = Fmdl::new(2.04);
    /// let mut mesh = Mesh::default();
    /// mesh.vertices.push(Usage::Position, Values::F32x3(vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]));
    /// mesh.set_faces(&[[0, 2, 1]]);
    /// model.meshes.push(mesh);
    /// model.groups.push(Group { name: "MESH_body".into(), ..Group::default() });
    /// model.runs.push(Run { mesh_count: 1, ..Run::default() });
    /// let scene = model.to_scene("crate", &Dictionary::built_in());
    /// assert!(scene.find("MESH_body").is_some());
    /// assert_eq!(scene.meshes[0].primitives[0].indices, [0, 1, 2]);
    /// ```
    pub fn to_scene(&self, name: &str, names: &Dictionary) -> Scene {
        let to = To {
            model: self,
            names,
            derived: self.derive(),
            moved: self.moved_boxes(),
            hashes: self.has_hashes(),
        };
        let mut scene = Scene::new(name);
        let root = scene.add_axes([0.0, 0.0, 0.0, 1.0], 1.0);
        scene.extras = wrap(to.header());
        let bones = to.add_bones(&mut scene, root);
        let skin = to.add_skin(&mut scene, &bones);
        let groups = to.add_groups(&mut scene, root);
        let materials = to.add_materials(&mut scene);
        to.add_meshes(&mut scene, root, &groups, skin, &materials);
        scene
    }
}
