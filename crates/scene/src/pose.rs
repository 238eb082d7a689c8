//! Poses: transforms of nodes at a time, and positions of vertices.

use glam::{Mat3, Mat4, Quat, Vec3};

use crate::{
    Bounds, Clip, MaterialId, NodeId, Primitive, Property, Purpose, Scene, SkinId, Target, Topology,
    Transform, UvTransform,
};

/// A scene at a time.
///
/// ```
/// use galatea_scene::{example, Pose};
/// let scene = example();
/// let wave = scene.find_clip("wave").unwrap();
/// let pose = Pose::at(&scene, wave, 0.5);
/// let hand = scene.find("hand").unwrap();
/// assert_ne!(pose.world[hand as usize], Pose::rest(&scene).world[hand as usize]);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Pose {
    /// Transform of each node relative to its parent.
    pub local: Vec<Transform>,
    /// Transform of each node in the scene.
    pub world: Vec<Mat4>,
    /// Whether each node is visible; descendants of invisible nodes are not.
    pub visible: Vec<bool>,
    /// Colour and opacity that each node's mesh is multiplied by.
    pub tint: Vec<[f32; 4]>,
    /// Base colour of each material.
    pub base_color: Vec<[f32; 4]>,
    /// Emitted light of each material.
    pub emissive: Vec<[f32; 3]>,
    /// Transform of each material's texture coordinates, applied before that of its textures.
    pub uv: Vec<UvTransform>,
    order: Vec<NodeId>,
}

/// A primitive in a pose.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Deformed {
    /// Positions in the scene.
    pub positions: Vec<[f32; 3]>,
    /// Normals in the scene, of unit length unless they are 0; empty if the primitive has none.
    pub normals: Vec<[f32; 3]>,
}

impl Pose {
    /// Returns the scene at rest.
    pub fn rest(scene: &Scene) -> Pose {
        let count = scene.nodes.len();
        let mut pose = Pose {
            local: scene.nodes.iter().map(|n| n.transform).collect(),
            world: vec![Mat4::IDENTITY; count],
            visible: scene.nodes.iter().map(|n| n.visible).collect(),
            tint: scene.nodes.iter().map(|n| n.tint).collect(),
            base_color: scene.materials.iter().map(|m| m.base_color).collect(),
            emissive: scene.materials.iter().map(|m| m.emissive).collect(),
            uv: vec![UvTransform::default(); scene.materials.len()],
            order: scene.depth_first(),
        };
        pose.place(scene);
        pose
    }

    /// Returns the scene at a time of a clip. Properties without a channel are as at rest.
    pub fn at(scene: &Scene, clip: &Clip, time: f32) -> Pose {
        let mut pose = Pose::rest(scene);
        pose.play(clip, time);
        pose.place(scene);
        pose
    }

    /// Applies a clip to this pose. Call [`Pose::place`] afterwards to compute the transforms in the scene.
    pub fn play(&mut self, clip: &Clip, time: f32) {
        let mut value = [0.0; 16];
        for channel in &clip.channels {
            let Some(width) = channel.sample_into(time, &mut value) else { continue };
            let one = value.first().copied().unwrap_or(0.0);
            let three = value.first_chunk::<3>().copied().filter(|_| width >= 3);
            match channel.target {
                Target::Node(node) => {
                    self.move_node(node, &channel.property, one, three, value.first_chunk::<4>());
                }
                Target::Material(material) => {
                    let two = value.first_chunk::<2>().copied().filter(|_| width >= 2);
                    self.move_material(material, &channel.property, one, two, three);
                }
                _ => {}
            }
        }
    }

