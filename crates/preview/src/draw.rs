//! Converts a frame of a scene into triangles, and resolves the final pixels.

use std::collections::BTreeMap;
use std::sync::Arc;

use galatea_scene::{
    AlphaMode, Bounds, Frame, Material, MaterialId, MaterialState, Purpose, Scene, Slot, Sprite, Surface,
    Topology, UvTransform, Vertices, Wrap,
};

use crate::camera::{Camera, sin_cos};
use crate::raster::{AMBIENT, Blend, Chart, Corner, KEY, KEY_LIGHT, Paint, Raster, Relief, Surroundings};
use crate::show::SurfaceView;
use crate::texture::{Texture, linear};
use crate::{Image, Options, Textures};

type Loaded = BTreeMap<String, Option<Arc<Texture>>>;

/// Returns the camera of a frame: that of the options, or one that shows everything.
pub(crate) fn camera(scene: &Scene, frame: &Frame, options: &Options) -> Camera {
    let aspect = f64::from(options.width) / f64::from(options.height);
    if let Some(view) = &options.view {
        return Camera::looking(view, aspect);
    }
    let bounds = options.framing.unwrap_or_else(|| framing_bounds(scene, frame));
    let stroked = Bounds::around(options.strokes.iter().flat_map(|s| s.points.iter().copied()));
    let bounds = stroked.map_or(bounds, |s| bounds.union(s));
    let (yaw, pitch) = (options.yaw.into(), options.pitch.into());
    Camera::framing(bounds, scene.front(), yaw, pitch, aspect, options.around)
}

/// Returns the box that the image is framed by.
pub(crate) fn framing_bounds(scene: &Scene, frame: &Frame) -> Bounds {
    frame
        .framing_bounds(scene)
        .or_else(|| frame.pose.bounds(scene))
        .unwrap_or(Bounds { min: [-1.0; 3], max: [1.0; 3] })
}

/// Draws a frame of a scene.
pub(crate) fn draw(scene: &Scene, frame: &Frame, options: &Options, textures: &Textures<'_>) -> Image {
    let samples = options.samples.clamp(1, 4) as usize;
    let (width, height) = (options.width as usize * samples, options.height as usize * samples);
    let loaded = load(scene, frame, textures);
    let camera = camera(scene, frame, options);
    let mut painter = Painter {
        scene,
        frame,
        camera,
        loaded: &loaded,
        raster: Raster::new(width, height, samples).seen_by(&camera),
        blended: Vec::new(),
        all_sides: false,
        view: &options.surface,
        below: 0,
        pixel: samples as f64 / width.max(height) as f64,
    };
    if options.ground {
        painter.ground();
    }
    for all_sides in [false, true] {
        // A model of which only back faces are visible, such as a plane of fog, is drawn two-sided.
        painter.all_sides = all_sides;
        for surface in &frame.surfaces {
            painter.surface(surface, options.wire);
        }
        painter.finish_blended();
        if !painter.is_empty() {
            break;
        }
    }
    frame.markers.iter().for_each(|marker| painter.marker(marker));
    if options.skeleton {
        painter.skeleton();
    }
    if options.bounds {
        let around = frame.bounds(scene).or_else(|| frame.pose.bounds(scene));
        around.into_iter().for_each(|bounds| painter.bounds(bounds));
    }
    for stroke in &options.strokes {
        painter.stroke(stroke);
    }
    let [r, g, b, a] = if options.checker { [0; 4] } else { options.background };
    let opacity = f32::from(a) / 255.0;
    let background = [linear(r) * opacity, linear(g) * opacity, linear(b) * opacity, opacity];
    let mut image = painter.raster.draw(background);
    if options.checker {
        image.over_checker();
    }
    image
}

/// Loads the textures of everything that is drawn.
fn load(scene: &Scene, frame: &Frame, textures: &Textures<'_>) -> Loaded {
    let mut used: Vec<MaterialId> = frame.sprites.iter().map(|s| s.material).collect();
    for surface in &frame.surfaces {
        let Some(primitive) = surface.primitive(scene) else { continue };
        used.extend(layers(scene, primitive.material).map(|id| drawn_as(frame, surface, id)));
    }
    used.sort_unstable();
    used.dedup();
    let mut loaded = Loaded::new();
    for material in used.iter().filter_map(|id| scene.materials.get(*id as usize)) {
        for texture in &material.textures {
            if is_drawn(&texture.slot) && !loaded.contains_key(&texture.name) {
                loaded.insert(texture.name.clone(), textures(&texture.name));
            }
        }
    }
    loaded
}

