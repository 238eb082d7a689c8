//! Draws a frame with OpenGL, as `render` draws it on the CPU.
//!
//! Light is collected in pixels of half precision, with as many samples as the CPU takes, at the same places. Sprites are blended in display
//! values, so that the image is converted where they begin and end. At last the samples become pixels.
//!
//! [`Orbit`] moves the camera, [`pick`] tells what is below the pointer. Neither needs OpenGL.

mod drawing;
mod gl;
mod lines;
mod orbit;
mod pick;
mod plan;
mod programs;
mod subject;
mod targets;
mod uniforms;

use std::collections::HashMap;
use std::sync::Arc;

use galatea::preview::style::Blend;
use galatea::preview::{Camera, Image, Options, frame_camera, overlay};
use galatea::scene::Wrap;

use self::gl::{Buffer, Column, Depth, Gl, Mix, Pixels};
use self::lines::{Line, Lines};
use self::plan::{Item, Late, Plan};
use self::programs::Programs;
use self::subject::Resident;
use self::targets::{TargetCache, Targets};

pub use drawing::{Drawing, Subject};
pub use orbit::Orbit;
pub use pick::{Hit, Ray, pick};

/// Paints after which a subject that is not drawn any more is freed.
const KEPT: u64 = 240;

/// Draws drawings with OpenGL 3.3 or ES 3.0.
#[derive(Debug)]
pub struct Painter {
    programs: Programs,
    array: glow::VertexArray,
    samplers: HashMap<[Wrap; 2], glow::Sampler>,
    white: gl::Texture,
    subjects: Vec<Resident>,
    targets: TargetCache,
    /// Buffers for what is new in each frame: lines, sprites, and their indices and those of blended triangles.
    lines: Buffer,
    sprites: Buffer,
    indices: Buffer,
    /// Paints so far.
    now: u64,
    largest: i32,
}

/// The part of an image that a drawing takes.
struct Place<'a> {
    targets: &'a Targets,
    /// Samples of a pixel across and down.
    samples: u32,
    /// In samples.
    part: [i32; 4],
    /// Half the image in pixels.
    half: [f32; 2],
}

impl Painter {
    /// Compiles the programs; fails with a sentence where OpenGL is too old.
    pub fn new(gl: &Arc<glow::Context>) -> Result<Painter, String> {
        let gl = Gl(gl);
        let programs = Programs::new(gl)?;
        Ok(Painter {
            programs,
            array: gl.vertex_array()?,
            samplers: HashMap::new(),
            white: gl.texture([(1, 1, vec![[255; 4]])], false)?,
            subjects: Vec::new(),
            targets: TargetCache::default(),
            lines: gl.buffer(false)?,
            sprites: gl.buffer(false)?,
            indices: gl.buffer(true)?,
            now: 0,
            largest: gl.largest(),
        })
    }

    /// Draws drawings into a part of the framebuffer, given in pixels from the bottom left as OpenGL counts: background first, then
    /// each drawing in its own part of the width. Uploads what belongs to a subject on first sight, and forgets subjects that were
    /// not drawn for a while. Leaves the state of OpenGL as egui's own painter needs it.
    pub fn paint(&mut self, gl: &glow::Context, drawings: &[Drawing], viewport: [i32; 4]) {
        let gl = Gl(gl);
        let (before, clip) = (gl.current_framebuffer(), gl.current_scissor());
        if let Err(error) = self.draw(gl, drawings, viewport, before, clip, true) {
            // A driver that gives no memory: the viewport stays empty, the window does not.
            log(&error);
        }
        gl.bind_framebuffer(before);
        gl.scissor(clip);
        gl.reset();
    }

    /// Returns the image of drawings, with a transparent background where it has one.
    pub fn image(
        &mut self,
        gl: &glow::Context,
        drawings: &[Drawing],
        [width, height]: [u32; 2],
    ) -> Result<Image, String> {
        let gl = Gl(gl);
        let size = [width as i32, height as i32];
        let target = gl.target(size, Pixels::Display, None)?;
        let before = gl.current_framebuffer();
        gl.draw_into(&target);
        let into = Some(target.framebuffer);
        let drawn = self.draw(gl, drawings, [0, 0, size[0], size[1]], into, None, false);
        let rows = gl.read(&target, size[0], size[1]);
        gl.delete_target(target);
        gl.bind_framebuffer(before);
        gl.reset();
        drawn?;
        if let Some(code) = gl.error() {
            return Err(format!("OpenGL reports error {code:#x}"));
        }
        let pixels = rows.chunks_exact(width as usize * 4).rev().flatten().copied().collect();
        Ok(Image { width, height, pixels })
    }

