//! Meshes: vertices, primitives, skins, and bounds.

use glam::{Mat4, Vec3};

use crate::{Extras, MaterialId, NodeId, VerticesId};

/// Vertex data, column by column. A column is empty or has one entry per position.
#[derive(Debug, Clone, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
pub struct Vertices {
    /// Positions.
    pub positions: Vec<[f32; 3]>,
    /// Normals as in the file, where not all are of unit length.
    pub normals: Vec<[f32; 3]>,
    /// Tangents; the bitangent is cross(normal, tangent) times the last number.
    pub tangents: Vec<[f32; 4]>,
    /// Sets of texture coordinates, V down.
    pub uvs: Vec<Vec<[f32; 2]>>,
    /// Sets of colours, red, green, blue, opacity.
    pub colors: Vec<Vec<[f32; 4]>>,
    /// Which joints move each vertex.
    pub influences: Influences,
    /// Other numbers of each vertex, by the format's name.
    pub attributes: Vec<Attribute>,
    /// Data of the format that the scene has no field for.
    pub extras: Extras,
}

impl Vertices {
    /// Returns the numbers of a named attribute; empty if there is none of that name.
    pub fn attribute(&self, name: &str) -> &[f32] {
        self.attributes.iter().find(|a| a.name == name).map_or(&[], |a| &a.values)
    }

    /// Appends a copy of a row and returns its index. Columns that have no entry for every vertex stay as they are.
    ///
    /// ```
    /// use galatea_scene::Vertices;
    /// let mut line = Vertices { positions: vec![[0.0; 3], [1.0; 3]], ..Vertices::default() };
    /// assert_eq!(line.copy_row(0), 2);
    /// assert!(line.is_same_row(0, 2) && !line.is_same_row(1, 2));
    /// line.truncate(2);
    /// assert_eq!(line.positions, [[0.0; 3], [1.0; 3]]);
    /// ```
    pub fn copy_row(&mut self, row: usize) -> usize {
        fn again<T: Copy + Default>(column: &mut Vec<T>, row: usize, count: usize, width: usize) {
            if column.len() == count * width {
                for i in 0..width {
                    column.push(column.get(row * width + i).copied().unwrap_or_default());
                }
            }
        }
        let count = self.positions.len();
        again(&mut self.normals, row, count, 1);
        again(&mut self.tangents, row, count, 1);
        self.uvs.iter_mut().for_each(|column| again(column, row, count, 1));
        self.colors.iter_mut().for_each(|column| again(column, row, count, 1));
        let width = self.influences.width;
        again(&mut self.influences.joints, row, count, width);
        again(&mut self.influences.weights, row, count, width);
        for Attribute { width, values, .. } in &mut self.attributes {
            again(values, row, count, *width);
        }
        again(&mut self.positions, row, count, 1);
        count
    }

    /// Returns `true` if two rows have the same bits in all columns.
    pub fn is_same_row(&self, a: usize, b: usize) -> bool {
        fn same<const N: usize>(column: &[[f32; N]], a: usize, b: usize) -> bool {
            column.get(a).map(|row| row.map(f32::to_bits)) == column.get(b).map(|row| row.map(f32::to_bits))
        }
        let attribute = |attribute: &Attribute| {
            let row = |at: usize| {
                let from = at.saturating_mul(attribute.width);
                attribute.values.get(from..).map(|v| v.iter().take(attribute.width).map(|v| v.to_bits()))
            };
            match (row(a), row(b)) {
                (Some(a), Some(b)) => a.eq(b),
                (a, b) => a.is_none() && b.is_none(),
            }
        };
        let weights = |at: usize| self.influences.of(at).map(|(joint, weight)| (joint, weight.to_bits()));
        same(&self.positions, a, b)
            && same(&self.normals, a, b)
            && same(&self.tangents, a, b)
            && self.uvs.iter().all(|set| same(set, a, b))
            && self.colors.iter().all(|set| same(set, a, b))
            && weights(a).eq(weights(b))
            && self.attributes.iter().all(attribute)
    }

    /// Removes all rows from an index on.
    pub fn truncate(&mut self, count: usize) {
        self.positions.truncate(count);
        self.normals.truncate(count);
        self.tangents.truncate(count);
        self.uvs.iter_mut().for_each(|set| set.truncate(count));
        self.colors.iter_mut().for_each(|set| set.truncate(count));
        let entries = count.saturating_mul(self.influences.width);
        self.influences.joints.truncate(entries);
        self.influences.weights.truncate(entries);
        for Attribute { width, values, .. } in &mut self.attributes {
            values.truncate(count.saturating_mul(*width));
        }
    }
}

/// Numbers of each vertex that the scene has no field for.
#[derive(Debug, Clone, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
pub struct Attribute {
    /// Name, in capitals: letters, digits and underscores.
    pub name: String,
    /// Numbers per vertex, 1 to 4.
    pub width: usize,
    /// The numbers, in the order of vertices.
    pub values: Vec<f32>,
}

/// The joints that move each vertex, and their weights: the same number of entries for every vertex.
#[derive(Debug, Clone, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
pub struct Influences {
    /// Entries per vertex; 0 without a skin.
    pub width: usize,
    /// Indices into [`Skin::joints`], vertex after vertex; 0 in entries that are not used.
    pub joints: Vec<u16>,
    /// Weights, in the same order; 0 in entries that are not used.
    pub weights: Vec<f32>,
}

