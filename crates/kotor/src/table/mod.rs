//! The games' tables: 2DA, rows of text under named columns, and GFF, trees of labelled values. They are only read: what a row of
//! `appearance.2da` or an entry of a GIT says is needed to find the models that belong to it.

mod gff;
mod two_da;
mod wire;

pub use gff::{Gff, Record};
pub use two_da::TwoDa;
pub use wire::{GffField, GffHead, GffStruct};
