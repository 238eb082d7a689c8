//! Imported scenes for formats whose nodes are neither scaled nor mirrored: scale is moved into vertices, keys and binds.

use std::borrow::Cow;
use std::collections::HashMap;

use galatea_wire::Loss;
use glam::{Mat3, Mat4, Quat, Vec3};

use crate::compare::turn_between;
use crate::{
    Channel, Clip, Interpolation, Mesh, Node, NodeId, Pose, Primitive, Property, Scene, Skin, Target,
    Topology, Transform, Vertices,
};

impl Scene {
    /// Returns the scene rotated about its up axis so that it faces along `front`, for formats whose models have another front
    /// than an imported scene.
    ///
    /// ```
    /// use galatea_scene::{Node, Scene, Transform};
    /// let mut scene = Scene::new("nose");
    /// let place = Transform { translation: [0.0, 1.0, 2.0], ..Transform::default() };
    /// scene.add_node(None, Node { transform: place, ..Node::new("tip") });
    /// assert_eq!(scene.facing([0.0, 0.0, -1.0]).nodes[0].transform.translation, [0.0, 1.0, -2.0]);
    /// assert_eq!(*scene.facing([0.0, 0.0, 1.0]), scene);
    /// ```
    pub fn facing(&self, front: [f32; 3]) -> Cow<'_, Scene> {
        let turn = turn_between(self.front(), front);
        if turn == Quat::IDENTITY {
            return Cow::Borrowed(self);
        }
        let mut out = self.clone();
        let roots = out.roots();
        for root in &roots {
            if let Some(node) = out.nodes.get_mut(*root as usize) {
                node.transform.translation = (turn * Vec3::from(node.transform.translation)).into();
                node.transform.rotation = product(turn, node.transform.rotation);
            }
        }
        for channel in out.clips.iter_mut().flat_map(|c| &mut c.channels) {
            if !matches!(channel.target, Target::Node(n) if roots.contains(&n)) {
                continue;
            }
            match channel.property {
                Property::Translation => {
                    let rows = channel.values.as_chunks_mut::<3>().0;
                    rows.iter_mut().for_each(|v| *v = (turn * Vec3::from(*v)).into());
                }
                Property::Rotation => {
                    let rows = channel.values.as_chunks_mut::<4>().0;
                    rows.iter_mut().for_each(|q| *q = product(turn, *q));
                }
                _ => {}
            }
        }
        Cow::Owned(out)
    }

    /// Prepares the scene for a format with these axes: without scale in its nodes at rest and in the binds of its skins. All
    /// geometry stays in place. Nodes keep their indices; an axes node is added if there was none. Meshes, vertices and skins
    /// that change are added, and the old ones stay. Returns what was lost.
    ///
    /// ```
    /// use galatea_scene::{Node, Pose, Scene, Transform};
    /// let mut scene = Scene::new("box");
    /// let large = Transform { scale: [2.0, 2.0, -2.0], ..Transform::default() };
    /// let top = scene.add_node(None, Node { transform: large, ..Node::new("top") });
    /// let place = Transform { translation: [0.0, 1.0, 0.0], ..Transform::default() };
    /// let lid = scene.add_node(Some(top), Node { transform: place, ..Node::new("lid") });
    /// let losses = scene.bake_scale([0.0, 0.0, 0.0, 1.0], 1.0);
    /// assert_eq!(scene.nodes[lid as usize].transform.translation, [0.0, 2.0, 0.0]);
    /// assert_eq!(scene.nodes[top as usize].transform.scale, [1.0; 3]);
    /// assert!(losses.is_empty());
    /// ```
    pub fn bake_scale(&mut self, rotation: [f32; 4], scale: f32) -> Vec<Loss> {
        let axes = Transform { rotation, scale: [scale; 3], ..Transform::default() };
        let mut losses = Vec::new();
        let frames = Frames::new(self, &axes);
        for (node, frame) in self.nodes.iter_mut().zip(&frames.list) {
            node.transform = frame.local;
        }
        let top = match self.axes() {
            Some(id) => id,
            None => self.add_axes(rotation, scale),
        };
        let tops: Vec<NodeId> = self.roots().into_iter().filter(|r| *r != top).collect();
        for id in &tops {
            if let Some(node) = self.nodes.get_mut(*id as usize) {
                node.parent = Some(top);
            }
        }
        if let Some(node) = self.nodes.get_mut(top as usize) {
            node.transform = axes;
            node.extras.clear();
            node.children.extend(tops);
        }
        frames.channels(&self.nodes, &mut self.clips, &mut losses);
        let mut meshes = Meshes { frames: &frames, shared: HashMap::new() };
        let drawn: Vec<_> = self.drawn().map(|(id, node, _)| (id, node.skin)).collect();
        for (id, skin) in drawn {
            match skin.and_then(|s| self.skins.get(s as usize)).cloned() {
                Some(skin) => meshes.skinned(self, id, skin, &mut losses),
                None => meshes.rigid(self, id),
            }
        }
        losses
    }
}

