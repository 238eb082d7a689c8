//! The records of MDL and MDX files.
//!
//! Offsets count from the start of the data block, which begins after the 12 bytes of [`FileHeader`].

use galatea_wire::{Offset, Schema, Text, Wire, wire};

wire! {
    /// The first 12 bytes. Offsets do not include them.
    pub struct FileHeader(12) {
        /// Always 0; a text model has letters here.
        pub zero: u32 = 0,
        /// Length of the file without these 12 bytes.
        pub mdl_size: u32 = 4,
        /// Length of the MDX file.
        pub mdx_size: u32 = 8,
    }
}

wire! {
    /// Offset and length of an array.
    pub struct ArrayDef(12) {
        /// First item.
        pub offset: Offset = 0,
        /// Items in use.
        pub count: u32 = 4,
        /// Items allocated; in files always the same as `count`.
        pub capacity: u32 = 8,
    }
}

wire! {
    /// What models and animations have in common.
    pub struct GeometryHeader(80) {
        /// Two function pointers of the game. They identify game and platform.
        pub pointers: [u32; 2] = 0,
        /// Name of the model or animation.
        pub name: Text<32> = 8,
        /// The root node.
        pub root: Offset = 40,
        /// For a model: its nodes plus, with a supermodel, 1 and the nodes of the whole chain. For an animation:
        /// usually the nodes of the model.
        pub node_count: u32 = 44,
        /// Two arrays the game fills at run time; zero in files.
        pub runtime_arrays: [ArrayDef; 2] = 48,
        /// How many models use this one, counted at run time; zero in files.
        pub references: u32 = 72,
        /// 2 for a model, 5 for an animation.
        pub geometry_type: u8 = 76,
        /// Often garbage.
        pub padding: [u8; 3] = 77,
    }
}

wire! {
    /// Follows the geometry header of a model.
    pub struct ModelHeader(88) {
        /// 0 other, 1 effect, 2 tile, 4 character, 8 door, 16 lightsaber, 32 placeable, 64 flyer.
        pub classification: u8 = 0,
        /// 0, 2 or 4; meaning unknown.
        pub subclassification: u8 = 1,
        /// Always 0.
        pub unknown_0x02: u8 = 2,
        /// Whether fog affects the model. `ignorefog` in text is the opposite.
        pub fog: u8 = 3,
        /// Models attached at run time; zero in files.
        pub child_models: u32 = 4,
        /// Offsets of the animations.
        pub animations: ArrayDef = 8,
        /// Address of the supermodel at run time; 0 or garbage in files.
        pub supermodel_pointer: u32 = 20,
        /// Lowest corner of the box around the model; nearly always (-5, -5, -1).
        pub bounds_min: [f32; 3] = 24,
        /// Highest corner; nearly always (5, 5, 10).
        pub bounds_max: [f32; 3] = 36,
        /// Radius of the model; nearly always 7.
        pub radius: f32 = 48,
        /// Factor for the positions of inherited animations.
        pub animation_scale: f32 = 52,
        /// Model whose animations this one inherits, or `NULL`. What follows the NUL byte may be garbage.
        pub supermodel: Text<32> = 56,
    }
}

wire! {
    /// Follows the model header.
    pub struct NamesHeader(28) {
        /// Where inherited animations begin: the root, or `neck_g` in heads.
        pub head_root: Offset = 0,
        /// Always 0.
        pub unknown_0x04: u32 = 4,
        /// Length of the MDX file again.
        pub mdx_size: u32 = 8,
        /// Start of the MDX data; always 0.
        pub mdx_offset: u32 = 12,
        /// Offsets of the node names.
        pub names: ArrayDef = 16,
    }
}

wire! {
    /// Follows the geometry header of an animation.
    pub struct AnimationHeader(56) {
        /// Seconds.
        pub length: f32 = 0,
        /// Blend time from the previous animation, in seconds.
        pub transition: f32 = 4,
        /// Name of the topmost node that the animation moves; nearly always that of the model.
        pub root: Text<32> = 8,
        /// Events.
        pub events: ArrayDef = 40,
        /// Always 0.
        pub unknown_0x34: u32 = 52,
    }
}

wire! {
    /// Something that happens at a time of an animation: a footstep, a sound, a hit.
    pub struct Event(36) {
        /// Seconds from the start of the animation.
        pub time: f32 = 0,
        /// Which event, such as `snd_footstep`.
        pub name: Text<32> = 4,
    }
}

