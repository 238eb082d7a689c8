//! What panels ask for.

use std::path::PathBuf;

use galatea::FormatId;
use galatea::scene::NodeId;

use super::change::Wish;
use super::export::Motion;
use super::settings::{Bottom, Side};
use super::view::Show;

/// What panels ask for. Only the session changes anything.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Action {
    /// Opens a file; lists a folder, archive or game and opens its first model.
    Open(PathBuf),
    /// Opens a file in addition to those that are open.
    OpenBeside(PathBuf),
    /// Opens the file that is this many files behind the one that is shown.
    Step(isize),
    /// Lists the files again.
    Refresh,
    /// Draws these files for the list.
    Thumbnails(Vec<PathBuf>),
    /// Shows another document, by its place.
    Switch(usize),
    /// Closes a document; asks if it has unsaved changes.
    Close(usize),
    /// Closes a document and forgets its changes.
    CloseAnyway(usize),
    /// Selects a node.
    SelectNode(Option<NodeId>),
    /// Selects the field of a byte: the number of the file, and the offset.
    SelectByte(usize, usize),
    /// Selects a line of the fields: the number of the file, and that of the line.
    SelectLine(usize, usize),
    /// Selects a finding by its place in the report.
    SelectFinding(usize),
    /// Plays a clip; `None` shows the model at rest.
    Clip(Option<usize>),
    /// Plays or pauses.
    Play(bool),
    /// Goes to a time of the clip.
    Seek(f32),
    /// Goes this many thirtieths of a second on.
    Nudge(f32),
    /// Plays at this speed.
    Speed(f32),
    /// Plays what the game plays once again and again, or not.
    Again(bool),
    /// Changes a document. What asks is shown before it is made.
    Change {
        /// What is to be changed.
        wish: Wish,
        /// Whether the change is shown first.
        asks: bool,
    },
    /// Makes the change that is shown.
    Apply,
    /// Forgets the change that is shown.
    Dismiss,
    /// Goes back a step.
    Undo,
    /// Goes forward a step.
    Redo,
    /// Saves the document under its name.
    Save,
    /// Saves the document under another name, in its format or another one.
    SaveAs {
        /// Where to.
        path: PathBuf,
        /// The format.
        format: FormatId,
        /// Whether an existing file is replaced.
        replace: bool,
    },
    /// Writes an image of what the viewport shows.
    Shoot {
        /// Where to.
        path: PathBuf,
        /// Pixels.
        size: (u32, u32),
        /// Whether it moves.
        motion: Motion,
        /// Whether an existing file is replaced.
        replace: bool,
    },
    /// Writes what waits for a yes: losses were listed, or a file is in the way.
    Write,
    /// Does not write it.
    DoNotWrite,
    /// Reads the file again, which has changed on disk.
    Reload,
    /// Keeps the document as it is, although the file has changed on disk.
    Keep,
    /// Looks through a camera of the model, or through the free one.
    Camera(Option<String>),
    /// Moves the camera until everything is seen.
    FrameAll,
    /// Turns the camera to these degrees: yaw and pitch.
    Look(f32, f32),
    /// Shows something beside the model, or something else on its surfaces.
    Show(Show),
    /// Shows a panel at the right.
    Side(Side),
    /// Shows a panel at the bottom.
    Bottom(Bottom),
    /// Shows one document, several beside each other, or two with a wipe.
    Arrange(Arrangement),
    /// Walks or not: clicks in the viewport set points.
    Walk(bool),
    /// Sets the next point of the path.
    WalkTo([f32; 3]),
    /// Makes who walks this wide.
    WalkRadius(f32),
    /// Opens or closes a door.
    Door(usize, bool),
    #[cfg(not(target_arch = "wasm32"))]
    /// Takes over changes that a run has left.
    Recover(usize),
    #[cfg(not(target_arch = "wasm32"))]
    /// Forgets changes that a run has left.
    DiscardLeft(usize),
    /// Copies a text.
    Copy(String),
    /// Empties the log.
    ClearLog,
}

/// How documents share the viewport.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) enum Arrangement {
    /// One document.
    #[default]
    One,
    /// All open documents, beside each other.
    Beside,
    /// The document as it is and as it is on disk, with a wipe at this part of the width.
    Wipe(f32),
    /// The document and the next one, with a wipe at this part of the width.
    WipeOther(f32),
}
