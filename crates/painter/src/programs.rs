//! The programs of the painter.

use super::gl::{Gl, Program};

const CAMERA: &str = include_str!("shaders/camera.glsl");
const TEXTURE: &str = include_str!("shaders/texture.glsl");
const WHOLE: &str = include_str!("shaders/whole.vert");

/// The units of the textures of a surface, in the order of [`super::uniforms::IMAGES`].
const UNITS: [&str; 7] = ["u_base", "u_baked", "u_glow", "u_bumps", "u_rough", "u_occlusion", "u_around"];

/// All programs.
#[derive(Debug)]
pub(super) struct Programs {
    pub(super) surface: Program,
    pub(super) sprite: Program,
    pub(super) line: Program,
    pub(super) convert: Program,
    pub(super) resolve: Program,
}

impl Programs {
    pub(super) fn new(gl: Gl<'_>) -> Result<Programs, String> {
        let surface = {
            let mut uniforms = vec!["u_camera", "u_style"];
            uniforms.extend(UNITS);
            let vertex = format!("{CAMERA}{}", include_str!("shaders/surface.vert"));
            let fragment = format!("{CAMERA}{TEXTURE}{}", include_str!("shaders/surface.frag"));
            gl.program(&vertex, &fragment, &uniforms)?
        };
        gl.use_program(&surface);
        for (unit, name) in (0..).zip(UNITS) {
            gl.set_unit(&surface, name, unit);
        }
        let vertex = format!("{CAMERA}{}", include_str!("shaders/sprite.vert"));
        let fragment = format!("{TEXTURE}{}", include_str!("shaders/sprite.frag"));
        let sprite = gl.program(&vertex, &fragment, &["u_camera", "u_sprite", "u_base"])?;
        let vertex = format!("{CAMERA}{}", include_str!("shaders/line.vert"));
        let line = gl.program(&vertex, include_str!("shaders/line.frag"), &["u_camera", "u_image"])?;
        let convert = gl.program(WHOLE, include_str!("shaders/convert.frag"), &["u_image", "u_way"])?;
        let resolve = gl.program(WHOLE, include_str!("shaders/resolve.frag"), &["u_image", "u_resolve"])?;
        for (program, name) in [(&sprite, "u_base"), (&convert, "u_image"), (&resolve, "u_image")] {
            gl.use_program(program);
            gl.set_unit(program, name, 0);
        }
        Ok(Programs { surface, sprite, line, convert, resolve })
    }

    pub(super) fn delete(self, gl: Gl<'_>) {
        for program in [self.surface, self.sprite, self.line, self.convert, self.resolve] {
            gl.delete_program(program);
        }
    }
}
