//! What of a file can be walked on: the tables a [`walk::Walkmesh`](crate::walk::Walkmesh) is made of, from any document.

use galatea_kotor::{bwm, surface};
use galatea_scene::{Mesh, Pose, Purpose, Scene, Transform};
use galatea_walk::{Materials, StoredTree, Surface, TreeNode};
use galatea_wire::{Error, Limits, Result};

use crate::{Document, Input, SceneContext, mdlx, open};

/// A surface to walk on, and what its materials are called.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ground {
    /// The tables, z up, in the units of the file.
    pub surface: Surface,
    /// The materials that occur, by number.
    pub materials: Vec<GroundMaterial>,
    /// Whether materials are those of KotOR, whose names count even where they do not occur.
    pub is_kotor: bool,
}

/// A material of the ground.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GroundMaterial {
    /// Its number.
    pub number: u32,
    /// Its name.
    pub name: String,
    /// A colour to show it in, red, green, blue.
    pub colour: [u8; 3],
}

/// Ground steeper than 50 degrees is a wall. This is the cosine.
const STEEPEST: f32 = 0.642_787_6;

/// Materials of meshes that have none of their own: how their faces lie.
const LIES: [(&str, [u8; 3]); 3] =
    [("floor", [158, 156, 148]), ("wall", [132, 44, 44]), ("ceiling", [70, 48, 92])];

impl Ground {
    /// Returns the ground in a file of any format, walkmeshes as text among them; `None` if it has no triangles to walk on.
    ///
    /// ```
    /// use galatea::{Ground, Input, SceneContext, fox::Dictionary};
    /// let text = b"node trimesh room_wok\n verts 3\n 0 0 0\n 1 0 0\n 0 1 0\n faces 1\n 0 1 2 1 0 0 0 4\nendnode\n";
    /// let names = Dictionary::built_in();
    /// let context = SceneContext::new("room").with_names(&names);
    /// let ground = Ground::read(&Input::new(text), &Default::default(), &context)?.expect("a triangle");
    /// assert_eq!(ground.name(4), "Stone");
    /// # Ok::<(), galatea::Error>(())
    /// ```
    pub fn read(input: &Input<'_>, limits: &Limits, context: &SceneContext<'_>) -> Result<Option<Ground>> {
        if bwm::text::detect(input.bytes) {
            return Ok(Some(Ground::of_walkmesh(&bwm::text::parse(input.bytes, limits)?)));
        }
        Ground::of_document(open(input, limits)?.as_ref(), context)
    }

    /// Returns the ground of a document: a walkmesh, the collision mesh of a WoW alpha model, or the walk surfaces, else the
    /// collision surfaces, else everything that is seen of any other model.
    ///
    /// `None` if there is nothing to walk on, or so many nodes share meshes that there would be too much.
    pub fn of(document: &dyn Document, context: &SceneContext<'_>) -> Option<Ground> {
        Ground::of_document(document, context).ok().flatten()
    }

    fn of_document(document: &dyn Document, context: &SceneContext<'_>) -> Result<Option<Ground>> {
        if let Some(ground) = document.ground() {
            return Ok(Some(ground));
        }
        let Some(scene) = document.scene(context) else { return Ok(None) };
        scene.check_copies().map_err(|e| Error::unrepresentable(e.to_string()))?;
        Ok(Ground::of_scene(&scene))
    }

    /// Returns the ground of a KotOR walkmesh, with its own neighbours, transitions and tree.
    ///
    /// ```
    /// use galatea::{Ground, kotor::bwm, walk};
    /// let corners = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    /// let room = bwm::Walkmesh::build(bwm::Kind::Area, corners, vec![[0, 1, 2]], vec![6], &Default::default())?;
    /// let mesh = walk::Walkmesh::new(Ground::of_walkmesh(&room).surface)?;
    /// assert!(mesh.is_walkable(0) && mesh.stored_tree().is_some());
    /// # Ok::<(), galatea::Error>(())
    /// ```
    pub fn of_walkmesh(mesh: &bwm::Walkmesh) -> Ground {
        let child = |index: u32| (index != u32::MAX).then_some(index);
        let nodes: Vec<TreeNode> = mesh
            .aabb
            .iter()
            .map(|n| TreeNode {
                min: n.min,
                max: n.max,
                face: u32::try_from(n.face).ok(),
                children: [child(n.left), child(n.right)],
            })
            .collect();
        let leads = |edge: &bwm::Edge| u32::try_from(edge.transition).ok().map(|room| (edge.edge, room));
        let surface = Surface {
            positions: mesh.vertices.clone(),
            faces: mesh.faces.clone(),
            materials: mesh.materials.clone(),
            walkable: Materials::KOTOR_WALKABLE,
            adjacency: (!mesh.adjacency.is_empty()).then(|| mesh.adjacency.clone()),
            transitions: mesh.edges.iter().filter_map(leads).collect(),
            tree: (!nodes.is_empty()).then_some(StoredTree { nodes }),
        };
        Ground { materials: kotor_materials(&surface.materials), surface, is_kotor: true }
    }

    /// Returns the collision mesh of a World of Warcraft model: what is not too steep can be walked on.
    pub(crate) fn of_collision_mesh(mesh: &mdlx::CollisionMesh) -> Ground {
        let corners = mesh.triangles.chunks_exact(3).filter_map(|t| t.first_chunk::<3>());
        let faces = corners.map(|t| t.map(u32::from)).collect();
        Ground::by_slope(mesh.vertices.clone(), faces)
    }