/// Returns `true` for textures that are seen.
fn is_drawn(slot: &Slot) -> bool {
    match slot {
        Slot::Base | Slot::Lightmap | Slot::Emissive | Slot::Normal => true,
        Slot::OcclusionRoughnessMetallic | Slot::Environment => true,
        Slot::Other(name) => name == OCCLUSION,
        _ => false,
    }
}

/// The slot of images whose red is occlusion.
const OCCLUSION: &str = "occlusion";

/// Returns the material of a primitive and its additional layers.
fn layers(scene: &Scene, material: Option<MaterialId>) -> impl Iterator<Item = MaterialId> {
    let first = material.filter(|id| scene.materials.len() > *id as usize);
    let over = first.and_then(|id| scene.materials.get(id as usize)).map_or(&[][..], |m| &m.layers);
    first.into_iter().chain(over.iter().copied())
}

fn drawn_as(frame: &Frame, surface: &Surface, id: MaterialId) -> MaterialId {
    let state = frame.materials.get(id.saturating_add(surface.states) as usize);
    state.map_or(id, |state| state.drawn_as)
}

/// A transparent triangle that waits for its turn.
struct Late<'a> {
    order: i32,
    distance: f64,
    corners: [Corner; 3],
    paint: Paint<'a>,
    cull: bool,
}

pub(crate) struct Painter<'a> {
    pub(crate) scene: &'a Scene,
    pub(crate) frame: &'a Frame,
    pub(crate) camera: Camera,
    loaded: &'a Loaded,
    pub(crate) raster: Raster<'a>,
    blended: Vec<Late<'a>>,
    /// Whether everything is drawn two-sided.
    all_sides: bool,
    view: &'a SurfaceView,
    /// Triangles of the ground.
    pub(crate) below: usize,
    /// Size of a pixel of the final image, as a fraction of the image plane.
    pub(crate) pixel: f64,
}

/// The appearance shared by all triangles of a primitive.
struct Style<'a> {
    paint: Paint<'a>,
    /// Its maps, with their number.
    relief: Option<(u32, Relief<'a>)>,
    colour: [f32; 4],
    two_sided: bool,
    order: i32,
    uv_set: usize,
    lightmap_set: usize,
    moved: UvPlacement,
    transform: UvPlacement,
    lightmap_transform: UvPlacement,
}

/// A transform of texture coordinates, with the sine and cosine of its rotation.
struct UvPlacement(Option<(UvTransform, f32, f32)>);

impl UvPlacement {
    fn new(transform: Option<UvTransform>) -> UvPlacement {
        UvPlacement(transform.filter(|t| *t != UvTransform::default()).map(|t| {
            let (sin, cos) = sin_cos(f64::from(t.rotation).to_degrees());
            (t, sin as f32, cos as f32)
        }))
    }