/// Returns the product of a rotation and a quaternion, which need not be of unit length.
fn product(turn: Quat, [x, y, z, w]: [f32; 4]) -> [f32; 4] {
    let (a, b) = (turn.xyz(), Vec3::new(x, y, z));
    let v = b * turn.w + a * w + a.cross(b);
    [v.x, v.y, v.z, turn.w * w - a.dot(b)]
}

/// A node before and after.
struct Frame {
    /// Transform in the scene, before.
    world: Mat4,
    /// Transform in the scene, after: rotation, translation, and the scale of the axes.
    after: Mat4,
    /// The rotation of `after`.
    turn: Quat,
    /// Transform relative to its parent, after.
    local: Transform,
    /// Scale at rest, before; 1 along flat axes.
    scale: Vec3,
    /// From the parent's space before to the parent's space after.
    above: Mat4,
    /// From its space before to its space after.
    own: Mat4,
    /// The factor after its own rotation that makes it a rotation in the space after.
    behind: Mat3,
}

struct Frames {
    list: Vec<Frame>,
}

impl Frames {
    fn new(scene: &Scene, axes: &Transform) -> Frames {
        let pose = Pose::rest(scene);
        let outer = axes.matrix();
        let (unit, axes_turn) = (axes.scale.first().copied().unwrap_or(1.0), Quat::from_array(axes.rotation));
        let mut list: Vec<Frame> = (0..scene.nodes.len())
            .map(|_| Frame {
                world: Mat4::IDENTITY,
                after: outer,
                turn: axes_turn,
                local: Transform::default(),
                scale: Vec3::ONE,
                above: outer.inverse(),
                own: Mat4::IDENTITY,
                behind: Mat3::IDENTITY,
            })
            .collect();
        for id in scene.depth_first() {
            let Some(node) = scene.node(id) else { continue };
            let world = pose.world_of(id);
            let parent = node.parent.and_then(|p| list.get(p as usize));
            // Children of the old axes become children of the new ones.
            let on_axes = node.parent.and_then(|p| scene.node(p)).is_none_or(|p| p.axes);
            let before = parent.map_or(Mat4::IDENTITY, |p| p.world);
            let parent_after = parent.filter(|_| !on_axes).map_or(outer, |p| p.after);
            let parent_turn = parent.map_or(Quat::IDENTITY, |p| p.turn);
            let own_turn = unit_turn(node.transform.rotation);
            let turn = (parent_turn * own_turn).normalize();
            let place = world.w_axis.truncate();
            let after = Mat4::from_scale_rotation_translation(Vec3::splat(unit), turn, place);
            let to_parent = parent_after.inverse();
            let (_, local_turn, local_place) = (to_parent * after).to_scale_rotation_translation();
            // A node whose scale is 0 at rest keeps its shape for clips that scale it.
            let flat = node.transform.scale.iter().any(|s| s.abs() < 1e-9);
            let scale = Vec3::from(node.transform.scale).map(|s| if s.abs() < 1e-9 { 1.0 } else { s });
            let round = Transform { scale: scale.into(), ..node.transform };
            let full = if flat { before * round.matrix() } else { world };
            let behind = Mat3::from_quat(own_turn.inverse())
                * Mat3::from_mat4(before).inverse()
                * Mat3::from_mat4(after);
            let plain = |m: Mat4| if m.abs_diff_eq(Mat4::IDENTITY, 1e-6) { Mat4::IDENTITY } else { m };
            let frame = Frame {
                world,
                after,
                turn: if node.axes { world.to_scale_rotation_translation().1 } else { turn },
                local: Transform {
                    translation: local_place.into(),
                    rotation: local_turn.to_array(),
                    scale: [if flat { 0.0 } else { 1.0 }; 3],
                },
                scale,
                above: plain(to_parent * before),
                own: plain(after.inverse() * full),
                behind: if behind.is_finite() { behind } else { Mat3::IDENTITY },
            };
            let still = frame.above == Mat4::IDENTITY && node.transform.scale == [1.0; 3] && !on_axes;
            let frame = if still { Frame { local: node.transform, ..frame } } else { frame };
            if let Some(slot) = list.get_mut(id as usize) {
                *slot = frame;
            }
        }
        Frames { list }
    }