    /// Returns the ground of a scene: its walk surfaces; where it has none, its collision surfaces; where it has neither, all
    /// that is seen. A model with axes of its own keeps its coordinates; one that is y up is turned. Of meshes that are
    /// not for walking, all that is no steeper than 50 degrees can be walked on.
    pub fn of_scene(original: &Scene) -> Option<Ground> {
        original.check_copies().ok()?;
        let mut scene = original.clone();
        let axes = scene.axes().and_then(|id| scene.nodes.get_mut(id as usize));
        let is_z_up = axes.is_some_and(|node| {
            let [x, y, z, w] = node.transform.rotation;
            // The scene's up, seen from the file, is its z.
            let up = 2.0 * (y * z - w * x);
            let turned = up > 0.99;
            if turned {
                node.transform = Transform::default();
            }
            turned
        });
        let pose = Pose::rest(&scene);
        let purposes: [&dyn Fn(&Mesh) -> bool; 3] = [
            &|m| matches!(m.purpose, Purpose::Walk | Purpose::Aabb),
            &|m| m.purpose == Purpose::Collision,
            &|m| m.purpose == Purpose::Render && m.lod.is_none_or(|l| l == 0),
        ];
        for (wanted, is_walk) in purposes.into_iter().zip([true, false, false]) {
            let mut positions = Vec::new();
            let (mut faces, mut materials) = (Vec::new(), Vec::new());
            for (id, _, mesh) in scene.drawn().filter(|(_, _, m)| wanted(m)) {
                for primitive in &mesh.primitives {
                    let first = positions.len() as u32;
                    let moved = pose.deform(&scene, id, primitive).positions;
                    let before = faces.len();
                    faces.extend(primitive.triangles(moved.len()).map(|t| t.map(|v| v + first)));
                    let material = primitive.material.and_then(|m| scene.materials.get(m as usize));
                    materials.resize(
                        materials.len() + faces.len() - before,
                        material.and_then(surface::of_material),
                    );
                    positions.extend(moved);
                }
            }
            if faces.is_empty() {
                continue;
            }
            if !is_z_up {
                positions.iter_mut().for_each(|p: &mut [f32; 3]| *p = [p[0], -p[2], p[1]]);
            }
            let numbers: Option<Vec<u32>> = materials.into_iter().collect();
            return Some(match numbers.filter(|_| is_walk) {
                // A walkmesh that went through glTF has its transitions, neighbours and tree with it.
                Some(_) if scene.meshes.iter().any(|m| m.purpose == Purpose::Walk) => {
                    Ground::of_walkmesh(&bwm::Walkmesh::from_scene(original, &Default::default()).ok()?.0)
                }
                Some(materials) => {
                    let walkable = Materials::KOTOR_WALKABLE;
                    let named = kotor_materials(&materials);
                    let surface = Surface { positions, faces, materials, walkable, ..Surface::default() };
                    Ground { surface, materials: named, is_kotor: true }
                }
                None => Ground::by_slope(positions, faces),
            });
        }
        None
    }

    /// Triangles without materials: floors can be walked on, walls and ceilings cannot.
    pub fn by_slope(positions: Vec<[f32; 3]>, faces: Vec<[u32; 3]>) -> Ground {
        let lies = |face: &[u32; 3]| {
            let corner = |v: u32| positions.get(v as usize).copied().unwrap_or_default().map(f64::from);
            let ([a, b, c], [d, e, f], [g, h, i]) = (corner(face[0]), corner(face[1]), corner(face[2]));
            let ([ux, uy, uz], [vx, vy, vz]) = ([d - a, e - b, f - c], [g - a, h - b, i - c]);
            let (x, y, z) = (uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx);
            let up = z / (x * x + y * y + z * z).sqrt();
            if up >= f64::from(STEEPEST) {
                0
            } else if up <= -f64::from(STEEPEST) {
                2
            } else {
                1
            }
        };
        let materials: Vec<u32> = faces.iter().map(lies).collect();
        let named = (0u32..).zip(LIES).filter(|(number, _)| materials.contains(number));
        let named =
            named.map(|(number, (name, colour))| GroundMaterial { number, name: name.to_owned(), colour });
        let walkable = Materials::NONE.with(&[0]);
        Ground {
            materials: named.collect(),
            surface: Surface { positions, faces, materials, walkable, ..Surface::default() },
            is_kotor: false,
        }
    }

    /// Returns the number of a material by its name, ignoring case, or by its number.
    pub fn material(&self, name: &str) -> Option<u32> {
        let own = self.materials.iter().find(|m| m.name.eq_ignore_ascii_case(name)).map(|m| m.number);
        let number = || name.parse().ok().filter(|n| self.materials.iter().any(|m| m.number == *n));
        own.or_else(|| if self.is_kotor { surface::by_name(name) } else { number() })
    }

    /// Returns what a material is called: its name, or its number.
    pub fn name(&self, material: u32) -> String {
        let own = self.materials.iter().find(|m| m.number == material).map(|m| m.name.clone());
        own.unwrap_or_else(|| if self.is_kotor { kotor_name(material) } else { material.to_string() })
    }

    /// Returns the triangles, for something that stands in the way.
    pub fn triangles(&self) -> Vec<[[f32; 3]; 3]> {
        let corner = |v: u32| self.surface.positions.get(v as usize).copied().unwrap_or_default();
        self.surface.faces.iter().map(|face| face.map(corner)).collect()
    }
}

fn kotor_name(material: u32) -> String {
    surface::name(material).map_or_else(|| material.to_string(), str::to_owned)
}

fn kotor_materials(used: &[u32]) -> Vec<GroundMaterial> {
    let mut numbers = used.to_vec();
    numbers.sort_unstable();
    numbers.dedup();
    let named = |number| GroundMaterial { number, name: kotor_name(number), colour: surface::colour(number) };
    numbers.into_iter().map(named).collect()
}
