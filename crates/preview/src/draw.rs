//! Converts a posed scene into triangles and lines, and resolves the final pixels.

use std::collections::BTreeMap;
use std::sync::Arc;

use galatea_scene::{
    AlphaMode, Bounds, Deformed, Material, Mesh, NodeId, Pose, Primitive, Purpose, Scene, Slot, Topology,
    UvTransform, Vertices, Wrap,
};

use crate::camera::{Camera, sin_cos};
use crate::raster::{Blend, Corner, Paint, Raster};
use crate::texture::{Texture, display, linear};
use crate::{Image, Options, Stroke, Textures, View};

type Loaded = BTreeMap<String, Option<Arc<Texture>>>;

/// The viewpoint of a pose.
pub(crate) fn view(scene: &Scene, pose: &Pose, options: &Options) -> View {
    framed(scene, pose, &parts(scene, pose, options), options).0.view()
}

/// Returns a camera that shows all parts, and the bounding box of the parts.
fn framed(
    scene: &Scene,
    pose: &Pose,
    parts: &[(NodeId, &Mesh, &Primitive)],
    options: &Options,
) -> (Camera, Bounds) {
    let aspect = f64::from(options.width) / f64::from(options.height);
    let bounds = bounds(scene, pose, parts);
    let stroked = Bounds::around(options.strokes.iter().flat_map(|s| s.points.iter().copied()));
    let bounds = stroked.map_or(bounds, |s| bounds.union(s));
    let (yaw, pitch) = (options.yaw.into(), options.pitch.into());
    (Camera::framing(bounds, scene.front(), yaw, pitch, aspect, options.around), bounds)
}

/// Draws a pose of a scene.
pub(crate) fn draw(scene: &Scene, mut pose: Pose, options: &Options, textures: &Textures<'_>) -> Image {
    let samples = options.samples.clamp(1, 4) as usize;
    let (width, height) = (options.width as usize * samples, options.height as usize * samples);
    let parts = parts(scene, &pose, options);
    let (camera, bounds) = framed(scene, &pose, &parts, options);
    pose.face(scene, camera.rotation());
    let mut loaded = Loaded::new();
    for (_, _, primitive) in &parts {
        for material in materials(scene, primitive) {
            for texture in &material.textures {
                if matches!(texture.slot, Slot::Base | Slot::Lightmap | Slot::Emissive)
                    && !loaded.contains_key(&texture.name)
                {
                    loaded.insert(texture.name.clone(), textures(&texture.name));
                }
            }
        }
    }
    let mut painter = Painter {
        scene,
        pose: &pose,
        camera,
        loaded: &loaded,
        raster: Raster::new(width, height),
        blended: Vec::new(),
        all_sides: false,
        pixel: samples as f64 / width.max(height) as f64,
    };
    for all_sides in [false, true] {
        // A model of which only back faces are visible, such as a plane of fog, is drawn two-sided.
        painter.all_sides = all_sides;
        for (node, mesh, primitive) in &parts {
            painter.primitive(*node, mesh, primitive, options.wire);
        }
        painter.finish_blended();
        if !painter.raster.is_empty() {
            break;
        }
    }
    if options.skeleton {
        painter.skeleton();
    }
    if options.bounds {
        painter.bounds(bounds);
    }
    for stroke in &options.strokes {
        painter.stroke(stroke);
    }
    let [r, g, b, a] = options.background;
    let opacity = f32::from(a) / 255.0;
    let background = [linear(r) * opacity, linear(g) * opacity, linear(b) * opacity, opacity];
    resolve(&painter.raster.draw(background), options.width as usize, options.height as usize, samples)
}

/// The meshes that are drawn.
type Wanted<'a> = &'a dyn Fn(&Mesh) -> bool;

