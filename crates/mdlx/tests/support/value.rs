//! The value.

use galatea_mdlx::*;

use super::tracks;

fn text<const N: usize>(text: &str) -> Text<N> {
    // What follows the NUL has to survive too.
    let mut out = Text::new(text.as_bytes()).unwrap();
    out.0[N - 1] = b'!';
    out
}

fn bounds(n: f32) -> Bounds {
    Bounds { radius: n, min: [n + 1.0, n + 2.0, n + 3.0], max: [n + 4.0, n + 5.0, n + 6.0] }
}

fn node(name: &str, id: u32, flags: u32, v: Version) -> Node {
    Node {
        name: text(name),
        object_id: id,
        parent_id: if id == 1 { -1 } else { id as i32 - 1 },
        flags,
        tracks: tracks(Owner::Node, v, 10.0 + id as f32),
    }
}

fn geoset(v: Version) -> Geoset {
    let vertices = vec![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0], [10.0, 11.0, 13.0]];
    let normals = vec![[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]];
    let uv = |n: f32| (0..4).map(|i| [n + i as f32, n - i as f32]).collect::<Vec<_>>();
    let skin = |i: u8| SkinWeight { bones: [1, 2, 3, i], weights: [100, 100, 50, 5] };
    let skin: Vec<_> = (4..8).map(skin).collect();
    let mut out = Geoset {
        vertices,
        normals,
        face_types: vec![4, 4],
        face_counts: vec![3, 3],
        faces: vec![0, 1, 2, 2, 1, 3],
        material_id: 1,
        selection_group: 2,
        selection_flags: 4,
        uvs: vec![uv(0.5), uv(1.5)],
        ..Geoset::default()
    };
    if v.has(Feature::VertexBuffers) {
        out.face_types = vec![4];
        out.face_counts = vec![6];
        out.bounds.radius = 77.0;
        out.skin = Some(skin);
        out.buffer = Some(Box::new(VertexBuffer {
            center: [3.0, 4.0, 5.0],
            index: 1,
            tags: [*b"PVTX", *b"PTYP", *b"PVTX"],
            type_count: 1,
            unused: 0x0102_0304_0506_0708,
            primitive_type: 3,
            unknown_0x4: 9,
            min_vertex: 1,
            max_vertex: 3,
            unused_0xe: 8,
            padding: vec![0xAAAA, 0xBBBB],
        }));
        return out;
    }
    out.vertex_groups = vec![0, 1, 1, 0];
    out.group_sizes = vec![1, 2];
    out.matrices = vec![1, 1, 2];
    out.bounds = bounds(20.0);
    out.sequence_bounds = vec![bounds(30.0), bounds(40.0)];
    if v.has(Feature::LevelOfDetail) {
        out.lod = -1;
        out.lod_name = text("high");
        out.tangents = Some(vec![[1.0, 0.5, 0.25, -1.0]; 4]);
        out.skin = Some(skin);
        // Both orders occur.
        out.skin_first = v.0 == 1000;
    }
    if v.is_wow() {
        out.bone_indices = vec![0x0403_0201, 0x0807_0605];
        out.bone_weights = vec![0x0102_03F9, 0x0403_02F6];
    }
    out
}

fn layer(v: Version) -> Layer {
    let mut out = Layer {
        filter_mode: 2,
        flags: 0x31,
        texture_id: 1,
        texture_anim_id: 3,
        coord_id: 5,
        alpha: 0.75,
        tracks: tracks(Owner::Layer, v, 1.0),
        ..Layer::default()
    };
    if v.has(Feature::EmissiveGain) {
        out.emissive_gain = f32::from_bits(0x7FC0_1234);
    }
    if v.has(Feature::Fresnel) {
        out.fresnel_color = [0.1, 0.2, 0.3];
        out.fresnel_opacity = 0.4;
        out.fresnel_team_color = 0.5;
    }
    if v.has(Feature::TextureSlots) {
        out.shader_type = 1;
        out.textures = vec![
            LayerTexture { texture_id: 2, slot: 1, tracks: tracks(Owner::LayerTexture, v, 2.0) },
            LayerTexture { texture_id: 3, slot: 4, tracks: Tracks::default() },
        ];
    }
    out
}