    fn move_node(
        &mut self,
        node: NodeId,
        property: &Property,
        one: f32,
        three: Option<[f32; 3]>,
        four: Option<&[f32; 4]>,
    ) {
        let at = node as usize;
        let (Some(local), Some(visible), Some(tint)) =
            (self.local.get_mut(at), self.visible.get_mut(at), self.tint.get_mut(at))
        else {
            return;
        };
        match (property, three) {
            (Property::Translation, Some(v)) => local.translation = v,
            (Property::Scale, Some(v)) => local.scale = v,
            (Property::Rotation, _) => local.rotation = four.copied().unwrap_or(local.rotation),
            (Property::Visibility, _) => *visible = one > 0.0,
            (Property::Color, Some([r, g, b])) => {
                let [_, _, _, a] = *tint;
                *tint = [r, g, b, a];
            }
            (Property::Alpha, _) => {
                let [r, g, b, _] = *tint;
                *tint = [r, g, b, one];
            }
            _ => {}
        }
    }

    fn move_material(
        &mut self,
        material: MaterialId,
        property: &Property,
        one: f32,
        two: Option<[f32; 2]>,
        three: Option<[f32; 3]>,
    ) {
        let at = material as usize;
        let (Some(color), Some(emissive), Some(uv)) =
            (self.base_color.get_mut(at), self.emissive.get_mut(at), self.uv.get_mut(at))
        else {
            return;
        };
        let [r, g, b, a] = *color;
        match (property, three) {
            (Property::Color, Some([r, g, b])) => *color = [r, g, b, a],
            (Property::Alpha, _) => *color = [r, g, b, one],
            (Property::Emissive, Some(v)) => *emissive = v,
            (Property::UvOffset, _) => uv.offset = two.unwrap_or(uv.offset),
            (Property::UvRotation, _) => uv.rotation = one,
            (Property::UvScale, _) => uv.scale = two.unwrap_or(uv.scale),
            _ => {}
        }
    }

    /// Computes the transforms of all nodes in the scene from those relative to their parents.
    pub fn place(&mut self, scene: &Scene) {
        for id in &self.order {
            let at = *id as usize;
            let (Some(node), Some(local)) = (scene.nodes.get(at), self.local.get(at)) else { continue };
            let above = node.parent.map(|p| p as usize);
            let parent = above.and_then(|p| self.world.get(p)).copied().unwrap_or(Mat4::IDENTITY);
            let inherit = node.inherit;
            let world = if inherit.translation && inherit.rotation && inherit.scale {
                parent * local.matrix()
            } else {
                self.partly(scene, *id, parent, local)
            };
            let hidden = above.and_then(|p| self.visible.get(p)).is_some_and(|seen| !seen);
            if let (Some(slot), Some(visible)) = (self.world.get_mut(at), self.visible.get_mut(at)) {
                *slot = world;
                *visible &= !hidden;
            }
        }
    }

    /// Returns the transform of a node that does not inherit everything. Rotation and scale that it does not inherit are those
    /// of the axes node; a translation that it does not inherit is that of the parent at rest. Its origin follows the parent
    /// even if rotation or scale are not inherited.
    fn partly(&self, scene: &Scene, id: NodeId, parent: Mat4, local: &Transform) -> Mat4 {
        let inherit = scene.node(id).map(|n| n.inherit).unwrap_or_default();
        let axes = scene.axes().and_then(|id| self.local.get(id as usize));
        let axes = axes.map_or(Mat4::IDENTITY, Transform::matrix);
        let (scale, rotation, _) = parent.to_scale_rotation_translation();
        let (axes_scale, axes_rotation, _) = axes.to_scale_rotation_translation();
        let scale = if inherit.scale { scale } else { axes_scale };
        let rotation = if inherit.rotation { rotation } else { axes_rotation };
        let place = Vec3::from(local.translation);
        let place = if inherit.translation {
            parent.transform_point3(place)
        } else {
            let still = scene.node(id).and_then(|n| n.parent).map_or(Mat4::IDENTITY, |p| at_rest(scene, p));
            still.w_axis.truncate() + axes.transform_vector3(place)
        };
        let own = Transform { translation: [0.0; 3], ..*local }.matrix();
        Mat4::from_translation(place) * Mat4::from_quat(rotation) * Mat4::from_scale(scale) * own
    }

