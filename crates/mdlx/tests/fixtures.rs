//! Every chunk, track and field of every version, as bytes made by hand and as a value, both ways.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)] // A test that meets the unexpected has to fail.

mod support;

use std::collections::BTreeSet;

use galatea_mdlx::{
    BLOCKS, CHUNKS, FEATURES, Feature, Layout, Limits, Model, Sequence, TRACKS, Tag, Version, inspect,
};
use galatea_wire::{Coverage, Kind};

fn read(bytes: &[u8]) -> Model {
    Model::read(bytes, &Limits::default()).unwrap()
}

#[test]
fn the_bytes_of_every_version_are_the_value() {
    for version in Version::KNOWN {
        let model = read(&support::bytes(version));
        let mut want = support::value(version);
        // Equal bit by bit: one of the floats is a NaN with a payload.
        assert_eq!(want.differences(&model), [""; 0], "{version}");
        want.layout = model.layout.clone();
        assert_eq!(format!("{want:?}"), format!("{model:?}"), "{version}");
    }
}

#[test]
fn the_value_of_every_version_is_the_bytes() {
    for version in Version::KNOWN {
        let written = support::value(version).write().unwrap();
        let want = support::bytes(version);
        let at = written.iter().zip(&want).position(|(a, b)| a != b);
        assert!(written == want, "{version}: differs at {at:?}, {} and {}", written.len(), want.len());
    }
}

fn traced(version: Version) -> (Vec<u8>, Coverage) {
    let bytes = support::bytes(version);
    let (coverage, error) = inspect(&bytes, &Limits::default());
    assert_eq!(error, None);
    assert!(coverage.gaps(bytes.len()).is_empty() && coverage.overlaps(1).is_empty());
    (bytes, coverage)
}

/// The tags in the file, each with the chunk it stands in; found as values named `tag`.
fn tags(bytes: &[u8], coverage: &Coverage) -> BTreeSet<(String, Tag)> {
    let mut out = BTreeSet::new();
    for (id, claim) in coverage.claims().iter().enumerate() {
        if claim.name != "tag"
            && !claim.name.ends_with("_tag")
            && claim.schema.map(|s| s.name) != Some("BufferHead")
        {
            continue;
        }
        let path = coverage.path(id as u32, bytes);
        let chunk = path.split(' ').next().unwrap().to_owned();
        let tag = |at: u32| Tag(bytes[at as usize..][..4].try_into().unwrap());
        if claim.name == "tag" {
            out.insert((chunk, tag(claim.start)));
        } else {
            out.extend([32, 40, 48].map(|at| (chunk.clone(), tag(claim.start + at))));
        }
    }
    out
}

#[test]
fn fixtures_have_every_tag_of_every_version() {
    for version in Version::KNOWN {
        let (bytes, coverage) = traced(version);
        let tags = tags(&bytes, &coverage);
        for chunk in CHUNKS {
            let there = tags.contains(&(chunk.name.to_owned(), chunk.tag));
            assert_eq!(there, chunk.versions.contains(&version.0), "{} in {version}", chunk.tag);
        }
        for block in BLOCKS {
            let there = tags.contains(&(block.chunk.to_string(), block.tag));
            assert_eq!(there, block.versions.contains(&version.0), "{} in {version}", block.tag);
        }
        let scopes: BTreeSet<(Tag, &str)> = coverage
            .claims()
            .iter()
            .filter(|c| c.is_scope() && c.name.starts_with('K'))
            .map(|c| {
                let mut at = c.parent;
                let parent = loop {
                    let parent = coverage.claims()[at as usize];
                    if parent.index != galatea_wire::Claim::NO_INDEX {
                        break parent;
                    }
                    at = parent.parent;
                };
                (Tag(c.name.as_bytes().try_into().unwrap()), parent.name)
            })
            .collect();
        for track in TRACKS {
            use galatea_mdlx::Owner::*;
            let lists: &[&str] = match track.owner {
                Node => &[
                    "bones",
                    "lights",
                    "helpers",
                    "attachments",
                    "particle_emitters",
                    "particle_emitters2",
                    "ribbon_emitters",
                    "events",
                    "collision_shapes",
                ],
                Layer => &["layers"],
                LayerTexture => &["slots"],
                TextureAnim => &["texture_anims"],
                GeosetAnim => &["geoset_anims"],
                Light => &["lights"],
                Attachment => &["attachments"],
                ParticleEmitter => &["particle_emitters"],
                ParticleEmitter2 => &["particle_emitters2"],
                PopcornEmitter => &["popcorn_emitters"],
                RibbonEmitter => &["ribbon_emitters"],
                Camera => &["cameras"],
                Event => &["events"],
                SoundEmitter => &["sound_emitters"],
                owner => panic!("{owner:?} is missing here"),
            };
            // The same tag of the same owner may have two rows with versions between them.
            let has = TRACKS
                .iter()
                .any(|t| (t.tag, t.owner) == (track.tag, track.owner) && t.versions.contains(&version.0));
            for list in lists {
                assert_eq!(scopes.contains(&(track.tag, *list)), has, "{} of {list} in {version}", track.tag);
            }
        }
    }
}

