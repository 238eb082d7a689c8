//! The bytes, put together by hand.

use galatea_mdlx::{Interpolation, Keys, Owner, PackedQuaternion, Track, Version};

use super::tracks;

/// Bytes in the making.
#[derive(Default)]
struct B(Vec<u8>);

impl B {
    fn u(&mut self, values: &[u32]) -> &mut B {
        values.iter().for_each(|v| self.0.extend(v.to_le_bytes()));
        self
    }

    fn i(&mut self, value: i32) -> &mut B {
        self.0.extend(value.to_le_bytes());
        self
    }

    fn h(&mut self, values: &[u16]) -> &mut B {
        values.iter().for_each(|v| self.0.extend(v.to_le_bytes()));
        self
    }

    fn f(&mut self, values: &[f32]) -> &mut B {
        values.iter().for_each(|v| self.0.extend(v.to_le_bytes()));
        self
    }

    fn raw(&mut self, bytes: &[u8]) -> &mut B {
        self.0.extend(bytes);
        self
    }

    fn s(&mut self, len: usize, text: &str) -> &mut B {
        let mut field = vec![0; len];
        field[..text.len()].copy_from_slice(text.as_bytes());
        field[len - 1] = b'!';
        self.raw(&field)
    }

    fn blank(&mut self, len: usize) -> &mut B {
        self.raw(&vec![0; len])
    }

    /// Radius, lowest and highest corner, counting up.
    fn bounds(&mut self, n: f32) -> &mut B {
        self.f(&[n, n + 1.0, n + 2.0, n + 3.0, n + 4.0, n + 5.0, n + 6.0])
    }

    /// An entry whose size counts itself.
    fn sized(&mut self, body: impl FnOnce(&mut B)) -> &mut B {
        let mut inner = B::default();
        body(&mut inner);
        self.u(&[inner.0.len() as u32 + 4]).raw(&inner.0)
    }

    /// A chunk whose size does not.
    fn chunk(&mut self, tag: &[u8; 4], body: impl FnOnce(&mut B)) -> &mut B {
        let mut inner = B::default();
        body(&mut inner);
        self.raw(tag).u(&[inner.0.len() as u32]).raw(&inner.0)
    }

    /// A chunk with the number of its entries, in versions that have it.
    fn counted(&mut self, v: Version, tag: &[u8; 4], count: u32, body: impl FnOnce(&mut B)) -> &mut B {
        self.chunk(tag, |b| {
            if v.0 >= 1300 {
                b.u(&[count]);
            }
            body(b);
        })
    }

    fn tracks(&mut self, owner: Owner, v: Version, seed: f32) -> &mut B {
        for track in &tracks(owner, v, seed) {
            self.track(track, v);
        }
        self
    }

    fn track(&mut self, track: &Track, v: Version) {
        let wow = v.0 >= 1300;
        self.raw(&track.tag.0).u(&[track.keys.len() as u32]);
        let simple = wow && matches!(&track.tag.0, b"KMTF" | b"KRTX");
        if !simple {
            self.u(&[match track.interpolation {
                Interpolation::None => 0,
                Interpolation::Linear => 1,
                Interpolation::Hermite => 2,
                Interpolation::Bezier => 3,
            }]);
        }
        self.i(track.global_sequence);
        macro_rules! keys {
            ($curve:expr, $put:expr) => {
                for (key, tangents) in $curve.iter() {
                    self.i(key.time);
                    $put(self, key.value);
                    if let Some(t) = tangents {
                        $put(self, t.incoming);
                        $put(self, t.outgoing);
                    }
                }
            };
        }
        match &track.keys {
            Keys::Float(c) => keys!(c, |b: &mut B, v: f32| {
                b.f(&[v]);
            }),
            Keys::Vector(c) => keys!(c, |b: &mut B, v: [f32; 3]| {
                b.f(&v);
            }),
            Keys::Integer(c) => keys!(c, |b: &mut B, v: u32| {
                b.u(&[v]);
            }),
            Keys::Rotation(c) if wow => keys!(c, |b: &mut B, v: [f32; 4]| {
                b.raw(&PackedQuaternion::pack(v).0.to_le_bytes());
            }),
            Keys::Rotation(c) => keys!(c, |b: &mut B, v: [f32; 4]| {
                b.f(&v);
            }),
        }
    }

    fn node(&mut self, name: &str, id: u32, flags: u32, v: Version) -> &mut B {
        self.sized(|b| {
            b.s(80, name).u(&[id]).i(if id == 1 { -1 } else { id as i32 - 1 }).u(&[flags]);
            b.tracks(Owner::Node, v, 10.0 + id as f32);
        })
    }
}

