//! Tracks.

use galatea_wire::{Error, ErrorKind, ReadXfer, Record, Result, Wire, WriteXfer};

use crate::{
    Curve, EventTrack, Extra, Interpolation, Key, Keys, Owner, PackedQuaternion, Tag, TangentKey, Tangents,
    Track, TrackInfo, Tracks, ValueKind, Version, track_info, tracks_of,
};

/// Returns `true` if the track has neither interpolation nor tangents: integers in World of Warcraft.
fn is_simple(info: &TrackInfo, version: Version) -> bool {
    version.is_wow() && info.value == ValueKind::Integer
}

impl Record for Tracks {
    type Context = (Owner, Version);

    fn read(&mut self, x: &mut ReadXfer<'_>, (owner, version): Self::Context) -> Result<()> {
        if version.is_future() {
            let skip = fields_of_a_newer_version(x.peek(), owner, version);
            if skip > 0 {
                x.array("fields_of_a_newer_version", &mut self.extra.get_or_insert_default().before, skip)?;
            }
        }
        while let Some(tag) = x.peek_tag() {
            match track_info(Tag(tag), owner, version) {
                Some(info) => {
                    let track = x.scope(info.name, None, |x| read_track(x, info, version))?;
                    x.push(&mut self.list, track)?;
                }
                None if version.is_future() => {
                    return x.rest("bytes_of_a_newer_version", &mut self.extra.get_or_insert_default().after);
                }
                None => {
                    let found = format!("\"{}\"", galatea_wire::escape_bytes(&tag));
                    return Err(x.mismatch(format!("a track of {owner:?} in version {version}"), found));
                }
            }
        }
        Ok(())
    }

    fn write(&self, x: &mut WriteXfer, (owner, version): Self::Context) -> Result<()> {
        let Tracks { list, extra } = self;
        let extra = extra.as_deref().filter(|_| version.is_future());
        if let Some(Extra { before, .. }) = extra {
            x.rest("fields_of_a_newer_version", before)?;
        }
        for track in list {
            write_track(x, track, owner, version).map_err(|e| e.within(track.tag.to_string()))?;
        }
        if let Some(Extra { after, .. }) = extra {
            x.rest("bytes_of_a_newer_version", after)?;
        }
        Ok(())
    }
}

/// Reads tracks until something else follows.
pub(super) fn read_leading(
    x: &mut ReadXfer<'_>,
    tracks: &mut Tracks,
    owner: Owner,
    version: Version,
) -> Result<()> {
    while let Some(info) = x.peek_tag().and_then(|tag| track_info(Tag(tag), owner, version)) {
        let track = x.scope(info.name, None, |x| read_track(x, info, version))?;
        x.push(&mut tracks.list, track)?;
    }
    Ok(())
}

/// Returns the number of bytes before the first track of this owner, a multiple of four; all bytes if there is none.
fn fields_of_a_newer_version(bytes: &[u8], owner: Owner, version: Version) -> usize {
    let is_track = |word: &[u8]| tracks_of(owner, version).any(|t| t.tag.0 == word);
    bytes.chunks_exact(4).position(is_track).map_or(bytes.len(), |words| words * 4)
}

fn read_track(x: &mut ReadXfer<'_>, info: &TrackInfo, version: Version) -> Result<Track> {
    x.tag(info.tag.0)?;
    let (mut count, mut global_sequence) = (0u32, 0i32);
    x.val("count", &mut count)?;
    let mut interpolation = Interpolation::None;
    if !is_simple(info, version) {
        let raw = x.peek().first_chunk().map_or(0, |b| u32::from_le_bytes(*b));
        interpolation = Interpolation::from_raw(raw)
            .ok_or_else(|| x.mismatch("an interpolation from 0 to 3", raw.to_string()))?;
        x.val("interpolation", &mut 0u32)?;
    }
    x.val("global_sequence", &mut global_sequence)?;
    let (count, tangents) = (count as usize, interpolation.has_tangents());
    let keys = match info.value {
        ValueKind::Float => Keys::Float(read_curve(x, count, tangents)?),
        ValueKind::Vector => Keys::Vector(read_curve(x, count, tangents)?),
        ValueKind::Integer => Keys::Integer(read_curve(x, count, tangents)?),
        ValueKind::Rotation if version.is_wow() => Keys::Rotation(read_packed(x, count, tangents)?),
        ValueKind::Rotation => Keys::Rotation(read_curve(x, count, tangents)?),
        ValueKind::Event => return Err(x.mismatch("a track with values", "events")),
    };
    Ok(Track { tag: info.tag, interpolation, global_sequence, keys })
}