#[test]
fn fixtures_have_every_gated_field() {
    for version in Version::KNOWN {
        let (_, coverage) = traced(version);
        let has = |name: &str| coverage.claims().iter().any(|c| c.name == name);
        for (feature, versions) in FEATURES {
            let fields: &[&str] = match feature {
                Feature::Warcraft => &["rarity", "sync_point"],
                Feature::MaterialShader => &["shader"],
                Feature::EmissiveGain => &["emissive_gain"],
                Feature::Fresnel => &["fresnel_color", "fresnel_opacity", "fresnel_team_color"],
                Feature::TextureSlots => &["shader_type", "slot"],
                Feature::LevelOfDetail => &["lod", "lod_name"],
                Feature::SkinWeights => &["tangents", "skin"],
                Feature::ShadowIntensity => &["shadow_intensity"],
                Feature::Wow => &["frequency", "replay", "aux", "z_source", "spline", "padding"],
                Feature::VertexBuffers => &["heads", "indices"],
                feature => panic!("{feature:?} is missing here"),
            };
            for field in fields {
                assert_eq!(has(field), versions.contains(&version.0), "{field} in {version}");
            }
        }
    }
}

/// A field of zeros would not show that it was read from, or written to, the wrong place.
#[test]
fn no_field_of_a_fixture_is_zero() {
    let zero_has_a_meaning = ["interpolation", "kind", "aux", "vertex_groups", "size"];
    for version in Version::KNOWN {
        let (bytes, coverage) = traced(version);
        for (id, claim) in coverage.claims().iter().enumerate() {
            let path = coverage.path(id as u32, &bytes);
            let second_layer = path.contains("layers[1]");
            if zero_has_a_meaning.contains(&claim.name) || second_layer || claim.is_scope() {
                continue;
            }
            let value = &bytes[claim.start as usize..claim.end as usize];
            assert!(value.iter().any(|b| *b != 0), "{path} in {version}");
            if let Some(Kind::Struct(fields)) = claim.schema.map(|s| s.kind) {
                let size = claim.schema.unwrap().size;
                for item in value.chunks(size) {
                    for field in fields {
                        let part = &item[field.offset..field.offset + field.schema.size];
                        assert!(part.iter().any(|b| *b != 0), "{path}.{} in {version}", field.name);
                    }
                }
            }
        }
    }
}

