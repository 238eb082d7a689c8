//! A glTF player that knows nothing but core glTF 2.0: nodes, animations, skins. It plays a file as any viewer does, without our
//! readers and without extras.
#![expect(clippy::indexing_slicing, reason = "a file of ours that a viewer cannot follow has to end the run")]

use glam::{Mat4, Quat, Vec3};
use serde_json::Value;

/// A GLB as a viewer sees it.
pub(super) struct Viewer {
    json: Value,
    bin: Vec<u8>,
    nodes: Vec<Node>,
    /// Parents before children.
    order: Vec<usize>,
    pub(super) clips: Vec<Clip>,
}

#[derive(Clone)]
struct Node {
    parent: Option<usize>,
    translation: Vec3,
    rotation: Quat,
    scale: Vec3,
}

/// An animation.
pub(super) struct Clip {
    channels: Vec<Channel>,
}

struct Channel {
    node: usize,
    path: String,
    interpolation: String,
    times: Vec<f32>,
    values: Vec<f32>,
}

impl Clip {
    /// Returns the time of the last key, which is how long a viewer plays it.
    pub(super) fn length(&self) -> f32 {
        self.channels.iter().filter_map(|c| c.times.last()).copied().fold(0.0, f32::max)
    }
}

/// A mesh of a node: positions and, if it is skinned, the joints and weights of each vertex.
pub(super) struct Mesh {
    positions: Vec<Vec3>,
    influences: Vec<Vec<(usize, f32)>>,
    skin: Option<Skin>,
    node: usize,
}

struct Skin {
    joints: Vec<usize>,
    binds: Vec<Mat4>,
}

fn whole(value: &Value, key: &str) -> Option<usize> {
    Some(value.get(key)?.as_u64()? as usize)
}

fn numbers(value: &Value, key: &str, usual: &[f32]) -> Vec<f32> {
    let list = value.get(key).and_then(Value::as_array);
    list.map_or(usual.to_vec(), |l| l.iter().filter_map(|v| v.as_f64().map(|v| v as f32)).collect())
}

fn list<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

impl Viewer {
    pub(super) fn new(glb: &[u8]) -> Option<Viewer> {
        let length = u32::from_le_bytes(*glb.get(12..)?.first_chunk()?) as usize;
        let json: Value = serde_json::from_slice(glb.get(20..20 + length)?).ok()?;
        let bin = glb.get(28 + length..).unwrap_or(&[]).to_vec();
        let mut viewer = Viewer { json, bin, nodes: Vec::new(), order: Vec::new(), clips: Vec::new() };
        viewer.nodes = list(&viewer.json, "nodes").iter().map(node).collect();
        for (parent, value) in list(&viewer.json, "nodes").iter().enumerate() {
            for child in list(value, "children").iter().filter_map(Value::as_u64) {
                viewer.nodes.get_mut(child as usize)?.parent = Some(parent);
            }
        }
        let mut todo: Vec<usize> =
            (0..viewer.nodes.len()).filter(|n| viewer.nodes[*n].parent.is_none()).collect();
        while let Some(node) = todo.pop() {
            viewer.order.push(node);
            let value = &list(&viewer.json, "nodes")[node];
            todo.extend(list(value, "children").iter().filter_map(Value::as_u64).map(|c| c as usize));
        }
        let clips: Option<Vec<Clip>> =
            list(&viewer.json, "animations").iter().map(|a| viewer.clip(a)).collect();
        viewer.clips = clips?;
        Some(viewer)
    }

    fn clip(&self, value: &Value) -> Option<Clip> {
        let channel = |channel: &Value| {
            let sampler = list(value, "samplers").get(whole(channel, "sampler")?)?;
            let target = channel.get("target")?;
            let interpolation = sampler.get("interpolation").and_then(Value::as_str).unwrap_or("LINEAR");
            Some(Channel {
                node: whole(target, "node")?,
                path: target.get("path")?.as_str()?.to_owned(),
                interpolation: interpolation.to_owned(),
                times: self.floats(whole(sampler, "input")?)?,
                values: self.floats(whole(sampler, "output")?)?,
            })
        };
        let channels: Option<Vec<Channel>> = list(value, "channels").iter().map(channel).collect();
        Some(Clip { channels: channels? })
    }