    /// Converts keys to the spaces after.
    fn channels(&self, nodes: &[Node], clips: &mut [Clip], losses: &mut Vec<Loss>) {
        for channel in clips.iter_mut().flat_map(|c| &mut c.channels) {
            let Target::Node(id) = channel.target else { continue };
            let (Some(frame), Some(node)) = (self.list.get(id as usize), nodes.get(id as usize)) else {
                continue;
            };
            let mut lose = |what: &str| {
                let line = Loss::new(format!("node {:?}", node.name), what);
                if !losses.contains(&line) {
                    losses.push(line);
                }
            };
            match channel.property {
                Property::Translation if frame.above != Mat4::IDENTITY => {
                    let cubic = channel.interpolation == Interpolation::Cubic;
                    for (i, value) in channel.values.as_chunks_mut::<3>().0.iter_mut().enumerate() {
                        let v = Vec3::from(*value);
                        // Of a cubic key only the middle is a position.
                        let place = !cubic || i % 3 == 1;
                        let moved = if place {
                            frame.above.transform_point3(v)
                        } else {
                            frame.above.transform_vector3(v)
                        };
                        *value = moved.into();
                    }
                }
                Property::Rotation => {
                    let above = Mat3::from_mat4(frame.above);
                    if above == Mat3::IDENTITY && frame.behind.abs_diff_eq(Mat3::IDENTITY, 1e-6) {
                        continue;
                    }
                    *channel = channel.straight(1e-5);
                    let mut uneven = false;
                    for value in channel.values.as_chunks_mut::<4>().0 {
                        let matrix = above * Mat3::from_quat(unit_turn(*value)) * frame.behind;
                        uneven |= !is_even(matrix);
                        let turn = Mat4::from_mat3(matrix).to_scale_rotation_translation().1;
                        if turn.is_finite() {
                            *value = turn.to_array();
                        }
                    }
                    if uneven {
                        lose("turning below a scale that is not the same along each axis");
                    }
                }
                Property::Scale => {
                    let mut uneven = false;
                    for value in channel.values.as_chunks_mut::<3>().0 {
                        let grown = Vec3::from(*value) / frame.scale;
                        let mean = (grown.x + grown.y + grown.z) / 3.0;
                        uneven |= (grown - mean).abs().max_element() > 1e-3 * mean.abs().max(1e-3);
                        *value = [mean; 3];
                    }
                    if uneven {
                        lose("growing by another amount along each axis");
                    }
                }
                _ => {}
            }
        }
    }
}

fn unit_turn(rotation: [f32; 4]) -> Quat {
    let turn = Quat::from_array(rotation);
    if turn.length_squared() > 0.0 { turn.normalize() } else { Quat::IDENTITY }
}

/// Returns `true` if a matrix scales all axes alike and does not shear.
fn is_even(matrix: Mat3) -> bool {
    let (x, y, z) = (matrix.x_axis, matrix.y_axis, matrix.z_axis);
    let size = x.length().max(y.length()).max(z.length()).max(1e-9);
    let right = x.dot(y).abs().max(y.dot(z).abs()).max(x.dot(z).abs()) < 1e-3 * size * size;
    right && (x.length() - y.length()).abs() < 1e-3 * size && (x.length() - z.length()).abs() < 1e-3 * size
}

/// Converts vertices to the spaces after.
struct Meshes<'a> {
    frames: &'a Frames,
    shared: HashMap<(u32, [u32; 16]), u32>,
}

