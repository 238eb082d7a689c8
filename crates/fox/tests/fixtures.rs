//! (bytes, value) pairs that our own code builds, run both ways.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)] // Helpers of tests fail as tests do.

mod sample;

use galatea_fox::{Fmdl, Mesh, UnknownBlock, Usage, Values};
use galatea_wire::{Limits, Wire};

use galatea_fox::wire::{DataDescriptor, Header, TableDescriptor};

fn read(bytes: &[u8]) -> Fmdl {
    Fmdl::read(bytes, &Limits::default()).unwrap()
}

#[test]
fn every_sample_survives_both_ways() {
    for (name, model) in sample::all() {
        let bytes = model.write().unwrap();
        let back = read(&bytes);
        assert_eq!(back.differences(&model), Vec::<String>::new(), "{name}");
        assert_eq!(back.write().unwrap(), bytes, "{name}");
        let mut canonical = back.clone();
        canonical.forget_layout();
        assert_eq!(canonical.write().unwrap(), bytes, "{name}");
        let (coverage, error) = galatea_fox::inspect(&bytes, &Limits::default());
        assert!(error.is_none() && coverage.gaps(bytes.len()).is_empty(), "{name}");
    }
}

/// Values of every type for three vertices, and the bytes of one vertex after the other.
fn typed() -> Vec<(Values, [&'static [u8]; 3])> {
    let nan = f32::from_bits(0x7FC0_1234);
    vec![
        (
            Values::F32x3(vec![[1.0, -0.0, nan], [2.0, 0.0, 0.5], [0.0; 3]]),
            [
                &[0, 0, 0x80, 0x3F, 0, 0, 0, 0x80, 0x34, 0x12, 0xC0, 0x7F],
                &[0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 0, 0x3F],
                &[0; 12],
            ],
        ),
        (
            Values::F32x2(vec![[1.0, -1.0], [0.0; 2], [0.5, 2.0]]),
            [&[0, 0, 0x80, 0x3F, 0, 0, 0x80, 0xBF], &[0; 8], &[0, 0, 0, 0x3F, 0, 0, 0, 0x40]],
        ),
        (
            Values::U16x4(vec![[1, 2, 3, 0xFFFF], [0; 4], [0x1234; 4]]),
            [&[1, 0, 2, 0, 3, 0, 0xFF, 0xFF], &[0; 8], &[0x34, 0x12, 0x34, 0x12, 0x34, 0x12, 0x34, 0x12]],
        ),
        (
            Values::F16x4(vec![[0x3C00, 0xBC00, 0x7E01, 0x8000], [0; 4], [0x7C00; 4]]),
            [&[0, 0x3C, 0, 0xBC, 1, 0x7E, 0, 0x80], &[0; 8], &[0, 0x7C, 0, 0x7C, 0, 0x7C, 0, 0x7C]],
        ),
        (
            Values::F16x2(vec![[0x3800, 0xB800], [1, 2], [0; 2]]),
            [&[0, 0x38, 0, 0xB8], &[1, 0, 2, 0], &[0; 4]],
        ),
        (
            Values::Unorm8x4(vec![[255, 0, 0, 0], [1, 2, 3, 4], [9; 4]]),
            [&[255, 0, 0, 0], &[1, 2, 3, 4], &[9; 4]],
        ),
        (Values::U8x4(vec![[31, 0, 7, 0], [4, 3, 2, 1], [0; 4]]), [&[31, 0, 7, 0], &[4, 3, 2, 1], &[0; 4]]),
        (
            Values::Raw { format: 77, width: 5, bytes: (0..15).collect() },
            [&[0, 1, 2, 3, 4], &[5, 6, 7, 8, 9], &[10, 11, 12, 13, 14]],
        ),
    ]
}

const USAGES: [Usage; 13] = [
    Usage::Position,
    Usage::Weights,
    Usage::Normal,
    Usage::Colour,
    Usage::BoneIndices,
    Usage::Uv(0),
    Usage::Uv(1),
    Usage::Uv(2),
    Usage::Uv(3),
    Usage::Weights2,
    Usage::BoneIndices2,
    Usage::Tangent,
    Usage::Unknown(5),
];

/// Where section-1 block 2 begins.
fn buffers_at(bytes: &[u8]) -> usize {
    let header = Header::get(bytes);
    let at = 64 + header.section_0_count as usize * TableDescriptor::SIZE;
    let all = bytes[at..].chunks_exact(DataDescriptor::SIZE).take(header.section_1_count as usize);
    let block = all.map(DataDescriptor::get).find(|d| d.id == 2).unwrap();
    header.section_1.0 as usize + block.offset.0 as usize
}

#[test]
fn every_usage_in_every_type_lies_as_it_should() {
    let mut pairs = 0;
    for version in [Fmdl::GZ, Fmdl::TPP] {
        for usage in USAGES {
            for (values, [a, b, c]) in typed() {
                let mut mesh = Mesh::default();
                mesh.vertices.push(usage, values.clone());
                mesh.set_faces(&[[0, 1, 2]]);
                let mut model = Fmdl::new(version);
                model.meshes.push(mesh);
                let bytes = model.write().unwrap();
                let at = buffers_at(&bytes);
                let expected = [a, b, c].concat();
                assert_eq!(&bytes[at..at + expected.len()], expected, "{usage:?} {values:?}");
                let back = read(&bytes);
                let column = &back.meshes[0].vertices.columns[0];
                assert_eq!(column.usage, usage);
                assert!(column.values.same_bits(&values), "{usage:?}: {:?} / {values:?}", column.values);
                assert_eq!(back.write().unwrap(), bytes);
                pairs += 1;
            }
        }
    }
    assert_eq!(pairs, 2 * 13 * 8);
}

#[test]
fn all_attributes_together_are_interleaved_in_the_games_order() {
    let mut mesh = Mesh::default();
    for usage in USAGES.into_iter().filter(|u| !matches!(u, Usage::Unknown(_))).rev() {
        let values = match usage {
            Usage::Position => Values::F32x3(vec![[1.0, 2.0, 3.0]; 3]),
            Usage::Normal | Usage::Tangent => Values::F16x4(vec![[0x3C00; 4]; 3]),
            Usage::BoneIndices2 => Values::U16x4(vec![[usage.id().into(); 4]; 3]),
            Usage::Uv(_) => Values::F16x2(vec![[usage.id().into(); 2]; 3]),
            Usage::BoneIndices => Values::U8x4(vec![[usage.id(); 4]; 3]),
            _ => Values::Unorm8x4(vec![[usage.id(); 4]; 3]),
        };
        mesh.vertices.push(usage, values);
    }
    mesh.set_faces(&[[0, 1, 2]]);
    let mut model = Fmdl::new(Fmdl::TPP);
    model.meshes.push(mesh);
    let bytes = model.write().unwrap();
    let back = read(&bytes);
    let order: Vec<u8> = back.meshes[0].vertices.columns.iter().map(|c| c.usage.id()).collect();
    assert_eq!(order, [0, 2, 14, 3, 1, 7, 8, 9, 10, 11, 12, 13]);
    let at = buffers_at(&bytes) + 48;
    let vertex = [
        &[0, 0x3C, 0, 0x3C, 0, 0x3C, 0, 0x3C][..],
        &[0, 0x3C, 0, 0x3C, 0, 0x3C, 0, 0x3C],
        &[3; 4],
        &[1; 4],
        &[7; 4],
        &[8, 0, 8, 0],
        &[9, 0, 9, 0],
        &[10, 0, 10, 0],
        &[11, 0, 11, 0],
        &[12; 4],
        &[13, 0, 13, 0, 13, 0, 13, 0],
    ]
    .concat();
    assert_eq!(&bytes[at..at + vertex.len()], vertex);
    assert_eq!(&bytes[at + vertex.len()..at + 2 * vertex.len()], vertex);
}

#[test]
fn unknown_blocks_stay_in_place_even_when_the_model_changes() {
    let mut model = sample::still(Fmdl::TPP);
    model.unknown_blocks = vec![
        UnknownBlock { section: 0, id: 0x13, count: 3, bytes: vec![1; 24] },
        UnknownBlock { section: 0, id: 0x30, count: 1, bytes: vec![2; 16] },
        UnknownBlock { section: 1, id: 9, count: 0, bytes: vec![3; 5] },
    ];
    let bytes = model.write().unwrap();
    let mut back = read(&bytes);
    assert_eq!(back.unknown_blocks[0].bytes, [1; 24]);
    assert_eq!(back.unknown_blocks[0].count, 3);
    assert_eq!(back.unknown_blocks[2].bytes, [3; 5]);
    assert_eq!(back.write().unwrap(), bytes);
    back.groups[0].name = "MESH_renamed".into();
    let changed = read(&back.write().unwrap());
    assert_eq!(changed.unknown_blocks[0].bytes, [1; 24]);
    assert_eq!(changed.unknown_blocks[2].bytes, [3; 5]);
    assert_eq!(changed.groups[0].name.code(), galatea_fox::str_code64(b"MESH_renamed"));
}

#[test]
fn counts_above_65535_overflow_into_the_second_byte() {
    let mut model = sample::still(Fmdl::TPP);
    model.meshes = (0..40).map(|_| sample::grid(1)).collect();
    for mesh in &mut model.meshes {
        mesh.windows = vec![mesh.windows[0]; 2000];
    }
    model.runs[0].mesh_count = 40;
    let bytes = model.write().unwrap();
    let back = read(&bytes);
    assert_eq!(back.meshes[39].windows.len(), 2000);
    let header = Header::get(&bytes);
    let tables = bytes[64..].chunks_exact(8).take(header.section_0_count as usize);
    let windows = tables.map(TableDescriptor::get).find(|d| d.id == 0x11).unwrap();
    assert_eq!((windows.overflow, windows.count), (1, (80_000 - 65_536) as u16));
    assert_eq!(back.write().unwrap(), bytes);
}

#[test]
fn garbage_between_and_behind_the_blocks_is_kept() {
    let mut bytes = sample::still(Fmdl::GZ).write().unwrap();
    let header = Header::get(&bytes);
    // The header's own padding, the padding behind the descriptors, the end of the file.
    bytes[0x38] = 7;
    let at = header.section_0.0 as usize - 1;
    assert_eq!(bytes[at], 0);
    bytes[at] = 0xAB;
    bytes.extend(b"left behind");
    let mut back = read(&bytes);
    assert_eq!(back.write().unwrap(), bytes);
    // A changed vertex changes nothing else.
    let Values::F32x3(positions) = &mut back.meshes[0].vertices.columns[0].values else { panic!() };
    positions[0][1] = 5.0;
    let changed = back.write().unwrap();
    assert_eq!(changed.len(), bytes.len());
    assert_eq!(changed.iter().zip(&bytes).filter(|(a, b)| a != b).count(), 2);
}

#[test]
fn bytes_between_the_elements_of_a_vertex_are_kept() {
    // Take UVs out of the layout: four bytes of each vertex then belong to nobody.
    let model = sample::still(Fmdl::TPP);
    let mut bytes = model.write().unwrap();
    let header = Header::get(&bytes);
    let tables: Vec<TableDescriptor> =
        bytes[64..].chunks_exact(8).take(header.section_0_count as usize).map(TableDescriptor::get).collect();
    let table = |id: u8| {
        let d = tables.iter().find(|d| d.id == id).unwrap();
        header.section_0.0 as usize + d.offset.0 as usize
    };
    let (layout, stream) = (table(0x9), table(0xA) + 16);
    bytes[layout + 1] = 3;
    bytes[stream + 1] = 0;
    let mut back = read(&bytes);
    assert_eq!(back.meshes[0].vertices.columns.len(), 3);
    assert_eq!(back.write().unwrap(), bytes);
    let Values::F16x4(normals) = &mut back.meshes[0].vertices.columns[1].values else { panic!() };
    normals[3][0] = 0x1234;
    let changed = back.write().unwrap();
    assert_eq!(changed.iter().zip(&bytes).filter(|(a, b)| a != b).count(), 2);
}

#[test]
fn meshes_on_the_same_bytes_part_when_one_is_changed() {
    let mut model = sample::still(Fmdl::TPP);
    model.meshes.push(model.meshes[0].clone());
    model.runs[0].mesh_count = 2;
    let mut bytes = model.write().unwrap();
    let header = Header::get(&bytes);
    let tables: Vec<TableDescriptor> =
        bytes[64..].chunks_exact(8).take(header.section_0_count as usize).map(TableDescriptor::get).collect();
    let meshes = tables.iter().find(|d| d.id == 3).unwrap();
    let second = header.section_0.0 as usize + meshes.offset.0 as usize + 48;
    // Layout 0 and index 0 for the second mesh too.
    bytes[second + 8..second + 10].fill(0);
    bytes[second + 16..second + 20].fill(0);
    let mut back = read(&bytes);
    assert_eq!(back.write().unwrap(), bytes);
    let Values::F32x3(positions) = &mut back.meshes[1].vertices.columns[0].values else { panic!() };
    positions[0] = [7.0; 3];
    let parted = read(&back.write().unwrap());
    assert_eq!(parted.differences(&back), Vec::<String>::new());
    assert_eq!(parted.meshes[0].vertices.positions().unwrap()[0], [0.0; 3]);
    assert_eq!(parted.meshes[1].vertices.positions().unwrap()[0], [7.0; 3]);
}

#[test]
fn wrong_lengths_are_worked_around() {
    let model = sample::pes();
    let mut bytes = model.write().unwrap();
    let header = Header::get(&bytes);
    let at = 64 + header.section_0_count as usize * 8;
    for block in 0..header.section_1_count as usize {
        let length = at + block * 12 + 8;
        let id = bytes[length - 8];
        if id >= 2 {
            bytes[length..length + 4].copy_from_slice(&0x7FFF_FFFFu32.to_le_bytes());
        }
    }
    bytes[0x34..0x38].copy_from_slice(&1u32.to_le_bytes());
    let back = read(&bytes);
    assert_eq!(back.write().unwrap(), bytes);
    assert_eq!(back.differences(&model), Vec::<String>::new());
    assert!(!back.check().is_empty());
}

#[test]
fn big_endian_files_are_refused_by_name() {
    let mut bytes = sample::still(Fmdl::GZ).write().unwrap();
    bytes[4..8].reverse();
    let error = Fmdl::read(&bytes, &Limits::default()).unwrap_err();
    assert!(error.to_string().contains("big-endian"), "{error}");
}