/// Returns the meshes to draw: visible render meshes of the finest level of detail, and walk surfaces if requested. If there
/// are none, walk surfaces; else meshes that are hidden at rest; else meshes that are always hidden.
fn parts<'a>(scene: &'a Scene, pose: &Pose, options: &Options) -> Vec<(NodeId, &'a Mesh, &'a Primitive)> {
    let seen = |id: NodeId| pose.visible.get(id as usize).copied().unwrap_or(true);
    let finest = |mesh: &Mesh| mesh.lod.is_none_or(|lod| lod == 0);
    let any = |mesh: &Mesh| mesh.primitives.iter().any(|p| !p.indices.is_empty());
    let chosen = |all: bool, wanted: Wanted<'_>| {
        scene
            .drawn()
            .filter(|(id, _, mesh)| (all || seen(*id)) && finest(mesh) && any(mesh) && wanted(mesh))
            .flat_map(|(id, _, mesh)| mesh.primitives.iter().map(move |p| (id, mesh, p)))
            .collect::<Vec<_>>()
    };
    let walk = |mesh: &Mesh| matches!(mesh.purpose, Purpose::Walk | Purpose::Collision | Purpose::Aabb);
    let render = |mesh: &Mesh| mesh.purpose == Purpose::Render;
    let tries: [(bool, Wanted<'_>); 4] = [
        (false, &|mesh| render(mesh) || options.walk && walk(mesh)),
        (false, &walk),
        (true, &render),
        (true, &|_| true),
    ];
    // During a clip, an empty image may be correct.
    let tries = tries.into_iter().filter(|(all, _)| !all || options.clip.is_none());
    tries.map(|(all, wanted)| chosen(all, wanted)).find(|found| !found.is_empty()).unwrap_or_default()
}

fn bounds(scene: &Scene, pose: &Pose, parts: &[(NodeId, &Mesh, &Primitive)]) -> Bounds {
    let boxes = parts.iter().filter_map(|(node, _, primitive)| {
        let positions = pose.deform(scene, *node, primitive).positions;
        Bounds::around(primitive.indices.iter().filter_map(|i| positions.get(*i as usize)).copied())
    });
    boxes
        .reduce(Bounds::union)
        .or_else(|| pose.bounds(scene))
        .unwrap_or(Bounds { min: [-1.0; 3], max: [1.0; 3] })
}

/// Returns the material of a primitive and its additional layers.
fn materials<'a>(scene: &'a Scene, primitive: &Primitive) -> Vec<&'a Material> {
    let get = |id: u32| scene.materials.get(id as usize);
    let Some(first) = primitive.material.and_then(get) else { return Vec::new() };
    std::iter::once(first).chain(first.layers.iter().filter_map(|id| get(*id))).collect()
}

struct Painter<'a> {
    scene: &'a Scene,
    pose: &'a Pose,
    camera: Camera,
    loaded: &'a Loaded,
    raster: Raster<'a>,
    /// Transparent triangles with their distance.
    blended: Vec<(f64, [Corner; 3], Paint<'a>, bool)>,
    /// Whether everything is drawn two-sided.
    all_sides: bool,
    /// Size of a pixel of the final image, as a fraction of the image plane.
    pixel: f64,
}

/// The appearance shared by all triangles of a primitive.
struct Style<'a> {
    paint: Paint<'a>,
    colour: [f32; 4],
    two_sided: bool,
    uv_set: usize,
    lightmap_set: usize,
    transform: Option<UvTransform>,
    lightmap_transform: Option<UvTransform>,
}

/// A transform of texture coordinates, with the sine and cosine of its rotation.
struct UvPlacement(Option<(UvTransform, f32, f32)>);

impl UvPlacement {
    fn new(transform: Option<UvTransform>) -> UvPlacement {
        UvPlacement(transform.map(|t| {
            let (sin, cos) = sin_cos(f64::from(t.rotation).to_degrees());
            (t, sin as f32, cos as f32)
        }))
    }

    fn of(&self, [u, v]: [f32; 2]) -> [f32; 2] {
        let Some((t, sin, cos)) = self.0 else { return [u, v] };
        let ([x, y], [left, top]) = ([u * t.scale[0], v * t.scale[1]], t.offset);
        [x * cos + y * sin + left, -x * sin + y * cos + top]
    }
}