    /// Turns billboards to a camera with this rotation: the model's front faces it, and the model's up is up in the image. Call
    /// it after [`Pose::place`].
    pub fn face(&mut self, scene: &Scene, camera: [f32; 4]) {
        let camera = Quat::from_array(camera);
        let full = camera * upright(scene);
        let order = std::mem::take(&mut self.order);
        for id in &order {
            let at = *id as usize;
            let Some(node) = scene.nodes.get(at) else { continue };
            if node.billboard.is_none() {
                continue;
            }
            let Some(world) = self.world.get(at).copied() else { continue };
            let (scale, rotation, translation) = world.to_scale_rotation_translation();
            let turned = match node.billboard {
                Some(crate::Billboard::AboutX) => about(rotation, camera, Vec3::X),
                Some(crate::Billboard::AboutY) => about(rotation, camera, Vec3::Y),
                Some(crate::Billboard::AboutZ) => about(rotation, camera, Vec3::Z),
                _ => full,
            };
            let new = Mat4::from_scale_rotation_translation(scale, turned, translation);
            let change = new * world.inverse();
            if change.is_finite() {
                self.carry(scene, *id, change);
            }
        }
        self.order = order;
    }

    fn carry(&mut self, scene: &Scene, top: NodeId, change: Mat4) {
        let mut todo = vec![top];
        let mut left = scene.nodes.len();
        while let Some(id) = todo.pop() {
            if let Some(world) = self.world.get_mut(id as usize) {
                *world = change * *world;
            }
            left = left.saturating_sub(1);
            if left > 0 {
                todo.extend(scene.node(id).into_iter().flat_map(|n| &n.children));
            }
        }
    }

    /// Returns the transform of a node in the scene.
    pub fn world_of(&self, node: NodeId) -> Mat4 {
        self.world.get(node as usize).copied().unwrap_or(Mat4::IDENTITY)
    }

    /// Returns for every joint of a skin the matrix from the space of the mesh to the scene.
    pub fn joint_matrices(&self, scene: &Scene, skin: SkinId) -> Vec<Mat4> {
        let Some(skin) = scene.skins.get(skin as usize) else { return Vec::new() };
        skin.joints.iter().enumerate().map(|(i, joint)| self.world_of(*joint) * skin.bind(i)).collect()
    }

    /// Returns a primitive of a node in the scene: moved by its skin if it has one, otherwise by the node.
    pub fn deform(&self, scene: &Scene, node: NodeId, primitive: &Primitive) -> Deformed {
        let (Some(vertices), Some(at)) = (scene.vertices_of(primitive), scene.node(node)) else {
            return Deformed::default();
        };
        let world = self.world_of(node);
        let skin = at.skin.filter(|_| !vertices.influences.is_empty());
        let Some(skin) = skin else {
            let turn = normal_matrix(&world);
            return Deformed {
                positions: vertices
                    .positions
                    .iter()
                    .map(|p| world.transform_point3(Vec3::from(*p)).into())
                    .collect(),
                normals: vertices
                    .normals
                    .iter()
                    .map(|n| (turn * Vec3::from(*n)).normalize_or_zero().into())
                    .collect(),
            };
        };
        let joints = self.joint_matrices(scene, skin);
        let mut out = Deformed {
            positions: Vec::with_capacity(vertices.positions.len()),
            normals: Vec::with_capacity(vertices.normals.len()),
        };
        for (i, position) in vertices.positions.iter().enumerate() {
            let mut matrix = Mat4::ZERO;
            let mut total = 0.0;
            for (joint, weight) in vertices.influences.of(i).filter(|(_, w)| *w != 0.0) {
                if let Some(bone) = joints.get(usize::from(joint)) {
                    matrix += *bone * weight;
                    total += weight;
                }
            }
            // Weights that do not add up to 1 are scaled, as every engine but one does.
            let matrix = if total != 0.0 { matrix * (1.0 / total) } else { world };
            out.positions.push(matrix.transform_point3(Vec3::from(*position)).into());
            if let Some(normal) = vertices.normals.get(i) {
                let turned = normal_matrix(&matrix) * Vec3::from(*normal);
                out.normals.push(turned.normalize_or_zero().into());
            }
        }
        out
    }

