//! How the surfaces and sprites of a frame are painted, for any painter: the rasterizer of this crate, or one on a GPU.
//!
//! `T` is a painter's own handle of a texture.

use galatea_scene::{
    AlphaMode, Frame, Material, MaterialId, MaterialState, Purpose, Scene, Slot, Sprite, Surface,
    UvTransform, Vertices, Wrap,
};

use crate::camera::sin_cos;
use crate::show::SurfaceView;

/// How a fragment is blended with the pixel behind it.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Blend {
    /// It replaces the pixel.
    Opaque,
    /// Opaque where alpha reaches the cutoff.
    Mask(f32),
    /// By its alpha.
    Alpha,
    /// Added, weighted by its alpha.
    Add,
    /// The pixel behind, multiplied by the color and a factor.
    Multiply(f32),
}

impl Blend {
    /// Returns the blending of a material.
    pub fn of(alpha: AlphaMode) -> Blend {
        match alpha {
            AlphaMode::Mask { cutoff } => Blend::Mask(cutoff),
            AlphaMode::Blend => Blend::Alpha,
            AlphaMode::Additive => Blend::Add,
            AlphaMode::Modulate => Blend::Multiply(1.0),
            AlphaMode::Modulate2x => Blend::Multiply(2.0),
            _ => Blend::Opaque,
        }
    }

    /// Returns `true` if it hides what is behind, and is drawn before what does not.
    pub fn is_solid(self) -> bool {
        matches!(self, Blend::Opaque | Blend::Mask(_))
    }
}

/// A map beside the color of a surface, with its place relative to the color's texture coordinates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Chart<T> {
    /// The image.
    pub texture: T,
    /// How it continues beyond its edges.
    pub wrap: [Wrap; 2],
    /// From the color's coordinates: u = a u + b v + c, v = d u + e v + f.
    pub place: [f32; 6],
}

/// What a surface reflects.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Surroundings<T> {
    /// A studio: bright above, dim below.
    Studio,
    /// Six square images below each other (+X -X +Y -Y +Z -Z), and the turn from the scene to the axes of the model, in which they are.
    Cube(T, glam::Mat3),
}

/// The maps of a surface that is shaded pixel by pixel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Relief<T> {
    /// Normals in tangent space, green up.
    pub normal: Option<Chart<T>>,
    /// Roughness in green, metal in blue.
    pub rough: Option<Chart<T>>,
    /// Occlusion in red.
    pub occlusion: Option<Chart<T>>,
    /// Factor of the metal.
    pub metallic: f32,
    /// Factor of the roughness.
    pub roughness: f32,
    /// What is added where the color's texture is transparent, as in KotOR.
    pub mirror: Option<Surroundings<T>>,
}

/// The appearance shared by all triangles of a primitive in one of its layers.
#[derive(Debug, Clone)]
pub struct Style<T> {
    /// The texture of the color.
    pub texture: Option<T>,
    /// How it continues beyond its edges.
    pub wrap: [Wrap; 2],
    /// Baked light, in place of ours.
    pub lightmap: Option<(T, [Wrap; 2])>,
    /// Emissive texture, if there is one; it has the coordinates and the wrap mode of the color.
    pub glow: Option<T>,
    /// Whether a faint checkerboard replaces a missing texture.
    pub checker: bool,
    /// Whether the color shows the texture coordinates.
    pub coordinates: bool,
    /// Blending.
    pub blend: Blend,
    /// Whether it is drawn without light.
    pub unlit: bool,
    /// Emissive color.
    pub emissive: [f32; 3],
    /// Whether emissive light is multiplied by the texture like other light; otherwise it is added.
    pub glows: bool,
    /// Its maps.
    pub relief: Option<Relief<T>>,
    /// Color and opacity, by which those of vertices and the texture are multiplied.
    pub colour: [f32; 4],
    /// Whether back faces are drawn.
    pub two_sided: bool,
    /// Order of drawing among transparent parts.
    pub order: i32,
    /// The set of texture coordinates of the color.
    pub uv_set: usize,
    /// The set of texture coordinates of the lightmap.
    pub lightmap_set: usize,
    /// Where the state of the material moves the color.
    pub moved: UvPlacement,
    /// Where the texture's transform puts it after that.
    pub transform: UvPlacement,
    /// Where that of the lightmap puts it.
    pub lightmap_transform: UvPlacement,
}

