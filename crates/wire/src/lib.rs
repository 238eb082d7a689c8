//! Bytes and nothing else: what all formats of Galatea are built on.
//!
//! * [`wire!`](crate::wire) describes a fixed record once; reading, writing, the inspector and the documentation follow from it.
//! * [`Source`] and [`Reader`] read offset formats: a `Copy` handle that claims every byte it hands out.
//! * [`xfer!`](crate::xfer) describes a variable record once; [`ReadXfer`] and [`WriteXfer`] run it in both directions.
//! * [`Plan`] and [`Writer`] lay a file out first and fill it afterwards.
//! * [`Coverage`] and [`Inspector`] know which byte belongs to which field.
//! * [`Error`], [`Limits`], [`Rule`] and [`Report`] are shared by every format.
//! * [`Differences`] lists what differs between two documents; [`Compare`] tells whether two values are equal.
//! * [`checksum`] and [`StableHash`] are the same on every machine and in every version.
//!
//! No unsafe code, no file system, threads or clocks. No dependencies, unless the feature `serde` is on: then reports, summaries,
//! losses and errors can be serialized, with the keys of the program's `--json`. The feature `zlib` adds the module of
//! that name.

mod bits;
mod compare;
mod coverage;
mod differences;
mod document;
mod error;
mod field_path;
mod fields;
mod fix;
mod hash;
mod inspect;
mod limits;
mod loss;
mod record;
mod report;
#[cfg(feature = "serde")]
mod serialize;
mod setters;
mod source;
mod text;
mod typed;
mod write_to;
mod writer;
mod xfer;
#[cfg(feature = "zlib")]
pub mod zlib;

pub use compare::Compare;
pub use coverage::{Claim, Coverage, Gap};
pub use differences::Differences;
pub use document::Summary;
pub use error::{Error, ErrorKind, Place, Result};
pub use field_path::{FieldPath, NotAPath, near};
pub use fields::NoField;
pub use fix::{Fix, run_fixes};
pub use hash::{StableHash, checksum};
pub use inspect::{FieldAt, Inspector, Item, Span};
pub use limits::Limits;
pub use loss::{Loss, LossGroup};
pub use record::{Field, Kind, Offset, Schema, Text, Wire, put_array};
pub use report::{Finding, Fixed, Report, Rule, Severity};
pub use source::{Reader, Source};
pub use text::{escape, escape_bytes, is_safe_path};
pub use typed::{NotAValue, encode_value, shown_value};
pub use write_to::{WriteError, write_to};
pub use writer::{Plan, Writer};
pub use xfer::{Mark, Part, ReadXfer, Record, WriteXfer};