    /// Returns the transform from coordinates that have one placement to those of another; `None` if the first cannot be undone.
    fn between(from: Option<UvTransform>, to: Option<UvTransform>) -> Option<[f32; 6]> {
        let affine = |transform| {
            let place = UvPlacement::new(transform);
            let ([c, f], [x, y], [z, w]) = (place.of([0.0; 2]), place.of([1.0, 0.0]), place.of([0.0, 1.0]));
            glam::Affine2::from_cols_array(&[x - c, y - f, z - c, w - f, c, f])
        };
        if from == to {
            return Some([1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
        }
        let [a, d, b, e, c, f] = (affine(to) * affine(from).inverse()).to_cols_array();
        let place = [a, b, c, d, e, f];
        place.iter().all(|v| v.is_finite()).then_some(place)
    }

    fn of(&self, [u, v]: [f32; 2]) -> [f32; 2] {
        let Some((t, sin, cos)) = self.0 else { return [u, v] };
        let ([x, y], [left, top]) = ([u * t.scale[0], v * t.scale[1]], t.offset);
        [x * cos + y * sin + left, -x * sin + y * cos + top]
    }
}

impl<'a> Painter<'a> {
    fn surface(&mut self, surface: &'a Surface, wire: bool) {
        let Some(primitive) = surface.primitive(self.scene) else { return };
        let Some(vertices) = self.scene.vertices_of(primitive) else { return };
        let positions = &surface.deformed.positions;
        let place = |i: u32| positions.get(i as usize).copied().unwrap_or_default();
        if primitive.topology == Topology::Lines {
            let material = primitive.material.and_then(|id| self.scene.materials.get(id as usize));
            let colour = material.map_or([1.0; 4], |m| m.base_color);
            for line in primitive.indices.chunks_exact(2) {
                if let [a, b] = line {
                    self.line(place(*a), place(*b), colour, 2.5, false);
                }
            }
            return;
        }
        let purpose = self.scene.meshes.get(surface.mesh as usize).map_or(Purpose::Render, |m| m.purpose);
        let mut ids: Vec<MaterialId> = layers(self.scene, primitive.material).collect();
        if ids.is_empty() || *self.view != SurfaceView::Shaded {
            ids.truncate(1);
            ids.resize(1, MaterialId::MAX);
        }
        for id in ids {
            let style = self.style(id.saturating_add(surface.states), purpose, surface.tint, vertices);
            self.triangles(surface, vertices, &style);
        }
        if wire {
            for [a, b, c] in primitive.triangles(positions.len()) {
                for (from, to) in [(a, b), (b, c), (c, a)].into_iter().filter(|(from, to)| from < to) {
                    self.line(place(from), place(to), [0.02, 0.02, 0.02, 1.0], 1.0, false);
                }
            }
        }
    }

    /// Returns `true` if nothing of the model is in the image.
    fn is_empty(&self) -> bool {
        self.raster.len() == self.below
    }

    /// Returns a state of a material, and the material as it is drawn.
    fn material(&self, id: MaterialId) -> Option<(&'a MaterialState, &'a Material)> {
        let state = self.frame.materials.get(id as usize)?;
        Some((state, self.scene.materials.get(state.drawn_as as usize)?))
    }

    fn image(&self, texture: Option<&galatea_scene::Texture>) -> Option<&'a Texture> {
        texture.and_then(|t| self.loaded.get(&t.name)).and_then(|t| t.as_deref())
    }

    fn style(&mut self, id: MaterialId, purpose: Purpose, tint: [f32; 4], vertices: &Vertices) -> Style<'a> {
        let Some((state, material)) = self.material(id) else {
            let two_sided = purpose != Purpose::Render || self.all_sides;
            return Style::plain(tint, two_sided, &Material::default());
        };
        if *self.view != SurfaceView::Shaded {
            let mut style = Style::plain([1.0; 4], material.two_sided || self.all_sides, material);
            let coordinates = *self.view == SurfaceView::Uv && vertices.uvs.iter().any(|set| !set.is_empty());
            // Their colors are numbers, which light would change.
            style.paint.unlit = coordinates || *self.view == SurfaceView::Normals;
            style.paint.coordinates = coordinates;
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
        let mut blend = blend_of(material.alpha);
        let [_, _, _, opacity] = colour;
        if blend == Blend::Opaque && opacity < 0.999 {
            blend = Blend::Alpha;
        }
        let relief = if has_uvs && !material.unlit { self.relief(material, texture, &blend) } else { None };
        let relief = relief.map(|relief| (self.raster.add_relief(relief), relief));
        if relief.is_some_and(|(_, relief)| relief.mirror.is_some()) {
            blend = Blend::Opaque;
        }
        Style {
            relief,
            paint: Paint {
                texture,
                wrap: base.map_or([Wrap::Repeat; 2], |t| t.wrap),
                lightmap: self.image(lightmap).zip(lightmap.map(|t| t.wrap)),
                glow: self.image(glow).filter(|_| has_uvs),
                coordinates: false,
                checker: base.is_some() && texture.is_none() && has_uvs,
                blend,
                unlit: material.unlit,
                // Without its texture nobody knows what glows.
                emissive: if glow.is_some() && self.image(glow).is_none() {
                    [0.0; 3]
                } else {
                    state.emissive
                },
                glows: base.is_some() && material.texture(&Slot::Emissive).is_none(),
                on_top: false,
                sprite: false,
                relief: None,
            },
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
    fn relief(&self, material: &Material, texture: Option<&'a Texture>, blend: &Blend) -> Option<Relief<'a>> {
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

    fn triangles(&mut self, surface: &'a Surface, vertices: &'a Vertices, style: &Style<'a>) {
        let Some(primitive) = surface.primitive(self.scene) else { return };
        let (positions, normals) = (&surface.deformed.positions, &surface.deformed.normals);
        let eye = self.camera.eye();
        let near = self.camera.near;
        let uvs = vertices.uvs.get(style.uv_set).map_or(&[][..], Vec::as_slice);
        let lightmaps = vertices.uvs.get(style.lightmap_set).map_or(&[][..], Vec::as_slice);
        let shown = self.view.colors(self.scene, surface, vertices);
        let colours = match &shown {
            Some(shown) => shown.as_slice(),
            None => vertices.colors.first().map_or(&[][..], Vec::as_slice),
        };
        for triangle in primitive.triangles(positions.len()) {
            let places = triangle.map(|i| positions.get(i as usize).copied().unwrap_or_default());
            let (flat, towards) = facing(places, eye);
            let back = style.two_sided && towards < 0.0;
            let uv = |index: u32| {
                style.transform.of(style.moved.of(uvs.get(index as usize).copied().unwrap_or_default()))
            };
            let mut distance = 0.0;
            let corners = triangle.map(|index| {
                let i = index as usize;
                let place = positions.get(i).copied().unwrap_or_default();
                let clip = self.camera.clip(place);
                distance += clip[2];
                let mut normal = normals.get(i).copied().map_or(flat, |n| n.map(f64::from));
                if back {
                    normal = normal.map(|v| -v);
                }
                // Maps change the normal of each pixel, so that light has to wait for it.
                let [lr, lg, lb] = match style.relief {
                    Some(_) => normal.map(|v| v as f32),
                    None => light(normal, &self.camera),
                };
                let mut colour = style.colour;
                if let Some(vertex) = colours.get(i) {
                    for (value, vertex) in colour.iter_mut().zip(vertex) {
                        *value *= vertex;
                    }
                }
                let [u, v] = uv(index);
                let [u2, v2] = style.lightmap_transform.of(lightmaps.get(i).copied().unwrap_or_default());
                let [r, g, b, a] = colour;
                Corner { clip, values: [lr, lg, lb, r, g, b, a, u, v, u2, v2] }
            });
            let (cull, mut paint, order) = (!style.two_sided, style.paint, style.order);
            paint.relief = style.relief.map(|(id, relief)| {
                let facing = if back { flat.map(|v| -v) } else { flat };
                (id, relief.grain(places, triangle.map(uv), facing))
            });
            match paint.blend {
                Blend::Opaque | Blend::Mask(_) => self.raster.triangle(corners, paint, cull, near),
                _ if distance.is_finite() => {
                    self.blended.push(Late { order, distance, corners, paint, cull });
                }
                _ => {}
            }
        }
    }

    /// Draws transparent triangles by order and from back to front, and sprites after those of their order.
    fn finish_blended(&mut self) {
        let mut blended = std::mem::take(&mut self.blended);
        blended.sort_by(|a, b| a.order.cmp(&b.order).then(b.distance.total_cmp(&a.distance)));
        let mut sprites: Vec<&'a Sprite> = self.frame.sprites.iter().collect();
        sprites.sort_by_key(|s| s.order);
        let mut sprites = sprites.into_iter().peekable();
        for late in blended {
            while let Some(sprite) = sprites.next_if(|s| s.order < late.order) {
                self.sprite(sprite);
            }
            self.raster.triangle(late.corners, late.paint, late.cull, self.camera.near);
        }
        sprites.for_each(|sprite| self.sprite(sprite));
    }

    fn sprite(&mut self, sprite: &'a Sprite) {
        let Some((state, material)) = self.material(sprite.material) else { return };
        let base = material.textures.first();
        let texture = self.image(base);
        let blend = blend_of(material.alpha);
        let paint = Paint {
            texture,
            wrap: base.map_or([Wrap::Clamp; 2], |t| t.wrap),
            blend: if blend == Blend::Opaque { Blend::Alpha } else { blend },
            sprite: true,
            ..Paint::PLAIN
        };
        let mut color = sprite.color;
        for (value, own) in color.iter_mut().zip(state.base_color) {
            *value *= own;
        }
        // What is no number has no color; the rest is far beyond white at most.
        let [r, g, b, a] = color.map(|v| if v.is_nan() { 0.0 } else { v.clamp(-1e9, 1e9) });
        // Without its texture it is drawn as a soft dot.
        let whole = [[0.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, 0.0]];
        let uvs = if texture.is_some() { sprite.uvs } else { whole };
        let place = UvPlacement::new(base.filter(|_| texture.is_some()).and_then(|t| t.transform));
        let mut corners = [Corner::default(); 4];
        for (corner, (at, uv)) in corners.iter_mut().zip(sprite.corners.into_iter().zip(uvs)) {
            let [u, v] = place.of(uv);
            let values = [1.0, 1.0, 1.0, r, g, b, a, u, v, 0.0, 0.0];
            *corner = Corner { clip: self.camera.clip(at), values };
        }
        let ([p, q, r, s], near) = (corners, self.camera.near);
        self.raster.triangle([p, q, r], paint, false, near);
        self.raster.triangle([p, r, s], paint, false, near);
    }
}

impl Style<'_> {
    /// Returns the style of a surface without textures.
    fn plain(colour: [f32; 4], two_sided: bool, material: &Material) -> Self {
        let blend = match material.alpha {
            AlphaMode::Opaque | AlphaMode::Mask { .. } => Blend::Opaque,
            _ if colour[3] < 0.999 => Blend::Alpha,
            _ => Blend::Opaque,
        };
        Style {
            relief: None,
            paint: Paint { unlit: material.unlit, blend, ..Paint::PLAIN },
            colour,
            two_sided,
            order: 0,
            uv_set: 0,
            lightmap_set: 1,
            moved: UvPlacement(None),
            transform: UvPlacement(None),
            lightmap_transform: UvPlacement(None),
        }
    }
}

fn blend_of(alpha: AlphaMode) -> Blend {
    match alpha {
        AlphaMode::Mask { cutoff } => Blend::Mask(cutoff),
        AlphaMode::Blend => Blend::Alpha,
        AlphaMode::Additive => Blend::Add,
        AlphaMode::Modulate => Blend::Multiply(1.0),
        AlphaMode::Modulate2x => Blend::Multiply(2.0),
        _ => Blend::Opaque,
    }
}

/// Returns the normal of a triangle and the distance of the eye from its plane: negative for a back face.
fn facing([a, b, c]: [[f32; 3]; 3], eye: [f64; 3]) -> ([f64; 3], f64) {
    let wide = |v: [f32; 3]| v.map(f64::from);
    let (a, b, c) = (wide(a), wide(b), wide(c));
    let sub = |[ax, ay, az]: [f64; 3], [bx, by, bz]: [f64; 3]| [ax - bx, ay - by, az - bz];
    let ([ux, uy, uz], [vx, vy, vz]) = (sub(b, a), sub(c, a));
    let normal = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
    let [nx, ny, nz] = normal;
    let [ex, ey, ez] = sub(eye, a);
    let length = (nx * nx + ny * ny + nz * nz).sqrt();
    let unit = if length > 0.0 { normal.map(|v| v / length) } else { [0.0; 3] };
    (unit, nx * ex + ny * ey + nz * ez)
}

/// Returns the light on a surface: a key light over the viewer's left shoulder, a dim sky and a dimmer ground.
fn light([nx, ny, nz]: [f64; 3], camera: &Camera) -> [f32; 3] {
    let [right, up, back] = camera.axes();
    let along = |[x, y, z]: [f64; 3]| nx * x + ny * y + nz * z;
    let [kr, ku, kb] = KEY;
    let key = (kr * along(right) + ku * along(up) + kb * along(back)).max(0.0);
    let sky = 0.5 + 0.5 * ny;
    let [everywhere, above] = AMBIENT;
    let value = KEY_LIGHT * key + everywhere + above * sky;
    [value as f32, (value * 0.995) as f32, (value * 0.985) as f32]
}
