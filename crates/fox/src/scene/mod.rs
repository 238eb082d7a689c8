//! To the scene: groups and bones as nodes, meshes with their levels of detail, materials with slots and parameters.
//!
//! The Fox Engine's axes and units are the scene's (right-handed, Y up, metres); only the winding of its triangles is the
//! other way round, so each triangle is reversed and no vertex changes.

use galatea_scene::{
    AlphaMode, Influences, Material, MaterialId, Mesh as SceneMesh, Node, NodeId, Primitive, Purpose, Scene,
    Skin, SkinId, Slot, Texture as SceneTexture, Transform, Vertices as SceneVertices, VerticesId, floats,
};
use serde_json::json;

use crate::names::Dictionary;
use crate::{Fmdl, Group, MaterialInstance, Mesh, Name, Texture, TexturePath};

impl Fmdl {
    /// The model as a neutral scene. Hashes are shown as texts where the dictionary knows them.
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
        let mut scene = Scene::new(name);
        let root = scene.add_axes([0.0, 0.0, 0.0, 1.0], 1.0);
        let bones = self.add_bones(&mut scene, root, names);
        let skin = self.add_skin(&mut scene, &bones);
        let groups = self.add_groups(&mut scene, root, names);
        let owners = self.groups_of_meshes();
        let mut materials: Vec<((u16, u32), MaterialId)> = Vec::new();
        for (index, mesh) in self.meshes.iter().enumerate() {
            let key = (mesh.material, mesh.flags);
            let found = materials.iter().find(|(k, _)| *k == key).map(|(_, id)| *id);
            let material = found.unwrap_or_else(|| {
                let id = scene.materials.len() as MaterialId;
                scene.materials.push(self.scene_material(mesh, names));
                materials.push((key, id));
                id
            });
            let group = owners.get(index).copied().flatten();
            let parent = group.and_then(|g| groups.get(usize::from(g))).copied().unwrap_or(root);
            let vertices = scene.vertices.len() as VerticesId;
            scene.vertices.push(self.scene_vertices(mesh));
            let hidden = mesh.flags & Mesh::SHADOW_ONLY != 0;
            for lod in 0..mesh.windows.len() {
                let level = (self.lod_count() > 1).then_some(lod as u32);
                let name = match level {
                    Some(level) if level > 0 => format!("mesh_{index}_lod{level}"),
                    _ => format!("mesh_{index}"),
                };
                // The game's fronts are clockwise.
                let indices = mesh.faces(lod).flat_map(|[a, b, c]| [a, c, b].map(u32::from)).collect();
                let primitive =
                    Primitive { vertices, indices, material: Some(material), ..Primitive::default() };
                let purpose = if hidden { Purpose::Hidden } else { Purpose::Render };
                let mut part = SceneMesh {
                    name: name.clone(),
                    primitives: vec![primitive],
                    purpose,
                    lod: level,
                    ..SceneMesh::default()
                };
                part.extras.insert("flags".into(), mesh.flags.into());
                part.extras.insert("mesh".into(), index.into());
                if let Some(window) = mesh.windows.get(lod) {
                    part.extras.insert("window".into(), json!([window.first, window.count]));
                }
                let id = scene.meshes.len() as u32;
                scene.meshes.push(part);
                let skin = skin.filter(|_| mesh.is_skinned());
                scene.add_node(Some(parent), Node { mesh: Some(id), skin, ..Node::new(&name) });
            }
        }
        scene.extras.insert("version".into(), floats(&[self.version]));
        scene
    }

    /// Bones hang on each other by the difference of their places; their rotations are all identity.
    fn add_bones(&self, scene: &mut Scene, root: NodeId, names: &Dictionary) -> Vec<NodeId> {
        let mut out: Vec<NodeId> = Vec::with_capacity(self.bones.len());
        for bone in &self.bones {
            let above = bone.parent.map(usize::from);
            let parent = above.and_then(|p| out.get(p)).copied().unwrap_or(root);
            let [x, y, z, _] = bone.world;
            let [px, py, pz, _] = above.and_then(|p| self.bones.get(p)).map_or([0.0; 4], |p| p.world);
            let transform = Transform { translation: [x - px, y - py, z - pz], ..Transform::default() };
            let mut node = Node { transform, ..Node::new(&shown(&bone.name, names)) };
            node.extras.insert("bone".into(), out.len().into());
            node.extras.insert("local".into(), floats(&bone.local));
            node.extras.insert("world".into(), floats(&bone.world));
            out.push(scene.add_node(Some(parent), node));
        }
        out
    }

    /// One skin for all meshes: all bones, bound where the file says they are.
    fn add_skin(&self, scene: &mut Scene, bones: &[NodeId]) -> Option<SkinId> {
        if bones.is_empty() || !self.meshes.iter().any(Mesh::is_skinned) {
            return None;
        }
        let inverse_bind = self
            .bones
            .iter()
            .map(|bone| {
                let [x, y, z, _] = bone.world;
                [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, -x, -y, -z, 1.0]
            })
            .collect();
        scene.skins.push(Skin {
            name: "skeleton".into(),
            joints: bones.to_vec(),
            inverse_bind,
            ..Skin::default()
        });
        Some(scene.skins.len() as SkinId - 1)
    }

    /// Groups hang on each other; a fragment's pivot is its place, since its vertices are relative to it.
    fn add_groups(&self, scene: &mut Scene, root: NodeId, names: &Dictionary) -> Vec<NodeId> {
        let place = |group: &Group| group.pivot.map_or([0.0; 3], |[x, y, z, _]| [x, y, z]);
        let mut out: Vec<NodeId> = Vec::with_capacity(self.groups.len());
        for group in &self.groups {
            let above = group.parent.map(usize::from);
            let parent = above.and_then(|p| out.get(p)).copied().unwrap_or(root);
            let [x, y, z] = place(group);
            let [px, py, pz] = above.and_then(|p| self.groups.get(p)).map_or([0.0; 3], place);
            let transform = Transform { translation: [x - px, y - py, z - pz], ..Transform::default() };
            let mut node =
                Node { transform, visible: group.is_visible(), ..Node::new(&shown(&group.name, names)) };
            node.extras.insert("group".into(), out.len().into());
            node.extras.insert("flags".into(), group.flags.into());
            out.push(scene.add_node(Some(parent), node));
        }
        out
    }

    fn scene_vertices(&self, mesh: &Mesh) -> SceneVertices {
        let vertices = &mesh.vertices;
        let three = |[x, y, z, _]: [f32; 4]| [x, y, z];
        let mut out = SceneVertices {
            positions: vertices.positions().map(<[[f32; 3]]>::to_vec).unwrap_or_default(),
            normals: vertices.normals().map(|n| n.map(three).collect()).unwrap_or_default(),
            tangents: vertices.tangents().map(Iterator::collect).unwrap_or_default(),
            uvs: (0..4).map_while(|set| vertices.uvs(set)).collect(),
            // The engine's vertex colours are masks for wetness and tension, black on whole characters: not a tint.
            ..SceneVertices::default()
        };
        if let (Some(group), Some(indices), Some(weights)) =
            (self.bone_group(mesh), vertices.bone_indices(), vertices.weights())
        {
            let bone = |(index, weight): (&u8, &u8)| {
                let known = group.bones.get(usize::from(*index)).filter(|_| *weight > 0);
                (known.copied().unwrap_or(0), if known.is_some() { f32::from(*weight) / 255.0 } else { 0.0 })
            };
            let pairs = indices.iter().flatten().zip(weights.iter().flatten()).map(bone);
            let (joints, weights) = pairs.unzip();
            out.influences = Influences { width: 4, joints, weights };
        }
        out
    }

    fn scene_material(&self, mesh: &Mesh, names: &Dictionary) -> Material {
        let empty = MaterialInstance::default();
        let instance = self.materials.get(usize::from(mesh.material)).unwrap_or(&empty);
        let additive = mesh.flags & 0xF == 1;
        let glass = mesh.flags & 0x10 != 0 || mesh.flags & 0x40 != 0;
        let alpha = if mesh.flags & Mesh::ALPHA_TEST != 0 {
            AlphaMode::Mask { cutoff: 0.5 }
        } else if additive {
            AlphaMode::Additive
        } else if glass {
            AlphaMode::Blend
        } else {
            AlphaMode::Opaque
        };
        let mut out = Material {
            name: shown(&instance.name, names),
            alpha,
            two_sided: mesh.flags & Mesh::TWO_SIDED != 0,
            textures: instance.textures.iter().map(|t| scene_texture(t, names)).collect(),
            ..Material::default()
        };
        out.extras.insert("instance".into(), mesh.material.into());
        out.extras.insert("shader".into(), shown(&instance.shader, names).into());
        out.extras.insert("technique".into(), shown(&instance.technique, names).into());
        let parameters = instance.parameters.iter().map(|p| (shown(&p.name, names), floats(&p.value)));
        out.extras.insert("parameters".into(), serde_json::Value::Object(parameters.collect()));
        out
    }
}

/// The name as text, if anybody knows it, else its hash.
fn shown(name: &Name, names: &Dictionary) -> String {
    names.text(name).unwrap_or_else(|| name.to_string())
}

fn scene_texture(texture: &Texture, names: &Dictionary) -> SceneTexture {
    let slot = shown(&texture.slot, names);
    let kind = match slot.as_str() {
        "Base_Tex_SRGB" | "Base_Tex_LIN" => Slot::Base,
        "NormalMap_Tex_NRM" => Slot::Normal,
        "SpecularMap_Tex_LIN" => Slot::Specular,
        _ => Slot::Other(slot.clone()),
    };
    let name = match &texture.path {
        TexturePath::Folder(folder) => format!("{}{}", shown(folder, names), shown(&texture.file, names)),
        TexturePath::Code(code) => {
            names.path(*code).map_or_else(|| format!("0x{code:x}"), |p| format!("{p}.ftex"))
        }
    };
    let mut out = SceneTexture { slot: kind, name, ..SceneTexture::default() };
    out.extras.insert("slot".into(), slot.into());
    out.extras.insert("file".into(), shown(&texture.file, names).into());
    out
}
