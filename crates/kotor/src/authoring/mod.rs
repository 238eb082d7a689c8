//! New models and walkmeshes from scenes that did not come from the games: which way they face, what the names of
//! objects and materials mean, and what is walked on.
//!
//! Models and walkmeshes made of one scene fit on each other, because both are prepared here.

mod class;
mod floor;
mod names;
mod prepare;
mod surfaces;
mod walls;
mod weld;

pub use class::Class;
pub(crate) use floor::{Floor, Seam, Wanted};
pub(crate) use names::{Role, State, Use};
pub(crate) use prepare::{Prepared, prepare};

/// What kind of walkmesh is made of a scene.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WalkmeshUse {
    /// The floor of a room (WOK).
    Room,
    /// What blocks characters around a placeable (PWK).
    Placeable,
    /// The three states of a door (DWK).
    Door,
}

/// How the normals of new meshes are made.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub enum Smoothing {
    /// Those of the scene; meshes without any are smooth all over.
    #[default]
    Keep,
    /// Smooth wherever faces meet at no more than this angle, in degrees.
    Angle(f32),
}

/// The border of another room of the area, in the coordinates of the area.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Neighbor {
    /// Its number in the layout, which is what transitions name.
    pub room: i32,
    /// The ends of the edges of its border.
    pub border: Vec<[[f32; 3]; 2]>,
}

impl Neighbor {
    /// Returns the border of a room by its number in the layout.
    pub fn new(room: i32, border: Vec<[[f32; 3]; 2]>) -> Self {
        Neighbor { room, border }
    }
}

/// What the author of a new model decides, where names in the scene do not.
///
/// ```
/// use galatea_kotor::authoring::{Authoring, Class};
/// let authoring = Authoring::default().with_class(Some(Class::Placeable));
/// assert_eq!(authoring.class.map(Class::code), Some(32));
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Authoring {
    /// The class; `None` to guess it from the name of the scene and from what it holds.
    pub class: Option<Class>,
    /// The model whose animations are inherited; `None` for none.
    pub supermodel: Option<String>,
    /// Factor for the positions of inherited animations; 1 by default.
    pub animation_scale: Option<f32>,
    /// Surfaces by the names of materials, before all other rules.
    pub surfaces: Vec<(String, u32)>,
    /// How normals are made.
    pub smoothing: Smoothing,
    /// The kind of walkmesh; `None` for that of the class.
    pub walkmesh: Option<WalkmeshUse>,
    /// Whether all meshes of a room or placeable are walked on, or are in the way, if none is named as a walkmesh.
    pub any_mesh: bool,
    /// Whether the triangles of a floor are joined where an edge lies on another without sharing its vertices, within 1 cm.
    /// Otherwise such places, which are invisible walls, are named.
    pub join_edges: bool,
    /// Where the layout of the area puts a room.
    pub place: [f32; 3],
    /// The other rooms of the area.
    pub neighbors: Vec<Neighbor>,
}

galatea_wire::setters! {
    Authoring {
        with_class: class: Option<Class>,
        with_supermodel: supermodel: Option<String>,
        with_animation_scale: animation_scale: Option<f32>,
        with_surfaces: surfaces: Vec<(String, u32)>,
        with_smoothing: smoothing: Smoothing,
        with_walkmesh: walkmesh: Option<WalkmeshUse>,
        with_any_mesh: any_mesh: bool,
        with_join_edges: join_edges: bool,
        with_place: place: [f32; 3],
        with_neighbors: neighbors: Vec<Neighbor>,
    }
}

/// Returns `true` for scenes that did not come from a model or walkmesh of the game.
pub fn is_new(scene: &galatea_scene::Scene) -> bool {
    let own = crate::extra::own;
    let of_walkmesh = || scene.drawn().any(|(_, node, _)| own(&node.extras).contains_key("kind"));
    !own(&scene.extras).contains_key("game") && !of_walkmesh()
}
