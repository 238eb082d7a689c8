//! Every fixable rule: one field is damaged, fixed, and the file is the undamaged one again.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)] // Helpers of tests fail as tests do.

mod sample;

use galatea_fox::wire::{Header, TableDescriptor};
use galatea_fox::{Bounds, Fmdl, Mesh, RULES, Usage, Values};
use galatea_robustness::{DamagePlan, FixTrial, difference, listed};
use galatea_wire::{Limits, Wire};

fn read(bytes: &[u8]) -> Fmdl {
    Fmdl::read(bytes, &Limits::default()).unwrap()
}

/// A file whose bytes can be reached by table and record.
struct File(Vec<u8>);

impl File {
    fn at(&self, id: u8) -> usize {
        let header = Header::get(&self.0);
        let all = self.0[64..].chunks_exact(8).take(header.section_0_count as usize);
        let d = all.map(TableDescriptor::get).find(|d| d.id == id).unwrap();
        header.section_0.0 as usize + d.offset.0 as usize
    }

    /// Sets a field of the first record of a table.
    fn set<T: Wire>(&mut self, id: u8, offset: usize, value: T) {
        let at = self.at(id) + offset;
        value.put(&mut self.0[at..at + T::SIZE]);
    }
}

fn still() -> Fmdl {
    sample::still(Fmdl::TPP)
}

fn skinned() -> Fmdl {
    sample::skinned(Fmdl::TPP)
}

fn old() -> Fmdl {
    sample::still(Fmdl::GZ)
}

/// Two pieces with boxes of their own.
fn fragments() -> Fmdl {
    sample::fragments(Fmdl::TPP)
}

/// Skinned meshes with one bone on the left and another on the right, so that their boxes differ.
fn halves() -> Fmdl {
    let mut model = skinned();
    for mesh in &mut model.meshes {
        let Values::F32x3(positions) = column(mesh, Usage::Position).clone() else { panic!() };
        let Values::U8x4(indices) = column(mesh, Usage::BoneIndices) else { panic!() };
        for (bones, [x, ..]) in indices.iter_mut().zip(positions) {
            *bones = if x < 2.0 { [1, 0, 0, 0] } else { [2, 0, 0, 0] };
        }
    }
    model.rederive();
    model
}

/// How a field is damaged: in the document, or in the bytes.
enum Damage {
    Value(fn(&mut Fmdl)),
    Bytes(fn(&mut File)),
}

use Damage::{Bytes, Value};

fn column(mesh: &mut Mesh, usage: Usage) -> &mut Values {
    &mut mesh.vertices.columns.iter_mut().find(|c| c.usage == usage).unwrap().values
}

fn half4(model: &mut Fmdl, usage: Usage) -> &mut [u16; 4] {
    let Values::F16x4(v) = column(&mut model.meshes[0], usage) else { panic!() };
    &mut v[1]
}

fn bytes4(model: &mut Fmdl, usage: Usage) -> &mut [u8; 4] {
    let (Values::Unorm8x4(v) | Values::U8x4(v)) = column(&mut model.meshes[0], usage) else { panic!() };
    &mut v[2]
}

fn half(x: f32) -> u16 {
    sample::half_bits(x)
}

fn last_data(file: &File) -> usize {
    let h = Header::get(&file.0);
    64 + h.section_0_count as usize * 8 + (h.section_1_count as usize - 1) * 12
}

