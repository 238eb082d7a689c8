//! Prints one number in every notation and reads it back.

use galatea_text::{Notation, parse_f32, push_f32};

fn main() {
    let value = 1.5e-7_f32;
    for notation in [Notation::Json, Notation::Bare, Notation::Point, Notation::Fixed] {
        let mut text = Vec::new();
        push_f32(&mut text, value, notation);
        assert_eq!(parse_f32(&text), Some(value));
        println!("{notation:?}: {}", String::from_utf8_lossy(&text));
    }
}