impl Meshes<'_> {
    /// Converts a mesh without a skin.
    fn rigid(&mut self, scene: &mut Scene, id: NodeId) {
        let Some(frame) = self.frames.list.get(id as usize).filter(|f| f.own != Mat4::IDENTITY) else {
            return;
        };
        let Some(mut mesh) = mesh_of(scene, id).cloned() else { return };
        let mirrored = frame.own.determinant() < 0.0;
        for primitive in &mut mesh.primitives {
            let key = (primitive.vertices, frame.own.to_cols_array().map(f32::to_bits));
            primitive.vertices = match self.shared.get(&key) {
                Some(shared) => *shared,
                None => {
                    let Some(mut moved) = scene.vertices_of(primitive).cloned() else { continue };
                    move_vertices(&mut moved, |_| frame.own);
                    scene.vertices.push(moved);
                    let new = scene.vertices.len() as u32 - 1;
                    self.shared.insert(key, new);
                    new
                }
            };
            if mirrored {
                reverse_triangles(primitive);
            }
        }
        let skin = scene.node(id).and_then(|n| n.skin);
        set_mesh(scene, id, mesh, skin);
    }

    /// Converts a mesh with a skin. If it was bound at rest, it is bound at rest again, in the space of its node.
    fn skinned(&mut self, scene: &mut Scene, id: NodeId, skin: Skin, losses: &mut Vec<Loss>) {
        let Some(place) = self.frames.list.get(id as usize) else { return };
        let Some(mut mesh) = mesh_of(scene, id).cloned() else { return };
        let joint = |j: &NodeId| self.frames.list.get(*j as usize);
        let binds: Vec<(Mat4, Mat4)> = skin
            .joints
            .iter()
            .enumerate()
            .filter_map(|(i, j)| Some((joint(j)?.world * skin.bind(i), joint(j)?.after)))
            .collect();
        let Some((first, _)) = binds.first().filter(|_| binds.len() == skin.joints.len()).copied() else {
            return;
        };
        let size = |m: &Mat4| m.to_cols_array().iter().fold(0f32, |a, b| a.max(b.abs())).max(1e-6);
        let near = |a: &Mat4, b: &Mat4| a.abs_diff_eq(*b, 1e-4 * size(b));
        let at_rest = binds.iter().all(|(bind, _)| near(bind, &first));
        let inner = place.after.inverse();
        let scaled: Vec<Mat4> = binds.iter().map(|(bind, after)| after.inverse() * *bind).collect();
        let unit = scaled.first().map_or(1.0, |m| m.determinant().cbrt());
        let shrink = Mat4::from_scale(Vec3::splat(1.0 / unit));
        let rigid = |m: &Mat4| {
            let m = Mat3::from_mat4(*m * shrink);
            is_even(m) && (m.determinant() - 1.0).abs() < 1e-3
        };
        let mut new = Skin { extras: crate::Extras::new(), ..skin };
        let resting: Vec<[f32; 16]> =
            binds.iter().map(|(_, after)| (after.inverse() * place.after).to_cols_array()).collect();
        let mut blended = false;
        if at_rest {
            new.inverse_bind = resting;
        } else if unit.is_finite() && unit != 0.0 && scaled.iter().all(rigid) {
            new.inverse_bind = scaled.iter().map(|m| (*m * shrink).to_cols_array()).collect();
        } else {
            losses.push(Loss::new(
                format!("mesh {:?}", mesh.name),
                "how it was bound; it is bound as it stands at rest",
            ));
            new.inverse_bind = resting;
            blended = true;
        }
        let whole = if at_rest { inner * first } else { Mat4::from_scale(Vec3::splat(unit)) };
        let mirrored = !blended && whole.determinant() < 0.0;
        for primitive in &mut mesh.primitives {
            let Some(vertices) = scene.vertices_of(primitive) else { continue };
            let mut moved = vertices.clone();
            let blend = |vertex: usize| {
                let mut sum = Mat4::ZERO;
                let mut total = 0.0;
                for (joint, weight) in vertices.influences.of(vertex).filter(|(_, w)| *w > 0.0) {
                    if let Some((bind, _)) = binds.get(usize::from(joint)) {
                        sum += *bind * weight;
                        total += weight;
                    }
                }
                inner * if total > 0.0 { sum * (1.0 / total) } else { first }
            };
            if blended {
                move_vertices(&mut moved, blend);
            } else if !whole.abs_diff_eq(Mat4::IDENTITY, 1e-6) {
                move_vertices(&mut moved, |_| whole);
            }
            primitive.vertices = scene.vertices.len() as u32;
            scene.vertices.push(moved);
            if mirrored {
                reverse_triangles(primitive);
            }
        }
        scene.skins.push(new);
        let skin = scene.skins.len() as u32 - 1;
        set_mesh(scene, id, mesh, Some(skin));
    }
}