fn particles(v: Version) -> ParticleEmitter2 {
    let mut out = ParticleEmitter2 {
        node: node("Particles", 5, 0x5_1000, v),
        speed: 1.5,
        variation: 2.5,
        latitude: 3.5,
        gravity: 4.5,
        life_span: 5.5,
        emission_rate: 6.5,
        length: 7.5,
        width: 8.5,
        filter_mode: 1,
        rows: 2,
        columns: 4,
        head_or_tail: 2,
        tail_length: 9.5,
        time: 0.25,
        segment_colors: [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]],
        segment_alphas: [10, 20, 30],
        segment_scalings: [11.0, 12.0, 13.0],
        head_life: [1, 2, 3],
        head_decay: [4, 5, 6],
        tail_life: [7, 8, 9],
        tail_decay: [10, 11, 12],
        texture_id: 3,
        squirt: 1,
        priority_plane: -2,
        replaceable_id: 2,
        tracks: tracks(Owner::ParticleEmitter2, v, 3.0),
        ..ParticleEmitter2::default()
    };
    if v.is_wow() {
        out.content_size = (v.0 == 1400).then_some(12345);
        out.emitter_type = 2;
        out.longitude = 10.5;
        out.z_source = 11.5;
        out.wow = Some(Box::new(WowParticles {
            geometry_model: text("a.mdl"),
            recursion_model: text("b.mdl"),
            twinkle_fps: 1.0,
            twinkle_on_off: 2.0,
            twinkle_scale: [3.0, 4.0],
            instant_velocity_scale: 5.0,
            tumble: [6.0, 7.0, 8.0, 9.0, 10.0, 11.0],
            drag: 12.0,
            spin: 13.0,
            wind: [14.0, 15.0, 16.0],
            wind_time: 17.0,
            follow: [[18.0, 19.0], [20.0, 21.0]],
            spline: vec![[22.0, 23.0, 24.0], [25.0, 26.0, 27.0]],
        }));
    }
    out
}