impl Influences {
    /// Returns the entries of a vertex.
    ///
    /// ```
    /// use galatea_scene::Influences;
    /// let two = Influences { width: 2, joints: vec![0, 1, 3, 0], weights: vec![0.5, 0.5, 1.0, 0.0] };
    /// assert_eq!(two.of(1).collect::<Vec<_>>(), [(3, 1.0), (0, 0.0)]);
    /// ```
    pub fn of(&self, vertex: usize) -> impl Iterator<Item = (u16, f32)> + '_ {
        let from = vertex.saturating_mul(self.width);
        let joints = self.joints.get(from..).unwrap_or(&[]).iter().take(self.width);
        let weights = self.weights.get(from..).unwrap_or(&[]).iter().take(self.width);
        joints.copied().zip(weights.copied())
    }

    /// Returns `true` if no vertex is moved by a joint.
    pub fn is_empty(&self) -> bool {
        self.width == 0 || self.joints.is_empty()
    }
}

/// What the indices of a primitive describe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Topology {
    /// Triangles, three indices each; counter-clockwise ones face the viewer.
    #[default]
    Triangles,
    /// Lines, two indices each.
    Lines,
    /// Points, one index each.
    Points,
}

/// Vertices drawn with one material.
#[derive(Debug, Clone, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
pub struct Primitive {
    /// The vertices.
    pub vertices: VerticesId,
    /// What the indices describe.
    pub topology: Topology,
    /// Indices of vertices, triangle by triangle or line by line.
    pub indices: Vec<u32>,
    /// The material.
    pub material: Option<MaterialId>,
    /// Data of the format that the scene has no field for.
    pub extras: Extras,
}

impl Primitive {
    /// Returns the triangles whose corners are among `count` vertices, in order.
    pub fn triangles(&self, count: usize) -> impl Iterator<Item = [u32; 3]> + '_ {
        let take = if self.topology == Topology::Triangles { self.indices.len() } else { 0 };
        let known = self.indices.get(..take).unwrap_or(&[]);
        known
            .chunks_exact(3)
            .filter_map(|t| t.first_chunk().copied())
            .filter(move |t: &[u32; 3]| t.iter().all(|i| (*i as usize) < count))
    }
}

/// The purpose of a mesh.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Purpose {
    /// Rendering.
    #[default]
    Render,
    /// Walking.
    Walk,
    /// Collision.
    Collision,
    /// Walking, as a part of a model with a tree of bounding boxes.
    Aabb,
    /// Not rendered: shadow volumes, helpers.
    Hidden,
}

impl Purpose {
    /// All purposes.
    pub const ALL: [Purpose; 5] =
        [Purpose::Render, Purpose::Walk, Purpose::Collision, Purpose::Aabb, Purpose::Hidden];

    /// Returns the name: `render`, `walk`, `collision`, `aabb` or `hidden`.
    pub fn name(self) -> &'static str {
        match self {
            Purpose::Render => "render",
            Purpose::Walk => "walk",
            Purpose::Collision => "collision",
            Purpose::Aabb => "aabb",
            Purpose::Hidden => "hidden",
        }
    }
}

/// A mesh: primitives that belong together.
#[derive(Debug, Clone, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
pub struct Mesh {
    /// Name.
    pub name: String,
    /// Its primitives.
    pub primitives: Vec<Primitive>,
    /// Its purpose.
    pub purpose: Purpose,
    /// Level of detail: 0, or none, is the finest.
    pub lod: Option<u32>,
    /// Data of the format that the scene has no field for.
    pub extras: Extras,
}

/// The joints that move a mesh.
#[derive(Debug, Clone, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
pub struct Skin {
    /// Name.
    pub name: String,
    /// The nodes.
    pub joints: Vec<NodeId>,
    /// For every joint, the matrix from the space of the mesh to that of the joint when bound, in column-major order.
    pub inverse_bind: Vec<[f32; 16]>,
    /// Data of the format that the scene has no field for.
    pub extras: Extras,
}

impl Skin {
    /// Returns the inverse bind matrix of a joint; the identity if there is none.
    pub fn bind(&self, joint: usize) -> Mat4 {
        self.inverse_bind.get(joint).map_or(Mat4::IDENTITY, Mat4::from_cols_array)
    }
}

/// An axis-aligned bounding box.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Bounds {
    /// Minimum corner.
    pub min: [f32; 3],
    /// Maximum corner.
    pub max: [f32; 3],
}

impl Bounds {
    /// Returns the bounds of the finite points; `None` if there are none.
    ///
    /// ```
    /// use galatea_scene::Bounds;
    /// let bounds = Bounds::around([[0.0, 1.0, 2.0], [f32::NAN, 0.0, 0.0], [-1.0, 3.0, 2.0]]).unwrap();
    /// assert_eq!((bounds.min, bounds.max), ([-1.0, 1.0, 2.0], [0.0, 3.0, 2.0]));
    /// assert!(Bounds::around([]).is_none());
    /// ```
    pub fn around(points: impl IntoIterator<Item = [f32; 3]>) -> Option<Bounds> {
        let mut points = points.into_iter().map(Vec3::from).filter(|p| p.is_finite());
        let first = points.next()?;
        let (min, max) = points.fold((first, first), |(min, max), p| (min.min(p), max.max(p)));
        Some(Bounds { min: min.into(), max: max.into() })
    }

    /// Returns the bounds of both.
    #[must_use]
    pub fn union(self, other: Bounds) -> Bounds {
        let (a, b) = (Vec3::from(self.min), Vec3::from(other.min));
        let (c, d) = (Vec3::from(self.max), Vec3::from(other.max));
        Bounds { min: a.min(b).into(), max: c.max(d).into() }
    }

    /// Returns the center.
    pub fn center(self) -> [f32; 3] {
        // Halved first, so that the sum of large coordinates does not overflow.
        (Vec3::from(self.min) * 0.5 + Vec3::from(self.max) * 0.5).into()
    }

    /// Returns the length of the diagonal.
    pub fn size(self) -> f32 {
        (Vec3::from(self.max) - Vec3::from(self.min)).length()
    }
}
