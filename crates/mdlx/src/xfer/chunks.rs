//! The contents of each chunk.

use galatea_wire::{ErrorKind, Part, ReadXfer, Result, WriteXfer};

use super::geosets::{read_buffers, write_buffers};
use crate::{Feature, Model, Tag};

pub(crate) const MAGIC: [u8; 4] = *b"MDLX";

impl Model {
    /// Returns the number of items that the document has for this chunk.
    pub(crate) fn items(&self, tag: Tag) -> usize {
        let wow = self.version.is_wow();
        match &tag.0 {
            b"VERS" => 1,
            b"MODL" => 1,
            b"SEQS" => self.sequences.len(),
            b"GLBS" => self.global_sequences.len(),
            b"MTLS" => self.materials.len(),
            b"TEXS" => self.textures.len(),
            b"TXAN" => self.texture_anims.len(),
            b"GEOS" => self.geosets.len(),
            b"GEOA" => self.geoset_anims.len(),
            b"BONE" => self.bones.len(),
            b"LITE" => self.lights.len(),
            b"HELP" => self.helpers.len(),
            b"ATCH" => self.attachments.len(),
            b"PIVT" => self.pivots.len(),
            b"PREM" => self.particle_emitters.len(),
            b"PRE2" => self.particle_emitters2.len(),
            b"RIBB" => self.ribbon_emitters.len(),
            b"CAMS" => self.cameras.len(),
            b"EVTS" => self.events.len(),
            b"HTST" => self.collision_shapes.len(),
            b"CLID" if wow => usize::from(self.collision_mesh.is_some()),
            b"CLID" => self.collision_shapes.len(),
            b"BPOS" => self.bind_poses.len(),
            b"FAFX" => self.face_effects.len(),
            b"CORN" => self.popcorn_emitters.len(),
            b"SNDS" => self.sounds.len(),
            b"SNEM" => self.sound_emitters.len(),
            _ => 0,
        }
    }
}

/// The bodies of all chunks, for one direction.
macro_rules! body {
    ($name:ident, $x:ty, $buffers:ident, ($($this:tt)+), ($($vec:tt)+)) => {
        impl Model {
            pub(crate) fn $name(
                $($this)+ self,
                x: &mut $x,
                tag: Tag,
                part: &mut Part,
                aux: &mut u32,
            ) -> Result<()> {
                let v = self.version;
                let Model {
                    version, info, sequences, global_sequences, materials, textures, texture_anims, geosets,
                    geoset_anims, bones, lights, helpers, attachments, pivots, particle_emitters, particle_emitters2,
                    ribbon_emitters, cameras, events, collision_shapes, collision_mesh, bind_poses, face_effects,
                    popcorn_emitters, sounds, sound_emitters, unknown: _, layout: _,
                } = self;
                let announced = !matches!(
                    &tag.0,
                    b"VERS" | b"MODL" | b"GLBS" | b"TEXS" | b"PIVT" | b"CLID"
                );
                let buffers = tag.0 == *b"GEOS" && v.has(Feature::VertexBuffers);
                if v.is_wow() && announced && !buffers {
                    x.announce(part)?;
                    if matches!(&tag.0, b"MTLS" | b"ATCH") {
                        x.val("aux", aux)?;
                    }
                }
                match &tag.0 {
                    b"VERS" => x.val("version", $($vec)+ version.0),
                    b"MODL" => x.record(info, v),
                    b"SEQS" => x.list("sequences", sequences, part, v),
                    b"GLBS" => x.fill("global_sequences", global_sequences, part),
                    b"MTLS" => x.list("materials", materials, part, v),
                    b"TEXS" => x.list("textures", textures, part, v),
                    b"TXAN" => x.list("texture_anims", texture_anims, part, v),
                    b"GEOS" if buffers => $buffers(x, geosets, part),
                    b"GEOS" => x.list("geosets", geosets, part, v),
                    b"GEOA" => x.list("geoset_anims", geoset_anims, part, v),
                    b"BONE" => x.list("bones", bones, part, v),
                    b"LITE" => x.list("lights", lights, part, v),
                    b"HELP" => x.list("helpers", helpers, part, v),
                    b"ATCH" => x.list("attachments", attachments, part, v),
                    b"PIVT" => x.fill("pivots", pivots, part),
                    b"PREM" => x.list("particle_emitters", particle_emitters, part, v),
                    b"PRE2" => x.list("particle_emitters2", particle_emitters2, part, v),
                    b"RIBB" => x.list("ribbon_emitters", ribbon_emitters, part, v),
                    b"CAMS" => x.list("cameras", cameras, part, v),
                    b"EVTS" => x.list("events", events, part, v),
                    b"CLID" if v.is_wow() => x.boxed(collision_mesh, v),
                    b"HTST" | b"CLID" => x.list("collision_shapes", collision_shapes, part, v),
                    b"BPOS" => x.counted("bind_poses", bind_poses),
                    b"FAFX" => x.list("face_effects", face_effects, part, v),
                    b"CORN" => x.list("popcorn_emitters", popcorn_emitters, part, v),
                    b"SNDS" => x.list("sounds", sounds, part, v),
                    b"SNEM" => x.list("sound_emitters", sound_emitters, part, v),
                    _ => Err(x.error(ErrorKind::Unsupported(format!("chunk {tag}").into()))),
                }
            }
        }
    };
}
body!(read_body, ReadXfer<'_>, read_buffers, (&mut), (&mut));
body!(write_body, WriteXfer, write_buffers, (&), (&));
