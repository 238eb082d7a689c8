//! Describes a record once, then reads it, writes it and asks what a byte is.

use galatea_wire::{Inspector, Limits, Source, Wire, wire};

wire! {
    /// The head of an imaginary image format.
    pub struct Head(8) {
        /// Always `IMG0`.
        pub magic: [u8; 4] = 0,
        /// Pixels in a row.
        pub width: u16 = 4,
        /// Rows.
        pub height: u16 = 6,
    }
}

fn main() -> galatea_wire::Result<()> {
    let bytes = *b"IMG0\x40\x01\xF0\x00";
    let source = Source::new(&bytes, &Limits::default());
    let head: Head = source.reader().at(0, "head")?;
    println!("{} x {} pixels", head.width, head.height);
    assert_eq!((head.width, head.height), (320, 240));

    let mut written = [0; Head::SIZE];
    head.put(&mut written);
    assert_eq!(written, bytes);

    let coverage = source.into_coverage();
    if let Some(field) = Inspector::new(&bytes, &coverage).at(6) {
        println!("byte 6 belongs to {} = {}", field.path, field.value);
    }

    let short = Source::new(bytes.get(..5).unwrap_or_default(), &Limits::default());
    match short.reader().at::<Head>(0, "head") {
        Ok(_) => println!("unexpected: a cut file was read"),
        Err(error) => println!("a cut file: {error}"),
    }
    Ok(())
}