    /// Returns the numbers of an accessor, normalised ones as fractions.
    fn floats(&self, accessor: usize) -> Option<Vec<f32>> {
        let accessor = list(&self.json, "accessors").get(accessor)?;
        let count = whole(accessor, "count")?;
        let width = match accessor.get("type")?.as_str()? {
            "SCALAR" => 1,
            "VEC2" => 2,
            "VEC3" => 3,
            "VEC4" => 4,
            "MAT4" => 16,
            _ => return None,
        };
        let kind = whole(accessor, "componentType")?;
        let size = match kind {
            5120 | 5121 => 1,
            5122 | 5123 => 2,
            _ => 4,
        };
        let Some(view) = whole(accessor, "bufferView") else { return Some(vec![0.0; count * width]) };
        let view = list(&self.json, "bufferViews").get(view)?;
        let start = whole(view, "byteOffset").unwrap_or(0) + whole(accessor, "byteOffset").unwrap_or(0);
        let stride = whole(view, "byteStride").unwrap_or(size * width);
        let normalized = accessor.get("normalized").and_then(Value::as_bool).unwrap_or(false);
        let mut out = Vec::with_capacity(count * width);
        for row in 0..count {
            for column in 0..width {
                let at = start + row * stride + column * size;
                let bytes = self.bin.get(at..at + size)?;
                out.push(match kind {
                    5121 => f32::from(bytes[0]) / if normalized { 255.0 } else { 1.0 },
                    5123 => {
                        let value = u16::from_le_bytes([bytes[0], bytes[1]]);
                        f32::from(value) / if normalized { 65535.0 } else { 1.0 }
                    }
                    5125 => u32::from_le_bytes(*bytes.first_chunk()?) as f32,
                    _ => f32::from_le_bytes(*bytes.first_chunk()?),
                });
            }
        }
        Some(out)
    }

    /// Returns the root, which converts axes and units.
    pub(super) fn axes(&self) -> Mat4 {
        let Some(Node { translation, rotation, scale, .. }) = self.order.first().map(|id| &self.nodes[*id])
        else {
            return Mat4::IDENTITY;
        };
        Mat4::from_scale_rotation_translation(*scale, *rotation, *translation)
    }

    /// Returns the nodes that have a mesh, each with the number that `of` finds for it in the node.
    pub(super) fn meshes(&self, of: impl Fn(&Value) -> Option<usize>) -> Vec<(usize, Mesh)> {
        let nodes = list(&self.json, "nodes").iter().enumerate();
        nodes.filter_map(|(id, value)| Some((of(value)?, self.mesh(id, value)?))).collect()
    }

    /// The nodes for which `of` finds a number, each after it.
    pub(super) fn nodes_of(&self, of: impl Fn(&Value) -> Option<usize>) -> Vec<(usize, usize)> {
        let nodes = list(&self.json, "nodes").iter().enumerate();
        nodes.filter_map(|(id, value)| Some((of(value)?, id))).collect()
    }

    fn mesh(&self, node: usize, value: &Value) -> Option<Mesh> {
        let mesh = list(&self.json, "meshes").get(whole(value, "mesh")?)?;
        let attributes = list(mesh, "primitives").first()?.get("attributes")?;
        let rows = |name: &str| whole(attributes, name).and_then(|a| self.floats(a));
        let positions = rows("POSITION")?.as_chunks::<3>().0.iter().map(|p| Vec3::from(*p)).collect();
        let mut influences: Vec<Vec<(usize, f32)>> = Vec::new();
        for set in 0.. {
            let (Some(joints), Some(weights)) =
                (rows(&format!("JOINTS_{set}")), rows(&format!("WEIGHTS_{set}")))
            else {
                break;
            };
            influences.resize(joints.len() / 4, Vec::new());
            let pairs = joints.chunks_exact(4).zip(weights.chunks_exact(4));
            for (slot, (joints, weights)) in influences.iter_mut().zip(pairs) {
                let used = joints.iter().zip(weights).filter(|(_, w)| **w > 0.0);
                slot.extend(used.map(|(j, w)| (*j as usize, *w)));
            }
        }
        let skin = whole(value, "skin").and_then(|s| list(&self.json, "skins").get(s)).and_then(|skin| {
            let joints = list(skin, "joints").iter().filter_map(Value::as_u64).map(|j| j as usize);
            let binds = whole(skin, "inverseBindMatrices").and_then(|b| self.floats(b))?;
            let binds = binds.as_chunks::<16>().0.iter().map(Mat4::from_cols_array).collect();
            Some(Skin { joints: joints.collect(), binds })
        });
        Some(Mesh { positions, influences, skin, node })
    }