/// A transform of texture coordinates, with the sine and cosine of its rotation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UvPlacement(Option<(UvTransform, f32, f32)>);

impl UvPlacement {
    /// The placement that changes nothing.
    pub const NONE: UvPlacement = UvPlacement(None);

    /// Returns the placement of a transform.
    pub fn new(transform: Option<UvTransform>) -> UvPlacement {
        UvPlacement(transform.filter(|t| *t != UvTransform::default()).map(|t| {
            let (sin, cos) = sin_cos(f64::from(t.rotation).to_degrees());
            (t, sin as f32, cos as f32)
        }))
    }

    /// Returns the transform from coordinates that have one placement to those of another; `None` if the first cannot be undone.
    fn between(from: Option<UvTransform>, to: Option<UvTransform>) -> Option<[f32; 6]> {
        if from == to {
            return Some([1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
        }
        let change = UvPlacement::new(to).matrix() * UvPlacement::new(from).matrix().inverse();
        let place = rows(change);
        place.iter().all(|v| v.is_finite()).then_some(place)
    }

    fn matrix(&self) -> glam::Affine2 {
        let ([c, f], [x, y], [z, w]) = (self.of([0.0; 2]), self.of([1.0, 0.0]), self.of([0.0, 1.0]));
        glam::Affine2::from_cols_array(&[x - c, y - f, z - c, w - f, c, f])
    }

    /// Returns this placement after another as the numbers of u = a u + b v + c, v = d u + e v + f.
    pub fn after(&self, first: &UvPlacement) -> [f32; 6] {
        rows(self.matrix() * first.matrix())
    }

    /// Returns placed texture coordinates.
    pub fn of(&self, [u, v]: [f32; 2]) -> [f32; 2] {
        let Some((t, sin, cos)) = self.0 else { return [u, v] };
        let ([x, y], [left, top]) = ([u * t.scale[0], v * t.scale[1]], t.offset);
        [x * cos + y * sin + left, -x * sin + y * cos + top]
    }
}

fn rows(matrix: glam::Affine2) -> [f32; 6] {
    let [a, d, b, e, c, f] = matrix.to_cols_array();
    [a, b, c, d, e, f]
}

/// The slot of images whose red is occlusion.
const OCCLUSION: &str = "occlusion";

/// Returns `true` for textures that are seen.
pub fn is_drawn(slot: &Slot) -> bool {
    match slot {
        Slot::Base | Slot::Lightmap | Slot::Emissive | Slot::Normal => true,
        Slot::OcclusionRoughnessMetallic | Slot::Environment => true,
        Slot::Other(name) => name == OCCLUSION,
        _ => false,
    }
}

/// Returns the material of a primitive and its additional layers.
pub(crate) fn layers(scene: &Scene, material: Option<MaterialId>) -> impl Iterator<Item = MaterialId> {
    let first = material.filter(|id| scene.materials.len() > *id as usize);
    let over = first.and_then(|id| scene.materials.get(id as usize)).map_or(&[][..], |m| &m.layers);
    first.into_iter().chain(over.iter().copied())
}

/// A sprite as it is painted: neither lit nor culled, blended in display values.
#[derive(Debug, Clone, Copy)]
pub struct SpriteStyle<T> {
    /// Its texture; without one it is a soft dot.
    pub texture: Option<T>,
    /// How it continues beyond its edges.
    pub wrap: [Wrap; 2],
    /// Blending, never [`Blend::Opaque`].
    pub blend: Blend,
    /// Color and opacity.
    pub color: [f32; 4],
    /// Texture coordinates of its corners.
    pub uvs: [[f32; 2]; 4],
}

/// Tells how what is in a frame is painted.
#[derive(Clone, Copy)]
pub struct Stylist<'a, T> {
    /// The scene.
    pub scene: &'a Scene,
    /// The frame.
    pub frame: &'a Frame,
    /// What the color of surfaces shows.
    pub view: &'a SurfaceView,
    /// Whether everything is drawn two-sided: a model of which only back faces are visible, such as a plane of fog.
    pub all_sides: bool,
    /// Finds a texture by the name that a material gives it.
    pub image: &'a dyn Fn(&str) -> Option<T>,
}

impl<T> std::fmt::Debug for Stylist<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stylist").field("view", self.view).finish_non_exhaustive()
    }
}

