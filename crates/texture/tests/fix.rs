//! Every fixable rule: one field is damaged, fixed, and the file is the undamaged one again.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests fail loudly")]

mod fixtures;

use std::ops::Range;

use galatea_robustness::{DamagePlan, FixTrial, difference, listed};
use galatea_texture::dds::{Dds, Dx10};
use galatea_texture::encode::{BlpFormat, DdsFormat, TpcFormat};
use galatea_texture::ftex::Storage;
use galatea_texture::tpc::Tpc;
use galatea_texture::{RULES, Texture};
use galatea_wire::Limits;

/// Reads a texture. A TPC has no signature: with a wrong header it is known by its name only.
fn open(bytes: &[u8]) -> Option<Texture> {
    let found = Texture::read(bytes, &Limits::default());
    found.or_else(|_| Tpc::read(bytes, &Limits::default()).map(Texture::Tpc)).ok()
}

fn tpc() -> Vec<u8> {
    fixtures::tpc(TpcFormat::Bc3, b"mipmap 1\r\n").unwrap().write().unwrap()
}

fn palette() -> Vec<u8> {
    fixtures::blp(BlpFormat::Palette, true).unwrap().write().unwrap()
}

fn jpeg() -> Vec<u8> {
    fixtures::blp(BlpFormat::Jpeg(90), true).unwrap().write().unwrap()
}

fn dds() -> Vec<u8> {
    fixtures::dds(DdsFormat::Bc3).unwrap().write().unwrap()
}

/// With the header that arrays of layers have.
fn dx10() -> Vec<u8> {
    let mut dds: Dds = fixtures::dds(DdsFormat::Bc3).unwrap();
    dds.head.four_cc = *b"DX10";
    dds.dx10 = Some(Dx10 { format: 77, dimension: 3, misc: 0, layers: 1, alpha_mode: 0 });
    dds.write().unwrap()
}

fn ftex() -> Vec<u8> {
    fixtures::ftex(Storage::OneFile).unwrap().write().unwrap()
}

fn put(bytes: &mut [u8], at: usize, value: &[u8]) {
    bytes[at..at + value.len()].copy_from_slice(value);
}

/// A rule, a sound texture, the damage of one field of it, and the bytes whose value cannot be known.
type Case = (&'static str, fn() -> Vec<u8>, fn(&mut Vec<u8>), Range<usize>);

const CASES: &[Case] = &[
    ("TEXR0005", tpc, |b| put(b, 0, &[77]), 0..0),
    ("TEXR0006", tpc, |b| put(b, 4, &f32::NAN.to_le_bytes()), 4..8),
    ("TEXR0006", tpc, |b| put(b, 4, &7f32.to_le_bytes()), 4..8),
    ("TEXR0007", tpc, |b| b[60] = 1, 0..0),
    ("TEXR0017", palette, |b| put(b, 24, &[0xCD, 0xCD]), 0..0),
    ("TEXR0018", palette, |b| put(b, 8, &[5]), 0..0),
    ("TEXR0018", jpeg, |b| put(b, 8, &[5]), 0..0),
    ("TEXR0023", dds, |b| put(b, 4, &[0]), 0..0),
    ("TEXR0023", dds, |b| put(b, 76, &[0xFF; 4]), 0..0),
    ("TEXR0024", dds, |b| b[10] &= !2, 0..0),
    ("TEXR0025", dx10, |b| put(b, 140, &[0]), 0..0),
    ("TEXR0028", ftex, |b| b[32] = 3, 0..0),
    ("TEXR0030", ftex, |b| b[31] ^= 1, 0..0),
];

const TRIAL: FixTrial<'_, Texture> = FixTrial {
    open: &open,
    check: &|document| document.check(),
    fix: &|document, wanted| document.fix(wanted),
    write: &|document| document.write().unwrap(),
};

#[test]
fn every_fixable_rule_has_a_case() {
    galatea_robustness::assert_every_fixable_rule(RULES, CASES.iter().map(|(code, ..)| *code));
}

#[test]
fn a_damaged_field_is_restored_and_nothing_else_changes() {
    for (at, (code, build, damage, unknown)) in CASES.iter().enumerate() {
        let sound = build();
        let mut damaged = sound.clone();
        damage(&mut damaged);
        for written in TRIAL.fixed(&format!("case {at}"), code, &sound, &damaged) {
            if let Some(rest) = difference(&written, &sound) {
                let inside = rest.start >= unknown.start && rest.end <= unknown.end;
                assert!(inside, "case {at}: {code}: {rest:?}");
            }
        }
    }
}

#[test]
fn a_damaged_source_leaves_what_is_derived_from_it_alone() {
    type Case = (fn() -> Vec<u8>, fn(&mut Vec<u8>));
    let damages: [Case; 6] = [
        // Half as wide, fewer levels, another part.
        (tpc, |b| b[8] /= 2),
        (dds, |b| b[28] -= 1),
        (palette, |b| b[12] /= 2),
        (ftex, |b| b[64 + 13] ^= 1),
        // A level that shares the bytes of a wrong field in the head.
        (palette, |b| {
            put(b, 24, &[0xCD, 0xCD]);
            put(b, 28, &20u32.to_le_bytes());
        }),
        (ftex, |b| {
            b[32] = 3;
            put(b, 64, &30u32.to_le_bytes());
        }),
    ];
    for (at, (build, damage)) in damages.iter().enumerate() {
        let mut bytes = build();
        damage(&mut bytes);
        TRIAL.assert_left_alone(&format!("damage {at}"), &bytes);
    }
}

/// Damages real files, four bytes at a time, and fixes them: a second run has nothing to do, and not much more changes than
/// was damaged.
#[test]
#[ignore = "needs the corpus"]
fn damaged_real_files_are_fixed_once() {
    let tally = TRIAL.run(
        listed(&["textures"], &[".tpc", ".blp", ".dds", ".ftex"]).bytes(),
        DamagePlan { seed: 19, tries: 40, reach: 180 },
    );
    eprintln!("{tally:?}");
    assert!(tally.files >= 20, "{tally:?}");
    assert!(tally.most_changed.0 <= 16, "{tally:?}");
}
