//! Each rule has a model that breaks it. What `fix` does about it is in `fix.rs`.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)] // Helpers of tests fail as tests do.

mod sample;

use std::collections::BTreeMap;

use galatea_fox::wire::{Header, TableDescriptor};
use galatea_fox::{
    Bounds, Column, Fmdl, Group, Mesh, Name, Parameter, RULES, TexturePath, UnknownBlock, Usage, Values,
    Window,
};
use galatea_wire::{Limits, Severity, Wire};

fn read(bytes: &[u8]) -> Fmdl {
    Fmdl::read(bytes, &Limits::default()).unwrap()
}

/// A file whose bytes can be reached by table and record.
struct File(Vec<u8>);

impl File {
    fn table(&self, id: u8) -> (usize, TableDescriptor) {
        let header = Header::get(&self.0);
        let all = self.0[64..].chunks_exact(8).take(header.section_0_count as usize);
        let (i, d) = all.map(TableDescriptor::get).enumerate().find(|(_, d)| d.id == id).unwrap();
        (64 + i * 8, d)
    }

    fn at(&self, id: u8) -> usize {
        Header::get(&self.0).section_0.0 as usize + self.table(id).1.offset.0 as usize
    }

    fn put<T: Wire>(&mut self, at: usize, value: T) {
        value.put(&mut self.0[at..at + T::SIZE]);
    }

    /// Sets a field of the first record of a table.
    fn set<T: Wire>(&mut self, id: u8, offset: usize, value: T) {
        let at = self.at(id) + offset;
        self.put(at, value);
    }
}

fn still() -> Fmdl {
    sample::still(Fmdl::TPP)
}

fn skinned() -> Fmdl {
    sample::skinned(Fmdl::TPP)
}

/// A file of 2.04, damaged.
fn damaged(model: Fmdl, damage: impl FnOnce(&mut File)) -> Fmdl {
    let mut file = File(model.write().unwrap());
    damage(&mut file);
    read(&file.0)
}

fn changed(mut model: Fmdl, change: impl FnOnce(&mut Fmdl)) -> Fmdl {
    change(&mut model);
    model
}

fn column(mesh: &mut Mesh, usage: Usage) -> &mut Values {
    &mut mesh.vertices.columns.iter_mut().find(|c| c.usage == usage).unwrap().values
}

fn set_half4(model: &mut Fmdl, usage: Usage, value: [f32; 4]) {
    let Values::F16x4(v) = column(&mut model.meshes[0], usage) else { panic!() };
    v[1] = value.map(sample::half_bits);
}

fn set_weights(model: &mut Fmdl, value: [u8; 4]) {
    let Values::Unorm8x4(v) = column(&mut model.meshes[0], Usage::Weights) else { panic!() };
    v[2] = value;
}

fn drop_column(mesh: &mut Mesh, usage: Usage) {
    mesh.vertices.columns.retain(|c| c.usage != usage);
}

