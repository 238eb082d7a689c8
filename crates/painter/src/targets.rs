//! Images that the painter draws into before their samples become pixels.

use super::gl::{Gl, Pixels, Target};

/// Paints after which images of a size that is not drawn any more are freed.
const KEPT: u64 = 30;

/// The images of a viewport: light, and display values for sprites, which games blend so. Both have the same depth.
#[derive(Debug)]
pub(super) struct Targets {
    size: [i32; 2],
    pub(super) light: Target,
    pub(super) display: Target,
    depth: glow::Renderbuffer,
    used: u64,
}

/// The images of the viewports that were drawn of late.
#[derive(Debug, Default)]
pub(super) struct TargetCache(Vec<Targets>);

impl TargetCache {
    /// Returns the images of a size in samples.
    pub(super) fn get(&mut self, gl: Gl<'_>, size: [i32; 2], now: u64) -> Result<&Targets, String> {
        self.forget(gl, now);
        let at = match self.0.iter().position(|t| t.size == size) {
            Some(at) => at,
            None => {
                self.0.push(Targets::new(gl, size)?);
                self.0.len() - 1
            }
        };
        let found = self.0.get_mut(at).ok_or("no image to draw into")?;
        found.used = now;
        Ok(found)
    }

    /// Frees what was not drawn into of late.
    fn forget(&mut self, gl: Gl<'_>, now: u64) {
        let old = |t: &mut Targets| t.used + KEPT < now;
        for targets in self.0.extract_if(.., old) {
            targets.delete(gl);
        }
    }

    pub(super) fn delete(&mut self, gl: Gl<'_>) {
        for targets in self.0.drain(..) {
            targets.delete(gl);
        }
    }
}

impl Targets {
    fn new(gl: Gl<'_>, size: [i32; 2]) -> Result<Targets, String> {
        let depth = gl.depth_buffer(size)?;
        let light = gl.target(size, Pixels::Light, Some(depth))?;
        let display = gl.target(size, Pixels::Display, Some(depth))?;
        Ok(Targets { size, light, display, depth, used: 0 })
    }

    fn delete(self, gl: Gl<'_>) {
        gl.delete_target(self.light);
        gl.delete_target(self.display);
        gl.delete_depth(self.depth);
    }
}