    /// Frees everything.
    pub fn destroy(self, gl: &glow::Context) {
        let Painter {
            programs, array, samplers, white, subjects, mut targets, lines, sprites, indices, ..
        } = self;
        let gl = Gl(gl);
        programs.delete(gl);
        gl.delete_vertex_array(array);
        samplers.into_values().for_each(|sampler| gl.delete_sampler(sampler));
        gl.delete_texture(white);
        subjects.into_iter().for_each(|subject| subject.delete(gl));
        targets.delete(gl);
        [lines, sprites, indices].into_iter().for_each(|buffer| gl.delete_buffer(buffer));
    }

    fn draw(
        &mut self,
        gl: Gl<'_>,
        drawings: &[Drawing],
        viewport: [i32; 4],
        into: Option<glow::Framebuffer>,
        clip: Option<[i32; 4]>,
        premultiplied: bool,
    ) -> Result<(), String> {
        let [left, bottom, width, height] = viewport;
        let Some(first) = drawings.first().filter(|_| width > 0 && height > 0) else { return Ok(()) };
        self.now += 1;
        self.forget(gl);
        let most = (self.largest / width.max(height)).max(1) as u32;
        let samples = first.look.samples.clamp(1, 4).min(most);
        let (across, down) = (width * samples as i32, height * samples as i32);
        gl.write_plain();
        gl.bind_vertex_array(Some(self.array));
        let mut cache = std::mem::take(&mut self.targets);
        let drawn = cache.get(gl, [across, down], self.now).and_then(|targets| {
            gl.viewport([0, 0, across, down]);
            gl.scissor(None);
            gl.draw_into(&targets.light);
            gl.clear(Some(background(&first.look)), true);
            for drawing in drawings {
                let [from, to] = drawing.part.map(|at| (at.clamp(0.0, 1.0) * across as f32).round() as i32);
                let place = Place {
                    targets,
                    samples,
                    part: [from, 0, (to - from).max(0), down],
                    half: [width as f32 * 0.5, height as f32 * 0.5],
                };
                gl.scissor(Some(place.part));
                gl.clear(None, true);
                self.drawing(gl, drawing, &place)?;
            }
            gl.bind_framebuffer(into);
            gl.viewport(viewport);
            gl.scissor(clip);
            gl.state(Depth { test: false, write: false }, Mix::Replace, false);
            gl.use_program(&self.programs.resolve);
            let checker = f32::from(u8::from(first.look.checker));
            let multiplied = f32::from(u8::from(premultiplied));
            let numbers = [
                [samples as f32, left as f32, bottom as f32, multiplied],
                [checker, height as f32, 0.0, 0.0],
            ];
            gl.set_vectors(&self.programs.resolve, "u_resolve", &numbers);
            gl.bind_texture(0, Some(targets.light.texture), None);
            gl.draw_whole();
            Ok(())
        });
        self.targets = cache;
        for unit in (0..uniforms::IMAGES as u32).rev() {
            gl.bind_texture(unit, None, None);
        }
        drawn
    }

    /// Frees subjects that were not drawn for a while.
    fn forget(&mut self, gl: Gl<'_>) {
        let now = self.now;
        for subject in self.subjects.extract_if(.., |subject| subject.used + KEPT < now) {
            subject.delete(gl);
        }
    }

    fn drawing(&mut self, gl: Gl<'_>, drawing: &Drawing, place: &Place<'_>) -> Result<(), String> {
        let at = match self.subjects.iter().position(|known| known.id == drawing.subject.id) {
            Some(at) => at,
            None => {
                self.subjects.push(Resident::new(&drawing.subject));
                self.subjects.len() - 1
            }
        };
        let mut resident = self.subjects.swap_remove(at);
        resident.used = self.now;
        let drawn = self.draw_subject(gl, drawing, &mut resident, place);
        self.subjects.push(resident);
        drawn
    }