#[test]
fn chunks_keep_their_order_and_their_emptiness() {
    for version in Version::KNOWN {
        let bytes = support::bytes(version);
        // The chunks backwards, with VERS last, and an empty one of each known kind before.
        let mut chunks: Vec<Vec<u8>> = Vec::new();
        let mut at = 4;
        while at < bytes.len() {
            let size = u32::from_le_bytes(bytes[at + 4..at + 8].try_into().unwrap()) as usize;
            chunks.push(bytes[at..at + 8 + size].to_vec());
            at += 8 + size;
        }
        if !version.is_wow() {
            for tag in [b"PREM", b"GEOA", b"SEQS", b"CLID", b"PIVT", b"EVTS", b"MTLS"] {
                chunks.push([tag.as_slice(), &[0; 4]].concat());
            }
        }
        chunks.reverse();
        let turned = [b"MDLX".to_vec(), chunks.concat()].concat();
        let mut model = read(&turned);
        assert_eq!(model.write().unwrap(), turned, "{version}");
        assert_eq!(model.differences(&support::value(version)), [""; 0], "{version}");
        model.layout = Layout::default();
        assert_eq!(model.write().unwrap().len(), bytes.len(), "{version}");
    }
}

#[test]
fn lists_in_several_chunks_stay_so() {
    let bytes = support::bytes(Version(800));
    let bone = bytes.windows(4).position(|w| w == b"BONE").unwrap();
    let size = u32::from_le_bytes(bytes[bone + 4..bone + 8].try_into().unwrap()) as usize + 8;
    let twice = [&bytes[..], &bytes[bone..bone + size]].concat();
    let mut model = read(&twice);
    assert_eq!(model.bones.len(), 2);
    assert_eq!(model.write().unwrap(), twice);
    // A list that grew goes into its first chunk.
    model.bones.push(model.bones[0].clone());
    let back = read(&model.write().unwrap());
    assert_eq!(back.bones.len(), 3);
    assert_eq!(back.layout.chunks.iter().filter(|c| c.tag == Tag(*b"BONE")).count(), 1);
    model.bones.clear();
    assert!(!read(&model.write().unwrap()).layout.chunks.iter().any(|c| c.tag == Tag(*b"BONE")));
}

#[test]
fn a_second_model_chunk_is_kept_as_it_is() {
    let bytes = support::bytes(Version(1100));
    let modl = bytes.windows(4).position(|w| w == b"MODL").unwrap();
    let twice = [&bytes[..], &bytes[modl..modl + 8 + 372]].concat();
    let model = read(&twice);
    assert_eq!(model.unknown.last().unwrap().tag, Tag(*b"MODL"));
    assert_eq!(model.write().unwrap(), twice);
}

#[test]
fn a_new_chunk_gets_its_usual_place() {
    let mut model = Model::new(Version(800));
    model.pivots.push([1.0; 3]);
    let mut model = read(&model.write().unwrap());
    model.sequences.push(Sequence::default());
    model.cameras.push(Default::default());
    let back = read(&model.write().unwrap());
    let tags: Vec<String> = back.layout.chunks.iter().map(|c| c.tag.to_string()).collect();
    assert_eq!(tags, ["VERS", "MODL", "SEQS", "PIVT", "CAMS"]);
}

#[test]
fn files_without_a_model_chunk_get_none() {
    let bytes = b"MDLXVERS\x04\0\0\0\x20\x03\0\0".to_vec();
    assert_eq!(read(&bytes).write().unwrap(), bytes);
}

