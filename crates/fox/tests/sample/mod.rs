//! Small models that our own code builds, one per kind, without any real data.
#![allow(dead_code)] // Each test file uses some of them.

use galatea_fox::{
    Bone, BoneGroup, Bounds, Fmdl, Group, MaterialInstance, Mesh, Parameter, Run, Texture, TexturePath,
    Usage, Values, Window,
};

pub(crate) const ONE: u16 = 0x3C00;
pub(crate) const MINUS_ONE: u16 = 0xBC00;

/// A flat grid of quads on the ground, front faces clockwise seen from above, all attributes of a static mesh.
pub(crate) fn grid(cells: usize) -> Mesh {
    let n = cells + 1;
    let at = |i: usize| (i % n, i / n);
    let half = |x: f32| half_bits(x);
    let mut mesh = Mesh::default();
    let all = || (0..n * n).map(at);
    mesh.vertices
        .push(Usage::Position, Values::F32x3(all().map(|(x, z)| [x as f32, 0.0, z as f32]).collect()));
    mesh.vertices.push(Usage::Normal, Values::F16x4(vec![[0, ONE, 0, ONE]; n * n]));
    mesh.vertices.push(Usage::Tangent, Values::F16x4(vec![[ONE, 0, 0, MINUS_ONE]; n * n]));
    let uv = all().map(|(x, z)| [half(x as f32 / cells as f32), half(z as f32 / cells as f32)]).collect();
    mesh.vertices.push(Usage::Uv(0), Values::F16x2(uv));
    let mut faces = Vec::new();
    for z in 0..cells {
        for x in 0..cells {
            let i = |dx: usize, dz: usize| ((z + dz) * n + x + dx) as u16;
            faces.push([i(0, 0), i(1, 0), i(0, 1)]);
            faces.push([i(1, 0), i(1, 1), i(0, 1)]);
        }
    }
    mesh.set_faces(&faces);
    mesh
}

/// Bits of the half float nearest to a small number that halves can hold exactly.
pub(crate) fn half_bits(x: f32) -> u16 {
    half::f16::from_f32(x).to_bits()
}

pub(crate) fn material(name: &str, version: f32) -> MaterialInstance {
    let texture = |slot: &str, suffix: &str| {
        let path = if version == Fmdl::GZ {
            TexturePath::Folder("/Assets/test/sourceimages/".into())
        } else {
            let path = format!("/Assets/test/sourceimages/{name}_{suffix}.ftex");
            TexturePath::Code(galatea_fox::path_code64(&path))
        };
        Texture { slot: slot.into(), file: format!("{name}_{suffix}.tga").as_str().into(), path }
    };
    MaterialInstance {
        name: name.into(),
        shader: "fox_3ddf_basic".into(),
        technique: "fox3DDF_Blin_LNM".into(),
        textures: vec![
            texture("Base_Tex_SRGB", "bsm"),
            texture("NormalMap_Tex_NRM", "nrm"),
            texture("SpecularMap_Tex_LIN", "srm"),
        ],
        parameters: vec![Parameter { name: "MatParamIndex_0".into(), value: [9.0, 0.0, 0.0, 0.0] }],
    }
}

/// One static mesh, nothing to complain about.
pub(crate) fn still(version: f32) -> Fmdl {
    let mut model = Fmdl::new(version);
    model.groups.push(Group { name: "MESH_ROOT".into(), ..Group::default() });
    model.materials.push(material("ground", version));
    model.meshes.push(grid(4));
    model.runs.push(Run { mesh_count: 1, ..Run::default() });
    model.rederive();
    model
}

fn bone(name: &str, parent: Option<u16>, local: [f32; 4], world: [f32; 4]) -> Bone {
    Bone { name: name.into(), parent, flags: 0, bounds: Bounds::EMPTY, local, world }
}