    fn draw_subject(
        &mut self,
        gl: Gl<'_>,
        drawing: &Drawing,
        resident: &mut Resident,
        place: &Place<'_>,
    ) -> Result<(), String> {
        let Drawing { subject, frame, look, grid, .. } = drawing;
        resident.show(gl, frame)?;
        let camera = frame_camera(&subject.scene, frame, look);
        let numbers = uniforms::camera(&camera);
        for program in [&self.programs.surface, &self.programs.sprite, &self.programs.line] {
            gl.use_program(program);
            gl.set_vectors(program, "u_camera", &numbers);
        }
        if look.ground {
            self.ground(gl, drawing, &camera)?;
        }
        if *grid {
            let lines = Lines::grid(camera.target(), camera.distance() * camera.half()[1]);
            self.draw_lines(gl, &lines, place, false);
        }
        let plan = Plan::new(&subject.scene, frame, look, &camera, &|name| resident.number(name));
        for item in &plan.solid {
            self.solid(gl, drawing, resident, item, place.samples)?;
        }
        let lines = Lines::of_surfaces(&subject.scene, frame, look.wire);
        self.draw_lines(gl, &lines, place, true);
        self.late(gl, drawing, resident, &plan, place)?;
        self.draw_lines(gl, &Lines::over(&subject.scene, frame, look), place, true);
        Ok(())
    }

    fn solid(
        &mut self,
        gl: Gl<'_>,
        drawing: &Drawing,
        resident: &mut Resident,
        item: &Item,
        samples: u32,
    ) -> Result<(), String> {
        let Some(surface) = drawing.frame.surfaces.get(item.surface) else { return Ok(()) };
        if self.prepare(gl, drawing, resident, item, samples)? {
            gl.state(Depth { test: true, write: true }, Mix::Replace, !item.style.two_sided);
            let count = resident.bind_indices(gl, &drawing.subject, surface)?;
            gl.draw_indexed(0, count);
        }
        Ok(())
    }

    /// Sets vertices, style and textures of a surface. Returns `false` if there is nothing to draw.
    fn prepare(
        &mut self,
        gl: Gl<'_>,
        drawing: &Drawing,
        resident: &mut Resident,
        item: &Item,
        samples: u32,
    ) -> Result<bool, String> {
        let style = &item.style;
        let view = &drawing.look.surface;
        let sets = [style.uv_set, style.lightmap_set];
        if !resident.bind(gl, &drawing.subject, item.surface, sets, view)? {
            return Ok(false);
        }
        let surface = drawing.frame.surfaces.get(item.surface);
        let has_normals = surface.is_some_and(|s| s.deformed.normals.len() == s.deformed.positions.len());
        let look = uniforms::look(style, view, has_normals, samples);
        // Uploading binds, too: all have to be there before the first one is bound.
        let mut bound = [None; uniforms::IMAGES];
        for (bound, image) in bound.iter_mut().zip(look.images) {
            let Some((number, data, wrap)) = image else { continue };
            *bound = resident.texture(gl, number, data).zip(Some(self.sampler(gl, wrap)?));
        }
        for (unit, texture) in (0..).zip(bound) {
            match texture {
                Some((texture, sampler)) => gl.bind_texture(unit, Some(texture), Some(sampler)),
                None => gl.bind_texture(unit, Some(self.white), None),
            }
        }
        gl.use_program(&self.programs.surface);
        gl.set_vectors(&self.programs.surface, "u_style", &look.vectors);
        Ok(true)
    }

    fn sampler(&mut self, gl: Gl<'_>, wrap: [Wrap; 2]) -> Result<glow::Sampler, String> {
        if let Some(known) = self.samplers.get(&wrap) {
            return Ok(*known);
        }
        let sampler = gl.sampler(wrap)?;
        self.samplers.insert(wrap, sampler);
        Ok(sampler)
    }