impl<'a> Painter<'a> {
    fn primitive(&mut self, node: NodeId, mesh: &Mesh, primitive: &Primitive, wire: bool) {
        let deformed = self.pose.deform(self.scene, node, primitive);
        let Some(vertices) = self.scene.vertices_of(primitive) else { return };
        if primitive.topology == Topology::Lines {
            let colour = materials(self.scene, primitive).first().map_or([1.0; 4], |m| m.base_color);
            for line in primitive.indices.chunks_exact(2) {
                if let [a, b] = line
                    && let (Some(a), Some(b)) =
                        (deformed.positions.get(*a as usize), deformed.positions.get(*b as usize))
                {
                    self.line(*a, *b, colour, 2.5, false);
                }
            }
            return;
        }
        let tint = self.pose.tint.get(node as usize).copied().unwrap_or([1.0; 4]);
        let found = materials(self.scene, primitive);
        let first = primitive.material.unwrap_or(u32::MAX);
        let default = Material { two_sided: mesh.purpose != Purpose::Render, ..Material::default() };
        let layers: Vec<(usize, &Material)> = if found.is_empty() {
            vec![(usize::MAX, &default)]
        } else {
            let over = self.scene.materials.get(first as usize).map(|m| m.layers.as_slice()).unwrap_or(&[]);
            let ids = std::iter::once(first).chain(over.iter().copied());
            ids.map(|id| id as usize).zip(found).collect()
        };
        for (id, material) in layers {
            let style = self.style(id, material, tint, vertices);
            self.triangles(&deformed, vertices, primitive, &style);
        }
        if wire {
            for [a, b, c] in primitive.triangles(deformed.positions.len()) {
                let get = |i: u32| deformed.positions.get(i as usize).copied().unwrap_or_default();
                for (from, to) in [(a, b), (b, c), (c, a)].into_iter().filter(|(from, to)| from < to) {
                    self.line(get(from), get(to), [0.02, 0.02, 0.02, 1.0], 1.0, false);
                }
            }
        }
    }

