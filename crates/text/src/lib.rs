//! What Galatea's text forms share: decimals that read back to the same bits.
//!
//! KotOR ASCII models, Warcraft III MDL and the JSON of glTF differ in how they spell a number, not in what a number is.
//! [`push_f32`] prints one in any of their spellings, [`Number::scan`] reads all of them.
//!
//! ```
//! use galatea_text::{Notation, Number, push_f32};
//! let mut out = Vec::new();
//! push_f32(&mut out, 0.1, Notation::Json);
//! assert_eq!(out, b"0.1");
//! assert_eq!(Number::parse(&out).map(|n| n.to_f32()), Some(0.1));
//! ```

mod parse;
mod print;

pub use parse::{Number, looks_numeric, parse_f32, parse_f64, parse_int};
pub use print::{Notation, decimal_places, push_f32, push_f64, push_int, push_rounded};

/// The powers of ten that an `f64` holds exactly.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];

/// Returns `value` times ten to the power of `exponent`, rounded once; `None` beyond the exact powers.
fn scale(value: f64, exponent: i32) -> Option<f64> {
    let power = *POWERS.get(exponent.unsigned_abs() as usize)?;
    Some(if exponent < 0 { value / power } else { value * power })
}