impl<'a, T: Copy + PartialEq> Stylist<'a, T> {
    /// Returns the styles of a surface: one for each layer of its material.
    pub fn styles(&self, surface: &Surface, vertices: &Vertices) -> impl Iterator<Item = Style<T>> {
        let material = surface.primitive(self.scene).and_then(|p| p.material);
        let purpose = self.scene.meshes.get(surface.mesh as usize).map_or(Purpose::Render, |m| m.purpose);
        let mut ids: Vec<MaterialId> = layers(self.scene, material).collect();
        if ids.is_empty() || *self.view != SurfaceView::Shaded {
            ids.truncate(1);
            ids.resize(1, MaterialId::MAX);
        }
        let states = surface.states;
        let tint = surface.tint;
        ids.into_iter().map(move |id| self.style(id.saturating_add(states), purpose, tint, vertices))
    }

    /// Returns a state of a material, and the material as it is drawn.
    fn material(&self, id: MaterialId) -> Option<(&'a MaterialState, &'a Material)> {
        let state = self.frame.materials.get(id as usize)?;
        Some((state, self.scene.materials.get(state.drawn_as as usize)?))
    }

    fn image(&self, texture: Option<&galatea_scene::Texture>) -> Option<T> {
        texture.and_then(|t| (self.image)(&t.name))
    }

    fn style(&self, id: MaterialId, purpose: Purpose, tint: [f32; 4], vertices: &Vertices) -> Style<T> {
        let Some((state, material)) = self.material(id) else {
            let two_sided = purpose != Purpose::Render || self.all_sides;
            return Style::plain(tint, two_sided, &Material::default());
        };
        if *self.view != SurfaceView::Shaded {
            let mut style = Style::plain([1.0; 4], material.two_sided || self.all_sides, material);
            let coordinates = *self.view == SurfaceView::Uv && vertices.uvs.iter().any(|set| !set.is_empty());
            // Their colors are numbers, which light would change.
            style.unlit = coordinates || *self.view == SurfaceView::Normals;
            style.coordinates = coordinates;
            return style;
        }
        let base = material.texture(&Slot::Base);
        let lightmap = material.texture(&Slot::Lightmap);
        let glow = material.texture(&Slot::Emissive);
        let uv_set = base.map_or(0, |t| t.uv_set) as usize;
        let has_uvs = vertices.uvs.get(uv_set).is_some_and(|set| !set.is_empty());
        let texture = self.image(base).filter(|_| has_uvs);
        let mut colour = state.base_color;
        for (value, tint) in colour.iter_mut().zip(tint) {
            *value *= tint;
        }
        let mut blend = Blend::of(material.alpha);
        let [_, _, _, opacity] = colour;
        if blend == Blend::Opaque && opacity < 0.999 {
            blend = Blend::Alpha;
        }
        let relief = if has_uvs && !material.unlit { self.relief(material, texture, &blend) } else { None };
        if relief.is_some_and(|relief| relief.mirror.is_some()) {
            blend = Blend::Opaque;
        }
        let glow_image = self.image(glow);
        Style {
            relief,
            texture,
            wrap: base.map_or([Wrap::Repeat; 2], |t| t.wrap),
            lightmap: self.image(lightmap).zip(lightmap.map(|t| t.wrap)),
            glow: glow_image.filter(|_| has_uvs),
            coordinates: false,
            checker: base.is_some() && texture.is_none() && has_uvs,
            blend,
            unlit: material.unlit,
            // Without its texture nobody knows what glows.
            emissive: if glow.is_some() && glow_image.is_none() { [0.0; 3] } else { state.emissive },
            glows: base.is_some() && glow.is_none(),
            colour,
            two_sided: material.two_sided || self.all_sides,
            order: state.order,
            uv_set,
            lightmap_set: lightmap.map_or(1, |t| t.uv_set) as usize,
            moved: UvPlacement::new(Some(state.uv)),
            transform: UvPlacement::new(base.and_then(|t| t.transform)),
            lightmap_transform: UvPlacement::new(lightmap.and_then(|t| t.transform)),
        }
    }