    /// Draws blended triangles and sprites in their order.
    fn late(
        &mut self,
        gl: Gl<'_>,
        drawing: &Drawing,
        resident: &mut Resident,
        plan: &Plan<'_>,
        place: &Place<'_>,
    ) -> Result<(), String> {
        // Indices of sprites come after those of triangles.
        let quads = plan.indices.len();
        let corners =
            (0..plan.sprites.len() as u32).flat_map(|i| [0, 1, 2, 0, 2, 3].map(|corner| i * 4 + corner));
        let indices: Vec<u32> = plan.indices.iter().copied().chain(corners).collect();
        gl.upload(&mut self.indices, &[bytemuck::cast_slice(&indices)], true);
        let mut corners: Vec<[f32; 9]> = Vec::with_capacity(plan.sprites.len() * 4);
        for (sprite, style) in &plan.sprites {
            let [r, g, b, a] = style.color;
            for ([x, y, z], [u, v]) in sprite.corners.into_iter().zip(style.uvs) {
                corners.push([x, y, z, u, v, r, g, b, a]);
            }
        }
        gl.upload(&mut self.sprites, &[bytemuck::cast_slice(&corners)], true);
        let hidden = Depth { test: true, write: false };
        let mut shown = false;
        for late in &plan.late {
            let is_sprites = matches!(late, Late::Sprites { .. });
            if is_sprites != shown {
                self.convert(gl, place, is_sprites);
                shown = is_sprites;
            }
            match late {
                Late::Triangles { item, first, count } => {
                    let Some(item) = plan.blended.get(*item) else { continue };
                    if self.prepare(gl, drawing, resident, item, place.samples)? {
                        gl.state(hidden, mix(item.style.blend, true), !item.style.two_sided);
                        gl.bind(&self.indices);
                        gl.draw_indexed(*first, *count);
                    }
                }
                Late::Sprites { first, count } => {
                    let Some((_, style)) = plan.sprites.get(*first) else { continue };
                    let texture = style.texture.and_then(|number| resident.texture(gl, number, false));
                    self.sprite_style(gl, style.blend, texture, style.wrap, place.samples)?;
                    gl.state(hidden, mix(style.blend, false), false);
                    gl.bind(&self.indices);
                    gl.draw_indexed(quads + first * 6, count * 6);
                }
            }
        }
        if shown {
            self.convert(gl, place, false);
        }
        Ok(())
    }

    /// Sets vertices, style and texture of sprites.
    fn sprite_style(
        &mut self,
        gl: Gl<'_>,
        blend: Blend,
        texture: Option<gl::Texture>,
        wrap: [Wrap; 2],
        samples: u32,
    ) -> Result<(), String> {
        let program = &self.programs.sprite;
        gl.use_program(program);
        for (location, width, offset) in [(0, 3, 0), (2, 2, 12), (4, 4, 20)] {
            gl.column(&self.sprites, Column { location, width, stride: 36, offset, instanced: false });
        }
        let (cutoff, kind, factor) = match blend {
            Blend::Mask(cutoff) => (cutoff, 1.0, 1.0),
            Blend::Add => (-1.0, 2.0, 1.0),
            Blend::Multiply(factor) => (-1.0, 3.0, factor),
            _ => (-1.0, 1.0, 1.0),
        };
        let fine = if matches!(blend, Blend::Mask(_)) { 1.0 } else { (samples * samples) as f32 };
        let has_texture = f32::from(u8::from(texture.is_some()));
        let numbers = [[has_texture, cutoff, kind, factor], [fine, 0.0, 0.0, 0.0]];
        gl.set_vectors(program, "u_sprite", &numbers);
        match texture {
            Some(texture) => {
                let sampler = self.sampler(gl, wrap)?;
                gl.bind_texture(0, Some(texture), Some(sampler));
            }
            None => gl.bind_texture(0, Some(self.white), None),
        }
        Ok(())
    }

    /// Converts the part of a drawing from light to display values, or back, and draws there from now on.
    fn convert(&mut self, gl: Gl<'_>, place: &Place<'_>, to_display: bool) {
        let Targets { light, display, .. } = place.targets;
        let (from, to) = if to_display { (light, display) } else { (display, light) };
        gl.draw_into(to);
        gl.state(Depth { test: false, write: false }, Mix::Replace, false);
        gl.use_program(&self.programs.convert);
        let way = f32::from(u8::from(to_display));
        gl.set_vectors(&self.programs.convert, "u_way", &[[way, 0.0, 0.0, 0.0]]);
        gl.bind_texture(0, Some(from.texture), None);
        gl.draw_whole();
        gl.bind_texture(0, None, None);
    }

