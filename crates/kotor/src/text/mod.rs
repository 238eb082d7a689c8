//! The text layer that models and walkmeshes share: words, numbers, and the sidecar in comments.

pub(crate) mod encode;
pub(crate) mod lex;
pub(crate) mod sidecar;
pub(crate) mod token;