fn mesh_of(scene: &Scene, id: NodeId) -> Option<&Mesh> {
    scene.meshes.get(scene.node(id)?.mesh? as usize)
}

fn reverse_triangles(primitive: &mut Primitive) {
    if primitive.topology == Topology::Triangles {
        let triangles = primitive.indices.as_chunks_mut::<3>().0;
        triangles.iter_mut().for_each(|[_, b, c]| std::mem::swap(b, c));
    }
}

fn set_mesh(scene: &mut Scene, id: NodeId, mesh: Mesh, skin: Option<u32>) {
    let new = scene.meshes.len() as u32;
    scene.meshes.push(mesh);
    if let Some(node) = scene.nodes.get_mut(id as usize) {
        node.mesh = Some(new);
        node.skin = skin;
    }
}

/// Moves positions, normals and tangents.
fn move_vertices(vertices: &mut Vertices, matrix: impl Fn(usize) -> Mat4) {
    for i in 0..vertices.positions.len() {
        let matrix = matrix(i);
        let linear = Mat3::from_mat4(matrix);
        if let Some(position) = vertices.positions.get_mut(i) {
            *position = matrix.transform_point3(Vec3::from(*position)).into();
        }
        if let Some(normal) = vertices.normals.get_mut(i) {
            let turned = linear.inverse().transpose() * Vec3::from(*normal);
            // The winding of mirrored triangles is reversed elsewhere, so the normal keeps its side.
            *normal =
                if turned.is_finite() { turned.normalize_or(Vec3::from(*normal)).into() } else { *normal };
        }
        if let Some(tangent) = vertices.tangents.get_mut(i) {
            let [x, y, z, side] = *tangent;
            let turned = (linear * Vec3::new(x, y, z)).normalize_or(Vec3::X);
            let side = if linear.determinant() < 0.0 { -side } else { side };
            *tangent = [turned.x, turned.y, turned.z, side];
        }
    }
}

impl Channel {
    /// Returns the channel with linear interpolation. Cubic channels get keys in between, until no value is off by more than
    /// `tolerance` times the largest value. Other channels are returned as they are.
    ///
    /// ```
    /// use galatea_scene::{Channel, Interpolation, Property};
    /// let values = vec![0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 4.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    /// let ease = Channel::node(0, Property::Translation, Interpolation::Cubic, vec![0.0, 1.0], values);
    /// let straight = ease.straight(1e-3);
    /// assert_eq!(straight.interpolation, Interpolation::Linear);
    /// for time in [0.1, 0.33, 0.77] {
    ///     assert!((straight.sample(time).unwrap()[0] - ease.sample(time).unwrap()[0]).abs() < 5e-3);
    /// }
    /// ```
    pub fn straight(&self, tolerance: f32) -> Channel {
        if self.interpolation != Interpolation::Cubic {
            return self.clone();
        }
        let mut out = Channel {
            interpolation: Interpolation::Linear,
            times: Vec::new(),
            values: Vec::new(),
            ..self.clone()
        };
        let size = self.values.iter().fold(1.0f32, |a, v| if v.is_finite() { a.max(v.abs()) } else { a });
        let mut put = |time: f32| {
            let Some(value) = self.sample(time) else { return };
            out.times.push(time);
            out.values.extend(value);
        };
        for pair in self.times.windows(2) {
            let [from, to] = *pair else { continue };
            put(from);
            let parts = (1..=64).find(|n| self.is_straight(from, to, *n, tolerance * size)).unwrap_or(64);
            for i in 1..parts {
                let time = from + (to - from) * (i as f32 / parts as f32);
                if time > from && time < to {
                    put(time);
                }
            }
        }
        if let Some(last) = self.times.last() {
            put(*last);
        }
        out
    }

    /// Returns `true` if this number of linear parts is close enough.
    fn is_straight(&self, from: f32, to: f32, parts: usize, tolerance: f32) -> bool {
        let at = |s: f32| self.sample(from + (to - from) * s.min(0.999_999)).unwrap_or_default();
        let step = 1.0 / parts as f32;
        (0..parts).all(|i| {
            let (a, b) = (at(i as f32 * step), at((i + 1) as f32 * step));
            [0.25, 0.5, 0.75].iter().all(|s| {
                let there = at((i as f32 + s) * step);
                let mut line = a.iter().zip(&b).zip(&there);
                line.all(|((a, b), there)| (a + (b - a) * s - there).abs() <= tolerance)
            })
        })
    }
}
