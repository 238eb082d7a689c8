//! Builds a model, writes it as MDX and as MDL text, and converts it to the version of Reforged.

use galatea_mdlx::{ConvertOptions, Limits, Model, Sequence, Text, Version, text};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut model = Model::new(Version(800));
    model.info.name = Text::new(b"Footman").ok_or("the name is too long")?;
    let name = Text::new(b"Stand").ok_or("the name is too long")?;
    model.sequences.push(Sequence { name, end: 1000, ..Sequence::default() });

    let bytes = model.write()?;
    assert_eq!(Model::read(&bytes, &Limits::default())?.write()?, bytes);
    println!("MDX 800: {} bytes", bytes.len());
    print!("{}", String::from_utf8_lossy(&text::print(&model)?));

    let (newer, losses) = model.convert(Version(1000), &ConvertOptions::default())?;
    println!("MDX 1000: {} bytes, {} losses", newer.write()?.len(), losses.len());
    Ok(())
}
