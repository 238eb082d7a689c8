//! A model with every chunk, every track and every field that a version has, twice: as a value, and as bytes put together
//! by hand from the format's description, not by the code under test.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)] // A test that meets the unexpected has to fail.
#![allow(dead_code, unused_imports)] // Each test binary uses its own share.

mod bytes;
mod value;

pub(crate) use bytes::bytes;
pub(crate) use value::value;

use galatea_mdlx::{
    Curve, Interpolation, Keys, Owner, Tangents, Track, Tracks, ValueKind, Version, tracks_of,
};

/// Every track an owner can have, each with another interpolation. Rotations of World of Warcraft are ones that fit its bits.
pub(crate) fn tracks(owner: Owner, version: Version, seed: f32) -> Tracks {
    let all = [Interpolation::None, Interpolation::Linear, Interpolation::Hermite, Interpolation::Bezier];
    let make = |(i, info): (usize, &galatea_mdlx::TrackInfo)| {
        let simple = version.is_wow() && info.value == ValueKind::Integer;
        let interpolation = if simple { Interpolation::None } else { all[(i + seed as usize) % 4] };
        let n = seed + i as f32;
        let keys = match info.value {
            ValueKind::Float => Keys::Float(curve(interpolation, |k| n + k)),
            ValueKind::Vector => Keys::Vector(curve(interpolation, |k| [n + k, n + k + 0.25, -n - k])),
            ValueKind::Integer => Keys::Integer(curve(interpolation, |k| 1 + (n * 4.0 + k) as u32)),
            ValueKind::Rotation => Keys::Rotation(curve(interpolation, |k| rotation(version, k))),
            ValueKind::Event => return None,
        };
        let global_sequence = if i % 2 == 0 { 1 } else { -1 };
        Some(Track { tag: info.tag, interpolation, global_sequence, keys })
    };
    tracks_of(owner, version).enumerate().filter_map(make).collect::<Vec<_>>().into()
}

fn curve<T: Copy>(interpolation: Interpolation, value: impl Fn(f32) -> T) -> Curve<T> {
    let mut curve = Curve::new([(100, value(0.5)), (250, value(1.5))]);
    if interpolation.has_tangents() {
        curve.tangents =
            [2.5, 3.5].map(|k| Tangents { incoming: value(k), outgoing: value(k + 2.0) }).to_vec();
    }
    curve
}

fn rotation(version: Version, k: f32) -> [f32; 4] {
    let (x, y, z) = (k / 16.0, 0.25, -k / 32.0);
    let w = (1.0 - (x * x + y * y + z * z) as f64).sqrt() as f32;
    if version.is_wow() { galatea_mdlx::PackedQuaternion::pack([x, y, z, w]).unpack() } else { [x, y, z, -w] }
}