    /// Returns where each node is at a time of an animation.
    pub(super) fn pose(&self, clip: &Clip, time: f32) -> Vec<Mat4> {
        let mut nodes = self.nodes.clone();
        for channel in &clip.channels {
            let value = channel.at(time);
            let node = &mut nodes[channel.node];
            match (channel.path.as_str(), value.as_slice()) {
                ("translation", [x, y, z]) => node.translation = Vec3::new(*x, *y, *z),
                ("scale", [x, y, z]) => node.scale = Vec3::new(*x, *y, *z),
                ("rotation", [x, y, z, w]) => node.rotation = Quat::from_xyzw(*x, *y, *z, *w),
                _ => {}
            }
        }
        let mut out = vec![Mat4::IDENTITY; nodes.len()];
        for id in &self.order {
            let Node { parent, translation, rotation, scale } = nodes[*id];
            let own = Mat4::from_scale_rotation_translation(scale, rotation.normalize(), translation);
            out[*id] = parent.map_or(own, |p| out[p] * own);
        }
        out
    }
}

fn node(value: &Value) -> Node {
    let three = |key: &str, usual: [f32; 3]| {
        Vec3::from(numbers(value, key, &usual).first_chunk::<3>().copied().unwrap_or(usual))
    };
    let rotation = numbers(value, "rotation", &[0.0, 0.0, 0.0, 1.0]);
    Node {
        parent: None,
        translation: three("translation", [0.0; 3]),
        rotation: Quat::from_array(rotation.first_chunk().copied().unwrap_or([0.0, 0.0, 0.0, 1.0])),
        scale: three("scale", [1.0; 3]),
    }
}

impl Channel {
    /// Returns the value at a time, as the specification of glTF defines it.
    fn at(&self, time: f32) -> Vec<f32> {
        let cubic = self.interpolation == "CUBICSPLINE";
        let width = self.values.len() / self.times.len() / if cubic { 3 } else { 1 };
        let part = |key: usize, which: usize| {
            let from = if cubic { (key * 3 + which) * width } else { key * width };
            &self.values[from..from + width]
        };
        let next = self.times.partition_point(|t| *t <= time);
        if next == 0 || next == self.times.len() {
            return part(next.min(self.times.len() - 1), 1).to_vec();
        }
        let span = self.times[next] - self.times[next - 1];
        let t = (time - self.times[next - 1]) / span;
        let (a, b) = (part(next - 1, 1), part(next, 1));
        match self.interpolation.as_str() {
            "STEP" => a.to_vec(),
            "CUBICSPLINE" => {
                let (t2, t3) = (t * t, t * t * t);
                let (out, into) = (part(next - 1, 2), part(next, 0));
                (0..width)
                    .map(|i| {
                        (2.0 * t3 - 3.0 * t2 + 1.0) * a[i]
                            + span * (t3 - 2.0 * t2 + t) * out[i]
                            + (3.0 * t2 - 2.0 * t3) * b[i]
                            + span * (t3 - t2) * into[i]
                    })
                    .collect()
            }
            _ if self.path == "rotation" => {
                let turn = |v: &[f32]| Quat::from_slice(v).normalize();
                turn(a).slerp(turn(b), t).to_array().to_vec()
            }
            _ => (0..width).map(|i| a[i] + (b[i] - a[i]) * t).collect(),
        }
    }
}

impl Mesh {
    /// Returns where a vertex is, in a pose; `None` if the mesh has fewer.
    pub(super) fn vertex(&self, index: usize, pose: &[Mat4]) -> Option<Vec3> {
        let position = *self.positions.get(index)?;
        let Some(skin) = &self.skin else { return Some(pose[self.node].transform_point3(position)) };
        let mut sum = Vec3::ZERO;
        for (joint, weight) in &self.influences[index] {
            sum += (pose[skin.joints[*joint]] * skin.binds[*joint]).transform_point3(position) * *weight;
        }
        Some(sum)
    }
}