fn breaking(code: &str) -> Fmdl {
    let gz = || sample::still(Fmdl::GZ);
    match code {
        "FMDL0001" => changed(still(), |m| m.version = 2.05),
        "FMDL0002" => damaged(still(), |f| f.0[16] ^= 2),
        "FMDL0003" => damaged(still(), |f| f.0[0x34] ^= 16),
        "FMDL0004" => damaged(gz(), |f| {
            let header = Header::get(&f.0);
            let last = 64 + header.section_0_count as usize * 8 + (header.section_1_count as usize - 1) * 12;
            f.put(last + 8, 0x10_0000u32);
        }),
        "FMDL0005" => damaged(gz(), |f| f.0.push(1)),
        "FMDL0006" => changed(still(), |m| {
            m.unknown_blocks.push(UnknownBlock { section: 0, id: 0x13, count: 1, bytes: vec![0; 4] });
        }),
        "FMDL0007" => changed(still(), |m| {
            m.unknown_blocks.push(UnknownBlock { section: 0, id: 1, count: 1, bytes: vec![0; 8] });
        }),
        "FMDL0008" => damaged(still(), |f| {
            let (at, _) = f.table(0x12);
            f.0[at] = 0x3F;
        }),
        "FMDL0009" => damaged(still(), |f| f.set(0xE, 0, 1u32)),
        "FMDL0010" => damaged(still(), |f| f.set(0x1, 0, 999u16)),
        "FMDL0011" => damaged(gz(), |f| f.set(0xC, 12, 0x0FFF_FFFFu32)),
        "FMDL0012" => damaged(gz(), |f| f.set(0xC, 8, 4u16)),
        "FMDL0013" => damaged(still(), |f| f.set(0x16, 0, 5u64)),
        "FMDL0014" => damaged(still(), |f| f.set(0x6, 2, 7u16)),
        "FMDL0015" => damaged(still(), |f| f.set(0x7, 14, 9u16)),
        "FMDL0016" => damaged(still(), |f| f.set(0x4, 4, 3u16)),
        "FMDL0017" => damaged(still(), |f| f.set(0x4, 7, 200u8)),
        "FMDL0018" => damaged(still(), |f| f.set(0x2, 10, 77u16)),
        "FMDL0019" => damaged(sample::fragments(Fmdl::TPP), |f| f.set(0x1, 14, 500u16)),
        "FMDL0020" => changed(still(), |m| m.meshes[0].material = 4),
        "FMDL0021" => changed(skinned(), |m| m.meshes[0].bone_group = 4),
        "FMDL0022" => damaged(still(), |f| f.set(0x3, 8, 4u16)),
        "FMDL0023" => changed(still(), |m| m.meshes[0].vertices = Default::default()),
        "FMDL0024" => changed(still(), |m| drop_column(&mut m.meshes[0], Usage::Position)),
        "FMDL0025" => changed(still(), |m| drop_column(&mut m.meshes[0], Usage::Normal)),
        "FMDL0026" => changed(still(), |m| {
            drop_column(&mut m.meshes[0], Usage::Tangent);
            m.materials[0].textures[0].slot = "NormalMap_Tex_NRM".into();
        }),
        "FMDL0027" => changed(still(), |m| drop_column(&mut m.meshes[0], Usage::Uv(0))),
        "FMDL0028" => changed(still(), |m| m.meshes[0].indices[4] = 25),
        "FMDL0029" => changed(still(), |m| m.meshes[0].windows[0].count = 94),
        "FMDL0030" => changed(still(), |m| m.meshes[0].windows[0].count = 99),
        "FMDL0031" => changed(skinned(), |m| m.meshes[0].windows[0] = Window { first: 3, count: 93 }),
        "FMDL0032" => changed(skinned(), |m| m.meshes[0].windows[3] = Window { first: 0, count: 96 }),
        "FMDL0033" => damaged(skinned(), |f| f.set(0x2, 16, 3u16)),
        "FMDL0034" => changed(skinned(), |m| m.meshes[0].windows.truncate(2)),
        "FMDL0035" => changed(still(), |m| m.meshes[0].windows.clear()),
        "FMDL0036" => changed(still(), |m| m.meshes[0].windows[0].count = 0),
        "FMDL0037" => changed(still(), |m| {
            let mesh = &mut m.meshes[0];
            mesh.indices = mesh.indices.iter().copied().cycle().take(3 * 21_846).collect();
            mesh.windows[0].count = 3 * 21_846;
        }),
        "FMDL0038" => changed(still(), |m| m.meshes[0].indices[1] = m.meshes[0].indices[0]),
        "FMDL0039" => changed(still(), |m| {
            let Values::F32x3(v) = column(&mut m.meshes[0], Usage::Position) else { panic!() };
            v[0][1] = f32::NAN;
        }),
        "FMDL0040" => changed(still(), |m| {
            let Values::F16x2(v) = column(&mut m.meshes[0], Usage::Uv(0)) else { panic!() };
            v[3][0] = 0x7C00;
        }),
        "FMDL0041" => changed(still(), |m| set_half4(m, Usage::Normal, [0.0, 2.0, 0.0, 0.0])),
        "FMDL0042" => changed(still(), |m| set_half4(m, Usage::Tangent, [0.5, 0.0, 0.0, 1.0])),
        "FMDL0043" => changed(still(), |m| set_half4(m, Usage::Tangent, [1.0, 0.0, 0.0, -0.5])),
        "FMDL0044" => changed(skinned(), |m| set_weights(m, [100, 50, 0, 0])),
        "FMDL0045" => changed(skinned(), |m| set_weights(m, [0; 4])),
        "FMDL0046" => changed(skinned(), |m| set_weights(m, [55, 200, 0, 0])),
        "FMDL0047" => changed(skinned(), |m| m.bone_groups[0].bones.truncate(2)),
        "FMDL0048" => changed(skinned(), |m| drop_column(&mut m.meshes[0], Usage::Weights)),
        "FMDL0049" => changed(skinned(), |m| m.bone_groups[0].bones = vec![0; 33]),
        "FMDL0050" => changed(skinned(), |m| m.bone_groups[0].bones[2] = 3),
        "FMDL0051" => changed(skinned(), |m| m.bone_groups[0].max_weights = 1),
        "FMDL0052" => changed(skinned(), |m| m.bones[1].parent = Some(1)),
        "FMDL0053" => changed(skinned(), |m| m.bones[1].local[0] = 1.0),
        "FMDL0054" => changed(skinned(), |m| m.bones[1].flags = 0),
        "FMDL0055" => changed(skinned(), |m| m.bones[1].bounds.max[0] = 0.5),
        "FMDL0056" => changed(still(), |m| m.runs[0].bounds.max[0] = 0.5),
        "FMDL0057" => changed(still(), |m| m.bounds = Bounds::EMPTY),
        "FMDL0058" => damaged(still(), |f| f.set(0x9, 2, 0x200u16)),
        "FMDL0059" => changed(still(), |m| m.statistics[0].area = 0.0),
        "FMDL0060" => changed(still(), |m| m.statistics[0].area = 3.3385),
        "FMDL0061" => changed(still(), |m| m.statistics[0].texel_density = 0.875),
        "FMDL0062" => changed(still(), |m| m.groups[0].parent = Some(0)),
        "FMDL0063" => changed(still(), |m| m.groups[0].flags = Group::FRAGMENT),
        "FMDL0064" => changed(sample::skinned(Fmdl::GZ), |m| m.groups[1].flags = 0),
        "FMDL0065" => changed(still(), |m| m.runs[0].group = 1),
        "FMDL0066" => changed(still(), |m| m.runs[0].mesh_count = 2),
        "FMDL0067" => changed(still(), |m| m.runs.clear()),
        "FMDL0068" => changed(still(), |m| m.runs.push(m.runs[0].clone())),
        "FMDL0069" => changed(still(), |m| m.meshes[0].vertices.columns.swap(1, 3)),
        "FMDL0070" => changed(still(), |m| {
            let normals = m.meshes[0].vertices.columns[1].clone();
            m.meshes[0].vertices.columns.insert(2, normals);
        }),
        "FMDL0071" => changed(still(), |m| {
            let values = Values::Raw { format: 3, width: 1, bytes: vec![0; 25] };
            m.meshes[0].vertices.columns.push(Column { usage: Usage::Uv(1), values });
        }),
        "FMDL0072" => changed(still(), |m| {
            *column(&mut m.meshes[0], Usage::Normal) = Values::F32x3(vec![[0.0, 1.0, 0.0]; 25])
        }),
        "FMDL0073" => {
            changed(still(), |m| m.materials[0].textures[0].path = TexturePath::Code(0x245F_7164_A964))
        }
        "FMDL0074" => changed(still(), |m| m.materials[0].textures[0].slot = Name::EMPTY),
        "FMDL0075" => changed(still(), |m| {
            let parameter = m.materials[0].parameters[0].clone();
            m.materials[0].parameters.push(parameter);
        }),
        "FMDL0076" => changed(still(), |m| {
            m.materials[0].shader = Name::EMPTY;
            m.materials[0].technique = Name::EMPTY;
        }),
        "FMDL0077" => changed(still(), |m| m.materials[0].textures.clear()),
        "FMDL0078" => changed(still(), |m| m.materials.push(m.materials[0].clone())),
        "FMDL0079" => changed(still(), |m| {
            m.materials[0].parameters.push(Parameter { name: "SelfColor".into(), value: [f32::NAN; 4] });
        }),
        "FMDL0080" => changed(still(), |m| m.meshes[0].flags = 1 << 31),
        "FMDL0081" => changed(still(), |m| m.meshes[0].flags = Mesh::SHADOW_ONLY),
        "FMDL0082" => changed(still(), |m| m.meshes[0].turn_faces()),
        "FMDL0083" => changed(still(), |m| m.meshes[0].indices.iter_mut().for_each(|i| *i = (*i).min(20))),
        "FMDL0084" => changed(still(), |m| m.lods[0].ratio = 0.5),
        "FMDL0085" => changed(sample::pes(), |m| m.bone_matrices.truncate(1)),
        "FMDL0086" => changed(sample::pes(), |m| {
            m.extensions = b"X-FMDL-Extensions: antiblur\nHas-Antiblur-Meshes: 7\n".to_vec()
        }),
        "FMDL0087" => damaged(
            changed(still(), |m| {
                m.meshes.push(m.meshes[0].clone());
                m.runs[0].mesh_count = 2;
            }),
            |f| f.set(0x3, 48 + 16, 0u32),
        ),
        "FMDL0088" => damaged(still(), |f| f.set(0xE, 4, 16u32)),
        "FMDL0089" => changed(skinned(), |m| m.bone_groups[0].bones.reverse()),
        "FMDL0090" => changed(still(), |m| m.materials[0].technique = "fox3DDF_Blin_LMN".into()),
        "FMDL0091" => changed(still(), |m| m.materials[0].textures[1].slot = "NormalMap_Tex_NMR".into()),
        "FMDL0092" => changed(still(), |m| drop(m.materials[0].textures.pop())),
        "FMDL0093" => changed(sample::pes(), |m| {
            m.materials[0].shader = "tpp_3ddf_rustdirty".into();
            m.materials[0].technique = "tpp3DDF_RustDirty_LNM".into();
        }),
        "FMDL0094" => changed(gz(), |m| m.materials[0].textures[0].file = "ground_bsm.ftex".into()),
        "FMDL0095" => changed(still(), |m| m.groups[0].flags = Group::INVISIBLE),
        "FMDL0096" => damaged(gz(), |f| f.put(4, Fmdl::TPP)),
        "FMDL0097" => changed(skinned(), |m| m.bones[2].name = m.bones[1].name.clone()),
        other => panic!("no model breaks {other}"),
    }
}

