//! Scenes to pixels on the CPU: thumbnails, contact sheets and turntables.
//!
//! A small software rasterizer in safe code, without GPU, window system or driver. A scene renders to the same bytes on every
//! machine, in every build and with any number of threads.
//!
//! ```
//! let scene = galatea_scene::example();
//! let image = galatea_preview::render(&scene, &Default::default(), &|_| None)?;
//! assert_eq!((image.width, image.height), (512, 512));
//! # Ok::<(), galatea_preview::RenderError>(())
//! ```

mod camera;
mod draw;
mod image;
mod label;
mod raster;
mod sheet;
mod texture;

use std::sync::Arc;

use galatea_scene::Scene;

pub use image::{Image, RenderError, animation};
pub use sheet::{Sheet, sheet};
pub use texture::Texture;

/// Maximum width and height of an image.
pub const LARGEST: u32 = 4096;

/// Finds a texture by the name a material gives it; for `None`, a faint checkerboard is drawn instead.
pub type Textures<'a> = dyn Fn(&str) -> Option<Arc<Texture>> + 'a;

/// What to draw, and how.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Options {
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Background color; with alpha 0 the background is transparent.
    pub background: [u8; 4],
    /// Degrees to the right of the front.
    pub yaw: f32,
    /// Degrees above the horizon.
    pub pitch: f32,
    /// Name of the clip to play; `None` for the rest pose.
    pub clip: Option<String>,
    /// Seconds into the clip.
    pub time: f32,
    /// Draw bones over everything.
    pub skeleton: bool,
    /// Draw the edges of all triangles.
    pub wire: bool,
    /// Draw walk and collision surfaces too.
    pub walk: bool,
    /// Draw the bounding box of the model.
    pub bounds: bool,
    /// Samples per pixel and axis: 1 to 4.
    pub samples: u32,
    /// Frame the model so that it stays in the image while it rotates.
    pub around: bool,
    /// Lines and dots to draw over the scene, in order.
    pub strokes: Vec<Stroke>,
}

galatea_wire::setters! {
    Options {
        with_background: background: [u8; 4],
        with_yaw: yaw: f32,
        with_pitch: pitch: f32,
        with_clip: clip: Option<String>,
        with_time: time: f32,
        with_skeleton: skeleton: bool,
        with_wire: wire: bool,
        with_walk: walk: bool,
        with_bounds: bounds: bool,
        with_samples: samples: u32,
        with_around: around: bool,
        with_strokes: strokes: Vec<Stroke>,
    }
}

impl Options {
    /// Returns the same options with another width and height.
    #[must_use]
    pub fn with_size(self, width: u32, height: u32) -> Self {
        Options { width, height, ..self }
    }
}

/// A line drawn over the scene, through points in scene coordinates; a single point is drawn as a dot.
#[derive(Debug, Clone, PartialEq)]
pub struct Stroke {
    /// The points of the line.
    pub points: Vec<[f32; 3]>,
    /// Red, green, blue as display values.
    pub colour: [u8; 3],
    /// Width in pixels.
    pub width: f32,
    /// Whether it is visible through surfaces in front of it.
    pub on_top: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            width: 512,
            height: 512,
            background: [46, 50, 56, 255],
            yaw: 35.0,
            pitch: 20.0,
            clip: None,
            time: 0.0,
            skeleton: false,
            wire: false,
            walk: false,
            bounds: false,
            samples: 2,
            around: false,
            strokes: Vec::new(),
        }
    }
}

/// Renders a scene.
///
/// Fails for a size of 0 or above [`LARGEST`], for an unknown clip, and if there is too much to draw because many nodes share
/// meshes. A scene with nothing to draw gives an empty background.
pub fn render(scene: &Scene, options: &Options, textures: &Textures<'_>) -> Result<Image, RenderError> {
    Ok(draw::draw(scene, pose(scene, options)?, options, textures))
}

/// The view of an image, in scene coordinates.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct View {
    /// Position of the camera.
    pub eye: [f32; 3],
    /// Target point.
    pub target: [f32; 3],
    /// Up direction of the image.
    pub up: [f32; 3],
    /// Vertical field of view in degrees.
    pub field_of_view: f32,
}

/// Returns the view with which [`render`] draws a scene with these options. Fails if it does.
pub fn view(scene: &Scene, options: &Options) -> Result<View, RenderError> {
    Ok(draw::view(scene, &pose(scene, options)?, options))
}

/// Returns the pose for these options, if it can be drawn.
fn pose(scene: &Scene, options: &Options) -> Result<galatea_scene::Pose, RenderError> {
    if options.width == 0 || options.height == 0 {
        return Err(RenderError("an image needs at least one pixel".into()));
    }
    if options.width > LARGEST || options.height > LARGEST {
        return Err(RenderError(format!("images are at most {LARGEST} pixels wide and high").into()));
    }
    scene.check_copies().map_err(|e| RenderError(e.to_string().into()))?;
    Ok(match &options.clip {
        None => galatea_scene::Pose::rest(scene),
        Some(name) => match scene.find_clip(name) {
            Some(clip) => galatea_scene::Pose::at(scene, clip, options.time),
            None => {
                let known: Vec<&str> = scene.clips.iter().map(|c| c.name.as_str()).take(20).collect();
                let known = if known.is_empty() { "none".into() } else { known.join(", ") };
                return Err(RenderError(format!("there is no clip `{name}`; the model has {known}").into()));
            }
        },
    })
}

/// Renders a turntable: the scene from all around, in this many frames.
pub fn turntable(
    scene: &Scene,
    options: &Options,
    frames: u32,
    textures: &Textures<'_>,
) -> Result<Vec<Image>, RenderError> {
    let frames = frames.clamp(1, 360);
    (0..frames)
        .map(|frame| {
            let yaw = options.yaw + 360.0 * frame as f32 / frames as f32;
            render(scene, &Options { yaw, around: true, ..options.clone() }, textures)
        })
        .collect()
}