/// Two skinned meshes in two groups, four levels of detail, colours, shared UVs, nothing to complain about.
pub(crate) fn skinned(version: f32) -> Fmdl {
    let mut model = Fmdl::new(version);
    model.bones.push(bone("SKL_000_WAIST", None, [0.0, 0.5, 0.0, 1.0], [0.0, 0.5, 0.0, 1.0]));
    model.bones.push(bone("SKL_001_SPINE", Some(0), [0.0, 0.25, 0.0, 1.0], [0.0, 0.75, 0.0, 1.0]));
    model.bones.push(bone("SKL_002_CHEST", Some(1), [0.0, 0.25, 0.0, 1.0], [0.0, 1.0, 0.0, 1.0]));
    model.groups.push(Group { name: "MESH_ROOT".into(), ..Group::default() });
    model.groups.push(Group {
        name: "MESH_armor_IV".into(),
        flags: Group::INVISIBLE,
        parent: Some(0),
        pivot: None,
    });
    model.materials.push(material("body", version));
    model.materials.push(material("armor", version));
    model.bone_groups.push(BoneGroup { max_weights: 2, bones: vec![0, 1, 2] });
    for i in 0..2u16 {
        let mut mesh = grid(4);
        let n = mesh.vertices.count;
        mesh.material = i;
        let uv = mesh.vertices.columns.pop().unwrap().values;
        mesh.vertices.push(Usage::Colour, Values::Unorm8x4(vec![[255, 128, 0, 255]; n]));
        mesh.vertices.push(Usage::Weights, Values::Unorm8x4(vec![[200, 55, 0, 0]; n]));
        let indices = (0..n).map(|v| [(v % 3) as u8, ((v + 1) % 3) as u8, 0, 0]).collect();
        mesh.vertices.push(Usage::BoneIndices, Values::U8x4(indices));
        mesh.vertices.push(Usage::Uv(0), uv);
        mesh.vertices.push(Usage::Uv(1), Values::Same(6));
        mesh.windows =
            [(0, 96), (24, 72), (24, 72), (48, 0)].map(|(first, count)| Window { first, count }).to_vec();
        model.meshes.push(mesh);
        model.runs.push(Run { group: i, first_mesh: i, mesh_count: 1, ..Run::default() });
    }
    model.rederive();
    model
}

/// Destruction fragments with pivots.
pub(crate) fn fragments(version: f32) -> Fmdl {
    let mut model = still(version);
    for i in 0..2u16 {
        model.groups.push(Group {
            name: format!("FRAGMENT_wall_FRAC_{i}").as_str().into(),
            flags: Group::FRAGMENT,
            parent: Some(0),
            pivot: Some([f32::from(i) * 2.0, 1.0, 0.0, 1.0]),
        });
        model.meshes.push(grid(2));
        model.runs.push(Run { group: 1 + i, first_mesh: 1 + i, mesh_count: 1, ..Run::default() });
    }
    model.rederive();
    model
}

/// A skinned PES model: bone matrices in section 1, an extension trailer.
pub(crate) fn pes() -> Fmdl {
    let mut model = skinned(Fmdl::GZ);
    let mut matrix = [0.0; 16];
    for i in [0, 5, 10, 15] {
        matrix[i] = 1.0;
    }
    model.bone_matrices = vec![matrix; model.bones.len()];
    model.extensions =
        b"X-FMDL-Extensions: mesh-splitting, antiblur\nSplit-Mesh-Groups: 0\nHas-Antiblur-Meshes: 1\n"
            .to_vec();
    model
}

/// All sound models, with their names.
pub(crate) fn all() -> Vec<(&'static str, Fmdl)> {
    vec![
        ("empty 2.03", Fmdl::new(Fmdl::GZ)),
        ("empty 2.04", Fmdl::new(Fmdl::TPP)),
        ("still 2.03", still(Fmdl::GZ)),
        ("still 2.04", still(Fmdl::TPP)),
        ("skinned 2.03", skinned(Fmdl::GZ)),
        ("skinned 2.04", skinned(Fmdl::TPP)),
        ("fragments 2.03", fragments(Fmdl::GZ)),
        ("fragments 2.04", fragments(Fmdl::TPP)),
        ("pes", pes()),
    ]
}