    fn draw_lines(&mut self, gl: Gl<'_>, lines: &Lines, place: &Place<'_>, hides: bool) {
        if lines.lines.is_empty() {
            return;
        }
        gl.upload(&mut self.lines, &[bytemuck::cast_slice(&lines.lines)], true);
        gl.use_program(&self.programs.line);
        let [half_width, half_height] = place.half;
        gl.set_vectors(&self.programs.line, "u_image", &[[half_width, half_height, 0.0, 0.0]]);
        let stride = size_of::<Line>() as i32;
        for (first, count, on_top) in &lines.batches {
            let start = *first as i32 * stride;
            for (location, width, offset) in [(0, 3, 0), (1, 3, 12), (2, 4, 24), (3, 3, 40)] {
                let offset = start + offset;
                gl.column(&self.lines, Column { location, width, stride, offset, instanced: true });
            }
            gl.state(Depth { test: !on_top, write: hides }, Mix::Over, false);
            gl.draw_quads(*count);
        }
        for location in 0..4 {
            gl.constant(location, [0.0; 4]);
        }
    }

    /// Draws the shadow on the ground, by which nothing is hidden.
    fn ground(&mut self, gl: Gl<'_>, drawing: &Drawing, camera: &Camera) -> Result<(), String> {
        let Drawing { subject, frame, .. } = drawing;
        let mut corners: Vec<[f32; 9]> = Vec::new();
        let mut indices: Vec<u32> = Vec::new();
        for quad in overlay::ground(&subject.scene, frame, camera) {
            let first = corners.len() as u32;
            corners.extend(quad.map(|([x, y, z], dark)| [x, y, z, 0.0, 0.0, 0.0, 0.0, 0.0, dark]));
            indices.extend([0, 1, 2, 0, 2, 3].map(|corner| first + corner));
        }
        gl.upload(&mut self.sprites, &[bytemuck::cast_slice(&corners)], true);
        gl.upload(&mut self.indices, &[bytemuck::cast_slice(&indices)], true);
        let program = &self.programs.surface;
        gl.use_program(program);
        for (location, width, offset) in [(0, 3, 0), (4, 4, 20)] {
            gl.column(&self.sprites, Column { location, width, stride: 36, offset, instanced: false });
        }
        for location in 1..4 {
            gl.constant(location, [0.0; 4]);
        }
        let mut style = [[0.0; 4]; 21];
        let [color, _, flags, blend, ..] = &mut style;
        (*color, *flags, *blend) = ([1.0; 4], [0.0, -1.0, 1.0, 0.0], [0.0, 0.0, 1.0, 1.0]);
        gl.set_vectors(program, "u_style", &style);
        for unit in 0..uniforms::IMAGES as u32 {
            gl.bind_texture(unit, Some(self.white), None);
        }
        gl.state(Depth { test: true, write: false }, Mix::Over, false);
        gl.bind(&self.indices);
        gl.draw_indexed(0, indices.len());
        Ok(())
    }
}

/// Returns how OpenGL blends fragments: surfaces in light, sprites in display values, where the factor 2 must not be cut off.
fn mix(blend: Blend, light: bool) -> Mix {
    match blend {
        Blend::Add => Mix::Add,
        Blend::Multiply(factor) if factor > 1.0 && !light => Mix::MultiplyTwice,
        Blend::Multiply(_) => Mix::Multiply,
        Blend::Alpha | Blend::Mask(_) => Mix::Over,
        _ => Mix::Replace,
    }
}

/// Returns the background as premultiplied light.
fn background(look: &Options) -> [f32; 4] {
    if look.checker {
        return [0.0; 4];
    }
    let [r, g, b, a] = look.background.map(|v| f32::from(v) / 255.0);
    [r * r * a, g * g * a, b * b * a, a]
}

/// Tells what a driver does not do; a viewport has no place for it.
fn log(error: &str) {
    #[cfg(not(target_arch = "wasm32"))]
    eprintln!("warning: {error}");
    #[cfg(target_arch = "wasm32")]
    let _ = error;
}
