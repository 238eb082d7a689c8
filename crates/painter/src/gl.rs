//! The calls of OpenGL that the painter makes. It is the only file with unsafe code.
//!
//! Every call gets objects of the same context and slices whose length it passes on, and draws no more vertices than were uploaded: what
//! the rest of the painter hands over is checked where it comes from (`Primitive::triangles` leaves out indices beyond the vertices).

#![allow(unsafe_code, reason = "glow marks every call of OpenGL as unsafe")]

use galatea::scene::Wrap;
use glow::{HasContext, PixelPackData, PixelUnpackData};

/// A vertex or index buffer, with the bytes that it has room for.
#[derive(Debug)]
pub(super) struct Buffer {
    id: glow::Buffer,
    target: u32,
    room: usize,
}

/// An image on the GPU.
pub(super) type Texture = glow::Texture;

/// A program and where its uniforms are.
#[derive(Debug)]
pub(super) struct Program {
    id: glow::Program,
    uniforms: Vec<(&'static str, Option<glow::UniformLocation>)>,
}

/// What a vertex buffer has for a vertex, or for an instance.
#[derive(Debug, Clone, Copy)]
pub(super) struct Column {
    pub(super) location: u32,
    /// Numbers per vertex.
    pub(super) width: i32,
    /// Bytes from one vertex to the next.
    pub(super) stride: i32,
    /// Bytes before the first.
    pub(super) offset: i32,
    /// Whether it is per instance.
    pub(super) instanced: bool,
}

/// How fragments are blended, as OpenGL does it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mix {
    /// They replace what is there.
    Replace,
    /// Premultiplied.
    Over,
    /// Colors are added; the greater alpha stays.
    Add,
    /// Colors are multiplied; alpha stays.
    Multiply,
    /// Colors are multiplied and doubled; alpha stays.
    MultiplyTwice,
}

/// How fragments are compared with what is nearer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Depth {
    pub(super) test: bool,
    pub(super) write: bool,
}

/// An image that is drawn into, with a depth of its own or that of another.
#[derive(Debug)]
pub(super) struct Target {
    pub(super) framebuffer: glow::Framebuffer,
    pub(super) texture: Texture,
}

/// The format of an image that is drawn into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pixels {
    /// Light of any brightness.
    Light,
    /// Values from 0 to 1.
    Display,
}

/// The context.
#[derive(Clone, Copy)]
pub(super) struct Gl<'a>(pub(super) &'a glow::Context);