    fn style(&self, id: usize, material: &Material, tint: [f32; 4], vertices: &Vertices) -> Style<'a> {
        let base = material.texture(&Slot::Base);
        let lightmap = material.texture(&Slot::Lightmap);
        let glow = material.texture(&Slot::Emissive);
        let image = |name: Option<&galatea_scene::Texture>| {
            name.and_then(|t| self.loaded.get(&t.name)).and_then(|t| t.as_deref())
        };
        let uv_set = base.map_or(0, |t| t.uv_set) as usize;
        let has_uvs = vertices.uvs.get(uv_set).is_some_and(|set| !set.is_empty());
        let texture = image(base).filter(|_| has_uvs);
        let mut colour = self.pose.base_color.get(id).copied().unwrap_or(material.base_color);
        for (value, tint) in colour.iter_mut().zip(tint) {
            *value *= tint;
        }
        let mut blend = match material.alpha {
            AlphaMode::Mask { cutoff } => Blend::Mask(cutoff),
            AlphaMode::Blend => Blend::Alpha,
            AlphaMode::Additive => Blend::Add,
            AlphaMode::Modulate => Blend::Multiply(1.0),
            AlphaMode::Modulate2x => Blend::Multiply(2.0),
            _ => Blend::Opaque,
        };
        let [_, _, _, opacity] = colour;
        if blend == Blend::Opaque && opacity < 0.999 {
            blend = Blend::Alpha;
        }
        let emissive = self.pose.emissive.get(id).copied().unwrap_or(material.emissive);
        Style {
            paint: Paint {
                texture,
                wrap: base.map_or([Wrap::Repeat; 2], |t| t.wrap),
                lightmap: image(lightmap).zip(lightmap.map(|t| t.wrap)),
                glow: image(glow).filter(|_| has_uvs),
                checker: base.is_some() && texture.is_none() && has_uvs,
                blend,
                unlit: material.unlit,
                emissive,
                glows: base.is_some() && material.texture(&Slot::Emissive).is_none(),
                on_top: false,
            },
            colour,
            two_sided: material.two_sided || self.all_sides,
            uv_set,
            lightmap_set: lightmap.map_or(1, |t| t.uv_set) as usize,
            transform: base.and_then(|t| t.transform),
            lightmap_transform: lightmap.and_then(|t| t.transform),
        }
    }

    fn triangles(
        &mut self,
        deformed: &Deformed,
        vertices: &Vertices,
        primitive: &Primitive,
        style: &Style<'a>,
    ) {
        let eye = self.camera.eye();
        let near = self.camera.near;
        let uvs = vertices.uvs.get(style.uv_set).map_or(&[][..], Vec::as_slice);
        let lightmaps = vertices.uvs.get(style.lightmap_set).map_or(&[][..], Vec::as_slice);
        let colours = vertices.colors.first().map_or(&[][..], Vec::as_slice);
        let (base_place, lightmap_place) =
            (UvPlacement::new(style.transform), UvPlacement::new(style.lightmap_transform));
        for triangle in primitive.triangles(deformed.positions.len()) {
            let places = triangle.map(|i| deformed.positions.get(i as usize).copied().unwrap_or_default());
            let (flat, towards) = facing(places, eye);
            let back = style.two_sided && towards < 0.0;
            let mut distance = 0.0;
            let corners = triangle.map(|index| {
                let i = index as usize;
                let place = deformed.positions.get(i).copied().unwrap_or_default();
                let clip = self.camera.clip(place);
                distance += clip[2];
                let mut normal = deformed.normals.get(i).copied().map_or(flat, |n| n.map(f64::from));
                if back {
                    normal = normal.map(|v| -v);
                }
                let [lr, lg, lb] = light(normal, &self.camera);
                let mut colour = style.colour;
                if let Some(vertex) = colours.get(i) {
                    for (value, vertex) in colour.iter_mut().zip(vertex) {
                        *value *= vertex;
                    }
                }
                let [u, v] = base_place.of(uvs.get(i).copied().unwrap_or_default());
                let [u2, v2] = lightmap_place.of(lightmaps.get(i).copied().unwrap_or_default());
                let [r, g, b, a] = colour;
                Corner { clip, values: [lr, lg, lb, r, g, b, a, u, v, u2, v2] }
            });
            let cull = !style.two_sided;
            match style.paint.blend {
                Blend::Opaque | Blend::Mask(_) => self.raster.triangle(corners, style.paint, cull, near),
                _ if distance.is_finite() => self.blended.push((distance, corners, style.paint, cull)),
                _ => {}
            }
        }
    }

    /// Draws transparent triangles last, back to front.
    fn finish_blended(&mut self) {
        let mut blended = std::mem::take(&mut self.blended);
        blended.sort_by(|a, b| b.0.total_cmp(&a.0));
        for (_, corners, paint, cull) in blended {
            self.raster.triangle(corners, paint, cull, self.camera.near);
        }
    }

    /// Draws a line of a width in pixels, slightly in front of the surface it is on, or on top of everything.
    fn line(&mut self, from: [f32; 3], to: [f32; 3], colour: [f32; 4], width: f64, on_top: bool) {
        let near = self.camera.near;
        let (mut a, mut b) = (self.camera.clip(from), self.camera.clip(to));
        if a.iter().chain(&b).any(|v| !v.is_finite()) || (a[2] < near && b[2] < near) {
            return;
        }
        // Clipped at the near plane, so that both ends can be projected.
        let (from, to) = (a, b);
        for (end, other) in [(&mut a, to), (&mut b, from)] {
            if end[2] < near {
                let t = (near - end[2]) / (other[2] - end[2]);
                for (value, other) in end.iter_mut().zip(other) {
                    *value += (other - *value) * t;
                }
            }
        }
        let (ax, ay, bx, by) = (a[0] / a[2], a[1] / a[2], b[0] / b[2], b[1] / b[2]);
        let (dx, dy) = (bx - ax, by - ay);
        let length = (dx * dx + dy * dy).sqrt();
        if length == 0.0 {
            return;
        }
        let (nx, ny) = (-dy / length * width * self.pixel, dx / length * width * self.pixel);
        self.quad([(a, [nx, ny]), (a, [-nx, -ny]), (b, [-nx, -ny]), (b, [nx, ny])], colour, on_top);
    }

    /// Draws a quad from four points, each offset in the image plane and moved slightly towards the viewer.
    fn quad(&mut self, corners: [([f64; 3], [f64; 2]); 4], colour: [f32; 4], on_top: bool) {
        let near = self.camera.near;
        let closer = 1.0 - 2e-3;
        let [p, q, r, s] = corners.map(|([x, y, w], [dx, dy])| {
            let values = [1.0, 1.0, 1.0, colour[0], colour[1], colour[2], colour[3], 0.0, 0.0, 0.0, 0.0];
            Corner { clip: [(x / w + dx) * w * closer, (y / w + dy) * w * closer, w * closer], values }
        });
        let paint = Paint { on_top, ..Paint::PLAIN };
        self.raster.triangle([p, q, r], paint, false, near * 0.5);
        self.raster.triangle([p, r, s], paint, false, near * 0.5);
    }

    /// Draws lines from point to point with round joints, or a dot.
    fn stroke(&mut self, stroke: &Stroke) {
        let [r, g, b] = stroke.colour.map(linear);
        let (colour, width) = ([r, g, b, 1.0], f64::from(stroke.width));
        for (from, to) in stroke.points.iter().zip(stroke.points.iter().skip(1)) {
            self.line(*from, *to, colour, width, stroke.on_top);
        }
        for point in &stroke.points {
            self.dot(*point, colour, width, stroke.on_top);
        }
    }

    fn dot(&mut self, place: [f32; 3], colour: [f32; 4], width: f64, on_top: bool) {
        let at = self.camera.clip(place);
        if at.iter().any(|v| !v.is_finite()) || at[2] < self.camera.near {
            return;
        }
        // An octagon of two quads; its inner radius is half the width of the line.
        let size = width * self.pixel;
        let (far, near) = (1.082 * size, 0.414 * 1.082 * size);
        let ring = |x: f64, y: f64| (at, [x, y]);
        self.quad([ring(-far, -near), ring(far, -near), ring(far, near), ring(-far, near)], colour, on_top);
        self.quad([ring(-near, -far), ring(near, -far), ring(near, far), ring(-near, far)], colour, on_top);
        let slant = 0.766 * size;
        self.quad(
            [ring(-slant, -slant), ring(slant, -slant), ring(slant, slant), ring(-slant, slant)],
            colour,
            on_top,
        );
    }

    /// Draws bones from joint to joint; without skins, all nodes.
    fn skeleton(&mut self) {
        let scene = self.scene;
        let mut joint = vec![false; scene.nodes.len()];
        for id in scene.skins.iter().flat_map(|s| &s.joints) {
            if let Some(flag) = joint.get_mut(*id as usize) {
                *flag = true;
            }
        }
        let all = !joint.contains(&true);
        let place = |id: u32| self.pose.world_of(id).w_axis.truncate().to_array();
        let mut lines = Vec::new();
        for (id, node) in (0u32..).zip(&scene.nodes) {
            let is_joint = |id: u32| all || joint.get(id as usize).copied().unwrap_or(false);
            if let Some(parent) =
                node.parent.filter(|p| is_joint(id) && !scene.node(*p).is_none_or(|n| n.axes))
            {
                lines.push((place(parent), place(id)));
            }
        }
        for (from, to) in lines {
            self.line(from, to, [1.0, 0.55, 0.05, 1.0], 1.6, true);
        }
    }

    fn bounds(&mut self, bounds: Bounds) {
        let corner = |bits: usize| {
            let mut place = bounds.min;
            for (axis, (value, max)) in place.iter_mut().zip(bounds.max).enumerate() {
                if bits >> axis & 1 == 1 {
                    *value = max;
                }
            }
            place
        };
        for from in 0..8usize {
            for axis in (0..3).filter(|axis| from >> axis & 1 == 0) {
                self.line(corner(from), corner(from | 1 << axis), [0.1, 0.7, 0.9, 1.0], 1.2, false);
            }
        }
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
    let key = (-0.42 * along(right) + 0.60 * along(up) + 0.68 * along(back)).max(0.0);
    let sky = 0.5 + 0.5 * ny;
    let value = 0.78 * key + 0.14 + 0.16 * sky;
    [value as f32, (value * 0.995) as f32, (value * 0.985) as f32]
}

/// Averages the samples of each pixel and converts linear light to display values.
fn resolve(light: &[[f32; 4]], width: usize, height: usize, samples: usize) -> Image {
    let mut pixels = Vec::with_capacity(width * height * 4);
    let share = 1.0 / (samples * samples) as f32;
    for y in 0..height {
        for x in 0..width {
            let mut sum = [0.0f32; 4];
            for row in 0..samples {
                let from = (y * samples + row) * width * samples + x * samples;
                for sample in light.get(from..from + samples).unwrap_or(&[]) {
                    for (total, value) in sum.iter_mut().zip(sample) {
                        *total += value * share;
                    }
                }
            }
            let [r, g, b, a] = sum;
            let scale = if a > 0.0 { 1.0 / a } else { 0.0 };
            pixels.extend([
                display(r * scale),
                display(g * scale),
                display(b * scale),
                (a.clamp(0.0, 1.0) * 255.0 + 0.5) as u8,
            ]);
        }
    }
    Image { width: width as u32, height: height as u32, pixels }
}
