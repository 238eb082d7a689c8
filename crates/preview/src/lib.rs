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
mod movie;
pub mod overlay;
mod raster;
mod sheet;
mod show;
pub mod style;
mod texture;

use std::sync::Arc;

use galatea_scene::{Bounds, Frame, Instant, NodeId, Performance, PlainPerformance, Scene, Shown};

pub use camera::Camera;
pub use image::{Image, RenderError, animation};
pub use movie::Movie;
pub use sheet::{Sheet, sheet};
pub use show::{Show, SurfaceView};
pub use texture::Texture;

/// Maximum width and height of an image.
pub const LARGEST: u32 = 4096;

/// Direction of the key light: to the right, up and towards the viewer; over the viewer's left shoulder.
pub const KEY: [f64; 3] = [-0.42, 0.60, 0.68];
/// Brightness of the key light.
pub const KEY_LIGHT: f64 = 0.78;
/// Light from everywhere, and from above.
pub const AMBIENT: [f64; 2] = [0.14, 0.16];

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
    /// The view, in place of one that shows the whole model from `yaw` and `pitch`.
    pub view: Option<View>,
    /// The box to frame, in place of that of the drawn frame: the same for all frames of a moving image.
    pub framing: Option<Bounds>,
    /// The level of detail, 0 for the finest.
    pub level: u32,
    /// What the color of surfaces shows.
    pub surface: SurfaceView,
    /// Squares of two grays behind the model, in place of the background color.
    pub checker: bool,
    /// A shadow on the ground below the model.
    pub ground: bool,
    /// Nodes whose triangles have their edges drawn in a bright color.
    pub selected: Vec<NodeId>,
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
        with_view: view: Option<View>,
        with_framing: framing: Option<Bounds>,
        with_level: level: u32,
        with_surface: surface: SurfaceView,
        with_checker: checker: bool,
        with_ground: ground: bool,
        with_selected: selected: Vec<NodeId>,
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
            view: None,
            framing: None,
            level: 0,
            surface: SurfaceView::Shaded,
            checker: false,
            ground: false,
            selected: Vec::new(),
        }
    }
}

/// Renders a scene.
///
/// Fails for a size of 0 or above [`LARGEST`], for an unknown clip, and if there is too much to draw because many nodes share
/// meshes. A scene with nothing to draw gives an empty background.
pub fn render(scene: &Scene, options: &Options, textures: &Textures<'_>) -> Result<Image, RenderError> {
    render_frame(scene, &plain_frame(scene, options)?, options, textures)
}

/// Renders a frame of a scene. The options should be those with which [`instant`] gave its moment.
pub fn render_frame(
    scene: &Scene,
    frame: &Frame,
    options: &Options,
    textures: &Textures<'_>,
) -> Result<Image, RenderError> {
    check(scene, options)?;
    Ok(draw::draw(scene, frame, options, textures))
}

/// Returns the moment that these options show, for [`Performance::frame`].
pub fn instant(scene: &Scene, options: &Options) -> Result<Instant, RenderError> {
    check(scene, options)?;
    let clip = match &options.clip {
        None => None,
        Some(name) => match scene.clips.iter().position(|c| c.name.eq_ignore_ascii_case(name)) {
            Some(clip) => Some(clip),
            None => {
                let known: Vec<&str> = scene.clips.iter().map(|c| c.name.as_str()).take(20).collect();
                let known = if known.is_empty() { "none".into() } else { known.join(", ") };
                return Err(RenderError(format!("there is no clip `{name}`; the model has {known}").into()));
            }
        },
    };
    let camera = match &options.view {
        Some(view) => camera::view_rotation(view),
        None => camera::rotation(scene.front(), options.yaw.into(), options.pitch.into()),
    };
    Ok(Instant::new(clip, options.time, camera))
}

impl Options {
    /// Returns which meshes these options show. With effects to see, nothing stands in for meshes that are not there.
    pub fn shown(&self, effects: bool) -> Shown {
        Shown::default().with_walk(self.walk).with_level(self.level).with_stand_in(!effects)
    }
}

fn plain_frame(scene: &Scene, options: &Options) -> Result<Frame, RenderError> {
    Ok(PlainPerformance.frame(scene, &instant(scene, options)?, &options.shown(false)))
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

impl View {
    /// Returns the view from one point to another, with a vertical field of view in degrees.
    pub fn new(eye: [f32; 3], target: [f32; 3], up: [f32; 3], field_of_view: f32) -> View {
        View { eye, target, up, field_of_view }
    }
}

/// Returns the view with which [`render`] draws a scene with these options. Fails if it does.
pub fn view(scene: &Scene, options: &Options) -> Result<View, RenderError> {
    Ok(draw::camera(scene, &plain_frame(scene, options)?, options).view())
}

/// Returns the view with which [`render_frame`] draws a frame with these options.
pub fn frame_view(scene: &Scene, frame: &Frame, options: &Options) -> View {
    draw::camera(scene, frame, options).view()
}

/// Returns the camera with which [`render_frame`] draws a frame with these options.
pub fn frame_camera(scene: &Scene, frame: &Frame, options: &Options) -> Camera {
    draw::camera(scene, frame, options)
}

/// Returns the box by which an image of a frame is framed.
pub fn frame_bounds(scene: &Scene, frame: &Frame) -> Bounds {
    draw::framing_bounds(scene, frame)
}

/// Fails if these options ask for an image that cannot be drawn.
fn check(scene: &Scene, options: &Options) -> Result<(), RenderError> {
    if options.width == 0 || options.height == 0 {
        return Err(RenderError("an image needs at least one pixel".into()));
    }
    if options.width > LARGEST || options.height > LARGEST {
        return Err(RenderError(format!("images are at most {LARGEST} pixels wide and high").into()));
    }
    scene.check_copies().map_err(|e| RenderError(e.to_string().into()))
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