fn read_curve<T: Wire>(x: &mut ReadXfer<'_>, count: usize, tangents: bool) -> Result<Curve<T>> {
    let mut curve = Curve::default();
    if !tangents {
        x.array("keys", &mut curve.keys, count)?;
        return Ok(curve);
    }
    read_mapped(x, count, &mut curve, |v: T| v)?;
    Ok(curve)
}

/// Reads keys with tangents, or keys whose values have another type in the document.
fn read_mapped<D: Wire, T>(
    x: &mut ReadXfer<'_>,
    count: usize,
    curve: &mut Curve<T>,
    map: impl Fn(D) -> T,
) -> Result<()> {
    let Curve { keys, tangents } = curve;
    let size = size_of::<Key<T>>() + size_of::<Tangents<T>>();
    // Memory is reserved only after the bytes were found to exist.
    let room = std::cell::RefCell::new((keys, tangents));
    x.decode(
        "keys",
        count,
        size,
        |n| {
            let (keys, tangents) = &mut *room.borrow_mut();
            keys.reserve_exact(n);
            tangents.reserve_exact(n);
        },
        |k: TangentKey<D>| {
            let (keys, tangents) = &mut *room.borrow_mut();
            keys.push(Key { time: k.key.time, value: map(k.key.value) });
            tangents
                .push(Tangents { incoming: map(k.tangents.incoming), outgoing: map(k.tangents.outgoing) });
        },
    )
}

fn read_packed(x: &mut ReadXfer<'_>, count: usize, tangents: bool) -> Result<Curve<[f32; 4]>> {
    let mut curve = Curve::default();
    if tangents {
        read_mapped(x, count, &mut curve, PackedQuaternion::unpack)?;
        return Ok(curve);
    }
    let mut packed: Vec<Key<PackedQuaternion>> = Vec::new();
    x.array("keys", &mut packed, count)?;
    curve.keys = packed.iter().map(|k| Key { time: k.time, value: k.value.unpack() }).collect();
    Ok(curve)
}

fn write_track(x: &mut WriteXfer, track: &Track, owner: Owner, version: Version) -> Result<()> {
    let Track { tag, interpolation, global_sequence, keys } = track;
    let Some(info) = track_info(*tag, owner, version) else {
        return Err(Error::unrepresentable(format!("{owner:?} has no such track in version {version}")));
    };
    if keys.kind() != info.value {
        let what = format!("its keys hold {:?} where the format has {:?}", keys.kind(), info.value);
        return Err(Error::unrepresentable(what));
    }
    x.tag(tag.0)?;
    let count = x.count(keys.len())?;
    x.val("count", &count)?;
    if !is_simple(info, version) {
        x.val("interpolation", &(*interpolation as u32))?;
    } else if *interpolation != Interpolation::None {
        return Err(Error::unrepresentable(format!("version {version} does not interpolate this track")));
    }
    x.val("global_sequence", global_sequence)?;
    let tangents = interpolation.has_tangents();
    match keys {
        Keys::Float(curve) => write_curve(x, curve, tangents, |v| v),
        Keys::Vector(curve) => write_curve(x, curve, tangents, |v| v),
        Keys::Integer(curve) => write_curve(x, curve, tangents, |v| v),
        Keys::Rotation(curve) if version.is_wow() => write_curve(x, curve, tangents, PackedQuaternion::pack),
        Keys::Rotation(curve) => write_curve(x, curve, tangents, |v| v),
    }
}

fn write_curve<T: Copy, D: Wire>(
    x: &mut WriteXfer,
    curve: &Curve<T>,
    with_tangents: bool,
    map: impl Fn(T) -> D,
) -> Result<()> {
    let Curve { keys, tangents } = curve;
    let want = if with_tangents { keys.len() } else { 0 };
    if tangents.len() != want {
        return Err(Error::unrepresentable(format!("{} keys with {} tangents", keys.len(), tangents.len())));
    }
    if with_tangents {
        x.encode(keys.iter().zip(tangents).map(|(k, t)| TangentKey {
            key: Key { time: k.time, value: map(k.value) },
            tangents: Tangents { incoming: map(t.incoming), outgoing: map(t.outgoing) },
        }));
    } else {
        x.encode(keys.iter().map(|k| Key { time: k.time, value: map(k.value) }));
    }
    Ok(())
}

galatea_wire::xfer! {
    impl Record for EventTrack {
        fn xfer(self, x, tag: &'static str) {
            let EventTrack { global_sequence, times } = self;
            let Some(bytes) = tag.as_bytes().first_chunk::<4>() else {
                return Err(x.error(ErrorKind::Unsupported("an event track without tag".into())));
            };
            x.scope(tag, None, |x| {
                x.tag(*bytes)?;
                let count = x.derived("count", u32::try_from(times.len()).unwrap_or(u32::MAX))?;
                x.val("global_sequence", global_sequence)?;
                x.array("times", times, count as usize)
            })
        }
    }
}
