//! The printer: lines, blocks, lists, and sidecar lines.

use std::collections::HashMap;

use galatea_text::{Notation, push_f32, push_int};

use super::sidecar::{patch_of, shown};
use crate::Version;

pub(super) struct Out {
    buf: Vec<u8>,
    depth: usize,
    /// The version of the model.
    pub(super) version: Version,
    sidecar: Vec<String>,
    /// Numbers without a decimal form; the first is printed as `0e1`.
    stand_ins: Vec<u32>,
    known: HashMap<u32, usize>,
}

const TABS: &[u8] = b"\t\t\t\t\t\t\t\t";

impl Out {
    pub(super) fn new(version: Version, capacity: usize) -> Self {
        Out {
            buf: Vec::with_capacity(capacity),
            depth: 0,
            version,
            sidecar: Vec::new(),
            stand_ins: Vec::new(),
            known: HashMap::new(),
        }
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.buf
    }

    /// Returns the length of the text so far.
    pub(super) fn len(&self) -> usize {
        self.buf.len()
    }

    /// Returns the numbers without a decimal form.
    pub(super) fn stand_ins(&self) -> &[u32] {
        &self.stand_ins
    }

    pub(super) fn raw(&mut self, bytes: &[u8]) {
        self.buf.extend_from_slice(bytes);
    }

    #[inline]
    pub(super) fn start(&mut self) {
        self.buf.extend_from_slice(TABS.get(..self.depth).unwrap_or(TABS));
    }

    /// Prints `Word 3 "name" {`, body, `}`.
    pub(super) fn block(&mut self, head: &str, body: impl FnOnce(&mut Self)) {
        self.start();
        self.raw(head.as_bytes());
        self.body(body);
    }

    /// Prints a block with a name. In sidecar lines, the name is called `Name`.
    pub(super) fn named_block(&mut self, word: &str, name: Option<&[u8]>, body: impl FnOnce(&mut Self)) {
        self.start();
        self.raw(word.as_bytes());
        if let Some(name) = name {
            self.buf.push(b' ');
            self.string("Name", name);
        }
        self.body(body);
    }

    fn body(&mut self, body: impl FnOnce(&mut Self)) {
        self.raw(b" {\n");
        self.depth += 1;
        body(self);
        self.depth -= 1;
        self.start();
        self.raw(b"}\n");
    }

    /// Prints a line with keyword and value.
    pub(super) fn line(&mut self, word: &str, value: impl FnOnce(&mut Self)) {
        self.start();
        self.raw(word.as_bytes());
        self.buf.push(b' ');
        value(self);
        self.raw(b",\n");
    }

    /// Prints a line with a keyword only.
    pub(super) fn flag(&mut self, word: &str) {
        self.start();
        self.raw(word.as_bytes());
        self.raw(b",\n");
    }

    #[inline]
    pub(super) fn int(&mut self, value: i64) {
        push_int(&mut self.buf, value);
    }

    #[inline]
    pub(super) fn float(&mut self, value: f32) {
        if value.is_finite() {
            push_f32(&mut self.buf, value, Notation::Bare);
        } else {
            self.stand_in(value.to_bits());
        }
    }

    /// Prints a number without a decimal form: a zero, whose exponent is the number's index.
    #[cold]
    fn stand_in(&mut self, bits: u32) {
        let next = self.stand_ins.len() + 1;
        let index = *self.known.entry(bits).or_insert(next);
        if index == next {
            self.stand_ins.push(bits);
        }
        self.raw(format!("0e{index}").as_bytes());
    }

    /// Prints `{ 1, 2, 3 }`.
    #[inline]
    pub(super) fn floats(&mut self, values: &[f32]) {
        self.raw(b"{ ");
        for (index, value) in values.iter().enumerate() {
            if index > 0 {
                self.raw(b", ");
            }
            self.float(*value);
        }
        self.raw(b" }");
    }

    /// Prints `{ 1, 2, 3 }`.
    pub(super) fn ints(&mut self, values: impl IntoIterator<Item = i64>) {
        self.raw(b"{ ");
        for (index, value) in values.into_iter().enumerate() {
            if index > 0 {
                self.raw(b", ");
            }
            self.int(value);
        }
        self.raw(b" }");
    }

    /// Prints `Word n { { 1, 2, 3 }, ... }`.
    pub(super) fn rows<const N: usize>(&mut self, word: &str, rows: &[[f32; N]]) {
        self.block(&format!("{word} {}", rows.len()), |out| {
            for row in rows {
                out.start();
                out.floats(row);
                out.raw(b",\n");
            }
        });
    }

    /// Prints `"text"`; bytes that a string cannot show go to the sidecar.
    pub(super) fn string(&mut self, word: &str, raw: &[u8]) {
        let text = raw.split(|b| *b == 0).next().unwrap_or(&[]);
        self.buf.push(b'"');
        self.buf.extend(text.iter().map(|b| shown(*b)));
        self.buf.push(b'"');
        let patch = patch_of(raw);
        if !patch.is_empty() {
            self.sidecar(format!("bytes {word}{patch}"));
        }
    }

    /// Queues a sidecar line of the block that is being printed.
    pub(super) fn sidecar(&mut self, line: String) {
        self.sidecar.push(line);
    }

    /// Queues a sidecar line with a value that is printed like plain text.
    pub(super) fn sidecar_value(&mut self, lead: &str, value: impl FnOnce(&mut Self)) {
        let start = self.buf.len();
        value(self);
        let value = self.buf.split_off(start);
        self.sidecar(format!("{lead}{}", String::from_utf8_lossy(&value)));
    }

    /// Returns the number of queued sidecar lines.
    pub(super) fn sidecar_len(&self) -> usize {
        self.sidecar.len()
    }

    /// Puts `for CHECKSUM` before the queued lines from this index on, if there are any.
    pub(super) fn guard_sidecar(&mut self, from: usize, guard: Option<u32>) {
        if let Some(guard) = guard.filter(|_| self.sidecar.len() > from) {
            self.sidecar.insert(from, format!("for 0x{guard:08x}"));
        }
    }

    /// Prefixes the queued lines from this index on.
    pub(super) fn prefix_sidecar(&mut self, from: usize, prefix: &str) {
        for line in self.sidecar.iter_mut().skip(from) {
            line.insert_str(0, prefix);
        }
    }

    /// Inserts the queued lines at this position.
    pub(super) fn place_sidecar(&mut self, at: usize) {
        if self.sidecar.is_empty() {
            return;
        }
        let lines: String = self.sidecar.drain(..).map(|line| format!("// galatea: {line}\n")).collect();
        self.buf.splice(at..at, lines.into_bytes());
    }

    /// Inserts the queued lines from this index on, as one line, into the block that begins at this position and has just ended.
    /// The line comes after the first statement, the only place where some tools accept comments.
    pub(super) fn place_sidecar_in_block(&mut self, start: usize, from: usize) {
        if self.sidecar.len() <= from {
            return;
        }
        let lines = self.sidecar.split_off(from).join("; ");
        let ends =
            self.buf.iter().enumerate().skip(start).filter(|(_, b)| **b == b'\n').map(|(at, _)| at + 1);
        let at = ends.take(2).last().unwrap_or(start);
        let mut text = TABS.get(..self.depth + 1).unwrap_or(TABS).to_vec();
        text.extend_from_slice(format!("// galatea: {lines}\n").as_bytes());
        self.buf.splice(at..at, text);
    }
}