/// A model of this version with everything it can have.
pub(crate) fn value(v: Version) -> Model {
    let wow = v.is_wow();
    let reforged = v.has(Feature::LevelOfDetail);
    let mut m = Model::new(v);
    m.info = ModelInfo {
        name: text("Everything"),
        animation_file: text("none.mdx"),
        bounds: bounds(1.0),
        blend_time: 150,
        flags: if wow { 5 } else { 0 },
        extra: Vec::new(),
    };
    m.sequences = vec![Sequence {
        name: text("Stand"),
        start: 100,
        end: 400,
        move_speed: 270.0,
        flags: 1,
        rarity: if wow { 0.0 } else { 3.0 },
        sync_point: if wow { 0 } else { 7 },
        bounds: bounds(8.0),
        frequency: if wow { 0.5 } else { 0.0 },
        replay: if wow { [2, 3] } else { [0; 2] },
        blend_time: if wow { 155 } else { 0 },
    }];
    m.global_sequences = vec![1000, 2000];
    m.materials = vec![Material {
        priority_plane: -3,
        flags: if wow { 0 } else { 0x11 },
        shader: if v.has(Feature::MaterialShader) { text("Shader_HD_DefaultUnit") } else { Text::default() },
        layers: vec![layer(v), Layer::default()],
        extra: Vec::new(),
    }];
    m.textures = vec![Texture { replaceable_id: 1, path: text("Textures\\a.blp"), flags: 3 }; 4];
    m.texture_anims =
        vec![TextureAnim { tracks: tracks(Owner::TextureAnim, v, 4.0) }, TextureAnim::default()];
    m.geosets = vec![geoset(v)];
    m.geoset_anims = vec![GeosetAnim {
        alpha: 0.5,
        flags: 3,
        color: [0.1, 0.2, 0.3],
        geoset_id: 1,
        tracks: tracks(Owner::GeosetAnim, v, 5.0),
    }];
    m.bones = vec![Bone { node: node("Bone", 1, 0x100, v), geoset_id: 5, geoset_anim_id: 6 }];
    m.lights = vec![Light {
        node: node("Light", 2, 0x200, v),
        kind: 1,
        attenuation_start: 80.0,
        attenuation_end: 200.0,
        color: [0.5, 0.6, 0.7],
        intensity: 2.0,
        ambient_color: [0.8, 0.9, 1.0],
        ambient_intensity: 3.0,
        shadow_intensity: if v.has(Feature::ShadowIntensity) { 0.6 } else { 0.4 },
        tracks: tracks(Owner::Light, v, 6.0),
    }];
    m.helpers = vec![Helper { node: node("Helper", 3, 8, v) }];
    m.attachments = vec![Attachment {
        node: node("Hand Right Ref", 4, 0x800, v),
        path: text("a.mdx"),
        attachment_id: 9,
        padding: if wow { 7 } else { 0xFF },
        tracks: tracks(Owner::Attachment, v, 7.0),
    }];
    m.pivots = (0..12).map(|i| [i as f32 + 0.5, 1.0, 2.0]).collect();
    m.particle_emitters = vec![ParticleEmitter {
        node: node("Emitter", 6, 0x9000, v),
        emission_rate: 1.5,
        gravity: 2.5,
        longitude: 3.5,
        latitude: 4.5,
        path: text("c.mdl"),
        life_span: 5.5,
        speed: 6.5,
        tracks: tracks(Owner::ParticleEmitter, v, 8.0),
    }];
    m.particle_emitters2 = vec![particles(v)];
    m.ribbon_emitters = vec![RibbonEmitter {
        node: node("Ribbon", 7, 0x4000, v),
        content_size: (v.0 == 1400).then_some(54321),
        height_above: 1.5,
        height_below: 2.5,
        alpha: 0.5,
        color: [0.1, 0.2, 0.3],
        life_span: 3.5,
        texture_slot: 4,
        emission_rate: 5,
        rows: 6,
        columns: 7,
        material_id: 8,
        gravity: 9.5,
        tracks: tracks(Owner::RibbonEmitter, v, 9.0),
    }];
    m.cameras = vec![Camera {
        name: text("Camera01"),
        position: [1.0, 2.0, 3.0],
        field_of_view: 0.75,
        far_clip: 1000.0,
        near_clip: 8.0,
        target: [4.0, 5.0, 6.0],
        tracks: tracks(Owner::Camera, v, 10.0),
    }];
    m.events = vec![
        Event {
            node: node("SNDxABCD", 8, 0x400, v),
            track: Some(EventTrack { global_sequence: 1, times: vec![100, 300, -5] }),
        },
        Event { node: node("FPT0", 9, 0x400, v), track: None },
    ];
    let shapes = [
        Shape::Box { corners: [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]] },
        Shape::Plane { length: 80.0, width: 81.0 },
        Shape::Sphere { center: [7.0, 8.0, 9.0], radius: 10.0 },
        Shape::Cylinder { base: [1.5, 2.5, 3.5], height: 4.5, radius: 5.5 },
        Shape::CylinderPoints { points: [[1.25, 2.25, 3.25], [4.25, 5.25, 6.25]], radius: 7.25 },
        Shape::PlanePoints { points: [[1.75, 2.75, 3.75], [4.75, 5.75, 6.75]] },
    ];
    let shapes = if wow { &shapes[..4] } else { &shapes[..] };
    m.collision_shapes = shapes
        .iter()
        .map(|shape| CollisionShape { node: node("Shape", 10, 0x2000, v), shape: *shape })
        .collect();
    if wow {
        m.collision_mesh = Some(Box::new(CollisionMesh {
            vertices: vec![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.5]],
            triangles: vec![1, 2, 3],
            normals: vec![[1.0, 0.5, 0.25]],
        }));
    }
    if reforged {
        m.bind_poses = vec![std::array::from_fn(|i| i as f32 + 0.5); 2];
        m.face_effects = vec![FaceEffect { target: text("Bone"), path: text("f.facefx") }];
        m.popcorn_emitters = vec![PopcornEmitter {
            node: node("Popcorn", 11, 0x1000, v),
            life_span: 1.5,
            emission_rate: 2.5,
            speed: 3.5,
            color: [4.5, 5.5, 6.5],
            alpha: 7.5,
            replaceable_id: 1,
            path: text("p.pkfx"),
            visibility_guide: text("Always=on"),
            tracks: tracks(Owner::PopcornEmitter, v, 11.0),
        }];
    }
    if !wow {
        m.sounds = vec![Sound { path: text("s.wav"), volume: 0.5, pitch: 1.5, flags: 3 }];
        m.sound_emitters = vec![SoundEmitter {
            node: node("Sound", 12, 8, v),
            track: Some(EventTrack { global_sequence: -1, times: vec![7] }),
        }];
    }
    m.unknown = vec![
        UnknownChunk { tag: Tag(*b"INFO"), bytes: b"made by hand".to_vec().into() },
        UnknownChunk { tag: Tag(*b"MDVI"), bytes: Box::default() },
    ];
    m
}