fn layer(b: &mut B, v: Version) {
    b.sized(|b| {
        b.u(&[2, 0x31, 1, 3, 5]).f(&[0.75]);
        if (900..1300).contains(&v.0) {
            b.u(&[0x7FC0_1234]);
        }
        if (1000..1300).contains(&v.0) {
            b.f(&[0.1, 0.2, 0.3, 0.4, 0.5]);
        }
        if (1100..1300).contains(&v.0) {
            b.u(&[1, 2]);
            b.u(&[2, 1]).tracks(Owner::LayerTexture, v, 2.0);
            b.u(&[3, 4]);
        }
        b.tracks(Owner::Layer, v, 1.0);
    });
    b.sized(|b| {
        b.u(&[0, 0, 0, u32::MAX, 0]).f(&[1.0]);
        if (900..1300).contains(&v.0) {
            b.f(&[1.0]);
        }
        if (1000..1300).contains(&v.0) {
            b.f(&[1.0, 1.0, 1.0, 0.0, 0.0]);
        }
        if (1100..1300).contains(&v.0) {
            b.u(&[0, 0]);
        }
    });
}

const VERTICES: [f32; 12] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 13.0];
const NORMALS: [f32; 12] = [0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, -1.0];
const UV: [[f32; 8]; 2] =
    [[0.5, 0.5, 1.5, -0.5, 2.5, -1.5, 3.5, -2.5], [1.5, 1.5, 2.5, 0.5, 3.5, -0.5, 4.5, -1.5]];

fn geosets(b: &mut B, v: Version) {
    if v.0 == 1500 {
        b.u(&[1]).f(&[3.0, 4.0, 5.0, 77.0]).u(&[2, 1, 4]);
        b.raw(b"PVTX").u(&[4]).raw(b"PTYP").u(&[1]).raw(b"PVTX").u(&[6]);
        b.raw(&0x0102_0304_0506_0708u64.to_le_bytes());
        for i in 0..4 {
            b.f(&VERTICES[i * 3..i * 3 + 3]).raw(&[100, 100, 50, 5]).raw(&[1, 2, 3, 4 + i as u8]);
            b.f(&NORMALS[i * 3..i * 3 + 3]).f(&UV[0][i * 2..i * 2 + 2]).f(&UV[1][i * 2..i * 2 + 2]);
        }
        b.u(&[3, 9]).h(&[6, 1, 3, 8]).h(&[0, 1, 2, 2, 1, 3]).h(&[0xAAAA, 0xBBBB]);
        return;
    }
    let wow = v.0 >= 1300;
    let reforged = (900..1300).contains(&v.0);
    b.sized(|b| {
        b.raw(b"VRTX").u(&[4]).f(&VERTICES).raw(b"NRMS").u(&[4]).f(&NORMALS);
        if wow {
            b.raw(b"UVAS").u(&[2]).f(&UV[0]).f(&UV[1]).raw(b"PTYP").u(&[2]).raw(&[4, 4]);
        } else {
            b.raw(b"PTYP").u(&[2, 4, 4]);
        }
        b.raw(b"PCNT").u(&[2, 3, 3]).raw(b"PVTX").u(&[6]).h(&[0, 1, 2, 2, 1, 3]);
        b.raw(b"GNDX").u(&[4]).raw(&[0, 1, 1, 0]).raw(b"MTGC").u(&[2, 1, 2]).raw(b"MATS").u(&[3, 1, 1, 2]);
        if wow {
            b.raw(b"BIDX").u(&[2, 0x0403_0201, 0x0807_0605]).raw(b"BWGT").u(&[2, 0x0102_03F9, 0x0403_02F6]);
        }
        b.u(&[1, 2, 4]);
        if reforged {
            b.i(-1).s(80, "high");
        }
        b.bounds(20.0).u(&[2]).bounds(30.0).bounds(40.0);
        if reforged {
            let mut tangents = B::default();
            tangents.raw(b"TANG").u(&[4]);
            (0..4).for_each(|_| {
                tangents.f(&[1.0, 0.5, 0.25, -1.0]);
            });
            let mut skin = B::default();
            skin.raw(b"SKIN").u(&[32]);
            (4..8).for_each(|i| {
                skin.raw(&[1, 2, 3, i, 100, 100, 50, 5]);
            });
            let order = if v.0 == 1000 { [&skin, &tangents] } else { [&tangents, &skin] };
            order.iter().for_each(|part| {
                b.raw(&part.0);
            });
        }
        if !wow {
            b.raw(b"UVAS").u(&[2]);
            UV.iter().for_each(|set| {
                b.raw(b"UVBS").u(&[4]).f(set);
            });
        }
    });
}