#[test]
fn what_a_newer_version_adds_is_kept() {
    let mut bytes = support::bytes(Version(1200));
    let version = bytes.windows(4).position(|w| w == b"VERS").unwrap() + 8;
    bytes[version..version + 4].copy_from_slice(&1234u32.to_le_bytes());
    assert_eq!(read(&bytes).write().unwrap(), bytes);
    // Eight bytes more between the fields of the light and its tracks, and four after the last camera track.
    let light = bytes.windows(4).position(|w| w == b"LITE").unwrap();
    let last = [3.0f32.to_le_bytes(), 0.6f32.to_le_bytes()].concat();
    let shadow = light + bytes[light..].windows(8).position(|w| w == last).unwrap() + 8;
    let grow = |bytes: &mut Vec<u8>, at: usize, by: u32| {
        let size = u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) + by;
        bytes[at..at + 4].copy_from_slice(&size.to_le_bytes());
    };
    bytes.splice(shadow..shadow, *b"\x01\x02\x03\x04\x05\x06\x07\x08");
    grow(&mut bytes, light + 4, 8);
    grow(&mut bytes, light + 8, 8);
    let camera = bytes.windows(4).position(|w| w == b"CAMS").unwrap();
    let size = u32::from_le_bytes(bytes[camera + 4..camera + 8].try_into().unwrap()) as usize;
    bytes.splice(camera + 8 + size..camera + 8 + size, *b"NEW!");
    grow(&mut bytes, camera + 4, 4);
    grow(&mut bytes, camera + 8, 4);
    let model = read(&bytes);
    assert_eq!(model.lights[0].shadow_intensity, 0.6);
    assert_eq!(model.lights[0].tracks.list.len(), 7);
    assert_eq!(model.lights[0].tracks.extra.as_ref().unwrap().before, [1, 2, 3, 4, 5, 6, 7, 8]);
    assert_eq!(model.cameras[0].tracks.extra.as_ref().unwrap().after, b"NEW!");
    assert_eq!(model.write().unwrap(), bytes);
    // In a version whose layout is known the same bytes are an error.
    bytes[version..version + 4].copy_from_slice(&1200u32.to_le_bytes());
    let error = Model::read(&bytes, &Limits::default()).unwrap_err();
    assert!(error.to_string().contains("LITE > lights[0] \"Light\": expected a track of Light"), "{error}");
}

#[test]
fn a_sound_emitter_that_is_otherwise_is_kept_as_it_is() {
    let mut bytes = Model::new(Version(1000)).write().unwrap();
    bytes.extend(b"SNEM\x05\0\0\0hello");
    let model = read(&bytes);
    assert_eq!((&*model.unknown[0].bytes, model.sound_emitters.len()), (&b"hello"[..], 0));
    assert_eq!(model.write().unwrap(), bytes);
    let (coverage, error) = inspect(&bytes, &Limits::default());
    assert!(error.is_none() && coverage.overlaps(1).is_empty());
}

#[test]
fn sounds_that_are_otherwise_are_kept_as_they_are() {
    let mut bytes = Model::new(Version(1000)).write().unwrap();
    // Two whole records, and part of a third.
    bytes.extend([&b"SNDS\x6C\x02\0\0"[..], &[7; 620]].concat());
    let model = read(&bytes);
    assert_eq!((model.unknown[0].bytes.len(), model.sounds.len()), (620, 0));
    assert_eq!(model.write().unwrap(), bytes);
}

#[test]
fn other_versions_are_refused_by_name() {
    for version in [0, 1, 799, 801, 1301, 1501, 5000] {
        let mut bytes = support::bytes(Version(800));
        bytes[12..16].copy_from_slice(&u32::to_le_bytes(version));
        let error = Model::read(&bytes, &Limits::default()).map(|m| m.version).unwrap_err();
        assert_eq!(error.to_string(), format!("0xC VERS: unsupported: version {version}"));
    }
    assert!(Model::new(Version(801)).write().is_err());
}

#[test]
fn a_file_of_one_version_is_not_read_as_another() {
    for version in Version::KNOWN {
        for other in Version::KNOWN {
            let mut bytes = support::bytes(version);
            bytes[12..16].copy_from_slice(&other.0.to_le_bytes());
            let same = version == other
                || [version.0, other.0] == [1300, 1400]
                || [version.0, other.0] == [1400, 1300];
            let result = Model::read(&bytes, &Limits::default()).map(|m| m.version);
            assert_eq!(result.is_ok(), same, "{version} as {other}: {:?}", result.err());
        }
    }
}

#[test]
fn what_a_version_has_no_place_for_is_not_written() {
    let mut model = support::value(Version(1000));
    model.version = Version(800);
    let error = model.write().unwrap_err();
    assert_eq!(error.to_string(), "materials[0] > layers[0] > KMTE: Layer has no such track in version 800");
}