impl Gl<'_> {
    /// Compiles a program. The shaders have no version line.
    pub(super) fn program(
        self,
        vertex: &str,
        fragment: &str,
        uniforms: &[&'static str],
    ) -> Result<Program, String> {
        let gl = self.0;
        let header = if gl.version().is_embedded {
            "#version 300 es\nprecision highp float;\nprecision highp int;\nprecision highp sampler2D;\n"
        } else {
            "#version 330 core\n"
        };
        unsafe {
            let id = gl.create_program()?;
            let mut shaders = Vec::new();
            for (kind, text) in [(glow::VERTEX_SHADER, vertex), (glow::FRAGMENT_SHADER, fragment)] {
                let shader = gl.create_shader(kind)?;
                gl.shader_source(shader, &format!("{header}{text}"));
                gl.compile_shader(shader);
                gl.attach_shader(id, shader);
                shaders.push(shader);
            }
            gl.link_program(id);
            let linked = gl.get_program_link_status(id);
            let mut log = gl.get_program_info_log(id);
            for shader in shaders {
                if !gl.get_shader_compile_status(shader) {
                    log = gl.get_shader_info_log(shader);
                }
                gl.detach_shader(id, shader);
                gl.delete_shader(shader);
            }
            if !linked {
                gl.delete_program(id);
                return Err(format!("OpenGL does not accept a program of the painter: {}", log.trim()));
            }
            let uniforms = uniforms.iter().map(|name| (*name, gl.get_uniform_location(id, name))).collect();
            Ok(Program { id, uniforms })
        }
    }

    pub(super) fn delete_program(self, program: Program) {
        unsafe { self.0.delete_program(program.id) }
    }

    pub(super) fn use_program(self, program: &Program) {
        unsafe { self.0.use_program(Some(program.id)) }
    }

    /// Sets a uniform of the program in use: an array of four numbers each.
    pub(super) fn set_vectors(self, program: &Program, name: &str, values: &[[f32; 4]]) {
        if let Some(location) = program.location(name) {
            unsafe { self.0.uniform_4_f32_slice(Some(location), values.as_flattened()) }
        }
    }

    /// Sets a uniform of the program in use: the number of a texture unit.
    pub(super) fn set_unit(self, program: &Program, name: &str, unit: u32) {
        if let Some(location) = program.location(name) {
            unsafe { self.0.uniform_1_i32(Some(location), unit as i32) }
        }
    }

    pub(super) fn vertex_array(self) -> Result<glow::VertexArray, String> {
        unsafe { self.0.create_vertex_array() }
    }

    pub(super) fn bind_vertex_array(self, array: Option<glow::VertexArray>) {
        unsafe { self.0.bind_vertex_array(array) }
    }

    pub(super) fn delete_vertex_array(self, array: glow::VertexArray) {
        unsafe { self.0.delete_vertex_array(array) }
    }

    /// Makes a buffer of vertices, or of indices.
    pub(super) fn buffer(self, indices: bool) -> Result<Buffer, String> {
        let target = if indices { glow::ELEMENT_ARRAY_BUFFER } else { glow::ARRAY_BUFFER };
        Ok(Buffer { id: unsafe { self.0.create_buffer() }?, target, room: 0 })
    }

    /// Replaces what is in a buffer by these parts, one after the other.
    pub(super) fn upload(self, buffer: &mut Buffer, parts: &[&[u8]], often: bool) {
        let size: usize = parts.iter().map(|part| part.len()).sum();
        let usage = if often { glow::DYNAMIC_DRAW } else { glow::STATIC_DRAW };
        unsafe {
            self.0.bind_buffer(buffer.target, Some(buffer.id));
            if let [all] = parts {
                self.0.buffer_data_u8_slice(buffer.target, all, usage);
                buffer.room = size;
                return;
            }
            if buffer.room != size {
                self.0.buffer_data_size(buffer.target, size as i32, usage);
                buffer.room = size;
            }
            let mut offset = 0;
            for part in parts {
                self.0.buffer_sub_data_u8_slice(buffer.target, offset, part);
                offset += part.len() as i32;
            }
        }
    }

    pub(super) fn bind(self, buffer: &Buffer) {
        unsafe { self.0.bind_buffer(buffer.target, Some(buffer.id)) }
    }

    pub(super) fn delete_buffer(self, buffer: Buffer) {
        unsafe { self.0.delete_buffer(buffer.id) }
    }

    /// Reads a column of vertices from a buffer.
    pub(super) fn column(self, buffer: &Buffer, column: Column) {
        self.bind(buffer);
        let Column { location, width, stride, offset, instanced } = column;
        unsafe {
            self.0.enable_vertex_attrib_array(location);
            self.0.vertex_attrib_pointer_f32(location, width, glow::FLOAT, false, stride, offset);
            self.0.vertex_attrib_divisor(location, u32::from(instanced));
        }
    }

    /// Gives all vertices the same values of a column.
    pub(super) fn constant(self, location: u32, [x, y, z, w]: [f32; 4]) {
        unsafe {
            self.0.disable_vertex_attrib_array(location);
            self.0.vertex_attrib_4_f32(location, x, y, z, w);
        }
    }

    /// Draws triangles by 32-bit indices of the bound index buffer.
    pub(super) fn draw_indexed(self, first: usize, count: usize) {
        unsafe {
            self.0.draw_elements(glow::TRIANGLES, count as i32, glow::UNSIGNED_INT, (first * 4) as i32);
        }
    }

    /// Draws instances of a quad.
    pub(super) fn draw_quads(self, count: usize) {
        unsafe { self.0.draw_arrays_instanced(glow::TRIANGLE_STRIP, 0, 4, count as i32) }
    }

    /// Draws one triangle that covers everything.
    pub(super) fn draw_whole(self) {
        unsafe { self.0.draw_arrays(glow::TRIANGLES, 0, 3) }
    }

    /// Uploads an image with its mip levels: width, height and RGBA rows. With `light` OpenGL decodes it as sRGB.
    pub(super) fn texture(
        self,
        levels: impl IntoIterator<Item = (usize, usize, Vec<[u8; 4]>)>,
        light: bool,
    ) -> Result<Texture, String> {
        let internal = if light { glow::SRGB8_ALPHA8 } else { glow::RGBA8 };
        let gl = self.0;
        unsafe {
            let texture = gl.create_texture()?;
            gl.active_texture(glow::TEXTURE0);
            gl.bind_texture(glow::TEXTURE_2D, Some(texture));
            gl.pixel_store_i32(glow::UNPACK_ALIGNMENT, 4);
            let mut last = 0;
            for (level, (width, height, rgba)) in (0..).zip(levels) {
                gl.tex_image_2d(
                    glow::TEXTURE_2D,
                    level,
                    internal as i32,
                    width as i32,
                    height as i32,
                    0,
                    glow::RGBA,
                    glow::UNSIGNED_BYTE,
                    PixelUnpackData::Slice(Some(rgba.as_flattened())),
                );
                last = level;
            }
            gl.tex_parameter_i32(glow::TEXTURE_2D, glow::TEXTURE_MAX_LEVEL, last);
            Ok(texture)
        }
    }

    pub(super) fn delete_texture(self, texture: Texture) {
        unsafe { self.0.delete_texture(texture) }
    }

    /// Makes what tells how textures are read beyond their edges: between texels of one mip level.
    pub(super) fn sampler(self, [across, down]: [Wrap; 2]) -> Result<glow::Sampler, String> {
        let mode = |wrap: Wrap| match wrap {
            Wrap::Repeat => glow::REPEAT,
            Wrap::Mirror => glow::MIRRORED_REPEAT,
            Wrap::Clamp => glow::CLAMP_TO_EDGE,
        };
        let gl = self.0;
        unsafe {
            let sampler = gl.create_sampler()?;
            for (name, value) in [
                (glow::TEXTURE_MIN_FILTER, glow::LINEAR_MIPMAP_NEAREST),
                (glow::TEXTURE_MAG_FILTER, glow::LINEAR),
                (glow::TEXTURE_WRAP_S, mode(across)),
                (glow::TEXTURE_WRAP_T, mode(down)),
            ] {
                gl.sampler_parameter_i32(sampler, name, value as i32);
            }
            Ok(sampler)
        }
    }

    pub(super) fn delete_sampler(self, sampler: glow::Sampler) {
        unsafe { self.0.delete_sampler(sampler) }
    }

    /// Puts a texture and its sampler into a unit.
    pub(super) fn bind_texture(self, unit: u32, texture: Option<Texture>, sampler: Option<glow::Sampler>) {
        unsafe {
            self.0.active_texture(glow::TEXTURE0 + unit);
            self.0.bind_texture(glow::TEXTURE_2D, texture);
            self.0.bind_sampler(unit, sampler);
        }
    }

    /// Returns the greatest width and height of an image.
    pub(super) fn largest(self) -> i32 {
        unsafe { self.0.get_parameter_i32(glow::MAX_TEXTURE_SIZE) }
    }

    pub(super) fn depth_buffer(self, [width, height]: [i32; 2]) -> Result<glow::Renderbuffer, String> {
        let gl = self.0;
        unsafe {
            let depth = gl.create_renderbuffer()?;
            gl.bind_renderbuffer(glow::RENDERBUFFER, Some(depth));
            gl.renderbuffer_storage(glow::RENDERBUFFER, glow::DEPTH_COMPONENT24, width, height);
            gl.bind_renderbuffer(glow::RENDERBUFFER, None);
            Ok(depth)
        }
    }

    pub(super) fn delete_depth(self, depth: glow::Renderbuffer) {
        unsafe { self.0.delete_renderbuffer(depth) }
    }

    /// Makes an image to draw into. Fails if this context cannot draw into such pixels.
    pub(super) fn target(
        self,
        [width, height]: [i32; 2],
        pixels: Pixels,
        depth: Option<glow::Renderbuffer>,
    ) -> Result<Target, String> {
        let gl = self.0;
        let (internal, kind) = match pixels {
            Pixels::Light => (glow::RGBA16F, glow::HALF_FLOAT),
            Pixels::Display => (glow::RGBA8, glow::UNSIGNED_BYTE),
        };
        unsafe {
            let before = self.current_framebuffer();
            let texture = gl.create_texture()?;
            gl.active_texture(glow::TEXTURE0);
            gl.bind_texture(glow::TEXTURE_2D, Some(texture));
            let nothing = PixelUnpackData::Slice(None);
            gl.tex_image_2d(
                glow::TEXTURE_2D,
                0,
                internal as i32,
                width,
                height,
                0,
                glow::RGBA,
                kind,
                nothing,
            );
            for (name, value) in [
                (glow::TEXTURE_MIN_FILTER, glow::NEAREST),
                (glow::TEXTURE_MAG_FILTER, glow::NEAREST),
                (glow::TEXTURE_WRAP_S, glow::CLAMP_TO_EDGE),
                (glow::TEXTURE_WRAP_T, glow::CLAMP_TO_EDGE),
            ] {
                gl.tex_parameter_i32(glow::TEXTURE_2D, name, value as i32);
            }
            gl.bind_texture(glow::TEXTURE_2D, None);
            let framebuffer = gl.create_framebuffer()?;
            gl.bind_framebuffer(glow::FRAMEBUFFER, Some(framebuffer));
            let (color, image) = (glow::COLOR_ATTACHMENT0, glow::TEXTURE_2D);
            gl.framebuffer_texture_2d(glow::FRAMEBUFFER, color, image, Some(texture), 0);
            if depth.is_some() {
                let at = glow::DEPTH_ATTACHMENT;
                gl.framebuffer_renderbuffer(glow::FRAMEBUFFER, at, glow::RENDERBUFFER, depth);
            }
            let status = gl.check_framebuffer_status(glow::FRAMEBUFFER);
            gl.bind_framebuffer(glow::FRAMEBUFFER, before);
            let target = Target { framebuffer, texture };
            if status != glow::FRAMEBUFFER_COMPLETE {
                self.delete_target(target);
                return Err(format!("OpenGL cannot draw into {pixels:?} pixels ({status:#x})"));
            }
            Ok(target)
        }
    }

    pub(super) fn delete_target(self, target: Target) {
        unsafe {
            self.0.delete_framebuffer(target.framebuffer);
            self.0.delete_texture(target.texture);
        }
    }

    pub(super) fn draw_into(self, target: &Target) {
        unsafe { self.0.bind_framebuffer(glow::FRAMEBUFFER, Some(target.framebuffer)) }
    }

    /// Returns the framebuffer that drawing went into before the painter came. On a page that is the canvas: egui has no other one
    /// there, and asking panics, because glow looks for the canvas among the framebuffers that it made.
    #[cfg(target_arch = "wasm32")]
    pub(super) fn current_framebuffer(self) -> Option<glow::Framebuffer> {
        None
    }

    /// Returns the framebuffer that drawing went into before the painter came.
    #[cfg(not(target_arch = "wasm32"))]
    pub(super) fn current_framebuffer(self) -> Option<glow::Framebuffer> {
        unsafe { self.0.get_parameter_framebuffer(glow::DRAW_FRAMEBUFFER_BINDING) }
    }

    pub(super) fn bind_framebuffer(self, framebuffer: Option<glow::Framebuffer>) {
        unsafe { self.0.bind_framebuffer(glow::FRAMEBUFFER, framebuffer) }
    }

    pub(super) fn clear(self, color: Option<[f32; 4]>, depth: bool) {
        let gl = self.0;
        unsafe {
            let mut mask = 0;
            if let Some([r, g, b, a]) = color {
                gl.color_mask(true, true, true, true);
                gl.clear_color(r, g, b, a);
                mask |= glow::COLOR_BUFFER_BIT;
            }
            if depth {
                gl.depth_mask(true);
                gl.clear_depth_f32(1.0);
                mask |= glow::DEPTH_BUFFER_BIT;
            }
            gl.clear(mask);
        }
    }

    pub(super) fn viewport(self, [left, bottom, width, height]: [i32; 4]) {
        unsafe { self.0.viewport(left, bottom, width, height) }
    }

    /// Limits drawing to a part of the framebuffer; `None` for all of it.
    pub(super) fn scissor(self, part: Option<[i32; 4]>) {
        unsafe {
            match part {
                Some([left, bottom, width, height]) => {
                    self.0.enable(glow::SCISSOR_TEST);
                    self.0.scissor(left, bottom, width, height);
                }
                None => self.0.disable(glow::SCISSOR_TEST),
            }
        }
    }

    /// Returns the part of the framebuffer that drawing is limited to.
    pub(super) fn current_scissor(self) -> Option<[i32; 4]> {
        unsafe {
            let mut part = [0; 4];
            self.0.get_parameter_i32_slice(glow::SCISSOR_BOX, &mut part);
            self.0.is_enabled(glow::SCISSOR_TEST).then_some(part)
        }
    }

    /// Sets how fragments are compared, blended and culled.
    pub(super) fn state(self, depth: Depth, mix: Mix, cull: bool) {
        let gl = self.0;
        unsafe {
            // Depth is written only while it is tested.
            gl.enable(glow::DEPTH_TEST);
            gl.depth_func(if depth.test { glow::LEQUAL } else { glow::ALWAYS });
            gl.depth_mask(depth.write);
            match cull {
                true => {
                    gl.enable(glow::CULL_FACE);
                    gl.cull_face(glow::BACK);
                    gl.front_face(glow::CCW);
                }
                false => gl.disable(glow::CULL_FACE),
            }
            if mix == Mix::Replace {
                gl.disable(glow::BLEND);
                return;
            }
            gl.enable(glow::BLEND);
            let (color, alpha) = match mix {
                Mix::Add => (glow::FUNC_ADD, glow::MAX),
                _ => (glow::FUNC_ADD, glow::FUNC_ADD),
            };
            gl.blend_equation_separate(color, alpha);
            match mix {
                Mix::Add => gl.blend_func_separate(glow::ONE, glow::ONE, glow::ONE, glow::ONE),
                Mix::Multiply => {
                    gl.blend_func_separate(glow::DST_COLOR, glow::ZERO, glow::ZERO, glow::ONE);
                }
                Mix::MultiplyTwice => {
                    gl.blend_func_separate(glow::DST_COLOR, glow::SRC_COLOR, glow::ZERO, glow::ONE);
                }
                _ => {
                    let keep = glow::ONE_MINUS_SRC_ALPHA;
                    gl.blend_func_separate(glow::ONE, keep, glow::ONE, keep);
                }
            }
        }
    }

    /// Makes OpenGL write values as they are, and leaves the rest as egui's painter expects it.
    pub(super) fn reset(self) {
        let gl = self.0;
        unsafe {
            gl.disable(glow::DEPTH_TEST);
            gl.disable(glow::CULL_FACE);
            gl.depth_func(glow::LESS);
            gl.depth_mask(true);
            gl.color_mask(true, true, true, true);
            gl.use_program(None);
            gl.bind_vertex_array(None);
            gl.bind_buffer(glow::ARRAY_BUFFER, None);
            gl.active_texture(glow::TEXTURE0);
        }
    }

    /// Makes OpenGL write values into framebuffers as they are.
    pub(super) fn write_plain(self) {
        if !self.0.version().is_embedded {
            unsafe { self.0.disable(glow::FRAMEBUFFER_SRGB) }
        }
    }

    /// Reads the pixels of an image, bottom row first.
    pub(super) fn read(self, target: &Target, width: i32, height: i32) -> Vec<u8> {
        let mut pixels = vec![0; width as usize * height as usize * 4];
        self.draw_into(target);
        unsafe {
            self.0.pixel_store_i32(glow::PACK_ALIGNMENT, 4);
            self.0.read_pixels(
                0,
                0,
                width,
                height,
                glow::RGBA,
                glow::UNSIGNED_BYTE,
                PixelPackData::Slice(Some(&mut pixels)),
            );
        }
        pixels
    }

    /// Returns the error that a call has met, if any.
    pub(super) fn error(self) -> Option<u32> {
        let code = unsafe { self.0.get_error() };
        (code != glow::NO_ERROR).then_some(code)
    }
}

impl Program {
    fn location(&self, name: &str) -> Option<&glow::UniformLocation> {
        self.uniforms.iter().find(|(known, _)| *known == name)?.1.as_ref()
    }
}