#[test]
fn sound_models_break_no_rule() {
    for (name, model) in sample::all() {
        let findings: Vec<String> = model.check().findings().iter().map(ToString::to_string).collect();
        assert_eq!(findings, Vec::<String>::new(), "{name}");
        let back = read(&model.write().unwrap());
        let findings: Vec<String> = back.check().findings().iter().map(ToString::to_string).collect();
        assert_eq!(findings, Vec::<String>::new(), "{name}");
    }
}

#[test]
fn every_rule_is_triggered_by_its_model() {
    assert!(RULES.len() >= 40);
    for rule in RULES {
        let model = breaking(rule.code);
        let report = model.check();
        assert!(report.count(rule.code) > 0, "{} {}: {:?}", rule.code, rule.title, report.findings());
        let finding = report.findings().iter().find(|f| f.rule.code == rule.code).unwrap();
        assert!(!finding.message.is_empty(), "{}", rule.code);
    }
}

#[test]
fn codes_are_unique_and_in_order() {
    let codes: Vec<&str> = RULES.iter().map(|r| r.code).collect();
    assert!(codes.is_sorted_by(|a, b| a < b));
    assert!(codes.iter().enumerate().all(|(i, c)| *c == format!("FMDL{:04}", i + 1)));
    assert!(RULES.iter().all(|r| r.help.len() > 40 && !r.title.is_empty()));
}

