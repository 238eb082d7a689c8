//! Prints the table of every tag, its meaning, its versions, and how many of the given files have it:
//! `tags DIR...`. The format's documentation page holds the result.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use galatea_mdlx::{BLOCKS, CHUNKS, Limits, Owner, TRACKS, Tag, Version, inspect};
use galatea_wire::Claim;

/// Returns the tags of one file, each with its chunk, or with the list of a track's owner.
fn tags_of(bytes: &[u8]) -> (u32, BTreeSet<(String, Tag)>) {
    let (coverage, _) = inspect(bytes, &Limits::default());
    let claims = coverage.claims();
    let mut out = BTreeSet::new();
    let number = |c: &Claim| bytes.get(c.start as usize..).and_then(|b| b.first_chunk()).copied();
    let version = claims.iter().find(|c| c.name == "version").and_then(number).map_or(0, u32::from_le_bytes);
    for (id, claim) in claims.iter().enumerate().filter(|(_, c)| c.name == "tag") {
        let Some(tag) = bytes.get(claim.start as usize..).and_then(|b| b.first_chunk()) else { continue };
        let path = coverage.path(id as u32, bytes);
        out.insert((path.split(' ').next().unwrap_or_default().to_owned(), Tag(*tag)));
        out.insert(("any node".to_owned(), Tag(*tag)));
        let mut at = claim.parent;
        while let Some(scope) = claims.get(at as usize) {
            if scope.index != Claim::NO_INDEX {
                out.insert((scope.name.to_owned(), Tag(*tag)));
                break;
            }
            at = scope.parent;
        }
    }
    (version, out)
}

fn list_of(owner: Owner) -> &'static str {
    match owner {
        Owner::Node => "any node",
        Owner::Layer => "layers",
        Owner::LayerTexture => "slots",
        Owner::TextureAnim => "texture_anims",
        Owner::GeosetAnim => "geoset_anims",
        Owner::Light => "lights",
        Owner::Attachment => "attachments",
        Owner::ParticleEmitter => "particle_emitters",
        Owner::ParticleEmitter2 => "particle_emitters2",
        Owner::PopcornEmitter => "popcorn_emitters",
        Owner::RibbonEmitter => "ribbon_emitters",
        Owner::Camera => "cameras",
        Owner::Event => "events",
        Owner::SoundEmitter => "sound_emitters",
        _ => "others",
    }
}

fn versions(range: &RangeInclusive<u32>) -> String {
    let known: Vec<u32> = Version::KNOWN.iter().map(|v| v.0).filter(|v| range.contains(v)).collect();
    match (known.first(), known.last()) {
        (Some(a), Some(b)) if a != b => format!("{a}-{b}"),
        (Some(a), _) => a.to_string(),
        _ => String::new(),
    }
}

fn main() {
    let mut files = 0usize;
    let mut counts: BTreeMap<(String, Tag, u32), usize> = BTreeMap::new();
    let mut todo: Vec<std::path::PathBuf> = std::env::args().skip(1).map(Into::into).collect();
    while let Some(path) = todo.pop() {
        if let Ok(entries) = std::fs::read_dir(&path) {
            todo.extend(entries.flatten().map(|e| e.path()));
        } else if let Ok(bytes) = std::fs::read(&path)
            && galatea_mdlx::detect(&bytes)
        {
            files += 1;
            let (version, tags) = tags_of(&bytes);
            for (place, tag) in tags {
                *counts.entry((place, tag, version)).or_default() += 1;
            }
        }
    }
    let count = |place: &str, tag: Tag, versions: &RangeInclusive<u32>| -> usize {
        let found = counts.iter().filter(|((p, t, v), _)| p == place && *t == tag && versions.contains(v));
        found.map(|(_, n)| n).sum()
    };
    println!("| tag | in | meaning | versions | of {files} files |");
    println!("|---|---|---|---|---:|");
    for c in CHUNKS {
        println!(
            "| `{}` | file | {} | {} | {} |",
            c.name,
            c.meaning,
            versions(&c.versions),
            count(c.name, c.tag, &c.versions)
        );
    }
    for b in BLOCKS {
        let found = count(&b.chunk.to_string(), b.tag, &b.versions);
        println!("| `{}` | `{}` | {} | {} | {found} |", b.name, b.chunk, b.meaning, versions(&b.versions));
    }
    for t in TRACKS {
        let list = list_of(t.owner);
        let found = count(list, t.tag, &t.versions);
        println!("| `{}` | {list} | {} | {} | {found} |", t.name, t.meaning, versions(&t.versions));
    }
    let unknown: BTreeSet<Tag> =
        counts.keys().filter(|(place, ..)| place == "unknown").map(|(_, t, _)| *t).collect();
    for tag in unknown {
        println!(
            "| `{tag}` | file | unknown; kept in its place | | {} |",
            count("unknown", tag, &(0..=u32::MAX))
        );
    }
}
