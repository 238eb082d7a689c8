//! Every variable record and the body of every chunk, described once for reading and writing.

mod chunks;
mod geosets;
mod objects;
mod tracks;

pub(crate) use chunks::MAGIC;