    /// Returns the bounds of what is visible: the visible meshes for rendering of the finest level; if there are none, all
    /// meshes; if there are none, the nodes. `None` if nothing is finite.
    pub fn bounds(&self, scene: &Scene) -> Option<Bounds> {
        let around = |wanted: &dyn Fn(NodeId, &crate::Mesh) -> bool| {
            let mut all: Option<Bounds> = None;
            for (id, _, mesh) in scene.drawn().filter(|(id, _, mesh)| wanted(*id, mesh)) {
                for primitive in &mesh.primitives {
                    let deformed = self.deform(scene, id, primitive);
                    let used = used_positions(primitive, &deformed.positions);
                    if let Some(bounds) = Bounds::around(used) {
                        all = Some(all.map_or(bounds, |a| a.union(bounds)));
                    }
                }
            }
            all
        };
        let seen = |id: NodeId| self.visible.get(id as usize).copied().unwrap_or(false);
        around(&|id, mesh| mesh.purpose == Purpose::Render && mesh.lod.unwrap_or(0) == 0 && seen(id))
            .or_else(|| around(&|_, _| true))
            .or_else(|| Bounds::around(self.world.iter().map(|m| m.w_axis.truncate().into())))
    }
}

/// Returns the transform of a node at rest, as if every node inherited everything.
fn at_rest(scene: &Scene, node: NodeId) -> Mat4 {
    let mut matrix = Mat4::IDENTITY;
    let mut at = Some(node);
    let mut left = scene.nodes.len();
    while let Some(node) = at.filter(|_| left > 0).and_then(|id| scene.node(id)) {
        matrix = node.transform.matrix() * matrix;
        at = node.parent;
        left -= 1;
    }
    matrix
}

/// Returns the positions that a primitive uses; all of them for points without indices.
fn used_positions(primitive: &Primitive, positions: &[[f32; 3]]) -> Vec<[f32; 3]> {
    if primitive.indices.is_empty() && primitive.topology == Topology::Points {
        return positions.to_vec();
    }
    let mut used = vec![false; positions.len()];
    for index in &primitive.indices {
        if let Some(flag) = used.get_mut(*index as usize) {
            *flag = true;
        }
    }
    positions.iter().zip(used).filter(|(_, used)| *used).map(|(p, _)| *p).collect()
}

/// Returns the matrix for normals of points that are moved by a matrix.
fn normal_matrix(matrix: &Mat4) -> Mat3 {
    let [x, y, z] = [matrix.x_axis, matrix.y_axis, matrix.z_axis].map(|v| v.truncate());
    // The cofactors: the inverse transposed times the determinant, which exist for flattened meshes too.
    let cofactors = Mat3::from_cols(y.cross(z), z.cross(x), x.cross(y));
    if x.dot(y.cross(z)) < 0.0 { cofactors * -1.0 } else { cofactors }
}

/// Returns the rotation that makes a model face along Z: from its own axes to the scene's, and from its front to Z.
fn upright(scene: &Scene) -> Quat {
    let axes = scene
        .nodes
        .iter()
        .find(|n| n.axes)
        .map_or(Quat::IDENTITY, |n| Quat::from_array(n.transform.rotation));
    let [x, _, z] = scene.front();
    let length = (x * x + z * z).sqrt();
    if length < 1e-3 {
        return axes;
    }
    let (x, z) = (x / length, z / length);
    let front = glam::Mat3::from_cols(Vec3::new(z, 0.0, -x), Vec3::Y, Vec3::new(x, 0.0, z));
    Quat::from_mat3(&front).inverse() * axes
}

