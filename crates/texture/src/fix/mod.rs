//! Fixes what the rules find, where the rest of the file determines the right value.

mod blp;
mod dds;
mod ftex;
mod tpc;

use galatea_wire::{Fixed, Rule};

use crate::Texture;

/// Collects what was fixed.
struct Fixes<'a> {
    wanted: &'a dyn Fn(&Rule) -> bool,
    done: Vec<Fixed>,
}

impl<'a> Fixes<'a> {
    fn new(wanted: &'a dyn Fn(&Rule) -> bool) -> Self {
        Fixes { wanted, done: Vec::new() }
    }

    /// Notes a repair if the rule is wanted and `broken`; the caller then does it.
    fn fix(&mut self, rule: &'static Rule, broken: bool, message: &str) -> bool {
        let go = broken && (self.wanted)(rule);
        if go {
            self.done.push(Fixed { rule, message: message.to_owned() });
        }
        go
    }
}

impl Texture {
    /// Fixes what the wanted rules find, where the rest of the file leaves no doubt about the right value.
    pub fn fix(&mut self, wanted: &dyn Fn(&Rule) -> bool) -> Vec<Fixed> {
        match self {
            Texture::Tpc(t) => t.fix(wanted),
            Texture::Blp(t) => t.fix(wanted),
            Texture::Dds(t) => t.fix(wanted),
            Texture::Ftex(t) => t.fix(wanted),
            Texture::Wesys(t) => t.inner.fix(wanted),
            Texture::BiowareDds(_) | Texture::Plain(_) => Vec::new(),
        }
    }
}
