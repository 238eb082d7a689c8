//! What the text forms of models and walkmeshes have in common: words, numbers, and data carried in comments.

pub(crate) mod carry;
pub(crate) mod checksum;
pub(crate) mod encode;
pub(crate) mod lex;
pub(crate) mod token;