wire! {
    /// Every node begins with this.
    pub struct NodeHeader(80) {
        /// What follows: 0x01 this header, 0x02 light, 0x04 emitter, 0x08 camera, 0x10 reference, 0x20 mesh, 0x40 skin,
        /// 0x80 animated mesh, 0x100 danglymesh, 0x200 AABB, 0x800 lightsaber.
        pub flags: u16 = 0,
        /// Number that connects nodes of animations and supermodels to nodes of the model.
        pub number: u16 = 2,
        /// Index into the names.
        pub name: u16 = 4,
        /// Padding.
        pub padding: u16 = 6,
        /// The animation this node belongs to; 0 in the model itself.
        pub owner: Offset = 8,
        /// The parent; 0 for a root.
        pub parent: Offset = 12,
        /// Rest position relative to the parent.
        pub position: [f32; 3] = 16,
        /// Rest orientation relative to the parent: w, x, y, z.
        pub orientation: [f32; 4] = 28,
        /// Offsets of the children.
        pub children: ArrayDef = 44,
        /// Controllers.
        pub controllers: ArrayDef = 56,
        /// Data of the controllers: times and values.
        pub data: ArrayDef = 68,
    }
}

wire! {
    /// One animated or constant property of a node. Its times and values are in the node's data array.
    pub struct Controller(16) {
        /// Which property: 8 position, 20 orientation, 36 scale, and others by kind of node.
        pub kind: u32 = 0,
        /// In animations 16 for position and 28 for orientation (the place of the field in the node header); else 0xFFFF.
        pub target: u16 = 4,
        /// Keys.
        pub rows: u16 = 6,
        /// Index of the first time in the data array.
        pub time_index: u16 = 8,
        /// Index of the first value in the data array.
        pub data_index: u16 = 10,
        /// Values per key; 2 for an orientation means one packed word; bit 0x10 means bezier, three times as many.
        pub columns: u8 = 12,
        /// Often garbage.
        pub padding: [u8; 3] = 13,
    }
}

wire! {
    /// What every mesh begins with, in both games and on both platforms.
    pub struct MeshHead(314) {
        /// Two function pointers of the game.
        pub pointers: [u32; 2] = 0,
        /// Faces.
        pub faces: ArrayDef = 8,
        /// Lowest corner of the box around the vertices.
        pub bounds_min: [f32; 3] = 20,
        /// Highest corner.
        pub bounds_max: [f32; 3] = 32,
        /// Greatest distance of a vertex from `average`.
        pub radius: f32 = 44,
        /// Mean of the vertex positions.
        pub average: [f32; 3] = 48,
        /// Diffuse color.
        pub diffuse: [f32; 3] = 60,
        /// Ambient color.
        pub ambient: [f32; 3] = 72,
        /// Drawing order among transparent meshes, 0 to 8.
        pub transparency_hint: u32 = 84,
        /// First texture.
        pub texture: Text<32> = 88,
        /// Second texture, usually the lightmap.
        pub lightmap: Text<32> = 120,
        /// Third texture.
        pub texture_3: Text<12> = 152,
        /// Fourth texture.
        pub texture_4: Text<12> = 164,
        /// Length of each list of vertex indices.
        pub index_counts: ArrayDef = 176,
        /// Offset of each list of vertex indices.
        pub index_offsets: ArrayDef = 188,
        /// Inverted counter.
        pub inverted_counters: ArrayDef = 200,
        /// (-1, -1, 0) in nearly all files.
        pub unknown_0xd4: [i32; 3] = 212,
        /// 3 and seven zeros in nearly all files.
        pub unknown_0xe0: [u8; 8] = 224,
        /// Whether the texture scrolls.
        pub animate_uv: u32 = 232,
        /// Direction in which the texture scrolls.
        pub uv_direction: [f32; 2] = 236,
        /// Amplitude of the texture jitter.
        pub uv_jitter: f32 = 244,
        /// Speed of the texture jitter.
        pub uv_jitter_speed: f32 = 248,
        /// Bytes of one vertex in the MDX.
        pub stride: u32 = 252,
        /// Columns of the MDX rows: 0x01 positions, 0x02 to 0x10 texture coordinates 1 to 4, 0x20 normals, 0x40 colours,
        /// 0x80 to 0x400 tangent space of textures 1 to 4.
        pub columns: u32 = 256,
        /// Where each column begins in a row, or -1: positions, normals, colours, four texture coordinates, four
        /// tangent spaces.
        pub column_offsets: [i32; 11] = 260,
        /// Vertices.
        pub vertex_count: u16 = 304,
        /// Number of textures.
        pub texture_count: u16 = 306,
        /// Whether the second texture is a lightmap.
        pub lightmapped: u8 = 308,
        /// Whether the texture rotates.
        pub rotate_texture: u8 = 309,
        /// Whether the mesh belongs to the background.
        pub background: u8 = 310,
        /// Whether the mesh casts a shadow.
        pub shadow: u8 = 311,
        /// Whether the mesh beams.
        pub beaming: u8 = 312,
        /// Whether the mesh is drawn.
        pub render: u8 = 313,
    }
}