/// Returns a rotation turned about one of its own axes so that it faces the camera as far as possible.
fn about(rotation: Quat, camera: Quat, axis: Vec3) -> Quat {
    let back = rotation.inverse() * (camera * Vec3::Z);
    // The free direction that looks at the camera is the axis after next.
    let (u, v) = match axis {
        Vec3::X => (Vec3::Z, Vec3::Y),
        Vec3::Y => (Vec3::Z, Vec3::X),
        _ => (Vec3::X, Vec3::Y),
    };
    let (x, y) = (back.dot(u), back.dot(v));
    let length = (x * x + y * y).sqrt();
    if length <= 1e-6 {
        return rotation;
    }
    let target = (u * x + v * y) / length;
    rotation * Quat::from_rotation_arc(u, target)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Channel, Interpolation, Node, example};

    #[test]
    fn billboards_turn_the_front_of_the_model_to_the_camera() {
        // Axes as in Warcraft III: X to the front, Z up.
        let mut scene = Scene::default();
        let turn = Quat::from_rotation_x(-std::f32::consts::FRAC_PI_2);
        let transform = Transform { rotation: turn.to_array(), ..Transform::default() };
        let root = scene.add_node(None, Node { axes: true, transform, ..Node::new("axes") });
        let flat = Node { billboard: Some(crate::Billboard::Full), ..Node::new("flat") };
        let flat = scene.add_node(Some(root), flat);
        scene.set_front([1.0, 0.0, 0.0]);
        let camera = Quat::from_rotation_y(0.7) * Quat::from_rotation_x(-0.3);
        let mut pose = Pose::rest(&scene);
        pose.face(&scene, camera.to_array());
        let world = pose.world_of(flat);
        let to = |v: Vec3| world.transform_vector3(v).to_array();
        assert!(near(to(Vec3::X), (camera * Vec3::Z).to_array()), "{:?}", to(Vec3::X));
        assert!(near(to(Vec3::Z), (camera * Vec3::Y).to_array()), "{:?}", to(Vec3::Z));
    }

    fn near(a: [f32; 3], b: [f32; 3]) -> bool {
        a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-5)
    }

    #[test]
    fn skinned_mesh_at_rest_is_where_it_was_bound() {
        let scene = example();
        let pose = Pose::rest(&scene);
        let (id, _, mesh) = scene.drawn().find(|(_, n, _)| n.skin.is_some()).unwrap();
        let primitive = &mesh.primitives[0];
        let deformed = pose.deform(&scene, id, primitive);
        let bound = &scene.vertices_of(primitive).unwrap().positions;
        let axes = pose.world_of(scene.axes().unwrap());
        for (moved, rest) in deformed.positions.iter().zip(bound) {
            assert!(near(*moved, axes.transform_point3(Vec3::from(*rest)).into()));
        }
    }

    #[test]
    fn a_clip_moves_joints_and_skin_together() {
        let scene = example();
        let pose = Pose::at(&scene, scene.find_clip("wave").unwrap(), 1.0);
        let hand = pose.world_of(scene.find("hand").unwrap());
        // The arm points along X and is turned by a quarter about Z of the format, which is Y of the scene.
        assert!(near(hand.w_axis.truncate().into(), [0.0, 1.0, -1.0]), "{hand}");
    }

    #[test]
    fn hidden_nodes_hide_what_hangs_below() {
        let mut scene = example();
        let arm = scene.find("arm").unwrap() as usize;
        scene.nodes[arm].visible = false;
        let pose = Pose::rest(&scene);
        assert!(!pose.visible[scene.find("hand").unwrap() as usize]);
    }

    #[test]
    fn rotations_run_along_the_shorter_arc_and_cubic_keys_hit_their_values() {
        let half = std::f32::consts::FRAC_1_SQRT_2;
        let turn = Channel::node(
            0,
            Property::Rotation,
            Interpolation::Linear,
            vec![0.0, 1.0],
            vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, -half, -half],
        );
        let middle = turn.sample(0.5).unwrap();
        assert!((middle[2].abs() - 0.382_683_43).abs() < 1e-5);
        let curve = Channel::node(
            0,
            Property::Translation,
            Interpolation::Cubic,
            vec![0.0, 2.0],
            [[0.0; 3], [1.0; 3], [0.5; 3], [0.5; 3], [2.0; 3], [0.0; 3]].concat(),
        );
        assert_eq!(curve.sample(0.0).unwrap(), [1.0; 3]);
        assert_eq!(curve.sample(1.0).unwrap(), [1.5; 3]);
        assert_eq!(curve.sample(2.0).unwrap(), [2.0; 3]);
    }

    #[test]
    fn keys_at_one_time_and_keys_without_sense_do_no_harm() {
        let jump = Channel::node(
            0,
            Property::Alpha,
            Interpolation::Linear,
            vec![0.0, 1.0, 1.0, 2.0],
            vec![0.0, 1.0, 5.0, 6.0],
        );
        assert_eq!(jump.sample(1.0).unwrap(), [5.0]);
        let nan = Channel::node(0, Property::Alpha, Interpolation::Linear, vec![f32::NAN], vec![]);
        assert_eq!(nan.sample(1.0), None);
    }

    #[test]
    fn a_node_can_refuse_its_parents_rotation() {
        let mut scene = Scene::new("x");
        let half = std::f32::consts::FRAC_1_SQRT_2;
        let mut top = Node::new("top");
        top.transform.rotation = [0.0, half, 0.0, half];
        let top = scene.add_node(None, top);
        let mut below = Node::new("below");
        below.inherit.rotation = false;
        let below = scene.add_node(Some(top), below);
        let pose = Pose::rest(&scene);
        let x = pose.world_of(below).transform_vector3(Vec3::X);
        assert!(near(x.into(), [1.0, 0.0, 0.0]));
    }

    #[test]
    fn what_refuses_its_parents_place_stays_where_the_parent_was() {
        let mut scene = Scene::new("x");
        let mut top = Node::new("top");
        top.transform.translation = [1.0, 0.0, 0.0];
        let top = scene.add_node(None, top);
        let mut below = Node::new("below");
        below.transform.translation = [0.0, 2.0, 0.0];
        below.inherit.translation = false;
        let below = scene.add_node(Some(top), below);
        let half = std::f32::consts::FRAC_1_SQRT_2;
        let mut pose = Pose::rest(&scene);
        pose.local[top as usize].translation = [5.0, 5.0, 5.0];
        pose.local[top as usize].rotation = [0.0, 0.0, half, half];
        pose.place(&scene);
        assert!(near(pose.world_of(below).w_axis.truncate().into(), [1.0, 2.0, 0.0]));
        assert!(near(pose.world_of(below).transform_vector3(Vec3::X).into(), [0.0, 1.0, 0.0]));
        // Without the rotation it still goes where the parent carries it.
        scene.nodes[below as usize].inherit =
            crate::Inherit { translation: true, rotation: false, scale: true };
        pose.place(&scene);
        assert!(near(pose.world_of(below).w_axis.truncate().into(), [3.0, 5.0, 5.0]));
        assert!(near(pose.world_of(below).transform_vector3(Vec3::X).into(), [1.0, 0.0, 0.0]));
    }

    #[test]
    fn full_billboards_turn_to_the_camera() {
        let mut scene = Scene::new("x");
        let mut board = Node::new("board");
        board.billboard = Some(crate::Billboard::Full);
        let board = scene.add_node(None, board);
        let below = scene.add_node(Some(board), Node::new("below"));
        let mut pose = Pose::rest(&scene);
        let camera = Quat::from_rotation_y(1.0);
        pose.face(&scene, camera.to_array());
        for id in [board, below] {
            let z = pose.world_of(id).transform_vector3(Vec3::Z);
            assert!(near(z.into(), (camera * Vec3::Z).into()));
        }
    }

    #[test]
    fn bounds_look_at_what_is_seen() {
        let mut scene = example();
        let all = Pose::rest(&scene).bounds(&scene).unwrap();
        assert!(all.size() > 0.5);
        scene.meshes.clear();
        assert!(Pose::rest(&scene).bounds(&scene).is_some());
        assert!(Pose::rest(&Scene::default()).bounds(&Scene::default()).is_none());
    }
}
