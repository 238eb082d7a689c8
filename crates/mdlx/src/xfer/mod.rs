//! Every variable record, described once for reading and writing, and the frame of chunks around them.

mod chunks;
mod geosets;
mod objects;
mod tracks;

pub use chunks::{detect, inspect};
