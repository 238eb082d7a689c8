//! Converts a frame of a scene into triangles, and resolves the final pixels.

use std::collections::BTreeMap;
use std::sync::Arc;

use galatea_scene::{Bounds, Frame, MaterialId, Scene, Sprite, Surface, Topology, Vertices};

use crate::camera::Camera;
use crate::overlay::WIRE;
use crate::raster::{Corner, Paint, Raster};
use crate::show::SurfaceView;
use crate::style::{Blend, Relief, Style, Stylist, is_drawn, layers};
use crate::texture::{Texture, linear};
use crate::{AMBIENT, Image, KEY, KEY_LIGHT, Options, Textures};

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
    painter.selected(&options.selected);
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
        let styles: Vec<_> = self.stylist(&|name| self.image(name)).styles(surface, vertices).collect();
        for style in styles {
            self.triangles(surface, vertices, &style);
        }
        if wire {
            for [a, b, c] in primitive.triangles(positions.len()) {
                for (from, to) in [(a, b), (b, c), (c, a)].into_iter().filter(|(from, to)| from < to) {
                    self.line(place(from), place(to), WIRE, 1.0, false);
                }
            }
        }
    }

    /// Returns `true` if nothing of the model is in the image.
    fn is_empty(&self) -> bool {
        self.raster.len() == self.below
    }

    fn image(&self, name: &str) -> Option<&'a Texture> {
        self.loaded.get(name).and_then(|t| t.as_deref())
    }

    fn stylist<'s>(&self, image: &'s dyn Fn(&str) -> Option<&'a Texture>) -> Stylist<'s, &'a Texture>
    where
        'a: 's,
    {
        Stylist { scene: self.scene, frame: self.frame, view: self.view, all_sides: self.all_sides, image }
    }

    fn triangles(&mut self, surface: &'a Surface, vertices: &'a Vertices, style: &Style<&'a Texture>) {
        let Some(primitive) = surface.primitive(self.scene) else { return };
        let (positions, normals) = (&surface.deformed.positions, &surface.deformed.normals);
        let eye = self.camera.eye();
        let near = self.camera.near();
        let relief: Option<(u32, Relief<&Texture>)> =
            style.relief.map(|relief| (self.raster.add_relief(relief), relief));
        let paint = Paint::of(style);
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
                let [lr, lg, lb] = match relief {
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
            let (cull, mut paint, order) = (!style.two_sided, paint, style.order);
            paint.relief = relief.map(|(id, relief)| {
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
            self.raster.triangle(late.corners, late.paint, late.cull, self.camera.near());
        }
        sprites.for_each(|sprite| self.sprite(sprite));
    }

    fn sprite(&mut self, sprite: &'a Sprite) {
        let Some(style) = self.stylist(&|name| self.image(name)).sprite(sprite) else { return };
        let (texture, wrap, blend) = (style.texture, style.wrap, style.blend);
        let paint = Paint { texture, wrap, blend, sprite: true, ..Paint::PLAIN };
        // What is no number has no color; the rest is far beyond white at most.
        let [r, g, b, a] = style.color.map(|v| if v.is_nan() { 0.0 } else { v.clamp(-1e9, 1e9) });
        let mut corners = [Corner::default(); 4];
        for (corner, (at, uv)) in corners.iter_mut().zip(sprite.corners.into_iter().zip(style.uvs)) {
            let [u, v] = uv;
            let values = [1.0, 1.0, 1.0, r, g, b, a, u, v, 0.0, 0.0];
            *corner = Corner { clip: self.camera.clip(at), values };
        }
        let ([p, q, r, s], near) = (corners, self.camera.near());
        self.raster.triangle([p, q, r], paint, false, near);
        self.raster.triangle([p, r, s], paint, false, near);
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
