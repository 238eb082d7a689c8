//! How a model is looked at: the camera, and what is shown.

use galatea::preview::{self, Options, SurfaceView};
use galatea::scene::{Frame, Scene};
use galatea_painter::Orbit;
use glam::Vec3;
use serde::{Deserialize, Serialize};

/// Moves a camera away or nearer until everything of a frame is in the viewport.
pub(crate) fn frame_all(orbit: &mut Orbit, scene: &Scene, frame: &Frame, look: &Options) {
    let look = look.clone().with_view(None).with_yaw(orbit.yaw).with_pitch(orbit.pitch);
    let view = preview::frame_view(scene, frame, &look);
    let distance = Vec3::from(view.eye).distance(view.target.into());
    if distance.is_finite() && view.target.iter().all(|v| v.is_finite()) {
        (orbit.target, orbit.distance) = (view.target, distance.max(1e-4));
    }
}

/// What surfaces show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) enum Paint {
    /// Materials and textures.
    #[default]
    Materials,
    /// Normals as colors.
    Normals,
    /// A checkerboard by texture coordinates.
    Uv,
    /// The weights of the selected bone.
    Weights,
    /// Vertex colors.
    Masks,
}

impl Paint {
    /// All of them, with their names.
    pub(crate) const ALL: [(Paint, &'static str); 5] = [
        (Paint::Materials, "Materials"),
        (Paint::Normals, "Normals"),
        (Paint::Uv, "Texture coordinates"),
        (Paint::Weights, "Weights of the selected bone"),
        (Paint::Masks, "Vertex colors"),
    ];
}

/// What is behind the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) enum Background {
    /// Dark gray.
    #[default]
    Dark,
    /// Light gray.
    Light,
    /// Black.
    Black,
    /// Squares of two grays.
    Checker,
}

impl Background {
    /// All of them, with their names.
    pub(crate) const ALL: [(Background, &'static str); 4] = [
        (Background::Dark, "Dark"),
        (Background::Light, "Light"),
        (Background::Black, "Black"),
        (Background::Checker, "Checker"),
    ];

    /// Returns its color.
    pub(crate) fn color(self) -> [u8; 4] {
        match self {
            Background::Dark => [46, 50, 56, 255],
            Background::Light => [214, 217, 222, 255],
            Background::Black => [0, 0, 0, 255],
            Background::Checker => [148, 148, 148, 255],
        }
    }

    /// Returns what `galatea render --background` calls it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Background::Dark => "#2e3238",
            Background::Light => "#d6d9de",
            Background::Black => "#000000",
            Background::Checker => "checker",
        }
    }
}

/// What is shown beside the model itself. It is kept between runs.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Show {
    pub(crate) skeleton: bool,
    pub(crate) wire: bool,
    pub(crate) walk: bool,
    pub(crate) bounds: bool,
    pub(crate) ground: bool,
    pub(crate) no_grid: bool,
    pub(crate) paint: Paint,
    pub(crate) background: Background,
    pub(crate) team: u32,
    #[serde(skip)]
    pub(crate) level: u32,
}

impl Show {
    /// Returns the options of an image of this size.
    pub(crate) fn options(&self, bone: Option<&str>, size: (u32, u32)) -> Options {
        let surface = match (self.paint, bone) {
            (Paint::Normals, _) => SurfaceView::Normals,
            (Paint::Uv, _) => SurfaceView::Uv,
            (Paint::Masks, _) => SurfaceView::Masks,
            (Paint::Weights, Some(bone)) => SurfaceView::Weights(bone.to_owned()),
            _ => SurfaceView::Shaded,
        };
        let most = preview::LARGEST;
        Options::default()
            .with_size(size.0.clamp(1, most), size.1.clamp(1, most))
            .with_background(self.background.color())
            .with_checker(self.background == Background::Checker)
            .with_skeleton(self.skeleton)
            .with_wire(self.wire)
            .with_walk(self.walk)
            .with_bounds(self.bounds)
            .with_ground(self.ground)
            .with_level(self.level)
            .with_surface(surface)
    }

    /// Returns what `galatea render --show` needs to show the same.
    pub(crate) fn words(&self, bone: Option<&str>) -> Vec<String> {
        let flags =
            [(self.skeleton, "skeleton"), (self.wire, "wire"), (self.walk, "walk"), (self.bounds, "bounds")];
        let mut words: Vec<String> =
            flags.iter().filter(|(on, _)| *on).map(|(_, word)| (*word).to_owned()).collect();
        match (self.paint, bone) {
            (Paint::Normals, _) => words.push("normals".into()),
            (Paint::Uv, _) => words.push("uv".into()),
            (Paint::Masks, _) => words.push("masks".into()),
            (Paint::Weights, Some(bone)) => words.push(format!("weights:{bone}")),
            _ => {}
        }
        if self.level > 0 {
            words.push(format!("lod:{}", self.level));
        }
        words
    }
}

#[cfg(test)]
#[allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests fail loudly"
)]
mod tests {
    use galatea::scene::{Performance, PlainPerformance, Shown};

    use super::*;

    fn frame(scene: &Scene) -> Frame {
        PlainPerformance.frame(
            scene,
            &preview::instant(scene, &Options::default()).unwrap(),
            &Shown::default(),
        )
    }

    #[test]
    fn the_camera_is_that_of_render() {
        let scene = galatea::scene::example();
        let look = Options::default().with_size(300, 200).with_yaw(70.0).with_pitch(-15.0);
        let frame = frame(&scene);
        let wanted = preview::frame_view(&scene, &frame, &look);
        let mut orbit = Orbit { yaw: 70.0, pitch: -15.0, ..Orbit::default() };
        frame_all(&mut orbit, &scene, &frame, &look);
        let view = orbit.view(scene.front());
        for (have, want) in [(view.eye, wanted.eye), (view.target, wanted.target), (view.up, wanted.up)] {
            assert!(Vec3::from(have).distance(want.into()) < 1e-3 * orbit.distance, "{have:?} {want:?}");
        }
        assert!((view.field_of_view - wanted.field_of_view).abs() < 1e-3);
    }
}
