//! What a viewport shows at a moment, for any painter.

use std::collections::BTreeMap;
use std::sync::Arc;

use galatea::preview::{Options, Texture};
use galatea::scene::{Frame, Scene};

/// A scene that is drawn, with its textures. It never changes: another state of the document is another subject.
#[derive(Debug)]
pub struct Subject {
    /// A number that no other subject of this run has, by which a painter keeps what it made of it.
    pub id: u64,
    /// The scene as [`galatea::Stage::scene`] gives it.
    pub scene: Scene,
    /// The textures that were found, by the names that materials give them.
    pub textures: BTreeMap<String, Arc<Texture>>,
}

/// A subject at a moment, and how it is shown.
#[derive(Debug, Clone)]
pub struct Drawing {
    /// What is drawn.
    pub subject: Arc<Subject>,
    /// The frame of the moment, from [`galatea::Stage::frame`].
    pub frame: Arc<Frame>,
    /// How it is shown: `view` is always set, `width` and `height` are those of the viewport in pixels, and `clip`, `time`, `yaw` and
    /// `pitch` count no more. All else means what it means for [`galatea::preview::render_frame`].
    pub look: Options,
    /// Draw a grid of squares on the ground.
    pub grid: bool,
    /// The part of the viewport's width that is drawn, from left to right between 0 and 1: two versions of a model are compared with a
    /// wipe by two drawings with a part each.
    pub part: [f32; 2],
}