    /// Returns the maps of a material; `None` if it has no more than a color. Those with texture coordinates of their own are left out.
    fn relief(&self, material: &Material, texture: Option<T>, blend: &Blend) -> Option<Relief<T>> {
        let base = material.texture(&Slot::Base);
        let chart = |slot: Slot| {
            let own = material.texture(&slot).filter(|t| t.uv_set == base.map_or(t.uv_set, |b| b.uv_set))?;
            let place = UvPlacement::between(base.and_then(|b| b.transform), own.transform)?;
            Some(Chart { texture: self.image(Some(own))?, wrap: own.wrap, place })
        };
        let mirror =
            material.texture(&Slot::Environment).filter(|_| texture.is_some() && *blend == Blend::Opaque);
        let relief = Relief {
            normal: chart(Slot::Normal),
            rough: chart(Slot::OcclusionRoughnessMetallic),
            occlusion: chart(Slot::Other(OCCLUSION.to_owned())),
            metallic: material.metallic,
            roughness: material.roughness,
            mirror: mirror.map(|environment| match self.image(Some(environment)) {
                Some(image) => Surroundings::Cube(image, self.model_axes()),
                None => Surroundings::Studio,
            }),
        };
        let any = relief.normal.is_some() || relief.rough.is_some() || relief.mirror.is_some();
        (any || relief.occlusion.is_some()).then_some(relief)
    }

    /// Returns the turn from the scene to the axes of the model.
    fn model_axes(&self) -> glam::Mat3 {
        let node = self.scene.axes().and_then(|id| self.scene.node(id));
        let turn = node.map_or(glam::Quat::IDENTITY, |n| glam::Quat::from_array(n.transform.rotation));
        glam::Mat3::from_quat(turn.inverse())
    }

    /// Returns how a sprite is painted; `None` if its material is unknown.
    pub fn sprite(&self, sprite: &Sprite) -> Option<SpriteStyle<T>> {
        let (state, material) = self.material(sprite.material)?;
        let base = material.textures.first();
        let texture = self.image(base);
        let blend = match Blend::of(material.alpha) {
            Blend::Opaque => Blend::Alpha,
            blend => blend,
        };
        let mut color = sprite.color;
        for (value, own) in color.iter_mut().zip(state.base_color) {
            *value *= own;
        }
        // Without its texture it is drawn as a soft dot.
        let whole = [[0.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, 0.0]];
        let uvs = if texture.is_some() { sprite.uvs } else { whole };
        let place = UvPlacement::new(base.filter(|_| texture.is_some()).and_then(|t| t.transform));
        let wrap = base.map_or([Wrap::Clamp; 2], |t| t.wrap);
        Some(SpriteStyle { texture, wrap, blend, color, uvs: uvs.map(|uv| place.of(uv)) })
    }
}

impl<T> Style<T> {
    /// Returns the style of a surface without textures.
    fn plain(colour: [f32; 4], two_sided: bool, material: &Material) -> Self {
        let blend = match material.alpha {
            AlphaMode::Opaque | AlphaMode::Mask { .. } => Blend::Opaque,
            _ if colour[3] < 0.999 => Blend::Alpha,
            _ => Blend::Opaque,
        };
        Style {
            texture: None,
            wrap: [Wrap::Repeat; 2],
            lightmap: None,
            glow: None,
            checker: false,
            coordinates: false,
            blend,
            unlit: material.unlit,
            emissive: [0.0; 3],
            glows: false,
            relief: None,
            colour,
            two_sided,
            order: 0,
            uv_set: 0,
            lightmap_set: 1,
            moved: UvPlacement::NONE,
            transform: UvPlacement::NONE,
            lightmap_transform: UvPlacement::NONE,
        }
    }
}