/// A rule, a sound model, and the damage of one field of it.
type Case = (&'static str, fn() -> Fmdl, Damage);

const CASES: &[Case] = &[
    ("FMDL0002", still, Bytes(|f| f.0[16] ^= 2)),
    ("FMDL0002", still, Bytes(|f| f.0[24] ^= 1)),
    ("FMDL0003", still, Bytes(|f| f.0[0x34] ^= 16)),
    ("FMDL0003", still, Bytes(|f| f.0[0x2C] ^= 16)),
    (
        "FMDL0004",
        old,
        Bytes(|f| {
            let at = last_data(f) + 8;
            0x10_0000u32.put(&mut f.0[at..at + 4]);
        }),
    ),
    ("FMDL0009", still, Bytes(|f| f.set(0xE, 0, 1u32))),
    ("FMDL0009", still, Bytes(|f| f.set(0xE, 4, 16u32))),
    ("FMDL0009", still, Bytes(|f| f.set(0xE, 16 + 8, 48u32))),
    ("FMDL0033", skinned, Bytes(|f| f.set(0x2, 16, 3u16))),
    ("FMDL0033", skinned, Bytes(|f| f.set(0x3, 48 + 24, 0u32))),
    ("FMDL0041", still, Value(|m| half4(m, Usage::Normal)[1] = half(2.0))),
    ("FMDL0041", still, Value(|m| half4(m, Usage::Normal)[3] = half(0.0))),
    ("FMDL0042", still, Value(|m| half4(m, Usage::Tangent)[0] = half(0.5))),
    ("FMDL0043", still, Value(|m| half4(m, Usage::Tangent)[3] = half(-0.25))),
    ("FMDL0044", skinned, Value(|m| bytes4(m, Usage::Weights)[0] = 100)),
    ("FMDL0044", skinned, Value(|m| bytes4(m, Usage::Weights)[1] = 250)),
    (
        "FMDL0046",
        skinned,
        Value(|m| {
            bytes4(m, Usage::Weights).swap(0, 1);
            bytes4(m, Usage::BoneIndices).swap(0, 1);
        }),
    ),
    ("FMDL0051", skinned, Value(|m| m.bone_groups[0].max_weights = 1)),
    ("FMDL0053", skinned, Value(|m| m.bones[1].local[0] = 1.0)),
    ("FMDL0053", skinned, Value(|m| m.bones[1].world[1] = f32::NAN)),
    ("FMDL0054", skinned, Value(|m| m.bones[1].flags = 0)),
    ("FMDL0055", skinned, Value(|m| m.bones[1].bounds.max[0] = 0.5)),
    ("FMDL0056", fragments, Value(|m| m.runs[1].bounds.max[0] = 0.25)),
    ("FMDL0056", fragments, Value(|m| m.runs[2].bounds.min[2] = f32::NAN)),
    ("FMDL0056", still, Bytes(|f| f.set(0xD, 0, 77.0f32))),
    ("FMDL0057", fragments, Value(|m| m.bounds = Bounds::EMPTY)),
    ("FMDL0057", fragments, Value(|m| m.bounds.max[1] = 60.0)),
    ("FMDL0058", still, Bytes(|f| f.set(0x9, 2, 0x200u16))),
    ("FMDL0059", still, Value(|m| m.statistics[0].area = 0.0)),
    ("FMDL0060", still, Value(|m| m.statistics[0].area = 3.3385)),
    ("FMDL0060", still, Value(|m| m.statistics[0].area = f32::NAN)),
    ("FMDL0061", still, Value(|m| m.statistics[0].texel_density = 0.25)),
    ("FMDL0082", still, Value(|m| m.meshes[0].turn_faces())),
];

/// The bytes of a sound model after a damage.
fn damaged(sound: &[u8], damage: &Damage) -> Vec<u8> {
    match damage {
        Value(change) => {
            let mut model = read(sound);
            change(&mut model);
            model.write().unwrap()
        }
        Bytes(change) => {
            let mut file = File(sound.to_vec());
            change(&mut file);
            file.0
        }
    }
}

const TRIAL: FixTrial<'_, Fmdl> = FixTrial {
    open: &|bytes| Fmdl::read(bytes, &Limits::default()).ok(),
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
    for (at, (code, build, damage)) in CASES.iter().enumerate() {
        let sound = build().write().unwrap();
        let damaged = damaged(&sound, damage);
        for written in TRIAL.fixed(&format!("case {at}"), code, &sound, &damaged) {
            if damaged.len() == sound.len() {
                assert_eq!(difference(&written, &sound), None, "case {at}: {code}");
            } else {
                // The file has equal boxes once, so that one that was changed in the document has a new place.
                let rest = read(&sound).differences(&read(&written));
                assert_eq!(rest, Vec::<String>::new(), "case {at}: {code}");
            }
        }
    }
}

