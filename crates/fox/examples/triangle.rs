//! Builds a model of one triangle, writes it and reads it back, and hashes a bone name.

use galatea_fox::{Fmdl, Mesh, Usage, Values, str_code64};
use galatea_wire::{Limits, Result};

fn main() -> Result<()> {
    let mut mesh = Mesh::default();
    mesh.vertices.push(Usage::Position, Values::F32x3(vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]));
    mesh.set_faces(&[[0, 2, 1]]);
    let mut model = Fmdl::new(2.04);
    model.meshes.push(mesh);

    let bytes = model.write()?;
    let back = Fmdl::read(&bytes, &Limits::default())?;
    assert_eq!(back.write()?, bytes);
    println!("FMDL {}: {} bytes", back.summary().version, bytes.len());
    for finding in back.check().findings() {
        println!("{finding}");
    }
    println!("SKL_000_WAIST is {:#x}", str_code64(b"SKL_000_WAIST"));
    Ok(())
}