#[test]
fn findings_carry_the_offset_of_their_record() {
    let model = damaged(still(), |f| f.set(0x3, 4, 9u16));
    let report = model.check();
    let finding = report.findings().iter().find(|f| f.rule.code == "FMDL0020").unwrap();
    let bytes = model.write().unwrap();
    let at = finding.offset.unwrap() as usize;
    assert_eq!(u16::get(&bytes[at + 4..]), 9);
}

#[test]
#[ignore = "needs the corpus"]
fn the_games_own_files_break_no_rule_that_is_an_error() {
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut errors = Vec::new();
    let files =
        galatea_robustness::listed(&["fmdl"], &[".fmdl"]).without(&["/epl.fmdl", "/sna0_arm0_cov.fmdl"]);
    for (path, model) in files.read(|_, bytes| Fmdl::read(bytes, &Limits::default())) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let report = model.check();
        for (rule, n) in report.counts() {
            let count = counts.entry(rule.code).or_default();
            *count = (count.0 + 1, count.1 + n);
        }
        for finding in report.findings().iter().filter(|f| f.rule.severity == Severity::Error) {
            errors.push(format!("{name}: {finding}"));
        }
    }
    for (code, (files, findings)) in &counts {
        let rule = RULES.iter().find(|r| r.code == *code).unwrap();
        println!("{code} {} {}: {files} files, {findings} findings", rule.severity, rule.title);
    }
    assert_eq!(errors, Vec::<String>::new());
}
