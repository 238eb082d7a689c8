//! Lists an archive, or a small module made here: `cargo run -p galatea-archive --example list [FILE]`.

use galatea_archive::{Archive, Edit, erf, open_bytes};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let bytes = match std::env::args_os().nth(1) {
        Some(path) => std::fs::read(path)?,
        None => erf::Erf::new(erf::ErfType::Module).edited(&[
            Edit::put("m01aa.are", b"an area".to_vec()),
            Edit::put("m01aa_01a.wok", b"a walkmesh".to_vec()),
        ])?,
    };
    let archive = open_bytes(bytes, &Default::default())?;
    println!("{}: {} entries", archive.version(), archive.len());
    for entry in (0..archive.len()).filter_map(|index| archive.entry(index)) {
        println!("{:>10} bytes at 0x{:X}  {}", entry.size, entry.offset, entry.name);
    }
    Ok(())
}