wire! {
    /// Follows the mesh head in KotOR 2.
    pub struct Dirt(8) {
        /// Whether dirt is drawn over the mesh.
        pub enabled: u8 = 0,
        /// Padding.
        pub padding_0x01: u8 = 1,
        /// Number of the dirt texture; usually 1.
        pub texture: u16 = 2,
        /// Coordinate space of dirt; usually 1.
        pub coordinate_space: u16 = 4,
        /// Whether the mesh is hidden in holograms.
        pub hide_in_holograms: u8 = 6,
        /// Padding.
        pub padding_0x07: u8 = 7,
    }
}

wire! {
    /// Ends the mesh header; on PC the offset of the vertex positions in the MDL follows.
    pub struct MeshTail(14) {
        /// Often garbage.
        pub padding: [u8; 2] = 0,
        /// Sum of the areas of the faces.
        pub area: f32 = 2,
        /// Always 0.
        pub unknown_0x06: u32 = 6,
        /// The first row of this mesh in the MDX.
        pub mdx_offset: u32 = 10,
    }
}

wire! {
    /// One triangle.
    pub struct Face(32) {
        /// Normal of its plane.
        pub normal: [f32; 3] = 0,
        /// Distance of its plane: minus the normal times the first vertex.
        pub distance: f32 = 12,
        /// Surface material of walkable meshes, otherwise a smoothing group.
        pub material: u32 = 16,
        /// Faces across the edges (0, 1), (1, 2) and (2, 0), or 0xFFFF.
        pub adjacent: [u16; 3] = 20,
        /// Vertices.
        pub vertices: [u16; 3] = 26,
    }
}

wire! {
    /// Follows the mesh header of a skin.
    pub struct SkinHeader(100) {
        /// An array the compiler used; zero in files.
        pub unknown_0x00: ArrayDef = 0,
        /// Where the four bone weights begin in an MDX row.
        pub weights: i32 = 12,
        /// Where the four bone slots begin in an MDX row.
        pub bones: i32 = 16,
        /// For every node its bone slot, or -1: `f32` on PC, `u16` on Xbox.
        pub bone_map: Offset = 20,
        /// Entries of the bone map: the nodes of the model.
        pub bone_map_count: u32 = 24,
        /// For every node the rotation w, x, y, z of its inverse bind.
        pub rotations: ArrayDef = 28,
        /// For every node the translation of its inverse bind.
        pub translations: ArrayDef = 40,
        /// Room the game uses at run time, a word for every node.
        pub scratch: ArrayDef = 52,
        /// The node of each of the first 16 bone slots; unused ones may be garbage.
        pub bone_nodes: [i16; 16] = 64,
        /// Often garbage.
        pub padding: [u16; 2] = 96,
    }
}

wire! {
    /// Follows the mesh header of a danglymesh.
    pub struct DanglyHeader(28) {
        /// How strongly each vertex is held, from 0 (free) to 255 (fixed).
        pub constraints: ArrayDef = 0,
        /// The greatest displacement of a vertex.
        pub displacement: f32 = 12,
        /// How strongly vertices are pulled back.
        pub tightness: f32 = 16,
        /// How fast vertices swing.
        pub period: f32 = 20,
        /// A copy of the vertex positions.
        pub vertices: Offset = 24,
    }
}

wire! {
    /// Follows the mesh header of an animated mesh. No real file has one; the layout is that of the engine's ancestor.
    pub struct AnimMeshHeader(56) {
        /// Seconds between two samples.
        pub sample_period: f32 = 0,
        /// Three arrays: sampled positions, texture coordinates and normals.
        pub arrays: [ArrayDef; 3] = 4,
        /// Two offsets and two counts.
        pub unknown_0x28: [u32; 4] = 40,
    }
}

wire! {
    /// One box of the tree over the faces of a walkable mesh.
    pub struct AabbRecord(40) {
        /// Lowest corner.
        pub min: [f32; 3] = 0,
        /// Highest corner.
        pub max: [f32; 3] = 12,
        /// First child, or 0 (some tools write 0xFFFFFFFF).
        pub left: Offset = 24,
        /// Second child, or 0.
        pub right: Offset = 28,
        /// Face of a leaf; -1 for inner boxes.
        pub face: i32 = 32,
        /// Axis that separates the children: 1, 2, 4 for X, Y, Z, and 8, 16, 32 for the negative axes; 0 for leaves.
        pub plane: u32 = 36,
    }
}