#[test]
fn two_damages_of_one_model_are_fixed_in_one_run() {
    let sounds: Vec<Vec<u8>> = CASES.iter().map(|(_, build, _)| build().write().unwrap()).collect();
    for (first, (sound, (code, _, damage))) in sounds.iter().zip(CASES).enumerate() {
        let once = damaged(sound, damage);
        for (second, (_, (other, _, damage))) in
            sounds.iter().zip(CASES).enumerate().filter(|(_, (s, _))| *s == sound)
        {
            let what = format!("cases {first} and {second}: {code} and {other}");
            TRIAL.assert_fixed_once(&what, &damaged(&once, damage));
        }
    }
}

#[test]
fn a_damaged_source_leaves_what_is_derived_from_it_alone() {
    type Case = (fn() -> Fmdl, Damage);
    let damages: &[Case] = &[
        (
            still,
            Value(|m| {
                let Values::F32x3(v) = column(&mut m.meshes[0], Usage::Position) else { panic!() };
                v[0][1] = f32::NAN;
            }),
        ),
        (
            skinned,
            Value(|m| {
                let Values::F32x3(v) = column(&mut m.meshes[0], Usage::Position) else { panic!() };
                v[3] = [70.0, -8.0, 9.0];
            }),
        ),
        (still, Value(|m| *half4(m, Usage::Normal) = [0; 4])),
        (still, Value(|m| half4(m, Usage::Tangent)[3] = 0x7E00)),
        (skinned, Value(|m| m.bones[2].local[0] = 5.0)),
        (skinned, Value(|m| bytes4(m, Usage::BoneIndices)[2] = 2)),
        (skinned, Value(|m| m.bone_groups[0].bones.swap(0, 1))),
        // A normal that lies over the tangents.
        (still, Bytes(|f| f.set(0xB, 4 + 2, 4u16))),
        // Two fields of the buffer table that contradict the others: neither confirms the other.
        (
            still,
            Bytes(|f| {
                f.set(0xE, 4, 0x70u32);
                f.set(0xE, 8, 0x100u32);
            }),
        ),
        // One vertex beyond the box of a bone that it names twice is still one vertex.
        (
            skinned,
            Value(|m| {
                *bytes4(m, Usage::BoneIndices) = [1, 1, 0, 0];
                let Values::F32x3(v) = column(&mut m.meshes[0], Usage::Position) else { panic!() };
                v[2] = [2.0, 30.0, 0.0];
            }),
        ),
        // Pieces of different size that share a box which is right for none of them.
        (
            fragments,
            Bytes(|f| {
                let runs = f.at(0x2);
                f.0.copy_within(runs + 32 + 10..runs + 32 + 12, runs + 10);
                let shared = u16::get(&f.0[runs + 10..]);
                f.set(0xD, usize::from(shared) * 32, 77.0f32);
            }),
        ),
        // A bone that names the box of another: the box is right for that one.
        (
            halves,
            Bytes(|f| {
                let bones = f.at(0x0);
                f.0.copy_within(bones + 48 + 4..bones + 48 + 6, bones + 96 + 4);
            }),
        ),
    ];
    for (at, (build, damage)) in damages.iter().enumerate() {
        TRIAL.assert_left_alone(&format!("damage {at}"), &damaged(&build().write().unwrap(), damage));
    }
}

/// Damages real files, four bytes at a time, and fixes them: a second run has nothing to do, and not much more changes than
/// was damaged.
#[test]
#[ignore = "needs the corpus"]
fn damaged_real_files_are_fixed_once() {
    let tally = TRIAL.run(
        listed(&["fmdl", "sets/fox"], &[".fmdl"]).bytes(),
        DamagePlan { seed: 17, tries: 12, reach: 9000 },
    );
    eprintln!("{tally:?}");
    assert!(tally.files >= 75, "{tally:?}");
    assert!(tally.most_changed.0 <= 32, "{tally:?}");
}