fn particles(b: &mut B, v: Version) {
    let wow = v.0 >= 1300;
    b.sized(|b| {
        b.node("Particles", 5, 0x5_1000, v);
        let mut c = B::default();
        if wow {
            c.u(&[2]).f(&[1.5, 2.5, 3.5, 10.5, 4.5, 11.5, 5.5, 6.5, 7.5, 8.5]);
        } else {
            c.f(&[1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5]).u(&[1]);
        }
        c.u(&[2, 4, 2]).f(&[9.5, 0.25]).f(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]).raw(&[10, 20, 30]);
        c.f(&[11.0, 12.0, 13.0]).u(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
        if wow {
            c.u(&[1, 3]).i(-2).u(&[2]).s(260, "a.mdl").s(260, "b.mdl");
            (1..=21).for_each(|i| {
                c.f(&[i as f32]);
            });
            c.u(&[2]).f(&[22.0, 23.0, 24.0, 25.0, 26.0, 27.0]).u(&[1]);
        } else {
            c.u(&[3, 1]).i(-2).u(&[2]);
        }
        c.tracks(Owner::ParticleEmitter2, v, 3.0);
        match v.0 {
            1400 => b.u(&[12345]),
            1300 | 1500 => b.u(&[c.0.len() as u32 + 4]),
            _ => b,
        }
        .raw(&c.0);
    });
}

fn ribbon(b: &mut B, v: Version) {
    b.sized(|b| {
        b.node("Ribbon", 7, 0x4000, v);
        let mut c = B::default();
        c.f(&[1.5, 2.5, 0.5, 0.1, 0.2, 0.3, 3.5]).u(&[4, 5, 6, 7, 8]).f(&[9.5]);
        c.tracks(Owner::RibbonEmitter, v, 9.0);
        match v.0 {
            1400 => b.u(&[54321]),
            1300 | 1500 => b.u(&[c.0.len() as u32 + 4]),
            _ => b,
        }
        .raw(&c.0);
    });
}

fn shapes(b: &mut B, v: Version) {
    let all: [(u32, &[f32]); 6] = [
        (0, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]),
        (3, &[80.0, 81.0]),
        (2, &[7.0, 8.0, 9.0, 10.0]),
        (1, &[1.5, 2.5, 3.5, 4.5, 5.5]),
        (3, &[1.25, 2.25, 3.25, 4.25, 5.25, 6.25, 7.25]),
        (1, &[1.75, 2.75, 3.75, 4.75, 5.75, 6.75]),
    ];
    for (kind, numbers) in all.iter().take(if v.0 >= 1300 { 4 } else { 6 }) {
        if v.0 >= 1300 {
            b.sized(|b| {
                b.node("Shape", 10, 0x2000, v).raw(&[*kind as u8]).f(numbers);
            });
        } else {
            b.node("Shape", 10, 0x2000, v).u(&[*kind]).f(numbers);
        }
    }
}

fn events(b: &mut B, v: Version) {
    for (name, id, track) in [("SNDxABCD", 8, true), ("FPT0", 9, false)] {
        let mut c = B::default();
        c.node(name, id, 0x400, v);
        if track {
            c.raw(b"KEVT").u(&[3]).i(1).i(100).i(300).i(-5);
        }
        if v.0 >= 1300 {
            b.u(&[c.0.len() as u32 + 4]);
        }
        b.raw(&c.0);
    }
}