wire! {
    /// Follows the mesh header of a lightsaber blade.
    pub struct SaberHeader(20) {
        /// Positions of its 176 vertices.
        pub vertices: Offset = 0,
        /// Their texture coordinates.
        pub uvs: Offset = 4,
        /// Their normals.
        pub normals: Offset = 8,
        /// Two inverted counters.
        pub inverted_counters: [u32; 2] = 12,
    }
}

wire! {
    /// Follows the node header of a light.
    pub struct LightHeader(92) {
        /// Distance up to which lens flares are visible.
        pub flare_radius: f32 = 0,
        /// An array the game fills at run time; zero in files.
        pub runtime_array: ArrayDef = 4,
        /// Size of each flare.
        pub flare_sizes: ArrayDef = 16,
        /// Position of each flare on the line from the light through the center of the view.
        pub flare_positions: ArrayDef = 28,
        /// Color shift of each flare.
        pub flare_colors: ArrayDef = 40,
        /// Offsets of the texture names of the flares.
        pub flare_textures: ArrayDef = 52,
        /// Priority if there are too many lights; 1 is the highest.
        pub priority: u32 = 64,
        /// Whether the light only adds to the ambient light.
        pub ambient_only: u32 = 68,
        /// The objects that the light affects.
        pub dynamic_type: u32 = 72,
        /// Whether moving objects are lit.
        pub affect_dynamic: u32 = 76,
        /// Whether the light casts shadows.
        pub shadow: u32 = 80,
        /// Stays 0 even on lights with flares.
        pub flare: u32 = 84,
        /// Whether the light fades in and out.
        pub fading: u32 = 88,
    }
}

wire! {
    /// Follows the node header of an emitter of particles.
    pub struct Emitter(224) {
        /// Nearest distance of a particle.
        pub dead_space: f32 = 0,
        /// Radius of the blast.
        pub blast_radius: f32 = 4,
        /// Duration of the blast.
        pub blast_length: f32 = 8,
        /// Branches of lightning.
        pub branch_count: u32 = 12,
        /// Smoothing of control points.
        pub control_point_smoothing: f32 = 16,
        /// Columns of frames in the texture.
        pub x_grid: u32 = 20,
        /// Rows of frames in the texture.
        pub y_grid: u32 = 24,
        /// 0 normal, 1 trail.
        pub spawn_type: u32 = 28,
        /// How particles live: `Fountain`, `Single`, `Explosion`, `Lightning`.
        pub update: Text<32> = 32,
        /// How particles are drawn: `Normal`, `Linked`, `Billboard_to_Local_Z`, and so on.
        pub render: Text<32> = 64,
        /// How particles blend: `Normal`, `Lighten`, `Punch-Through`.
        pub blend: Text<32> = 96,
        /// Texture.
        pub texture: Text<32> = 128,
        /// Model that is emitted instead of a textured particle.
        pub chunk: Text<16> = 160,
        /// Whether particles are visible from behind.
        pub two_sided: u32 = 176,
        /// Whether a single emission repeats.
        pub looped: u32 = 180,
        /// Drawing order.
        pub render_order: u16 = 184,
        /// Whether frames blend into each other.
        pub frame_blending: u8 = 186,
        /// Depth texture, usually `NULL`.
        pub depth_texture: Text<32> = 187,
        /// Padding, sometimes garbage.
        pub padding: u8 = 219,
        /// 1 p2p, 2 p2p_sel, 4 affected by wind, 8 tinted, 16 bounce, 32 random, 64 inherit, 128 inherit velocity, 256
        /// inherit local, 512 splat, 1024 inherit part, 2048 depth texture, 4096 unknown.
        pub flags: u32 = 220,
    }
}

wire! {
    /// Follows the node header of a reference to another model.
    pub struct Reference(36) {
        /// Name of the model.
        pub model: Text<32> = 0,
        /// Whether it can be detached.
        pub reattachable: u32 = 32,
    }
}

/// All fixed records, for the generated tables of the documentation.
pub static RECORDS: &[&Schema] = &[
    FileHeader::SCHEMA,
    ArrayDef::SCHEMA,
    GeometryHeader::SCHEMA,
    ModelHeader::SCHEMA,
    NamesHeader::SCHEMA,
    AnimationHeader::SCHEMA,
    Event::SCHEMA,
    NodeHeader::SCHEMA,
    Controller::SCHEMA,
    MeshHead::SCHEMA,
    Dirt::SCHEMA,
    MeshTail::SCHEMA,
    Face::SCHEMA,
    SkinHeader::SCHEMA,
    DanglyHeader::SCHEMA,
    AnimMeshHeader::SCHEMA,
    AabbRecord::SCHEMA,
    SaberHeader::SCHEMA,
    LightHeader::SCHEMA,
    Emitter::SCHEMA,
    Reference::SCHEMA,
];
