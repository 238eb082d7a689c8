//! Galatea as a WebAssembly module for browsers, Node and other hosts. The module imports nothing.
//!
//! [`Session`] is what a host can do: put files into memory, open one of them, ask for its figures and findings, convert it
//! and draw it. [`abi`] exports it with plain numbers; `galatea.mjs` wraps those exports for JavaScript.

pub mod abi;
mod session;

pub use session::{Failure, Session};