/// The file that holds [`value`](super::value), in Blizzard's own order of chunks.
pub(crate) fn bytes(v: Version) -> Vec<u8> {
    let wow = v.0 >= 1300;
    let reforged = (900..1300).contains(&v.0);
    let mut b = B::default();
    b.raw(b"MDLX");
    b.chunk(b"VERS", |b| {
        b.u(&[v.0]);
    });
    b.chunk(b"MODL", |b| {
        b.s(80, "Everything").s(260, "none.mdx").bounds(1.0).u(&[150]);
        if wow {
            b.raw(&[5]);
        }
    });
    b.counted(v, b"SEQS", 1, |b| {
        b.s(80, "Stand").u(&[100, 400]).f(&[270.0]).u(&[1]);
        if wow {
            b.bounds(8.0).f(&[0.5]).u(&[2, 3, 155]);
        } else {
            b.f(&[3.0]).u(&[7]).bounds(8.0);
        }
    });
    b.chunk(b"GLBS", |b| {
        b.u(&[1000, 2000]);
    });
    b.counted(v, b"MTLS", 1, |b| {
        if wow {
            b.u(&[0]);
        }
        b.sized(|b| {
            b.i(-3);
            if !wow {
                b.u(&[0x11]);
            }
            if v.0 == 900 || v.0 == 1000 {
                b.s(80, "Shader_HD_DefaultUnit");
            }
            if !wow {
                b.raw(b"LAYS");
            }
            b.u(&[2]);
            layer(b, v);
        });
    });
    b.chunk(b"TEXS", |b| {
        (0..4).for_each(|_| {
            b.u(&[1]).s(260, "Textures\\a.blp").u(&[3]);
        });
    });
    b.counted(v, b"TXAN", 2, |b| {
        b.sized(|b| {
            b.tracks(Owner::TextureAnim, v, 4.0);
        });
        b.u(&[4]);
    });
    b.counted(v, b"GEOS", 1, |b| geosets(b, v));
    b.counted(v, b"GEOA", 1, |b| {
        b.sized(|b| {
            if wow {
                b.u(&[1]).f(&[0.5, 0.1, 0.2, 0.3]).u(&[3]);
            } else {
                b.f(&[0.5]).u(&[3]).f(&[0.1, 0.2, 0.3]).u(&[1]);
            }
            b.tracks(Owner::GeosetAnim, v, 5.0);
        });
    });
    b.counted(v, b"BONE", 1, |b| {
        b.node("Bone", 1, 0x100, v).u(&[5, 6]);
    });
    b.counted(v, b"LITE", 1, |b| {
        b.sized(|b| {
            b.node("Light", 2, 0x200, v).u(&[1]).f(&[80.0, 200.0, 0.5, 0.6, 0.7, 2.0, 0.8, 0.9, 1.0, 3.0]);
            if v.0 == 1200 {
                b.f(&[0.6]);
            }
            b.tracks(Owner::Light, v, 6.0);
        });
    });
    b.counted(v, b"HELP", 1, |b| {
        b.node("Helper", 3, 8, v);
    });
    b.counted(v, b"ATCH", 1, |b| {
        if wow {
            b.u(&[9]);
        }
        b.sized(|b| {
            b.node("Hand Right Ref", 4, 0x800, v);
            if wow {
                b.u(&[9]).raw(&[7]).s(260, "a.mdx");
            } else {
                b.s(260, "a.mdx").u(&[9]);
            }
            b.tracks(Owner::Attachment, v, 7.0);
        });
    });
    b.chunk(b"PIVT", |b| {
        (0..12).for_each(|i| {
            b.f(&[i as f32 + 0.5, 1.0, 2.0]);
        });
    });
    b.counted(v, b"PREM", 1, |b| {
        b.sized(|b| {
            b.node("Emitter", 6, 0x9000, v).f(&[1.5, 2.5, 3.5, 4.5]).s(260, "c.mdl").f(&[5.5, 6.5]);
            b.tracks(Owner::ParticleEmitter, v, 8.0);
        });
    });
    b.counted(v, b"PRE2", 1, |b| particles(b, v));
    b.counted(v, b"RIBB", 1, |b| ribbon(b, v));
    b.counted(v, b"CAMS", 1, |b| {
        b.sized(|b| {
            b.s(80, "Camera01").f(&[1.0, 2.0, 3.0, 0.75, 1000.0, 8.0, 4.0, 5.0, 6.0]);
            b.tracks(Owner::Camera, v, 10.0);
        });
    });
    b.counted(v, b"EVTS", 2, |b| events(b, v));
    if wow {
        b.counted(v, b"HTST", 4, |b| shapes(b, v));
        b.chunk(b"CLID", |b| {
            b.raw(b"VRTX").u(&[3]).f(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.5]);
            b.raw(b"TRI ").u(&[3]).h(&[1, 2, 3]).raw(b"NRMS").u(&[1]).f(&[1.0, 0.5, 0.25]);
        });
    } else {
        b.chunk(b"CLID", |b| shapes(b, v));
    }
    if reforged {
        b.chunk(b"BPOS", |b| {
            b.u(&[2]);
            (0..24).for_each(|i| {
                b.f(&[(i % 12) as f32 + 0.5]);
            });
        });
        b.chunk(b"FAFX", |b| {
            b.s(80, "Bone").s(260, "f.facefx");
        });
        b.chunk(b"CORN", |b| {
            b.sized(|b| {
                b.node("Popcorn", 11, 0x1000, v).f(&[1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5]).u(&[1]);
                b.s(260, "p.pkfx").s(260, "Always=on").tracks(Owner::PopcornEmitter, v, 11.0);
            });
        });
    }
    if !wow {
        b.chunk(b"SNDS", |b| {
            b.s(260, "s.wav").f(&[0.5, 1.5]).u(&[3]);
        });
        b.chunk(b"SNEM", |b| {
            b.node("Sound", 12, 8, v).raw(b"KESK").u(&[1]).i(-1).i(7);
        });
    }
    b.chunk(b"INFO", |b| {
        b.raw(b"made by hand");
    });
    b.chunk(b"MDVI", |b| {
        b.blank(0);
    });
    b.0
}
